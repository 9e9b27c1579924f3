"""Where nodes were written in Python, which a program notes of each: the stack, and the modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.frontends.stacks import MOST, Frame, frames_of, located
from shapesmt.graph import GUARDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapesmt.graph import Node, SourceLine

__all__ = ["Sources", "module_in"]

_NO_MODULE = "_empty_nn_module_stack"


class Sources:
    """The source of each node, noted under its first output or, without any, its name; read when someone asks."""

    def __init__(self, notes: Mapping[str, Mapping[str, object]]) -> None:
        self._notes = notes

    def __call__(self, index: int, node: Node) -> SourceLine | None:  # noqa: ARG002 - the signature of `source_line`
        """The source of a node; None where the program doesn't say. Guards are checked where the model is entered."""
        if node.op == GUARDS:
            return self._entry()
        notes = self._notes.get(next(filter(None, node.outputs), node.name), {})
        modules = notes.get("nn_module_stack")
        module = module_in(modules) if isinstance(modules, str) else ""
        return located(self._frames(notes), module, any_file=True)

    def _frames(self, notes: Mapping[str, object]) -> list[Frame]:
        stack = notes.get("stack_trace")
        return frames_of(stack) if isinstance(stack, str) else []

    def _entry(self) -> SourceLine | None:
        """The outermost line of the first node that has one, of the user's code before PyTorch's, without its code."""
        stacks = [self._frames(notes)[::-1] for notes in self._notes.values()]
        lines = (located(frames, "", any_file=any_file) for any_file in (False, True) for frames in stacks)
        first = next(filter(None, lines), None)
        return None if first is None else first._replace(code="", caller="")


def module_in(modules: str) -> str:
    """The path of the innermost module, of entries such as `L__self__up,up,torch.nn.Conv2d`.

    >>> module_in("L__self__,,unet.UNet;L__self__up,up,unet.Up;L__self__up.0,up.0,torch.nn.Conv2d")
    'up.0'
    >>> module_in("L__self__,L['self'],unet.UNet;L__self___up,L['self'].up,unet.Up"), module_in("")
    ('up', '')
    """
    innermost = modules[-MOST:].rpartition(";")[2].split(",")
    path = innermost[1] if len(innermost) > 2 else ""
    return "" if path.startswith(_NO_MODULE) else path.removeprefix("L['self']").removeprefix(".")
