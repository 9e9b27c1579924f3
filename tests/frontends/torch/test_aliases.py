"""Tensors that share their memory: after an operator in place, none has the elements that it had."""

from __future__ import annotations

from shapesmt.frontends.torch.aliases import Memory
from shapesmt.network.graph import Attributes, Node


def follow(*steps: tuple[str, str, str]) -> tuple[dict[str, str], list[tuple[str, ...]]]:
    """What names stand for after nodes (operator, tensor that is read, output), and the nodes that were added."""
    names = {"x": "x"}
    memory, added = Memory(names, str), []
    for op, read, written in steps:
        names[written] = written
        added += memory.follow(f"aten.{op}", read, [written])
    return names, [(*node.inputs, *node.outputs) for node in added]


def test_a_tensor_that_is_changed_in_place_stands_for_the_result() -> None:
    names, added = follow(("add_.Tensor", "x", "y"))
    assert (names["x"], added) == ("y", [])


def test_views_of_what_is_changed_have_other_elements() -> None:
    names, added = follow(("view.default", "x", "v"), ("select.int", "v", "w"), ("fill_.Scalar", "w", "f"))
    assert names == {"x": "x.changed", "v": "v.changed", "w": "f", "f": "f"}
    assert added == [("v", "v.changed"), ("x", "x.changed")]


def test_a_copy_has_memory_of_its_own() -> None:
    names, added = follow(("clone.default", "x", "c"), ("add_.Tensor", "c", "d"), ("__and__.Tensor", "x", "e"))
    assert (names["x"], names["c"], added) == ("x", "d", [])


def test_another_shape_of_one_tensor_changes_no_elements() -> None:
    names, added = follow(("view.default", "x", "v"), ("unsqueeze_.default", "v", "u"))
    assert (names["x"], names["v"], added) == ("x", "u", [])


def test_a_dropout_out_of_training_returns_the_tensor_itself() -> None:
    for train, stands in ((0, "u"), (1, "x")):
        names = {"x": "x", "d": "d", "u": "u"}
        memory = Memory(names, str)
        memory.follow("aten.dropout.default", "x", ["d"], {"p": 0.5, "train": train})
        memory.follow("aten.unsqueeze_.default", "d", ["u"])
        assert names == {"x": stands, "d": "u", "u": "u"}


def test_a_part_is_written_into_the_tensors_that_it_is_a_part_of() -> None:
    names, nodes = {}, []
    memory = Memory(names, str)
    for op, read, written, attributes in (
        ("slice.Tensor", "x", "s", {"@self": 0, "dim": 1, "@start": 1}),
        ("select.int", "s", "p", {"@self": 0, "dim": 0, "index": 2}),
        ("fill_.Scalar", "p", "f", {"@self": 0}),
    ):
        names.setdefault(read, read)
        names[written] = written
        inputs = [read, "from"] if "@start" in attributes else [read]
        made = Node(f"aten.{op}", "torch", written, inputs, [written], Attributes(attributes))
        nodes += memory.follow(made.op, read, [written], {}, made)
    assert [(n.op, n.inputs, n.outputs, dict(n.attributes)) for n in nodes] == [
        ("changed_part", ["s", "f"], ["s.changed"], {"dim": 0, "index": 2}),
        ("changed_part", ["x", "s.changed", "from"], ["x.changed"], {"dim": 1, "@start": 2}),
    ]


def test_a_grid_is_a_view_of_its_vector() -> None:
    names, added = follow(("meshgrid.indexing", "x", "g"), ("fill_.Scalar", "g", "f"))
    assert (names["x"], added) == ("x.changed", [("x", "x.changed")])


def test_a_part_that_is_reshaped_in_place_is_no_part_any_more() -> None:
    names: dict[str, str] = {}
    memory = Memory(names, str)
    for op, read, written in (("select.int", "x", "p"), ("unsqueeze_.default", "p", "u"), ("fill_.Scalar", "p", "f")):
        names.setdefault(read, read)
        names[written] = written
        made = Node(f"aten.{op}", "torch", written, [read], [written], Attributes({"@self": 0, "dim": 0, "index": 2}))
        nodes = memory.follow(made.op, read, [written], {}, made)
    assert [n.op for n in nodes] == ["changed"]
