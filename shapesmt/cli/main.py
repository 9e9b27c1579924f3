"""The command line: parse, one call of `shapesmt.api`, render, exit status."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from shapesmt.cli.compilers import dynamic_shapes, memory, profile, simplify, tighten
from shapesmt.cli.completion import complete_model, complete_target
from shapesmt.cli.fleet import Fleet, checked, fleet_options, is_several
from shapesmt.cli.options import (
    Commands,
    check_command,
    configured,
    debug_option,
    declared_option,
    list_codes,
    model_command,
    settled,
    timeout_option,
)
from shapesmt.cli.output import BOUNDS_STATUS, STATUS, put, show, waiting
from shapesmt.collector import gc_paused
from shapesmt.errors import InternalError, OutOfTimeError, ShapesmtError, printable
from shapesmt.render import (
    LOCATING,
    Form,
    discard_output,
    discard_output_that_fails,
    have_streams,
    refusal,
    tolerate_unprintable,
)
from shapesmt.version import __version__

__all__ = ["cli", "main"]

UNDECIDED = 3
INTERNAL_ERROR = 4
INTERRUPTED = 130
BROKEN_PIPE = 141
_CHECK_STATUS = STATUS.format("0 proved, 1 depends or fails, 3 undecided")
_REPRO_STATUS = STATUS.format("0 written, 1 nothing to reproduce")

_NO_FRAME = "without "
"""What Python says in a `SystemError` where it had no memory to call a function: "returned NULL without setting an
exception", "error return without exception set"."""
_CODE = re.compile(r"SM[0-9]{3}", re.IGNORECASE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; every mistake becomes one line on standard error."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words or bool(os.environ.get("SHAPESMT_DEBUG"))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's, whose memory is large and of no use here
    try:
        have_streams()
        tolerate_unprintable()
        with gc_paused():
            status = cli.main(args=words, prog_name="shapesmt", standalone_mode=False)
            if arguments is None:  # the process ends, and the collector would look through all that there is
                gc.freeze()
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (BrokenPipeError, SystemExit) as ended:  # click makes a SystemExit of a broken pipe, and after completion
        discard_output()
        return 0 if isinstance(ended, SystemExit) and ended.code == 0 else BROKEN_PIPE
    except Exception as error:  # any error becomes one line
        status, text = _failed(error, debug)
    discard_output_that_fails()
    with suppress(OSError):  # where that can't be written either, the status has to do
        click.echo(text, err=True)
    discard_output_that_fails(sys.stderr)
    return status


def _failed(error: Exception, debug: bool) -> tuple[int, str]:
    """The exit status and the line for an error: 2 for the user's mistakes, 4 for internal errors."""
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):  # click 8.1 has none
        return 2, str(error)
    if debug:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, ShapesmtError | click.ClickException):
        text = error.format_message() if isinstance(error, click.ClickException) else str(error)
        path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else ""
        hint = f"; see {path} --help" if path else ""
        status = UNDECIDED if isinstance(error, OutOfTimeError) else 2
        return status, f"error: {printable(' '.join(text.split()).rstrip('.'), 1000)}{hint}"
    if isinstance(error, MemoryError) or (isinstance(error, SystemError) and _NO_FRAME in str(error)):
        return UNDECIDED, "error: there isn't enough memory"
    if isinstance(error, OSError | ImportError) and not str(getattr(error, "name", "")).startswith("shapesmt"):
        return 2, f"error: {refusal(error)}"
    report = "" if debug else "; run again with --debug for the traceback"
    text = str(error) if isinstance(error, InternalError) else f"{type(error).__name__}: {error}"
    if not isinstance(error, InternalError):
        text += " (a bug in shapesmt: please report it with the model that shows it)"
    return INTERNAL_ERROR, f"internal error: {printable(' '.join(text.split()), 1000)}{report}"


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: shapesmt check unet.onnx --dim batch=1..32 --dim height=64..512:16. Pages: shapesmt help.",
)
@click.version_option(__version__, "-V", "--version", message="shapesmt %(version)s")
@debug_option
def cli() -> None:
    """Prove tensor shapes for every input of a model at once.

    MODEL is a file (shapesmt help models lists the formats), or - for standard input. The model isn't run and needs no
    weights.
    """


@cli.command(epilog=f"{_CHECK_STATUS}. Example: shapesmt check unet.onnx --dim height=64..512")
@check_command
@declared_option
@click.option("--certify", is_flag=True, help="Have the solver decide the complete system as well.")
@click.option("--strict", is_flag=True, help="Exit with 1 where there is a warning.")
@click.option("--replay", is_flag=True,
              help="Run counterexamples on ONNX Runtime (pip install 'shapesmt[replay]'), or by PyTorch.")  # fmt: skip
@fleet_options
@click.option("-q", "--quiet", is_flag=True, help="Text of one line: the verdict of each model.")
@click.option("--all", "everything", is_flag=True, help="Text of all findings, however many.")
@click.option("--html", metavar="FILE",
              help="Write a page to show and to try sizes on as well; of several models, a folder.")  # fmt: skip
def check(
    form: Form,
    models: tuple[str, ...],
    fleet: Fleet,
    quiet: bool,
    everything: bool,
    html: str | None,
    **options: Any,
) -> int:
    """Does every node run for every input? If not: which input breaks it?

    Of several models, a folder with some, or a pattern, a table of the verdicts comes last, and the gravest exit status
    counts: 2, then 1, then 3. A run or a solver that contradicts the answer (--replay, --certify) ends with 4.
    """
    if form == "text":
        wanted = {"quiet": quiet, "all": everything, "fleet": fleet.summary or fleet.output is not None}
        form = next((name for name, asked in wanted.items() if asked), form)
    config, options = configured(options)
    if len(models) > 1 or fleet.several or is_several(models[0]):
        return show(checked(models, fleet, config, options, html, brief=form == "fleet"), form)
    from shapesmt import api

    (model,) = models
    question = settled(model, config, options)
    if html is not None:
        from shapesmt.fleet import write_page

        report = write_page(html, waiting(f"checking {model}", question, lambda: api.page_data(model, question)))
    else:
        report = waiting(f"checking {model}", question, lambda: api.checked(model, question))
    if form in LOCATING and model != "-":
        report = replace(report, model=model)
    return show(report, form)


@cli.command(epilog=f"{_CHECK_STATUS}. Example: shapesmt explain unet.onnx /up1/Concat")
@model_command
@click.argument("target", required=False, metavar="[NODE or TENSOR]", shell_complete=complete_target)
@click.option("--codes", is_flag=True, is_eager=True, expose_value=False, callback=list_codes,
              help="List the error codes.")  # fmt: skip
@click.option("--constraints", is_flag=True, help="Show what the node contributes to the solver's system.")
def explain(form: Form, model: str, target: str | None, constraints: bool, **options: Any) -> int:
    """Why does this node, this dimension or the whole model fail?

    For MODEL, a code of a finding or warning (SM101) tells what it stands for and what helps.
    """
    from shapesmt import api

    if _CODE.fullmatch(model) and target is None and not Path(model).exists():
        from shapesmt.inspection import explain_code

        return show(explain_code(model), form)
    question = settled(model, *configured(options))
    ask = partial(api.explained, model, target, question, constraints=constraints)
    return show(waiting(f"explaining {model}", question, ask), form)


@cli.command(epilog=f"{BOUNDS_STATUS}. Example: shapesmt bounds unet.onnx --dim batch=1..32")
@model_command
@click.argument("tensors", nargs=-1, metavar="[TENSOR]...", shell_complete=complete_target)
def bounds(form: Form, model: str, tensors: tuple[str, ...], **options: Any) -> int:
    """What are the tightest bounds of every dimension of every tensor?"""
    from shapesmt import api

    question = settled(model, *configured(options))
    return show(waiting(f"bounding {model}", question, lambda: api.bounded(model, tensors, question)), form)


@cli.command(epilog=f"{STATUS.format('0')}. Example: shapesmt encode unet.onnx -o unet.smt2")
@model_command
@click.argument("node", required=False, metavar="[NODE]", shell_complete=complete_target)
@click.option("-o", "--output", metavar="FILE.smt2", help="Where to write it; standard output by default.")
def encode(form: Form, model: str, node: str | None, output: str | None, **options: Any) -> int:
    """Print the complete system as SMT-LIB 2, for any solver: satisfiable if some node can fail.

    Of NODE it is the part that it contributes: satisfiable if it can fail while the nodes before it run.
    """
    from shapesmt import api

    text = api.encoded(model, settled(model, *configured(options)), node)
    put(text, output, form, {"schema": "shapesmt/encode/1", "model": model, "smt2": text})
    return 0


@cli.command(epilog=f"{_REPRO_STATUS}. Example: shapesmt repro unet.onnx -o repro.py")
@model_command
@click.argument("node", required=False, metavar="[NODE]", shell_complete=complete_target)
@click.option("-o", "--output", metavar="FILE.py", help="Where to write it; standard output by default.")
def repro(form: Form, model: str, node: str | None, output: str | None, **options: Any) -> int:
    """Print a Python script that shows the failure of NODE, or the first one, on ONNX Runtime.

    It stands alone: it holds the part of the model that fails, without weights, and needs numpy, onnx and onnxruntime.
    """
    from shapesmt import api

    question = settled(model, *configured(options))
    text = waiting(f"checking {model}", question, lambda: api.reproduced(model, node, question))
    if text is None:
        what = f"no input is known to break {'any node' if node is None else f'node {printable(node)!r}'}"
        click.echo(f"nothing to reproduce in {printable(model)}: {what}", err=True)
        return 1
    put(text, output, form, {"schema": "shapesmt/repro/1", "model": model, "script": text})
    return 0


@cli.command(epilog=f"{STATUS.format('0')}. Example: shapesmt ops unet.onnx")
@click.argument("model", required=False, metavar="[MODEL]", shell_complete=complete_model)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@debug_option
def ops(form: Form, model: str | None) -> int:
    """List the operators that have a rule, or those that MODEL uses."""
    from shapesmt.inspection import supported_ops

    return show(supported_ops(model), form)


@cli.command(epilog=f"{STATUS.format('0')}. Example: shapesmt inspect unet.onnx")
@click.argument("model", metavar="MODEL")
@timeout_option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@debug_option
def inspect(form: Form, model: str, timeout: float) -> int:
    """Show a model's inputs, dimensions and operators: what to declare before asking."""
    from shapesmt import inspection

    return show(inspection.inspect(model, timeout=timeout), form)


@cli.command("help", epilog=f"{STATUS.format('0')}. Example: shapesmt help ranges")
@click.argument("topic", required=False, metavar="[TOPIC or COMMAND]")
@click.pass_context
def show_page(context: click.Context, topic: str | None) -> None:
    """Show the page about TOPIC, or list the topics."""
    from shapesmt.cli.manual import TOPICS, page, titles
    from shapesmt.language import did_you_mean
    from shapesmt.render import write_markdown

    if topic is None:
        width = max(map(len, TOPICS)) + 2
        click.echo("\n".join(f"shapesmt help {name:{width}}{title}" for name, title in titles().items()))
    elif topic in TOPICS:
        write_markdown(page(topic), sys.stdout)
    elif topic in cli.commands:
        click.echo(cli.commands[topic].get_help(click.Context(cli.commands[topic], context.parent, topic)))
    else:
        raise click.UsageError(f"no page {printable(topic)!r}{did_you_mean(topic, [*TOPICS, *cli.commands])}", context)


cli.add_command(memory)
cli.add_command(tighten)
cli.add_command(simplify)
cli.add_command(profile)
cli.add_command(dynamic_shapes)
