"""`Call`: a node of a PyTorch program, whose arguments the rules read by name.

The reader of programs writes a node's arguments as attributes:

    cat([x, y], dim=1)        inputs x, y             attributes {"@tensors": (0, 1), "dim": 1}
    view(x, [s, -1])          inputs x, s             attributes {"@self": 0, "size": (0, -1), "@size": (1, -1)}
    relu(x)                   inputs x                attributes {"@self": 0}

`@name` holds the input index of each tensor or symbolic number of an argument; -1 marks a constant or None in a list.
`name` holds the constants, with 0 at the positions of symbolic numbers. A symbolic number is a tensor of rank 0 and
type int64, float64 or bool; `@numbers` lists the arguments that are one, which PyTorch promotes unlike tensors. An
argument that is None or omitted has neither attribute. Element types have this package's names; layouts, memory formats
and devices have PyTorch's ("strided", "channels_last", "cpu"); a complex number is "complex". `@unread` lists the
arguments that the reader can't write this way; a node that has any is undecided. `@types` and `@ranks` have the element
type and the rank of each output as the archive states them ("" and -1 if it doesn't).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, NoReturn, TypeAlias, TypeVar

from shapesmt.base.errors import RejectedError
from shapesmt.network import laws
from shapesmt.network.graph import STATED_RANKS, STATED_TYPES, AttributeValue
from shapesmt.operators.ops.shared.require import open_unless
from shapesmt.operators.ops.torch.layout import Memory, with_result_layout
from shapesmt.operators.ops.torch.schemas import DOMAIN, Argument, refused_kinds, schema
from shapesmt.operators.rules import RuleContext, Tensor, rule
from shapesmt.prover.algebra import Dim, Formula, as_dim

Result: TypeAlias = Tensor | Sequence[Tensor] | None
AnyRule = TypeVar("AnyRule", bound="Callable[[Call], Result]")

_KINDS = {"bool": "b", "int": "i", "uint": "i", "complex": "c"}
_ASCENDING = ("b", "i", "", "c")  # "": floats
_ABOUT = ("@unread", "@numbers", STATED_TYPES, STATED_RANKS)  # attributes that hold no inputs of arguments
_NOTHING = Argument("", "", None)


class Call:
    """The arguments of a PyTorch node by their names in the operator's schema; rules state requirements on `ctx`."""

    def __init__(self, ctx: RuleContext) -> None:
        self.ctx = ctx
        read = schema(ctx.node.op)
        self._arguments = read.arguments if read else {}

    def __contains__(self, name: str) -> bool:
        """Whether the argument has a value: from the node, or a default in the schema other than None."""
        return f"@{name}" in self.ctx.attributes or self._constant(name) is not None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the operator's arguments, in the order of the schema."""
        return tuple(self._arguments)

    def type_of(self, name: str) -> str:
        """Return an argument's type in the schema, without the `?` of an optional one: "Tensor" for `Tensor?`."""
        return self._argument(name).type.rstrip("?")

    def misfits(self) -> list[str]:
        """Return the names of arguments that are unreadable, missing, or refer to inputs that the node doesn't have."""
        attributes = self.ctx.attributes
        unread = [str(name) for name in _tuple(attributes.get("@unread"))]
        symbolic = [name[1:] for name in attributes if name.startswith("@") and name not in _ABOUT]
        needed = (a.name for a in self._arguments.values() if a.default is None and not a.type.endswith("?"))
        missing = [name for name in needed if name not in attributes and f"@{name}" not in attributes]
        return [*unread, *(name for name in symbolic if not self._refers(name)), *missing]

    def _refers(self, name: str) -> bool:
        """Whether all indices in `@name` are inputs of the node; if there are constants, each needs its own index."""
        value, constants = self.ctx.attributes[f"@{name}"], self.ctx.attribute(name)
        places, least = _tuple(value), -1 if isinstance(value, tuple) else 0
        if constants is not None and len(_tuple(constants)) != len(places):
            return False
        return all(isinstance(place, int) and least <= place < len(self.ctx.inputs) for place in places)

    def before(self, release: int) -> bool | None:
        """Whether a PyTorch older than a release (214 is 2.14) wrote the program; None if that isn't known."""
        return None if self.ctx.version == 1 else self.ctx.version < release

    def since(self, release: int) -> bool | None:
        """Whether PyTorch of a release (214 is 2.14) or newer wrote the program; None if that isn't known."""
        return None if self.ctx.version == 1 else self.ctx.version >= release

    def require_if(self, applies: bool | None, formula: Formula, law: laws.Law) -> None:
        """Require what some versions check; if it isn't known whether one does (None), a violation is undecided."""
        if applies is None:
            self.open_if_broken(formula, law)
        elif applies:
            self.ctx.require(formula, law)

    # Tensors

    def tensor(self, name: str, rank: int | None = None, *, least: int | None = None) -> Tensor:
        """Return a tensor argument; require exactly `rank` axes, or at least `least` axes, if given."""
        x = self.ctx.input(self.place(name), least=least)
        if rank is not None:
            self.ctx.require_rank(x, rank)
        return x

    def optional(self, name: str) -> Tensor | None:
        """Return a tensor argument; None if it is omitted or None."""
        return self.tensor(name) if f"@{name}" in self.ctx.attributes else None

    def tensors(self, name: str) -> list[Tensor | None]:
        """Return an argument that lists tensors, such as `tensors` of `cat`; entries may be None."""
        return [None if i < 0 else self.ctx.input(i) for i in self.ctx.integers(f"@{name}", ())]

    def require_vector(self, name: str, size: Dim | int, law: laws.Law) -> None:
        """Require that a tensor argument, unless omitted, has shape `[size]`; `law` is the requirement on its size."""
        x = self.optional(name)
        if x is not None:
            self.ctx.require_rank(x, 1)
            self.ctx.require_equal(x[0], size, law)

    def place(self, name: str) -> int:
        """Return the position among the node's inputs of the tensor or symbolic number passed as `name`."""
        return self.ctx.integer(f"@{name}")

    # Numbers that may be symbolic

    def is_number(self, name: str) -> bool:
        """Whether an argument is a constant or symbolic number, rather than a tensor."""
        listed = name in _tuple(self.ctx.attribute("@numbers")) or self.type_of(name) == "Scalar"
        return listed or f"@{name}" not in self.ctx.attributes

    def size(self, name: str) -> Dim | None:
        """Return an integer argument as an expression over sizes; None if it is omitted or unknown."""
        if f"@{name}" in self.ctx.attributes:
            return self._item(self.place(name))
        value = self._constant(name)
        return as_dim(value) if isinstance(value, int) else None

    def sizes(self, name: str) -> list[Dim | None]:
        """Return an argument that lists integers as expressions over sizes; None for each unknown integer.

        A single integer is repeated to the length in the schema: 3 for `int[2]` -> `[3, 3]`.
        """
        places = self.ctx.attribute(f"@{name}")
        if isinstance(places, int):
            return [self._item(places)] * max(self._argument(name).length, 1)
        constants = [as_dim(number) for number in self._integer_list(name)]
        if places is None:
            return [*constants]
        listed = self.ctx.integers(f"@{name}") * (len(constants) if len(_tuple(places)) == 1 else 1)
        return [c if place < 0 else self._item(place) for place, c in zip(listed, constants, strict=True)]

    def _item(self, place: int) -> Dim | None:
        items = self.ctx.items(place)
        return items[0] if items else None

    # Constants

    def integer(self, name: str) -> int:
        """Return an integer argument as a number, for example an axis; leave the node undecided if it isn't known."""
        if f"@{name}" in self.ctx.attributes:
            numbers = self.ctx.constants(self.place(name))
            if not numbers:
                self.open(name)
            return numbers[0]
        value = self._constant(name)
        if not isinstance(value, int):
            self.ctx.reject(laws.ATTRIBUTE_IS.of(name=name, what="is an integer"))
        return value

    def axis(self, x: Tensor) -> int:
        """Return the argument `dim` as an axis of `x` from 0 on: -1 -> 1 for rank 2. Rank 0 counts as one axis."""
        return self.ctx.normal(self.integer("dim"), max(x.rank, 1))

    def flag(self, name: str) -> bool:
        """Return a boolean argument; false if it is None."""
        return bool(self._constant(name))

    def integers(self, name: str) -> tuple[int, ...]:
        """Return an argument that lists integers, as numbers; leave the node undecided if one isn't known.

        A single integer is repeated to the length in the schema: 3 for `int[2]` -> `(3, 3)`. None gives ().
        """
        return self._constant_list(name) if f"@{name}" in self.ctx.attributes else self._integer_list(name)

    def _integer_list(self, name: str) -> tuple[int, ...]:
        value = self._constant(name)
        if isinstance(value, int):
            return (value,) * max(self._argument(name).length, 1)
        if value is None:
            return ()
        values = value if isinstance(value, tuple) else ()
        numbers = tuple(v for v in values if isinstance(v, int))
        self.ctx.check(len(numbers) == len(values), laws.ATTRIBUTE_LISTS_INTEGERS.of(name=name))
        count = self._argument(name).length
        return numbers * count if len(numbers) == 1 and count else numbers

    def _constant_list(self, name: str) -> tuple[int, ...]:
        """Return a list that has symbolic integers; leave the node undecided unless all of them are known numbers."""
        numbers = [None if size is None else size.constant for size in self.sizes(name)]
        if None in numbers:
            self.open(name)
        return tuple(number for number in numbers if number is not None)

    def open(self, name: str) -> NoReturn:
        """Leave the node undecided and end its rule: `name` has to be a constant, but depends on sizes or data."""
        self.ctx.leave("unsupported", f"{name} is a constant")
        raise RejectedError

    def open_if_broken(self, formula: Formula, law: laws.Law) -> None:
        """Leave the node undecided for sizes that violate `formula`, which states a law that PyTorch doesn't check."""
        open_unless(self.ctx, law, formula)

    def numbers(self, name: str) -> tuple[float, ...]:
        """Return an argument that lists integers or floats, such as `scale_factors`; () if it isn't a list."""
        value = self._constant(name)
        return tuple(v for v in value if isinstance(v, (int, float))) if isinstance(value, tuple) else ()

    def text(self, name: str) -> str:
        """Return a text argument, such as "reflect", or an element type; "" if it is None."""
        value = self._constant(name)
        return value if isinstance(value, str) else ""

    def number(self, name: str) -> float | None:
        """Return an argument that is an integer or a float; None if it is omitted or symbolic."""
        value = self._constant(name)
        return value if isinstance(value, (int, float)) else None

    def _argument(self, name: str) -> Argument:
        return self._arguments.get(name, _NOTHING)

    def _constant(self, name: str) -> AttributeValue | None:
        value = self.ctx.attribute(name)
        return self._argument(name).default if value is None else value


def _tuple(value: AttributeValue | None) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else () if value is None else (value,)


def _lacks_kernel(call: Call) -> bool:
    """Whether PyTorch has no kernel of the operator for the element types of the inputs, unless `dtype` is given.

    A number in the place of a tensor may promote them to a type that has one: booleans and 3 are integers. A division
    that isn't rounded has kernels for all types.
    """
    refused = {*refused_kinds(call.ctx.node.op)}
    plain = "rounding_mode" in call.names and not call.text("rounding_mode")
    if not refused or call.text("dtype") or plain:
        return False
    kinds = {_KINDS.get(x.dtype.rstrip("0123456789"), "") for x in call.ctx.inputs if x is not None}
    numbers = [call.number(name) for name in call.names if call.type_of(name) == "Tensor"]
    given = {_KINDS.get(type(number).__name__, "") for number in numbers if number is not None}
    promoted = max((kind for kind in given if kind not in refused), key=_ASCENDING.index, default="b")
    raised = all(_ASCENDING.index(promoted) > _ASCENDING.index(kind) for kind in kinds)
    return bool(kinds) and not raised and all(kind and kind in refused for kind in kinds)


def operator(*names: str, memory: Memory = "open", **options: Any) -> Callable[[AnyRule], AnyRule]:
    """Register the decorated function, which takes a `Call`, as the rule of these PyTorch operators.

    Args:
        names: The operators, such as "cat.default" for `aten.cat.default`, or "_operator.add" for Python's.
        memory: The memory layout of the outputs if an input isn't contiguous (see `layout.Memory`).
        options: Keyword arguments for `rule`, such as `traits`.
    """

    def register(apply: AnyRule) -> AnyRule:
        @wraps(apply)
        def called(ctx: RuleContext) -> Result:
            call, op = Call(ctx), ctx.node.op
            misfits = call.misfits()
            if misfits:
                ctx.leave("unsupported", f"the arguments of {op} must be as its schema says: {', '.join(misfits)}")
                return None
            if _lacks_kernel(call):
                ctx.leave("unsupported", "PyTorch has a kernel for these element types")
            result = apply(call)
            if isinstance(result, Tensor):
                return with_result_layout(result, ctx, memory)
            return None if result is None else [with_result_layout(t, ctx, memory) for t in result]

        full = (name if name.startswith(PYTHON) else f"aten.{name}" for name in names)
        rule(*full, domain=DOMAIN, **options)(called)
        return apply

    return register


PYTHON = ("_operator.", "math.", "torch.", "higher_order.", "quantized_decomposed.")
"""Prefixes of operator names outside PyTorch's `aten`."""
