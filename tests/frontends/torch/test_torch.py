"""Programs of `torch.export`, read without PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import shapesmt
from shapesmt.frontends import load
from tests.support.torch_programs import archive, as_tensor, node, old_archive, program, symbol


def test_a_program_becomes_a_graph() -> None:
    graph = load(archive(model=program()))
    assert graph.inputs["x"].shape == ("x_dim0", 3)
    assert [(node.op, node.domain, node.inputs, node.outputs) for node in graph.nodes[:1]] == [
        ("aten.relu.default", "torch", ["x"], ["relu"])
    ]
    assert graph.outputs == ["relu"]
    assert graph.nodes[-1].name == "_guards_fn"


def test_guards_are_part_of_the_precondition() -> None:
    graph = program()
    graph["graph_module"]["graph"]["nodes"] = []
    graph["graph_module"]["graph"]["outputs"] = [as_tensor("x")]
    report = shapesmt.check(archive(model=graph), dims={"x_dim0": "1..20"})
    assert report.precondition is not None
    assert report.precondition.text == ("x_dim0 <= 8",)
    assert [finding.node for finding in report.findings] == ["_guards_fn"]
    assert shapesmt.check(archive(model=graph), dims={"x_dim0": "1..20"}, guards="ignore").ok


def test_integers_among_the_inputs_tie_and_have_ranges() -> None:
    document = program(range_constraints={"s0": {"min_val": 0, "max_val": 6}}, guards_code=[])
    module = document["graph_module"]
    module["graph"]["inputs"].append({"as_sym_int": {"as_name": "n"}})
    module["graph"]["sym_int_values"]["n"] = symbol("s0")
    module["signature"]["input_specs"].append({"user_input": {"arg": {"as_sym_int": {"as_name": "n"}}}})
    report = shapesmt.check(archive(model=document), dims={"x_dim0": "1..9"}, values={"n": "0..9"})
    assert report.precondition is not None
    assert report.precondition.text == ("x_dim0 <= 6", "n <= 6", "n == x_dim0")


def test_a_report_tells_guards_from_what_the_nodes_need() -> None:
    document = program(guards_code=["L['x'].size()[0] <= 8", "L['x'].size()[0] // 5 != 1"])
    graph = document["graph_module"]["graph"]
    graph["nodes"], graph["outputs"] = [], [as_tensor("x")]
    report = shapesmt.check(archive(model=document))
    assert report.guarded is not None
    assert report.to_dict()["guarded"] == {"nodes": [], "exact": True, "refused": "x_dim0 >= 5"}
    assert str(report).splitlines()[-4:-1] == [
        "every node runs for every input",
        "PyTorch's guards also refuse x_dim0 >= 5, needed by no node (--guards ignore)",
        "PROVED with --dim x_dim0=1..4",
    ]


RESIDUES = (1, 4, 8, 9, 12, 14, 18, 20, 24, 26)


def test_what_guards_let_pass_is_said_where_the_rest_has_no_short_form() -> None:
    """Sizes of some residues pass: the list of the others is long, so that the formula is a negation."""
    size = "L['x'].size()[0]"
    passing = " or ".join(f"{size} % 32 == {residue}" for residue in RESIDUES)
    document = program(guards_code=[f"{size} >= 36", passing], range_constraints={})
    graph = document["graph_module"]["graph"]
    graph["nodes"], graph["outputs"] = [], [as_tensor("x")]
    report = shapesmt.check(archive(model=document), dims={"x_dim0": "20..224"})
    assert report.guarded is not None
    assert report.guarded.refused == f"not (x_dim0 >= 36 and x_dim0 % 32 in {{{', '.join(map(str, RESIDUES))}}})"


def test_what_the_nodes_need_is_not_among_what_guards_refuse_besides() -> None:
    document = program(guards_code=["L['x'].size()[0] % 2 == 0 and L['x'].size()[0] <= 6"], range_constraints={})
    view = node("torch.ops.aten.view.default", "relu", self=as_tensor("x"), size={"as_ints": [-1, 2, 3]})
    document["graph_module"]["graph"]["nodes"] = [view]
    report = shapesmt.check(archive(model=document))
    assert report.guarded is not None
    assert (report.guarded.nodes, report.guarded.refused) == (("x_dim0 % 2 == 0",), "x_dim0 >= 7")


def test_an_archive_without_guards_is_told_from_one_that_has_none() -> None:
    document = program(guards_code=[], schema_version={"major": 8, "minor": 8})
    assert shapesmt.check(archive(model=document)).hints == ()
    del document["guards_code"]
    for model in (archive(model=document), old_archive(document)):
        report = shapesmt.check(model)
        (hint,) = report.to_dict()["hints"]
        assert hint == (
            "this program is stored without guards, as by PyTorch 2.8 and before: "
            "what PyTorch checks of its inputs beyond ranges and equal sizes isn't known"
        )
        assert f"hint: {hint}\n" in report.text(200)
        assert report.verdict == shapesmt.check(archive(model=program())).verdict
        assert shapesmt.check(model, guards="ignore").hints == ()


def test_pytorchs_symbols_are_accepted_as_names_of_dimensions() -> None:
    model = archive(model=program(guards_code=["L['x'].size()[0] != 1"], range_constraints={}))
    facts = shapesmt.inspect(model)
    assert facts.dimensions["x_dim0"].alias == "s0"
    assert "  x_dim0  1..  x[0]  also s0\n" in f"{facts}\n"
    assert shapesmt.check(model, dims={"s0": "1..4"}).symbols["x_dim0"].max == 4
    assert str(shapesmt.bounds(model, dims={"s0": "1..9"}, assume=["s0 % 4 == 0"])["x"]) == "[4..8,3]"
    with pytest.raises(shapesmt.UsageError, match="'s0' is another name for 'x_dim0', which has another range"):
        shapesmt.check(model, dims={"s0": 3, "x_dim0": 4})


def test_inputs_are_in_memory_as_those_of_the_export() -> None:
    def reshaped(*strides: Any) -> shapesmt.Report:
        document = program(guards_code=[], range_constraints={})
        graph = document["graph_module"]["graph"]
        graph["tensor_values"]["x"]["strides"] = [*strides]
        arguments = {"self": as_tensor("x"), "size": {"as_ints": [-1]}}
        graph["nodes"] = [node("torch.ops.aten.view.default", "relu", **arguments)]
        return shapesmt.check(archive(model=document))

    assert reshaped({"as_int": 3}, {"as_int": 1}).ok
    found = reshaped({"as_int": 1}, symbol("s0"))
    assert found.precondition is not None
    assert found.precondition.text == ("x_dim0 == 1",)
    assert reshaped({"as_int": 1}, symbol("s9")).verdict == "UNKNOWN"


def test_one_of_several_programs_is_named(tmp_path: Any) -> None:
    path = tmp_path / "two.pt2"
    path.write_bytes(archive(encoder=program(), decoder=program()))
    assert load(f"{path}#decoder").nodes
    with pytest.raises(shapesmt.UsageError, match="has 2 programs; name one of encoder, decoder"):
        load(path)
    with pytest.raises(shapesmt.UsageError, match=r"two\.pt2 has no program 'coder'; .* as in two\.pt2#encoder"):
        load(f"{path}#coder")


def test_another_schema_is_refused() -> None:
    with pytest.raises(shapesmt.ModelError, match="schema 9"):
        load(archive(model=program(schema_version={"major": 9, "minor": 1})))


def test_a_page_tells_guards_from_what_the_nodes_need() -> None:
    document = program(guards_code=["L['x'].size()[0] // 5 != 1"], range_constraints={})
    page = shapesmt.page(archive(model=document)).replace("&#x27;", "'")
    assert "Every node runs for every input" in page
    assert "PyTorch's guards also refuse <code>5 &lt;= x_dim0 &lt;= 9</code>, needed by no node" in page
