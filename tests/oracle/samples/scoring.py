"""What `check` claims of the samples of a model, compared with what running shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import onnx

import shapesmt
from tests.oracle.runner import value
from tests.oracle.samples.building import BATCH
from tests.oracle.samples.truth import APART, MIXED, SHARED, Truth, depends, fits, truth_of

UNKNOWN = "unknown"
FAULTS = ("false", "verdict wrong", "error", "missing")  # what may never be
Claims = Mapping[str, Any]  # the part "samples" of an answer


class Remark(NamedTuple):
    """One thing seen of one output; `text` if it is a fault."""

    kind: str
    text: str = ""


def claims_of(model: Any, symbol: str = BATCH) -> Claims:
    """What `check` says of a model's samples."""
    answer: Any = shapesmt.check(model, samples=symbol)
    found: Claims = answer.to_dict()["samples"]
    return found


def remarks(truth: Truth, claims: Claims) -> Iterator[Remark]:
    """What is right and wrong in the claims about every output."""
    told = claims["outputs"]
    names = [name for name in truth.outputs if name in truth.verdicts]
    for name in names:
        if name not in told:
            yield Remark("missing", f"{name} isn't in the answer")
            continue
        yield from remarks_on(truth, name, told[name])
    kept = all(told[n]["verdict"] in (APART, SHARED) for n in names if n in told)
    if names and kept != (claims["verdict"] == "PROVED"):
        yield Remark("verdict wrong", f"{claims['verdict']}, with {told}")


def remarks_on(truth: Truth, name: str, claim: Mapping[str, Any]) -> Iterator[Remark]:
    """What is right and wrong in the claim about one output."""
    claimed, actual = claim["verdict"], truth.verdicts[name]
    if text := contradicted(truth, name, claim):
        yield Remark("false", f"{name} is called {dict(claim)}: {text}")
        return
    if claimed == UNKNOWN and truth.sized_by_data(name):
        yield Remark("sized by data")
        return
    if (claimed, actual) == (MIXED, APART) and all(says(claim, run.sizes) for run in truth.runs):
        yield Remark("holds where it runs")
        return
    right = claimed == actual or (claimed, actual) == (APART, SHARED)
    yield Remark(
        f"{actual} right" if right else f"{actual} called {claimed}", "" if right else f"{name}: {dict(claim)}"
    )
    if claimed == actual == MIXED:
        yield on_node(truth, name, claim)
        yield on_sizes(truth, name, claim)


def contradicted(truth: Truth, name: str, claim: Mapping[str, Any]) -> str:
    """Where running shows otherwise than `apart` or `shared`; nothing if it doesn't."""
    for run in truth.runs:
        batch, samples = run.sizes[truth.symbol], run.samples[name]
        if claim["verdict"] == SHARED and depends(samples):
            return f"depends on samples at {run.sizes}"
        if claim["verdict"] == APART:
            axis = int(claim["axis"])
            outer, inner = (int(value(str(claim[key]), run.sizes)) for key in ("outer", "inner"))
            if not fits(samples, axis, inner, batch):
                return f"inner {inner} of axis {axis} isn't so at {run.sizes}: {shown(samples)}"
            if any(array.shape[axis] not in (0, outer * batch * inner) for array in samples):
                return f"axis {axis} has no {outer}*{batch}*{inner} indices at {run.sizes}"
    return ""


def shown(samples: Any) -> str:
    """The samples of each element as text, shortened."""
    return "of no fixed size" if samples is None else " ".join(str(a.tolist()) for a in samples)[:200]


def says(claim: Mapping[str, Any], sizes: Mapping[str, int]) -> bool:
    """Whether samples stay apart at these sizes, as `holds_iff` has it."""
    return claim.get("holds_iff") is not None and bool(value(str(claim["holds_iff"]), sizes))


def on_node(truth: Truth, name: str, claim: Mapping[str, Any]) -> Remark:
    """Whether the node is one at which samples first mix."""
    culprits, said = truth.culprits(name), str(claim["node"])
    if any(f"{said}/".startswith(f"{culprit}/") for culprit in culprits):  # with the node of a body after it
        return Remark("node right")
    return Remark("node wrong", f"{name}: samples mix at {culprits}, not at {said}")


def on_sizes(truth: Truth, name: str, claim: Mapping[str, Any]) -> Remark:
    """Whether `holds_iff` is so at each size: where samples mix, and where there is only one."""
    kind = "with batch" if all(truth.rows(name, run) for run in truth.runs) else "without"
    if claim.get("holds_iff") is None:
        return Remark(f"holds_iff none, {kind}", f"{name}: no holds_iff")
    wrong, strict = [], []
    for run in truth.runs:
        claimed, actual = says(claim, run.sizes), truth.holds(name, run)
        if claimed and not actual:
            wrong.append(run.sizes)
        elif claimed != actual:
            one = run.sizes[truth.symbol] == 1 and kind == "with batch"
            (wrong if one else strict).append(run.sizes)
    several = [run for run in truth.runs if run.sizes[truth.symbol] > 1]
    if len([sizes for sizes in strict if sizes[truth.symbol] > 1]) * 2 > len(several):  # too often for chance
        wrong += strict
    if wrong:
        return Remark(f"holds_iff wrong, {kind}", f"{name}: holds_iff {claim['holds_iff']} is wrong at {wrong[:3]}")
    said = f"{name}: {claim['holds_iff']}, though they are apart at {strict[:3]}" if strict else ""
    return Remark(f"holds_iff right, {kind}" + (", but for chance" if strict else ""), said)


def share(counts: Counter[str], right: str, *wrong: str) -> str:
    """A percentage with its numbers."""
    good = sum(n for kind, n in counts.items() if kind.startswith(right))
    total = good + sum(n for kind, n in counts.items() if kind.startswith(wrong))
    return f"{good}/{total} ({100 * good / max(total, 1):.1f} %)"


def table(counts: Counter[str]) -> Iterator[str]:
    """The figures, one a line."""
    judged = [k for k in counts if k.startswith((APART, MIXED, SHARED))]
    unknown = sum(counts[k] for k in judged if k.endswith(UNKNOWN))
    yield f"models {counts['models']}, not compared {counts['not compared']}, errors {counts['error']}"
    yield f"called apart or shared, though running shows otherwise: {counts['false']}"
    yield f"apart recognised: {share(counts, 'apart right', 'apart called')}"
    yield f"shared recognised: {share(counts, 'shared right', 'shared called')}"
    yield f"mixed recognised: {share(counts, 'mixed right', 'mixed called')}"
    yield f"node right: {share(counts, 'node right', 'node wrong')}"
    yield f"unknown: {unknown} of {sum(counts[k] for k in judged)}, and {counts['sized by data']} sized by data"
    for kind in ("with batch", "without"):
        bad = (f"holds_iff wrong, {kind}", f"holds_iff none, {kind}")
        yield f"holds_iff right, {kind}: {share(counts, f'holds_iff right, {kind}', *bad)}"
    yield f"all: {dict(sorted(counts.items()))}"


def scored(
    model: onnx.ModelProto, high: Mapping[str, int], seed: int, ask: Callable[[Any], Claims] = claims_of
) -> list[Remark]:
    """Everything seen of a model."""
    try:
        truth = truth_of(model, high, seed)
    except Exception as error:
        return [Remark("not compared", f"ONNX Runtime refuses it: {error}")]
    if not truth.tells:
        return [Remark("not compared", "runs with no two samples")]
    try:
        claims = ask(model)
    except Exception as error:
        return [Remark("error", repr(error))]
    return [*remarks(truth, claims)]
