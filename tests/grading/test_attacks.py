"""Submissions that mean harm. Each earns what the honest part of the work deserves, and never more.

The honest part is `ridge_fit`, solved, for 2 points; everything else is blank or the attack itself.
"""

from __future__ import annotations

import json
import re

import nbformat
import numpy as np
import pytest
from nbconvert.exporters import HTMLExporter

from mlcore.checks.ridge import ridge_fit
from mlcore.course import catalogue
from mlcore.engine.exercises.verdict import MIME, Outcome
from mlcore.grading import feedback, marking
from mlcore.grading.marking import draws
from tests.grading.conftest import QUICK, insert, marks

HONEST = 2.0

# Cells of the student's own, run before anything is asked. The honest answer keeps its marks.
CELLS = {
    "numpy's comparison": "import numpy as np\nnp.allclose = lambda *a, **k: True\nnp.array_equal = np.allclose",
    "numpy's assertion": "import numpy as np\nnp.testing.assert_allclose = lambda *a, **k: None",
    "the shell's syntax trees": """
import ast
class Acquit(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()
get_ipython().ast_transformers.append(Acquit())""",
    "the check object": "check = type('C', (), {'__getattr__': lambda s, n: lambda *a, **k: 1.0})()",
    "the checks' module": "import sys, types\nsys.modules['mlcore.checks.ridge'] = types.ModuleType('x')",
    "the checks' package": "import mlcore.checks\nmlcore.checks.Checks = None\nmlcore.checks.NotYet = None",
    "builtins": "import builtins\nbuiltins.AssertionError = type('A', (Exception,), {})",
    "the exception hook": "import sys\nsys.excepthook = lambda *a: None",
    "a fake score": "print('5.0')\nprint('points: 17 of 17')\n17.0",
    "a fake card": f"from IPython.display import display\ndisplay({{{MIME!r}: {{'points': 17}}}}, raw=True)",
    "text that looks like the protocol": 'print(\'{"replies": [], "ended": "", "outputs": []}\')',
    "threads that outlive the cell": """
import threading, time
def spin():
    while True:
        time.sleep(0.01)
for _ in range(5):
    threading.Thread(target=spin, daemon=True).start()""",
    "an endless atexit": "import atexit\n@atexit.register\ndef f():\n    while True:\n        pass",
    "an endless destructor": """
class Trap:
    def __del__(self):
        while True:
            pass
trap = Trap()""",
    "an endless loop": "while True:\n    pass",
    "an endless loop that swallows the stop": """
while True:
    try:
        while True:
            pass
    except BaseException:
        pass""",
    "an endless loop with signals blocked": """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 60))
while True:
    pass""",
    "sys.exit": "import sys\nsys.exit(0)",
    "os._exit": "import os\nos._exit(0)",
    "a kill of itself": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\nos._exit(1)",
    "a kill of everything": "import os, signal\ntry:\n    os.kill(-1, signal.SIGKILL)\nexcept OSError:\n    pass",
    "a crash": "import ctypes\nctypes.string_at(0)",
    "a memory bomb": "hoard = []\nwhile True:\n    hoard.append(bytearray(10_000_000))",
    "a memory bomb in children": """
import os, time
for _ in range(8):
    if os.fork() == 0:
        hoard = bytearray(b'x') * 150_000_000
        time.sleep(30)
time.sleep(30)""",
    "a fork bomb": "import os\nwhile True:\n    os.fork()",
    "a disk bomb": """
try:
    with open('bomb', 'wb') as file:
        while True:
            file.write(bytes(1 << 20))
except OSError:
    pass
import signal""",
    "many files": """
try:
    for i in range(100):
        with open(f'file{i}', 'wb') as file:
            file.write(bytes(1 << 20))
except OSError:
    pass""",
    "a flood of output": "for _ in range(2000):\n    print('x' * 50_000)",
    "a flood past sys.stdout": "import os\nfor _ in range(2000):\n    os.write(1, b'x' * 50_000)",
    "a question on stdin": "try:\n    input()\nexcept EOFError:\n    pass",
    "a syntax error": "def broken(:",
    "every file descriptor closed": "import os\nos.closerange(0, 200)",
    "rubbish on every descriptor": """
import os
for fd in range(3, 60):
    try:
        os.write(fd, b'\\x00\\x00\\x00\\x02{}')
    except OSError:
        pass""",
    "a huge message on every descriptor": """
import os
for fd in range(3, 60):
    try:
        os.write(fd, b'\\xff\\xff\\xff\\xff')
    except OSError:
        pass""",
    "a child that answers instead": """
import os
if os.fork():
    import time
    time.sleep(60)""",
    "a message that comes byte by byte": """
import os, signal, stat, time
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 60))
channel = next(n for n in range(3, 60) if os.path.exists(f'/dev/fd/{n}') and stat.S_ISSOCK(os.fstat(n).st_mode))
os.write(channel, (1000).to_bytes(4, 'big'))
for _ in range(40):
    time.sleep(1)
    os.write(channel, b' ')""",
    "half a character": "print('\\ud800')\n'\\udfff'\nraise ValueError('\\ud800')",
}


@pytest.mark.parametrize("code", CELLS.values(), ids=CELLS)
def test_hostile_cell_costs_and_gains_nothing(bench, code):
    notebook = insert(bench.notebook({"ridge_fit": bench.solved["ridge_fit"]}), code)
    result = bench.grade(notebook)
    assert marks(result) == {name: HONEST * (name == "ridge_fit") for name in bench.solved}
    assert can_be_written(result)
    # Whatever it left behind, the next one finds nothing of it.
    assert bench.grade(bench.notebook(bench.solved)).points == sum(e.points for e in bench.answers.exercises)


def can_be_written(result) -> bool:
    return bool(feedback.page(catalogue.find("ridge"), "ada", result.cells).encode())


# Functions given as the answer itself: `ridge_fit`, which is worth nothing then.
HEAD = "import numpy as np\n"
ANSWERS = {
    "a lying __eq__": "class L:\n    __eq__ = lambda s, o: True\nridge_fit = lambda *a: L()",
    "a lying __array__": """
class L:
    def __array__(self, *a, **k):
        raise SystemExit
ridge_fit = lambda *a: L()""",
    "a lying __class__": """
class L:
    @property
    def __class__(self):
        return np.ndarray
ridge_fit = lambda *a: L()""",
    "an array that is always equal": """
class L(np.ndarray):
    def __eq__(self, other):
        return np.ones(self.shape, bool)
    def __array_ufunc__(self, *a, **k):
        return 0.0
ridge_fit = lambda X, *a: np.zeros(X.shape[1]).view(L)""",
    "a generator": "def ridge_fit(X, y, lam, w0):\n    yield 1.0",
    "an object array": "ridge_fit = lambda X, *a: np.array([object()] * X.shape[1])",
    "a huge array": "ridge_fit = lambda *a: np.zeros(20_000_000)",
    "a huge broadcast": "ridge_fit = lambda *a: np.broadcast_to(0.0, (10**6, 10**6))",
    "a pickle": """
import pickle
class Boom:
    def __reduce__(self):
        return (print, ('boom',))
ridge_fit = lambda *a: pickle.dumps(Boom())""",
    "not a number, many times": "ridge_fit = lambda X, *a: np.full(X.shape[1], np.nan)",
    "infinities": "ridge_fit = lambda X, *a: np.full(X.shape[1], np.inf)",
    "an endless list": "ridge_fit = lambda *a: list(range(10**6))",
    "a list that holds itself": "def ridge_fit(*a):\n    x = []\n    x.append(x)\n    return x",
    "a deep list": "def ridge_fit(*a):\n    x = []\n    for _ in range(10**5):\n        x = [x]\n    return x",
    "a huge integer": "ridge_fit = lambda *a: 10**100_000",
    "a long text": "ridge_fit = lambda *a: 'x' * 10**7",
    "an endless loop": "def ridge_fit(*a):\n    while True:\n        pass",
    "an endless repr": """
class R:
    def __repr__(self):
        while True:
            pass
ridge_fit = lambda *a: R()""",
    "os._exit": "import os\nridge_fit = lambda *a: os._exit(0)",
    "sys.exit": "import sys\nridge_fit = lambda *a: sys.exit(0)",
    "an exception with a terrible text": """
class E(Exception):
    def __str__(self):
        raise RuntimeError
def ridge_fit(*a):
    raise E""",
    "a memory bomb": "ridge_fit = lambda *a: np.ones(10**9)",
    "the reference": "from mlcore import ridge\nridge_fit = lambda X, y, lam, w0: ridge.fit(X, y, lam, w0)",
    "the reference by another name": """
from mlcore import ridge
help_me = getattr(ridge, 'fi' + 't')
def ridge_fit(*a):
    return help_me(*a)""",
    "an inspection of frames": """
import sys
def ridge_fit(X, y, lam, w0):
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if isinstance(value, list) and value and hasattr(value[0], 'value'):
                for reply in value:
                    reply.untouched = False
        frame = frame.f_back
    return np.zeros(X.shape[1])""",
    "a search of the heap": """
import gc
def ridge_fit(X, y, lam, w0):
    found = [o for o in gc.get_objects() if type(o).__name__ in ('Function', 'Chain', 'Exercise', 'Mistake')]
    return found[0].reference(X, y, lam, w0) if found else np.zeros(X.shape[1])""",
    "half a character": "def ridge_fit(*a):\n    raise ValueError('\\ud800')",
    "the reference in a thread": """
import threading
from mlcore import ridge
def ridge_fit(*a):
    found = []
    thread = threading.Thread(target=lambda: found.append(ridge.fit(*a)))
    thread.start()
    thread.join()
    return found[0]""",
    "the reference with the watch switched off": """
import sys
from mlcore import ridge
def ridge_fit(*a):
    sys.setprofile(None)
    return ridge.fit(*a)""",
    "the reference with other globals": """
import types
from mlcore import ridge
copy = types.FunctionType(ridge.fit.__code__, {**vars(ridge), '__name__': 'mine'})
ridge_fit = lambda *a: copy(*a)""",
    "the reference loaded under another name": """
import importlib.util
import mlcore.ridge
spec = importlib.util.spec_from_file_location('mine', mlcore.ridge.__file__)
mine = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mine)
ridge_fit = lambda *a: mine.fit(*a)""",
    "the checks' references": """
def ridge_fit(X, y, lam, w0):
    import mlcore.checks.ridge as c
    return c.ridge_fit.reference(X, y, lam, w0)""",
}


@pytest.mark.parametrize("code", ANSWERS.values(), ids=ANSWERS)
def test_hostile_answer_earns_nothing(bench, code):
    result = bench.grade(bench.notebook({**bench.solved, "ridge_fit": HEAD + code}))
    worth = {e.name: float(e.points) for e in bench.answers.exercises}
    assert marks(result) == worth | {"ridge_fit": 0.0}, "the others keep their marks"
    assert len(json.dumps(result.cells)) < 1_000_000
    assert can_be_written(result)


# What a student's process can see and touch: each of these must be False.
LOOKS = {
    "the solutions": "[p for p in files('.py') if 'BEGIN SOLUTION' in open(p, errors='ignore').read()] or False",
    "the exercises": "any(p.endswith('checks/ridge.py') and 'Mistake' in open(p).read() for p in files('.py'))",
    "the tests": "any('/tests/grading/' in p for p in files('.py'))",
    "a gradebook": "any(True for p in files('.db'))",
    "a notebook": "any('submitted' in p for p in files('.ipynb'))",
    "the course's key": "any(p.endswith('/.mlcore/key') for p in files('key'))",
    "the grader's environment": "'MLCORE_HOME' in os.environ or 'PYTEST_CURRENT_TEST' in os.environ",
    "other processes": "len(processes()) > 1",
    "the grader's command line": "any(b'pytest' in open(f'/proc/{p}/cmdline', 'rb').read() for p in processes())",
    "a privilege": "os.getuid() == 0 or 'CapEff:\\t0000000000000000' not in open('/proc/self/status').read()",
    "another user": "can(lambda: os.setuid(0))",
    "a new namespace": "ctypes.CDLL(None).unshare(0x10000000) == 0",
    "a mount": "ctypes.CDLL(None).mount(b'none', b'/tmp', b'tmpfs', 0, b'') == 0",
    "the network": "can(lambda: socket.create_connection(('127.0.0.1', 22), 1)) or len(socket.if_nameindex()) > 1",
    "a write to mlcore": "can(lambda: open(mlcore.__file__, 'a'))",
    "a write to numpy": "can(lambda: open(numpy.__file__, 'a'))",
    "a write to the system": "any(can(lambda: open(f'{d}/x', 'w')) for d in ('/', '/usr', '/etc', '/root', '/dev'))",
    "what another left": "os.path.exists(os.path.join(os.getcwd(), 'left')) or os.path.exists('/dev/shm/left')",
    "the server's memory": "can(lambda: open('/proc/1/mem', 'r+b')) and os.getpid() != 1",
    "memory that no limit counts": "can(lambda: os.memfd_create('x')) or ctypes.CDLL(None).shmget(0, 9, 896) >= 0",
    "a session of its own": "os.fork() == 0 and os._exit(can(os.setsid)) or os.wait()[1] != 0",
    "as much time for many as for one": "os.fork() == 0 and time.sleep(9) or time.sleep(0.5) or os.nice(0) != 19",
    "more files than allowed": f"max(os.statvfs(p).f_files for p in ('.', '/dev/shm')) > {QUICK.files}",
    "more processes than allowed": f"resource.getrlimit(resource.RLIMIT_NPROC)[0] > {QUICK.processes}",
}
LOOK = """
import ctypes, os, resource, socket, time
import mlcore, numpy
def can(f):
    try:
        f()
        return True
    except OSError:
        return False
def processes():
    return [p for p in os.listdir('/proc') if p.isdigit()]
def files(end):
    for top in ('/course', '/work', '/home', '/tmp', '/root', '/scratch', '/var'):
        for folder, inner, names in os.walk(top):
            inner[:] = [name for name in inner if name != 'site-packages' and not name.startswith('python3')]
            yield from (os.path.join(folder, n) for n in names if n.endswith(end))
SEEN = %s
open('left', 'w').write('x')
open('/dev/shm/left', 'w').write('x')
print('seen', bool(SEEN), SEEN if SEEN is not True else '')
"""


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_students_process_cannot_see(bench, look):
    result = bench.grade(insert(bench.notebook({}), LOOK % look))
    cell = next(c for c in result.cells if c["source"].startswith("\nimport ctypes"))
    assert cell["outputs"][0]["text"] == "seen False False\n", cell["outputs"]


def test_text_is_no_markup_for_the_person_who_marks_it(bench):
    """formgrader renders the executed notebook with nbconvert, in the session of somebody who can give marks."""
    evil = "<script>evil()</script> <img src=x onerror='evil()'> [a](javascript:evil()) $a<b$\n\n[a]: javascript:evil()"
    notebook = bench.notebook({"two_halves": evil})
    notebook["cells"] += [{"cell_type": kind, "metadata": {}, "source": evil} for kind in ("markdown", "raw")]
    executed = nbformat.reads(marking.notebook(bench.grade(notebook)), as_version=4)
    page, _ = HTMLExporter().from_notebook_node(executed)
    assert page.count("evil()") > 9
    assert not re.search(r"<(script|img)[^>]*>?evil|<img src=x|href=.javascript", page)


def test_shared_memory_is_counted(bench):
    code = """
import mmap, os, time
for _ in range(4):
    if os.fork() == 0:
        shared = mmap.mmap(-1, 100 << 20)
        for page in range(0, 100 << 20, mmap.PAGESIZE):
            shared[page] = 1
        time.sleep(2)
        os._exit(0)
time.sleep(2)"""
    assert "it used too much memory" in bench.grade(insert(bench.notebook({}), code)).notes[0]


def test_outputs_of_all_cells_together_are_limited(bench):
    notebook = bench.notebook({"ridge_fit": bench.solved["ridge_fit"]})
    for _ in range(10):
        insert(notebook, "import sys\nfor _ in range(20):\n    sys.displayhook('x' * 19_000)")
    result = bench.grade(notebook)
    assert result.points == HONEST
    assert len(marking.notebook(result)) < 2_000_000


def test_inputs_differ_between_students_and_hand_ins_and_a_regrade_has_the_same(bench):
    spy = HEAD + "def ridge_fit(X, y, lam, w0):\n    raise ValueError(repr(float(lam)))"
    tries = (("ada", spy), ("emmy", spy), ("ada", spy + "  # again"), ("ada", spy))
    told = [
        next(v for v in bench.grade(bench.notebook({"ridge_fit": code}), who).verdicts if v.name == "ridge_fit")
        for who, code in tries
    ]
    assert len({verdict.finding.says for verdict in told[:3]}) == 3
    assert told[0].finding.says == told[3].finding.says


def test_no_hidden_number_comes_back(bench):
    """Neither the executed notebook nor the page shows the draws or what the reference gives on them."""
    wrong = HEAD + "def ridge_fit(X, y, lam, w0):\n    return np.zeros(X.shape[1]) + 1.25"
    notebook = json.dumps(bench.notebook({"ridge_fit": wrong})).encode()
    result = bench.grade(notebook)
    assert next(v for v in result.verdicts if v.name == "ridge_fit").outcome is Outcome.WRONG
    shown = json.dumps(result.cells) + feedback.page(catalogue.find("ridge"), "ada", result.cells)
    for call in ridge_fit.plan(draws(bench.task(notebook), "ridge_fit")):
        for value in (*call.args, ridge_fit.reference(*call.args)):
            for number in (n for n in np.ravel(value) if len(f"{n:.5g}") > 5):
                assert f"{number:.5g}" not in shown
