"""Find the Python line that a node was exported from, in stacks that PyTorch's exporters note."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from shapesmt.base.errors import printable
from shapesmt.network.graph import SourceLine

MOST = 20_000
"""The limit of characters of a stack that are read."""
_LONGEST_PATH, _LONGEST = 1000, 200  # limits of characters: of a path, and of the texts next to it
_FRAME = re.compile(r'File "([^"\n]+)", line ([1-9]\d{0,8}), in ([^\n]+)(?:\n(?!\s*File ")[ \t]*([^\n]+))?')
_OF_TORCH = re.compile(
    r"^<|[\\/](?:site|dist)-packages[\\/]torch[\\/]|(?:^|[\\/])torch[\\/](?:nn|fx|jit|onnx|_\w+)[\\/]"
)


class Frame(NamedTuple):
    """One call of a stack: file, line, function, and the code in that line."""

    file: str
    line: str
    function: str
    code: str


def frames_of(stack: str) -> list[Frame]:
    """Return the calls of a stack as Python prints it, the innermost first."""
    return [Frame(*frame) for frame in _FRAME.findall(stack[-MOST:])[::-1]]


def locate(frames: Iterable[Frame], module: str, *, any_file: bool = False) -> SourceLine | None:
    """Return the innermost call outside PyTorch, with the outermost as caller; None if nothing is known.

    With `any_file`, return the innermost call inside PyTorch if there is no other, as for PyTorch's own models.

    >>> locate([Frame("/a/site-packages/torch/nn/conv.py", "5", "forward", ""), Frame("unet.py", "9", "f", "")], "up")
    SourceLine(file='unet.py', line=9, function='f', code='', module='up', caller='')
    """
    shown = [frame for frame in frames if len(frame.file) <= _LONGEST_PATH and frame.file.isprintable()]
    own = [frame for frame in shown if not _OF_TORCH.search(frame.file)]
    if any_file and not own:
        own = [frame for frame in shown if not frame.file.startswith("<")][:1]
    if not own and not module:
        return None
    file, line, function, code = own[0] if own else Frame("", "0", "", "")
    function, code, module = (printable(text, _LONGEST) for text in (function, code, module))
    caller = f"{own[-1].file}:{own[-1].line}" if own[1:] and own[-1][:2] != (file, line) else ""
    return SourceLine(file, int(line), function, code, module, caller)
