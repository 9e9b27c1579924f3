"""`python -m tests.oracle.torch.archived FOLDER [NAME...]`: archives of small programs, as PyTorch writes them.

Those in `tests/oracle/archives` come from several versions of PyTorch. They have no weights.
"""

from __future__ import annotations

import io
import json
import sys
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.nn import functional as F  # noqa: N812

AUTO = torch.export.Dim.AUTO
MOST = 300  # bytes of a tensor that is kept
T = torch.Tensor


class Positions(nn.Module):
    """Relative positions by ratios of sizes, as MViT computes them."""

    def forward(self, x: T) -> Any:
        q, k = x.shape[1] // 2, x.shape[1] // 8
        ratio = k / q
        distance = torch.arange(q)[:, None] * max(ratio, 1.0) - torch.arange(k)[None, :] * max(q / k, 1.0)
        distance += (k - 1) * max(q / k, 1.0)
        return distance.long().clamp(0, 3) + (x.sum() * (x.shape[1] / 2)).long()


class Encoder(nn.Module):
    """A layer of attention with lengths, which make a mask."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, norm_first=True)
        self.out = nn.Linear(16, 5)

    def forward(self, x: T, lengths: T) -> T:
        mask = torch.arange(x.shape[1])[None] >= lengths[:, None]
        return self.out(self.layer(x, src_key_padding_mask=mask)).softmax(-1)


class Windows(nn.Module):
    """Windows of an image that is padded to whole ones, normalized with channels last."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.norm, self.mix = nn.Conv2d(3, 8, 4, 4), nn.LayerNorm(8), nn.Linear(8, 8)

    def forward(self, x: T) -> Any:
        y = self.norm(self.stem(x).permute(0, 2, 3, 1))
        b, h, w, c = y.shape
        y = F.pad(y, (0, 0, 0, (-w) % 4, 0, (-h) % 4))
        hh, ww = y.shape[1] // 4, y.shape[2] // 4
        rows = y.view(b, hh, 4, ww, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)
        y = self.mix(rows).view(b, hh, ww, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(b, hh * 4, ww * 4, c)
        return y[:, :h, :w].permute(0, 3, 1, 2).contiguous()


class Pyramid(nn.Module):
    """Two scales of an image, joined."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.n = nn.Conv2d(3, 6, 3, 2, 1), nn.Conv2d(6, 6, 3, 2, 1), nn.GroupNorm(2, 6)

    def forward(self, x: T) -> Any:
        a = F.silu(self.a(x))
        b = F.gelu(self.n(self.b(a)))
        up = F.interpolate(b, size=a.shape[-2:], mode="bilinear", align_corners=False)
        pooled = F.adaptive_avg_pool2d(torch.cat([a, up], 1), (2, 2))
        return pooled.flatten(1), F.max_pool2d(up, 3, 2, 1).argmax(1)


class Types(nn.Module):
    """Element types mixed: numbers of sizes, rank 0, in place, conversions."""

    def forward(self, x: T, i: T, m: T) -> tuple[T, ...]:
        n = x.shape[0]
        h = x.half() * n + torch.tensor(0.5, dtype=torch.float64)
        c = i.clone()
        c += m
        c.mul_(n)
        w = torch.where(m, i * 2, i / n)
        z = torch.complex(x, x).abs() + (i**2).float().sqrt()
        return h, c, w, z.bfloat16(), m.sum(0), i.to(torch.uint8) + m, torch.full((n,), n / 2), i // max(n, 2)


class Data(nn.Module):
    """Sizes that data decide."""

    def forward(self, x: T, k: T) -> tuple[T, ...]:
        rows = x[x.sum(1) > 0]
        n = k.item()
        torch._check(n >= 1)
        torch._check(n <= x.shape[0])
        return torch.cat([rows, rows]), x.new_zeros(n, 3) + 1, torch.nonzero(x).float().mean(0)


class Audio(nn.Module):
    """A spectrum, and a recurrent layer over frames."""

    def __init__(self) -> None:
        super().__init__()
        self.c, self.g = nn.Conv1d(1, 8, 10, 5), nn.GRU(8, 6, batch_first=True, bidirectional=True)
        self.register_buffer("window", torch.hann_window(16))

    def forward(self, x: T) -> Any:
        spec = torch.stft(x, 16, 8, window=self.window, return_complex=True).abs().log1p()
        y, _ = self.g(self.c(x[:, None]).transpose(1, 2))
        return spec.mean(-1), y.cumsum(1)


class Branches(nn.Module):
    """Branches that return transposed tensors in rows."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(6, 4)

    def forward(self, x: T, p: T) -> T:
        def rows(x: T) -> T:
            return self.a(x).transpose(0, 1).contiguous()

        def halves(x: T) -> T:
            return (x[:, :, :4] * 2).transpose(0, 1).clone(memory_format=torch.contiguous_format)

        return torch.cond(p > 0, rows, halves, (x,)).permute(1, 2, 0) + 1


class Loops(nn.Module):
    """A loop and a scan, whose bodies transpose what they carry or stack."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(6, 6)

    def forward(self, x: T, n: T) -> Any:
        def more(i: T, y: T) -> T:
            return i < n.sum()

        def body(i: T, y: T) -> tuple[T, T]:
            return i + 1, (y.transpose(0, 1) * 2).transpose(0, 1).clone()

        def step(h: T, row: T) -> tuple[T, T]:
            h = (self.a(row) + h).tanh()
            return h, h.transpose(0, 1).clone()

        _, y = while_loop(more, body, (torch.tensor(0), x[0]))
        h, rows = scan(step, x[0] * 0, x, dim=0)
        return y.transpose(0, 1).reshape(-1), h.sum(0), rows.transpose(1, 2)


class Modes(nn.Module):
    """Code under no_grad and autocast."""

    def __init__(self) -> None:
        super().__init__()
        self.c = nn.Conv2d(3, 4, 3, 2, 1)

    def forward(self, x: T) -> Any:
        y = self.c(x).permute(0, 2, 3, 1)
        with torch.no_grad():
            z = y.transpose(1, 2) + 1
            w = z.contiguous().flatten(2)[:, ::2]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            v = w @ w.transpose(1, 2)
        return v + 1, z


def drawn(*shape: int) -> T:
    return torch.randn(shape)


TYPED = (drawn(4, 3), torch.arange(12).view(4, 3), torch.ones(4, 3, dtype=torch.bool))
PROGRAMS: dict[str, tuple[nn.Module, tuple[T, ...], tuple[Any, ...]]] = {
    "positions": (Positions(), (drawn(3, 64),), ({1: AUTO},)),
    "encoder": (Encoder(), (drawn(2, 7, 16), torch.tensor([3, 7])), ({0: AUTO, 1: AUTO}, {0: AUTO})),
    "windows": (Windows(), (drawn(2, 3, 36, 52),), ({0: AUTO, 2: AUTO},)),
    "pyramid": (Pyramid(), (drawn(2, 3, 33, 48),), ({0: AUTO, 2: AUTO, 3: AUTO},)),
    "types": (Types(), TYPED, ({0: AUTO}, {0: AUTO}, {0: AUTO})),
    "data": (Data(), (drawn(5, 3), torch.tensor(2)), ({0: AUTO}, None)),
    "audio": (Audio(), (drawn(2, 200),), ({0: AUTO, 1: AUTO},)),
    "branches": (Branches(), (drawn(3, 5, 6), torch.tensor(1)), ({0: AUTO, 1: AUTO}, None)),
    "loops": (Loops(), (drawn(7, 5, 6), torch.tensor([3])), ({0: AUTO, 1: AUTO}, None)),
    "modes": (Modes(), (drawn(2, 3, 32, 24),), ({0: AUTO, 2: AUTO, 3: AUTO},)),
}
"""Each program's module, example, and sizes that may vary."""


def archives(name: str) -> Iterator[bytes]:
    """The archives of a program, as it is exported and, unless that takes long, in core operators."""
    module, args, shapes = PROGRAMS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(module.eval(), args, dynamic_shapes=shapes, strict=False)
        for each in (program,) if name == "audio" else (program, program.run_decompositions()):
            file = io.BytesIO()
            torch.export.save(each, file)
            yield without_weights(file.getvalue())


def without_weights(archive: bytes) -> bytes:
    """The archive without large tensors, without the example and without notes on source lines, compressed."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as read, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        for entry in read.infolist():
            kept = entry.filename.endswith(".json") or entry.file_size < MOST
            if kept and not any(name in entry.filename for name in ("sample_inputs", "example_inputs")):
                content = read.read(entry)
                if b'"graph_module"' in content:
                    content = json.dumps(without_notes(json.loads(content)), separators=(",", ":")).encode()
                written.writestr(zipfile.ZipInfo(entry.filename), content, zipfile.ZIP_DEFLATED, 9)
    return file.getvalue()


def without_notes(value: Any) -> Any:
    """A program's document whose nodes don't say where they come from."""
    if isinstance(value, dict):
        return {key: {} if key == "metadata" else without_notes(inner) for key, inner in value.items()}
    return [without_notes(inner) for inner in value] if isinstance(value, list) else value


if __name__ == "__main__":
    version = "_".join(torch.__version__.split(".")[:2])
    for title in sys.argv[2:] or PROGRAMS:
        for form, content in zip(("plain", "core"), archives(title), strict=False):
            Path(sys.argv[1], f"{title}_{form}_{version}.pt2").write_bytes(content)
