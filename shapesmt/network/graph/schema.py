"""Signatures: the inputs of an operator and their element types, as its format defines them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from shapesmt.base.frozen import frozen
from shapesmt.network import laws


class Parameter(NamedTuple):
    """One input of an operator.

    Attributes:
        variable: The type variable, such as "T": inputs that share it have the same element type; "" if independent.
        types: The element types that the input accepts.
        repeated: Whether any number of tensors may stand for this last input (variadic).
    """

    name: str
    variable: str
    types: frozenset[str]
    repeated: bool = False


INPUT_OF_TYPES = laws.SM501.law("'{name}' is of type {types}, not {dtype}")
INPUTS_SAME_TYPE = laws.SM501.law("'{name}' and '{other}' have the same element type, not {dtype} and {second}")


@frozen(eq=False)
class Signature:
    """The inputs of an operator at one version.

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
        """Return the law that inputs of these element types violate, or None; an unknown type ("") violates none."""
        seen: dict[str, tuple[str, str]] = {}
        for index, dtype in enumerate(dtypes):
            if dtype == "" or "()" in dtype:
                continue
            name, variable, types, repeated = self.inputs[min(index, len(self.inputs) - 1)]
            label = f"{name}[{index - len(self.inputs) + 1}]" if repeated else name
            if dtype not in types:
                return INPUT_OF_TYPES.of(name=label, types=_either(types), dtype=dtype)
            if variable:
                other, first = seen.setdefault(variable, (label, dtype))
                if dtype != first:
                    return INPUTS_SAME_TYPE.of(name=other, other=label, dtype=first, second=dtype)
        return None


def _either(types: frozenset[str]) -> str:
    """List the types in words, at most `MOST_NAMED` of them by name."""
    listed = sorted(types)
    if len(listed) > MOST_NAMED:
        return f"{', '.join(listed[:MOST_NAMED])} or {len(listed) - MOST_NAMED} others"
    return " or ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))


MOST_NAMED = 4
