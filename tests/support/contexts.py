"""Contexts outside of a graph, and shapes for them."""

from __future__ import annotations

from shapesmt import Dim, InferenceContext, Tensor


def alone(*shapes: object, outputs: int = 1, **options: object) -> InferenceContext:
    return InferenceContext.of("Foo", shapes, outputs, name="foo", **options)  # type: ignore[arg-type]


CTX = alone()


def shape(text: str) -> Tensor:
    found = alone(text).inputs[0]
    assert found is not None
    return found


def fresh(text: str) -> Tensor:
    """Return the shape that a text spells: each `?` in `[2,?]` is a new unknown size, `?` alone a new unknown shape."""
    if text == "?":
        return CTX.unknown_shape()
    return CTX.make_shape([None if t == "?" else int(t) for t in text.strip("[]").split(",") if t])


def dim(text: str) -> Dim:
    return CTX.make_dim(None if text == "?" else int(text))


def shown(what: Tensor | Dim) -> str:
    return CTX.debug_string(what)
