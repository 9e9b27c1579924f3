"""Document: a page that needs no other file, from its body, its styles and its scripts.

Its content security policy forbids every request, and allows only the script and style whose hashes it states.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files

from shapesmt.base.errors import printable
from shapesmt.base.version import __version__
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.render.page.markup import Content, Markup, tag

SIGNS = {Verdict.PROVED: "✓", Verdict.UNKNOWN: "?", Verdict.DEPENDS: "◐", Verdict.FAILS: "✕"}
MOST_CODE = 400


def page_document(title: str, body: Content, scripts: Sequence[str] = ()) -> str:
    """Return the whole page."""
    style, script = _assets(["base.css", "parts.css", "print.css"]), _assets(scripts)
    allowed = f"style-src '{_hash(style)}'" + (f"; script-src '{_hash(script)}'" if script else "")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy",
            content=f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", style),
    )  # fmt: skip
    whole = tag("body", body, tag("footer", f"shapesmt {__version__}"), tag("script", script) if script else None)
    return f"<!doctype html>\n{tag('html', head, whole, lang='en')}\n"


def _assets(names: Sequence[str]) -> Markup:
    folder = files("shapesmt.reports.render.page") / "assets"
    return Markup("\n".join((folder / name).read_text(encoding="utf-8") for name in names))


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def section(title: str, *content: Content, number: int | None = None, identity: str | None = None) -> Markup:
    """Return a part of the page under a heading, with the number of things in it."""
    return tag("section", heading(title, number), *content, id=identity)


def heading(title: str, number: int | None = None) -> Markup:
    """Return the heading of a part of the page, with the number of things in it."""
    return tag("h2", title, tag("span", f"{number:,}", class_="number") if number is not None else None)


def badge(verdict: Verdict) -> Markup:
    """Return a verdict as a sign and a word."""
    return tag("span", tag("span", SIGNS[verdict], aria_hidden="true"), f" {verdict.value}", class_=f"badge {verdict}")


def code(formula: str) -> Markup:
    """Return a formula as an element."""
    return tag("code", printable(formula, MOST_CODE))


def copyable(text: str, identity: str) -> Markup:
    """Return a command with a button to copy it; its words are quoted already."""
    button = tag("button", "Copy", type="button", data_copy=identity, hidden="")
    return tag("p", tag("code", Markup(escape(text)), id=identity), button, class_="command")
