"""Networks that classify images."""

from __future__ import annotations

import itertools

import torch
import torch.nn.functional as F  # noqa: N812 - as PyTorch's own documentation writes it
from torch import nn

from tests.bench.programs.case import case


def conv(i: int, o: int, kernel: int = 3, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """A convolution that keeps the size, with normalization."""
    layer = nn.Conv2d(i, o, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class Residual(nn.Module):
    def __init__(self, i: int, o: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(conv(i, o, 3, stride), nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o))
        self.short = nn.Sequential(nn.Conv2d(i, o, 1, stride), nn.BatchNorm2d(o)) if stride > 1 else nn.Identity()

    def forward(self, x):
        return F.relu(self.short(x) + self.body(x))


class ResNet18Stem(nn.Module):
    """All of ResNet-18 but the classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(conv(3, 4, 7, 2), nn.MaxPool2d(3, 2, 1))
        self.layer1 = nn.Sequential(Residual(4, 4, 1), Residual(4, 4, 1))
        self.layer2 = nn.Sequential(Residual(4, 8, 2), Residual(8, 8, 1))
        self.layer3 = nn.Sequential(Residual(8, 8, 2), Residual(8, 8, 1))
        self.layer4 = nn.Sequential(Residual(8, 16, 2), Residual(16, 16, 1))

    def forward(self, x):
        x = self.stem(x)
        return self.layer4(self.layer3(self.layer2(self.layer1(x))))


@case("image b 3 h w", b=(1, 4, 2), h=(17, 72, 64), w=(17, 72, 64))
class ResNet18(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.pool, self.fc = ResNet18Stem(), nn.AdaptiveAvgPool2d(1), nn.Linear(16, 10)

    def forward(self, image):
        return self.fc(torch.flatten(self.pool(self.body(image)), 1))


@case("image b 3 h w", b=(1, 4, 2), h=(1, 72, 64), w=(1, 72, 64))
class DenseNet(nn.Module):
    """Two dense blocks; each transition halves the image, which has to leave something."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(conv(3, 8, 7, 2), nn.MaxPool2d(3, 2, 1))
        self.blocks = nn.ModuleList([nn.ModuleList([conv(8 + 4 * i, 4) for i in range(3)]) for _ in range(3)])
        self.transitions = nn.ModuleList([nn.Sequential(conv(20, 8, 1), nn.AvgPool2d(2, 2)) for _ in range(2)])
        self.fc = nn.Linear(20, 10)

    def forward(self, image):
        x = self.stem(image)
        for i, block in enumerate(self.blocks):
            features = [x]
            for layer in block:
                features.append(layer(torch.cat(features, 1)))
            x = torch.cat(features, 1)
            if i < 2:
                x = self.transitions[i](x)
        return self.fc(F.adaptive_avg_pool2d(F.relu(x), (1, 1)).flatten(1))


@case("image b 3 h w", b=(1, 4, 2), h=(1, 64, 40), w=(1, 64, 40))
class VGG(nn.Module):
    """Four poolings without padding, then a grid of 7 by 7 whatever comes."""

    def __init__(self) -> None:
        super().__init__()
        widths = [3, 4, 4, 8, 8]
        stages = [[conv(i, o), nn.MaxPool2d(2, 2)] for i, o in itertools.pairwise(widths)]
        self.features = nn.Sequential(*[layer for stage in stages for layer in stage])
        self.classifier = nn.Sequential(nn.Linear(8 * 49, 16), nn.ReLU(True), nn.Dropout(), nn.Linear(16, 10))

    def forward(self, image):
        return self.classifier(torch.flatten(F.adaptive_avg_pool2d(self.features(image), (7, 7)), 1))


@case("image b 3 h w", b=(1, 4, 2), h=(30, 120, 96), w=(30, 120, 96))
class AlexNet(nn.Module):
    """Large kernels and poolings without padding: the least image is 63 by 63."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 4, 11, 4, 2), nn.ReLU(True), nn.MaxPool2d(3, 2),
            nn.Conv2d(4, 8, 5, padding=2), nn.ReLU(True), nn.MaxPool2d(3, 2),
            nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(True), nn.MaxPool2d(3, 2),
        )  # fmt: skip
        self.pool, self.fc = nn.AdaptiveAvgPool2d((6, 6)), nn.Linear(8 * 36, 10)

    def forward(self, image):
        return self.fc(torch.flatten(self.pool(self.features(image)), 1))


class Inception(nn.Module):
    def __init__(self, i: int) -> None:
        super().__init__()
        self.a, self.b = conv(i, 4, 1), nn.Sequential(conv(i, 4, 1), conv(4, 4, 3))
        self.c = nn.Sequential(conv(i, 4, 1), conv(4, 4, 5))
        self.d = nn.Sequential(nn.MaxPool2d(3, 1, 1, ceil_mode=True), conv(i, 4, 1))

    def forward(self, x):
        return torch.cat([self.a(x), self.b(x), self.c(x), self.d(x)], 1)


@case("image b 3 h w", b=(1, 4, 2), h=(1, 70, 64), w=(1, 70, 64))
class GoogLeNet(nn.Module):
    """Four branches side by side; poolings that round up."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(conv(3, 8, 7, 2), nn.MaxPool2d(3, 2, ceil_mode=True))
        self.one, self.two = Inception(8), Inception(16)
        self.pool, self.fc = nn.MaxPool2d(3, 2, ceil_mode=True), nn.Linear(16, 10)

    def forward(self, image):
        x = self.two(self.pool(self.one(self.stem(image))))
        return self.fc(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))


class Inverted(nn.Module):
    def __init__(self, i: int, o: int, stride: int) -> None:
        super().__init__()
        self.same = stride == 1 and i == o
        self.body = nn.Sequential(conv(i, 2 * i, 1), conv(2 * i, 2 * i, 3, stride, 2 * i), nn.Conv2d(2 * i, o, 1))

    def forward(self, x):
        return x + self.body(x) if self.same else self.body(x)


@case("image b 3 h w", b=(1, 4, 2), h=(1, 80, 64), w=(1, 80, 64))
class MobileNetV2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        settings = [(4, 8, 2), (8, 8, 1), (8, 8, 2), (8, 8, 1), (8, 16, 2)]
        self.features = nn.Sequential(conv(3, 4, 3, 2), *[Inverted(*s) for s in settings])
        self.fc = nn.Sequential(nn.Dropout(0.2), nn.Linear(16, 10))

    def forward(self, image):
        return self.fc(self.features(image).mean([2, 3]))


class LayerNorm2d(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class ConvNeXtBlock(nn.Module):
    def __init__(self, c: int) -> None:
        super().__init__()
        self.dwconv = nn.Conv2d(c, c, 7, padding=3, groups=c)
        self.norm, self.up, self.down = nn.LayerNorm(c), nn.Linear(c, 4 * c), nn.Linear(4 * c, c)
        self.gamma = nn.Parameter(torch.ones(c))

    def forward(self, x):
        y = self.norm(self.dwconv(x).permute(0, 2, 3, 1))
        y = self.gamma * self.down(F.gelu(self.up(y)))
        return x + y.permute(0, 3, 1, 2)


@case("image b 3 h w", b=(1, 4, 2), h=(1, 70, 64), w=(1, 70, 64))
class ConvNeXt(nn.Module):
    """Patches of 4 by 4, then twice 2 by 2: at least 16 by 16."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 4, 4), LayerNorm2d(4))
        self.one = nn.Sequential(ConvNeXtBlock(4), LayerNorm2d(4), nn.Conv2d(4, 8, 2, 2))
        self.two = nn.Sequential(ConvNeXtBlock(8), LayerNorm2d(8), nn.Conv2d(8, 8, 2, 2), ConvNeXtBlock(8))
        self.norm, self.fc = nn.LayerNorm(8), nn.Linear(8, 10)

    def forward(self, image):
        return self.fc(self.norm(self.two(self.one(self.stem(image))).mean([-2, -1])))


@case("image b 3 h w", b=(1, 4, 2), h=(1, 70, 64), w=(1, 70, 64))
class ShuffleNet(nn.Module):
    """Half of the channels pass by; then the channels are shuffled."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(conv(3, 8, 3, 2), nn.MaxPool2d(3, 2, 1))
        self.branches = nn.ModuleList([nn.Sequential(conv(4, 4, 1), conv(4, 4, 3, 1, 4)) for _ in range(3)])
        self.fc = nn.Linear(8, 10)

    def forward(self, image):
        x = self.stem(image)
        for branch in self.branches:
            a, b = x.chunk(2, dim=1)
            x = torch.cat((a, branch(b)), dim=1)
            n, c, h, w = x.size()
            x = x.view(n, 2, c // 2, h, w).transpose(1, 2).contiguous().view(n, c, h, w)
        return self.fc(x.mean([2, 3]))


@case("image b 1 h w", b=(1, 9, 4), h=(16, 44, 28), w=(16, 44, 28))
class LeNet(nn.Module):
    """The flattened features have to be as many as the linear layer takes."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.fc = nn.Conv2d(1, 4, 5), nn.Conv2d(4, 8, 5), nn.Linear(8 * 4 * 4, 10)

    def forward(self, image):
        x = F.max_pool2d(F.relu(self.a(image)), 2)
        x = F.max_pool2d(F.relu(self.b(x)), 2)
        return self.fc(torch.flatten(x, 1))


@case("image b 3 h w", b=(1, 4, 2), h=(8, 56, 32), w=(8, 56, 32))
class MLPMixer(nn.Module):
    """Mixes 64 patches of 4 by 4 by a linear layer, so that there have to be 64."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, 4)
        self.tokens, self.channels = nn.Linear(64, 64), nn.Linear(8, 8)
        self.norms, self.fc = nn.ModuleList([nn.LayerNorm(8) for _ in range(2)]), nn.Linear(8, 10)

    def forward(self, image):
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = x + self.tokens(self.norms[0](x).transpose(1, 2)).transpose(1, 2)
        x = x + self.channels(self.norms[1](x))
        return self.fc(x.mean(dim=1))


@case("image b 3 h w", b=(1, 4, 2), h=(1, 70, 32), w=(1, 70, 32))
class BlurPool(nn.Module):
    """Downsampling with a reflected border, which has to be shorter than the image."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.fc = conv(3, 4), nn.Linear(4, 10)
        self.register_buffer("kernel", torch.ones(4, 1, 5, 5) / 25)

    def forward(self, image):
        x = self.stem(image)
        for _ in range(2):
            x = F.conv2d(F.pad(x, (2, 2, 2, 2), mode="reflect"), self.kernel, stride=2, groups=4)
        return self.fc(x.amax(dim=(2, 3)))
