"""The flags of the command line that a remedy stands for."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from shapesmt.render.text.words import interval

if TYPE_CHECKING:
    from shapesmt.report import Remedy, Report

__all__ = ["command", "flags"]


def flags(remedy: Remedy) -> str:
    """The remedy as flags of the command line.

    >>> from shapesmt.report import Remedy
    >>> flags(Remedy({"height": "80..512:16"}, ("total == past + seq",)))
    '--dim height=80..512:16 --assume "total == past + seq"'
    """
    declared = [f"--dim {_argument(f'{name}={interval}', bare=True)}" for name, interval in remedy.dims.items()]
    declared += [f"--value {_argument(f'{name}={interval}', bare=True)}" for name, interval in remedy.values.items()]
    return " ".join([*declared, *(f"--assume {_argument(condition)}" for condition in remedy.assume)])


def command(question: str, report: Report, remedy: Remedy) -> str:
    """The whole command that asks a question about a report's model with a remedy, and the other declarations.

    >>> from shapesmt.algebra import Verdict
    >>> from shapesmt.report import Counts, Remedy, Report, SymbolRange
    >>> symbols = {"batch": SymbolRange(1, 8, 1, "--dim"), "height": SymbolRange(64, 512, 1, "--dim")}
    >>> report = Report("unet.onnx", Verdict.DEPENDS, symbols, Counts())
    >>> command("check", report, Remedy({"height": "64..512:16"}))
    'shapesmt check unet.onnx --dim batch=1..8 --dim height=64..512:16'
    """
    from shapesmt.report import Remedy

    declared = {symbol: interval(r.min, r.max, r.step) for symbol, r in report.symbols.items() if r.source == "--dim"}
    assumed = [text for text in report.assumptions if text not in report.origins]
    whole = Remedy({**declared, **remedy.dims}, (*assumed, *remedy.assume), remedy.values)
    return f"shapesmt {question} {shlex.quote(report.model)} {flags(whole)}".rstrip()


def _argument(text: str, bare: bool = False) -> str:
    """`text` as one argument of a command line: in double quotes, which every shell reads, where that is safe."""
    if bare and re.fullmatch(r"[\w.=:,-]+", text):
        return text
    return shlex.quote(text) if re.search(r"[$`\"\\!]", text) else f'"{text}"'
