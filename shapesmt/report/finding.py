"""Finding: a node that isn't proved, with its verdict, counterexample, clashing sizes, and their causes.

Dictionaries are built only by `to_dict()`, never during the analysis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from shapesmt.algebra import Verdict
from shapesmt.report.data import OMIT as _OMIT, OMIT_EMPTY as _OMIT_EMPTY, OMIT_FALSE as _OMIT_FALSE, Data, late


@dataclass(frozen=True, slots=True)
class SymbolRange(Data):
    """A `Range` as a report has it, for JSON: with the source of the declaration, `--dim` or the model's file.

    Its values are `min, min + step, ...` up to `max` (None: no end).

    >>> SymbolRange(64, 512, 16, "--dim").to_dict()
    {'min': 64, 'max': 512, 'step': 16, 'from': '--dim'}
    """

    min: int
    max: int | None
    step: int = 1
    source: str = field(default="model", metadata={"key": "from"})


@dataclass(frozen=True, slots=True)
class Counterexample(Data):
    """An admissible input that fails: the value of every symbol and the shape of every input.

    `relevant` names the symbols that matter: with their values it fails whatever the others are. Without it, all may.
    `values` has the elements of small inputs on which something depends, in row-major order.
    `data` has the sizes that data decides, for which it fails.

    >>> Counterexample({"height": 65}, {"image": (1, 3, 65, 64)}).to_dict()
    {'symbols': {'height': 65}, 'inputs': {'image': [1, 3, 65, 64]}}
    """

    symbols: Mapping[str, int]
    inputs: Mapping[str, tuple[int, ...]]
    relevant: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
    values: Mapping[str, tuple[int | float, ...]] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    data: Mapping[str, int] = field(default_factory=dict, metadata=_OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class Source(Data):
    """Where a node was written in Python: the line, and the path of the module that it belongs to.

    >>> Source("unet.py", 9, "forward", "x = self.up(x)", "up").to_dict()
    {'file': 'unet.py', 'line': 9, 'function': 'forward', 'code': 'x = self.up(x)', 'module': 'up'}
    """

    file: str = field(default="", metadata=_OMIT_EMPTY)
    line: int = field(default=0, metadata={"omit": (0,)})
    function: str = field(default="", metadata=_OMIT_EMPTY)
    code: str = field(default="", metadata=_OMIT_EMPTY)
    module: str = field(default="", metadata=_OMIT_EMPTY)
    caller: str = field(default="", metadata={"key": "called_from", **_OMIT_EMPTY})
    """Where the model's code was entered on the way there, as `model.py:105`."""


@late("attributes")
@dataclass(frozen=True)
class Cause(Data):
    """A cause of a dimension: `node` computes `tensor`, whose `axis` has the size `expr`.

    `axis` is None where `expr` is among the elements of the tensor; `value` is what it is at the counterexample, and
    `shape` the whole tensor's shape there. `attributes` are those that matter for shapes ("kernel 3, stride 2"),
    `names` the dimensions in `expr`.

    >>> Cause("/down1/Conv", "d1", 2, "(height + 1)//2").to_dict()
    {'node': '/down1/Conv', 'tensor': 'd1', 'axis': 2, 'expr': '(height + 1)//2'}
    """

    node: str
    tensor: str
    axis: int | None
    expr: str
    value: int | None = field(default=None, metadata=_OMIT_EMPTY)
    op_type: str = field(default="", metadata=_OMIT_EMPTY)
    attributes: str = field(default="", metadata=_OMIT_EMPTY)
    shape: tuple[int, ...] = field(default=(), metadata=_OMIT_EMPTY)
    source: Source | None = field(default=None, metadata=_OMIT_EMPTY)
    names: tuple[str, ...] = field(default=(), compare=False, repr=False, metadata=_OMIT)


@dataclass(frozen=True, slots=True)
class Side(Data):
    """One side of a clash: a formula (or a shape), and its value at the counterexample where it has one.

    Where it is the size of one of the node's inputs, `tensor` and `axis` say which, else `name` says what it is.
    `names` are the dimensions in `expr`.
    """

    expr: str
    value: int | None = None
    tensor: str = field(default="", metadata=_OMIT_EMPTY)
    axis: int | None = field(default=None, metadata=_OMIT_EMPTY)
    name: str = field(default="", metadata=_OMIT_EMPTY)
    names: tuple[str, ...] = field(default=(), compare=False, repr=False, metadata=_OMIT)


@dataclass(frozen=True, slots=True)
class Clash(Data):
    """The two sizes that a law relates and that violate it.

    >>> Clash(Side("height", 65), Side("64")).to_dict()
    {'left': {'expr': 'height', 'value': 65}, 'right': {'expr': '64', 'value': None}}
    """

    left: Side
    right: Side


@dataclass(frozen=True, slots=True)
class Replay(Data):
    """The result of running a counterexample: `confirmed` if `node` fails, None if it could not be run.

    >>> Replay("onnxruntime 1.20.0", True, "fc", "the inner sizes differ").to_dict()["confirmed"]
    True
    """

    runtime: str
    confirmed: bool | None
    node: str
    message: str


class FindingKind(str, Enum):
    """What a finding is about."""

    REQUIREMENT = "requirement"  # a law that fails, or isn't decided
    DATA = "data"  # a law that depends on a size that only the data decide
    DECLARATION = "declaration"  # the file claims another shape
    UNSUPPORTED = "unsupported"  # no rule for the operator
    RANK = "rank"  # an input of unknown rank
    ELEMENTS = "elements"  # integers computed from sizes in a way that is not followed
    TIMEOUT = "timeout"  # a node that the timeout left unexamined

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Finding(Data):
    """One requirement that isn't proved, with the input that shows it and the inputs that are fine.

    `title` says what is wrong at the counterexample, `code` names the law in the catalogue of error codes; `holds_iff`
    is exact, or None. `group` is the place of its group in `Report.groups`. `rests_on` is the node or the constant that
    isn't followed, where that is why the node isn't judged. `when` is the condition of the
    branches that the law stands in, where only some inputs take them. Where it hinges on data, `safe_iff`
    says exactly for which inputs the node runs whatever the data.

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


@dataclass(frozen=True, slots=True)
class Group(Data):
    """Findings with one cause: the same law on the same dimensions, the same operator without a rule.

    `size` is their number; `behind` counts the nodes that can't be judged because of them. Where inputs decide,
    `holds_iff` says exactly for which all of them hold, and `safe_iff` for which they do whatever the data.

    >>> Group(4, holds_iff="height % 16 == 0").to_dict()
    {'size': 4, 'behind': 0, 'holds_iff': 'height % 16 == 0'}
    """

    size: int
    behind: int = 0
    holds_iff: str | None = field(default=None, metadata=_OMIT_EMPTY)
    safe_iff: str | None = field(default=None, metadata=_OMIT_EMPTY)


class WarningKind(str, Enum):
    """What a warning is about."""

    BROADCAST = "broadcast"  # sizes that are meant to be equal, but a 1 is broadcast as well
    DECLARATION = "declaration"  # the file declares another shape than its nodes make
    UNREACHABLE = "unreachable"  # a branch that no input takes, a loop body that never runs
    RANGE = "range"  # assumptions that leave one value of a wider range
    SIZE = "size"  # a tensor with more elements than a signed 32-bit integer can count
    SYMBOL = "symbol"  # a dimension that no node reads
    PLACEHOLDER = "placeholder"  # dimensions that the file names `?` or the like, which is no name
    STATIC = "static"  # a size that was to vary and is a number in the program

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class ModelWarning(Data):
    """A model that runs, but probably not as intended; a warning never changes the verdict.

    `index` is -1 where it is about no node; `example` is an input at which it shows. `source` is the node's.

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


@dataclass(frozen=True, slots=True)
class Assumed(Data):
    """What data are assumed to satisfy at a node: no answer says that it runs for others.

    `node` is the path of the node, with the nodes that contain it; `index` is that of the outermost. `tensor` is the
    input whose elements are data, "" inside another node.

    >>> Assumed("embed", "Gather", 3, "input_ids", "indices are inside the axis").to_dict()["law"]
    'indices are inside the axis'
    """

    node: str
    op_type: str
    index: int
    tensor: str = field(metadata=_OMIT_EMPTY)
    law: str


@dataclass(frozen=True, slots=True)
class Guarded(Data):
    """What a program's guards refuse beside what its nodes need.

    Every node runs where all of `nodes` hold, and only there where that is `exact`; where it is `partial`, only there,
    but not always. Of these inputs the guards refuse those for which `refused` holds, "" where that takes too long to
    say. `unread` guards may refuse others.

    >>> Guarded(("h >= 8",), True, "h == 9").to_dict()
    {'nodes': ['h >= 8'], 'exact': True, 'refused': 'h == 9'}
    """

    nodes: tuple[str, ...]
    exact: bool
    refused: str = field(default="", metadata=_OMIT_EMPTY)
    partial: bool = field(default=False, metadata=_OMIT_FALSE)
    unread: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
