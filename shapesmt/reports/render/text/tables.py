"""Results that are tables: the bounds of tensors, and the operators with a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.render.quoting import shell
from shapesmt.reports.render.sentences import absence
from shapesmt.reports.render.text.advice import flags
from shapesmt.reports.render.text.rewrites import nodes_left, right_for
from shapesmt.reports.render.text.words import (
    BLANK,
    CODE,
    COMMAND,
    FAINT,
    STRONG,
    STYLES,
    Line,
    admissible,
    adopted_lines,
    assumed_of_data,
    assuming,
    code,
    column,
    count,
    either,
    extent,
    first_items,
    headline,
    interval,
    line,
    name,
    row,
)

if TYPE_CHECKING:
    from shapesmt.reports.answers import (
        Bounds,
        DimBounds,
        DynamicShapes,
        ModelFacts,
        Operator,
        Operators,
        Profile,
        Share,
        TensorBounds,
        Tightened,
    )

_MOST_TENSORS = 10


def bounds_text(bounds: Bounds) -> Iterator[Line]:
    """Yield the bounds of every tensor as a table."""
    over = admissible(bounds.symbols, bounds.assumptions)
    ending = (f"; {over}" if over else "") + assuming(bounds.assumed)
    if not bounds.valid:
        yield headline(Verdict.FAILS, name(bounds.model), f"no input is valid, so nothing has bounds{ending}")
        return
    loose = sum(not tensor.exact for tensor in bounds.tensors.values())
    exact = f"{loose} not exact (marked ~)" if loose else "every bound attained and proven"
    yield line(0, f"{name(bounds.model)}: {count(len(bounds.tensors), 'tensor')}, {exact}{ending}")
    yield from adopted_lines(bounds.symbols)
    yield from assumed_of_data(bounds.assumed)
    if bounds.verdict is Verdict.DEPENDS:
        yield line(0, f"over {_running(bounds)}; `shapesmt check` says which")
    yield BLANK
    yield from table(bounds.tensors)


def _running(bounds: Bounds) -> str:
    """Return the inputs that the bounds are about: `the 841 of 201,601 sizes of height and width that run`."""
    if bounds.share is None:
        return "the inputs that run, which are not all"
    return f"the {_share(bounds.share)} that run"


def _share(share: Share) -> str:
    """Return the number of valid inputs as text: `841 of 201,601 sizes of height and width`."""
    names = [name(symbol) for symbol in share.symbols]
    of = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    return f"{share.valid:,} of {share.admissible:,} sizes of {of}"


def tightened_text(tightened: Tightened) -> Iterator[Line]:
    """Yield the path of the written model, or the reason why none is written."""
    bounds, verdict = tightened.bounds, tightened.bounds.verdict or Verdict.PROVED
    if tightened.written is None:
        some = "doesn't run for every input" if bounds.share is None else f"runs for {_share(bounds.share)} only"
        what = some if bounds.valid else "runs for no input"
        yield headline(verdict, name(bounds.model), f"{what}, so nothing is written")
        if tightened.remedy is not None:
            yield line(2, "to write it: ", (flags(tightened.remedy), COMMAND))
        if bounds.valid:
            yield line(2, "to write the shapes of the inputs that run: ", ("--valid-only", COMMAND))
        return
    loose = sum(not tensor.exact for tensor in bounds.tensors.values())
    exact = f"{loose} not exact" if loose else "every bound attained and proven"
    yield line(0, f"wrote {name(tightened.written)}")
    yield line(2, f"{count(len(bounds.tensors), 'tensor')}, {exact}")
    if tightened.simplified is not None:
        yield nodes_left(tightened.simplified)
    yield from right_for(tightened.admissible)
    if verdict is Verdict.DEPENDS:
        yield line(2, f"over {_running(bounds)}; `shapesmt check` says which")


def profile_text(profile: Profile) -> Iterator[Line]:
    """Yield the text for the compiler, or the reason why there is none."""
    if profile.boxes:
        yield from (line(0, row) for row in profile.content.splitlines())
        return
    what = "fails for some input" if profile.verdict is Verdict.DEPENDS else "runs for no input"
    yield headline(profile.verdict, name(profile.model), f"{what}, so nothing is written")
    if profile.remedy is not None:
        yield line(2, "to write it: ", (flags(profile.remedy), COMMAND))
    if profile.verdict is Verdict.DEPENDS:
        yield line(2, "to write the sizes of the inputs that run: ", ("--valid-only", COMMAND))


def dynamic_text(shapes: DynamicShapes) -> Iterator[Line]:
    """Yield the text for PyTorch, and the sizes that were to vary but are numbers in the program."""
    if shapes.content:
        yield from (line(0, row) for row in shapes.content.splitlines())
    else:
        yield headline(shapes.verdict, name(shapes.model), "no size is known to run, so nothing is proposed")
    for axis in shapes.static:
        yield line(0, (f"{axis.word}: ", STRONG), printable(axis.words, 400))


def table(tensors: Mapping[str, TensorBounds]) -> Iterator[Line]:
    """Yield a table with the columns tensor, dtype, shape and, if sizes vary, their formulas."""
    cells = {id(t): (t.dtype or "?", _intervals(t), _formulas(t)) for t in tensors.values()}
    names = [name(tensor) for tensor in tensors]
    first = column(["tensor", *names])
    second = column(["dtype", *(dtype for dtype, _, _ in cells.values())])
    third = column(["shape", *(shape for _, shape, _ in cells.values())])
    yield row(0, (f"{'tensor':{first}}  {'dtype':{second}}  shape", STRONG))
    for label, tensor in zip(names, tensors.values(), strict=True):
        dtype, shape, formulas = cells[id(tensor)]
        yield row(0, f"{label:{first}}  {dtype:{second}}  {shape:{third}}", (formulas, CODE))


def witnesses(tensors: Mapping[str, TensorBounds]) -> Iterator[Line]:
    """Yield, for each formula that varies, an input with its minimum and one with its maximum."""
    dims = {dim.expr: dim for bounds in tensors.values() for dim in bounds.shape or () if dim.min != dim.max}
    for dim in dims.values():
        ends = [
            f"{size} at {first_items([f'{name(symbol)}={value}' for symbol, value in witness.items()])}"
            for size, witness in zip((dim.min, dim.max), dim.witnesses, strict=True)
            if witness and size is not None
        ]
        if ends:
            yield row(2, code(dim.expr), (f" is {' and '.join(ends)}", FAINT))


def operators_text(operators: Operators) -> Iterator[Line]:
    """Yield the operators, one per line, and a hint if some have no rule."""
    versions: dict[str, list[Operator]] = {}
    for operator in operators.operators:
        versions.setdefault(operator.qualified, []).append(operator)
    missing = [operator for operator in operators.operators if operator.since is None]
    known = len(versions) - len(missing)
    if operators.model is None:
        yield line(0, f"{count(known, 'operator')} with a rule")
    else:
        yield line(0, f"{name(operators.model)}: {known} of {count(len(versions), 'operator')} with a rule")
    yield BLANK
    width = column([name(qualified) for qualified in versions])
    for qualified, rules in versions.items():
        since = ", ".join(str(rule.since) for rule in rules)
        text = f"{'no rule' if rules[0].since is None else f'since {since}':8}{_remarks(rules[-1], operators.model)}"
        style = STYLES[Verdict.UNKNOWN] if rules[0].since is None else ""
        yield row(0, (f"{name(qualified):{width}}  {text}".rstrip(), style))
    if missing:
        yield BLANK
        yield line(0, "an operator without a rule leaves its nodes undecided: shapesmt explain SM601 says what helps")


def _remarks(operator: Operator, model: str | None) -> str:
    nodes = [count(operator.nodes, "node")] if model is not None else []
    expanded = ["expanded into other operators"] if operator.expanded else []
    inferred = ["outputs inferred by its schema"] if operator.inferred else []
    plugin = [f"from {name(operator.plugin)}"] if operator.plugin else []
    return "".join(f"  {remark}" for remark in (*nodes, *expanded, *inferred, *plugin))


def _intervals(t: TensorBounds) -> str:
    return either([f"[{', '.join(extent(d) for d in shape)}]" for shape in t.shapes]) or "[...]"


def _formulas(t: TensorBounds) -> str:
    if t.shape is not None:
        return f"  {_formula(t.shape)}" if any(d.min != d.max for d in t.shape) else ""
    text = "; ".join(f"{_formula(case.shape)} where {printable(case.when, 120)}" for case in t.cases)
    return f"  {text}" if text else ""


def _formula(shape: Sequence[DimBounds]) -> str:
    return f"[{', '.join(str(d.min) if d.min == d.max else printable(d.expr, 120) for d in shape)}]"


def facts_text(facts: ModelFacts) -> Iterator[Line]:
    """Yield a model's inputs, outputs and dimensions, and the command to run next."""
    sets = ", ".join(f"{domain or 'ai.onnx'} {version}" for domain, version in facts.opsets.items())
    parts = [count(facts.nodes, "node")]
    parts += [f"opset {name(sets)}"] if sets else []
    parts += [f"from {name(facts.exporter)}"] if facts.exporter else []
    yield line(0, f"{name(facts.model)}: {', '.join(parts)}")
    tensors = [*facts.inputs.items(), *facts.outputs.items()]
    first, second = column([name(t) for t, _ in tensors]), column([about.dtype for _, about in tensors])
    for title, these in (("inputs", facts.inputs), ("outputs", facts.outputs)):
        yield BLANK
        yield line(0, (title, STRONG))
        for tensor, about in islice(these.items(), _MOST_TENSORS):
            shape = "[...]" if about.shape is None else f"[{', '.join(printable(d, 120) for d in about.shape)}]"
            yield row(2, f"{name(tensor):{first}}  {about.dtype or '?':{second}}  ", code(shape))
        if len(these) > _MOST_TENSORS:
            yield line(2, (f"and {len(these) - _MOST_TENSORS} more; --format json has all", FAINT))
    if facts.dimensions:
        yield BLANK
        yield line(0, ("dimensions", STRONG))
    width = column([name(d) for d in facts.dimensions])
    ranges = {d: interval(a.range.min, a.range.max, a.range.step) for d, a in facts.dimensions.items()}
    wide = column(ranges.values())
    for d, about_dim in islice(facts.dimensions.items(), _MOST_TENSORS):
        axes = first_items([name(axis) for axis in about_dim.axes], most=4)
        alias = f"  also {name(about_dim.alias)}" if about_dim.alias else ""
        yield row(2, f"{name(d):{width}}  {ranges[d]:{wide}}  {axes}{alias}")
    if len(facts.dimensions) > _MOST_TENSORS:
        yield line(2, (f"and {len(facts.dimensions) - _MOST_TENSORS} more; --format json has all", FAINT))
    if facts.values:
        yield line(2, f"small inputs whose elements --value declares: {first_items([name(v) for v in facts.values])}")
    yield BLANK
    missing = first_items([f"{name(op)} ({count(number, 'node')})" for op, number in facts.missing.items()])
    yield line(0, f"no rule for {missing}" if missing else "every operator has a rule")
    if facts.absent:
        yield line(0, absence.listed(facts.absent))
    yield line(0, "next: ", (shell("shapesmt", "check", facts.model), COMMAND))
    if facts.dimensions:
        how = "with --dim NAME=LO..HI for each dimension that is bounded: shapesmt help ranges"
        yield line(2, (how, FAINT))
