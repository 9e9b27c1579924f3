"""A progress bar on standard error: it appears after a second, and only on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TextIO

from shapesmt.base.errors import printable


@contextmanager
def timing(what: str, budget: float, stream: TextIO | None = None, delay: float = 1.0) -> Iterator[None]:
    """Show, `delay` seconds after the body started, how much of its `budget` of seconds is spent.

    >>> with timing("checking unet.onnx", budget=60.0):
    ...     pass
    """
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        yield
        return
    done = Event()
    bar = Thread(target=_show, args=(printable(what, 60), budget, stream, delay, done), daemon=True)
    bar.start()
    try:
        yield
    finally:
        done.set()
        bar.join()


@contextmanager
def counting(total: int, stream: TextIO | None = None) -> Iterator[Callable[[str], None]]:
    """Show a bar with the number of models done out of `total`, the rate, and the time that the rest will take.

    The body calls the yielded function with the name of each model that is done.

    >>> with counting(2) as done:
    ...     done("unet.onnx")
    """
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    texts = (TextColumn("{task.fields[rate]}"), TextColumn("{task.description}", markup=False))
    columns = (MofNCompleteColumn(), BarColumn(), TimeRemainingColumn(), *texts)
    with Progress(*columns, console=Console(file=stream, markup=False), transient=True) as shown:
        task = shown.add_task("checking", total=total, rate="")

        def done(name: str) -> None:
            speed = shown.tasks[0].speed
            rate = "" if speed is None else f"{speed:.1f}/s"
            shown.update(task, advance=1, description=printable(name, 60), rate=rate)

        yield done


def _show(what: str, budget: float, stream: TextIO, delay: float, done: Event) -> None:
    started = time.monotonic()
    if done.wait(delay):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[spent]}"))
    with Progress(*columns, console=Console(file=stream, markup=False), transient=True) as shown:
        task = shown.add_task(what, total=budget, spent="")
        while not done.wait(0.1):
            spent = time.monotonic() - started
            shown.update(task, completed=min(spent, budget), spent=f"{spent:.0f} of {budget:.0f} s")
