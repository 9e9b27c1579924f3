"""The options of the command line: their declaration, parsing, and combination with the configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from shapesmt.base.errors import printable
from shapesmt.entrypoints.cli.completion import complete_dims, complete_inputs, complete_model
from shapesmt.reports.render import CHECK_FORMS, FORMS, Form, shell

if TYPE_CHECKING:
    from shapesmt.analysis.verify import Question
    from shapesmt.entrypoints.api import Opened
    from shapesmt.entrypoints.cli.config import Config

CLAIMS, GUARDS, SESSIONS = (
    ("check", "trust", "ignore", "override"),
    ("check", "ignore"),
    ("default", "file"),
)  # as in `shapesmt.analysis.verify.question`, which takes long to import
_SIZE = re.compile("[0-9]{1,19}")
Command = TypeVar("Command", bound=Callable[..., object])


class Late(MutableMapping[str, click.Command]):
    """Commands by name, each imported when it is first used.

    Args:
        homes: The module of this package that has each command.
    """

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            module = import_module(f"shapesmt.entrypoints.cli.{self._homes[name]}")
            self._loaded[name] = getattr(module, name.replace("-", "_"))
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._homes, **self._loaded})

    def __len__(self) -> int:
        return len({**self._homes, **self._loaded})


class Commands(click.Group):
    """The commands in the order of their declaration; a model without a command is an error that proposes `check`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands."""
        return [*self.commands]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            path = args[0]
            if not (Path(path).suffix or os.path.lexists(path)):
                raise
            meant = shell("shapesmt", "check", *args)
            raise click.UsageError(f"no command {printable(path)!r}; did you mean: {meant}") from None


class Sectioned(click.Command):
    """A command whose help lists its options in sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options section by section; those without a section come first."""
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in ("Options", *_SECTIONS)}
        homes = {option: title for title, options in _SECTIONS.items() for option in options}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if record is not None:
                sections[homes.get(option.opts[-1], "Options")].append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


_SECTIONS = {
    "Output": ["--format", "--quiet", "--all", "--html"],
    "Several models": [
        *("--jobs", "--scheduler", "--output", "--resume", "--cache", "--fail-fast", "--summary", "--index"),
        *("--baseline", "--write-baseline"),
    ],
    "Other options": ["--config", "--no-config", "--profile", "--debug", "--help"],
}


class _Text(click.types.StringParamType):
    """A text about a model, read as UTF-8 in every locale, though Python leaves its bytes undecoded in some."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Return the text, with the bytes that Python left undecoded decoded as UTF-8."""
        try:
            return value.encode(errors="surrogateescape").decode(errors="surrogateescape")
        except UnicodeEncodeError:  # a lone surrogate of UTF-16
            return value


model_text = _Text()


def _pairs(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Parse repeated `NAME=TEXT` to a mapping."""
    pairs: dict[str, str] = {}
    for value in values:
        name, equals, text = value.rpartition("=")
        name = name.strip()
        if len(name) > 1 and name[0] == name[-1] == "`":
            name = name[1:-1].replace("``", "`")
        if not (name and equals):
            raise click.BadParameter(f"'{value}' is not {option.metavar}", context, option)
        if pairs.setdefault(name, text) != text:
            raise click.BadParameter(f"'{name}' has two values: {pairs[name]} and {text}", context, option)
    return pairs


def sizes(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> dict[str, int]:
    """Parse repeated `NAME=SIZE` to a mapping of integers."""
    pairs = _pairs(context, option, values)
    for name, text in pairs.items():
        if not _SIZE.fullmatch(text.strip()):
            raise click.BadParameter(f"'{printable(f'{name}={text}')}' is not {option.metavar}", context, option)
    return {name: int(text) for name, text in pairs.items()}


def _number(context: click.Context, option: click.Parameter, value: float) -> float:
    """Return the number; refuse `nan`."""
    if value != value:
        raise click.BadParameter("nan is no number of seconds", context, option)
    return value


def _time_stages(context: click.Context, option: click.Parameter, asked: bool) -> None:  # noqa: ARG001 - click's signature
    """Measure the stages of the command, and print their times when it ends."""
    if asked:
        context.with_resource(_times())


@contextmanager
def _times() -> Iterator[None]:
    from shapesmt.base.deadline import measure_stages

    with measure_stages() as stopwatch:
        yield
    click.echo("\n".join(stopwatch.lines()), err=True)


def list_codes(context: click.Context, option: click.Parameter, asked: bool) -> None:  # noqa: ARG001 - click's signature
    """Print every error code with its title, and exit."""
    if asked:
        from shapesmt.network.laws import CATALOGUE

        click.echo("\n".join(f"{entry.code}  {entry.title}" for entry in CATALOGUE.values()))
        context.exit()


def debug_option(command: Command) -> Command:
    """Add the option `--debug`, which `main` reads by itself."""
    text = "Show tracebacks (or SHAPESMT_DEBUG=1)."
    return click.option("--debug", is_flag=True, expose_value=False, help=text)(command)


class _Seconds(click.FloatRange):
    """A range of floats that click's messages call a number of seconds."""

    name = "number of seconds"


timeout_option = click.option(
    "--timeout", type=_Seconds(0, min_open=True), default=60.0, metavar="SECONDS",
    callback=_number, show_default=True, help="Time limit, from the start; what takes longer is undecided.",
)  # fmt: skip


def model_command(command: Command) -> Command:
    """Add the argument and the options of every question about a model."""
    return click.argument("model", metavar="MODEL", shell_complete=complete_model)(_question(command, FORMS))


def check_command(command: Command) -> Command:
    """Add the arguments and the options of `check`."""
    models = click.argument("models", metavar="MODEL...", nargs=-1, required=True, shell_complete=complete_model)
    return models(_question(command, CHECK_FORMS))


def _question(command: Command, forms: Sequence[Form]) -> Command:
    """Add the options of every question."""
    options = [
        click.option("--dim", "dims", multiple=True, type=model_text, metavar="NAME=RANGE", callback=_pairs,
                     shell_complete=complete_dims,
                     help="Range of a dimension: 8, 1..32, 1.., ..32, 64..512:16."),
        click.option("--shape", "shapes", multiple=True, type=model_text, metavar="INPUT=SHAPE", callback=_pairs,
                     shell_complete=complete_inputs,
                     help="Shape of an input: [1..8,3,?,400], 1x3x224x224, [...]."),
        click.option("--value", "values", multiple=True, type=model_text, metavar="NAME=VALUE", callback=_pairs,
                     shell_complete=complete_inputs,
                     help="Elements of a small input: 16000, 1..32, true; of one element, steps[1]=0..3."),
        click.option("--assume", multiple=True, type=model_text, metavar="EXPR",
                     help='Relation between dimensions: "total == past + seq".'),
        click.option("--guards", type=click.Choice(GUARDS), default=GUARDS[0], show_default=True,
                     help="What a PyTorch program checks before it runs; ignored where it is lowered."),
        click.option("--declared", type=click.Choice(CLAIMS),
                     help="Shapes that the file declares of inner tensors and outputs: compare them with what is "
                     "inferred (check and tighten do), trust them where nothing is, ignore them (others do), or put "
                     "what is inferred in their place."),
        click.option("--session", type=click.Choice(SESSIONS),
                     help="Ask about an ONNX file as written and about ONNX Runtime's default session, which rewrites "
                     "some nodes (check, explain, bounds and profile do), or about the file alone (others do)."),
        timeout_option,
        click.option("--config", metavar="FILE",
                     help="Configuration; by default the nearest shapesmt.toml or [tool.shapesmt]."),
        click.option("--no-config", is_flag=True, help="Read no configuration."),
        click.option("--format", "form", type=click.Choice(forms), default="text",
                     show_default=True, help="Text for people, the others for programs."),
        click.option("--profile", is_flag=True, expose_value=False, callback=_time_stages,
                     help="Say on standard error how long each stage took."),
        debug_option,
    ]  # fmt: skip
    return with_options(command, options)


def with_options(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    """Add options to a command; its help lists them in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def load_config(options: dict[str, Any]) -> tuple[Config, dict[str, Any]]:
    """Return the configuration that `--config` and `--no-config` ask for, and the other options."""
    from shapesmt.entrypoints.cli.config import Config

    path, none = options.pop("config"), options.pop("no_config")
    if path is not None and none:
        raise click.UsageError("--config and --no-config exclude each other", click.get_current_context())
    return (Config() if none else Config.load(path)), options


def opened(model: str, config: Config, options: Mapping[str, Any]) -> Opened:
    """Return a model, to be read, with its question; `model.py:example` names a module and its arguments."""
    return with_question(model, question_for(model, config, options))


def with_question(model: str, question: Question) -> Opened:
    """Return a model, to be read, with a question."""
    from shapesmt.entrypoints.api import Opened
    from shapesmt.entrypoints.cli.modules import module_of
    from shapesmt.frontends import ModelSource, program_or_model

    module, args, kwargs = (*(module_of(model) or (model,)), None, None)[:3]
    return Opened(ModelSource(program_or_model(module, args, kwargs, None)), question)


def question_for(model: str, config: Config, options: Mapping[str, Any]) -> Question:
    """Return the question about a model: options of the command line override the configuration's."""
    from shapesmt.analysis.verify import Question
    from shapesmt.network.declarations import Origin

    context = click.get_current_context()
    merged = dict(options)
    for key, value in config.of(model).items():
        if key in ("dims", "shapes", "values"):
            merged[key] = {**value, **options[key]}
        elif key == "assume":
            texts = options[key]
            by_hand = texts if isinstance(texts, Mapping) else dict.fromkeys(texts, Origin("--assume"))
            merged[key] = {**value, **by_hand}
        elif key in options and context.get_parameter_source(key) is click.core.ParameterSource.DEFAULT:
            merged[key] = value
    return Question(**merged)
