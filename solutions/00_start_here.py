# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# Here you learn the mathematics of machine learning by deriving it. You write a line of mathematics as a line of
# Python, and the page tells you whether it is right and, if it is not, which mistake it is.
#
# Press Shift + Enter to run a cell and go on to the next.

# %%
from mlcore.checks.start_here import check
from mlcore.course.map import Map

# %% [markdown]
# ## One wrong answer
# We want the derivative of
#
# $$f(x)=(3x-1)^2. \tag{0.1}$$
#
# Here is an answer that is wrong on purpose. Run both cells and read the card.


# %%
def first_try(x):
    """The derivative of f, equation (0.1)? Not quite."""
    return 2 * (3 * x - 1)


# %% tags=["raises-exception"]
check.slope(first_try)

# %% [markdown]
# The check has called the function with numbers of its own. It knows more than *wrong*: it compared what came back
# with the mistakes that people make here, and found the one that gives exactly these numbers.

# %% task slope [markdown]
# Now yours. Replace the comment by your own line (it starts with `return`), run the cell, then the check below it.
# If the check says *not attempted yet*, the cell above it was not run or is still empty.


# %% exercise slope
def slope(x):
    """The derivative of f, equation (0.2)."""
    ### BEGIN SOLUTION
    return 6 * (3 * x - 1)
    ### END SOLUTION


# %% check
check.slope(slope)

# %% hint [markdown]

# %% [markdown]
# $$f'(x)=2(3x-1)\cdot3=6(3x-1) \tag{0.2}$$
#
# Any right form passes: $2(3x-1)\cdot3$, $6(3x-1)$ and $18x-6$ are the same to the check: it compares values and
# not letters. Two more commands help you on: `check.hint("slope")` gives the next hint, and
# `check.solution("slope")` says, after an attempt, where the text derives the answer.
#
# ## Derivations
# Every notebook from 1 on has a derivation. Its line 1 is given; you write the lines after it, each a function of the
# same variables. The check asks three questions of each line:
#
# - Is its value right?
# - If not, does it follow from *your own* line before it? A mistake costs the point of its own line, and no other.
# - Was the step done? So most lines ask for the pieces of a formula, not for its value: $(a,b,c)$ and not
#   $ax^2+bx+c$. A line that says once more what stood there before, in whatever spelling, earns nothing; nor does one
#   that evaluates another line at several points in place of deriving it.
#
# You may use your own lines in later ones: `line_3` may call `line_2`. The lines that are given may be read and
# retyped, but not called. The card writes every line as mathematics, one under the other, and marks the term that is
# wrong.

# %% [markdown]
# ## The map
# What there is, and how far you have come. Run this cell again whenever you like; in a terminal,
# `.venv/bin/mlcore progress` shows the same.

# %%
Map()

# %% [markdown]
# In every notebook you see a problem first, derive the method line by line, move its parameters with sliders (the
# arrow keys work too), break it, and find the slip in a formula that was really printed. Your answers stay in your
# copy of the notebook: save it with Ctrl + S.
