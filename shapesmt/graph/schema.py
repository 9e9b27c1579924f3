"""What a file's format itself says of its operators: the element types they take, and bodies they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from shapesmt import laws

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shapesmt.graph.graph import Function, Node
    from shapesmt.graph.literal import Declared, Literal

__all__ = ["Parameter", "Schemas", "Signature"]


class Parameter(NamedTuple):
    """One input; `variable` names what it shares with the inputs of the same type, "" for a type of its own."""

    name: str
    variable: str
    types: frozenset[str]
    repeated: bool = False


@dataclass(frozen=True, eq=False)
class Signature:
    """The inputs of an operator at one version.

    Example:
        >>> numbers = frozenset({"float32", "int64"})
        >>> add = Signature((Parameter("A", "T", numbers), Parameter("B", "T", numbers)))
        >>> print(add.clash(["float32", "int64"]))
        'A' and 'B' have the same element type, not float32 and int64
        >>> print(add.clash(["bool", ""]))
        'A' is of type float32 or int64, not bool
        >>> add.clash(["int64", "int64"]) is None
        True
    """

    inputs: tuple[Parameter, ...]

    def clash(self, dtypes: Sequence[str]) -> laws.Law | None:
        """The law that inputs of these types break, if any; an unknown type ("") breaks none."""
        seen: dict[str, tuple[str, str]] = {}
        for index, dtype in enumerate(dtypes):
            if dtype == "" or "()" in dtype:
                continue
            name, variable, types, repeated = self.inputs[min(index, len(self.inputs) - 1)]
            label = f"{name}[{index - len(self.inputs) + 1}]" if repeated else name
            if dtype not in types:
                return laws.INPUT_OF_TYPES.of(name=label, types=_either(types), dtype=dtype)
            if variable:
                other, first = seen.setdefault(variable, (label, dtype))
                if dtype != first:
                    return laws.INPUTS_SAME_TYPE.of(name=other, other=label, dtype=first, second=dtype)
        return None


def _either(types: frozenset[str]) -> str:
    """A few types, or how many more there are."""
    listed = sorted(types)
    if len(listed) > MOST_NAMED:
        return f"{', '.join(listed[:MOST_NAMED])} or {len(listed) - MOST_NAMED} others"
    return " or ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))


MOST_NAMED = 4


class Schemas(Protocol):
    """The operators that a format defines."""

    def signature(self, domain: str, op: str, version: int) -> Signature | None:
        """The inputs of an operator; None where the format doesn't define it."""

    def misfit(self, node: Node, version: int) -> laws.Law | None:
        """The law that a node breaks by what it has or lacks, if any."""

    def body(self, node: Node, version: int, types: Sequence[tuple[str, int | None]]) -> Function | None:
        """The nodes that this one stands for, given its inputs' types and ranks; None where the format doesn't say."""

    def bodies(self) -> Mapping[tuple[str, str], int]:
        """The operators that have such a body, by domain and name, and the version since which they do."""

    def infers(self, domain: str, op: str, version: int) -> bool:
        """Whether the operator was registered with a function that infers what it makes."""

    def infer(
        self,
        node: Node,
        opsets: Mapping[str, int],
        types: Sequence[Declared | None],
        elements: Sequence[Literal | None],
    ) -> list[Declared] | str | None:
        """What that function says the outputs are, or why it refuses; None where there is no such function."""
