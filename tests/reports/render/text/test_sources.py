"""The line of Python in the text and on the page."""

from __future__ import annotations

import dataclasses

import shapesmt
from shapesmt.reports.answers import Source
from shapesmt.reports.render.text.findings import finding_head, finding_lines
from shapesmt.reports.render.text.sources import quotation
from tests.support.reports import CONCAT, text
from tests.support.sources import CAT_STACK, written

EVIL = Source("/x/\x1b[2J\u202e" + "a" * 5000, 7, "\x1b[2J" * 100, "\u202e</script>" * 100, "\n" * 5000)


def test_a_finding_cites_its_line_after_the_title():
    rows = text(shapesmt.check(written(), dims={"h": "4.."})).splitlines()
    place = rows.index("  at model.py:13 in forward: return self.o(torch.cat([a, u], 1))  (called from model.py:28)")
    assert rows[place - 1] == "  image[2] is 4, half[2] is 2"
    assert any(row.endswith("MaxPool_0 (kernel 2, stride 2)  model.py:12") for row in rows)


def test_all_who_answer_cite_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text("\n" * 12 + "        return self.o(torch.cat([a, u], 1))\n")
    cited = "model.py:13 in forward: return self.o(torch.cat([a, u], 1))"
    assert cited in str(shapesmt.explain(written(), "node_cat"))
    assert cited in shapesmt.page(written()).replace("&#x27;", "'")
    (finding,) = shapesmt.check(written()).to_dict()["findings"]
    assert finding["source"] == {
        "file": "/home/me/unet/model.py",
        "line": 13,
        "function": "forward",
        "code": "return self.o(torch.cat([a, u], 1))",
        "module": "up1",
        "called_from": "/home/me/unet/model.py:28",
    }
    assert [cause.get("source", {}).get("line") for cause in finding["because"]] == [None, 12]


def test_the_module_where_the_line_is_pytorchs_own():
    stack = CAT_STACK.replace("/home/me/unet/", "/site-packages/torch/nn/")
    assert "  in module up1\n" in text(shapesmt.check(written(stack)))


def test_a_node_that_is_named_after_its_module_says_enough():
    rows = list(finding_head(dataclasses.replace(CONCAT, source=Source(module="up1"))))
    assert rows == list(finding_head(CONCAT))


def test_without_notes_nothing_is_cited():
    model = written()
    for node in model.graph.node:
        del node.metadata_props[:]
    report = shapesmt.check(model)
    assert "source" not in report.to_dict()["findings"][0]
    assert " at model.py" not in text(report)


def test_a_place_beside_a_cause_is_left_out_where_the_line_gets_long():
    causes = [dataclasses.replace(cause, source=Source("m.py", 3)) for cause in CONCAT.because]
    rows = [str(row) for row in finding_lines(dataclasses.replace(CONCAT, because=tuple(causes)))]
    assert sum("m.py:3" in row for row in rows) == 2
    assert max(len(row) for row in rows if "m.py:3" in row) <= 80


def test_hostile_text_is_one_short_line():
    assert quotation(EVIL).isprintable()
    assert len(quotation(EVIL)) < 600
    rows = [str(row) for row in finding_head(dataclasses.replace(CONCAT, source=EVIL))]
    assert all(row.isprintable() for row in rows)
