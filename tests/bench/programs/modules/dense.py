"""Networks that give an image for an image: segmentation, restoration, diffusion."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 - as PyTorch's own documentation writes it
from torch import nn

from tests.bench.programs.case import case
from tests.bench.programs.modules.classifiers import conv


@case("image b 3 h w", b=(1, 4, 2), h=(1, 72, 64), w=(1, 72, 64))
class UNet(nn.Module):
    """Halves three times, and joins what comes back with what went: multiples of 8."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([conv(3, 4), conv(4, 4), conv(4, 4), conv(4, 4)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(4, 4, 2, 2) for _ in range(3)])
        self.joined, self.last = nn.ModuleList([conv(8, 4) for _ in range(3)]), nn.Conv2d(4, 2, 1)

    def forward(self, image):
        skips, x = [], self.down[0](image)
        for layer in self.down[1:]:
            skips.append(x)
            x = layer(F.max_pool2d(x, 2))
        for up, joined in zip(self.up, self.joined, strict=True):
            x = joined(torch.cat([skips.pop(), up(x)], dim=1))
        return self.last(x)


@case("image b 3 h w", b=(1, 4, 2), h=(1, 60, 48), w=(1, 60, 48))
class PaddedUNet(nn.Module):
    """Pads what comes back to the size of what went, so that every image that can be halved twice fits."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.three = conv(3, 4), conv(4, 4), conv(4, 4)
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.back, self.last = conv(8, 4), conv(8, 2)

    @staticmethod
    def joined(small, large):
        dy, dx = large.size(2) - small.size(2), large.size(3) - small.size(3)
        return torch.cat([large, F.pad(small, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])], dim=1)

    def forward(self, image):
        a = self.one(image)
        b = self.two(F.max_pool2d(a, 2))
        c = self.three(F.max_pool2d(b, 2))
        return self.last(self.joined(self.up(self.back(self.joined(self.up(c), b))), a))


@case("image b 3 h w", b=(1, 4, 2), h=(1, 60, 48), w=(1, 60, 48))
class InterpolatedUNet(nn.Module):
    """Resizes what comes back to the size of what went."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.last = conv(3, 4), conv(4, 4, 3, 2), conv(8, 2)

    def forward(self, image):
        a = self.one(image)
        b = F.interpolate(self.two(a), size=a.shape[-2:], mode="bilinear", align_corners=False)
        return self.last(torch.cat([a, b], dim=1))


@case("image b 3 h w", b=(1, 4, 2), h=(1, 72, 64), w=(1, 72, 64))
class LinkNet(nn.Module):
    """Adds what comes back to what went: multiples of 4."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.three = conv(3, 4, 3, 2), conv(4, 4, 3, 2), conv(4, 4, 3, 2)
        self.up = nn.ModuleList([nn.ConvTranspose2d(4, 4, 3, 2, 1, output_padding=1) for _ in range(2)])

    def forward(self, image):
        a = self.one(image)
        b = self.two(a)
        return a + self.up[1](b + self.up[0](self.three(b)))


@case("image b 3 h w", b=(1, 4, 2), h=(1, 72, 64), w=(1, 72, 64))
class FPN(nn.Module):
    """Adds levels after doubling the smaller one."""

    def __init__(self) -> None:
        super().__init__()
        self.levels = nn.ModuleList([conv(3, 4, 3, 2), conv(4, 4, 3, 2), conv(4, 4, 3, 2)])
        self.sides = nn.ModuleList([nn.Conv2d(4, 4, 1) for _ in range(3)])

    def forward(self, image):
        maps, x = [], image
        for level in self.levels:
            x = level(x)
            maps.append(x)
        x = self.sides[2](maps[2])
        for side, m in zip(self.sides[:2], reversed(maps[:2]), strict=True):
            x = side(m) + F.interpolate(x, scale_factor=2.0, mode="nearest")
        return x


@case("image b 3 h w", b=(1, 4, 2), h=(1, 72, 48), w=(1, 72, 48))
class DeepLab(nn.Module):
    """Dilated branches and a pooled one, brought to one size."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(conv(3, 4, 3, 2), conv(4, 4, 3, 2))
        self.branches = nn.ModuleList([nn.Conv2d(4, 4, 3, padding=d, dilation=d) for d in (1, 3, 6)])
        self.pooled, self.last = nn.Conv2d(4, 4, 1), nn.Conv2d(16, 2, 1)

    def forward(self, image):
        x = self.stem(image)
        whole = F.interpolate(self.pooled(F.adaptive_avg_pool2d(x, 1)), size=x.shape[-2:], mode="bilinear")
        x = self.last(torch.cat([*[branch(x) for branch in self.branches], whole], dim=1))
        return F.interpolate(x, size=image.shape[-2:], mode="bilinear", align_corners=False)


@case("image b 3 h w", b=(1, 4, 2), h=(1, 50, 32), w=(1, 50, 32))
class SuperResolution(nn.Module):
    """Pixels from channels: every image."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.shuffle = nn.Sequential(conv(3, 4, 5), nn.Conv2d(4, 27, 3, padding=1)), nn.PixelShuffle(3)

    def forward(self, image):
        return self.shuffle(self.body(image)) + F.interpolate(image, scale_factor=3.0, mode="bicubic")


@case("image b 3 h w", b=(1, 4, 2), h=(1, 50, 32), w=(1, 50, 32))
class SpaceToDepth(nn.Module):
    """Channels from pixels: multiples of 4."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.PixelUnshuffle(4), conv(48, 8), nn.Conv2d(8, 16, 1), nn.PixelShuffle(4))

    def forward(self, image):
        return self.body(image)


@case("image b 1 h w", b=(1, 4, 2), h=(8, 50, 28), w=(8, 50, 28))
class SpatialTransformer(nn.Module):
    """Finds a transformation in a pooled image, and samples the whole one by it."""

    def __init__(self) -> None:
        super().__init__()
        self.find = nn.Sequential(nn.Conv2d(1, 4, 7), nn.MaxPool2d(2, 2), nn.ReLU(True), nn.AdaptiveAvgPool2d(3))
        self.theta = nn.Linear(36, 6)

    def forward(self, image):
        theta = self.theta(self.find(image).flatten(1)).view(-1, 2, 3)
        return F.grid_sample(image, F.affine_grid(theta, image.size(), align_corners=False), align_corners=False)


@case("x b 4 h w, t b2", b=(1, 4, 2), h=(1, 40, 16), w=(1, 40, 16), b2=(1, 4, 2))
class DiffusionUNet(nn.Module):
    """A time of each image, attention in the middle, and a skip: multiples of 4."""

    def __init__(self) -> None:
        super().__init__()
        self.time, self.one, self.two = nn.Linear(1, 8), nn.Conv2d(4, 8, 3, padding=1), nn.Conv2d(8, 8, 3, 2, 1)
        self.three, self.norm, self.attention = nn.Conv2d(8, 8, 3, 2, 1), nn.GroupNorm(2, 8), nn.Linear(8, 24)
        self.join, self.last = nn.Conv2d(16, 8, 3, padding=1), nn.Conv2d(16, 4, 3, padding=1)

    def forward(self, x, t):
        a = self.one(x) + self.time(t[:, None])[:, :, None, None]
        b = self.two(F.silu(a))
        c = self.norm(self.three(F.silu(b)))
        n, k, h, w = c.shape
        q, key, v = self.attention(c.reshape(n, k, h * w).transpose(1, 2)).chunk(3, dim=-1)
        c = c + F.scaled_dot_product_attention(q, key, v).transpose(1, 2).reshape(n, k, h, w)
        b = self.join(torch.cat([b, F.interpolate(c, scale_factor=2.0)], dim=1))
        return self.last(torch.cat([a, F.interpolate(b, scale_factor=2.0)], dim=1))


@case(
    "image b 3 h w, mask b2 1 h2 w2",
    b=(1, 3, 2),
    h=(4, 24, 16),
    w=(4, 24, 16),
    b2=(1, 3, 2),
    h2=(4, 24, 16),
    w2=(4, 24, 16),
)
class Inpainting(nn.Module):
    """An image beside its mask: of one size."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(4, 4, 5, padding=2), nn.Conv2d(4, 3, 3, padding=1)

    def forward(self, image, mask):
        x = self.two(F.elu(self.one(torch.cat([image * (1 - mask), mask], dim=1))))
        return image * (1 - mask) + x * mask
