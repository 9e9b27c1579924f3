"""Cache keys: digests of a model's content, the question, and the answerer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from shapesmt.examine import Question
from shapesmt.fleet.answers import sum_of
from shapesmt.fleet.identity import Answerer, identity


def key(content: str, question: Question, shapes: Mapping[str, Any]) -> bytes:
    """Return the key of an answer: a digest of model, question and answerer; b"" if model or answerer have no digest.

    Args:
        content: The model's digest, by `content_digest`; "" if it has none.
        question: The question.
        shapes: Shapes that apply if the model has such an input.
    """
    return sum_of(content.encode(), digest(question, shapes).encode()) if content and not identity().trouble else b""


class _Last:
    """The last question and its digest, which thousands of models share: one tuple, so that threads see it whole."""

    asked: tuple[Question, Mapping[str, Any], Answerer, str] | None = None


def digest(question: Question, shapes: Mapping[str, Any]) -> str:
    """Return a digest of a question, its shapes, and the answerer."""
    last, who = _Last.asked, identity()
    if last is None or last[0] is not question or last[1] is not shapes or last[2] is not who:
        written = json.dumps([who.digest, _plain(question), _plain(shapes)])
        last = _Last.asked = question, shapes, who, sum_of(written.encode()).hex()
    return last[3]


def _plain(value: Any) -> Any:
    """Convert a value to JSON that differs for different values; origins of ranges count too."""
    if is_dataclass(value):
        return [type(value).__name__, *(_plain(getattr(value, item.name)) for item in fields(value) if item.compare)]
    if isinstance(value, Mapping):
        return [[_plain(key), _plain(item)] for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if isinstance(value, (str, int, type(None))) else repr(value)
