"""Stacks that PyTorch's exporters note, from which the line of Python is read that a node was written in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from shapesmt.errors import printable
from shapesmt.graph import SourceLine

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MOST", "Frame", "frames_of", "located"]

MOST = 20_000
"""Characters of a stack that are looked at."""
_LONGEST_PATH, _LONGEST = 1000, 200  # characters of a path, and of what is shown beside it
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
    """The calls of a stack as Python prints it, the innermost first."""
    return [Frame(*frame) for frame in _FRAME.findall(stack[-MOST:])[::-1]]


def located(frames: Iterable[Frame], module: str, *, any_file: bool = False) -> SourceLine | None:
    """The innermost call that is none of PyTorch's own, with the outermost; None where nothing is known.

    With `any_file`, the innermost call of PyTorch's own where there is no other, as of a model that is PyTorch's.

    >>> located([Frame("/a/site-packages/torch/nn/conv.py", "5", "forward", ""), Frame("unet.py", "9", "f", "")], "up")
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
