"""The flags of the command line that a remedy stands for, or the arguments in Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import accumulate

from shapesmt.reports.answers import Remedy, Report
from shapesmt.reports.render.quoting import argument, python, shell
from shapesmt.reports.render.text.words import interval

_MOST = 1000  # the most characters of flags that are shown


_IN_PYTHON: ContextVar[bool] = ContextVar("in Python", default=False)


@contextmanager
def as_python() -> Iterator[None]:
    """Let remedies be arguments in Python inside the block, as for a notebook.

    >>> from shapesmt.reports.answers import Remedy
    >>> with as_python():
    ...     print(flags(Remedy({"height": "80..512:16"}, ("total == past + seq",))))
    dims={"height": "80..512:16"}, assume=["total == past + seq"]
    """
    token = _IN_PYTHON.set(True)
    try:
        yield
    finally:
        _IN_PYTHON.reset(token)


def flags(remedy: Remedy) -> str:
    """Return the remedy as flags of the command line; if they are too long, whole flags are left out at the end.

    Inside `as_python`, the result has the arguments of a call.

    >>> from shapesmt.reports.answers import Remedy
    >>> flags(Remedy({"height": "80..512:16"}, ("total == past + seq",)))
    '--dim height=80..512:16 --assume "total == past + seq"'
    """
    if _IN_PYTHON.get():
        return _arguments(remedy)
    words = [f"--dim {argument(f'{name}={interval}', bare=True)}" for name, interval in remedy.dims.items()]
    words += [f"--value {argument(f'{name}={interval}', bare=True)}" for name, interval in remedy.values.items()]
    words += [f"--assume {argument(condition)}" for condition in remedy.assume]
    shown = [word for word, end in zip(words, accumulate(map(len, words)), strict=True) if end <= _MOST]
    return " ".join([*shown, *["..."] * (len(shown) < len(words))])


def command(question: str, report: Report, remedy: Remedy) -> str:
    """Return the command that asks a question about a report's model with a remedy and the report's declarations.

    >>> from shapesmt.prover.algebra import Verdict
    >>> from shapesmt.reports.answers import Counts, Remedy, Report, SymbolRange
    >>> symbols = {"batch": SymbolRange(1, 8, 1, "--dim"), "height": SymbolRange(64, 512, 1, "--dim")}
    >>> report = Report("unet.onnx", Verdict.DEPENDS, symbols, Counts())
    >>> command("check", report, Remedy({"height": "64..512:16"}))
    'shapesmt check unet.onnx --dim batch=1..8 --dim height=64..512:16'
    """
    from shapesmt.reports.answers import Remedy

    declared = {symbol: interval(r.min, r.max, r.step) for symbol, r in report.symbols.items() if r.source == "--dim"}
    assumed = [text for text in report.assumptions if text not in report.origins]
    whole = Remedy({**declared, **remedy.dims}, (*assumed, *remedy.assume), remedy.values)
    if _IN_PYTHON.get():
        return f"shapesmt.{question}({', '.join(filter(None, [python(report.model), _arguments(whole)]))})"
    return f"{shell('shapesmt', question, report.model)} {flags(whole)}".rstrip()


def _arguments(remedy: Remedy) -> str:
    """Return a remedy as the arguments of a call in Python."""

    def mapping(values: Mapping[str, str]) -> str:
        return "{" + ", ".join(f"{python(name)}: {python(text)}" for name, text in values.items()) + "}"

    words = [f"{key}={mapping(v)}" for key, v in (("dims", remedy.dims), ("values", remedy.values)) if v]
    words += [f"assume=[{', '.join(map(python, remedy.assume))}]"] * bool(remedy.assume)
    return ", ".join(words)
