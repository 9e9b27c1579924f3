"""Warnings: what looks unintended, with the sizes at which it shows."""

from __future__ import annotations

from shapesmt.base.errors import printable
from shapesmt.network.declarations import Range
from shapesmt.prover.algebra import name_text
from shapesmt.reports.answers import Counterexample, StaticAxis, facts
from shapesmt.reports.render.quoting import argument

_MAX_FLAG = 150  # the most characters of a condition to assume: a shorter one survives a cut in the middle of the text


def stretched(told: facts.Stretched) -> str:
    """Return the two sizes where one of them is 1, and the option that makes them equal."""
    size = told.other if told.value is None else f"{told.other} = {told.value}"
    flag = argument(told.agree)
    meant = f"; --assume {flag} if they are to be equal" if len(flag) <= _MAX_FLAG else ""
    meant = meant if told.agree else "; no input runs for which both are more than 1"
    return f"{told.one} = 1 is broadcast to {size} at {_sizes(told.example)}{meant}"


def contradicted(told: facts.Contradicted) -> str:
    """Return the two shapes, a size at which they differ, and why a name that no input has matters."""
    at = f", as at {_sizes(told.example)}" if told.example is not None and told.example.relevant else ""
    others = ", ".join(f"{name} is {size} elsewhere" for name, size in told.elsewhere.items())
    reused = f"; {others}, and ONNX Runtime reuses memory by names" if others else ""
    return f"the file declares [{told.declared}] of '{told.tensor}', its node makes [{told.made}]{at}{reused}"


def untaken(told: facts.Untaken) -> str:
    """Return the branch that no input takes."""
    branch, state = ("else", "true") if told.value else ("then", "false")
    return f"no input takes the {branch} branch: '{told.condition}' is {state} for every input"


def unrun(told: facts.Unrun) -> str:
    """Return why a loop's body never runs."""
    return f"its body never runs: '{told.trips}' is 0 for every input"


def reshaped(told: facts.Reshaped) -> str:
    """Return the sentence about a reshape that mixes what look like samples.

    >>> reshaped(facts.Reshaped("n", ("n", "8"), ("4", "2*n"), "y"))
    '[n, 8] is read as [4, 2*n]: if n counts samples, they are mixed in y'
    """
    before, after = (", ".join(sizes) for sizes in (told.before, told.after))
    return f"[{before}] is read as [{after}]: if {told.dim} counts samples, they are mixed in {told.output}"


def shared_out(told: facts.SharedOut) -> str:
    """Return the sentence about a reshape that shares out a constant among what look like samples.

    >>> shared_out(facts.SharedOut("n", ("1", "80"), ("n", "80//n"), "1"))
    'the constant [1, 80] is read as [n, 80//n]: if n counts samples, each gets a part of it, which fits n == 1 alone'
    """
    before, after = (", ".join(sizes) for sizes in (told.before, told.after))
    only = f"which fits {name_text(told.dim)} == {told.rows} alone"
    return f"the constant [{before}] is read as [{after}]: if {told.dim} counts samples, each gets a part of it, {only}"


def one_value(told: facts.OneValue) -> str:
    """Return the value that is left of a range."""
    wide = Range(told.range.min, told.range.max, told.range.step)
    return f"the assumptions leave {told.dim} = {told.value} alone in {wide}, so all is said of that value"


def large(told: facts.Large) -> str:
    """Return the number of elements, and the greatest index that kernels count to."""
    at = f" at {_sizes(told.example)}" if told.example.relevant else ""
    bits = 32 if told.elements < 1 << 63 else 64
    end = (1 << bits - 1) - 1
    return f"'{told.tensor}' has {told.elements} elements{at}; indices of {bits} bits end at {end}"


def in_session(told: facts.InSession) -> str:
    """Return where a node fails that runs as the file has it.

    >>> in_session(facts.InSession(("reshapes in a row are one",)))
    "only in ONNX Runtime's default session, where reshapes in a row are one"
    """
    return f"only in ONNX Runtime's default session, where {' and '.join(told.says)}"


def further(told: facts.Further) -> str:
    """Return the input at which the session would run, the rewrite, and the outputs that follow from it."""
    outputs = ", ".join(f"{printable(name, 60)} {shape}" for name, shape in told.outputs.items())
    made = f" and give {outputs}" if outputs else ""
    session = f"ONNX Runtime's default session, where {told.says}"
    return f"the file fails at {_sizes(told.example)}; {session}, would run there{made}"


def other_shape(told: facts.OtherShape) -> str:
    """Return the two shapes of an output, and the input at which they differ."""
    at = f" at {_sizes(told.example)}" if told.example.symbols else ""
    session = f"ONNX Runtime's default session would give '{told.tensor}' the shape {told.session}"
    return f"{session}{at}, the file {told.file}"


def unread(told: facts.Unread) -> str:
    """Return the inputs that no node reads."""
    inputs = ", ".join(f"'{name}'" for name in told.inputs)
    return f"nothing depends on {told.dim}: no node reads {inputs}"


def unnamed(told: facts.Unnamed) -> str:
    """Return the dimensions that share a mark but no size."""
    return f"{printable(repr(told.mark))} names no size: {', '.join(told.dims)} are sizes of their own"


def needed(told: facts.Needed) -> str:
    """Return the node that needs a size, or that none does.

    >>> needed(facts.Needed("mm", 7, True)), needed(facts.Needed("", 7, False))
    ('mm needs 7 (or 1)', 'no node needs it, only the trace')
    """
    size = f"{told.size} (or 1)" if told.or_one else "it"
    return f"{told.node} needs {size}" if told.node else "no node needs it, only the trace"


def static(axis: StaticAxis) -> str:
    """Return the axis, and the node or trace that needs its size.

    >>> static(StaticAxis("x", 1, 7))
    'x axis 1 is 7 in the program: no node needs it, only the trace'
    >>> static(StaticAxis("x", 1, 7, "mm", or_one=True))
    'x axis 1 is 7 in the program: mm needs 7 (or 1)'
    """
    why = needed(facts.Needed(axis.node, axis.size, axis.or_one))
    line = f", {axis.source}" if axis.source else ""
    fixed = "; PyTorch makes every 0 and 1 of the example a number" if axis.size in (0, 1) else ""
    return f"{axis.input} axis {axis.axis} is {axis.size} in the program: {why}{line}{fixed}"


def _sizes(shown: Counterexample) -> str:
    """Return the relevant sizes of an example; all sizes if none is marked as relevant."""
    return ", ".join(f"{name}={shown.symbols[name]}" for name in shown.relevant or shown.symbols)
