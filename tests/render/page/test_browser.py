"""The page in a real browser: it renders, its search works, and hostile names do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import shapesmt
from tests.render.page.test_html import HOSTILE, KV_CACHE, MODELS, SIZES, UNET, hostile_model, saved, text
from tests.support.browser import MISSING, browsing, installed, show


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    if installed() is None:
        pytest.skip(MISSING)
    with browsing() as started:
        yield started


@pytest.fixture
def shown(browser, tmp_path: Path):
    """Shows a page at a width and in a scheme; afterwards the browser has complained and asked of nothing."""

    def shows(html: str, width: int = 1200, scheme: str = "light"):
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        show(browser, path, width, scheme)
        return browser

    browser.get_log("performance")
    yield shows
    assert browser.get_log("browser") == []
    requests = [entry["message"] for entry in browser.get_log("performance") if "requestWillBeSent" in entry["message"]]
    assert requests
    assert all('"url":"file:///' in request for request in requests)


def run(browser, script: str) -> object:
    return browser.execute_script(f"return {script}")


def rows(browser) -> list[str]:
    return run(browser, "[...document.querySelectorAll('#rows tr')].map(row => row.cells[0].textContent)")


def search(browser, words: str) -> list[str]:
    field = browser.find_element("id", "search")
    field.clear()
    field.send_keys(words)
    return rows(browser)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("width", [360, 1200])
def test_every_verdict_renders_within_the_width(shown, name: str, width: int) -> None:
    browser = shown(shapesmt.page(text(MODELS[name])), width)
    assert run(browser, "document.querySelector('h1').getBoundingClientRect().height") > 0
    assert run(browser, "document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_schemes(shown, scheme: str) -> None:
    browser = shown(shapesmt.page(UNET, dims=SIZES), scheme=scheme)
    colours = run(browser, "['color', 'backgroundColor'].map(key => getComputedStyle(document.documentElement)[key])")
    ink, ground = (sum(map(int, colour[4:-1].split(","))) for colour in colours)
    assert abs(ink - ground) > 500
    assert (ground > ink) == (scheme == "light")


def test_the_drawings_are_where_they_are_seen(shown) -> None:
    browser = shown(shapesmt.page(UNET, dims=SIZES))
    sizes = run(browser, "[...document.querySelectorAll('svg')].map(s => s.getBoundingClientRect().width)")
    assert len(sizes) == 5  # the region, and a chain for each finding
    assert min(sizes) > 200
    overlapping = run(
        browser,
        """(() => {
        const boxes = [...document.querySelectorAll('.chain')].map(s => [...s.querySelectorAll('.box, .plate')]
            .map(box => box.getBoundingClientRect()));
        return boxes.some(all => all.some((a, i) => all.slice(i + 1).some(b =>
            a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)));
    })()""",
    )
    assert not overlapping
    labels = run(browser, "[...document.querySelectorAll('.chain .failing + text')].map(t => t.textContent)")
    assert [label.split()[1] for label in labels] == ["/up4/Concat", "/up3/Concat", "/up2/Concat", "/up1/Concat"]


def test_search_finds_tensors_by_every_column(shown) -> None:
    browser = shown(shapesmt.page(KV_CACHE))
    everything = rows(browser)
    assert len(everything) == 31
    assert search(browser, "masked") == ["masked"]
    assert search(browser, "add_mask") == ["masked"]
    assert set(search(browser, "matmul project")) == {"out"}
    assert "keys" in search(browser, "seq + past")
    assert search(browser, "no such thing") == []
    assert run(browser, "document.getElementById('found').textContent") == "0 of 31"
    assert search(browser, "   ") == everything
    browser.find_element("id", "varying").click()
    assert "to_query" not in rows(browser)
    assert "masked" in rows(browser)


def test_long_tables_come_in_parts_and_are_searched_whole(shown) -> None:
    nodes = " ".join(f"t{i + 1} = Relu(t{i})" for i in range(3000))
    browser = shown(shapesmt.page(text(f"g (float[n] t0) => (float[n] t3000) {{ {nodes} }}")))
    assert len(rows(browser)) == 100
    browser.find_element("id", "more").click()
    assert len(rows(browser)) == 500
    assert search(browser, "t2999") == ["t2999"]


def test_pointing_at_the_region_tells_the_cell(shown) -> None:
    browser = shown(shapesmt.page(UNET, dims={"height": "64..95", "width": "64..95"}))
    run(browser, "document.getElementById('cells').scrollIntoView({block: 'center'})")
    run(
        browser,
        """(() => {
        const frame = document.querySelector('.frame'), box = frame.getBoundingClientRect();
        const at = {clientX: box.left + box.width * 16.5 / 32, clientY: box.bottom - 1, bubbles: true};
        frame.dispatchEvent(new PointerEvent('pointermove', at));
    })()""",
    )
    assert run(browser, "document.querySelector('.readout').textContent") == "height = 64, width = 80: runs"


def test_hostile_names_do_nothing(shown, tmp_path: Path) -> None:
    browser = shown(shapesmt.page(saved(tmp_path, hostile_model())))
    assert run(browser, "document.querySelectorAll('img, iframe, svg[onload]').length") == 0
    assert run(browser, "document.scripts.length") == 3
    assert run(browser, "document.querySelector('h1').textContent") == "<b>&'\"alert(1).onnx"
    assert "a" + HOSTILE[1] in rows(browser)
    assert search(browser, "onerror=alert") != []
    assert run(browser, "document.querySelectorAll('#rows td *:not(bdi)').length") == 0
