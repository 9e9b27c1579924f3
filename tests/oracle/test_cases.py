"""Conditions over sizes that decide ranks, as exporters write them, held against running them at every size.

A random graph squeezes, reshapes or turns its inputs where a condition over sizes holds, and uses what comes of it
where only some of the ranks fit. Run with `--full` for ten times as many, with `--seed` for others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import onnx
import onnx.parser

import shapesmt
from shapesmt.prover.algebra import Verdict
from tests.oracle.compare import Truth, disagreements
from tests.oracle.runner import Execution, NoBlame, assignments

SHAPES = ["a, n, b", "n, a", "1, n", "a, 1, n", "n, n, b", "a, n, 1, b", "n", "b, a, n"]
ONE = "Constant<value_ints=[1]>()"


class _Body:
    """The nodes of a graph, and of each tensor the greatest rank that it can have."""

    def __init__(self, r: Random) -> None:
        self.r, self.lines, self.count = r, list[str](), 0
        self.shapes = r.sample(SHAPES, 2)
        self.tensors = {f"x{i}": shape.count(",") + 1 for i, shape in enumerate(self.shapes)}
        self.letters = sorted({c for shape in self.shapes for c in shape if c.isalpha()})
        self.sizes = [self._size(f"x{i}", axis) for i, s in enumerate(self.shapes) for axis in range(s.count(",") + 1)]

    def node(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"v{self.count} = {text}")
        return f"v{self.count}"

    def number(self, value: int) -> str:
        return self.node(f"Constant<value_int={value}>()")

    def numbers(self, *values: int) -> str:
        return self.node(f"Constant<value_ints={list(values)}>()")

    def _size(self, x: str, axis: int) -> str:
        return self.node(f"Gather({self.node(f'Shape({x})')}, {self.number(axis)})")

    def condition(self) -> str:
        r = self.r
        d, other = r.choice(self.sizes), r.choice(self.sizes)
        kinds = [f"Equal({d}, {self.number(1)})", f"Less({d}, {self.number(r.randint(2, 3))})", f"Equal({d}, {other})"]
        kinds += [f"Equal({self.node(f'Mod({d}, {self.number(2)})')}, {self.number(0)})", f"Less({d}, {other})"]
        found = self.node(r.choice([kinds[0], *kinds]))
        if r.random() < 0.2:
            found = self.node(f"{r.choice(['And', 'Or'])}({found}, {self.node(r.choice(kinds))})")
        return self.node(f"Not({found})") if r.random() < 0.2 else found

    def chosen(self, one: int, other: int) -> str:
        """A list of one number that a condition chooses."""
        return self.node(f"Where({self.condition()}, {self.numbers(one)}, {self.numbers(other)})")

    def branch(self, x: str, rank: int) -> tuple[str, int]:
        """A body of a branch over a tensor, and the greatest rank of what it makes."""
        r, axis = self.r, self.r.randrange(max(rank, 1))
        self.count += 2
        c, y = f"w{self.count}", f"w{self.count + 1}"
        kinds = [(f"{c} = Constant<value_ints=[{axis}]>() {y} = Squeeze({x}, {c})", rank)] * 2
        kinds += [(f"{y} = Squeeze({x})", rank), (f"{y} = Flatten({x})", 2)]
        kinds += [(f"{c} = Constant<value_ints=[-1]>() {y} = Reshape({x}, {c})", 1), (f"{y} = Identity({x})", rank)]
        kinds += [(f"{c} = Constant<value_ints=[0]>() {y} = Unsqueeze({x}, {c})", rank + 1)]
        text, most = r.choice(kinds)
        return f"() => ({y}) {{ {text} }}", most

    def divided(self, x: str) -> tuple[str, int]:
        """A tensor whose rank a condition decides."""
        r, rank = self.r, self.tensors[x]
        kind = r.choice(["squeeze", "if", "traced", "traced", "axes"])
        if kind == "squeeze":
            return f"Squeeze({x})", rank
        if kind == "axes":
            chosen = self.chosen(0, -1)
            return r.choice([(f"Unsqueeze({x}, {chosen})", rank + 1), (f"Squeeze({x}, {chosen})", rank)])
        then, most = self.branch(x, rank)
        other, least = self.branch(x, rank)
        if kind == "traced":
            self.count += 2
            axis, y = r.randrange(rank), f"w{self.count}"
            d = self._size(x, axis)
            condition = self.node(f"Equal({d}, {self.number(1)})")
            text = f"w{self.count}c = Constant<value_ints=[{axis}]>() {y} = Squeeze({x}, w{self.count}c)"
            then, other = f"() => ({y}) {{ {text} }}", f"() => ({y}e) {{ {y}e = Identity({x}) }}"
            most, least = rank, rank
        else:
            condition = self.condition()
        return f"If({condition})<then_branch = t {then}, else_branch = e {other}>", max(most, least)

    def used(self, x: str) -> tuple[str, int]:
        """What reads a tensor, and runs for some ranks only."""
        r, rank = self.r, self.tensors[x]
        w = r.choice([*self.tensors])
        axis = r.randint(-2, 1)
        both = max(rank, self.tensors[w])
        kinds = [(f"Transpose<perm={r.choice([[1, 0], [0, 2, 1], [0]])}>({x})", rank), (f"Add({x}, {w})", both)]
        kinds += [(f"Concat<axis={axis}>({x}, {w})", rank), (f"MatMul({x}, {w})", both), (f"Flatten({x})", 2)]
        kinds += [(f"Softmax<axis={axis}>({x})", rank), (f"Gather<axis={axis}>({x}, {self.number(0)})", rank)]
        kinds += [(f"Reshape({x}, {self.numbers(*r.choice([[-1], [0, -1], [2, -1], [0, 0, -1]]))})", 3)]
        shape, other, zero = self.node(f"Shape({x})"), self.node(f"Shape({w})"), self.numbers(0)
        cut = self.node(f"Slice({shape}, {zero}, {self.chosen(1, r.randint(2, 3))})")
        count = self.node(f"Unsqueeze({r.choice(self.sizes)}, {zero})")
        twos = self.node(f"ConstantOfShape<value = int64[1] {{2}}>({count})")
        kinds += [(f"ConstantOfShape({cut})", 3), (f"ConstantOfShape({twos})", 4), (f"Reshape({x}, {cut})", 3)]
        kinds += [(f"Reshape({x}, {other})", rank), (f"Expand({x}, {other})", both), (f"Mul({x}, {x})", rank)]
        kinds += [(f"ReduceSum<keepdims=0>({x}, {self.numbers(axis)})", rank), (f"Unsqueeze({x}, {zero})", rank)]
        return r.choice(kinds)


def posed(seed: int) -> tuple[str, dict[str, tuple[int, int]]]:
    """A graph in ONNX's text format, and the ranges of its sizes."""
    r = Random(f"cases {seed}")
    b = _Body(r)
    for step in range(r.randint(2, 5)):
        x = r.choice([*b.tensors][-3:])
        made, rank = b.divided(x) if step == 0 or r.random() < 0.3 else b.used(x)
        b.tensors[b.node(made)] = min(rank, 5)
    inputs = ", ".join(f"float[{shape}] x{i}" for i, shape in enumerate(b.shapes))
    last = [*b.tensors][-1]
    text = f'<ir_version: 8, opset_import: ["": 18]> g ({inputs}) => ({last}) {{ {" ".join(b.lines)} }}'
    ranges = {c: r.choice([(1, 4), (1, 3), (1, 2), (2, 4), (1, 1)]) for c in b.letters}
    return text, ranges


def wrong_in(seed: int, counts: Counter[str]) -> list[str]:
    """What is wrong in the answers about the graph of this seed."""
    text, dims = posed(seed)
    model = onnx.parser.parse_model(text)
    execution = Execution(model)
    try:
        admissible = assignments({name: range(lo, hi + 1) for name, (lo, hi) in dims.items()})
        runs = [(sizes, execution.run(sizes)) for sizes in admissible]
    except NoBlame:
        counts["no blame"] += 1
        return []
    wrong = disagreements(Truth(execution.model, runs), counts, dims)
    return [f"{seed}: {text}" for text in (*wrong, *_other_answers(execution.model, dims, counts))]


def _other_answers(model: onnx.ModelProto, dims: dict[str, tuple[int, int]], counts: Counter[str]) -> Iterator[str]:
    """What the complete system, the remedy and the explanation say beside the report."""
    report = shapesmt.check(model, dims=dims, certify=True)  # raises where the complete system contradicts it
    counts[f"certificate {report.certificate}"] += 1
    if report.remedy is not None:
        counts["remedy"] += 1
        mended = shapesmt.check(model, dims={**dims, **report.remedy.dims}, assume=report.remedy.assume)
        if mended.verdict is not Verdict.PROVED:
            yield f"{mended.verdict} with {report.remedy}"
        for w in (w for w in mended.warnings if w.code in ("SM901", "SM910")):
            yield f"{w.text} with {report.remedy}"
    counts["DEPENDS without remedy"] += report.verdict is Verdict.DEPENDS and report.remedy is None
    explained = shapesmt.explain(model, dims=dims)
    if explained.verdict is not report.verdict:
        yield f"{explained.verdict} when explained"
    shapesmt.page(model, dims=dims)


def test_random_conditions_over_ranks(seeds: range) -> None:
    counts: Counter[str] = Counter()
    assert [wrong for seed in seeds for wrong in wrong_in(seed, counts)] == []
    assert 10 * counts["UNKNOWN"] <= len(seeds)
    assert 10 * counts["region inexact"] <= counts["region"]
    assert counts["no blame"] * 20 <= len(seeds)
