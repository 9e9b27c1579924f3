"""Networks over sound."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 - as PyTorch's own documentation writes it
from torch import nn

from tests.bench.programs.case import case
from tests.bench.programs.modules.transformers import Block


@case("sound b 1 s", b=(1, 4, 2), s=(1, 140, 120))
class Wav2Letter(nn.Module):
    """A kernel of 32 in an input that is padded and strided before."""

    def __init__(self) -> None:
        super().__init__()
        layers = [nn.Conv1d(1, 4, 12, 3, 5), nn.ReLU(), nn.Conv1d(4, 4, 3, 1, 1), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Conv1d(4, 8, 32, 1, 4), nn.ReLU(), nn.Conv1d(8, 5, 1))

    def forward(self, sound):
        return F.log_softmax(self.layers(sound), dim=1)


@case("features b 8 s", b=(1, 4, 2), s=(1, 80, 40))
class Whisper(nn.Module):
    """Halves the length, and adds 24 positions that are cut to it."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Conv1d(8, 8, 3, padding=1), nn.Conv1d(8, 8, 3, stride=2, padding=1)
        self.positions, self.block, self.norm = nn.Embedding(24, 8), Block(), nn.LayerNorm(8)

    def forward(self, features):
        x = F.gelu(self.two(F.gelu(self.one(features)))).permute(0, 2, 1)
        order = torch.arange(x.shape[1], device=x.device)
        return self.norm(self.block(x + self.positions(order)))


@case("sound b s", b=(1, 4, 2), s=(1, 140, 100))
class Wav2Vec(nn.Module):
    """Features of a wave, and positions by a grouped convolution of an even width, one of which is dropped."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.ModuleList([nn.Conv1d(1, 8, 10, 5), nn.Conv1d(8, 8, 3, 2), nn.Conv1d(8, 8, 2, 2)])
        self.norm, self.positions, self.block = nn.GroupNorm(8, 8), nn.Conv1d(8, 8, 4, padding=2, groups=2), Block()

    def forward(self, sound):
        x = sound[:, None]
        for i, layer in enumerate(self.features):
            x = F.gelu(self.norm(layer(x)) if i == 0 else layer(x))
        return self.block((x + F.gelu(self.positions(x)[:, :, :-1])).transpose(1, 2))


@case("features b s 8", b=(1, 4, 2), s=(1, 70, 40))
class Conformer(nn.Module):
    """Quarters the length without padding, then mixes by convolution and attention."""

    def __init__(self) -> None:
        super().__init__()
        self.sub = nn.Sequential(nn.Conv2d(1, 4, 3, 2), nn.ReLU(), nn.Conv2d(4, 4, 3, 2), nn.ReLU())
        self.enter, self.norm, self.wide = nn.Linear(4, 8), nn.LayerNorm(8), nn.Conv1d(8, 16, 1)
        self.depth, self.batch = nn.Conv1d(8, 8, 5, padding=2, groups=8), nn.BatchNorm1d(8)
        self.block = Block()

    def forward(self, features):
        x = self.sub(features.unsqueeze(1))
        b, c, t, f = x.size()
        x = self.enter(x.transpose(1, 2).contiguous().view(b, t, c * f))
        y = F.glu(self.wide(self.norm(x).transpose(1, 2)), dim=1)
        return self.block(x + F.silu(self.batch(self.depth(y))).transpose(1, 2))


@case("features b 1 f s", b=(1, 4, 2), f=(10, 30, 20), s=(1, 60, 30))
class DeepSpeech(nn.Module):
    """Convolutions over a spectrogram, then a recurrent layer whose width wants 20 frequencies (or 19)."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(1, 4, (11, 5), (2, 2), (5, 2)), nn.Conv2d(4, 4, (7, 5), (2, 1), (3, 2))
        self.gru, self.head = nn.GRU(20, 8, batch_first=True, bidirectional=True), nn.Linear(16, 6)

    def forward(self, features):
        x = F.hardtanh(self.two(F.hardtanh(self.one(features), 0, 20)), 0, 20)
        x = x.flatten(1, 2).transpose(1, 2)
        return self.head(self.gru(x)[0])


@case("sound b s", b=(1, 4, 2), s=(1, 120, 80))
class Spectrogram(nn.Module):
    """Frames of 16 with a hop of 8 out of a reflected wave, as a spectrogram has them."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(16))
        self.mel = nn.Linear(9, 4)

    def forward(self, sound):
        x = F.pad(sound.unsqueeze(1), (8, 8), mode="reflect").squeeze(1)
        power = torch.fft.rfft(x.unfold(-1, 16, 8) * self.window).abs().pow(2)
        return torch.log(self.mel(power).clamp(min=1e-5)).transpose(1, 2)


@case("sound b 1 s", b=(1, 4, 2), s=(1, 120, 64))
class WaveUNet(nn.Module):
    """Takes every second sample, and joins what comes back with a middle cut out of what went."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([nn.Conv1d(1, 4, 5, padding=2), nn.Conv1d(4, 4, 5, padding=2)])
        self.middle, self.up = nn.Conv1d(4, 4, 3, padding=1), nn.ModuleList([nn.Conv1d(8, 4, 3), nn.Conv1d(8, 1, 3)])

    def forward(self, sound):
        skips, x = [], sound
        for layer in self.down:
            x = F.leaky_relu(layer(x))
            skips.append(x)
            x = x[:, :, ::2]
        x = self.middle(x)
        for layer in self.up:
            skip, x = skips.pop(), F.interpolate(x, scale_factor=2.0, mode="linear", align_corners=True)
            extra = skip.shape[2] - x.shape[2]
            skip = skip[:, :, :-extra] if extra else skip
            x = layer(torch.cat([x, skip], dim=1))
        return x
