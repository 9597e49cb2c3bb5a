"""What crosses between the grader and the student's process: JSON and arrays of numbers, nothing that can execute.

The student's side is not trusted. What it sends is read piece by piece, each piece against its limits, and
whatever does not fit is a `Garbled` message, never an exception of another kind.
"""

from __future__ import annotations

import base64
import json
import math
import pickle
import socket
import time
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from mlcore.engine.asking.answers import Call, Reply, Trouble
from mlcore.engine.asking.plain import (
    DEEPEST,
    LONGEST_LIST,
    LONGEST_TEXT,
    MOST_NUMBERS,
    REASONS,
    Foreign,
    plain,
    writable,
)
from mlcore.engine.asking.watch import Watch

LARGEST = 16 << 20  # bytes of one message
DTYPES = {"b": "|b1", "u": "<u8", "i": "<i8", "f2": "<f2", "f4": "<f4", "f8": "<f8", "c": "<c16"}


class Garbled(Exception):
    """The other side sent something that is no message."""


class Gone(Exception):
    """The other side has ended."""


def send(channel: socket.socket, message: Any) -> None:
    data = json.dumps(message).encode()
    try:
        channel.sendall(len(data).to_bytes(4, "big") + data)
    except (BrokenPipeError, ConnectionResetError):
        raise Gone from None


def receive(channel: socket.socket) -> Any:
    """One message within the channel's timeout, however small the pieces in which it comes."""
    patience = channel.gettimeout()
    deadline = None if patience is None else time.monotonic() + patience
    size = int.from_bytes(_exactly(channel, 4, deadline), "big")
    if size > LARGEST:
        raise Garbled(f"a message of {size >> 20} MB")
    try:
        return json.loads(_exactly(channel, size, deadline))
    except (ValueError, RecursionError):
        raise Garbled("a message that is not JSON") from None


def _exactly(channel: socket.socket, size: int, deadline: float | None) -> bytes:
    data = bytearray()
    while len(data) < size:
        if deadline is not None:
            channel.settimeout(max(deadline - time.monotonic(), 0.01))
        try:
            piece = channel.recv(min(size - len(data), 1 << 20))
        except ConnectionResetError:
            raise Gone from None
        if not piece:
            raise Gone
        data += piece
    return bytes(data)


# Values. `packed` runs on either side; `unpacked` doubts everything.


def packed(value: Any) -> Any:
    """A value as JSON. Of what is neither numbers nor text, a name and a reason cross."""
    return _packed(plain(value))


def _packed(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if value is ...:
        return {"ellipsis": True}
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, Foreign):
        return {"object": value.name, "why": value.why}
    if isinstance(value, tuple | list):
        return {"tuple" if isinstance(value, tuple) else "list": [_packed(v) for v in value]}
    if type(value) is int:
        return {"int": str(value)}
    if type(value) is float:
        return {"float": value.hex() if math.isfinite(value) else str(value)}
    kind = f"f{value.itemsize}" if value.dtype.kind == "f" else value.dtype.kind
    data = base64.b64encode(np.ascontiguousarray(value, dtype=DTYPES[kind]).tobytes()).decode()
    scalar = isinstance(value, np.generic)
    return {"array": data, "dtype": DTYPES[kind], "shape": list(value.shape), "scalar": scalar}


def unpacked(data: Any, depth: int = 0) -> Any:
    """The value that `packed` wrote, or `Garbled`."""
    if data is None or isinstance(data, bool):
        return data
    if not isinstance(data, dict) or depth > DEEPEST + 1:
        raise Garbled("a value of no known form")
    match data:
        case {"ellipsis": True}:
            return ...
        case {"text": str(text)} if len(text) <= LONGEST_TEXT:
            return writable(text)
        case {"int": str(digits)} if len(digits) <= 20:
            return _number(int, digits)
        case {"float": str(digits)} if len(digits) <= 40:
            return _number(float if digits in ("nan", "inf", "-inf") else float.fromhex, digits)
        case {"tuple": list(items)} if len(items) <= LONGEST_LIST:
            return tuple(unpacked(item, depth + 1) for item in items)
        case {"list": list(items)} if len(items) <= LONGEST_LIST:
            return [unpacked(item, depth + 1) for item in items]
        case {"object": str(name), "why": str(why)} if name.isidentifier() and len(name) <= 60 and why in REASONS:
            return Foreign(writable(name), why)
        case {"array": str(text), "dtype": str(dtype), "shape": list(shape)}:
            return _unpacked_array(text, dtype, shape, data.get("scalar") is True)
    raise Garbled("a value of no known form")


def _number(read: Any, digits: str) -> Any:
    try:
        return read(digits)
    except (ValueError, OverflowError):
        raise Garbled("a number that is none") from None


def _unpacked_array(text: str, dtype: str, shape: list, scalar: bool) -> Any:
    if dtype not in DTYPES.values() or len(shape) > 32:
        raise Garbled("an array of no known kind")
    if not all(type(n) is int and 0 <= n <= MOST_NUMBERS for n in shape) or math.prod(shape) > MOST_NUMBERS:
        raise Garbled("an array that is too large")
    try:
        array = np.frombuffer(base64.b64decode(text, validate=True), dtype=dtype).reshape(shape).copy()
    except ValueError:
        raise Garbled("an array whose size is not its shape's") from None
    if dtype == "|b1":
        array = array.view(np.uint8) != 0  # a byte of 7 is no truth value
    return array[()] if scalar and not shape else array


# Questions and replies. A question comes from the grader, which the student's process may trust: some ask about
# functions, so it is pickled. Nothing is ever unpickled on the grader's side.


def packed_question(plan: Sequence[Call], watch: Watch, home: ModuleType) -> str:
    """`home` is the module whose functions go along by value: the student's process does not have it."""
    import cloudpickle  # type: ignore[import-untyped]

    cloudpickle.register_pickle_by_value(home)
    return base64.b64encode(cloudpickle.dumps((plan, watch))).decode()


def unpacked_question(text: str) -> tuple[list[Call], Watch]:
    return pickle.loads(base64.b64decode(text))


def packed_reply(reply: Reply) -> dict:
    t = reply.trouble
    trouble = t and [str(text)[:LONGEST_TEXT] for text in (t.kind, t.message, t.line)]
    return {
        "value": packed(reply.value),
        "trouble": trouble,
        "untouched": bool(reply.untouched),
        "calls": reply.calls[:200],
        "changed": list(reply.changed),
        "warnings": [text[:300] for text in reply.warnings[:5]],
        "printed": reply.printed[:300],
    }


def unpacked_replies(data: Any, count: int) -> list[Reply]:
    if not isinstance(data, list) or len(data) != count:
        raise Garbled("not one reply to each question")
    return [_unpacked_reply(one) for one in data]


def _unpacked_reply(data: Any) -> Reply:
    match data:
        case {
            "value": value,
            "trouble": None | [str(), str(), str()] as trouble,
            "untouched": bool(untouched),
            "calls": str(calls),
            "changed": list(changed),
            "warnings": list(warned),
            "printed": str(printed),
        } if all(type(n) is int for n in changed) and all(isinstance(w, str) for w in warned):
            return Reply(
                unpacked(value),
                Trouble(*(writable(t[:LONGEST_TEXT]) for t in trouble)) if trouble else None,
                untouched,
                writable(calls[:200]),
                tuple(changed[:20]),
                [writable(w[:300]) for w in warned[:5]],
                writable(printed[:300]),
            )
    raise Garbled("a reply of no known form")
