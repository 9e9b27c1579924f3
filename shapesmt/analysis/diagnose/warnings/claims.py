"""Compare the shapes that the file declares for intermediate tensors and outputs with the inferred ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from shapesmt.analysis.diagnose.causes import source_of
from shapesmt.analysis.diagnose.finding import Where, finding
from shapesmt.analysis.diagnose.warnings.common import is_about_inputs, producer_of
from shapesmt.analysis.diagnose.warnings.static import sizes_fixed_by_program
from shapesmt.analysis.verify import PLACEHOLDERS, Examined
from shapesmt.base.errors import ModelError, printable
from shapesmt.network import laws
from shapesmt.network.graph import Declared
from shapesmt.operators.rules import Tensor
from shapesmt.prover.algebra import FALSE, Dim, Formula, Verdict, all_of, equal, implies
from shapesmt.reports.answers import Finding, FindingKind, ModelWarning, WarningKind, facts

__all__ = ["declarations", "of_claim", "refuse_declarations"]


def declarations(a: Examined, *, names_agree: bool = False) -> tuple[tuple[str, Finding], ...]:
    """Return the tensors whose declared shape contradicts the inferred one, each with its finding.

    With `names_agree`, a name that no input has must stand for one size too, since ONNX Runtime reuses memory by
    names; names in a PyTorch program come from its trace and are ignored. A program's declared numbers are compared at
    the sizes of its trace only. Its formulas aren't compared, since they hold only if its guards do. Tensors that no
    input reaches aren't compared either.
    """
    problem, findings = a.problem, []
    reused = names_agree and not problem.graph.is_program
    stated = {} if problem.graph.is_program else problem.stated_sizes
    names = {**(_first_named(a) if reused else {}), **stated, **problem.dims}
    right: set[tuple[Declared, Tensor | None]] = set()
    tensors = a.examination.inference.tensors
    for name, declared in problem.graph.declared.items():
        same = declared, tensors.get(name)
        if same in right or problem.graph.producer(name) in a.examination.unreachable:
            continue
        look = partial(_contradiction, a, name, declared, names)
        contradicted = a.judge.deadline.attempt(look, None)
        if contradicted is None:
            right.add(same)
        else:
            findings.append((name, contradicted))
    return tuple(findings)


def refuse_declarations(a: Examined) -> None:
    """Raise for the first declared shape that is wrong for every input.

    Raises:
        ModelError: Naming the tensor and both shapes.
    """
    for _, f in declarations(a):
        if f.verdict is Verdict.FAILS:
            where = f"node '{printable(f.node)}'"
            raise ModelError(
                f"{where}: {printable(f.law)}, which is never so ({printable(f.condition)}); "
                "--declared override writes what is inferred"
            )


def _first_named(a: Examined) -> dict[str, Dim]:
    """Return the inferred size of each name in the declared shapes, at its first use."""
    named: dict[str, Dim] = {}
    tensors = a.examination.inference.tensors
    for declared, t in dict.fromkeys((d, tensors.get(name)) for name, d in a.problem.graph.declared.items()):
        if t is not None and t.shape is not None and t.is_tensor and len(declared.shape or ()) == len(t.shape):
            for name, size in zip(declared.shape or (), t.shape, strict=True):
                if isinstance(name, str) and name not in ("", *PLACEHOLDERS):
                    named.setdefault(name, size)
    return named


DECLARED_SHAPE_IS_MADE = laws.SM902.law("tensor '{name}' has the declared shape [{sizes}]")


def _contradiction(a: Examined, name: str, declared: Declared, names: Mapping[str, Dim]) -> Finding | None:
    problem, examination, judge = a.problem, a.examination, a.judge
    t = examination.inference.tensors.get(name)
    if t is None or t.shape is None or declared.shape is None or declared.kind != "tensor" or not t.is_tensor:
        return None
    traced = all_of(*(equal(size, number) for _, _, number, size in sizes_fixed_by_program(problem)))
    claim = implies(traced, _claim(t.shape, declared.shape, names))
    decision = judge.decide(examination.domain, examination.narrowing.back(claim))
    if decision.verdict not in (Verdict.DEPENDS, Verdict.FAILS):
        return None
    values = judge.complete(examination.domain, decision.counterexample)
    shown = problem.counterexample(values, claim.symbols) if claim.symbols and values is not None else None
    theirs, ours = (", ".join(str(d or "?") for d in dims) for dims in (declared.shape, t.shape))
    told = {*problem.dims, *problem.stated_sizes}
    unread = (d for d in declared.shape if isinstance(d, str) and d in names and d not in told)
    shapes = facts.Contradicted(name, theirs, ours, shown, {d: str(names[d]) for d in unread})
    index, node = producer_of(problem.graph, name) or (-1, None)
    where = Where(name, "", -1) if node is None else Where(node.name, node.op, index)
    law = DECLARED_SHAPE_IS_MADE.of(name=name, sizes=theirs)
    condition = str(claim) if len(declared.shape) == len(t.shape) else f"rank {len(declared.shape)} == {len(t.shape)}"
    source = None if node is None else source_of(problem.graph, index)
    kind = FindingKind.DECLARATION
    return finding(decision.verdict, kind, where, law, condition, shown, note=shapes, source=source)


def _claim(shape: tuple[Dim, ...], declared: tuple[int | str | None, ...], dims: Mapping[str, Dim]) -> Formula:
    """Return the condition under which a declared shape is right; sizes that inputs don't decide are not compared."""
    if len(shape) != len(declared):
        return FALSE
    known = {i: dims.get(d) if isinstance(d, str) else d for i, d in enumerate(declared)}
    return all_of(*filter(is_about_inputs, (equal(shape[i], d) for i, d in known.items() if d is not None)))


def of_claim(tensor: str, f: Finding) -> ModelWarning:
    """Return the warning for a finding that a tensor doesn't have its declared shape."""
    kind = WarningKind.DECLARATION
    told = f.told["note"]
    return ModelWarning(f.code, kind, f.node, f.op_type, f.index, tensor, told, f.counterexample)
