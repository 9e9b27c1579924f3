"""The layout in a real browser, at three widths: nothing is clipped, nothing overlaps, and axe finds nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shapesmt.entrypoints.api import Opened
from shapesmt.frontends import ModelSource

pytest.importorskip("axe_core_python", reason="axe-core-python (extra `peers`) isn't installed")

import axe_core_python

import shapesmt
from shapesmt.analysis.verify import Question
from shapesmt.reports.answers import BatchReport, Unchecked
from shapesmt.reports.render.page.index import index_page
from tests.reports.render.page.graph.test_blocks import graph
from tests.reports.render.page.test_html import KV_CACHE, MODELS, SIZES, UNET, hostile_model, saved, text

EXAMPLES = Path(__file__).parents[4] / "examples"
PAGES = {
    **{name: (text(model), {}) for name, model in MODELS.items()},
    "unet": (UNET, SIZES),
    "kv cache": (KV_CACHE, {}),
    "position table": (EXAMPLES / "position_table" / "position_table.onnx", {"batch": "1..8", "seq": "1..1024"}),
}
LONG = "encoder_with_a_long_name_" * 5
SUM = f"g (float[n] x, float[m] y) => (float[k] z) {{ {LONG}a = Relu(x) {LONG}b = Relu(y) z = Add({LONG}a, {LONG}b) }}"
PAGES["long names"] = (text(SUM), {})
PAGES["blocks"] = (graph(420), {"n": "1..9"})
PAPER = "rgb(255, 255, 255)"
WIDTHS = pytest.mark.parametrize("width", [390, 800, 1600])
BOXES = """
    const width = arguments[0];
    const hidden = (node) => !node.parentElement.checkVisibility()
        || node.parentElement.closest('.spoken, noscript, script, style, [hidden], title');
    const seen = [], wrong = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!node.textContent.trim() || hidden(node)) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) {
            if (box.width < 1 || box.height < 1) continue;
            const text = node.textContent.trim().slice(0, 40);
            const scrolled = node.parentElement.closest('.scroll')?.getBoundingClientRect();
            if (scrolled && box.bottom > scrolled.bottom) continue; // rows further down
            if (box.left < -0.5 || box.right > width + 0.5) wrong.push(`beyond the page: ${text}`);
            for (let frame = node.parentElement; frame; frame = frame.parentElement) {
                const clips = frame instanceof SVGSVGElement || getComputedStyle(frame).overflowX !== 'visible';
                const around = frame.getBoundingClientRect();
                if (clips && (box.left < around.left - 0.5 || box.right > around.right + 0.5)) {
                    wrong.push(`clipped: ${text}`);
                }
            }
            seen.push([box, text, node]);
        }
    }
    seen.sort((a, b) => a[0].top - b[0].top);
    seen.forEach(([box, text, node], i) => {
        for (let j = i + 1; j < seen.length && seen[j][0].top < box.bottom - 2; j += 1) {
            const [other, otherText, otherNode] = seen[j];
            const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
            if (across > 2 && otherNode !== node) wrong.push(`overlap: ${text} | ${otherText}`);
        }
    });
    if (document.documentElement.scrollWidth > width) wrong.push('the page scrolls sideways');
    return [seen.length, wrong];
"""
AXE = """
    const done = arguments[arguments.length - 1];
    axe.run({resultTypes: ['violations']}).then((found) =>
        done(found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html).join(' | ')}`)));
"""


@pytest.mark.parametrize("name", PAGES)
@WIDTHS
def test_nothing_is_clipped_and_nothing_overlaps(shown, name: str, width: int) -> None:
    model, dims = PAGES[name]
    browser = shown(shapesmt.page(model, dims=dims), width)
    texts, wrong = browser.execute_script(BOXES, width)
    assert texts > 10
    assert wrong == []
    browser.execute_script("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert browser.execute_script(BOXES, width)[1] == []


@pytest.mark.parametrize("name", PAGES)
def test_paper_has_everything_in_black_on_white(shown, name: str) -> None:
    model, dims = PAGES[name]
    width = 718  # of A4 with margins
    browser = shown(shapesmt.page(model, dims=dims), width, "dark")
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": dark})
    assert browser.execute_script(BOXES, width)[1] == []
    assert browser.execute_script("return getComputedStyle(document.documentElement).backgroundColor") == PAPER
    buttons = "[...document.querySelectorAll('button')].filter((each) => !each.closest('th') && each.checkVisibility())"
    assert browser.execute_script(f"return {buttons}.length") == 0
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


@pytest.mark.parametrize("name", ["unet", "kv cache"])
def test_sizes_to_try_are_beside_where_it_runs_if_there_is_room(shown, name: str) -> None:
    model, dims = PAGES[name]
    html = shapesmt.page(model, dims=dims)
    boxes = """return [...document.querySelectorAll('.pair > section')].map((each) => {
        const box = each.getBoundingClientRect();
        return [box.left, box.top, box.width];
    })"""
    where, sizes = shown(html, 1280).execute_script(boxes)
    assert where[1] == sizes[1]
    assert where[0] + where[2] <= sizes[0]
    assert where[2] == 610  # 560 without padding
    where, sizes = shown(html, 800).execute_script(boxes)
    assert where[0] == sizes[0]
    assert where[1] < sizes[1]


def test_on_a_phone_tensors_are_folded_and_the_sides_of_a_clash_are_below_each_other(shown) -> None:
    html = shapesmt.page(UNET, dims=SIZES)
    open_ = "return document.querySelector('.tensors').open"
    sides = "return [...document.querySelectorAll('.clash > *')].map((each) => each.getBoundingClientRect().left)"
    assert shown(html, 1280).execute_script(open_)
    browser = shown(html, 390)
    assert not browser.execute_script(open_)
    left, against, right = browser.execute_script(sides)
    assert left == right < against
    browser.find_element("css selector", ".tensors > summary").click()
    assert browser.execute_script("return document.querySelectorAll('#rows tr').length") == 25
    assert browser.execute_script(BOXES, 390)[1] == []


@WIDTHS
def test_hostile_names_fit_as_well(shown, tmp_path: Path, width: int) -> None:
    browser = shown(shapesmt.page(saved(tmp_path, hostile_model())), width)
    assert browser.execute_script(BOXES, width)[1] == []


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(shown, name: str, scheme: str) -> None:
    model, dims = PAGES[name]
    browser = shown(shapesmt.page(model, dims=dims), 1200, scheme)
    browser.execute_script((Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    assert browser.execute_async_script(AXE) == []


@WIDTHS
def test_the_index_of_a_folder_is_as_good(shown, width: int) -> None:
    reports = [Opened(ModelSource(model), Question(dims)).check() for model, dims in PAGES.values()]
    long = replace(reports[0], model="a/deep/folder/" + "with_a_long_name_" * 8 + ".onnx")
    batch = BatchReport((*reports, long, Unchecked("damaged.onnx", "cannot read damaged.onnx: it ends too early")))
    browser = shown(index_page(batch, {model.model: f"{i}.html" for i, model in enumerate(batch.models)}), width)
    assert browser.execute_script(BOXES, width)[1] == []
    rows = browser.execute_script("return document.querySelector('table').querySelectorAll('tbody tr').length")
    assert rows == len(batch.models)
    browser.execute_script((Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    assert browser.execute_async_script(AXE) == []
