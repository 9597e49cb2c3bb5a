"""Graphical models: a joint distribution as a product of small tables, and sums that use this.

A factor is a pair (scope, table): a string with one letter for each variable, and an array with one axis for each
letter. Variable i takes kᵢ values, counted from 0. Graphs are (M, M) arrays of 0 and 1: parents[i, j] = 1 where j is
a parent of i, edges[i, j] = edges[j, i] = 1 where i and j are joined. X is (n, d) and holds 0 and 1.

(27.1)   p(x₁, …, x_M) = Πᵢ p(xᵢ | x_pa(i))
(27.2)   Πᵢ kᵢ rows,  Πᵢ kᵢ − 1 free,  Σᵢ (kᵢ − 1) Π_{j ∈ pa(i)} kⱼ parameters of the network
(27.3)   p(h | e)     = Σ_rest p(h, e, rest) / Σ_{h, rest} p(h, e, rest)
(27.4)   p(h, s)      = p(h) Σ_f p(f) Σ_g p(g | h, f) Σ_a p(a) p(s | a, g)       the alarm network
(27.5)   m(rest)      = Σ_v Π_{φ ∋ v} φ                   eliminating v
(27.6)   kᵥ Π_{j ∈ N(v)} kⱼ entries before the sum        afterwards the neighbours N(v) are joined to each other
(27.7)   a ⊥ b | C    if C cuts every path between a and b in the moral graph of their and C's ancestors
(27.8)   πc = Nc/n,  θcj = (Ncj + α)/(Nc + 2α)            Ncj counts the points of class c with xⱼ = 1
(27.9)   log p(c, x)  = log πc + Σⱼ [xⱼ log θcj + (1 − xⱼ) log(1 − θcj)]
(27.10)  log p(c | x) = log p(c, x) − log Σ_b exp log p(b, x)
(27.11)  p(x)         = 1/Z Π_C ψ_C(x_C),  Z = Σ_x Π_C ψ_C(x_C)
(27.12)  Z            = 1ᵀ ψ₁ ψ₂ ⋯ ψ_T 1                  a chain, ψₜ is (k, k)
(27.13)  C is a maximal clique if all its nodes are joined and no other node is joined to all of them
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Step:
    """One variable less: the scope of the table that was made for it, and the factors that are left."""

    variable: str
    scope: str
    factors: list


def alarm(hot=0.1, reliable=0.95):
    """The factors of the alarm network: h core hot, f gauge faulty, a alarm faulty, g gauge reads high, s it sounds."""
    g = np.array([[1 - reliable, 0.5], [reliable, 0.5]])
    s = np.array([[0.01, 0.99], [0.3, 0.3]])
    return [(scope, np.stack([1 - p, p], -1)) for scope, p in _binary(hot, 0.05, 0.05, g, s)]


def _binary(*ones):
    return zip(("h", "f", "a", "hfg", "ags"), map(np.asarray, ones), strict=True)


def product(factors, scope):
    """Πφ, summed over every variable that is not in `scope`, in one go (27.1): an axis for each letter of scope."""
    return np.einsum(",".join(s for s, _ in factors) + "->" + scope, *(table for _, table in factors))


def count_parameters(k, parents):
    """Rows and free entries of the joint table, and parameters of the network (27.2)."""
    rows = int(np.prod(k))
    return rows, rows - 1, int(np.sum((k - 1) * np.prod(np.where(parents, k, 1), axis=1)))


def observe(factors, evidence):
    """The factors with the values of `evidence`, such as {"s": 1}, put in: those axes are gone."""
    return [
        ("".join(v for v in scope if v not in evidence), table[tuple(evidence.get(v, slice(None)) for v in scope)])
        for scope, table in factors
    ]


def eliminate(factors, order):
    """Sum the variables of `order` out, one after the other (27.5): one Step for each."""
    for v in order:
        near = [factor for factor in factors if v in factor[0]]
        scope = "".join(dict.fromkeys(v + "".join(s for s, _ in near)))
        factors = [factor for factor in factors if v not in factor[0]] + [(scope[1:], product(near, scope[1:]))]
        yield Step(v, scope, factors)


def posterior(factors, query, evidence, order):
    """p(query | evidence) (27.3) by eliminating all the others in `order` (27.4): an axis for each letter of query."""
    missing = set("".join(s for s, _ in factors)) - {*query, *evidence, *order}
    if missing:
        raise ValueError(f"graphical_models.posterior: order must name every other variable, {sorted(missing)} missing")
    factors = observe(factors, evidence)
    for step in eliminate(factors, order):
        factors = step.factors
    p = product(factors, query)
    return p / p.sum()


def table_sizes(edges, order, k):
    """The entries of the table that each elimination makes (27.6): shape (len(order),)."""
    edges = np.array(edges, dtype=bool)
    sizes = []
    for v in order:
        near = np.flatnonzero(edges[v])
        sizes.append(k[v] * np.prod(k[near], dtype=int))
        edges[np.ix_(near, near)] = True
        edges[near, near] = False
        edges[:, v] = False
    return np.array(sizes)


def greedy_order(edges, k):
    """An order that makes the smallest table each time; of equal ones, that of the first variable."""
    order: list[int] = []
    for _ in k:
        left = [v for v in range(len(k)) if v not in order]
        order.append(min(left, key=lambda v: table_sizes(edges, [*order, v], k)[-1]))
    return order


def moral(parents):
    """The undirected graph of a network: children joined to parents, and parents of one child to each other."""
    P = np.asarray(parents, dtype=int)
    return ((P + P.T + P.T @ P) > 0) & ~np.eye(len(P), dtype=bool)


def d_separated(parents, a, b, given=()):
    """Does the graph promise that a ⊥ b | given (27.7)? a and b are numbers of variables, given is a list."""
    P = np.asarray(parents, dtype=bool)
    kept = _reach(P, [a, b, *given])
    edges = moral(P & np.outer(kept, kept))
    edges[:, list(given)] = False
    return not _reach(edges, [a])[b]


def _reach(arrows, start):
    """Which nodes can be reached from `start` along arrows[i, j]: shape (M,)."""
    seen = np.zeros(len(arrows), dtype=bool)
    seen[list(start)] = True
    while np.any(more := arrows[seen].any(axis=0) & ~seen):
        seen |= more
    return seen


def naive_bayes(X, y, alpha):
    """π of shape (C,) and θ of shape (C, d), smoothed with α > 0 (27.8); y is (n,), of the classes 0, …, C − 1."""
    if np.ndim(X) != 2 or np.shape(y) != (len(X),):
        got = f"{np.shape(X)} and {np.shape(y)}"
        raise ValueError(f"graphical_models.naive_bayes: X and y must have shapes (n, d) and (n,), got {got}")
    if not alpha > 0:
        raise ValueError(f"graphical_models.naive_bayes: alpha must be positive, got {alpha}")
    N = np.bincount(y)
    members = (y == np.arange(len(N))[:, None]).astype(X.dtype if X.dtype.kind == "f" else float)
    return N / len(y), (members @ X + alpha) / (N[:, None] + 2 * alpha)


def log_joint(X, pi, theta):
    """log p(c, x) for the rows of X (27.9), by one matrix product: shape (n, C)."""
    absent = np.log1p(-theta)
    return X @ (np.log(theta) - absent).T + (np.log(pi) + absent.sum(axis=1))


def log_posterior(X, pi, theta):
    """log p(c | x) for the rows of X (27.10): shape (n, C). The largest term stands outside the sum."""
    L = log_joint(X, pi, theta)
    L -= L.max(axis=1, keepdims=True)
    return L - np.log(np.exp(L).sum(axis=1, keepdims=True))


def partition(factors, order):
    """Z (27.11) by eliminating every variable."""
    for step in eliminate(factors, order):
        factors = step.factors
    return np.prod([table for _, table in factors])


def chain_partition(psi):
    """Z of a chain (27.12): psi is (T, k, k), and ψₜ joins variable t to variable t + 1."""
    v = np.ones(psi.shape[1])
    for factor in psi:
        v = v @ factor
    return v.sum()


def is_maximal(edges, s):
    """Is the set with the members sᵢ = 1 a maximal clique (27.13)?"""
    inside = np.asarray(s) == 1
    joined = np.asarray(edges)[:, inside].sum(axis=1)
    size = inside.sum()
    return bool(np.all(joined[inside] == size - 1) and not np.any(joined[~inside] == size))
