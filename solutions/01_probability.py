# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can turn a condition round, compute means and variances from a table and from a density, say when
# variances add, and measure in bits what one variable tells about another.

# %%
import numpy as np

from mlcore import probability
from mlcore.checks.probability import check
from mlcore.data import load
from mlcore.explore import probability as explore

# %% [markdown]
# ## See
# 150 irises, 50 of each of three species. We sort them by the length of a sepal: short (below 5.5 cm), medium, or long
# (6.5 cm and more), and count.

# %%
explore.TwoQuestions()

# %% [markdown]
# Both tables come from the same counts. Of the versicolor flowers 70% are medium. Of the medium flowers 56% are
# versicolor. The first number starts from a species, the second from a length.
#
# ## Predict
# In a city it rains on 30% of the days. On a rainy day there is a traffic jam with probability 80%, on a dry day with
# probability 20%. You are stuck in a jam in a tunnel. How probable is rain? Write down a guess.

# %% [markdown]
# ## Tables
# A *random variable* $X$ takes values $x_1,\dots,x_k$, each with a probability. Two of them, $X$ and $Y$, have a
# *joint table*: $P_{ij}$ is the probability that $X=x_i$ and $Y=y_j$ together. No entry is negative, and all of them
# add up to 1. For the irises:

# %%
iris = load("iris")
species = iris.y.astype(int)
length = np.digitize(iris.X[:, 0], [5.5, 6.5])
P = probability.joint(species, length)
P.round(3)

# %% [markdown]
# Here $X$ is the species and $Y$ the length. A row is a species, and its sum the probability of that species. A column
# is a length. The sums are called *marginals*, for they used to be written in the margin:
#
# $$P(X=x_i)=\sum_jP_{ij},\qquad P(Y=y_j)=\sum_iP_{ij} \tag{1.1}$$

# %% task conditional_table [markdown]
# We learn that $Y=y_j$. What are now the probabilities of the values of $X$? They are written
# $P(X=x_i\mid Y=y_j)$, where the bar is read "given". Compute them for every $j$: column $j$ of your table is the
# distribution of $X$ given $Y=y_j$.


# %% exercise conditional_table
def conditional_table(P):
    """The table of P(X = xᵢ | Y = yⱼ); P is the joint table: shape (k, l), as P."""
    ### BEGIN SOLUTION
    return P / P.sum(axis=0)
    ### END SOLUTION


# %% check
check.conditional_table(conditional_table)

# %% hint [markdown]

# %% [markdown]
# $$P(X=x_i\mid Y=y_j)=\frac{P_{ij}}{\sum_iP_{ij}} \tag{1.2}$$
#
# The denominator is $P(Y=y_j)$. One set of lecture notes prints the sum over $j$ there, which gives $P(Y\mid X)$: the
# other question. A test tells them apart: once $Y$ is known, the probabilities of all $x_i$ must add up to 1.
#
# Multiplied out, (1.2) is the *chain rule*: a joint probability is $P(Y)\,P(X\mid Y)$, and just as well
# $P(X)\,P(Y\mid X)$.

# %% task rain_given_jam [markdown]
# Now the jam. It rains with probability $a_1$. There is a jam with probability $a_2$ if it rains, and with probability
# $a_3$ if it does not. What is the probability of rain, given a jam?


# %% exercise rain_given_jam
def rain_given_jam(a1, a2, a3):
    """P(rain | jam) from P(rain), P(jam | rain) and P(jam | no rain): a number."""
    ### BEGIN SOLUTION
    return a1 * a2 / (a1 * a2 + (1 - a1) * a3)
    ### END SOLUTION


# %% check
check.rain_given_jam(rain_given_jam)

# %% hint [markdown]

# %% [markdown]
# You have derived *Bayes' rule*. It turns a condition round:
#
# $$P(A\mid B)=\frac{P(A)\,P(B\mid A)}{P(A)\,P(B\mid A)+P(\text{not }A)\,P(B\mid\text{not }A)} \tag{1.3}$$
#
# The first number below is that of the prediction. The second is counted on 400 000 simulated days.

# %%
rng = np.random.default_rng(0)
rain = rng.random(400_000) < 0.3
jam = rng.random(400_000) < np.where(rain, 0.8, 0.2)
np.array([probability.bayes(0.3, 0.8, 0.2), rain[jam].mean()]).round(4)

# %% [markdown]
# 63%, not 80%. Dry days are so common that more than a third of the jams fall on them.
#
# ## Averages
# If the values of $X$ are numbers, its *mean* weights each with its probability. The *variance* is the mean squared
# distance from it:
#
# $$EX=\sum_ip_ix_i \tag{1.4}$$
#
# $$\mathrm{Var}X=E[(X-EX)^2]=E[X^2]-(EX)^2 \tag{1.5}$$
#
# The second form follows when the square is multiplied out: $E[X^2]-2\,EX\cdot EX+(EX)^2$. The root of the variance is
# the *standard deviation*. The smallest example is a variable that is 1 with probability $\alpha$ and otherwise 0. It
# equals its square, so $EX=E[X^2]=\alpha$ and the variance is $\alpha-\alpha^2=\alpha(1-\alpha)$.

# %% task uniform_variance [markdown]
# A variable that can take any value in an interval has a *density* $p(x)$ in place of a table: the probability of a
# small interval around $x$ is about $p(x)$ times its length. A density is never negative, and the area under it is 1.
# Sums become integrals: $E[f(X)]=\int f(x)\,p(x)\,dx$.
#
# Let $X$ be uniform on $[0,a]$: its density is $1/a$ there, and 0 elsewhere. What is its variance?


# %% exercise uniform_variance
def uniform_variance(a):
    """The variance of a variable that is uniform on [0, a]: a number."""
    ### BEGIN SOLUTION
    return a**2 / 3 - (a / 2) ** 2
    ### END SOLUTION


# %% check
check.uniform_variance(uniform_variance)

# %% hint [markdown]

# %% [markdown]
# $$EX=\frac a2,\qquad\mathrm{Var}X=\frac{a^2}3-\frac{a^2}4=\frac{a^2}{12} \tag{1.6}$$
#
# Twice the interval, four times the variance. In general, for any $X$ and constants $a$ and $b$,
#
# $$E[aX+b]=a\,EX+b,\qquad\mathrm{Var}(aX+b)=a^2\,\mathrm{Var}X, \tag{1.7}$$
#
# because $b$ leaves every distance from the mean as it is, and $a$ multiplies each of them.
#
# ## Spot the slip
# A formula as printed in well-meaning lecture notes. It is wrong in one place. Mend it, and give an input at which
# the printed version fails.

# %% task stretched_density [markdown]
# > *If $X$ has the density $p_X$ and $Y=aX+b$ with $a\ne0$, then $Y$ has the density*
# > $p_Y(y)=\frac1a\,p_X\!\left(\frac{y-b}a\right)$.
#
# Take for $X$ a waiting time with the density $e^{-x}$ for $x\ge0$ and 0 for $x<0$, which is `p_X` below.

# %%
p_X = probability.exponential_density
p_X(np.array([-1.0, 0.0, 1.0]))


# %% exercise stretched_density
def stretched_density(y, a, b):
    """The density of Y = aX + b at y, where X has the density p_X: a number."""
    ### BEGIN SOLUTION
    return p_X((y - b) / a) / abs(a)
    ### END SOLUTION


fails_at = ...  # a tuple (y, a, b)
### BEGIN SOLUTION
fails_at = (1.0, -2.0, 2.0)
### END SOLUTION

# %% check
check.stretched_density(stretched_density, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$p_Y(y)=\frac1{|a|}\,p_X\!\left(\frac{y-b}a\right) \tag{1.8}$$
#
# ## Explore
# Move $a$ from the right to the left, through 0.
#
# 1. What happens to the height of the curve as $a$ comes near 0, and what to the area under it?
# 2. Is the variance at $a=-2$ another one than at $a=2$?

# %%
explore.Stretch()

# %% [markdown]
# The curve becomes narrow and high, and the area stays 1. At $a=0$ there is no density: $Y$ is $b$ for certain.
# Then the curve comes out on the other side, turned round. The variance $a^2$ does not see the sign.
#
# With (1.8) one bell curve gives all of them. If $Z$ has the density $\frac1{\sqrt{2\pi}}e^{-z^2/2}$, called standard
# normal, then $\mu+\sigma Z$ with $\sigma>0$ has the density
# $\frac1{\sqrt{2\pi}\,\sigma}e^{-(x-\mu)^2/2\sigma^2}$, written $N(\mu,\sigma^2)$. Sums in place of integrals
# give the area under $e^{-z^2/2}$, and the mean and the variance of $Z$:

# %%
z, step = np.linspace(-10, 10, 2001, retstep=True)
bell = np.exp(-(z**2) / 2)
area = np.sum(bell) * step
np.array([area, np.sum(z * bell) * step / area, np.sum(z**2 * bell) * step / area]).round(3) + 0.0

# %% [markdown]
# The area is $\sqrt{2\pi}\approx2.507$, so the density is divided by it. The same notes print the area as
# $1/\sqrt{2\pi}\approx0.399$. $Z$ has mean 0 and variance 1, so by (1.7) $\mu+\sigma Z$ has mean $\mu$ and variance
# $\sigma^2$.
#
# ## Sums
# Means add, $E[X+Y]=EX+EY$: a sum over the table can be taken term by term. Do variances? We need one more average, of
# how two variables deviate together. It is the *covariance*, and has a short form for the same reason as (1.5):
#
# $$\mathrm{Cov}(X,Y)=E[(X-EX)(Y-EY)]=E[XY]-EX\cdot EY \tag{1.9}$$

# %% task sum_variance [markdown]
# From the definition of $\mathrm{Var}(X+Y)$ to terms that we know. $P$ is the joint table, of shape $(k,l)$; $x$ and
# $y$ hold the values of $X$ and $Y$. Every line is a function of these. Line 1 is a sum over the cells of the table.
# The other lines return the pieces of its terms, as arrays, before they are added up.


# %%
def line_1(P, x, y):
    """Var(X + Y) = Σᵢⱼ Pᵢⱼ (xᵢ + yⱼ − E[X + Y])²."""
    s = x[:, None] + y
    return np.sum(P * (s - np.sum(P * s)) ** 2)


# %% exercise sum_variance
def line_2(P, x, y):
    """The bracket of line 1 as uᵢ + vⱼ, both with mean 0: (u, v), with shapes (k,) and (l,)."""
    ### BEGIN SOLUTION
    p, q = P.sum(axis=1), P.sum(axis=0)
    return x - p @ x, y - q @ y
    ### END SOLUTION


def line_3(P, x, y):
    """The square of uᵢ + vⱼ multiplied out: (first, cross, last), with shapes (k,), (k, l) and (l,)."""
    ### BEGIN SOLUTION
    u, v = line_2(P, x, y)
    return u**2, 2 * u[:, None] * v, v**2
    ### END SOLUTION


def line_4(P, x, y):
    """The summands of the three sums, with their weights: (first, cross, last), with shapes (k,), (k, l) and (l,)."""
    ### BEGIN SOLUTION
    first, cross, last = line_3(P, x, y)
    return P.sum(axis=1) * first, P * cross, P.sum(axis=0) * last
    ### END SOLUTION


# %% check
check.sum_variance(line_2, line_3, line_4)

# %% hint [markdown]

# %% [markdown]
# Added up, the three arrays of line 4 are $\sum_ip_iu_i^2$, $2\sum_{ij}P_{ij}u_iv_j$ and $\sum_jq_jv_j^2$:
#
# $$\mathrm{Var}(X+Y)=\mathrm{Var}X+2\,\mathrm{Cov}(X,Y)+\mathrm{Var}Y \tag{1.10}$$
#
# *Independent* variables have $P_{ij}=P(X=x_i)\,P(Y=y_j)$. Then $E[XY]=EX\cdot EY$, the covariance is 0, and the
# variances add. The reverse does not hold: variables with covariance 0 may depend on each other (notebook 22).

# %% task combination_variance [markdown]
# A textbook states $\mathrm{Var}(aX+bY)=a^2\,\mathrm{Var}X+b^2\,\mathrm{Var}Y$ for independent variables, and asks in
# brackets: what if they are not? Answer it. The variances and the covariance are given as the *covariance matrix*
# $\Sigma$, with the variances on the diagonal.


# %% exercise combination_variance
def combination_variance(a, b, Sigma):
    """Var(aX + bY); Sigma is [[VarX, Cov], [Cov, VarY]], of shape (2, 2): a number."""
    ### BEGIN SOLUTION
    return a**2 * Sigma[0, 0] + 2 * a * b * Sigma[0, 1] + b**2 * Sigma[1, 1]
    ### END SOLUTION


# %% check
check.combination_variance(combination_variance)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{Var}(aX+bY)=a^2\,\mathrm{Var}X+2ab\,\mathrm{Cov}(X,Y)+b^2\,\mathrm{Var}Y \tag{1.11}$$
#
# A covariance changes with the units: that of two lengths is a hundred times as large in millimetres as in centimetres.
# The *correlation* has no unit:
#
# $$\mathrm{Corr}(X,Y)=\frac{\mathrm{Cov}(X,Y)}{\sigma_X\sigma_Y},\qquad\sigma_X=\sqrt{\mathrm{Var}X},\quad
# \sigma_Y=\sqrt{\mathrm{Var}Y} \tag{1.12}$$
#
# ## Explore
# Two normal variables with the correlation ρ. The ellipse lies two standard deviations from the centre.
#
# 1. At which ρ do the variances of sum and difference agree?
# 2. Which of the numbers change when you move σ, and which does not?

# %%
explore.Pair()

# %% [markdown]
# They agree at ρ = 0. σ changes the variances of sum and difference and, unless ρ = 0, the covariance, but never the
# correlation. At ρ = 1 and ρ = −1 the ellipse is a line, and the slider ends.

# %% task correlation_bound [markdown]
# Must it end there? Lecture notes state $-1\le\mathrm{Corr}(X,Y)\le1$, and their proof amounts to this. *With
# $a=1/\sigma_X$ and $b=-1/\sigma_Y$, the right side of (1.11) is $2-2\,\mathrm{Corr}(X,Y)$. A variance is never
# negative, so $\mathrm{Corr}(X,Y)\le1$.* What is still missing?

# %% exercise correlation_bound
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "b", "ii"
### END SOLUTION

# %% check
check.correlation_bound(choice, reason)

# %% hint [markdown]

# %% [markdown]
# The difference bounds (1.12) from above, the sum from below. At Corr = ±1 one of the two has variance 0, so that $Y$
# is a linear function of $X$.
#
# ## Information
# The surprise at an outcome of probability $p_i$ is $-\log p_i$: 0 if it was certain, large if it was rare. Its mean is
# the *entropy* of the distribution,
#
# $$H(p)=-\sum_ip_i\log p_i, \tag{1.13}$$
#
# in *nats* with the natural logarithm, in *bits* with $\log_2$; nats divided by $\log2$ are bits. An outcome of
# probability 0 contributes nothing. A fair coin has an entropy of 1 bit, one that shows heads three times out of four
# 0.8113 bits.

# %% task coding_costs [markdown]
# The outcomes happen with $p$, but we believe in $q$. Our mean surprise is then the *cross-entropy* $H(p,q)$. What it
# exceeds $H(p)$ by is the *Kullback–Leibler divergence* $KL(p\|q)$, the price of the wrong belief. Compute all three,
# in nats. All entries of $p$ and $q$ are positive.


# %% exercise coding_costs
def coding_costs(p, q):
    """A tuple (H(p), H(p, q), KL(p‖q)) of three numbers, in nats."""
    ### BEGIN SOLUTION
    entropy = -np.sum(p * np.log(p))
    cross_entropy = -np.sum(p * np.log(q))
    return entropy, cross_entropy, cross_entropy - entropy
    ### END SOLUTION


# %% check
check.coding_costs(coding_costs)

# %% hint [markdown]

# %% [markdown]
# $$H(p,q)=-\sum_ip_i\log q_i \tag{1.14}$$
#
# $$KL(p\|q)=\sum_ip_i\log\frac{p_i}{q_i}=H(p,q)-H(p) \tag{1.15}$$
#
# ## Explore
# A coin shows heads with probability $p$, and we believe in $q$.
#
# 1. Leave $p$ and move $q$. Where is the cross-entropy lowest, and how low?
# 2. On the left the cross-entropy is a straight line. Does it ever cross the entropy?

# %%
explore.Coin()

# %% [markdown]
# It is lowest at $q=p$, where it equals the entropy. The straight line touches the curve at $p=q$ and is above it
# everywhere else. The gap is $KL(p\|q)$, and no belief makes it negative. The entropy itself peaks at $p=\frac12$.
#
# A tangent also proves this in general. A *convex* function $f$ is nowhere below its tangents. The one at $m=EX$ says
# $f(X)\ge f(m)+f'(m)(X-m)$. Take the mean of both sides. The last term has mean 0, and *Jensen's inequality* is left:
#
# $$f(EX)\le E[f(X)]\qquad\text{for convex }f \tag{1.16}$$
#
# Apply it to $f=-\log$ and the ratio $q_i/p_i$, weighted with $p_i$. Its mean is $\sum_iq_i=1$, so
# $KL(p\|q)=E[-\log(q/p)]\ge-\log1=0$. The curve of $-\log$ meets its tangent at one point only, so equality needs
# $q=p$.
#
# ## Break it
# Never negative, and 0 for $q=p$: the divergence looks like a distance. A distance is the same in both directions.

# %% task lopsided_kl [markdown]
# Show that the divergence is not. Give two distributions, all entries positive, with $KL(p\|q)>3$ nats although
# $KL(q\|p)<1$ nat. Each adds up to 1 to six digits at least.

# %% exercise lopsided_kl
p_and_q = ...  # two rows, p and q
### BEGIN SOLUTION
p_and_q = [[0.5, 0.5], [0.9999, 0.0001]]
### END SOLUTION

# %% check
check.lopsided_kl(p_and_q)

# %% hint [markdown]

# %% [markdown]
# A belief that holds something for nearly impossible pays without limit when it happens. In the other direction that
# outcome hardly counts, because it comes with its tiny weight $q_i$.

# %% task table_information [markdown]
# Back to the question of this notebook. Before we know $Y$, the uncertainty about $X$ is $H(X)$, the entropy of its
# marginal. Once we know $Y=y_j$, it is the entropy of column $j$ of (1.2). The mean of the latter over $Y$ is
# $H(X\mid Y)$. The difference $H(X)-H(X\mid Y)$ is the *mutual information*. Compute it in bits. All entries of $P$ are
# positive.


# %% exercise table_information
def table_information(P):
    """The mutual information of X and Y, in bits; P is the joint table: a number."""
    ### BEGIN SOLUTION
    p, q = P.sum(axis=1), P.sum(axis=0)
    columns = P / q
    before = -np.sum(p * np.log2(p))
    after = -np.sum(q * np.sum(columns * np.log2(columns), axis=0))
    return before - after
    ### END SOLUTION


# %% check
check.table_information(table_information)

# %% hint [markdown]

# %% [markdown]
# $$I(X;Y)=H(X)-H(X\mid Y)=H(X)+H(Y)-H(X,Y) \tag{1.17}$$
#
# $H(X,Y)$ is the entropy of all cells of the table. The second form is symmetric: $X$ tells as much about $Y$ as $Y$
# about $X$. It is the divergence of the table from the product of its marginals, so it is 0 for independent variables
# and for no others. A covariance cannot promise that.
#
# Which measurement tells most about the species of an iris? We cut each into three parts of about the same size.

# %%
for name, column in zip(iris.features, iris.X.T, strict=True):
    part = np.digitize(column, np.quantile(column, [1 / 3, 2 / 3]))
    print(f"{name:13}{probability.mutual_information(probability.joint(species, part)):.2f} bits")

# %% [markdown]
# There are $\log_23\approx1.58$ bits to be known. The petals tell more than 1.3 of them, the length of a sepal 0.61,
# its width 0.31. Decision trees ask such questions one after the other (notebook 17).

# %% task medium_sepal [markdown]
# In a garden one iris in ten is versicolor, the others are virginica. A botanist finds a medium sepal there, looks at
# the first figure, and reports: "versicolor, with probability 70%". A colleague corrects her: "56%". Explain in about
# 120 words: what the 70% are, which number is right in the garden, and why the 56% do not carry over. The first figure
# has all you need.

# %% explain medium_sepal [markdown]
# ### BEGIN SOLUTION
# The 70% are P(medium | versicolor): they start from the species. She has seen the length and asks for
# P(versicolor | medium), the other condition. Bayes' rule needs what was probable before she looked, and in this garden
# that is 0.1 for versicolor and 0.9 for virginica. So the probability is 0.1 · 0.7/(0.1 · 0.7 + 0.9 · 0.46) =
# 0.07/0.484, about 14%. The colleague answers the right question for the wrong place: the 56% come from a table with 50
# flowers of each species, and with other shares the same sepals give another number. What does carry over from
# the table to the garden is the distribution of lengths within a species. The sepal tells something, but not much: from
# 10% to 14%.
#
# Marks: one point for the exchanged condition, one for Bayes' rule with the garden's shares and its 14%, one for why
# the 56% do not carry over.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# A condition picks a column of the joint table and divides it by its sum; to turn it round, Bayes' rule needs to know
# how common things are. Means always add, variances only together with twice the covariance. Entropy is a mean
# surprise: a wrong belief adds the divergence to it, and knowing another variable takes the mutual information off it.
#
# *Data:* R. A. Fisher, *The use of multiple measurements in taxonomic problems*, Annals of Eugenics 7 (1936).

# %% symbols Probability and estimation [markdown]
# | $P(\cdot)$, $p(\cdot)$ | probability; density or table of probabilities | `P`, `p` |
# | $E$, $\mathrm{Var}$, $\mathrm{Cov}$ | expectation, variance, covariance | `mean`, `variance`, `covariance` |
# | $H(p)$, $H(p,q)$ | entropy, cross-entropy | `entropy`, `cross_entropy` |
# | $KL(p\Vert q)$ | Kullback–Leibler divergence, the expectation is under $p$ | `kl` |
# | $I(X;Y)$ | mutual information | `mutual_information` |
