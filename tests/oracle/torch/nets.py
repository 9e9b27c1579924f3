"""Programs of layers whose results are in memory as their inputs or weights are: channels last, or by query."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from tests.oracle.torch.programs import Program

T = torch.Tensor
LAST = torch.channels_last


class Image(nn.Module):
    """Convolutions and pools, then the pixels as a sequence, by `view` or by `reshape`."""

    def __init__(self, channels: int, *, last: bool, strict: bool) -> None:
        super().__init__()
        stem = [nn.Conv2d(channels, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
        self.body = nn.Sequential(*stem, nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.SiLU(), nn.Conv2d(8, 6, 1))
        self.last, self.strict = last, strict

    def forward(self, x: T) -> T:
        y = self.body(x.contiguous(memory_format=LAST) if self.last else x).permute(0, 2, 3, 1)
        return (y.view if self.strict else y.reshape)(y.shape[0], -1, 6)


class Upward(nn.Module):
    """A transposed convolution of groups."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2, output_padding=1, padding=1)

    def forward(self, x: T) -> T:
        return self.layer(x).view(x.shape[0], 6, -1)


class Sound(nn.Module):
    """A convolution along a sequence of features, which are last before and after."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Conv1d(4, 6, 3, padding=1)

    def forward(self, x: T) -> tuple[T, T]:
        y = self.layer(x.transpose(1, 2))
        return y.view(x.shape[0], 2, -1), y.transpose(1, 2).reshape(x.shape[0], x.shape[1], 2, 3)


class Attention(nn.Module):
    """Attention by name of its operator, which returns the heads in memory as the queries are."""

    def forward(self, x: T) -> T:
        q, k, v = (part.unflatten(-1, (2, 2)).transpose(1, 2) for part in x.chunk(3, -1))
        y, _ = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v)
        return y.transpose(1, 2).view(x.shape[0], -1, 4)


class Heads(nn.Module):
    """Heads of keys that several queries share, stretched, transposed and scaled before they are multiplied."""

    def forward(self, x: T) -> T:
        n, s, _ = x.shape
        keys = x.view(n, s, 2, 3).transpose(1, 2)[:, :, None].expand(n, 2, 2, s, 3).reshape(n, 4, s, 3)
        queries = x.transpose(0, 1).reshape(s, n * 2, 3).transpose(0, 1).view(n, 2, s, 3).repeat(1, 2, 1, 1)
        return (queries * 0.5) @ (keys.transpose(2, 3) * 0.5)


class Chosen(nn.Module):
    """Rows chosen by their places, which are seen with other sizes, and some written into a copy."""

    def forward(self, x: T) -> tuple[T, T]:
        places = torch.arange(x.shape[1])[None]
        rows = x[torch.arange(x.shape[0])[:, None], places]
        written = x.transpose(1, 2).index_put([torch.arange(x.shape[0])], rows.transpose(1, 2))
        return rows.view(-1, x.shape[2]), written.transpose(1, 2).view(-1)


class Table(nn.Module):
    """A table of positions, smoothed to the size of an image."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.rand(1, 9, 4))

    def forward(self, x: T) -> T:
        image = self.table.view(1, 3, 3, 4).permute(0, 3, 1, 2)
        sized = nn.functional.interpolate(image, size=x.shape[2:], mode="bicubic", antialias=True)
        return sized.permute(0, 2, 3, 1).view(1, -1, 4) + x.flatten(2).transpose(1, 2)


def of_images(module: nn.Module, arguments: Callable[..., tuple[T, ...]], least: int = 1) -> Program:
    return Program(module, arguments, {"n": (1, 2, 2), "h": (least, 7, 6), "w": (least, 3, 5)})


def image(channels: int) -> Callable[..., tuple[T, ...]]:
    return lambda n, h, w: (torch.rand(n, channels, h, w),)


def turned(channels: int) -> Callable[..., tuple[T, ...]]:
    return lambda n, h, w: (torch.rand(n, h, w, channels).permute(0, 3, 1, 2),)


LENGTHS = {"n": (1, 3, 2), "s": (1, 7, 6)}
NETS = {
    "images": of_images(Image(4, last=False, strict=False), image(4)),
    "channels last": of_images(Image(4, last=True, strict=True), image(4)),
    "weights with channels last": of_images(Image(4, last=False, strict=True).to(memory_format=LAST), image(4)),
    "an input with channels last": of_images(Image(4, last=False, strict=True), turned(4)),
    "one channel": of_images(Image(1, last=False, strict=False), turned(1)),
    "upward": of_images(Upward(), image(4)),
    "attention": Program(Attention(), lambda n, s: (torch.rand(n, s, 12),), LENGTHS),
    "decoder": Program(
        nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 1),
        lambda n, s, t: (torch.rand(s, n, 8), torch.rand(t, n, 8)),
        {**LENGTHS, "t": (1, 4, 3)},
    ),
    "sound": Program(Sound(), lambda n, s: (torch.rand(n, s, 4),), LENGTHS),
    "heads": Program(Heads(), lambda n, s: (torch.rand(n, s, 6),), {"n": (1, 3, 2), "s": (1, 7, 6)}),
    "chosen": Program(Chosen(), lambda n, s: (torch.rand(n, s, 6),), {"n": (1, 3, 2), "s": (1, 7, 6)}),
    "table": of_images(Table(), image(4)),
}
