"""The command that prints JSON schemas."""

from __future__ import annotations

import json

import click

from shapesmt.entrypoints.cli.options import debug_option
from shapesmt.entrypoints.cli.output import STATUS


@click.command(
    short_help="Print the JSON schema of what `--format json` prints",
    epilog=f"{STATUS.format('0')}. Example: shapesmt schema check",
)
@click.argument("name", required=False, metavar="[NAME]")
@debug_option
def schema(name: str | None) -> int:
    """Print the JSON schema NAME, of documents with `"schema": "shapesmt/NAME/1"`, or list the names.

    The schema `line` is of the lines of FILE.jsonl, which `check --output` writes; `tighten` of what that prints, which
    says that it is `bounds`; `graph` of models as JSON.
    """
    from shapesmt.reports import render

    if name is None:
        titles = render.schema_titles()
        width = max(map(len, titles)) + 2
        click.echo("\n".join(f"{one:{width}}{title}" for one, title in titles.items()))
    else:
        click.echo(json.dumps(render.schema(name), indent=1))
    return 0
