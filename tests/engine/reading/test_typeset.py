"""What a student typed, as a mathematician writes it."""

import re

import numpy as np
import pytest

from mlcore.engine.reading.expression import OPERATIONS, Number, Op, Symbol, Text
from mlcore.engine.reading.typeset import latex, plain, plain_name
from tests.engine.reading.test_normal import SAME
from tests.engine.reading.written import expression

_RNG = np.random.default_rng(0)
VARIABLES = {
    "X": _RNG.normal(size=(7, 3)),
    "A": _RNG.normal(size=(3, 3)),
    "B": _RNG.normal(size=(3, 3)),
    "U": _RNG.normal(size=(3, 2)),
    "Qab": _RNG.normal(size=(3, 2)),
    "w": _RNG.normal(size=3),
    "w0": _RNG.normal(size=3),
    "x": _RNG.normal(size=3),
    "z": _RNG.normal(size=3),
    "mu0": _RNG.normal(size=3),
    "y": _RNG.normal(size=7),
    "y_hat": _RNG.normal(size=7),
    "r": _RNG.normal(size=7),
    "p": _RNG.uniform(0.1, 1, 7),
    "q": _RNG.uniform(0.1, 1, 7),
    "d2": _RNG.uniform(0.1, 1, 7),
    "left": _RNG.normal(size=4),
    "X_rest": _RNG.normal(size=(4, 3)),
    "lam": 0.5,
    "sigma": 2.0,
    "theta": 0.3,
    "s": 1.3,
    "e_mean": 0.2,
    "i": 2,
    "t": 5,
}

TABLE = [
    ("X.T @ (X @ w - y)", r"X^\top(Xw-y)", "Xᵀ(Xw − y)"),
    ("w @ X.T @ X @ w", r"w^\top X^\top Xw", "wᵀXᵀXw"),
    ("2 * w @ X.T @ y", r"2w^\top X^\top y", "2wᵀXᵀy"),
    ("-2 * (w @ w0)", r"-2w^\top w_0", "−2wᵀw₀"),
    ("(X @ w - y) @ (X @ w - y)", r"(Xw-y)^\top(Xw-y)", "(Xw − y)ᵀ(Xw − y)"),
    ("y @ X", r"X^\top y", "Xᵀy"),
    ("A @ B.T @ x", r"AB^\top x", "ABᵀx"),
    ("(A @ B).T", r"(AB)^\top", "(AB)ᵀ"),
    ("x.T @ z", r"x^\top z", "xᵀz"),
    ("np.outer(x, z)", r"xz^\top", "xzᵀ"),
    ("s * x * z", r"sx\odot z", "sx ⊙ z"),
    ("(x * z) @ w", r"(x\odot z)^\top w", "(x ⊙ z)ᵀw"),
    ("x * (A @ z)", r"x\odot Az", "x ⊙ Az"),
    ("x**2", r"x^{\odot2}", "x^⊙2"),
    ("s**2", "s^2", "s²"),
    ("(s + lam) ** 2", r"(s+\lambda)^2", "(s + λ)²"),
    ("(1 - theta) ** t", r"(1-\theta)^t", "(1 − θ)ᵗ"),
    ("s - (lam + theta)", r"s-(\lambda+\theta)", "s − (λ + θ)"),
    ("s - lam + theta", r"s-\lambda+\theta", "s − λ + θ"),
    ("-s + lam", r"-s+\lambda", "−s + λ"),
    ("s + (-lam)", r"s+(-\lambda)", "s + (−λ)"),
    ("-(s + lam)", r"-(s+\lambda)", "−(s + λ)"),
    ("s * (-lam)", r"s(-\lambda)", "s(−λ)"),
    ("s * 2", r"s\cdot 2", "s·2"),
    ("s / 2 + lam", r"\frac{s}{2}+\lambda", "s/2 + λ"),
    ("(s + lam) / (s * lam)", r"\frac{s+\lambda}{s\lambda}", "(s + λ)/(sλ)"),
    ("-s / lam", r"-\frac{s}{\lambda}", "−s/λ"),
    ("1 / (1 + s / lam)", r"\frac{1}{1+s/\lambda}", "1/(1 + s/λ)"),
    ("x @ z / 2 * s", r"\frac{x^\top z}{2}s", "(xᵀz/2)s"),
    ("np.sum(r**2)", r"\sum_jr_j^2", "Σⱼ rⱼ²"),
    ("np.sum(p * np.log(p / q))", r"\sum_jp_j\log\left(\frac{p_j}{q_j}\right)", "Σⱼ pⱼ log(pⱼ/qⱼ)"),
    ("np.sum((y - X @ w) ** 2)", r"\sum_j(y_j-(Xw)_j)^2", "Σⱼ (yⱼ − (Xw)ⱼ)²"),
    ("np.sum(A * B)", r"\sum_{j,k}A_{j,k}B_{j,k}", "Σⱼₖ AⱼₖBⱼₖ"),
    ("np.sum(X, axis=0)", r"\sum_jX_{j,:}", "Σⱼ X[j,:]"),
    ("np.sum(r[:, None] * X, axis=0)", r"\sum_jr_jX_{j,:}", "Σⱼ rⱼX[j,:]"),
    ("x[:, None] * z", r"(x_jz_k)_{j,k}", "(xⱼzₖ)ⱼₖ"),
    ("np.sum(s ** np.arange(t))", r"\sum_{j=0}^{t-1}s^j", "Σ[j=0…t−1] s^j"),
    ("sum(s**k for k in range(t))", r"\sum_{k=0}^{t-1}s^k", "Σ[k=0…t−1] sᵏ"),
    ("sum(y[k] * p[k] for k in range(len(y)))", r"\sum_ky_kp_k", "Σₖ yₖpₖ"),
    ("sum(a * b for a, b in zip(y, p))", r"\sum_{a\in y,\;b\in p}ab", "Σ[a∈y, b∈p] ab"),
    ("sum(i * b for i, b in enumerate(z))", r"\sum_{i_1,\;b\in z}i_1b", "Σ[i₁, b∈z] i₁b"),
    ("[s**k for k in range(t)]", r"(s^k)_{k=0…t-1}", "(sᵏ)[k=0…t−1]"),
    ("np.log(2)", r"\log(2)", "log(2)"),
    ("np.ones((3, 3)) @ x", r"\mathbf{1}\mathbf{1}^\top x", "1·1ᵀx"),
    # an index that has a meaning around a sum is not the index of the sum
    (
        "((x[:, None] * A).sum(axis=0)[:, None] * B)[:, 0]",
        r"\left(\left(\left(\sum_lx_lA_{l,j}\right)B_{j,k}\right)_{j,k}\right)_{:,0}",
        "(((Σₗ xₗAₗⱼ)Bⱼₖ)ⱼₖ)[:,0]",
    ),
    (
        "((A * x).sum(axis=1) * z)[:, None] * B",
        r"\left(\left(\sum_lA_{j,l}x_l\right)z_jB_{j,k}\right)_{j,k}",
        "((Σₗ Aⱼₗxₗ)zⱼBⱼₖ)ⱼₖ",
    ),
    (
        'np.einsum("k,kj->j", x, A)[:, None] * B',
        r"\left(\left(\sum_lx_lA_{l,j}\right)B_{j,k}\right)_{j,k}",
        "((Σₗ xₗAₗⱼ)Bⱼₖ)ⱼₖ",
    ),
    ("np.sum((X @ w[:, None]) ** 2)", r"\sum_{j,k}(Xw)_{j,k}^2", "Σⱼₖ (Xw)ⱼₖ²"),
    ("np.sum([x * s for s in z], axis=1)", r"\sum_j((xs_1)_{s_1\in z})_{:,j}", "Σⱼ ((xs₁)[s₁∈z])[:,j]"),
    ("np.prod(p)", r"\prod_jp_j", "Πⱼ pⱼ"),
    ("np.mean(r)", r"\operatorname{mean}(r)", "mean(r)"),
    ("X.mean(axis=0)", r"\operatorname{mean}_{\text{rows}}(X)", "mean_rows(X)"),
    ("np.mean(r) ** 2", r"\operatorname{mean}(r)^2", "mean(r)²"),
    ("np.linalg.solve(A, x)", r"A^{-1}x", "A⁻¹x"),
    ("np.linalg.solve(A + lam * np.eye(3), x)", r"(A+\lambda I)^{-1}x", "(A + λI)⁻¹x"),
    ("np.linalg.inv(A)", r"A^{-1}", "A⁻¹"),
    ("np.linalg.norm(x)", r"\lVert x\rVert", "‖x‖"),
    ("np.linalg.norm(x - z) ** 2", r"\lVert x-z\rVert^2", "‖x − z‖²"),
    ("len(y) * s", r"\operatorname{len}(y)s", "len(y)s"),
    ("X.shape[0]", r"\operatorname{len}(X)", "len(X)"),
    ("x[i]", "x_i", "xᵢ"),
    ("X[i]", "X_{i,:}", "X[i,:]"),
    ("X[:, i]", "X_{:,i}", "X[:,i]"),
    ("y[i] - X[i] @ w", r"y_i-X_{i,:}^\top w", "yᵢ − X[i,:]ᵀw"),
    ("r[:-1]", "r_{:-1}", "r[:−1]"),
    ("p[r > 0]", "p_{r>0}", "p[r > 0]"),
    ("np.delete(X, i, axis=0)", "X_{-i}", "X₋ᵢ"),
    ("np.exp(-s)", "e^{-s}", "e^(−s)"),
    ("np.exp(s) ** 2", "(e^s)^2", "(e^s)²"),
    ("np.log(theta)", r"\log\theta", "log θ"),
    ("s * np.log(theta)", r"s\log\theta", "s log θ"),
    ("np.log(1 - theta)", r"\log(1-\theta)", "log(1 − θ)"),
    ("np.sqrt(2 * np.pi * sigma**2)", r"\sqrt{2\pi\sigma^2}", "√(2πσ²)"),
    ("np.abs(s - lam)", r"\lvert s-\lambda\rvert", "|s − λ|"),
    ("np.sign(s)", r"\operatorname{sign}(s)", "sign(s)"),
    ("np.maximum(0, 1 - s)", r"\max(0,\;1-s)", "max(0, 1 − s)"),
    (
        "np.where(s < 1, s, lam)",
        r"\begin{cases}s&\text{if }s<1\\\lambda&\text{else}\end{cases}",
        "s if s < 1 else λ",
    ),
    ('np.einsum("i,ij,j->", x, A, z)', r"\sum_{i,j}x_iA_{i,j}z_j", "Σᵢⱼ xᵢAᵢⱼzⱼ"),
    ("np.trace(A)", r"\operatorname{tr}(A)", "tr(A)"),
    ("(A, x, s)", r"(A,\;x,\;s)", "(A, x, s)"),
    ("y_hat - y", r"\hat y-y", "ŷ − y"),
    ("e_mean * s", r"e_{\text{mean}}s", "e_mean s"),
    ("X_rest @ w", r"X_{\text{rest}}w", "X_rest w"),
    ("d2", "d_2", "d₂"),
    ("mu0", r"\mu_0", "μ₀"),
    ("Qab.T", r"Q_{ab}^\top", "Q_abᵀ"),
    ("left[0]", r"\mathit{left}_0", "left₀"),
    ("1e-6 * s", "10^{-6}s", "10⁻⁶s"),
    ("0.5 * s", "0.5s", "0.5s"),
    ("2e-5", r"2\cdot 10^{-5}", "2·10⁻⁵"),
]


@pytest.mark.parametrize(("text", "tex", "unicode"), TABLE, ids=[row[0] for row in TABLE])
def test_the_table(text, tex, unicode):
    tree = expression(text, VARIABLES)
    assert (latex(tree, VARIABLES), plain(tree, VARIABLES)) == (tex, unicode)


def twice_raised_or_lowered(tex):
    """`x_a_b` and `x^a^b` are errors to MathJax: the first such place, or ''."""
    group = r"(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\\[A-Za-z]+|.)"
    found = re.search(rf"(?<!\\)([_^]){group}(?:[_^]{group})?\1", tex)
    return found[0] if found else ""


def test_indices_upon_indices_are_seen():
    assert twice_raised_or_lowered(r"(x_{j,k})_{j,k}_0") == "_{j,k}_"
    assert twice_raised_or_lowered(r"x^\top_i^2") == r"^\top_i^"
    assert not twice_raised_or_lowered(r"x_i^2y_i^{\odot2}")


@pytest.mark.parametrize("text", [row[0] for row in TABLE] + [text for spellings in SAME for text in spellings])
def test_braces_and_fences_are_balanced(text):
    tex = latex(expression(text, VARIABLES), VARIABLES)
    depth = 0
    for sign in re.sub(r"\\[{}]", "", tex):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0
    assert tex.count(r"\left") == tex.count(r"\right")
    assert tex.count(r"\begin") == tex.count(r"\end")
    assert "#" not in tex and "$" not in tex and "%" not in tex
    assert not twice_raised_or_lowered(tex)


def test_a_wrong_term_is_marked_by_more_than_colour():
    tree = expression("w @ X.T @ X @ w - w @ X.T @ y + y @ y", VARIABLES)
    tex = latex(tree, VARIABLES, (0, 1))
    assert tex == r"w^\top X^\top Xw-{\color{#D55E00}{\underset{\text{✗}}{\underline{w^\top X^\top y}}}}+y^\top y"
    assert plain(tree, VARIABLES, (0, 1)) == "wᵀXᵀXw − ⟦wᵀXᵀy⟧ + yᵀy"


def _paths(tree, path=()):
    yield path
    for k, arg in enumerate(getattr(tree, "args", ())):
        yield from _paths(arg, (*path, k))


@pytest.mark.parametrize("text", [row[0] for row in TABLE])
def test_a_mark_is_shown_wherever_it_is(text):
    """What is not set by itself, such as the 3 of eye(3), marks what it is in."""
    tree = expression(text, VARIABLES)
    for path in _paths(tree):
        if path:
            marked = plain(tree, VARIABLES, path)
            assert marked.count("⟦") == marked.count("⟧") <= 1
            assert latex(tree, VARIABLES, path).count("✗") == marked.count("⟦")


def test_without_values_no_shape_is_guessed():
    tree = Op("matmul", (Symbol("w"), Op("matmul", (Symbol("X"), Symbol("v")))))
    assert latex(tree, {}) == "wXv"
    assert plain(Op("mul", (Symbol("a"), Symbol("b"))), {}) == "ab"


@pytest.mark.parametrize("name", [*OPERATIONS, "nonsense"])
def test_every_operation_can_be_set_whatever_its_arguments(name):
    for args in ((), (Symbol("w"),), (Symbol("w"), Number(1)), (Text("i,i"), Symbol("w"), Symbol("w"), Number(2))):
        for options in ((), (("axis", 0),), (("targets", "k"),)):
            tree = Op(name, args, options)
            assert isinstance(latex(tree, VARIABLES), str) and isinstance(plain(tree, VARIABLES), str)


def test_a_hostile_tree_is_set_in_words():
    deep = Symbol("s")
    for _ in range(3000):
        deep = Op("exp", (deep,))
    doubled = Symbol("s")
    for _ in range(40):
        doubled = Op("add", (doubled, doubled))
    assert "expression" in latex(deep, VARIABLES) and "expression" in plain(doubled, VARIABLES)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("lam", "λ"),
        ("w0", "w₀"),
        ("sigma2", "σ₂"),
        ("x_bar", "x̄"),
        ("n_L", "n_L"),
        ("softplus", "softplus"),
        ("_", "·"),
        ("a" * 1000, "a" * 30),
    ],
)
def test_names(name, shown):
    assert plain_name(name) == shown
