"""The command line: parse, one call of `shapesmt.api`, render, exit status."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from shapesmt.errors import InternalError, OutOfTimeError, ShapesmtError, printable
from shapesmt.memory import gc_paused
from shapesmt.render import (
    CHECK_FORMS,
    FORMS,
    LOCATING,
    Form,
    discard_output,
    discard_output_that_fails,
    have_streams,
    refusal,
    tolerate_unprintable,
)
from shapesmt.version import __version__

if TYPE_CHECKING:
    from shapesmt.cli.config import Config
    from shapesmt.report import AnyResult, Report, Reports, Story

__all__ = ["cli", "main"]

UNDECIDED = 3
INTERNAL_ERROR = 4
INTERRUPTED = 130
BROKEN_PIPE = 141
_STATUS = "exit status: {0}, 2 bad usage or unreadable model"
_CHECK_STATUS = _STATUS.format("0 proved, 1 depends or fails, 3 undecided")
_BOUNDS_STATUS = _STATUS.format("0 all exact, 1 no valid input, 3 some end not exact")
_REPRO_STATUS = _STATUS.format("0 written, 1 nothing to reproduce")

_CODE = re.compile(r"SM[0-9]{3}", re.IGNORECASE)

Command = TypeVar("Command", bound=Callable[..., object])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit status; every mistake becomes one line on standard error."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given or bool(os.environ.get("SHAPESMT_DEBUG"))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's, whose memory is large and of no use here
    try:
        have_streams()
        tolerate_unprintable()
        with gc_paused():
            status = cli.main(args=given, prog_name="shapesmt", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):  # click makes a broken pipe a SystemExit
        discard_output()
        return BROKEN_PIPE
    except Exception as error:  # the last door: whatever it is becomes one line
        status, text = _failed(error, debug)
    discard_output_that_fails()
    with suppress(OSError):  # where that can't be written either, the status has to do
        click.echo(text, err=True)
    return status


def _failed(error: Exception, debug: bool) -> tuple[int, str]:
    """The exit status, and one line that says what went wrong and whose mistake it is."""
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
    if isinstance(error, MemoryError):
        return UNDECIDED, "error: there isn't enough memory"
    if isinstance(error, OSError | ImportError) and not str(getattr(error, "name", "")).startswith("shapesmt"):
        return 2, f"error: {refusal(error)}"
    report = "" if debug else "; run again with --debug for the traceback"
    text = str(error) if isinstance(error, InternalError) else f"{type(error).__name__}: {error}"
    if not isinstance(error, InternalError):
        text += " (a bug in shapesmt: please report it with the model that shows it)"
    return INTERNAL_ERROR, f"internal error: {printable(' '.join(text.split()), 1000)}{report}"


def _pairs(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """`NAME=TEXT` repeated, as a mapping."""
    pairs: dict[str, str] = {}
    for value in values:
        name, equals, text = value.rpartition("=")
        name = name.strip()
        if len(name) > 1 and name[0] == name[-1] == "`":
            name = name[1:-1]
        if not (name and equals):
            raise click.BadParameter(f"'{value}' is not {option.metavar}", context, option)
        if pairs.setdefault(name, text) != text:
            raise click.BadParameter(f"'{name}' has two values: {pairs[name]} and {text}", context, option)
    return pairs


def _number(context: click.Context, option: click.Parameter, value: float) -> float:
    """A number that is one, as `nan` isn't."""
    if value != value:
        raise click.BadParameter("nan is no number of seconds", context, option)
    return value


def _list_codes(context: click.Context, option: click.Parameter, asked: bool) -> None:  # noqa: ARG001 - click's signature
    """Every error code with its title, and nothing else."""
    if asked:
        from shapesmt.laws.codes import CATALOGUE

        click.echo("\n".join(f"{entry.code}  {entry.title}" for entry in CATALOGUE.values()))
        context.exit()


def _debug_option(command: Command) -> Command:
    return click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks (or SHAPESMT_DEBUG=1).")(
        command
    )


def _model_command(command: Command) -> Command:
    """The argument and the options that every question about a model takes."""
    return click.argument("model", metavar="MODEL")(_question(command, FORMS))


def _question(command: Command, forms: Sequence[Form]) -> Command:
    """The options that every question takes."""
    options = [
        click.option("--dim", "dims", multiple=True, metavar="NAME=RANGE", callback=_pairs,
                     help="Range of a dimension: 8, 1..32, 1.., ..32, 64..512:16."),
        click.option("--shape", "shapes", multiple=True, metavar="INPUT=SHAPE", callback=_pairs,
                     help="Shape of an input: [1..8,3,?,400], 1x3x224x224, [...]."),
        click.option("--value", "values", multiple=True, metavar="NAME=VALUE", callback=_pairs,
                     help="Elements of a small input: 16000, 1..32, true; of one element, steps[1]=0..3."),
        click.option("--assume", multiple=True, metavar="EXPR",
                     help='Relation between dimensions: "total == past + seq".'),
        click.option("--timeout", type=click.FloatRange(0, min_open=True), default=60.0, metavar="SECONDS",
                     callback=_number, show_default=True, help="Leave undecided what takes longer."),
        click.option("--config", metavar="FILE",
                     help="Configuration; by default the nearest shapesmt.toml or [tool.shapesmt]."),
        click.option("--no-config", is_flag=True, help="Read no configuration."),
        click.option("--format", "form", type=click.Choice(forms), default="text",
                     show_default=True, help="Text for people, the others for programs."),
        _debug_option,
    ]  # fmt: skip
    return functools.reduce(lambda decorated, option: option(decorated), reversed(options), command)


def _configured(options: dict[str, Any]) -> tuple[Config, dict[str, Any]]:
    """The configuration that the options ask for, and the others of them."""
    from shapesmt.cli.config import Config

    path, none = options.pop("config"), options.pop("no_config")
    if path is not None and none:
        raise click.UsageError("--config and --no-config exclude each other", click.get_current_context())
    return (Config() if none else Config.load(path)), options


def _settled(model: str, config: Config, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options for a model: what the command line says goes before what the configuration says."""
    from shapesmt.language import Origin

    context = click.get_current_context()
    settled = dict(options)
    for key, value in config.of(model).items():
        if key in ("dims", "shapes", "values"):
            settled[key] = {**value, **options[key]}
        elif key == "assume":
            given = options[key]
            by_hand = given if isinstance(given, Mapping) else dict.fromkeys(given, Origin("--assume"))
            settled[key] = {**value, **by_hand}
        elif key in options and context.get_parameter_source(key) is click.core.ParameterSource.DEFAULT:
            settled[key] = value
    return settled


_declared_option = click.option(
    "--declared", type=click.Choice(["check", "trust", "ignore", "override"]), default="check", show_default=True,
    help="Shapes that the file declares of inner tensors and outputs: compare them with what is inferred, trust them "
    "where nothing is, ignore them, or put what is inferred in their place.",
)  # fmt: skip


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: shapesmt check unet.onnx --dim batch=1..32 --dim height=64..512:16",
)
@click.version_option(__version__, "-V", "--version", message="shapesmt %(version)s")
@_debug_option
def cli() -> None:
    """Prove tensor shapes for every input of a model at once.

    MODEL is an ONNX file, or - for standard input. Nothing is run, and no weights are read.
    """


def _check_command(command: Command) -> Command:
    """The argument and the options of `check`."""
    return click.argument("models", metavar="MODEL...", nargs=-1, required=True)(_question(command, CHECK_FORMS))


@cli.command(epilog=f"{_CHECK_STATUS}. Example: shapesmt check unet.onnx --dim height=64..512")
@_check_command
@_declared_option
@click.option("--certify", is_flag=True, help="Have the solver decide the complete system as well.")
@click.option("--strict", is_flag=True, help="Exit with 1 where there is a warning.")
@click.option("--replay", is_flag=True,
              help="Run every counterexample on ONNX Runtime (pip install 'shapesmt[replay]').")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), metavar="N",
              help="How many models to check at once; by default as many as there are processors.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Text of one line: the verdict of each model.")
@click.option("--html", metavar="FILE", help="Write a page to show and to search as well; of one model.")
def check(form: Form, models: tuple[str, ...], jobs: int | None, quiet: bool, html: str | None, **options: Any) -> int:
    """Does every node run for every input? If not: which input breaks it?

    Of several models, or a folder with some, a table of the verdicts comes last, and the gravest exit status counts:
    2, then 1, then 3. A run or a solver that contradicts the answer (--replay, --certify) ends with 4.
    """
    form = "quiet" if quiet and form == "text" else form
    config, options = _configured(options)
    for wish in ("certify", "replay", "strict"):
        if not options[wish]:
            del options[wish]
    from shapesmt.frontends import is_folder

    several = len(models) > 1 or is_folder(models[0])
    if html is not None and several:
        raise click.UsageError("--html is about one model; give each a page of its own", click.get_current_context())
    if several:
        return _show(_checked(models, jobs or config.jobs, config, options), form)
    from shapesmt import api

    (model,) = models
    options = _settled(model, config, options)
    if html is not None:
        report = _written(html, _waiting(f"checking {model}", options, lambda: api.story(model, **options)))
    else:
        report = _waiting(f"checking {model}", options, lambda: api.check(model, **options))
    if form in LOCATING and model != "-":
        report = replace(report, model=model)
    return _show(report, form)


def _written(path: str, story: Story) -> Report:
    """Write the page of a model; its report."""
    from shapesmt.export import write_whole
    from shapesmt.render import html_page

    write_whole(path, html_page(story).encode())
    return story.report


def _checked(models: Sequence[str], jobs: int | None, config: Config, options: dict[str, Any]) -> Reports:
    """What was found of several models."""
    from shapesmt.cli import many
    from shapesmt.render import counting

    paths = many.models_in(models)
    options = many.shared(paths, options)
    shapes, options["shapes"] = options["shapes"], {}
    tasks = [many.Task(path, _settled(path, config, options), shapes) for path in paths]
    with counting(len(tasks)) as done:
        return many.check_all(tasks, jobs or many.usual_jobs(len(tasks)), done)


@cli.command(epilog=f"{_CHECK_STATUS}. Example: shapesmt explain unet.onnx /up1/Concat")
@_model_command
@click.argument("target", required=False, metavar="[NODE or TENSOR]")
@click.option("--codes", is_flag=True, is_eager=True, expose_value=False, callback=_list_codes,
              help="List the error codes.")  # fmt: skip
def explain(form: Form, model: str, target: str | None, **options: Any) -> int:
    """Why does this node, this dimension or the whole model fail?

    For MODEL, a code of a finding or warning (SM101) tells what it stands for and what helps.
    """
    from shapesmt import api

    if _CODE.fullmatch(model) and target is None and not Path(model).exists():
        from shapesmt.inspection import explain_code

        return _show(explain_code(model), form)
    options = _settled(model, *_configured(options))
    return _show(_waiting(f"explaining {model}", options, lambda: api.explain(model, target, **options)), form)


@cli.command(epilog=f"{_BOUNDS_STATUS}. Example: shapesmt bounds unet.onnx --dim batch=1..32")
@_model_command
@click.argument("tensors", nargs=-1, metavar="[TENSOR]...")
def bounds(form: Form, model: str, tensors: tuple[str, ...], **options: Any) -> int:
    """What are the tightest bounds of every dimension of every tensor?"""
    from shapesmt import api

    options = _settled(model, *_configured(options))
    return _show(_waiting(f"bounding {model}", options, lambda: api.bounds(model, *tensors, **options)), form)


@cli.command(epilog=f"{_BOUNDS_STATUS}. Example: shapesmt tighten unet.onnx -o tight.onnx")
@_model_command
@_declared_option
@click.option("-o", "--output", required=True, metavar="OUT.onnx", help="Where to write the annotated model.")
def tighten(form: Form, model: str, output: str, **options: Any) -> int:
    """Write the model with the shape of every tensor in it."""
    from shapesmt import api

    options = _settled(model, *_configured(options))
    return _show(_waiting(f"bounding {model}", options, lambda: api.tighten_file(model, output, **options)), form)


@cli.command(epilog=f"{_STATUS.format('0')}. Example: shapesmt encode unet.onnx -o unet.smt2")
@_model_command
@click.option("-o", "--output", metavar="FILE.smt2", help="Where to write it; standard output by default.")
def encode(form: Form, model: str, output: str | None, **options: Any) -> int:
    """Print the complete system as SMT-LIB 2, for any solver: satisfiable if some node can fail."""
    from shapesmt import api

    text = api.encode(model, **_settled(model, *_configured(options)))
    _put(text, output, form, {"schema": "shapesmt/encode/1", "model": model, "smt2": text})
    return 0


@cli.command(epilog=f"{_REPRO_STATUS}. Example: shapesmt repro unet.onnx -o repro.py")
@_model_command
@click.argument("node", required=False, metavar="[NODE]")
@click.option("-o", "--output", metavar="FILE.py", help="Where to write it; standard output by default.")
def repro(form: Form, model: str, node: str | None, output: str | None, **options: Any) -> int:
    """Print a Python script that shows the failure of NODE, or the first one, on ONNX Runtime.

    It stands alone: it holds the part of the model that fails, without weights, and needs numpy, onnx and onnxruntime.
    """
    from shapesmt import api

    options = _settled(model, *_configured(options))
    text = _waiting(f"checking {model}", options, lambda: api.repro(model, node, **options))
    if text is None:
        what = f"no input is known to break {'any node' if node is None else f'node {printable(node)!r}'}"
        click.echo(f"nothing to reproduce in {printable(model)}: {what}", err=True)
        return 1
    _put(text, output, form, {"schema": "shapesmt/repro/1", "model": model, "script": text})
    return 0


@cli.command(epilog=f"{_STATUS.format('0')}. Example: shapesmt ops unet.onnx")
@click.argument("model", required=False, metavar="[MODEL]")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@_debug_option
def ops(form: Form, model: str | None) -> int:
    """List the operators that have a rule, or those that MODEL uses."""
    from shapesmt.inspection import supported_ops

    return _show(supported_ops(model), form)


def _put(text: str, output: str | None, form: Form, data: Mapping[str, str]) -> None:
    """Write a text, or the JSON that holds it, to a file or standard output."""
    if form == "json":
        from shapesmt.render import to_json

        text = to_json(dict(data))
    if output is None or output == "-":
        click.echo(text, nl=not text.endswith("\n"))
    else:
        from shapesmt.export import write_whole

        write_whole(output, text.encode())


Answer = TypeVar("Answer")


def _waiting(what: str, options: Mapping[str, Any], ask: Callable[[], Answer]) -> Answer:
    from shapesmt.render import timing

    with timing(what, options["timeout"]):
        return ask()


def _show(result: AnyResult, form: Form) -> int:
    from shapesmt.render import render

    render(result, form)
    return result.exit_status
