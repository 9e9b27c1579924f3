"""A headless Chromium; `python -m tests.support.browser` takes the README's picture of a page with it."""

from __future__ import annotations

import shutil
import sys
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.support.hang import PATIENCE

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver

MISSING = "no Chromium here; Debian and Ubuntu have it as: apt-get install chromium chromium-driver"
STORY = Path(__file__).parents[2] / "examples" / "unet"
WIDTH = 1120
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
)  # fmt: skip


def installed() -> tuple[str, str] | None:
    """Return the paths of Chromium and of its driver; None if one of them is missing."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (chromium, driver) if chromium is not None and driver is not None else None


@contextmanager
def browsing() -> Iterator[WebDriver]:
    """Yield a headless Chromium with an empty profile, which logs its messages and requests; end it after the block."""
    from selenium import webdriver

    found = installed()
    assert found is not None, MISSING
    options = webdriver.ChromeOptions()
    options.binary_location = found[0]
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(found[1]))
        try:
            browser.set_page_load_timeout(PATIENCE)
            browser.get("about:blank")
            yield browser
        finally:
            browser.quit()


def show(browser: WebDriver, page: Path, width: int, scheme: str = "light") -> None:
    """Load a page in a window that is `width` pixels wide, with the colour scheme `scheme`, "light" or "dark"."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    browser.get(page.as_uri())


def picture() -> bytes:
    """Return a PNG of the page on the example's U-Net, from the top down to the form in which sizes are entered."""
    import shapesmt

    html = shapesmt.page(STORY / "unet.onnx", dims={"height": "64..512", "width": "64..512"})
    with TemporaryDirectory() as folder, browsing() as browser:
        page = Path(folder) / "unet.html"
        page.write_text(html, encoding="utf-8")
        show(browser, page, WIDTH)
        for place, size in ((1, 128), (2, 200)):
            field = browser.find_element("id", f"size-{place}")
            field.clear()
            field.send_keys(str(size))
        end = browser.execute_script(
            "return document.getElementById('sizes').getBoundingClientRect().bottom + scrollY + 20"
        )
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": end, "scale": 1}
        shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
    return b64decode(shot["data"])


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else STORY / "report.png"
    target.write_bytes(picture())
