"""Errors: two families, and names that no terminal obeys."""

from __future__ import annotations

import re

import pytest

from shapesmt.base.errors import InternalError, ModelError, ShapesmtError, UsageError, printable


class TestErrors:
    def test_user_mistakes_are_one_family_and_ours_another(self):
        assert issubclass(ModelError, ShapesmtError)
        assert issubclass(UsageError, ShapesmtError)
        assert not issubclass(InternalError, ShapesmtError)
        assert "please report it" in str(InternalError("x"))

    @pytest.mark.parametrize("text", ["a\nb", "\x1b[31m", "\u202eabc", "\ud800", "\x00"])
    def test_printable_leaves_nothing_that_a_terminal_obeys(self, text):
        assert printable(text).isprintable()

    @pytest.mark.parametrize("text", ["##vso[a]", "x ##[a]", "##teamcity[a]", "###[", "##", "x##vso", "\x1b##[a"])
    def test_printable_leaves_nothing_that_those_who_run_jobs_obey(self, text):
        assert not re.search(r"##\w*\[", f"{printable(text)}[0]")

    def test_printable_keeps_ordinary_names_and_shortens_long_ones(self):
        assert printable("/up1/Größe_0") == "/up1/Größe_0"
        assert len(printable("x" * 10_000)) <= 120

    @pytest.mark.parametrize("text", ["\x1b", "\U000e0001", "##[", "##vso[a]", "#", "\n", "x##"])
    def test_escaped_names_are_as_short_as_others(self, text):
        for times in (1, 20, 30, 40, 119, 120, 500):
            shown = printable(text * times)
            assert len(shown) <= 120
            assert not re.search(r"##\w*\[", f"{shown}[0]")
