"""Where the results of operators are in memory, held against PyTorch for images in many arrangements."""

from __future__ import annotations

import pytest

from shapesmt.frontends.torch import read_object
from shapesmt.operators.inference import infer
from shapesmt.operators.rules import Tensor, tensor
from shapesmt.prover.algebra import Evaluator, symbol

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402, N812

from shapesmt.frontends.torch.live import Exported  # noqa: E402
from shapesmt.operators.ops.torch.layout import strides_of  # noqa: E402

ARRANGED = {
    "channels last": lambda x: x.permute(0, 3, 1, 2),
    "height and width swapped": lambda x: x.transpose(2, 3),
    "every second column": lambda x: x[..., ::2],
    "some channels of channels last": lambda x: x.permute(0, 3, 1, 2)[:, 1:],
    "batch and channels swapped": lambda x: x.transpose(0, 1),
}


class Operators(nn.Module):
    """Operators of images on one arrangement of an image."""

    def __init__(self, arrange) -> None:
        super().__init__()
        self.arrange = arrange

    def forward(self, x):
        x = self.arrange(x)
        return (
            torch.cat([x, x], 1),
            torch.cat([x, x.contiguous()], 1),
            F.conv2d(x, x.new_ones(2, x.size(1), 2, 2)),
            F.conv_transpose2d(x, x.new_ones(x.size(1), 2, 2, 2)),
            F.interpolate(x, scale_factor=2, mode="bicubic"),
            F.interpolate(x, scale_factor=2),
            F.max_pool2d(x, 2),
            F.avg_pool2d(x, 2),
            F.adaptive_avg_pool2d(x, 3),
            F.group_norm(x, 1),
            F.instance_norm(x),
            F.pad(x, (1, 1, 1, 1)),
            F.pad(x, (1, 1, 1, 1), mode="reflect"),
            F.pad(x, (1, 1, 1, 1), mode="circular"),
            F.pixel_shuffle(x.repeat(1, 4, 1, 1), 2),
            F.relu(x),
            x.softmax(1),
            x.roll(1, 2),
            x.flip(2),
            x.sum(1),
            x.max(1)[0],
            x.max(x.new_ones(1, 1, 1, 1)),
            x.clone().masked_fill_(x > 0, 1),
            x.masked_fill(x > 0, 1),
        )


@pytest.mark.parametrize("name", ARRANGED)
def test_results_are_where_pytorch_puts_them(name) -> None:
    module = Operators(ARRANGED[name])
    program = torch.export.export(module, (torch.zeros(2, 4, 8, 7),))
    graph = read_object(Exported(program), "operators")
    h, w = symbol("h", 2), symbol("w", 2)  # of a single pixel PyTorch can't tell where the channels are
    inference = infer(graph, {"x": tensor("float32", (2, h, w, 7))})
    results = module(torch.zeros(2, 4, 8, 7))
    values = {h.as_symbol(): 4, w.as_symbol(): 8}
    ran = dict(zip(graph.outputs, results, strict=True))
    known = {output for output in ran if strides_of(inference.tensors[output]) is not None}
    if name != "some channels of channels last":
        assert known == ran.keys()
    for output in known:
        assert known_strides(inference.tensors[output], values) == strides_that_matter(ran[output]), output


class Masked(nn.Module):
    """Attention over heads that are in memory behind the sequence, by a mask."""

    def forward(self, x, mask):
        heads = x.transpose(1, 2)
        return F.scaled_dot_product_attention(heads, heads.contiguous(), heads, attn_mask=mask)


@pytest.mark.parametrize("shape", [(5, 5), (1, 5), (2, 3, 5, 5), (1, 1, 5, 5), (2, 3, 1, 5), (3, 5, 5)], ids=str)
def test_attention_by_a_boolean_mask_is_in_memory_as_the_query_is(shape) -> None:
    """A mask of rank 3 has another kernel; so has one of floats that needs a gradient, so that it is left open."""
    module, args = Masked(), (torch.rand(2, 5, 3, 4), torch.ones(shape, dtype=torch.bool))
    program = torch.export.export(module, args)
    graph = read_object(Exported(program), "masked")
    [output] = graph.outputs
    for dtype in ("bool", "float32"):
        inference = infer(graph, {"x": tensor("float32", (2, 5, 3, 4)), "mask": tensor(dtype, shape)})
        if dtype == "bool" and len(shape) != 3:
            assert known_strides(inference.tensors[output], {}) == strides_that_matter(module(*args))
        else:
            assert strides_of(inference.tensors[output]) is None


def test_images_that_may_be_empty_keep_channels_last() -> None:
    class Normed(nn.Module):
        def forward(self, x):
            return F.group_norm(x.permute(0, 3, 1, 2), 1).relu()

    program = torch.export.export(Normed(), (torch.zeros(2, 4, 8, 6),))
    graph = read_object(Exported(program), "normed")
    h, w = symbol("h", 0), symbol("w", 0)
    inference = infer(graph, {"x": tensor("float32", (2, h, w, 6))})
    [output] = graph.outputs
    values = {h.as_symbol(): 4, w.as_symbol(): 8}
    assert known_strides(inference.tensors[output], values) == [192, 1, 48, 6]


def known_strides(x: Tensor, values) -> list[int | None]:
    """The strides of a tensor at some sizes, None along axes of size 1."""
    strides = strides_of(x)
    assert strides is not None
    at = Evaluator(values)
    return [None if at.dim(d) == 1 else int(at.dim(s)) for s, d in zip(strides, x.dims, strict=True)]


def strides_that_matter(x) -> list[int | None]:
    return [None if d == 1 else s for s, d in zip(x.stride(), x.shape, strict=True)]
