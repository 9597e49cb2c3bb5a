# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can derive the principal axes twice, from the variance and from the error, say why the two
# derivations are one, compute the axes from eigenvectors, from singular values and from a kernel, and say what a
# linear autoencoder learns.

# %%
import numpy as np

from mlcore import pca
from mlcore.checks.pca import check
from mlcore.data import load
from mlcore.explore import pca as explore

# %% [markdown]
# ## See
# A handwritten digit of 8 × 8 pixels is 64 numbers. Many of them repeat each other: where one pixel has ink, so has its
# neighbour. Below the digits, seventy zeros, threes, fours and sixes each are points, on the left by their two busiest
# pixels, on the right by two numbers computed from all 64.

# %%
explore.Digits()

# %% [markdown]
# The two numbers on the right part the four digits, although nobody told the method which digit is which. It saw
# only the pixels, and looked for the directions in which the 1797 digits differ most.

# %% [markdown]
# ## Predict
# How many such numbers are needed before a digit can be redrawn with only a tenth of the variance lost?
# Decide on a number between 1 and 64 before you go on.

# %% [markdown]
# ## Derive
# We describe a point $x$ by $K$ numbers. Take a centre $\mu$ and $K$ orthonormal axes, the columns of $U$ with
# $U^\top U=I$. The code of $x$ holds its positions along the axes, called scores. The reconstruction is the point
# that has this code:
#
# $$z=U^\top(x-\mu),\qquad \tilde x=\mu+Uz \tag{23.1}$$
#
# As $U^\top(x-\tilde x)=z-U^\top Uz=0$, what the reconstruction leaves out is orthogonal to all axes.
# From here on $\mu$ is the mean $\bar x$. The last section shows that no other centre does better.

# %% task pca_covariance [markdown]
# How a cloud of points spreads is told by its covariance
# $S=\frac1n\sum_i(x_i-\bar x)(x_i-\bar x)^\top$, with the rows of $X$ as points. It is a mean over the points,
# with $\frac1n$ and not $\frac1{n-1}$.


# %% exercise pca_covariance
def pca_covariance(X):
    """The covariance of the columns of X, with 1/n: shape (d, d)."""
    ### BEGIN SOLUTION
    Xc = X - X.mean(axis=0)
    return Xc.T @ Xc / len(X)
    ### END SOLUTION


# %% check
check.pca_covariance(pca_covariance)

# %% hint [markdown]

# %% [markdown]
# $$S=\frac1n X_c^\top X_c,\qquad X_c=X-\bar x \tag{23.2}$$
#
# A cross that we can do in the head: the points $(\pm2,0)$ and $(0,\pm1)$.

# %%
cross = np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
pca.covariance(cross)

# %% task error_and_variance [markdown]
# We could ask for two things. The codes should vary as much as possible, so that different points stay different.
# Or the reconstructions should lie as close as possible to the points. Start from the second wish, the mean squared
# error, and see what it has to do with the first. Every line is a function of the table and of any $U$ with orthonormal
# columns, and returns the pieces of the formula.


# %%
def line_1(X, U):
    """The mean squared error, (1/n) Σ ‖x − x̃‖²."""
    Xc = X - X.mean(axis=0)
    return np.sum((Xc - Xc @ U @ U.T) ** 2) / len(X)


# %% exercise error_and_variance
def line_2(X, U):
    """Line 1 with the square multiplied out: (whole, cross, projected), three numbers whose sum is line 1."""
    ### BEGIN SOLUTION
    Xc = X - X.mean(axis=0)
    R = Xc @ U @ U.T
    return np.sum(Xc * Xc) / len(X), -2 * np.sum(Xc * R) / len(X), np.sum(R * R) / len(X)
    ### END SOLUTION


def line_3(X, U):
    """Line 2 as traces of (whole, cross, projected), matrices of shapes (d, d), (K, K) and (K, K)."""
    ### BEGIN SOLUTION
    Xc = X - X.mean(axis=0)
    S = Xc.T @ Xc / len(X)
    return S, -2 * U.T @ S @ U, U.T @ S @ U
    ### END SOLUTION


def line_4(X, U):
    """Line 3 as one sum minus another: (variables, axes), their terms, with shapes (d,) and (K,)."""
    ### BEGIN SOLUTION
    return X.var(axis=0), (X @ U).var(axis=0)
    ### END SOLUTION


# %% check
check.error_and_variance(line_2, line_3, line_4)

# %% hint [markdown]

# %% [markdown]
# $$\frac1n\sum_i\lVert x_i-\tilde x_i\rVert^2=\operatorname{tr}S-\operatorname{tr}U^\top SU \tag{23.3}$$
#
# The error is the total variance minus the variance of the codes. The total does not depend on $U$, so the smallest
# error and the largest variance are the same goal. Behind it stands Pythagoras, for every single point:
# $\lVert x-\bar x\rVert^2=\lVert z\rVert^2+\lVert x-\tilde x\rVert^2$. The codes have mean 0, so the mean of
# $\lVert z\rVert^2$ is their variance. One text prints the goal as the largest $\frac1n\sum_i\lVert x_i\rVert^2$:
# that number is the same for every $U$.
#
# ## Explore
# Sepal and petal length of 150 flowers, and an axis at the angle θ.
#
# 1. What happens to the sum of the two numbers while you turn the axis?
# 2. What is the angle between the best axis and the worst one?

# %%
explore.Axis()

# %% [markdown]
# The sum stays at 3.78, the total variance. At 67° the variance is largest and the error smallest; at 157°, a right
# angle further, it is the other way round. At both angles the curves are flat.

# %% task axis_slope [markdown]
# Where are they flat? We look for a unit vector $u$ that makes the variance of $u^\top x$ stationary. The constraint
# comes in with a multiplier λ, and line 1 is the Lagrangian. Differentiate it with respect to $u$, and see what remains
# of the slope for a unit vector, along $u$ and across it.


# %%
def line_1(u, lam, X):
    """L(u, λ): the variance of the scores along u, plus λ times the constraint 1 − uᵀu."""
    Xc = X - X.mean(axis=0)
    return np.sum((Xc @ u) ** 2) / len(X) + lam * (1 - u @ u)


# %% exercise axis_slope
def line_2(u, lam, X):
    """Line 1 as uᵀAu + constant: (A, constant), with shape (d, d) and a number."""
    ### BEGIN SOLUTION
    Xc = X - X.mean(axis=0)
    return Xc.T @ Xc / len(X) - lam * np.eye(len(u)), lam
    ### END SOLUTION


def line_3(u, lam, X):
    """The H of Hu, the derivative of line 2 with respect to u: shape (d, d)."""
    ### BEGIN SOLUTION
    A, _ = line_2(u, lam, X)
    return 2 * A
    ### END SOLUTION


def line_4(u, lam, X):
    """Line 3, for a unit vector u, as along · u + across: (along, across), a number and shape (d,)."""
    ### BEGIN SOLUTION
    slope = line_3(u, lam, X) @ u
    along = u @ slope
    return along, slope - along * u
    ### END SOLUTION


# %% check
check.axis_slope(line_2, line_3, line_4)

# %% hint [markdown]

# %% [markdown]
# The slope $2Su-2\lambda u$ has the part $2(u^\top Su-\lambda)$ along $u$. It vanishes for one λ, the variance along
# $u$. What is then left is the slope that we feel on the sphere, and at a flat place it is zero too:
#
# $$2\bigl(Su-(u^\top Su)\,u\bigr)=0\quad\Longleftrightarrow\quad Su=\lambda u,\ \ \lambda=u^\top Su \tag{23.4}$$
#
# The stationary axes are the eigenvectors of $S$, and the eigenvalue is the variance along its axis. Since $S$ is
# symmetric, it has $d$ real eigenvalues $\lambda_1\ge\dots\ge\lambda_d\ge0$ and orthonormal eigenvectors
# $q_1,\dots,q_d$. One text claims this for every real matrix. A rotation by 90° has no real eigenvalue at all:

# %%
np.linalg.eigvals(np.array([[0.0, -1.0], [1.0, 0.0]]))

# %% task why_top_axes [markdown]
# Now $K$ axes at once. Some texts find it obvious that the first $K$ eigenvectors are best. Here is the sum that has
# to be largest, for any $U$ with orthonormal columns:
#
# $$\operatorname{tr}U^\top SU=\sum_{i=1}^d\lambda_ic_i,\qquad c_i=\lVert U^\top q_i\rVert^2$$
#
# Here $c_i$ says how much of $q_i$ lies in the subspace. How large can the sum be?

# %% exercise why_top_axes
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "b", "iii"
### END SOLUTION

# %% check
check.why_top_axes(choice, reason)

# %% hint [markdown]

# %% [markdown]
# We have a budget of $K$ to spend on the eigenvalues, with at most 1 for each. The best we can do is to
# spend 1 on each of the $K$ largest:
#
# $$\max_{U^\top U=I}\operatorname{tr}U^\top SU=\lambda_1+\dots+\lambda_K,\qquad U=(q_1,\dots,q_K) \tag{23.5}$$

# %% task pca_axes [markdown]
# Compute these axes. Any $U$ passes that has orthonormal columns, keeps the largest variance, gives uncorrelated
# scores, and has its axes in order. The sign of each axis is yours.


# %% exercise pca_axes
def pca_axes(X, K):
    """The first K principal axes as columns, the largest variance first: shape (d, K)."""
    ### BEGIN SOLUTION
    Xc = X - X.mean(axis=0)
    _, Q = np.linalg.eigh(Xc.T @ Xc / len(X))
    return Q[:, ::-1][:, :K]
    ### END SOLUTION


# %% check
check.pca_axes(pca_axes)

# %% hint [markdown]

# %% [markdown]
# The covariance of the scores is $U^\top SU=\mathrm{diag}(\lambda_1,\dots,\lambda_K)$. If we turn the axes inside
# their subspace, the error stays the same, but the scores become correlated.

# %% task pca_error [markdown]
# How good is the best reconstruction from $K$ numbers? Put (23.5) into (23.3).


# %% exercise pca_error
def pca_error(X, K):
    """The smallest mean squared error of a reconstruction from K numbers: a number."""
    ### BEGIN SOLUTION
    S = np.cov(X.T, bias=True)
    eigenvalues = np.linalg.eigvalsh(S)[::-1]
    return np.sum(eigenvalues[K:])
    ### END SOLUTION


# %% check
check.pca_error(pca_error)

# %% hint [markdown]

# %% [markdown]
# $$\min_{U^\top U=I}\frac1n\sum_i\lVert x_i-\tilde x_i\rVert^2=\lambda_{K+1}+\dots+\lambda_d \tag{23.6}$$
#
# ## Explore
# The digits again, redrawn from $K$ numbers.
#
# 1. Which digits can you read at $K=5$, and which at $K=10$?
# 2. Where is a tenth of the variance left? Compare it with your guess.

# %%
explore.Scree()

# %% [markdown]
# With no numbers at all every digit is the mean digit. Five numbers keep 54% of the variance, ten keep 74%, and with
# 21 less than a tenth is lost. The last three eigenvalues are zero: three pixels at the rim never have ink.

# %% [markdown]
# ## Break it
# All of this rests on $\bar x$ having been subtracted. Without it, the matrix is
# $\frac1nX^\top X=S+\bar x\bar x^\top$. Move the cloud away from 0 and watch the first eigenvector of that matrix.

# %%
explore.Offset()

# %% [markdown]
# The further the mean is from 0, the more the first axis points at it, and the cloud's own direction is lost. It
# happens with real data. The first axis of the four uncentred measurements of the flowers is 2° away from
# the mean flower, and 42° away from the first principal axis.

# %% task wrong_axis [markdown]
# Give a table of two points in the plane or more, one row for each, whose first axis without centring is off by at
# least 85°.

# %% exercise wrong_axis
X_off = ...
### BEGIN SOLUTION
X_off = cross + np.array([0.0, 3.0])
### END SOLUTION

# %% check
check.wrong_axis(X_off)

# %% hint [markdown]

# %% [markdown]
# ## Without the covariance
# The singular value decomposition gives the axes without forming $S$:
# $X_c=\sum_js_j\,a_ju_j^\top$, with orthonormal $a_j\in\mathbb R^n$, orthonormal $u_j\in\mathbb R^d$ and
# $s_1\ge s_2\ge\dots\ge0$. Put into (23.2), it shows that the $u_j$ are the principal axes.

# %% task pca_spectrum [markdown]
# Which eigenvalues of $S$ belong to the singular values $s_j$? Compute them without forming $S$, for $n>d$.


# %% exercise pca_spectrum
def pca_spectrum(X):
    """The eigenvalues of the covariance from singular values, the largest first: shape (d,)."""
    ### BEGIN SOLUTION
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    return s**2 / len(X)
    ### END SOLUTION


# %% check
check.pca_spectrum(pca_spectrum)

# %% hint [markdown]

# %% [markdown]
# $$\lambda_j=\frac{s_j^2}n,\qquad X_cu_j=s_ja_j \tag{23.7}$$
#
# The second equation says that the scores along axis $j$ are $s_ja_j$. We get them from $X_cX_c^\top$ alone, whose
# eigenvectors are the $a_j$ with eigenvalues $s_j^2$. That matrix holds only inner products of points.
#
# ## With a kernel
# So we may replace the inner products by a kernel, $G_{ij}=k(x_i,x_j)=\varphi(x_i)^\top\varphi(x_j)$, and have the
# principal components of the features φ without ever computing φ. (Notebook 16 calls this matrix $K$ and writes β for
# the α below; here $K$ counts axes.) The features have to be centred too. With $H=I-\frac1n\mathbf 1\mathbf 1^\top$,
# which subtracts a mean, that takes $G$ alone:
#
# $$G_c=HGH \tag{23.8}$$

# %% task kernel_pca_scores [markdown]
# Compute the scores of the $n$ points along the first $K$ axes in feature space. For a linear kernel they must be the
# scores of PCA, up to the sign of each column.


# %% exercise kernel_pca_scores
def kernel_pca_scores(G, K):
    """The scores from the Gram matrix G, which is not centred yet: shape (n, K)."""
    ### BEGIN SOLUTION
    n = len(G)
    H = np.eye(n) - np.ones((n, n)) / n
    eigenvalues, A = np.linalg.eigh(H @ G @ H)
    return A[:, ::-1][:, :K] * np.sqrt(eigenvalues[::-1][:K])
    ### END SOLUTION


# %% check
check.kernel_pca_scores(kernel_pca_scores)

# %% hint [markdown]

# %% [markdown]
# $$G_ca_j=s_j^2a_j,\qquad \text{scores}\ \ s_ja_j=G_c\alpha_j,\qquad \alpha_j=\frac{a_j}{s_j} \tag{23.9}$$
#
# The axis itself is $u_j=\sum_i\alpha_{ij}(\varphi(x_i)-\bar\varphi)$. Its squared length is
# $\alpha_j^\top G_c\alpha_j=s_j^2\lVert\alpha_j\rVert^2$. This is 1 only if $\alpha_j$ is the unit eigenvector
# divided by $s_j$. Texts that project with the unit eigenvector itself get scores that are wrong by the factor $s_j$.

# %% task kernel_pca_new [markdown]
# A new point $x$ arrives. We know its kernel values $\kappa_i=k(x_i,x)$ with the $n$ old points. Its scores are the
# inner products of $\varphi(x)-\bar\varphi$ with the axes. The mean $\bar\varphi$ is that of the old points.


# %% exercise kernel_pca_new
def kernel_pca_new(kappa, G, alpha):
    """The scores of a new point; kappa is (n,), G is (n, n) and not centred, alpha is (n, K): shape (K,)."""
    ### BEGIN SOLUTION
    centred = kappa - kappa.mean() - G.mean(axis=0) + G.mean()
    return alpha.T @ centred
    ### END SOLUTION


# %% check
check.kernel_pca_new(kernel_pca_new)

# %% hint [markdown]

# %% [markdown]
# $$z_j(x)=\alpha_j^\top H\Bigl(\kappa-\frac1nG\mathbf 1\Bigr) \tag{23.10}$$
#
# ## Explore
# Two rings. No straight axis tells them apart, so we take the Gaussian kernel
# $k(x,x')=e^{-\lVert x-x'\rVert^2/(2h^2)}$ and cut the plane along a curve of constant first score.
#
# 1. For which widths does one cut on the first score separate the rings?
# 2. What do the scores look like at the largest width, and why?

# %%
explore.Rings()

# %% [markdown]
# Between $h=0.8$ and $h=1.3$, about half the gap between the rings, the first axis asks which ring a point is on. For a
# much narrower kernel nearly all points are equally far from each other in feature space, and at $h=0.1$ the first two
# axes keep 4% of the variance. A very wide kernel is nearly linear, and the rings come back as rings: this is plain
# PCA.

# %% [markdown]
# ## A network that copies
# A linear autoencoder squeezes $d$ numbers into $K$ with a matrix $E$ and blows them up again with a matrix $D$.
# It is trained to copy its input by gradient descent on
#
# $$\frac1n\lVert X_c-X_cED\rVert^2,\qquad E\ \text{is}\ (d,K),\quad D\ \text{is}\ (K,d).$$
#
# Nobody tells it that columns should be orthonormal. But whatever $E$ and $D$ are, the copies $X_cED$ lie in a
# subspace of dimension $K$, and no copy in a subspace is closer than the projection onto it.

# %% task autoencoder_floor [markdown]
# We train one with $K=2$ on the four measurements of the 150 flowers, `load("iris").X`. To which number does the error
# fall?

# %% exercise autoencoder_floor
floor = ...
### BEGIN SOLUTION
floor = pca_error(load("iris").X, 2)
### END SOLUTION

# %% check
check.autoencoder_floor(floor)

# %% hint [markdown]

# %% [markdown]
# $$\frac1n\lVert X_c-X_cED\rVert^2\ \ge\ \lambda_{K+1}+\dots+\lambda_d \tag{23.11}$$
#
# Two thousand steps from a small random start reach the bound, and the product $ED$ is the projection $UU^\top$. The
# two factors are not determined: $EM$ and $M^{-1}D$ copy as well, for every invertible $M$.

# %%
X, rng = load("iris").X, np.random.default_rng(0)
E, D = 0.1 * rng.normal(size=(4, 2)), 0.1 * rng.normal(size=(2, 4))
*_, (E, D) = pca.autoencoder(X, E, D, eta=0.1, steps=2000)
U = pca.axes(X, 2)
np.array([pca.autoencoder_loss(X, E, D), pca.dropped(X, 2), np.abs(E @ D - U @ U.T).max()]).round(5)

# %% [markdown]
# ## Spot the slip
# A formula as printed in well-meaning lecture notes, wrong in one place. Mend it, and give an input at which the
# printed version fails.

# %% task optimal_centre [markdown]
# > *For given codes $z_i$, the error $\sum_i\lVert\mu+Uz_i-x_i\rVert^2$ is smallest at
# > $\mu=\frac1n\sum_iUz_i-\frac1n\sum_ix_i$.*


# %% exercise optimal_centre
def optimal_centre(X, U, Z):
    """The best μ for the points X (n, d), the axes U (d, K) and the codes Z (n, K): shape (d,)."""
    ### BEGIN SOLUTION
    return X.mean(axis=0) - U @ Z.mean(axis=0)
    ### END SOLUTION


fails_at = ...  # a tuple (X, U, Z)
### BEGIN SOLUTION
fails_at = (np.array([[1.0, 2.0]]), np.array([[1.0], [0.0]]), np.array([[0.0]]))
### END SOLUTION

# %% check
check.optimal_centre(optimal_centre, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$\mu=\bar x-U\bar z \tag{23.12}$$
#
# Codes of mean 0 give $\mu=\bar x$, as promised. If we add the same vector $c$ to all codes, $\mu$ moves by $-Uc$,
# and every reconstruction stays where it is.

# %% task one_number [markdown]
# A clinic has the height in millimetres, the weight in kilograms and ten blood values of 500 patients. A colleague
# takes the eigenvectors of $\frac1nX^\top X$ and reports: "The first axis explains 99% of everything, so one number for
# each patient is enough to tell the ill from the healthy." Explain in about 120 words what the 99% measure,
# what you would do differently, and why even a correct 99% would not prove the claim.

# %% explain one_number [markdown]
# ### BEGIN SOLUTION
# The data were not centred, so the matrix is S + x̄x̄ᵀ. Heights are near 1700 and vary by about 100, so x̄x̄ᵀ dominates
# and the first axis points at the mean patient: the 99% say that the patients are far from 0. After centring, the
# height still wins, because in millimetres its variance is a million times that in metres. I would subtract the mean
# and divide every measurement by its standard deviation, or choose units in which a difference of 1 means the same.
# But even then the axes know nothing of the diagnosis. The axis with the largest variance may be body size, and the
# illness may show in a blood value with little variance, which is dropped first. The claim has to be tested
# on the labels.
#
# Marks: one point for the mean, one for the units, one for variance that is not relevance.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# The axes that keep the most variance and those that lose the least in reconstruction are the same, because the two
# add up to the total variance. They are the eigenvectors of the centred covariance with the largest eigenvalues, and
# the error is the sum of the eigenvalues that were dropped. Inner products are enough to find them, so a centred
# kernel matrix does the same in feature space.
#
# *Data:* Alpaydin and Kaynak, *Optical recognition of handwritten digits*, UCI repository (1998); Fisher, *The use of
# multiple measurements in taxonomic problems*, Annals of Eugenics 7 (1936).

# %% symbols Data [markdown]
# | $X_c$ | the data minus their mean | `Xc` |
# | $S=\frac1n\sum_i(x_i-\bar x)(x_i-\bar x)^\top$ | covariance of the data, with $1/n$ | `S` `(d, d)` |

# %% symbols Groups, axes and mixtures [markdown]
# | $U$, $z$, $\tilde x$ | orthonormal axes as columns; code; reconstruction | `U` `(d, K)` |
