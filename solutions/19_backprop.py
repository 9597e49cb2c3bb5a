# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can send derivatives backwards through any graph, derive the gradient of a network and write it in
# five lines, explain why the loss has many valleys and why deep sigmoid networks stall, and keep a large network
# from learning the noise.

# %%
import numpy as np

from mlcore import backprop
from mlcore.backprop import sigmoid
from mlcore.checks.backprop import check
from mlcore.explore import backprop as explore

# %% [markdown]
# ## See
# Forty points on a wave, and a model that is a sum of eight sigmoids. Each sigmoid has a position, a steepness and a
# height: with a constant, 25 numbers. Gradient descent moves all of them at once. Let it take more steps and fewer,
# longer and shorter ones.

# %%
explore.Training()

# %% [markdown]
# With the step size 0.1 the error is 1 after the first step and 0.01 after about three thousand. With ten times the
# step size, ten steps are enough to ruin the model: the error is above 2000, and all sigmoids are flat on the data, so
# that their weights hardly move any more. Only the constant does: it jumps from one side of the data to the other.
# Every step needs 25 derivatives, and a large network needs millions.
#
# ## Predict
# To compute the loss once takes one pass through the network. How many such passes do 25 derivatives cost? And a
# million? Decide before you go on.

# %% [markdown]
# ## Derive
# A smaller example first. We compute $J=\cos(\sin x^2+3x^2)$ in small steps, and each step is a node of a graph:
#
# $$t=x^2,\qquad u_1=\sin t,\qquad u_2=3t,\qquad u=u_1+u_2,\qquad J=\cos u \tag{19.1}$$
#
# Forwards we get the values. Backwards, from $J$ to $x$, we get the derivatives: every node multiplies what it
# receives by its own small derivative and hands it on.

# %%
explore.Graph()

# %% [markdown]
# Blue numbers are values, orange ones are derivatives of $J$ by the node. Find an $x$ at which the two paths arrive
# at $t$ with opposite signs. At $x=2$ they do: −0.634 and 2.908.

# %% task graph_slope [markdown]
# Compute $\mathrm dJ/\mathrm dx$ by the pass backwards.


# %% exercise graph_slope
def graph_slope(x):
    """The derivative of J = cos(sin x² + 3x²) at x: a number."""
    ### BEGIN SOLUTION
    t = x**2
    u = np.sin(t) + 3 * t
    du = -np.sin(u)
    dt = du * np.cos(t) + du * 3
    return dt * 2 * x
    ### END SOLUTION


# %% check
check.graph_slope(graph_slope)

# %% hint [markdown]

# %%
for x in (0.5, 1.0):
    print(f"x = {x}: J = {backprop.graph_forward(x)[-1]:.6f}, dJ/dx = {backprop.graph_slope(x):.6f}")

# %% task graph_backward [markdown]
# Now any graph. Its nodes $v_1,\dots,v_m$ are in the order of computation, and the matrix $D$ holds the small
# derivatives: $D_{ij}=\partial v_i/\partial v_j$ if $v_i$ is computed from $v_j$, otherwise 0. Only entries below the
# diagonal can differ from 0. Write $\bar v_j$ for $\partial v_m/\partial v_j$ and compute all of them in one pass.


# %% exercise graph_backward
def graph_backward(D):
    """The derivatives of the last node by every node: shape (m,)."""
    ### BEGIN SOLUTION
    bar = np.zeros(len(D))
    bar[-1] = 1.0
    for i in range(len(D) - 1, 0, -1):
        bar += bar[i] * D[i]
    return bar
    ### END SOLUTION


# %% check
check.graph_backward(graph_backward)

# %% hint [markdown]

# %% [markdown]
# $$\bar v_j=\sum_{i}\bar v_i\,\frac{\partial v_i}{\partial v_j},\qquad\bar v_m=1 \tag{19.2}$$
#
# The sum goes over all nodes $i$ that use $v_j$. Multiplied out, it is a sum over all paths from $j$ to $m$, and a
# graph can have very many of them. Set every derivative to 1 and $\bar v_1$ counts the paths. Here each of twenty
# stages splits in two and joins again:

# %%
diamond = np.zeros((61, 61))
for k in range(0, 60, 3):
    diamond[[k + 1, k + 2], k] = diamond[k + 3, [k + 1, k + 2]] = 1
print(f"{int(diamond.sum())} edges, {int(backprop.graph_backward(diamond)[0])} paths")

# %% [markdown]
# The pass backwards visits each edge once, as the pass forwards does. So all derivatives together cost about as much
# as two or three values of the function, be there 25 or a million. Differences $\frac{C(w+h)-C(w)}h$ would cost one
# pass for each weight.
#
# ## A network
# A network repeats two steps: a linear map, and an activation $\sigma$ for every number. With $x_1=x$,
#
# $$z_{l+1}=W_lx_l+b_l,\qquad x_l=\sigma(z_l),\qquad f=z_{L+1}, \tag{19.3}$$
#
# and the output has no activation. $W_l$ takes $d_l$ numbers to $d_{l+1}$, so it is $(d_{l+1},d_l)$: the input's size
# is the *second* dimension of $W_1$. The loss is a sum over the points,
#
# $$C=\sum_ic(f(x_i),y_i),\qquad c=\lVert f-y\rVert^2. \tag{19.4}$$

# %% task hidden_chain [markdown]
# One point, one hidden layer of sigmoids, one output: $z=Wx+b$, $h=\sigma(z)$, $f=a^\top h$, $c=(f-y)^2$. Go back
# from the loss to the weights, one arrow at a time. Each line is the derivative of $c$ by another node, and each
# follows from the line before it by the chain rule; lines 4 and 5 return the factors, before they are multiplied.


# %%
def line_1(W, b, a, x, y):
    """The loss c of one point."""
    h = sigmoid(W @ x + b)
    return (a @ h - y) ** 2


# %% exercise hidden_chain
def line_2(W, b, a, x, y):
    """∂c/∂f: a number."""
    ### BEGIN SOLUTION
    h = sigmoid(W @ x + b)
    return 2 * (a @ h - y)
    ### END SOLUTION


def line_3(W, b, a, x, y):
    """∂c/∂h: shape (m,)."""
    ### BEGIN SOLUTION
    return line_2(W, b, a, x, y) * a
    ### END SOLUTION


def line_4(W, b, a, x, y):
    """∂c/∂z in two factors: (∂c/∂h, ∂h/∂z), both of shape (m,)."""
    ### BEGIN SOLUTION
    h = sigmoid(W @ x + b)
    return line_3(W, b, a, x, y), h * (1 - h)
    ### END SOLUTION


def line_5(W, b, a, x, y):
    """∂c/∂W in three factors: (∂c/∂h, ∂h/∂z, ∂z/∂W) with shapes (m,), (m,), (d,); entry j of the last is for Wᵢⱼ."""
    ### BEGIN SOLUTION
    arrives, slope = line_4(W, b, a, x, y)
    return arrives, slope, x
    ### END SOLUTION


def line_6(W, b, a, x, y):
    """∂c/∂x before the sum over the units, one row for each unit: shape (m, d)."""
    ### BEGIN SOLUTION
    arrives, slope, _ = line_5(W, b, a, x, y)
    return (arrives * slope)[:, None] * W
    ### END SOLUTION


# %% check
check.hidden_chain(line_2, line_3, line_4, line_5, line_6)

# %% hint [markdown]

# %% [markdown]
# Your first two factors make $\delta=\partial c/\partial z$, and $\partial c/\partial W=\delta x^\top$. The rows of
# line 6 add up to $W^\top\delta$: that is what arrives at the layer below, and there the same steps begin again. Write
# $\delta_l=\partial c/\partial z_l$ and $\odot$ for the product entry by entry. Then
#
# $$\delta_{L+1}=2(f-y),\qquad\delta_l=(W_l^\top\delta_{l+1})\odot\sigma'(z_l), \tag{19.5}$$
#
# $$\frac{\partial c}{\partial W_l}=\delta_{l+1}x_l^\top,
# \qquad\frac{\partial c}{\partial b_l}=\delta_{l+1}. \tag{19.6}$$
#
# A weight's derivative is the error at its far end times the signal at its near end.

# %% task mlp_gradient [markdown]
# All points at once: $X$ is $(n,d)$ with points as rows, $y$ is $(n,)$, `W1` is $(m,d)$, `w2` is $(m,)$, and
# $f=w_2^\top\sigma(W_1x+b_1)+b_2$. Return the four gradients of $C$, the sum over the points.


# %% exercise mlp_gradient
def mlp_gradient(X, y, W1, b1, w2, b2):
    """∂C/∂W1, ∂C/∂b1, ∂C/∂w2, ∂C/∂b2: a tuple with the shapes of W1, b1, w2 and b2."""
    ### BEGIN SOLUTION
    H = sigmoid(X @ W1.T + b1)
    delta3 = 2 * (H @ w2 + b2 - y)
    Delta2 = np.outer(delta3, w2) * H * (1 - H)
    return Delta2.T @ X, Delta2.sum(axis=0), H.T @ delta3, delta3.sum()
    ### END SOLUTION


# %% check
check.mlp_gradient(mlp_gradient)

# %% hint [markdown]

# %% [markdown]
# Never trust a gradient that no difference has tested. `backprop.gradients` does (19.5) and (19.6) for any number of
# layers. Here it is on a net with three layers of weights, against differences in all of them:

# %%
rng = np.random.default_rng(0)
Ws, bs = backprop.initial((3, 10, 10, 1), rng)
X, y = rng.normal(size=(20, 3)), rng.normal(size=(20, 1))
dWs, dbs = backprop.gradients(Ws, bs, X, y)
gap = 0.0
for W, G in zip(Ws, dWs, strict=True):
    for at in np.ndindex(W.shape):
        C = []
        for step in (1e-5, -2e-5):
            W[at] += step
            C.append(backprop.loss(backprop.forward(Ws, bs, X)[-1], y))
        W[at] += 1e-5
        gap = max(gap, abs((C[0] - C[1]) / 2e-5 - G[at]))
print(f"largest gradient {max(np.abs(G).max() for G in dWs):.2f}, largest difference below 1e-6: {gap < 1e-6}")

# %% task network_size [markdown]
# How many weights and biases does a network with the layer sizes $d_1,\dots,d_{L+1}$ have in all?


# %% exercise network_size
def network_size(sizes):
    """The number of weights and biases; sizes is an array of whole numbers (inputs, …, outputs)."""
    ### BEGIN SOLUTION
    return int(np.sum(sizes[1:] * (sizes[:-1] + 1)))
    ### END SOLUTION


# %% check
check.network_size(network_size)

# %% hint [markdown]

# %%
print(f"weights {sum(W.size for W in Ws)}, with biases {backprop.parameters((3, 10, 10, 1))}")

# %% [markdown]
# $$p=\sum_ld_{l+1}(d_l+1) \tag{19.7}$$
#
# ## What one hidden layer can do
# A steep sigmoid is a step: $a\,\sigma(s(x-m))$ rises by $a$ at $x=m$. A sum of steps is a staircase, and a staircase
# can follow any continuous curve.

# %% task step_network [markdown]
# Build a network $f(x)=\sum_ka_k\,\sigma(w_kx+b_k)$ that stays within 0.01 of $g(x)=\cos3x+\frac12\sin9x$ on the whole
# of $[0,1]$. Do not train it: write its weights down. You may use as many units as you like.


# %% exercise step_network
def g(x):
    """The curve to follow."""
    return np.cos(3 * x) + 0.5 * np.sin(9 * x)


network = ...  # three rows: w, b and a, one column for each hidden unit
### BEGIN SOLUTION
m, s = 300, 900.0
t = np.linspace(0, 1, m + 1)
middle = np.append(-1.0, (t[1:] + t[:-1]) / 2)
network = np.array([np.full(m + 1, s), -s * middle, np.append(g(0.0), np.diff(g(t)))])
### END SOLUTION

# %% check
check.step_network(network)

# %% hint [markdown]

# %% [markdown]
# $$f(x)=g(t_0)+\sum_k\bigl(g(t_k)-g(t_{k-1})\bigr)\,\sigma\bigl(s(x-m_k)\bigr) \tag{19.8}$$
#
# So one hidden layer is enough in principle. This says that good weights exist. It does not say that gradient
# descent finds them.
#
# ## The landscape
# The smallest network that shows the difficulty has two neurons, $f(x)=\sigma(x-w_1)+\sigma(x-w_2)$, and the loss
#
# $$L(w_1,w_2)=\sum_i\bigl(\sigma(x_i-w_1)+\sigma(x_i-w_2)-y_i\bigr)^2. \tag{19.9}$$
#
# Sixty noisy points were made by such a network. In the left half the dark lines are low.
#
# 1. Where is the second minimum, and what is on the straight way to it?
# 2. Which of the three landscapes could gradient descent not use at all?

# %%
explore.TwoNeurons()

# %% [markdown]
# The second minimum is the mirror image at the diagonal: the neurons have changed places, and the sum is the same.
# Between the two lies the diagonal, where both neurons do the same work, and there the loss is higher. The landscape
# of the step activation is a staircase. Its gradient is 0 almost everywhere, and descent does not start.

# %% task valley_between [markdown]
# Show it for the three activations sigmoid, ReLU and step, in this order: one pair $(w_1,w_2)$ each, for which the
# midpoint of $(w_1,w_2)$ and $(w_2,w_1)$ has a mean squared error that is larger by more than 0.02.

# %% exercise valley_between
pairs = ...  # three rows (w1, w2): sigmoid, ReLU, step
### BEGIN SOLUTION
pairs = [[-3, 2], [-2.5, 1], [-1.5, 3]]
### END SOLUTION

# %% check
check.valley_between(pairs)

# %% hint [markdown]

# %% task swapped_neurons [markdown]
# Suppose that the best weights of a network have $w_1\neq w_2$, and that the midpoint of $(w_1,w_2)$ and $(w_2,w_1)$ is
# worse than both. What follows?

# %% exercise swapped_neurons
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "a", "ii"
### END SOLUTION

# %% check
check.swapped_neurons(choice, reason)

# %% hint [markdown]

# %% [markdown]
# Ten hidden units can be ordered in $10!=3{,}628{,}800$ ways, so every minimum with ten different units has that many
# copies. They are equally good, and we need only one. The symmetry does harm at the start: units that begin equal
# receive equal gradients and stay equal for ever. Here are three hidden units after a thousand steps from a start with
# the same weights in every unit:

# %%
Ws, bs = [np.ones((3, 1)), np.ones((1, 3))], [np.zeros(3), np.zeros(1)]
X = np.linspace(-1, 1, 20)[:, None]
states = backprop.descent(Ws, bs, X, np.sin(3 * X), eta=0.002)
Ws, bs = next(state for t, state in enumerate(states) if t == 1000)
Ws[0].ravel().round(4)

# %% [markdown]
# That is why weights start at random.
#
# ## Break it
# More layers, more power? Equation (19.5) multiplies by $W_l^\top$ and by $\sigma'$ in every layer.

# %% task depth_bound [markdown]
# The error passes backwards through sigmoid layers whose weights have the norms `norms`, where
# $\lVert W\rVert$ is the largest factor by which $W^\top$ can stretch a vector. By which factor can the length of
# $\delta$ have grown at most, after all of them?


# %% exercise depth_bound
def depth_bound(norms):
    """The largest possible ratio of ‖δ‖ after and before; norms holds one ‖W‖ for each sigmoid layer: a number."""
    ### BEGIN SOLUTION
    return np.prod(np.asarray(norms) / 4)
    ### END SOLUTION


# %% check
check.depth_bound(depth_bound)

# %% hint [markdown]

# %% [markdown]
# $$\lVert\delta_2\rVert\ \le\ \lVert\delta_{L+1}\rVert\prod_{l=2}^{L}\frac{\lVert W_l\rVert}4 \tag{19.10}$$
#
# With weights of norm 1, ten sigmoid layers leave at most

# %%
print(f"{backprop.depth_bound(np.ones(10)):.1e}")

# %% [markdown]
# Below, a net with thirty units in each layer, and $\lVert\Delta_l\rVert$ for all its layers.
#
# 1. With sigmoids, does a larger scale of the weights help?
# 2. At which scale does ReLU keep the length of the error?

# %%
explore.Depth()

# %% [markdown]
# At the scale 1 every sigmoid layer multiplies the error by 0.23, and after nineteen of them $10^{-12}$ is left. Larger
# weights help less than one would hope, as they push the units to where the sigmoid is flat: four times the weights
# give a factor of 0.56. ReLU has the slope 1 for about half of its units, so the scale $\sqrt2\approx1.4$ keeps the
# length (a factor of 0.97). Beyond it the error explodes: $10^8$ after nineteen layers at the scale 4.

# %% task decay_step [markdown]
# A large network can learn the noise. One remedy is *weight decay*: descend on $C+\lambda\sum_l\lVert W_l\rVert^2$,
# where $\lVert W\rVert^2$ is the sum of the squared entries. Biases are free. `G` and `g` are
# $\partial C/\partial W$ and $\partial C/\partial b$. Take one step of size η.


# %% exercise decay_step
def decay_step(W, b, G, g, eta, lam):
    """One step of gradient descent with weight decay: a tuple (W, b) of new arrays."""
    ### BEGIN SOLUTION
    return W - eta * (G + 2 * lam * W), b - eta * g
    ### END SOLUTION


# %% check
check.decay_step(decay_step)

# %% hint [markdown]

# %% [markdown]
# $$W\leftarrow(1-2\eta\lambda)\,W-\eta\frac{\partial C}{\partial W},\qquad
# b\leftarrow b-\eta\frac{\partial C}{\partial b} \tag{19.11}$$
#
# The first factor gives the method its name: without data, the weights decay.

# %% task stop_early [markdown]
# The other remedy is to stop in time. After every step $t$ we measure the error $e_t$ on points that are not
# trained on. Training ends at the first $t$ at which the best step so far is `patience` steps old. A tie is no
# improvement. The weights of the best step so far are kept: which step is it? If training never ends so, all steps
# count.


# %% exercise stop_early
def stop_early(errors, patience):
    """The number of the step whose weights are kept; errors holds e_0, e_1, …: a whole number."""
    ### BEGIN SOLUTION
    best = 0
    for t in range(len(errors)):
        if errors[t] < errors[best]:
            best = t
        if t - best == patience:
            break
    return best
    ### END SOLUTION


# %% check
check.stop_early(stop_early)

# %% hint [markdown]

# %% [markdown]
# $$t^*=\arg\min_{t\le T}e_t,\qquad T=\text{the first }t\text{ with }t-\arg\min_{s\le t}e_s=\text{patience}
# \tag{19.12}$$
#
# Sixteen noisy points, thirty units, and steps on random fours of the points, which make the error restless.
#
# 1. How much patience does it take to find the best step?
# 2. If training must run to the end, which λ is best?

# %%
explore.Stopping()

# %% [markdown]
# Without a stop the error on new points ends at 0.39. A patience of 50 steps gives up at the first bad luck, with 0.24;
# 200 find the best step, with 0.175. Run to the end, λ = 0.1 is best, with 0.29.
#
# Do not take these numbers home. We chose the sixteen points because they show the effect clearly, and 0.175 is the
# smallest of 401 looks at the same new points. On ten data sets that we did not choose, judged on 2000 further points,
# stopping was better every time, 0.20 against 0.26 on average, and λ = 0.1 better than almost none in eight of ten.
#
# One text recommends early stopping *to avoid local optima*. It does not: it avoids a minimum of the training error,
# because that minimum is over-fitted.

# %% [markdown]
# ## Spot the slip
# A claim as printed in a well-meaning text, with the argument that it needs. It is wrong in one place. Mend it, and
# give an input at which the printed version fails.

# %% task linear_hessian [markdown]
# > *Networks give non-convex problems, except in very simple cases such as when the activation is linear.* There
# > $f(x)=awx$, and the loss $\sum_i(awx_i-y_i)^2$ has in $(a,w)$ the Hessian
# > $2\sum_i\begin{pmatrix}w^2x_i^2&awx_i^2\\awx_i^2&a^2x_i^2\end{pmatrix}$, which has no negative eigenvalue.
#
# Which Hessian is right? And for which $(a,w,x,y)$ does the printed one differ?


# %% exercise linear_hessian
def linear_hessian(a, w, x, y):
    """The Hessian of Σ(awxᵢ − yᵢ)² in (a, w); x and y are (n,): shape (2, 2)."""
    ### BEGIN SOLUTION
    corner = (2 * a * w * x - y) @ x
    return 2 * np.array([[w**2 * x @ x, corner], [corner, a**2 * x @ x]])
    ### END SOLUTION


fails_at = ...  # a tuple (a, w, x, y)
### BEGIN SOLUTION
fails_at = (0.0, 0.0, [1.0, 2.0], [1.0, 2.0])
### END SOLUTION

# %% check
check.linear_hessian(linear_hessian, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$H=2\sum_i\begin{pmatrix}w^2x_i^2&r_ix_i+awx_i^2\\r_ix_i+awx_i^2&a^2x_i^2\end{pmatrix},
# \qquad r_i=awx_i-y_i \tag{19.13}$$
#
# The weights multiply each other, and that alone is enough: at $a=w=0$ one eigenvalue is negative, unless
# $\sum_ix_iy_i=0$. The model is linear in $x$ but not in its parameters. The same text calls the global optimum
# *impossible* to find. It is hard to find in general, and often not needed.

# %% task silent_layers [markdown]
# A colleague trains a network of twelve sigmoid layers. The last layers change with every step, the first ones not at
# all, and the loss hardly falls. She suspects a local minimum, halves the step size, and thinks about stopping early.
# Explain in about 120 words, with (19.5): what happens, why her two ideas do not help, and one change that does, with
# the factor that it changes.

# %% explain silent_layers [markdown]
# ### BEGIN SOLUTION
# By (19.5) the error of the first layer is a product with one factor Wᵀ and one σ′ for every sigmoid layer. The slope
# of the sigmoid is at most 1/4, so with weights of norm 1 at most 4⁻¹², less than one ten-millionth, arrives. The first
# layers get gradients of almost zero although the loss is far from a minimum: in a local minimum the gradients of the
# last layers would vanish too. Half the step size halves these tiny steps once more. Early stopping is for a training
# error that is too good, and hers is bad. ReLU has the slope 1 where it is active, so σ′ no longer shrinks the product,
# and with weights of variance 2/d the length of δ is kept. Fewer layers help as well.
#
# Marks: one point for the product and the 1/4, one for why it is no minimum and what a smaller step does, one for a
# change with its factor.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# Backpropagation walks a graph from its last node to its first, multiplies along edges, adds where paths meet, and
# gets all derivatives for the price of a few passes. For a network it says
# $\delta_l=(W_l^\top\delta_{l+1})\odot\sigma'(z_l)$, and the same product explains why deep sigmoid networks stall. The
# loss is not convex, the copies of a minimum are equally good, and weight decay and early stopping keep a large network
# from learning the noise. Notebook 20 shares the weights of a layer across an image.
#
# *Data:* made by the code.

# %% symbols Trees, ensembles and networks [markdown]
# | $W_l$, $b_l$, $z_l$, $x_l$ | weights and biases of layer $l$; its input before and after the activation | `Ws`,
# `bs` |
# | $\delta_l=\partial c/\partial z_l$ | back-propagated error | `deltas` |
# | $\bar v=\partial J/\partial v$ | derivative of the result with respect to a node of the graph | `graph_backward` |
