from __future__ import annotations

import io
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from typing import Any

import onnx
import pytest

import shapesmt
from shapesmt.frontends import load, open_model

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")


class Joined(torch.nn.Module):
    """Two arguments in a dictionary, joined, and a number."""

    def forward(self, parts, factor):
        return torch.cat([parts["a"], parts["b"][0]], dim=1) * factor


class Fixed(torch.nn.Module):
    """A size written into a view."""

    def forward(self, x):
        return x.reshape(4, -1)


@dataclass
class Operands:
    x: Any
    y: Any
    more: Any = None


Pair = namedtuple("Pair", "x y")  # noqa: PYI024 - as PyTorch registers it
torch.export.register_dataclass(Operands, serialized_type_name="tests.Operands")
torch.utils._pytree._register_namedtuple(Pair, serialized_type_name="tests.Pair")


class Products(torch.nn.Module):
    """Products of what is in a dataclass, in a named tuple and in dictionaries."""

    def forward(self, i, p, d):
        return i.x @ i.y, p.x @ p.y, i.more[0].x @ d["b"]["c"]


def products():
    def pair():
        return Pair(torch.ones(3, 4), torch.ones(4, 5))

    nested = OrderedDict(b={"c": torch.ones(4, 5), "n": None}, a=[None, (torch.ones(2, 2),)])
    return Operands(*pair(), [pair()]), pair(), nested


ARGS = ({"a": torch.ones(4, 3), "b": [torch.ones(4, 5)]}, 2.0)


def test_a_module_with_arguments_is_exported_with_sizes_that_vary() -> None:
    graph = shapesmt.frontends.load(shapesmt.frontends.program_or_model(Joined(), ARGS, None, None))
    assert graph.inputs["parts_a"].shape == ("parts_a_dim0", "parts_a_dim1")
    assert graph.asked["parts_b_0", 1] is False
    assert [node.op for node in graph.nodes if node.op != "_guards_fn"] == ["aten.cat.default", "aten.mul.Tensor"]


def test_arguments_may_be_one_tensor_or_keywords() -> None:
    one = load(shapesmt.frontends.program_or_model(Fixed(), torch.ones(4, 6), None, None))
    named = load(shapesmt.frontends.program_or_model(Fixed(), None, {"x": torch.ones(4, 6)}, None))
    assert one.inputs == named.inputs
    assert one.source == "<Fixed>"


def test_dynamic_shapes_say_what_is_asked() -> None:
    auto = torch.export.Dim.AUTO
    for shapes in ({"x": {1: auto}}, ({1: auto},), {"x": (None, auto)}, {"x": [torch.export.Dim.STATIC, auto]}):
        graph = load(shapesmt.frontends.program_or_model(Fixed(), torch.ones(4, 6), None, shapes))
        assert graph.asked == {("x", 1): True}
        assert graph.inputs["x"].shape == (4, "x_dim1")


def test_what_was_asked_to_vary_and_is_a_number_is_warned_of() -> None:
    args, auto = (torch.ones(4, 6),), torch.export.Dim.AUTO
    named = shapesmt.check(torch.nn.Linear(6, 3), args=args, dynamic_shapes={"input": {0: auto, 1: auto}})
    [warning] = named.warnings
    assert (warning.node, warning.kind) == ("linear", "static")
    assert warning.text.startswith("input axis 1 is 6 in the program: linear needs it")
    program = torch.export.export(torch.nn.Linear(6, 3), args, dynamic_shapes={"input": {0: auto, 1: auto}})
    assert shapesmt.check(program).warnings == named.warnings
    assert shapesmt.check(torch.nn.Linear(6, 3), args=args).warnings == ()  # nobody named a size


def test_a_program_in_memory_is_recognised() -> None:
    program = torch.export.export(Fixed(), (torch.ones(4, 6),))
    assert open_model(program).format.name == "PROGRAM"
    assert load(program).inputs["x"].shape == (4, 6)
    assert shapesmt.bounds(program).symbols == {}
    assert shapesmt.explain(program, "reshape").target == "reshape"


def test_what_pytorch_refuses_is_one_line_with_the_line_of_python() -> None:
    with pytest.raises(shapesmt.ModelError, match=r"^<Joined>: torch.export refuses it: .*; test_export.py:") as caught:
        shapesmt.check(Joined(), args=({"a": torch.ones(4, 3), "b": [torch.ones(9, 5)]}, 2.0))
    assert "in forward: return torch.cat(" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_constraints_that_are_violated_are_counted() -> None:
    batch, width = torch.export.Dim("batch"), torch.export.Dim("width")
    with pytest.raises(shapesmt.ModelError, match=r"Constraints violated \(batch\): .*batch"):
        shapesmt.check(Fixed(), args=(torch.ones(4, 6),), dynamic_shapes={"x": {0: batch, 1: width}})


@pytest.mark.parametrize(
    ("model", "args", "message"),
    [
        (Fixed(), None, "a Module of torch, Fixed, has no graph yet; give an example of its arguments"),
        (Fixed(), (1, 2, 3), "<Fixed>: args and kwargs are an example of what forward takes: too many"),
        ("model.onnx", (1,), "args, kwargs and dynamic_shapes are for a torch.nn.Module"),
    ],
)
def test_arguments_that_do_not_fit(model: object, args: object, message: str) -> None:
    with pytest.raises(shapesmt.UsageError, match=f"^{message}"):
        shapesmt.check(model, args=args)


def test_keywords_are_a_mapping() -> None:
    with pytest.raises(shapesmt.UsageError, match="kwargs maps names to arguments; it isn't 3"):
        shapesmt.check(Fixed(), kwargs=3)


def test_what_a_program_was_converted_to_is_checked() -> None:
    text = (
        '<ir_version: 8, opset_import: ["":18]> g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }'
    )
    converted = type("ONNXProgram", (), {"__module__": "torch.onnx", "model_proto": onnx.parser.parse_model(text)})()
    assert open_model(converted).format.name == "ONNX"
    assert shapesmt.check(converted, dims={"n": "2..8", "m": "2..8"}).precondition.text == ("m == n",)


def test_a_file_is_no_module() -> None:
    with pytest.raises(shapesmt.UsageError, match=r"kwargs and dynamic_shapes are for a torch\.nn\.Module"):
        shapesmt.bounds("model.onnx", kwargs={"x": 1})


def test_tensors_in_classes_that_pytorch_takes_apart_vary() -> None:
    graph = load(shapesmt.frontends.program_or_model(Products(), products(), None, None))
    assert {name: len(declared.shape or ()) for name, declared in graph.inputs.items()} == dict.fromkeys(
        ("i_x", "i_y", "i_more_0_x", "i_more_0_y", "p_x", "p_y", "d_b_c", "d_a_1_0"), 2
    )
    assert len(graph.asked) == 16
    assert graph.arguments == {
        "i": ["i_x", "i_y", [("i_more_0_x", "i_more_0_y")]],
        "p": ("p_x", "p_y"),
        "d": {"b": {"c": "d_b_c", "n": ""}, "a": ["", ("d_a_1_0",)]},
    }
    found = shapesmt.dynamic_shapes(Products(), args=products())
    assert found.verified
    assert '"p": Pair({0: p_x_dim0, 1: p_x_dim1}, {0: p_x_dim1, 1: p_y_dim1}),' in found.content


def test_guards_over_fields_are_read_in_memory_and_in_an_archive() -> None:
    program = shapesmt.frontends.program_or_model(Products(), products(), None, None).content.program
    file = io.BytesIO()
    torch.export.save(program, file)
    assert "L['p'].x.size()[1] == L['p'].y.size()[0]" in program._guards_code
    for model in (program, file.getvalue()):
        report = shapesmt.check(model)
        assert report.verdict == "PROVED"
        assert load(model).arguments["p"] == ("p_x", "p_y")


def test_an_input_of_which_nothing_was_to_vary_is_told() -> None:
    shapes = {"x": {0: torch.export.Dim.AUTO}, "y": None}
    args = (torch.ones(4, 6), torch.ones(4, 6))

    class Second(torch.nn.Module):
        def forward(self, x, y):
            return x.sum() + y

    [hint] = shapesmt.check(Second(), args=args, dynamic_shapes=shapes).hints
    assert hint == "y keeps the example's sizes, since dynamic_shapes says of none that it varies"
    assert shapesmt.check(Second(), args=args).hints == ()


def test_a_refusal_has_the_line_of_packages_beside_pytorch_and_what_helps(tmp_path, capfd) -> None:
    import os

    source = "class Net(torch.nn.Module):\n    def forward(self, x, n):\n        return x[: 2 if n.item() > 3 else 1]\n"
    names = {"torch": torch, "__name__": "torchbeside"}
    exec(compile(source, f"{os.path.dirname(torch.__file__)}beside.py", "exec"), names)  # noqa: PTH120 - as in tracebacks
    with pytest.raises(shapesmt.ModelError, match=r"data-dependent.*; torch\.cond.*; torchbeside\.py:3 in forward"):
        shapesmt.check(names["Net"](), args=(torch.ones(4), torch.tensor(5)))
    assert capfd.readouterr().err == ""


def test_a_refusal_has_what_pytorch_suggests() -> None:
    batch = torch.export.Dim("batch", min=1, max=32)
    with pytest.raises(
        shapesmt.ModelError, match=r"; PyTorch suggests batch = 1; give an example whose sizes are 2 or"
    ):
        shapesmt.check(Fixed(), args=(torch.ones(1, 4),), dynamic_shapes={"x": {0: batch}})
