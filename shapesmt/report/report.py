"""The answer of `check`, as frozen data.

Every result has `to_dict()`, the JSON of its schema, and `exit_status`, the status of the command line.
Dictionaries are built only by `to_dict()`, never during the analysis; equal parts of results are shared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar

from shapesmt.algebra import Verdict, conjunction
from shapesmt.errors import UsageError
from shapesmt.region import Conjunct, Other
from shapesmt.report.data import (
    OMIT as _OMIT,
    OMIT_EMPTY as _OMIT_EMPTY,
    OMIT_FALSE as _OMIT_FALSE,
    Answer,
    Data,
    may_be_unread,
)
from shapesmt.report.finding import Assumed, Finding, FindingKind, Group, Guarded, ModelWarning, SymbolRange


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
    """The valid region: all `conjuncts` hold. `exact` when that was proven in both directions.

    No conjunct says that every admissible input is valid; `False`, that none is. Where running hinges on data, it is
    about inputs that run whatever the data: `data` is true where these are proven to be all, else false. Others run for
    some data, so that it isn't `exact`. Where it is `partial`, more is needed that has no text: inputs that satisfy the
    conjuncts may fail, but no others run. Of the other regions that aren't exact, all inputs run. A conjunct may be
    given as a text.
    """

    conjuncts: tuple[Conjunct, ...] = field(metadata={"key": "text"})
    exact: bool
    data: bool | None = field(default=None, metadata=_OMIT_EMPTY, repr=False)
    partial: bool = field(default=False, metadata=_OMIT_FALSE, repr=False)

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
        """All of them as one formula.

        >>> Precondition(("n % 2 == 0", "m == 1 or m == n"), exact=True).whole
        'n % 2 == 0 and (m == 1 or m == n)'
        """
        return conjunction(self.text)


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


_DETAILS = (
    "symbols", "requirements", "findings", "precondition", "assumptions", "certificate", "origins", "unadopted",
    "remedy", "release", "warnings", "groups", "guarded", "hints", "assumed",
)  # fmt: skip


@may_be_unread(*_DETAILS)
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
    """The range of each dimension and element that inputs may have, and where it comes from."""
    requirements: Counts
    findings: tuple[Finding, ...] = ()
    """The nodes that aren't proved, in the order of the graph, then what the file declares otherwise."""
    precondition: Precondition | None = None
    """The inputs for which the model runs, where that is known."""
    seconds: float = 0.0
    """How long the answer took, without reading the file."""
    assumptions: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
    """The relations that were assumed."""
    certificate: str = field(default="", metadata=_OMIT_EMPTY)
    """The solver's verdict about the complete system, if it was asked: "PROVED", "REFUTED" or "UNKNOWN"."""
    origins: Mapping[str, str] = field(default_factory=dict, metadata={"key": "assumptions_from", **_OMIT_EMPTY})
    """The configuration file of each assumption that comes from one."""
    unadopted: Mapping[str, SymbolRange] = field(default_factory=dict, metadata=_OMIT_EMPTY)
    """Ranges in the file's metadata for names that no dimension has, which are not used."""
    remedy: Remedy | None = field(default=None, metadata=_OMIT_EMPTY)
    """Ranges and relations with which the model is proved."""
    release: Release | None = field(default=None, metadata=_OMIT_EMPTY)
    """Where a model runs that fails for the numbers given to dimensions, without these."""
    warnings: tuple[ModelWarning, ...] = field(default=(), metadata=_OMIT_EMPTY)
    groups: tuple[Group, ...] = field(default=(), metadata=_OMIT_EMPTY)
    """The findings by their cause; `Finding.group` is the place of its group here."""
    guarded: Guarded | None = field(default=None, metadata=_OMIT_EMPTY)
    """What the guards of a program refuse beside what its nodes need."""
    hints: tuple[str, ...] = field(default=(), metadata=_OMIT_EMPTY)
    """What the answer leaves out though nobody may have meant to; a hint never changes a verdict or an exit status."""
    assumed: tuple[Assumed, ...] = field(default=(), metadata=_OMIT_EMPTY)
    """What the answer takes for granted of data, by node."""
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
        """The report without what is said of single nodes and inputs, but for the finding in its headline."""
        refuted = [f for f in self.findings if f.replay is not None and f.replay.confirmed is False]
        grave = [f for f in self.judged if f.verdict is self.verdict]
        alone = len(grave) == 1 or any(f.kind is FindingKind.UNSUPPORTED for f in grave[:1])
        first = grave[:1] if self.verdict is Verdict.FAILS or (self.verdict is Verdict.UNKNOWN and alone) else []
        warnings = tuple([replace(warning, example=None) for warning in self.warnings[:1]])
        return Report(
            self.model, self.verdict, {}, self.requirements, (*first, *refuted), self.precondition, self.seconds,
            warnings=warnings, exporter=self.exporter, strict=self.strict,
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
        return {**{one.name: getattr(self, one.name) for one in fields(self)}, "pages": None}

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
