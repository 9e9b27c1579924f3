"""Exceptions: mistakes of the user (one line, exit status 2) and bugs of shapesmt (with a request for a report)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import wraps
from types import FrameType
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Reply = TypeVar("Reply")

_MARK = re.compile(r"#(?=#\w*(?:\[|\Z))")


class ShapesmtError(Exception):
    """A user's mistake; the one-line text says what is wrong, which values conflict, and how to fix it."""


class ModelError(ShapesmtError):
    """The model can't be read: missing, truncated, contradictory or hostile."""


class UsageError(ShapesmtError):
    """The question can't be asked: an unknown name, a malformed range or expression, an unwritable output."""


class UnknownNameError(UsageError, KeyError):
    """An unknown name; the text suggests the closest known one. It is also a `KeyError`, as mappings raise.

    >>> print(UnknownNameError("no tensor 'y'"))
    no tensor 'y'
    """

    __str__ = Exception.__str__  # a KeyError's text would be in quotes


class ShapeMismatch(ShapesmtError, ValueError):  # noqa: N818 - it says what happened, as users of shapes know it
    """Two shapes, ranks or sizes that contradict each other; the text names both."""


class SizeOverflowError(ShapesmtError, OverflowError):
    """A size above 2**63 - 1, the maximum of a tensor, or a product of sizes too long to be written."""


class OutOfTimeError(ShapesmtError, TimeoutError):
    """The timeout passed before the answer was complete, and a partial answer would be useless."""


class RejectedError(Exception):
    """Ends the evaluation of a rule if the node can't run; only the rule's context raises and catches it."""


class InternalError(Exception):
    """A bug of shapesmt; the text asks for a report.

    >>> print(InternalError("a shape of rank 3 met one of rank 4"))
    a shape of rank 3 met one of rank 4 (a bug in shapesmt: please report it with the model that shows it)
    """

    def __str__(self) -> str:
        return f"{super().__str__()} (a bug in shapesmt: please report it with the model that shows it)"


def one_frame(function: Callable[Arguments, Reply]) -> Callable[Arguments, Reply]:
    """Decorate a public function: a user's mistake is raised from here, without the frames of the code that found it.

    The environment variable SHAPESMT_DEBUG leaves them in.

    >>> @one_frame
    ... def ask():
    ...     raise UsageError("no input 'y'")
    >>> try:
    ...     ask()
    ... except UsageError as error:
    ...     print(error, error.__traceback__.tb_next.tb_next)
    no input 'y' None
    """

    @wraps(function)
    def asked(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Reply:
        __tracebackhide__ = True  # pytest and IPython then show the caller's line alone
        try:
            return function(*args, **kwargs)
        except ShapesmtError as error:
            if os.environ.get("SHAPESMT_DEBUG"):
                raise
            raise error.with_traceback(None) from error.__cause__

    return asked


def pass_on(error: BaseException) -> None:
    """Re-raise `error` if a signal handler raised it, such as a test runner's timeout; otherwise do nothing.

    Code that catches any exception of a third-party library calls it first. A frame of the traceback is a handler's if
    its code is registered, or if it has its caller's frame as an argument: Python passes that to handlers only.
    """
    trace = error.__traceback__ and error.__traceback__.tb_next  # the first frame is that of the code that caught it
    handlers = _handler_code() if trace is not None else ()
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        if frame.f_code in handlers or (frame.f_back is not None and _has(frame, frame.f_back)):
            raise error


def _handler_code() -> set[object]:
    """Return the code of the signal handlers that are functions or methods."""
    import signal

    handlers = map(signal.getsignal, range(1, signal.NSIG))  # `valid_signals` takes five times as long
    return {code for h in handlers if (code := getattr(getattr(h, "__func__", h), "__code__", None)) is not None}


def _has(frame: FrameType, interrupted: FrameType) -> bool:
    """Whether a local variable of `frame` is the frame `interrupted`, or a tuple such as `*args` that contains it."""
    values = [*frame.f_locals.values()]
    return any(value is interrupted for v in values for value in (v if type(v) is tuple else (v,)))


def printable(text: str, limit: int = 120) -> str:
    r"""Return the text on one line: unprintable characters are escaped; `…` replaces the middle above `limit` ones.

    Names come from files: they may have line ends, terminal commands, or a megabyte of anything.

    >>> printable("conv\n\x1b[2J")
    'conv\\n\\x1b[2J'
    >>> printable("a" * 40 + "z" * 40, limit=9)
    'aaaa…zzzz'
    >>> printable("##vso[task.complete]")
    '\\x23#vso[task.complete]'
    """
    if len(text) <= limit and len(shown := escape(text)) <= limit:
        return shown
    half = (limit - 1) // 2
    return f"{escape(text[:half])[:half]}…{escape(text[-half:])[-half:]}"


def escape(text: str) -> str:
    r"""Return the text on one line, of any length: unprintable characters and commands of CI systems are escaped.

    >>> escape("a\nb")
    'a\\nb'
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return escape_marks(text, r"\x23")


def escape_marks(text: str, sign: str) -> str:
    """Return the text with `sign` in place of the first `#` of `##vso[`, `##[` and a `##word` cut off at the end.

    CI systems such as GitHub Actions and Azure Pipelines run these commands anywhere in a line that a job prints.
    """
    return _MARK.sub(lambda _: sign, text) if "##" in text else text
