"""Images cut into windows, patches and grids."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 - as PyTorch's own documentation writes it
from torch import nn

from tests.bench.programs.case import case


def windows(x, size: int):
    b, h, w, c = x.shape
    x = x.view(b, h // size, size, w // size, size, c)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, size * size, c)


def joined(x, size: int, h, w):
    b = x.shape[0] // ((h // size) * (w // size))
    x = x.view(b, h // size, w // size, size, size, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(b, h, w, -1)


@case("image b h w 4", b=(1, 3, 2), h=(1, 50, 21), w=(1, 50, 28))
class Swin(nn.Module):
    """Windows of 7 by 7, shifted once: multiples of 7."""

    def __init__(self) -> None:
        super().__init__()
        self.mix, self.norm = nn.ModuleList([nn.Linear(49, 49), nn.Linear(49, 49)]), nn.LayerNorm(4)

    def forward(self, image):
        x = image
        for shift, mix in zip((0, 3), self.mix, strict=True):
            y = torch.roll(x, shifts=(-shift, -shift), dims=(1, 2)) if shift else x
            y = mix(windows(y, 7).transpose(1, 2)).transpose(1, 2)
            y = joined(y, 7, x.shape[1], x.shape[2])
            x = x + (torch.roll(y, shifts=(shift, shift), dims=(1, 2)) if shift else y)
        return self.norm(x)


@case("image b h w 4", b=(1, 3, 2), h=(1, 40, 17), w=(1, 40, 22))
class PaddedSwin(nn.Module):
    """The same with borders that fill the last windows: every image."""

    def __init__(self) -> None:
        super().__init__()
        self.mix = nn.Linear(4, 4)

    def forward(self, image):
        _b, h, w, _c = image.shape
        x = F.pad(image, (0, 0, 0, (7 - w % 7) % 7, 0, (7 - h % 7) % 7))
        y = joined(self.mix(windows(x, 7)), 7, x.shape[1], x.shape[2])
        return image + y[:, :h, :w, :].contiguous()


@case("image b h w 4", b=(1, 3, 2), h=(1, 40, 16), w=(1, 40, 16))
class PatchMerging(nn.Module):
    """Every second row and column beside the others: even sizes, twice."""

    def __init__(self) -> None:
        super().__init__()
        self.reduce = nn.ModuleList([nn.Linear(16, 4), nn.Linear(16, 4)])

    def forward(self, image):
        x = image
        for reduce in self.reduce:
            parts = [x[:, i::2, j::2, :] for j in (0, 1) for i in (0, 1)]
            x = reduce(torch.cat(parts, dim=-1))
        return x


@case("image b 4 h w", b=(1, 3, 2), h=(1, 50, 24), w=(1, 50, 24))
class MobileViT(nn.Module):
    """Unfolds a halved image to patches of 2 by 2, mixes them, and folds them back: multiples of 4."""

    def __init__(self) -> None:
        super().__init__()
        self.down, self.mix = nn.Conv2d(4, 4, 3, 2, 1), nn.Linear(4, 4)

    def forward(self, image):
        x = self.down(image)
        b, c, h, w = x.shape
        y = x.reshape(b * c * (h // 2), 2, w // 2, 2).transpose(1, 2).reshape(b, c, (h // 2) * (w // 2), 4)
        y = self.mix(y.transpose(1, 3)).transpose(1, 3)
        y = y.reshape(b * c * (h // 2), w // 2, 2, 2).transpose(1, 2).reshape(b, c, h, w)
        return F.interpolate(x + y, scale_factor=2.0, mode="nearest") + image


@case("image b 3 h w", b=(1, 3, 2), h=(4, 50, 32), w=(4, 50, 32))
class Segformer(nn.Module):
    """Overlapping patches, and keys of a grid that is four times coarser."""

    def __init__(self) -> None:
        super().__init__()
        self.patches, self.reduce = nn.Conv2d(3, 8, 7, 4, 3), nn.Conv2d(8, 8, 4, 4)
        self.q, self.kv, self.last = nn.Linear(8, 8), nn.Linear(8, 16), nn.Conv2d(8, 2, 1)

    def forward(self, image):
        x = self.patches(image)
        b, c, h, w = x.shape
        tokens = x.flatten(2).transpose(1, 2)
        coarse = self.reduce(tokens.transpose(1, 2).reshape(b, c, h, w)).reshape(b, c, -1).permute(0, 2, 1)
        k, v = self.kv(coarse).chunk(2, dim=-1)
        tokens = tokens + F.scaled_dot_product_attention(self.q(tokens), k, v)
        x = self.last(tokens.transpose(1, 2).reshape(b, c, h, w))
        return F.interpolate(x, size=image.shape[2:], mode="bilinear", align_corners=False)


@case("image b 3 h w", b=(1, 3, 2), h=(1, 40, 24), w=(1, 40, 24))
class PatchFilter(nn.Module):
    """Blocks of 4 by 4 out of an image and back into one of the same size."""

    def __init__(self) -> None:
        super().__init__()
        self.mix = nn.Linear(48, 48)

    def forward(self, image):
        columns = F.unfold(image, kernel_size=4, stride=4)
        return image + F.fold(self.mix(columns.mT).mT, image.shape[2:], kernel_size=4, stride=4)
