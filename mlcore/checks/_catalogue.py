"""Every topic that is there, found by looking: adding a topic adds a file and edits none."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import mlcore.checks
from mlcore.checks._exercises import Exercise
from mlcore.checks._topic import Topic


@functools.cache
def modules() -> tuple[ModuleType, ...]:
    """The modules `mlcore.checks.<slug>`, in the order of the course."""
    names = [m.name for m in pkgutil.iter_modules(mlcore.checks.__path__) if not m.name.startswith("_")]
    found = [importlib.import_module(f"mlcore.checks.{name}") for name in names]
    return tuple(sorted(found, key=lambda module: module.topic.number))


def topics() -> Iterator[Topic]:
    return (module.topic for module in modules())


def exercises(topic: Topic) -> list[Exercise]:
    """The exercises of a topic, in the order of its notebook."""
    module = next(m for m in modules() if m.topic is topic)
    return [value for value in vars(module).values() if isinstance(value, Exercise)]
