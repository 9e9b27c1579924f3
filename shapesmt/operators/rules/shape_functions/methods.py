"""ShapeFunctions: the part of TensorFlow's shape-function context about inputs, constants, handles and running."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from shapesmt.base.errors import RejectedError, ShapeMismatch
from shapesmt.network import laws
from shapesmt.network.graph import AttributeValue
from shapesmt.operators.rules.application import Application, Requirement
from shapesmt.operators.rules.registry import count_error
from shapesmt.operators.rules.shape_functions.calculus import UNKNOWN_RANK, Calculus, Size, fixed_symbol
from shapesmt.operators.rules.tensors import Nested, Tensor, UnknownRankError, constant, tensor
from shapesmt.operators.rules.unranked import over_ranks
from shapesmt.operators.rules.value import Elements
from shapesmt.prover.algebra import FALSE, ZERO, Atom, Dim, as_dim, at_least, substitute

AnyRule = Callable[[Any], Tensor | Sequence[Tensor] | None]
Items = tuple[Dim | None, ...]
INTEGERS = ("", "int32", "int64")


class ShapeAndType(NamedTuple):
    """The shape and element type that a resource or variant handle refers to; a type of "" is unknown."""

    shape: Tensor
    dtype: str


Handles = list[ShapeAndType]
Join = Callable[[Tensor, Tensor], Tensor]

OUTPUT_INDEX_IN_RANGE = laws.SM199.law("output {index} is one of {count}")
OUTPUT_SHAPE_COUNT = laws.SM401.law("output '{name}' has {expected} shapes, not {count}")
NAME_KNOWN = laws.SM199.law("Unknown {kind} name: {name}")
ATTRIBUTE_IN_NODE = laws.SM199.law("No attr named '{name}' in the node")
SCALAR_INPUT_INTEGER = laws.SM199.law("Scalar input must be int32 or int64.")
INPUT_IS_SCALAR = laws.SM199.law("Input must be scalar")
ELEMENT_INDEX_IN_RANGE = laws.SM199.law("Index must be less than {count}")
SCALAR_SIZE_NOT_NEGATIVE = laws.SM199.law(
    "Dimension size, given by scalar input {index}, must be non-negative but is {size}"
)
SCALAR_AXIS_IN_RANGE = laws.SM199.law("Dimension size, given by scalar input {axis} must be in range [-{rank}, {rank})")
INPUT_TENSOR_INTEGER = laws.SM199.law("Input tensor must be int32 or int64, but was {dtype}")
SHAPE_TENSOR_RANK_1 = laws.SM199.law(
    "Input tensor must be rank 1, or if its rank is 0 it must have value -1 (an unknown shape). Saw value: {value}",
)
UNKNOWN_SHAPE_WITHOUT_DIMENSIONS = laws.SM199.law("An unknown shape must not have any dimensions set.")
SHAPE_DIMENSION_MINUS_1_OR_MORE = laws.SM199.law("Shape has dimension {dim}: a size is -1 or more")
INPUT_COUNT = laws.SM405.law("Wrong number of inputs passed: {count} while {expected} expected")
HANDLE_SHAPES_PER_INPUT = laws.SM405.law("there are handle shapes for each input")
INPUT_INDEX_IN_RANGE = laws.SM199.law("input {index} is one of {count}")


class ShapeFunctions(Calculus):
    """The methods of TensorFlow's shape-function context for named inputs, constants and handles."""

    requirements: list[Requirement]
    version: int

    def __init__(self) -> None:
        self._requested: set[int] = set()
        self._requested_shapes: set[int] = set()
        self._shapes: tuple[Tensor | None, ...] = ()
        self._names: tuple[Mapping[str, int], Mapping[str, int]] = ({}, {})
        self._set: dict[int, Tensor] = {}
        self._handles: tuple[dict[int, Handles], dict[int, Handles]] = ({}, {})

    # Inputs and outputs

    @property
    def num_inputs(self) -> int:
        """The number of inputs."""
        return len(self.inputs)

    @property
    def num_outputs(self) -> int:
        """The number of outputs."""
        return len(self.node.outputs)

    def input_list(self, name: str) -> list[Tensor | None]:
        """Return the inputs that `name` stands for."""
        start, end = self._range(self._names[0], name, "input")
        return list(self.inputs[start:end])

    def output_list(self, name: str) -> list[Tensor]:
        """Return the outputs that `name` stands for, as they were set."""
        start, end = self._range(self._names[1], name, "output")
        return [self.output(i) for i in range(start, end)]

    def output(self, index: int) -> Tensor:
        """Return output `index` as it was set; an unknown shape if it wasn't."""
        self.check(0 <= index < self.num_outputs, OUTPUT_INDEX_IN_RANGE.of(index=index, count=self.num_outputs))
        return self._set.get(index) or self.unknown_shape()

    def set_output(self, which: int | str, shape: Tensor | Sequence[Tensor]) -> None:
        """Set the output with the index `which`, or all outputs that the name `which` stands for."""
        if isinstance(which, int):
            self.check(0 <= which < self.num_outputs, OUTPUT_INDEX_IN_RANGE.of(index=which, count=self.num_outputs))
            assert isinstance(shape, Tensor)
            self._set[which] = shape
            return
        start, end = self._range(self._names[1], which, "output")
        shapes = [shape] if isinstance(shape, Tensor) else list(shape)
        law = OUTPUT_SHAPE_COUNT.of(name=which, expected=end - start, count=len(shapes))
        self.check(len(shapes) == end - start, law)
        self._set.update(zip(range(start, end), shapes, strict=True))

    def _range(self, names: Mapping[str, int], name: str, what: str) -> tuple[int, int]:
        self.check(name in names, NAME_KNOWN.of(kind=what, name=name))
        start = sum(names[n] for n in list(names)[: list(names).index(name)])
        return start, start + names[name]

    def get_attr(self, name: str) -> AttributeValue:
        """Return attribute `name`; a node without it is rejected."""
        self.check(name in self.node.attributes, ATTRIBUTE_IN_NODE.of(name=name))
        return self.node.attributes[name]

    def merge_input(self, index: int, shape: Tensor) -> bool:
        """Merge a shape into an input's; return False, with nothing changed, if the two contradict each other."""
        merged = self._try(lambda: self.merge(self._at(index), shape))
        if merged is not None:
            self._replace(index, merged)
        return merged is not None

    def relax_input(self, index: int, shape: Tensor) -> bool:
        """Relax an input's shape to admit another shape too; return whether that changed it."""
        before = self._at(index)
        self._replace(index, self.relax(before, shape))
        return self.inputs[index] is not before

    def _at(self, index: int) -> Tensor:
        t = self.inputs[index]
        return self.unknown_shape() if t is None else t

    def _replace(self, index: int, shape: Tensor) -> None:
        self.inputs = (*self.inputs[:index], shape, *self.inputs[index + 1 :])

    def _try(self, compute: Callable[[], Tensor]) -> Tensor | None:
        """Return the computed shape, or None if one of its requirements can't hold."""
        before = len(self.requirements)
        try:
            return compute()
        except (RejectedError, ShapeMismatch):
            del self.requirements[before:]
            return None

    # Elements of inputs

    def input_tensor(self, index: int) -> Items | None:
        """Return the elements of input `index`, None if they aren't constants; the request is recorded."""
        self._requested.add(index)
        return _items(self._at(index)) if index < len(self.inputs) else None

    def requested_input_tensor(self, index: int) -> bool:
        """Whether the rule requested the elements of input `index`."""
        return index in self._requested

    def requested_input_tensor_as_partial_shape(self, index: int) -> bool:
        """Whether the rule requested the shape that the elements of input `index` list."""
        return index in self._requested_shapes

    def set_input_tensors(self, values: Sequence[Nested | None]) -> None:
        """Set the elements of inputs that are constants."""
        for index, value in enumerate(values):
            if value is not None:
                self._replace(index, constant(value, self._at(index)))

    def set_input_tensors_as_shapes(self, shapes: Sequence[Tensor | None]) -> None:
        """Set the shapes that the elements of inputs list, as far as they are known."""
        self._shapes = tuple(shapes)

    def scalar_from_tensor(self, t: Tensor, index: int | None = None) -> Dim | None:
        """Return the one integer of a scalar, or the integer at `index` of a vector; None if unknown."""
        self.check(t.dtype in INTEGERS, SCALAR_INPUT_INTEGER)
        items = _items(t)
        if index is None:
            self.check(t.shape is None or t.rank == 0, INPUT_IS_SCALAR)
            return items[0] if items else None
        self.check(items is None or 0 <= index < len(items), ELEMENT_INDEX_IN_RANGE.of(count=len(items or ())))
        return items[index] if items is not None else None

    def make_dim_for_scalar_input(self, index: int) -> Dim:
        """Return the dimension whose size is the scalar input."""
        size = self._scalar(index)
        if size is None:
            return self.unknown_dim()
        law = SCALAR_SIZE_NOT_NEGATIVE.of(index=index, size=size)
        self.check(size.hi >= 0, law)
        self.require(at_least(size, 0), law, size, 0)
        return size

    def make_dim_for_scalar_input_with_negative_indexing(self, index: int, input_rank: int) -> Dim:
        """Return the axis that the scalar input names, counted from the front; unknown without a rank to count from."""
        size = self._scalar(index)
        if size is None or size.constant is None:
            return self.unknown_dim()
        if size.constant < 0 and input_rank == UNKNOWN_RANK:
            return self.unknown_dim()
        law = SCALAR_AXIS_IN_RANGE.of(axis=size.constant, rank=input_rank)
        self.check(input_rank == UNKNOWN_RANK or -input_rank <= size.constant < input_rank, law)
        return size + input_rank if size.constant < 0 else size

    def _scalar(self, index: int) -> Dim | None:
        self._requested.add(index)
        return self.scalar_from_tensor(self._at(index))

    def make_shape_from_shape_tensor(self, index: int) -> Tensor:
        """Return the shape that an input's elements list; -1 is an unknown dimension, a scalar -1 an unknown shape."""
        self._requested.add(index)
        self._requested_shapes.add(index)
        spelt = self._shapes[index] if index < len(self._shapes) else None
        if spelt is not None and spelt.shape is not None:
            return spelt
        return self.make_shape_from_tensor(self._at(index))

    def make_shape_from_tensor(self, t: Tensor) -> Tensor:
        """Return the shape that a tensor's elements list."""
        self.check(t.dtype in INTEGERS, INPUT_TENSOR_INTEGER.of(dtype=t.dtype))
        items = _items(t)
        if t.shape == ():
            if items is not None and items[0] is not None:
                self.check(items[0].constant == UNKNOWN_RANK, SHAPE_TENSOR_RANK_1.of(value=items[0]))
            return self.unknown_shape()
        s = self.with_rank(t, 1)
        if items is None:
            length = s[0].constant
            return self.unknown_shape() if length is None else self.unknown_shape_of_rank(length)
        return self.make_shape_from_partial(items)

    def make_shape_from_partial(self, dims: Sequence[Size] | None, *, unknown_rank: bool = False) -> Tensor:
        """Return the shape of a list of sizes, in which -1 and None are unknown; the list None is an unknown rank."""
        if dims is None or unknown_rank:
            self.check(not dims, UNKNOWN_SHAPE_WITHOUT_DIMENSIONS)
            return self.unknown_shape()
        for d in dims:
            self.check(d is None or as_dim(d).hi >= -1, SHAPE_DIMENSION_MINUS_1_OR_MORE.of(dim=d))
        return self.make_shape([-1 if isinstance(d, Dim) and d.constant == -1 else d for d in dims])

    # Handles

    def set_input_handles(self, handles: Sequence[Sequence[ShapeAndType] | None]) -> None:
        """Set the shapes and types that inputs refer to; the number of inputs has to match the named inputs."""
        count = len(self.inputs)
        expected = sum(self._names[0].values()) if self._names[0] else count
        self.check(expected == count, INPUT_COUNT.of(count=count, expected=expected))
        self.check(not handles or len(handles) == count, HANDLE_SHAPES_PER_INPUT)
        self._handles[0].update((i, list(h)) for i, h in enumerate(handles) if h is not None)

    def input_handle_shapes_and_types(self, index: int) -> Handles | None:
        """Return the shapes and types that a resource or variant input refers to; None if they were never set."""
        return self._handles[0].get(index)

    def output_handle_shapes_and_types(self, index: int) -> Handles | None:
        """Return the shapes and types that a resource or variant output refers to; None if they were never set."""
        return self._handles[1].get(index)

    def set_input_handle_shapes_and_types(self, index: int, shapes_and_types: Sequence[ShapeAndType]) -> None:
        """Set the shapes and types that a resource or variant input refers to."""
        self.check(0 <= index < self.num_inputs, INPUT_INDEX_IN_RANGE.of(index=index, count=self.num_inputs))
        self._handles[0][index] = list(shapes_and_types)

    def set_output_handle_shapes_and_types(self, index: int, shapes_and_types: Sequence[ShapeAndType]) -> None:
        """Set the shapes and types that a resource or variant output refers to."""
        self.check(0 <= index < self.num_outputs, OUTPUT_INDEX_IN_RANGE.of(index=index, count=self.num_outputs))
        self._handles[1][index] = list(shapes_and_types)

    def merge_input_handle_shapes_and_types(self, index: int, shapes_and_types: Sequence[ShapeAndType]) -> bool:
        """Merge shapes and types into those that an input refers to; return whether that changed any."""
        return self._join(self._handles[0], index, shapes_and_types, self.merge)

    def merge_output_handle_shapes_and_types(self, index: int, shapes_and_types: Sequence[ShapeAndType]) -> bool:
        """Merge shapes and types into those that an output refers to; return whether that changed any."""
        return self._join(self._handles[1], index, shapes_and_types, self.merge)

    def relax_input_handle_shapes_and_merge_types(self, index: int, shapes_and_types: Sequence[ShapeAndType]) -> bool:
        """Relax the shapes that an input refers to, and merge the types; return whether that changed any."""
        return self._join(self._handles[0], index, shapes_and_types, self.relax)

    def relax_output_handle_shapes_and_merge_types(self, index: int, shapes_and_types: Sequence[ShapeAndType]) -> bool:
        """Relax the shapes that an output refers to, and merge the types; return whether that changed any."""
        return self._join(self._handles[1], index, shapes_and_types, self.relax)

    def _join(self, handles: dict[int, Handles], index: int, added: Sequence[ShapeAndType], join: Join) -> bool:
        """Combine the known pairs at `index` with `added` by `join`, one by one; return whether that changed any.

        Types have to agree; a shape that can't be combined is unchanged.
        """
        known = handles.get(index)
        if known is None:
            handles[index] = list(added)
            return True
        pairs = list(zip(known, added, strict=False))
        if len(known) != len(added) or any(a.dtype not in ("", b.dtype) for a, b in pairs):
            return False
        joined = [ShapeAndType(self._try_join(a.shape, b.shape, join), b.dtype) for a, b in pairs]
        changed = any(a.shape is not j.shape or a.dtype != j.dtype for a, j in zip(known, joined, strict=True))
        handles[index] = joined if changed else known
        return changed

    def _try_join(self, known: Tensor, new: Tensor, join: Join) -> Tensor:
        return self._try(lambda: join(known, new)) or known

    # Running

    def attach_context(self, message: str) -> str:
        """Return the message with the node, its inputs' shapes, and the known elements that the rule requested."""
        node = self.node
        attributes = ", ".join(f"{name}={value}" for name, value in node.attributes.items())
        shapes = ", ".join("?" if t is None else self.debug_string(t) for t in self.inputs)
        text = f"{message} for '{{{{node {node.name}}}}} = {node.op}[{attributes}]({', '.join(node.inputs)})'"
        text += f" with input shapes: {shapes}"
        requested = [(i, _items(self._at(i))) for i in sorted(self._requested) if i < len(self.inputs)]
        known = [
            f"input[{i}] = <{' '.join(map(self._item_text, items))}>" for i, items in requested if items is not None
        ]
        text += f" and with computed input tensors: {', '.join(known)}" if known else ""
        spelt = [f"input[{i}] = {self.debug_string(s)}" for i, s in enumerate(self._shapes) if s is not None]
        text += f" and with input tensors computed as partial shapes: {', '.join(spelt)}" if spelt else ""
        return f"{text}."

    def _item_text(self, item: Dim | None) -> str:
        return "?" if item is None else self.debug_string(item)

    def run(self, rule: AnyRule) -> tuple[Tensor, ...]:
        """Return the outputs of a rule, run on this node alone; an input gets the rank that the rule requires of it.

        Raises:
            ShapeMismatch: A requirement of the rule can't hold; the message has the node and its input shapes.
        """
        try:
            self._set.update(enumerate(self._outputs(rule)))
        except ShapeMismatch as error:
            raise ShapeMismatch(self.attach_context(str(error))) from None
        return tuple(self.output(i) for i in range(self.num_outputs))

    def _outputs(self, rule: AnyRule) -> Sequence[Tensor]:
        """Return the outputs of a rule, which is run at every possible rank of an input whose rank is unknown."""
        stated = len(self.requirements)
        while True:
            try:
                result = rule(self)
            except (AttributeError, IndexError, TypeError, ValueError) as error:
                wrong = count_error(self.node, self.version)
                if wrong:
                    raise ShapeMismatch(wrong) from error
                raise
            except RejectedError:  # the rule has stated the failing requirement or left the node undecided
                result = None
            except UnknownRankError as unknown:
                del self.requirements[stated:]
                over_ranks = self._over_ranks(rule) if unknown.rank is None else None
                self._hold_all(over_ranks.requirements if over_ranks else ())
                if not self._assign_ranks(over_ranks.ranks if over_ranks else (), unknown):
                    return over_ranks.outputs if over_ranks else ()
                continue
            self._hold_all(self.requirements[stated:])
            return [result] if isinstance(result, Tensor) else list(result or ())

    def _over_ranks(self, rule: AnyRule) -> Application:
        """Apply the rule at every rank that its inputs may have."""
        fresh: Any = type(self)

        def applied(inputs: Sequence[Tensor | None]) -> Application:
            ctx = fresh(self.node, inputs, self.version)
            ctx._names, ctx._handles, ctx._shapes = self._names, self._handles, self._shapes  # noqa: SLF001 - its own class
            application: Application = ctx.apply(rule)
            return application

        return over_ranks(self.inputs, applied, self.node)

    def _assign_ranks(self, ranks: Sequence[tuple[Dim, int]], unknown: UnknownRankError) -> bool:
        """Give inputs of unknown rank the ranks that the rule requires; return whether that changed any input."""
        needed = dict(ranks)
        before = self.inputs
        for i, t in enumerate(before):
            if t is not None and t.shape is None:
                rank = unknown.rank if t is unknown.tensor and unknown.rank is not None else needed.get(t.ndim or ZERO)
                if rank is not None:
                    self._replace(i, tensor(t.dtype, self.unknown_shape_of_rank(rank).dims))
        return self.inputs != before

    def _hold_all(self, requirements: Sequence[Requirement]) -> None:
        """Raise if a requirement can't hold, by itself or with the sizes that other requirements determine."""
        known: dict[Atom, Dim] = {}
        for r in (*requirements, *requirements):
            formula = substitute(r.formula, known)
            if formula is FALSE:
                sides = f": {r.left} and {r.right}" if r.left is not None and r.right is not None else ""
                raise ShapeMismatch(f"{r.law}{sides}")
            for part in formula.conjuncts:
                known.update(fixed_symbol(part))


def _items(t: Tensor) -> Items | None:
    value = t.value
    if not isinstance(value, Elements):
        return None
    return tuple(i if isinstance(i, Dim) else None for i in value.items)
