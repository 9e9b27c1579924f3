"""Each law broken alone: what ONNX Runtime says about it has a form or a reason, and is never called impossible."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import shapesmt
from shapesmt.network.laws import Law
from shapesmt.reports.answers import ErrorOrigin, Grade
from shapesmt.tasks.runtime_errors.reading import read
from tests.oracle.test_needed import openvino, torch
from tests.support.openvino_laws import Peer, written
from tests.tasks.runtime_errors.broken import Said, broken

SOURCE = re.compile(r"safeint\.h|op_kernel\.cc|narrowing_error|tensor\.h|IsScalarOr1ElementVector|MLDataType")
LEFT_OUT = re.compile(
    r"must be (?:a )?\dD|expected to have \d dimensions|same rank|length of size|layout not supported"
    r"|repeated letters|contain an ellipsis|must be positive(?!\. Got)|greater than zero|num_samples|used together"
    r"|Unexpected mode|mel triangle|empty set with bool|Must have 1 or more|Single dimension value"
    r"|not a finite value|Index value out of bounds|is not positive for axis|overflows int32"
)
REASONS: dict[str, Callable[[Said], bool]] = {
    "while a file is loaded, no input counts": lambda said: read(said.text).loading,
    "contrib and classic learning: node and law are found without a form": lambda said: said.domains != {""},
    "a type, an attribute or a missing input": lambda said: said.law.code[:4] in ("SM40", "SM50"),
    "an axis or a rank": lambda said: said.law.code in ("SM302", "SM303"),
    "a check far from the law": lambda said: SOURCE.search(said.text) is not None,
    "a rank, an attribute or data, without the size that decides": lambda said: LEFT_OUT.search(said.text) is not None,
}
"""Why a message is in no form."""


def test_every_message_has_a_form_or_a_reason() -> None:
    messages = [(said, read(said.text)) for said in broken()]
    unread = [said for said, message in messages if message.related and message.form is None]
    assert [said.text for said in unread if not any(why(said) for why in REASONS.values())] == []
    assert len(messages) - len(unread) > 250


def test_no_message_that_was_printed_is_impossible_and_each_names_its_law() -> None:
    wrong = []
    for said in broken():
        message = read(said.text)
        if not message.known or not message.related:
            continue
        answer = shapesmt.explain(said.model, error=said.text)
        assert isinstance(answer, ErrorOrigin)
        named = [c.finding.law for c in answer.candidates if c.finding is not None]
        if answer.grade is not Grade.UNRELATED and not any(_is(said.law, sentence) for sentence in named):
            wrong.append((said.law.sentence, answer.grade.value, named, said.text))
    assert wrong == []


def _is(law: Law, sentence: str) -> bool:
    """Whether a sentence is that of a law, with its fields filled in."""
    return re.fullmatch(re.sub(r"\\\{\w+\\\}", ".*", re.escape(law.sentence)), sentence) is not None


def test_what_pytorch_says_is_never_impossible() -> None:
    pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    from tests.oracle.torch.calls import graph_of
    from tests.oracle.torch.judge import run

    texts = [(call, run(call, {}).refused) for _, call in torch()]
    told = [(call, text) for call, text in texts if read(text).known]
    answers = [shapesmt.explain(graph_of(call), error=text) for call, text in told]
    assert [text for (_, text), answer in zip(told, answers, strict=True) if answer.grade is Grade.IMPOSSIBLE] == []
    assert len(told) > 100


def test_what_openvino_says_is_never_impossible(tmp_path: Path) -> None:
    pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")
    peer, impossible, known = Peer(), [], 0
    for _, case in openvino():
        path = written(case, tmp_path)
        kind, text = peer.run(path)
        if kind == "refused" and read(text).known:
            answer, known = shapesmt.explain(path, error=text), known + 1
            impossible += [text] if answer.grade is Grade.IMPOSSIBLE else []
    peer.close()
    assert impossible == []
    assert known > 200
