"""Gather and its kin, TopK, OneHot, NonZero, Compress, Unique; elements as formulas."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import shapesmt
from shapesmt.operators.rules.value import Field
from tests.support.harness import agree
from tests.support.indices import I64, NM, NMK, C, count, node


@pytest.mark.parametrize("axis", [None, 0, 1, -1, 2, -3])
def test_gather(axis):
    gather, ranges = node("Gather", ["x", "i"], axis=axis), {"n": (0, 4), "m": (0, 4), "i": (-4, 4)}
    agree(gather, {"x": ["n", "m"]}, ranges, items={"i": ["i", 0]}, known=False)
    agree(gather, {"x": ["n", "m"], "i": []}, ranges, items={"i": ["i"]}, known=False)
    agree(gather, {"x": ["n", "m"], "i": [2, 2]}, NM, items={"i": [0, -1, 2, 1]}, known=False)
    agree(gather, {"x": ["n", "m"], "i": ["k"]}, NMK, dtypes=I64, known=False, may_fail_more=True)


@pytest.mark.parametrize(
    ("x", "shape", "indices", "places", "axis"),
    [
        (["n", "m", "n*m"], [3], ["i"], [], 0),
        (["n", "n + m", "n + 2*m"], [3], ["i", 1], [2], 0),
        (["n", None, "n*m"], [3], [0, -1], [1, 2], 0),
        (["n", 2, "n*m", 3, 4, "m"], [2, 3], ["i"], [], 1),
        (["n", 2, "n*m", 3, 4, "m"], [2, 3], [1, "i", None], [3], 0),
    ],
)
def test_gather_of_known_elements(x, shape, indices, places, axis):
    agree(
        node("Gather", ["x", "i"], axis=axis),
        {"x": shape, "i": places},
        {"n": (0, 4), "m": (0, 4), "i": (-4, 4)},
        items={"x": x, "i": indices},
    )


FORMULAS = {
    "range": [count("n", "i")],
    "shifted": [count("n", "r"), node("Add", ["r", "p"], ["i"])],
    "backwards": [count("n", "r"), node("Sub", ["p", "r"], ["i"])],
    "clipped": [count("n", "r"), node("Min", ["r", "p"], ["i"])],
    "halved": [count("n", "r"), node("Div", ["r", "two"], ["i"])],
    "joined": [count("n", "r"), count("p", "s"), node("Concat", ["r", "s", "r"], ["i"], axis=0)],
    "chosen": [count("n", "r"), node("Equal", ["r", "p"], ["e"]), node("Where", ["e", "two", "zero"], ["i"])],
    "tiled": [count("n", "r"), node("Unsqueeze", ["p", "ax0"], ["p1"]), node("Tile", ["r", "p1"], ["i"])],
    "bent": [count("n", "r"), node("Sub", ["r", "p"], ["e"]), node("Abs", ["e"], ["i"])],
    "bent after others": [
        count("p", "s"),
        count("n", "r"),
        node("Sub", ["r", "p"], ["e"]),
        node("Mul", ["e", "e"], ["f"]),
        node("Concat", ["s", "f"], ["i"], axis=0),
    ],
    "split": [
        count("n", "r"),
        node("Unsqueeze", ["p", "ax0"], ["p1"]),
        node("Concat", ["p1", "ax1"], ["sizes"], axis=0),
        node("Split", ["r", "sizes"], ["j", "i"]),
    ],
}


@pytest.mark.parametrize("made", FORMULAS)
def test_indices_known_as_formulas_stay_inside(made):
    nodes = [*FORMULAS[made], node("Gather", ["x", "i"])]
    ranges = {"n": (0, 6), "p": (0, 4), "m": (0, 5)}
    scalars = {name: [] for name in "np" if any(name in made_by.input for made_by in nodes)}
    items = {name: [name] for name in scalars}
    found = agree(nodes, {"x": ["m", 2], **scalars}, ranges, items=items, constants=C, outputs=["out"])
    assert found.ran
    assert found.failed


def test_a_decoder_reads_its_mask_by_batch_and_position():
    nodes = [
        count("b", "rows"),
        count("n", "steps"),
        node("Add", ["steps", "p"], ["columns"]),
        node("Unsqueeze", ["rows", "ax1"], ["rows1"]),
        node("Unsqueeze", ["columns", "ax0"], ["columns1"]),
        node("Expand", ["rows1", "e"], ["rows2"]),
        node("Expand", ["columns1", "e"], ["columns2"]),
        node("Unsqueeze", ["rows2", "ax-1"], ["rows3"]),
        node("Unsqueeze", ["columns2", "ax-1"], ["columns3"]),
        node("Concat", ["rows3", "columns3"], ["index"], axis=-1),
        node("GatherND", ["x", "index"]),
    ]
    found = agree(
        nodes,
        {"b": [], "n": [], "p": [], "x": ["b", "m"]},
        {"b": (0, 3), "n": (0, 4), "p": (0, 3), "m": (0, 7)},
        items={"b": ["b"], "n": ["n"], "p": ["p"], "e": ["b", "n"]},
        constants=C,
        outputs=["out"],
    )
    assert found.failed


def test_formulas_survive_being_moved():
    nodes = [
        node("Mul", ["n", "m"], ["nm"]),
        count("nm", "r"),
        node("Reshape", ["r", "nxm"], ["grid"]),
        node("Transpose", ["grid"], ["turned"], perm=[1, 0]),
        node("Slice", ["turned", "ax1", "end", "ax0"], ["rest"]),
        node("Slice", ["turned", "ax-1", "before", "ax1", "ax-1"], ["reversed"]),
        node("Expand", ["turned", "e"], ["stretched"]),
        node("Flatten", ["turned"], ["row"], axis=0),
    ]
    moved = ["grid", "turned", "rest", "reversed", "stretched"]
    found = agree(
        nodes,
        {"n": [], "m": []},
        {"n": (1, 4), "m": (1, 4)},
        items={"n": ["n"], "m": ["m"], "nxm": ["n", "m"], "e": [3, 1, 1]},
        constants={**C, "end": np.array([2**63 - 1]), "before": np.array([-(2**63)])},
        outputs=[*moved, "row"],
    )
    assert all(isinstance(found.tensors[name].value, Field) for name in moved)


def test_formulas_survive_being_flattened():
    nodes = [
        count("n", "rows"),
        count("m", "columns"),
        node("Unsqueeze", ["rows", "ax1"], ["rows1"]),
        node("Mul", ["rows1", "ten"], ["tens"]),
        node("Add", ["tens", "columns"], ["grid"]),
        node("Reshape", ["grid", "ax-1"], ["flat"]),
        node("Reshape", ["flat", "nxm"], ["again"]),
        node("Expand", ["grid", "kxnxm"], ["grids"]),
        node("Reshape", ["grids", "kxnm"], ["lists"]),
        node("Reshape", ["lists", "knxm"], ["tall"]),
        node("Reshape", ["grids", "ax-1"], ["all"]),
        node("Reshape", ["all", "kxnxm"], ["back"]),
    ]
    moved = ["flat", "again", "lists", "all", "back"]
    found = agree(
        nodes,
        {"n": [], "m": []},
        {"n": (0, 3), "m": (0, 4), "k": (0, 2)},
        items={
            "n": ["n"],
            "m": ["m"],
            "nxm": ["n", "m"],
            "kxnxm": ["k", "n", "m"],
            "kxnm": ["k", "n*m"],
            "knxm": ["k*n", "m"],
        },
        constants={**C, "ten": np.array(10)},
        outputs=[*moved, "tall"],
    )
    assert all(isinstance(found.tensors[name].value, Field) for name in moved)
    assert found.tensors["again"].value is found.tensors["back"].value


@pytest.mark.parametrize("shape", [["h", "w"], [3, "w"], ["h", 2]], ids=str)
def test_relative_positions_of_the_places_in_an_image(shape):
    nodes = [
        count("h", "rows"),
        count("w", "columns"),
        node("Unsqueeze", ["rows", "ax1"], ["rows1"]),
        node("Unsqueeze", ["columns", "ax0"], ["columns1"]),
        *(line for one in ("rows", "columns") for line in _apart(one)),
        node("Sub", ["h", "one"], ["most"]),
        node("Add", ["rows-apart", "most"], ["down"]),
        node("Sub", ["w", "one"], ["widest"]),
        node("Add", ["columns-apart", "widest"], ["right"]),
        node("Add", ["w", "widest"], ["wide"]),
        node("Mul", ["down", "wide"], ["above"]),
        node("Add", ["above", "right"], ["place"]),
        node("Gather", ["table", "place"]),
    ]
    h, w = shape
    found = agree(
        nodes,
        {"h": [], "w": [], "table": ["n"]},
        {**{s: (0, 4) for s in shape if isinstance(s, str)}, "n": (0, 24)},
        items={"h": [h], "w": [w], "shape": shape},
        constants={**C, "one": np.array(1)},
        outputs=["out"],
    )
    assert found.ran
    assert found.failed


def _apart(name):
    return [
        node("Expand", [f"{name}1", "shape"], [f"{name}2"]),
        node("Reshape", [f"{name}2", "ax-1"], [f"{name}3"]),
        node("Unsqueeze", [f"{name}3", "ax1"], [f"{name}4"]),
        node("Unsqueeze", [f"{name}3", "ax0"], [f"{name}5"]),
        node("Sub", [f"{name}4", f"{name}5"], [f"{name}-apart"]),
    ]


@pytest.mark.parametrize("items", [["n - 1", "m - 2"], ["n - 1", 1, -1, "k - 1"]], ids=str)
def test_gather_nd(items):
    shapes = {"x": ["n", "m", "k"], "i": [2, len(items) // 2]}
    agree(node("GatherND", ["x", "i"]), shapes, NMK, items={"i": items})
    agree(node("GatherND", ["x", "i"], batch_dims=1), {**shapes, "x": [2, "m", "k"]}, NMK, items={"i": items})
    known = {"x": [1, 2, 3, "n", 5, "m"], "i": [1, "k - 2"]}
    agree(node("GatherND", ["x", "i"], batch_dims=1), {"x": [2, 3], "i": [2, 1]}, NMK, items=known)


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_index_tuples_split_into_batches(depth):
    ranges = {"n": (0, 4), "m": (0, 4), "k": (0, 2)}
    cases = [(["n", 3, "k"], ["m", depth], 1), (["n", "k", 2, 3], ["m", 2, depth], 2)]
    cases += [(["n", "m"], ["k", depth], 2), (["n"], ["m", depth], 1), (["n", 2, 2], ["m", depth], 2)]
    for x, i, batch in cases:
        agree(node("GatherND", ["x", "i"], batch_dims=batch), {"x": x, "i": i}, ranges, dtypes=I64, known=False)


def test_what_is_picked_for_other_batches_is_unknown():
    pick = node("GatherND", ["x", "i"], batch_dims=1)
    known = agree(pick, {"x": [2, 2]}, {}, items={"x": [1, 2, 3, 4]}, constants={"i": [[0], [0], [1], [1]]})
    assert known.ran
    assert known.tensors["out"].value is None


@pytest.mark.parametrize("batch", [0, 1])
@pytest.mark.parametrize("x", [["n"], ["n", "m"], ["m", "n", "k"]], ids=len)
def test_gather_nd_of_tuples_of_unknown_length(x, batch):
    pick, ranges = node("GatherND", ["x", "i"], batch_dims=batch), dict.fromkeys("nmkt", (0, 2)) | {"d": (0, 3)}
    agree(pick, {"x": x, "i": [*x[:batch], "t", "d"]}, ranges, dtypes=I64, known=False)


def test_gather_nd_of_tuples_too_long():
    agree(node("GatherND", ["x", "i"]), {"x": ["n", "m"], "i": [1, 3]}, NMK, dtypes=I64, known=False)


def test_data_and_indices_of_different_rank():
    agree(node("GatherElements", ["x", "i"]), {"x": ["n", "m"], "i": ["n"]}, NMK, dtypes=I64, known=False)


@pytest.mark.parametrize("axis", [None, 0, -2, 2])
def test_top_k(axis):
    ranges = {**NM, "k": (-1, 4)}
    outputs = ["out", "places"]
    agree(node("TopK", ["x", "k"], outputs, axis=axis), {"x": ["n", "m"]}, ranges, items={"k": ["k"]}, known=False)
    agree(node("TopK", ["x"], outputs, axis=axis, k=2), {"x": ["n", "m"]}, NM, opset=9, known=False)
    assert not agree(node("TopK", ["x"], outputs, axis=axis, k=0), {"x": ["n", "m"]}, NM, opset=9, known=False).ran


@pytest.mark.parametrize("largest", [0, 1])
def test_top_k_of_known_elements(largest):
    top = node("TopK", ["x", "k"], ["out", "places"], largest=largest, axis=0)
    agree(top, {}, {}, items={"x": [3, 1, 4, 1, 5], "k": [3]})
    agree(top, {"x": [2, 3]}, {}, items={"x": [3, 1, 4, 1, 5, 9], "k": [2]})


@pytest.mark.parametrize("k", [[None], [1, 1]], ids=str)
def test_top_k_of_unknown_or_wrong_k(k):
    top = node("TopK", ["x", "k"], ["out", "places"])
    agree(top, {"x": ["n", "m"]}, NM, items={"k": k}, known=False, may_fail_more=True)


@pytest.mark.parametrize("axis", [None, 0, 1, -2, -3, 2, -4])
def test_one_hot(axis):
    hot, ranges = node("OneHot", ["i", "d", "v"], axis=axis), {**NM, "k": (-1, 4)}
    agree(hot, {"i": ["n", "m"], "d": []}, ranges, items={"d": ["k"]}, constants={"v": [7, 8]}, dtypes=I64, known=False)
    items = {"i": ["n", 0, -1, 2], "d": ["k"]}
    agree(hot, {"i": [2, 2], "d": []}, {"n": (-3, 4), "k": (-1, 4)}, items=items, constants={"v": [7, 8]}, known=False)


def test_which_flags_are_set_is_followed():
    text = """<ir_version: 8, opset_import: ["": 18]> g (bool[2, 2] flags, float[1, 2] table) => (y) {
        places = NonZero(flags) pairs = Transpose(places) y = GatherND(table, pairs) }"""
    report = shapesmt.check(text.encode())
    assert report.precondition.exact
    assert report.precondition.text == ("`flags[1,0]` == 0", "`flags[1,1]` == 0")


def test_non_zero():
    agree(node("NonZero", ["x"]), {"x": ["n", "m"]}, NM, data={"x": lambda _, s: np.arange(np.prod(s)).reshape(s) % 2})
    agree(node("NonZero", ["x"]), {"x": []}, {})
    for items in (["n", 1, 0, "m"], ["n", 1, 0, None], [1, 1, 0, 2]):
        agree(node("NonZero", ["x"]), {"x": [4]}, NM, items={"x": items})
    agree(node("NonZero", ["x"]), {"x": [2, 2]}, NM, items={"x": [1, 1, 0, 2]})


@pytest.mark.parametrize("shape", [["n"], ["n", 3], ["n", "m"], [2, "m", "n"]], ids=str)
def test_non_zero_of_ones_counts_up(shape):
    ones = numpy_helper.from_array(np.array([1]))
    nodes = [node("ConstantOfShape", ["s"], ["c"], value=ones), node("NonZero", ["c"], ["i"])]
    nodes += [node("Transpose", ["i"], ["places"]), node("GatherND", ["c", "places"])]
    ranges = {"n": (0, 4), "m": (0, 3)}
    found = agree(nodes, {}, ranges, items={"s": shape}, outputs=["i", "places", "out"])
    assert isinstance(found.tensors["places"].value, Field)
    assert not found.failed


@pytest.mark.parametrize("axis", [None, 0, -1, 2])
def test_compress_and_unique(axis):
    compress = node("Compress", ["x", "c"], axis=axis)
    for condition in ([True], [True, False, True], [False] * 4, []):
        constants = {"c": np.array(condition, bool)}
        agree(compress, {"x": ["n", "m"]}, NM, constants=constants, known=False)
    agree(compress, {"x": ["n", "m"], "c": ["k"]}, NMK, dtypes={"c": "bool"}, known=False)
    unique = node("Unique", ["x"], ["out", "first", "inverse", "counts"], axis=axis)
    values = {"x": lambda _, s: np.arange(np.prod(s)).reshape(s) % 3}
    agree(unique, {"x": ["n", "m"]}, {"n": (0, 3), "m": (1, 3)}, data=values, known=False)


def test_unique_where_sizes_may_be_negative():
    text = """<ir_version: 8, opset_import: ["":18]> g (float[1, 1, h, w] x) => (y) {
        p = MaxPool <kernel_shape=[3, 3]> (x) y = Unique(p) }"""
    report = shapesmt.check(text.encode())
    assert (str(report.verdict), report.precondition.text) == ("DEPENDS", ("h >= 2", "w >= 2"))


TABLE, OTHER = (np.arange(108).reshape(9, 12) * step % 31 for step in (7, 5))


def looked_up(nodes, size):
    """A model that reads an axis of this size at the places that the nodes make of two long constants."""
    table, other = (", ".join(map(str, t.ravel())) for t in (TABLE, OTHER))
    text = f"""<ir_version: 8, opset_import: ["":18]> g (float[n] x, int64[m] more) => (y)
        <int64[9,12] table = {{{table}}}, int64[9,12] other = {{{other}}}, float[{size}] data = {{{"0," * size}0}},
        int64[1] o = {{0}}, int64[1] i = {{1}}, int64[1] nine = {{9}}, int64[1] all = {{-1}}, int64 most = {{30}}> {{
        n = Shape(x) cut = Slice(table, o, n, i) rest = Slice(other, o, n, i) {nodes} y = Gather(data, places) }}"""
    return onnx.parser.parse_model(text.replace(",0}", "}"))


@pytest.mark.parametrize(
    ("places", "size", "runs"),
    [
        ("Identity(cut)", 31, 9),
        ("Identity(cut)", 30, 0),  # 30 is in the first column
        ("Sub(cut, rest)", 31, 9),
        ("Sub(cut, rest)", 25, 1),  # beyond the first column, two elements differ by more
        ("Sub(cut, rest)", 1, 0),  # elements of two constants differ
        ("Sub(square, turned)", 1, 1),  # and so do those at two places of one
        ("Div(cut, rest)", 31, 0),  # by 0
    ],
)
def test_elements_of_long_constants_that_are_cut(places, size, runs):
    square = "square = Slice(cut, o, n, o) turned = Transpose(square)"
    model = looked_up(f"{square} places = {places}", size)
    assert agree(model, ranges={"n": (1, 9), "m": (1, 1)}, data={"more": np.zeros(1, int)}).ran == runs


@pytest.mark.parametrize(("size", "verdict"), [(31, "PROVED"), (30, "UNKNOWN")])
def test_a_limit_on_unknown_elements_beside_those_of_a_constant(size, verdict):
    nodes = """flat = Reshape(table, all) both = Concat<axis=0>(more, flat) a = Unsqueeze(both, o)
        b = Unsqueeze(both, i) apart = Sub(a, b) far = Abs(apart) places = Min(far, most)"""
    report = shapesmt.check(looked_up(nodes, size), dims={"n": "1..9", "m": "1..20"})
    assert report.verdict.value == verdict


def test_the_place_of_a_boolean_scalar_is_known():
    model = b'<ir_version: 8, opset_import: ["": 18]> g (bool x) => (y) { y = NonZero(x) }'
    assert [(d.min, d.max) for d in shapesmt.bounds(model).tensors["y"].shape] == [(1, 1), (0, 1)]


@pytest.mark.parametrize("rank", [0, 1])
def test_one_hot_needs_an_axis_of_indices(rank):
    found = agree(
        node("OneHot", ["i", "d", "v"]),
        {"i": ["n"] * rank},
        {"n": (1, 2)},
        dtypes=I64,
        constants={"d": np.int64(3), "v": np.float32([0, 1])},
    )
    assert bool(found.failed) == (rank == 0)
