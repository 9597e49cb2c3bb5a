"""What crosses the border: honest values come out as they went in, and nothing else comes out at all."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mlcore.engine.asking.answers import Reply, Trouble
from mlcore.engine.asking.plain import Foreign
from mlcore.grading import wire

NUMBERS = st.one_of(st.booleans(), st.integers(-(2**62), 2**62), st.floats())
ARRAYS = hnp.arrays(
    st.sampled_from([np.float64, np.float32, np.float16, np.int64, np.int8, np.uint8, np.bool_, np.complex128]),
    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
)
VALUES = st.recursive(
    st.one_of(st.none(), NUMBERS, st.text(max_size=50), ARRAYS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.lists(inner, max_size=4).map(tuple)),
    max_leaves=8,
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=8), inner, max_size=5)),
    max_leaves=20,
)
SHAPED = st.fixed_dictionaries(
    {
        "array": st.text(alphabet="ABCD+/= ", max_size=40),
        "dtype": st.sampled_from(["<f8", "<f4", "<f2", "|b1", "O", "<i8", "<U9"]),
        "shape": st.lists(st.one_of(st.integers(-5, 10**9), st.text(max_size=2)), max_size=40),
    }
)


def same(a, b) -> bool:
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray | np.generic | float):
        one, two = np.asarray(a), np.asarray(b)
        kept = one.dtype == two.dtype or one.dtype.kind in "iu"  # the precision, that is
        return kept and one.shape == two.shape and np.array_equal(one, two, equal_nan=True)
    return type(a) is type(b) and a == b


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is not a fault
@given(VALUES)
def test_values_come_out_as_they_went_in(value):
    assert same(value, wire.unpacked(wire.packed(value)))


@given(st.one_of(JSON, SHAPED))
def test_any_other_message_is_garbled_and_nothing_worse(data):
    try:
        value = wire.unpacked(data)
    except wire.Garbled:
        return
    assert wire.packed(value) is not None or value is None


@given(st.lists(JSON, max_size=3))
def test_any_other_replies_are_garbled_and_nothing_worse(data):
    with pytest.raises(wire.Garbled):
        wire.unpacked_replies(data, 4)


def test_reply_comes_out_as_it_went_in():
    reply = Reply(np.arange(3.0), Trouble("ValueError", "no", "line 1"), False, "mlcore.ridge.fit", (1,), ["w"], "p")
    (back,) = wire.unpacked_replies([wire.packed_reply(reply)], 1)
    assert same(reply.value, back.value)
    assert (back.trouble, back.calls, back.changed) == (reply.trouble, reply.calls, reply.changed)


def test_a_byte_that_is_no_truth_value_is_made_one():
    data = wire.packed(np.array([True, False]))
    data["array"] = "BwA="  # bytes 7 and 0
    assert wire.unpacked(data).tolist() == [True, False]
    assert wire.unpacked(data).view(np.uint8).tolist() == [1, 0]


@pytest.mark.parametrize("value", [object(), {1: 2}, {1, 2}, abs, map(abs, []), b"a", np.zeros(1_000_001), 10**400])
def test_what_is_no_number_crosses_as_a_name_and_a_reason(value):
    data = wire.packed(value)
    assert set(data) == {"object", "why"}
    assert isinstance(wire.unpacked(data), Foreign)


@pytest.mark.parametrize("value", [np.array(["a"]), np.array([object()])])
def test_items_cross_one_by_one(value):
    (item,) = wire.unpacked(wire.packed(value))
    assert isinstance(item, str | Foreign)


@pytest.mark.parametrize(
    ("value", "crosses"),
    [
        (Fraction(1, 2), {"float": "0x1.0000000000000p-1"}),
        (Decimal("0.5"), {"float": "0x1.0000000000000p-1"}),
        (2**63, {"float": "0x1.0000000000000p+63"}),
        (np.str_("a"), {"text": "a"}),
    ],
)
def test_numbers_of_other_kinds_cross_as_floats(value, crosses):
    assert wire.packed(value) == crosses


@pytest.mark.parametrize(
    "data",
    [
        {"object": "float64"},
        {"object": "float64", "why": "it is right"},
        {"object": "<b>", "why": "object"},
        {"object": "a" * 61, "why": "object"},
        {"object": "{0.__class__}", "why": "object"},
    ],
)
def test_reasons_and_names_are_not_the_students_to_choose(data):
    with pytest.raises(wire.Garbled):
        wire.unpacked(data)
