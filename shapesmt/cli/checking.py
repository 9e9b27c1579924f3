"""The command `check`, for one model or many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from shapesmt.cli.fleet import Fleet, checked, fleet_options, is_several
from shapesmt.cli.options import Sectioned, check_command, configured, declared_option, settled
from shapesmt.cli.output import CHECK_STATUS, show, waiting
from shapesmt.render import LOCATING, Form


@click.command(
    cls=Sectioned,
    short_help="Prove that every node runs, or show an input that fails",
    epilog=f"{CHECK_STATUS}. Example: shapesmt check unet.onnx --dim height=64..512",
)
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
    if len(models) > 1 or fleet.several or is_several(models[0], options["timeout"]):
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
