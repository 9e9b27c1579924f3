"""Places that sizes decide, looked up in tables by operators that read them one by one."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import onnx.parser
import pytest

from tests.support.harness import agree
from tests.support.indices import C, count, node

EMBEDDED = "out, m = com.microsoft.EmbedLayerNormalization"
LOOKED_UP = {
    "positions": ("int32[1,n] x, float[9,2] w, float[3,2] t, float[2] g", f"{EMBEDDED}(x, , w, t, , g, g, , row)"),
    "words": ("int32[1,n] x, float[3,2] w, float[9,2] t, float[2] g", f"{EMBEDDED}(row, , w, t, , g, g)"),
    "segments": ("int32[1,n] x, float[9,2] w, float[3,2] t, float[2] g", f"{EMBEDDED}(row, row, w, w, t, g, g)"),
    "boxes": (
        "float[n,4] x, float[3,2,5,5] w, int32[2] z",
        "flat = Squeeze(row) out = com.microsoft.CropAndResize(w, x, last, z)",
    ),
    "regions": ("float[n,4] x, float[3,2,5,5] w", "out = RoiAlign(w, x, places)"),
    "rotary": ("float[1,n,4] x, float[6,2] w", "out = com.microsoft.RotaryEmbedding(x, twice, w, w)"),
    "rotary from one": ("float[1,n,4] x, float[6,2] w", "out = com.microsoft.RotaryEmbedding(x, size, w, w)"),
    "labels": ("float[n,3] x", "out = NegativeLogLikelihoodLoss(x, places)"),
    "labels of a softmax": ("float[n,3] x", "out = SoftmaxCrossEntropyLoss(x, places)"),
    "unpooled": (
        "float[1,1,n] x",
        "m = Unsqueeze(twice, first) k = Cast<to = 7>(m) out = MaxUnpool<kernel_shape = [1]>(x, k)",
    ),
    "categories": (
        "float[n] x",
        "out = ai.onnx.ml.OneHotEncoder<cats_int64s = [1, 3, 5], zeros = 0>(size)",
    ),
    "last keys": (
        "float[1,n,16] x",
        "s = Cast<to = 6>(size) t = Squeeze(s)"
        " out, k, v = com.microsoft.GroupQueryAttention<num_heads = 2, kv_num_heads = 2>(x, x, x, , , s, t)",
    ),
    "columns": ("float[n] x, float[2,3] w", "out = ai.onnx.ml.ArrayFeatureExtractor(w, places)"),
    "columns from -1": ("float[n] x, float[2,3] w", "out = ai.onnx.ml.ArrayFeatureExtractor(w, lower)"),
}

NEVER = ("columns from -1", "last keys")


@pytest.mark.parametrize("name", LOOKED_UP)
def test_places_that_sizes_decide(name):
    inputs, body = LOOKED_UP[name]
    axis = inputs.replace("]", ",").split(",").index("n") if "[1," in inputs else 0
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1, "ai.onnx.ml": 1]>
    g ({inputs}) => (out) {{
        size = Shape<start = {axis}, end = {axis + 1}>(x) n = Squeeze(size)
        zero = Constant<value_int = 0>() one = Constant<value_int = 1>() first = Constant<value_ints = [0]>()
        places = Range(zero, n, one) lower = Sub(places, one) last = Cast<to = 6>(places)
        row = Unsqueeze(last, first) two = Add(places, places) twice = Unsqueeze(two, first) {body} }}""")
    data = {"z": np.array([2, 2], np.int32)} if "int32[2] z" in inputs else {}
    assert bool(agree(model, ranges={"n": (1, 5)}, data=data).ran) == (name not in NEVER)


def test_places_that_are_calculated_and_rearranged_by_chance(seeds):
    for seed in seeds:
        print(f"seed {seed}")
        random = Random(seed)
        nodes, targets = rearranged(random)
        ranges = {"n": (random.randint(0, 1), 3), "m": (random.randint(0, 1), 3), "k": (0, 2), "z": (0, 9)}
        used = {name for one in nodes for name in one.input} - {"n", "m"}
        agree(
            nodes,
            {"n": [], "m": [], "x": ["z"]},
            {name: ends for name, ends in ranges.items() if name != "k" or "grids" in used},
            items={"n": ["n"], "m": ["m"], **{name: sizes for name, sizes in targets.items() if name in used}},
            constants={**C, **{f"c{number}": np.array(number) for number in (-1, 2, 3, 7)}},
            outputs=["out", nodes[-1].input[1]],
        )


def rearranged(random):
    """A matrix of places, then calculations with each place, and reshapes that join axes or divide joined ones."""
    nodes, targets, sizes, cuts = [*GRID], {"grids": ["k", "n", "m"]}, ["n", "m"], {1}
    for step in range(random.randint(2, 6)):
        op = random.choice(["Reshape", "Reshape", "Add", "Sub", "Mul", "Div", "Mod", "Expand", "ScatterND"])
        name, before = f"p{step}", nodes[-1].output[0]
        if op == "Reshape":
            divide = random.random() < 0.5
            changed = sorted({*range(1, len(sizes))} - cuts if divide else cuts)
            cuts = cuts ^ {*random.sample(changed, random.randint(0, len(changed)))}
            ends = [0, *sorted(cuts), len(sizes)]
            targets[f"t{step}"] = ["*".join(sizes[a:b]) for a, b in pairwise(ends)]
            nodes.append(node(op, [before, f"t{step}"], [name], allowzero=1))
        elif op == "Expand" and sizes == ["n", "m"] and cuts == {1}:
            sizes, cuts = ["k", "n", "m"], {1, 2}
            nodes.append(node(op, [before, "grids"], [name]))
        elif op == "ScatterND" and sizes == ["n", "m"] and cuts == {1}:
            nodes += [node("Mul", ["columns", f"c{random.choice((2, 3))}"], [f"row{step}"])]
            nodes += [node(op, [before, f"ax{random.choice((0, -1))}", f"row{step}"], [name])]
        elif op in ("Add", "Sub", "Mul", "Div", "Mod"):
            number = random.choice((2, 3, 7) if op in ("Div", "Mod") else (-1, 2, 7))
            nodes.append(node(op, [before, f"c{number}"], [name]))
    return [*nodes, node("Gather", ["x", nodes[-1].output[0]])], targets


GRID = [
    count("n", "rows"),
    count("m", "columns"),
    node("Unsqueeze", ["rows", "ax1"], ["rows1"]),
    node("Mul", ["rows1", "c7"], ["sevens"]),
    node("Sub", ["sevens", "columns"], ["grid"]),
]


APART = """s = Shape(x) n = Squeeze(s) zero = Constant<value_int = 0>() one = Constant<value_int = 1>()
    ratio = Constant<value_float = 0.3>() r = Range(zero, n, one) f = Cast<to = 1>(r) scaled = Mul(f, ratio)
    last = Constant<value_ints = [-1]>() first = Constant<value_ints = [0]>()
    rows = Unsqueeze(scaled, last) columns = Unsqueeze(f, first) apart = Sub(rows, columns) places = Cast<to = 7>(apart)
    out = Gather(t, places)"""


@pytest.mark.parametrize("sizes", [(1, 12), (13, 13), (40, 40), (70, 70)], ids=str)
def test_places_that_rounded_floats_decide(sizes):
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["": 18]>
        g (float[n] x, float[k] t) => (out) {{ {APART} }}""")
    found = agree(model, ranges={"n": sizes, "k": (max(sizes[0] - 3, 1), sizes[1] + 1)})
    assert found.ran
    assert found.failed


@pytest.mark.parametrize("places", [[3], [0, -4, 3, 1, 2, 2, -1, 0, 1, 3]], ids=len)
def test_places_that_are_repeated_more_often_than_they_are_listed(places):
    nodes = [node("Expand", ["places", "shape"], ["many"]), node("Gather", ["x", "many"])]
    constants = {"places": np.array(places), "shape": np.array([2, 1000, len(places)])}
    found = agree(nodes, {"x": ["n", 1]}, {"n": (2, 5)}, constants=constants)
    assert (found.ran, found.failed) == (2, 2)
