"""The results of simplifying and of repairing a model as text: each rewrite with its reason, each proposal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Keeping
from shapesmt.reports.render.text.advice import flags
from shapesmt.reports.render.text.words import (
    COMMAND,
    FAINT,
    STRONG,
    Line,
    code,
    count,
    first_items,
    headline,
    line,
    name,
    shape_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shapesmt.reports.answers import Proposal, Repairs, Simplified
    from shapesmt.reports.render.text.words import Line


def nodes_left(simplified: Simplified) -> Line:
    """Return the line that tells how many of the nodes are left after the rewrites, such as `12 nodes of 30`."""
    return line(2, f"{count(simplified.after, 'node')} of {simplified.before:,}, constants not counted")


def right_for(admissible: str) -> Iterator[Line]:
    """Yield the line about the only inputs for which a written file is right; nothing if it is right for all."""
    if admissible:
        yield line(2, "right only for ", (printable(admissible, 1000), STRONG), ", as its metadata say")


def simplified_text(simplified: Simplified, *, everything: bool = False) -> Iterator[Line]:
    """Yield the path of the written model, or the reason why none is written; with `everything`, each rewrite."""
    region = "" if simplified.precondition is None else simplified.precondition.whole
    if simplified.written is None:
        what = "runs for no input" if region == "False" else "doesn't run for every input"
        yield headline(simplified.verdict, name(simplified.model), f"{what}, so nothing is written")
        if simplified.remedy is not None:
            yield line(2, "to write it: ", (flags(simplified.remedy), COMMAND))
        if region != "False":
            yield line(2, "to write it for the inputs that run: ", ("--valid-only", COMMAND))
        return
    yield line(0, f"wrote {name(simplified.written)}")
    yield nodes_left(simplified)
    yield from right_for(simplified.admissible)
    if simplified.defaults:
        names = first_items([name(n) for n in simplified.defaults])
        how = "taken to be the file's, whatever a caller gives" if simplified.trusted else "left to the caller"
        yield line(2, f"inputs with a value in the file, {how}: {names}")
    if region:
        yield line(2, "for the inputs with ", code(region), " only, which its metadata say")
    if simplified.runs:
        how = "bit by bit" if simplified.exact else "to the precision of 16 bits"
        yield line(2, f"the same outputs, {how}, in {count(simplified.runs, 'run')} of both on ONNX Runtime")
    rules = Counter(rewrite.rule for rewrite in simplified.rewrites)
    if rules:
        yield line(2, (", ".join(f"{rule} {number:,}" for rule, number in rules.most_common()), FAINT))
    for r in simplified.rewrites if everything else ():
        yield line(2, f"{r.rule}: {name(r.node)} ({printable(r.op)}): {printable(r.reason, 200)}")


def repairs_text(repairs: Repairs) -> Iterator[Line]:
    """Yield the single changes after which a model runs, the likeliest first, each with what speaks for it."""
    yield headline(repairs.verdict, name(repairs.model), _repair_text(repairs))
    if repairs.reason:
        yield line(2, printable(repairs.reason, 600))
    for number, proposal in enumerate(repairs.proposals, 1):
        yield line(2, f"{number}. ", (printable(proposal.text, 600), STRONG))
        told = "PROVED" if proposal.verdict is Verdict.PROVED else "helps in part"
        said = [part for part in (_kept(proposal), printable(proposal.evidence, 400)) if part]
        yield line(5, told, f": {'; '.join(said)}" if said else "")
        for changed in proposal.changed:
            before, after = shape_text(changed.before), shape_text(changed.after)
            output = f"{name(changed.output)} {before}, which isn't as declared,"
            yield line(5, f"but{_sizes([changed.at])}, {output} becomes {after}")
        yield from _line_to_change(proposal)
    if repairs.refused:
        how = "--as-declared writes it" if repairs.taken else "choose a proposal with --take"
        yield line(0, f"not written: {printable(repairs.refused)}; {how}")
    if repairs.written:
        yield line(0, f"wrote {name(repairs.written)}, with proposal {repairs.taken}")
    if repairs.nodes:
        yield line(2, f"new in it: {first_items([name(n) for n in repairs.nodes])}")
    ended = "" if repairs.complete else "; the time ended first: a longer --timeout may find more"
    yield line(0, (f"{count(repairs.tried, 'change')} tried in {repairs.seconds:.2f} s after reading{ended}", FAINT))


def _repair_text(repairs: Repairs) -> str:
    if repairs.verdict is Verdict.PROVED:
        return "there is nothing to repair"
    if not repairs.proposals:
        lost = f", and still compute what it computes{_sizes(repairs.at)}" if repairs.dropped else ""
        lost += ", and keeps the samples of its batch apart" if repairs.mixing else ""
        return f"no single change that was tried makes it run{lost}"
    proved = sum(proposal.verdict is Verdict.PROVED for proposal in repairs.proposals)
    if not proved:
        return "no single change that was tried makes it run; these help in part"
    nothing = all(proposal.keeps is Keeping.NOTHING for proposal in repairs.proposals)
    unknown = "; what it should compute isn't known, as it runs for no input" if nothing else ""
    return f"{count(proved, 'single change')} would make it run{unknown}"


def _kept(proposal: Proposal) -> str:
    """Return how it is known that a changed model computes what the model computed; "" if there is nothing to keep."""
    match proposal.keeps:
        case Keeping.PROVED:
            return f"proved to compute the same wherever the model ran{' as declared' * proposal.as_declared}"
        case Keeping.RUN:
            return f"same numbers{_sizes(proposal.at)} (run)"
        case Keeping.NOT_RUN:
            return "not run, so it may compute something else where the model ran"
        case _:
            return ""


def _sizes(at: Sequence[Mapping[str, int]]) -> str:
    """Return sizes in words, such as ` at height=64, width=64 and height=70, width=64`; "" if there are none."""
    each = [", ".join(f"{printable(name)}={size}" for name, size in sizes.items()) for sizes in at]
    return f" at {' and '.join(each)}" if any(each) else ""


def _line_to_change(proposal: Proposal) -> Iterator[Line]:
    """Yield the line of Python that a proposal is about."""
    source = proposal.source
    if source is not None and source.file:
        where = f"{name(source.file)}:{source.line}"
        yield line(5, where, f": {printable(source.code, 200)}" if source.code else "")
