"""An expression from what a student would type."""

from collections.abc import Mapping
from typing import Any

from mlcore.engine.reading import source
from mlcore.engine.reading.expression import Expression
from mlcore.engine.reading.reader import read


def expression(text: str, variables: Mapping[str, Any]) -> Expression:
    """What `return text` says in a function of these variables."""
    cell = f"import numpy as np\ndef line({', '.join(variables)}):\n    return {text}\n"
    (definition,) = source.of_cells([cell], ["line"])
    assert definition is not None
    return read(definition, list(variables))
