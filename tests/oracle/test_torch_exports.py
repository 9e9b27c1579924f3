"""Modules exported and saved by PyTorch, each checked as an archive and run at every size of a small range."""

from __future__ import annotations

import io
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from tests.oracle.runner import value

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
Tensor = Any
AUTO = torch.export.Dim.AUTO


class Branches(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, lambda a, b: a + b, lambda a, b: a - b, (x, y))


class While(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        def body(i: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
            return i + 1, a + y.sum(0)

        _, last = torch._higher_order_ops.while_loop(lambda i, _: i < 3, body, (torch.tensor(0), x))
        return last + y


class Mapped(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return torch._higher_order_ops.map(lambda row, other: row + other, x, y)


class Scanned(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return torch._higher_order_ops.scan(lambda carry, row: (carry + row, carry.sum()), x[0].clone(), y, dim=0)


class Nested(torch.nn.Module):
    def forward(self, d: dict[str, Any], *, other: Tensor) -> dict[str, Any]:
        return {"sum": d["m"]["a"] + other, "list": [d["l"][0] * 2]}


class Counting(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        self.total.add_(x.sum(0))
        with torch.no_grad():
            joint = x + y
        return joint + self.total


class Chosen(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x.flatten()[y.flatten() > 0]


Call = tuple[tuple[Any, ...], dict[str, Any]]


def two(n: int, m: int) -> Call:
    return (torch.ones(n, 3), torch.ones(m, 3)), {}


def rows(n: int, m: int) -> Call:
    return (torch.ones(4, n), torch.ones(m)), {}


def carried(n: int, m: int) -> Call:
    return (torch.ones(2, n), torch.ones(4, m)), {}


def nested(n: int, m: int) -> Call:
    return ({"m": {"a": torch.ones(n, 3)}, "l": [torch.ones(m, 2)]},), {"other": torch.ones(m, 3)}


def dynamic(value: Any) -> Any:
    """All sizes that aren't 3 may vary, in the shape of the arguments."""
    if isinstance(value, dict):
        return {key: dynamic(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(dynamic(item) for item in value)
    return {axis: AUTO for axis, size in enumerate(value.shape) if size != 3}


CASES = [
    (Branches, two), (While, two), (Mapped, rows), (Scanned, carried), (Nested, nested), (Counting, two), (Chosen, two),
]  # fmt: skip


def exported(module: type[Any], call: Callable[[int, int], Call]) -> Any:
    args, kwargs = call(5, 5)
    shapes = {**{name: dynamic(a) for name, a in zip(("x", "y") if kwargs == {} else ("d",), args, strict=True)}}
    return torch.export.export(module().eval(), args, kwargs, dynamic_shapes=shapes | dynamic(kwargs), strict=False)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, (list, tuple)) else [value]


def outcome(module: Any, call: Call) -> bool:
    try:
        module(*call[0], **call[1])
    except Exception:  # whatever PyTorch raises
        return False
    return True


@pytest.mark.parametrize(("module", "call"), CASES, ids=[module.__name__ for module, _ in CASES])
def test_an_archive_is_judged_as_it_runs(module: type[Any], call: Callable[[int, int], Call]) -> None:
    program, file = exported(module, call), io.BytesIO()
    torch.export.save(program, file)
    names = list(shapesmt.inspect(file.getvalue()).inputs)
    args, kwargs = call(5, 7)
    texts = {5: "n", 7: "m"}
    shapes = {
        name: f"[{','.join(texts.get(size, str(size)) for size in leaf.shape)}]"
        for name, leaf in zip(names, leaves([args, kwargs]), strict=True)
    }
    asked: dict[str, Any] = {"shapes": shapes, "dims": {"n": "1..6", "m": "1..6"}}
    checked = shapesmt.check(file.getvalue(), **asked)
    alone = shapesmt.check(file.getvalue(), **asked, guards="ignore")
    assert checked.precondition is not None
    assert checked.precondition.exact, [finding.law for finding in checked.findings]
    for n, m in product(range(1, 7), repeat=2):
        claimed = all(value(text, {"n": n, "m": m}) for text in checked.precondition.text)
        assert claimed == outcome(program.module(), call(n, m)), (n, m, checked.precondition.text)
    assert alone.verdict in (Verdict.PROVED, Verdict.DEPENDS)


def test_programs_of_one_archive_have_names() -> None:
    from torch.export.pt2_archive._package import package_pt2

    file = io.BytesIO()
    package_pt2(file, exported_programs={"first": exported(Branches, two), "second": exported(Chosen, two)})
    with pytest.raises(shapesmt.UsageError, match="has 2 programs; name one of first, second"):
        shapesmt.check(file.getvalue())
