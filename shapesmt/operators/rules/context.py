"""RuleContext: how an operator's rule reads its node and states the node's requirements.

A rule reads `ctx.inputs` and the attributes, states each way in which the node can fail with `ctx.require` (the law
first), and returns the outputs. If a node can't run at all (an axis out of range), the context ends the rule: it
records the requirement that fails, and the outputs are unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, overload

from shapesmt.base.errors import RejectedError
from shapesmt.network import laws
from shapesmt.network.graph import Attributes, AttributeValue, Graph, Node, Runtime
from shapesmt.operators.rules.application import BY_ALL, Application, Decided
from shapesmt.operators.rules.registry import resolve
from shapesmt.operators.rules.statements import Statements
from shapesmt.operators.rules.tensors import Shape, Tensor, UnknownRankError, holds, number, tensor
from shapesmt.operators.rules.value import Elements, Field, Value, elements, move_positions
from shapesmt.prover.algebra import ONE, TRUE, Dim, Formula, all_of, any_of, as_dim, entries, equal, select
from shapesmt.prover.algebra.numeric import Float

MAX_SIZES = 255  # a longer list can't be a tensor's shape

AnyValue = TypeVar("AnyValue")
RunGraph = Callable[["RuleContext", Graph, Sequence[Tensor], str], tuple[Tensor, ...]]

ATTRIBUTE_IS_NUMBER = laws.SM502.law("attribute '{name}' is a number")
NUMBER_OF = laws.SM401.law("there are {expected} {what}, not {count}")
INPUT_LIST_OF_INTEGERS = laws.SM401.law("input {index} is a list of integers")


class RuleContext(Statements):
    """One node during inference.

    Attributes:
        inputs: The input tensors; None for an omitted optional one.
        version: The operator-set version of the node's domain.
        outputs: The number of outputs that the node names.
        case: The condition that holds; None if the rule can't be applied case by case.
        runtime: The runtime of the model; some laws are specific to one.
        defined: Whether the runtime runs the operator's definition by simpler operators, which adds requirements and
            has the outputs; a rule sets it.
    """

    case: Formula | None = None
    runtime: Runtime = Runtime.ONNX
    defined = False

    def __init__(self, node: Node, inputs: Sequence[Tensor | None], version: int, run: RunGraph | None = None) -> None:
        super().__init__(node, inputs)
        self.version = version
        self.outputs = len(node.outputs)
        self.literals: Container[str] = ()  # tensors that are constants in the file
        self.around: tuple[Graph, ...] = ()  # the graphs that the node is in, the innermost first
        self._run = run
        self.boolean: Callable[[int], bool] = lambda _: False  # whether an input's elements can only be 0 or 1
        self.is_length_known: Callable[[int], bool] = lambda _: True  # whether an input's number of elements is known

    # Inputs and attributes

    @property
    def attributes(self) -> Attributes:
        """The node's attributes."""
        return self.node.attributes

    def has(self, index: int) -> bool:
        """Whether the node has input `index`; an optional input may be omitted."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def makes(self, index: int) -> bool:
        """Whether the node has output `index`; an optional output may be omitted."""
        return index < len(self.node.outputs) and bool(self.node.outputs[index])

    def input(self, index: int, rank: int | None = None, *, least: int | None = None) -> Tensor:
        """Return input `index`; reject a node without it. Require rank `rank`, if known, or at least `least` axes."""
        t = self.inputs[index] if index < len(self.inputs) else None
        if t is None:
            self.reject(laws.INPUT_GIVEN.of(index=index))
        if rank is not None and t.shape is not None:
            self.require_rank(t, rank)
        if least is not None:
            self.require_rank(t, least, least=True)
        return t

    def attribute(self, name: str, default: AttributeValue | None = None) -> AttributeValue | None:
        """Return attribute `name` as the file states it, or `default` if the node doesn't have it."""
        return self.attributes.get(name, default)

    def integer(self, name: str, default: int | None = None) -> int:
        """Return the integer attribute `name`, or `default`; reject a node with another type, or without both."""
        return self._typed_attribute(name, default, int, "is an integer")

    def flag(self, name: str, default: int = 0, *, only_one: bool = False) -> bool:
        """Whether a flag is set: by any number but 0, or only by 1 (`only_one`), as for kernels that compare with 1."""
        value = self.integer(name, default)
        return value == 1 if only_one else value != 0

    def integers(self, name: str, default: Sequence[int] | None = None) -> tuple[int, ...]:
        """Return attribute `name`, a list of integers, or `default`; reject other types, and a node without both."""
        value = self.attributes.get(name, default)
        if isinstance(value, Sequence) and all(isinstance(v, int) for v in value):
            return tuple(v for v in value if isinstance(v, int))
        self.reject(laws.ATTRIBUTE_LISTS_INTEGERS.of(name=name))

    def number(self, name: str, default: float | None = None) -> float:
        """Return the float attribute `name`, or `default`; reject a node with another type, or without both."""
        value = self.attributes.get(name, default)
        if isinstance(value, (int, float)):
            return value
        self.reject(ATTRIBUTE_IS_NUMBER.of(name=name))

    def text(self, name: str, default: str | None = None) -> str:
        """Return the text attribute `name`, or `default`; reject a node with another type, or without both."""
        return self._typed_attribute(name, default, str, "is a text")

    def texts(self, name: str) -> list[str]:
        """Return the texts that attribute `name` lists; [] without it."""
        listed = self.attribute(name)
        return [text for text in listed if isinstance(text, str)] if isinstance(listed, tuple) else []

    def graph(self, name: str) -> Graph:
        """Return the subgraph in attribute `name`; reject a node without it."""
        return self._typed_attribute(name, None, Graph, "is a graph")

    def _typed_attribute(self, name: str, default: object, kind: type[AnyValue], what: str) -> AnyValue:
        value = self.attributes.get(name, default)
        if isinstance(value, kind):
            return value
        self.reject(laws.ATTRIBUTE_IS.of(name=name, what=what))

    # Elements

    def items(self, index: int) -> tuple[Dim | None, ...] | None:
        """Return the integers in input `index`, with None for each unknown one; None if they aren't listed.

        The input then decides whether the node runs: unknown integers are assumed to be valid.
        """
        self.assume_valid(index)
        value = self.inputs[index].value if self.has(index) else None  # type: ignore[union-attr]  # has() says so
        if not isinstance(value, Elements) or any(isinstance(i, Float) for i in value.items):
            self.unread |= {index} if value is not None else set()
            return None
        return tuple(i if isinstance(i, Dim) else None for i in value.items)

    def constants(
        self, index: int, name: str | None = None, default: Sequence[int] | None = None
    ) -> tuple[int, ...] | None:
        """Return the integers in input `index` if all are known numbers, else None.

        The node is undecided if they depend on sizes. Without the input, they are those of the attribute `name`, as in
        old operator versions, or else `default`.
        """
        if name is not None and not self.has(index):
            return self.integers(name, default) if name in self.attributes or default is not None else None
        items = self.items(index)
        if items is None:
            return None
        values = [None if i is None else number(i, self.case) for i in items]
        numbers = tuple(n for n in values if n is not None)
        if len(numbers) == len(items):
            return numbers
        if None not in items and not self.inputs[index].chosen:  # type: ignore[union-attr]  # it has items
            self.leave("elements", f"input {index} is the same at any sizes")
        return None

    @overload
    def sizes(self, source: str, count: int | None = None, what: str = "sizes") -> list[Dim | None]: ...
    @overload
    def sizes(self, source: int | str, count: int, what: str = "sizes") -> list[Dim | None]: ...
    @overload
    def sizes(self, source: int | str) -> list[Dim | None] | None: ...

    def sizes(self, source: int | str, count: int | None = None, what: str = "sizes") -> list[Dim | None] | None:
        """Return the integers that an input or, in old versions, an attribute lists; None for each unknown one.

        Args:
            source: The index of the input, or the name of the attribute.
            count: Their required number; without it the result is None if the length of the list isn't known.
            what: Their name in the law about their number.
        """
        items: list[Dim | None] | None
        items = self._input_sizes(source) if isinstance(source, int) else [as_dim(v) for v in self.integers(source)]
        if count is None:
            return items
        law = NUMBER_OF.of(expected=count, what=what, count=len(items or ()))
        self.check(items is None or len(items) == count, law)
        if items is None and isinstance(source, int) and self.input(source).shape is not None:
            self.require_equal(self.input(source)[0], count, laws.FIXED_NUMBER_OF.of(expected=count, what=what))
        return [None] * count if items is None else items

    def _input_sizes(self, index: int) -> list[Dim | None] | None:
        x = self.input(index)
        if x.shape is None:
            return None
        self.check(x.rank == 1, INPUT_LIST_OF_INTEGERS.of(index=index))
        count = None if isinstance(x.value, Elements) else number(x[0], self.case)
        if count is not None and count <= MAX_SIZES:
            self.assume_valid(index)
            values = [_at(x.value.element, i) if isinstance(x.value, Field) else None for i in range(count)]
            return [None if value is None or entries(value) else value for value in values]
        items, length = self.items(index), x[0].constant
        if items is not None:
            return list(items)
        return [None] * length if length is not None and 0 <= length <= MAX_SIZES else None

    def holds(self, condition: Formula) -> bool | None:
        """Whether a condition holds, None if unknown; if that depends on sizes, the rule is applied in both cases."""
        return holds(condition, self.case)

    def require_agree(self, *tensors: Tensor, but: int | None = None, law: laws.Law | str) -> None:
        """Require that tensors have the same rank and, on all axes except `but`, the same sizes."""
        first = tensors[0]
        for other in tensors[1:]:
            self.check(other.rank == first.rank, law)
            for axis in range(first.rank):
                if axis != but:
                    self.require_equal(first[axis], other[axis], law)

    # Axes, ranks and shapes

    def axis(self, rank: int, default: int | None = None, name: str = "axis", *, end: int = 0) -> int:
        """Return attribute `name` as an axis of a tensor of rank `rank`, from the front; `end=1` allows `rank` too."""
        return self.normal(self.integer(name, default), rank, end=end)

    def normal(self, axis: int, rank: int, *, end: int = 0) -> int:
        """Return `axis` counted from the front; require that it is inside the rank; `end=1` allows `rank` itself."""
        self.check(
            -rank - (end if rank or end else 0) <= axis < rank + end,
            laws.AXIS_INSIDE_RANK.of(axis=axis, rank=rank),
        )
        return axis + rank + end if axis < 0 else axis

    def normals(self, axes: Iterable[int], rank: int) -> tuple[int, ...]:
        """Return axes counted from the front; require that they are inside the rank and distinct."""
        normalized = tuple(self.normal(a, rank) for a in axes)
        self.check(len(set(normalized)) == len(normalized), laws.AXES_NAMED_ONCE)
        return normalized

    def require_rank(self, x: Tensor, rank: int, *, least: bool = False) -> None:
        """Require that `x` has rank `rank` (`least`: or a higher one); otherwise the rule ends."""
        if x.shape is None and not least:
            raise UnknownRankError(x, rank)
        if least:
            self.check(x.rank >= rank, laws.RANK_AT_LEAST.of(least=rank, rank=x.rank))
        else:
            self.check(x.rank == rank, laws.RANK.of(expected=rank, rank=x.rank))

    def same_rank(self, *shapes: Tensor) -> tuple[Tensor, ...]:
        """Return the tensors; require that they have the same rank."""
        known = next((s for s in shapes if s.shape is not None), shapes[0])
        for s in shapes:
            if s.shape is None:
                raise UnknownRankError(s, known.rank)
            self.check(s.rank == known.rank, laws.TENSORS_ONE_RANK.of(rank=known.rank, other=s.rank))
        return shapes

    def broadcast(self, *shapes: Shape, law: laws.Law | str = laws.SIZES_BROADCAST) -> Shape:
        """Return the shape to which all shapes broadcast; require equal sizes or 1, aligned from the right."""
        rank = max(map(len, shapes))
        result: list[Dim] = [ONE] * rank
        for shape in shapes:
            offset = rank - len(shape)
            for i, d in enumerate(shape):
                result[offset + i] = self.broadcast_sizes(result[offset + i], d, law)
        return tuple(result)

    def broadcast_sizes(self, x: Dim, y: Dim, law: laws.Law | str = laws.SIZES_BROADCAST) -> Dim:
        """Return the size to which two sizes broadcast; require that they are equal, or that one of them is 1."""
        if x is y or y is ONE:
            return x
        if x is ONE:
            return y
        self.require(any_of(equal(x, y), equal(x, 1), equal(y, 1)), law, x, y)
        if x.constant is not None or (x.lo >= 2 and y.constant is None):
            return x
        if y.constant is not None or y.lo >= 2:
            return y
        return select(equal(x, 1), y, x)

    # Outputs

    def tensor(self, shape: Sequence[Dim | int] | None, dtype: str | None = None, value: Value | None = None) -> Tensor:
        """Return a tensor, to be an output of the node; without `dtype`, it has the element type of the first input."""
        if dtype is None:
            dtype = self.inputs[0].dtype if self.inputs and self.inputs[0] is not None else ""
        return tensor(dtype, shape, value)

    def integer_list(self, items: Sequence[Dim | int | None], dtype: str = "int64") -> Tensor:
        """Return a vector with these integers as its known elements; None stands for an unknown one."""
        sizes = [None if i is None else as_dim(i) for i in items]
        return tensor(dtype, (len(sizes),), elements((len(sizes),), sizes))

    # Other operators' rules

    def delegate(
        self,
        op: str,
        inputs: Sequence[Tensor | None] | None = None,
        *,
        version: int,
        attributes: Mapping[str, AttributeValue] | None = None,
        outputs: Sequence[str] | None = None,
    ) -> tuple[Tensor, ...]:
        """Return the outputs of an ai.onnx operator on these inputs; its requirements become this node's.

        Args:
            op: The operator.
            inputs: Its inputs: those of this node, or tensors computed from them; by default this node's inputs.
            version: The operator set.
            attributes: The operator's attributes; by default this node's.
            outputs: The names of its outputs; by default this node's.
        """
        rule = resolve("", op, version)
        assert rule is not None
        reads = self.inputs if inputs is None else tuple(inputs)
        kept = self.attributes if attributes is None else Attributes(attributes)
        node = Node(op, "", self.node.name, [""] * len(reads), outputs or self.node.outputs, kept)
        inner = type(self)(node, reads, version, self._run)
        inner.case = self.case
        inner.runtime, inner.loading = self.runtime, self.loading
        inner.boolean = lambda index: any(t is reads[index] and self.boolean(i) for i, t in enumerate(self.inputs))
        inner.requirements, inner.facts = self.requirements, self.facts
        inner.unjudged, inner.fresh_symbols = self.unjudged, self.fresh_symbols
        try:
            results = rule.apply(inner)
        finally:
            self.memoizable &= inner.memoizable
            self.by_version |= inner.by_version
            self.decisions.update((size, self._decision_by_inputs(how, reads)) for size, how in inner.decisions.items())
            self.unread.update(i for index in inner.unread for i in self.places(reads[index]))
            for index in inner.doubted(inner.decides_success):
                self.assume_elements(reads[index], only_sizes=index in inner.decides_sizes_only)
        return (results,) if isinstance(results, Tensor) else tuple(results or ())

    def _decision_by_inputs(self, how: Decided, reads: Sequence[Tensor | None]) -> Decided:
        """Return how the node's own inputs decide a size; by all inputs, if it isn't known by which."""
        own = [[i for i, t in enumerate(self.inputs) if t is reads[k]] for k in how.by or () if k < len(reads)]
        if how.by is None or any(len(places) != 1 for places in own):
            return BY_ALL
        return how._replace(by=tuple(i for places in own for i in places))

    def assume_elements(self, x: Tensor | None, *, only_sizes: bool = False) -> None:
        """Record that a tensor's elements decide whether the node runs; if it isn't an input, all integer inputs do."""
        (self.only_sizes if only_sizes else self.assume_valid)(*self.places(x))

    def places(self, x: Tensor | None) -> list[int]:
        """Return the indices of the inputs that are this tensor; if none is, those of the integer inputs."""
        same = [i for i, t in enumerate(self.inputs) if t is x]
        return same or [i for i, t in enumerate(self.inputs) if t is not None and t.dtype.startswith(("int", "uint"))]

    # Subgraphs

    def run_graph(
        self, graph: Graph, inputs: Sequence[Tensor], label: str, condition: Formula = TRUE
    ) -> tuple[Tensor, ...]:
        """Return the outputs of a subgraph on these inputs; its nodes' requirements apply if `condition` holds."""
        assert self._run is not None
        with self.where(condition):
            return self._run(self, graph, inputs, label)

    @contextmanager
    def where(self, condition: Formula) -> Iterator[None]:
        """Run a block whose requirements apply only if the condition holds."""
        outer, self._condition = self._condition, all_of(self._condition, condition)
        try:
            yield
        finally:
            self._condition = outer

    def apply(self, rule: Callable[[Any], Tensor | Sequence[Tensor] | None]) -> Application:
        """Apply the rule; a rejected node has unknown outputs.

        Raises:
            TypeError: It returns something else than tensors.
        """
        try:
            result = rule(self)
            outputs = (result,) if isinstance(result, Tensor) else tuple(result or self.outputs_set())
            if not all(isinstance(t, Tensor) for t in outputs):
                raise TypeError(f"it returns {str(result)[:80]!r}, not tensors such as ctx.tensor(dims) makes")
        except RejectedError:
            return self.rejection()
        return self.application(outputs[: self.outputs] + (tensor("", None),) * (self.outputs - len(outputs)))

    def rejection(self) -> Application:
        """Return the application of a rule that ended early: its statements so far, and unknown outputs."""
        self.rejected = True
        return self.application((tensor("", None),) * self.outputs)

    def outputs_set(self) -> Iterable[Tensor]:
        """Return the outputs that a rule set instead of returning them."""
        return ()


def _at(element: Dim, place: int) -> Dim:
    """Return the element at an index of a list that is one expression over its positions."""
    return move_positions(element, lambda _: as_dim(place))
