"""The command line: parse, call `shapesmt.entrypoints.api` once, render, return the exit status."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from shapesmt.base.collector import gc_paused
from shapesmt.base.deadline import TimeUp
from shapesmt.base.errors import InternalError, OutOfTimeError, ShapesmtError, printable
from shapesmt.base.version import __version__
from shapesmt.entrypoints.cli.options import Commands, Late, debug_option
from shapesmt.entrypoints.cli.output import STATUS
from shapesmt.reports.render import (
    discard_output,
    discard_output_that_fails,
    have_streams,
    is_refusal,
    refusal,
    tolerate_unprintable,
)

UNDECIDED = 3
INTERNAL_ERROR = 4
INTERRUPTED = 130
BROKEN_PIPE = 141
_NO_FRAME = "without "
"""Part of Python's `SystemError` texts when there is no memory to call a function: "returned NULL without setting an
exception", "error return without exception set"."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; every mistake becomes one line on standard error."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words or bool(os.environ.get("SHAPESMT_DEBUG"))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads take much memory and are of no use here
    try:
        have_streams()
        tolerate_unprintable()
        with gc_paused():
            status = cli.main(args=words, prog_name="shapesmt", standalone_mode=False)
            if arguments is None:  # the process ends: spare the collector its last look at everything
                gc.freeze()
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (BrokenPipeError, SystemExit) as ended:  # click raises SystemExit for a broken pipe, and after completion
        discard_output()
        return 0 if isinstance(ended, SystemExit) and ended.code == 0 else BROKEN_PIPE
    except (Exception, TimeUp) as error:  # any error becomes one line
        status, text = _error_line(error, debug)
    discard_output_that_fails()
    with suppress(OSError):  # if that can't be written either, the status has to do
        click.echo(text, err=True)
    discard_output_that_fails(sys.stderr)
    return status


def _error_line(error: Exception | TimeUp, debug: bool) -> tuple[int, str]:
    """Return the exit status and the line for an error: 2 for the user's mistakes, 4 for internal errors."""
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):  # click 8.1 has none
        return 2, str(error)
    if debug:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, ShapesmtError | click.ClickException):
        text = _click_message(error) if isinstance(error, click.ClickException) else str(error)
        path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else ""
        hint = f" (see {path} --help)" if path else ""
        status = UNDECIDED if isinstance(error, OutOfTimeError) else 2
        return status, f"error: {printable(' '.join(text.split()).rstrip('.'), 1000)}{hint}"
    if isinstance(error, TimeUp):
        return UNDECIDED, "error: there is no answer in the time given; a longer --timeout may do"
    if isinstance(error, MemoryError) or (isinstance(error, SystemError) and _NO_FRAME in str(error)):
        return UNDECIDED, "error: there isn't enough memory"
    if is_refusal(error):
        return 2, f"error: {refusal(error)}"
    report = "" if debug else "; run again with --debug for the traceback"
    text = str(error) if isinstance(error, InternalError) else f"{type(error).__name__}: {error}"
    if not isinstance(error, InternalError):
        text += " (a bug in shapesmt: please report it with the model that shows it)"
    return INTERNAL_ERROR, f"internal error: {printable(' '.join(text.split()), 1000)}{report}"


def _click_message(error: click.ClickException) -> str:
    """Return click's message in the words of other mistakes: `no such option '--dims'; did you mean '--dim'?`."""
    text = error.format_message().rstrip(" .")
    said, _, guess = (text[:1].lower() + text[1:]).partition("Did you mean ")
    return f"{said.rstrip(' .(')}; did you mean {guess.rstrip(')')}" if guess else said


_COMMANDS = {
    "inspect": "questions",
    "check": "checking",
    "explain": "questions",
    "bounds": "questions",
    "repair": "compilers",
    "memory": "compilers",
    "tighten": "compilers",
    "simplify": "compilers",
    "profile": "compilers",
    "dynamic-shapes": "compilers",
    "repro": "questions",
    "encode": "questions",
    "ops": "questions",
    "schema": "schemas",
}
"""The module of each command, in the order in which help lists them."""


@click.group(
    cls=Commands,
    commands=Late(_COMMANDS),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nExample: shapesmt check unet.onnx --dim batch=1..32 --dim height=64..512:16\nPages:   shapesmt help",
)
@click.version_option(__version__, "-V", "--version", message="shapesmt %(version)s")
@debug_option
def cli() -> None:
    """Prove tensor shapes for every input of a model at once.

    MODEL is a file (shapesmt help models lists the formats), or - for standard input. The model isn't run and needs no
    weights.
    """


@cli.command(
    "help",
    short_help="Print a page about ranges, verdicts, formats, ...",
    epilog=f"{STATUS.format('0')}. Example: shapesmt help ranges",
)
@click.argument("topic", required=False, metavar="[TOPIC or COMMAND]")
@click.pass_context
def show_page(context: click.Context, topic: str | None) -> None:
    """Show the page about TOPIC, or list the topics."""
    from shapesmt.entrypoints.cli.manual import TOPICS, page, titles
    from shapesmt.network.declarations import did_you_mean
    from shapesmt.reports.render import write_markdown

    if topic is None:
        width = max(map(len, TOPICS)) + 2
        click.echo("\n".join(f"shapesmt help {name:{width}}{title}" for name, title in titles().items()))
    elif topic in TOPICS:
        write_markdown(page(topic), sys.stdout)
    elif topic in cli.commands:
        click.echo(cli.commands[topic].get_help(click.Context(cli.commands[topic], context.parent, topic)))
    else:
        raise click.UsageError(f"no page {printable(topic)!r}{did_you_mean(topic, [*TOPICS, *cli.commands])}", context)
