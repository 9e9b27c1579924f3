"""Random graphs of 1 to 6 nodes over every operator of the catalogue, each node run while the graph grows.

A node is drawn from the catalogue and joined to tensors that are there, or to fresh inputs whose sizes are symbols
where it may be. It stays if it runs at the sizes that were drawn first; now and then also if it doesn't.

    >>> case = grow(5)
    >>> 1 <= len(case.model.graph.node) <= 6, len(case.ranges) <= 4
    (True, True)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from random import Random
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import defs, helper, numpy_helper

from shapesmt.frontends.onnx.tables import ADDED
from tests.oracle.catalogue import RECIPES
from tests.oracle.recipes import KINDS, Choice, Recipe
from tests.oracle.runner import Unsupported, one_model, ready, varied

OPSETS = (9, 10, 13, 16, 17, 18, 19, 21, 22, 23, 24)
NODES, SYMBOLS, ASSIGNMENTS, ELEMENTS = 6, 4, 60, 4000
SHAPE_ONLY = {"Shape", "Size"}
ARRAYS = {name: np.dtype(object) if name == "string" else np.dtype(name) for name in KINDS.values()}
Bound = dict[str, Any]


@dataclass(frozen=True)
class Grown:
    """A model, its symbols' ranges, and the nodes that may fail for data that nobody knows."""

    seed: int
    model: onnx.ModelProto
    ranges: dict[str, tuple[int, int]]
    assumed: frozenset[str]


class Made(NamedTuple):
    """A tensor with its value at the sizes drawn first; `data` where inputs' elements go into it."""

    name: str
    array: Any
    data: bool = True


def grow(seed: int) -> Grown:
    """The graph of this seed; its first node goes through the catalogue in turn."""
    return _Grower(seed).grown()


def fresh(seed: int, recipe: Recipe | None = None) -> tuple[Grown, dict[str, int]] | None:
    """The first node of this seed, or the recipe's, alone, with sizes at which it runs; None where it found none."""
    grower = _Grower(seed, recipe)
    for _ in range(6):
        if grower._add(grower.first):
            return grower._case(), grower.sizes
    return None


class _Grower:
    def __init__(self, seed: int, recipe: Recipe | None = None) -> None:
        self.seed = seed
        self.r = Random(f"grown {seed}")
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, onnx.TensorProto] = {}
        self.inputs: dict[str, onnx.ValueInfoProto] = {}
        self.pool: list[Made] = []
        self.sizes: dict[str, int] = {}
        self.ranges: dict[str, tuple[int, int]] = {}
        self.assumed: set[str] = set()
        self.names = 0
        first = recipe or RECIPES[seed % len(RECIPES)]
        self.opset = self.r.choice([o for o in OPSETS if first.since <= o <= first.until] or [first.since])
        self.first = first

    def grown(self) -> Grown:
        wanted = self.r.randint(1, NODES)
        fitting = [x for x in RECIPES if x.since <= self.opset <= x.until]
        for attempt in range(6):
            if self._add(self.first) or attempt == 5:
                break
        for _ in range(8 * wanted):
            if len(self.nodes) < wanted:
                self._add(self.r.choice(fitting))
        return self._case()

    def _add(self, recipe: Recipe) -> bool:
        """Add the recipe's nodes, or leave everything as it was."""
        before = (self.nodes[:], self.weights.copy(), self.inputs.copy(), self.pool[:], self.sizes.copy())
        before += (self.ranges.copy(),)
        if self._added(recipe):
            return True
        self.nodes, self.weights, self.inputs, self.pool, self.sizes, self.ranges = before
        return False

    def _added(self, recipe: Recipe) -> bool:
        of_onnx = recipe.domain == "" and not recipe.code and recipe.op not in ADDED
        if of_onnx and not defs.has(recipe.op, self.opset, ""):
            return False
        bound: Bound = {"T": self.r.choice(recipe.kinds)}
        try:
            inputs = {k: self.input(x, bound) for k, x in recipe.inputs.items()}
        except Unfit:
            return False
        taken = {m.name for m in inputs.values() if m}
        if self.nodes and self.r.random() < 0.9 and not taken & {o for n in self.nodes for o in n.output}:
            return False
        nodes = self._written(recipe, inputs) if recipe.code else [self._node(recipe, inputs)]
        if len(self.nodes) + len(nodes) > NODES:
            return False
        values = {m.name: m.array for m in inputs.values() if m}
        model = one_model(
            nodes, values, {n: self.weights[n] for n in values if n in self.weights}, self._imports(), True
        )
        try:
            found = dict(zip([o.name for o in model.graph.output], ready(model)(values), strict=True))
        except Unsupported:
            return False
        except Exception as error:
            if self.r.random() > 0.12 or "INVALID_GRAPH" in str(error):  # a fault of the recipe, not of sizes
                return False
            found = {}
        self.nodes += nodes
        if recipe.assumed:
            self.assumed |= {n.name for n in nodes}
        data = recipe.op not in SHAPE_ONLY and any(m.data for m in inputs.values() if m)
        optional = {o for n in nodes if n.op_type == "Optional" for o in n.output}
        tensors = {n: x for n, x in found.items() if isinstance(x, np.ndarray) and n not in optional}
        self.pool += [Made(n, x, data) for n, x in tensors.items() if 0 < x.size < ELEMENTS]
        return True

    # The nodes of a recipe

    def _node(self, recipe: Recipe, inputs: dict[str, Made | None]) -> onnx.NodeProto:
        drawn = {k: self.r.choice(v) if isinstance(v, Choice) else v for k, v in recipe.attributes.items()}
        names = [m.name if m else "" for m in inputs.values()]
        while names and not names[-1]:
            names.pop()
        kept = {
            k: numpy_helper.from_array(v) if isinstance(v, np.ndarray) else v for k, v in drawn.items() if v is not None
        }
        name = f"{recipe.op}_{len(self.nodes)}"
        outputs = [f"{name}_{i}" for i in range(recipe.outputs)]
        return helper.make_node(recipe.op, names, outputs, name=name, domain=recipe.domain, **kept)

    def _written(self, recipe: Recipe, inputs: dict[str, Made | None]) -> list[onnx.NodeProto]:
        """The nodes of a recipe's text, its names made the graph's own."""
        prefix = self._name("t")
        names = {k: m.name if m else "" for k, m in inputs.items()}
        heads = ", ".join(f"float {n}" for n in names)
        graph = onnx.parser.parse_graph(f"g ({heads}) => (float none) {{ {recipe.code} }}")
        names |= {o: f"{prefix}_{o}" for n in graph.node for o in n.output if o}
        for index, node in enumerate(graph.node):
            _rename(node, names)
            node.name = f"{node.op_type}_{prefix}_{index}"
        return list(graph.node)

    # The inputs of a recipe

    def input(self, pattern: Any, bound: Bound) -> Made | None:
        if isinstance(pattern, Choice):
            pattern = self.r.choice(pattern)
        if not isinstance(pattern, str):
            return self.constant(np.asarray(pattern))
        if pattern.startswith("?"):
            if self.r.random() < 0.5:
                return None
            pattern = pattern[1:]
        if not pattern:
            return None
        kind, _, rest = pattern.partition(" ")
        if kind in ("=", ".") or kind.startswith(":"):
            dtype = ARRAYS[KINDS[kind[1]]] if kind.startswith(":") else np.dtype(np.int64)
            tokens = rest.split()
            scalar = tokens[0] == "." if kind.startswith(":") else kind == "."
            return self.values(tokens[kind.startswith(":") :], bound, dtype, scalar)
        if kind == "T":
            kind = bound["T"]
        return self.tensor(kind, rest.split(), bound)

    def tensor(self, kind: str, tokens: list[str], bound: Bound) -> Made:
        dtype = ARRAYS[KINDS[kind]]
        if kind not in "IJLM":
            fitting = [(m, b) for m in self.pool if m.array.dtype == dtype and (b := _match(m, tokens, bound))]
            if fitting and self.r.random() < 0.75:
                found, b = self.r.choice(fitting[-6:])
                bound.update(b)
                bound.setdefault("~", found.array.shape)
                return found
        return self.fresh(kind, self._sizes(tokens, bound), bound)

    def fresh(self, kind: str, axes: list[tuple[int, str]], bound: Bound) -> Made:
        """An input, or now and then a constant; `axes` are sizes, and the formulas they come from."""
        shape = tuple(v for v, _ in axes)
        if prod(shape) > ELEMENTS:
            raise Unfit
        bound.setdefault("~", shape)
        dtype, name = ARRAYS[KINDS[kind]], self._name({"I": "zero", "J": "zero"}.get(kind, "x"))
        if self.r.random() < (0.6 if kind in "IJLM" else 0.1):
            return self.constant(np.asarray(varied(name, dtype, shape)))
        dims: list[int | str] = [self._axis(v, formula, bound) for v, formula in axes]
        self.inputs[name] = helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), dims)
        self.pool.append(Made(name, varied(name, dtype, shape)))
        return self.pool[-1]

    def values(self, tokens: list[str], bound: Bound, dtype: np.dtype[Any], scalar: bool) -> Made:
        """These integers: from a tensor that holds them, from sizes, or a constant."""
        wanted = [self._number(token, bound) for token in tokens]
        array = np.array(wanted[0] if scalar else wanted, dtype)
        same = [m for m in self.pool if not m.data and m.array.dtype == dtype and np.array_equal(m.array, array)]
        same = [m for m in same if m.array.shape == array.shape]
        if same and self.r.random() < 0.7:
            return self.r.choice(same)
        if dtype == np.int64 and not scalar and self.opset >= 15 and self.r.random() < 0.6:
            return self._computed(wanted)
        return self.constant(array)

    def _computed(self, wanted: list[int]) -> Made:
        """A vector joined from sizes of tensors at hand, as far as some are as wanted."""
        parts = []
        for value in wanted:
            sources = [(m, i) for m in self.pool for i, size in enumerate(np.shape(m.array)) if size == value]
            if not sources or len(self.nodes) >= NODES - 1:
                parts.append(self.constant(np.array([value])))
                continue
            source, axis = self.r.choice(sources)
            parts.append(self._emit("Shape", [source], np.array([value]), start=axis, end=axis + 1))
        return parts[0] if len(parts) == 1 else self._emit("Concat", parts, np.array(wanted), axis=0)

    def _emit(self, op: str, inputs: list[Made], value: Any, **attributes: Any) -> Made:
        name = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, [m.name for m in inputs], [f"{name}_0"], name=name, **attributes))
        self.pool.append(Made(f"{name}_0", value, False))
        return self.pool[-1]

    def constant(self, array: Any) -> Made:
        name = self._name("w")
        self.weights[name] = numpy_helper.from_array(array, name)
        return Made(name, array, False)

    # Sizes

    def _sizes(self, tokens: list[str], bound: Bound) -> list[tuple[int, str]]:
        if tokens == ["~"]:
            shape = bound["~"][self.r.randint(0, len(bound["~"])) :]
            return [(1 if self.r.random() < 0.3 else v, "") for v in shape]
        found = []
        for token in tokens:
            if token == "*":
                bound.setdefault("*", tuple(self._draw() for _ in range(self.r.randint(0, 3))))
                found += [(v, "") for v in bound["*"]]
            else:
                found.append((self._number(token, bound), token))
        return found

    def _number(self, token: str, bound: Bound) -> int:
        for letter in re.findall("[a-z]", token):
            bound.setdefault(letter, self._draw())
        return _value(token, bound)

    def _draw(self) -> int:
        return self.r.choice([*self.sizes.values(), *range(1, 6)])

    def _axis(self, value: int, formula: str, bound: Bound) -> int | str:
        """A size as a number, a symbol or a formula: as at first drawn, elsewhere right or wrong."""
        chance = self.r.random()
        if chance < 0.02:
            return value + self.r.choice([-1, 1]) if value > 1 else value + 1
        letters = re.findall(r"[a-z]+", formula)
        if len(letters) == 1 and formula != letters[0]:
            named = [n for n, size in self.sizes.items() if size == bound[letters[0]]]
            if named and chance < 0.8:
                return formula.replace(letters[0], named[0]).replace("*", " * ")
        named = [n for n, size in self.sizes.items() if size == value]
        if named and chance < 0.85 and not formula.isdigit():
            return self.r.choice(named)
        room = ASSIGNMENTS // max(1, prod(hi - lo + 1 for lo, hi in self.ranges.values()))
        if len(self.sizes) < SYMBOLS and room > 1 and chance < (0.2 if formula.isdigit() else 0.97):
            return self._symbol(value, room)
        return value

    def _symbol(self, value: int, room: int) -> str:
        name = "abcd"[len(self.sizes)] + "_size"
        lo = max(0, value - self.r.choice([0, 1, 1, 2]))
        hi = min(max(value, lo + 1) + self.r.choice([0, 0, 1, 2]), lo + max(room, value - lo + 1) - 1)
        self.sizes[name], self.ranges[name] = value, (lo, max(hi, value))
        return name

    # The model

    def _name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def _imports(self) -> list[onnx.OperatorSetIdProto]:
        domains = {x.domain: x.version for x in RECIPES if x.domain}
        return [helper.make_opsetid("", self.opset), *(helper.make_opsetid(d, v) for d, v in domains.items())]

    def _case(self) -> Grown:
        read = {name for node in self.nodes for name in _read(node)}
        inputs = [i for i in self.inputs.values() if i.name in read]
        outputs = [onnx.ValueInfoProto(name=o) for n in self.nodes for o in n.output if o and o not in read]
        weights = [w for name, w in self.weights.items() if name in read]
        graph = helper.make_graph(self.nodes, f"grown{self.seed}", inputs, outputs, weights)
        model = helper.make_model(graph, opset_imports=self._imports(), ir_version=10)
        texts = " ".join(d.dim_param for i in inputs for d in i.type.tensor_type.shape.dim)
        used = {name: span for name, span in self.ranges.items() if name in texts}
        return Grown(self.seed, model, used, frozenset(self.assumed))


class Unfit(Exception):  # noqa: N818 - the recipe doesn't fit here
    """The sizes at hand don't suit the recipe."""


def _value(token: str, bound: Bound) -> int:
    if re.fullmatch(r"-?\d+", token):
        return int(token)
    value = eval(token, {}, {k: v for k, v in bound.items() if isinstance(v, int)})
    if value < 0 and "-" not in token[:1]:
        raise Unfit
    return int(value)


def _match(m: Made, tokens: list[str], bound: Bound) -> Bound | None:
    """What the letters are if the tensor has these sizes."""
    shape, letters = m.array.shape, dict(bound)
    if tokens == ["~"]:
        try:
            np.broadcast_shapes(shape, bound["~"])
        except ValueError:
            return None
        return letters
    if "*" in tokens:
        at, many = tokens.index("*"), len(shape) - len(tokens) + 1
        if many < 0 or letters.setdefault("*", shape[at : at + many]) != shape[at : at + many]:
            return None
        shape, tokens = shape[:at] + shape[at + many :], tokens[:at] + tokens[at + 1 :]
    if len(shape) != len(tokens):
        return None
    return letters if all(_agrees(t, size, letters) for t, size in zip(tokens, shape, strict=True)) else None


def _agrees(token: str, size: int, letters: Bound) -> bool:
    """Whether a size is what its token says; a letter that has no size yet takes it."""
    if token.isidentifier():
        return letters.setdefault(token, size) == size
    try:
        return _value(token, letters) == size
    except (NameError, Unfit):
        return False


def _graphs(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    return [a.g for a in node.attribute if a.HasField("g")]


def _read(node: onnx.NodeProto) -> set[str]:
    return {*node.input, *(n for g in _graphs(node) for inner in g.node for n in _read(inner))}


def _rename(node: onnx.NodeProto, names: dict[str, str]) -> None:
    node.input[:] = [names.get(n, n) for n in node.input]
    node.output[:] = [names.get(n, n) for n in node.output]
    for graph in _graphs(node):
        own = {o for n in graph.node for o in n.output} | {i.name for i in graph.input}
        for inner in graph.node:
            _rename(inner, {k: v for k, v in names.items() if k not in own})
