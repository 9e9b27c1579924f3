"""Output of a command: a bar while it waits, then text or JSON on standard output or in a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

import click

from shapesmt.reports.render import Form

if TYPE_CHECKING:
    from shapesmt.entrypoints.api import Opened
    from shapesmt.reports.answers import AnyResult

STATUS = "exit status: {0}, 2 bad usage or unreadable model"
CHECK_STATUS = STATUS.format("0 proved, 1 depends or fails, 3 undecided")
BOUNDS_STATUS = STATUS.format("0 all exact, 1 no valid input, 3 some end not exact")


def put(text: str, output: str | None, form: Form, data: Mapping[str, object]) -> None:
    """Write `text`, or `data` if `form` is "json", to the file `output`; None or "-" is standard output."""
    if form == "json":
        from shapesmt.reports.render import to_json

        text = to_json(dict(data))
    if output is None or output == "-":
        click.echo(text, nl=not text.endswith("\n"))
    else:
        from shapesmt.reports.export import write_whole

        write_whole(output, text.encode())


Answer = TypeVar("Answer")


def waiting(what: str, asked: Opened, ask: Callable[[], Answer]) -> Answer:
    """Return the result of `ask`; meanwhile a bar shows how much of the timeout has passed."""
    from shapesmt.reports.render import timing

    with timing(what, asked.question.timeout):
        return ask()


def show(result: AnyResult, form: Form) -> int:
    """Print a result and return its exit status."""
    from shapesmt.reports.render import render

    render(result, form)
    return result.exit_status
