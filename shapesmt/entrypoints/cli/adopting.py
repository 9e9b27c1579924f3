"""Adopting: write the ranges and relations with which models are proved into the settings.

Only what was proved again, as the next `shapesmt check MODEL` will ask it, is written. The rest of the file stays as it
is, with its comments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from glob import escape
from pathlib import Path
from typing import Any

import click

from shapesmt.analysis.verify import NO_OPTIONS, TIMEOUT, Question
from shapesmt.base.errors import ShapesmtError, UsageError, printable
from shapesmt.entrypoints.cli.config import Config, inside, is_part, read_text
from shapesmt.entrypoints.cli.options import opened
from shapesmt.entrypoints.fleet import Task, models_in
from shapesmt.frontends import is_url
from shapesmt.network.declarations import Range
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import BatchReport, Remedy, Report, SymbolRange, Unchecked
from shapesmt.reports.export import write_whole
from shapesmt.reports.render import json_text


class Settings:
    """The file of settings that ranges are written into: the one that was read, or a new `shapesmt.toml`.

    Raises:
        UsageError: tomlkit isn't installed, or the file can't be read.
    """

    def __init__(self, config: Config) -> None:
        try:
            import tomlkit  # noqa: F401 - if it is missing, that is said before models are checked
        except ImportError:
            raise UsageError("--adopt needs tomlkit: pip install 'shapesmt[adopt]'") from None
        self._config = config
        self._path = Path.cwd() / "shapesmt.toml" if config.path is None else config.path
        self._text = "" if config.path is None else read_text(config.path)

    def adopt(self, models: Sequence[str], found: BatchReport | Report) -> Iterator[str]:
        """Write what models are proved with, and yield a line for each: what was written, or why nothing was.

        Args:
            models: The models as they are named on the command line.
            found: The report on them.

        Raises:
            UsageError: The file can't be written, or has changed since it was read.
        """
        outcomes = _by_path(models, found)
        wanted: dict[str, Remedy] = {}
        reasons: dict[str, str] = {}
        for path, outcome in outcomes.items():
            why = _refusal(path, outcome)
            if why or not isinstance(outcome, Report):
                reasons[path] = why
            else:
                wanted[path] = self._changes(path, _declarations(outcome))
        text = self._text
        while wanted:
            text = self._with(wanted)
            config = Config.parse(self._path, text)
            refused = {path: why for path in wanted if (why := _not_proved(path, config))}
            if not refused:
                break
            reasons |= refused
            wanted = {path: some for path, some in wanted.items() if path not in refused}
        if wanted and text != self._text:
            self._write(text)
        file = printable(self._path.name)
        for path, outcome in outcomes.items():
            if path in reasons:
                said = f"nothing is written into {file}: {reasons[path]}"
            else:
                said = f"written into {file}: {shown}" if (shown := _shown(wanted[path])) else f"{file} has it already"
            doubt = outcome.remedy.doubt if path in wanted and isinstance(outcome, Report) and outcome.remedy else ""
            yield f"{printable(path)}: {said}{'; ' * bool(doubt)}{doubt}"

    def _changes(self, path: str, some: Remedy) -> Remedy:
        """Return the declarations that the model's own table doesn't have yet."""
        known = dict(self._config.options).get(_pattern(self._path, path), {})
        dims, values = (
            {name: text for name, text in given.items() if str(known.get(key, {}).get(name)) != text}
            for key, given in (("dims", some.dims), ("values", some.values))
        )
        return Remedy(dims, tuple(text for text in some.assume if text not in known.get("assume", ())), values)

    def _with(self, wanted: Mapping[str, Remedy]) -> str:
        """Return the file's text with these declarations, by path."""
        import tomlkit
        from tomlkit.items import Table

        document = tomlkit.parse(self._text)
        root: Any = document["tool"]["shapesmt"] if is_part(self._path) else document
        for path, some in wanted.items():
            if some == Remedy({}):
                continue
            models, pattern = _inner(root, "models", outer=True), _pattern(self._path, path)
            known = pattern in models
            section = _inner(models, pattern)
            for key, new in (("dims", some.dims), ("values", some.values)):
                if new:
                    _inner(section, key, inline=True).update(new)
            if some.assume:
                _extend(section, "assume", some.assume)
            if not known and isinstance(section, Table):
                section.add(tomlkit.nl())
        text = tomlkit.dumps(document)
        return text[:-1] if text.endswith("\n\n") and not self._text.endswith("\n\n") else text

    def _write(self, text: str) -> None:
        if self._path.exists() and (self._config.path is None or read_text(self._path) != self._text):
            raise UsageError(f"{printable(str(self._path))} has changed meanwhile; nothing is written")
        write_whole(self._path, text.encode())


def _by_path(models: Sequence[str], found: BatchReport | Report) -> dict[str, Report | Unchecked]:
    """Return the outcome of each model, by its path."""
    if isinstance(found, Report):
        return {models[0]: found}
    paths = {Task(path, NO_OPTIONS).name: path for path in models_in(models, TIMEOUT)}
    return {paths[outcome.model]: outcome for outcome in found.models if outcome.model in paths}


def _refusal(path: str, outcome: Report | Unchecked) -> str:
    """Return why nothing can be written for a model; "" if something can."""
    if isinstance(outcome, Unchecked):
        return "it wasn't checked"
    if path == "-" or is_url(path):
        return "settings are for models with a local path"
    if path.encode(errors="surrogateescape").decode(errors="replace") != path:
        return "its path is no UTF-8 text"
    if outcome.verdict is Verdict.PROVED:
        return "" if _shown(_declarations(outcome)) else "it is proved without --dim, --value or --assume"
    if outcome.verdict is Verdict.DEPENDS and outcome.remedy is not None:
        return ""
    return f"the verdict is {outcome.verdict}, and no ranges are known with which it is proved"


def _declarations(report: Report) -> Remedy:
    """Return what was declared on the command line, narrowed by the remedy if there is one."""

    def given(source: str) -> dict[str, str]:
        return {name: _range(r) for name, r in report.symbols.items() if r.source == source}

    more = report.remedy or Remedy({})
    assumed = [text for text in report.assumptions if text not in report.origins]
    return Remedy(
        {**given("--dim"), **more.dims},
        tuple(dict.fromkeys((*assumed, *more.assume))),
        {**given("--value"), **more.values},
    )


def _range(r: SymbolRange) -> str:
    return str(Range(r.min, r.max, r.step))


def _shown(some: Remedy) -> str:
    """Return declarations in a line, as in the file; "" if there are none."""
    words = [f"{printable(name)} = {json_text(text)}" for name, text in {**some.dims, **some.values}.items()]
    return ", ".join([*words, *(f"assume {json_text(text)}" for text in some.assume)])


def _pattern(settings: Path, model: str) -> str:
    """Return the pattern that matches a model's path, or its name if it is in the folder of the settings."""
    return escape(inside(settings, model).as_posix())


def _not_proved(path: str, config: Config) -> str:
    """Return why `shapesmt check PATH` doesn't prove a model with these settings; "" if it does."""
    command = click.get_current_context().command
    try:
        with command.make_context("check", ["--", path]) as context:  # it asks what the next check asks
            asked = {item.name: context.params[item.name] for item in fields(Question) if item.name in context.params}
            report = opened(path, config, asked).check()
    except ShapesmtError as error:
        return str(error)
    return "" if report.ok else f"with the settings alone, the verdict is {report.verdict}"


def _inner(table: Any, name: str, *, outer: bool = False, inline: bool = False) -> Any:
    """Return the table inside another; a new one is written in one line if `inline` or if the other is."""
    import tomlkit
    from tomlkit.items import InlineTable

    if name not in table:
        short = inline or isinstance(table, InlineTable)
        table[name] = tomlkit.inline_table() if short else tomlkit.table(is_super_table=outer)
    return table[name]


def _extend(table: Any, key: str, texts: tuple[str, ...]) -> None:
    """Add texts to an array in a table; a single text becomes an array."""
    import tomlkit
    from tomlkit.items import Array

    before = table.get(key, ())
    if not isinstance(before, Array):
        table[key] = tomlkit.array()
        table[key].extend([before] if isinstance(before, str) else before)
    table[key].extend(texts)
