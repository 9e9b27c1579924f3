"""The results of all questions, as frozen data.

Every result has `to_dict()`, the JSON of its schema, and `exit_status`, the status of the command line.
Dictionaries are built only by `to_dict()`, never during the analysis; equal parts of results are shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from shapesmt.algebra import Verdict
from shapesmt.errors import UsageError
from shapesmt.language import LARGEST, unknown_name
from shapesmt.report.constraints import NodeConstraints
from shapesmt.report.data import OMIT as _OMIT
from shapesmt.report.data import OMIT_EMPTY as _OMIT_EMPTY
from shapesmt.report.data import OMIT_ONE as _OMIT_ONE
from shapesmt.report.data import Answer, Data
from shapesmt.report.finding import Cause, Finding, FindingKind, Group, Guarded, ModelWarning, SymbolRange

if TYPE_CHECKING:
    from shapesmt.language import PartialShape


@dataclass(frozen=True, slots=True)
class Counts(Data):
    """How many requirements there are, by verdict; `proved_by` says by which certificate.

    >>> Counts(3, proved=3).to_dict()
    {'total': 3, 'proved': 3, 'depends': 0, 'fails': 0, 'unknown': 0}
    """

    total: int = 0
    proved: int = 0
    depends: int = 0
    fails: int = 0
    unknown: int = 0
    proved_by: Mapping[str, int] = field(default_factory=dict, metadata=_OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class Precondition(Data):
    """The valid region: all of `text` hold. `exact` when that was proven in both directions.

    No text says that every admissible input is valid; the text `False`, that none is. Where running hinges on data, it
    is about inputs that run whatever the data: `data` is true where these are proven to be all, else false. Others run
    for some data, so that it isn't `exact`.
    """

    text: tuple[str, ...]
    exact: bool
    data: bool | None = field(default=None, metadata=_OMIT_EMPTY, repr=False)

    @property
    def whole(self) -> str:
        """All of them as one formula.

        >>> Precondition(("n % 2 == 0", "m == 1 or m == n"), exact=True).whole
        'n % 2 == 0 and (m == 1 or m == n)'
        """
        return " and ".join(f"({t})" if " or " in t and len(self.text) > 1 else t for t in self.text)


@dataclass(frozen=True, slots=True)
class Remedy(Data):
    """Narrower ranges and relations with which the model runs: what `--dim`, `--assume` and `--value` are to say.

    `note` says in words what runs beside these sizes.

    >>> Remedy({"height": "64..512:16"}, ("total == past + seq",)).to_dict()
    {'dims': {'height': '64..512:16'}, 'assume': ['total == past + seq']}
    """

    dims: Mapping[str, str]
    assume: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    note: str = field(default="", metadata=_OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class Release(Data):
    """For which inputs a model runs that fails at sizes to which `--dim` binds it, without these: `dims`.

    `nearest` has the sizes nearest to them at which it runs.

    >>> Release({"seq": 600}, Precondition(("seq <= 512",), exact=True), ({"seq": 512},)).to_dict()
    {'dims': {'seq': 600}, 'precondition': {'text': ['seq <= 512'], 'exact': True}, 'nearest': [{'seq': 512}]}
    """

    dims: Mapping[str, int]
    precondition: Precondition
    nearest: tuple[Mapping[str, int], ...] = ()


@dataclass(frozen=True)
class Report(Answer):
    """The answer of `check`: does every node run for every admissible input?

    >>> report = Report("m.onnx", Verdict.PROVED, {}, Counts(2, proved=2))
    >>> report.to_dict()["schema"], report.to_dict()["verdict"], report.exit_status
    ('shapesmt/check/1', 'PROVED', 0)
    """

    schema: ClassVar[str] = "shapesmt/check/1"

    model: str
    verdict: Verdict
    symbols: Mapping[str, SymbolRange]
    requirements: Counts
    findings: tuple[Finding, ...] = ()
    precondition: Precondition | None = None
    seconds: float = 0.0
    assumptions: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
    certificate: str = field(default="", metadata=_OMIT_EMPTY)
    """The solver's verdict about the complete system, if it was asked: "PROVED", "REFUTED" or "UNKNOWN"."""
    origins: Mapping[str, str] = field(default_factory=dict, metadata={"key": "assumptions_from", **_OMIT_EMPTY})
    """The configuration file of each assumption that comes from one."""
    unadopted: Mapping[str, SymbolRange] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    """Ranges in the file's metadata for names that no dimension has, which are not used."""
    remedy: Remedy | None = field(default=None, metadata=_OMIT_EMPTY)
    release: Release | None = field(default=None, metadata=_OMIT_EMPTY)
    warnings: tuple[ModelWarning, ...] = field(default=(), metadata=_OMIT_EMPTY)
    groups: tuple[Group, ...] = field(default=(), metadata=_OMIT_EMPTY)
    """The findings by their cause; `Finding.group` is the place of its group here."""
    guarded: Guarded | None = field(default=None, metadata=_OMIT_EMPTY)
    """What the guards of a program refuse beside what its nodes need."""
    hints: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
    """What the answer leaves out though nobody may have meant to; a hint never changes a verdict or an exit status."""
    exporter: str = field(default="", metadata=_OMIT_EMPTY)
    """The program that wrote the model's file, where several models are checked."""
    strict: bool = field(default=False, metadata=_OMIT)
    """Whether warnings make the check fail: this changes the exit status, never the verdict."""
    pages: Callable[[], str] | None = field(default=None, metadata=_OMIT, compare=False, repr=False)
    """Makes the page of this report, from the model as it was read."""

    @property
    def ok(self) -> bool:
        """Whether every node is proved to run for every admissible input."""
        return self.verdict is Verdict.PROVED

    @property
    def brief(self) -> Report:
        """The report without what is said of single nodes and inputs."""
        refuted = tuple([f for f in self.findings if f.replay is not None and f.replay.confirmed is False])
        return Report(
            self.model, self.verdict, {}, self.requirements, refuted, self.precondition, self.seconds,
            warnings=self.warnings[:1], exporter=self.exporter, strict=self.strict,
        )  # fmt: skip

    def page(self) -> str:
        """The report as one HTML page; neither the model's file nor the options are needed again.

        Raises:
            UsageError: The report doesn't come from `shapesmt.check` in this process.
        """
        if self.pages is None:
            raise UsageError("a report that was stored or sent has no page; call shapesmt.page with the model")
        return self.pages()

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "pages": None}

    def __repr__(self) -> str:
        number = len(self.findings)
        return f"<Report {self.model}: {self.verdict}, {number} {'finding' if number == 1 else 'findings'}>"

    @property
    def judged(self) -> tuple[Finding, ...]:
        """The findings about requirements of nodes, without those about declared shapes, which are warnings too."""
        return tuple(finding for finding in self.findings if finding.kind != FindingKind.DECLARATION)

    @property
    def exit_status(self) -> int:
        """0 proved, 1 depends or fails (with `strict`, or warnings), 3 undecided; 4 where a run refutes a finding."""
        if any(f.replay is not None and f.replay.confirmed is False for f in self.findings):
            return 4
        return 1 if self.strict and self.warnings else self.verdict.exit_status


@dataclass(frozen=True, slots=True)
class DimBounds(Data):
    """The interval of one dimension over the valid region, its formula, and an input for each end.

    `max` is None when there is no end. `exact` when both ends are attained and proven; else the interval is
    sound all the same. `expr` is meant to be read: "..." stands for what takes more than 4000 characters.

    `step` is how far the values are apart: every value is `min + k * step`.

    >>> DimBounds(1, 32, "batch").to_dict()
    {'min': 1, 'max': 32, 'expr': 'batch', 'exact': True}
    """

    min: int
    max: int | None
    expr: str
    exact: bool = True
    witnesses: tuple[Mapping[str, int] | None, Mapping[str, int] | None] = field(
        default=(None, None), metadata=_OMIT, compare=False, repr=False
    )
    step: int = field(default=1, metadata=_OMIT_ONE, repr=False)


@dataclass(frozen=True, slots=True)
class CaseBounds(Data):
    """The bounds of a tensor's dimensions where a condition holds."""

    when: str
    shape: tuple[DimBounds, ...]


@dataclass(frozen=True, slots=True)
class TensorBounds(Data):
    """The bounds of every dimension of a tensor; `shape` is None when there is no one rank.

    Where a condition on the sizes decides the rank, `cases` has the shape under each that can come about, else nothing.
    """

    dtype: str
    shape: tuple[DimBounds, ...] | None
    cases: tuple[CaseBounds, ...] = field(default=(), metadata=_OMIT_EMPTY)

    @property
    def shapes(self) -> tuple[tuple[DimBounds, ...], ...]:
        """The shape, or the shapes of all cases; empty if the rank isn't known."""
        return tuple([case.shape for case in self.cases]) if self.shape is None else (self.shape,)

    @property
    def exact(self) -> bool:
        """Whether the rank is known and every end is attained and proven.

        >>> TensorBounds("float32", None).exact
        False
        """
        return bool(self.shapes) and all(dim.exact for shape in self.shapes for dim in shape)

    @property
    def partial_shape(self) -> PartialShape:
        """The intervals as a value to compute with; a size without end, or past 2**63 - 1, has no `max_length`.

        >>> TensorBounds("float32", (DimBounds(1, 32, "batch"), DimBounds(3, 3, "3"))).partial_shape
        PartialShape('[1..32,3]')
        """
        from shapesmt.language import PartialShape

        if self.shape is None:
            return PartialShape.dynamic()
        return PartialShape([(d.min, None if d.max is None or d.max > LARGEST else d.max) for d in self.shape])


@dataclass(frozen=True, slots=True)
class Share(Data):
    """How many of the admissible sizes of some dimensions are valid: those for which every node runs.

    >>> Share(841, 201601, ("height", "width")).to_dict()
    {'valid': 841, 'admissible': 201601, 'symbols': ['height', 'width']}
    """

    valid: int
    admissible: int
    symbols: tuple[str, ...]


@dataclass(frozen=True)
class Bounds(Answer, Mapping[str, "PartialShape"]):
    """The answer of `bounds`: the tightest interval of every dimension of every tensor over the valid region.

    Tensors of equal bounds may share one `TensorBounds`, and then share its dictionary. When no admissible
    input is valid, `valid` is false and there are no tensors.

    >>> Bounds("m.onnx", {}, {"x": TensorBounds("float32", (DimBounds(3, 3, "3"),))}).to_dict()["tensors"]
    {'x': {'dtype': 'float32', 'shape': [{'min': 3, 'max': 3, 'expr': '3', 'exact': True}]}}
    """

    schema: ClassVar[str] = "shapesmt/bounds/1"

    model: str
    symbols: Mapping[str, SymbolRange]
    tensors: Mapping[str, TensorBounds]
    seconds: float = 0.0
    valid: bool = True
    assumptions: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
    verdict: Verdict | None = field(default=None, metadata=_OMIT_EMPTY)
    """Whether the model runs for every admissible input; the bounds are over those for which it does."""
    share: Share | None = field(default=None, metadata=_OMIT_EMPTY)

    def __getitem__(self, tensor: str) -> PartialShape:
        """The intervals of this tensor's dimensions, as a value to compute with.

        >>> Bounds("m.onnx", {}, {"x": TensorBounds("float32", (DimBounds(1, 8, "n"),))})["x"]
        PartialShape('[1..8]')
        """
        if tensor not in self.tensors:
            raise unknown_name("tensor", tensor, self.tensors, self.model)
        return self.tensors[tensor].partial_shape

    def __iter__(self) -> Iterator[str]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def __contains__(self, tensor: object) -> bool:
        return tensor in self.tensors

    def __repr__(self) -> str:
        return f"<Bounds {self.model}: {len(self)} {'tensor' if len(self) == 1 else 'tensors'}>"

    @property
    def exit_status(self) -> int:
        """0 when every end is exact, 1 when no input is valid, 3 when some end isn't exact."""
        if not self.valid:
            return 1
        return 0 if all(tensor.exact for tensor in self.distinct()) else 3

    def distinct(self) -> Iterator[TensorBounds]:
        """Each shared `TensorBounds` once."""
        return iter({id(tensor): tensor for tensor in self.tensors.values()}.values())


@dataclass(frozen=True, slots=True)
class Fact(Data):
    """One member of a minimal set of facts that can't all hold.

    `kind` is "input" (a value it takes), "range", "assumption", "requirement" (of `node`, with its law) or
    "definition" (what `node` computes).
    """

    kind: str
    expr: str
    node: str | None = None
    op_type: str | None = None
    law: str | None = None


@dataclass(frozen=True, slots=True)
class Proof(Data):
    """Why one requirement of a node holds: what proved it, and a minimal set of facts from which it follows.

    Without facts it holds whatever the input, by the way the sizes are computed.
    """

    law: str
    condition: str
    proved_by: str
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Explanation(Answer):
    """The answer of `explain`: why a node, a tensor or the model (`target` None) is as it is.

    `findings` are those that decide the target, `because` how its dimensions came to be, `facts` a minimal
    set that can't all hold (empty unless something fails), `tensors` the bounds of the tensors it touches,
    `proofs` why what a node needs holds, `constraints` what a node contributes to the solver's system, if asked for.

    >>> Explanation("m.onnx", "fc", Verdict.PROVED, {}).to_dict()["schema"]
    'shapesmt/explain/1'
    """

    schema: ClassVar[str] = "shapesmt/explain/1"

    model: str
    target: str | None
    verdict: Verdict
    symbols: Mapping[str, SymbolRange]
    findings: tuple[Finding, ...] = ()
    facts: tuple[Fact, ...] = ()
    because: tuple[Cause, ...] = ()
    tensors: Mapping[str, TensorBounds] = field(default_factory=dict)
    precondition: Precondition | None = None
    seconds: float = 0.0
    assumptions: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
    proofs: tuple[Proof, ...] = field(default=(), metadata=_OMIT_EMPTY)
    constraints: NodeConstraints | None = field(default=None, metadata=_OMIT_EMPTY)
    groups: tuple[Group, ...] = field(default=(), metadata=_OMIT_EMPTY)

    def __repr__(self) -> str:
        return f"<Explanation {self.model}{'' if self.target is None else f', {self.target}'}: {self.verdict}>"

    @property
    def exit_status(self) -> int:
        """0 proved, 1 depends or fails, 3 undecided."""
        return self.verdict.exit_status
