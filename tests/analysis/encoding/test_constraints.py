"""The constraints by name: the same system as the text, over variables that one can add to."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
import z3

import shapesmt
from shapesmt import GraphBuilder
from shapesmt.base.errors import UsageError

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*/*.onnx"))
SMALL = {"batch": "1..3", "height": "60..72", "width": "60..72", "past": "1..3", "seq": "1..3", "total": "2..6"}


def halves():
    g = GraphBuilder("halves")
    image = g.input("image", [g.dim("batch", "1..8"), 3, (16, 64), (16, 64)])
    half = g.op("MaxPool", image, kernel_shape=[2, 2], strides=[2, 2], name="half")
    double = g.op("Resize", half, None, [1.0, 1.0, 2.0, 2.0], mode="nearest", name="double")
    g.output(g.op("Concat", image, double, axis=1, name="join"))
    return g.build()


def test_variables_have_their_names_and_intervals():
    enc = shapesmt.encoding(halves())
    assert str(enc.symbol("batch")) == "batch"
    assert str(enc.dim("image", 2)) == "image_dim2"
    assert str(enc.dim("half", -1)) == "half[3]"
    assert enc.dim("half", 1).as_long() == 3
    assert str(enc.bounds["image_dim2"]) == "And(16 <= image_dim2, image_dim2 <= 64)"
    assert set(enc.bounds) == {"batch", "image_dim2", "image_dim3"}
    assert {"half[2]", "half[3]", "double[2]", "double[3]"} <= set(enc.definitions)


def test_requirements_by_node_and_law():
    enc = shapesmt.encoding(halves())
    assert [*enc.requirements["join"]] == ["joined tensors match off the join axis"]
    solver = enc.solver()
    solver.add(z3.Not(enc.requirements["join"]["joined tensors match off the join axis"]))
    assert solver.check() == z3.sat
    height, width = enc.shapes(solver.model())["image"][2:]
    assert height % 2 or width % 2
    assert enc.requirements["half"] == {} or all(z3.is_bool(c) for c in enc.requirements["half"].values())
    with pytest.raises(UsageError, match=r"no node 'joined' in halves; did you mean 'join'\?"):
        enc.requirements["joined"]


def test_ones_own_constraints():
    enc = shapesmt.encoding(halves())
    optimize = z3.Optimize()
    optimize.add(enc.admissible(), enc.running())
    elements = optimize.maximize(enc.symbol("batch") * enc.dim("join", 1))
    assert optimize.check() == z3.sat
    assert optimize.upper(elements).as_long() == 8 * 6
    solver = enc.solver()
    solver.add(enc.running(), enc.dim("join", 2) % 2 != 0)
    assert solver.check() == z3.unsat  # whatever runs has an even height


def test_the_same_verdict_as_check():
    for shapes, verdict in (({}, z3.sat), ({"image": "[?,?,64,32..32]"}, z3.unsat)):
        enc = shapesmt.encoding(halves(), shapes=shapes)
        solver = enc.solver()
        solver.add(enc.failing())
        assert solver.check() == verdict
        report = shapesmt.check(halves(), shapes=shapes)
        assert (report.verdict.value == "PROVED") == (verdict == z3.unsat)


@pytest.mark.parametrize("model", EXAMPLES, ids=lambda p: p.stem)
def test_examples_at_every_small_size(model):
    graph = shapesmt.load_graph(model)
    names = {axis for d in graph.inputs.values() for axis in d.shape or () if isinstance(axis, str)}
    dims = {name: r for name, r in SMALL.items() if name in names}
    dims |= dict.fromkeys(names - dims.keys(), "1..3")
    enc = shapesmt.encoding(graph, dims=dims)
    report = shapesmt.check(graph, dims=dims)
    conditions = [compile(text, text, "eval") for text in report.precondition.text]
    ranges = [
        range(report.symbols[n].min, report.symbols[n].max + 1, 5 if "t" in n and n != "total" else 1) for n in dims
    ]
    solver = enc.solver()
    for sizes in product(*ranges):
        at = dict(zip(dims, sizes, strict=True))
        solver.push()
        solver.add(enc.running(), *(enc.symbol(name) == value for name, value in at.items()))
        runs = all(eval(code, {}, at) for code in conditions)
        assert solver.check() == (z3.sat if runs else z3.unsat), at
        if runs:
            for name, shape in enc.shapes(solver.model()).items():
                assert [solver.model().eval(enc.dim(name, i)).as_long() for i in range(len(shape))] == [*shape]
        solver.pop()


def test_relations_between_sizes():
    model = next(path for path in EXAMPLES if path.stem == "kv_cache")
    enc = shapesmt.encoding(model, assume=["total == past + seq"], dims={"past": "1..9", "seq": "1..9"})
    solver = enc.solver()
    assert solver.check(enc.failing()) == z3.unsat
    solver.add(enc.symbol("total") == 18)
    assert solver.check() == z3.sat
    assert enc.shapes(solver.model())["past_keys"][2] == 9
    enc = shapesmt.encoding(model, assume=["past % 4 == 0"], dims={"past": "1..9"})
    assert [str(a) for a in enc.assumptions] != []
    assert enc.solver().check(enc.symbol("past") == 5) == z3.unsat


def test_sizes_that_data_decide():
    g = GraphBuilder()
    x = g.input("x", "[4,5]")
    found = g.op("NonZero", x, name="found")
    g.output(g.op("Add", found, g.input("y", "[2,20]"), name="sum"))
    enc = shapesmt.encoding(g.build())
    solver = enc.solver()
    assert solver.check(enc.dim("found", 1) > 20) == z3.unsat
    assert solver.check(enc.failing()) == z3.sat
    assert enc.requirements["sum"]


def test_what_does_not_exist_is_named():
    enc = shapesmt.encoding(halves())
    with pytest.raises(UsageError, match=r"no tensor 'halve' in halves; did you mean 'half'\?"):
        enc.dim("halve", 0)
    with pytest.raises(UsageError, match="tensor 'half' has the axes 0 to 3, not 4"):
        enc.dim("half", 4)
    with pytest.raises(UsageError, match=r"no input dimension 'bach' in halves; did you mean 'batch'\?"):
        enc.symbol("bach")
    g = GraphBuilder()
    g.output(g.op("Relu", g.input("x")), "y")
    with pytest.raises(UsageError, match="tensor 'y' is of unknown rank"):
        shapesmt.encoding(g.build()).dim("y", 0)


def test_nodes_without_a_rule_are_listed():
    text = b'<ir_version: 8, opset_import: ["":18, "q": 1]> g (float[n] x) => (y) { [odd] y = q.Odd (x) }'
    assert shapesmt.encoding(text).unsupported == ("odd",)
