"""Cautions: each kind where it belongs, with the input at which it shows, and silence where nothing is odd."""

from __future__ import annotations

import json

import onnx.parser
import pytest

import shapesmt
from shapesmt.entrypoints.cli.main import main
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Report
from shapesmt.reports.answers.finding import ModelWarning
from tests.support.torch_programs import archive, meta, node, program

HEAD = '<ir_version: 8, opset_import: ["": 18]>\ng '


def checked(body: str, **options: object) -> Report:
    return shapesmt.check(onnx.parser.parse_model(HEAD + body), **options)  # type: ignore[arg-type]  # any option


def warned(body: str, **options: object) -> list[tuple[str, str]]:
    return [(w.kind, w.text) for w in checked(body, **options).warnings]


def only(body: str, **options: object) -> ModelWarning:
    (warning,) = checked(body, **options).warnings
    return warning


def test_large_tensors_are_looked_for_beside_integers_of_an_input_without_ends() -> None:
    body = """(float[n] x, float[m] z) => (t13)
    <int64 c0 = {0}, int64[1] c1 = {-1}, int64 c6 = {1}, int64[1] c2 = {1}> {
        t0 = Shape (x) t1 = Gather (t0, c0) t2 = Reshape (t1, c1) t3, i = TopK (t2, c2) t5 = ArgMax (t3)
        t9 = ReduceMax <keepdims = 0> (t5) t10 = Max (t9, c6)
        t11 = Loop (t10, "") <body = b (int64 trip, bool go) => (bool on, float[] row) {
            on = Identity (go) row = Identity (z) }>
        t8 = Add (x, z) t12 = ReduceSum <keepdims = 0> (t11, c2) t13 = Add (x, t12) }"""
    report = checked(body, dims={"n": "0..", "m": "1..4611686018427387904"}, assume=["n % 2 == 0"])
    assert report.verdict is Verdict.DEPENDS


POOLED = "p = MaxPool <kernel_shape = [4], strides = [4], ceil_mode = 1> (x)"


class TestBroadcast:
    PAIR = "(float[n, 4] x, float[m, 4] y) => (z) { [add] z = Add (x, y) }"

    def test_a_size_that_may_be_equal_or_1(self) -> None:
        w = only(self.PAIR, dims={"n": "1..8", "m": "1..8"})
        assert (w.kind, w.code, w.node, w.op_type, w.index) == ("broadcast", "SM901", "add", "Add", 0)
        assert w.text == 'n = 1 is broadcast to m = 2 at n=1, m=2; --assume "m == n" if they are to be equal'
        assert w.example is not None
        assert w.example.inputs == {"x": (1, 4), "y": (2, 4)}

    def test_a_symbol_against_a_number(self) -> None:
        body = "(float[b, c, 8] x) => (z) <float[3, 1] mean = {1, 2, 3}> { [norm] z = Sub (x, mean) }"
        report = checked(body, dims={"c": "1..3:2"})
        assert report.verdict is Verdict.PROVED
        (w,) = report.warnings
        assert w.text == 'c = 1 is broadcast to 3 at c=1; --assume "c == 3" if they are to be equal'

    @pytest.mark.parametrize("dims", [{"n": "2..8", "m": "2..8"}, {"n": 1, "m": "1..8"}, {"n": "1..8", "m": 1}])
    def test_silent_where_1_is_out_of_range_or_meant(self, dims: dict[str, object]) -> None:
        assert not warned(self.PAIR, dims=dims)

    def test_silent_where_the_sizes_are_never_equal(self) -> None:
        assert not warned("(float[n] x, float[m] y) => (z) { z = Add (x, y) }", dims={"n": "5..8", "m": "1..4"})

    def test_a_1_that_is_rounded_from_the_other_size(self) -> None:
        body = f"(float[1, 1, n] x) => (y) {{ {POOLED} y = Add (x, p) }}"
        report = checked(body, dims={"n": "1..99"})
        assert report.findings[0].holds_iff == "n <= 4"
        assert [w.text for w in report.warnings] == [
            "(n + 3)//4 = 1 is broadcast to n = 2 at n=2; no input runs for which both are more than 1"
        ]
        assert not warned(body, dims={"n": "1..4"})

    def test_two_branches_with_the_same_sizes_warn_once(self) -> None:
        body = """(float[n, 4] x, float[m, 4] y, bool[1] c) => (z) {
            z = If (c) <then_branch = t () => (p) { p = Add (x, y) }, else_branch = e () => (q) { q = Sub (x, y) }>
        }"""
        assert [kind for kind, _ in warned(body)] == ["broadcast"]

    def test_silent_where_only_data_could_make_a_1(self) -> None:
        body = "(float[n] x, int64[m] y) => (z) { i = NonZero (x) z = Add (i, y) }"
        assert [f.kind for f in checked(body, dims={"n": "1..8", "m": "1..8"}).findings] == ["data"]
        assert not warned(body, dims={"n": "1..8", "m": "1..8"})

    def test_an_operator_that_stretches_on_purpose(self) -> None:
        body = "(float[n] x) => (z) <int64[1] s = {4}> { z = Expand (x, s) }"
        assert not warned(body, dims={"n": "1..4"})

    def test_each_pair_of_sizes_once(self) -> None:
        body = "(float[n, 4] x, float[m, 4] y) => (w) { z = Add (x, y) v = Mul (x, y) w = Sub (z, v) }"
        assert [kind for kind, _ in warned(body, dims={"n": "1..8", "m": "1..8"})] == ["broadcast"]

    def test_silent_about_sizes_that_are_not_followed(self) -> None:
        body = """(float[n] x, float[m] y) => (z) <float zero = {0}, int64[1] one = {1}> {
            s = Shape (x) real = Cast <to = 1> (s) wave = Sin (real) near = Cast <to = 7> (wave)
            k = Max (near, one) a = Expand (zero, k) z = Add (a, y)
        }"""
        assert checked(body, dims={"n": "1..8"}).verdict is Verdict.UNKNOWN
        assert not warned(body, dims={"n": "1..8"})


class TestDeclaration:
    @pytest.mark.parametrize(
        ("declared", "text"),
        [
            ("float[n, 4]", None),
            ("float[k, 4]", None),
            ("float[n, 5]", "the file declares [n, 5] of 'y', its node makes [n, 4]"),
            ("float[3, 4]", "the file declares [3, 4] of 'y', its node makes [n, 4], as at n=1"),
            ("float[n]", "the file declares [n] of 'y', its node makes [n, 4]"),
        ],
    )
    def test_declared_shapes_are_claims(self, declared: str, text: str | None) -> None:
        body = f"(float[n, 4] x) => ({declared} y) {{ [copy] y = Relu (x) }}"
        report = checked(body)
        assert report.verdict is Verdict.PROVED
        assert [f.kind for f in report.findings] == (["declaration"] if text else [])
        assert [(w.kind, w.text, w.node, w.tensor) for w in report.warnings] == (
            [("declaration", text, "copy", "y")] if text else []
        )
        assert not checked(body, declared="ignore").warnings

    @pytest.mark.parametrize(
        ("formula", "right"), [("m + n", True), ("2*n", False), ("n//2", False), ("other + n", True), ("m n", True)]
    )
    def test_a_formula_is_compared_with_what_is_inferred(self, formula: str, right: bool) -> None:
        body = "(float[n] x, float[m] y) => (float[k] z) { z = Concat<axis=0>(x, y) }"
        model = onnx.parser.parse_model(HEAD + body)
        model.graph.output[0].type.tensor_type.shape.dim[0].dim_param = formula
        report = shapesmt.check(model)
        assert report.verdict is Verdict.PROVED
        assert len(report.warnings) == (not right)
        assert all(f"the file declares [{formula}] of 'z', its node makes [m + n]" in w.text for w in report.warnings)

    def test_over_the_valid_inputs_only(self) -> None:
        body = "(float[n] x, float[4] y) => (float[4] z) { z = Add (x, y) }"
        assert not warned(body, dims={"n": "2..9"})

    def test_silent_about_sizes_that_no_rule_gave(self) -> None:
        body = "(float[n, 4] x, float[4, 5] w) => (float[%s] y) { u = Unheard (x) y = Gemm (u, w) }"
        assert not warned(body % "3, 5")
        assert [kind for kind, _ in warned(body % "3, 6")] == ["declaration"]

    @pytest.mark.parametrize(
        ("inner", "text"),
        [
            ("float[k] t, float[m] u", None),
            ("float[?] t, float[?] u", None),
            ("float[k] t, float[k] u", "[k] of 'u', its node makes [4*n]; k is 2*n elsewhere"),
            ("float[n] t, float[k] u", "[n] of 't', its node makes [2*n]"),
        ],
    )
    def test_a_name_stands_for_one_size(self, inner: str, text: str | None) -> None:
        body = (
            f"(float[n] x) => (float[q] y) <{inner}> {{ t = Concat<axis=0>(x, x) u = Concat<axis=0>(t, t) y = Abs(u) }}"
        )
        found = [told for kind, told in warned(body) if kind == "declaration"]
        reused = ", and ONNX Runtime reuses memory by names" if text and "elsewhere" in text else ""
        assert found == ([f"the file declares {text}{reused}"] if text else [])

    def test_a_name_in_the_trace_of_a_program_stands_for_any_size(self) -> None:
        document = program()
        graph = document["graph_module"]["graph"]
        joined = {"as_tensors": [{"name": "relu"}, {"name": "relu"}]}
        graph["nodes"].append(node("torch.ops.aten.cat.default", "cat", tensors=joined))
        graph["tensor_values"] |= {"relu": meta("s0", 3), "cat": meta("s0", 3)}
        assert not shapesmt.check(archive(model=document), shapes={"x": ["n", 3]}, guards="ignore").warnings
        graph["tensor_values"]["cat"] = meta("s0", 4)
        assert shapesmt.check(archive(model=document), shapes={"x": ["n", 3]}, guards="ignore").warnings

    @pytest.mark.parametrize(("declared", "wrong"), [("2, 5", False), ("2, n", False), ("n, 5", True), ("3, 5", True)])
    def test_silent_about_sizes_that_inputs_do_not_tell(self, declared: str, wrong: bool) -> None:
        body = f"(float[n, m] x) => (int64[{declared}] y) {{ y = NonZero (x) }}"
        assert [kind for kind, _ in warned(body, dims={"n": "1..8", "m": "1..3"})] == ["declaration"] * wrong


class TestUnreachable:
    BRANCH = """(float[n, 4] x) => (y) <int64 axis = {0}, int64 few = {%s}> {
        s = Shape (x) size = Gather (s, axis) long = Less (few, size)
        [choice] y = If (long) <then_branch = t () => (a) { a = Relu (x) }, else_branch = e () => (b) { b = Neg (x) }>
    }"""

    @pytest.mark.parametrize(
        ("few", "text"),
        [
            (0, "no input takes the else branch: 'long' is true for every input"),
            (99, "no input takes the then branch: 'long' is false for every input"),
            (5, None),
        ],
    )
    def test_a_branch_that_no_input_takes(self, few: int, text: str | None) -> None:
        found = checked(self.BRANCH % few, dims={"n": "1..64"}).warnings
        assert [(w.kind, w.text, w.node) for w in found] == ([("unreachable", text, "choice")] if text else [])

    def test_silent_where_no_node_reads_what_the_branches_make(self) -> None:
        body = (self.BRANCH % 0).replace("=> (y)", "=> (z)").replace("[choice]", "z = Relu (x) [choice]")
        assert not warned(body)

    def test_by_an_assumption(self) -> None:
        body = self.BRANCH % 5
        (found,) = warned(body, dims={"n": "1..64"}, assume=["n * n >= 36"])
        assert found[0] == "unreachable"

    def test_a_loop_that_never_runs(self) -> None:
        body = """(float[n] x) => (y) <int64 none = {0}, bool go = {1}> {
            y = Loop (none, go, x) <body = b (int64 i, bool c, float[n] v) => (bool d, float[n] w) {
                d = Identity (c) w = Relu (v)
            }>
        }"""
        assert warned(body) == [("unreachable", "its body never runs: 'none' is 0 for every input")]


class TestRange:
    BODY = "(float[n] x) => (y) { y = Relu (x) }"

    def test_assumptions_that_leave_one_value(self) -> None:
        w = only(self.BODY, dims={"n": "1..64"}, assume=["n % 64 == 0"])
        assert (w.kind, w.index) == ("range", -1)
        assert w.text == "the assumptions leave n = 64 alone in 1..64, so all is said of that value"

    def test_silent_where_the_range_is_one_value_or_more_are_left(self) -> None:
        assert not warned(self.BODY, dims={"n": 64}, assume=["n % 64 == 0"])
        assert not warned(self.BODY, dims={"n": "1..64"}, assume=["n % 32 == 0"])


class TestSize:
    SCORES = (
        "(float[b, s, 64] q, float[b, s, 64] k) => (y) { kt = Transpose <perm = [0, 2, 1]> (k) y = MatMul (q, kt) }"
    )

    def test_the_largest_tensor_at_a_smallest_input(self) -> None:
        w = only(self.SCORES, dims={"b": "1..256", "s": "1..4096"})
        assert (w.kind, w.tensor, w.op_type) == ("size", "y", "MatMul")
        assert w.text == "'y' has 2147483648 elements at b=128, s=4096; indices of 32 bits end at 2147483647"
        assert w.example is not None
        assert w.example.symbols == {"b": 128, "s": 4096}

    def test_exactly_the_limit_is_fine(self) -> None:
        body = "(float[n, 2] x) => (y) { y = Relu (x) }"
        assert not warned(body, dims={"n": f"1..{2**30 - 1}"})
        assert only(body, dims={"n": f"1..{2**30}"}).text == (
            "'x' has 2147483648 elements at n=1073741824; indices of 32 bits end at 2147483647"
        )

    def test_beyond_64_bits(self) -> None:
        body = "(float[n] x) => (y) <int64[2] many = {4294967296, 4294967296}> { y = Expand (x, many) }"
        w = only(body, dims={"n": 1})
        assert w.text == "'y' has 18446744073709551616 elements; indices of 64 bits end at 9223372036854775807"

    def test_a_size_that_ends_before_its_dimension_does(self) -> None:
        body = """(float[n] x) => (y) <int64[1] most = {4194304}, int64[1] wide = {1024}> {
            s = Shape (x) few = Min (s, most) shape = Concat <axis = 0> (few, wide) y = ConstantOfShape (shape)
        }"""
        assert only(body).text == "'y' has 2147483648 elements at n=2097152; indices of 32 bits end at 2147483647"

    def test_the_largest_range_that_can_be_declared(self) -> None:
        w = only("(float[n] x) => (y) { y = Relu (x) }", dims={"n": f"1..{2**63 - 1}"})
        assert w.text == "'x' has 2147483648 elements at n=2147483648; indices of 32 bits end at 2147483647"

    def test_only_sizes_of_the_range_count(self) -> None:
        w = only("(float[n] x) => (y) { y = Relu (x) }", dims={"n": f"1..{3 * 2**61 + 1}:3"})
        assert w.text == "'x' has 2147483650 elements at n=2147483650; indices of 32 bits end at 2147483647"

    def test_silent_without_an_end(self) -> None:
        assert not warned(self.SCORES)

    def test_only_inputs_that_run_count(self) -> None:
        body = """(float[n, 65536] x) => (z) <float[4, 1] y = {1, 2, 3, 4}> { z = Add (x, y) }"""
        found = checked(body, dims={"n": "2..65536"})
        assert found.verdict is Verdict.DEPENDS
        assert not found.warnings


class TestSymbol:
    def test_an_input_that_no_node_reads(self) -> None:
        w = only("(float[n] x, float[k] spare) => (y) { y = Relu (x) }")
        assert (w.kind, w.tensor, w.text) == ("symbol", "spare", "nothing depends on k: no node reads 'spare'")

    @pytest.mark.parametrize(
        "body",
        [
            "(float[n] x, float[k] spare) => (y, spare) { y = Relu (x) }",
            "(float[n, k] x) => (y) <int64[1] axes = {1}> { y = ReduceSum <keepdims = 0> (x, axes) }",
            "(float[n] x, float[n] spare) => (y) { y = Relu (x) }",
        ],
    )
    def test_silent_where_something_depends_on_it(self, body: str) -> None:
        assert not warned(body)


class TestStrict:
    BODY = "(float[n] x, float[k] spare) => (y) { y = Relu (x) }"

    def test_the_exit_status_changes_and_the_verdict_does_not(self) -> None:
        calm, strict = checked(self.BODY), checked(self.BODY, strict=True)
        assert (calm.verdict, calm.exit_status) == (Verdict.PROVED, 0)
        assert (strict.verdict, strict.exit_status) == (Verdict.PROVED, 1)
        assert checked("(float[n] x) => (y) { y = Relu (x) }", strict=True).exit_status == 0

    def test_on_the_command_line(self, tmp_path, capsys) -> None:
        path = tmp_path / "spare.onnx"
        onnx.save(onnx.parser.parse_model(HEAD + self.BODY), path)
        assert main(["check", str(path)]) == 0
        assert "--strict" not in capsys.readouterr().out
        assert main(["check", str(path), "--strict"]) == 1
        assert capsys.readouterr().out.splitlines()[1:-1] == [
            "",
            "WARNING  symbol  SM906",
            "  nothing depends on k: no node reads 'spare'",
            "1 warning: --strict makes this fail",
            "",
        ]
        main(["check", str(path), "--format", "json"])
        data = json.loads(capsys.readouterr().out)
        assert [w["code"] for w in data["warnings"]] == ["SM906"]
        assert "strict" not in data


def test_a_model_that_fails_for_every_input_is_only_told_that() -> None:
    body = "(float[n, 4] x, float[m, 4] y, float[3] w) => (u) { z = Add (x, y) u = Add (z, w) }"
    report = checked(body, dims={"n": "1..8", "m": "1..8"})
    assert report.verdict is Verdict.FAILS
    assert not report.warnings


def test_a_size_is_stretched_only_where_it_meets_another() -> None:
    """If n is 1, it is squeezed away and `[a, 3]` broadcasts with `[k, 3]`; otherwise `[a, n, 3]` does."""
    body = """{ s = Shape(x) at = Constant<value_int=1>() d = Gather(s, at)
        one = Constant<value_int=1>() c = Equal(d, one)
        z = If(c)<then_branch = t () => (p) { axes = Constant<value_ints=[1]>() p = Squeeze(x, axes) },
                  else_branch = e () => (q) { q = Identity(x) }> y = Add(z, w) }"""
    report = shapesmt.check((HEAD + "(float[a, n, 3] x, float[k, 3] w) => (y) " + body).encode())
    assert [w.text.partition(";")[0] for w in report.warnings] == [
        "a = 1 is broadcast to k = 2 at a=1, k=2",
        "k = 1 is broadcast to n = 2 at n=2, k=1",
    ]


@pytest.mark.parametrize("mark", ["?", "*", "-1", "None"])
def test_a_placeholder_is_no_name(mark: str) -> None:
    """Two dimensions called `?` need not be equal; a single one may be called `?`."""
    model = onnx.parser.parse_model(
        HEAD + "(float[p, 3, p] x, float[p, n] w) => (y, z) { y = Concat<axis=0>(x, x) z = Abs(w) }"
    )
    for d in [d for given in model.graph.input for d in given.type.tensor_type.shape.dim if d.dim_param == "p"]:
        d.dim_param = mark
    report = shapesmt.check(model)
    assert [*report.symbols] == ["x_dim0", "x_dim2", "w_dim0", "n"]
    (told,) = [w for w in report.warnings if w.kind == "placeholder"]
    assert told.text == f"'{mark}' names no size: x_dim0, x_dim2, w_dim0 are sizes of their own"
    assert told.code == "SM907"
    for given in model.graph.input:
        given.type.tensor_type.shape.dim[0].dim_value = 2
    report = shapesmt.check(model, dims={mark: "2..4"})
    assert [*report.symbols] == [mark, "n"]
    assert report.warnings == ()
