# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can write a joint distribution as a product of small tables, compute any belief from it by pushing sums
# in, say what an order of elimination costs, explain an alarm away, classify digits by counting pixels, and normalise a
# model that has no arrows.

# %%
import numpy as np

from mlcore import graphical_models as gm
from mlcore.checks.graphical_models import check
from mlcore.explore import graphical_models as explore

# %% [markdown]
# ## See
# A reactor has a gauge for the temperature of its core and an alarm that watches the gauge. The gauge can be faulty,
# and so can the alarm. An arrow says: this influences that.

# %%
explore.Alarm()

# %% [markdown]
# The alarm takes the belief in a hot core from 0.1000 to 0.5175. Then somebody reports that the gauge is faulty. This
# news is not about the core, and no arrow joins the two, yet the belief falls back to 0.1000.

# %% [markdown]
# ## Predict
# Is a faulty gauge *always* a reason to worry less about the core? And if we cannot hear the alarm, does the report
# change anything? Decide before you go on.

# %% [markdown]
# ## Many small tables
# Five yes-or-no variables have 32 combinations, and a table of their probabilities answers every question. With forty
# variables no computer holds the table, and no data would fill it. A network is cheaper: each variable brings one
# table, its distribution given its **parents**, the variables whose arrows point to it.
#
# $$p(x_1,\dots,x_M)=\prod_ip(x_i\mid x_{\mathrm{pa}(i)}) \tag{27.1}$$

# %% task network_parameters [markdown]
# Variable $i$ takes $k_i$ values, and `parents[i, j]` is 1 if $j$ is a parent of $i$. How many rows has the table of
# all variables, how many of its entries are free, and how many free entries have all tables of the network together?


# %% exercise network_parameters
def network_parameters(k, parents):
    """k is (M,), parents is (M, M): a tuple (rows, free, network) of whole numbers."""
    ### BEGIN SOLUTION
    rows = np.prod(k)
    network = sum((k[i] - 1) * np.prod(k[parents[i] == 1]) for i in range(len(k)))
    return rows, rows - 1, network
    ### END SOLUTION


# %% check
check.network_parameters(network_parameters)

# %% hint [markdown]

# %% [markdown]
# $$\prod_ik_i\ \text{rows},\qquad\prod_ik_i-1\ \text{free},\qquad
# \sum_i(k_i-1)\prod_{j\in\mathrm{pa}(i)}k_j\ \text{in the network} \tag{27.2}$$
#
# For the alarm this is 32, 31 and $1+1+1+4+4=11$. One text gives the table $2^M-1$ *rows*; that is the number of free
# entries.

# %% task alarm_joint [markdown]
# Multiply the five tables of the alarm network. The variables are $h$ (core hot), $f$ (gauge faulty), $a$ (alarm
# faulty), $g$ (gauge reads high) and $s$ (alarm sounds), and the arrows are those of the figure.


# %% exercise alarm_joint
def alarm_joint(p_h, p_f, p_a, P_g, P_s):
    """P_g has the axes (h, f, g), P_s has (a, g, s): the joint table with the axes (h, f, a, g, s)."""
    ### BEGIN SOLUTION
    return np.einsum("h,f,a,hfg,ags->hfags", p_h, p_f, p_a, P_g, P_s)
    ### END SOLUTION


# %% check
check.alarm_joint(alarm_joint)

# %% hint [markdown]

# %% [markdown]
# A belief is now a sum over rows, divided by another: with evidence $e$,
#
# $$p(h\mid e)=\frac{\sum_{\text{rest}}p(h,e,\text{rest})}{\sum_{h,\text{rest}}p(h,e,\text{rest})}. \tag{27.3}$$

# %% task hot_core_beliefs [markdown]
# From a joint table with two values for each variable, compute $P(h{=}1)$, $P(h{=}1\mid s{=}1)$ and
# $P(h{=}1\mid s{=}1,f{=}1)$.


# %% exercise hot_core_beliefs
def hot_core_beliefs(J):
    """J has the axes (h, f, a, g, s): a tuple of three numbers."""
    ### BEGIN SOLUTION
    alarm = J[:, :, :, :, 1].sum(axis=(1, 2, 3))
    both = J[:, 1, :, :, 1].sum(axis=(1, 2))
    return J[1].sum(), alarm[1] / alarm.sum(), both[1] / both.sum()
    ### END SOLUTION


# %% check
check.hot_core_beliefs(hot_core_beliefs)

# %% hint [markdown]

# %% [markdown]
# The network of the figure, by the sum over its whole table, and the probability of an alarm:

# %%
J = gm.product(gm.alarm(), "hfags")
{"P(s)": J[..., 1].sum().round(4).item(), "P(h|s)": (J[1, ..., 1].sum() / J[..., 1].sum()).round(4).item()}

# %% [markdown]
# ## Derive: push the sums in
# The sum of (27.3) runs over all combinations, and that is what we cannot afford. But a factor that does not contain
# the summed variable may leave the sum: $\sum_axy_a=x\sum_ay_a$. What a sum leaves behind is called a **message**,
# a small table over the variables that it was joined to.

# %% task push_sums_in [markdown]
# From the sum over everything to a few small sums: $p(h,s)$ for an alarm that sounds. `P_s` is what is left of the
# table of $s$, with the axes $(a,g)$; `P_g` has the axes $(h,f,g)$. Line 2 puts every factor of line 1 where it
# belongs. Each line after it does one of the three sums, and returns the message.


# %%
def line_1(p_h, p_f, p_a, P_g, P_s):
    """The sum over f, a and g of the product of all factors."""
    return np.einsum("h,f,a,hfg,ag->h", p_h, p_f, p_a, P_g, P_s)


# %% exercise push_sums_in
def line_2(p_h, p_f, p_a, P_g, P_s):
    """(front, behind_f, behind_g, behind_a): four arrays, with axes in the order of those of P_g and P_s."""
    ### BEGIN SOLUTION
    return p_h, p_f, P_g, p_a[:, None] * P_s
    ### END SOLUTION


def line_3(p_h, p_f, p_a, P_g, P_s):
    """The message of the sum over a, a vector over g."""
    ### BEGIN SOLUTION
    return p_a @ P_s
    ### END SOLUTION


def line_4(p_h, p_f, p_a, P_g, P_s):
    """The message of the sum over g, a table over h and f."""
    ### BEGIN SOLUTION
    return P_g @ line_3(p_h, p_f, p_a, P_g, P_s)
    ### END SOLUTION


def line_5(p_h, p_f, p_a, P_g, P_s):
    """The message of the sum over f, a vector over h: shape (k,)."""
    ### BEGIN SOLUTION
    return line_4(p_h, p_f, p_a, P_g, P_s) @ p_f
    ### END SOLUTION


# %% check
check.push_sums_in(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# The message of line 5, with $p(h)$ in front, is
#
# $$p(h,s)=p(h)\sum_fp(f)\sum_gp(g\mid h,f)\sum_ap(a)\,p(s\mid a,g) \tag{27.4}$$
#
# ## Spot the slip
# Two statements as printed in well-meaning lecture notes. Each is wrong in one place. Mend it, and give an input at
# which the printed version fails. The first is here, the second near the end.

# %% task extra_sum [markdown]
# > $p(h)\sum_fp(f)\sum_gp(g\mid h,f)\,m_a(g)=p(h)\sum_fp(f)\sum_gm_g(h,f)=\dots$
#
# Take a network in which all variables have $k$ values. What does the last expression have to be?


# %% exercise extra_sum
def extra_sum(p_h, p_f, m_g):
    """p(h, s) from p_h (k,), p_f (k,) and the message m_g with the axes (h, f): shape (k,)."""
    ### BEGIN SOLUTION
    return p_h * (m_g @ p_f)
    ### END SOLUTION


fails_at = ...  # a tuple (p_h, p_f, m_g)
### BEGIN SOLUTION
fails_at = ([0.9, 0.1], [0.95, 0.05], [[0.07, 0.49], [0.9, 0.49]])
### END SOLUTION

# %% check
check.extra_sum(extra_sum, fails_at)

# %% hint [markdown]

# %% [markdown]
# The message $m_g(h,f)$ knows no $g$, so the printed sum multiplies by $k$. In the posterior this cancels,
# which is why it can stay unnoticed; $P(s)$ comes out as 0.3432 in place of 0.1716.
#
# ## Any network, any order
# A **factor** is a table with one axis for each of its variables. To eliminate a variable $v$, multiply all factors
# that contain it and sum over it.

# %% task sum_out [markdown]
# Do this for two factors that both contain `v`. A scope is a string with one letter for each axis: `"ab"` for a table
# over $a$ and $b$. The result has the letters of `a`, then those that only `b` has, without `v`.


# %% exercise sum_out
def sum_out(a, A, b, B, v):
    """The factor that is left when v is eliminated from A (scope a) and B (scope b): an array."""
    ### BEGIN SOLUTION
    rest = "".join(letter for letter in dict.fromkeys(a + b) if letter != v)
    return np.einsum(f"{a},{b}->{rest}", A, B)
    ### END SOLUTION


# %% check
check.sum_out(sum_out)

# %% hint [markdown]

# %% [markdown]
# $$m(\text{rest})=\sum_v\ \prod_{\phi\ni v}\phi \tag{27.5}$$
#
# `gm.eliminate` repeats this. Any order gives the same result; the scopes show what it had to multiply out:

# %%
for order in ("agf", "gfa"):
    steps = list(gm.eliminate(gm.observe(gm.alarm(), {"s": 1}), order))
    p = gm.product(steps[-1].factors, "h")
    print(order, [step.scope for step in steps], (p / p.sum()).round(4))

# %% [markdown]
# Eliminating $g$ first makes a table over all four variables.
# What matters is the graph in which two variables are joined if they share a factor.

# %% task elimination_tables [markdown]
# The table that is made for $v$ has the axes of $v$ and of all its neighbours. Afterwards one message holds all these
# neighbours, so they are joined to each other. How many entries has the table of every step?


# %% exercise elimination_tables
def elimination_tables(edges, order, k):
    """edges is (M, M), order lists variables, k is (M,): the entries of each table, shape (len(order),)."""
    ### BEGIN SOLUTION
    E = edges.copy()
    sizes = []
    for v in order:
        near = np.flatnonzero(E[v])
        sizes.append(k[v] * np.prod(k[near]))
        E[np.ix_(near, near)] = 1
        E[near, near] = 0
        E[:, v] = 0
    return np.array(sizes)
    ### END SOLUTION


# %% check
check.elimination_tables(elimination_tables)

# %% hint [markdown]

# %% [markdown]
# $$k_v\prod_{j\in N(v)}k_j\ \text{entries, and then}\ N(v)\ \text{becomes a clique} \tag{27.6}$$
#
# ## Explore
# Six variables. Walk through the three orders; dashed edges are new.
#
# 1. Why is it a bad idea to begin with $d$?
# 2. Set $k=10$. What does the best of the three orders save against the table of all six?

# %%
explore.Orders()

# %% [markdown]
# $d$ has four neighbours, and after it is gone they are all joined. Its table has five variables, 100,000 entries at
# $k=10$, against 1,000 in the best order and 1,000,000 for all six. No order of this graph gets by with fewer than
# three variables. To find the best order is hard in general; taking the smallest table each time is the usual habit.
#
# ## What the graph promises
# From a network keep only $a$, $b$, what is observed, $C$, and all their ancestors. Join the parents of each child,
# forget the arrows, and
#
# $$a\perp b\mid C\quad\text{if}\ C\ \text{cuts every path between}\ a\ \text{and}\ b. \tag{27.7}$$
#
# This is d-separation. The core and the gauge's fault, without news, given the alarm, and given the reading:

# %%
parents = np.zeros((5, 5), dtype=int)  # in the order h, f, a, g, s
parents[3, [0, 1]] = parents[4, [2, 3]] = 1
[gm.d_separated(parents, 0, 1, given) for given in ([], [4], [3])]

# %% [markdown]
# As long as we do not listen for the alarm, the report means nothing for the core: the only path runs through a common
# effect. Observing that effect, or a descendant of it, joins the causes. Silence is an observation too: it takes the
# belief to 0.0135, and the report brings it back *up* to 0.1000. Move the two sliders, then change what we know.
#
# 1. With a faulty gauge, on which slider does the belief in a hot core depend?
# 2. What does the alarm say if the gauge is right half of the time, $r=0.5$?

# %%
explore.Beliefs()

# %% [markdown]
# With a faulty gauge only on the prior: such a gauge reads high half of the time, whatever the core does, so
# the alarm says nothing. That is **explaining away**. At $r=0.5$ a sound gauge is no better than a faulty one, and the
# alarm leaves the prior as it was. At the start of the sliders the alarm raises $P(f)$ too, from 0.05 to 0.1428.
#
# ## Break it
# Does one cause always push the other out?

# %% task explained_towards [markdown]
# Keep all tables of the alarm network but one. Choose $P(g{=}1\mid h,f)$ so that, once the alarm sounds, the report of
# a faulty gauge **raises** the belief in a hot core, by at least 0.2.

# %% exercise explained_towards
P = ...  # (2, 2): rows for h = 0 and 1, columns for f = 0 and 1
### BEGIN SOLUTION
P = np.array([[0.0, 0.0], [0.0, 1.0]])
### END SOLUTION

# %% check
check.explained_towards(P)

# %% hint [markdown]

# %% [markdown]
# If both causes are needed, they support each other. The graph says where a dependence may be; its sign
# stands in the tables.
#
# ## Naive Bayes
# The smallest useful network has one parent, the class $c$, and an arrow to every feature. We use it for handwritten
# digits, 64 pixels with or without ink: $\theta_{cj}$ is the probability that pixel $j$ has ink in class $c$.

# %% task nb_fit [markdown]
# Estimate $\pi_c$, the share of class $c$, and $\theta_{cj}$. A pixel that never had ink in a class would get the
# probability 0, and veto the class for ever. So imagine $\alpha$ more points of each class with ink in that pixel, and
# $\alpha$ more without, and leave $\pi$ as it is.


# %% exercise nb_fit
def nb_fit(X, y, alpha):
    """X is (n, d) of 0 and 1, y is (n,) with the classes 0, …, C − 1: a tuple (pi, theta), (C,) and (C, d)."""
    ### BEGIN SOLUTION
    N = np.bincount(y)
    ones = np.array([X[y == c].sum(axis=0) for c in range(len(N))])
    return N / len(y), (ones + alpha) / (N[:, None] + 2 * alpha)
    ### END SOLUTION


# %% check
check.nb_fit(nb_fit)

# %% hint [markdown]

# %% [markdown]
# With $N_c$ points of class $c$, of which $N_{cj}$ have ink in pixel $j$,
#
# $$\pi_c=\frac{N_c}n,\qquad\theta_{cj}=\frac{N_{cj}+\alpha}{N_c+2\alpha}. \tag{27.8}$$
#
# Is such a model Bayesian or frequentist? The graph does not say. With $\alpha=0$ the tables are maximum likelihood
# estimates; with $\alpha>0$ they are posterior means under a Beta$(\alpha,\alpha)$ prior (notebook 25). It is Bayesian
# as soon as the parameters are variables themselves, with priors of their own.

# %% task nb_log_posterior [markdown]
# Compute $\log p(c\mid x)$ for every row of $X$. One test has 4000 features, whose product is zero in floating point.


# %% exercise nb_log_posterior
def nb_log_posterior(X, pi, theta):
    """X is (n, d) of 0 and 1, pi is (C,), theta is (C, d): shape (n, C)."""
    ### BEGIN SOLUTION
    L = np.log(pi) + X @ np.log(theta).T + (1 - X) @ np.log(1 - theta).T
    L = L - L.max(axis=1, keepdims=True)
    return L - np.log(np.exp(L).sum(axis=1, keepdims=True))
    ### END SOLUTION


# %% check
check.nb_log_posterior(nb_log_posterior)

# %% hint [markdown]

# %% [markdown]
# $$\log p(c,x)=\log\pi_c+\sum_j\bigl[x_j\log\theta_{cj}+(1-x_j)\log(1-\theta_{cj})\bigr] \tag{27.9}$$
#
# $$\log p(c\mid x)=\log p(c,x)-\log\sum_be^{\log p(b,x)} \tag{27.10}$$
#
# Where is the best α, and is the classifier right as often as it claims? Then give it more digits.

# %%
explore.Digits()

# %% [markdown]
# From 100 digits it learns to read 79% of new ones at α = 0.1. From 1000 digits, with α = 1, it reads 86% and claims
# 94%: neighbouring pixels say the same thing, and naive Bayes counts each as fresh evidence. Its decisions are better
# than its probabilities. With a huge α every pixel has probability ½, and the claims sink below what it achieves.
#
# ## Without arrows
# Neighbours often influence each other with no direction between them. A Markov random field takes any positive
# functions $\psi$ of groups of variables that are all joined, called **cliques**, and normalises once:
#
# $$p(x)=\frac1Z\prod_C\psi_C(x_C),\qquad Z=\sum_x\prod_C\psi_C(x_C) \tag{27.11}$$
#
# Tables of a network need no $Z$: each is normalised already. Here $Z$ is a sum over everything, and elimination
# computes it.

# %% task chain_constant [markdown]
# A chain $x_1-x_2-\dots-x_{T+1}$ has the factors $\psi_1(x_1,x_2),\dots,\psi_T(x_T,x_{T+1})$. Compute $Z$ without
# listing the combinations.


# %% exercise chain_constant
def chain_constant(psi):
    """psi is (T, k, k), rows of psi[t] for the earlier variable: a number."""
    ### BEGIN SOLUTION
    v = np.ones(psi.shape[1])
    for factor in psi:
        v = v @ factor
    return v.sum()
    ### END SOLUTION


# %% check
check.chain_constant(chain_constant)

# %% hint [markdown]

# %% [markdown]
# $$Z=\mathbf 1^\top\psi_1\psi_2\cdots\psi_T\mathbf 1 \tag{27.12}$$
#
# It costs $Tk^2$ operations in place of $k^{T+1}$. On the graph of six variables the factors are
# $\psi(a,b)\,\psi(b,c)\,\psi(a,d)\,\psi(c,d,f)\,\psi(d,e)$, one for each **maximal** clique.

# %% task maximal_clique [markdown]
# > *Maximal clique: the largest clique in the graph.*
#
# That would leave only $\{c,d,f\}$. When is a clique maximal, and for which graph and set does the sentence fail?


# %% exercise maximal_clique
def maximal_clique(edges, s):
    """Do the nodes with s = 1 form a maximal clique? edges is (M, M), s is (M,): True or False."""
    ### BEGIN SOLUTION
    size = s.sum()
    joined = edges[:, s == 1].sum(axis=1)
    return bool(np.all(joined[s == 1] == size - 1) and not np.any(joined[s == 0] == size))
    ### END SOLUTION


breaks_at = ...  # a tuple (edges, s)
### BEGIN SOLUTION
breaks_at = ([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]], [0, 0, 1, 1])
### END SOLUTION

# %% check
check.maximal_clique(maximal_clique, breaks_at)

# %% hint [markdown]

# %% [markdown]
# A clique is maximal if no other node is joined to all of its members. (27.13)
#
# The graph of six has five of them. A largest clique is called *maximum*.

# %% task good_news_about_the_gauge [markdown]
# The alarm sounds. Then a technician reports that the gauge is faulty, and the operator is relieved. A visitor objects:
# "A broken gauge cannot cool a core." Explain in about 120 words why the operator's belief in a hot core falls, why the
# same report would not have changed the belief of somebody who cannot hear the alarm, and what the graph alone does
# *not* tell.

# %% explain good_news_about_the_gauge [markdown]
# ### BEGIN SOLUTION
# Without news of the alarm the core and the gauge's fault are independent: the only path between them runs through a
# common effect that is not observed, so the report says nothing about the core. Hearing the alarm is an observation of
# that effect. Given it, the two causes compete: something made the gauge read high, and a faulty gauge reads high half
# of the time whatever the core does. Once the fault is known, the alarm needs no hot core, and the belief falls from
# 0.52 to the prior 0.10. The visitor is right about the core: what changed is our reason to believe in the heat. The
# graph says that the causes may become dependent, not in which direction. If the gauge read high only for a hot core
# *and* a fault, the same report would raise the belief.
#
# Marks: one point for the independence without news of the alarm, one for the common effect and the fall to the prior,
# one for what the graph leaves open.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# A graphical model writes a joint distribution as a product of small factors, and beliefs are sums of that product.
# Elimination pushes the sums in; every order gives the same answer, and the order decides how large the tables become.
# Observing a common effect joins its causes, and an undirected model pays for its freedom with the constant $Z$.
# Notebook 28 takes a chain of hidden variables and eliminates them one by one.
#
# *Data:* E. Alpaydin and C. Kaynak, *Optical recognition of handwritten digits*, UCI Machine Learning Repository
# (1998). The tables of the alarm network are our own.

# %% symbols Graphical models and sequences [markdown]
# | $\mathrm{pa}(i)$ | parents of variable $i$ | `parents` |
# | $\psi_C$, $Z$ | potential of a clique; the sum over everything | `psi` |
# | $a\perp b\mid C$ | independent, given $C$ | `given` |
# | $\theta_{cj}$, $\alpha$ | probability of feature $j$ in class $c$; counts added to every table | `theta`, `alpha` |
