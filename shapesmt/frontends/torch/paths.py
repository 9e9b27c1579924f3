"""The path of each input among the module's arguments, as guards name it: `L['d']['mask']`."""

from __future__ import annotations

import collections
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from keyword import iskeyword
from typing import Any

from shapesmt.frontends.torch.fields import MisfitError, entries, optional, record, text, variant

Path = tuple[str | int, ...]
_MOST_DEPTH = 60
_NAMED = "collections.namedtuple"
_DICTS = ("dict", "Dict")
_STARRED = re.compile(r"(\w+)_([0-9]{1,3})").fullmatch


def placeholders(module: Mapping[str, Any]) -> dict[Path, str]:
    """Return the name of each user input by its path, such as ("d", "mask") for `L['d']['mask']`.

    Inputs also have a number, as `strict=True` writes them: `L['flat_args'][0]`.
    """
    names = _names(module)
    numbered: dict[Path, str] = {("flat_args", i): name for i, name in enumerate(names)}
    paths = [path for name, tree in _arguments(module) for path in _leaves(tree, (name,))]
    if len(paths) != len(names):
        return numbered
    by_path = dict(zip(paths, names, strict=True))
    # A member of `*parts` is the argument `parts_0`, and guards write it as `L['parts'][0]`.
    starred = {(m[1], int(m[2]), *path[1:]): name for path, name in by_path.items() if (m := _STARRED(str(path[0])))}
    return numbered | starred | by_path | _fields(module, by_path)


def _fields(module: Mapping[str, Any], by_path: Mapping[Path, str]) -> dict[Path, str]:
    """Return the inputs inside named tuples by `("", name)`, since an archive has only these names, not the fields."""
    trees = dict(_arguments(module))
    named = {name for path, name in by_path.items() if _through_named(trees[str(path[0])], path[1:])}
    numbered = {m[1] for name in by_path.values() if (m := _STARRED(name))}  # a number tells equal names apart
    return {("", name): name for name in named - numbered if not _STARRED(name)}


def _through_named(tree: Mapping[str, Any], path: Path) -> bool:
    if not path:
        return False
    inner = tree["children_spec"][_keys(tree).index(path[0])]
    return tree["type"] == _NAMED or _through_named(inner, path[1:])


def names_by_argument(module: Mapping[str, Any]) -> dict[str, object]:
    """Return the module's arguments by name, nested, with an input's name ("" without one) in place of each leaf."""
    names = iter(_names(module))
    return {name: _fill(tree, names) for name, tree in _arguments(module)}


def _fill(tree: Mapping[str, Any], names: Iterator[str]) -> object:
    """Return an argument in the form of `dynamic_shapes`: custom classes become lists of their tensors."""
    kind = tree["type"]
    if kind is None:
        return next(names, "")
    parts = [_fill(child, names) for child in tree["children_spec"]]
    if kind.endswith(_DICTS):
        return dict(zip(_keys(tree), parts, strict=True))
    if kind == _NAMED:
        name = text(tree["context"]).rpartition(".")[2]
        kept = name.isidentifier() and not iskeyword(name)
        make: Any = collections.namedtuple  # noqa: PYI024 - the fields depend on the file
        return make(name if kept else "namedtuple", [f"part{i}" for i in range(len(parts))])(*parts)
    return tuple(parts) if kind.endswith("tuple") else parts


def _names(module: Mapping[str, Any]) -> list[str]:
    specs = record(module.get("signature")).get("input_specs")
    return [
        _name(kind, spec) for kind, spec in map(variant, entries(specs)) if kind in ("user_input", "constant_input")
    ]


def _name(kind: str, spec: Mapping[str, Any]) -> str:
    if kind == "constant_input":
        return ""
    _, value = variant(record(spec).get("arg"))
    return str(optional(value, "name", "") or optional(value, "as_name", "")) if isinstance(value, dict) else ""


def _arguments(module: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the arguments by name, each as the tree that PyTorch writes; none if they can't be read."""
    calls = entries(optional(module, "module_call_graph", []))
    signature = record(calls[0]).get("signature") if calls else None
    if not isinstance(signature, dict):
        return []
    try:
        _, tree = json.loads(text(signature.get("in_spec")))
        arguments, keywords = tree["children_spec"]
        names = optional(signature, "forward_arg_names", [])
        places = enumerate(arguments["children_spec"])
        read = [(text(names[i]) if i < len(names) else f"args_{i}", child) for i, child in places]
        keys = map(text, json.loads(keywords["context"]))
        read += zip(keys, keywords["children_spec"], strict=True)
        return [(name, child) for name, child in read if _keys_fit(child, 0)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


def _leaves(tree: Mapping[str, Any], path: Path) -> Iterator[Path]:
    if tree["type"] is None:
        yield path
        return
    for key, child in zip(_keys(tree), tree["children_spec"], strict=True):
        yield from _leaves(child, (*path, key))


def _keys(tree: Mapping[str, Any]) -> Sequence[str | int]:
    """Return the keys of a dictionary, the fields of a dataclass, or the indices in another container."""
    kind, places = tree["type"], [*range(len(tree["children_spec"]))]
    if not isinstance(kind, str) or kind == _NAMED or (kind.startswith("builtins.") and not kind.endswith(_DICTS)):
        return places
    try:
        context = json.loads(tree["context"])
    except (ValueError, TypeError):
        return places
    if kind.endswith(_DICTS):
        return list(context[1] if context and kind.endswith("defaultdict") else context)
    fields = context[0] if isinstance(context, list) and context and isinstance(context[0], list) else context
    listed = isinstance(fields, list) and len(fields) == len(places) and all(isinstance(f, str) for f in fields)
    return fields if listed else places


def _keys_fit(tree: Mapping[str, Any], depth: int) -> bool:
    """Whether a tree is like PyTorch's: as many keys as children.

    Raises:
        MisfitError: It is too deep.
    """
    if depth > _MOST_DEPTH:
        raise MisfitError("its arguments are nested too deeply")
    if tree["type"] is None:
        return True
    children = tree["children_spec"]
    if not isinstance(tree["type"], str) or len(_keys(tree)) != len(children):
        raise ValueError(tree["type"])
    return all(_keys_fit(child, depth + 1) for child in children)
