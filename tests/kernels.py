"""Whose routines numpy takes on this machine: `python -m tests.kernels OUT.json`."""

import json
import sys
from pathlib import Path

import numpy as np
from numpy._core import _multiarray_umath

BLAS = "[l['architecture'] for l in __import__('threadpoolctl').threadpool_info() if l['internal_api'] == 'openblas']"


def kernels() -> dict[str, list[str]]:
    """OpenBLAS's by its own word, and numpy's own beyond its baseline."""
    features = _multiarray_umath.__cpu_features__
    return {"blas": eval(BLAS), "numpy": [name for name in _multiarray_umath.__cpu_dispatch__ if features[name]]}


if __name__ == "__main__":
    np.eye(64) @ np.eye(64)  # a processor that lacks their instructions ends here
    Path(sys.argv[1]).write_text(json.dumps(kernels()))
