# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can compute who made a point, derive the bound that EM climbs, run EM and say what it promises and what
# it does not, choose the number of parts, and do without parts altogether.

# %%
import numpy as np

from mlcore import gaussian_mixtures as gm
from mlcore.checks.gaussian_mixtures import check
from mlcore.data import load
from mlcore.explore import gaussian_mixtures as explore

# %% [markdown]
# ## See
# The petals of 150 irises. The botanist wrote a species beside each flower; we have covered that column.

# %%
explore.Flowers()

# %% [markdown]
# Fifty flowers lie apart. The other hundred could be one group or two that touch. If they are two, the seventeen
# crossed flowers (some have the same measurements) belong to neither for certain, and a method that gives every flower
# to one group decides where the data do not.

# %% [markdown]
# ## Predict
# We are about to fit three groups from several starting points, without the species. Will every start end at the
# same groups? Will the likeliest groups be the species? Decide before you go on.

# %% [markdown]
# ## Derive: who made this point?
# A mixture draws in two stages: first a part $z$, where part $k$ has probability $\pi_k$, then a point from that part's
# Gaussian. We see the point and not $z$, so we sum over it:
#
# $$p(x)=\sum_{k=1}^K\pi_k\,N(x;\mu_k,\Sigma_k) \tag{24.1}$$
#
# Each term is a joint density, $p(x,z{=}k)=\pi_kN(x;\mu_k,\Sigma_k)$. Why a hidden $z$? It makes a complicated
# density out of simple parts, and its posterior is the grouping that we want.

# %% task mixture_posterior [markdown]
# Take $p(x)=0.2\,N(x;-1,1)+0.8\,N(x;1,1)$. The point $x=-1$ sits exactly on the first mean. What is the probability
# that the first part made it?

# %% exercise mixture_posterior
p_first = ...
### BEGIN SOLUTION
p_first = 0.2 * np.exp(1) / (0.2 * np.exp(1) + 0.8 * np.exp(-1))
### END SOLUTION

# %% check
check.mixture_posterior(p_first)

# %% hint [markdown]

# %% [markdown]
# Even there it is 0.649 against 0.351: the second part is four times as frequent. The probability
# $\gamma_{ik}$ that part $k$ made point $i$ is called a **responsibility**.

# %% task gmm_e_step [markdown]
# Compute all responsibilities of a mixture. Some points lie at $x=\pm300$, hundreds of standard deviations from every
# mean, where the densities are zero in floating point. Their responsibilities still add up to 1: work with
# $L_{ik}=\log\pi_k+\log N(x_i;\mu_k,\Sigma_k)$. `gm.log_normal(X, mu[k], Sigma[k])` gives the second summand for all
# points.


# %% exercise gmm_e_step
def gmm_e_step(X, pi, mu, Sigma):
    """P(z_i = k | x_i) for X (n, d), pi (K,), mu (K, d), Sigma (K, d, d): shape (n, K)."""
    ### BEGIN SOLUTION
    L = np.stack([np.log(pi[k]) + gm.log_normal(X, mu[k], Sigma[k]) for k in range(len(pi))], axis=1)
    gamma = np.exp(L - L.max(axis=1, keepdims=True))
    return gamma / gamma.sum(axis=1, keepdims=True)
    ### END SOLUTION


# %% check
check.gmm_e_step(gmm_e_step)

# %% hint [markdown]

# %% [markdown]
# $$\gamma_{ik}=\frac{e^{L_{ik}}}{\sum_je^{L_{ij}}} \tag{24.2}$$
#
# The largest term of each row may be divided out above and below, so one term is 1 and the sum is never 0.
# The log-likelihood, the quantity that we maximise, is computed in the same way:
#
# $$\ell(\theta)=\sum_i\log p(x_i)=\sum_i\log\sum_ke^{L_{ik}},\qquad\theta=(\pi,\mu,\Sigma) \tag{24.3}$$
#
# ## Derive a bound
# A logarithm of a sum does not split, and no formula gives the maximum. EM goes round this with a bound. Take one
# point, write $p_k=p(x,z{=}k)$, and let $q$ be **any** distribution over the parts.

# %% task evidence_bound [markdown]
# From $\log p(x)$ to a bound and its gap. Every line is a function of the vectors $q$ and $p$, and returns pieces of
# the formula. The posterior is $p(z{=}k\mid x)=p_k/\sum_jp_j$.


# %%
def line_1(q, p):
    """log p(x): p holds p(x, z = k), q is a distribution over the parts."""
    return np.log(np.sum(p))


# %% exercise evidence_bound
def line_2(q, p):
    """The terms of log p(x) as a mean with the weights q, one for each part, not added up: shape (K,)."""
    ### BEGIN SOLUTION
    return q * np.log(np.sum(p))
    ### END SOLUTION


def line_3(q, p):
    """The ratio in the place of p(x), for each term of line 2: (top, bottom), both of shape (K,)."""
    ### BEGIN SOLUTION
    return p, p / np.sum(p)
    ### END SOLUTION


def line_4(q, p):
    """The ratio of line 3 as a product of two ratios: (first, second), both of shape (K,)."""
    ### BEGIN SOLUTION
    posterior = p / np.sum(p)
    return p / q, q / posterior
    ### END SOLUTION


def line_5(q, p):
    """The two sums, (bound, gap), that are log p(x) together: two numbers."""
    ### BEGIN SOLUTION
    posterior = p / np.sum(p)
    return np.sum(q * np.log(p / q)), np.sum(q * np.log(q / posterior))
    ### END SOLUTION


# %% check
check.evidence_bound(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# The first sum of line 5, added over the points, is called the evidence lower bound,
#
# $$\mathrm{ELBO}(q,\theta)=\sum_{i,k}q_{ik}\,(L_{ik}-\log q_{ik}), \tag{24.4}$$
#
# the second is a Kullback–Leibler divergence, and together
#
# $$\ell(\theta)=\mathrm{ELBO}(q,\theta)+\mathrm{KL}(q\,\Vert\,\gamma). \tag{24.5}$$
#
# A divergence is never negative, so the ELBO never exceeds $\ell$, and it equals $\ell$ exactly if $q=\gamma$.
# There is a second proof that it is a bound, by Jensen's inequality: $\log\sum_kq_k\frac{p_k}{q_k}$ is the
# logarithm of a mean, and that is at least the mean of the logarithms.
#
# ## The two steps
# First without the bound: in which direction does a mean have to move for $\ell$ to rise?

# %% task mixture_gradient [markdown]
# Differentiate (24.3) with respect to every $\mu_k$. One text puts an indicator of the event $z_i=k$ into this
# derivative. Is that what comes out? Your own `gmm_e_step` may be of use.


# %% exercise mixture_gradient
def mixture_gradient(X, pi, mu, Sigma):
    """The derivative of ℓ with respect to each mean: shape (K, d)."""
    ### BEGIN SOLUTION
    gamma = gmm_e_step(X, pi, mu, Sigma)
    return np.stack([np.linalg.solve(Sigma[k], gamma[:, k] @ (X - mu[k])) for k in range(len(pi))])
    ### END SOLUTION


# %% check
check.mixture_gradient(mixture_gradient)

# %% hint [markdown]

# %% [markdown]
# $$\frac{\partial\ell}{\partial\mu_k}=\Sigma_k^{-1}\sum_i\gamma_{ik}(x_i-\mu_k) \tag{24.6}$$
#
# It vanishes if $\mu_k$ is the mean of the points, each counted with its responsibility. This is no solution yet,
# because $\gamma$ depends on $\mu$. EM takes turns. The **E-step** sets $q=\gamma$, which closes the gap. The
# **M-step** keeps this $q$ and maximises the ELBO over $\theta$. Only $\sum_{i,k}\gamma_{ik}L_{ik}$ contains $\theta$,
# and there the logarithm stands inside the sum.

# %% task part_fit [markdown]
# Take one part, and points $x_1,\dots,x_n$ on a line that belong to it with the shares $\gamma_1,\dots,\gamma_n$.
# Line 1 is what this part adds to the sum, a function of its mean μ and its variance $v$. Where is it largest?


# %%
def line_1(mu, v, x, gamma):
    """Σᵢ γᵢ log N(xᵢ; μ, v)."""
    return np.sum(gamma * (-np.log(2 * np.pi * v) / 2 - (x - mu) ** 2 / (2 * v)))


# %% exercise part_fit
def line_2(mu, v, x, gamma):
    """Line 1 as −½N log(2πv) − (S₂ − 2μS₁ + Nμ²)/2v: (N, S1, S2), three numbers."""
    ### BEGIN SOLUTION
    return np.sum(gamma), np.sum(gamma * x), np.sum(gamma * x**2)
    ### END SOLUTION


def line_3(mu, v, x, gamma):
    """The bracket of line 2 as N(μ − m)² + R: (N, m, R), three numbers."""
    ### BEGIN SOLUTION
    N, S1, S2 = line_2(mu, v, x, gamma)
    return N, S1 / N, S2 - S1**2 / N
    ### END SOLUTION


def line_4(mu, v, x, gamma):
    """At μ = m, the derivative with respect to v as α/v + β/v²: (alpha, beta), two numbers."""
    ### BEGIN SOLUTION
    N, _, R = line_3(mu, v, x, gamma)
    return -N / 2, R / 2
    ### END SOLUTION


def line_5(mu, v, x, gamma):
    """The v at which line 4 is zero: a number."""
    ### BEGIN SOLUTION
    alpha, beta = line_4(mu, v, x, gamma)
    return -beta / alpha
    ### END SOLUTION


# %% check
check.part_fit(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# One part is fitted as a single Gaussian would be, with $\gamma_i$ in the place of a count. It was no accident that the
# mean came first: it is the best one for every $v$.

# %% task gmm_m_step [markdown]
# Now all parts, in $d$ dimensions, and their weights. Maximise
# $\sum_{i,k}\gamma_{ik}\,[\log\pi_k+\log N(x_i;\mu_k,\Sigma_k)]$ over $\pi$, $\mu$ and $\Sigma$, with $\gamma$ fixed
# and $\sum_k\pi_k=1$.


# %% exercise gmm_m_step
def gmm_m_step(X, gamma):
    """X is (n, d), gamma is (n, K): a tuple (pi, mu, Sigma) of shapes (K,), (K, d) and (K, d, d)."""
    ### BEGIN SOLUTION
    N = gamma.sum(axis=0)
    mu = gamma.T @ X / N[:, None]
    Sigma = [(gamma[:, k] * (X - mu[k]).T) @ (X - mu[k]) / N[k] for k in range(len(N))]
    return N / len(X), mu, np.stack(Sigma)
    ### END SOLUTION


# %% check
check.gmm_m_step(gmm_m_step)

# %% hint [markdown]

# %% [markdown]
# With $N_k=\sum_i\gamma_{ik}$, the points that part $k$ answers for,
#
# $$\pi_k=\frac{N_k}n,\qquad\mu_k=\frac1{N_k}\sum_i\gamma_{ik}x_i,\qquad
# \Sigma_k=\frac1{N_k}\sum_i\gamma_{ik}(x_i-\mu_k)(x_i-\mu_k)^\top. \tag{24.7}$$
#
# ## EM

# %% task em_loglik [markdown]
# Put the two steps into a loop, and record $\ell$ at the start and after every round.
# `gm.loglik(gm.log_joint(X, pi, mu, Sigma))` computes it.


# %% exercise em_loglik
def em_loglik(X, pi, mu, Sigma, steps):
    """ℓ at the start and after each of the steps: shape (steps + 1,)."""
    ### BEGIN SOLUTION
    trace = [gm.loglik(gm.log_joint(X, pi, mu, Sigma))]
    for _ in range(steps):
        pi, mu, Sigma = gmm_m_step(X, gmm_e_step(X, pi, mu, Sigma))
        trace.append(gm.loglik(gm.log_joint(X, pi, mu, Sigma)))
    return np.array(trace)
    ### END SOLUTION


# %% check
check.em_loglik(em_loglik)

# %% hint [markdown]

# %% [markdown]
# ## Explore
# EM with three parts on the petals. The ellipses are two standard deviations wide, and each flower wears the colours of
# its responsibilities. Lower right: $\ell$ and the bound on the way from this mixture to the next, in units of the
# bound's gain. Press play, then try other first means.
#
# 1. Where do $\ell$ and the bound touch, and which of them gains more?
# 2. Which start ends highest, and is it the one that finds the species?

# %%
explore.Steps()

# %% [markdown]
# They touch at the current mixture. The next one is where the bound is highest, and there $\ell$ is higher still.
# Two starts end at different maxima. The lower one, $-135.31$, sorts 147 of the 150 flowers as the botanist did, the
# higher one, $-134.14$, only 121: it crosses two long ellipses. The likelihood asks how well the density fits, and
# knows nothing of botany. Three equal parts never separate: all responsibilities are ⅓, so every M-step gives all parts
# the same mean again.
#
# ## Break it
# Climbing to the maximum assumes that there is one.

# %% task likelihood_collapse [markdown]
# Six points on a line, and a mixture of two Gaussians. EM from sensible starts ends at $\ell\approx-9.3$. Find
# $(\pi_1,\mu_1,\sigma_1,\mu_2,\sigma_2)$, with $0<\pi_1<1$ and both $\sigma$ positive, for which $\ell>100$.

# %%
x = np.array([-1.2, -0.4, 0.1, 0.9, 1.3, 2.5])

# %% exercise likelihood_collapse
theta = ...  # (pi_1, mu_1, sigma_1, mu_2, sigma_2)
### BEGIN SOLUTION
theta = (0.5, 0.1, 1e-80, 0.5, 1.2)
### END SOLUTION

# %% check
check.likelihood_collapse(theta)

# %% hint [markdown]

# %% [markdown]
# And 100 is no limit: $\ell\to\infty$ as $\sigma_1\to0$. With two parts or more the likelihood has no maximum, and
# what we want from EM is a good *local* one. This happens with real flowers too. Here two of the three parts start in
# the lower group:

# %%
X = load("iris").X[:, 2:]
start = np.full(3, 1 / 3), np.array([[1.5, 0.2], [1.6, 0.4], [5, 1.7]]), np.stack([np.diag(X.var(axis=0)) / 4] * 3)
trace = []
try:
    for state in gm.em(X, start):
        trace.append(float(round(state.loglik)))
except np.linalg.LinAlgError as error:
    print(error)
trace[::3]

# %% [markdown]
# After creeping to $-143$, $\ell$ leaps. Part 1 has closed in on the 29 flowers whose petals are exactly 0.2 cm
# wide, and its variance across goes to zero. One step later `gm.em` stops with an error, on purpose: without it $\ell$
# would be whatever rounding makes of $1/0$. Practice stops such runs too, or keeps every variance above a floor.
#
# ## Spot the slip
# Two formulas as printed in well-meaning lecture notes. Each is wrong in one place. Mend it, and give an input at which
# the printed version fails.

# %% task variance_update [markdown]
# > *M-step: $\mu^{\text{new}}=\frac1N\sum_i\gamma_ix_i$ and
# > $\Sigma^{\text{new}}=\frac1N\sum_i\gamma_ix_ix_i^\top-\mu^{\text{old}}\mu^{\text{old}\top}$, where
# > $N=\sum_i\gamma_i$.*
#
# Mend it for points on a line, where $\Sigma$ is a variance. Can you make the printed one negative?


# %% exercise variance_update
def variance_update(x, gamma, mu_old):
    """The variance of one part after the M-step; x and gamma have shape (n,): a number."""
    ### BEGIN SOLUTION
    mu_new = gamma @ x / gamma.sum()
    return gamma @ (x - mu_new) ** 2 / gamma.sum()
    ### END SOLUTION


fails_at = ...  # a tuple (x, gamma, mu_old)
### BEGIN SOLUTION
fails_at = ([0.0, 2.0], [1.0, 1.0], 3.0)
### END SOLUTION

# %% check
check.variance_update(variance_update, fails_at)

# %% hint [markdown]

# %% task soft_assignment [markdown]
# > *k-means is EM for a mixture with $\pi_k=1/K$ and $\Sigma_k=\sigma^2I$: then $\gamma_{ik}=1$ if $\mu_k$ is the mean
# > nearest to $x_i$, and 0 otherwise.*
#
# What are the responsibilities of this mixture? Compute them for one point on a line.


# %% exercise soft_assignment
def soft_assignment(x, mu, sigma):
    """The responsibilities of K parts with means mu (K,), equal weights and one σ, at a number x: shape (K,)."""
    ### BEGIN SOLUTION
    L = -((x - mu) ** 2) / (2 * sigma**2)
    gamma = np.exp(L - L.max())
    return gamma / gamma.sum()
    ### END SOLUTION


breaks_at = ...  # a tuple (x, mu, sigma)
### BEGIN SOLUTION
breaks_at = (0.9, [0.0, 2.0], 1.0)
### END SOLUTION

# %% check
check.soft_assignment(soft_assignment, breaks_at)

# %% hint [markdown]

# %% [markdown]
# $$\gamma_{ik}=\frac{\exp(-\lVert x_i-\mu_k\rVert^2/2\sigma^2)}{\sum_j\exp(-\lVert x_i-\mu_j\rVert^2/2\sigma^2)}
# \tag{24.8}$$
#
# The printed rule is a limit. The point 0.9 lies between means at 0 and 2, and the first has the responsibility:

# %%
{sigma: float(gm.soft_assignment(0.9, np.array([0.0, 2.0]), sigma)[0].round(4)) for sigma in (1.0, 0.3, 0.05)}

# %% [markdown]
# ## Explore
# Three centres on the lengths of the petals. A flower is in doubt if no centre has a responsibility above 0.95.
#
# 1. At which σ is nobody in doubt?
# 2. Does the most responsible centre of any flower change with σ?

# %%
explore.Hardening()

# %% [markdown]
# From σ ≈ 0.13 downwards nobody is in doubt, and EM with this σ held fixed does nearly what k-means does. The most
# responsible centre is always the nearest: σ says how much we doubt, not what we believe.
#
# ## How many parts?
# Why not choose $K$ by the likelihood as well? A mixture of $K+1$ parts can copy one of $K$ parts, so the $\ell$ that
# can be reached never falls with $K$: it would ask for one part for each point. So a part has to cost something. The
# two usual prices are Akaike's, $2$ for each free parameter, and the Bayesian one, $\log n$. Both are set against
# $2\ell$, and the criterion is to be small.

# %% task mixture_bic [markdown]
# How many free parameters $p$ has a mixture of $K$ parts in $d$ dimensions, with full covariances? And what is its
# Bayesian criterion: the price of all parameters, minus $2\ell$?


# %% exercise mixture_bic
def mixture_bic(ell, n, K, d):
    """The number of free parameters and the Bayesian criterion: a tuple (p, bic)."""
    ### BEGIN SOLUTION
    p = K - 1 + K * d + K * d * (d + 1) / 2
    return p, p * np.log(n) - 2 * ell
    ### END SOLUTION


# %% check
check.mixture_bic(mixture_bic)

# %% hint [markdown]

# %% [markdown]
# $$p=(K-1)+Kd+K\,\frac{d(d+1)}2 \tag{24.9}$$
#
# $$\mathrm{AIC}=2p-2\ell,\qquad\mathrm{BIC}=p\log n-2\ell \tag{24.10}$$
#
# Three parts in the plane have 17 parameters, two parts in five dimensions 41. For the figure, EM ran from eight random
# starts for each $K$; runs that collapsed are left out. Which $K$ does each criterion choose, and what do the
# parts beyond the third describe?

# %%
explore.Orders()

# %% [markdown]
# BIC chooses three, AIC five: with 150 flowers a parameter costs $\log150\approx5.0$ instead of 2. The parts beyond the
# third cut the largest flowers into pieces, and at $K=6$ six of the eight starts collapse.
#
# ## No parts at all

# %% task kernel_density [markdown]
# At the other end is a mixture with one part on every point, all of weight $1/n$ and width $h$. There is nothing to
# fit: it is called a kernel density estimate. Compute it at several places, on a line.


# %% exercise kernel_density
def kernel_density(at, x, h):
    """The density at the places `at` (m,) that the points x (n,) give with bandwidth h: shape (m,)."""
    ### BEGIN SOLUTION
    z = (at[:, None] - x) / h
    return np.mean(np.exp(-0.5 * z**2), axis=1) / (h * np.sqrt(2 * np.pi))
    ### END SOLUTION


# %% check
check.kernel_density(kernel_density)

# %% hint [markdown]

# %% [markdown]
# $$\hat p(x)=\frac1{nh}\sum_i\varphi\Bigl(\frac{x-x_i}h\Bigr) \tag{24.11}$$
#
# with the density $\varphi$ of $N(0,1)$. Now $h$ decides. How many peaks can you make, and could $h$ be chosen by the
# likelihood of the flowers themselves?

# %%
explore.Bandwidth()

# %% [markdown]
# From 43 peaks at $h=0.02$ to a single one; the three groups show only in a short range around $h=0.2$. The mean of
# $\log\hat p$ at the flowers only rises as $h$ falls. It is the collapse again, on all points at once, so $h$ has to be
# chosen on points that were left out (notebook 08).

# %% task why_em_climbs [markdown]
# A colleague says: "EM maximises the likelihood, so I run it once and take what comes out." Explain in about 120 words,
# with $\ell=\mathrm{ELBO}+\mathrm{KL}$: why one round of EM never lowers $\ell$, what the E-step and the M-step each
# contribute to this, and what it does *not* promise. Use an example from this notebook.

# %% explain why_em_climbs [markdown]
# ### BEGIN SOLUTION
# Call the old mixture θ and the new one θ′. The E-step sets q = γ(θ), so KL = 0 and ELBO(q, θ) = ℓ(θ): the bound
# touches the likelihood. The M-step keeps q and moves to the θ′ with the highest bound, so ELBO(q, θ′) ≥ ELBO(q, θ).
# At θ′ the gap KL is no longer zero, but never negative, so ℓ(θ′) ≥ ELBO(q, θ′) ≥ ℓ(θ). This says that ℓ does not fall.
# It does not say that ℓ reaches its highest value: on the petals two starts end at −135.31 and −134.14, and three equal
# parts stay together. There may be no highest value: when a part shrinks onto a few points, ℓ grows without limit.
# So we take several starts, drop those that collapse, and look at the groups.
#
# Marks: one point for the E-step and the tight bound, one for the M-step and KL ≥ 0, one for what is not promised, with
# an example.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# A mixture explains a point by a hidden part, and the responsibilities are the posterior of that part. For every $q$,
# $\ell=\mathrm{ELBO}+\mathrm{KL}$: the E-step closes the gap, the M-step raises the bound, and $\ell$ never falls.
# The maximum that EM finds depends on the start and may be a collapse, so we compare several runs, and pay for every
# part.
#
# *Data:* R. A. Fisher, *The use of multiple measurements in taxonomic problems*, Annals of Eugenics 7 (1936).

# %% symbols Groups, axes and mixtures [markdown]
# | $\pi_k,\mu_k,\Sigma_k$ | weight, mean and covariance of part $k$ | `pi`, `mu`, `Sigma` |
# | $\gamma_{ik}$, $N_k=\sum_i\gamma_{ik}$ | responsibility of part $k$ for point $i$; the points that it answers
# for | `gamma` `(n, K)`, `N` |
# | $q$, $\mathrm{ELBO}$ | any distribution over the parts; the bound that belongs to it | `q`, `elbo` |
