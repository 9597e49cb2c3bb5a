"""The exercises of 28 hidden_markov."""

import itertools

import numpy as np

from mlcore import hidden_markov as hm
from mlcore.engine.exercises import (
    SAME_THERE,
    Alternative,
    Chain,
    Checks,
    Choice,
    Explanation,
    Function,
    Hint,
    Law,
    Line,
    Mistake,
    Option,
    Property,
    Slip,
    Topic,
)

# --- models to be tried on: no row like another, nothing symmetric, a start far from the long run ---


def _stochastic(rng, *shape):
    p = rng.uniform(0.1, 1, size=shape) ** 2
    p = p * (1 + rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1))
    return p / p.sum(axis=-1, keepdims=True)


def _model(rng, K, M):
    return _stochastic(rng, K), _stochastic(rng, K, K), _stochastic(rng, K, M)


def _symbols(rng, T, M):
    """Every symbol at least once if T allows it, and the first symbol unlike the last."""
    o = rng.permutation(np.arange(T) % M)
    if T > 1 and o[0] == o[-1]:
        o[-1] = (o[0] + 1) % M
    return o


def _small(rng, T):
    """A model with round numbers, to be looked at."""
    pi, stay, B = (
        rng.choice([0.2, 0.3, 0.7, 0.8]),
        rng.permutation([0.6, 0.7, 0.9])[:2],
        rng.permutation([0.2, 0.4, 0.9]),
    )
    A = np.array([[stay[0], 1 - stay[0]], [1 - stay[1], stay[1]]])
    return _symbols(rng, T, 2), np.array([pi, 1 - pi]), A, np.array([[B[0], 1 - B[0]], [B[1], 1 - B[1]]])


def _sequences(rng):
    return [
        _small(rng, 3),
        (
            np.array([0, 1, 1, 0]),
            np.array([0.6, 0.4]),
            np.array([[0.8, 0.2], [0.3, 0.7]]),
            np.array([[0.9, 0.1], [0.4, 0.6]]),
        ),
        (_symbols(rng, 6, 4), *_model(rng, 3, 4)),
        (_symbols(rng, 1, 3), *_model(rng, 2, 3)),
    ]


def _rare(shares):
    """Symbols so rare that a short sequence of them has a probability of 0 in floating point, and one that never comes.

    `shares` are their probabilities in millionths: quick to go through.
    """
    return np.column_stack([1e-6 * shares, 1 - 1e-6 * shares.sum(axis=1)])


def _and_improbable(rng):
    pi, A, _ = _model(rng, 3, 3)
    return [*_sequences(rng), (_symbols(rng, 85, 3), pi, A, _rare(rng.uniform(10, 100, size=(3, 3))))]


def _learnable(rng):
    """In the second model the last symbol is never shown."""
    return [_small(rng, 5), (_symbols(rng, 9, 3), *_model(rng, 3, 4)), (_symbols(rng, 20, 4), *_model(rng, 2, 4))]


def _three_steps(rng):
    return [(_stochastic(rng, K), _stochastic(rng, K, K), *rng.uniform(0.1, 0.9, size=(3, K))) for K in (2, 3, 4)]


def _scores(rng):
    """Scores of both signs, those of one path so low that log Z < 0; in the last case so large that exp overflows."""
    made = [
        ((rng.normal(size=(T, K)) - low).round(1), rng.normal(size=(K, K)).round(1))
        for T, K, low in ((2, 2, 4), (4, 3, 0), (1, 3, 0))
    ]
    return [*made, (400 * rng.uniform(1, 3, size=(6, 2)), 100 * rng.normal(size=(2, 2)))]


def _labelled(rng):
    """Label sequences in which some steps are repeated, and that do not end where they began; the first one falls."""
    made: list[tuple] = []
    for T, K in ((4, 2), (6, 2), (4, 3)):
        q = rng.integers(0, K, size=T)
        start = q[0] if made else K - 1
        q[:3], q[-1] = start, (start + 1) % K
        made.append((q, rng.normal(size=(T, K)).round(1), rng.normal(size=(K, K)).round(1)))
    return made


def _measured(rng):
    """m, P, z, q and r; z is far from m, on either side, and both signs come. In the first m > P > q > r."""
    signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    low, high = np.full((4, 5), 0.3), np.full((4, 5), 3.0)
    low[0], high[0] = (3.1, 2.1, 1.3, 1.1, 0.3), (4, 3, 3, 2, 1)
    sizes = rng.uniform(low, high).round(1)
    return [
        tuple(size * [a, 1, 1, 1, 1] + np.array([0, 0, 4 * b, 0, 0])) for size, (a, b) in zip(sizes, signs, strict=True)
    ]


def _definite(rng, d):
    A = rng.normal(size=(d, d))
    return A @ A.T + 0.5 * np.eye(d)


def _tracked(rng):
    """A car with position and velocity of which the position is seen, and others with k < d."""
    car, seen = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    P, Q, R = np.diag([1.0, 2.0]), np.diag([0.1, 0.5]), np.array([[0.7]])
    return [
        (rng.normal(size=2).round(1), P, rng.normal(size=1).round(1), car, Q, seen, R),
        _system(rng, 3, -1),
        _system(rng, 4, 1),
    ]


def _system(rng, d, sign):
    """d numbers of which two are seen; `sign` is that of z₂ − z₁ and of the correlation of their noises."""
    F, H = rng.normal(size=(d, d)), rng.normal(size=(2, d))
    R = _definite(rng, 2)
    R[0, 1] = R[1, 0] = sign * abs(R[0, 1])
    z = np.sort(rng.normal(size=2))[::sign]
    return rng.normal(size=d), _definite(rng, d), z, F, _definite(rng, d), H, R


# --- evaluation ---


def _line_1(pi, A, b1, b2, b3):
    return np.einsum("i,i,ij,j,jk,k->", pi, b1, A, b2, A, b3)


def _line_2(pi, A, b1, b2, b3):
    return pi * b1


def _line_3(pi, A, b1, b2, b3):
    return (pi * b1)[:, None] * A * b2


def _line_4(pi, A, b1, b2, b3):
    return ((pi * b1) @ A) * b2


def _line_5(pi, A, b1, b2, b3):
    return ((((pi * b1) @ A) * b2) @ A) * b3


forward_chain = Chain(
    "forward_chain",
    asks="From all paths to one vector",
    first=_line_1,
    lines=[
        Line(
            does="collect the factors that hold the first state and no other: a vector over the first state",
            reference=_line_2,
            mistakes=[
                Mistake("The first observation is missing.", lambda pi, A, b1, b2, b3: pi),
                Mistake(
                    "The start is missing: a path begins in state i with probability πᵢ.", lambda pi, A, b1, b2, b3: b1
                ),
                Mistake(
                    "The step to the second state is in it already: A holds the first state and the second.",
                    lambda pi, A, b1, b2, b3: (pi * b1) @ A,
                ),
                Mistake(
                    "This is divided by its sum: that is p(first state | first observation), and the sum over all "
                    "paths needs the joint probability.",
                    lambda pi, A, b1, b2, b3: pi * b1 / (pi @ b1),
                ),
                Mistake("b₂ is the observation in the second state.", lambda pi, A, b1, b2, b3: pi * b2),
                Mistake("π and b₁ are added: the factors of a path multiply.", lambda pi, A, b1, b2, b3: pi + b1),
            ],
        ),
        Line(
            does="multiply line 2 with the factors that hold the second state and no later one: a table over the first "
            "two states, before any sum",
            reference=_line_3,
            follows=lambda before, pi, A, b1, b2, b3: before[:, None] * A * b2,
            mistakes=[
                Mistake(
                    "The second observation is missing.",
                    lambda pi, A, b1, b2, b3: (pi * b1)[:, None] * A,
                ),
                Mistake(
                    "b₂ multiplies the rows: it belongs to the state after the step, which is the column.",
                    lambda pi, A, b1, b2, b3: (pi * b1 * b2)[:, None] * A,
                ),
                Mistake(
                    "Line 2 multiplies the columns: it belongs to the state that the step leaves, which is the row.",
                    lambda pi, A, b1, b2, b3: (pi * b1 * b2) * A,
                ),
                Mistake(
                    "Line 2 is summed already: the table comes before any sum.",
                    lambda pi, A, b1, b2, b3: np.sum(pi * b1) * A * b2,
                ),
                Mistake(
                    "The step from the first state to the second is missing: A holds both.",
                    lambda pi, A, b1, b2, b3: np.outer(pi * b1, b2),
                ),
                Mistake(
                    "The step is turned round: the row of A is the state that it leaves.",
                    lambda pi, A, b1, b2, b3: (pi * b1)[:, None] * A.T * b2,
                ),
                Mistake(
                    "b₃ is the observation in the third state.", lambda pi, A, b1, b2, b3: (pi * b1)[:, None] * A * b3
                ),
                Mistake(
                    "The first observation is missing: line 2 has it.", lambda pi, A, b1, b2, b3: pi[:, None] * A * b2
                ),
                Mistake(
                    "b₁ comes twice: line 2 has it already.", lambda pi, A, b1, b2, b3: (pi * b1 * b1)[:, None] * A * b2
                ),
                Mistake(
                    "The step to the third state is in it already.",
                    lambda pi, A, b1, b2, b3: ((pi * b1)[:, None] * A * b2) @ A,
                ),
            ],
        ),
        Line(
            does="sum over the first state: a vector over the second",
            reference=_line_4,
            follows=lambda before, pi, A, b1, b2, b3: before.sum(axis=0),
            mistakes=[
                Mistake(
                    "This sums over the second state. The first one, the row, is to go.",
                    lambda pi, A, b1, b2, b3: (pi * b1) * (A @ b2),
                ),
                Mistake(
                    "This is the mean over the first state: the probabilities of different paths add up.",
                    lambda pi, A, b1, b2, b3: ((pi * b1) @ A) * b2 / len(pi),
                ),
                Mistake(
                    "This is the most probable first state, not the sum over all of them.",
                    lambda pi, A, b1, b2, b3: np.max((pi * b1)[:, None] * A * b2, axis=0),
                ),
                Mistake("The second observation is missing: line 3 has it.", lambda pi, A, b1, b2, b3: (pi * b1) @ A),
                Mistake(
                    "A @ v sums over the state that the step enters: the first state is the one that it leaves.",
                    lambda pi, A, b1, b2, b3: (A @ (pi * b1)) * b2,
                ),
                Mistake(
                    "Divided by its sum this is p(second state | both observations): the joint one is asked for.",
                    lambda pi, A, b1, b2, b3: _line_4(pi, A, b1, b2, b3) / np.sum(_line_4(pi, A, b1, b2, b3)),
                ),
            ],
        ),
        Line(
            does="do the same once more, with the third state: a vector over it",
            reference=_line_5,
            follows=lambda before, pi, A, b1, b2, b3: (before @ A) * b3,
            mistakes=[
                Mistake(
                    "The last observation is missing.",
                    lambda pi, A, b1, b2, b3: (((pi * b1) @ A) * b2) @ A,
                ),
                Mistake(
                    "A step is missing: from the second state to the third it takes another A.",
                    lambda pi, A, b1, b2, b3: ((pi * b1) @ A) * b2 * b3,
                ),
                Mistake(
                    "A @ v sums over the state that the step enters: v @ A sums over the one that it leaves.",
                    lambda pi, A, b1, b2, b3: (A @ (((pi * b1) @ A) * b2)) * b3,
                ),
                Mistake(
                    "b₃ comes before the step here: it belongs to the state after it.",
                    lambda pi, A, b1, b2, b3: (((pi * b1) @ A) * b2 * b3) @ A,
                ),
                Mistake(
                    "This sums over the third state: the second one is to go.",
                    lambda pi, A, b1, b2, b3: _line_4(pi, A, b1, b2, b3) * (A @ b3),
                ),
                Mistake(
                    "b₂ comes twice: the observation in the third state is b₃.",
                    lambda pi, A, b1, b2, b3: (_line_4(pi, A, b1, b2, b3) @ A) * b2,
                ),
                Mistake(
                    "The second observation is missing: line 4 has it.",
                    lambda pi, A, b1, b2, b3: ((pi * b1) @ A @ A) * b3,
                ),
                Mistake(
                    "π comes twice: a path starts only once.",
                    lambda pi, A, b1, b2, b3: ((pi * _line_4(pi, A, b1, b2, b3)) @ A) * b3,
                ),
                Mistake(
                    "This is divided by its sum, which is line 1: that is p(third state | all observations).",
                    lambda pi, A, b1, b2, b3: _line_5(pi, A, b1, b2, b3) / np.sum(_line_5(pi, A, b1, b2, b3)),
                ),
            ],
        ),
    ],
    cases=_three_steps,
    forbids=(hm.forward, hm.loglik),
    alternatives=[
        Alternative(lambda pi, A, b1, b2, b3: np.einsum("i,i->i", pi, b1), part=0),
        Alternative(lambda pi, A, b1, b2, b3: np.diag(pi * b1) @ A @ np.diag(b2), part=1),
        Alternative(lambda pi, A, b1, b2, b3: np.outer(pi * b1, b2) * A, part=1),
        Alternative(lambda pi, A, b1, b2, b3: np.einsum("i,i,ij,j->j", pi, b1, A, b2), part=2),
        Alternative(lambda pi, A, b1, b2, b3: np.sum((((pi * b1) @ A) * b2)[:, None] * A * b3, axis=0), part=3),
        Alternative(lambda pi, A, b1, b2, b3: (pi * b1) @ A @ np.diag(b2) @ A @ np.diag(b3), part=3),
    ],
    hints=(
        Hint(
            "Which factors hold the first state?",
            "In line 1 it is the index $i$. Which of the factors have $i$ and no other index?",
        ),
        Hint(
            "How do I write a table from a vector and a matrix?",
            "`v[:, None] * M` multiplies row $i$ of `M` by $v_i$, `M * v` multiplies column $j$ by $v_j$.",
        ),
        Hint(
            "Is there a shorter way than a table and a sum?",
            r"$\sum_iv_iM_{ij}$ is entry $j$ of `v @ M`. Line 5 needs no table.",
        ),
    ),
    see="The section *Derive*: push the sum over the first state in, then the next. Equation (28.2).",
)


def _alphas(o, pi, A, B, step=None):
    step = step or (lambda a, b: (a @ A) * b)
    a = pi * B[:, o[0]]
    for symbol in o[1:]:
        a = step(a, B[:, symbol])
    return a


def _all_paths(o, pi, A, B):
    """p(q, o) of every path q, with one axis for each time."""
    return _alphas(o, pi, A, B, lambda a, b: a[..., None] * A * b)


hmm_likelihood = Function(
    "hmm_likelihood",
    asks="The probability of what we saw",
    points=2,
    reference=lambda o, pi, A, B: np.exp(hm.loglik(o, pi, A, B)),
    cases=_sequences,
    forbids=(hm.forward, hm.loglik),
    mistakes=[
        Mistake(
            "A is transposed. Its rows are the present state, so the step is alpha @ A.",
            lambda o, pi, A, B: _alphas(o, pi, A, B, lambda a, b: (A @ a) * b).sum(),
        ),
        Mistake(
            "The observations never come in: without them the forward sums are 1.",
            lambda o, pi, A, B: np.sum(pi @ np.linalg.matrix_power(A, len(o) - 1)),
        ),
        Mistake(
            "The first observation is left out: α₁ = π ⊙ b₁.",
            lambda o, pi, A, B: _alphas(o, pi / B[:, o[0]], A, B).sum(),
        ),
        Mistake(
            "A step is taken before the first observation: π is already the distribution of the first state.",
            lambda o, pi, A, B: _alphas(o, pi @ A, A, B).sum(),
        ),
        Mistake(
            "This is the probability of the best path alone: the sum over all paths is asked for.",
            lambda o, pi, A, B: _all_paths(o, pi, A, B).max(),
        ),
        Mistake(
            "The observations were read backwards: o[0] comes first.",
            lambda o, pi, A, B: _alphas(o[::-1], pi, A, B).sum(),
        ),
        Mistake(
            "Each observation is judged on its own, with the state's probability before any of them: the chain "
            "remembers.",
            lambda o, pi, A, B: np.prod([pi @ np.linalg.matrix_power(A, t) @ B[:, m] for t, m in enumerate(o)]),
        ),
    ],
    alternatives=[
        Alternative(lambda o, pi, A, B: _all_paths(o, pi, A, B).sum()),
        Alternative(lambda o, pi, A, B: _alphas(o, pi, A, B).sum()),
        Alternative(lambda o, pi, A, B: pi * B[:, o[0]] @ _backwards(o, A, B)[0]),
    ],
    hints=(
        Hint("What is bₜ in code?", "`B[:, o[t]]`: one number for each state."),
        Hint("What do I loop over?", "`alpha = pi * B[:, o[0]]`, then one step for every later observation."),
    ),
    see="Equation (28.2), for any T: line 5 of the chain in a loop.",
)


def _backwards(o, A, B):
    """β without scaling, for short sequences."""
    beta = [np.ones(len(A))]
    for symbol in o[:0:-1]:
        beta.insert(0, A @ (B[:, symbol] * beta[0]))
    return np.array(beta)


which_task = Choice(
    "which_task",
    asks="Which question is this?",
    points=1,
    options={
        "a": Option("evaluation: compute $p(o)$ under both models and compare"),
        "b": Option(
            "decoding: compute the most probable path under both models and compare",
            wrong="One path is one of very many explanations. The recording was made by some path, and which one does "
            "not matter here.",
        ),
        "c": Option(
            "learning: fit a model to the recording and see which of the two it resembles",
            wrong="Both models are known already. Learning is needed when they are not.",
        ),
    },
    reasons={
        "i": Option(
            "the path tells in which state the heart was at every beat",
            wrong="It does, but the question is about the model, not about the states.",
        ),
        "ii": Option("the question is which model explains the recording, whatever the path was: sum the paths out"),
        "iii": Option(
            "the parameters must be estimated before anything can be computed",
            wrong="The parameters of both models are given.",
        ),
    },
    alternatives=[],
    hints=(Hint("What is unknown here?", "Not the parameters, and not the path: the question is which model it was."),),
    see="The table of three tasks: evaluation is inference, decoding is a most probable value, learning is estimation.",
)


def _scaled(o, pi, A, B):
    """α̂ of shape (T, K) and c of shape (T,)."""
    rows, c, a = [], [], pi
    for t, b in enumerate(B.T[o]):
        a = (a @ A if t else a) * b
        c.append(a.sum())
        a = a / c[-1]
        rows.append(a)
    return np.array(rows), np.array(c)


def _scales(o, pi, A, B):
    return _scaled(o, pi, A, B)[1]


def _filtered(o, pi, A, B):
    return _scaled(o, pi, A, B)[0]


def _log_space(o, pi, A, B):
    a = np.log(pi) + np.log(B[:, o[0]])
    for symbol in o[1:]:
        a = np.logaddexp.reduce(a[:, None] + np.log(A), axis=0) + np.log(B[:, symbol])
    return np.logaddexp.reduce(a)


hmm_loglik = Function(
    "hmm_loglik",
    asks="Long sequences without underflow",
    points=2,
    reference=hm.loglik,
    cases=_and_improbable,
    forbids=(hm.forward, hm.baum_welch),
    mistakes=[
        Mistake(
            "In a long sequence α is 0 in floating point, and log 0 = −∞: divide α by its sum in every step and keep "
            "the sums.",
            lambda o, pi, A, B: np.log(_alphas(o, pi, A, B).sum()),
        ),
        Mistake(
            "This is the last sum alone: log p(o) adds up the logarithms of all of them.",
            lambda o, pi, A, B: np.log(_scales(o, pi, A, B)[-1]),
        ),
        Mistake(
            "This adds the sums and then takes the logarithm: the probability is the product of the sums.",
            lambda o, pi, A, B: np.log(_scales(o, pi, A, B).sum()),
        ),
        Mistake(
            "This is log p(o) per symbol: the sum over all of them is asked for.",
            lambda o, pi, A, B: np.mean(np.log(_scales(o, pi, A, B))),
        ),
        Mistake(
            "The first sum is forgotten: c₁ = Σ π ⊙ b₁ counts too.",
            lambda o, pi, A, B: np.sum(np.log(_scales(o, pi, A, B)[1:])),
        ),
        Mistake("α is scaled back to 1 in every step, and the scales are lost: log 1 = 0.", lambda o, pi, A, B: 0.0),
    ],
    alternatives=[
        Alternative(_log_space),
        Alternative(lambda o, pi, A, B: np.log(_scales(o, pi, A, B)).sum()),
    ],
    hints=(
        Hint("Why does it underflow?", "Every symbol multiplies α by numbers below 1, and $10^{-324}$ is the end."),
        Hint(
            "What may I do to α?",
            "Divide it by its sum $c_t$ after every step. The recursion is linear, so α has been divided by "
            "$c_1c_2\\cdots c_t$ in all.",
        ),
        Hint("And p(o)?", r"After the last step α sums to 1, so $p(o)=c_1c_2\cdots c_T$. Add logarithms."),
    ),
    see="Equation (28.3).",
)


# --- decoding ---


def _gammas(o, pi, A, B, next_=lambda t: t + 1, back=None):
    """γ in logarithms, with the ways in which β goes wrong."""
    back = A if back is None else back
    with np.errstate(divide="ignore"):
        a = [np.log(pi) + np.log(B[:, o[0]])]
        for symbol in o[1:]:
            a.append(np.logaddexp.reduce(a[-1][:, None] + np.log(A), axis=0) + np.log(B[:, symbol]))
        beta = [np.zeros(len(pi))]
        for t in range(len(o) - 2, -1, -1):
            seen = np.log(B[:, o[next_(t)]])
            beta.append(np.logaddexp.reduce(np.log(back) + seen + beta[-1], axis=1))
    L = np.array(a) + np.array(beta[::-1])
    return np.exp(L - np.logaddexp.reduce(L, axis=1, keepdims=True))


hmm_posteriors = Function(
    "hmm_posteriors",
    asks="What all observations say about every state",
    points=3,
    reference=hm.posteriors,
    cases=_and_improbable,
    forbids=(hm.backward, hm.baum_welch),
    mistakes=[
        Mistake(
            "This is α̂, which knows the observations up to t only. The later ones come in through β, and a β without "
            "the bₜ₊₁ is 1.",
            _filtered,
        ),
        Mistake(
            "β uses the observation oₜ, which α has counted already: βₜ needs bₜ₊₁.",
            lambda o, pi, A, B: _gammas(o, pi, A, B, next_=lambda t: t),
        ),
        Mistake(
            "A is transposed on the way back: βₜ(i) sums over the next state j, Σⱼ Aᵢⱼ bₜ₊₁(j) βₜ₊₁(j).",
            lambda o, pi, A, B: _gammas(o, pi, A, B, back=A.T),
        ),
        Mistake(
            "These are the states without their neighbours: only π and oₜ come in.",
            lambda o, pi, A, B: (pi * B.T[o]) / (B.T[o] @ pi)[:, None],
        ),
        Mistake(
            "This is not divided by p(o): every row has to add up to 1.",
            lambda o, pi, A, B: _gammas(o, pi, A, B) * np.exp(_log_space(o, pi, A, B)),
        ),
        Mistake(
            "For the long sequence α ⊙ β is 0 in floating point, and 0/0 is not a number: divide α and β by their sums "
            "in every step.",
            lambda o, pi, A, B: _rows(_unscaled(o, pi, A, B) * _backwards(o, A, B)),
        ),
    ],
    alternatives=[
        Alternative(lambda o, pi, A, B: _gammas(o, pi, A, B)),
        Alternative(lambda o, pi, A, B: _expectations(o, pi, A, B)[0]),
    ],
    hints=(
        Hint(
            "What is β?",
            r"$\beta_t(i)=p(o_{t+1}\dots o_T\mid q_t{=}i)$: how well the future fits if the state is $i$. It is the "
            "elimination of the later states, from the right.",
        ),
        Hint(
            "How do I go from t + 1 to t?",
            r"$\beta_t(i)=\sum_jA_{ij}\,b_{t+1}(j)\,\beta_{t+1}(j)$: `A @ (B[:, o[t + 1]] * beta)`, and $\beta_T=1$.",
        ),
        Hint(
            "Mine underflows.",
            "You may divide α and β by any number in every step, for instance their sums: at the end each row of "
            "$\\alpha_t\\odot\\beta_t$ is divided by its own sum.",
        ),
    ),
    see="Equations (28.4) and (28.5).",
)


def _unscaled(o, pi, A, B):
    return np.array(list(itertools.accumulate(B.T[o[1:]], lambda a, b: (a @ A) * b, initial=pi * B[:, o[0]])))


def _deltas(o, pi, A, B, first=None, steps=None):
    """δ at every time and where each came from, with its own first vector and its own list of later observations."""
    log_A, log_b = np.log(A), np.log(B.T)
    deltas, backs = [np.log(pi) + log_b[o[0]] if first is None else first], []
    for symbol in o[1:] if steps is None else steps:
        scores = deltas[-1][:, None] + log_A
        backs.append(scores.argmax(axis=0))
        deltas.append(scores.max(axis=0) + log_b[symbol])
    return np.array(deltas), backs


def _viterbi(o, pi, A, B, first=None, steps=None):
    deltas, backs = _deltas(o, pi, A, B, first, steps)
    path = [deltas[-1].argmax()]
    for back in reversed(backs):
        path.append(back[path[-1]])
    return np.array(path[::-1]), deltas[-1].max()


def _viterbi_in_products(o, pi, A, B, value=np.log):
    """Without logarithms: all is 0 before the end of a long sequence."""
    delta, backs = pi * B[:, o[0]], []
    for symbol in o[1:]:
        scores = delta[:, None] * A
        backs.append(scores.argmax(axis=0))
        delta = scores.max(axis=0) * B[:, symbol]
    path = [delta.argmax()]
    for back in reversed(backs):
        path.append(back[path[-1]])
    return np.array(path[::-1]), value(delta.max())


def _posterior_path(o, pi, A, B):
    path = _gammas(o, pi, A, B).argmax(axis=1)
    return path, hm.log_joint(path, o, pi, A, B)


def _greedy_path(o, pi, A, B):
    path = [int(np.argmax(pi * B[:, o[0]]))]
    for symbol in o[1:]:
        path.append(int(np.argmax(A[path[-1]] * B[:, symbol])))
    return np.array(path), hm.log_joint(np.array(path), o, pi, A, B)


def _margin(o, pi, A, B):
    """How much the best path is ahead of the best path that differs from it anywhere, in log p."""
    log_A, log_b = np.log(A), np.log(B.T[o])
    into, out = [np.log(pi) + log_b[0]], [np.zeros(len(pi))]
    for b in log_b[1:]:
        into.append((into[-1][:, None] + log_A).max(axis=0) + b)
    for b in log_b[:0:-1]:
        out.append((log_A + b + out[-1]).max(axis=1))
    through = np.sort(np.array(into) + np.array(out[::-1]), axis=1)
    return np.min(through[:, -1] - through[:, -2])


def _decided(draw):
    """The first draw whose best path has no rival: equal numbers of equal steps in another order tie exactly.

    Nor has it for those who leave π out, transpose A or take the first symbol twice, nor has the most probable state at
    any time: so every way to compute them gives the same.
    """
    return next(case for case in iter(draw, None) if _unrivalled(*case))


def _unrivalled(o, pi, A, B):
    models = (o, pi, A), (o, pi, A.T), (o, np.ones(len(pi)), A), (np.append(o[0], o), pi, A)
    clear = all(_margin(seen, first, steps, B) > 1e-3 for seen, first, steps in models)
    return clear and _lead(o, pi, A, B) > 1e-6


def _lead(o, pi, A, B):
    best = np.sort(_expectations(o, pi, A, B)[0], axis=1)
    return np.min(best[:, -1] - best[:, -2])


def _decodable(rng):
    """Short sequences from vague models, so that the path is in doubt, and one of probability 0, whose path is clear.

    In the last, symbol m is over 30 times as probable in state m; starts and steps differ by less than 3 times.
    """
    sizes = ((6, 3, 3), (1, 3, 2))
    short = [_decided(lambda T=T, K=K, M=M: (_symbols(rng, T, M), *_model(rng, K, M))) for T, K, M in sizes]
    pi, A, shares = rng.permutation([0.25, 0.35, 0.4]), _rows(rng.uniform(1, 2, size=(3, 3))), rng.uniform(1, 2, (3, 3))
    long = _symbols(rng, 75, 3), pi, A, _rare(shares + 60 * np.eye(3))
    return [_decided(lambda: _small(rng, 3)), *short, _sequences(rng)[1], long]


_TWICE = "The first observation is counted twice: the steps begin at the second one."
_PRODUCTS = "In the long sequence δ is 0 in floating point, and every path is as good as any: add logarithms instead."

viterbi_path = Function(
    "viterbi_path",
    asks="The most probable path",
    points=3,
    reference=hm.viterbi,
    returns=("path", "log p"),
    cases=_decodable,
    mistakes=[
        Mistake(
            "This is the most probable state at every t, put in a row. The most probable path is another question: "
            "its steps have to fit together.",
            _posterior_path,
        ),
        Mistake(
            "The path is chosen from left to right, the best next state each time: an early choice may have to be "
            "regretted, so keep the best path into every state.",
            _greedy_path,
        ),
        Mistake(
            _TWICE,
            lambda o, pi, A, B: (lambda path, best: (path[-len(o) :], best))(*_viterbi(o, pi, A, B, steps=o)),
        ),
        Mistake(_TWICE, lambda o, pi, A, B: _viterbi(o, pi, A, B, steps=o)),  # with the extra state at the front
        Mistake(
            "The number is right. The path takes the best end at every t, and these ends belong to different paths: "
            "find the best last state, then go back to where it came from.",
            lambda o, pi, A, B: ((deltas := _deltas(o, pi, A, B)[0]).argmax(axis=1), deltas[-1].max()),
        ),
        Mistake(
            "The path runs backwards: it is read off from the end, so turn it round.",
            lambda o, pi, A, B: (lambda path, best: (path[::-1], best))(*_viterbi(o, pi, A, B)),
        ),
        Mistake(
            "π is missing: δ₁ = log π + log b₁.",
            lambda o, pi, A, B: _viterbi(o, pi, A, B, first=np.log(B[:, o[0]])),
        ),
        Mistake(
            "A is transposed: the step from i to j is Aᵢⱼ, and the maximum is over i.",
            lambda o, pi, A, B: _viterbi(o, pi, A.T, B),
        ),
        Mistake(
            "The path is right; its number is a probability, 0 for a long sequence: the logarithm is asked for.",
            lambda o, pi, A, B: (lambda path, best: (path, np.exp(best)))(*_viterbi(o, pi, A, B)),
        ),
        Mistake(
            "The path is right; its number is log p(o), the sum over all paths: that of this path alone is asked for.",
            lambda o, pi, A, B: (_viterbi(o, pi, A, B)[0], _log_space(o, pi, A, B)),
        ),
        Mistake(_PRODUCTS, _viterbi_in_products),
        Mistake(_PRODUCTS, lambda o, pi, A, B: _viterbi_in_products(o, pi, A, B, value=float)),
    ],
    alternatives=[
        Alternative(lambda o, pi, A, B: _viterbi(o, pi, A, B)),
        Alternative(lambda o, pi, A, B: _viterbi_with_paths(o, pi, A, B)),
    ],
    hints=(
        Hint(
            "What do I keep from step to step?",
            r"For every state $j$ the log probability $\delta_t(j)$ of the best path that ends there, and from which "
            "state it came.",
        ),
        Hint(
            "How do I do one step for all j?",
            "`scores = delta[:, None] + np.log(A)` has an entry for every step i → j. Its `max(axis=0)` and "
            "`argmax(axis=0)` are the best way into j and where it came from.",
        ),
        Hint("How do I read the path off?", "From the end: the best last state, then where it came from, and so on."),
    ),
    see="Equation (28.6): the forward recursion with a maximum for the sum, in logarithms.",
)


def _viterbi_with_paths(o, pi, A, B):
    """Every state carries its whole best path: no way back is needed."""
    best: dict[int, tuple] = {k: (np.log(pi[k]) + np.log(B[k, o[0]]), (k,)) for k in range(len(pi))}
    for symbol in o[1:]:
        best = {
            j: max((p + np.log(A[i, j]) + np.log(B[j, symbol]), (*path, j)) for i, (p, path) in best.items())
            for j in range(len(pi))
        }
    p, path = max(best.values())
    return np.array(path), p


LIGHT = (
    np.full(3, 1 / 3),
    np.array([[0.6, 0.4, 0.0], [0.0, 0.6, 0.4], [0.4, 0.0, 0.6]]),
    np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]),
)  # green → yellow → red → green, and a camera that errs


def _whole(o):
    return o.ndim == 1 and 2 <= len(o) <= 50 and bool(np.all(np.isin(o, [0, 1, 2])))


def _impossible(o):
    """A step between two winners that the light cannot take. Where two states tie, both have won."""
    gamma = hm.posteriors(o.astype(int), *LIGHT)
    won = gamma > gamma.max(axis=1, keepdims=True) - 1e-9
    return bool(np.any(won[:-1, :, None] & won[1:, None, :] & (LIGHT[1] == 0)))


_POSSIBLE = (
    "The most probable states of this sequence make a path that the light can take. Which steps can it not take?"
)
_SHAPE = "The observations must be 2 to 50 whole numbers, each 0, 1 or 2."

impossible_path = Property(
    "impossible_path",
    asks="A row of good guesses that cannot be",
    points=1,
    laws=[Law(_SHAPE, _whole), Law(_POSSIBLE, _impossible)],
    mistakes=[
        Mistake(_POSSIBLE, [0, 1, 2, 0]),
        Mistake(_POSSIBLE, [1, 1]),
        Mistake(_SHAPE, [0]),
        Mistake(_SHAPE, [0, 3]),
        Mistake("2 → 0 is red to green, a step that the light does take.", [2, 0]),
    ],
    alternatives=[
        Alternative([0, 2]),
        Alternative(np.array([1, 0])),
        Alternative([0, 0, 2, 2]),
        Alternative([2, 1, 0, 0, 2]),
    ],
    hints=(
        Hint("Which steps are impossible?", "The zeros of $A$: 0 → 2, 1 → 0 and 2 → 1."),
        Hint("What does one observation do?", "It pulls its own state's probability up, whatever the neighbours say."),
    ),
    see="The section *Break it*: each γₜ is a sum over all paths; winners at two times may come from different ones.",
)


# --- learning ---


def _expectations(o, pi, A, B, divide=True):
    """γ and Σₜ ξₜ, scaled; or Σₜ ξₜ with the division by cₜ₊₁ forgotten."""
    alpha, c = _scaled(o, pi, A, B)
    b, beta = B.T[o], np.ones_like(alpha)
    for t in range(len(o) - 2, -1, -1):
        beta[t] = A @ (b[t + 1] * beta[t + 1]) / c[t + 1]
    shares = beta[1:] / c[1:, None] if divide else beta[1:]
    return alpha * beta, A * (alpha[:-1].T @ (b[1:] * shares))


def _rows(counts):
    return counts / counts.sum(axis=1, keepdims=True)


def _new_B(o, gamma, M):
    return _rows(np.array([gamma[o == m].sum(axis=0) for m in range(M)]).T)


def _step(o, pi, A, B, first=None, steps=None, shown=None):
    """(28.8), or what one of its three formulas gives when it is replaced: each is a function of γ and Σₜ ξₜ."""
    gamma, pairs = _expectations(o, pi, A, B)
    return (
        first(gamma) if first else gamma[0],
        steps(gamma, pairs) if steps else _rows(pairs),
        shown(gamma) if shown else _new_B(o, gamma, B.shape[1]),
    )


bw_step = Function(
    "bw_step",
    asks="One step of Baum–Welch",
    points=3,
    reference=lambda o, pi, A, B: _after_one_step(o, pi, A, B),
    returns=("pi", "A", "B"),
    cases=_learnable,
    forbids=(hm.baum_welch,),
    mistakes=[
        Mistake(
            "A is counted with γₜ(i) γₜ₊₁(j), as if neighbouring states were independent given the observations. The "
            "pair has its own posterior ξₜ(i, j), with Aᵢⱼ in it.",
            lambda o, pi, A, B: _step(o, pi, A, B, steps=lambda g, p: _rows(g[:-1].T @ g[1:])),
        ),
        Mistake(
            "ξₜ is not divided by cₜ₊₁, so some steps weigh more than others. Dividing the rows at the end does not "
            "mend it.",
            lambda o, pi, A, B: _step(
                o, pi, A, B, steps=lambda g, p: _rows(_expectations(o, pi, A, B, divide=False)[1])
            ),
        ),
        Mistake(
            "The rows of A are divided by Σγₜ over all t. The last state starts no step, so the sum stops at T − 1.",
            lambda o, pi, A, B: _step(o, pi, A, B, steps=lambda g, p: p / g.sum(axis=0)[:, None]),
        ),
        Mistake(
            "Hard counts: every state was set to its most probable value first. EM counts with the probabilities.",
            lambda o, pi, A, B: _hard_step(o, pi, A, B),
        ),
        Mistake(
            "π is the mean of γ over all t: it is the distribution of the first state, γ₁.",
            lambda o, pi, A, B: _step(o, pi, A, B, first=lambda g: g.mean(axis=0)),
        ),
        Mistake(
            "The columns of A add up to 1 here: for every state i that is left, the steps from it add up to 1.",
            lambda o, pi, A, B: _step(o, pi, A, B, steps=lambda g, p: p / p.sum(axis=0)),
        ),
        Mistake(
            "B is divided by T: divide by how often the state was visited, Σₜ γₜ(k).",
            lambda o, pi, A, B: _step(
                o, pi, A, B, shown=lambda g: np.array([g[o == m].sum(axis=0) for m in range(B.shape[1])]).T / len(o)
            ),
        ),
        Mistake(
            "These are counted with α̂, which does not know the later observations: use γ.",
            lambda o, pi, A, B: _step(
                o,
                pi,
                A,
                B,
                first=lambda g: _filtered(o[:1], pi, A, B)[0],
                shown=lambda g: _new_B(o, _filtered(o, pi, A, B), B.shape[1]),
            ),
        ),
    ],
    alternatives=[
        Alternative(lambda o, pi, A, B: _step(o, pi, A, B)),
        Alternative(lambda o, pi, A, B: _step_by_pairs(o, pi, A, B)),
    ],
    hints=(
        Hint(
            "Where do γ and the pairs come from?",
            "`alpha, c = hm.forward(o, pi, A, B)` and `beta = hm.backward(o, c, A, B)`, then (28.5) and (28.7).",
        ),
        Hint(
            "How do I get all ξ at once?",
            "For one $t$: `np.outer(alpha[t], B[:, o[t + 1]] * beta[t + 1]) * A / c[t + 1]`, for $t$ from 0 to $T-2$. "
            "Only their sum is needed.",
        ),
        Hint("And B?", "`gamma[o == m].sum(axis=0)` is how often each state is expected to have shown symbol m."),
    ),
    see="Equation (28.8): expected counts, divided by their row sums.",
)


def _after_one_step(o, pi, A, B):
    models = hm.baum_welch(o, pi, A, B)
    next(models)
    new = next(models)
    return new.pi, new.A, new.B


def _hard_step(o, pi, A, B):
    g = np.eye(len(pi))[_expectations(o, pi, A, B)[0].argmax(axis=1)]
    with np.errstate(invalid="ignore", divide="ignore"):
        return g[0], _rows(g[:-1].T @ g[1:]), _new_B(o, g, B.shape[1])


def _step_by_pairs(o, pi, A, B):
    """From the pair posteriors of the conditional random field with the same paths."""
    U, V = np.log(B.T[o]), np.log(A)
    U[0] += np.log(pi)
    states, pairs = hm.crf_marginals(U, V)
    return states[0], _rows(pairs.sum(axis=0)), _new_B(o, states, B.shape[1])


# --- continuous states ---


def _kalman_1d(m, P, z, q, r, gain=lambda P, r: P / (P + r), shrink=lambda K: 1 - K):
    P = P + q
    K = gain(P, r)
    return m + K * (z - m), shrink(K) * P


kalman_step = Function(
    "kalman_step",
    asks="One measurement of a random walk",
    points=2,
    reference=lambda m, P, z, q, r: _one_dimension(m, P, z, q, r),
    returns=("m", "P"),
    cases=_measured,
    forbids=(hm.predict, hm.update, hm.kalman),
    mistakes=[
        Mistake(
            "q is forgotten. Predict first: between two measurements the walk moves on, and the variance is P + q.",
            lambda m, P, z, q, r: _kalman_1d(m, P, z, 0, r),
        ),
        Mistake(
            "q is added after the measurement. z measures the state after the step: first P + q, then the gain.",
            lambda m, P, z, q, r: (lambda m, P: (m, P + q))(*_kalman_1d(m, P, z, 0, r)),
        ),
        Mistake(
            "The gain is r/(P + q + r): a precise sensor, with a small r, must get a large gain.",
            lambda m, P, z, q, r: _kalman_1d(m, P, z, q, r, gain=lambda P, r: r / (P + r)),
        ),
        Mistake(
            "(1 + K)P grows: measuring reduces the variance.",
            lambda m, P, z, q, r: _kalman_1d(m, P, z, q, r, shrink=lambda K: 1 + K),
        ),
        Mistake(
            "The variance was not reduced: P + q is what it is before the measurement.",
            lambda m, P, z, q, r: _kalman_1d(m, P, z, q, r, shrink=lambda K: 1),
        ),
        Mistake(
            "(1 − K) multiplies the old P: it belongs to the predicted variance P + q.",
            lambda m, P, z, q, r: (
                _kalman_1d(m, P, z, q, r)[0],
                (1 - (P + q) / (P + q + r)) * P,
            ),
        ),
        Mistake(
            "The mean is the plain average of prediction and measurement: weigh them by how precise they are.",
            lambda m, P, z, q, r: ((m + z) / 2, _kalman_1d(m, P, z, q, r)[1]),
        ),
        Mistake(
            "q and r are squared here: they are variances already, not standard deviations.",
            lambda m, P, z, q, r: _kalman_1d(m, P, z, q**2, r**2),
        ),
    ],
    alternatives=[
        Alternative(lambda m, P, z, q, r: ((m / (P + q) + z / r) / (1 / (P + q) + 1 / r), 1 / (1 / (P + q) + 1 / r))),
        Alternative(lambda m, P, z, q, r: ((r * m + (P + q) * z) / (P + q + r), (P + q) * r / (P + q + r))),
    ],
    hints=(
        Hint("What do I believe before z?", "$N(m,P+q)$: the mean stays, the variance of the step is added."),
        Hint(
            "How do two beliefs about one number combine?",
            "Precisions add, $1/P_{\\text{new}}=1/(P+q)+1/r$, and the mean weighs both by their precisions.",
        ),
    ),
    see="Equations (28.10) and (28.11) with F = H = 1: the precision-weighted mean.",
)


def _two_steps(m, P, z, F, Q, H, R):
    m, P = hm.predict(m, P, F, Q)
    return hm.update(m, P, z, H, R)


def _one_dimension(m, P, z, q, r):
    one = np.eye(1)
    mean, variance = _two_steps(np.array([m]), P * one, np.array([z]), one, q * one, one, r * one)
    return mean[0], variance[0, 0]


def _conditioned_on(m, P, z, H, R):
    gain = P @ H.T @ np.linalg.inv(H @ P @ H.T + R)
    return m + gain @ (z - H @ m), P - gain @ H @ P


def _kalman(m, P, z, F, Q, H, R):
    return _conditioned_on(F @ m, F @ P @ F.T + Q, z, H, R)


def _update_first(m, P, z, F, Q, H, R):
    m, P = _conditioned_on(m, P, z, H, R)
    return F @ m, F @ P @ F.T + Q


def _information(m, P, z, F, Q, H, R):
    """In precisions."""
    m, P = F @ m, F @ P @ F.T + Q
    new = np.linalg.inv(np.linalg.inv(P) + H.T @ np.linalg.inv(R) @ H)
    return m + new @ H.T @ np.linalg.inv(R) @ (z - H @ m), new


kalman_matrices = Function(
    "kalman_matrices",
    asks="The filter for vectors",
    points=2,
    reference=_two_steps,
    returns=("m", "P"),
    cases=_tracked,
    forbids=(hm.predict, hm.update, hm.kalman),
    mistakes=[
        Mistake(
            "z was compared with the old m, and the step comes afterwards: z is seen after the step, so predict first.",
            _update_first,
        ),
        Mistake(
            "Q is missing: the predicted covariance is FPFᵀ + Q.",
            lambda m, P, z, F, Q, H, R: _kalman(m, P, z, F, 0 * Q, H, R),
        ),
        Mistake(
            "F comes only once: the covariance of Fx is FPFᵀ.",
            lambda m, P, z, F, Q, H, R: _conditioned_on(F @ m, F @ P + Q, z, H, R),
        ),
        Mistake(
            "FᵀPF is transposed: the covariance of Fx is FPFᵀ.",
            lambda m, P, z, F, Q, H, R: _conditioned_on(F @ m, F.T @ P @ F + Q, z, H, R),
        ),
        Mistake(
            "The measurement's own noise R is missing in the gain: the covariance of z is HP⁻Hᵀ + R.",
            lambda m, P, z, F, Q, H, R: _conditioned_on(F @ m, F @ P @ F.T + Q, z, H, 0 * R),
        ),
        Mistake(
            "The old m is corrected: K multiplies z − Hm⁻, and it is m⁻ = Fm that is moved.",
            lambda m, P, z, F, Q, H, R: (
                m + (_kalman(m, P, z, F, Q, H, R)[0] - F @ m),
                _kalman(m, P, z, F, Q, H, R)[1],
            ),
        ),
    ],
    alternatives=[Alternative(_kalman), Alternative(_information)],
    hints=(
        Hint(
            "What do I believe before z?", "$N(Fm,\\,FPF^\\top+Q)$: an affine map of a Gaussian, and independent noise."
        ),
        Hint(
            "Which two vectors are jointly Gaussian?",
            "$x$ and $z=Hx+$ noise. $\\mathrm{Cov}(x,z)=P^-H^\\top$ and $\\mathrm{Cov}(z)=HP^-H^\\top+R$.",
        ),
        Hint(
            "How do I condition?",
            "Equations (22.8) and (22.9): mean $+\\;\\Sigma_{xz}\\Sigma_{zz}^{-1}(z-\\text{its mean})$, covariance "
            "$P^--\\Sigma_{xz}\\Sigma_{zz}^{-1}\\Sigma_{zx}$.",
        ),
    ),
    see="Equations (28.10) and (28.11).",
)


# --- conditional random fields ---


def _local_sums(U, V):
    """What the printed formula says: each step is summed on its own."""
    steps = U[1:, None, :] + V
    return np.logaddexp.reduce(U[0]) + np.sum(np.logaddexp.reduce(steps.reshape(len(steps), V.size), axis=1))


def _log_Z(U, V, add=np.logaddexp.reduce):
    a = np.array(U[0], dtype=float)
    for row in U[1:]:
        a = row + add(a[:, None] + V, axis=0)
    return add(a, axis=0)


def _score(q, U, V):
    return sum(U[t, k] for t, k in enumerate(q)) + sum(V[i, j] for i, j in itertools.pairwise(q))


def _every(U):
    return itertools.product(range(U.shape[1]), repeat=len(U))


crf_constant = Slip(
    "crf_constant",
    asks="The constant of a random field",
    points=2,
    printed=_local_sums,
    reference=hm.crf_log_partition,
    cases=_scores,
    admits=lambda U, V: np.ndim(U) == 2 and np.size(U) > 0 and np.shape(V) == (np.shape(U)[1],) * 2,
    domain="U of shape (T, K), T ≥ 1, and V of shape (K, K)",
    forbids=(hm.crf_forward, hm.crf_marginals, hm.crf_gradient),
    mistakes=[
        Mistake(
            "This is still the printed formula: neighbouring steps share a state, so they cannot be summed apart.",
            _local_sums,
        ),
        Mistake(
            "The steps V do not come in: this is right only if all of them score 0.",
            lambda U, V: np.logaddexp.reduce(U, axis=1).sum(),
        ),
        Mistake(
            "This is the score of the best path: Z adds up exp S(q) over all of them.",
            lambda U, V: _log_Z(U, V, add=np.max),
        ),
        Mistake(
            "exp overflows: keep a in logarithms and take the largest term out of each sum, as `np.logaddexp` does.",
            lambda U, V: np.log(np.sum(_exp_forward(U, V))),
        ),
        Mistake(
            "V is transposed: Vᵢⱼ scores the step from i to j, and the sum is over i.", lambda U, V: _log_Z(U, V.T)
        ),
        Mistake(
            "a was normalised in every step, which makes each step a distribution of its own and Z = 1. That is "
            "another model: here one constant serves the whole path.",
            lambda U, V: 0.0,
        ),
        Mistake(SAME_THERE, ([[0.3, 0.1]], [[0.0, 1.0], [2.0, 0.0]]), part=1),
    ],
    alternatives=[
        Alternative(lambda U, V: _log_Z(U, V)),
        Alternative(lambda U, V: np.logaddexp.reduce([_score(q, U, V) for q in _every(U)])),
        Alternative(lambda U, V: _log_Z(U[::-1], V.T)),
        Alternative(([[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]), part=1),
    ],
    hints=(
        Hint("How many paths are there?", "$K^T$. The printed product has $K\\cdot K^2\\cdots K^2$ terms: too many."),
        Hint(
            "Which algorithm sums over all paths?",
            "The forward recursion. Here the factors are $e^{U_t(j)}$ and $e^{V_{ij}}$.",
        ),
        Hint(
            "And in logarithms?",
            r"$a_t(j)=U_t(j)+\log\sum_ie^{a_{t-1}(i)+V_{ij}}$: `np.logaddexp.reduce(a[:, None] + V, axis=0)`.",
        ),
    ),
    see="Equation (28.14): the forward recursion with exp V for A and exp U for b, in logarithms.",
)


def _exp_forward(U, V):
    a = np.exp(U[0])
    for row in U[1:]:
        a = (a @ np.exp(V)) * np.exp(row)
    return a


def _counted(q, U, V):
    """What happened: the indicator of q, and the number of every step."""
    dU, dV = np.zeros(U.shape), np.zeros(V.shape)
    dU[np.arange(len(q)), q] = 1
    np.add.at(dV, (q[:-1], q[1:]), 1)
    return dU, dV


def _expected(U, V):
    states, pairs = hm.crf_marginals(U, V)
    return states, pairs.sum(axis=0)


def _gradient(q, U, V, expected=_expected, once=False):
    (dU, dV), (eU, eV) = _counted(q, U, V), expected(U, V)
    return dU - eU, (np.minimum(dV, 1) if once else dV) - eV


def _by_enumeration(q, U, V):
    paths = np.array(list(_every(U)))
    log_p = np.array([_score(path, U, V) for path in paths])
    p = np.exp(log_p - np.logaddexp.reduce(log_p))
    expected = [sum(w * _counted(path, U, V)[i] for w, path in zip(p, paths, strict=True)) for i in (0, 1)]
    return tuple(have - want for have, want in zip(_counted(q, U, V), expected, strict=True))


crf_slopes = Function(
    "crf_slopes",
    asks="The slopes of a labelled sequence",
    points=2,
    reference=hm.crf_gradient,
    returns=("dU", "dV"),
    cases=_labelled,
    mistakes=[
        Mistake(
            "The sign is reversed: a score should rise where its label happened.",
            lambda q, U, V: tuple(-g for g in _gradient(q, U, V)),
        ),
        Mistake(
            "This is what happened. log Z also depends on the scores, and its derivative is what the model expects.",
            lambda q, U, V: _counted(q, U, V),
        ),
        Mistake(
            "This is what the model expects: the derivative of log Z alone.",
            lambda q, U, V: _expected(U, V),
        ),
        Mistake(
            "The expected steps are products of the states' posteriors, as if neighbours were independent: use the "
            "posteriors of the pairs.",
            lambda q, U, V: _gradient(q, U, V, lambda U, V: ((s := hm.crf_marginals(U, V)[0]), s[:-1].T @ s[1:])),
        ),
        Mistake(
            "A step that happens twice is counted once: `dV[i, j] += 1` with index arrays does not repeat. Use "
            "`np.add.at`.",
            lambda q, U, V: _gradient(q, U, V, once=True),
        ),
        Mistake(
            "The steps are counted from the later to the earlier state: Vᵢⱼ belongs to qₜ₋₁ = i and qₜ = j.",
            lambda q, U, V: (_gradient(q, U, V)[0], _counted(q[::-1], U, V)[1] - _expected(U, V)[1]),
        ),
        Mistake(
            "dV has the expected number of steps divided by T − 1: the sum over t is asked for, not the mean.",
            lambda q, U, V: (
                _gradient(q, U, V)[0],
                _counted(q, U, V)[1] - _expected(U, V)[1] / (len(q) - 1),
            ),
        ),
    ],
    alternatives=[Alternative(lambda q, U, V: _gradient(q, U, V)), Alternative(_by_enumeration)],
    hints=(
        Hint(
            "What is the derivative of log Z?",
            r"$\frac{\partial}{\partial U_t(k)}\log\sum_qe^{S(q)}=\frac1Z\sum_qe^{S(q)}[q_t{=}k]=P(q_t{=}k\mid o)$.",
        ),
        Hint(
            "Where do the posteriors come from?",
            "`states, pairs = hm.crf_marginals(U, V)`, of shapes $(T,K)$ and $(T-1,K,K)$.",
        ),
        Hint("How do I count steps that repeat?", "`np.add.at(dV, (q[:-1], q[1:]), 1)`, or a loop over t."),
    ),
    see="Equation (28.15): the derivative of S(q) minus the derivative of log Z.",
)

two_decoders = Explanation(
    "two_decoders",
    asks="Two decoders, two answers",
    points=3,
    rubric=(
        "1 point: what each maximises: Viterbi the probability of the whole path, posterior decoding that of "
        "each state by itself, and with it the expected number of right states. 1 point: why they differ: γₜ sums over "
        "all paths, so the winners of two times may come from different paths and the step between them may be rare or "
        "impossible; in the notebook (0, 1, 1, 0) against (1, 1, 1, 1), or the light that goes from green to red. "
        "1 point: a choice with a reason: the path if it must hang together (a sentence, a route, a sequence of "
        "phases), the states if single mistakes are counted (how many rolls were loaded)."
    ),
)

topic = Topic(
    number=28,
    slug="hidden_markov",
    title="Hidden Markov models",
    question="What was going on behind what we saw?",
    part="Bayesian and graphical",
    minutes=100,
    before={
        "graphical_models": "elimination",
        "gaussian_mixtures": "EM",
        "multivariate_normal": "conditioning a Gaussian",
    },
    exercises=[
        forward_chain,
        hmm_likelihood,
        which_task,
        hmm_loglik,
        hmm_posteriors,
        viterbi_path,
        impossible_path,
        bw_step,
        kalman_step,
        kalman_matrices,
        crf_constant,
        crf_slopes,
        two_decoders,
    ],
)
check = Checks(topic)
