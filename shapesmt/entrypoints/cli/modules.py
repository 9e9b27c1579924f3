"""Modules of PyTorch as the model of a command: the function of a Python file that returns one with its arguments."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

from shapesmt.base.errors import UsageError, printable

_NAMED = re.compile(r"(?P<file>.+\.py):(?P<name>[^\W\d]\w*)")


def module_of(text: str) -> tuple[Any, ...] | None:
    """Import a file and return the module, arguments and keywords (if any) from its function; None for any other text.

    The text `model.py:example` names a function such as this, whose tuple a dictionary of keywords may follow:

        def example():
            return Net().eval(), (torch.ones(2, 3, 64, 64),)

    Raises:
        UsageError: The file or the function doesn't exist, it fails, or it returns something else.

    >>> module_of("model.pt2") is None
    True
    """
    match = _NAMED.fullmatch(text)
    if match is None:
        return None
    file, name = Path(match["file"]), match["name"]
    if not file.is_file():
        raise UsageError(f"{printable(text)}: there is no file {printable(str(file))}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(loaded)
        returned = getattr(loaded, name)()
    except Exception as error:  # whatever the file raises
        reason = printable(f"{type(error).__name__}: {error}", 200)
        raise UsageError(f"{printable(text)} can't be called: {reason}") from None
    finally:
        sys.path.remove(str(file.parent))
    if not isinstance(returned, tuple) or len(returned) not in (2, 3):
        raise UsageError(f"{printable(text)} is to return a module and a tuple of its arguments (and its keywords)")
    return returned
