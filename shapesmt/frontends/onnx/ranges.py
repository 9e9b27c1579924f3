"""Read the ranges of sizes that exporters write into a file's metadata."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
