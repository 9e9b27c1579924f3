"""The registry of operator rules: `@rule("Concat", since=4)` above a plain function."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from shapesmt.context import InferenceContext
from shapesmt.tensor import Tensor

Apply: TypeAlias = Callable[[InferenceContext], Tensor | Sequence[Tensor] | None]
AnyApply = TypeVar("AnyApply", bound=Apply)


@dataclass(frozen=True, eq=False, slots=True)
class Rule:
    """What one operator needs and makes, from one version of its operator set on.

    `any_rank` says that the rule itself copes with inputs of unknown rank; for the others such a node has outputs
    of unknown rank. `nested` marks control flow, whose rules run subgraphs.
    """

    name: str
    domain: str
    since: int
    apply: Apply
    any_rank: bool = False
    nested: bool = False
    dtype: str = ""
    total: bool = False


_RULES: dict[tuple[str, str], list[Rule]] = {}


def rule(
    *names: str,
    domain: str = "",
    since: int = 1,
    any_rank: bool = False,
    nested: bool = False,
    dtype: str = "",
    total: bool = False,
) -> Callable[[AnyApply], AnyApply]:
    """Register a function as the rule of the operators so named.

    Args:
        names: Operators that share the rule.
        domain: Their domain; "" is ai.onnx.
        since: The first operator-set version it is right for; the next rule of that name takes over at its own.
        any_rank: The rule copes with inputs of unknown rank.
        nested: The rule runs subgraphs.
        dtype: The outputs' element type where an input of unknown rank keeps the rule from running.
        total: No shape of its inputs makes the operator fail, so that an unknown rank leaves nothing open.
    """

    def register(apply: AnyApply) -> AnyApply:
        for name in names:
            versions = _RULES.setdefault((domain, name), [])
            versions.append(Rule(name, domain, since, apply, any_rank, nested, dtype, total))
            versions.sort(key=lambda r: r.since)
        return apply

    return register


def resolve(domain: str, name: str, version: int) -> Rule | None:
    """The rule of an operator at a version; None where there is none."""
    versions = _RULES.get((domain, name))
    if not versions:
        return None
    index = bisect_right(versions, version, key=lambda r: r.since)
    return versions[index - 1] if index else None


def rules() -> Iterator[Rule]:
    """Every rule, by domain, name and version."""
    for _, versions in sorted(_RULES.items()):
        yield from versions
