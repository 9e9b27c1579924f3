"""Every law under its name, wherever it stands: `laws.BATCH_NOT_EMPTY` with its code, `laws.DELTA_NOT_0` by its rule.

>>> from tests.support import laws
>>> str(laws.BATCH_NOT_EMPTY), str(laws.DELTA_NOT_0)
("the batch isn't empty", 'delta is not 0')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import shapesmt
from shapesmt.network.laws import Law

PACKAGE = Path(shapesmt.__file__).parent
FILES = {str(path.relative_to(PACKAGE)): path.read_text() for path in sorted(PACKAGE.rglob("*.py"))}
"""The text of each file of the package."""


def _constants() -> Iterator[tuple[str, str]]:
    """Yield each constant that is a law, with its file."""
    for file, text in FILES.items():
        for name in re.findall(r"^([A-Z][A-Z0-9_]*) = (?:laws\.)?SM\d{3}\.law\(", text, re.MULTILINE):
            yield name, file


CONSTANTS = tuple(_constants())
PLACES = dict(CONSTANTS)
"""The file, below the package, that defines each law."""


def __getattr__(name: str) -> Law:
    if name not in PLACES:
        raise AttributeError(name)
    law: Law = getattr(import_module(f"shapesmt.{PLACES[name].removesuffix('.py').replace('/', '.')}"), name)
    return law


@cache
def every_law() -> dict[str, Law]:
    """Return all laws by their names."""
    return {name: __getattr__(name) for name in PLACES}
