"""The flags of the command line that a remedy stands for."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shapesmt.report import Remedy

__all__ = ["flags"]


def flags(remedy: Remedy) -> str:
    """The remedy as flags of the command line.

    >>> from shapesmt.report import Remedy
    >>> flags(Remedy({"height": "80..512:16"}, ("total == past + seq",)))
    '--dim height=80..512:16 --assume "total == past + seq"'
    """
    declared = [f"--dim {_argument(f'{name}={interval}', bare=True)}" for name, interval in remedy.dims.items()]
    declared += [f"--value {_argument(f'{name}={interval}', bare=True)}" for name, interval in remedy.values.items()]
    return " ".join([*declared, *(f"--assume {_argument(condition)}" for condition in remedy.assume)])


def _argument(text: str, bare: bool = False) -> str:
    """`text` as one argument of a command line: in double quotes, which every shell reads, where that is safe."""
    if bare and re.fullmatch(r"[\w.=:,-]+", text):
        return text
    return shlex.quote(text) if re.search(r"[$`\"\\!]", text) else f'"{text}"'
