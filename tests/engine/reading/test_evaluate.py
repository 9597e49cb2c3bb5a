"""Our own table of operations against numpy, and its limits."""

import time

import numpy as np
import pytest

from mlcore.engine.reading.evaluate import CannotEvaluate, evaluate, values
from mlcore.engine.reading.expression import Number, Op, Symbol, Text, walk
from mlcore.engine.reading.reader import read
from mlcore.engine.reading.source import of_cells

x, A = Symbol("x"), Symbol("A")
INPUTS = {"x": np.array([1.0, 2.0, 4.0]), "A": np.diag([1.0, 2.0, 3.0]) + 1, "n": 3}


def reading(text, parameters=("x", "A", "n")):
    (found,) = of_cells(["import numpy as np", f"f = lambda x, A, n: {text}"], ["f"])
    return read(found, parameters)


def number(n):
    return Number(n)


@pytest.mark.parametrize(
    "hostile",
    [
        Op("eye", (number(10**6),)),
        Op("zeros", (Op("tuple", (number(10**5), number(10**5))),)),
        Op("zeros", (number(2**60),)),
        Op("arange", (number(0), number(10**9), number(1))),
        Op("linspace", (number(0), number(1), number(10**9))),
        Op("range", (number(0), number(10**12), number(1))),
        Op("repeat", (x, number(10**8))),
        Op("tile", (x, number(10**8))),
        Op("broadcast_to", (number(1), number(10**9))),
        Op("full", (number(10**9), number(1))),
        Op("diag", (Op("ones", (number(10**5),)),)),
        Op("outer", (Op("ones", (number(10**4),)), Op("ones", (number(10**4),)))),
        Op("einsum", (Text("i,j->ij"), Op("ones", (number(10**5),)), Op("ones", (number(10**5),)))),
        Op("einsum", (Text("i,j,k->"), *[Op("ones", (number(10**5),))] * 3)),
        Op("einsum", (Text("...,...->..."), Op("ones", (number(10**6),)), Op("ones", (number(10**6),)))),
        Op("add", (Op("ones", (Op("tuple", (number(10**5), number(1))),)), Op("ones", (number(10**5),)))),
        Op(
            "index",
            (
                Op("ones", (Op("tuple", (number(1000), number(1000))),)),
                Op("arange", (number(0), number(0), number(1))),
                Op("newaxis", ()),
                Op("eye", (number(900),)),
            ),
        ),
        Op(
            "index",
            (
                Op("ones", (Op("tuple", (number(1), number(10**6))),)),
                Op("like", (Op("ones", (number(10**6),)), number(0))),
            ),
        ),
        Op("pow", (number(2**50), number(2**50))),
        Op("reshape", (x, Op("tuple", (number(-1), number(0))))),
        Op("index", (x, Symbol("x"))),
        Op("index", (x, number(7))),
        Op("einsum", (Text("i"), x, x)),
        Op("solve", (A, Op("ones", (number(7),)))),
        Op("add", (Text("a"), x)),
        Op("add", (x,)),
        Op("sum", (x,), (("axis", 5),)),
        Op("sum", (x,), (("nonsense", 5),)),
        Op("each", (x, number(3)), (("targets", "i"),)),
        Op("each", (x, x), (("targets", "i,j"),)),
        Op("nothing", ()),
        Symbol("unknown"),
        Op("convolve", (Op("ones", (number(10**6),)), Op("ones", (number(10**6),))), (("mode", "full"),)),
        Op("norm", (Op("ones", (Op("tuple", (number(1000), number(1000))),)),), (("ord", 2),)),
    ],
)
def test_what_is_too_large_or_wrong_is_refused_at_once(hostile):
    before = time.perf_counter()
    try:
        value = evaluate(hostile, INPUTS)
    except CannotEvaluate:
        pass
    else:
        assert np.size(value) <= 1_000_000
        assert hostile.name in ("pow", "einsum") and np.ndim(value) < 2
    assert time.perf_counter() - before < 2


def test_loops_have_a_limit_together():
    loop = Op("range", (number(0), number(200), number(1)))
    i, j = Symbol("i"), Symbol("j")
    inner = Op("sum", (Op("each", (Op("mul", (i, j)), loop), (("targets", "j"),)),))
    with pytest.raises(CannotEvaluate, match="rounds"):
        evaluate(Op("sum", (Op("each", (inner, loop), (("targets", "i"),)),)), {})


def test_work_has_a_limit():
    big = Op("ones", (Op("tuple", (number(1000), number(1000))),))
    e = big
    for _ in range(60):
        e = Op("matmul", (e, big))
    before = time.perf_counter()
    with pytest.raises(CannotEvaluate, match="work"):
        evaluate(e, {})
    assert time.perf_counter() - before < 5


def test_integers_never_grow():
    e = number(3)
    for _ in range(60):
        e = Op("mul", (e, e))
    assert evaluate(e, {}) == np.inf


def test_whole_numbers_stay_whole():
    assert evaluate(reading("x[n - 1]"), INPUTS) == 4
    assert evaluate(reading("x[len(x) // 2]"), INPUTS) == 2
    assert evaluate(reading("np.arange(n) ** 2"), INPUTS).dtype.kind == "i"
    assert evaluate(reading("n ** -1"), INPUTS) == pytest.approx(1 / 3)
    assert evaluate(reading("1 / (n - 3)"), INPUTS) == np.inf


def test_only_the_case_that_holds_is_computed():
    e = reading("x[7] if n > 5 else x[0]")
    assert evaluate(e, INPUTS) == 1
    assert set(map(id, [e, *e.args[0].args, e.args[2]])) <= values(e, INPUTS).keys()


def test_what_is_shared_is_computed_once():
    e = x
    for _ in range(60):
        e = Op("mul", (Op("add", (e, e)), number(0.5)))
    assert evaluate(e, INPUTS) == pytest.approx(INPUTS["x"])


def test_the_variable_of_a_loop_is_its_own():
    e = reading("sum(sum(x[i] * i for i in range(n)) * i for i in range(n))")
    assert evaluate(e, INPUTS) == sum(sum(INPUTS["x"][i] * i for i in range(3)) * j for j in range(3))


def test_every_node_has_its_value():
    e = reading("sum((x[i] - x.mean()) ** 2 for i in range(n)) + np.linalg.norm(A @ x) * x.shape[0]")
    found = values(e, INPUTS)
    assert {id(node) for node in walk(e)} <= found.keys()
    (each,) = [node for node in walk(e) if isinstance(node, Op) and node.name == "each"]
    assert found[id(each.args[0])] == (1 - 7 / 3) ** 2  # of the first round
    assert found[id(each)] == pytest.approx((INPUTS["x"] - 7 / 3) ** 2)


def test_nan_is_a_value():
    assert np.isnan(evaluate(reading("np.log(-x)"), INPUTS)).all()
