"""Finding: a node that isn't proved, with its verdict, counterexample, clashing sizes, and their causes.

Dictionaries are built only by `to_dict()`, never during the analysis.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import Enum

from shapesmt.base.frozen import frozen
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers.data import (
    OMIT as _OMIT,
    OMIT_EMPTY as _OMIT_EMPTY,
    OMIT_FALSE as _OMIT_FALSE,
    Data,
    telling,
)


@frozen()
class SymbolRange(Data):
    """A `Range` in a report, for JSON, with the source of the declaration: `--dim` or the model's file.

    Its values are `min, min + step, ...` up to `max` (None: unbounded).

    >>> SymbolRange(64, 512, 16, "--dim").to_dict()
    {'min': 64, 'max': 512, 'step': 16, 'from': '--dim'}
    """

    min: int
    max: int | None
    step: int = 1
    source: str = field(default="model", metadata={"key": "from"})


@frozen()
class TensorFacts(Data):
    """The element type and the shape of an input or output, with formulas as sizes; None if the rank is unknown."""

    dtype: str
    shape: tuple[str, ...] | None

    @classmethod
    def of(cls, dtype: str, shape: Iterable[object] | None) -> TensorFacts:
        """Return the facts with each size as text."""
        return cls(dtype, None if shape is None else tuple(map(str, shape)))


@frozen()
class Counterexample(Data):
    """An admissible input that fails: the value of every symbol and the shape of every input.

    `relevant` names symbols whose values make it fail whatever the others are; if it is empty, all may matter.
    `values` has the elements of small inputs on which something depends, in row-major order.
    `data` has the values of data-dependent sizes for which it fails.

    >>> Counterexample({"height": 65}, {"image": (1, 3, 65, 64)}).to_dict()
    {'symbols': {'height': 65}, 'inputs': {'image': [1, 3, 65, 64]}}
    """

    symbols: Mapping[str, int]
    inputs: Mapping[str, tuple[int, ...]]
    relevant: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
    values: Mapping[str, tuple[int | float, ...]] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    data: Mapping[str, int] = field(default_factory=dict, metadata=_OMIT_EMPTY)


@frozen()
class Source(Data):
    """The line of Python that a node was exported from, and the path of its module.

    >>> Source("unet.py", 9, "forward", "x = self.up(x)", "up").to_dict()
    {'file': 'unet.py', 'line': 9, 'function': 'forward', 'code': 'x = self.up(x)', 'module': 'up'}
    """

    file: str = field(default="", metadata=_OMIT_EMPTY)
    line: int = field(default=0, metadata={"omit": (0,)})
    function: str = field(default="", metadata=_OMIT_EMPTY)
    code: str = field(default="", metadata=_OMIT_EMPTY)
    module: str = field(default="", metadata=_OMIT_EMPTY)
    caller: str = field(default="", metadata={"key": "called_from", **_OMIT_EMPTY})
    """The line from which the model's code was called, as `model.py:105`; "" if it is the line itself."""


@frozen()
class Cause(Data):
    """A cause of a dimension: `node` computes `tensor`, whose `axis` has the size `expr`.

    `axis` is None if `expr` is an element of the tensor; `element` is its index in row-major order, or None if that
    isn't known. `value` is its value at the counterexample, and `shape` the tensor's shape there. `attributes` lists
    the node's attributes that affect shapes ("kernel 3, stride 2").
    `names` lists the dimensions in `expr`. `about` is "rank" or "type" if `expr` is the tensor's whole shape or its
    element type instead of a size. `constant` says that no node computes the tensor: the file has it as a constant.

    >>> Cause("/down1/Conv", "d1", 2, "(height + 1)//2").to_dict()
    {'node': '/down1/Conv', 'tensor': 'd1', 'axis': 2, 'expr': '(height + 1)//2'}
    """

    node: str
    tensor: str
    axis: int | None
    element: int | None = field(default=None, metadata=_OMIT_EMPTY, kw_only=True)
    expr: str
    value: int | None = field(default=None, metadata=_OMIT_EMPTY)
    op_type: str = field(default="", metadata=_OMIT_EMPTY)
    attributes: str = field(default="", metadata=_OMIT_EMPTY)
    shape: tuple[int, ...] = field(default=(), metadata=_OMIT_EMPTY)
    source: Source | None = field(default=None, metadata=_OMIT_EMPTY)
    names: tuple[str, ...] = field(default=(), compare=False, repr=False, metadata=_OMIT)
    about: str = field(default="", metadata=_OMIT_EMPTY, kw_only=True)
    constant: bool = field(default=False, metadata=_OMIT_FALSE, kw_only=True)


@frozen()
class Operand(Data):
    """An input of a failing node, for inputs of the model that satisfy the conditions of earlier nodes.

    Attributes:
        input: Its position among the node's inputs.
        tensor: Its name.
        dtype: Its element type; "" if unknown.
        shape: The formula of each size; None if the rank isn't known.
        node, op_type: The node that computes it; "" for an input of the model and for a constant.
        elements: Its elements if there are at most 8 and some are known integers; "?" for the others.
        constant: Whether the file has it as a constant.

    >>> Operand(0, "x", "float32", ("n", "4")).to_dict()
    {'input': 0, 'tensor': 'x', 'type': 'float32', 'shape': ['n', '4']}
    """

    input: int
    tensor: str
    dtype: str = field(default="", metadata={"key": "type", **_OMIT_EMPTY})
    shape: tuple[str, ...] | None = None
    node: str = field(default="", metadata=_OMIT_EMPTY)
    op_type: str = field(default="", metadata=_OMIT_EMPTY)
    elements: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
    constant: bool = field(default=False, metadata=_OMIT_FALSE)


@frozen()
class Side(Data):
    """One side of a clash: a formula (or a shape), and its value at the counterexample; None if it has none.

    `tensor` is set if the node takes it from one of its inputs, with the `axis` that has this size or the index of the
    `element` that is this number, in row-major order; else `name` describes it. `names` lists the dimensions in `expr`.

    >>> Side("4", 4, "x", axis=1).to_dict(), Side("2", 2, "shape", element=0).to_dict()
    ({'expr': '4', 'value': 4, 'tensor': 'x', 'axis': 1}, {'expr': '2', 'value': 2, 'tensor': 'shape', 'element': 0})
    """

    expr: str
    value: int | None = None
    tensor: str = field(default="", metadata=_OMIT_EMPTY)
    axis: int | None = field(default=None, metadata=_OMIT_EMPTY)
    element: int | None = field(default=None, metadata=_OMIT_EMPTY)
    name: str = field(default="", metadata=_OMIT_EMPTY)
    names: tuple[str, ...] = field(default=(), compare=False, repr=False, metadata=_OMIT)


@frozen()
class Clash(Data):
    """The two sizes that violate a law.

    >>> Clash(Side("height", 65), Side("64")).to_dict()
    {'left': {'expr': 'height', 'value': 65}, 'right': {'expr': '64', 'value': None}}
    """

    left: Side
    right: Side


@frozen()
class Replay(Data):
    """The result of running a counterexample: `confirmed` is whether `node` fails, None if it could not be run.

    >>> Replay("onnxruntime 1.20.0", True, "fc", "the inner sizes differ").to_dict()["confirmed"]
    True
    """

    runtime: str
    confirmed: bool | None
    node: str
    message: str


class FindingKind(str, Enum):
    """The subject of a finding."""

    REQUIREMENT = "requirement"  # a law that fails, or isn't decided
    DATA = "data"  # a law that depends on a data-dependent size
    SAMPLES = "samples"  # samples of a batch that don't stay apart
    SESSION = "session"  # a law of what ONNX Runtime's default session runs instead of the file's nodes
    DECLARATION = "declaration"  # the file declares another shape
    UNSUPPORTED = "unsupported"  # no rule for the operator
    RANK = "rank"  # an input of unknown rank
    EXTERNAL = "external"  # constants in an external file that can't be read
    ELEMENTS = "elements"  # integers computed from sizes in a way that isn't tracked
    COUNT = "count"  # indices counted from data, which may be outside their axis
    LAYOUT = "layout"  # a view of a tensor whose layout in memory isn't tracked
    TIMEOUT = "timeout"  # a node left unexamined by the timeout

    def __str__(self) -> str:
        return self.value


@telling("title", "note", "when", "help")
@frozen()
class Finding(Data):
    """One requirement that isn't proved, with an input that shows it and the condition for inputs that are fine.

    Attributes:
        code: The law's error code.
        group: The index of its group in `Report.groups`; None if it has none.
        title: The problem at the counterexample, in words.
        holds_iff: The exact condition on inputs under which the requirement holds; None if unknown.
        when: The condition of the branches that contain the law, if only some inputs take them.
        safe_iff: If it depends on data: the exact condition under which the node runs whatever the data.
        rests_on: The node or constant with unknown values that leaves this node undecided; "" if there is none.
        operands: The node's inputs, with their shapes before its own condition.
        attributes: The node's attributes and constant inputs that affect sizes or requirements, such as "axis 1".
        explains: The nodes downstream that fail, for every input that reaches them, by a size that this node made.
        unreached: Whether some inputs never reach the node, because one upstream fails for them.
        help: Advice for this finding; "" if the advice of its code is as good.

    >>> kind = FindingKind.REQUIREMENT
    >>> Finding(Verdict.FAILS, kind, "fc", "Gemm", 3, "inner sizes agree", "4 == 5").to_dict()["kind"]
    'requirement'
    """

    verdict: Verdict
    kind: FindingKind
    code: str = field(default="", metadata=_OMIT_EMPTY, kw_only=True)
    group: int | None = field(default=None, metadata=_OMIT_EMPTY, kw_only=True)
    title: str = field(default="", metadata=_OMIT_EMPTY, kw_only=True)
    node: str
    op_type: str
    index: int
    law: str
    condition: str
    counterexample: Counterexample | None = None
    holds_iff: str | None = None
    because: tuple[Cause, ...] = ()
    clash: Clash | None = field(default=None, metadata=_OMIT_EMPTY)
    note: str = field(default="", metadata=_OMIT_EMPTY)
    replay: Replay | None = field(default=None, metadata=_OMIT_EMPTY)
    when: str = field(default="", metadata=_OMIT_EMPTY)
    safe_iff: str | None = field(default=None, metadata=_OMIT_EMPTY)
    rests_on: str = field(default="", metadata=_OMIT_EMPTY)
    source: Source | None = field(default=None, metadata=_OMIT_EMPTY)
    operands: tuple[Operand, ...] = field(default=(), metadata=_OMIT_EMPTY)
    attributes: str = field(default="", metadata=_OMIT_EMPTY)
    help: str = field(default="", metadata=_OMIT_EMPTY)
    explains: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
    unreached: bool = field(default=False, metadata=_OMIT_FALSE)


@frozen()
class Group(Data):
    """Findings with one cause: the same law on the same dimensions, the same operator without a rule.

    `size` is their number; `behind` counts the downstream nodes left undecided because of them. `holds_iff` is the
    exact condition on inputs under which all of them hold, `safe_iff` the one under which they hold whatever the data;
    None if unknown.

    >>> Group(4, holds_iff="height % 16 == 0").to_dict()
    {'size': 4, 'behind': 0, 'holds_iff': 'height % 16 == 0'}
    """

    size: int
    behind: int = 0
    holds_iff: str | None = field(default=None, metadata=_OMIT_EMPTY)
    safe_iff: str | None = field(default=None, metadata=_OMIT_EMPTY)


class WarningKind(str, Enum):
    """The subject of a warning; `says` is what it means."""

    says: str

    BROADCAST = "broadcast", "two sizes are equal for some inputs; for others, a size of 1 is broadcast to the other"
    DECLARATION = "declaration", "the file declares another shape than the node's output has"
    SESSION = (
        "session",
        "ONNX Runtime's default session would run where the file fails, or give an output another shape",
    )
    UNREACHABLE = "unreachable", "a branch that no input takes, or a loop body that never runs"
    RANGE = "range", "the assumptions leave one value of a dimension with a wider range"
    SIZE = "size", "a tensor can have more elements than a 32-bit index can count"
    SYMBOL = "symbol", "a dimension that no node reads"
    PLACEHOLDER = (
        "placeholder",
        "several dimensions that the file calls `?`, `*`, `-1` or `None`: each is a separate size",
    )
    STATIC = (
        "static",
        "a size of a PyTorch program that should vary is a number in it: the node that needs it, or only the trace",
    )

    RESHAPED = (
        "reshaped",
        "a reshape that mixes the samples or shares out a constant among them, if the first size of the inputs counts "
        "samples",
    )

    def __new__(cls, name: str, says: str) -> WarningKind:
        """Return the member whose value is the name."""
        kind = str.__new__(cls, name)
        kind._value_, kind.says = name, says
        return kind

    def __str__(self) -> str:
        return str(self.value)


@telling("text")
@frozen()
class ModelWarning(Data):
    """A sign that a model runs, but probably not as intended; a warning never changes the verdict.

    `index` is the node's, -1 if it is about no node; `example` is an input that shows it; `source` is the node's line.

    >>> ModelWarning("SM906", WarningKind.SYMBOL, "", "", -1, "x", "nothing depends on n: no node reads 'x'").to_dict()
    {'code': 'SM906', 'kind': 'symbol', 'index': -1, 'tensor': 'x', 'text': "nothing depends on n: no node reads 'x'"}
    """

    code: str
    kind: WarningKind
    node: str = field(metadata=_OMIT_EMPTY)
    op_type: str = field(metadata=_OMIT_EMPTY)
    index: int
    tensor: str = field(metadata=_OMIT_EMPTY)
    text: str
    example: Counterexample | None = field(default=None, metadata=_OMIT_EMPTY)
    source: Source | None = field(default=None, metadata=_OMIT_EMPTY)


@frozen()
class Assumed(Data):
    """A law that data is assumed to satisfy at a node; no answer covers other data.

    `node` is the path of the node, with the nodes that contain it; `index` is the outermost node's. `tensor` is the
    input whose elements are data; "" if the node is inside another. If `by` is "archive", the law is about the output
    `tensor` instead: the archive contradicts what follows from the node's inputs, and the answer goes on with it.

    >>> Assumed("embed", "Gather", 3, "input_ids", "indices are inside the axis").to_dict()["law"]
    'indices are inside the axis'
    """

    node: str
    op_type: str
    index: int
    tensor: str = field(metadata=_OMIT_EMPTY)
    law: str
    by: str = field(default="", metadata=_OMIT_EMPTY)


@telling("why")
@frozen()
class FixedSize(Data):
    """A size of an input that is a number in the program.

    If it was to vary, `why` says which node needs the number (`node`), or that only PyTorch's trace does; else "".

    >>> FixedSize("x", 1, 20, "linear", "linear needs it").to_dict()
    {'input': 'x', 'axis': 1, 'size': 20, 'node': 'linear', 'why': 'linear needs it'}
    """

    input: str
    axis: int
    size: int
    node: str = field(default="", metadata=_OMIT_EMPTY)
    why: str = field(default="", metadata=_OMIT_EMPTY)


@frozen()
class Guarded(Data):
    """The inputs that a program's guards refuse although its nodes run for them.

    Attributes:
        nodes: Conditions; if all of them hold, every node runs.
        exact: Whether every node runs only if they hold.
        refused: The condition under which the guards refuse one of these inputs; "" if it isn't known, or too long.
        partial: Whether the conditions are only necessary: nodes may fail although they hold.
        unread: Guards that couldn't be read and may refuse more inputs.

    >>> Guarded(("h >= 8",), True, "h == 9").to_dict()
    {'nodes': ['h >= 8'], 'exact': True, 'refused': 'h == 9'}
    """

    nodes: tuple[str, ...]
    exact: bool
    refused: str = field(default="", metadata=_OMIT_EMPTY)
    partial: bool = field(default=False, metadata=_OMIT_FALSE)
    unread: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
