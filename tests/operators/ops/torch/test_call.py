"""The arguments of PyTorch's operators, read from nodes as a program's reader writes them."""

from __future__ import annotations

import pytest

import shapesmt
from shapesmt.network.graph import Declared, Graph, Node
from shapesmt.operators.inference import infer
from shapesmt.operators.ops.torch.call import Call
from shapesmt.operators.ops.torch.schemas import schema
from shapesmt.operators.ops.torch.sizes import sym_size
from shapesmt.operators.rules import resolve, rules, tensor
from shapesmt.prover.algebra import Verdict
from tests.operators.ops.torch.write_schemas import DECOMPOSED, TABLE, decomposed, names, schemas
from tests.support.torch_programs import archive, as_tensor, node, program

WITHOUT_TENSORS = {"_assert_scalar.default", "sym_constrain_range.default", "sym_constrain_range_for_size.default"}


def test_the_table_has_the_operators_of_the_installed_torch() -> None:
    pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    table = names(TABLE.read_text().splitlines())
    assert names(schemas()).items() <= table.items()
    assert {*decomposed()} <= {*DECOMPOSED.read_text().splitlines()}


def test_every_schema_is_read_whole() -> None:
    for line in TABLE.read_text().splitlines():
        name, _, rest = line.partition("(")
        listed = rest.rpartition(") -> ")[0].replace(", *, ", ", ").removeprefix("*, ")
        read = schema(f"aten.{name}")
        assert read is not None
        count = 0 if not listed else sum(1 for part in listed.split(", ") if " " in part)
        assert len(read.arguments) == count, line


def test_arguments_are_read_by_name() -> None:
    attributes = {"@self": 0, "dim": -1}
    ctx = shapesmt.InferenceContext.of("aten.sym_size.int", ["[4,3]"], attributes=attributes)
    assert [str(item) for item in sym_size(Call(ctx)).value.items] == ["3"]
    attributes = {"@self": 0, "size": (0, -1), "@size": (1, -1)}
    ctx = shapesmt.InferenceContext.of("aten.view.default", ["[4,3]", "[]"], attributes=attributes, tensors=[None, 7])
    call = Call(ctx)
    assert "size" in call
    assert [str(size) for size in call.sizes("size")] == ["7", "-1"]


def test_one_number_stands_for_as_many_as_the_schema_says() -> None:
    call = Call(shapesmt.InferenceContext.of("aten.max_pool2d.default", ["[4,3]"], attributes={"kernel_size": 3}))
    assert (call.integers("kernel_size"), call.integers("stride"), call.integers("padding")) == ((3, 3), (), (0, 0))


def test_an_operator_without_a_rule_says_whether_decomposing_helps() -> None:
    notes = {}
    for op in ("aten._pad_packed_sequence.default", "aten._sobol_engine_ff_.default"):
        assert resolve("torch", op, 1) is None
        graph = Graph("g", {"x": Declared("float32", (2,))}, ["y"], [Node(op, "torch", "n", ["x"], ["y"])])
        [application] = infer(graph, {"x": tensor("float32", [2])}).applications
        notes[op] = application.unjudged[0].note
    decomposable, other = notes.values()
    assert decomposable == "decompose the program first: exported.run_decompositions()"
    assert other.startswith(
        'give it one, @shapesmt.rule("aten._sobol_engine_ff_.default", domain="torch"), or --declared'
    )


def test_every_rule_is_of_an_operator_that_pytorch_has() -> None:
    named = [r.name.removeprefix("aten.") for r in rules() if r.name.startswith("aten.")]
    assert {name for name in named if schema(f"aten.{name}") is None} == WITHOUT_TENSORS


def test_a_node_whose_arguments_are_not_as_the_schema_says_is_not_judged() -> None:
    for attributes in ({"@self": 3}, {"@self": -3}, {}, {"@self": 0, "@size": (1,), "size": (0, 2)}):
        ctx = shapesmt.InferenceContext.of("aten.view.default", ["[4,3]"], attributes=attributes)
        assert ctx.apply(resolve("torch", "aten.view.default", 1).apply).unjudged


def test_a_number_may_promote_to_a_type_that_has_a_kernel() -> None:
    def type_of(dtype: str, **arguments: object) -> str:
        attributes = {"@self": 0, **arguments}
        ctx = shapesmt.InferenceContext.of("aten.div.Tensor_mode", ["[2]"], attributes=attributes, dtypes=[dtype])
        applied = ctx.apply(resolve("torch", "aten.div.Tensor_mode", 1).apply)
        return "" if applied.unjudged else applied.outputs[0].dtype

    numbers = (True, 3, 1.5)
    assert [type_of("bool", other=n, rounding_mode="floor") for n in numbers] == ["", "int64", "float32"]
    assert [type_of("complex64", other=n, rounding_mode="floor") for n in numbers] == ["", "", ""]
    assert [type_of("complex64", other=n) for n in numbers] == ["complex64"] * 3


def test_operators_on_bits_have_no_kernel_for_floats() -> None:
    for op, dtypes, judged in (
        ("bitwise_and.Tensor", ("int64", "float32"), False),
        ("bitwise_or.Tensor", ("bool", "int64"), True),
        ("gcd.default", ("float64", "float64"), False),
        ("hypot.default", ("float64", "float64"), True),
    ):
        attributes = {f"@{name}": i for i, name in enumerate(schema(f"aten.{op}").arguments)}
        ctx = shapesmt.InferenceContext.of(f"aten.{op}", ["[2]", "[2]"], attributes=attributes, dtypes=dtypes)
        assert bool(ctx.apply(resolve("torch", f"aten.{op}", 1).apply).unjudged) is not judged


def stated(**meta_of_relu) -> bytes:
    """The archive of `relu(x)` and of an assertion that it is float64, with other words of PyTorch on `relu`."""
    asserted = node(
        "torch.ops.aten._assert_tensor_metadata.default", "", a=as_tensor("relu"), dtype={"as_scalar_type": 8}
    )
    document = program(guards_code=[], range_constraints={})
    graph = document["graph_module"]["graph"]
    graph["nodes"].append(asserted | {"outputs": [], "name": "asserted"})
    graph["tensor_values"]["relu"] |= meta_of_relu
    return archive(m=document)


def test_an_assertion_fails_by_what_the_inputs_say() -> None:
    assert shapesmt.check(stated()).verdict is Verdict.FAILS


def test_the_type_that_the_archive_states_is_assumed() -> None:
    report = shapesmt.check(stated(dtype=8), strict=True)
    assert (report.verdict, report.exit_status) == (Verdict.PROVED, 1)
    [one] = report.to_dict()["assumed"]
    assert (one["by"], one["node"], one["tensor"]) == ("archive", "relu", "relu")
    first, *others = report.text(200).splitlines()
    assert first.endswith(", assuming the output of relu of the archive")
    assert "assumed as the archive states: the output is float64, not float32 ('relu' at relu)" in others


def test_other_answers_list_what_the_archive_states_too() -> None:
    told = "assumed as the archive states: the output is float64, not float32 ('relu' at relu)"
    explained = shapesmt.explain(stated(dtype=8)), shapesmt.explain(stated(dtype=8), "relu")
    for answer in (*explained, shapesmt.bounds(stated(dtype=8))):
        first, *others = answer.text(200).splitlines()
        assert first.endswith(", assuming the output of relu of the archive")
        assert told in others
        assert answer.to_dict()["assumed"][0]["by"] == "archive"
    assert shapesmt.bounds(stated()).assumed == shapesmt.explain(stated()).assumed == ()


def test_the_rank_that_the_archive_states_is_assumed() -> None:
    report = shapesmt.check(stated(dtype=8, sizes=[{"as_int": 3}]))
    assert [one.law for one in report.assumed] == ["the output is float64, not float32", "the output has rank 1, not 2"]
