"""Exact integers and conditions as interned expressions in a normal form."""

from shapesmt.prover.algebra.dim import (
    ONE as ONE,
    ZERO as ZERO,
    Atom as Atom,
    Dim as Dim,
    Kind as Kind,
    Window as Window,
    as_dim as as_dim,
    const as const,
    define_symbol as define_symbol,
    from_terms as from_terms,
    make_atom as make_atom,
    of_atom as of_atom,
    symbol as symbol,
)
from shapesmt.prover.algebra.division import ceil_divide as ceil_divide
from shapesmt.prover.algebra.evaluation import (
    SAFE as SAFE,
    Assignment as Assignment,
    Checked as Checked,
    End as End,
    Evaluator as Evaluator,
    Interpretation as Interpretation,
    evaluate as evaluate,
    fits_int64 as fits_int64,
    inmost_first as inmost_first,
    lowest as lowest,
    operands as operands,
)
from shapesmt.prover.algebra.extremes import maximum as maximum, minimum as minimum
from shapesmt.prover.algebra.factors import (
    common_factor as common_factor,
    divide_terms as divide_terms,
    product as product,
    step_of as step_of,
    total as total,
)
from shapesmt.prover.algebra.formula import (
    FALSE as FALSE,
    TRUE as TRUE,
    Formula as Formula,
    Verdict as Verdict,
    absolute as absolute,
    all_of as all_of,
    any_of as any_of,
    at_least as at_least,
    at_most as at_most,
    differs as differs,
    divides as divides,
    equal as equal,
    implies as implies,
    less as less,
    negate as negate,
    resolve as resolve,
    select as select,
    truncated_divide as truncated_divide,
)
from shapesmt.prover.algebra.interning import (
    LOCK as LOCK,
    Table as Table,
    WeakTable as WeakTable,
    entries_of as entries_of,
    forget as forget,
    forget_between as forget_between,
    memo as memo,
    one_call as one_call,
    sizes as sizes,
)
from shapesmt.prover.algebra.intervals import Bound as Bound, Interval as Interval
from shapesmt.prover.algebra.operations import (
    FLOOR_DIVISION as FLOOR_DIVISION,
    MAX as MAX,
    MIN as MIN,
    PRODUCT as PRODUCT,
    SELECT as SELECT,
    SYMBOL as SYMBOL,
    Operation as Operation,
    Rows as Rows,
)
from shapesmt.prover.algebra.relaxation import tight as tight
from shapesmt.prover.algebra.substitution import (
    Substitution as Substitution,
    atom_of as atom_of,
    atoms_within as atoms_within,
    beyond as beyond,
    entries as entries,
    entry as entry,
    expand_definitions as expand_definitions,
    numbers as numbers,
    partly_known as partly_known,
    position as position,
    positions as positions,
    substitute as substitute,
    substitute_atom as substitute_atom,
    twin as twin,
)
from shapesmt.prover.algebra.text import (
    CUT as CUT,
    conjunct as conjunct,
    conjunction as conjunction,
    name_text as name_text,
    text_name as text_name,
)
