# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can build any multivariate normal from independent coordinates, write its density in two forms, and
# derive what an observation does to the coordinates that were not observed. You can say what a zero means in the
# covariance matrix, and what in its inverse.

# %%
import numpy as np

from mlcore import multivariate_normal as mvn
from mlcore.checks.multivariate_normal import check
from mlcore.data import load
from mlcore.explore import multivariate_normal as explore

# %% [markdown]
# ## See
# 150 irises of three species, and of each flower the length and the width of a sepal and of a petal.
# On the left are the sepals as they were measured. On the right we have subtracted, from length and from width,
# what a linear fit on the two petal measurements predicts.

# %%
explore.Flowers()

# %% [markdown]
# On the left a longer sepal is, if anything, a narrower one. On the right, among flowers with the same petals, a longer
# sepal is a wider one. Both numbers are right. They are read from two different matrices.

# %% [markdown]
# ## Predict
# Two coordinates have mean 0, variance 1 and correlation 0.8. You observe the first, and it is 1.5. What do you now
# expect of the second, and how large is its variance? Would the variance be smaller if you had observed 0?
# Write the answers down before you go on.

# %% [markdown]
# ## Derive
# Let $Z$ have $d$ independent coordinates $N(0,1)$: its mean is 0, its covariance $I$. A vector $X$ is *multivariate
# normal* if it is made from such a $Z$ by a matrix and a shift:
#
# $$X=AZ+\mu \tag{22.1}$$
#
# The covariances of all pairs fit into one matrix, $\mathrm{Cov}(X)=E[(X-EX)(X-EX)^\top]$: entry $(i,j)$ of the
# product is deviation $i$ times deviation $j$.

# %% task affine_normal [markdown]
# $X$ has the mean $\mu$ and the covariance $\Sigma$. What are the mean and the covariance of $AX+c$, for a matrix $A$
# of shape $(k,d)$ and a vector $c$ of shape $(k,)$?


# %% exercise affine_normal
def affine_normal(A, c, mu, Sigma):
    """A tuple (mean, covariance) of AX + c, of shapes (k,) and (k, k)."""
    ### BEGIN SOLUTION
    return A @ mu + c, A @ Sigma @ A.T
    ### END SOLUTION


# %% check
check.affine_normal(affine_normal)

# %% hint [markdown]

# %% [markdown]
# $$X\sim N(\mu,\Sigma)\quad\Rightarrow\quad AX+c\sim N(A\mu+c,\;A\Sigma A^\top) \tag{22.2}$$
#
# The image is normal too, since it is again a matrix times $Z$ plus a shift. With $X=Z$ this says that $AZ+\mu$ has the
# covariance $AA^\top$. With a single row, $A=v^\top$, it says $v^\top\Sigma v=\mathrm{Var}(v^\top X)\ge0$: every
# covariance matrix is positive semi-definite. Here we take $\Sigma$ to be positive definite. Then there is a lower
# triangular $A$, its *Cholesky factor*, with $AA^\top=\Sigma$, and (22.1) draws from any normal that we name:

# %%
mu, Sigma = np.array([1.0, -2.0]), np.array([[2.0, 0.3], [0.3, 1.0]])
rng = np.random.default_rng(0)
draws = mvn.sample(100_000, mu, Sigma, rng)
draws.mean(axis=0).round(2), np.cov(draws.T, bias=True).round(2)

# %% task normal_logpdf [markdown]
# The density of $X$ follows from that of $Z$. Independent densities multiply, so
# $\log p(z)=-\frac12z^\top z-\frac d2\log2\pi$. The map $z\mapsto Az+\mu$ enlarges every volume by $|\det A|$ and thins
# the density by the same factor. Put $z=A^{-1}(x-\mu)$ in, and write all of it with $\Sigma=AA^\top$. The function
# should give a number in 80 dimensions too, where $\det\Sigma$ may be too small for a float.


# %% exercise normal_logpdf
def normal_logpdf(x, mu, Sigma):
    """The logarithm of the density of N(μ, Σ) at one point x of shape (d,): a number."""
    ### BEGIN SOLUTION
    r = x - mu
    log_det = np.linalg.slogdet(Sigma)[1]
    return -r @ np.linalg.solve(Sigma, r) / 2 - log_det / 2 - len(mu) / 2 * np.log(2 * np.pi)
    ### END SOLUTION


# %% check
check.normal_logpdf(normal_logpdf)

# %% hint [markdown]

# %% [markdown]
# $$\log p(x)=-\tfrac12(x-\mu)^\top\Sigma^{-1}(x-\mu)-\tfrac12\log\det\Sigma-\tfrac d2\log2\pi \tag{22.3}$$
#
# The density is constant on ellipsoids around $\mu$. One set of lecture notes prints its factor as $(2\pi)^{+d/2}$:
# in two dimensions that density has the mass 39.5.
#
# ## What Σ tells: marginals

# %% task normal_marginal [markdown]
# Let α be a list of some coordinates, and $X_\alpha$ the vector of these. The others may be anything. What are the
# mean and the covariance of $X_\alpha$?


# %% exercise normal_marginal
def normal_marginal(mu, Sigma, alpha):
    """A tuple (mean, covariance) of X_α; alpha is an array of coordinates, counted from 0."""
    ### BEGIN SOLUTION
    return mu[alpha], Sigma[np.ix_(alpha, alpha)]
    ### END SOLUTION


# %% check
check.normal_marginal(normal_marginal)

# %% hint [markdown]

# %% [markdown]
# $$X_\alpha\sim N(\mu_\alpha,\Sigma_{\alpha\alpha}) \tag{22.4}$$
#
# No integral is needed: $X_\alpha$ is $AX$ with rows of the identity. For a pair with $\sigma_{ij}=0$ the block is
# diagonal, the exponent has one part with $x_i$ and one with $x_j$, and the density of the pair is a product:
# $X_i$ and $X_j$ are independent. For example, with
#
# $$\Sigma=\begin{pmatrix}10&2&0\\2&10&0\\0&0&1\end{pmatrix}$$
#
# $X_3$ is independent of $X_1$ and of $X_2$, and these two are dependent. The *covariance graph* shows it: a node for
# each coordinate, and an edge where $\sigma_{ij}\neq0$. Here it has one edge, 1–2.
#
# ## Break it
# Zero covariance means independence here because the joint distribution is normal. In general it does not.

# %% task uncorrelated_dependent [markdown]
# $X$ and $Y$ take the values −1, 0 and 1. Give a table of their joint probabilities, $X$ down the rows and $Y$ along
# the columns, with $\mathrm{Cov}(X,Y)=0$ although the two are dependent: some entry differs by at least 0.001 from the
# product of its row sum and its column sum.

# %% exercise uncorrelated_dependent
P = ...  # shape (3, 3)
### BEGIN SOLUTION
P = np.array([[0, 0, 1], [0, 1, 0], [0, 0, 1]]) / 3
### END SOLUTION

# %% check
check.uncorrelated_dependent(P)

# %% hint [markdown]

# %% [markdown]
# A text offers a stronger test: $X$ and $Y$ are independent if $\mathrm{Cov}(h(X),h(Y))=0$ for every function $h$.
# Here is a table that passes it and is dependent: 0.21 is not 1/3 times 1/3.

# %%
table = 1 / 9 + 0.1 * np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
h = rng.normal(size=3)  # any function: its three values
covariance = h @ table @ h - (h @ table.sum(axis=1)) * (h @ table.sum(axis=0))
table.round(2), round(abs(float(covariance)), 12)

# %% [markdown]
# With the same $h$ on both sides every entry is added to its mirror image, and one of the two is as much too large as
# the other is too small. It takes two functions: $X$ and $Y$ are independent if $\mathrm{Cov}(h(X),g(Y))=0$ for all
# $h$ and $g$.
#
# ## What Q tells: conditionals
# The same density, written with other parameters, is the *natural form*:
#
# $$\log p(x)=-\tfrac12x^\top Qx+b^\top x-\log C \tag{22.5}$$

# %% task natural_form [markdown]
# Multiply (22.3) out and compare, term by term. Which $b$, $Q$ and $\log C$ make the two forms the same density?


# %% exercise natural_form
def natural_form(mu, Sigma):
    """A tuple (b, Q, log_C) of shapes (d,) and (d, d) and a number."""
    ### BEGIN SOLUTION
    b = np.linalg.solve(Sigma, mu)
    Q = np.linalg.solve(Sigma, np.eye(len(mu)))
    log_D = np.linalg.slogdet(Sigma)[1] / 2 + len(mu) / 2 * np.log(2 * np.pi)
    return b, Q, log_D + mu @ b / 2
    ### END SOLUTION


# %% check
check.natural_form(natural_form)

# %% hint [markdown]

# %% [markdown]
# $$Q=\Sigma^{-1},\qquad b=\Sigma^{-1}\mu,\qquad
# \log C=\tfrac12\mu^\top\Sigma^{-1}\mu+\tfrac12\log\det\Sigma+\tfrac d2\log2\pi \tag{22.6}$$
#
# $Q$ is called the *precision*. Both forms give the same density, here at the point (0.3, 0.4):

# %%
x = np.array([0.3, 0.4])
np.exp([mvn.logpdf(x, mu, Sigma), mvn.natural_logpdf(x, *mvn.natural(mu, Sigma))])

# %% task from_natural [markdown]
# Now the other way: someone gives you $b$ and $Q$.


# %% exercise from_natural
def from_natural(b, Q):
    """A tuple (mu, Sigma) of shapes (d,) and (d, d)."""
    ### BEGIN SOLUTION
    return np.linalg.solve(Q, b), np.linalg.solve(Q, np.eye(len(b)))
    ### END SOLUTION


# %% check
check.from_natural(from_natural)

# %% hint [markdown]

# %% [markdown]
# $$\Sigma=Q^{-1},\qquad\mu=Q^{-1}b \tag{22.7}$$
#
# Now we observe some coordinates, β, and ask about the others, α. The conditional density is
# $p(x_\alpha\mid x_\beta)=p(x)/p(x_\beta)$: as a function of $x_\alpha$ it is the joint density, up to a factor. So we
# sort the exponent by what depends on $x_\alpha$. With $u=x_\alpha-\mu_\alpha$ and $v=x_\beta-\mu_\beta$, and $Q$ in
# blocks, the exponent is line 1.

# %% task conditional_square [markdown]
# `Qaa`, `Qab` and `Qbb` are the blocks $Q_{\alpha\alpha}$, $Q_{\alpha\beta}$ and $Q_{\beta\beta}$; $Q$ is symmetric, so
# $Q_{\beta\alpha}$ is the transpose of $Q_{\alpha\beta}$. All lines are the same exponent, written in other ways, and
# each returns the matrices of its formula. $u$ has $a$ coordinates, $v$ has $b$.


# %%
def line_1(u, v, Qaa, Qab, Qbb):
    """The exponent of the joint density."""
    Q = np.block([[Qaa, Qab], [Qab.T, Qbb]])
    r = np.concatenate([u, v])
    return -r @ Q @ r / 2


# %% exercise conditional_square
def line_2(u, v, Qaa, Qab, Qbb):
    """Line 1 as −½uᵀAu + uᵀBv − ½vᵀDv: (A, B, D), with shapes (a, a), (a, b), (b, b)."""
    ### BEGIN SOLUTION
    return Qaa, -Qab, Qbb
    ### END SOLUTION


def line_3(u, v, Qaa, Qab, Qbb):
    """Line 2 as −½uᵀAu + uᵀAKv − ½vᵀDv: (A, K, D), with shapes (a, a), (a, b), (b, b)."""
    ### BEGIN SOLUTION
    A, B, D = line_2(u, v, Qaa, Qab, Qbb)
    return A, np.linalg.solve(A, B), D
    ### END SOLUTION


def line_4(u, v, Qaa, Qab, Qbb):
    """Line 3 as −½(u − Kv)ᵀA(u − Kv) + ½vᵀEv − ½vᵀDv: (A, K, E, D), E and D of shape (b, b)."""
    ### BEGIN SOLUTION
    A, K, D = line_3(u, v, Qaa, Qab, Qbb)
    return A, K, K.T @ A @ K, D
    ### END SOLUTION


def line_5(u, v, Qaa, Qab, Qbb):
    """Line 4 as −½(u − mean)ᵀ·precision·(u − mean) − ½vᵀSv: (mean, precision, S), shapes (a,), (a, a), (b, b)."""
    ### BEGIN SOLUTION
    A, K, E, D = line_4(u, v, Qaa, Qab, Qbb)
    return K @ v, A, D - E
    ### END SOLUTION


# %% check
check.conditional_square(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# In line 5, $u$ occurs in one square only. So $X_\alpha$ given $x_\beta$ is normal, with the mean
# $\mu_\alpha-Q_{\alpha\alpha}^{-1}Q_{\alpha\beta}(x_\beta-\mu_\beta)$ and the precision $Q_{\alpha\alpha}$. Marginals
# take blocks of Σ, conditionals take blocks of $Q$. The other summand is the exponent of the marginal of $X_\beta$,
# with the precision $S=Q_{\beta\beta}-Q_{\beta\alpha}Q_{\alpha\alpha}^{-1}Q_{\alpha\beta}$.

# %% task normal_conditional [markdown]
# Mostly we are given Σ, not $Q$. Write the conditional mean and covariance with blocks of Σ; the blocks of
# $Q\Sigma=I$ translate. There may be coordinates that are neither in α nor in β: nobody has observed them, and nobody
# asks about them.


# %% exercise normal_conditional
def normal_conditional(x_beta, mu, Sigma, alpha, beta):
    """A tuple (mean, covariance) of X_α given X_β = x_β; alpha and beta are arrays of coordinates."""
    ### BEGIN SOLUTION
    S_ab = Sigma[np.ix_(alpha, beta)]
    K = np.linalg.solve(Sigma[np.ix_(beta, beta)], S_ab.T).T
    return mu[alpha] + K @ (x_beta - mu[beta]), Sigma[np.ix_(alpha, alpha)] - K @ S_ab.T
    ### END SOLUTION


# %% check
check.normal_conditional(normal_conditional)

# %% hint [markdown]

# %% [markdown]
# $$E[X_\alpha\mid x_\beta]=\mu_\alpha+\Sigma_{\alpha\beta}\Sigma_{\beta\beta}^{-1}(x_\beta-\mu_\beta) \tag{22.8}$$
#
# $$\mathrm{Cov}[X_\alpha\mid x_\beta]=\Sigma_{\alpha\alpha}-\Sigma_{\alpha\beta}\Sigma_{\beta\beta}^{-1}
# \Sigma_{\beta\alpha} \tag{22.9}$$
#
# If β is all the rest, the second is $Q_{\alpha\alpha}^{-1}$.
#
# ## Explore
# Two coordinates with mean 0, variance 1 and correlation ρ. Move $x_\beta$ first, then ρ.
#
# 1. Which depends on $x_\beta$: the conditional mean, the conditional variance, the marginal?
# 2. At which ρ does the observation halve the standard deviation?

# %%
explore.Conditional()

# %% [markdown]
# Only the mean depends on $x_\beta$: it is $\rho x_\beta$, the dotted line. The variance is $1-\rho^2$ whatever we
# observe, so at ρ = 0.8 it is 0.36 after 1.5 and 0.36 after 0. A surprising observation moves the mean farther, but
# it does not make us less sure. The marginal does not contain ρ at all. The standard deviation is halved at ρ = ±0.87:
# a correlation has to be high before it narrows much.
#
# ## Two at a time

# %% task partial_correlation [markdown]
# Observe all coordinates but two, $X_i$ and $X_j$. Their correlation given all the others is the *partial
# correlation*. Compute it for every pair.


# %% exercise partial_correlation
def partial_correlation(Sigma):
    """The partial correlations of all pairs, with ones on the diagonal: shape (d, d)."""
    ### BEGIN SOLUTION
    Q = np.linalg.solve(Sigma, np.eye(len(Sigma)))
    s = np.sqrt(np.diag(Q))
    R = -Q / np.outer(s, s)
    np.fill_diagonal(R, 1)
    return R
    ### END SOLUTION


# %% check
check.partial_correlation(partial_correlation)

# %% hint [markdown]

# %% [markdown]
# $$\rho_{ij\cdot\text{rest}}=-\frac{q_{ij}}{\sqrt{q_{ii}q_{jj}}} \tag{22.10}$$
#
# The irises again: first the correlations, then the partial correlations. The order is sepal length, sepal width,
# petal length, petal width.

# %%
S = np.cov(load("iris").X.T, bias=True)
mvn.correlation(S).round(2), mvn.partial_correlation(S).round(2)

# %% [markdown]
# −0.12 and 0.63 are the two numbers of the first figure. Of the six pairs three change their sign. Sepal length and
# petal width have a correlation of 0.82, and of −0.34 once the other two measurements are known.
#
# ## Two graphs
# If $q_{ij}=0$, the covariance of $X_i$ and $X_j$ given the others is diagonal, and the two are independent given
# the others. The exponent shows it as well: $x_i$ and $x_j$ meet only in $-q_{ij}x_ix_j$. So
#
# $$X_i\perp X_j\iff\sigma_{ij}=0,\qquad\qquad X_i\perp X_j\mid\text{rest}\iff q_{ij}=0. \tag{22.11}$$
#
# The *Markov graph* has an edge where $q_{ij}\neq0$, as the covariance graph has one where $\sigma_{ij}\neq0$.

# %% task two_graphs [markdown]
# Three coordinates have the density $p(x)\propto\exp(-x_1^2-x_2^2-x_3^2+x_1x_2+x_2x_3)$. Read $Q$ from the exponent,
# invert it, and draw both graphs.

# %% exercise two_graphs
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "c", "ii"
### END SOLUTION

# %% check
check.two_graphs(choice, reason)

# %% hint [markdown]

# %%
Q = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
mvn.standard(np.zeros(3), Q)[1]

# %% [markdown]
# $q_{13}=0$ and $\sigma_{13}=\frac14$. $X_1$ and $X_3$ are correlated because both follow $X_2$. Once $X_2$ is known,
# neither tells us anything more about the other.
#
# ## Explore
# The sliders are the entries of $Q$ beside the diagonal, which stays at 2. The start is the density above.
#
# 1. Move $q_{12}$ to 0. Which edges disappear, on the left and on the right?
# 2. Put it back to −1 and find the $q_{13}$ at which $X_1$ and $X_3$ are uncorrelated. Are they also independent
#    given $X_2$?

# %%
explore.Graphs()

# %% [markdown]
# At $q_{12}=0$ nothing links $X_1$ to the others any more, so both of its edges on the right disappear with the one on
# the left. At $q_{13}=\frac12$ the edge 1–3 is missing on the right only: a direct link with the partial correlation
# −0.25 cancels what comes through $X_2$. They are uncorrelated, and dependent given $X_2$.

# %% [markdown]
# ## Spot the slip
# A rule as printed in well-meaning lecture notes. It is wrong in one place.

# %% task markov_edges [markdown]
# > *The Markov graph shows which variables are independent once all the others are given. It joins two variables
# > wherever the covariance matrix has an entry that is not zero.*
#
# Write the function that takes Σ to the Markov graph, and give a Σ for which the printed rule draws another graph. What
# is smaller than $10^{-9}$ counts as zero: a computed inverse is seldom exactly 0 where it should be.


# %% exercise markov_edges
def markov_edges(Sigma):
    """The Markov graph: shape (d, d), True where there is an edge, False on the diagonal."""
    ### BEGIN SOLUTION
    Q = np.linalg.solve(Sigma, np.eye(len(Sigma)))
    graph = np.abs(Q) > 1e-9
    np.fill_diagonal(graph, False)
    return graph
    ### END SOLUTION


fails_at = ...  # a tuple (Sigma,)
### BEGIN SOLUTION
fails_at = (np.array([[0.75, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 0.75]]),)
### END SOLUTION

# %% check
check.markov_edges(markov_edges, fails_at)

# %% hint [markdown]

# %% task two_botanists [markdown]
# A botanist measures the sepals of 150 irises and reports that longer sepals are narrower: the correlation is −0.12.
# Another measures the petals too and reports that longer sepals are wider: the partial correlation is 0.63. Explain in
# about 120 words: from which matrix each number is read and what it leaves free or holds fixed; how both can be right
# for flowers of three species; and what (22.11) would need before a partial correlation of 0 meant independence given
# the petals.

# %% explain two_botanists [markdown]
# ### BEGIN SOLUTION
# The first number is read from Σ: it compares flowers whatever their petals. The second is read from Q = Σ⁻¹: it
# compares flowers with the same petals. Three species are mixed, and the petals tell them apart. Setosa has the
# smallest petals and short, wide sepals; the other two have longer and narrower ones. From setosa to the others length
# rises while width falls, and that pulls the first number below 0. Among flowers with like petals this difference is
# gone, and what remains is size: a larger flower has sepals that are longer and wider. (22.11) needs a joint normal.
# Three species together are a mixture and not normal, so a partial correlation of 0 would say only that linear fits
# on the petals leave two uncorrelated remainders.
#
# Marks: one point for Σ and Q with what is free and fixed, one for the species, one for the joint normal.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# A multivariate normal is a matrix times independent coordinates plus a shift; its marginals are read from blocks of Σ,
# its conditionals from blocks of $Q=\Sigma^{-1}$. An observation moves the mean of the others and shrinks their
# covariance, and by how much it shrinks does not depend on what is observed. A zero in Σ means independence, a zero in
# $Q$ independence given all the others; other distributions need not obey either.
#
# *Data:* R. A. Fisher, *The use of multiple measurements in taxonomic problems*, Annals of Eugenics 7 (1936).

# %% symbols Groups, axes and mixtures [markdown]
# | $\Sigma$, $Q=\Sigma^{-1}$ | covariance; precision | `Sigma`, `Q` `(d, d)` |
# | $\Sigma_{\alpha\beta}$ | block of $\Sigma$: rows $\alpha$, columns $\beta$ | `alpha`, `beta` |
