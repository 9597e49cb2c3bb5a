# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can fit with a billion features without computing one, derive kernel ridge and its penalty, test
# whether a function is a kernel, and write a Gaussian as infinitely many features.

# %%
import numpy as np

from mlcore import kernels, svm
from mlcore.checks.kernels import check
from mlcore.data import load
from mlcore.explore import kernels as explore

# %% [markdown]
# ## See
# Two kinds of points, one around the other.

# %%
explore.Lifted()

# %% [markdown]
# Every method of the last notebooks draws straight lines, and on the left none will do. On the right each point is
# drawn by two *features*, $x_1^2$ and $x_2^2$, and a line is enough. The method stays linear; the features bend it.

# %% [markdown]
# ## Predict
# We do not know which features will help, so we take all products of up to three coordinates. An image with
# 1,000 pixels has how many? How long would one inner product of two such images take? Decide before you go on.

# %% [markdown]
# ## Derive
# Let $\varphi(x)$ list 1, all $x_i$, all $x_ix_j$ and all $x_ix_jx_k$, in every order.

# %% task cubic_gram [markdown]
# What is $\varphi(x)^\top\varphi(z)$ in terms of $t=x^\top z$? Compute it for every row of $X$ with every row of $Z$,
# without the features.


# %% exercise cubic_gram
def cubic_gram(X, Z):
    """The inner products φ(x)ᵀφ(z): shape (n, m) for X of shape (n, d) and Z of shape (m, d)."""
    ### BEGIN SOLUTION
    t = X @ Z.T
    return 1 + t + t**2 + t**3
    ### END SOLUTION


# %% check
check.cubic_gram(cubic_gram)

# %% hint [markdown]

# %% [markdown]
# $$k(x,z)=\varphi(x)^\top\varphi(z)=1+t+t^2+t^3,\qquad t=x^\top z \tag{16.1}$$
#
# A function that is an inner product of features is called a *kernel*, and the matrix of its values at the data,
# $K_{ij}=k(x_i,x_j)$, the *Gram matrix*. One entry costs about $d$ multiplications where $p$ features would cost $p$.
# How large is $p$? Lecture notes print a count with one slip.

# %% task feature_count [markdown]
# > *If we exhaust all possibilities, the cubic feature map has $p=1+d+d^3$ features.*
#
# Mend the count, and give a $d$ at which the printed one is clearly off.


# %% exercise feature_count
def feature_count(d):
    """The number of features of d coordinates: a whole number."""
    ### BEGIN SOLUTION
    return 1 + d + d**2 + d**3
    ### END SOLUTION


fails_at = ...  # a tuple (d,)
### BEGIN SOLUTION
fails_at = (3,)
### END SOLUTION

# %% check
check.feature_count(feature_count, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$p=1+d+d^2+d^3 \tag{16.2}$$
#
# For $d=3$ and for $d=1000$:

# %%
kernels.feature_count(3), kernels.feature_count(1000)

# %% [markdown]
# A billion features for a thousand pixels; the kernel needs a thousand products. Now a method has to be content with
# kernel values. Gradient descent for $\tfrac12\lVert y-\Phi\theta\rVert^2$, where $\Phi$ has the rows
# $\varphi(x_i)^\top$, makes the step
#
# $$\theta\leftarrow\theta+\eta\,\Phi^\top(y-\Phi\theta).$$
#
# From $\theta=0$ every step adds a combination of the $\varphi(x_i)$. So at any time $\theta=\Phi^\top\beta$ with one
# coefficient for each point.

# %% task kernel_gd [markdown]
# Write the step for β, with $K=\Phi\Phi^\top$ and without Φ and θ. Make $T$ steps from $\beta=0$.


# %% exercise kernel_gd
def kernel_gd(K, y, eta, T):
    """The coefficients β after T steps of gradient descent in θ: shape (n,)."""
    ### BEGIN SOLUTION
    beta = np.zeros(len(y))
    for _ in range(T):
        beta = beta + eta * (y - K @ beta)
    return beta
    ### END SOLUTION


# %% check
check.kernel_gd(kernel_gd)

# %% hint [markdown]

# %% [markdown]
# $$\beta\leftarrow\beta+\eta\,(y-K\beta) \tag{16.3}$$
#
# The prediction needs the features no more than the training does:
#
# $$f(x)=\theta^\top\varphi(x)=\sum_i\beta_i\,k(x_i,x). \tag{16.4}$$
#
# Fifty steps with 40 features each, and fifty steps without: the largest difference between θ and $\Phi^\top\beta$, to
# twelve decimals.

# %%
rng = np.random.default_rng(0)
X, y = rng.normal(size=(10, 3)), rng.normal(size=10)
Phi, theta, beta = kernels.cubic_features(X), np.zeros(40), np.zeros(10)
for _ in range(50):
    theta, beta = theta + 1e-3 * Phi.T @ (y - Phi @ theta), beta + 1e-3 * (y - kernels.cubic(X, X) @ beta)
float(np.abs(theta - Phi.T @ beta).max().round(12))

# %% [markdown]
# Nothing here is special to descent. Whatever loss we choose, a part of θ that is orthogonal to all $\varphi(x_i)$
# leaves every prediction at the data as it is. If the penalty grows strictly with $\lVert\theta\rVert$, that part is
# zero at every minimum. This is the *representer theorem*: $\theta=\Phi^\top\beta$.
#
# ## Kernel ridge
# The most used kernel is the Gaussian, with a bandwidth $h$:
#
# $$k(x,z)=e^{-\lVert x-z\rVert^2/(2h^2)} \tag{16.5}$$
#
# As many coefficients as points: descent to the end, $K\beta=y$, passes through every point and its noise. So we
# penalise $\lVert\theta\rVert^2$, as in notebook 05. With $\theta=\Phi^\top\beta$ this is
# $\beta^\top\Phi\Phi^\top\beta$, and
#
# $$J(\beta)=\lVert y-K\beta\rVert^2+\lambda\,\beta^\top K\beta. \tag{16.6}$$

# %% task kernel_ridge_chain [markdown]
# From $J$ to its gradient. $K$ is symmetric. A line returns the pieces of the formula, so that you have them in hand:
# lines 2 and 3 are two ways to write $J$, line 4 is the derivative of line 3, and line 5 the same with a factor taken
# out.


# %%
def line_1(beta, K, y, lam):
    """J(β), equation (16.6)."""
    return (y - K @ beta) @ (y - K @ beta) + lam * beta @ K @ beta


# %% exercise kernel_ridge_chain
def line_2(beta, K, y, lam):
    """Line 1 multiplied out: (quadratic, linear, constant), three numbers whose sum is J."""
    ### BEGIN SOLUTION
    return beta @ K @ K @ beta + lam * beta @ K @ beta, -2 * beta @ K @ y, y @ y
    ### END SOLUTION


def line_3(beta, K, y, lam):
    """Line 2 as βᵀAβ − 2βᵀc + constant: (A, c, constant), with shapes (n, n), (n,) and a number."""
    ### BEGIN SOLUTION
    return K @ K + lam * K, K @ y, y @ y
    ### END SOLUTION


def line_4(beta, K, y, lam):
    """The derivative of line 3 as Hβ − b: (H, b), with shapes (n, n) and (n,)."""
    ### BEGIN SOLUTION
    A, c, _ = line_3(beta, K, y, lam)
    return 2 * A, 2 * c
    ### END SOLUTION


def line_5(beta, K, y, lam):
    """Line 4 as 2K(Mβ − z): (M, z), with shapes (n, n) and (n,)."""
    ### BEGIN SOLUTION
    return K + lam * np.eye(len(y)), y
    ### END SOLUTION


# %% check
check.kernel_ridge_chain(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# $$\nabla J(\beta)=2K\bigl((K+\lambda I)\beta-y\bigr) \tag{16.7}$$

# %% task kernel_ridge_fit [markdown]
# Find the β at which the bracket is zero. (If $K$ is singular, other β are minima as well; they give the same $f$.)


# %% exercise kernel_ridge_fit
def kernel_ridge_fit(K, y, lam):
    """The coefficients of kernel ridge: shape (n,)."""
    ### BEGIN SOLUTION
    return np.linalg.solve(K + lam * np.eye(len(y)), y)
    ### END SOLUTION


# %% check
check.kernel_ridge_fit(kernel_ridge_fit)

# %% hint [markdown]

# %% [markdown]
# $$\beta=(K+\lambda I)^{-1}y \tag{16.8}$$
#
# A real case: 1,797 images of digits with 64 pixels. Is the digit even? We fit $s=\pm1$ to 500 images with
# $\lambda=1$ and count the mistakes on the other 1,297: with a linear kernel, with the cubic one (266,305 features)
# and with a Gaussian.

# %%
digits = load("digits")
X, s = digits.X / 16, np.where(digits.y % 2 == 0, 1.0, -1.0)
order = np.random.default_rng(0).permutation(len(s))
old, new = order[:500], order[500:]
three = (lambda A, B: 1 + A @ B.T), kernels.cubic, (lambda A, B: kernels.rbf(A, B, h=1.5))
fits = [kernels.fit(k(X[old], X[old]), s[old], lam=1.0) for k in three]
[int(np.sum(s[new] * kernels.predict(beta, k(X[new], X[old])) <= 0)) for k, beta in zip(three, fits, strict=True)]

# %% [markdown]
# 124 mistakes with a straight boundary, 18 and 22 with curved ones. To predict we keep 500 images and their
# coefficients, and not one of the features.

# %% task residual_coefficients [markdown]
# Somebody hands you $y$, the fitted values $\hat f=K\beta$ and λ, but neither $K$ nor β. Recover β.


# %% exercise residual_coefficients
def residual_coefficients(y, f, lam):
    """The coefficients β of kernel ridge from its fitted values f: shape (n,)."""
    ### BEGIN SOLUTION
    return (y - f) / lam
    ### END SOLUTION


# %% check
check.residual_coefficients(residual_coefficients)

# %% hint [markdown]

# %% [markdown]
# $$\beta=\frac{y-\hat f}\lambda \tag{16.9}$$
#
# A point that is fitted well has a small coefficient. In general none is zero, whereas a support vector
# machine has many multipliers that are.
#
# ## Explore
# Thirty points of a noisy curve.
#
# 1. What is between the points when $h$ is tiny? What is left of the curve when $h$ is huge?
# 2. Keep $h$ and lower λ to $10^{-6}$. Which of the two errors follows?

# %%
explore.Bandwidth()

# %% [markdown]
# With a tiny $h$ no point knows of its neighbours: spikes, and zero between them. With a huge $h$ the kernel is nearly
# $1-\lVert x-z\rVert^2/(2h^2)$, and a nearly straight line is left. At $h=0.32$ and $\lambda=10^{-6}$ the error on the
# points halves to 0.025, and against the truth it rises from 0.049 to 0.84.

# %% task duplicate_points [markdown]
# Why $\beta^\top K\beta$, and not $\lVert\beta\rVert^2$? Three points, $x_1=x_2$ and $x_3$ far away, have the Gram
# matrix
#
# $$K\approx\begin{pmatrix}1&1&0\\1&1&0\\0&0&1\end{pmatrix}.$$
#
# Which penalty is the same for every β that gives the same function $f$?

# %% exercise duplicate_points
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "a", "ii"
### END SOLUTION

# %% check
check.duplicate_points(choice, reason)

# %% hint [markdown]

# %% [markdown]
# ## Which functions are kernels?
# For any features, $v^\top Kv=\lVert\Phi^\top v\rVert^2$ is never negative. The converse is true as well, and
# goes by the name of Mercer: a symmetric function $k$ is a kernel exactly if
#
# $$v^\top Kv\ge0\quad\text{for all finite sets of points and all }v. \tag{16.10}$$
#
# Sums and positive multiples of kernels are therefore kernels, and so is $u(x)\,k(x,z)\,u(z)$ for any function $u$. So
# are products: their features are the products of a feature of one and a feature of the other. One set of points can
# refute a candidate. No finite number of them can prove it.

# %% task mercer_verdicts [markdown]
# Six candidates on the line. Two are made from kernels by the rules above. Put each to the test at the points given,
# and decide: `True` for a kernel.

# %%
candidates = {
    "Gaussian times linear": lambda x, z: np.exp(-((x - z) ** 2) / 2) * (1 + x * z),
    "linear plus Gaussian": lambda x, z: x * z + np.exp(-((x - z) ** 2) / 2),
    "shifted Gaussian": lambda x, z: np.exp(-((np.abs(x - z) - 1) ** 2) / 2),
    "distance": lambda x, z: np.abs(x - z),
    "root of 1 + xz": lambda x, z: np.sqrt(1 + x * z),
    "sigmoid": lambda x, z: 1 / (1 + np.exp(-2 * (x * z - 1))),
}
points = np.linspace(-0.9, 0.9, 8)

# %% exercise mercer_verdicts
verdicts = ...  # six truth values, in the order of the candidates
### BEGIN SOLUTION
verdicts = [np.linalg.eigvalsh(k(points[:, None], points))[0] > -1e-9 for k in candidates.values()]
### END SOLUTION

# %% check
check.mercer_verdicts(verdicts)

# %% hint [markdown]

# %% [markdown]
# The smallest eigenvalue of each Gram matrix:

# %%
{name: float(f"{kernels.smallest_eigenvalue(k(points[:, None], points)):.1e}") for name, k in candidates.items()}

# %% [markdown]
# Lecture notes list three of the last four as kernels, all but the distance: the root as *a polynomial kernel with
# $p>0$*, where only whole $p$ will do. Move the shift μ of the third, $e^{-(|x-z|-\mu)^2/2}$. Is there a $\mu>0$ that
# passes?

# %%
explore.Mercer()

# %% [markdown]
# Only $\mu=0$ passes. For two points at distance μ the shifted Gaussian says that each is more like the other than like
# itself. No inner product does that: $k(x,z)^2\le k(x,x)\,k(z,z)$.
#
# ## Break it
# What goes wrong with a function that is no kernel? Take the distance and two points at distance 1.

# %% task bottomless [markdown]
# With $K=\begin{pmatrix}0&1\\1&0\end{pmatrix}$ and $y=(1,1)$, find a $\lambda>0$ and a β with $J(\beta)<-100$.

# %% exercise bottomless
lam_beta = ...  # three numbers: λ, β₁, β₂
### BEGIN SOLUTION
lam_beta = (2.0, 10.0, -10.0)
### END SOLUTION

# %% check
check.bottomless(lam_beta)

# %% hint [markdown]

# %% [markdown]
# $J$ was meant as a sum of two squares, and it falls without limit: the penalty pays for large coefficients, and
# there is no minimum. (16.8) still returns numbers, and nothing warns you.
#
# ## Infinitely many features
# Where are the features of the Gaussian? On the line, with $g=1/(2h^2)$, split
# $e^{-g(x-z)^2}=e^{-gx^2}\,e^{-gz^2}\,e^{2gxz}$ and expand the last factor in its Taylor series. With
# $\psi_l(x)=e^{-gx^2}x^l$ this gives $k(x,z)=\sum_{l=0}^\infty\lambda_l\,\psi_l(x)\,\psi_l(z)$ for certain
# $\lambda_l>0$.

# %% task rbf_taylor [markdown]
# Find the $\lambda_l$, and compute the features $\sqrt{\lambda_l}\,\psi_l(x)$ for $l=0,\dots,m-1$.


# %% exercise rbf_taylor
def rbf_taylor(x, g, m):
    """The first m features of the Gaussian kernel at the places x of shape (n,): shape (n, m)."""
    ### BEGIN SOLUTION
    columns = [np.exp(-g * x**2)]
    for k in range(1, m):
        columns.append(columns[-1] * x * np.sqrt(2 * g / k))
    return np.column_stack(columns)
    ### END SOLUTION


# %% check
check.rbf_taylor(rbf_taylor)

# %% hint [markdown]

# %% [markdown]
# $$k(x,z)=\sum_{l=0}^\infty\lambda_l\,\psi_l(x)\,\psi_l(z),\qquad\psi_l(x)=e^{-gx^2}x^l,\qquad
# \lambda_l=\frac{(2g)^l}{l!} \tag{16.11}$$
#
# Walk through $m$ for $g=0.7$. How many features are enough at $x=0.8$, and what changes when $z$ moves away from 0?

# %%
explore.Truncation()

# %% [markdown]
# At $z=-0.5$ the error is 0.23 with one feature, 0.014 with three and $2\cdot10^{-5}$ with six. Far from 0 the series
# needs more.

# %% task truncated_ridge [markdown]
# Now fit with these features, and let the weight of $\psi_l$ cost the more, the smaller $\lambda_l$ is:
#
# $$\min_w\ \sum_i\Bigl(y_i-\sum_lw_l\,\psi_l(x_i)\Bigr)^2+\sum_l\frac{w_l^2}{\lambda_l} \tag{16.12}$$
#
# Solve it with the first $m$ features and give the fitted function at new places.


# %% exercise truncated_ridge
def truncated_ridge(x, y, at, g, m):
    """The minimiser's Σ wₗψₗ at the places `at`, for points x and y of shape (n,): shape (len(at),)."""
    ### BEGIN SOLUTION
    Phi = rbf_taylor(x, g, m)
    v = np.linalg.solve(Phi.T @ Phi + np.eye(m), Phi.T @ y)
    return rbf_taylor(at, g, m) @ v
    ### END SOLUTION


# %% check
check.truncated_ridge(truncated_ridge)

# %% hint [markdown]

# %% [markdown]
# Compare with kernel ridge at $\lambda=1$, which knows all the features: the largest difference for $m=2,4,8,60$.

# %%
x, at = np.random.default_rng(1).uniform(-1.5, 1.5, size=20), np.linspace(-1.5, 1.5, 50)
y, h = np.sin(2 * x), 0.8
beta = kernels.fit(kernels.rbf(x[:, None], x[:, None], h), y, lam=1.0)
f = kernels.predict(beta, kernels.rbf(at[:, None], x[:, None], h))
[float(np.abs(kernels.truncated_ridge(x, y, at, 1 / (2 * h**2), m) - f).max().round(3)) for m in (2, 4, 8, 60)]

# %% [markdown]
# An infinite regression, solved exactly by $n$ coefficients.
#
# ## The machine with a kernel
# The dual of notebook 15 contains the points only as $x_i^\top x_j$. We put $k(x_i,x_j)$ there, and need no new solver:
# by (16.10) the matrix $K=V\Lambda V^\top$ has no negative eigenvalue, so
#
# $$K=\Phi\Phi^\top\quad\text{with}\quad\Phi=V\sqrt\Lambda, \tag{16.13}$$
#
# and the machine of notebook 15 on the rows of this Φ has the α that we want. Lecture notes print its score with one
# slip.

# %% task kernel_score [markdown]
# > *The score of a new point is $b+\sum_i\alpha_is_i\,k(x_i,x_i)$.*
#
# Mend it, for the Gaussian kernel (16.5), and give an input at which the printed score is wrong.


# %% exercise kernel_score
def kernel_score(alpha, s, b, X, X_new, h):
    """The scores of the rows of X_new, of shape (m, d); X is (n, d), alpha and s are (n,): shape (m,)."""
    ### BEGIN SOLUTION
    squares = np.sum((X_new[:, None] - X) ** 2, axis=2)
    return np.exp(-squares / (2 * h**2)) @ (alpha * s) + b
    ### END SOLUTION


wrong_at = ...  # a tuple (alpha, s, b, X, X_new, h)
### BEGIN SOLUTION
wrong_at = ([1.0, 1.0], [1.0, -1.0], 0.0, [[0.0], [1.0]], [[0.0]], 1.0)
### END SOLUTION

# %% check
check.kernel_score(kernel_score, wrong_at)

# %% hint [markdown]

# %% [markdown]
# $$f(x)=\sum_i\alpha_is_i\,k(x_i,x)+b \tag{16.14}$$
#
# Odd or even, learnt from 200 images: the mistakes on the other 1,597, and how many images have $\alpha>0$.

# %%
X, s = digits.X / 16, np.where(digits.y % 2 == 0, 1.0, -1.0)
old, new = order[:200], order[200:]
machine = svm.fit(kernels.gram_features(kernels.rbf(X[old], X[old], h=1.5)), s[old], C=1.0)
scores = kernels.svm_score(machine.alpha, s[old], machine.b, kernels.rbf(X[new], X[old], h=1.5))
int(np.sum(s[new] * scores <= 0)), int(np.sum(machine.alpha > 0))

# %% [markdown]
# ## Explore
# The ring again. Change the kernel, then $C$: polynomials $(1+x^\top z)^p$ and Gaussians of two widths. Which boundary
# would you trust with new points?

# %%
explore.Machine()

# %% [markdown]
# $p=1$ is the straight line, with 19 of 44 wrong. $p=2$ can draw ellipses. With $h=0.2$ the machine surrounds its
# points and 37 of them have $\alpha>0$: it has learnt them by heart. Validation (notebook 08) chooses between them.

# %% task why_similarity [markdown]
# A kernel is large for points that are alike; a distance is large for points that are not. Somebody uses the distance
# as $k$ in (16.4) and (16.8). Explain in about 120 words why a similarity is asked for: what the prediction would
# mean, why no features exist, and what happens to the penalty.

# %% explain why_similarity [markdown]
# ### BEGIN SOLUTION
# A kernel is an inner product φ(x)ᵀφ(z), so it is largest for points whose features agree. In f(x) = Σ βᵢk(xᵢ, x) the
# points near x then have the most to say; with a distance the farthest would. A distance cannot be an inner product:
# k(x, x) = ‖φ(x)‖² would be 0 for every x, so all features would vanish, and k with them. The Gram matrix shows the
# same: its diagonal is 0, its eigenvalues sum to 0, so one of them is negative. Along its eigenvector βᵀKβ is negative:
# the penalty rewards large coefficients, and J can fall without limit. (16.8) still gives numbers, but they minimise
# nothing.
#
# Marks: one point for the meaning of the prediction, one for the missing features or the negative eigenvalue, one for
# the penalty.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# A method that uses the points only through inner products can use those of features instead, and a kernel gives them
# without the features. Kernel ridge is $\beta=(K+\lambda I)^{-1}y$, its penalty $\beta^\top K\beta$ is
# $\lVert\theta\rVert^2$, and even infinitely many features cost no more than $n$ coefficients. A function is a kernel
# exactly if no Gram matrix of it has a negative eigenvalue, and without that the penalty has no bottom. Notebook 23
# looks for axes in the same feature space.
#
# *Data:* the test set of Alpaydin and Kaynak's *Optical Recognition of Handwritten Digits*, UCI (1998).

# %% symbols Kernels [markdown]
# | $k(x,z)$ | kernel, an inner product of features | `rbf` |
# | $K$, $K_{ij}=k(x_i,x_j)$ | Gram matrix ($G$ in notebook 23, where $K$ counts axes) | `K` `(n, n)` |
# | $\beta_i$ | coefficients in $f=\sum_i\beta_ik(x_i,\cdot)$ | `beta` `(n,)` |
# | $\psi_l$ | features of the Gaussian kernel, infinitely many | `rbf_features` |
