"""Targets: replace computed operands of Reshape, Expand and Slice by constants."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network.graph import Attributes, Literal, Node
from shapesmt.operators.rules import Tensor
from shapesmt.prover.algebra import Dim, at_least
from shapesmt.tasks.simplify.draft import Form
from shapesmt.tasks.simplify.rewrites.site import Change, Site, constants, rewrite

VIEWS = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze"})
_TARGETED = 5  # first opset in which the target of Reshape is an input


def target(site: Site, source: Tensor) -> list[int] | None:
    """Return the constant target that reshapes a source to the output's shape, such as `[0, -1, 64]`, or None.

    0 stands for the source's size of the same axis, -1 for the size that the number of elements leaves, which is
    unambiguous only if no other size can be 0.
    """
    before, shape = source.shape, site.made.shape
    if before is None or shape is None or site.draft.version < _TARGETED:
        return None
    same = copied_axes(site.draft.form, before, shape)
    numbers = [0 if same[i] and d.constant is None else d.constant for i, d in enumerate(shape)]
    open_axes = [i for i, n in enumerate(numbers) if n is None]
    if len(open_axes) > 1 or any(n == 0 and not s for n, s in zip(numbers, same, strict=True)):
        return None
    if open_axes and not all(site.proves(at_least(d, 1)) for i, d in enumerate(shape) if i not in open_axes):
        return None
    return [-1 if n is None else n for n in numbers]


def copied_axes(form: Form, before: Sequence[Dim], shape: Sequence[Dim]) -> list[bool]:
    """Return for each size whether it equals the size of that axis in `before`, for which 0 may stand in a target."""
    return [form.zeros and i < len(before) and d is before[i] for i, d in enumerate(shape)]


def reshape_node(site: Site, source: str, numbers: Sequence[int]) -> Node:
    """Return a node that reshapes a tensor to a constant target."""
    name = _vector(site, numbers, "target")
    return site.node._replace(op="Reshape", inputs=[source, name], attributes=Attributes.EMPTY)


@rewrite("Reshape")
def constant_target(site: Site) -> Change:
    """Each size of the target is a constant, the input's own, or the only other one."""
    items = site.items(1)
    if constants(items) is not None and not site.node.attributes:
        return None
    numbers = target(site, site.read(0))
    return None if numbers is None else reshape_node(site, site.name(0), numbers)


@rewrite(*VIEWS)
def view_of_view(site: Site) -> Change:
    """Reshaping what was reshaped is one reshape of the original."""
    inner = site.producer(0, *VIEWS)
    if inner is None or not VIEWS.issuperset(site.readers(site.name(0))):
        return None
    if site.draft.is_output(site.name(0)):
        return None
    numbers = target(site, site.draft.facts_of(inner.inputs[0]))
    return None if numbers is None else reshape_node(site, inner.inputs[0], numbers)


@rewrite("Expand")
def constant_expansion(site: Site) -> Change:
    """Each size of the target is a constant, or the input's own, for which 1 stands."""
    shape, before = site.made.shape, site.read(0).shape
    if shape is None or before is None or constants(site.items(1)) is not None:
        return None
    padded = [None] * (len(shape) - len(before)) + [*before]
    numbers = [1 if d is b else d.constant for d, b in zip(shape, padded, strict=True)]
    if None in numbers:
        return None
    return site.node._replace(inputs=[site.name(0), _vector(site, numbers, "target")])


@rewrite("Slice")
def slice_to_the_end(site: Site) -> Change:
    """An end at or past the size of the axis is the greatest number."""
    ends, shape = site.items(2), site.read(0).shape
    axes = site.numbers(3) if site.name(3) else list(range(len(ends or ())))
    steps = site.numbers(4) if site.name(4) else [1] * len(ends or ())
    if ends is None or shape is None or axes is None or steps is None or constants(ends) is not None:
        return None
    if min(steps, default=1) < 1 or not all(-len(shape) <= a < len(shape) for a in axes):
        return None
    past = [site.proves(at_least(e - shape[a], 0)) for e, a in zip(ends, axes, strict=True)]
    numbers = [site.draft.form.last if p else e.constant for p, e in zip(past, ends, strict=True)]
    if None in numbers or site.read(2).dtype != "int64":
        return None
    return site.node._replace(inputs=[*site.node.inputs[:2], _vector(site, numbers, "ends"), *site.node.inputs[3:]])


def _vector(site: Site, numbers: Sequence[int | None], what: str) -> str:
    """Return the name of a constant int64 vector; a new one is named after the node's output and `what`."""
    known = [n for n in numbers if n is not None]
    return site.draft.constant(Literal("int64", (len(known),), known), f"{site.node.outputs[0]}.{what}")
