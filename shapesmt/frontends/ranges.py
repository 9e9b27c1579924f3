"""What exporters note beside the graph about the sizes they exported for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["noted_ranges"]

_BOUNDS = re.compile(r"(?<![^\s{,])([^\s{},:\[\]]+)\s*:\s*VR\[\s*([^\s,\]]+)\s*,\s*([^\s,\]]+)\s*\]")


def noted_ranges(metadata: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The range of each symbol, as RANGE text, from a file's metadata; a later entry wins.

    PyTorch's exporter writes its symbols' ranges under a key that ends in `range_constraints`.

    Example:
        >>> noted_ranges([("pkg.torch.export.ExportedProgram.range_constraints",
        ...                "{s0: VR[2, int_oo], s1: VR[1, 64], s2: VR[8, 8], s3: VR[-int_oo, int_oo]}")])
        {'s0': '2..', 's1': '1..64', 's2': '8'}
    """
    ranges = {}
    for key, value in metadata:
        if key.endswith("range_constraints"):
            for name, low, high in _BOUNDS.findall(value):
                least, most = _bound(low), _bound(high)
                if least or most:
                    ranges[name] = least if least == most else f"{least}..{most}"
    return ranges


def _bound(text: str) -> str:
    """A bound, or nothing when it is infinite: `int_oo`, or the largest machine integer in older files."""
    return text if re.fullmatch(r"-?[0-9]{1,18}", text) else ""
