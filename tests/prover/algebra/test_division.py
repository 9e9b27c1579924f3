"""The quotients of a symbol that leaves few remainders, compared with their values."""

from __future__ import annotations

from random import Random

from shapesmt.prover.algebra import Window, evaluate, symbol

MODULI = (2, 3, 4, 6, 8, 12, 28, 32, 56)


def test_quotients_of_a_symbol_in_a_window() -> None:
    n = symbol("n", 29, window=Window(32, 3, 4))
    quotients = {"(n + 31)//32": (n + 3) // 32, "8*((n + 31)//32)": (n + 3) // 4, "(n + 31)//64": (n + 5) // 64}
    assert {str(quotient) for quotient in quotients.values()} == set(quotients)
    assert str((n + 1) // 4) == "(n + 1)//4"  # one more for some values than for others
    m = symbol("m", 28, window=Window(28, 0, 4))
    assert (7 * (m // 28) + 1) // 2 is (m // 4 + 1) // 2
    assert str(m // 8) == "m//8"


def test_random_quotients_keep_their_values(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"windows {seed}")
        modulus = r.choice(MODULI)
        window = Window(modulus, r.randrange(modulus), r.randint(1, modulus - 1))
        n = symbol("n", 0, window=window)
        c, k, factor, divisor = r.randint(-80, 80), r.randint(1, 70), r.choice((-7, -2, 1, 2, 4, 7, 8)), r.randint(2, 8)
        plain = symbol("n", 0)
        for value in range(300):
            if (value + window.shift) % modulus < window.width:
                one, other = ((x, (x + window.shift) // modulus, (x + c) // modulus) for x in (n, plain))
                for x, y in zip(one, other, strict=True):
                    for a, b in (
                        ((x + c) // k, (y + c) // k),
                        ((factor * x + c) // divisor, (factor * y + c) // divisor),
                    ):
                        sizes = [evaluate(a, {n.as_symbol(): value}), evaluate(b, {plain.as_symbol(): value})]
                        assert sizes[0] == sizes[1], (seed, window, str(a), str(b), value)
