"""The mathematics of machine learning: one module per notebook, pure numpy, one function per equation."""
