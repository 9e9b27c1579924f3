"""The schemas of operators, from tables that are read when a model uses one of their operators.

One table is ONNX's own, as importing its package takes longer than checking most models; the other is ONNX Runtime's.
A line has the operator and its first version, the minimum and maximum numbers of inputs and outputs, the inputs ("?"
marks optional ones, "*" one that repeats) with the names of their types ("~" if each may differ), the attributes ("!"
marks required ones; after "=" the element types that the attribute can name), and the element types that each type
name allows.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from pathlib import Path
from typing import NamedTuple

from shapesmt.frontends.onnx.types import Parameters
from shapesmt.network.graph import DTYPES, Parameter, Signature

DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")
MICROSOFT = "com.microsoft"
ADDED = ("MemcpyFromHost", "MemcpyToHost", "SimplifiedLayerNormalization")  # added by ONNX Runtime to ONNX's domain
EARLIER = ("LayerNormalization", "MeanVarianceNormalization", "ThresholdedRelu")  # it runs these in older opsets too
WITHDRAWN = {
    ("", "Scatter"): 11, ("", "Upsample"): 10, ("ai.onnx.ml", "TreeEnsembleClassifier"): 5,
    ("ai.onnx.ml", "TreeEnsembleRegressor"): 5,
}  # fmt: skip
"""The operators that ONNX Runtime refuses, with the first version in which it does."""
_NUMBERS = {name: number for number, name in DTYPES.items()}


class Schema(NamedTuple):
    """One operator: the types of its inputs, and the inputs, outputs and attributes that a node may have."""

    signature: Signature
    parameters: Parameters


def find(domain: str, op: str, version: int) -> Schema | None:
    """Return the schema of an operator in a version; None if the tables have none, or are older than that version.

    >>> find("com.microsoft", "Gelu", 1).parameters.inputs, find("", "Conv", 11).parameters.inputs
    ((1, 1), (2, 3))
    """
    if domain.startswith(MICROSOFT) or (domain == "" and op in ADDED):
        lines, newest = _table("microsoft.txt")
    elif domain in DOMAINS:
        lines, newest = _table("onnx.txt")
        if version > newest[domain]:
            return None
    else:
        return None
    versions = lines.get((domain, op), [])
    index = bisect_right(versions, version, key=lambda line: line[0])
    return _read(versions[index - 1][1]) if index else None


def newest(domain: str, op: str) -> Schema | None:
    """Return the schema of an operator in its newest version; None if the tables have none."""
    known = _table("onnx.txt")[1]
    return find(domain, op, known.get(domain, 1))


def offers(domain: str, op: str, version: int) -> bool:
    """Whether ONNX Runtime runs an operator in this version of its set; True for operators that aren't ONNX's.

    >>> offers("", "Gelu", 19), offers("", "Gelu", 20), offers("", "Upsample", 10), offers("com.example", "Gelu", 1)
    (False, True, False, True)
    """
    if domain not in DOMAINS or (not domain and op in (*ADDED, *EARLIER)):
        return True
    versions = _table("onnx.txt")[0].get((domain, op))
    return versions is None or versions[0][0] <= version < WITHDRAWN.get((domain, op), version + 1)


@cache
def _table(name: str) -> tuple[dict[tuple[str, str], list[tuple[int, str]]], dict[str, int]]:
    """Return each operator's lines with their first versions, in order, and the newest version of each domain."""
    lines: dict[tuple[str, str], list[tuple[int, str]]] = {}
    newest: dict[str, int] = {}
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()[1:]:
        title, _, rest = line.partition(" | ")
        qualified, _, since = title.partition(" ")
        domain, _, op = qualified.rpartition(".")
        lines.setdefault((domain, op), []).append((int(since), rest))
        newest[domain] = max(newest.get(domain, 1), int(since))
    return lines, newest


def _read(line: str) -> Schema:
    counts, inputs, attributes, types = (part.split() for part in line.split("|"))
    least, most, fewest, greatest = map(int, counts)
    names, kinds = zip(*(part.partition(":")[::2] for part in inputs), strict=True) if inputs else ((), ())
    allowed = {key: frozenset(listed.split("/")) for key, _, listed in (part.partition("=") for part in types)}
    titles = [part.partition(":")[0] for part in attributes]
    stated = [part.partition(":")[2].partition("=") for part in attributes]
    own = [title.rstrip("!") for title in titles]
    parameters = Parameters(
        (least, most),
        (fewest, greatest),
        {name: kind for name, (kind, _, _) in zip(own, stated, strict=True)},
        tuple(title[:-1] for title in titles if title.endswith("!")),
        tuple("" if name[-1] in "?*" else name for name in names),
        tuple((name, _numbers(listed)) for name, (_, _, listed) in zip(own, stated, strict=True) if listed),
    )
    return Schema(Signature(tuple(map(_parameter, names, kinds, [allowed] * len(names)))), parameters)


def _numbers(listed: str) -> frozenset[int]:
    return frozenset(_NUMBERS[dtype] for dtype in listed.split("/"))


def _parameter(name: str, kind: str, allowed: dict[str, frozenset[str]]) -> Parameter:
    shared = kind if kind in allowed else ""
    types = allowed.get(kind.rstrip("~")) or frozenset({kind})
    return Parameter(name.rstrip("?*"), shared, types, name.endswith("*"))
