"""What a graph and its caller declare, as symbols, input tensors and facts."""

from __future__ import annotations

import re

import onnx
import pytest

from shapesmt.analysis.verify.examined import pinned
from shapesmt.analysis.verify.problem import Problem, pose, pose_everything
from shapesmt.analysis.verify.question import Question
from shapesmt.base.errors import UsageError
from shapesmt.frontends import load
from shapesmt.network.declarations.ranges import Origin, Range
from shapesmt.prover.algebra import as_dim
from shapesmt.prover.judge import Judge

HEAD = '<ir_version: 8, opset_import: ["":18]> g '


def posed(inputs: str, **declared: object) -> Problem:
    model = onnx.parser.parse_model(f"{HEAD}({inputs}) => (y) {{ y = Identity (x) }}")
    return pose(load(model), Question(**declared))  # type: ignore[arg-type]


def ranges(problem: Problem) -> dict[str, str]:
    return {
        name: f"{r.min}..{'' if r.max is None else r.max}:{r.step} {r.source}" for name, r in problem.ranges.items()
    }


def shapes(problem: Problem) -> dict[str, str]:
    return {name: "?" if t.shape is None else " ".join(map(str, t.shape)) for name, t in problem.inputs.items()}


def test_undeclared_sizes_start_at_one() -> None:
    problem = posed("float[n, 3, n] x")
    assert ranges(problem) == {"n": "1..:1 default"}
    assert shapes(problem) == {"x": "n 3 n"}


def test_one_name_is_one_value_and_anonymous_sizes_get_names() -> None:
    problem = posed("float[n, ?] x, float[?, n] z")
    assert shapes(problem) == {"x": "n x_dim1", "z": "z_dim0 n"}
    assert list(problem.ranges) == ["n", "x_dim1", "z_dim0"]


def test_an_input_without_a_shape_has_no_rank() -> None:
    assert shapes(posed("float[] x, float z")) == {"x": "?", "z": ""}
    assert shapes(posed("float[n] x", shapes={"x": "[...]"})) == {"x": "?"}


def test_a_sequence_beside_an_input_without_a_shape_has_no_rank() -> None:
    assert shapes(posed("float[] x, seq(float[n]) s")) == {"x": "?", "s": "?"}


def test_of_everything_sizes_start_at_zero_and_elements_anywhere() -> None:
    model = onnx.parser.parse_model(f"{HEAD}(float[n] x, int64[1] k) => (y) {{ y = Expand (x, k) }}")
    assert ranges(pose_everything(load(model))) == {"n": "0..:1 model", "k": f"{-(2**63)}..{2**63 - 1}:1 input"}


def test_ranges_are_the_callers() -> None:
    problem = posed("float[n, m, k] x", dims={"n": "64..512:16", "m": 8, "k": (0, None)})
    assert ranges(problem) == {"n": "64..512:16 --dim", "m": "8..8:1 --dim", "k": "0..:1 --dim"}


def test_ranges_in_the_file_are_adopted_and_yield_to_the_callers() -> None:
    model = onnx.parser.parse_model(f"{HEAD}(float[s0, s1] x) => (y) {{ y = Identity (x) }}")
    noted = model.metadata_props.add()
    noted.key, noted.value = "pkg.torch.export.ExportedProgram.range_constraints", "{s0: VR[2, 9], s1: VR[1, 64]}"
    assert ranges(pose(load(model), Question({"s1": "3..4"}))) == {"s0": "2..9:1 metadata", "s1": "3..4:1 --dim"}


def noting(sizes: list[str], constraints: str) -> Problem:
    """A model with PyTorch's note about its symbols, where its exporter writes it."""
    model = onnx.parser.parse_model(f"{HEAD}(float[{','.join('?' * len(sizes))}] x) => (y) {{ y = Identity (x) }}")
    for dim, size in zip(model.graph.input[0].type.tensor_type.shape.dim, sizes, strict=True):
        dim.dim_param = size
    noted = model.graph.metadata_props.add()
    noted.key, noted.value = "pkg.torch.export.ExportedProgram.range_constraints", constraints
    return pose(load(model))


def test_the_exporters_0_is_no_declaration() -> None:
    problem = noting(["s17", "s27", "s94"], "{s17: VR[0, int_oo], s27: VR[4, 99], s94: VR[0, 512]}")
    assert ranges(problem) == {"s17": "1..:1 default", "s27": "4..99:1 metadata", "s94": "1..512:1 metadata"}
    assert problem.unadopted == {}


def test_noted_ranges_of_renamed_sizes_are_told_not_guessed() -> None:
    problem = noting(
        ["batch", "2*n", "u0"], "{s17: VR[1, 64], 2*s69: VR[4, 200], s69: VR[2, 100], u0: VR[0, 9], u1: VR[-3, 9]}"
    )
    assert ranges(problem)["batch"] == "1..:1 default"
    assert {name: (r.min, r.max) for name, r in problem.unadopted.items()} == {"s17": (1, 64), "s69": (2, 100)}


def test_a_noted_range_of_an_expression_makes_no_symbol() -> None:
    problem = noting(["s0", "2*s0", "s0 + s1", "s1"], "{s0: VR[2, 9], 2*s0: VR[4, 18], s0 + s1: VR[3, 40]}")
    assert ranges(problem) == {"s0": "2..9:1 metadata", "s1": "1..:1 default"}
    assert shapes(problem) == {"x": "s0 2*s0 s0 + s1 s1"}


ORIGIN = Origin("shapesmt.toml", needed=False)


def test_declarations_remember_where_they_come_from() -> None:
    problem = posed(
        "float[n, m] x",
        dims={"n": Range(2, 8, 1, Origin("shapesmt.toml")), "k": Range(1, 2, 1, ORIGIN)},
        assume={"n == m": Origin("--assume"), "m >= k": ORIGIN, "m % 2 == 0": ORIGIN},
    )
    assert ranges(problem)["n"] == "2..8:1 shapesmt.toml"
    assert problem.assumptions == ("n == m", "m % 2 == 0")
    assert problem.origins == {"m % 2 == 0": "shapesmt.toml"}


def test_a_needed_name_that_is_missing_is_told_with_its_origin() -> None:
    origin = Origin("shapesmt.toml")
    with pytest.raises(UsageError, match=r"no input dimension 'k' in <model>, named in shapesmt.toml; it has n, m"):
        posed("float[n, m] x", dims={"k": Range(1, 2, 1, origin)})
    with pytest.raises(UsageError, match=r"shapesmt.toml: no symbol 'k' in 'm >= k'"):
        posed("float[n, m] x", assume={"m >= k": origin})
    with pytest.raises(UsageError, match=r"no small input 'k' in <model>, named in shapesmt.toml"):
        posed("float[n, m] x", values={"k": Range(1, 2, 1, origin)})
    assert posed("float[n, m] x", values={"k": Range(1, 2, 1, ORIGIN)}).assumptions == ()
    replaced = posed("float[n, m] x", dims={"n": Range(1, 2, 1, origin)}, shapes={"x": "[4,?]"})
    assert shapes(replaced) == {"x": "x_dim0 m"}


def test_shapes_are_merged_with_the_files() -> None:
    problem = posed("float[n, 3] x", shapes={"x": "[1..8, ?]"})
    assert shapes(problem) == {"x": "n 3"}
    assert ranges(problem) == {"n": "1..8:1 --shape"}


def test_a_shape_gives_the_files_name_its_range_wherever_it_stands() -> None:
    problem = posed("float[n, 3] x, float[n, m] b", shapes={"x": "5x3"})
    assert shapes(problem) == {"x": "n 3", "b": "n m"}
    assert ranges(problem) == {"n": "5..5:1 --shape", "m": "1..:1 default"}


def test_shapes_that_disagree_about_a_name_take_precedence_over_it() -> None:
    problem = posed("float[n] x, float[n] b, float[n] c", shapes={"x": "5", "b": "6"})
    assert shapes(problem) == {"x": "x_dim0", "b": "b_dim0", "c": "n"}


def test_a_name_that_is_an_expression_is_one() -> None:
    names = ["past", "past + 1"]
    inputs = [onnx.helper.make_tensor_value_info(n, 1, [d]) for n, d in zip("xz", names, strict=True)]
    node = onnx.helper.make_node("Identity", ["x"], ["y"])
    graph = onnx.helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name="y")])
    problem = pose(load(onnx.helper.make_model(graph)))
    assert shapes(problem) == {"x": "past", "z": "past + 1"}
    assert list(problem.ranges) == ["past"]


def test_an_assumed_equality_takes_a_symbol_out() -> None:
    problem = posed("float[past, seq, total] x", dims={"total": "1..9"}, assume=["total == past + seq"])
    assert shapes(problem) == {"x": "past seq seq + past"}
    assert [s.name for s in problem.domain.symbols] == ["past", "seq"]
    assert [str(f) for f in problem.domain.facts] == ["seq + past <= 9"]


def test_a_counterexample_speaks_of_the_declared_names() -> None:
    problem = posed("float[past, seq, total] x", assume=["total == past + seq"])
    values = {s: 2 + i for i, s in enumerate(problem.domain.symbols)}
    shown = problem.counterexample(values)
    assert shown.symbols == {"past": 2, "seq": 3, "total": 5}
    assert shown.inputs == {"x": (2, 3, 5)}


def test_one_assumption_may_be_a_text() -> None:
    assert posed("float[n] x", assume="n <= 4").assumptions == ("n <= 4",)


def test_what_is_inferred_to_find_unused_elements_is_not_inferred_again() -> None:
    text = f"{HEAD}(int64[1] size, float[n] x) => (y) {{ one = Constant<value_ints=[1]>() y = Expand (x, one) }}"
    problem = pose(load(text.encode()), Question())
    assert "size" not in problem.dims
    assert problem.inference is problem.inference
    fixed = pose(load(text.encode()), Question(dims={"n": 3}))
    assert fixed.inference.tensors["y"].shape == (fixed.dims["n"],)
    known = pinned(fixed, Judge())
    assert known.inference.tensors["y"].shape == (as_dim(3),)
    assert known.inference is known.inference


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"dims": {"m": 3}}, "no input dimension 'm' in"),
        ({"dims": {"hieght": 3}}, "did you mean 'height'"),
        ({"dims": {"height": "9..3"}}, "range '9..3' of 'height' is empty"),
        ({"shapes": {"z": "[1]"}}, "no input 'z' in"),
        ({"shapes": {"x": "[1,2,3]"}}, "input 'x' 3 dimensions, the file gives it 2"),
        ({"assume": ["height = 3"]}, "height = 3"),
        ({"assume": ["hight == 3"]}, "did you mean 'height'"),
    ],
)
def test_mistakes_name_the_thing(declared: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        posed("float[height, width] x", **declared)
    assert "\n" not in str(caught.value)
