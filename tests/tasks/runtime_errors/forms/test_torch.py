"""Messages of PyTorch: each is printed by a call, compared with the calls at every size of a small range."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

import shapesmt
from shapesmt.network.graph import Graph, Runtime
from shapesmt.reports.answers import ErrorOrigin
from shapesmt.tasks.runtime_errors.reading import read
from tests.oracle.runner import value
from tests.oracle.torch.calls import Call, Size64, b, f, graph_of, i, op

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
from tests.oracle.torch.judge import call_of  # noqa: E402 - it imports torch

SIZES = range(1, 5)
MOST = 2  # messages of a call that are asked about
EXACT = [
    op("add.Tensor", self=f("n", 3), other=f("m", 3)),
    op("add.Tensor", self=f("n", "k"), other=f("m", "l")),
    op("mul.Tensor", self=f("n", 3), other=f("m", "k", 3)),
    op("cat.default", tensors=(f("n", "k"), f("m", 3), f("l", 3)), dim=1),
    op("cat.default", tensors=(f(2, "n", 3), f(2, "m", 3), f(2, "m", 3)), dim=-1),
    op("stack.default", tensors=(f("n", 3), f("m", 3), f("l", 3)), dim=0),
    op("mm.default", self=f("n", "k"), mat2=f("m", 2)),
    op("matmul.default", self=f("n", 4, "k"), other=f("m", 2)),
    op("matmul.default", self=f("n", 4, "k"), other=f(1, "m", 2)),
    op("addmm.default", self=f(2), mat1=f("n", "k"), mat2=f("m", 2)),
    op("linear.default", input=f("n", 4, "k"), weight=f(3, 5), bias=f(3)),
    op("dot.default", self=f("n"), tensor=f("m")),
    op("cdist.default", x1=f("n", "k"), x2=f("m", 2)),
    op("view.default", self=f("n", 6), size=(4, -1)),
    op("reshape.default", self=f("n", 6), shape=(Size64("m"), 3)),
    op("unflatten.int", self=f("n", 3), dim=0, sizes=(2, -1)),
    op("expand.default", self=f("n", "m"), size=(2, 4, 3)),
    op("expand.default", self=f("n", "m"), size=(-1, 3)),
    op("conv_transpose2d.input", input=f(1, "c", 4, 8), weight=f(3, 4, 3, 3)),
    op("conv2d.default", input=f(1, 3, "h", "w"), weight=f(4, 3, 3, 3)),
    op("conv2d.default", input=f("c", 8, 8), weight=f(4, 2, 3, 3), groups=2, padding=(1, 1)),
    op("max_pool2d.default", self=f("n", 3, "h", "w"), kernel_size=(3, 3)),
    op("im2col.default", self=f(1, 2, "h", 4), kernel_size=(3, 3), dilation=(1, 1), padding=(0, 0), stride=(1, 1)),
    op("layer_norm.default", input=f("n", "k"), normalized_shape=(3,), weight=f(3), bias=f(3)),
    op("split_with_sizes.default", 2, self=f("n", 3), split_sizes=(2, 1)),
    op("glu.default", self=f("n", 3), dim=0),
    op("pixel_shuffle.default", self=f(1, "c", 2, 2), upscale_factor=2),
    op("select.int", self=f("n", 3), dim=0, index=2),
    op("narrow.default", self=f("n", 3), dim=0, start=2, length=2),
    op("unfold.default", self=f("n", 3), dimension=0, size=3, step=1),
    op("reflection_pad1d.default", self=f(2, "n"), padding=(2, 1)),
    op("topk.default", 2, self=f("n", 3), k=3, dim=0),
    op("view_as_complex.default", self=f("n", 3, "k")),
    op("constant_pad_nd.default", self=f("n", 3), pad=(0, 0, -2, -1)),
]
EMPTY = [
    op("max.dim", 2, self=f("n", 3), dim=0),
    op("adaptive_avg_pool2d.default", self=f(1, 3, "n", 4), output_size=(2, 2)),
]
PARTIAL = [
    op("masked_fill.Scalar", self=f("n", 3), mask=b("m", 3), value=0.0),
    op("add_.Tensor", self=f("n", 3), other=f("m", 3)),
    op("where.self", condition=b("n", 3), self=f("m", 3), other=f(3)),
    op("bmm.default", self=f("n", 4, "k"), mat2=f("l", "m", 2)),
    op("mv.default", self=f("n", "k"), vec=f("m")),
    op("einsum.default", equation="ij,jk->ik", tensors=(f("n", "k"), f("m", 2))),
    op("scaled_dot_product_attention.default", query=f(1, 2, "n", 4), key=f(1, 2, "m", "k"), value=f(1, 2, "l", 4)),
    op("gather.default", self=f("n", 3), dim=1, index=i("m", 2)),
    op("scatter.src", self=f("n", 3), dim=1, index=i("m", 2), src=f("k", 2)),
    op("index.Tensor", self=f("n", 3), indices=(b("m"),)),
    op("group_norm.default", input=f("n", "c", 2), num_groups=2, weight=f(4), bias=f(4)),
    op("grid_sampler_2d.default", input=f("n", 2, 3, 3), grid=f("m", 2, 2, "k"), interpolation_mode=0, padding_mode=0,
       align_corners=False),
]  # fmt: skip


def names(call: Call) -> list[str]:
    return sorted(
        {s for s in call.sizes if isinstance(s, str)} | {x.name for x in call.leaves() if isinstance(x, Size64)}
    )


def program(call: Call) -> Graph:
    return replace(graph_of(call), runtime=Runtime.TORCH)


def runs(call: Call) -> Iterator[tuple[dict[str, int], str]]:
    """The sizes in the range, and what PyTorch says there; "" if the call runs."""
    for point in itertools.product(SIZES, repeat=len(names(call))):
        at = dict(zip(names(call), point, strict=True))
        yield at, said(call, at)


def said(call: Call, at: dict[str, int]) -> str:
    try:
        call_of(call, at)
    except Exception as error:  # any exception is the result
        return f"{type(error).__name__}: {error}"
    return ""


def asked(call: Call) -> list[tuple[str, list[dict[str, int]], ErrorOrigin]]:
    """Some of the messages of a call, with the sizes at which each is printed, and the answers; at least one."""
    printed: dict[str, list[dict[str, int]]] = {}
    for at, message in runs(call):
        if message:
            printed.setdefault(message, []).append(at)
    some = Random(0).sample(sorted(printed), min(MOST, len(printed)))
    assert some
    return [(message, printed[message], origin(call, message)) for message in some]


def origin(call: Call, message: str) -> ErrorOrigin:
    answer = shapesmt.explain(program(call), error=message)
    assert isinstance(answer, ErrorOrigin)
    return answer


@pytest.mark.parametrize("call", EXACT, ids=str)
def test_the_region_is_where_pytorch_says_it(call: Call) -> None:
    every = list(runs(call))
    for message, points, answer in asked(call):
        (found,) = [c for c in answer.candidates if c.node == "call"]
        assert (answer.grade, found.region != "") == ("exact", True), message
        assert [at for at, _ in every if value(found.region, at)] == points, f"{message}: {found.region}"
        assert found.counterexample is not None
        assert said(call, dict(found.counterexample.symbols)) == message


@pytest.mark.parametrize("call", PARTIAL, ids=str)
def test_the_bounds_hold_where_pytorch_says_it(call: Call) -> None:
    for message, points, answer in asked(call):
        assert answer.possible, message
        (found,) = [c for c in answer.candidates if c.node == "call"]
        for name, size in (item for at in points for item in at.items() if item[0] in found.bounds):
            assert found.bounds[name].min <= size <= (found.bounds[name].max or size), f"{message}: {name}={size}"


@pytest.mark.parametrize("call", EMPTY, ids=str)
def test_sizes_of_0_are_tried_too(call: Call) -> None:
    answer = origin(call, said(call, {"n": 0}))
    (found,) = answer.candidates
    assert (answer.grade, found.region) == ("exact", "n == 0")


@pytest.mark.parametrize(
    ("call", "old", "new"),
    [
        (EXACT[0], "(4) must match", "(-4) must match"),
        (EXACT[4], "tensor number 1", "tensor number 2"),
        (EXACT[6], "x2)", "x3)"),
        (EXACT[13], "[4, -1]", "[5, -1]"),
        (EXACT[16], "[2, 4, 3]", "[2, 4, 4]"),
        (EXACT[20], "groups=2", "groups=3"),
        (EXACT[23], "normalized_shape=[3]", "normalized_shape=[4]"),
        (EXACT[27], "index 2", "index 3"),
    ],
)
def test_numbers_that_never_come_up_are_impossible(call: Call, old: str, new: str) -> None:
    message = next(message for _, message in runs(call) if old in message)
    assert origin(call, message).possible
    assert origin(call, message.replace(old, new)).possible is False


def test_data_may_be_the_reason() -> None:
    call = op("embedding.default", weight=f("n", 3), indices=i(2))
    answer = origin(call, "IndexError: index out of range in self")
    assert (answer.possible, [c.node for c in answer.candidates], answer.grade) == (True, ["call"], "partial")


class Skip(torch.nn.Module):
    def forward(self, image: torch.Tensor) -> torch.Tensor:
        half = torch.nn.functional.max_pool2d(image, 2, ceil_mode=True)
        return torch.nn.functional.interpolate(half, scale_factor=2) + image


def refused(made: torch.export.ExportedProgram, *given: torch.Tensor) -> str:
    """Return the error of the program's module for these inputs; "" if it runs."""
    try:
        made.module()(*given)
    except AssertionError as error:
        return f"AssertionError: {error}"
    return ""


def test_a_guard_of_a_program_fails_where_pytorch_says_so() -> None:
    auto = torch.export.Dim.AUTO
    made = torch.export.export(Skip(), (torch.zeros(1, 3, 8, 8),), dynamic_shapes=({2: auto, 3: auto},))
    printed: dict[str, list[dict[str, int]]] = {}
    points = [{"image_dim2": h, "image_dim3": w} for h in range(2, 7) for w in range(2, 7)]
    for at in points:
        if message := refused(made, torch.zeros(1, 3, *at.values())):
            printed.setdefault(message, []).append(at)
    assert len(printed) >= 2
    for message, said_at in printed.items():
        answer = shapesmt.explain(made, error=message)
        assert isinstance(answer, ErrorOrigin)
        assert answer.grade == "exact", message
        assert [at for at in points if value(answer.candidates[0].region, at)] == said_at
    other = shapesmt.explain(made, error=message.replace("size()[2]", "size()[0]").replace("size()[3]", "size()[1]"))
    assert isinstance(other, ErrorOrigin)
    assert other.possible is False


def test_a_size_that_the_program_fixes() -> None:
    made = torch.export.export(torch.nn.Linear(4, 2), (torch.zeros(3, 4),))
    guard = shapesmt.explain(made, error=refused(made, torch.zeros(5, 4)))
    assert isinstance(guard, ErrorOrigin)
    assert guard.possible is not False
    answer = shapesmt.explain(
        made, error="RuntimeError: Expected input at *args[0].shape[0] to be equal to 3, but got 5. If you meant"
    )
    assert isinstance(answer, ErrorOrigin)
    assert (answer.input, dict(answer.got), dict(answer.declared)) == ("input", {"0": 5}, {"0": 3})


def test_every_form_is_printed_by_a_call_or_known_by_name() -> None:
    forms = {read(message).form for call in (*EXACT, *PARTIAL) for _, message in runs(call) if message}
    assert None not in forms
