"""Where OpenVINO 2026.4 rejects what runs, accepts what doesn't or gives loose intervals, the truth is found."""

from __future__ import annotations

import itertools

import numpy as np
import onnx
import onnxruntime
import pytest

import shapesmt
from shapesmt import PartialShape, Verdict
from tests.support.rows import row

SIZE = "s = Shape(x)"
MAKE = "z = ConstantOfShape(p)"
WAV2VEC2 = [(10, 5), (3, 2), (3, 2), (3, 2), (3, 2), (2, 2), (2, 2)]  # kernels and strides of its feature extractor


def number(name: str, *values: int) -> str:
    return f"{name} = Constant<value_ints=[{', '.join(map(str, values))}]>()"


def layers() -> str:
    """Convolutions one after the other; each has its own weights of one channel."""
    lines = []
    for i, (kernel, stride) in enumerate(WAV2VEC2):
        before, after = f"h{i}" if i else "x", f"h{i + 1}" if i + 1 < len(WAV2VEC2) else "z"
        lines += [number(f"k{i}", 1, 1, kernel), f"w{i} = ConstantOfShape(k{i})"]
        lines.append(f"{after} = Conv<strides=[{stride}]>({before}, w{i})")
    return "  ".join(lines)


# The input, the nodes, the ranges, and the truth: the output's hull and where the nodes run
CASES = {
    "n - n + 5": ("x[n]", [SIZE, number("c", 5), "d = Sub(s, s)", "p = Add(d, c)", MAKE], {"n": (1, 9)}, "[5]", ""),
    "2*n - n": ("x[n]", [SIZE, "t = Add(s, s)", "p = Sub(t, s)", MAKE], {"n": (1, 9)}, "[1..9]", ""),
    "(n - 3)**2": ("x[n]", [SIZE, number("c", 3), "d = Sub(s, c)", "p = Mul(d, d)", MAKE], {"n": (1, 9)}, "[..36]", ""),
    "n % 3": ("x[n]", [SIZE, number("c", 3), "p = Mod(s, c)", MAKE], {"n": (4, 7)}, "[..2]", ""),
    "abs(n - 4)": ("x[n]", [SIZE, number("c", 4), "d = Sub(s, c)", "p = Abs(d)", MAKE], {"n": (1, 9)}, "[..5]", ""),
    "[97, -1] of 12..96 elements": ("x[n]", [number("p", 97, -1), "z = Reshape(x, p)"], {"n": (12, 96)}, None, "False"),
    "[5, -1] of 12..96 elements": (
        "x[n]",
        [number("p", 5, -1), "z = Reshape(x, p)"],
        {"n": (12, 96)},
        "[5,3..19]",
        "n % 5 == 0",
    ),
    "heads": (
        "x[b, s, 48]",
        [number("p", 0, 0, 12, 5), "z = Reshape(x, p)"],
        {"b": (1, 4), "s": (1, 9)},
        None,
        "False",
    ),
    "reflect padding": (
        "x[n]",
        [number("p", 3, 3), 'z = Pad<mode="reflect">(x, p)'],
        {"n": (1, 8)},
        "[10..14]",
        "n >= 4",
    ),
    "TopK": ("x[n]", [number("k", 5), "z, y = TopK(x, k)"], {"n": (1, 8)}, "[5]", "n >= 5"),
    "disjoint K": (
        "x[n, k]",
        [number("q", 2, 6), "w = ConstantOfShape(q)", "z = MatMul(x, w)"],
        {"n": (2, 5), "k": (3, 4)},
        None,
        "False",
    ),
    "SAME pooling": (
        "x[b, 3, h, w]",
        ['z = MaxPool<kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER">(x)'],
        {"b": (1, 2), "h": (16, 21), "w": (11, 15)},
        "[1..2,3,8..11,6..8]",
        "",
    ),
    "wav2vec2": ("x[1, 1, n]", [layers()], {"n": (400, 1600)}, "[1,1,1..4]", ""),
}


@pytest.mark.parametrize("name", CASES)
@row(
    A20="bounds of tensors are exact where interval arithmetic is loose",
    A39="elements that nodes compute from shapes decide further shapes",
)
def test_the_truth_is_found(name):
    given, nodes, ranges, hull, region = CASES[name]
    text = f'<ir_version: 8, opset_import: ["": 18]> g (float{given[1:]} x) => (float[] z) {{ {"  ".join(nodes)} }}'
    found, report = shapesmt.bounds(text.encode(), dims=ranges), shapesmt.check(text.encode(), dims=ranges)
    assert report.precondition.exact
    assert " and ".join(report.precondition.text) == region
    expected = Verdict.PROVED if not region else Verdict.FAILS if hull is None else Verdict.DEPENDS
    assert report.verdict is expected
    assert found.valid == (hull is not None)
    ran = runs(text, ranges)
    if hull is not None:
        assert found["z"] == PartialShape(hull)
        assert found.tensors["z"].exact
        assert PartialShape([(min(sizes), max(sizes)) for sizes in zip(*ran, strict=True)]) == found["z"]
    else:
        assert not ran


def runs(text: str, ranges: dict[str, tuple[int, int]]) -> list[tuple[int, ...]]:
    """The shape of `z` for every input in the ranges that ONNX Runtime runs."""
    model = onnx.parser.parse_model(text)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception:
        return []
    dims = [d.dim_param or d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    found = []
    for values in itertools.product(*(range(lo, hi + 1) for lo, hi in ranges.values())):
        sizes = dict(zip(ranges, values, strict=True))
        try:
            found.append(session.run(["z"], {"x": np.zeros([sizes.get(d, d) for d in dims], np.float32)})[0].shape)
        except Exception:
            continue
    return found
