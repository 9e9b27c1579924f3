"""Programs of `torch.export` with a batch, and which samples each of their tensors depends on, by running them."""

from __future__ import annotations

import io
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.fx import Interpreter, Node
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from tests.oracle.samples.running import TRIALS, Dependence, Input, Runner
from tests.oracle.samples.truth import Step, Truth

SYMBOLS = {"b": 3, "s": 5}


class Called(nn.Module):
    """A function of tensors, with the layers that it is called with."""

    def __init__(self, function: Callable[..., Any], layers: Sequence[nn.Module]) -> None:
        super().__init__()
        self.function, self.layers = function, nn.ModuleList(layers)

    def forward(self, *tensors: torch.Tensor) -> Any:
        """The function called."""
        return self.function(*tensors, *self.layers)


class Program(NamedTuple):
    """A function, its tensors as text ("b s 4, b:i"), and layers."""

    function: Callable[..., Any]
    tensors: str
    layers: tuple[nn.Module, ...] = ()

    def names(self) -> dict[str, str]:
        """What the symbols are called in answers: by the first axis that has them."""
        found: dict[str, str] = {}
        for i, (dims, _) in enumerate(self.inputs()):
            for axis, dim in enumerate(dims):
                if isinstance(dim, str):
                    found.setdefault(dim, f"tensors_{i}_dim{axis}")
        return found

    def inputs(self) -> list[tuple[list[int | str], bool]]:
        """The sizes of each tensor, and whether it has integers."""
        parts = [part.strip().partition(":") for part in self.tensors.split(",")]
        return [([int(d) if d.isdigit() else d for d in dims.split()], bool(kind)) for dims, _, kind in parts]


def exported(program: Program) -> Any:
    """The program as PyTorch exports it, with a batch and a length that vary; None where it can't."""
    torch.manual_seed(0)
    given: list[torch.Tensor] = []
    varying = []
    named = {name: torch.export.Dim(name) for name in SYMBOLS}
    for dims, integers in program.inputs():
        shape = [SYMBOLS[d] if isinstance(d, str) else d for d in dims]
        given.append(torch.randint(0, 2, shape) if integers else torch.randn(shape))
        varying.append({i: named[d] for i, d in enumerate(dims) if isinstance(d, str)})
    module = Called(program.function, program.layers).eval()
    try:
        return torch.export.export(module, tuple(given), dynamic_shapes=(tuple(varying),), strict=False)
    except Exception:
        return None


def saved(program: Any) -> bytes:
    """Its archive."""
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


class Kept(Interpreter):
    """Keeps every tensor that a program makes."""

    def run_node(self, n: Node) -> Any:
        """The node's value; the guards, which refuse a batch of 1, are passed over."""
        if n.target == "_guards_fn":
            return None
        made = super().run_node(n)
        if isinstance(made, torch.Tensor):
            self.made[n.name] = made
        return made


class ProgramRunner(Runner):
    """A program in PyTorch."""

    def __init__(self, program: Any, declared: Program) -> None:
        names = declared.names()
        self.module = program.module()
        self.symbol = names["b"]
        given = [n.name for n in self.module.graph.nodes if n.op == "placeholder"]
        self.inputs = [
            Input(
                name,
                tuple(names.get(d, d) if isinstance(d, str) else d for d in dims),
                np.dtype("i8" if whole else "f4"),
            )
            for name, (dims, whole) in zip(given, declared.inputs(), strict=True)
        ]
        self.nodes = [n for n in self.module.graph.nodes if n.op == "call_function"]
        self.names = [n.name for n in self.nodes]

    def at(self, sizes: Mapping[str, int], trials: int = TRIALS) -> Dependence | None:
        """What depends on which sample; None for other sizes of 1, which an export with sizes that vary excludes."""
        single = any(size == 1 for name, size in sizes.items() if name != self.symbol)
        return None if single else super().at(sizes, trials)

    def run(self, feeds: Mapping[str, Any]) -> list[Any] | None:
        """Every tensor; None if the program doesn't run."""
        kept = Kept(self.module)
        kept.made = {}
        try:
            with torch.no_grad():
                kept.run(*(torch.from_numpy(feeds[i.name].copy()) for i in self.inputs))
        except Exception:
            return None
        self.names = [*kept.made]
        return [made.detach().numpy().copy() for made in kept.made.values()]

    def steps(self) -> Iterator[Step]:
        """The calls; an element of a tuple is made by the call that returns the tuple."""
        for node in self.nodes:
            if not isinstance(node.meta.get("val"), torch.Tensor):
                continue
            call = node.args[0] if node.target is operator.getitem else node
            assert isinstance(call, Node)
            yield Step(call.name, frozenset(n.name for n in call.all_input_nodes), (node.name,))

    def outputs(self) -> list[str]:
        """The names of what the program returns."""
        (last,) = (n for n in self.module.graph.nodes if n.op == "output")
        return [n.name for n in last.all_input_nodes]


def truth_of(program: Any, declared: Program) -> Truth:
    """What PyTorch shows of a program."""
    runner = ProgramRunner(program, declared)
    return Truth([*runner.steps()], runner.outputs(), runner)


def heads(x: Any, first: str) -> Any:
    """Self-attention of two heads."""
    b, s, _ = x.shape
    q = x.view(1, b * s, 2, 2) if first == "1" else x.view(b, s, 2, 2)
    q = q.transpose(1, 2)
    y = F.scaled_dot_product_attention(q, q, q, is_causal=first == "causal")
    return y.transpose(1, 2).reshape(b, s, 4)


def tokens(x: Any, token: Any) -> Any:
    """A class token in front of the patches."""
    return torch.cat([token.weight.reshape(1, 1, 4).expand(x.shape[0], -1, -1), x], dim=1)[:, 0]


PROGRAMS = [
    Program(lambda x, layer: F.relu(layer(x)), "b 4", (nn.Linear(4, 3),)),
    Program(lambda x: x @ x.t(), "b 4"),
    Program(lambda x: x - x.mean(0, keepdim=True), "b 4"),
    Program(lambda x: x - x.mean(-1, keepdim=True), "b s 4"),
    Program(lambda x: x.softmax(0), "b 4"),
    Program(lambda x: (x.softmax(1), x.sum(), x.amax((1, 2))), "b s 4"),
    Program(lambda x: heads(x, "b"), "b s 4"),
    Program(lambda x: heads(x, "1"), "b s 4"),
    Program(lambda x: heads(x, "causal"), "b s 4"),
    Program(lambda x, m: m(x, x, x)[0], "b s 4", (nn.MultiheadAttention(4, 2, batch_first=True),)),
    Program(lambda x, m: m(x, x, x)[0], "b s 4", (nn.MultiheadAttention(4, 2),)),
    Program(lambda x, m: m(x), "b s 4", (nn.TransformerEncoderLayer(4, 2, 8, batch_first=True),)),
    Program(lambda x, m: m(x), "b s 4", (nn.TransformerEncoderLayer(4, 2, 8),)),
    Program(lambda x, c: c(x).flatten(1), "b 3 6 6", (nn.Conv2d(3, 4, 3),)),
    Program(lambda x, c: c(x).flatten(0, 1).mean(0), "b 3 6 6", (nn.Conv2d(3, 4, 3),)),
    Program(lambda x, n: n(x), "b 4 5", (nn.BatchNorm1d(4),)),
    Program(lambda x: F.batch_norm(x, None, None, training=True), "b 4 5"),
    Program(lambda x, n: n(x), "b 4 5", (nn.GroupNorm(2, 4),)),
    Program(lambda x, n: n(x), "b s 4", (nn.LayerNorm(4),)),
    Program(lambda x, n: n(x), "b 4 6", (nn.InstanceNorm1d(4),)),
    Program(lambda x: x.reshape(-1, 4).mean(0), "b s 4"),
    Program(lambda x: x.reshape(4, -1), "b s 4"),
    Program(lambda x: x.reshape(x.shape[1], x.shape[0], 4).transpose(0, 1), "b s 4"),
    Program(lambda x: x.transpose(0, 1).reshape(x.shape[0], x.shape[1], 4), "b s 4"),
    Program(lambda x: x.transpose(0, 1).reshape(-1, 4).reshape(x.shape[1], x.shape[0], 4), "b s 4"),
    Program(lambda x: (x[0], x[-1:], x[:, 0], x[1:]), "b s 4"),
    Program(lambda x: x.flip(0), "b 4"),
    Program(lambda x: x.flip(0).sigmoid().flip(0), "b 4"),
    Program(lambda x: x.roll(1, 0), "b 4"),
    Program(lambda x: x.roll((1, 2), (1, 2)), "b 4 6"),
    Program(lambda x: torch.cat([x, x.neg()]), "b 4"),
    Program(lambda x: torch.stack([x, x * 2], 1).mean(1), "b 4"),
    Program(lambda x: torch.stack([x, x * 2]).mean(0), "b 4"),
    Program(lambda x, y: torch.cdist(x, y), "b 4, b 4"),
    Program(lambda x: F.normalize(x), "b 4"),
    Program(lambda x: F.normalize(x, dim=0), "b 4"),
    Program(lambda x: torch.einsum("bi,bj->bij", x, x), "b 4"),
    Program(lambda x: torch.einsum("bi,ci->bc", x, x), "b 4"),
    Program(lambda x: torch.einsum("bsi,bti->bst", x, x), "b s 4"),
    Program(lambda x, e: e(x).sum(1), "b s:i", (nn.Embedding(3, 4),)),
    Program(lambda x, i: x.gather(1, i), "b 4, b 2:i"),
    Program(lambda x, i: x.gather(0, i), "b 4, b 4:i"),
    Program(lambda x, i: x[torch.arange(x.shape[0]), i], "b 4 3, b:i"),
    Program(lambda x, i: x[i], "b 4, b:i"),
    Program(lambda x, i: x.index_select(1, i), "b 4, 2:i"),
    Program(lambda x, i: x.scatter(1, i, 0.0), "b 4, b 2:i"),
    Program(lambda x, n: x * (torch.arange(x.shape[1]) < n[:, None])[..., None], "b s 4, b:i"),
    Program(lambda x, n: x * (torch.arange(x.shape[1]) < n.max())[None, :, None], "b s 4, b:i"),
    Program(lambda x: x.topk(2)[0], "b 4"),
    Program(lambda x: (x.argmax(), x.argmax(1), x.max(0)[0]), "b 4"),
    Program(lambda x: x.cumsum(1), "b 4"),
    Program(lambda x: x.cumsum(0), "b 4"),
    Program(lambda x: x.sort(0)[0], "b 4"),
    Program(lambda x: x.sort(1)[1], "b 4"),
    Program(lambda x, t: tokens(x, t), "b s 4", (nn.Embedding(1, 4),)),
    Program(lambda x: F.pad(x, (1, 1, 0, 0)), "b 4"),
    Program(lambda x: F.pad(x, (0, 0, 1, 0)), "b 4"),
    Program(lambda x: F.interpolate(x, scale_factor=2), "b 3 4 4"),
    Program(lambda x: F.pixel_shuffle(x, 2), "b 4 3 3"),
    Program(lambda x: F.unfold(x, 2), "b 3 4 4"),
    Program(lambda x: F.adaptive_avg_pool2d(x, 1).flatten(1), "b 3 4 4"),
    Program(lambda x: F.max_pool2d(x, 2), "b 3 4 4"),
    Program(lambda x: F.avg_pool1d(x.t().unsqueeze(0), 1), "b 4"),
    Program(
        lambda x: F.grid_sample(x, F.affine_grid(torch.eye(2, 3).expand(x.shape[0], 2, 3), [x.shape[0], 3, 4, 4])),
        "b 3 4 4",
    ),
    Program(lambda x: x.repeat(2, 1), "b 4"),
    Program(lambda x: x.repeat_interleave(2, 0), "b 4"),
    Program(lambda x: x.unsqueeze(1).expand(-1, 3, -1).reshape(-1, 4), "b 4"),
    Program(lambda x: x.unsqueeze(0).expand(3, -1, -1).reshape(-1, 4), "b 4"),
    Program(lambda x: x.unflatten(1, (2, 4)).movedim(1, 0), "b 8"),
    Program(lambda x: x.permute(2, 0, 1).flatten(0, 1), "b s 4"),
    Program(lambda x: x / x.norm(), "b 4"),
    Program(lambda x: x / x.abs().max(), "b 4"),
    Program(lambda x: torch.where(x > 0, x, x.mean(1, keepdim=True)), "b 4"),
    Program(lambda x, y: torch.bmm(x, y), "b 3 4, b 4 2"),
    Program(lambda x, y: x @ y.transpose(-1, -2), "b s 4, b 3 4"),
    Program(lambda x, y: x[:, None] - y[None], "b 4, b 4"),
    Program(lambda x, y: F.cross_entropy(x, y), "b 4, b:i"),
    Program(lambda x, y: F.cross_entropy(x, y, reduction="none"), "b 4, b:i"),
    Program(lambda x: x.tril(), "b s 4"),
    Program(lambda x: x.new_zeros(x.shape) + x, "b 4"),
    Program(lambda x: torch.zeros(x.shape[0], 2) + torch.arange(x.shape[0])[:, None], "b 4"),
    Program(lambda x: x.t().contiguous(), "b 4"),
    Program(lambda x, g: g(x)[0], "b 5 4", (nn.GRU(4, 3, batch_first=True),)),
    Program(lambda x, g: g(x)[0], "5 b 4", (nn.LSTM(4, 3),)),
    Program(lambda x: torch.fft.fft(x, dim=0).real, "b 4"),
    Program(lambda x: torch.fft.rfft(x).abs(), "b 4"),
    Program(lambda x: x.split(2, 1)[0] * x.split(2, 1)[1].sigmoid(), "b 4"),
    Program(lambda x: x.view(x.shape[0], -1, 2).var(-1), "b 4"),
    Program(lambda x: x.std(0), "b 4"),
    Program(lambda x: x.view(x.shape[0] * x.shape[1], 4).view(x.shape[0], x.shape[1] * 4), "b s 4"),
    Program(lambda x: x.masked_fill(x > 0, 0.0), "b 4"),
    Program(lambda x: x.clamp(min=x.mean()), "b 4"),
    Program(lambda x: x.prod(1), "b 4"),
    Program(lambda x: x.any(0), "b 4:i"),
    Program(lambda x: F.one_hot(x, 3), "b:i"),
    Program(lambda x: x.diagonal(dim1=1, dim2=2), "b 3 3"),
    Program(lambda x: F.dropout(x, 0.5, False), "b 4"),
]
