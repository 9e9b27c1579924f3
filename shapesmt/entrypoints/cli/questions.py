"""The commands that ask about one model: causes, bounds, formulas, operators."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from shapesmt.base.errors import UsageError, printable
from shapesmt.entrypoints.cli.completion import complete_model, complete_target
from shapesmt.entrypoints.cli.options import (
    debug_option,
    list_codes,
    load_config,
    model_command,
    model_text,
    opened,
    timeout_option,
    with_question,
)
from shapesmt.entrypoints.cli.output import BOUNDS_STATUS, CHECK_STATUS, STATUS, put, show, waiting
from shapesmt.network.declarations import quote
from shapesmt.reports.render import Form

_REPRO_STATUS = STATUS.format("0 written, 1 nothing to reproduce")
_LOG = 1 << 20  # bytes of a text with an error in it that are read
_CODE = re.compile(r"SM[0-9]{3}", re.IGNORECASE)


@click.command(
    short_help="Say why a node fails, or how a size comes to be",
    epilog=f"{CHECK_STATUS}. Example: shapesmt explain unet.onnx /up1/Concat",
)
@model_command
@click.argument("target", type=model_text, required=False, metavar="[NODE or TENSOR]", shell_complete=complete_target)
@click.option("--error", metavar="FILE", help="Which node said the error in this text (- is standard input)?")
@click.option("--replay", is_flag=True, help="With --error: run the least input on ONNX Runtime.")
@click.option("--codes", is_flag=True, is_eager=True, expose_value=False, callback=list_codes,
              help="List the error codes.")  # fmt: skip
@click.option("--constraints", is_flag=True, help="Show what the node contributes to the solver's system.")
def explain(
    form: Form, model: str, target: str | None, error: str | None, replay: bool, constraints: bool, **options: Any
) -> int:
    """Why does this node, this dimension or the whole model fail? At which inputs does it say this error?

    For MODEL, a code of a finding or warning (SM101) tells what it stands for and what helps.
    """
    if _CODE.fullmatch(model) and target is None and not Path(model).exists():
        from shapesmt.entrypoints import api

        return show(api.explain_code(model), form)
    if error is None and replay:
        raise click.UsageError("--replay comes with --error", click.get_current_context())
    if error is not None and (target is not None or constraints):
        raise click.UsageError("--error comes without a node and --constraints", click.get_current_context())
    asked, text = opened(model, *load_config(options)), None if error is None else _log(error)
    ask = partial(asked.explain, target, constraints=constraints, error=text, replay=replay)
    return show(waiting(f"explaining {model}", asked, ask), form)


def _log(path: str) -> str:
    """Return the beginning of a text with an error in it, from a file or standard input; its bytes may be any.

    Raises:
        UsageError: The file can't be read.
    """
    try:
        if path == "-":
            return sys.stdin.buffer.read(_LOG).decode("utf-8", "replace")
        with Path(path).open("rb") as file:
            return file.read(_LOG).decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"can't read {quote(path)}: {error.strerror}") from None


@click.command(
    short_help="Find the tightest bounds of every dimension",
    epilog=f"{BOUNDS_STATUS}. Example: shapesmt bounds unet.onnx --dim batch=1..32",
)
@model_command
@click.argument("tensors", type=model_text, nargs=-1, metavar="[TENSOR]...", shell_complete=complete_target)
def bounds(form: Form, model: str, tensors: tuple[str, ...], **options: Any) -> int:
    """What are the tightest bounds of every dimension of every tensor?"""
    asked = opened(model, *load_config(options))
    return show(waiting(f"bounding {model}", asked, lambda: asked.bounds(*tensors)), form)


@click.command(
    short_help="Print the complete system as SMT-LIB 2, for any solver",
    epilog=f"{STATUS.format('0')}. Example: shapesmt encode unet.onnx -o unet.smt2",
)
@model_command
@click.argument("node", type=model_text, required=False, metavar="[NODE]", shell_complete=complete_target)
@click.option("-o", "--output", metavar="FILE.smt2", help="Where to write it; standard output by default.")
def encode(form: Form, model: str, node: str | None, output: str | None, **options: Any) -> int:
    """Print the complete system as SMT-LIB 2, for any solver: satisfiable if some node can fail.

    Of NODE it is the part that it contributes: satisfiable if it can fail while the nodes before it run.
    """
    from shapesmt.reports.answers import Encoded

    text = opened(model, *load_config(options)).encode(node)
    put(text, output, form, Encoded(model, text).to_dict())
    return 0


@click.command(
    short_help="Print a script that shows a failure on ONNX Runtime",
    epilog=f"{_REPRO_STATUS}. Example: shapesmt repro unet.onnx -o repro.py",
)
@model_command
@click.argument("node", type=model_text, required=False, metavar="[NODE]", shell_complete=complete_target)
@click.option("-o", "--output", metavar="FILE.py", help="Where to write it; standard output by default.")
def repro(form: Form, model: str, node: str | None, output: str | None, **options: Any) -> int:
    """Print a Python script that shows the failure of NODE, or the first one, on ONNX Runtime.

    It stands alone: it holds the part of the model that fails, without weights, and needs numpy, onnx and onnxruntime.
    """
    from shapesmt.reports.answers import Script

    asked = opened(model, *load_config(options))
    text = waiting(f"checking {model}", asked, lambda: asked.repro(node))
    if text is None:
        what = f"no input is known to break {'any node' if node is None else f'node {printable(node)!r}'}"
        click.echo(f"nothing to reproduce in {printable(model)}: {what}", err=True)
        return 1
    put(text, output, form, Script(model, text).to_dict())
    return 0


@click.command(
    short_help="List the operators that have a rule", epilog=f"{STATUS.format('0')}. Example: shapesmt ops unet.onnx"
)
@click.argument("model", required=False, metavar="[MODEL]", shell_complete=complete_model)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@debug_option
def ops(form: Form, model: str | None) -> int:
    """List the operators that have a rule, or those that MODEL uses."""
    from shapesmt.entrypoints import api

    return show(api.supported_ops(model), form)


@click.command(
    short_help="Show inputs, dimensions and operators: what to declare",
    epilog=f"{STATUS.format('0')}. Example: shapesmt inspect unet.onnx",
)
@click.argument("model", metavar="MODEL")
@timeout_option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@debug_option
def inspect(form: Form, model: str, timeout: float) -> int:
    """Show a model's inputs, dimensions and operators: what to declare before asking."""
    from shapesmt.analysis.verify import Question

    return show(with_question(model, Question(timeout=timeout)).inspect(), form)
