"""The flags under which a model that depends on its input is proved."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from shapesmt.ranges import Range

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shapesmt.report import SymbolRange

__all__ = ["flags"]

_SIMPLE = re.compile(r"(`[^`]+`|[^\W\d]\w*) (?:% ([0-9]+) == ([0-9]+)|(>=|<=|==) ([0-9]+))")


def flags(conditions: Sequence[str], symbols: Mapping[str, SymbolRange]) -> str:
    """Command line flags that declare `conditions`: a narrower `--dim` where one symbol decides, else `--assume`.

    >>> from shapesmt.report import SymbolRange
    >>> flags(["height % 16 == 0", "total == past + seq"], {"height": SymbolRange(65, 512)})
    '--dim height=80..512:16 --assume "total == past + seq"'
    """
    ranges: dict[str, Range] = {}
    assumed: list[str] = []
    for condition in conditions:
        name, narrowed = _narrowed(condition, symbols, ranges)
        if narrowed is None:
            assumed.append(f"--assume {_argument(condition)}")
        else:
            ranges[name] = narrowed
    declared = [f"--dim {_argument(f'{name}={interval}', bare=True)}" for name, interval in ranges.items()]
    return " ".join([*declared, *assumed])


def _narrowed(
    condition: str, symbols: Mapping[str, SymbolRange], ranges: Mapping[str, Range]
) -> tuple[str, Range | None]:
    """The symbol that `condition` restricts and its range then, where a range can say it."""
    match = _SIMPLE.fullmatch(condition)
    name = match[1].strip("`") if match else ""
    declared = symbols.get(name)
    if match is None or declared is None or declared.source == "--shape":
        return name, None
    old = ranges.get(name) or Range(declared.min, declared.max, declared.step)
    if old.step > 1:
        return name, None
    low, high, step = old.lo, old.hi, 1
    if match[2]:
        step = int(match[2])
        low += (int(match[3]) - low) % max(step, 1)
    else:
        bound = int(match[5])
        low = low if match[4] == "<=" else max(low, bound)
        high = high if match[4] == ">=" else bound if high is None else min(high, bound)
    if step == 0 or (high is not None and low > high):
        return name, None
    return name, Range(low, None if high is None else high - (high - low) % step, step)


def _argument(text: str, bare: bool = False) -> str:
    """`text` as one argument of a command line: in double quotes, which every shell reads, where that is safe."""
    if bare and re.fullmatch(r"[\w.=:,-]+", text):
        return text
    return shlex.quote(text) if re.search(r"[$`\"\\!]", text) else f'"{text}"'
