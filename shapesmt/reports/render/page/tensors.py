"""The table of a page's tensors: shapes as formulas, their bounds, and bytes; the page's script makes its rows."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.base.errors import printable
from shapesmt.reports.answers import DimBounds, PageData, TensorBounds, TensorData
from shapesmt.reports.render.page.document import MOST_CODE, heading
from shapesmt.reports.render.page.markup import Markup, data, exact, tag
from shapesmt.reports.render.text.words import either, extent

BITS = {
    **dict.fromkeys(("int4", "uint4", "float4e2m1"), 4),
    **dict.fromkeys(("bool", "int8", "uint8", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"), 8),
    **dict.fromkeys(("float16", "bfloat16", "int16", "uint16"), 16),
    **dict.fromkeys(("float32", "int32", "uint32"), 32),
    **dict.fromkeys(("float64", "int64", "uint64", "complex64"), 64),
    "complex128": 128,
}
_COLUMNS = (
    ("tensor", "tensor"),
    ("made by", "made"),
    ("type", "dtype"),
    ("shape", "shape"),
    ("shape here", "here"),
    ("least", "least"),
    ("greatest", "greatest"),
    ("here", "bytes"),
)
_NOTHING = TensorData("constant", ())


def tensors_section(page: PageData) -> Markup | None:
    """Return the table of all tensors, which first shows those whose sizes vary; None without tensors."""
    bounds = page.bounds
    if not bounds.tensors:
        return None
    inexact = sum(not t.exact for t in bounds.tensors.values())
    over = "Bounds are over the inputs for which the model runs; both ends are attained and proven"
    over += f", but for {inexact:,} marked ~, where they are only sound." if inexact else "."
    if not bounds.valid:
        over = "No input is valid, so nothing has bounds."
    title = tag("summary", heading("Tensors", len(bounds.tensors)))
    content = tag(
        "details",
        title,
        tag("p", over, class_="faint"),
        _controls(),
        tag("div", _table(), class_="scroll", tabindex=0, role="region", aria_label="table of tensors"),
        tag("p", "No tensor has all of these words.", id="none-found", hidden="", role="status"),
        tag("button", "Show more", type="button", id="more", hidden=""),
        tag("noscript", tag("p", "The table needs scripts; shapesmt bounds prints it as text.")),
        open="",
        class_="tensors",
    )
    return tag("section", content, tensor_data(page))


def tensor_data(page: PageData) -> Markup:
    """Return the tensors for the page's script."""
    return data("tensor-data", _rows(page))


def _rows(page: PageData) -> dict[str, object]:
    """Return the rows, the kinds (cells that equal tensors share), and the indices of the model's outputs."""
    kinds: dict[object, int] = {}
    listed: list[list[object]] = []
    rows = []
    for key, t in page.bounds.tensors.items():
        of = page.calculator.tensors.get(key, _NOTHING)
        identity = (id(t), of.shapes, of.elements)
        if identity not in kinds:
            kinds[identity] = len(listed)
            listed.append(_kind(t, of, valid=page.bounds.valid))
        rows.append([printable(key, 1000), of.maker, kinds[identity]])
    places = {key: place for place, key in enumerate(page.bounds.tensors)}
    outputs = [places[key] for key in page.calculator.outputs if key in places]
    return {"kinds": listed, "rows": rows, "outputs": outputs}


def _controls() -> Markup:
    search = tag(
        "input", type="search", id="search", placeholder="Search tensors, nodes, operators, formulas",
        aria_label="Search tensors", autocomplete="off", spellcheck="false",
    )  # fmt: skip
    varying = tag("label", tag("input", type="checkbox", id="varying"), "only sizes that vary")
    return tag("div", search, varying, tag("output", id="found"), class_="controls")


def _table() -> Markup:
    heads = [
        tag("th", tag("button", text, type="button", data_sort=key), scope="col", class_=key) for text, key in _COLUMNS
    ]
    over = [tag("td", colspan=5), tag("th", "bytes", colspan=3, scope="colgroup")]
    return tag("table", tag("thead", tag("tr", over, class_="over"), tag("tr", heads)), tag("tbody", id="rows"))


def _kind(t: TensorBounds, of: TensorData, *, valid: bool) -> list[object]:
    """Return element type, its bits, formulas, bounds, whether any size varies, shapes as entries, element counts."""
    dtype = printable(t.dtype) or "?"
    shapes = [[shape.condition, shape.sizes] for shape in of.shapes]
    bounds = either([_intervals(shape) for shape in t.shapes]) or "[...]"
    if t.shape is None:
        formulas = "; ".join(f"{_formulas(case.shape)} where {printable(case.when, MOST_CODE)}" for case in t.cases)
        varies = True
    else:
        formulas = _formulas(t.shape)
        varies = any(d.min != d.max for d in t.shape)
    shown = bounds if valid and varies else ""
    return [dtype, BITS.get(t.dtype), formulas or bounds, shown, varies, shapes, _elements(of) if valid else None]


def _elements(of: TensorData) -> list[object] | None:
    if of.elements is None:
        return None
    least, greatest, *proven = of.elements
    return [exact(least), None if greatest is None else exact(greatest), *proven]


def _intervals(shape: Sequence[DimBounds]) -> str:
    return f"[{', '.join(map(extent, shape))}]"


def _formulas(shape: Sequence[DimBounds]) -> str:
    return f"[{', '.join(map(_formula, shape))}]"


def _formula(dim: DimBounds) -> str:
    return str(dim.min) if dim.min == dim.max else printable(dim.expr, MOST_CODE)
