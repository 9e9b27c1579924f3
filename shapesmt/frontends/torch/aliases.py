"""Track tensors that share memory: an operator that writes in place changes the elements of all of them.

After `b = a.add_(1)`, the name `a` refers to `b`; likewise after a dropout outside training, which returns `a` itself.
After `v = a.view(-1); v.add_(1)`, the elements of `a` have changed too: a node `changed` states that. If `v` is a slice
of `a` or the part at an index, a node `changed_part` has the elements of `a`, with those of `v` in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from shapesmt.network.graph import Attributes, AttributeValue, Node

CHANGED = "changed"
"""The operator of a node that returns its input with other elements."""
CHANGED_PART = "changed_part"
"""The operator of a node that returns input 0 with the elements of input 1 in a part, as a slice or select has it."""
_PARTS = ("slice", "select")
_WHERE = ("dim", "start", "end", "step", "index")
"""The arguments that say which part an operator of `_PARTS` returns."""

_VIEWS = frozenset(
    (
        *("alias", "as_strided", "chunk", "conj", "contiguous", "detach", "detach_", "diagonal", "dsplit", "expand"),
        *("expand_as", "flatten", "hsplit", "imag", "lift_fresh", "mT", "mH", "matrix_H", "meshgrid"),
        *("movedim", "moveaxis", "narrow", "numpy_T", "permute", "positive", "ravel", "real", "reshape", "reshape_as"),
        *("resolve_conj", "resolve_neg", "select", "slice", "split", "split_with_sizes", "squeeze", "swapaxes"),
        *("swapdims", "t", "tensor_split", "to", "transpose", "type_as", "unbind", "unflatten", "unfold"),
        *("unsafe_chunk", "unsafe_split", "unsqueeze", "view", "view_as", "view_as_complex", "view_as_real"),
        *("vsplit", "_conj", "_reshape_alias", "_unsafe_view", "adjoint", "atleast_1d", "atleast_2d"),
        *("atleast_3d", "broadcast_to", "cpu", "cuda", "float", "double", "half", "long", "int"),
        "pin_memory",
    )
)
_RESHAPED = frozenset(
    (
        *("detach_", "requires_grad_", "as_strided_", "resize_", "resize_as_", "squeeze_", "swapaxes_"),
        *("swapdims_", "t_", "transpose_", "unsqueeze_"),
    )
)
"""In-place operators that don't change the elements of other tensors."""
_DROPOUTS = frozenset(("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"))


class Memory:
    """The tensors of one graph that share memory, while its nodes are read in order.

    Attributes:
        names: The tensor to which each PyTorch name currently refers.
    """

    def __init__(self, names: dict[str, str], unique: Callable[[str], str]) -> None:
        self.names = names
        self._unique = unique
        self._shared: dict[str, set[str]] = {}
        self._own: dict[str, set[str]] = {}
        self._parts: dict[str, tuple[str, Node]] = {}  # slices by name, each with the tensor it is of, and its node

    def follow(
        self,
        op: str,
        read: str,
        written: list[str],
        attributes: Mapping[str, AttributeValue] | None = None,
        made: Node | None = None,
    ) -> list[Node]:
        """Track a node; return a node `changed_part` or `changed` for each other tensor whose elements it changes.

        Args:
            op: The operator.
            read: PyTorch's name of the first tensor that it reads.
            written: PyTorch's names of its outputs.
            attributes: Its constant arguments; None if it has none.
            made: The node in the graph; None if it isn't known.
        """
        base = op.split(".")[1] if op.startswith("aten.") and op.count(".") > 1 else ""
        in_place = base.endswith("_") and not base.startswith("__")
        itself = base in _DROPOUTS and not all((attributes or {}).get(name) for name in ("p", "train"))
        if not in_place and not itself and base not in _VIEWS:
            return []
        own = self._own.get(read, {read})
        if itself:
            own.update(written)
            self._own.update(dict.fromkeys(own, own))
        group = self._shared.setdefault(read, {read})
        group.update(written)
        self._shared.update(dict.fromkeys(written, group))
        if base in _PARTS and made is not None and written:
            self._parts[written[0]] = read, made
        if not in_place or not written:
            return []
        old, new = self.names[read], self.names[written[0]]
        same = [name for name in group if self.names[name] == old or name in own]
        self.names.update(dict.fromkeys(same, new))
        if base in _RESHAPED:  # what was a part of it, or it of another one, isn't where it was
            self._parts = {name: of for name, of in self._parts.items() if name not in same and of[0] not in same}
            return []
        others = group - {*same, *written}
        return [*self._write_nodes(read, others), *self._change_nodes(others)]

    def overwrite(self, tensor: str) -> list[Node]:
        """Return a node `changed` for each tensor that shares memory with `tensor`, changed by a graph in a node."""
        own = [name for name, current in self.names.items() if current == tensor]
        return [*self._change_nodes(set(own).union(*(self._shared.get(name, ()) for name in own)))]

    def _write_nodes(self, part: str, others: set[str]) -> Iterator[Node]:
        """Yield nodes that return the tensors of which `part` is a part, and drop them from `others`."""
        while part in self._parts and self._parts[part][0] in others:
            whole, made = self._parts[part]
            others.remove(whole)
            where = {name: made.attributes[name] for name in _WHERE if name in made.attributes}
            places = ((f"@{name}", made.attributes.get(f"@{name}")) for name in _WHERE)
            where |= {name: place + 1 for name, place in places if isinstance(place, int)}
            reads = [self.names[whole], self.names[part], *made.inputs[1:]]
            self.names[whole] = self._unique(f"{whole}.{CHANGED}")
            outputs = [self.names[whole]]
            yield Node(CHANGED_PART, "torch", outputs[0], reads, outputs, Attributes(where))
            part = whole

    def _change_nodes(self, names: set[str]) -> Iterator[Node]:
        """Yield nodes that return these tensors with other elements; from here on the names refer to their outputs."""
        for name in sorted(names):
            read, self.names[name] = self.names[name], self._unique(f"{name}.{CHANGED}")
            yield Node(CHANGED, "torch", self.names[name], [read], [self.names[name]])
