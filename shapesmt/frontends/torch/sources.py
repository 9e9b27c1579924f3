"""Read the Python line that a node was exported from: a program notes the stack and the modules of each node."""

from __future__ import annotations

from collections.abc import Mapping

from shapesmt.frontends.stacks import MOST, Frame, frames_of, locate
from shapesmt.network.graph import GUARDS, Node, SourceLine

_NO_MODULE = "_empty_nn_module_stack"


class Sources:
    """The source of each node, noted under its first output or, without one, its name; read on demand."""

    def __init__(self, notes: Mapping[str, Mapping[str, object]]) -> None:
        self._notes = notes

    def __call__(self, index: int, node: Node) -> SourceLine | None:  # noqa: ARG002 - the signature of `source_line`
        """Return the source of a node; None if the program has none. Guards have the line where the model is called."""
        if node.op == GUARDS:
            return self._entry()
        notes = self._notes.get(next(filter(None, node.outputs), node.name), {})
        modules = notes.get("nn_module_stack")
        module = module_in(modules) if isinstance(modules, str) else ""
        return locate(self._frames(notes), module, any_file=True)

    def _frames(self, notes: Mapping[str, object]) -> list[Frame]:
        stack = notes.get("stack_trace")
        return frames_of(stack) if isinstance(stack, str) else []

    def _entry(self) -> SourceLine | None:
        """Return the outermost line of the first node that has one, preferring user code, without its text."""
        stacks = [self._frames(notes)[::-1] for notes in self._notes.values()]
        lines = (locate(frames, "", any_file=any_file) for any_file in (False, True) for frames in stacks)
        first = next(filter(None, lines), None)
        return None if first is None else first._replace(code="", caller="")


def module_in(modules: str) -> str:
    """Return the path of the innermost module, given entries such as `L__self__up,up,torch.nn.Conv2d`.

    >>> module_in("L__self__,,unet.UNet;L__self__up,up,unet.Up;L__self__up.0,up.0,torch.nn.Conv2d")
    'up.0'
    >>> module_in("L__self__,L['self'],unet.UNet;L__self___up,L['self'].up,unet.Up"), module_in("")
    ('up', '')
    """
    innermost = modules[-MOST:].rpartition(";")[2].split(",")
    path = innermost[1] if len(innermost) > 2 else ""
    return "" if path.startswith(_NO_MODULE) else path.removeprefix("L['self']").removeprefix(".")
