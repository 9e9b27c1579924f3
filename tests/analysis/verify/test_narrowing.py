"""Symbols replaced by what reported conditions leave of them, and back."""

from __future__ import annotations

from shapesmt.analysis.verify.narrowing import Narrowing, narrowing_to
from shapesmt.operators.rules.tensors import tensor
from shapesmt.prover.algebra.dim import symbol
from shapesmt.prover.algebra.formula import at_least, equal
from shapesmt.prover.algebra.substitution import atom_of

N, M, K = symbol("n", 1), symbol("m", 1, 64), symbol("k", 0)
SMALL = symbol("m", 8, 16)
NARROWING = Narrowing({atom_of(N): K + 1, atom_of(M): SMALL})


def test_tensors_and_sizes_have_the_narrowed_symbols() -> None:
    assert NARROWING.tensor(tensor("float32", [N, M, 3])).dims == (K + 1, SMALL, tensor("", [3]).dims[0])
    assert NARROWING.narrow_sizes([N * 2, M // 32]) == [2 * K + 2, SMALL // 32]
    unranked = NARROWING.tensor(tensor("float32", None, ndim=N))
    assert unranked.shape is None
    assert unranked.ndim is K + 1


def test_conditions_lead_back_to_the_declared_symbols() -> None:
    condition = at_least(SMALL * K, 40)
    assert NARROWING.back(condition) is at_least(M * K, 40)
    assert NARROWING.back(equal(K, 2)) is equal(K, 2)


def test_an_assignment_has_the_narrowed_twins_too() -> None:
    values = NARROWING.values({atom_of(N): 3, atom_of(M): 9})
    assert values == {atom_of(N): 3, atom_of(M): 9, atom_of(SMALL): 9}


def test_a_narrowing_settles_what_its_ranges_imply() -> None:
    narrowing = Narrowing({atom_of(M): SMALL})
    assert narrowing.settles(at_least(M // 2, 4))
    assert not narrowing.settles(at_least(M, 9))
    assert narrowing.only_ranges
    assert not NARROWING.only_ranges


def test_equal_narrowings_are_one() -> None:
    assert narrowing_to({atom_of(M): SMALL}) is narrowing_to({atom_of(M): SMALL})
    assert narrowing_to({atom_of(M): SMALL}) is not narrowing_to({atom_of(M): K})
