"""Which explorers there are."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from types import ModuleType

from mlcore.engine.explorers.explorer import Explorer


def find(module: ModuleType) -> list[type[Explorer]]:
    """The explorers that a module defines, in the order of the file. A name with an underscore is a base for others."""
    return [
        value
        for name, value in vars(module).items()
        if inspect.isclass(value)
        and issubclass(value, Explorer)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    ]


def find_all(package: ModuleType) -> list[type[Explorer]]:
    """The explorers of all modules of a package, in the order of their names."""
    modules = [importlib.import_module(f"{package.__name__}.{m.name}") for m in pkgutil.iter_modules(package.__path__)]
    return [kind for module in modules for kind in find(module)]
