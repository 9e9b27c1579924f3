"""Check that the attributes of `ai.onnx.ml` tree ensembles describe trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shapesmt.network import laws
from shapesmt.network.graph import Literal
from shapesmt.operators.rules import RuleContext
from shapesmt.prover.algebra import Dim

NODES = ("nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids", "nodes_trueleafs", "nodes_falseleafs")
OLD_NODES = ("nodes_featureids", "nodes_modes", "nodes_nodeids", "nodes_treeids", "nodes_truenodeids")
MODES = {f"BRANCH_{mode}" for mode in ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "MEMBER")} | {"LEAF"}


def length(ctx: RuleContext, *names: str) -> int:
    """Return the length of the first list attribute in `names` that isn't empty; 0 if there is none."""
    listed = (ctx.attributes.get(name) for name in names)
    return next((len(value) for value in listed if isinstance(value, tuple) and value), 0)


TREES_LOOK_AT_INPUT_FEATURES = laws.SM108.law("trees look at features of the input")


def sample_count(ctx: RuleContext) -> Dim:
    """Return the number of samples; require that the input has every feature that a tree tests."""
    x = ctx.input(0, rank=2)
    looked_at, modes = ctx.integers("nodes_featureids", ()), ctx.attributes.get("nodes_modes")
    if isinstance(modes, tuple):  # classifiers and regressors: a leaf tests no feature
        looked_at = tuple(i for i, mode in zip(looked_at, modes, strict=False) if mode != "LEAF")
    if looked_at:
        ctx.require_at_least(x[1], max(looked_at) + 1, TREES_LOOK_AT_INPUT_FEATURES)
    return x[0]


# Version 5: nodes and leaves are in separate lists


SPLIT_PER_ENTRY = laws.SM116.law("there is one of the splits for each entry of the other lists")
TREE_PLACES_INSIDE_LISTS = laws.SM301.law("the places in trees are inside the lists")
NODES_FORM_TREES = laws.SM301.law("from a root, each node is reached once")


def require_places_in_trees(ctx: RuleContext) -> None:
    """Require that lists about nodes are equally long, that their indices exist, and that nodes form trees."""
    nodes, leaves = length(ctx, "nodes_featureids"), length(ctx, "leaf_targetids")
    lists = (*NODES, "nodes_hitrates", "nodes_missing_value_tracks_true")
    even = all(length(ctx, name) in (0, nodes) for name in lists) and all(length(ctx, name) for name in NODES)
    ctx.limit(even, SPLIT_PER_ENTRY)
    there = [0 <= root < nodes for root in ctx.integers("tree_roots", ())]
    there += [0 <= target < ctx.integer("n_targets", 1) for target in ctx.integers("leaf_targetids", ())]
    there += [feature >= 0 for feature in ctx.integers("nodes_featureids", ())]
    below: dict[int, list[int]] = {}
    for side in ("true", "false"):
        ids, flags = ctx.integers(f"nodes_{side}nodeids", ()), ctx.integers(f"nodes_{side}leafs", ())
        there += [0 <= i < (leaves if leaf else nodes) for i, leaf in zip(ids, flags, strict=False)]
        for node, (i, leaf) in enumerate(zip(ids, flags, strict=False)):
            below.setdefault(node, []).extend([] if leaf else [i])
    ctx.limit(all(there), TREE_PLACES_INSIDE_LISTS)
    ctx.limit(all(_is_tree(below, root) for root in ctx.integers("tree_roots", ())), NODES_FORM_TREES)


def _is_tree(below: Mapping[int, Sequence[int]], root: int) -> bool:
    """Whether `root` and the nodes below it are reached only once; `below` has each node's children."""
    seen, ahead = set(), [root]
    while ahead:
        node = ahead.pop()
        if node in seen:
            return False
        seen.add(node)
        ahead += below.get(node, ())
    return True


# Earlier versions: nodes and leaves share lists; ids are per tree


NODE_MODES_KNOWN = laws.SM502.law("the modes of nodes are known ones")
BASE_VALUE_PER_TARGET = laws.SM116.law("there is a base value for each target or class, or none")


def require_forest(ctx: RuleContext, kind: str, count: int) -> None:
    """Require that node lists have one length, lists of leaf weights another, and that branches form trees.

    `kind` is "class" or "target"; leaves have weights for `count` of them.
    """
    nodes, entries = length(ctx, "nodes_falsenodeids"), length(ctx, f"{kind}_ids")
    values = nodes in (length(ctx, "nodes_values"), *_lengths(ctx, "nodes_values_as_tensor"))
    weights = entries in (length(ctx, f"{kind}_weights"), *_lengths(ctx, f"{kind}_weights_as_tensor"))
    even = values and weights and all(length(ctx, name) == nodes for name in OLD_NODES)
    even = even and all(length(ctx, f"{kind}_{each}") == entries for each in ("nodeids", "treeids"))
    ctx.limit(even, SPLIT_PER_ENTRY)
    modes = ctx.attributes.get("nodes_modes")
    if even and isinstance(modes, tuple):
        ctx.limit(set(modes) <= MODES, NODE_MODES_KNOWN)
        _require_nodes(ctx, kind, count, [mode != "LEAF" for mode in modes])
    bases = {0, 1, 2} if kind == "class" and count <= 2 else {0, count}
    listed = {length(ctx, "base_values"), *_lengths(ctx, "base_values_as_tensor")}
    ctx.limit(listed <= bases, BASE_VALUE_PER_TARGET)


def _lengths(ctx: RuleContext, name: str) -> tuple[int, ...]:
    """Return the shape of a tensor attribute; () without it."""
    value = ctx.attribute(name)
    return value.shape if isinstance(value, Literal) else ()


def _require_nodes(ctx: RuleContext, kind: str, count: int, branches: Sequence[bool]) -> None:
    """Require that branches lead to other nodes of their tree, and that leaf weights have existing nodes and targets.

    `kind` and `count` are as for `require_forest`; `branches` says for each node whether it is a branch.
    """
    ids, trees_of, places = (ctx.integers(f"nodes_{each}", ()) for each in ("nodeids", "treeids", "featureids"))
    keys = list(zip(trees_of, ids, strict=True))
    known = {key: index for index, key in enumerate(keys)}
    sides = [ctx.integers(f"nodes_{side}nodeids", ()) for side in ("false", "true")]
    below = {
        index: [(tree, i) for i in (sides[0][index], sides[1][index])]
        for index, (tree, _) in enumerate(keys)
        if branches[index]
    }
    leads = [(index, key) for index, two in below.items() for key in two]
    there = [key in known and known[key] != index and 0 <= key[1] < len(keys) for index, key in leads]
    there += [places[index] >= 0 for index in below]
    gives = zip(ctx.integers(f"{kind}_treeids", ()), ctx.integers(f"{kind}_nodeids", ()), strict=True)
    there += [key in known for key in gives]
    there += [0 <= target < count for target in ctx.integers(f"{kind}_ids", ())]
    there.append(len(known) == len(keys))
    ctx.limit(all(there), TREE_PLACES_INSIDE_LISTS)
    roots = [i for i, tree in enumerate(trees_of) if i == 0 or tree != trees_of[i - 1]]
    paths = {index: [known[key] for key in two if key in known] for index, two in below.items()}
    ctx.limit(not all(there) or _in_order(paths, roots), NODES_FORM_TREES)


def _in_order(below: Mapping[int, Sequence[int]], roots: Sequence[int]) -> bool:
    """Whether no false branch leads to a node reached before, if a depth-first search follows false branches first.

    `below` has the nodes at the false and the true branch of each node.
    """
    seen: set[int] = set()
    for root in roots:
        ahead = [(root, True)]
        while ahead:
            node, new = ahead.pop()
            if node in seen:
                if new:
                    return False
                continue
            seen.add(node)
            if node in below:
                no, yes = below[node]
                ahead += [(yes, False), (no, True)]
    return True
