"""Tables in which values are looked up by their keys.

A handle is a `Tensor` of element type "table(1)" whose first axis, one here, is that of a key, and whose other axes are
those of a value: `table(0)[3]` has numbers or texts as keys and vectors of 3 as values. Where it is "dense table(1)",
the keys that are looked up are a list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shapesmt import laws
from shapesmt.algebra import ONE, Dim, as_dim, product
from shapesmt.graph import Declared
from shapesmt.ops.shared.fields import integers_of
from shapesmt.ops.shared.require import sized
from shapesmt.ops.tensorflow.common import DOMAIN, dtype_of, leave_open
from shapesmt.rules import Shape, Tensor, rule, tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapesmt.rules import RuleContext


def handle(key: Shape, value: Sequence[Dim], dense: str = "") -> Tensor:
    """What stands for a table."""
    return tensor(f"{dense}table({len(key)})", [*key, *value])


class Table(NamedTuple):
    """The sizes of a key and of a value, and whether keys have to be listed."""

    key: Shape
    value: Shape
    dense: bool


def table(ctx: RuleContext) -> Table:
    """The table that a node reads; one from elsewhere isn't known."""
    found = ctx.input(0)
    kind, _, rank = found.dtype.rstrip(")").partition("table(")
    if not rank:
        leave_open(ctx, laws.TABLE_MADE_BY_MODEL)
    return Table(found.dims[: int(rank)], found.dims[int(rank) :], kind == "dense ")


def keyed(ctx: RuleContext, found: Table) -> Shape:
    """The sizes of what the keys at the second input are arranged in."""
    x, rank = ctx.input(1), len(found.key)
    ctx.check(x.rank >= rank, laws.KEYS_END_SHAPED_AS_TABLE)
    for d, size in zip(x.dims[x.rank - rank :], found.key, strict=True):
        ctx.require_equal(d, size, laws.KEYS_END_SHAPED_AS_TABLE)
    if found.dense:
        count = x[0] if x.rank else ONE
        law = laws.DENSE_TABLE_ASKED_FOR_LIST
        ctx.require_equal(x.numel, count * product(found.key), law)
    return x.dims[: x.rank - rank]


def sizes_of_value(ctx: RuleContext) -> Shape:
    """What the node says of values: a number each unless it says more."""
    declared = ctx.attribute("value_shape")
    sizes = declared.shape if isinstance(declared, Declared) else ()
    ctx.check(sizes is not None and len(sizes) <= 1, laws.VALUE_NUMBER_OR_LIST)
    return tuple(sized(ctx, [as_dim(d) if isinstance(d, int) else None for d in sizes or ()]))


@rule("HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2", domain=DOMAIN)
def scalars(ctx: RuleContext) -> Tensor:
    """A table of a number or text for each number or text."""
    return ctx.tensor((), "table(0)")


@rule("MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", domain=DOMAIN)
def vectors(ctx: RuleContext) -> Tensor:
    """A table of a list for each number or text."""
    value = sizes_of_value(ctx)
    ctx.check(len(value) == 1, laws.VALUE_IS_LIST)
    return handle((), value)


@rule("MutableDenseHashTable", "MutableDenseHashTableV2", domain=DOMAIN)
def dense(ctx: RuleContext) -> Tensor:
    """A table whose keys are shaped like the one that stands for an empty place; another stands for a deleted one."""
    empty, buckets = ctx.input(0), ctx.integer("initial_num_buckets", 131072)
    ctx.check(empty.rank <= 1, laws.KEY_NUMBER_OR_LIST)
    if ctx.node.op.endswith("V2"):
        _require_two_keys(ctx, empty, ctx.input(1))
    ctx.check(buckets >= 4 and buckets & buckets - 1 == 0, laws.PLACE_COUNT_POWER_OF_2)
    ctx.check(0 < ctx.number("max_load_factor", 0.8) < 1, laws.SOME_PLACES_EMPTY)
    return handle(empty.dims, sizes_of_value(ctx), "dense ")


def _require_two_keys(ctx: RuleContext, empty: Tensor, deleted: Tensor) -> None:
    """State that the keys which stand for an empty and for a deleted place have one shape and differ."""
    ctx.require_agree(empty, deleted, law=laws.TABLE_KEYS_ONE_SHAPE)
    same = integers_of(empty) is not None and integers_of(empty) == integers_of(deleted)
    ctx.check(not same, laws.EMPTY_AND_DELETED_KEYS_DIFFER)


@rule("LookupTableFind", "LookupTableFindV2", domain=DOMAIN)
def find(ctx: RuleContext) -> Tensor:
    """A value for each key; what others get is one value, or one for each."""
    found = table(ctx)
    others, made = ctx.input(2), ctx.tensor([*keyed(ctx, found), *found.value], "")
    each = others.rank == made.rank
    ctx.require_agree(others, made if each else ctx.tensor(found.value, ""), law=laws.VALUES_SHAPED_AS_TABLE)
    return ctx.tensor(made.dims, dtype_of(ctx, "Tout", others.dtype))


@rule("LookupTableImport", "LookupTableImportV2", "LookupTableInsert", "LookupTableInsertV2", domain=DOMAIN)
def insert(ctx: RuleContext) -> list[Tensor]:
    """A value for each key goes into the table."""
    found = table(ctx)
    made = ctx.tensor([*keyed(ctx, found), *found.value], "")
    ctx.require_agree(made, ctx.input(2), law=laws.VALUES_SHAPED_AS_TABLE)
    return []


@rule("LookupTableRemoveV2", domain=DOMAIN)
def remove(ctx: RuleContext) -> list[Tensor]:
    """The entries of keys go."""
    found = table(ctx)
    keyed(ctx, found)
    ctx.check(not found.dense or ctx.input(1).rank > 0, laws.DENSE_TABLE_ASKED_FOR_LIST)
    return []


@rule("LookupTableExport", "LookupTableExportV2", domain=DOMAIN)
def export(ctx: RuleContext) -> list[Tensor]:
    """All keys and their values."""
    found, count = table(ctx), ctx.fresh("count")
    types = dtype_of(ctx, "Tkeys", ""), dtype_of(ctx, "Tvalues", "")
    return [ctx.tensor([count, *sizes], dtype) for sizes, dtype in zip(found[:2], types, strict=True)]


@rule("LookupTableSize", "LookupTableSizeV2", domain=DOMAIN, any_rank=True, total=True)
def count(ctx: RuleContext) -> Tensor:
    """How many entries a table has."""
    return ctx.tensor((), "int64")
