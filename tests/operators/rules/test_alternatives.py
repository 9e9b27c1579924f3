"""Conditions over sizes that decide ranks: each case is followed, and all of them are one answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import shapesmt
from shapesmt.operators.rules import alternatives
from shapesmt.operators.rules.application import Application
from shapesmt.operators.rules.tensors import Case, Tensor, holds, tensor
from shapesmt.prover.algebra.dim import symbol
from shapesmt.prover.algebra.formula import Formula, all_of, equal
from shapesmt.reports.answers import Bounds

SQUEEZED = """s = Shape(x) at = Constant<value_int=1>() d = Gather(s, at)
    one = Constant<value_int=1>() c = Equal(d, one)
    z = If(c)<then_branch = t () => (p) { axes = Constant<value_ints=[1]>() p = Squeeze(x, axes) },
              else_branch = e () => (q) { q = Identity(x) }> """


def model(body: str, inputs: str = "float[a, n, b] x", outputs: str = "y", constants: str = "") -> bytes:
    return f'<ir_version: 8, opset_import: ["": 18]> g ({inputs}) => ({outputs}) {constants} {{ {body} }}'.encode()


def shown(found: Bounds, tensor: str) -> str | dict[str, str]:
    """The formulas of a tensor's sizes, by case where there is no one rank."""
    t = found.tensors[tensor]
    texts = [f"[{', '.join(d.expr for d in shape)}]" for shape in t.shapes]
    return texts[0] if t.shape is not None else {c.when: text for c, text in zip(t.cases, texts, strict=True)}


@pytest.mark.parametrize("n", ["1", "2..8", "1..8", "1.."])
def test_a_squeeze_that_was_traced_is_followed_in_both_cases(n: str) -> None:
    report = shapesmt.check(model(SQUEEZED + "y = Abs(z)"), dims={"n": n}, certify=True)
    assert (str(report.verdict), report.certificate) == ("PROVED", "PROVED")


def test_each_case_has_a_shape_of_its_own() -> None:
    found = shapesmt.bounds(model(SQUEEZED + "y = Abs(z)"), dims={"n": "1..8", "a": "1..4", "b": 3})
    assert shown(found, "y") == {"n == 1": "[a, 3]", "n >= 2": "[a, n, 3]"}
    case = found.tensors["y"].to_dict()["cases"][1]
    assert case["shape"][1] == {"min": 2, "max": 8, "expr": "n", "exact": True}
    assert found.exit_status == 0


def test_a_rank_is_one_again_where_the_cases_agree() -> None:
    """`[a, b]` and `[a, n, b]` are flattened: to `a*b` if n is 1, else to `a*n*b`, which is `a*b*n` in both cases."""
    found = shapesmt.bounds(model(SQUEEZED + "l = Constant<value_ints=[-1]>() y = Reshape(z, l)"))
    assert shown(found, "y") == "[a*b*n]"
    assert found.tensors["y"].exact


@pytest.mark.parametrize(
    ("use", "region", "remedy"),
    [
        ("y = Transpose<perm=[0, 2, 1]>(z)", ("n >= 2",), {"n": "2..8"}),
        ("y = Transpose<perm=[1, 0]>(z)", ("n == 1",), {"n": "1"}),
        ("y = Concat<axis=0>(z, w)", ("n >= 2", "b == 3"), {"n": "2..8", "b": "3"}),
    ],
)
def test_a_node_that_takes_one_of_the_ranks_says_when(
    use: str, region: tuple[str, ...], remedy: dict[str, str]
) -> None:
    text = model(SQUEEZED + use, "float[a, n, b] x, float[k, n, 3] w")
    report = shapesmt.check(text, dims={"n": "1..8"}, certify=True)
    assert str(report.verdict) == "DEPENDS"
    assert report.precondition is not None
    assert (set(report.precondition.text), report.precondition.exact) == ({*region}, True)
    assert report.remedy is not None
    assert report.remedy.dims == remedy
    mended = shapesmt.check(text, dims={"n": "1..8", **report.remedy.dims}, assume=report.remedy.assume)
    assert str(mended.verdict) == "PROVED"


def test_a_node_that_takes_no_rank_fails() -> None:
    report = shapesmt.check(model(SQUEEZED + "y = Transpose<perm=[3, 2, 1, 0]>(z)"), dims={"n": "1..8"}, certify=True)
    assert (str(report.verdict), report.certificate) == ("FAILS", "REFUTED")


def test_a_law_that_all_cases_share_is_one_condition() -> None:
    text = model(SQUEEZED + "y = Concat<axis=-1>(z, z, w)", "float[a, n, b] x, float[c, n, 3] w")
    (finding,) = shapesmt.check(text, dims={"n": "2..8"}).findings
    assert finding.condition == "a == c"
    one = model(SQUEEZED + "l = Constant<value_ints=[-1, 6]>() y = Reshape(z, l)")
    (finding,) = shapesmt.check(one, dims={"n": "1..8"}).findings
    assert finding.condition == "(a*b*n) % 6 == 0"


def test_different_laws_by_case_are_one_condition() -> None:
    """If n is 1, `h` has to be even; otherwise it has to be a multiple of 3."""
    halves = "axes = Constant<value_ints=[0, -1, 2]>() p = Reshape(x, axes)"
    thirds = "more = Constant<value_ints=[-1, 3]>() q = Reshape(x, more)"
    size = "s = Shape(x) at = Constant<value_int=1>() d = Gather(s, at) one = Constant<value_int=1>() c = Equal(d, one)"
    text = model(
        f"{size} y = If(c)<then_branch = t () => (p) {{ {halves} }}, else_branch = e () => (q) {{ {thirds} }}>",
        "float[1, n, h] x",
    )
    report = shapesmt.check(text, dims={"n": "1..2", "h": "1..12"}, certify=True)
    assert report.precondition is not None
    assert report.precondition.exact
    (region,) = report.precondition.text
    for n in (1, 2):
        for h in range(1, 13):
            assert eval(region, {"n": n, "h": h}) == (h % 2 == 0 if n == 1 else n * h % 3 == 0)


def test_a_squeeze_without_axes_asks_of_each_size_whether_it_is_1() -> None:
    found = shapesmt.bounds(model("y = Squeeze(x)", "float[a, 1, b] x"), dims={"a": "1..4", "b": "1..3"})
    assert shown(found, "y") == {
        "a == 1 and b == 1": "[]",
        "a == 1 and b >= 2": "[b]",
        "a >= 2 and b == 1": "[a]",
        "a >= 2 and b >= 2": "[a, b]",
    }
    report = shapesmt.check(model("z = Squeeze(x) y = Transpose<perm=[1, 0]>(z)", "float[a, 1, b] x"))
    assert report.precondition is not None
    assert (report.precondition.text, report.precondition.exact) == (("a >= 2", "b >= 2"), True)


def test_more_cases_than_are_followed_leave_a_rank_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ", ".join("abcdefg")
    text = model("z = Squeeze(x) y = Transpose<perm=[1, 0]>(z)", f"float[{names}] x")
    assert 1 << len("abcdefg") > alternatives.MAX_CASES
    assert [f.kind for f in shapesmt.check(text).findings] == ["rank"]
    few = dict.fromkeys("abcde", 2)
    assert str(shapesmt.check(text, dims=few).verdict) == "FAILS"


def test_axes_that_a_condition_chooses() -> None:
    chosen = """s = Shape(x) at = Constant<value_int=1>() d = Gather(s, at) one = Constant<value_int=1>()
        c = Equal(d, one) p = Constant<value_ints=[0]>() q = Constant<value_ints=[3]>() axes = Where(c, p, q) """
    found = shapesmt.bounds(model(chosen + "y = Unsqueeze(x, axes)"), dims={"n": "1..8"})
    assert (
        shown(found, "y") == "[(1 if n == 1 else a), (a if n == 1 else n), (1 if n == 1 else b), (b if n == 1 else 1)]"
    )
    report = shapesmt.check(model(chosen + "y = Squeeze(x, axes)"), dims={"n": "1..8", "a": "1..2"})
    assert report.precondition is not None
    assert report.precondition.text == ("a == 1", "n == 1")


def test_a_list_whose_length_a_condition_decides_is_a_shape() -> None:
    lists = "() => (p) { p = Constant<value_ints=[2, -1]>() }", "() => (q) { q = Constant<value_ints=[-1]>() }"
    size = "s = Shape(x) at = Constant<value_int=0>() d = Gather(s, at) one = Constant<value_int=1>() c = Equal(d, one)"
    target = f"{size} l = If(c)<then_branch = t {lists[0]}, else_branch = e {lists[1]}> "
    found = shapesmt.bounds(model(target + "y = Reshape(x, l)", "float[a, n] x"), dims={"a": "1..4", "n": "1..6"})
    assert shown(found, "y") == {"a == 1": "[2, n//2]", "a >= 2": "[a*n]"}
    assert shown(found, "l") == "[(2 if a == 1 else 1)]"
    zeros = "k = Abs(l) y = ConstantOfShape(k)"
    found = shapesmt.bounds(model(target + zeros, "float[a, n] x"), dims={"a": "1..4"})
    assert shown(found, "y") == {"a == 1": "[2, 1]", "a >= 2": "[1]"}


def test_a_case_that_no_input_takes_is_left_out() -> None:
    unknown = "() => (q) { q = my.Own(x) }"
    size = "s = Shape(x) at = Constant<value_int=1>() d = Gather(s, at) one = Constant<value_int=1>() c = Equal(d, one)"
    text = f"""<ir_version: 8, opset_import: ["": 18, "my": 1]> g (float[a, n, b] x) => (y)
        {{ {size} y = If(c)<then_branch = t {unknown}, else_branch = e () => (p) {{ p = Identity(x) }}> }}""".encode()
    assert str(shapesmt.check(text, dims={"n": "1..8"}).verdict) == "UNKNOWN"
    assert str(shapesmt.check(text, dims={"n": "2..8"}).verdict) == "PROVED"
    assert str(shapesmt.check(text, dims={"n": "1..8"}, assume=["a*n >= 5", "a <= 4"]).verdict) == "PROVED"


@pytest.mark.parametrize(
    ("dims", "shapes", "assume"),
    [
        ({"n": 1}, {}, ()),
        ({"n": "1..1"}, {}, ()),
        ({"n": "1..7:16"}, {}, ()),
        ({}, {"x": "[?, 1, ?]"}, ()),
        ({}, {}, ("n <= 1",)),
        ({}, {}, ("n == 1",)),
        ({}, {}, ("n == a // a",)),
        ({"a": "2..3"}, {}, ("n*a <= 3",)),
    ],
)
def test_a_size_that_has_one_value_is_that_number(
    dims: dict[str, str], shapes: dict[str, str], assume: tuple[str, ...]
) -> None:
    """`Squeeze` without axes removes the size 1, and `Transpose` requires the rank 2 that results."""
    text = model("z = Squeeze(x) y = Transpose<perm=[1, 0]>(z)")
    ranges = {"a": "2..4", "b": "2..4", **dims} if not shapes else {}
    given = {"x": "[2..4, 1, 2..4]"} if shapes else {}
    assert str(shapesmt.check(text, dims=ranges, shapes=given, assume=assume).verdict) == "PROVED"


def test_what_has_one_value_keeps_its_name_where_a_failure_is_explained() -> None:
    report = shapesmt.check(model("y = Add(x, w)", "float[n, 3] x, float[m, 3] w"), dims={"n": 2, "m": 5})
    assert report.findings[0].counterexample is not None
    assert report.findings[0].counterexample.symbols == {"n": 2, "m": 5}
    assert [c.expr for c in report.findings[0].because] == ["n", "m"]


def test_a_condition_that_data_decides_is_one_truth_for_all_nodes() -> None:
    """Two `If` nodes read `c`: if it is true, the first flattens to a matrix and the second transposes a matrix."""
    body = """zero = Constant<value_ints=[0]>() i = Cast<to=7>(w) m = ReduceMax<keepdims=0>(i, zero) c = Cast<to=9>(m)
        z = If(c)<then_branch = t () => (p) { p = Flatten(x) }, else_branch = e () => (q) { q = Identity(x) }>
        y = If(c)<then_branch = t () => (r) { r = Transpose<perm=[1, 0]>(z) },
                  else_branch = e () => (s) { s = Transpose<perm=[2, 1, 0]>(z) }>"""
    text = model(body, "float[a, n, b] x, bool[n] w")
    assert str(shapesmt.check(text).verdict) == "PROVED"
    assert shown(shapesmt.bounds(text), "y") == {"'c' is true": "[b*n, a]", "'c' is false": "[b, n, a]"}
    swapped = text.replace(b"perm=[1, 0]", b"perm=[0, 2, 1]")
    (finding,) = shapesmt.check(swapped).findings
    assert (finding.kind, finding.when) == ("data", "'c' is true")


def test_what_data_decide_is_one_size_in_all_cases() -> None:
    text = model(SQUEEZED + "v = NonZero(z) y = Transpose<perm=[1, 0]>(v)")
    assert shown(shapesmt.bounds(text, dims={"n": "1..4"}), "y") == "[`v.count`, (2 if n == 1 else 3)]"
    dims = {"n": "1..4", "a": "1..3", "b": "1..3"}
    assert shapesmt.bounds(text, dims=dims).tensors["y"].shape[0].max == 36  # type: ignore[index]
    assert shapesmt.bounds(text, dims={**dims, "n": 1}).tensors["y"].shape[0].max == 9  # type: ignore[index]


def test_each_case_is_explained_and_reproduced() -> None:
    text = model(SQUEEZED + "y = Transpose<perm=[2, 1, 0]>(z)")
    (finding,) = shapesmt.check(text, dims={"n": "1..4"}, replay=True).findings
    assert (finding.when, finding.holds_iff) == ("n == 1", "n >= 2")
    assert finding.replay is not None
    assert finding.replay.confirmed
    assert {c.expr for c in shapesmt.explain(text, "z").because} >= {"a", "n", "b"}
    encoding = shapesmt.encoding(text, dims={"n": "1..4"})
    for n in (1, 3):
        solver = encoding.solver()
        solver.add(encoding.symbol("n") == n)
        assert str(solver.check()) == "sat"
        assert len(encoding.shapes(solver.model())["z"]) == (2 if n == 1 else 3)


def test_what_is_written_into_a_file_has_a_shape_where_there_is_one() -> None:
    text = model(SQUEEZED + "y = Abs(z)", outputs="float[a, n, b] y")
    for dims, rank in (({"n": "2..4"}, 3), ({"n": "1"}, 2)):
        made = shapesmt.tighten(text, dims=dims, declared="ignore", trust_ranges=True)
        shape = next(v for v in (*made.graph.value_info, *made.graph.output) if v.name == "z").type.tensor_type.shape
        assert len(shape.dim) == rank
    loose = shapesmt.tighten(text, dims={"n": "1..4"}, declared="ignore")
    (z,) = (v for v in loose.graph.value_info if v.name == "z")
    assert not z.type.tensor_type.HasField("shape")


CHOSEN = """s = Shape(x) at = Constant<value_int=1>() d = Gather(s, at) one = Constant<value_int=1>() c = Equal(d, one)
    zero = Constant<value_ints=[0]>() p = Constant<value_ints=[1]>() q = Constant<value_ints=[3]>() k = Where(c, p, q)
    t = Slice(s, zero, k) """


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (CHOSEN + "y = ConstantOfShape(t)", {"n == 1": "[a]", "n >= 2": "[a, n, b]"}),
        (
            CHOSEN + "w = Constant<value_ints=[-1]>() l = Concat<axis=0>(t, w) y = Reshape(x, l)",
            {"n == 1": "[a, b]", "n >= 2": "[a, n, b, 1]"},
        ),
        (
            CHOSEN + "e = Unsqueeze(d, zero) l = ConstantOfShape<value = int64[1] {2}>(e) y = ConstantOfShape(l)",
            {"n == 1": "[2]", "n == 2": "[2, 2]", "n == 3": "[2, 2, 2]"},
        ),
        (
            CHOSEN + "r = Constant<value_int=0>() i = Range(r, d, one) l = Add(i, one) y = ConstantOfShape(l)",
            {"n == 1": "[1]", "n == 2": "[1, 2]", "n == 3": "[1, 2, 3]"},
        ),
    ],
)
def test_a_list_of_few_lengths_is_a_shape_of_few_ranks(body: str, expected: dict[str, str]) -> None:
    assert shown(shapesmt.bounds(model(body), dims={"n": "1..3"}), "y") == expected
    report = shapesmt.check(model(body), dims={"n": "1..3"}, certify=True)
    assert (str(report.verdict), report.certificate) == ("PROVED", "PROVED")


def test_a_given_shape_of_few_lengths_has_few_ranks() -> None:
    text = model("z = Reshape(x, l) y = Transpose<perm=[1, 0]>(z)", "float[a, n, b] x, int64[k] l")
    report = shapesmt.check(text, dims={"k": "1..3"})
    assert report.precondition is not None
    assert report.precondition.text == ("k == 2",)


def test_a_case_of_which_nobody_knows_whether_it_comes_about_is_not_exact() -> None:
    """A maximum of magnitudes is never below 0, which isn't known; nor is anything known about a value of Erf."""
    sides = "then_branch = t () => (p) { p = Flatten(x) }, else_branch = e () => (q) { q = Identity(x) }"
    data = f"m = Abs(x) i = ReduceMax<keepdims=0>(m) z = Constant<value_float=0.0>() c = Less(i, z) y = If(c)<{sides}>"
    found = shapesmt.bounds(model(data)).tensors["y"]
    assert len(found.cases) == 2
    assert not found.exact
    lost = "s = Shape(x) f = Cast<to=1>(s) m = Erf(f) i = ReduceMax<keepdims=0>(m) z = Constant<value_float=0.3>() "
    branches = f"{lost} c = Less(i, z) y = If(c)<{sides}> "
    assert shapesmt.bounds(model(branches)).tensors["y"].shapes == ()
    assert (
        str(shapesmt.check(model(branches.replace("y =", "v =") + "y = Transpose<perm=[2, 1, 0]>(v)")).verdict)
        == "UNKNOWN"
    )


def test_no_case_is_left_where_no_input_gets() -> None:
    """One tensor exists if n is 1 or 2, the other if n is 3 or 4; no case has both, and the outputs are unknown."""
    n = symbol("n", 1, 4)

    def ranks(first: int) -> Tensor:
        cases = [Case(equal(n, first + k), tensor("float32", [n] * k)) for k in range(2)]
        return tensor("float32", None, cases=tuple(cases))

    asked = []

    def apply(inputs: Sequence[Tensor | None], case: Formula | None) -> Application:
        asked.append((inputs, case))
        return Application((tensor("float32", None),), ())

    unknown = tensor("float32", None)
    assert alternatives.by_case([ranks(1), ranks(3)], apply).outputs == (unknown,)
    assert asked == [((unknown, unknown), None)]
    apart = all_of(equal(n, 1), equal(n + n, 6))
    assert alternatives.one_of([Case(apart, ranks(1)), Case(apart, unknown)]) is unknown


def test_a_case_determines_what_follows_from_one_of_its_parts():
    """Otherwise a rule that asks again would be applied forever."""
    k, m = symbol("k", -3, 4), symbol("m", 0, 4)
    assert holds(equal(k, -3), all_of(equal(k, 1), equal(m, 2))) is False
    assert holds(equal(k, 1), all_of(equal(k, 1), equal(m, 2))) is True
