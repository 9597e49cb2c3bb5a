# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can compute a convolutional layer and the size of its output, send gradients back through convolution
# and max-pooling, train a small network that finds its own filters, and say what an autoencoder can and cannot keep.

# %%
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from mlcore import convolution
from mlcore.checks.convolution import check
from mlcore.data import load
from mlcore.explore import convolution as explore

# %% [markdown]
# ## See
# A handwritten digit on an empty canvas, and a kernel of nine numbers. The kernel is laid on every 3 × 3 window of the
# image, multiplied with it and added up. Try the three kernels, then push the digit to the right.

# %%
explore.Slide()

# %% [markdown]
# The first kernel answers where dark pixels end: purple on the right side of a stroke, orange on its left side. The
# second does the same for the upper and lower sides, the third blurs. When the digit moves, the answer moves with it,
# and nothing had to be learnt again. A fully connected layer has other weights at every place.
#
# ## Predict
# A colour image of 32 × 32 pixels goes to ten outputs. How many weights does a fully connected layer need, and how many
# do ten kernels of 5 × 5? Decide before you go on.

# %% [markdown]
# ## Derive
# The *cross-correlation* of an image $X$ with a kernel $k$ is
#
# $$Y_{ij}=\sum_a\sum_bk_{ab}\,X_{i+a,\,j+b}, \tag{20.1}$$
#
# for all places $(i,j)$ where the kernel lies inside the image. Networks call this a convolution. In signal
# processing a convolution turns the kernel by 180° first. Where kernels are learnt, the difference does not matter.

# %% task correlate_image [markdown]
# Compute $Y$. Neither the image nor the kernel need be square. Loops are welcome.


# %% exercise correlate_image
def correlate_image(X, k):
    """The cross-correlation of X with k where k fits into X: an array of shape (rows, columns)."""
    ### BEGIN SOLUTION
    rows, columns = X.shape[0] - k.shape[0] + 1, X.shape[1] - k.shape[1] + 1
    Y = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            Y[i, j] = np.sum(k * X[i : i + k.shape[0], j : j + k.shape[1]])
    return Y
    ### END SOLUTION


# %% check
check.correlate_image(correlate_image)

# %% hint [markdown]

# %% [markdown]
# Loops are slow in Python. But all windows lie in memory already: the window one pixel further on begins one number
# further on. `sliding_window_view` makes an array of all windows without copying a number, and one product with the
# kernel does the rest.

# %%
X = load("digits").X[0].reshape(8, 8) / 16
k = explore.KERNELS["vertical edges"]
windows = sliding_window_view(X, k.shape)
print(windows.shape, "windows, new memory:", windows.base is None)
print(np.allclose(np.tensordot(windows, k, 2), convolution.correlate(X, k)))

# %% task conv_size [markdown]
# Two more numbers shape the output. *Padding* puts $P$ zeros on each side of the image, and the *stride* $S$ moves the
# kernel by $S$ pixels from one place to the next. A place where the kernel would reach beyond the padding is left out.
# How wide is the output?


# %% exercise conv_size
def conv_size(W, F, P, S):
    """The width of the output for width W, kernel size F, padding P and stride S: a whole number."""
    ### BEGIN SOLUTION
    return (W - F + 2 * P) // S + 1
    ### END SOLUTION


# %% check
check.conv_size(conv_size)

# %% hint [markdown]

# %% [markdown]
# $$W_2=\Bigl\lfloor\frac{W_1-F+2P}S\Bigr\rfloor+1 \tag{20.2}$$

# %%
for W, F, P, S in ((32, 5, 2, 1), (32, 5, 0, 1), (227, 11, 0, 4)):
    counted = convolution.correlate(np.ones((W, W)), np.ones((F, F)), S, P).shape[0]
    print(f"W = {W}, F = {F}, P = {P}, S = {S}: {convolution.output_size(W, F, P, S)}, counted {counted}")

# %% task layer_parameters [markdown]
# An image has $C$ channels, such as red, green and blue, and a *filter* holds one kernel for each channel and one bias.
# A layer has $K$ filters. How many parameters is that for kernels of $F\times F$? And how many has a fully connected
# layer that takes the whole image, $W\times H\times C$ numbers, to $K$ outputs?


# %% exercise layer_parameters
def layer_parameters(W, H, C, F, K):
    """The parameters of both layers, with biases: a tuple (conv, dense)."""
    ### BEGIN SOLUTION
    return K * (F**2 * C + 1), K * (W * H * C + 1)
    ### END SOLUTION


# %% check
check.layer_parameters(layer_parameters)

# %% hint [markdown]

# %% [markdown]
# $$p_{\text{conv}}=K(F^2C+1),\qquad p_{\text{dense}}=K(WHC+1) \tag{20.3}$$

# %%
convolution.parameters(W=32, H=32, C=3, F=5, K=10)

# %% [markdown]
# ## Explore
# One row of a 32 × 32 × 3 image and all windows of ten filters.
#
# 1. Which $P$ keeps the width at stride 1 for $F=3$, 5, 7, and is there one for $F=4$?
# 2. Which of the three numbers changes the parameters?

# %%
explore.Windows()

# %% [markdown]
# $P=1,2,3$: the kernel reaches $\frac{F-1}2$ beyond its centre on each side. For $F=4$ the width becomes 31 or 33: an
# even kernel has no centre. Only $F$ changes the parameters. Padding and stride cost none.

# %% task conv_layer [markdown]
# Now the whole layer for one image: `X` is $(C,H,W)$, `k` is $(K,C,F,F)$ and `b` is $(K,)$. Filter number $k$ adds up
# the answers of its kernels on all channels, and its bias.


# %% exercise conv_layer
def conv_layer(X, k, b):
    """The layer's output: shape (K, H − F + 1, W − F + 1)."""
    ### BEGIN SOLUTION
    windows = sliding_window_view(X, k.shape[2:], axis=(1, 2))
    return np.einsum("cijab,kcab->kij", windows, k) + b[:, None, None]
    ### END SOLUTION


# %% check
check.conv_layer(conv_layer)

# %% hint [markdown]

# %% [markdown]
# $$Y_{nk}=b_k+\sum_ck_{kc}\star X_{nc} \tag{20.4}$$
#
# for the images $n$ of a batch, where $\star$ is (20.1).

# %% task max_pooling [markdown]
# Between such layers the image is made smaller. *Max-pooling* keeps the largest number of every $S\times S$ window.
# The windows lie side by side, without overlap. Here $S$ divides both sides of $X$.


# %% exercise max_pooling
def max_pooling(X, S):
    """The maximum of every S × S window: shape (H/S, W/S)."""
    ### BEGIN SOLUTION
    H, W = X.shape
    return X.reshape(H // S, S, W // S, S).max(axis=(1, 3))
    ### END SOLUTION


# %% check
check.max_pooling(max_pooling)

# %% hint [markdown]

# %% [markdown]
# $$Y_{ij}=\max_{a,b<S}X_{iS+a,\,jS+b} \tag{20.5}$$

# %%
convolution.max_pool(np.array([[1, 1, 2, 4], [5, 6, 7, 8], [3, 2, 1, 0], [1, 2, 3, 4]]), 2)

# %% [markdown]
# ## Break it
# Convolution follows every shift. Max-pooling is said to make the network indifferent to small ones: a stroke that
# moves inside its window changes nothing.

# %% task pooled_shift [markdown]
# Show that this is luck. Give a 6 × 6 image of zeros and some ones, with an empty last row and column, whose pooled
# image ($S=2$) has at least four times as many ones after it was shifted by one pixel to the right and one down.

# %% exercise pooled_shift
image = ...
### BEGIN SOLUTION
image = np.zeros((6, 6))
image[2:4, 2:4] = 1
### END SOLUTION

# %% check
check.pooled_shift(image)

# %% hint [markdown]

# %% [markdown]
# The windows stay where they are when the ink moves. Only shifts by a multiple of $S$ are sure to pass through
# unharmed.
#
# ## Backwards
# To learn the kernels we need derivatives. In one dimension the output is $y_i=\sum_ak_ax_{i+a}$. Let
# $g_i=\partial c/\partial y_i$ arrive from the layers above. For the derivatives by $k$ and $x$ we may replace $c$ by
# $\sum_ig_iy_i$, which has the same ones.

# %% task shared_chain [markdown]
# Every weight is used at many places. What does it get back from each of them? Keep all products apart until the
# derivative is there: lines 2 and 3 are arrays, and the sums come last.


# %%
def line_1(k, x, g):
    """c = Σᵢ gᵢ Σₐ kₐ xᵢ₊ₐ."""
    return sum(g[i] * sum(k[a] * x[i + a] for a in range(len(k))) for i in range(len(g)))


# %% exercise shared_chain
def line_2(k, x, g):
    """The products that c adds up, row i for place i and column a for weight kₐ: shape (len(g), len(k))."""
    ### BEGIN SOLUTION
    return np.array([[g[i] * k[a] * x[i + a] for a in range(len(k))] for i in range(len(g))])
    ### END SOLUTION


def line_3(k, x, g):
    """The derivative of each product of line 2 by its weight: shape (len(g), len(k))."""
    ### BEGIN SOLUTION
    return np.array([[g[i] * x[i + a] for a in range(len(k))] for i in range(len(g))])
    ### END SOLUTION


# %% check
check.shared_chain(line_2, line_3)

# %% hint [markdown]

# %% [markdown]
# The columns add up to $\frac{\partial c}{\partial k_a}=\sum_ig_i\,x_{i+a}$: a weight collects from all its places.

# %% task input_chain [markdown]
# Every input, too, is used several times: it lies in many windows. Start from the same $c$.


# %%
def line_1(k, x, g):
    """c = Σᵢ gᵢ Σₐ kₐ xᵢ₊ₐ."""
    return sum(g[i] * sum(k[a] * x[i + a] for a in range(len(k))) for i in range(len(g)))


# %% exercise input_chain
def line_2(k, x, g):
    """The products that c adds up, row j for input xⱼ and column a for weight kₐ: shape (len(x), len(k))."""
    ### BEGIN SOLUTION
    padded = np.concatenate([np.zeros(len(k) - 1), g, np.zeros(len(k) - 1)])
    return np.array([[padded[len(k) - 1 + j - a] * k[a] * x[j] for a in range(len(k))] for j in range(len(x))])
    ### END SOLUTION


def line_3(k, x, g):
    """The derivative of each product of line 2 by its input: shape (len(x), len(k))."""
    ### BEGIN SOLUTION
    padded = np.concatenate([np.zeros(len(k) - 1), g, np.zeros(len(k) - 1)])
    return np.array([[padded[len(k) - 1 + j - a] * k[a] for a in range(len(k))] for j in range(len(x))])
    ### END SOLUTION


# %% check
check.input_chain(line_2, line_3)

# %% hint [markdown]

# %% [markdown]
# The rows add up to $\frac{\partial c}{\partial x_j}=\sum_ak_a\,g_{j-a}$, where $g$ counts as 0 outside. The index
# of $g$ falls while that of $k$ rises: the kernel comes back turned round.

# %% task conv_gradient [markdown]
# The same in two dimensions. `G` is $\partial c/\partial Y$ for $Y=k\star X$.


# %% exercise conv_gradient
def conv_gradient(X, k, G):
    """∂c/∂k and ∂c/∂X: a tuple with the shapes of k and X."""
    ### BEGIN SOLUTION
    dk, dX = np.zeros_like(k), np.zeros_like(X)
    for i, j in np.ndindex(G.shape):
        window = np.s_[i : i + k.shape[0], j : j + k.shape[1]]
        dk += G[i, j] * X[window]
        dX[window] += G[i, j] * k
    return dk, dX
    ### END SOLUTION


# %% check
check.conv_gradient(conv_gradient)

# %% hint [markdown]

# %% [markdown]
# $$\frac{\partial c}{\partial k_{ab}}=\sum_{i,j}G_{ij}\,X_{i+a,\,j+b}\quad(20.6)\qquad\qquad
# \frac{\partial c}{\partial X_{pq}}=\sum_{a,b}k_{ab}\,G_{p-a,\,q-b}\quad(20.7)$$
#
# The first is again a cross-correlation, of $X$ with $G$. The second is one with the turned kernel, the convolution of
# signal processing, and $G$ counts as 0 outside.

# %% task max_pool_gradient [markdown]
# And max-pooling? Say which pixels of $X$ the gradient `G` of the pooled image reaches. If a window holds its maximum
# twice, let the first in reading order count.


# %% exercise max_pool_gradient
def max_pool_gradient(X, G, S):
    """∂c/∂X for Y = max-pooling of X with S × S windows and G = ∂c/∂Y: the shape of X."""
    ### BEGIN SOLUTION
    dX = np.zeros(X.shape)
    for i, j in np.ndindex(G.shape):
        window = X[i * S : (i + 1) * S, j * S : (j + 1) * S]
        a, b = divmod(int(window.argmax()), S)
        dX[i * S + a, j * S + b] = G[i, j]
    return dX
    ### END SOLUTION


# %% check
check.max_pool_gradient(max_pool_gradient)

# %% hint [markdown]

# %% [markdown]
# $$\frac{\partial c}{\partial X_{pq}}=\begin{cases}G_{\lfloor p/S\rfloor,\lfloor q/S\rfloor}&\text{if }X_{pq}
# \text{ is the first maximum of its window}\\0&\text{otherwise}\end{cases} \tag{20.8}$$
#
# 1. How many pixels receive a gradient for the windows 2, 4 and 8?
# 2. Move the digit down by one row: does the pooled image move, stay or change?

# %%
explore.Pool()

# %% [markdown]
# 16, 4 and 1 of 64: the larger the window, the fewer pixels of an image there are to learn from. After a shift by one
# row the pooled image of windows of 2 is neither moved nor the same. After two rows it has moved by one.
#
# ## A network that sees
# All pieces together: eight 3 × 3 filters, ReLU, 2 × 2 max-pooling, and softmax on the 72 numbers that are left, 810
# parameters in all. The last layer's error is the one of notebook 13,
#
# $$\frac{\partial c}{\partial z}=\mathrm{softmax}(z)-e_y,\qquad c=-\log\mathrm{softmax}(z)_y. \tag{20.9}$$
#
# We train it on 1000 handwritten digits of 8 × 8 pixels and look at 797 others. Before we do, we let a difference
# test its gradient:

# %%
data = load("digits")
X, y = data.X.reshape(-1, 1, 8, 8) / 16, data.y.astype(int)
net = convolution.initial(np.random.default_rng(0))
G = convolution.gradients(net, X[:20], y[:20])
step = np.zeros_like(net.k)
step[3, 0, 1, 2] = 1e-5
up, down = (convolution.loss(convolution.Net(net.k + s * step, net.b, net.V, net.c), X[:20], y[:20]) for s in (1, -1))
print(f"backwards {G.k[3, 0, 1, 2]:.5f}, difference {(up - down) / 2e-5:.5f}")

# %% [markdown]
# Ten epochs, each of fifty steps on twenty digits. Two others are trained beside it: softmax on the 64 pixels, and the
# same network on digits whose pixels were scrambled, always in the same way.

# %%
explore.Learned()

# %% [markdown]
# The network reaches 97%, softmax alone 95%, with 650 parameters. On scrambled pixels the same network falls
# behind softmax, to 94%. The information is all there, but hardly a pixel has its neighbours beside it, and the filters
# look for patterns where there are none. Three of the eight learnt filters are mainly edges, each at another angle.
#
# One percent of 797 digits is eight digits, so a single split proves little. On five splits, each with a new start, the
# network was ahead of softmax four times and level with it once, and the scrambled one was behind softmax five times.
#
# All three were trained with the step size $\eta=0.3$, and that is a choice too, made for the network and by looking at
# these very digits. With $\eta=0.1$ it is still ahead. With $\eta=0.6$ its steps are too long, and softmax, which bears
# them, is ahead instead. A fair comparison gives each classifier its own $\eta$, chosen on digits that are not counted
# afterwards.

# %% task autoencoder_slopes [markdown]
# A network can also learn without labels. An *autoencoder* has its own input as the target, and in the middle a code
# that is narrower. The smallest one is linear: $E$ is $(d,K)$ and encodes, $D$ is $(K,d)$ and decodes. For centred $X$,
#
# $$J(E,D)=\tfrac1n\lVert X-XED\rVert^2, \tag{20.10}$$
#
# where $\lVert\cdot\rVert^2$ adds up the squares of all entries. Derive both gradients.


# %% exercise autoencoder_slopes
def autoencoder_slopes(X, E, D):
    """∂J/∂E and ∂J/∂D: a tuple with the shapes of E and D."""
    ### BEGIN SOLUTION
    R = 2 / len(X) * (X @ E @ D - X)
    return X.T @ R @ D.T, (X @ E).T @ R
    ### END SOLUTION


# %% check
check.autoencoder_slopes(autoencoder_slopes)

# %% hint [markdown]

# %% [markdown]
# $$\frac{\partial J}{\partial E}=\tfrac2nX^\top(XED-X)D^\top,\qquad
# \frac{\partial J}{\partial D}=\tfrac2nE^\top X^\top(XED-X) \tag{20.11}$$
#
# How far down does gradient descent come? Notebook 23 shows that the best plane for the data is that of the first
# principal components, so with $\lambda_1\ge\lambda_2\ge\dots$ the eigenvalues of $S=\frac1nX^\top X$
#
# $$\min J=\sum_{k>K}\lambda_k. \tag{20.12}$$
#
# Four numbers for 64 pixels, from a random start:

# %%
X = load("digits").X / 16
X = X - X.mean(axis=0)
rng = np.random.default_rng(0)
E, D = 0.1 * rng.normal(size=(64, 4)), 0.1 * rng.normal(size=(4, 64))
for _ in range(2000):
    dE, dD = convolution.autoencoder_gradient(X, E, D)
    E, D = E - 0.1 * dE, D - 0.1 * dD
print(f"J {convolution.autoencoder_loss(X, E, D):.4f}, dropped eigenvalues {convolution.code_floor(X, 4):.4f}")

# %% [markdown]
# 1. How many numbers does it take until you can read the digits?
# 2. What is decoded from an empty code, $K=0$?

# %%
explore.Codes()

# %% [markdown]
# With about ten numbers, three quarters of the variance, most digits can be read. From an empty code comes the mean
# of all images, a grey cloud, and the error is the whole variance, 4.69.

# %% task nonlinear_code [markdown]
# Now bend the code: $H=\sigma(XE)$ with some activation σ, and $HD$ as before. Can the error of (20.10) fall below
# the sum of the dropped eigenvalues?

# %% exercise nonlinear_code
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "b", "i"
### END SOLUTION

# %% check
check.nonlinear_code(choice, reason)

# %% hint [markdown]

# %% [markdown]
# To gain more than PCA the *decoder* has to be bent as well, with hidden layers of its own.
#
# ## Spot the slip
# A formula as printed in well-meaning lecture notes. It is wrong in one place. Mend it, and give an input at which the
# printed version fails.

# %% task same_width_padding [markdown]
# > *A convolutional layer has four hyperparameters: the number of filters $K$, their size $F$, the stride $S$, and the
# > zero padding $P=\frac{F-1}2$*, which keeps the width $W$ of the image.
#
# Which $P$ keeps the width, for every stride? Do not round: where $P$ is not whole there is no such padding.


# %% exercise same_width_padding
def same_width_padding(W, F, S):
    """The P for which the output is as wide as the input, W: a number."""
    ### BEGIN SOLUTION
    return ((S - 1) * W + F - S) / 2
    ### END SOLUTION


fails_at = ...  # a tuple (W, F, S)
### BEGIN SOLUTION
fails_at = (6, 4, 2)
### END SOLUTION

# %% check
check.same_width_padding(same_width_padding, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$P=\frac{(S-1)W+F-S}2 \tag{20.13}$$
#
# At $S=1$ this is $\frac{F-1}2$, whole for odd $F$. At $S=2$ about half of every padded row would be zeros, and so a
# stride is used to make images smaller, not to keep them.

# %% task scrambled_digits [markdown]
# On the scrambled digits the network with filters is worse than softmax alone, on the others it is better. Softmax
# does not notice the scrambling at all. Explain in about 120 words: why softmax does not notice, which two assumptions
# the filters make, and for which kind of data you would not use them.

# %% explain scrambled_digits [markdown]
# ### BEGIN SOLUTION
# Softmax has one weight for every pixel and class. If the pixels are permuted, the permuted weights give the same
# scores, so it learns the same and is as good. A filter assumes that neighbouring pixels belong together, since it sees
# only 3 × 3 of them at a time, and that a pattern means the same wherever it is, since its weights are shared.
# Scrambling breaks both: the nine pixels of a window come from all over the digit, and every window would need
# weights of its own. Pooling then merges numbers that have nothing to do with each other. So sharing saves weights
# and examples where the assumptions hold, as in images and sound, and costs accuracy where the order of the columns
# means nothing, as in a table of patients.
#
# Marks: one point for the permuted weights, one for the two assumptions and how they break, one for what follows.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# A convolutional layer lays the same small kernels on every window of an image: few weights, and a shifted image gives
# a shifted answer. On the way back a shared weight collects from all its places, an input from all its windows, and
# max-pooling passes the gradient to one pixel of each. A linear autoencoder ends at the principal components, and a
# bent code with a flat decoder comes no further. Notebook 21 looks for groups in data without labels.
#
# *Data:* Alpaydin and Kaynak, *Optical recognition of handwritten digits*, UCI Machine Learning Repository (1998).

# %% symbols Trees, ensembles and networks [markdown]
# | $F$, $P$, $S$ | size of a filter, padding, stride | `F`, `P`, `S` |
# | $E$, $D$ | encoder and decoder of a linear autoencoder | `E`, `D` |
