"""Markup: whatever comes from a file is text, in elements, attributes and data."""

import json
import re

import pytest

from shapesmt.reports.render.page.markup import Markup, data, tag

HOSTILE = ["</script><script>", "<!--", '"><img src=x onerror=alert(1)>', "&lt;", "\u2028", "'"]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_and_attributes_are_escaped(text):
    element = tag("p", text, title=text)
    assert element.count("<") == element.count(">") == 2
    assert element.count('"') == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_data_ends_no_element_and_reads_back(text):
    element = data("names", [text])
    assert element.count("<") == 2
    assert json.loads(re.fullmatch(r"<script[^>]*>(.*)</script>", element)[1]) == [text]


def test_markup_inside_markup_stays():
    assert tag("b", Markup("<i>x</i>"), ["y", None, 3]) == "<b><i>x</i>y3</b>"


def test_an_element_without_content_has_no_end():
    assert tag("meta", charset="utf-8") == '<meta charset="utf-8">'
