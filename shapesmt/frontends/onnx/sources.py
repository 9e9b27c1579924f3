"""Read the Python line that a node was exported from, which PyTorch's exporters note in the file.

The `torch.export` exporter writes each node's stack and modules as metadata. The TorchScript exporter names a node
after its modules (`/encoder/layer.0/MatMul`) and, if verbose, writes the stack as the node's documentation. Nothing is
read before a node's source is requested. The ranges of sizes that exporters write into the metadata are read here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.frontends.onnx.types import text_of
from shapesmt.frontends.stacks import MOST, Frame, frames_of, locate

if TYPE_CHECKING:
    import onnx

    from shapesmt.network.graph import Node, SourceLine

_PREFIX = "pkg.torch.onnx."
_TRACED = re.compile(r"^([^\n]+)\(([1-9]\d{0,8})\): ([^\n]+)()$", re.MULTILINE)
_TRACER = re.compile(r"torch[\\/]jit[\\/]_trace\.py")


@frozen(eq=False)
class Sources:
    """Finds the source of each node of a graph."""

    proto: onnx.GraphProto
    by_name: bool
    """Whether node names may be paths of modules."""

    @cached_property
    def _places(self) -> dict[str, int]:
        return {output: place for place, node in enumerate(self.proto.node) for output in node.output}

    def __call__(self, index: int, node: Node) -> SourceLine | None:
        """Return the source of the node, which most files have at this index; None if the file has none."""
        proto = self.proto.node[index]
        if list(proto.output) != list(node.outputs):
            proto = self.proto.node[self._places[next(filter(None, node.outputs))]]
        try:
            notes = {text_of(note.key): text_of(note.value) for note in proto.metadata_props}
            return noted_source(notes, text_of(proto.doc_string), node.name if self.by_name else "")
        except UnicodeDecodeError:
            return None


def noted_source(notes: dict[str, str], documentation: str = "", name: str = "") -> SourceLine | None:
    r"""Return the source that a node's metadata, its documentation or its name tells; None if none does.

    From a stack, it takes the innermost frame outside PyTorch, and the outermost as caller.

    >>> stack = 'File "unet.py", line 9, in forward\n    x = self.up(x)\n  File "/site-packages/torch/nn/conv.py"'
    >>> stack += ', line 565, in forward\n    return self._conv_forward(input)'
    >>> notes = {"pkg.torch.onnx.stack_trace": stack, "pkg.torch.onnx.name_scopes": "['', 'up', 'conv2d']"}
    >>> noted_source(notes)
    SourceLine(file='unet.py', line=9, function='forward', code='x = self.up(x)', module='up', caller='')
    >>> noted_source({}, "/site-packages/torch/nn/conv.py(565): forward\nunet.py(9): forward\n").line
    9
    >>> noted_source({}, name="/layers/layers.0/query/MatMul").module
    'layers.0.query'
    """
    module = _module(notes) or _module_by_name(name)
    traced = (Frame(*frame) for frame in _TRACED.findall(_TRACER.split(documentation[:MOST])[0]))
    return locate(frames_of(notes.get(f"{_PREFIX}stack_trace", "")) or traced, module)


def _module(notes: dict[str, str]) -> str:
    """Return the innermost module: the last but one of the scopes, as the last is the operator."""
    scopes = re.findall("'([^']*)'", notes.get(f"{_PREFIX}name_scopes", "")[-MOST:])
    if not scopes:
        scopes = [scope.partition(": ")[0] for scope in notes.get("namespace", "")[-MOST:].split("/")]
    return scopes[-2] if len(scopes) > 1 else ""


def _module_by_name(name: str) -> str:
    """Return the module that a node is named after; a list's member repeats the list's name."""
    path = ""
    for scope in name[:MOST].split("/")[1:-1]:
        path = f"{path}.{scope}" if path and not scope.startswith(f"{path}.") else scope
    return path


_BOUNDS = re.compile(r"(?<=[{,])([^{},:\[\]]+):\s*VR\[([^{},\[\]]+),([^{},\[\]]+)\]")


def noted_ranges(metadata: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the range of each symbol or expression, as RANGE text, from a file's metadata; a later entry wins.

    PyTorch's exporter writes its symbols' ranges under a key that ends in `range_constraints`. It writes a lower bound
    of 0 for every size without one, so 0 is ignored.

    >>> noted_ranges([("pkg.torch.export.ExportedProgram.range_constraints",
    ...                "{s0: VR[2, int_oo], s1: VR[0, 64], s2: VR[8, 8], 2*s0: VR[4, 9], s3: VR[0, int_oo]}")])
    {'s0': '2..', 's1': '..64', 's2': '8', '2*s0': '4..9'}
    """
    ranges = {}
    for key, value in metadata:
        if key.endswith("range_constraints"):
            for name, low, high in _BOUNDS.findall(value):
                least, most = _bound(low), _bound(high)
                if least == most and least:
                    ranges[name.strip()] = least
                elif (least and least != "0") or most:
                    ranges[name.strip()] = f"{'' if least == '0' else least}..{most}"
    return ranges


def _bound(text: str) -> str:
    """Return a bound, or "" if it is infinite: `int_oo`, or the largest machine integer in older files."""
    return text.strip() if re.fullmatch(r"\s*-?[0-9]{1,18}\s*", text) else ""
