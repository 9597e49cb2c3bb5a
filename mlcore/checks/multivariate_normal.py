"""The exercises of 22 multivariate_normal."""

import numpy as np

from mlcore import multivariate_normal as mvn
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
    but,
    exactly,
)

# --- normals to be tried on: a small one to look at, and others with every covariance different ---


def _small(rng):
    """Two coordinates with whole numbers; the variances differ."""
    a, b = rng.choice([2.0, 3.0, 4.0, 5.0], size=2, replace=False)
    c = rng.choice([-1.0, 1.0])
    return rng.integers(1, 6, size=2) * rng.choice([-1.0, 1.0], size=2), np.array([[a, c], [c, b]])


def _normal(rng, d):
    A = rng.normal(size=(d, d))
    return rng.normal(size=d) + rng.choice([-2, 2], size=d), A @ A.T + np.eye(d) / 2


def _whole(rng, d):
    """Whole numbers, no entry 0."""
    while True:
        A = rng.integers(-2, 3, size=(d, d)).astype(float)
        Sigma = A @ A.T + np.eye(d)
        if np.all(Sigma != 0) and np.all(np.abs(np.linalg.inv(Sigma)) > 1e-3):
            return rng.integers(1, 6, size=d) * rng.choice([-1.0, 1.0], size=d), Sigma


def _normals(rng):
    return [_small(rng), _normal(rng, 3), _normal(rng, 5)]


def _maps(rng):
    A = rng.integers(1, 4, size=(2, 2)) * np.array([[1.0, 1.0], [-1.0, 1.0]])  # never symmetric
    cases = [(A, _small(rng)), (rng.normal(size=(2, 3)), _normal(rng, 3)), (rng.normal(size=(4, 2)), _normal(rng, 2))]
    return [(A, rng.integers(1, 5, size=len(A)) * (-1.0) ** np.arange(len(A)), *normal) for A, normal in cases]


def _points(rng):
    """The last one has a determinant that no float can hold."""
    mu, Sigma = _normal(rng, 80)
    normals = [*_normals(rng), (mu, 1e-8 * Sigma)]
    return [(mu + np.linalg.cholesky(Sigma) @ rng.normal(size=len(mu)), mu, Sigma) for mu, Sigma in normals]


def _choices(rng):
    """The first α runs backwards, the others as they come."""
    normals = [(_whole(rng, 3), 2), (_normal(rng, 5), 2), (_normal(rng, 6), 3)]
    first, *others = [(*normal, rng.permutation(len(normal[0]))[:k]) for normal, k in normals]
    return [(*first[:2], np.sort(first[2])[::-1]), *others]


def _observations(rng):
    """Twice β is all the rest, twice it is not; where α and β both have several coordinates, they run backwards."""
    sizes = [(_small(rng), 1, 1), (_normal(rng, 4), 2, 1), (_normal(rng, 5), 2, 3), (_normal(rng, 6), 1, 3)]
    cases = []
    for (mu, Sigma), a, b in sizes:
        alpha, beta = np.split(rng.permutation(len(mu))[: a + b], [a])
        if min(a, b) > 1:
            alpha, beta = np.sort(alpha)[::-1], np.sort(beta)[::-1]
        cases.append((mu[beta] + rng.choice([-2.0, -1.0, 1.0, 2.0], size=b), mu, Sigma, alpha, beta))
    return cases


def _blocks(rng):
    cases = []
    for a, b in ((1, 2), (3, 2), (2, 4)):
        Q = _whole(rng, a + b)[1]
        u, v = np.split(rng.permutation([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])[: a + b], [a])
        cases.append((u if u[0] > u[-1] else u[::-1], v, Q[:a, :a], Q[:a, a:], Q[a:, a:]))
    return cases


def _triples(rng):
    return [(_whole(rng, 3)[1],), (_normal(rng, 4)[1],), (_normal(rng, 6)[1],)]


def _sparse(rng):
    """A chain whose Σ has no 0, a tree of six, a ring of four with an odd number of minus signs (so that signs
    matter), and a Σ with zeros whose Q has none.

    Where the first three have no edge, q_ij is 1e-13 in size: what a computed inverse has there by rounding, on some
    machines and not on others, it then has on all.
    """
    order = rng.permutation(3)
    corner = 1 + 4e-13
    chain = np.array([[3.0, 2.0, corner], [2.0, 4.0, 2.0], [corner, 2.0, 3.0]])[np.ix_(order, order)]
    tree = _with_edges([(i, rng.integers(i), rng.choice([-1, 1]) * rng.uniform(0.4, 0.9)) for i in range(1, 6)])
    ring = _with_edges([(i, i - 1, rng.uniform(0.4, 0.6) if i else rng.uniform(-0.9, -0.8)) for i in range(4)])
    off = np.diag(rng.uniform(0.5, 0.9, size=3), 1)
    return [(rng.integers(1, 4) * chain,), (tree,), (ring,), (2 * np.eye(4) + off + off.T,)]


def _with_edges(edges):
    """Σ with these entries of Q beside the diagonal."""
    d = 1 + max(i for i, _, _ in edges)
    Q = np.full((d, d), 1e-13)
    for i, j, q in edges:
        Q[i, j] = Q[j, i] = q
    Sigma = np.linalg.inv(Q + np.diag(1 + np.sum(np.abs(Q), axis=1)))
    return (Sigma + Sigma.T) / 2


def _block(M, rows, columns):
    return M[np.ix_(rows, columns)]


# --- from independent coordinates to any mean and covariance ---

affine_normal = Function(
    "affine_normal",
    asks="Mean and covariance of AX + c",
    points=1,
    reference=mvn.affine,
    returns=("mean", "covariance"),
    cases=_maps,
    mistakes=[
        Mistake(
            "The transpose belongs to the right factor, AΣAᵀ: A is (k, d), and the covariance of AX + c is (k, k).",
            lambda A, c, mu, Sigma: (A @ mu + c, A.T @ Sigma @ A),
        ),
        Mistake(
            "AᵀA is (d, d), one row for each coordinate of X: the covariance of AX + c is (k, k), and Σ comes in.",
            lambda A, c, mu, Sigma: (A @ mu + c, A.T @ A),
        ),
        Mistake(
            "AAᵀ is right for coordinates that are independent with variance 1: here X has the covariance Σ.",
            lambda A, c, mu, Sigma: (A @ mu + c, A @ A.T),
        ),
        Mistake(
            "One A is missing: the covariance is the mean of a deviation times its transpose, and both bring an A.",
            lambda A, c, mu, Sigma: (A @ mu + c, A @ Sigma),
        ),
        Mistake(
            "This is E[YYᵀ] for Y = AX + c: the covariance uses the deviation from the mean, so μ and c cancel.",
            lambda A, c, mu, Sigma: (A @ mu + c, A @ Sigma @ A.T + np.outer(A @ mu + c, A @ mu + c)),
        ),
        Mistake(
            "c is missing from the mean: a shift moves the mean, and nothing else.",
            lambda A, c, mu, Sigma: (A @ mu, A @ Sigma @ A.T),
        ),
    ],
    alternatives=[
        Alternative(  # entry by entry
            lambda A, c, mu, Sigma: (np.einsum("ij,j->i", A, mu) + c, np.einsum("ij,jk,lk->il", A, Sigma, A))
        ),
        Alternative(lambda A, c, mu, Sigma: (A @ mu + c, (B := A @ np.linalg.cholesky(Sigma)) @ B.T)),
    ],
    hints=(
        Hint("What is the deviation of AX + c from its mean?", r"$AX+c-(A\mu+c)=A(X-\mu)$: the shift cancels."),
        Hint(
            "And the covariance?",
            r"$E[A(X-\mu)(X-\mu)^\top A^\top]$. $A$ is not random, so it leaves the mean on both sides.",
        ),
    ),
    see="Equation (22.2): put A(X − μ) for the deviation into the definition of the covariance.",
)

normal_logpdf = Function(
    "normal_logpdf",
    asks="The log density",
    points=2,
    reference=mvn.logpdf,
    cases=_points,
    forbids=(mvn.natural_logpdf,),
    mistakes=[
        Mistake(
            "The exponent of 2π is negative: as it stands, the density has the mass (2π)ᵈ in place of 1.",
            lambda x, mu, Sigma: _log_density(x, mu, Sigma, constant=1),
        ),
        Mistake(
            "The determinant is missing: a wide normal spreads its mass over a larger volume, so its density is lower.",
            lambda x, mu, Sigma: _log_density(x, mu, Sigma, volume=0),
        ),
        Mistake(
            "log det Σ lacks its ½: the volume grows by |det A|, and det Σ = (det A)².",
            lambda x, mu, Sigma: _log_density(x, mu, Sigma, volume=-1),
        ),
        Mistake(
            "The quadratic form uses Σ. It needs Σ⁻¹: with a large variance the same deviation must count less.",
            lambda x, mu, Sigma: (
                -(x - mu) @ Sigma @ (x - mu) / 2 - np.linalg.slogdet(Sigma)[1] / 2 - len(mu) / 2 * np.log(2 * np.pi)
            ),
        ),
        Mistake(
            "The quadratic form lacks its ½: −½z² stands in the log density of each standard normal coordinate.",
            lambda x, mu, Sigma: _log_density(x, mu, Sigma, form=-1),
        ),
        Mistake(
            "log 2π comes once for each coordinate: d/2 times, not ½ times.",
            lambda x, mu, Sigma: _log_density(x, mu, Sigma, constant=-1 / len(mu)),
        ),
        Mistake(
            "Right in few dimensions. In 80 the determinant underflows to 0 before its logarithm is taken: "
            "`np.linalg.slogdet` gives the logarithm directly.",
            lambda x, mu, Sigma: (
                -(x - mu) @ np.linalg.solve(Sigma, x - mu) / 2
                - np.log(np.linalg.det(Sigma)) / 2
                - len(mu) / 2 * np.log(2 * np.pi)
            ),
        ),
        Mistake(
            "This is the density: its logarithm is asked for.",
            lambda x, mu, Sigma: np.exp(_log_density(x, mu, Sigma)),
        ),
    ],
    alternatives=[
        Alternative(lambda x, mu, Sigma: _by_eigenvectors(x, mu, Sigma)),
        Alternative(lambda x, mu, Sigma: _log_density(x, mu, Sigma)),
        Alternative(
            lambda x, mu, Sigma: (
                -((x - mu) @ np.linalg.inv(Sigma) @ (x - mu) + np.linalg.slogdet(2 * np.pi * Sigma)[1]) / 2
            )
        ),
    ],
    hints=(
        Hint(
            "What becomes of the squared length of z?",
            r"$z=A^{-1}r$ with $r=x-\mu$, so $z^\top z=r^\top(AA^\top)^{-1}r$.",
        ),
        Hint(
            "And of the volume?",
            r"$\det\Sigma=\det A\,\det A^\top=(\det A)^2$, so $\log|\det A|=\frac12\log\det\Sigma$.",
        ),
        Hint(
            "How do I compute the two in numpy?",
            "`np.linalg.solve(Sigma, r)` is $\\Sigma^{-1}r$; `sign, log_det = np.linalg.slogdet(Sigma)`.",
        ),
    ),
    see="Equation (22.3): the density of Z at z = A⁻¹(x − μ), divided by the volume |det A|.",
)


def _log_density(x, mu, Sigma, form=-0.5, volume=-0.5, constant=-1):
    r = x - mu
    log_det = np.linalg.slogdet(Sigma)[1]
    return form * r @ np.linalg.solve(Sigma, r) + volume * log_det + constant * len(mu) / 2 * np.log(2 * np.pi)


def _by_eigenvectors(x, mu, Sigma):
    variances, V = np.linalg.eigh(Sigma)
    return -np.sum((V.T @ (x - mu)) ** 2 / variances + np.log(2 * np.pi * variances)) / 2


# --- marginals, and what a covariance of zero means ---

normal_marginal = Function(
    "normal_marginal",
    asks="The marginal of a few coordinates",
    points=1,
    reference=mvn.marginal,
    returns=("mean", "covariance"),
    cases=_choices,
    mistakes=[
        Mistake(
            "This is a block of Σ⁻¹: marginals are read from Σ itself.",
            lambda mu, Sigma, alpha: (mu[alpha], _block(np.linalg.inv(Sigma), alpha, alpha)),
        ),
        Mistake(
            "The inverse of a block of Σ⁻¹ is the covariance with all other coordinates held fixed. "
            "A marginal leaves them free.",
            lambda mu, Sigma, alpha: (mu[alpha], np.linalg.inv(_block(np.linalg.inv(Sigma), alpha, alpha))),
        ),
        Mistake(
            "`Sigma[alpha, alpha]` pairs the indices up and gives variances only: `Sigma[np.ix_(alpha, alpha)]` "
            "gives the block.",
            lambda mu, Sigma, alpha: (mu[alpha], Sigma[alpha, alpha]),
        ),
        Mistake(
            "The covariances between the chosen coordinates are lost: the block has entries beside its diagonal.",
            lambda mu, Sigma, alpha: (mu[alpha], np.diag(Sigma[alpha, alpha])),
        ),
        Mistake(
            "`Sigma[alpha]` picks rows only: the same columns have to be picked too.",
            lambda mu, Sigma, alpha: (mu[alpha], Sigma[alpha]),
        ),
    ],
    alternatives=[
        Alternative(lambda mu, Sigma, alpha: mvn.affine(np.eye(len(mu))[alpha], 0.0, mu, Sigma)),
        Alternative(lambda mu, Sigma, alpha: (mu[alpha], Sigma[alpha][:, alpha])),
    ],
    hints=(
        Hint(
            "Which A picks coordinates?",
            r"The rows of $I$ with the numbers in α: then $AX=X_\alpha$, and (22.2) gives mean and covariance.",
        ),
        Hint("How do I take a block in numpy?", "`Sigma[np.ix_(alpha, alpha)]`: these rows and these columns."),
    ),
    see="Equation (22.4): (22.2) with c = 0 and with rows of the identity as A.",
)

_VALUES = np.array([-1.0, 0.0, 1.0])
_IS_TABLE = "P must be a table of 3 × 3 probabilities: not negative, with the sum 1."
_CORRELATED = "The covariance is not 0: compute E[XY] − E[X]E[Y] from the table, with the values −1, 0, 1."
_INDEPENDENT = (
    "X and Y are independent here, or so nearly that it hardly shows: no entry differs by 0.001 from the product of "
    "its row sum and its column sum."
)
_ONE_CONSTANT = "One of the two is constant, and a constant is independent of everything: both have to vary."


def _moments(P):
    p, q = P.sum(axis=1), P.sum(axis=0)
    return p, q, _VALUES @ P @ _VALUES - (_VALUES @ p) * (_VALUES @ q)


uncorrelated_dependent = Property(
    "uncorrelated_dependent",
    asks="Zero covariance, and yet dependent",
    points=2,
    laws=[
        Law(_IS_TABLE, lambda P: P.shape == (3, 3) and bool(np.all(P >= -1e-12)) and abs(P.sum() - 1) < 1e-6),
        Law(_CORRELATED, lambda P: abs(_moments(P)[2]) < 1e-6),
        Law(_ONE_CONSTANT, lambda P: np.sum(P.sum(axis=1) > 1e-12) > 1 < np.sum(P.sum(axis=0) > 1e-12)),
        Law(_INDEPENDENT, lambda P: np.max(np.abs(P - np.outer(*_moments(P)[:2]))) > 0.001 - 1e-9),
    ],
    mistakes=[
        Mistake(_INDEPENDENT, np.full((3, 3), 1 / 9)),
        Mistake(_INDEPENDENT, np.outer([0.25, 0.5, 0.25], [0.2, 0.6, 0.2])),
        Mistake(_CORRELATED, np.eye(3) / 3),
        Mistake(_CORRELATED, [[0.5, 0.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]),
        Mistake(_ONE_CONSTANT, [[0.0, 1 / 3, 0.0], [0.0, 1 / 3, 0.0], [0.0, 1 / 3, 0.0]]),
        Mistake(_IS_TABLE, [[1, 0, 1], [0, 1, 0], [1, 0, 1]]),
        Mistake(_IS_TABLE, [[0.5, 0.5], [0.0, 0.0]]),
    ],
    alternatives=[
        Alternative(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]) / 4),
        Alternative([[0.25, 0, 0.25], [0, 0, 0], [0, 0.5, 0]]),
        Alternative(1 / 9 + 0.1 * np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])),
    ],
    hints=(
        Hint(
            "Where do I start?",
            "Let $X$ be $-1$, $0$ or $1$, each with probability 1/3, and let $Y$ be a function of $X$: "
            "then they are as dependent as can be.",
        ),
        Hint("Which function has zero covariance with X?", "One that treats $-1$ and $1$ alike, such as $Y=X^2$."),
        Hint("How do I write that as a table?", "Three entries are 1/3: at $(-1,1)$, at $(0,0)$ and at $(1,1)$."),
    ),
    see="The section *Break it*: Y = X² is determined by X, and E[XY] = E[X³] = 0.",
)


# --- the natural form ---


def _natural(mu, Sigma, **wrong):
    """The right (b, Q, log C), except for what is given."""
    Q = np.linalg.inv(Sigma)
    right = {"b": Q @ mu, "Q": Q, "log_C": (mu @ Q @ mu + np.linalg.slogdet(2 * np.pi * Sigma)[1]) / 2}
    return tuple((right | wrong).values())


natural_form = Function(
    "natural_form",
    asks="The natural form",
    points=2,
    reference=mvn.natural,
    returns=("b", "Q", "log_C"),
    cases=_normals,
    forbids=(mvn.precision,),
    mistakes=[
        Mistake(
            "b is μ itself. Multiply the quadratic form out: the linear term is μᵀΣ⁻¹x, so b = Σ⁻¹μ.",
            lambda mu, Sigma: _natural(mu, Sigma, b=mu),
        ),
        Mistake(
            "Σ multiplies μ where it should divide: b = Σ⁻¹μ.",
            lambda mu, Sigma: _natural(mu, Sigma, b=Sigma @ mu),
        ),
        Mistake(
            "Q has swallowed the ½: it stands in front of xᵀQx already.",
            lambda mu, Sigma: _natural(mu, Sigma, Q=np.linalg.inv(Sigma) / 2),
        ),
        Mistake(
            "Q has the reciprocals of the entries of Σ: the matrix inverse is asked for, with QΣ = I.",
            lambda mu, Sigma: _natural(mu, Sigma, Q=1 / Sigma),
        ),
        Mistake(
            "log C lacks ½μᵀΣ⁻¹μ, the term without x that appears when you multiply out.",
            lambda mu, Sigma: _natural(mu, Sigma, log_C=np.linalg.slogdet(2 * np.pi * Sigma)[1] / 2),
        ),
        Mistake(
            "½μᵀΣ⁻¹μ has the wrong sign in log C: in the log density it is subtracted, and so is log C.",
            lambda mu, Sigma: _natural(
                mu, Sigma, log_C=(np.linalg.slogdet(2 * np.pi * Sigma)[1] - mu @ np.linalg.solve(Sigma, mu)) / 2
            ),
        ),
        Mistake(
            "This is C: its logarithm is asked for.",
            lambda mu, Sigma: _natural(mu, Sigma, log_C=np.exp(_natural(mu, Sigma)[2])),
        ),
    ],
    alternatives=[
        Alternative(  # at x = 0 the log density is −log C
            lambda mu, Sigma: ((Q := np.linalg.inv(Sigma)) @ mu, Q, -_log_density(np.zeros(len(mu)), mu, Sigma))
        ),
        Alternative(
            lambda mu, Sigma: (
                b := np.linalg.solve(Sigma, mu),
                np.linalg.solve(Sigma, np.eye(len(mu))),
                (b @ Sigma @ b + np.linalg.slogdet(2 * np.pi * Sigma)[1]) / 2,
            )
        ),
    ],
    hints=(
        Hint(
            "Where do I start?",
            r"Multiply $(x-\mu)^\top\Sigma^{-1}(x-\mu)$ out: one term is quadratic in $x$, two are linear and equal, "
            r"one is without $x$.",
        ),
        Hint("What belongs to C?", r"Everything without $x$. Put $x=0$ into both forms: $\log C=-\log p(0)$."),
        Hint("How do I get the inverse?", "`np.linalg.solve(Sigma, np.eye(d))` solves $\\Sigma Q=I$."),
    ),
    see="Equation (22.6): multiply (22.3) out and compare it with (22.5), term by term.",
)

from_natural = Function(
    "from_natural",
    asks="And back",
    points=1,
    reference=mvn.standard,
    returns=("mu", "Sigma"),
    cases=lambda rng: [(mu, Sigma) for mu, Sigma in (_small(rng), _whole(rng, 3), _normal(rng, 5))],
    forbids=(mvn.precision,),
    mistakes=[
        Mistake(
            "b is not the mean: it is Qμ, so the mean is the solution of Qμ = b.",
            lambda b, Q: (b, np.linalg.inv(Q)),
        ),
        Mistake(
            "Qb multiplies once more: b = Qμ is to be solved for μ.",
            lambda b, Q: (Q @ b, np.linalg.inv(Q)),
        ),
        Mistake(
            "Σ has the reciprocals of the entries of Q: the matrix inverse is asked for.",
            lambda b, Q: (np.linalg.solve(Q, b), 1 / Q),
        ),
        Mistake(
            "Σ is Q here: the covariance is the inverse of the precision.", lambda b, Q: (np.linalg.solve(Q, b), Q)
        ),
        Mistake(
            "μ is b times the variances, as if the coordinates were independent: it needs the whole matrix, Q⁻¹b.",
            lambda b, Q: ((Sigma := np.linalg.inv(Q)).diagonal() * b, Sigma),
        ),
    ],
    alternatives=[
        Alternative(lambda b, Q: ((Sigma := np.linalg.inv(Q)) @ b, Sigma)),
        Alternative(lambda b, Q: (np.linalg.lstsq(Q, b, rcond=None)[0], np.linalg.pinv(Q, hermitian=True))),
    ],
    hints=(
        Hint("What do I solve?", r"(22.6) for $\mu$ and $\Sigma$: $Q=\Sigma^{-1}$ and $b=\Sigma^{-1}\mu=Q\mu$."),
        Hint("In numpy?", "`np.linalg.solve(Q, b)` gives the $\\mu$ with $Q\\mu=b$."),
    ),
    see="Equation (22.7): (22.6) solved for μ and Σ.",
)


# --- 22g: complete the square ---


def _line_1(u, v, Qaa, Qab, Qbb):
    Q = np.block([[Qaa, Qab], [Qab.T, Qbb]])
    r = np.concatenate([u, v])
    return -r @ Q @ r / 2


def _line_2(u, v, Qaa, Qab, Qbb):
    return Qaa, -Qab, Qbb


def _line_3(u, v, Qaa, Qab, Qbb):
    return Qaa, -np.linalg.solve(Qaa, Qab), Qbb


def _line_4(u, v, Qaa, Qab, Qbb):
    return Qaa, -np.linalg.solve(Qaa, Qab), Qab.T @ np.linalg.solve(Qaa, Qab), Qbb


def _line_5(u, v, Qaa, Qab, Qbb):
    return -np.linalg.solve(Qaa, Qab @ v), Qaa, Qbb - Qab.T @ np.linalg.solve(Qaa, Qab)


def _explained(Qaa, Qab):
    return Qab.T @ np.linalg.solve(Qaa, Qab)


conditional_square = Chain(
    "conditional_square",
    asks="Complete the square",
    first=_line_1,
    lines=[
        Line(
            does="multiply out, block by block, and join equal terms: −½uᵀAu + uᵀBv − ½vᵀDv, with A and D symmetric; "
            "neither u nor v is in the three matrices",
            parts=("A", "B", "D"),
            reference=_line_2,
            mistakes=[
                Mistake(
                    "The cross term comes twice, as uᵀQ_αβv and as vᵀQ_βαu, which are equal: together they lose the ½.",
                    but(_line_2, 1, lambda u, v, Qaa, Qab, Qbb: -Qab / 2),
                ),
                Mistake(
                    "The cross term has the wrong sign: the minus in front belongs to all four blocks.",
                    but(_line_2, 1, lambda u, v, Qaa, Qab, Qbb: Qab),
                ),
                Mistake(
                    "The cross terms are joined, but their ½ is lost as well: two halves are one.",
                    but(_line_2, 1, lambda u, v, Qaa, Qab, Qbb: -2 * Qab),
                ),
                Mistake(
                    "The ½ stands in the formula already, in front of both squares: it is not in A and D once more.",
                    lambda u, v, Qaa, Qab, Qbb: (Qaa / 2, -Qab, Qbb / 2),
                ),
                Mistake(
                    "The −½ stands in the formula already, in front of both squares: it is not in A and D once more.",
                    lambda u, v, Qaa, Qab, Qbb: (-Qaa / 2, -Qab, -Qbb / 2),
                ),
                Mistake(
                    "The minus stands in the formula already, in front of both squares: it is not in A and D once "
                    "more.",
                    lambda u, v, Qaa, Qab, Qbb: (-Qaa, -Qab, -Qbb),
                ),
                Mistake(
                    "The cross term has the wrong sign, and it is doubled: the −½ in front belongs to all four blocks.",
                    but(_line_2, 1, lambda u, v, Qaa, Qab, Qbb: 2 * Qab),
                ),
                Mistake(
                    "The cross term has the wrong sign, and it is counted once: it comes as uᵀQ_αβv and as vᵀQ_βαu.",
                    but(_line_2, 1, lambda u, v, Qaa, Qab, Qbb: Qab / 2),
                ),
                Mistake(
                    "The blocks are inverted here: the exponent holds the blocks of Q as they are.",
                    lambda u, v, Qaa, Qab, Qbb: (np.linalg.inv(Qaa), -Qab, np.linalg.inv(Qbb)),
                ),
                Mistake(
                    "The cross term is missing: Q_αβ and Q_βα stand beside the diagonal of Q, between u and v.",
                    but(_line_2, 1, lambda u, v, Qaa, Qab, Qbb: 0 * Qab),
                ),
            ],
        ),
        Line(
            does="write the cross term as uᵀAKv, the K that makes this true for every u and v: −½uᵀAu + uᵀAKv − ½vᵀDv",
            parts=("A", "K", "D"),
            reference=_line_3,
            follows=lambda before, u, v, Qaa, Qab, Qbb: (before[0], np.linalg.solve(before[0], before[1]), before[2]),
            mistakes=[
                Mistake(
                    "K has the wrong sign: AK has to be the B of line 2.",
                    but(_line_3, 1, lambda u, v, Qaa, Qab, Qbb: np.linalg.solve(Qaa, Qab)),
                ),
                Mistake(
                    "K is B itself, as if A were not there: K is asked for with AK = B.",
                    but(_line_3, 1, lambda u, v, Qaa, Qab, Qbb: -Qab),
                ),
                Mistake(
                    "A multiplies B here. It has to be undone: AK = B is solved for K.",
                    but(_line_3, 1, lambda u, v, Qaa, Qab, Qbb: -Qaa @ Qab),
                ),
                Mistake(
                    "This undoes D. The matrix that stands between u and K is A.",
                    but(_line_3, 1, lambda u, v, Qaa, Qab, Qbb: -np.linalg.solve(Qbb, Qab.T).T),
                ),
                Mistake(
                    "This K makes it true for the given v only: AK = B is asked for, whatever v is.",
                    but(_line_3, 1, lambda u, v, Qaa, Qab, Qbb: -np.outer(np.linalg.solve(Qaa, Qab @ v), v) / (v @ v)),
                ),
                Mistake(
                    "A was taken out of the first term as well: only B is written as AK, and A stays what it is.",
                    lambda u, v, Qaa, Qab, Qbb: (np.eye(len(u)), -Qab, Qbb),
                ),
                Mistake(
                    "Each row of B is divided by one entry of A: AK = B is a system, in which all of A takes part.",
                    but(_line_3, 1, lambda u, v, Qaa, Qab, Qbb: -Qab / np.diag(Qaa)[:, None]),
                ),
            ],
        ),
        Line(
            does="complete the square in u, and undo what that adds: −½(u − Kv)ᵀA(u − Kv) + ½vᵀEv − ½vᵀDv, "
            "with E symmetric",
            parts=("A", "K", "E", "D"),
            reference=_line_4,
            follows=lambda before, u, v, Qaa, Qab, Qbb: (
                before[0],
                before[1],
                before[1].T @ before[0] @ before[1],
                before[2],
            ),
            mistakes=[
                Mistake(
                    "E has the wrong sign: the square takes ½(Kv)ᵀA(Kv) away, so it has to be added.",
                    but(_line_4, 2, lambda u, v, Qaa, Qab, Qbb: -_explained(Qaa, Qab)),
                ),
                Mistake(
                    "E is doubled: the square brings only half of (Kv)ᵀA(Kv), and the ½ stands in the formula.",
                    but(_line_4, 2, lambda u, v, Qaa, Qab, Qbb: 2 * _explained(Qaa, Qab)),
                ),
                Mistake(
                    "E is halved, but the ½ stands in the formula already.",
                    but(_line_4, 2, lambda u, v, Qaa, Qab, Qbb: _explained(Qaa, Qab) / 2),
                ),
                Mistake(
                    "The A inside the square is lost: its last term is −½(Kv)ᵀA(Kv).",
                    but(_line_4, 2, lambda u, v, Qaa, Qab, Qbb: (K := np.linalg.solve(Qaa, Qab)).T @ K),
                ),
                Mistake(
                    "E is what the square takes away, and no more: D stands beside it in a term of its own.",
                    but(_line_4, 2, lambda u, v, Qaa, Qab, Qbb: Qbb - _explained(Qaa, Qab)),
                ),
                Mistake(
                    "Between Kᵀ and K stands A, and this is its inverse.",
                    but(
                        _line_4,
                        2,
                        lambda u, v, Qaa, Qab, Qbb: (K := np.linalg.solve(Qaa, Qab)).T @ np.linalg.solve(Qaa, K),
                    ),
                ),
                Mistake(
                    "This is BᵀB: the square's last term is −½(Kv)ᵀA(Kv), with K in the place of B.",
                    but(_line_4, 2, lambda u, v, Qaa, Qab, Qbb: Qab.T @ Qab),
                ),
                Mistake(
                    "Nothing is undone: the square brings −½(Kv)ᵀA(Kv), which line 3 does not have.",
                    but(_line_4, 2, lambda u, v, Qaa, Qab, Qbb: 0 * Qbb),
                ),
                Mistake(
                    "This is D: what has to be undone is the square's last term, −½(Kv)ᵀA(Kv).",
                    but(_line_4, 2, lambda u, v, Qaa, Qab, Qbb: Qbb),
                ),
                Mistake(
                    "E and D have changed places: (A, K, E, D).",
                    lambda u, v, Qaa, Qab, Qbb: (Qaa, -np.linalg.solve(Qaa, Qab), Qbb, _explained(Qaa, Qab)),
                ),
            ],
        ),
        Line(
            does="read off: given v, u is normal with a mean and a precision; collect what is left of v as −½vᵀSv, "
            "with S symmetric",
            parts=("mean", "precision", "S"),
            reference=_line_5,
            follows=lambda before, u, v, Qaa, Qab, Qbb: (before[1] @ v, before[0], before[3] - before[2]),
            mistakes=[
                Mistake(
                    "The mean has the wrong sign: in u − mean it is subtracted already.",
                    but(_line_5, 0, lambda u, v, Qaa, Qab, Qbb: np.linalg.solve(Qaa, Qab @ v)),
                ),
                Mistake(
                    "This is the covariance. The exponent of a normal is −½(u − mean)ᵀ·precision·(u − mean).",
                    but(_line_5, 1, lambda u, v, Qaa, Qab, Qbb: np.linalg.inv(Qaa)),
                ),
                Mistake(
                    "E and D have different signs in line 4: ½vᵀEv − ½vᵀDv = −½vᵀ(…)v.",
                    but(_line_5, 2, lambda u, v, Qaa, Qab, Qbb: Qbb + _explained(Qaa, Qab)),
                ),
                Mistake(
                    "S is D alone: the E that line 4 has added is left out.",
                    but(_line_5, 2, lambda u, v, Qaa, Qab, Qbb: Qbb),
                ),
                Mistake(
                    "S is E alone: the D of line 4 is left out.",
                    but(_line_5, 2, lambda u, v, Qaa, Qab, Qbb: _explained(Qaa, Qab)),
                ),
                Mistake(
                    "This is the inverse of what is left of v: −½vᵀSv holds S as it is.",
                    but(_line_5, 2, lambda u, v, Qaa, Qab, Qbb: np.linalg.inv(Qbb - _explained(Qaa, Qab))),
                ),
                Mistake(
                    "This is u − mean: the mean is what is subtracted from u, and u is not in it.",
                    but(_line_5, 0, lambda u, v, Qaa, Qab, Qbb: u + np.linalg.solve(Qaa, Qab @ v)),
                ),
                Mistake(
                    "The mean is Kv, and this is Bv: A is not undone in it.",
                    but(_line_5, 0, lambda u, v, Qaa, Qab, Qbb: -Qab @ v),
                ),
                Mistake(
                    "The mean of u given v depends on v: in line 4 it is what is subtracted from u.",
                    but(_line_5, 0, lambda u, v, Qaa, Qab, Qbb: 0 * u),
                ),
            ],
        ),
    ],
    cases=_blocks,
    alternatives=[
        Alternative(lambda u, v, Qaa, Qab, Qbb: ((Qaa + Qaa.T) / 2, -(Qab + Qab) / 2, (Qbb + Qbb.T) / 2), part=0),
        Alternative(lambda u, v, Qaa, Qab, Qbb: (Qaa, -np.linalg.inv(Qaa) @ Qab, Qbb), part=1),
        Alternative(
            lambda u, v, Qaa, Qab, Qbb: (Qaa, (K := -np.linalg.inv(Qaa) @ Qab), K.T @ Qaa @ K, Qbb),
            part=2,
        ),
        Alternative(lambda u, v, Qaa, Qab, Qbb: _from_covariance(u, v, Qaa, Qab, Qbb), part=3),
        Alternative(
            lambda u, v, Qaa, Qab, Qbb: (-np.linalg.inv(Qaa) @ Qab @ v, Qaa, Qbb - Qab.T @ np.linalg.inv(Qaa) @ Qab),
            part=3,
        ),
    ],
    hints=(
        Hint(
            "How do I multiply out with blocks?",
            r"As with numbers, but in order: $u^\top Q_{\alpha\alpha}u+u^\top Q_{\alpha\beta}v+v^\top Q_{\beta\alpha}u"
            r"+v^\top Q_{\beta\beta}v$. A number equals its transpose, so the two in the middle are equal.",
        ),
        Hint(
            "Which K is it?", "$AK=B$, a system with one column for each coordinate of $v$: `np.linalg.solve` takes it."
        ),
        Hint(
            "How does completing the square go with matrices?",
            r"Multiply $-\frac12(u-m)^\top A(u-m)$ out, $A$ symmetric. Which of its terms is not in line 3?",
        ),
        Hint(
            "How do I read a normal off its exponent?",
            r"A normal density is proportional to $\exp(-\frac12(u-\mu)^\top P(u-\mu))$ with the precision $P$. Terms "
            "without $u$ belong to the factor in front.",
        ),
    ),
    see="The section *What Q tells*: line 5 is the conditional of u, and beside it the exponent of the marginal of v.",
)


def _from_covariance(u, v, Qaa, Qab, Qbb):
    """Line 5 from the blocks of the covariance: S is the inverse of that of v."""
    Sigma = np.linalg.inv(np.block([[Qaa, Qab], [Qab.T, Qbb]]))
    a = len(u)
    return Sigma[:a, a:] @ np.linalg.solve(Sigma[a:, a:], v), Qaa, np.linalg.inv(Sigma[a:, a:])


# --- conditionals ---


def _gain(Sigma, alpha, beta):
    return np.linalg.solve(_block(Sigma, beta, beta), _block(Sigma, beta, alpha)).T


def _conditional(x_beta, mu, Sigma, alpha, beta, *, mean=1.0, covariance=-1.0):
    """The right one, with the two corrections multiplied by `mean` and `covariance`."""
    K = _gain(Sigma, alpha, beta)
    explained = K @ _block(Sigma, beta, alpha)
    return mu[alpha] + mean * K @ (x_beta - mu[beta]), _block(Sigma, alpha, alpha) + covariance * explained


def _from_joint_precision(x_beta, mu, Sigma, alpha, beta):
    """The marginal of α and β first; then its precision."""
    both = np.concatenate([alpha, beta])
    Q = np.linalg.inv(_block(Sigma, both, both))
    a = len(alpha)
    return mu[alpha] - np.linalg.solve(Q[:a, :a], Q[:a, a:] @ (x_beta - mu[beta])), np.linalg.inv(Q[:a, :a])


def _from_whole_precision(x_beta, mu, Sigma, alpha, beta):
    Q = np.linalg.inv(Sigma)
    Qaa = _block(Q, alpha, alpha)
    return mu[alpha] - np.linalg.solve(Qaa, _block(Q, alpha, beta) @ (x_beta - mu[beta])), np.linalg.inv(Qaa)


normal_conditional = Function(
    "normal_conditional",
    asks="The conditional distribution",
    points=2,
    reference=mvn.conditional,
    returns=("mean", "covariance"),
    cases=_observations,
    mistakes=[
        Mistake(
            "This is the marginal of X_α: the observation x_β has not come in.",
            lambda *args: _conditional(*args, mean=0.0, covariance=0.0),
        ),
        Mistake(
            "The mean has moved, but the covariance is still that of the marginal: observing X_β takes "
            "Σ_αβΣ_ββ⁻¹Σ_βα away from it.",
            lambda *args: _conditional(*args, covariance=0.0),
        ),
        Mistake(
            "The covariance has grown: what x_β explains is subtracted, not added.",
            lambda *args: _conditional(*args, covariance=1.0),
        ),
        Mistake(
            "The covariance is right, but the mean has not moved: x_β has to shift it.",
            lambda *args: _conditional(*args, mean=0.0),
        ),
        Mistake(
            "The mean moves the wrong way: with a positive covariance, x_β above μ_β lets us expect X_α above μ_α.",
            lambda *args: _conditional(*args, mean=-1.0),
        ),
        Mistake(
            "x_β is not centred: an observation at x_β = μ_β is no surprise and must leave the mean at μ_α.",
            lambda x_beta, mu, Sigma, alpha, beta: (
                mu[alpha] + _gain(Sigma, alpha, beta) @ x_beta,
                _conditional(x_beta, mu, Sigma, alpha, beta)[1],
            ),
        ),
        Mistake(
            "μ_α is missing from the mean: Σ_αβΣ_ββ⁻¹(x_β − μ_β) is only the correction.",
            lambda x_beta, mu, Sigma, alpha, beta: (
                _gain(Sigma, alpha, beta) @ (x_beta - mu[beta]),
                _conditional(x_beta, mu, Sigma, alpha, beta)[1],
            ),
        ),
        Mistake(
            "Σ_ββ multiplies where it should divide: Σ_αβΣ_ββ⁻¹ is the regression of X_α on X_β.",
            lambda x_beta, mu, Sigma, alpha, beta: (
                mu[alpha] + (K := _block(Sigma, alpha, beta) @ _block(Sigma, beta, beta)) @ (x_beta - mu[beta]),
                _block(Sigma, alpha, alpha) - K @ _block(Sigma, beta, alpha),
            ),
        ),
        Mistake(
            "The blocks of Q hold all other coordinates fixed. Here some are in neither α nor β: they are not observed "
            "and have to be left out of Σ before it is inverted.",
            _from_whole_precision,
        ),
    ],
    alternatives=[
        Alternative(_from_joint_precision),
        Alternative(
            lambda x_beta, mu, Sigma, alpha, beta: (
                mu[alpha] + (K := Sigma[alpha][:, beta] @ np.linalg.inv(Sigma[beta][:, beta])) @ (x_beta - mu[beta]),
                Sigma[alpha][:, alpha] - K @ Sigma[beta][:, alpha],
            )
        ),
    ],
    hints=(
        Hint(
            "How do I get from Q to Σ?",
            r"The upper right block of $Q\Sigma=I$ is $Q_{\alpha\alpha}\Sigma_{\alpha\beta}+Q_{\alpha\beta}"
            r"\Sigma_{\beta\beta}=0$. Solve it for $-Q_{\alpha\alpha}^{-1}Q_{\alpha\beta}$.",
        ),
        Hint(
            "And the covariance?",
            r"The upper left block is $Q_{\alpha\alpha}\Sigma_{\alpha\alpha}+Q_{\alpha\beta}\Sigma_{\beta\alpha}=I$. "
            r"Multiply by $Q_{\alpha\alpha}^{-1}$ and put in what you have found.",
        ),
        Hint(
            "What if α and β are not everything?",
            "The other coordinates are not observed. Their rows and columns of $\\Sigma$ never come in: by (22.4) they "
            "can be dropped at the start.",
        ),
    ),
    see="Equations (22.8) and (22.9): the two upper blocks of QΣ = I, put into the completed square.",
)

partial_correlation = Function(
    "partial_correlation",
    asks="The correlation of two, given all the others",
    points=2,
    reference=mvn.partial_correlation,
    cases=_triples,
    mistakes=[
        Mistake(
            "The sign is lost: the inverse of a 2 × 2 block has −q_ij beside the diagonal.",
            lambda Sigma: mvn.correlation(np.linalg.inv(Sigma)),
        ),
        Mistake(
            "This is the ordinary correlation, from Σ: it leaves the other coordinates free.",
            lambda Sigma: mvn.correlation(Sigma),
        ),
        Mistake(
            "The root is missing in the denominator: −q_ij/√(q_ii q_jj).",
            lambda Sigma: _with_ones(-(Q := np.linalg.inv(Sigma)) / np.outer(Q.diagonal(), Q.diagonal())),
        ),
        Mistake(
            "−q_ij is not on the scale of a correlation: divide by √(q_ii q_jj).",
            lambda Sigma: _with_ones(-np.linalg.inv(Sigma)),
        ),
        Mistake(
            "The scale is taken from the diagonal of Σ: it is that of Q.",
            lambda Sigma: _with_ones(-np.linalg.inv(Sigma) / np.sqrt(np.outer(Sigma.diagonal(), Sigma.diagonal()))),
        ),
        Mistake(
            "The diagonal is −1: every coordinate has the correlation 1 with itself, the minus is for i ≠ j.",
            lambda Sigma: -mvn.correlation(np.linalg.inv(Sigma)),
        ),
    ],
    alternatives=[
        Alternative(lambda Sigma: _pair_by_pair(Sigma)),
        Alternative(lambda Sigma: _from_regressions(Sigma)),
    ],
    hints=(
        Hint(
            "Which conditional is it?",
            r"$\alpha=\{i,j\}$ and β all the others: by (22.9) the covariance is the inverse of "
            r"$\begin{pmatrix}q_{ii}&q_{ij}\\q_{ij}&q_{jj}\end{pmatrix}$.",
        ),
        Hint(
            "What is that inverse?",
            r"$\frac1{q_{ii}q_{jj}-q_{ij}^2}\begin{pmatrix}q_{jj}&-q_{ij}\\-q_{ij}&q_{ii}\end{pmatrix}$. A correlation "
            "is the entry beside the diagonal, divided by the root of the two on it.",
        ),
        Hint(
            "All pairs at once?", "`np.outer(s, s)` is the matrix of the products $s_is_j$; put the diagonal in last."
        ),
    ),
    see="Equation (22.10): (22.9) for a pair, and the inverse of a 2 × 2 matrix.",
)


def _with_ones(M):
    return M - np.diag(np.diag(M)) + np.eye(len(M))


def _pair_by_pair(Sigma):
    d = len(Sigma)
    R = np.eye(d)
    for i in range(d):
        for j in range(i):
            rest = [k for k in range(d) if k not in (i, j)]
            C = _conditional(np.zeros(d - 2), np.zeros(d), Sigma, [i, j], rest)[1]
            R[i, j] = R[j, i] = C[0, 1] / np.sqrt(C[0, 0] * C[1, 1])
    return R


def _from_regressions(Sigma):
    """Regress each coordinate on all the others: the geometric mean of the two weights of a pair."""
    d = len(Sigma)
    W = np.zeros((d, d))
    for i in range(d):
        rest = [k for k in range(d) if k != i]
        W[i, rest] = np.linalg.solve(_block(Sigma, rest, rest), Sigma[rest, i])
    return np.sign(W) * np.sqrt(W * W.T) + np.eye(d)


# --- two graphs ---

two_graphs = Choice(
    "two_graphs",
    asks="Two graphs of one density",
    points=1,
    options={
        "a": Option(
            "covariance graph: 1–2–3, without an edge between 1 and 3; Markov graph: all three edges",
            wrong="The graphs are exchanged: x₁x₃ is absent from the exponent, and the exponent is about Q.",
        ),
        "b": Option(
            "both graphs are 1–2–3, without an edge between 1 and 3",
            wrong="Invert your Q: its inverse has no 0 at (1, 3). What reaches X₃ from X₁ goes through X₂.",
        ),
        "c": Option("covariance graph: all three edges; Markov graph: 1–2–3, without an edge between 1 and 3"),
        "d": Option(
            "both graphs have all three edges",
            wrong="The exponent has no term x₁x₃, so q₁₃ = 0: one of the graphs has no edge there.",
        ),
    },
    reasons={
        "i": Option(
            "$x_1x_3$ is absent from the exponent, so $X_1$ and $X_3$ are independent",
            wrong="The exponent factors only once x₂ is held fixed. Integrate x₂ out, and x₁x₃ appears.",
        ),
        "ii": Option("$x_1x_3$ is absent from the exponent, so $q_{13}=0$, while $(Q^{-1})_{13}=\\frac14$"),
        "iii": Option(
            "a matrix and its inverse are zero in the same places",
            wrong="Only for special patterns, such as blocks along the diagonal. Invert the Q of this density.",
        ),
    },
    alternatives=[],
    hints=(
        Hint(
            "How do I read Q from the exponent?",
            r"$-\frac12x^\top Qx$ holds $-\frac12q_{ii}x_i^2$ for each $i$, and $-q_{ij}x_ix_j$ "
            "for each pair, as twice a half.",
        ),
        Hint("And Σ?", "`from_natural(np.zeros(3), Q)` inverts it; `mvn.standard` does the same."),
    ),
    see="The paragraph after the check: q₁₃ = 0 and σ₁₃ = ¼, and equation (22.11) says what each of them means.",
)


def _nonzero(M):
    return (np.abs(M) > 1e-9) & ~np.eye(len(M), dtype=bool)


_ROUNDING = "A 0 of a computed inverse is seldom exactly 0: compare |q_ij| with a small number, such as 1e-9."


def _definite(Sigma):
    """In any unit: judged by the correlations."""
    if np.ndim(Sigma) != 2 or Sigma.shape[0] != Sigma.shape[1] or len(Sigma) < 2 or np.any(np.diag(Sigma) <= 0):
        return False
    R = mvn.correlation(Sigma)
    return bool(np.allclose(R, R.T) and np.linalg.eigvalsh(R)[0] >= 1e-6)


markov_edges = Slip(
    "markov_edges",
    asks="Which matrix draws the Markov graph",
    points=2,
    printed=mvn.covariance_graph,
    reference=mvn.markov_graph,
    cases=_sparse,
    compare=exactly,
    admits=_definite,
    domain=(
        "one matrix Σ with at least two rows, symmetric and positive definite (the matrix of its correlations has no "
        "eigenvalue below a millionth)"
    ),
    mistakes=[
        Mistake("This is still the printed rule: the zeros of the covariance matrix.", lambda Sigma: _nonzero(Sigma)),
        Mistake(
            "The edges are where q_ij is not 0: you have marked the zeros.",
            lambda Sigma: (np.abs(np.linalg.inv(Sigma)) <= 1e-9) & ~np.eye(len(Sigma), dtype=bool),
        ),
        Mistake(
            "No coordinate has an edge to itself: the diagonal must be False.",
            lambda Sigma: np.abs(np.linalg.inv(Sigma)) > 1e-9,
        ),
        Mistake(_ROUNDING, lambda Sigma: (np.linalg.inv(Sigma) != 0) & ~np.eye(len(Sigma), dtype=bool)),
        Mistake(
            _ROUNDING,
            lambda Sigma: (np.linalg.solve(Sigma, np.eye(len(Sigma))) != 0) & ~np.eye(len(Sigma), dtype=bool),
        ),
        Mistake(SAME_THERE, (np.eye(3),), part=1),
        Mistake(SAME_THERE, ([[10, 2, 0], [2, 10, 0], [0, 0, 1]],), part=1),
    ],
    alternatives=[
        Alternative(lambda Sigma: _nonzero(np.linalg.inv(Sigma)).astype(int)),
        Alternative(lambda Sigma: _nonzero(_pair_by_pair(Sigma))),
        Alternative(([[3, 2, 1], [2, 4, 2], [1, 2, 3]],), part=1),
        Alternative(([[2, 1, 0], [1, 2, 1], [0, 1, 2]],), part=1),
    ],
    hints=(
        Hint("What should the graph say?", "No edge: independent *given all the others*. Which matrix has a 0 there?"),
        Hint("How do I get an array of True and False?", "`np.abs(Q) > 1e-9`; `np.fill_diagonal(graph, False)`."),
        Hint("What is a counter-example?", "A Σ without zeros whose inverse has some, or the other way round."),
    ),
    see="Equation (22.11): the Markov graph has the zeros of Q.",
)


two_botanists = Explanation(
    "two_botanists",
    asks="Why two botanists disagree",
    points=3,
    rubric=(
        "1 point: −0.12 is marginal, read from Σ with the petals left free; 0.63 is read from Q, among flowers with "
        "the same petals; neither is an error. 1 point: the petals tell the species; setosa has small petals and "
        "short, wide sepals, so the differences between the species pull the marginal correlation down, and among "
        "flowers with like petals the larger one is longer and wider. 1 point: that q_ij = 0 means conditional "
        "independence needs a joint normal, and flowers of three species are a mixture; for them the partial "
        "correlation is the correlation of what linear fits on the petals leave over."
    ),
)

topic = Topic(
    number=22,
    slug="multivariate_normal",
    title="The multivariate normal",
    question="What does one measurement tell us about another, once we know the rest?",
    part="Unsupervised",
    minutes=75,
    before={
        "probability": "densities and covariance",
        "matrix_calculus": "quadratic forms and definiteness",
    },
    exercises=[
        affine_normal,
        normal_logpdf,
        normal_marginal,
        uncorrelated_dependent,
        natural_form,
        from_natural,
        conditional_square,
        normal_conditional,
        partial_correlation,
        two_graphs,
        markov_edges,
        two_botanists,
    ],
)
check = Checks(topic)
