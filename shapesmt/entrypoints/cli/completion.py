"""Completion in the shell: files for models, and names from the model that is on the line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

    from shapesmt.network.graph import Graph

_UNQUOTED = re.compile(r"[\w@%+=:,./-]+")


def complete_model(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete files and folders."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_dims(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete `height=` for each dimension of the model's inputs."""
    from shapesmt.analysis.verify import names_of
    from shapesmt.base.errors import ShapesmtError

    graph = _model(context)
    with suppress(ShapesmtError):
        return [] if graph is None else _items((f"{name}=" for name in sorted(names_of(graph)[0])), incomplete)
    return []


def complete_inputs(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete `image=` for each of the model's inputs."""
    graph = _model(context)
    return [] if graph is None else _items((f"{name}=" for name in graph.inputs), incomplete)


def complete_target(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the names of the model's nodes and tensors."""
    graph = _model(context)
    if graph is None:
        return []
    outputs = (name for node in graph.nodes for name in node.outputs if name)
    return _items(dict.fromkeys([*(node.name for node in graph.nodes), *graph.inputs, *outputs]), incomplete)


def _model(context: click.Context) -> Graph | None:
    """Return the first model on the line; None if there is none or it can't be read."""
    from shapesmt.base.errors import ShapesmtError
    from shapesmt.frontends import load

    given = [context.params.get("model"), *(context.params.get("models") or ()), *context.args]
    path = next((word for word in given if isinstance(word, str) and os.path.isfile(word)), None)  # noqa: PTH113 - unreadable is absent
    with suppress(ShapesmtError):
        return None if path is None else load(path)
    return None


def _items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Return the names with this beginning, except names to be quoted: bash inserts a completion without quotes."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.startswith(incomplete) and _UNQUOTED.fullmatch(name)]
