"""A browser that shows pages, for the tests of what they look like and compute."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import MISSING, browsing, installed, show


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    if installed() is None:
        pytest.skip(MISSING)
    pytest.importorskip("selenium", reason="selenium (extra `peers`) isn't installed")
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
