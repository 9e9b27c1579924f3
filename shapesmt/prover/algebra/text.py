"""Text of expressions and conditions, in the grammar of Python.

`h - 4*(h//4)` is written `h % 4`; names that are not identifiers are put in backticks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from keyword import iskeyword

from shapesmt.prover.algebra.dim import ATOMS, Atom, Dim, Kind, of_atom
from shapesmt.prover.algebra.evaluation import inmost_first
from shapesmt.prover.algebra.formula import Formula, differs, equal
from shapesmt.prover.algebra.interning import LOCK, memo
from shapesmt.prover.algebra.operations import FLOOR_DIVISION, MAX, MIN, SELECT, SYMBOL, text_of

Piece = tuple[int, str, bool]  # coefficient, text of the factor ("" for a number), whether it needs no parentheses
_FUNCTIONS = frozenset({"min", "max", "abs"})
MAX_TEXT = 4000  # maximum characters of an expression or a part of one; `CUT` replaces longer texts
CUT = "..."  # different expressions may have this text
_TEXTS: dict[Dim | Formula, str] = memo("texts", {})
_OPERANDS: dict[Dim, str] = memo("texts of operands", {})
_ATOMIC: dict[Atom, tuple[str, bool]] = memo("texts of atoms", {})
_SCANNED: set[Dim | Formula | Atom] = memo("what has texts below", set())  # definitions in these parts have texts


def conjunct(text: str) -> str:
    """Return a condition as a part of a conjunction: in parentheses if it has an `or`."""
    return f"({text})" if " or " in text else text


def conjunction(texts: Sequence[str]) -> str:
    """Return the conjunction of conditions.

    >>> conjunction(["n % 2 == 0", "m == 1 or m == n"]), conjunction(["m == 1 or m == n"])
    ('n % 2 == 0 and (m == 1 or m == n)', 'm == 1 or m == n')
    """
    return " and ".join(map(conjunct, texts)) if len(texts) > 1 else "".join(texts)


def name_text(name: str) -> str:
    """Return a symbol's name as formulas write it.

    >>> [name_text(name) for name in ("batch", "Batch Size", "a`b")]
    ['batch', '`Batch Size`', '`a``b`']
    """
    plain = name.isidentifier() and not iskeyword(name) and name not in _FUNCTIONS
    return name if plain else f"`{name.replace('`', '``')}`"


def text_name(text: str) -> str:
    """Return the symbol's name that formulas write as this text.

    >>> text_name("`a``b`"), text_name("batch")
    ('a`b', 'batch')
    """
    quoted = len(text) > 1 and text[0] == text[-1] == "`"
    return text[1:-1].replace("``", "`") if quoted else text


@text_of.register
def dim_text(dim: Dim) -> str:
    """Return the expression as text."""
    text = _TEXTS.get(dim)
    if text is not None:
        return text
    with LOCK:  # Definitions first, oldest first: no chain of them nests calls.
        for atom in inmost_first((dim,), (), _SCANNED):
            if atom.definition is not None:
                _print(atom.definition)
        _print(dim)
        return _TEXTS[dim]


def _print(dim: Dim) -> None:
    if dim not in _TEXTS:
        _TEXTS[dim] = _cut(_sum(_pieces(dim)))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else CUT


@text_of.register
def formula_text(formula: Formula) -> str:
    """Return the condition as text."""
    text = _TEXTS.get(formula)
    if text is None:
        text = _TEXTS[formula] = _cut(_condition(formula))
    return text


def _condition(formula: Formula) -> str:
    if formula.op in ("true", "false"):
        return formula.op.capitalize()
    if formula.dim is not None:
        pieces = _pieces(formula.dim)
        if formula.op == "ge":
            return _inequality(pieces)
        return _residue(formula.dim, formula.op) or _remainder_text(formula) or _equality(pieces, formula.op)
    beside = formula.args if formula.op == "and" else ()  # conditions that a divisor isn't 0 come first: shorter
    texts = [
        f"({formula_text(a)})" if a.op == "or" else _remainder_text(a, beside) or formula_text(a) for a in formula.args
    ]
    return f" {formula.op} ".join(sorted(texts, key=lambda t: (len(t), t)))


def _residue(dim: Dim, op: str) -> str:
    """Write `(e + c) % k == r` as `e % k == (r - c) % k`; "" for other equations."""
    for monomial, c in dim.terms:
        atom = ATOMS[monomial[0]] if len(monomial) == 1 else None
        if atom is not None and atom.op is FLOOR_DIVISION and abs(c) == atom.args[1].constant:
            numerator, k, sign = atom.args[0], abs(c), -1 if c > 0 else 1
            shift = numerator.shift
            rest = dim - sign * (numerator - k * of_atom(atom))
            if shift and rest.constant is not None and 0 <= -sign * rest.constant < k:
                number = (-sign * rest.constant - shift) % k
                return f"{_operand(numerator - shift)} % {k} {'==' if op == 'eq' else '!='} {number}"
    return ""


def _remainder_text(formula: Formula, beside: Sequence[Formula] = ()) -> str:
    """Write `e == d*(e//d)` as `e % d == 0`; "" for other equations, or if d may be 0.

    `beside` has the conditions of the same conjunction, which may exclude 0.
    """
    dim = formula.dim if formula.op in ("eq", "ne") else None
    for atom in dim.atoms() if dim is not None else ():
        if atom.op is FLOOR_DIVISION and atom.args[1].constant is None:
            numerator, divisor = atom.args
            rest = numerator - divisor * of_atom(atom)
            if dim in (rest, -rest) and (_never_zero(divisor) or differs(divisor, 0) in beside):
                return f"{_operand(numerator)} % {_operand(divisor)} {'==' if formula.op == 'eq' else '!='} 0"
    return ""


def _never_zero(dim: Dim) -> bool:
    """Whether an expression is known not to be 0, such as `4 if n == 0 else n`."""
    atom = dim.as_atom()
    if atom is None or atom.op is not SELECT:
        return not dim.lo <= 0 <= dim.hi
    condition, chosen, other = atom.args
    return (condition is differs(chosen, 0) or _never_zero(chosen)) and (
        condition is equal(other, 0) or _never_zero(other)
    )


def _equality(pieces: list[Piece], op: str) -> str:
    left, right, number = _sides(pieces)
    if number > 0 and right:
        left.append((number, "", True))
    elif number or not right:
        right.append((-number, "", True))
    if any(text for _, text, _ in right) and (len(_sum(right)), _sum(right)) < (len(_sum(left)), _sum(left)):
        left, right = right, left
    return f"{_sum(left)} {'==' if op == 'eq' else '!='} {_sum(right)}"


def _inequality(pieces: list[Piece]) -> str:
    left, right, number = _sides(pieces)
    if not left:
        return f"{_sum(right)} <= {number}"
    if not right:
        return f"{_sum(left)} >= {-number}"
    if number:
        (left if number > 0 else right).append((abs(number), "", True))
    if len(_sum(left)) <= len(_sum(right)):
        return f"{_sum(left)} >= {_sum(right)}"
    return f"{_sum(right)} <= {_sum(left)}"


def _sides(pieces: list[Piece]) -> tuple[list[Piece], list[Piece], int]:
    """Return the positive terms, the negated negative ones, and the constant."""
    left = [p for p in pieces if p[1] and p[0] > 0]
    right = [(-c, text, factor) for c, text, factor in pieces if text and c < 0]
    return left, right, sum(c for c, text, _ in pieces if not text)


def _sum(pieces: list[Piece]) -> str:
    text = ""
    for coefficient, factor, single in pieces:
        size = abs(coefficient)
        if not factor:
            term = str(size)
        elif size == 1:
            term = f"({factor})" if coefficient < 0 and not text and not single else factor
        else:
            term = f"{size}*{factor if single else f'({factor})'}"
        sign = "-" if coefficient < 0 else "+"
        text = f"{text} {sign} {term}" if text else f"-{term}" if coefficient < 0 else term
    return text or "0"


def _pieces(dim: Dim) -> list[Piece]:
    """Return the terms in the order of the text; `h - 4*(h//4)` becomes one term `h % 4`."""
    coefficients = dict(dim.terms)
    pieces: list[Piece] = []
    for factor, e, k in _remainders(dim):
        remainder = e - k * (e // k)
        parts = [(m, factor * c) for m, c in remainder.terms if m]
        if all(coefficients.get(m) == c for m, c in parts):
            for m, _ in parts:
                del coefficients[m]
            coefficients[()] = coefficients.get((), 0) - factor * remainder.shift
            pieces.append((factor, f"{_operand(e)} % {k}", False))
    for monomial, c in coefficients.items():
        if c:
            pieces.append((c, *_monomial([ATOMS[n] for n in monomial])))
    return sorted(pieces, key=lambda p: (p[1] == "", p[0] < 0, len(p[1]), p[1]))


def _remainders(dim: Dim) -> Iterator[tuple[int, Dim, int]]:
    """Yield what may be remainders in a sum: the factor `f`, dividend `e` and divisor `k` of `f*(e % k)`."""
    linear = [(ATOMS[monomial[0]], c) for monomial, c in dim.terms if len(monomial) == 1]
    for atom, c in linear:
        divisor = atom.args[1].constant if atom.op is FLOOR_DIVISION else None
        if divisor and c % divisor == 0:  # f*(e - k*(e//k)) is f*(e % k)
            yield -c // divisor, atom.args[0], divisor
        elif atom.op in (MIN, MAX):  # max(e, 1)//k may be e//k
            yield from ((c, of_atom(atom), -d // c) for _, d in linear if d % c == 0 and -d // c > 1)


def _operand(dim: Dim) -> str:
    """Return the expression as an operand of `//` or `%`."""
    text = _OPERANDS.get(dim)
    if text is None:
        text = _OPERANDS[dim] = _cut(_in_parentheses(dim))
    return text


def _in_parentheses(dim: Dim) -> str:
    pieces = _pieces(dim)
    alone = not pieces or (len(pieces) == 1 and pieces[0][0] >= 0 and (pieces[0][0] == 1 or not pieces[0][1]))
    return _sum(pieces) if alone and (not pieces or (pieces[0][2] and "*" not in pieces[0][1])) else f"({_sum(pieces)})"


def _monomial(atoms: list[Atom]) -> tuple[str, bool]:
    """Return the product of the atoms as text, and whether it needs no parentheses after a factor."""
    if len(atoms) == 1:
        return _atom(atoms[0])
    parts = sorted((_atom(a) for a in atoms), key=lambda p: (len(p[0]), p[0]))
    return "*".join(text if single else f"({text})" for text, single in parts), True


def _atom(atom: Atom) -> tuple[str, bool]:
    """Return the text of an atom, and whether it needs no parentheses after a factor."""
    known = _ATOMIC.get(atom)
    if known is None:
        text, single = _atom_text(atom)
        known = _ATOMIC[atom] = _cut(text), single
    return known


def _atom_text(atom: Atom) -> tuple[str, bool]:
    if atom.op is SYMBOL:
        if atom.kind is Kind.DEFINED and not atom.name.endswith("]") and atom.definition is not None:
            return f"({dim_text(atom.definition)})", True
        return name_text(atom.name), True
    return atom.op.text(_operand, *atom.args)
