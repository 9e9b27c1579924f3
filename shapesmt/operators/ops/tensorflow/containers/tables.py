"""Tables in which values are looked up by their keys.

A handle is a `Tensor` of element type "table(n)": its first n axes are those of a key, the others those of a value. So
`table(0)[3]` has numbers or texts as keys and vectors of 3 as values, and `table(1)[2, 3]` has keys of 2 numbers. A
"dense table(n)" is looked up with a list of keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from shapesmt.network import laws
from shapesmt.network.graph import Declared
from shapesmt.operators.ops.shared.fields import integers_of
from shapesmt.operators.ops.shared.require import complete_sizes, require_same
from shapesmt.operators.ops.tensorflow.common import DOMAIN, leave_open
from shapesmt.operators.rules import RuleContext, Shape, Tensor, Traits, rule, tensor
from shapesmt.prover.algebra import ONE, Dim, as_dim, product


def handle(key: Shape, value: Sequence[Dim], dense: str = "") -> Tensor:
    """Return the tensor that represents a table with keys of shape `key`; `dense` is "dense " for a dense table."""
    return tensor(f"{dense}table({len(key)})", [*key, *value])


class Table(NamedTuple):
    """A lookup table: the shapes of a key and of a value, and whether it is looked up with a list of keys only."""

    key: Shape
    value: Shape
    dense: bool


TABLE_MADE_BY_MODEL = laws.SM502.law("the table is made by the model")


def table(ctx: RuleContext) -> Table:
    """Return the table at the first input; the node is undecided unless a node of the model creates the table."""
    x = ctx.input(0)
    kind, _, rank = x.dtype.rstrip(")").partition("table(")
    if not rank:
        leave_open(ctx, TABLE_MADE_BY_MODEL)
    return Table(x.dims[: int(rank)], x.dims[int(rank) :], kind == "dense ")


KEYS_END_SHAPED_AS_TABLE = laws.SM115.law("keys end with the shape of the table's")
DENSE_TABLE_ASKED_FOR_LIST = laws.SM401.law("a dense table is asked for a list of keys")


def batch_of_keys(ctx: RuleContext, entries: Table) -> Shape:
    """Return the axes of the second input before those of a key: `(b,)` if it is `[b, 2]` and keys are `[2]`."""
    x, rank = ctx.input(1), len(entries.key)
    ctx.check(x.rank >= rank, KEYS_END_SHAPED_AS_TABLE)
    require_same(ctx, x.dims[x.rank - rank :], entries.key, KEYS_END_SHAPED_AS_TABLE)
    if entries.dense:
        count = x[0] if x.rank else ONE
        ctx.require_equal(x.numel, count * product(entries.key), DENSE_TABLE_ASKED_FOR_LIST)
    return x.dims[: x.rank - rank]


VALUE_NUMBER_OR_LIST = laws.SM401.law("a value is one number or text, or a list of them")


def value_sizes(ctx: RuleContext) -> Shape:
    """Return the sizes of a value, from the attribute `value_shape`; by default values are scalars."""
    declared = ctx.attribute("value_shape")
    sizes = declared.shape if isinstance(declared, Declared) else ()
    ctx.check(sizes is not None and len(sizes) <= 1, VALUE_NUMBER_OR_LIST)
    return tuple(complete_sizes(ctx, [as_dim(d) if isinstance(d, int) else None for d in sizes or ()]))


@rule("HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2", domain=DOMAIN, traits=Traits.STATEFUL)
def scalars(ctx: RuleContext) -> Tensor:
    """Create a table whose keys and values are single numbers or texts."""
    return ctx.tensor((), "table(0)")


VALUE_IS_LIST = laws.SM107.law("a value is a list")


@rule("MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", domain=DOMAIN, traits=Traits.STATEFUL)
def vectors(ctx: RuleContext) -> Tensor:
    """Create a table whose keys are single numbers or texts, and whose values are vectors."""
    value = value_sizes(ctx)
    ctx.check(len(value) == 1, VALUE_IS_LIST)
    return handle((), value)


KEY_NUMBER_OR_LIST = laws.SM401.law("a key is one number or text, or a list of them")
PLACE_COUNT_POWER_OF_2 = laws.SM502.law("the number of places is a power of two, 4 or more")
SOME_PLACES_EMPTY = laws.SM502.law("some places stay empty, and not all")


@rule("MutableDenseHashTable", "MutableDenseHashTableV2", domain=DOMAIN, traits=Traits.STATEFUL)
def dense(ctx: RuleContext) -> Tensor:
    """Create a table whose keys have the shape of the reserved keys for empty and deleted buckets."""
    empty, buckets = ctx.input(0), ctx.integer("initial_num_buckets", 131072)
    ctx.check(empty.rank <= 1, KEY_NUMBER_OR_LIST)
    if ctx.node.op.endswith("V2"):
        _require_two_keys(ctx, empty, ctx.input(1))
    ctx.check(buckets >= 4 and buckets & buckets - 1 == 0, PLACE_COUNT_POWER_OF_2)
    ctx.check(0 < ctx.number("max_load_factor", 0.8) < 1, SOME_PLACES_EMPTY)
    return handle(empty.dims, value_sizes(ctx), "dense ")


TABLE_KEYS_ONE_SHAPE = laws.SM107.law("keys have one shape")
EMPTY_AND_DELETED_KEYS_DIFFER = laws.SM502.law("an empty place and a deleted key look different")


def _require_two_keys(ctx: RuleContext, empty: Tensor, deleted: Tensor) -> None:
    """Require that the keys for empty and deleted buckets have the same shape and differ."""
    ctx.require_agree(empty, deleted, law=TABLE_KEYS_ONE_SHAPE)
    same = integers_of(empty) is not None and integers_of(empty) == integers_of(deleted)
    ctx.check(not same, EMPTY_AND_DELETED_KEYS_DIFFER)


VALUES_SHAPED_AS_TABLE = laws.SM107.law("values have the shape of the table's")


@rule("LookupTableFind", "LookupTableFindV2", domain=DOMAIN, traits=Traits.STATEFUL)
def find(ctx: RuleContext) -> Tensor:
    """Return the value of each key; missing keys get one common default, or one each."""
    entries = table(ctx)
    defaults, values = ctx.input(2), ctx.tensor([*batch_of_keys(ctx, entries), *entries.value], "")
    per_key = defaults.rank == values.rank
    ctx.require_agree(defaults, values if per_key else ctx.tensor(entries.value, ""), law=VALUES_SHAPED_AS_TABLE)
    return ctx.tensor(values.dims, ctx.text("Tout", defaults.dtype))


@rule("LookupTableImport", "LookupTableImportV2", domain=DOMAIN, traits=Traits.STATEFUL)
@rule("LookupTableInsert", "LookupTableInsertV2", domain=DOMAIN, traits=Traits.STATEFUL)
def insert(ctx: RuleContext) -> list[Tensor]:
    """Put keys and their values into the table."""
    entries = table(ctx)
    values = ctx.tensor([*batch_of_keys(ctx, entries), *entries.value], "")
    ctx.require_agree(values, ctx.input(2), law=VALUES_SHAPED_AS_TABLE)
    return []


@rule("LookupTableRemoveV2", domain=DOMAIN, traits=Traits.STATEFUL)
def remove(ctx: RuleContext) -> list[Tensor]:
    """Remove keys and their values."""
    entries = table(ctx)
    batch_of_keys(ctx, entries)
    ctx.check(not entries.dense or ctx.input(1).rank > 0, DENSE_TABLE_ASKED_FOR_LIST)
    return []


@rule("LookupTableExport", "LookupTableExportV2", domain=DOMAIN, traits=Traits.STATEFUL)
def export(ctx: RuleContext) -> list[Tensor]:
    """Return all keys, and the value of each."""
    entries, count = table(ctx), ctx.fresh("count")
    types = ctx.text("Tkeys", ""), ctx.text("Tvalues", "")
    return [ctx.tensor([count, *sizes], dtype) for sizes, dtype in zip(entries[:2], types, strict=True)]


@rule("LookupTableSize", "LookupTableSizeV2", domain=DOMAIN, any_rank=True, total=True, traits=Traits.STATEFUL)
def count(ctx: RuleContext) -> Tensor:
    """Return the number of entries of a table."""
    return ctx.tensor((), "int64")
