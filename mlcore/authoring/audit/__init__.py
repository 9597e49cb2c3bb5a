"""The audit: every exercise on thousands of draws that nobody has tried.

    python -m mlcore.authoring.audit                 all of the course, 2,000 seeds: `make audit`
    python -m mlcore.authoring.audit --topic ridge --seeds 200
    python -m mlcore.authoring.audit --exercise ridge_svd

What it proves on every seed: the reference neither raises nor warns, the solution and every alternative pass, every
catalogued mistake is rejected with its own sentence. What it measures: how many draws were drawn again, how near to a
tie the others come (`rounding.py`), and whether luck decides which wrong answers are noticed (`luck.py`).
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded: the processes share the cores
