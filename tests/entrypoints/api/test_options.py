"""Every question takes every option that makes sense for it: with the option, its answer is another one."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import onnx
import pytest

import shapesmt
from shapesmt.base.errors import ShapesmtError, UsageError
from shapesmt.entrypoints.api.options import Options
from tests.support.sessions import ROWS, TABLE, parsed

JOIN = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["":18]>
    g (float[n, 3] x, float[m, 3] y, int64[1] k) => (float[a, b] z, float[c] w)
    <float one = {1}> { z = Add (x, y) e = Expand (one, k) w = Exp (e) }""")
"""It runs if n equals m, or one of them is 1, and no element of k is negative."""
CUSTOM = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["":18, "own":1]>
    g (float[n, 3] x, float[m, 3] v) => (float[a, b] z) <float[n, 3] y> { y = own.Odd (x) z = Add (y, v) }""")
"""An operator that isn't known, whose output's shape is declared."""
LAST_ROWS = parsed(f"g (float[n, 4] x) => (float[p, q] y) {{ {ROWS.format(start=-1)} y = Add (t, z) }}", **TABLE,
                   z=np.zeros((2, 4), np.float32))  # fmt: skip
"""The file runs at n = 1, ONNX Runtime's default session doesn't."""
PROGRAM = Path(__file__).parents[3] / "examples/torch_export/classifier.pt2"

ALIKE: dict[str, dict[str, Any]] = {
    "profile": {"valid_only": True},
    "simplify": {"valid_only": True, "trust_ranges": True},
    "tighten": {"valid_only": True, "trust_ranges": True},
    "check_many": {"jobs": 1},
}
"""What a question is asked with besides, here."""
QUESTIONS = (
    *("check", "page", "bounds", "explain", "memory", "profile", "repair", "simplify", "tighten", "dynamic_shapes"),
    *("encode", "encoding", "repro", "dataflow", "inspect", "assert_proved", "check_many", "infer_shapes"),
)
MODULE = ("args", "kwargs", "dynamic_shapes")
AS_WRITTEN = "the system is that of the file as written"
ONLY_ONNX = "only an ONNX model can be written or run"
REASONS = {
    **{("infer_shapes", option): "it has the arguments of ONNX's function" for option in Options.__annotations__},
    **{("check_many", option): "models are files" for option in MODULE},
    **{(q, option): ONLY_ONNX for q in ("simplify", "tighten", "repro") for option in (*MODULE, "guards")},
    **{(q, option): AS_WRITTEN for q in ("encode", "encoding") for option in ("declared", "session")},
    **{(q, "session"): "shapes are those of the file" for q in ("dataflow", "inspect")},
    ("inspect", "guards"): "guards are conditions, not facts of the model",
    ("repair", "guards"): "another module has other guards: they are always ignored",
    ("repair", "session"): "it always looks at both",
    ("dynamic_shapes", "declared"): "PyTorch traced the shapes that a program declares",
    ("dynamic_shapes", "session"): "ONNX Runtime runs no program of PyTorch",
    ("dynamic_shapes", "values"): "a program's elements have no names",
    ("dynamic_shapes", "dynamic_shapes"): "that is what is asked for",
}
"""Why a question doesn't take an option."""


def told(question: str, model: Any, folder: Path, **options: Any) -> object:
    """What a question answers, without times; an error is an answer too."""
    if question == "check_many" and isinstance(model, onnx.ModelProto):
        onnx.save(model, folder / "model.onnx")
        model = folder / "model.onnx"
    try:
        answer = getattr(shapesmt, question)(model, **ALIKE.get(question, {}), **options)
    except (ShapesmtError, AssertionError) as error:
        return str(error)
    if isinstance(answer, onnx.ModelProto):
        return answer.SerializeToString(deterministic=True)
    if isinstance(answer, nx.Graph):
        return [*answer.edges(data="shape")]
    if question == "encoding":
        parts = answer.bounds, answer.definitions, answer.assumptions
        return str((parts, {node: dict(answer.requirements[node]) for node in answer.requirements}))
    text = str(answer.to_dict()) if hasattr(answer, "to_dict") else str(answer)
    return re.sub(r"'seconds': [0-9.e-]+|[0-9.]+ (ms|s|seconds)\b", "", text)


def unmoved(option: str, value: Any, model: Any, folder: Path, **options: Any) -> list[str]:
    """Return the questions whose answer is the same with the option, though it makes sense for them."""
    questions = [q for q in QUESTIONS if (q, option) not in REASONS]
    return [
        q
        for q in questions
        if told(q, model, folder, **options) == told(q, model, folder, **options, **{option: value})
    ]


def test_the_table() -> None:
    assert len(QUESTIONS) * len(Options.__annotations__) == 198
    assert {question for question, _ in REASONS} <= {*QUESTIONS}
    assert len(REASONS) == 39
    for question in QUESTIONS[:-1]:
        listed = inspect.signature(getattr(shapesmt, question)).parameters
        left_out = {option for option in Options.__annotations__ if option not in listed}
        assert left_out <= {option for q, option in REASONS if q == question}


SIZED = {"shapes": {"image": "[n,3,h,w]"}}


@pytest.mark.parametrize(
    ("option", "value", "others"),
    [
        ("dims", {"n": 2, "m": 2}, {}),
        ("shapes", {"x": "[5,3]", "y": "[5,3]"}, {}),
        ("values", {"k": 2}, {"assume": ["n == m"], "dims": {"n": "1..4"}}),
        ("assume", ["n == m"], {}),
    ],
)
def test_what_is_said_of_the_inputs(option: str, value: Any, others: dict[str, Any], tmp_path: Path) -> None:
    left = unmoved(option, value, JOIN, tmp_path, **others)
    assert [q for q in left if q != "dynamic_shapes"] == []


@pytest.mark.parametrize(
    ("option", "value"),
    [("dims", {"h": "64..128"}), ("shapes", {"image": "[n,3,h,64]"}), ("assume", ["h == w"])],
)
def test_what_is_said_of_a_program(option: str, value: Any, tmp_path: Path) -> None:
    without = {} if option == "shapes" else SIZED
    asked = [told("dynamic_shapes", PROGRAM, tmp_path, **{**without, **more}) for more in ({}, {option: value})]
    assert asked[0] != asked[1]


def test_declared_shapes_can_be_trusted(tmp_path: Path) -> None:
    assert unmoved("declared", "trust", CUSTOM, tmp_path) == []


def test_the_session_can_be_chosen(tmp_path: Path) -> None:
    alone = [told(q, LAST_ROWS, tmp_path, dims={"n": "1..6"}, session="file") for q in QUESTIONS[:-1]]
    both = [told(q, LAST_ROWS, tmp_path, dims={"n": "1..6"}, session="default") for q in QUESTIONS[:-1]]
    same = [q for q, one, other in zip(QUESTIONS, alone, both, strict=False) if one == other]
    assert same == [q for q in QUESTIONS[:-1] if (q, "session") in REASONS]


def test_guards_can_be_ignored(tmp_path: Path) -> None:
    assert unmoved("guards", "ignore", PROGRAM, tmp_path) == []


def test_every_question_has_a_timeout() -> None:
    for question in [q for q in QUESTIONS if (q, "timeout") not in REASONS]:
        with pytest.raises(UsageError, match="a timeout is a number of seconds"):
            getattr(shapesmt, question)(JOIN if question != "check_many" else "examples/unet/unet.onnx", timeout=-1)


def test_a_module_can_be_asked_everything(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra torch")

    class Net(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any, y: Any = None) -> Any:
            rows = x.reshape(-1, 4)
            return rows if y is None else rows * y

    net, args = Net(), (torch.ones(4, 2),)
    batch = ({0: torch.export.Dim("rows", min=2)},)
    for option, value, others in (
        ("args", args, {}),
        ("kwargs", {"y": torch.ones(4)}, {"args": args}),
        ("dynamic_shapes", batch, {"args": args}),
    ):
        assert unmoved(option, value, net, tmp_path, **others) == []


def test_an_option_that_there_is_not_is_an_error() -> None:
    for question in QUESTIONS[:-1]:
        with pytest.raises(TypeError, match="unexpected keyword argument 'dim'"):
            getattr(shapesmt, question)(JOIN, dim={"n": 2})
