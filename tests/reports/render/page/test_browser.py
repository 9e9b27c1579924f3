"""The page in a real browser: its search, its table and its map work, and hostile names do nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import shapesmt
from tests.reports.render.page.test_html import HOSTILE, KV_CACHE, SIZES, UNET, hostile_model, saved, text
from tests.support import payloads


def run(browser, script: str) -> object:
    return browser.execute_script(f"return {script}")


def rows(browser) -> list[str]:
    return run(browser, "[...document.querySelectorAll('#rows tr')].map(row => row.cells[0].textContent)")


def search(browser, words: str) -> list[str]:
    field = browser.find_element("id", "search")
    field.clear()
    field.send_keys(words)
    return rows(browser)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_schemes(shown, scheme: str) -> None:
    browser = shown(shapesmt.page(UNET, dims=SIZES), scheme=scheme)
    colours = run(browser, "['color', 'backgroundColor'].map(key => getComputedStyle(document.documentElement)[key])")
    ink, ground = (sum(map(int, colour[4:-1].split(","))) for colour in colours)
    assert abs(ink - ground) > 500
    assert (ground > ink) == (scheme == "light")


def test_a_chain_is_drawn_for_findings_of_one_cause(shown) -> None:
    browser = shown(shapesmt.page(UNET, dims=SIZES))
    sizes = run(browser, "[...document.querySelectorAll('svg')].map(s => s.getBoundingClientRect().width)")
    assert len(sizes) == 1
    assert min(sizes) > 200
    labels = run(browser, "[...document.querySelectorAll('.chain .failing + text')].map(t => t.textContent)")
    assert [label.split()[1] for label in labels] == ["/up4/Concat"]
    assert run(browser, "document.querySelector('summary').textContent") == "the same at 3 more nodes"


def test_search_finds_tensors_by_every_column(shown) -> None:
    browser = shown(shapesmt.page(KV_CACHE))
    varying = rows(browser)
    assert "to_query" not in varying
    browser.find_element("id", "varying").click()
    everything = rows(browser)
    assert len(everything) == 31
    assert search(browser, "masked") == ["masked"]
    assert search(browser, "add_mask") == ["masked"]
    assert set(search(browser, "matmul project")) == {"out"}
    assert "keys" in search(browser, "seq + past")
    assert browser.find_element("id", "none-found").text == ""
    assert search(browser, "no such thing") == []
    assert browser.find_element("id", "none-found").text == "No tensor has all of these words."
    assert run(browser, "document.getElementById('found').textContent") == "0 of 31"
    assert search(browser, "   ") == everything
    browser.find_element("id", "varying").click()
    assert rows(browser) == varying


def test_long_tables_come_in_parts_and_are_searched_whole(shown) -> None:
    nodes = " ".join(f"t{i + 1} = Relu(t{i})" for i in range(3000))
    browser = shown(shapesmt.page(text(f"g (float[n] t0) => (float[n] t3000) {{ {nodes} }}")))
    assert len(rows(browser)) == 100
    browser.find_element("id", "more").click()
    assert len(rows(browser)) == 500
    assert search(browser, "t2999") == ["t2999"]


def test_a_click_on_a_column_sorts_by_it(shown) -> None:
    browser = shown(shapesmt.page(UNET, dims={"batch": "1..4", **SIZES}))

    def sizes(column: int) -> list[str]:
        return run(browser, f"[...document.querySelectorAll('#rows tr')].map(row => row.cells[{column}].textContent)")

    browser.find_element("css selector", "[data-sort=greatest]").click()
    assert sizes(6)[:2] == ["40 MiB", "24 MiB"]
    assert run(browser, "document.querySelector('th.greatest').getAttribute('aria-sort')") == "descending"
    browser.find_element("css selector", "[data-sort=greatest]").click()
    assert sizes(6)[-2:] == ["24 MiB", "40 MiB"]
    browser.find_element("css selector", "[data-sort=tensor]").click()
    assert rows(browser) == sorted(rows(browser))


def test_pointing_at_the_grid_tells_the_cell(shown) -> None:
    equal = text("g (float[n] x, float[m] y) => (float[k] z) { z = Add(x, y) }")
    browser = shown(shapesmt.page(equal, dims={"n": "1..9", "m": "1..9"}))
    browser.execute_script(
        """
        const frame = document.querySelector('.frame'), box = frame.getBoundingClientRect();
        const at = {clientX: box.left + box.width * 2.5 / 9, clientY: box.bottom - box.height * 4.5 / 9, bubbles: true};
        frame.dispatchEvent(new PointerEvent('pointermove', at));
    """,
    )
    assert run(browser, "document.querySelector('.readout').textContent") == "n = 5, m = 3: fails"


def test_the_map_says_what_is_under_the_pointer_and_zooms(shown) -> None:
    browser = shown(shapesmt.page(UNET, dims=SIZES))
    labels = "document.getElementById('map').getAttribute('aria-label')"
    assert run(browser, labels) == "map of the graph: 4 depending on the input, 27 proved"
    point = """
        const map = document.getElementById('map'), box = map.getBoundingClientRect();
        const at = {clientX: box.left + 3, clientY: box.top + 5, bubbles: true};
        map.dispatchEvent(new PointerEvent(arguments[0], at));
    """
    browser.execute_script(point, "pointermove")
    assert run(browser, "document.getElementById('map-readout').textContent") == "down1: 3 nodes"
    browser.execute_script(point, "click")
    assert run(browser, "document.getElementById('map-whole').hidden") is False
    browser.find_element("id", "map-whole").click()
    assert run(browser, "document.getElementById('map-whole').hidden") is True


def test_hostile_names_do_nothing(shown, tmp_path: Path) -> None:
    browser = shown(shapesmt.page(saved(tmp_path, hostile_model())))
    assert run(browser, "document.querySelectorAll('img, iframe, svg[onload]').length") == 0
    assert run(browser, "document.scripts.length") == 4
    assert run(browser, "document.querySelector('.model').textContent") == "<b>&'\"alert(1).onnx"
    assert "a" + HOSTILE[1] in rows(browser)
    assert search(browser, "onerror=alert") != []
    assert run(browser, "document.querySelectorAll('#rows td *:not(bdi, small, wbr)').length") == 0


@pytest.mark.parametrize("number", [0, 19, 38])
def test_nothing_that_names_say_runs(shown, number: int) -> None:
    """A call of the undefined `pwned` would be an error in the browser's log."""
    called = payloads.names(number)
    browser = shown(shapesmt.page(payloads.hostile_model(called).SerializeToString()))
    assert run(browser, "typeof pwned") == "undefined"
    browser.find_element("id", "search").send_keys("pwned")
    assert run(browser, "document.querySelectorAll('img, iframe, svg[onload]').length") == 0
