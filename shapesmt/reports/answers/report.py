"""The answer of `check`, as frozen data.

Every result has `to_dict()`, the JSON of its schema, and `exit_status`, the status of the command line.
Dictionaries are built only by `to_dict()`, never during the analysis; equal parts of results are shared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

from shapesmt.base.errors import UsageError
from shapesmt.base.frozen import frozen
from shapesmt.prover.algebra import Verdict, conjunction
from shapesmt.prover.regions import Conjunct, Other
from shapesmt.reports.answers.data import (
    OMIT as _OMIT,
    OMIT_EMPTY as _OMIT_EMPTY,
    OMIT_FALSE as _OMIT_FALSE,
    Answer,
    Data,
    telling,
)
from shapesmt.reports.answers.finding import (
    Assumed,
    Finding,
    FindingKind,
    FixedSize,
    Group,
    Guarded,
    ModelWarning,
    SymbolRange,
    TensorFacts,
)


@frozen()
class Counts(Data):
    """The number of requirements by verdict; `proved_by` counts proved ones by certificate.

    >>> Counts(3, proved=3).to_dict()
    {'total': 3, 'proved': 3, 'depends': 0, 'fails': 0, 'unknown': 0}
    """

    total: int = 0
    proved: int = 0
    depends: int = 0
    fails: int = 0
    unknown: int = 0
    proved_by: Mapping[str, int] = field(default_factory=dict, metadata=_OMIT_EMPTY)


@frozen()
class DataNeed(Data):
    """The condition that data have to satisfy for a node to run.

    >>> DataNeed("top50", "`found` >= 50").to_dict()
    {'node': 'top50', 'condition': '`found` >= 50'}
    """

    node: str
    condition: str


@frozen()
class Precondition(Data):
    """The valid region: all conditions in `conjuncts` hold there; a conjunct may be given as a text.

    Attributes:
        conjuncts: The conditions; empty if every admissible input is valid, only `False` if none is.
        exact: Whether the region is proven to be exactly the valid inputs. If not, all inputs in it are valid (unless
            `partial`), but others may be too.
        data: None unless running depends on data; then the region has inputs that run whatever the data, and this is
            whether it is proven to have all of them. Other inputs run for some data, so it isn't `exact`.
        partial: Whether the conjuncts are only necessary: inputs that satisfy them may fail, but no others run.
        needs: Where running depends on data and no input is known that runs whatever the data: the conditions that
            inputs have to satisfy.
        data_needs: Then also what data have to satisfy, for each node that depends on them.
    """

    conjuncts: tuple[Conjunct, ...] = field(metadata={"key": "text"})
    exact: bool
    data: bool | None = field(default=None, metadata=_OMIT_EMPTY, repr=False)
    partial: bool = field(default=False, metadata=_OMIT_FALSE, repr=False)
    needs: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY, repr=False)
    data_needs: tuple[DataNeed, ...] = field(default=(), metadata=_OMIT_EMPTY, repr=False)

    def __post_init__(self) -> None:
        said = tuple([Other(c) if isinstance(c, str) else c for c in self.conjuncts])
        object.__setattr__(self, "conjuncts", said)

    @property
    def text(self) -> tuple[str, ...]:
        """Each conjunct in words."""
        return tuple(map(str, self.conjuncts))

    @property
    def nowhere(self) -> bool:
        """Whether no input is valid."""
        return self.text == ("False",)

    @property
    def whole(self) -> str:
        """The conjunction of the conditions as one formula.

        >>> Precondition(("n % 2 == 0", "m == 1 or m == n"), exact=True).whole
        'n % 2 == 0 and (m == 1 or m == n)'
        """
        return conjunction(self.text)


@telling("note", "doubt")
@frozen()
class Remedy(Data):
    """Narrower ranges and relations for which the model runs, to declare with `--dim`, `--assume` and `--value`.

    `note` says in words which other sizes run. `doubt` says why the model is more likely wrong than the ranges, such as
    that one size remains; "" if nothing indicates that.

    >>> Remedy({"height": "64..512:16"}, ("total == past + seq",)).to_dict()
    {'dims': {'height': '64..512:16'}, 'assume': ['total == past + seq']}
    """

    dims: Mapping[str, str]
    assume: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    note: str = field(default="", metadata=_OMIT_EMPTY)
    doubt: str = field(default="", metadata=_OMIT_EMPTY)


@frozen()
class Release(Data):
    """The inputs for which a failing model runs if the sizes fixed by `--dim` (`dims`) are left free.

    `nearest` has the sizes nearest to `dims` at which it runs.

    >>> Release({"seq": 600}, Precondition(("seq <= 512",), exact=True), ({"seq": 512},)).to_dict()
    {'dims': {'seq': 600}, 'precondition': {'text': ['seq <= 512'], 'exact': True}, 'nearest': [{'seq': 512}]}
    """

    dims: Mapping[str, int]
    precondition: Precondition
    nearest: tuple[Mapping[str, int], ...] = ()


@frozen()
class AbsentFile(Data):
    """An external file of the model that can't be read.

    Attributes:
        file: Its name in the model's file.
        reason: "missing" (the model's folder doesn't have it), "unplaced" (the model isn't a file, so it has no folder)
            or "short" (it doesn't have all that the model expects in it).
        constants: The number of constants in it on which sizes or indices depend; 0 if the answer is the same without.

    >>> AbsentFile("dec.data", "missing", 12).to_dict()
    {'file': 'dec.data', 'reason': 'missing', 'constants': 12}
    """

    file: str
    reason: str
    constants: int = 0


@frozen()
class OutputSamples(Data):
    """Which samples an output depends on.

    Attributes:
        verdict: "apart" (each index of an axis belongs to one sample), "shared" (it depends on none), "mixed" or
            "unknown".
        axis: If it is apart, the axis whose index j belongs to sample `(j // inner) % batch`; else None.
        outer, inner: The number of repetitions of the batch on that axis, and of indices of a sample in a row.
        holds_iff: The sizes for which it is apart or shared; None if they aren't known exactly.
        node: The first node after which a tensor is mixed or unknown; "" if there is none.
        op_type: Its operator.

    >>> OutputSamples("apart", 0, "1", "heads", "True").to_dict()["inner"]
    'heads'
    """

    verdict: str
    axis: int | None = None
    outer: str | None = None
    inner: str | None = None
    holds_iff: str | None = None
    node: str = ""
    op_type: str = field(default="", metadata=_OMIT_EMPTY)


@frozen()
class SampleAnswer(Data):
    """Whether the samples of a batch stay apart: row i of every output depends on row i of the inputs alone.

    `symbol` is the dimension that counts the samples, `note` the reason why nothing is known; "" if there is none.

    >>> SampleAnswer("batch", Verdict.PROVED, {"y": OutputSamples("shared")}).to_dict()["verdict"]
    'PROVED'
    """

    symbol: str
    verdict: Verdict
    outputs: Mapping[str, OutputSamples]
    note: str = field(default="", metadata=_OMIT_EMPTY)


def _none() -> None:
    return None


_READ = "read when a detail is asked for"  # not the name of a field


ERROR = "ERROR"
"""The word that stands for a verdict on a model that can't be checked."""
GRAVEST_LAST = (*(verdict.value for verdict in Verdict), ERROR)


def is_expected(verdict: str, expected: str) -> bool:
    """Whether a verdict is at most as grave as the expected one; False if none is expected.

    >>> is_expected("DEPENDS", "DEPENDS"), is_expected("FAILS", "DEPENDS"), is_expected("DEPENDS", "")
    (True, False, False)
    """
    return bool(expected) and GRAVEST_LAST.index(verdict) <= GRAVEST_LAST.index(expected)


@telling("hints")
@frozen()
class Report(Answer):
    """The answer of `check`: whether every node runs for every admissible input.

    >>> report = Report("m.onnx", Verdict.PROVED, {}, Counts(2, proved=2))
    >>> report.to_dict()["schema"], report.to_dict()["verdict"], report.exit_status
    ('shapesmt/check/1', 'PROVED', 0)
    """

    schema: ClassVar[str] = "shapesmt/check/1"

    model: str
    verdict: Verdict
    symbols: Mapping[str, SymbolRange]
    """The range of each dimension and each declared element, and the source of the range."""
    requirements: Counts
    findings: tuple[Finding, ...] = field(default_factory=tuple)
    """The nodes that aren't proved, the gravest first, then shapes that the file declares wrongly."""
    precondition: Precondition | None = field(default_factory=_none)
    """The inputs for which the model runs; None if unknown."""
    seconds: float = 0.0
    """The time the answer took in seconds, without reading the file."""
    assumptions: tuple[str, ...] = field(default_factory=tuple, metadata=_OMIT_EMPTY)
    """The relations that were assumed."""
    certificate: str = field(default_factory=str, metadata=_OMIT_EMPTY)
    """The solver's verdict about the complete system, if it was asked: "PROVED", "REFUTED" or "UNKNOWN"."""
    origins: Mapping[str, str] = field(default_factory=dict, metadata={"key": "assumptions_from", **_OMIT_EMPTY})
    """The configuration file of each assumption that comes from one."""
    unadopted: Mapping[str, SymbolRange] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    """Ranges in the file's metadata whose names no dimension has; they are ignored."""
    remedy: Remedy | None = field(default_factory=_none, metadata=_OMIT_EMPTY)
    """Ranges and relations with which the model is proved; None if none is known."""
    release: Release | None = field(default_factory=_none, metadata=_OMIT_EMPTY)
    """If the model fails at fixed sizes: the inputs for which it runs without fixing them; else None."""
    warnings: tuple[ModelWarning, ...] = field(default_factory=tuple, metadata=_OMIT_EMPTY)
    groups: tuple[Group, ...] = field(default_factory=tuple, metadata=_OMIT_EMPTY)
    """The findings grouped by their cause; `Finding.group` is an index into this."""
    guarded: Guarded | None = field(default_factory=_none, metadata=_OMIT_EMPTY)
    """The inputs that a program's guards refuse although its nodes run for them; None if there are none."""
    hints: tuple[str, ...] = field(default_factory=tuple, metadata=_OMIT_EMPTY)
    """Cases that the answer doesn't cover, perhaps by oversight; a hint never changes a verdict or an exit status."""
    assumed: tuple[Assumed, ...] = field(default_factory=tuple, metadata=_OMIT_EMPTY)
    """The laws that data is assumed to satisfy, by node; and what is assumed because the archive states it."""
    fixed: tuple[FixedSize, ...] = field(default_factory=tuple, metadata=_OMIT_EMPTY)
    """The sizes of inputs that are numbers in a PyTorch program that is proved."""
    absent: tuple[AbsentFile, ...] = field(default_factory=tuple, metadata=_OMIT_EMPTY)
    """The external files that can't be read."""
    samples: SampleAnswer | None = field(default_factory=_none, metadata=_OMIT_EMPTY)
    """Whether the samples stay apart that the first dimension counts of which it was asked; None if it wasn't."""
    further_samples: tuple[SampleAnswer, ...] = field(default_factory=tuple, metadata=_OMIT_EMPTY)
    """The same for each further dimension."""
    exporter: str = field(default="", metadata=_OMIT_EMPTY)
    """The program that wrote the model's file, if several models are checked; else ""."""
    inputs: Mapping[str, TensorFacts] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    """The element type and the shape of each input, as it is declared."""
    outputs: Mapping[str, TensorFacts] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    """The element type and the shape of each output, as it is inferred."""
    expected: str = field(default="", metadata=_OMIT_EMPTY)
    """The verdict that the settings expect, or a graver one, with which the status is 0; "" if they expect none."""
    strict: bool = field(default=False, metadata=_OMIT)
    """Whether warnings and assumptions of the archive make the check fail: a matter of the status, not the verdict."""
    known: frozenset[tuple[str, str, str]] | None = field(default=None, metadata=_OMIT, compare=False, repr=False)
    """Code, node and law of each finding and warning that the baseline has; None without a baseline."""
    pages: Callable[[], str] | None = field(default=None, metadata=_OMIT, compare=False, repr=False)
    """The function that makes this report's page from the model in memory; None if the report was stored or sent."""

    @classmethod
    def stored(cls, read: Callable[[], Report], **known: object) -> Report:
        """Return a report with these fields; `read` returns the whole when another one is first asked for.

        >>> report = Report.stored(lambda: Report("m.onnx", Verdict.PROVED, {}, Counts(2, proved=2)), model="n.onnx")
        >>> report.model, report.requirements.proved, report.findings
        ('n.onnx', 2, ())
        """
        report = object.__new__(cls)
        vars(report).update(known, **{_READ: read})
        return report

    if not TYPE_CHECKING:  # a type checker would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Return a field of a stored report that isn't known yet; what may be unknown has no class default."""
            if name not in {one.name for one in fields(self)}:
                return object.__getattribute__(self, name)  # a property that failed raises its own error again
            values = vars(self)
            read = values.get(_READ)
            if read is not None:  # else another thread may have read it in the meantime
                values.update({key: value for key, value in vars(read()).items() if key not in values})
                values.pop(_READ, None)
            if name not in values:
                raise AttributeError(f"a report has no {name!r}")
            return getattr(self, name)

    @property
    def ok(self) -> bool:
        """Whether every node is proved to run for every admissible input."""
        return self.verdict is Verdict.PROVED

    @property
    def brief(self) -> Report:
        """The report without details of single nodes and inputs, except the finding in its headline."""
        refuted = [f for f in self.findings if f.replay is not None and f.replay.confirmed is False]
        grave = [f for f in self.judged if f.verdict is self.verdict]
        alone = len(grave) == 1 or any(f.kind is FindingKind.UNSUPPORTED for f in grave[:1])
        first = grave[:1] if self.verdict is Verdict.FAILS or (self.verdict is Verdict.UNKNOWN and alone) else []
        warnings = tuple([replace(warning, example=None) for warning in self.warnings[:1]])
        return Report(
            self.model, self.verdict, {}, self.requirements, (*first, *refuted), self.precondition, self.seconds,
            warnings=warnings, assumed=self.stated, exporter=self.exporter, strict=self.strict, absent=self.needed,
            samples=self.samples, further_samples=self.further_samples,
        )  # fmt: skip

    def page(self) -> str:
        """Return the report as one HTML page, without reading the model's file or the options again.

        Raises:
            UsageError: The report doesn't come from `shapesmt.check` in this process.
        """
        if self.pages is None:
            raise UsageError("a report that was stored or sent has no page; call shapesmt.page with the model")
        return self.pages()

    def __getstate__(self) -> dict[str, object]:
        return {**super().__getstate__(), "pages": None}

    def __repr__(self) -> str:
        number = len(self.findings)
        return f"<Report {self.model}: {self.verdict}, {number} {'finding' if number == 1 else 'findings'}>"

    @property
    def needed(self) -> tuple[AbsentFile, ...]:
        """The external files that can't be read and that would decide sizes."""
        return tuple([file for file in self.absent if file.constants])

    @property
    def judged(self) -> tuple[Finding, ...]:
        """The findings about requirements of nodes, without those about declared shapes, which are also warnings."""
        return tuple(finding for finding in self.findings if finding.kind != FindingKind.DECLARATION)

    @property
    def exit_status(self) -> int:
        """0 proved, 1 depends or fails, 3 undecided; 4 if a run refutes a finding.

        With `strict`, 1 also for warnings, and for what is assumed because the archive states it. Else 0 if the
        settings expect this verdict or a graver one.
        """
        if any(f.replay is not None and f.replay.confirmed is False for f in self.findings):
            return 4
        if self.strict and (self.warnings or self.stated):
            return 1
        return 0 if is_expected(self.verdict.value, self.expected) else self.verdict.exit_status

    @property
    def stated(self) -> tuple[Assumed, ...]:
        """The assumptions that the archive makes: it contradicts what follows from the inputs of these nodes."""
        return tuple([one for one in self.assumed if one.by])
