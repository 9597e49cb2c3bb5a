"""What a card shows of an answer: the smallest case, how far off it is, what the code warned and printed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mlcore.engine.asking.answers import Call, Reply, quoted
from mlcore.engine.exercises.compare import Compare
from mlcore.engine.exercises.values import aside, components, show, tidy


def how_far(
    calls: Sequence[Call], replies: Sequence[Reply], asked: Sequence[Any], wrong: Sequence[int], names: tuple[str, ...]
) -> str:
    i = min(wrong, key=lambda j: calls[j].size)
    value = tidy(replies[i].value, asked[i], names)
    gaps = [
        np.max(np.abs(v - np.asarray(a, float)), initial=0.0) for v, a in zip(value, components(asked[i]), strict=True)
    ]
    k = int(np.argmax(gaps))
    if calls[i].args is None:
        return "This is not the value that is asked for." + aside(replies[i].value, asked[i])
    subject = names[k] if len(value) > 1 and names else "the result"
    share = f"{len(wrong)} of {len(calls)} inputs" if len(wrong) < len(calls) else "every input"
    return f"On {share} {subject} is off; on the smallest of them by up to {gaps[k]:.3g}." + aside(
        replies[i].value, asked[i]
    )


def evidence(
    reference: Callable,
    calls: Sequence[Call],
    replies: Sequence[Reply],
    asked: Sequence[Any],
    wrong: Sequence[int],
    compare: Compare,
    names: tuple[str, ...],
) -> tuple[tuple[str, str], ...]:
    """The smallest case that shows it."""
    i = min(wrong, key=lambda j: calls[j].size)
    args, reply = calls[i].args, replies[i]
    if args is None:
        return (("yours", show(reply.value)),)
    if reply.trouble:
        return (("your line", reply.trouble.line),) if reply.trouble.line else ()
    parameters = inspect.signature(reference).parameters
    named_args = [_equation(name, value) for name, value in zip(argument_names(parameters, args), args, strict=True)]
    return (("for", "\n".join(named_args)), ("yours", show(reply.value)), ("asked for", show(asked[i])))


def _equation(name: str, value: Any) -> str:
    """`X = ...`, with the rows of a matrix below each other."""
    return f"{name} = " + show(value).replace("\n", "\n" + " " * (len(name) + 3))


def argument_names(parameters: Mapping[str, inspect.Parameter], args: tuple) -> list[str]:
    plain = [p.name for p in parameters.values() if p.kind is not inspect.Parameter.VAR_POSITIONAL]
    return plain[: len(args)] if len(plain) >= len(args) else [f"argument {i + 1}" for i in range(len(args))]


def notes(replies: Sequence[Reply]) -> tuple[str, ...]:
    """What the student should see and what costs nothing."""
    told = [f"Your code warned: {quoted(text)}" for reply in replies for text in reply.warnings]
    if any(reply.changed for reply in replies):
        told.append("Your function changes its arguments in place: the caller's arrays are no longer what they were.")
    if printed := next((reply.printed.strip() for reply in replies if reply.printed.strip()), ""):
        told.append(f"Your code printed: {quoted(printed.splitlines()[0][:80])}")
    return tuple(dict.fromkeys(told))[:4]
