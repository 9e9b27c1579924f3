"""The results of `simplify` (fewer nodes), `tighten` (a model with its shapes) and `repair` (single changes)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from enum import Enum
from typing import ClassVar, TypeAlias

from shapesmt.base.frozen import frozen
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers.bounds import Bounds
from shapesmt.reports.answers.data import OMIT_EMPTY, OMIT_FALSE, OMIT_NONE, OMIT_ZERO, Answer, Data, Json
from shapesmt.reports.answers.finding import Source
from shapesmt.reports.answers.report import Precondition, Remedy


@frozen()
class Rewritten(Data):
    """A node that was removed or changed, the rewrite rule, and the identity on which it is based.

    >>> Rewritten("identity", "copy", "Identity", "Identity returns its input").to_dict()["rule"]
    'identity'
    """

    rule: str
    node: str
    op: str
    reason: str


@frozen()
class Simplified(Answer):
    """The answer of `simplify`: the nodes before and after, each rewrite, and the path of the file.

    `written` is None if nothing was written: the model fails for some admissible input, and the question wasn't
    restricted to valid ones. `precondition` then has the valid inputs, and `remedy` ranges with which the file is
    written. Constants don't count as nodes.

    >>> Simplified("m.onnx", Verdict.DEPENDS, None).exit_status
    1
    """

    schema: ClassVar[str] = "shapesmt/simplify/1"
    model: str
    verdict: Verdict
    written: str | None
    before: int = field(default=0, metadata={"key": "nodes_before"})
    after: int = field(default=0, metadata={"key": "nodes_after"})
    seconds: float = 0.0
    rewrites: tuple[Rewritten, ...] = ()
    precondition: Precondition | None = field(default=None, metadata=OMIT_EMPTY)
    remedy: Remedy | None = field(default=None, metadata=OMIT_EMPTY)
    runs: int = field(default=0, metadata={"key": "runs_compared"})
    """The number of sizes at which both files were run."""
    exact: bool = field(default=True, metadata={"key": "bits_compared"})
    """Whether their outputs were compared bit by bit; with 16-bit floats, only approximately."""
    admissible: str = field(default="", metadata=OMIT_EMPTY)
    """The inputs for which the file is valid, as its metadata state them; "" if that is every declared input."""
    defaults: tuple[str, ...] = field(default=(), metadata=OMIT_EMPTY)
    """The inputs with a default value, which a caller may replace."""
    trusted: bool = field(default=False, metadata=OMIT_EMPTY)
    """Whether rewrites depend on the given ranges and relations, and on the default values."""

    @property
    def exit_status(self) -> int:
        """1 if nothing is written, else 0."""
        return 1 if self.written is None else 0


@frozen()
class TightenedJson(Bounds):
    """The answer of `tighten`, as JSON: the bounds, and what was written.

    Attributes:
        written: The path of the file; None if nothing was written.
        admissible: The inputs for which the file is valid, as its metadata state them; "" if that is every declared
            input.
        remedy: Ranges and relations with which the file is written.
        before: The number of nodes before `--simplify`, without constants.
        after: The number of nodes that are left.
        rewrites: The nodes that were removed or changed.
    """

    written: str | None = None
    admissible: str = field(default="", metadata=OMIT_EMPTY)
    remedy: Remedy | None = field(default=None, metadata=OMIT_NONE)
    before: int | None = field(default=None, metadata={"key": "nodes_before", **OMIT_NONE})
    after: int | None = field(default=None, metadata={"key": "nodes_after", **OMIT_NONE})
    rewrites: tuple[Rewritten, ...] | None = field(default=None, metadata=OMIT_NONE)


@frozen()
class Tightened(Answer):
    """The answer of `tighten`: the bounds, and the path of the file; None if nothing was written.

    Nothing is written if the model fails for some admissible input, unless the question was restricted to valid ones:
    a compiler that trusts the shapes would accept inputs that fail. `remedy` has ranges with which the file is written.

    >>> refused = Tightened(Bounds("m.onnx", {}, {}, verdict=Verdict.DEPENDS), None)
    >>> refused.to_dict()["written"], refused.exit_status
    (None, 1)
    """

    bounds: Bounds
    written: str | None
    remedy: Remedy | None = None
    simplified: Simplified | None = None
    """The rewrites of its nodes; None if they weren't requested."""
    admissible: str = ""
    """The inputs for which the file is valid, as its metadata state them; "" if that is every declared input."""

    @property
    def verdict(self) -> Verdict | None:
        """Whether the model runs for every admissible input."""
        return self.bounds.verdict

    def to_dict(self) -> Json:
        """Return the JSON of the bounds, with the path."""
        known: Json = {item.name: getattr(self.bounds, item.name) for item in fields(Bounds)}
        if (small := self.simplified) is not None:
            known |= {"before": small.before, "after": small.after, "rewrites": small.rewrites}
        whole = TightenedJson(**known, written=self.written, admissible=self.admissible, remedy=self.remedy)
        return whole.to_dict()

    @property
    def exit_status(self) -> int:
        """1 if nothing is written, 3 if some bound isn't exact, else 0."""
        return 1 if self.written is None else self.bounds.exit_status


class Keeping(str, Enum):
    """How a changed model is known to compute what the model computed, at the sizes at which that ran."""

    PROVED = "proved"  # the changed nodes are the old ones there
    RUN = "run"  # both gave the same numbers in runs
    NOT_RUN = "not run"  # neither, as the model can't be run
    NOTHING = "nothing to keep"  # the model ran at no admissible size

    def __str__(self) -> str:
        return self.value


Value: TypeAlias = "int | float | str | tuple[int | float | str, ...] | None"
"""The old or the new value of a change: a number, a name, a list of them, or None."""


@frozen()
class Changed(Data):
    """Sizes at which a model runs and an output isn't as the file declares, and its shape before and after a change.

    >>> Changed({"batch": 1}, "boxes", (8, 10, 4), (1, 10, 4)).to_dict()["to"]
    [1, 10, 4]
    """

    at: Mapping[str, int]
    output: str
    before: tuple[int, ...] = field(metadata={"key": "from"})
    after: tuple[int, ...] = field(metadata={"key": "to"})


@frozen()
class Proposal(Data):
    """One change of a model, and the verdict on the changed model.

    Attributes:
        node, op_type: The node that is changed, or whose operand is.
        kind: "attribute", "constant", "operands", "weight", "edge", "declared" or "node".
        name: The attribute, constant, weight, input, or the operator of a node that is removed or inserted.
        input: The index of the operand, or the axis of a declared shape; None if there is none.
        old, new: What is changed and what it becomes; None if there was, or will be, nothing.
        verdict: PROVED; DEPENDS if other findings are left, or UNKNOWN if some of them couldn't be decided.
        evidence: Evidence for the change besides the proof; "" if there is none.
        text: The change in words.
        source: The line of Python to change, if the node has one.
        keeps: How the changed model is known to compute the same wherever the model ran.
        at: Sizes at which both were run, if that is how it is known.
        as_declared: Whether it is proved only for sizes at which each output is as the file declares.
        changed: Of the other sizes at which the model runs, some at which an output gets another shape.

    >>> Proposal("t", "Transpose", "attribute", "perm", None, (0, 1), (1, 0), Verdict.PROVED, "", "").to_dict()["from"]
    [0, 1]
    """

    node: str
    op_type: str
    kind: str
    name: str
    input: int | None
    old: Value = field(metadata={"key": "from"})
    new: Value = field(metadata={"key": "to"})
    verdict: Verdict
    evidence: str
    text: str
    source: Source | None = field(default=None, metadata=OMIT_EMPTY)
    keeps: Keeping = Keeping.NOT_RUN
    at: tuple[Mapping[str, int], ...] = ()
    as_declared: bool = field(default=False, metadata=OMIT_FALSE)
    changed: tuple[Changed, ...] = field(default=(), metadata=OMIT_EMPTY)


@frozen()
class Repairs(Answer):
    """The answer of `repair`: single changes after which the model runs, the likeliest first.

    Attributes:
        verdict: The verdict on the model as it is.
        tried: The number of changes tried.
        dropped: The number of changes after which the model would run, and compute something else.
        mixing: The number of changes after which the model would run, and mix samples of its batch that stay apart now.
        complete: Whether the search ended before the timeout.
        at: Sizes at which the model runs; () if none are known.
        reason: Why no change repairs it, or that only ONNX Runtime's default session refuses it, and what would help;
            "" if that isn't known.
        written: The path of the repaired model; "" if none was written.
        refused: Why none was written though there are proposals; "" if one was, or if none was asked for.
        taken: The number of the proposal that it has, from 1, or of that which was refused.
        nodes: The nodes that the change adds to it, by name and operator.

    >>> Repairs("m.onnx", Verdict.FAILS, (), 12, complete=False).exit_status
    3
    """

    schema: ClassVar[str] = "shapesmt/repair/1"
    model: str
    verdict: Verdict
    proposals: tuple[Proposal, ...] = ()
    tried: int = 0
    dropped: int = 0
    complete: bool = True
    seconds: float = 0.0
    at: tuple[Mapping[str, int], ...] = field(default=(), metadata={**OMIT_EMPTY, "key": "runs_at"})
    reason: str = field(default="", metadata=OMIT_EMPTY)
    mixing: int = field(default=0, metadata=OMIT_ZERO)
    written: str = field(default="", metadata=OMIT_EMPTY)
    refused: str = field(default="", metadata=OMIT_EMPTY)
    taken: int | None = field(default=None, metadata=OMIT_EMPTY)
    nodes: tuple[str, ...] = field(default=(), metadata=OMIT_EMPTY)

    @property
    def exit_status(self) -> int:
        """0 if a proposal is proved, 1 if none is or none was written, 3 if the time ended first."""
        if not self.complete:
            return 3
        if self.refused:
            return 1
        return 0 if any(proposal.verdict is Verdict.PROVED for proposal in self.proposals) else 1
