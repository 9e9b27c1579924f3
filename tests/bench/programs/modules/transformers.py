"""Transformers over texts and images."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F  # noqa: N812 - as PyTorch's own documentation writes it
from torch import nn

from tests.bench.programs.case import case


class Attention(nn.Module):
    """Two heads over a width of 8."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(8, 8) for _ in range(4))

    def forward(self, x, memory=None, mask=None, causal=False):
        memory = x if memory is None else memory
        b, s, _ = x.shape
        q = self.q(x).view(b, s, 2, 4).transpose(1, 2)
        k, v = (layer(memory).view(memory.shape[0], -1, 2, 4).transpose(1, 2) for layer in (self.k, self.v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
        return self.o(y.transpose(1, 2).reshape(b, s, 8))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.attention = nn.LayerNorm(8), nn.LayerNorm(8), Attention()
        self.mlp = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))

    def forward(self, x, mask=None, causal=False):
        x = x + self.attention(self.one(x), mask=mask, causal=causal)
        return x + self.mlp(self.two(x))


@case("ids:int b s", b=(1, 4, 2), s=(1, 40, 12))
class GPT(nn.Module):
    """A table of 32 positions."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(50, 8), nn.Embedding(32, 8)
        self.blocks, self.head = nn.ModuleList([Block(), Block()]), nn.Linear(8, 50)

    def forward(self, ids):
        x = self.words(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x, causal=True)
        return self.head(x)


@case("ids:int b s, mask:bool b2 s2", b=(1, 4, 2), s=(1, 40, 12), b2=(1, 4, 2), s2=(1, 40, 12))
class BERT(nn.Module):
    """A mask as long as the text, and buffers of 32 positions and token types that are cut to its length."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.positions, self.types = nn.Embedding(50, 8), nn.Embedding(32, 8), nn.Embedding(2, 8)
        self.register_buffer("order", torch.arange(32)[None], persistent=False)
        self.register_buffer("kinds", torch.zeros(1, 32, dtype=torch.long), persistent=False)
        self.blocks, self.pooler = nn.ModuleList([Block(), Block()]), nn.Linear(8, 8)

    def forward(self, ids, mask):
        b, s = ids.size()
        kinds = self.kinds[:, :s].expand(b, s)
        x = self.words(ids) + self.types(kinds) + self.positions(self.order[:, :s])
        for block in self.blocks:
            x = block(x, mask=mask[:, None, None, :])
        return x, torch.tanh(self.pooler(x[:, 0]))


@case("image b 3 h w", b=(1, 4, 2), h=(8, 48, 32), w=(8, 48, 32))
class ViT(nn.Module):
    """As many positions as 32 by 32 pixels have patches of 8 by 8."""

    def __init__(self) -> None:
        super().__init__()
        self.patches, self.token = nn.Conv2d(3, 8, 8, 8), nn.Parameter(torch.zeros(1, 1, 8))
        self.positions, self.block, self.head = nn.Parameter(torch.zeros(1, 17, 8)), Block(), nn.Linear(8, 10)

    def forward(self, image):
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.positions
        return self.head(self.block(x)[:, 0])


@case("image b 3 h w", b=(1, 4, 2), h=(1, 60, 32), w=(1, 60, 32))
class ResizedViT(nn.Module):
    """Positions resized to the grid of patches."""

    def __init__(self) -> None:
        super().__init__()
        self.patches, self.positions = nn.Conv2d(3, 8, 8, 8), nn.Parameter(torch.zeros(1, 8, 4, 4))
        self.block, self.head = Block(), nn.Linear(8, 10)

    def forward(self, image):
        x = self.patches(image)
        x = x + F.interpolate(self.positions, size=x.shape[2:], mode="bicubic", align_corners=False)
        return self.head(self.block(x.flatten(2).transpose(1, 2)).mean(1))


@case("source:int b s, target:int b2 t", b=(1, 4, 2), s=(1, 40, 12), b2=(1, 4, 2), t=(1, 30, 9))
class Translation(nn.Module):
    """An encoder and a decoder over the same number of texts."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.encoder, self.own, self.cross = nn.Embedding(50, 8), Block(), Attention(), Attention()
        self.head = nn.Linear(8, 50)

    def forward(self, source, target):
        memory, x = self.encoder(self.words(source)), self.words(target)
        x = x + self.own(x, causal=True)
        return self.head(x + self.cross(x, memory))


@case("ids:int b s", b=(1, 4, 2), s=(1, 60, 12))
class T5Encoder(nn.Module):
    """A bias for the distance of each pair, in buckets."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.bias, self.attention = nn.Embedding(50, 8), nn.Embedding(16, 2), Attention()

    def forward(self, ids):
        order = torch.arange(ids.shape[1], device=ids.device)
        distance = (order[None, :] - order[:, None]).abs()
        large = 4 + (torch.log(distance.clamp(min=1).float() / 4) / math.log(8) * 4).long()
        buckets = torch.where(distance < 4, distance, large.clamp(min=4, max=15))
        x = self.words(ids)
        return x + self.attention(x, mask=self.bias(buckets).permute(2, 0, 1).unsqueeze(0))


@case("ids:int b s", b=(1, 4, 2), s=(1, 60, 12))
class Llama(nn.Module):
    """Rotary positions, and one head of keys for two of queries."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.norm, self.q, self.kv = nn.Embedding(50, 16), nn.RMSNorm(16), *self.linears()
        self.gate, self.up, self.down = nn.Linear(16, 32), nn.Linear(16, 32), nn.Linear(32, 16)
        self.register_buffer("frequencies", 1 / 10000 ** (torch.arange(0, 4, 2).float() / 4))

    @staticmethod
    def linears():
        return nn.Linear(16, 16), nn.Linear(16, 16)

    @staticmethod
    def rotated(x, angles):
        a, b = x.chunk(2, dim=-1)
        return x * angles.cos() + torch.cat((-b, a), dim=-1) * angles.sin()

    def forward(self, ids):
        b, s = ids.shape
        x = self.words(ids)
        y = self.norm(x)
        angles = torch.outer(torch.arange(s, device=ids.device).float(), self.frequencies)
        angles = torch.cat((angles, angles), dim=-1)[None, None]
        q = self.rotated(self.q(y).view(b, s, 4, 4).transpose(1, 2), angles)
        k, v = self.kv(y).view(b, s, 2, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, self.rotated(k, angles), v, is_causal=True, enable_gqa=True)
        x = x + y.transpose(1, 2).reshape(b, s, 16)
        return x + self.down(F.silu(self.gate(x)) * self.up(x))


@case(
    "x b s 8, keys b2 2 p 4, values b3 2 p2 4",
    b=(1, 3, 2),
    s=(1, 12, 3),
    b2=(1, 3, 2),
    p=(1, 12, 5),
    b3=(1, 3, 2),
    p2=(1, 12, 5),
)
class CachedDecoder(nn.Module):
    """Keys and values of the past before the new ones."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.o = nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x, keys, values):
        b, s, _ = x.shape
        q, k, v = (part.view(b, s, 2, 4).transpose(1, 2) for part in self.qkv(x).split(8, dim=-1))
        keys, values = torch.cat([keys, k], dim=2), torch.cat([values, v], dim=2)
        weights = torch.softmax(q @ keys.transpose(-2, -1) / 2, dim=-1)
        return self.o((weights @ values).transpose(1, 2).reshape(b, s, 8)), keys, values


@case("x b s 8", b=(1, 4, 2), s=(1, 60, 20))
class TransformerEncoder(nn.Module):
    """PyTorch's own layers, with a table of sines that is cut to the length."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        angles = torch.arange(48)[:, None] * torch.exp(torch.arange(0, 8, 2) * (-math.log(10000.0) / 8))
        self.register_buffer("sines", torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1))

    def forward(self, x):
        return self.layers(x + self.sines[: x.size(1)])


@case("image b 3 h w, ids:int b2 s", b=(1, 4, 2), h=(1, 40, 16), w=(1, 40, 16), b2=(1, 4, 3), s=(1, 24, 9))
class CLIP(nn.Module):
    """Each image compared with each text; the numbers may differ."""

    def __init__(self) -> None:
        super().__init__()
        self.patches, self.words, self.positions = nn.Conv2d(3, 8, 4, 4), nn.Embedding(50, 8), nn.Embedding(16, 8)
        self.see, self.read = Block(), Block()

    def forward(self, image, ids):
        image = self.see(self.patches(image).flatten(2).transpose(1, 2)).mean(1)
        order = torch.arange(ids.shape[1], device=ids.device)
        text = self.read(self.words(ids) + self.positions(order)).amax(1)
        return F.normalize(image, dim=-1) @ F.normalize(text, dim=-1).t()


@case("x b s 8", b=(1, 4, 2), s=(1, 60, 20))
class Linformer(nn.Module):
    """Keys projected along a length that may not exceed 32: the projection's rows are cut to it."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.project = nn.Linear(8, 24), nn.Parameter(torch.zeros(32, 4))

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        rows = self.project[: x.shape[1]]
        k, v = (torch.einsum("bsc,sk->bkc", part, rows) for part in (k, v))
        return torch.softmax(torch.einsum("bsc,bkc->bsk", q, k), dim=-1) @ v


@case("x b s 8", b=(1, 4, 2), s=(1, 64, 32))
class BlockAttention(nn.Module):
    """Attention inside blocks of 16: lengths that are multiples of it."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(8, 24)

    def forward(self, x):
        b, s, c = x.shape
        q, k, v = self.qkv(x).reshape(b, s // 16, 16, 3 * c).chunk(3, dim=-1)
        return (torch.softmax(q @ k.transpose(-1, -2), dim=-1) @ v).reshape(b, s, c)
