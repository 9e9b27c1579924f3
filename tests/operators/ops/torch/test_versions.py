"""Where versions of PyTorch differ: the rules follow the one that wrote the program."""

from __future__ import annotations

import pytest

import shapesmt
from shapesmt.base.errors import ShapesmtError
from shapesmt.frontends.torch.program import release
from shapesmt.operators.rules import resolve

VERSIONS = (213, 214, 215, 1)  # 1: unknown
GROUPS = {"@input": 0, "num_groups": 2}


@pytest.mark.parametrize(
    ("op", "shape", "attributes", "runs"),
    [
        ("group_norm.default", "[1,2,0]", GROUPS, (True, False, False, None)),
        ("group_norm.default", "[0,2,3]", GROUPS, (True, True, True, True)),
        ("fft_rfft.default", "[0,5]", {"@self": 0, "dim": 1}, (False, False, True, None)),
        ("fft_rfft.default", "[5,0]", {"@self": 0, "dim": 1}, (False, False, False, False)),
        ("_fft_r2c.default", "[0,5]", {"@self": 0, "dim": (0, 1), "normalization": 0, "onesided": 1}, (0, 0, 1, None)),
        ("_fft_r2c.default", "[5,0]", {"@self": 0, "dim": (0, 1), "normalization": 0, "onesided": 1}, (0, 0, 0, 0)),
        ("_fft_c2c.default", "[5,0]", {"@self": 0, "dim": (1,), "normalization": 0, "forward": 1}, (0, 0, 1, None)),
        ("stft.default", "[0,80]", {"@self": 0, "n_fft": 8, "return_complex": 1}, (False, False, True, None)),
        ("stft.default", "[80]", {"@self": 0, "n_fft": 8, "return_complex": 1}, (True, True, True, True)),
    ],
)
def test_what_runs(op: str, shape: str, attributes: dict, runs: tuple) -> None:
    rule = resolve("torch", f"aten.{op}", 1)
    found = []
    for version in VERSIONS:
        ctx = shapesmt.InferenceContext.of(
            f"aten.{op}", [shape], attributes=attributes, dtypes=["float32"], version=version
        )
        try:
            found.append(None if ctx.apply(rule.apply).unjudged else True)
        except ShapesmtError:
            found.append(False)
    assert found == [None if one is None else bool(one) for one in runs]


def test_the_installed_version_agrees() -> None:
    torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    for old, call in (
        (release(torch.__version__) >= 214, lambda: torch.nn.functional.group_norm(torch.zeros(1, 2, 0), 2)),
        (release(torch.__version__) < 215, lambda: torch.fft.rfft(torch.zeros(0, 5), dim=1)),
    ):
        if old:
            with pytest.raises(RuntimeError):
                call()
        else:
            call()
