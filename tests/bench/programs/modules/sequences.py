"""Recurrent networks, state spaces and convolutions along a sequence."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 - as PyTorch's own documentation writes it
from torch import nn

from tests.bench.programs.case import case


@case("x b s 6", b=(1, 4, 2), s=(1, 40, 7))
class LSTMTagger(nn.Module):
    """A tag of each element; every length runs."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.head = nn.LSTM(6, 8, num_layers=2, batch_first=True, bidirectional=True), nn.Linear(16, 5)

    def forward(self, x):
        return self.head(self.lstm(x)[0])


@case("ids:int b s, h 1 b2 8", b=(1, 4, 2), s=(1, 30, 7), b2=(1, 4, 2))
class GRULanguage(nn.Module):
    """The state before as a second input, of the same batch."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.gru, self.head = nn.Embedding(50, 8), nn.GRU(8, 8, batch_first=True), nn.Linear(8, 50)

    def forward(self, ids, h):
        x, h = self.gru(self.words(ids), h)
        return self.head(x[:, -1]), h


@case("x b s 8", b=(1, 4, 2), s=(1, 60, 16))
class Mamba(nn.Module):
    """A selective scan, in parallel, behind a causal convolution."""

    def __init__(self) -> None:
        super().__init__()
        self.enter, self.conv = nn.Linear(8, 32), nn.Conv1d(16, 16, 4, padding=3, groups=16)
        self.select, self.leave = nn.Linear(16, 1 + 8), nn.Linear(16, 8)
        self.a, self.d = nn.Parameter(torch.ones(16, 4)), nn.Parameter(torch.ones(16))

    def forward(self, x):
        s = x.shape[1]
        x, z = self.enter(x).chunk(2, dim=-1)
        x = F.silu(self.conv(x.transpose(1, 2))[..., :s].transpose(1, 2))
        step, b, c = self.select(x).split([1, 4, 4], dim=-1)
        decay = F.softplus(step).unsqueeze(-1) * -self.a.exp()
        states = torch.cumsum(decay, dim=1)
        scanned = torch.cumsum(x.unsqueeze(-1) * b.unsqueeze(2) * (-states).exp(), dim=1) * states.exp()
        y = (scanned * c.unsqueeze(2)).sum(-1) + x * self.d
        return self.leave(y * F.silu(z))


@case("x b 6 s", b=(1, 4, 2), s=(1, 60, 20))
class TemporalConvolution(nn.Module):
    """Dilated convolutions padded on both sides, with what is too much cut off."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv1d(6, 6, 3, padding=2 * d, dilation=d) for d in (1, 2, 4)])

    def forward(self, x):
        for d, layer in zip((1, 2, 4), self.layers, strict=True):
            x = F.relu(x + layer(x)[:, :, : -2 * d].contiguous())
        return x


@case("x b s 5", b=(1, 4, 2), s=(1, 60, 24))
class Wavelets(nn.Module):
    """Differences of neighbours, and a wavelet that needs an even length."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(10, 3)

    def forward(self, x):
        steps = F.pad(x[:, 1:] - x[:, :-1], (0, 0, 0, 1))
        even, odd = x[:, 0::2], x[:, 1::2]
        return self.head(torch.cat([even + odd, even - odd], dim=-1)), steps


@case("x b s 4", b=(1, 16, 8), s=(1, 30, 10))
class BakedBatch(nn.Module):
    """A batch that the author once wrote into a view: multiples of 4 batches fit, if of five steps each."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(20, 3)

    def forward(self, x):
        return self.head(x.reshape(-1, 20)).view(x.shape[0], -1)
