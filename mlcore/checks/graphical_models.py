"""The exercises of 27 graphical_models."""

import itertools

import numpy as np

from mlcore import graphical_models as gm
from mlcore.engine.exercises import (
    SAME_THERE,
    Alternative,
    Chain,
    Checks,
    Explanation,
    Function,
    Hint,
    Law,
    Line,
    Mistake,
    Property,
    Slip,
    Topic,
    but,
    exactly,
)

# --- networks, tables and graphs to be tried on ---

ALARM = np.array([[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 1, 0]])
SIX = np.zeros((6, 6), dtype=int)  # the undirected graph a, …, f of the notebook
for _pair in ("ab", "bc", "ad", "cd", "df", "cf", "de"):
    _i, _j = map("abcdef".index, _pair)
    SIX[_i, _j] = SIX[_j, _i] = 1


def _dag(rng, M):
    """A node with two parents, a node with three children, the rest at random."""
    parents = np.tril((rng.random((M, M)) < 0.4).astype(int), -1)
    parents[2, :2] = 1
    parents[1:4, 0] = 1
    shuffle = rng.permutation(M)
    return parents[np.ix_(shuffle, shuffle)]


def _networks(rng):
    drawn = [(rng.permutation([2, 3, 4, 5]), _dag(rng, 4)), (rng.permutation([2, 2, 3, 3, 4, 5]), _dag(rng, 6))]
    return [(np.full(5, 2), ALARM), *drawn]


def _conditional(rng, *shape):
    """A table whose last axis sums to 1."""
    p = rng.uniform(0.2, 1, size=shape) * np.arange(1, shape[-1] + 1)
    return p / p.sum(axis=-1, keepdims=True)


def _alarm_tables(rng, k):
    """The first values of h, f and a are the probable ones, as in the text: sorted, the tables would be others."""
    roots = [np.sort(_conditional(rng, k))[::-1] for _ in range(3)]
    return [*roots, _conditional(rng, k, k, k), _conditional(rng, k, k, k)]


def _five_tables(rng):
    return [tuple(_alarm_tables(rng, k)) for k in (2, 3)]


def _joints(rng):
    """Joint tables with no structure at all: every entry counts."""
    return [(_conditional(rng, 32).reshape((2,) * 5)[::-1, ::-1],) for _ in range(3)]


def _known_alarm(rng):
    """The first four tables, and what is left of the fifth when the alarm is known to sound."""
    made = []
    for k in (2, 2, 3):
        *tables, s = _alarm_tables(rng, k)
        made.append((*tables, s[:, :, -1]))
    return made


def _messages(rng):
    return [(_conditional(rng, k), _conditional(rng, k), rng.uniform(0.1, 0.9, size=(k, k))) for k in (2, 3, 4)]


def _pairs_of_factors(rng):
    def pair(a, b, v):
        size = dict(zip("abcdxyz", rng.permutation([2, 2, 3, 3, 3, 4, 4]), strict=True))
        return a, _factor(rng, a, size), b, _factor(rng, b, size), v

    return [pair("ab", "bc", "b"), pair("xy", "zx", "x"), pair("bca", "dcb", "c"), pair("ab", "a", "a")]


def _factor(rng, scope, size):
    return rng.uniform(0.2, 2, size=[size[v] for v in scope]).round(2)


def _eliminations(rng):
    """A ring, the graph of the notebook, and a random one; the order may leave variables over."""
    ring = np.roll(np.eye(5, dtype=int), 1, axis=1)
    wild = np.triu((rng.random((7, 7)) < 0.4).astype(int), 1)
    wild[0, 1:5] = 1
    made = []
    for edges, left in ((ring + ring.T, 0), (SIX, 1), (wild + wild.T, 2)):
        M = len(edges)
        shuffle = rng.permutation(M)
        made.append((edges[np.ix_(shuffle, shuffle)], rng.permutation(M)[: M - left], rng.permutation(M) % 3 + 2))
    return made


def _binary_data(rng):
    """Unbalanced classes; feature 0 never occurs in class 0 and always in the last one."""
    made = []
    for n, d, C in ((6, 2, 2), (20, 4, 3), (30, 7, 2)):
        y = rng.permutation(np.concatenate([np.arange(C), np.arange(C), rng.integers(0, C, size=n - 2 * C) // 2]))
        X = (rng.random((n, d)) < rng.uniform(0.2, 0.8, size=(C, d))[y]).astype(float)
        X[y == 0, 0], X[y == C - 1, 0] = 0, 1
        made.append((X, y, round(rng.uniform(0.3, 2.5), 1)))
    return made


def _models(rng):
    """The last has so many features that every product is 0 in floating point; its rows and classes differ widely."""
    made = []
    for n, d, C in ((2, 3, 2), (6, 5, 3)):
        theta = rng.uniform(0.1, 0.9, size=(C, d))
        made.append(((rng.random((n, d)) < 0.5).astype(float), _conditional(rng, C), theta))
    typical = (rng.random(4000) < 0.5).astype(float)
    X = np.array([typical, 1 - typical, rng.random(4000) < 0.5], dtype=float)
    falling = np.sort(_conditional(rng, 2))[::-1]
    return [*made, (X, falling, np.array([0.2 + 0.6 * typical, 0.35 + 0.3 * typical]))]


def _chains(rng):
    return [(rng.uniform(0.2, 2, size=(T, k, k)).round(2),) for T, k in ((2, 2), (1, 3), (5, 3), (6, 4))]


def _cliques(rng):
    """Maximal but not largest, largest, extendable, not a clique (with and without a common neighbour), one node."""
    lone = np.pad(SIX, (0, 1))
    sets = [
        (SIX, "ab"),
        (SIX, "cdf"),
        (SIX, "cd"),
        (SIX, "be"),
        (SIX, "ac"),
        (SIX, "e"),
        (SIX, "df"),
        (SIX, "abc"),
        (lone, "g"),
    ]
    made = []
    for edges, names in sets:
        shuffle = rng.permutation(len(edges))
        s = np.array([int(v in names) for v in "abcdefg"[: len(edges)]])
        made.append((edges[np.ix_(shuffle, shuffle)], s[shuffle]))
    return made


# --- tables and networks ---


def _count(k, parents, own=lambda k: k - 1, over=lambda k: np.prod(k)):
    return sum(own(k[i]) * over(k[parents[i] == 1]) for i in range(len(k)))


network_parameters = Function(
    "network_parameters",
    asks="How many numbers does a network need?",
    points=2,
    reference=gm.count_parameters,
    returns=("rows", "free", "network"),
    cases=_networks,
    compare=exactly,
    mistakes=[
        Mistake(
            "The table has a row for every combination of values, Πk. One of them is fixed by the others, which "
            "makes Πk − 1 free entries, not Πk − 1 rows.",
            lambda k, parents: (np.prod(k) - 1, np.prod(k) - 1, _count(k, parents)),
        ),
        Mistake(
            "Your last number counts the arrows. Count table entries: one for each combination of the parents' values, "
            "times k − 1.",
            lambda k, parents: (np.prod(k), np.prod(k) - 1, np.sum(parents)),
        ),
        Mistake(
            "Every distribution p(x | parents) adds up to 1, so it has k − 1 free entries, not k.",
            lambda k, parents: (np.prod(k), np.prod(k) - 1, _count(k, parents, own=lambda k: k)),
        ),
        Mistake(
            "The parents' values combine, so their numbers multiply: you added them.",
            lambda k, parents: (np.prod(k), np.prod(k) - 1, _count(k, parents, over=lambda k: np.sum(k) or 1)),
        ),
        Mistake(
            "You took the children of each variable for its parents: parents[i, j] = 1 says that j is a parent of i.",
            lambda k, parents: (np.prod(k), np.prod(k) - 1, _count(k, parents.T)),
        ),
        Mistake(
            "Your last number is right only for variables with two values. In general a parent with k values "
            "multiplies by k, not by 2.",
            lambda k, parents: (np.prod(k), np.prod(k) - 1, np.sum(2 ** parents.sum(axis=1))),
        ),
        Mistake(
            "The free entries are the rows less one, since all of them add up to 1.",
            lambda k, parents: (np.prod(k), np.prod(k), _count(k, parents)),
        ),
    ],
    alternatives=[
        Alternative(
            lambda k, parents: (
                len(list(itertools.product(*map(range, k)))),
                np.prod(k) - 1,
                int(np.sum((k - 1) * np.prod(np.where(parents == 1, k, 1), axis=1))),
            )
        ),
        Alternative(lambda k, parents: (np.prod(k), np.prod(k) - 1, _count(k, parents))),
    ],
    hints=(
        Hint("How many rows?", "One for each combination of values: $k_1k_2\\cdots k_M$."),
        Hint(
            "How large is the table of one variable?",
            "One distribution for each combination of its parents' values. A distribution over $k_i$ values has "
            "$k_i-1$ free entries.",
        ),
        Hint("How do I pick the parents' k?", "`k[parents[i] == 1]`; `np.prod` of nothing is 1."),
    ),
    see="Equation (27.2): count the free entries of every table p(xᵢ | parents) and add them up.",
)


def _joint(*tables, letters="h,f,a,hfg,ags"):
    return np.einsum(letters + "->hfags", *tables)


def _joint_by_loops(p_h, p_f, p_a, P_g, P_s):
    J = np.empty((len(p_h), len(p_f), len(p_a), P_g.shape[2], P_s.shape[2]))
    for h, f, a, g, s in np.ndindex(J.shape):
        J[h, f, a, g, s] = p_h[h] * p_f[f] * p_a[a] * P_g[h, f, g] * P_s[a, g, s]
    return J


alarm_joint = Function(
    "alarm_joint",
    asks="The joint of the five variables",
    points=1,
    reference=lambda p_h, p_f, p_a, P_g, P_s: _joint(p_h, p_f, p_a, P_g, P_s),
    cases=_five_tables,
    forbids=(gm.product, gm.posterior),
    mistakes=[
        Mistake(
            "The table of s is read as P_s[g, a, s]: its first axis is a, the faulty alarm, and its second is g.",
            lambda *tables: _joint(*tables, letters="h,f,a,hfg,gas"),
        ),
        Mistake(
            "The table of g is read as P_g[f, h, g]: its first axis is h, the core, and its second is f.",
            lambda *tables: _joint(*tables, letters="h,f,a,fhg,ags"),
        ),
        Mistake(
            "p(a) is missing: every variable brings its own factor, also those without parents.",
            lambda p_h, p_f, p_a, P_g, P_s: _joint(p_h, p_f, np.ones_like(p_a), P_g, P_s),
        ),
        Mistake(
            "This is the product of the five marginals, as if all variables were independent: the tables of g and s "
            "depend on their parents.",
            lambda *tables: np.einsum("h,f,a,g,s->hfags", *_marginals(_joint(*tables))),
        ),
        Mistake(
            "The axes are in the order h, f, g, a, s: h, f, a, g, s is asked for.",
            lambda *tables: np.swapaxes(_joint(*tables), 2, 3),
        ),
    ],
    alternatives=[
        Alternative(_joint_by_loops),
        Alternative(
            lambda p_h, p_f, p_a, P_g, P_s: (
                p_h[:, None, None, None, None]
                * p_f[:, None, None, None]
                * p_a[:, None, None]
                * P_g[:, :, None, :, None]
                * P_s
            )
        ),
    ],
    hints=(
        Hint(
            "Which factors are there?",
            "One for each variable: $p(h)$, $p(f)$, $p(a)$, $p(g\\mid h,f)$, $p(s\\mid a,g)$.",
        ),
        Hint(
            "How do I multiply arrays with different axes?",
            "`np.einsum` names them: `np.einsum('h,hg->hg', p, P)` multiplies $p_h$ with $P_{hg}$ and keeps both axes.",
        ),
    ),
    see="Equation (27.1), for the arrows of the figure.",
)


def _marginals(J):
    return [J.sum(axis=tuple(set(range(5)) - {i})) for i in range(5)]


def _beliefs(J):
    alarm = J[..., 1].sum(axis=(1, 2, 3))
    both = J[:, 1, :, :, 1].sum(axis=(1, 2))
    return J[1].sum(), alarm[1] / alarm.sum(), both[1] / both.sum()


hot_core_beliefs = Function(
    "hot_core_beliefs",
    asks="Three beliefs about the core",
    points=2,
    reference=lambda J: _beliefs(J),
    returns=("prior", "alarm", "alarm and faulty gauge"),
    cases=_joints,
    forbids=(gm.product, gm.posterior),
    mistakes=[
        Mistake(
            "These are the joint probabilities P(h, s) and P(h, f, s): divide by the probability of what is known.",
            lambda J: (J[1].sum(), J[1, ..., 1].sum(), J[1, 1, :, :, 1].sum()),
        ),
        Mistake(
            "This is the likelihood P(s = 1 | h = 1): multiply with the prior, and divide by P(s = 1).",
            lambda J: (
                J[1].sum(),
                J[1, ..., 1].sum() / J[1].sum(),
                J[1, 1, :, :, 1].sum() / J[1, 1].sum(),
            ),
        ),
        Mistake(
            "All three are the prior: the alarm must change the belief.", lambda J: (J[1].sum(), J[1].sum(), J[1].sum())
        ),
        Mistake(
            "The third is P(h, f | s), with f still in front of the bar: divide by P(s = 1, f = 1), not by P(s = 1).",
            lambda J: (*_beliefs(J)[:2], J[1, 1, :, :, 1].sum() / J[..., 1].sum()),
        ),
        Mistake(
            "The third knows of the faulty gauge only: the alarm sounds as well.",
            lambda J: (*_beliefs(J)[:2], J[1, 1].sum() / J[:, 1].sum()),
        ),
        Mistake(
            "These are the beliefs when the alarm is silent: s = 1 is the last entry of the last axis.",
            lambda J: (
                J[1].sum(),
                J[1, ..., 0].sum() / J[..., 0].sum(),
                J[1, 1, :, :, 0].sum() / J[:, 1, :, :, 0].sum(),
            ),
        ),
        Mistake(
            "The third takes axis 2, the faulty alarm, for the faulty gauge: f is axis 1.",
            lambda J: (*_beliefs(J)[:2], J[1, :, 1, :, 1].sum() / J[:, :, 1, :, 1].sum()),
        ),
    ],
    alternatives=[
        Alternative(
            lambda J: (
                1 - J[0].sum(),
                J[1, ..., 1].sum() / J[..., 1].sum(),
                1 / (1 + J[0, 1, :, :, 1].sum() / J[1, 1, :, :, 1].sum()),
            )
        ),
        Alternative(
            lambda J: (
                np.einsum("hfags->h", J)[1],
                (p := np.einsum("hfags->hs", J)[:, 1])[1] / p.sum(),
                (q := np.einsum("hfags->hfs", J)[:, 1, 1])[1] / q.sum(),
            )
        ),
    ],
    hints=(
        Hint(
            "How do I say that the alarm sounds?",
            "`J[..., 1]` keeps the rows with $s=1$: the axes h, f, a, g are left.",
        ),
        Hint("And then?", "Sum over what you neither know nor ask for, then divide by the sum over $h$ as well."),
    ),
    see="Equation (27.3): a sum over the rows that agree with what is known, divided by another such sum.",
)


# --- elimination ---


def _line_1(p_h, p_f, p_a, P_g, P_s):
    return np.einsum("h,f,a,hfg,ag->h", p_h, p_f, p_a, P_g, P_s)


def _line_2(p_h, p_f, p_a, P_g, P_s):
    return p_h, p_f, P_g, p_a[:, None] * P_s


def _line_3(p_h, p_f, p_a, P_g, P_s):
    return p_a @ P_s


def _line_4(p_h, p_f, p_a, P_g, P_s):
    return P_g @ (p_a @ P_s)


def _line_5(p_h, p_f, p_a, P_g, P_s):
    return P_g @ (p_a @ P_s) @ p_f


push_sums_in = Chain(
    "push_sums_in",
    asks="Push the sums in",
    first=_line_1,
    lines=[
        Line(
            does=(
                "write line 1 as a sum over f of a sum over g of a sum over a, every factor as far to the left as it "
                "may stand: the product in front of all sums, and those directly behind each of them"
            ),
            parts=("front", "behind_f", "behind_g", "behind_a"),
            reference=_line_2,
            whole=lambda here, p_h, p_f, p_a, P_g, P_s: np.einsum("h,f,hfg,ag->hfga", *here),
            mistakes=[
                Mistake(
                    "p(h) is not in front: it holds none of f, g and a.",
                    but(_line_2, 0, lambda p_h, p_f, p_a, P_g, P_s: np.ones(len(p_h))),
                ),
                Mistake(
                    "p(f) stands behind the sum over g here. It holds no g, so it may go one further to the left.",
                    lambda p_h, p_f, p_a, P_g, P_s: (p_h, np.ones(len(p_f)), p_f[:, None] * P_g, p_a[:, None] * P_s),
                ),
                Mistake(
                    "p(h) stands in front and behind a sum: it comes once.",
                    but(_line_2, 2, lambda p_h, p_f, p_a, P_g, P_s: p_h[:, None, None] * P_g),
                ),
                Mistake(
                    "p(f) stands in front of all sums: it contains f, over which the first of them runs.",
                    lambda p_h, p_f, p_a, P_g, P_s: (p_h * p_f, np.ones(len(p_f)), P_g, p_a[:, None] * P_s),
                ),
                Mistake(
                    "p(f) stands behind the sum over g too: it comes once.",
                    but(_line_2, 2, lambda p_h, p_f, p_a, P_g, P_s: p_f[:, None] * P_g),
                ),
                Mistake(
                    "The message of line 3 is behind the sum over g already: in line 2 no sum is done.",
                    but(_line_2, 2, lambda p_h, p_f, p_a, P_g, P_s: P_g * (p_a @ P_s)),
                ),
                Mistake(
                    "p(a) is missing behind the sum over a: it holds a, and cannot leave it.",
                    but(_line_2, 3, lambda p_h, p_f, p_a, P_g, P_s: P_s),
                ),
                Mistake(
                    "p(a) multiplies the columns of P_s: a is its row.",
                    but(_line_2, 3, lambda p_h, p_f, p_a, P_g, P_s: p_a * P_s),
                ),
                Mistake(
                    "The sum over a is done already: that is line 3.",
                    but(_line_2, 3, lambda p_h, p_f, p_a, P_g, P_s: p_a @ P_s),
                ),
            ],
        ),
        Line(
            does="do the sum over a first: return the message that it leaves for g",
            reference=_line_3,
            follows=lambda before, p_h, p_f, p_a, P_g, P_s: before[3].sum(axis=0),
            mistakes=[
                Mistake(
                    "The message sums over g: P_s has the axes (a, g), and a is to go.",
                    lambda p_h, p_f, p_a, P_g, P_s: P_s @ np.ones(P_s.shape[1]),
                ),
                Mistake(
                    "The message adds the rows of P_s without their weights: every a counts with its p(a).",
                    lambda p_h, p_f, p_a, P_g, P_s: P_s.sum(axis=0),
                ),
                Mistake(
                    "This still has the axis a: it is what is to be summed over a, not the sum.",
                    lambda p_h, p_f, p_a, P_g, P_s: p_a[:, None] * P_s,
                ),
                Mistake(
                    "This is the mean over a: the probabilities p(a) are weights that sum to 1 already.",
                    lambda p_h, p_f, p_a, P_g, P_s: p_a @ P_s / len(p_a),
                ),
                Mistake(
                    "The sum runs over the second axis of P_s, with p(a) as weights: a is the first.",
                    lambda p_h, p_f, p_a, P_g, P_s: P_s @ p_a,
                ),
                Mistake(
                    "The sum over g is done here: P_s has the axes (a, g), and a is to go.",
                    lambda p_h, p_f, p_a, P_g, P_s: np.sum(p_a[:, None] * P_s, axis=1),
                ),
                Mistake(
                    "p(a) multiplies the columns of P_s: a is its row.",
                    lambda p_h, p_f, p_a, P_g, P_s: np.sum(p_a * P_s, axis=0),
                ),
                Mistake("p(f) has come in: it does not hold a.", lambda p_h, p_f, p_a, P_g, P_s: p_f * (p_a @ P_s)),
                Mistake(
                    "This is divided by its sum: a message is no distribution, and need not sum to 1.",
                    lambda p_h, p_f, p_a, P_g, P_s: p_a @ P_s / np.sum(p_a @ P_s),
                ),
            ],
        ),
        Line(
            does="do the sum over g next: return the message that it leaves for h and f",
            reference=_line_4,
            follows=lambda m_a, p_h, p_f, p_a, P_g, P_s: np.einsum("hfg,g->hf", P_g, m_a),
            since=lambda own, p_h, p_f, p_a, P_g, P_s: np.einsum("hfg,g->hf", own[0][2], own[1]),
            mistakes=[
                Mistake(
                    "The message of line 3 has been lost: the table of g is summed over g without weights, "
                    "which gives 1 everywhere.",
                    lambda p_h, p_f, p_a, P_g, P_s: P_g.sum(axis=2),
                ),
                Mistake(
                    "f has been summed out already: the message is a table over h and f.",
                    lambda p_h, p_f, p_a, P_g, P_s: np.einsum("hfg,g->h", P_g, p_a @ P_s),
                ),
                Mistake(
                    "The axes are (f, h): P_g has h first, then f, then g.",
                    lambda p_h, p_f, p_a, P_g, P_s: (P_g @ (p_a @ P_s)).T,
                ),
                Mistake(
                    "p(f) has come in: it belongs to the sum over f, which is the next line.",
                    lambda p_h, p_f, p_a, P_g, P_s: P_g @ (p_a @ P_s) * p_f,
                ),
                Mistake(
                    "p(f) has come in, and on the axis of h: it belongs to the sum over f, which is the next line.",
                    lambda p_h, p_f, p_a, P_g, P_s: P_g @ (p_a @ P_s) * p_f[:, None],
                ),
                Mistake(
                    "p(h) has come in: it stands in front of all sums.",
                    lambda p_h, p_f, p_a, P_g, P_s: P_g @ (p_a @ P_s) * p_h[:, None],
                ),
                Mistake(
                    "The message meets f where g belongs: P_g has the axes (h, f, g).",
                    lambda p_h, p_f, p_a, P_g, P_s: np.einsum("hfg,f->hg", P_g, p_a @ P_s),
                ),
                Mistake(
                    "The message meets h where g belongs: P_g has the axes (h, f, g).",
                    lambda p_h, p_f, p_a, P_g, P_s: np.einsum("hfg,h->fg", P_g, p_a @ P_s),
                ),
                Mistake(
                    "This is k times the message: once the sum over g is done, nothing is left to add up.",
                    lambda p_h, p_f, p_a, P_g, P_s: P_g @ (p_a @ P_s) * len(p_a),
                ),
            ],
        ),
        Line(
            does="do the sum over f last: return the message that it leaves for h",
            reference=_line_5,
            follows=lambda m_g, p_h, p_f, p_a, P_g, P_s: np.einsum("hf,f->h", m_g, p_f),
            since=lambda own, p_h, p_f, p_a, P_g, P_s: np.einsum("hf,f->h", own[2], own[0][1]),
            mistakes=[
                Mistake(
                    "p(f) is missing: add up over f with its probabilities.",
                    lambda p_h, p_f, p_a, P_g, P_s: np.sum(P_g @ (p_a @ P_s), axis=1),
                ),
                Mistake(
                    "The message meets h where f belongs: it has the axes (h, f), and the sum is over f.",
                    lambda p_h, p_f, p_a, P_g, P_s: p_f @ (P_g @ (p_a @ P_s)),
                ),
                Mistake(
                    "p(h) has come in: it stands in front of the message, as in line 2.",
                    lambda p_h, p_f, p_a, P_g, P_s: p_h * (P_g @ (p_a @ P_s) @ p_f),
                ),
                Mistake(
                    "The sum is over h, and p(f) is missing: f is the second axis.",
                    lambda p_h, p_f, p_a, P_g, P_s: np.sum(P_g @ (p_a @ P_s), axis=0),
                ),
                Mistake(
                    "The weights of the sum over f are p(h) here: f has its own.",
                    lambda p_h, p_f, p_a, P_g, P_s: P_g @ (p_a @ P_s) @ p_h,
                ),
                Mistake(
                    "The weights of the sum over f are p(a) here: f has its own.",
                    lambda p_h, p_f, p_a, P_g, P_s: P_g @ (p_a @ P_s) @ p_a,
                ),
                Mistake(
                    "This is divided by its sum: a message is no distribution, and need not sum to 1.",
                    lambda p_h, p_f, p_a, P_g, P_s: (
                        _line_5(p_h, p_f, p_a, P_g, P_s) / np.sum(_line_5(p_h, p_f, p_a, P_g, P_s))
                    ),
                ),
                Mistake(
                    "This is the posterior p(h | s): the message comes before p(h) and before the division.",
                    lambda p_h, p_f, p_a, P_g, P_s: (
                        _line_1(p_h, p_f, p_a, P_g, P_s) / np.sum(_line_1(p_h, p_f, p_a, P_g, P_s))
                    ),
                ),
            ],
        ),
    ],
    cases=_known_alarm,
    forbids=(gm.product, gm.posterior, gm.eliminate, gm.partition),
    alternatives=[
        Alternative(
            lambda p_h, p_f, p_a, P_g, P_s: (1 * p_h, 1 * p_f, 1 * P_g, np.einsum("a,ag->ag", p_a, P_s)), part=0
        ),
        Alternative(lambda p_h, p_f, p_a, P_g, P_s: (p_h, p_f, P_g, np.diag(p_a) @ P_s), part=0),
        Alternative(lambda p_h, p_f, p_a, P_g, P_s: np.sum(p_a[:, None] * P_s, axis=0), part=1),
        Alternative(lambda p_h, p_f, p_a, P_g, P_s: np.sum(P_g * (P_s.T @ p_a), axis=2), part=2),
        Alternative(
            lambda p_h, p_f, p_a, P_g, P_s: np.sum(p_f * np.einsum("hfg,ag,a->hf", P_g, P_s, p_a), axis=1), part=3
        ),
    ],
    hints=(
        Hint(
            "How far to the left may a factor go?",
            "It may leave every sum whose variable it does not contain: $p(h)$ leaves all three. Which of them does "
            "the table of $g$ leave?",
        ),
        Hint(
            "What is a message?",
            "What a sum leaves behind: a table over the variables that the summed one was joined to. "
            "Which tables contain $a$, and which variable else is in them?",
        ),
        Hint(
            "How do I sum a table with weights?",
            "A product with a vector sums over one axis: `v @ M` over the rows of `M`, `M @ v` over its last axis, "
            "also where `M` has three axes.",
        ),
    ),
    see="The section *Derive*: a factor that does not contain the summed variable may leave the sum. Equation (27.4).",
)

_EXTRA = "This is still the printed formula: m_g(h, f) contains no g that a sum could run over."

extra_sum = Slip(
    "extra_sum",
    asks="A sum too many",
    points=2,
    printed=lambda p_h, p_f, m_g: len(p_h) * p_h * (m_g @ p_f),
    reference=lambda p_h, p_f, m_g: p_h * (m_g @ p_f),
    cases=_messages,
    admits=lambda p_h, p_f, m_g: (
        np.ndim(p_h) == 1 and np.shape(p_f) == np.shape(p_h) and np.shape(m_g) == 2 * np.shape(p_h)
    ),
    domain="p_h of shape (k,), p_f of shape (k,) and m_g of shape (k, k)",
    mistakes=[
        Mistake(_EXTRA, lambda p_h, p_f, m_g: len(p_h) * p_h * (m_g @ p_f)),
        Mistake("The factor p(h) is missing: it stands before all the sums.", lambda p_h, p_f, m_g: m_g @ p_f),
        Mistake(
            "m_g is transposed: its axes are (h, f), and the sum is over f.", lambda p_h, p_f, m_g: p_h * (p_f @ m_g)
        ),
        Mistake(
            "The sum over f forgets p(f): its values are not equally likely.",
            lambda p_h, p_f, m_g: p_h * m_g.sum(axis=1),
        ),
        Mistake(
            "This is the posterior p(h | s): p(h, s) is asked for, before it is divided by its sum.",
            lambda p_h, p_f, m_g: p_h * (m_g @ p_f) / np.sum(p_h * (m_g @ p_f)),
        ),
        Mistake(SAME_THERE, ([0.0, 0.0], [0.5, 0.5], [[0.3, 0.2], [0.1, 0.6]]), part=1),
    ],
    alternatives=[
        Alternative(lambda p_h, p_f, m_g: np.einsum("h,f,hf->h", p_h, p_f, m_g)),
        Alternative(lambda p_h, p_f, m_g: np.array([p * sum(m * p_f) for p, m in zip(p_h, m_g, strict=True)])),
        Alternative(([0.9, 0.1], [0.95, 0.05], [[0.02, 0.5], [0.9, 0.5]]), part=1),
    ],
    hints=(
        Hint(
            "What does a message depend on?", "On what was in the sum and was not summed over: $m_g(h,f)$ knows no $g$."
        ),
        Hint("Which inputs do I try?", "Any tables with two values: the printed line adds the same number for both."),
    ),
    see="Equation (27.4), from its last line but one: no sum over g is left.",
)


def _rest(a, b, v):
    return "".join(u for u in dict.fromkeys(a + b) if u not in v)


def _sum_out(a, A, b, B, v):
    return gm.product([(a, A), (b, B)], _rest(a, b, v))


def _sum_out_by_loops(a, A, b, B, v):
    size = dict(zip(a, A.shape, strict=True)) | dict(zip(b, B.shape, strict=True))
    rest = _rest(a, b, v)
    total = np.zeros([size[u] for u in rest])
    for values in itertools.product(*(range(size[u]) for u in size)):
        at = dict(zip(size, values, strict=True))
        total[tuple(at[u] for u in rest)] += A[tuple(at[u] for u in a)] * B[tuple(at[u] for u in b)]
    return total


def _separate_sums(a, A, b, B, v):
    left, right = A.sum(axis=a.index(v)), B.sum(axis=b.index(v))
    return np.einsum(f"{a.replace(v, '')},{b.replace(v, '')}->{_rest(a, b, v)}", left, right)


sum_out = Function(
    "sum_out",
    asks="Eliminate one variable",
    points=2,
    reference=_sum_out,
    cases=_pairs_of_factors,
    forbids=(gm.product, gm.eliminate),
    mistakes=[
        Mistake(
            "Each factor was summed on its own. Both contain v, so multiply first: a product of sums is not a sum of "
            "products.",
            _separate_sums,
        ),
        Mistake(
            "The factors are multiplied, but the axis of v is still there: sum over it.",
            lambda a, A, b, B, v: np.einsum(f"{a},{b}->{_rest(a, b, '')}", A, B),
        ),
        Mistake(
            "Every shared letter was summed out. Only v goes: the others appear once in the result.",
            lambda a, A, b, B, v: np.einsum(f"{a},{b}->{_rest(a, b, set(a) & set(b))}", A, B),
        ),
        Mistake(
            "This is the mean over the values of v: the sum is asked for.",
            lambda a, A, b, B, v: np.einsum(f"{a},{b}->{_rest(a, b, v)}", A, B) / A.shape[a.index(v)],
        ),
        Mistake(
            "This takes the largest term over v where the sum is asked for.",
            lambda a, A, b, B, v: np.einsum(f"{a},{b}->{_rest(a, b, v) + v}", A, B).max(axis=-1),
        ),
    ],
    alternatives=[
        Alternative(_sum_out_by_loops),
        Alternative(
            lambda a, A, b, B, v: np.einsum(f"{a},{b}->{_rest(a, b, '')}", A, B).sum(axis=_rest(a, b, "").index(v))
        ),
    ],
    hints=(
        Hint(
            "Which letters are left?",
            "Those of `a`, then those of `b` that `a` does not have, without `v`. `dict.fromkeys(a + b)` lists every "
            "letter once, in this order.",
        ),
        Hint(
            "How do I multiply and sum in one go?",
            "`np.einsum('ab,bc->ac', A, B)` sums over every letter that is missing after the arrow. Build that string.",
        ),
    ),
    see="Equation (27.5), for two factors.",
)


def _sizes(edges, order, k, fill=True, remove=True, own=True, combine=np.prod):
    edges = np.array(edges, dtype=bool)
    sizes = []
    for v in order:
        near = np.flatnonzero(edges[v])
        sizes.append(combine(k[[*near, v]] if own else k[near]))
        if fill:
            edges[np.ix_(near, near)] = True
            edges[near, near] = False
        if remove:
            edges[:, v] = False
    return np.array(sizes, dtype=float)


def _sizes_by_sets(edges, order, k):
    near = {v: {int(u) for u in np.flatnonzero(row)} for v, row in enumerate(edges)}
    sizes = []
    for v in map(int, order):
        friends = near.pop(v)
        sizes.append(int(k[v]) * int(np.prod([k[u] for u in friends])))
        for u in friends:
            near[u] = (near[u] | friends) - {u, v}
    return sizes


elimination_tables = Function(
    "elimination_tables",
    asks="What an order costs",
    points=2,
    reference=gm.table_sizes,
    cases=_eliminations,
    compare=exactly,
    forbids=(gm.greedy_order,),
    mistakes=[
        Mistake(
            "The neighbours of an eliminated variable were not joined. Its message is one table over all of them, so "
            "from then on they belong together.",
            lambda edges, order, k: _sizes(edges, order, k, fill=False),
        ),
        Mistake(
            "This is the size of the message, after the sum. Before it the table also has the axis of the variable "
            "itself.",
            lambda edges, order, k: _sizes(edges, order, k, own=False),
        ),
        Mistake(
            "Eliminated variables still count as neighbours: their axes are gone.",
            lambda edges, order, k: _sizes(edges, order, k, remove=False),
        ),
        Mistake(
            "The numbers of values were added. A table has an entry for every combination: multiply.",
            lambda edges, order, k: _sizes(edges, order, k, combine=np.sum),
        ),
        Mistake(
            "This counts the variables in each table, not its entries.",
            lambda edges, order, k: _sizes(edges, order, k, combine=len),
        ),
    ],
    alternatives=[Alternative(_sizes_by_sets), Alternative(lambda edges, order, k: _sizes(edges, order, k))],
    hints=(
        Hint("Which axes does the table have?", "The variable itself and all of its present neighbours."),
        Hint(
            "What changes in the graph?",
            "All neighbours are joined to each other, and nobody has the eliminated variable as a neighbour any more.",
        ),
        Hint(
            "How do I write this with an array?",
            "Work on a copy. `near = np.flatnonzero(E[v])`; `E[np.ix_(near, near)] = 1` joins them, "
            "`E[near, near] = 0` takes the loops out again.",
        ),
    ),
    see="Equation (27.6): the table that is summed over v has the axes of v and of its neighbours.",
)


# --- explaining away, and its opposite ---


def _core(P, evidence):
    """P(h = 1 | s = 1 and evidence) in the alarm network with P(g = 1 | h, f) = P."""
    factors = gm.alarm()
    factors[3] = ("hfg", np.stack([1 - P, P], axis=-1))
    return gm.posterior(factors, "h", {"s": 1, **evidence}, "ag" if "f" in evidence else "agf")[1]


_FALLS = "Here the faulty gauge lowers the belief in a hot core: it explains the alarm away. Turn this round."
_NOT_FAR = "The belief rises by less than 0.2. When must both causes be there for the gauge to read high?"

explained_towards = Property(
    "explained_towards",
    asks="Two causes that support each other",
    points=2,
    laws=[
        Law("P must have the shape (2, 2): rows for h, columns for f.", lambda P: P.shape == (2, 2)),
        Law("The entries of P are probabilities, between 0 and 1.", lambda P: bool(np.all((P >= 0) & (P <= 1)))),
        Law(_FALLS, lambda P: _core(P, {"f": 1}) > _core(P, {}) - 1e-9),
        Law(_NOT_FAR, lambda P: _core(P, {"f": 1}) >= _core(P, {}) + 0.2),
    ],
    mistakes=[
        Mistake(
            "These are the tables of the figure, with which the faulty gauge explains the alarm away.",
            [[0.05, 0.5], [0.95, 0.5]],
        ),
        Mistake(_FALLS, [[0.0, 1.0], [1.0, 1.0]]),
        Mistake(
            "This gauge does not care whether it is faulty, so the news about it changes nothing.",
            [[0.05, 0.05], [0.95, 0.95]],
        ),
        Mistake(_NOT_FAR, [[0.1, 0.1], [0.1, 0.2]]),
        Mistake("P must have the shape (2, 2): rows for h, columns for f.", [0.0, 0.0, 0.0, 1.0]),
        Mistake("The entries of P are probabilities, between 0 and 1.", [[0.0, 0.0], [0.0, 2.0]]),
    ],
    alternatives=[Alternative([[0.0, 0.0], [0.0, 0.9]]), Alternative(np.array([[0.95, 0.0], [0.05, 1.0]]))],
    hints=(
        Hint(
            "What makes one cause take over from the other?", "That each of them alone is enough. What if neither is?"
        ),
        Hint("Which table is that?", "A gauge that reads high only if the core is hot *and* the gauge is faulty."),
    ),
    see="The section *Break it*: the graph allows a dependence, and the numbers in the tables decide its direction.",
)


# --- naive Bayes ---


def _counts(X, y):
    members = np.eye(y.max() + 1)[y]
    return members.sum(axis=0), members.T @ X


def _smoothed(X, y, top, bottom):
    N, ones = _counts(X, y)
    return N / len(y), (ones + top) / (N[:, None] + bottom)


nb_fit = Function(
    "nb_fit",
    asks="Naive Bayes from counts",
    points=2,
    reference=gm.naive_bayes,
    returns=("pi", "theta"),
    cases=_binary_data,
    mistakes=[
        Mistake(
            "Nothing is smoothed: one pixel that was never seen in a class gives it the probability 0 for ever. Where "
            "does α come in?",
            lambda X, y, alpha: _smoothed(X, y, 0, 0),
        ),
        Mistake(
            "α is added above but not below: the two probabilities of a pixel no longer add up to 1.",
            lambda X, y, alpha: _smoothed(X, y, alpha, 0),
        ),
        Mistake(
            "Below stands Nc + α. A pixel has two outcomes, and each gets α: Nc + 2α.",
            lambda X, y, alpha: _smoothed(X, y, alpha, alpha),
        ),
        Mistake(
            "Below stands Nc + dα. Smoothing is over the values that one pixel can take, which are two, not over the d "
            "pixels.",
            lambda X, y, alpha: _smoothed(X, y, alpha, X.shape[1] * alpha),
        ),
        Mistake(
            "θ is divided by all n points, so it is the probability of ink and class together: divide by Nc.",
            lambda X, y, alpha: (_counts(X, y)[0] / len(y), (_counts(X, y)[1] + alpha) / (len(y) + 2 * alpha)),
        ),
        Mistake(
            "π holds the counts of the classes: divide by n.",
            lambda X, y, alpha: (_counts(X, y)[0], _smoothed(X, y, alpha, 2 * alpha)[1]),
        ),
        Mistake(
            "π is the same for all classes here: estimate it from how often they occur.",
            lambda X, y, alpha: (np.full(y.max() + 1, 1 / (y.max() + 1)), _smoothed(X, y, alpha, 2 * alpha)[1]),
        ),
    ],
    alternatives=[
        Alternative(lambda X, y, alpha: _smoothed(X, y, alpha, 2 * alpha)),
        Alternative(  # add α points of ink and α points without
            lambda X, y, alpha: (
                np.array([np.mean(y == c) for c in np.unique(y)]),
                np.array(
                    [
                        np.average(
                            np.vstack([X[y == c], np.ones(X.shape[1]), np.zeros(X.shape[1])]),
                            axis=0,
                            weights=[*np.ones(np.sum(y == c)), alpha, alpha],
                        )
                        for c in np.unique(y)
                    ]
                ),
            )
        ),
    ],
    hints=(
        Hint(
            "Which points count for class c?", "`X[y == c]`: its number of rows is $N_c$, its column sums are $N_{cj}$."
        ),
        Hint(
            "Where does α go?",
            "With the imagined points, how many has the class, and how many of them have ink in pixel $j$?",
        ),
    ),
    see="Equation (27.8): relative frequencies, with α imagined points for each outcome of a pixel.",
)


def _log_normalised(L):
    L = L - L.max(axis=1, keepdims=True)
    return L - np.log(np.exp(L).sum(axis=1, keepdims=True))


def _log_likelihood(X, theta):
    return X @ np.log(theta).T + (1 - X) @ np.log(1 - theta).T


def _by_products(X, pi, theta):
    joint = np.array([[p * np.prod(np.where(x == 1, t, 1 - t)) for p, t in zip(pi, theta, strict=True)] for x in X])
    return np.log(joint / joint.sum(axis=1, keepdims=True))


nb_log_posterior = Function(
    "nb_log_posterior",
    asks="The classes of a new point, in logarithms",
    points=2,
    reference=gm.log_posterior,
    cases=_models,
    forbids=(gm.log_joint,),
    mistakes=[
        Mistake(
            "The prior is left out: log π is missing, and a rare class counts as much as a frequent one.",
            lambda X, pi, theta: _log_normalised(_log_likelihood(X, theta)),
        ),
        Mistake(
            "The product of 4000 probabilities is 0 in floating point, and 0/0 is not a number: add logarithms.",
            _by_products,
        ),
        Mistake(
            "Only the pixels with ink count here. A pixel without ink is news too: it has the probability 1 − θ.",
            lambda X, pi, theta: _log_normalised(np.log(pi) + X @ np.log(theta).T),
        ),
        Mistake(
            "This is log p(c, x): subtract log Σ exp over the classes, so that every row is a distribution.",
            lambda X, pi, theta: np.log(pi) + _log_likelihood(X, theta),
        ),
        Mistake(
            "These are the posteriors: their logarithms are asked for.",
            lambda X, pi, theta: np.exp(_log_normalised(np.log(pi) + _log_likelihood(X, theta))),
        ),
        Mistake(
            "exp of log p(c, x) is 0 for every class, and log 0 is −∞: take the largest term out of the sum first.",
            lambda X, pi, theta: (
                (L := np.log(pi) + _log_likelihood(X, theta)) - np.log(np.exp(L).sum(axis=1, keepdims=True))
            ),
        ),
    ],
    alternatives=[
        Alternative(lambda X, pi, theta: _log_normalised(np.log(pi) + _log_likelihood(X, theta))),
        Alternative(
            lambda X, pi, theta: (
                (L := np.log(pi) + _log_likelihood(X, theta)) - np.logaddexp.reduce(L, axis=1, keepdims=True)
            )
        ),
    ],
    hints=(
        Hint(
            "What is the probability of one pixel?",
            r"$\theta$ if it has ink, $1-\theta$ if not: in logarithms a sum of two terms.",
        ),
        Hint(
            "How do I sum over the pixels without a loop?",
            "`X @ np.log(theta).T` has the shape (n, C); the pixels without ink are `1 - X`.",
        ),
        Hint(
            "My rows are nan or −inf.",
            r"$\log\sum_be^{L_b}=m+\log\sum_be^{L_b-m}$ with the largest entry $m$ of the row. "
            "`np.logaddexp.reduce` does it.",
        ),
    ),
    see="Equations (27.9) and (27.10).",
)


# --- undirected models ---


def _chain_along(psi):
    v = np.ones(psi.shape[1])
    for factor in psi:
        v = v @ factor
    return v


def _weights(psi):
    """The weight of every combination, with one axis for each variable."""
    table = psi[0]
    for factor in psi[1:]:
        table = table[..., None] * factor
    return table


chain_constant = Function(
    "chain_constant",
    asks="The constant of a chain",
    points=1,
    reference=gm.chain_partition,
    cases=_chains,
    forbids=(gm.partition, gm.product),
    mistakes=[
        Mistake(
            "This is the product of the sums: neighbouring factors share a variable, so they cannot be summed apart.",
            lambda psi: np.prod(psi.sum(axis=(1, 2))),
        ),
        Mistake(
            "This is a mean over the last variable: sum, do not average.",
            lambda psi: _chain_along(psi).mean(),
        ),
        Mistake(
            "This is the trace of the product: it joins the last variable to the first, a ring and not a chain.",
            lambda psi: np.trace(np.linalg.multi_dot([np.eye(psi.shape[1]), np.eye(psi.shape[1]), *psi])),
        ),
        Mistake(
            "The factors were multiplied entry by entry, as if there were only two variables.",
            lambda psi: np.sum(np.prod(psi, axis=0)),
        ),
        Mistake(
            "The factors are transposed: the rows of ψₜ belong to variable t, the columns to variable t + 1.",
            lambda psi: _chain_along(psi.transpose(0, 2, 1)).sum(),
        ),
        Mistake(
            "This is the weight of the best combination: Z adds up all of them.",
            lambda psi: _weights(psi).max(),
        ),
    ],
    alternatives=[
        Alternative(lambda psi: np.sum(np.linalg.multi_dot([np.eye(psi.shape[1]), np.eye(psi.shape[1]), *psi]))),
        Alternative(lambda psi: _weights(psi).sum()),
        Alternative(lambda psi: _chain_along(psi[::-1].transpose(0, 2, 1)).sum()),
    ],
    hints=(
        Hint("Which variable do I eliminate first?", "The one at an end: only one factor contains it."),
        Hint(
            "What is its message?",
            "The column sums of $\\psi_1$, a vector over variable 2. Times $\\psi_2$, it is a vector over variable 3.",
        ),
    ),
    see="Equation (27.12): each elimination from the left is a vector times a matrix.",
)


def _is_clique(edges, s):
    return all(edges[i, j] for i, j in itertools.combinations(np.flatnonzero(s), 2))


def _largest(edges, s):
    """What the printed sentence says: a clique with as many nodes as any."""
    M = len(edges)
    sizes = [sum(t) for t in itertools.product((0, 1), repeat=M) if _is_clique(edges, np.array(t))]
    return bool(_is_clique(edges, s) and np.sum(s) == max(sizes))


def _is_graph_and_set(edges, s):
    if np.ndim(s) != 1 or np.shape(edges) != (len(s), len(s)) or len(s) > 12:
        return False
    plain = set(np.unique(edges)) | set(np.unique(s)) <= {0.0, 1.0}
    return bool(plain and not np.trace(edges) and np.array_equal(edges, edges.T))


def _cannot_grow(edges, s):
    grown = [np.where(np.arange(len(s)) == i, 1, s) for i in range(len(s)) if s[i] == 0]
    return not any(_is_clique(edges, t) for t in grown)


maximal_clique = Slip(
    "maximal_clique",
    asks="Maximal, not maximum",
    points=2,
    printed=_largest,
    reference=gm.is_maximal,
    cases=_cliques,
    admits=_is_graph_and_set,
    domain="edges of shape (M, M), M ≤ 12, symmetric with 0 on the diagonal, and s of shape (M,), all of 0 and 1",
    compare=exactly,
    mistakes=[
        Mistake("This is still the printed sentence: a maximal clique need not be a largest one.", _largest),
        Mistake("This is true of every clique, also of one that could take in another node.", _is_clique),
        Mistake(
            "This asks only that no node can be added: the members must be joined to each other as well.",
            lambda edges, s: not np.any(edges[:, s == 1].sum(axis=1)[s == 0] == s.sum()),
        ),
        Mistake(
            "This asks that no member has a neighbour outside. Only a node that is joined to all members can be added.",
            lambda edges, s: bool(_is_clique(edges, s) and not np.any(edges[np.ix_(s == 1, s == 0)])),
        ),
        Mistake(SAME_THERE, ([[0, 1], [1, 0]], [1, 1]), part=1),
        Mistake(SAME_THERE, ([[0, 1, 0], [1, 0, 1], [0, 1, 0]], [1, 1, 0]), part=1),
    ],
    alternatives=[
        Alternative(lambda edges, s: bool(_is_clique(edges, s) and _cannot_grow(edges, s))),
        Alternative(lambda edges, s: int(_is_clique(edges, s) and _cannot_grow(edges, s))),
        Alternative((SIX, [1, 1, 0, 0, 0, 0]), part=1),
    ],
    hints=(
        Hint("When can a clique not grow?", "If every node outside misses at least one of its members."),
        Hint(
            "How do I count neighbours among the members?",
            "`edges[:, s == 1].sum(axis=1)` counts them for every node. Compare it with the number of members: what "
            "must it be for a member, and for a node that could join?",
        ),
        Hint("Which graph shows it?", "One with a triangle and an edge that is in no triangle."),
    ),
    see="Equation (27.13): maximal means that nothing can be added, maximum that nothing is larger.",
)

good_news_about_the_gauge = Explanation(
    "good_news_about_the_gauge",
    asks="Why a broken gauge is good news",
    points=3,
    rubric=(
        "1 point: as long as we do not know whether the alarm sounds, the core and the gauge's fault are independent "
        "(the only path runs through a common effect that is not observed), so the report means nothing; silence "
        "would be an observation as well. 1 point: the alarm is a common effect: given it, one "
        "cause can stand in for the other, and a faulty gauge accounts for the alarm; the belief falls "
        "from 0.52 to 0.10, the prior, since a faulty gauge reads high half of the time whatever the core does. "
        "1 point: the graph says only that a dependence is possible, not its sign; with other tables (both causes "
        "needed) the same news raises the belief; and no repair has cooled the core: the belief changed, not the core."
    ),
)

topic = Topic(
    number=27,
    slug="graphical_models",
    title="Graphical models",
    question="How do we reason with many variables when the table of all of them is too large?",
    part="Bayesian and graphical",
    minutes=90,
    before={
        "probability": "conditional probability and Bayes' rule",
        "multivariate_normal": "the Markov graph",
    },
    exercises=[
        network_parameters,
        alarm_joint,
        hot_core_beliefs,
        push_sums_in,
        extra_sum,
        sum_out,
        elimination_tables,
        explained_towards,
        nb_fit,
        nb_log_posterior,
        chain_constant,
        maximal_clique,
        good_news_about_the_gauge,
    ],
)
check = Checks(topic)
