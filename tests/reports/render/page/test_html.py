"""The page: whole in itself, text stays text, and in a real browser it shows and searches what it says."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

import shapesmt
from shapesmt.analysis.verify import Question
from shapesmt.entrypoints.api import Opened
from shapesmt.frontends import ModelSource
from shapesmt.prover.algebra import Verdict, symbol
from shapesmt.prover.regions import Conjunct, Residue
from shapesmt.reports.answers import BatchReport, Bounds, Counts, DimBounds, Precondition, Report, TensorBounds
from shapesmt.reports.answers.page import PageData
from shapesmt.reports.render.page.answer import headline
from shapesmt.reports.render.page.html import html_page
from shapesmt.reports.render.page.index import index_page

UNET = Path(__file__).parents[4] / "examples" / "unet" / "unet.onnx"
KV_CACHE = Path(__file__).parents[4] / "examples" / "kv_cache" / "kv_cache.onnx"
SIZES = {"height": "64..512", "width": "64..512"}
VOID = {"meta", "input"}
HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<!--<script>",
    "]]>`${alert(1)}`",
    "a'b\"c`d&amp;e",
    "line\u2028separator\u2029",
    "\u202eright to left\u200f",
    "<svg onload=alert(1)>",
]
MODELS = {
    "proved": 'g (float[n, 3] x) => (float[n, 3] y) { y = Relu(x) }',
    "fails": "g (float[n, 3] x, float[m, 4] y) => (float[k, 3] z) { z = Concat<axis=0>(x, y) }",
    "unknown": "g (float[n] x) => (float[n] y) { y = com.unheard.Of(x) }",
    "no symbols": "g (float[2, 3] x) => (float[2, 3] y) { y = Relu(x) }",
    "one symbol": "g (float[n, 4] x) => (float[m, 8] y) <int64[2] s = {-1, 8}> { y = Reshape(x, s) }",
    "data": "g (float[n] x) => (float[k] y) { i = NonZero(x) s = Shape(i) y = Reshape(x, s) }",
}  # fmt: skip


class Elements(HTMLParser):
    """The elements of a page in order; every one that opens has to close."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs), f"an attribute twice: {attrs}"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def text(model: str) -> bytes:
    return f'<ir_version: 8, opset_import: ["":18, "com.unheard":1]> {model}'.encode()


def hostile_model() -> onnx.ModelProto:
    """A model that depends on its input, in which every name is an attack."""
    nodes = [
        helper.make_node("Relu", ["x" + HOSTILE[0]], ["a" + HOSTILE[1]], name=HOSTILE[0]),
        helper.make_node("Add", ["a" + HOSTILE[1], "y" + HOSTILE[2]], ["b" + HOSTILE[3]], name=HOSTILE[1]),
        helper.make_node(HOSTILE[7], ["b" + HOSTILE[3]], ["c" + HOSTILE[4]], name=HOSTILE[6], domain=HOSTILE[5]),
    ]
    shape = [HOSTILE[0], HOSTILE[4]]
    inputs = [
        helper.make_tensor_value_info("x" + HOSTILE[0], TensorProto.FLOAT, shape),
        helper.make_tensor_value_info("y" + HOSTILE[2], TensorProto.FLOAT, [HOSTILE[1], HOSTILE[4]]),
    ]
    outputs = [helper.make_tensor_value_info("c" + HOSTILE[4], TensorProto.FLOAT, None)]
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(HOSTILE[5], 1)]
    graph = helper.make_graph(nodes, HOSTILE[0], inputs, outputs)
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def saved(folder: Path, model: onnx.ModelProto) -> Path:
    path = folder / "<b>&'\"alert(1).onnx"
    path.write_bytes(model.SerializeToString())
    return path


def embedded(html: str, identity: str) -> dict:
    found = re.search(rf'<script type="application/json" id="{identity}">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def masked(html: str) -> str:
    return re.sub(r"proved in [0-9.]+ s", "proved in ? s", html)


@pytest.mark.parametrize("name", MODELS)
def test_every_verdict_gives_a_page(name: str) -> None:
    page = Opened(ModelSource(text(MODELS[name])), Question()).page_data()
    elements = Elements(html_page(page))
    assert page.report.verdict.value in "".join(elements.texts)
    assert "section" in {tag for tag, _ in elements.found}


def test_page_tells_what_the_report_tells() -> None:
    told = " ".join("".join(Elements(shapesmt.page(UNET, dims=SIZES)).texts).split())
    for part in (
        "Runs exactly when height and width are multiples of 16", "repeats every 16", "and so on up to 512",
        "DEPENDS", "unet.onnx", "8 of 88 node requirements fail for some batch in 1..",
        "height % 16 == 0 and width % 16 == 0",
        "shapesmt check unet.onnx --dim height=64..512:16 --dim width=64..512:16",
        "841 of 201,601 choices of height and width run", "joined tensors match off the join axis", "SM103",
        "the same at 3 more nodes", "MaxPool", "kernel 2, stride 2", "2*(width//16) = 8",
    ):  # fmt: skip
        assert part in told, part


def test_page_asks_for_nothing() -> None:
    html = shapesmt.page(UNET, dims=SIZES)
    elements = Elements(html)
    assert not re.search(r"https?:|//[a-z]|@import|javascript:", re.sub(r"[a-z]+//[0-9]+|//\(", "", html))
    assert not {tag for tag, _ in elements.found} & {"link", "img", "iframe", "object", "base", "form"}
    for _, attributes in elements.found:
        assert not any(key in ("src", "href", "style") or key.startswith("on") for key in attributes)
    policy = next(a["content"] for tag, a in elements.found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy


def test_policy_names_the_script_and_the_style_of_the_page() -> None:
    from base64 import b64encode
    from hashlib import sha256

    html = shapesmt.page(text(MODELS["proved"]))
    for element in ("style", "script"):
        (content,) = re.findall(rf"<{element}>(.*?)</{element}>", html, re.DOTALL)
        assert f"{element}-src 'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'" in unescape(html)


def test_same_model_gives_the_same_bytes() -> None:
    assert masked(shapesmt.page(UNET, dims=SIZES)) == masked(shapesmt.page(UNET, dims=SIZES))


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    path = saved(tmp_path, hostile_model())
    hostile, others = shapesmt.page(path), [text(MODELS["unknown"]), UNET, KV_CACHE]
    allowed = {tag for model in others for tag, _ in Elements(shapesmt.page(model)).found}
    elements = Elements(hostile)
    assert {tag for tag, _ in elements.found} <= allowed
    scripts = [attributes for tag, attributes in elements.found if tag == "script"]
    assert [a.get("id") for a in scripts] == ["grid-0", "tensor-data", "calculator-data", None]
    assert not any(character in hostile for character in "\u2028\u2029\u202e\u200f")
    assert ["a" + HOSTILE[1], 0] in [row[:2] for row in embedded(hostile, "tensor-data")["rows"]]
    assert [HOSTILE[0], "Relu"] in [node[:2] for node in embedded(hostile, "calculator-data")["nodes"]]


def test_models_that_fail_show_formulas_without_bounds() -> None:
    found = embedded(shapesmt.page(text(MODELS["fails"])), "tensor-data")
    kinds = {row[0]: found["kinds"][row[2]] for row in found["rows"]}
    assert kinds["z"][:5] == ["float32", 32, "[m + n, 3]", "", True]


def test_replays_are_shown() -> None:
    told = "".join(Elements(html_page(Opened(ModelSource(UNET), Question(SIZES, replay=True)).page_data())).texts)
    assert told.count("confirmed by onnxruntime") == 1


def test_equal_shapes_are_written_once() -> None:
    shared = TensorBounds("float32", (DimBounds(1, 8, "n"),))
    bounds = Bounds("m.onnx", {}, {f"t{i}": shared for i in range(20_000)})
    html = html_page(PageData(Report("m.onnx", Verdict.PROVED, {}, Counts(1, proved=1)), bounds))
    assert html.count('["float32",32,"[n]","[1..8]",true,') == 1
    assert len(html) < 600_000


def test_warnings_are_shown() -> None:
    declared = text("g (float[n, 3] x) => (float[n, 4] y) { y = Relu(x) }")
    told = "".join(Elements(shapesmt.page(declared)).texts)
    assert "Warnings" in told
    assert "the file declares [n, 4] of 'y'" in told


def test_what_else_runs_and_what_runs_without_the_pinned_sizes_is_said():
    detector = Path(__file__).parents[4] / "examples" / "detector" / "detector.onnx"
    shown = shapesmt.page(detector, dims={"height": "32..640", "width": "32..640"})
    assert "(up to 7 less also works; " in shown
    table = detector.parents[1] / "position_table" / "position_table.onnx"
    assert "without --dim seq=600 it runs exactly when seq &lt;= 512; nearest: seq=512" in shapesmt.page(
        table, dims={"seq": 600}
    )


def test_a_row_of_an_index_points_at_nothing_below_it() -> None:
    region = Precondition((" or ".join(f"n == {k}*m" for k in range(2, 40)),), exact=True)
    report = Report("m.onnx", Verdict.DEPENDS, {}, Counts(1, depends=1), precondition=region)
    assert headline(report) == "Runs for some inputs: the condition is below"
    told = index_page(BatchReport((report,)), {})
    assert "Runs for some inputs and fails for others" in told
    assert "below" not in "".join(Elements(told).texts)


def test_an_option_in_an_advice_is_code_of_its_own() -> None:
    shown = shapesmt.page(text("g (float[n] x, float[m] y) => (float[k] z) { z = Add(x, y) }"))
    assert '(<code class="flag">--assume &quot;m == n&quot;</code>); else ' in shown


@pytest.mark.parametrize(("sizes", "noted"), [("1..64", False), ("1..65", True)])
def test_a_grid_says_how_many_values_a_cell_has_if_it_has_several(sizes: str, noted: bool) -> None:
    model = text("g (float[n] x, float[m] y) => (float[k] z) { z = Add(x, y) }")
    shown = shapesmt.page(model, dims={"n": sizes, "m": sizes})
    assert ("a cell is 2 values of n by 2 values of m" in shown) == noted
    assert ("a cell is" in shown) == noted


EVEN = Residue(*symbol("n").symbols, 2, (0,))


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        (("n + m >= 4", "n == m or n == k"), "Runs exactly when n + m >= 4 and (n == m or n == k)"),
        ((EVEN, "n == m or n == k"), "Runs exactly when n is even and (n == m or n == k)"),
        (("n == m or n == k",), "Runs exactly when n == m or n == k"),
    ],
)
def test_an_alternative_stands_in_parentheses_beside_other_conditions(
    conditions: tuple[Conjunct | str, ...], told: str
) -> None:
    report = Report("m", Verdict.DEPENDS, {}, Counts(2, 1, 1), precondition=Precondition(conditions, True))
    assert re.sub("<[^>]+>", "", unescape("".join(map(str, headline(report))))) == told
