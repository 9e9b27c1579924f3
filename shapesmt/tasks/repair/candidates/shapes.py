"""Changes of declared shapes: of a weight, or of the model's inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shapesmt.network.graph import Declared, Graph, Literal
from shapesmt.tasks.repair.candidates.site import Change, Site
from shapesmt.tasks.repair.edit import Edit

MOST_ELEMENTS = 1 << 28


def weights(site: Site) -> Iterator[Change]:
    """Yield changes that resize one axis of a weight which only this node reads.

    The new size is in `site.sizes`, or is twice or half the current one. Integer initializers are skipped.
    """
    graph = site.graph
    for index, name in enumerate(site.node.inputs):
        literal = graph.literals.get(name)
        if literal is None or "int" in literal.dtype or len(graph.consumers(name)) != 1 or not literal.shape:
            continue
        for axis, size in enumerate(literal.shape):
            others = {*site.sizes, 2 * size, size // 2}
            for new in sorted(n for n in others if 0 < n < MOST_ELEMENTS and n != size):
                shape = tuple(new if a == axis else d for a, d in enumerate(literal.shape))
                edit = Edit(literals={name: Literal(literal.dtype, shape)})
                cost = 3.3 + 0.2 * (new not in site.sizes)
                yield site.change("weight", name, literal.shape, shape, edit, cost, index)


def declared_sizes(site: Site) -> Iterator[Change]:
    """Yield changes that rename a symbolic dimension of an input that this node reads: `[n, m]` -> `[n, n]`."""
    inputs = site.graph.inputs
    names = sorted({d for i in inputs.values() for d in i.shape or () if isinstance(d, str)})
    for place, (name, taken) in enumerate(inputs.items()):
        for axis, size in enumerate(taken.shape or ()) if name in site.node.reads else ():
            for new in names if isinstance(size, str) else ():
                shape = tuple(new if a == axis else d for a, d in enumerate(taken.shape or ()))
                if new != size:
                    against, favour = (_share(site.graph, name, taken, axis, s) for s in (size, new))
                    cost = 4.5 - 3.5 * favour + 2 * against + 2 * (new in (taken.shape or ()))
                    edit = Edit(inputs={name: taken._replace(shape=shape)})
                    cost -= 0.01 * place  # a later input follows an earlier one
                    yield site.change("declared", name, size, new, edit, cost, axis)


def _share(graph: Graph, name: str, like: Declared, axis: int, size: int | str | None) -> float:
    """Return the fraction of the other inputs of the same rank as `like` that have `size` on `axis`; 0 without any."""
    inputs: Mapping[str, Declared] = graph.inputs
    alike = [i.shape for n, i in inputs.items() if n != name and i.shape and len(i.shape) == len(like.shape or ())]
    return sum(shape[axis] == size for shape in alike) / len(alike) if alike else 0.0
