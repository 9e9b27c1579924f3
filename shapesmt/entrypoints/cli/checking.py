"""The command `check`, for one model or many."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from shapesmt.base.errors import printable
from shapesmt.entrypoints.cli.options import (
    Sectioned,
    check_command,
    load_config,
    model_text,
    opened,
    question_for,
    with_options,
)
from shapesmt.entrypoints.cli.output import CHECK_STATUS, show, waiting
from shapesmt.reports.render import WRITERS, Form

if TYPE_CHECKING:
    from distributed import Client

    from shapesmt.entrypoints.api import Opened
    from shapesmt.entrypoints.cli.config import Config
    from shapesmt.reports.answers import BatchReport, Report, Unchecked


_SEVERAL = ("scheduler", "cache", "output", "summary", "index", "baseline", "write_baseline")
"""The options for many models with which even one is treated like several."""
_FLEET = (*_SEVERAL, "jobs", "resume", "fail_fast")


def fleet_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the options for many models."""
    options = [
        click.option("--jobs", type=click.IntRange(1), metavar="N",
                     help="How many models to check at once; by default as many as are quickest."),
        click.option("--scheduler", metavar="ADDRESS",
                     help="Check them on the workers of this Dask scheduler: tcp://host:8786."),
        click.option("--output", metavar="FILE",
                     help="Write each report as it arrives: a line of FILE.jsonl, or a row of FILE.parquet."),
        click.option("--resume", is_flag=True, help="Leave out the models that the output has reports of."),
        click.option("--cache", metavar="FOLDER", help="Keep answers there, by the content of the models."),
        click.option("--fail-fast", is_flag=True, help="Stop at the first model that isn't proved."),
        click.option("--summary", is_flag=True,
                     help="Text of the table, and of what models have in common, without the reports."),
        click.option("--baseline", metavar="FILE.json", help="Fail only where a model is worse than this file says."),
        click.option("--write-baseline", is_flag=True, help="Write the answers into the baseline."),
        click.option("--index", metavar="FILE.html", help="Write the summary as a page as well."),
    ]  # fmt: skip
    return with_options(command, options)


def is_several(path: str, timeout: float) -> bool:
    """Whether a path stands for any number of models; a remote folder is listed within `timeout` seconds."""
    if os.path.isfile(path):  # noqa: PTH113 - the usual case; nothing has to be imported
        return False
    from shapesmt.entrypoints import fleet as many

    return many.is_several(path, timeout)


def _refuse_contradictions(fleet: Mapping[str, Any]) -> None:
    """Raise an error for options for many models of which one makes no sense with, or without, another."""
    if fleet["resume"] and fleet["output"] is None:
        raise click.UsageError("--resume goes on with a file of results: name it with --output")
    if fleet["write_baseline"] and fleet["baseline"] is None:
        raise click.UsageError("--write-baseline writes a baseline: name it with --baseline")
    if fleet["fail_fast"] and fleet["baseline"] is not None:
        raise click.UsageError("a baseline is about all models; leave --fail-fast out")


def check_models(
    models: Sequence[str],
    fleet: dict[str, Any],
    config: Config,
    options: dict[str, Any],
    html: str | None,
    *,
    brief: bool,
) -> BatchReport:
    """Check several models and return the reports.

    Args:
        models: Paths, patterns and URLs.
        fleet: What is asked of many models, by the name of the option.
        config: The configuration.
        options: What is asked of each model.
        html: A folder for their pages; None for none.
        brief: As in a `Plan`.
    """
    from shapesmt.entrypoints import fleet as many
    from shapesmt.reports.render import counting, json_text

    _refuse_contradictions(fleet)
    baseline = many.Baseline.open(fleet["baseline"], writing=fleet["write_baseline"]) if fleet["baseline"] else None
    paths = many.models_in(models, options["timeout"])
    settings = "" if config.path is None else printable(config.path.name)
    for pattern in config.unmatched(paths):
        click.echo(f"note: {settings}: models.{json_text(pattern)} matches none of these models", err=True)
    options = many.options_for_all(paths, options)
    shapes, options["shapes"] = options["shapes"], {}
    every = question_for("", config, options)  # without a configuration file, every model gets the same question
    tasks: list[many.Task] = []
    for path in paths:
        question = every if config.path is None else question_for(path, config, options)
        if tasks and question == tasks[-1].question:
            question = tasks[-1].question  # the same object: its digest is known
        tasks.append(many.Task(path, question, shapes, expect=config.expected(path)))
    if html is not None:
        tasks = [task._replace(page=page) for task, page in zip(tasks, many.page_paths(html, paths), strict=True)]
    index = many.summary_path(fleet["index"]) if fleet["index"] is not None else None
    cluster = _cluster(fleet["scheduler"]) if fleet["scheduler"] else None
    how = {name: fleet[name] for name in ("cache", "output", "resume", "fail_fast")}
    plan = many.Plan(fleet["jobs"] or config.jobs, cluster, **how, brief=brief and baseline is None, say=_note)
    with counting(len(tasks)) as done:
        batch = many.check_all(tasks, plan, done)
    batch = baseline.take(batch, tasks, models) if baseline is not None else batch
    for outcome in batch.models:
        _note_better(outcome, settings)
    pages = {task.path: task.page for task in tasks if task.page}
    if html is not None:
        many.write_index(html, batch, pages)
    if index is not None:
        many.write_summary(index, batch, pages)
    return batch


def _note_better(outcome: Report | Unchecked, settings: str) -> None:
    """Say that a model is better than the settings expect."""
    from shapesmt.reports.answers import GRAVEST_LAST

    verdict = getattr(outcome, "verdict", GRAVEST_LAST[-1])
    if outcome.expected and GRAVEST_LAST.index(verdict) < GRAVEST_LAST.index(outcome.expected):
        better = "remove expect" if verdict == GRAVEST_LAST[0] else f'write expect = "{verdict}"'
        _note(f"{printable(outcome.model)} is {verdict}, better than {settings} expects: {better}")


def _note(text: str) -> None:
    click.echo(f"note: {text}", err=True)


def _written(path: str, asked: Opened) -> Report:
    """Write a model's page, and return its report."""
    from shapesmt.entrypoints.fleet import write_page

    return write_page(path, asked.page_data())


@contextmanager
def _cluster(address: str) -> Iterator[Client]:
    """Connect to the scheduler at an address for the block; say so if it has no workers yet."""
    from shapesmt.entrypoints import fleet as many

    with many.connect(address) as client:
        if not client.scheduler_info()["workers"]:
            click.echo(f"no worker has come to {printable(address)} yet; waiting", err=True)
        yield client


@click.command(
    cls=Sectioned,
    short_help="Prove that every node runs, or show an input that fails",
    epilog=f"{CHECK_STATUS}. Example: shapesmt check unet.onnx --dim height=64..512",
)
@check_command
@click.option("--certify", is_flag=True, help="Have the solver decide the complete system as well.")
@click.option("--strict", is_flag=True, help="Exit with 1 where there is a warning, or an assumption of the archive.")
@click.option("--replay", is_flag=True,
              help="Run counterexamples on ONNX Runtime (pip install 'shapesmt[replay]'), or by PyTorch.")  # fmt: skip
@click.option("--samples", multiple=True, type=model_text, metavar="NAME",
              help="Prove as well that samples stay apart, which this dimension counts.")  # fmt: skip
@click.option("--adopt", is_flag=True,
              help="Write ranges that are proved into the settings (pip install 'shapesmt[adopt]').")  # fmt: skip
@fleet_options
@click.option("-q", "--quiet", is_flag=True, help="Text of one line: the verdict of each model.")
@click.option("--all", "everything", is_flag=True, help="Text of all findings, however many.")
@click.option("--html", metavar="FILE",
              help="Write a page to show and to try sizes on as well; of several models, a folder.")  # fmt: skip
def check(
    form: Form,
    models: tuple[str, ...],
    quiet: bool,
    everything: bool,
    html: str | None,
    adopt: bool,
    **options: Any,
) -> int:
    """Does every node run for every input? If not: which input breaks it?

    Of several models, a folder with some, or a pattern, a table of the verdicts comes last, and the gravest exit status
    counts: 2, then 1, then 3. A run or a solver that contradicts the answer (--replay, --certify) ends with 4.
    """
    fleet = {name: options.pop(name) for name in _FLEET}
    if form == "text":
        wanted = {"quiet": quiet, "all": everything, "fleet": fleet["summary"] or fleet["output"] is not None}
        form = next((name for name, asked in wanted.items() if asked), form)
    if adopt and options["no_config"]:
        raise click.UsageError("--adopt writes into the configuration; leave --no-config out")
    config, options = load_config(options)
    if adopt:
        from shapesmt.entrypoints.cli.adopting import Settings

        settings = Settings(config)
    several = len(models) > 1 or any(fleet[name] for name in _SEVERAL) or is_several(models[0], options["timeout"])
    if several or config.expected(models[0]) == "ERROR":
        brief = form == "fleet" and not adopt
        found: BatchReport | Report = check_models(models, fleet, config, options, html, brief=brief)
    else:
        found = _check_model(models[0], config, options, html, form)
    status = show(found, form)
    for line in settings.adopt(models, found) if adopt else ():
        click.echo(line, err=True)
    return status


def _check_model(model: str, config: Config, options: dict[str, Any], html: str | None, form: Form) -> Report:
    """Check one model and return the report; write its page if `html` names one."""
    asked = opened(model, config, options)
    ask: Callable[[], Report] = asked.check
    if html is not None:
        ask = partial(_written, html, asked)
    report = waiting(f"checking {model}", asked, ask)
    if WRITERS[form].located and model != "-":
        report = replace(report, model=model)
    if expected := config.expected(model):
        from shapesmt.reports.answers import altered

        report = altered(report, expected=expected)
        _note_better(report, "" if config.path is None else printable(config.path.name))
    return report
