"""The path of each input among the arguments of the module, as guards name it: `L['d']['mask']`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from shapesmt.frontends.torch.fields import MisfitError, entries, optional, record, text, variant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["placeholders"]

Path = tuple[str | int, ...]
_MOST_DEPTH = 60


def placeholders(module: Mapping[str, Any]) -> dict[Path, str]:
    """The user inputs by their paths; by their numbers as well, which `strict=True` writes: `L['flat_args'][0]`."""
    specs = record(module.get("signature")).get("input_specs")
    names = [
        _name(kind, spec) for kind, spec in map(variant, entries(specs)) if kind in ("user_input", "constant_input")
    ]
    numbered: dict[Path, str] = {("flat_args", i): name for i, name in enumerate(names)}
    paths = [*_paths(module)]
    return numbered | dict(zip(paths, names, strict=True)) if len(paths) == len(names) else numbered


def _name(kind: str, spec: Mapping[str, Any]) -> str:
    if kind == "constant_input":
        return ""
    _, value = variant(record(spec).get("arg"))
    return str(optional(value, "name", "") or optional(value, "as_name", "")) if isinstance(value, dict) else ""


def _paths(module: Mapping[str, Any]) -> Iterator[Path]:
    """The path of each leaf of the arguments."""
    calls = entries(optional(module, "module_call_graph", []))
    signature = record(calls[0]).get("signature") if calls else None
    if not isinstance(signature, dict):
        return
    try:
        _, tree = json.loads(text(signature.get("in_spec")))
        arguments, keywords = tree["children_spec"]
        names = optional(signature, "forward_arg_names", [])
        for i, child in enumerate(arguments["children_spec"]):
            yield from _leaves(child, (text(names[i]) if i < len(names) else f"args_{i}",), 0)
        for key, child in zip(json.loads(keywords["context"]), keywords["children_spec"], strict=True):
            yield from _leaves(child, (text(key),), 0)
    except (ValueError, KeyError, TypeError, RecursionError):
        return


def _leaves(tree: Mapping[str, Any], path: Path, depth: int) -> Iterator[Path]:
    if depth > _MOST_DEPTH:
        raise MisfitError("its arguments are nested too deeply")
    kind, children = tree["type"], tree["children_spec"]
    if kind is None:
        yield path
        return
    keys: list[str | int] = list(range(len(children)))
    if isinstance(kind, str) and kind.endswith(("dict", "Dict")):
        context = json.loads(tree["context"])
        keys = context[1] if context and kind.endswith("defaultdict") else context
    for key, child in zip(keys, children, strict=True):
        yield from _leaves(child, (*path, key), depth + 1)
