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


def of_images(module: nn.Module, arguments: Callable[..., tuple[T, ...]], least: int = 1) -> Program:
    return Program(module, arguments, {"n": (1, 2, 2), "h": (least, 7, 6), "w": (least, 3, 5)})


def image(channels: int) -> Callable[..., tuple[T, ...]]:
    return lambda n, h, w: (torch.rand(n, channels, h, w),)


def turned(channels: int) -> Callable[..., tuple[T, ...]]:
    return lambda n, h, w: (torch.rand(n, h, w, channels).permute(0, 3, 1, 2),)


NETS = {
    "images": of_images(Image(4, last=False, strict=False), image(4)),
    "channels last": of_images(Image(4, last=True, strict=True), image(4)),
    "weights with channels last": of_images(Image(4, last=False, strict=True).to(memory_format=LAST), image(4)),
    "an input with channels last": of_images(Image(4, last=False, strict=True), turned(4)),
    "one channel": of_images(Image(1, last=False, strict=False), turned(1)),
    "upward": of_images(Upward(), image(4)),
    "sound": Program(Sound(), lambda n, s: (torch.rand(n, s, 4),), {"n": (1, 3, 2), "s": (1, 7, 6)}),
}
