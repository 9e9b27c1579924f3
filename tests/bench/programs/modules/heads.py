"""Heads of detectors, and networks over points, pairs and tables."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 - as PyTorch's own documentation writes it
from torch import nn

from tests.bench.programs.case import case
from tests.bench.programs.modules.classifiers import conv


@case("image b 3 h w", b=(1, 4, 2), h=(1, 72, 48), w=(1, 72, 48))
class SSD(nn.Module):
    """Boxes of three levels, each as a list; the last level has no padding."""

    def __init__(self) -> None:
        super().__init__()
        self.levels = nn.ModuleList([conv(3, 4, 3, 2), conv(4, 4, 3, 2), nn.Conv2d(4, 4, 3, 2)])
        self.boxes = nn.ModuleList([nn.Conv2d(4, 8, 3, padding=1) for _ in range(3)])

    def forward(self, image):
        lists, x = [], image
        for level, boxes in zip(self.levels, self.boxes, strict=True):
            x = level(x)
            y = boxes(x)
            lists.append(y.permute(0, 2, 3, 1).reshape(y.size(0), -1, 4))
        return torch.cat(lists, dim=1)


@case("image b 3 h w", b=(1, 3, 2), h=(1, 70, 48), w=(1, 70, 48))
class YOLO(nn.Module):
    """Levels joined after doubling, poolings of growing reach, and a grid of places: multiples of 16."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(conv(3, 4, 3, 2), conv(4, 4, 3, 2))
        self.down = nn.ModuleList([conv(4, 4, 3, 2), conv(4, 4, 3, 2)])
        self.reach, self.join, self.head = conv(16, 4, 1), conv(8, 4), nn.ModuleList([nn.Conv2d(4, 14, 1)] * 2)

    def forward(self, image):
        one = self.down[0](self.stem(image))
        pools = [self.down[1](one)]
        for _ in range(3):
            pools.append(F.max_pool2d(pools[-1], 5, 1, 2))
        two = self.reach(torch.cat(pools, 1))
        one = self.join(torch.cat([F.interpolate(two, scale_factor=2.0), one], 1))
        found = []
        for x, head in zip((one, two), self.head, strict=True):
            y = head(x)
            b, _, h, w = y.shape
            y = y.view(b, 2, 7, h, w).permute(0, 1, 3, 4, 2)
            rows, columns = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
            place = torch.stack([columns, rows], dim=-1)
            found.append(torch.cat([y[..., :2].sigmoid() + place, y[..., 2:]], -1).reshape(b, 2 * h * w, 7))
        return torch.cat(found, 1)


@case("image b 3 h w", b=(1, 3, 2), h=(1, 60, 40), w=(1, 60, 40))
class CenterNet(nn.Module):
    """The ten highest peaks of a map of a quarter of the size, which has to have ten places."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.sizes = nn.Sequential(conv(3, 4, 3, 2), conv(4, 2, 3, 2)), nn.Conv2d(2, 2, 1)

    def forward(self, image):
        x = self.body(image)
        heat = x.sigmoid()
        heat = heat * (F.max_pool2d(heat, 3, 1, 1) == heat)
        scores, places = heat.amax(1).flatten(1).topk(10)
        sizes = self.sizes(x).flatten(2).transpose(1, 2)
        return scores, sizes.gather(1, places.unsqueeze(-1).expand(-1, -1, 2))


@case(
    "a b 3 h w, z b2 3 h2 w2", b=(1, 3, 2), h=(6, 30, 20), w=(6, 30, 20), b2=(1, 3, 2), h2=(6, 30, 12), w2=(6, 30, 12)
)
class SiameseTracker(nn.Module):
    """An exemplar as the kernel over a search image: no larger than that, and of the same batch."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Conv2d(3, 4, 3)

    def forward(self, a, z):
        a, z = self.body(a), self.body(z)
        b, c, h, w = a.shape
        y = F.conv2d(a.reshape(1, b * c, h, w), z, groups=b)
        return y.reshape(b, -1, y.size(-2), y.size(-1))


@case("points b 3 n", b=(1, 4, 2), n=(1, 40, 24))
class PointNet(nn.Module):
    """Eight neighbours of each point: at least eight points."""

    def __init__(self) -> None:
        super().__init__()
        self.edge, self.fc = nn.Conv2d(6, 8, 1), nn.Linear(8, 5)

    def forward(self, points):
        x = points.transpose(2, 1).contiguous()
        near = torch.cdist(x, x).topk(8, dim=-1, largest=False).indices
        b, n, _ = x.shape
        batch = torch.arange(b, device=x.device).view(-1, 1, 1) * n
        neighbours = x.view(b * n, -1)[(near + batch).view(-1)].view(b, n, 8, 3)
        own = x.view(b, n, 1, 3).expand(b, n, 8, 3)
        edges = torch.cat((neighbours - own, own), dim=3).permute(0, 3, 1, 2)
        return self.fc(self.edge(edges).amax(dim=-1).amax(dim=-1))


@case("user b 6, item b2 n 6", b=(1, 20, 4), b2=(1, 20, 4), n=(1, 20, 5))
class Recommender(nn.Module):
    """Items of each user: batches that broadcast."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(12, 8), nn.Linear(8, 1)

    def forward(self, user, item):
        user = user.unsqueeze(1).expand(-1, item.shape[1], -1)
        return self.two(F.relu(self.one(torch.cat([user, item], dim=-1)))).squeeze(-1)


@case("x n 6, adjacency n2 n3", n=(1, 20, 7), n2=(1, 20, 7), n3=(1, 20, 7))
class GraphConvolution(nn.Module):
    """A square matrix of edges as wide as there are nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(6, 8), nn.Linear(8, 3)

    def forward(self, x, adjacency):
        a = adjacency + torch.eye(adjacency.size(0))
        degree = a.sum(1).clamp(min=1).rsqrt()
        a = degree[:, None] * a * degree[None, :]
        return a @ self.two(F.relu(a @ self.one(x)))
