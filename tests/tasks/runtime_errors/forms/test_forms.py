"""Each form of message, printed by the runtime itself: which inputs give it, and whether the least gives it again."""

from __future__ import annotations

from itertools import product

import pytest

import shapesmt
from shapesmt.network.declarations import parse_formula
from shapesmt.prover.algebra import Atom, Dim, evaluate, symbol
from shapesmt.reports.answers import ErrorOrigin
from shapesmt.tasks.runtime_errors.forms import FORMS
from shapesmt.tasks.runtime_errors.reading import read
from tests.support.each import each
from tests.tasks.runtime_errors.broken import broken
from tests.tasks.runtime_errors.printed import PRINTED, Printed, proto, said

DECLARED = "Got invalid dimensions"
ELSEWHERE = (DECLARED, "Failed to allocate")  # tests of their own have these


@each("printed", [p for p in PRINTED if p.words not in ELSEWHERE], lambda p: p.words)
def test_the_least_input_gives_the_message_again(printed: Printed) -> None:
    model = proto(printed)
    message = said(model, printed.sizes)
    assert printed.words in message
    empty = {name: "0.." for name, size in printed.sizes.items() if size == 0}
    answer = shapesmt.explain(model, error=message, dims=empty)
    assert isinstance(answer, ErrorOrigin)
    assert answer.possible
    (candidate,) = answer.candidates
    assert candidate.node == "a"
    assert candidate.counterexample is not None
    assert said(model, dict(candidate.counterexample.symbols)) == message
    for name, size in printed.sizes.items():
        if name in candidate.bounds:
            assert candidate.bounds[name].min <= size <= (candidate.bounds[name].max or size)


@pytest.mark.parametrize("part", range(4))
def test_the_exact_region_of_a_message_has_it_at_every_size_and_no_other_size_has(part: int) -> None:
    exact = 0
    for printed in [p for p in PRINTED if p.words != DECLARED][part::4]:
        model, names = proto(printed), sorted(printed.sizes)
        message = said(model, printed.sizes)
        answer = shapesmt.explain(model, error=message, dims=dict.fromkeys(names, "0..3"))
        assert isinstance(answer, ErrorOrigin)
        if answer.candidates and answer.candidates[0].region and max(printed.sizes.values()) <= 3:
            symbols = {name: symbol(name, 0, 3) for name in names}
            region, exact = parse_formula(answer.candidates[0].region, symbols), exact + 1
            for sizes in product(range(4), repeat=len(names)):
                inside = evaluate(region, dict(zip((atom(d) for d in symbols.values()), sizes, strict=True)))
                assert inside == (said(model, dict(zip(names, sizes, strict=True))) == message), (printed, sizes)
    assert exact >= 15


def atom(d: Dim) -> Atom:
    """The symbol that a size consists of."""
    (found,) = d.symbols
    return found


def test_every_form_of_onnxruntime_has_a_model_that_prints_it() -> None:
    texts = [said(proto(p), p.sizes, {"x": (3, 262)} if p.words == DECLARED else None) for p in PRINTED]
    texts += [each.text for each in broken()]
    forms = [form for form in FORMS if form.runtime == "onnxruntime"]
    assert [form.pattern.pattern for form in forms if not any(read(text).form is form for text in texts)] == []


def test_numbers_that_never_meet_are_impossible() -> None:
    model = proto(PRINTED[0])
    message = said(model, {"n": 4, "m": 7})
    assert shapesmt.explain(model, error=message.replace("Axis 0", "Axis 1")).possible is False
    assert shapesmt.explain(model, error=message.replace("7 and 4", "7 and 7")).possible is False
    assert shapesmt.explain(model, error=message).possible


def test_a_declared_size_that_a_node_needs_and_one_that_none_does() -> None:
    declared = next(p for p in PRINTED if p.words == DECLARED)
    model = proto(declared)
    message = said(model, declared.sizes, {"x": (3, 262)})
    needed = shapesmt.explain(model, error=message)
    assert (needed.input, dict(needed.got), [c.node for c in needed.candidates]) == ("x", {"1": 262}, ["a"])
    free = proto(Printed("", "(float[n, 100] x) => (z) { [a] z = Relu (x) }", {}))
    alone = shapesmt.explain(free, error=said(free, {"n": 3}, {"x": (3, 262)}))
    assert (alone.possible, alone.candidates) == (True, ())
    assert "no node needs that size" in str(alone)
    assert shapesmt.explain(free, error=message.replace("input: x", "input: other")).possible is False
    assert shapesmt.explain(free, error=message.replace("Expected: 100", "Expected: 90")).possible is False
