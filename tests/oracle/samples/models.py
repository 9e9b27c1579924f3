"""Random ONNX models with a batch, by seed: chains of steps and parts of networks, about half of which mix samples."""

from __future__ import annotations

from typing import NamedTuple

import onnx

from tests.oracle.samples import control, decoding, keeping, mixing, networks
from tests.oracle.samples.building import BATCH, Builder, Value

NETWORKS = {**networks.BUGS, **decoding.BUGS, **control.BUGS}


class Case(NamedTuple):
    """A model, below what its integer inputs are drawn, and what was put into it."""

    seed: int
    model: onnx.ModelProto
    high: dict[str, int]
    about: str


def generate(seed: int) -> Case:
    """The model of this seed."""
    b = Builder(seed)
    if b.r.random() < 0.5:
        part = b.r.choice([*NETWORKS])
        bug = b.r.choice(NETWORKS[part]) if b.r.random() < 0.55 else ""
        outputs = part(b, bug)
        about = f"{part.__name__}, {bug or 'right'}"
        if b.r.random() < 0.3:
            outputs[0], more = steps(b, outputs[0], b.r.randint(1, 3))
            about += f" {more}"
    else:
        v = start(b)
        v, about = steps(b, v, b.r.randint(1, 7))
        if b.r.random() < 0.4:
            v, more = mixed(b, v)
            about += f" !{more}"
            v, more = steps(b, v, b.r.randint(0, 3))
            about += f" {more}"
        while b.r.random() < 0.2:
            v, more = mixed(b, v)
            about += f" !{more}"
            v, more = steps(b, v, b.r.randint(0, 2))
            about += f" {more}"
        if b.r.random() < 0.5:
            v = keeping.restore(b, v)
        outputs = [v if b.nodes else b.op("Identity", v)]
    if b.r.random() < 0.1:
        outputs.append(of_sizes(b))
    return Case(seed, b.model(outputs), b.high, about)


def of_sizes(b: Builder) -> Value:
    """A tensor made of sizes and weights alone."""
    symbol = b.r.choice([*b.found])
    way = b.r.choice(["size", "indices", "zeros", "mask"])
    if way == "size":
        return b.size(symbol)
    if way == "zeros":
        return b.op("ConstantOfShape", b.shape(((symbol,), (4,))), dims=((symbol,), (4,)), kind="f")
    indices = b.range((symbol,))
    if way == "indices":
        return indices
    column = b.unsqueeze(indices, 1)
    return b.op("LessOrEqual", column, indices, dims=((symbol,), (symbol,)), kind="b")


def start(b: Builder) -> Value:
    """One input or two, the batch on axis 0 or, seldom, 1."""
    shape = b.r.choice([(8,), (4, 6), ("seq", 6), ("seq", 8), (4, "h", "w"), ("seq", 2, 4), (6, "h"), ("h", "seq"), ()])
    at = 1 if shape and b.r.random() < 0.15 else 0
    dims = (*shape[:at], BATCH, *shape[at:])
    x = b.input("x", dims)
    if b.r.random() < 0.3:
        other = b.input("y", dims)
        x = b.op(b.r.choice(["Add", "Mul", "Sub"]), x, other)
    return x


def steps(b: Builder, v: Value, count: int) -> tuple[Value, str]:
    """Some steps that keep samples apart."""
    said = []
    for _ in range(count):
        step = b.r.choice(keeping.STEPS)
        made = step(b, v) if v.rank else None
        if made is not None and made.rank:
            v = made
            said.append(step.__name__)
    return v, " ".join(said)


def mixed(b: Builder, v: Value) -> tuple[Value, str]:
    """One step that mixes them."""
    axis = v.axis()
    while axis is not None:
        step = b.r.choice(mixing.STEPS)
        made = step(b, v, axis)
        if made is not None:
            return made, step.__name__
    return v, "nothing"
