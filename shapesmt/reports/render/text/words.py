"""The parts that all texts share: lines, names, counts, intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict, conjunction
from shapesmt.reports.answers import Precondition

if TYPE_CHECKING:
    from shapesmt.reports.answers import Assumed, DimBounds, FixedSize, Guarded, SymbolRange

STYLES = {
    Verdict.PROVED: "bold green",
    Verdict.UNKNOWN: "bold yellow",
    Verdict.DEPENDS: "bold yellow",
    Verdict.FAILS: "bold red",
}
FAINT = "dim"
STRONG = "bold"
COMMAND = "bold not dim"  # a command to paste, or its options, which are never folded
CODE = "cyan"

_MOST_CODE = 400  # the most characters of a formula that are shown
_MOST_SIZE = 100  # the most characters of the formula of a size
_MOST_NAMED = 4  # the most inputs of the same shape that are named
_MOST_NODES = 3  # the most nodes whose need of data is told
_BY_HAND = ("--dim", "--shape", "--value", "default", "input")
_TYPES: dict[tuple[int, int | None], str] = {(-(1 << bits - 1), (1 << bits - 1) - 1): f"int{bits}" for bits in (32, 64)}
_TYPES |= {(0, (1 << bits) - 1): f"uint{bits}" for bits in (32, 64)}
_SOURCES = {"model": "declared in the file", "metadata": "from the file's metadata"}


class Line(NamedTuple):
    """A line of text: its indentation, and its parts with their styles.

    `whole` says that it is a row of a table, which is folded on terminals only.
    """

    indent: int
    parts: tuple[tuple[str, str], ...]
    whole: bool = False

    def __str__(self) -> str:
        return inert((" " * self.indent + "".join(text for text, _ in self.parts)).rstrip())


def inert(text: str) -> str:
    r"""Return the text, escaped if it begins like a command of GitHub's workflows.

    >>> print(inert("  ::add-mask::e"))
      \x3a:add-mask::e
    """
    return text.replace(":", r"\x3a", 1) if text.lstrip().startswith("::") else text


BLANK = Line(0, ())


def line(indent: int, *parts: str | tuple[str, str]) -> Line:
    """Return a line of parts, each a text or a text with its style.

    >>> str(line(2, "runs when ", code("n >= 2")))
    '  runs when n >= 2'
    """
    return Line(indent, tuple((part, "") if isinstance(part, str) else part for part in parts))


def row(indent: int, *parts: str | tuple[str, str]) -> Line:
    """Return a line that is a row of a table."""
    return line(indent, *parts)._replace(whole=True)


def headline(verdict: Verdict, subject: str, text: str) -> Line:
    """Return the first line of an answer."""
    return line(0, (verdict.value, STYLES[verdict]), f" {subject}: {text}")


def name(text: str) -> str:
    r"""Return a name from a file, safe to print: unprintable characters are escaped, the middle of a long name is cut.

    >>> print(name("conv\x1b[2J"))
    conv\x1b[2J
    """
    return printable(text, 200)


def slot(tensor: str, axis: int | None, element: int | None = None) -> str:
    """Return a size in a tensor as text: of an axis, or one of its elements, whose index may be unknown (None).

    >>> slot("x", 1), slot("x", None, 0), slot("x", None)
    ('x[1]', 'element 0 of x', 'x, a value')
    """
    if axis is not None:
        return f"{tensor}[{axis}]"
    return f"{tensor}, a value" if element is None else f"element {element} of {tensor}"


def code(formula: str) -> tuple[str, str]:
    """Return a formula, safe to print, with its style."""
    return printable(formula, _MOST_CODE), CODE


def common_path(names: Sequence[str]) -> str:
    """Return the common start of names up to a slash, such as `/model/encoder/`; "" if it isn't worth abbreviating."""
    levels = zip(*(n.split("/")[:-1] for n in names), strict=False) if len(names) > 1 else ()
    path = "".join(f"{level[0]}/" for level in takewhile(lambda level: len(set(level)) == 1, levels))
    return path if len(path) > len(".../") else ""


def size_text(formula: str) -> tuple[str, str]:
    """Return the formula of a size with its style; of one with more than 100 characters only how many it has.

    >>> size_text("2*max(height//16, 1)"), size_text("height + " * 20 + "1")
    (('2*max(height//16, 1)', 'cyan'), ('a formula of 181 characters', 'dim'))
    """
    return code(formula) if len(formula) <= _MOST_SIZE else (f"a formula of {len(formula)} characters", FAINT)


def dims_text(formulas: Sequence[str], room: int) -> str:
    """Return the formulas of a shape; if they take more than `room` characters, the longest are left out.

    >>> dims_text(["batch", "3", "max(height//2, 1)", "max(width//2, 1)"], 40)
    '[batch, 3, ..., max(width//2, 1)]'
    """
    shown = list(formulas)
    while len(", ".join(shown)) + 2 > room and len(longest := max(shown, key=len)) > len("..."):
        shown[shown.index(longest)] = "..."
    return f"[{', '.join(shown)}]"


def region_told(region: Precondition) -> tuple[str, str]:
    """Return `runs_when` for the valid region of a model; if no input runs whatever the data, what running needs.

    >>> from shapesmt.reports.answers import DataNeed
    >>> data = (DataNeed("top", "found >= 50"),)
    >>> region_told(Precondition(("False",), False, False, needs=("n == m",), data_needs=data))
    ('needs', 'n == m, and data for which found >= 50 at top')
    """
    if region.data_needs:
        data = ", ".join(f"{need.condition} at {name(need.node)}" for need in region.data_needs[:_MOST_NODES])
        more = f" and at {count(len(region.data_needs) - _MOST_NODES, 'more node')}"
        data = f"data for which {data}{more * (len(region.data_needs) > _MOST_NODES)}"
        return "needs", ", and ".join([*filter(None, [conjunction(region.needs)]), data])
    return runs_when(
        region.whole, exact=bool(region.data or region.exact), data=region.data is not None, partial=region.partial
    )


def runs_when(formula: str, *, exact: bool = True, data: bool = False, partial: bool = False) -> tuple[str, str]:
    """Return a text such as "runs exactly when", and the formula under which a node or model runs.

    With `data`, the text says "whatever the data". With `partial`, the formula is necessary but may not suffice.

    >>> runs_when("n == 1", data=True)
    ('runs whatever the data exactly when', 'n == 1')
    >>> runs_when("False", data=True)
    ('runs at no size whatever the data', '')
    >>> runs_when("n == 1", exact=False, partial=True)
    ('runs, as far as is known, only when', 'n == 1')
    """
    runs = "runs whatever the data" if data else "runs"
    if data and formula == "False":
        return f"runs at no size{'' if exact else ' that is known'} whatever the data", ""
    known = f"{runs}, as far as is known, {'only when' if partial else 'when'}"
    return f"{runs} exactly when" if exact else known, formula


def beside_guards(guarded: Guarded) -> list[tuple[str, str, str]]:
    """Return sentences on the nodes' needs and the guards' refusals: text before a formula, formula, text after it.

    >>> from shapesmt.reports.answers import Guarded
    >>> beside_guards(Guarded((), True, "h == 1"))[0], beside_guards(Guarded(("h >= 2",), True))[0]
    (('every node runs for every input', '', ''), ('every node runs exactly when', 'h >= 2', ''))
    >>> beside_guards(Guarded((), True, "h == 1"))[1]
    ("PyTorch's guards also refuse", 'h == 1', ', needed by no node (--guards ignore)')
    """
    nodes, exact, partial = conjunction(guarded.nodes), guarded.exact, guarded.partial
    how, formula = runs_when(nodes, exact=exact, partial=partial) if nodes else ("runs for every input", "")
    refuse = f"PyTorch's guards {'also' if guarded.refused or not guarded.unread else 'may'} refuse"
    refuse += "" if guarded.refused else " some of these inputs"
    return [(f"every node {how}", formula, ""), (refuse, guarded.refused, ", needed by no node (--guards ignore)")]


def count(number: int, thing: str) -> str:
    """Return a number with a noun, in the plural unless the number is 1.

    >>> count(1, "node"), count(2, "node")
    ('1 node', '2 nodes')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def first_items(items: Sequence[str], most: int = 6) -> str:
    """Return the first few items as text, and how many more there are.

    >>> first_items("abc"), first_items("abcdefgh")
    ('a, b, c', 'a, b, c, d, e, f and 2 more')
    """
    more = len(items) - most
    return ", ".join(items[:most]) + (f" and {more} more" if more > 0 else "")


def input_shapes(inputs: Mapping[str, Sequence[int]]) -> str:
    """Return the shape of every input as text; inputs of the same shape are named together.

    >>> input_shapes({"x": (1, 3), "k": (2, 1), "v": (2, 1), "n": ()})
    'x 1x3, k and v 2x1, n scalar'
    """
    groups: dict[tuple[int, ...], list[str]] = {}
    for key, shape in inputs.items():
        groups.setdefault(tuple(shape), []).append(name(key))
    return ", ".join(f"{_together(names)} {shape_text(shape)}" for shape, names in groups.items())


def shape_text(shape: Sequence[int]) -> str:
    """Return a shape as text: `1x3x65x64`."""
    return "x".join(map(str, shape)) or "scalar"


def _together(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMED:
        return first_items(names, most=_MOST_NAMED - 1)
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def at_sizes(what: str, sizes: Mapping[str, int], *, most: int = 6) -> str:
    """Return a size with the other sizes at which it is meant; a greatest size is never named without them.

    >>> at_sizes("61", {"height": 64, "width": 64}), at_sizes("50", {})
    ('61 at height=64, width=64', '50')
    """
    others = first_items([f"{name(symbol)}={value}" for symbol, value in sizes.items()], most)
    return f"{what} at {others}" if others else what


def interval(low: int, high: int | None, step: int = 1) -> str:
    """Return the text of an interval, in the notation of ranges.

    >>> interval(8, 8), interval(1, None), interval(64, 512, 16), interval(-(2**31), 2**31 - 1)
    ('8', '1..', '64..512:16', 'int32')
    """
    if low == high:
        return str(low)
    if (low, high) in _TYPES:
        return _TYPES[low, high]
    return f"{low}..{'' if high is None else high}" + (f":{step}" if step > 1 else "")


def extent(dim: DimBounds) -> str:
    """Return the text of a size's interval; `~` marks one that isn't exact."""
    return ("" if dim.exact else "~") + interval(dim.min, dim.max)


def either(texts: Sequence[str]) -> str:
    """Return the texts joined by "or"; if there are more than four, only the first four.

    >>> either(["[2]", "[2, 3]"])
    '[2] or [2, 3]'
    """
    return " or ".join([*dict.fromkeys(texts)][:4]) + (" or ..." if len(texts) > 4 else "")


def column(cells: Iterable[str], most: int = 60) -> int:
    """Return the width of a column, at most `most`; longer cells extend beyond it."""
    return min(max(map(len, cells), default=0), most)


def admissible(symbols: Mapping[str, SymbolRange], assumptions: Sequence[str] = ()) -> str:
    """Return the admissible inputs as text.

    >>> from shapesmt.reports.answers import SymbolRange
    >>> admissible({"batch": SymbolRange(1, 32), "n": SymbolRange(8, 8)}, ["batch % 2 == 0"])
    'batch in 1..32, n = 8 with batch % 2 == 0'
    """
    relations = conjunction([printable(text, _MOST_CODE) for text in assumptions])
    return " with ".join(part for part in (first_items(list(_range_texts(symbols))), relations) if part)


def adopted_lines(
    symbols: Mapping[str, SymbolRange],
    origins: Mapping[str, str] = MappingProxyType({}),
    unadopted: Mapping[str, SymbolRange] = MappingProxyType({}),
) -> Iterator[Line]:
    """Yield the ranges and assumptions that come from files, a line for each file."""
    theirs: dict[str, list[str]] = {}
    for symbol, r in symbols.items():
        if r.source not in _BY_HAND:
            theirs.setdefault(r.source, []).extend(_range_texts({symbol: r}))
    for text, source in origins.items():
        theirs.setdefault(source, []).append(printable(text, _MOST_CODE))
    for source, declared in theirs.items():
        yield line(0, (f"{_SOURCES.get(source, f'from {name(source)}')}: {first_items(declared)}", FAINT))
    if unadopted:
        noted = first_items(list(_range_texts(unadopted)))
        how = "--dim gives a range to an input's own dimension, which `inspect` lists"
        yield line(0, (f"noted in the file for names that no input has, so not adopted: {noted}; {how}", FAINT))


def assuming(stated: Sequence[Assumed]) -> str:
    """Return the end of a first line: the nodes whose outputs are as the archive states them; "" for none.

    >>> from shapesmt.reports.answers import Assumed
    >>> assuming([Assumed("div", "aten.div.Tensor", 3, "div", "the output is int64, not float32", "archive")])
    ', assuming the output of div of the archive'
    """
    nodes = list(dict.fromkeys(name(one.node) for one in stated))
    outputs = f"the outputs of {len(nodes)} nodes" if len(nodes) > 1 else f"the output of {''.join(nodes)}"
    return f", assuming {outputs} of the archive" if nodes else ""


def assumed_of_data(assumed: Sequence[Assumed]) -> Iterator[Line]:
    """Yield a line for each law that data is assumed to satisfy, or that the archive states, with nodes and tensors.

    >>> from shapesmt.reports.answers import Assumed
    >>> print(*assumed_of_data([Assumed("embed", "Gather", 3, "ids", "indices are inside the axis")]))
    assumed of data: indices are inside the axis ('ids' at embed)
    """
    by_law: dict[tuple[str, str], list[str]] = {}
    for one in assumed:
        place = f"'{name(one.tensor)}' at {name(one.node)}" if one.tensor else f"at {name(one.node)}"
        by_law.setdefault((one.by, one.law), []).append(place)
    for (by, law), places in by_law.items():
        whose = f"as the {by} states" if by else "of data"
        yield line(0, (f"assumed {whose}: {printable(law, 200)} ({first_items(places, 3)})", FAINT))


def fixed_line(fixed: Sequence[FixedSize]) -> Iterator[Line]:
    """Yield the line about sizes of inputs that are numbers in a program; none for no such sizes.

    >>> from shapesmt.reports.answers import FixedSize
    >>> print(*fixed_line([FixedSize("x", 1, 20, "linear", "linear needs it"), FixedSize("x", 2, 12)]))
    fixed by the program: x axis 1 = 20 (linear needs it), axis 2 = 12
    """
    said = []
    for i, one in enumerate(fixed):
        of = "" if i and fixed[i - 1].input == one.input else f"{name(one.input)} "
        said.append(f"{of}axis {one.axis} = {one.size}" + (f" ({printable(one.why, 200)})" if one.why else ""))
    if said:
        yield line(0, (f"fixed by the program: {first_items(said, 8)}", FAINT))


def _range_texts(symbols: Mapping[str, SymbolRange]) -> Iterator[str]:
    for symbol, r in symbols.items():
        yield f"{name(symbol)} {'=' if r.min == r.max else 'in'} {interval(r.min, r.max, r.step)}"
