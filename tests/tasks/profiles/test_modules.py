"""Proposals for modules are what PyTorch accepts, and run for all sizes inside."""

from __future__ import annotations

from typing import Any

import pytest

import shapesmt

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")


class Halved(torch.nn.Module):
    """Two strided convolutions, and one that brings the size back."""

    def __init__(self) -> None:
        super().__init__()
        self.down = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3, 2, 1), torch.nn.Conv2d(2, 2, 3, 2, 1))
        self.up = torch.nn.ConvTranspose2d(2, 1, 4, 4)

    def forward(self, image):
        return image + self.up(self.down(image))


class Sequence(torch.nn.Module):
    """An LSTM, whose length the trace fixes, beside a mask in a dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = torch.nn.LSTM(3, 4, batch_first=True)

    def forward(self, x, more):
        return self.lstm(x)[0] * more["mask"][0]


class Products(torch.nn.Module):
    """Sizes whose product is fixed."""

    def forward(self, x):
        return x.reshape(-1, 48) * torch.ones(2, 48)


def proposed(module: torch.nn.Module, *args: Any, **options: Any) -> shapesmt.reports.answers.DynamicShapes:
    return shapesmt.dynamic_shapes(module.eval(), args=args, **options)


def shapes_of(text: str) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    return names["dynamic_shapes"]


def runs(program: Any, *args: Any) -> bool:
    try:
        program.module()(*args)
    except Exception:
        return False
    return True


def test_multiples_of_a_dim() -> None:
    image = torch.ones(2, 1, 16, 16)
    found = proposed(Halved(), image, shapes={"image": "[n,1,h,w]"}, dims={"h": "1..40"})
    assert found.verified
    assert found.exit_status == 0
    assert "{0: n, 2: 4*_h, 3: 4*_w}" in found.content
    program = torch.export.export(Halved().eval(), (image,), dynamic_shapes=shapes_of(found.content), strict=False)
    inside = found.admitted["h"]
    assert (inside.max, inside.step) == (40, 4)
    for size in range(inside.min, 41, 4):
        assert runs(program, torch.ones(1, 1, size, 24))


def test_sizes_that_the_trace_fixes_are_told() -> None:
    args = torch.ones(2, 7, 3), {"mask": [torch.ones(2, 7, 4)]}
    found = proposed(Sequence(), *args)
    assert found.verified
    assert '"more": {"mask": [{0: x_dim0}]}' in found.content
    assert [(axis.input, axis.axis, axis.size) for axis in found.static if axis.input == "x"] == [("x", 1, 7)]
    assert "warning: x axis 1 is 7 in the program: no node needs it, only the trace" in str(found)


class Baked(torch.nn.Module):
    """A batch that is written into a view, and weights of a width."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(6, 3)

    def forward(self, x):
        return self.linear(x).view(4, -1)


def test_the_node_that_needs_a_number_is_told() -> None:
    found = proposed(Baked(), torch.ones(4, 5, 6))
    notes = {(axis.axis, axis.node) for axis in found.static}
    assert notes == {(0, ""), (2, "linear")}  # eight rows of an even number of elements fit into four as well
    assert "note: x axis 2 is 6 in the program: linear needs it, test_modules.py:" in str(found)


def test_what_no_range_says_is_left_out() -> None:
    x = torch.ones(8, 12)
    found = proposed(Products(), x)
    if found.content:
        program = torch.export.export(Products(), (x,), dynamic_shapes=shapes_of(found.content), strict=False)
        assert runs(program, x)


class Many(torch.nn.Module):
    def forward(self, *parts, scale=None):
        return parts[0] + parts[1] * (1 if scale is None else scale)


def test_any_number_of_arguments() -> None:
    found = proposed(Many(), torch.ones(3, 4), torch.ones(3, 4))
    assert '"parts": ({0: ' in found.content
    assert found.verified


class Area(torch.nn.Module):
    """The ten greatest of all elements."""

    def forward(self, x):
        return x.flatten().topk(10).values


def test_a_relation_that_no_dim_says_leaves_a_box_in_which_it_holds() -> None:
    found = proposed(Area(), torch.ones(8, 6), shapes={"x": "[h,w]"}, dims={"h": "1..20", "w": "1..20"})
    assert found.verified
    program = torch.export.export(Area(), (torch.ones(8, 6),), dynamic_shapes=shapes_of(found.content), strict=False)
    sizes = [range(found.admitted[name].min, found.admitted[name].max + 1) for name in "hw"]
    assert not found.assume
    assert all(runs(program, torch.ones(h, w)) for h in sizes[0] for w in sizes[1])


def test_a_number_that_has_to_fit_a_size_is_a_relation_of_the_comment() -> None:
    class Taken(torch.nn.Module):
        def forward(self, x, k):
            i = k.item()
            torch._check(i >= 1)
            torch._check(i <= x.shape[0])
            return x[:i]

    found = proposed(Taken(), torch.ones(9), torch.tensor(3))
    assert found.verified
    assert "# this export accepts exactly when k >= 1 and k <= x_dim0\n" in found.content
    assert shapes_of(found.content)["k"] is None
    assert "{0: x_dim0}" in found.content


@pytest.mark.parametrize(
    ("forward", "comment"),
    [
        (
            lambda x, m: x[m.nonzero().squeeze(1)],
            "whatever the data, this export accepts exactly when x_dim0 >= m_dim0",
        ),
        (
            lambda x, m: first(x, (m > 0).sum().item(), 0),
            "whatever the data, this export accepts when x_dim0 >= m_dim0",
        ),
        (lambda x, m: first(x, (m > 0).sum().item(), 2), "fails for data that break `sum_1.count` >= 2"),
    ],
)
def test_data_that_break_a_proposal_are_told(forward: Any, comment: str) -> None:
    class Data(torch.nn.Module):
        def forward(self, x, m):
            return forward(x, m)

    found = proposed(Data(), torch.ones(9), torch.ones(7))
    assert found.verified
    assert f"# {comment}\n" in found.content
    assert "every size" not in found.content or "fails for data" in found.content
    assert found.exit_status == (3 if "fails" in comment else 0)


def first(x: Any, count: Any, least: int) -> Any:
    torch._check(count >= least)
    if least == 0:
        torch._check(count <= x.shape[0])
        return x[:count]
    return torch.ones(count)


def test_what_nodes_need_and_what_guards_refuse_stand_apart() -> None:
    class Rows(torch.nn.Module):
        def forward(self, x, y):
            rows = x.view(5, -1)
            return [rows[i] - y for i in range(5)]

    content = proposed(Rows(), torch.ones(20), torch.ones(4)).content
    accepted, nodes = [row for row in content.splitlines() if row.startswith("#")]
    assert nodes.startswith("# every node runs exactly when x_dim0 % 5 == 0 and (y_dim0 == 1 or ")
    assert accepted.startswith("# this export accepts exactly when x_dim0 >= 10 and x_dim0 % 5 == 0 and ")


def test_a_program_of_which_no_size_varies_accepts_the_example_only() -> None:
    class Fixed(torch.nn.Module):
        def forward(self, x):
            return x * 2 if x.size(0) == 5 else x + 1

    found = proposed(Fixed(), torch.ones(5))
    assert "# this export accepts only the example's sizes\n" in found.content
    assert [axis.words for axis in found.static] == ["x axis 0 is 5 in the program: no node needs it, only the trace"]


def test_a_number_that_nodes_broadcast_or_a_loop_needs_is_not_only_the_traces() -> None:
    class Weighted(torch.nn.Module):
        def forward(self, x, w):
            return torch.einsum("bi,io->bo", x, w.new_ones(3, 5))

    class Looped(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(4, 4)

        def forward(self, x, k):
            loop = torch._higher_order_ops.while_loop
            return loop(lambda i, _: i < k, lambda i, x: (i + 1, self.linear(x)), (torch.tensor(0), x))

    [weighted, *_] = [a for a in proposed(Weighted(), torch.ones(7, 3), torch.ones(2)).static if a.input == "x"]
    assert "einsum needs 3 (or 1), test_modules.py" in weighted.words
    [looped] = proposed(Looped(), torch.ones(10, 4), torch.tensor(3)).static
    assert "x axis 1 is 4 in the program: while_loop needs it, test_modules.py" in looped.words


def test_a_size_of_1_in_the_example_is_said_to_be_the_examples() -> None:
    class Kept(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("cache", torch.zeros(10))

        def forward(self, x):
            self.cache[0 : x.shape[0]] = x
            return x

    [axis] = proposed(Kept(), torch.ones(1)).static
    assert axis.words.endswith("; PyTorch makes every 0 and 1 of the example a number")


@pytest.mark.parametrize("size", [33, 44])
def test_sizes_between_the_multiples_of_a_dim_are_no_dim_whatever_the_example(size: int) -> None:
    class Padded(torch.nn.Module):
        def forward(self, x):
            if x.shape[1] % 8:
                x = torch.nn.functional.pad(x, (0, -x.shape[1] % 8))
            return x.reshape(x.shape[0], -1, 8)

    found = proposed(Padded(), torch.ones(2, size))
    assert found.verified
    assert '"x": {0: x_dim0, 1: Dim.DYNAMIC(min=9)},' in found.content


@torch.library.custom_op("shapesmt_tests::pairs", mutates_args=())
def pairs(x: torch.Tensor) -> torch.Tensor:
    return x.reshape(x.shape[0] // 2, 2, -1).sum(1)


@pairs.register_fake
def _(x):
    return x.new_empty(x.shape[0] // 2, x.shape[1])


def test_an_operator_without_a_rule_has_the_shapes_that_pytorch_traced() -> None:
    class Paired(torch.nn.Module):
        def forward(self, x, y):
            return torch.ops.shapesmt_tests.pairs(x).relu() + y

    args = torch.ones(12, 4), torch.ones(6, 4)
    found = proposed(Paired(), *args)
    assert (found.verdict, found.exit_status) == ("UNKNOWN", 3)
    assert "# as far as is known: this export accepts exactly when " in found.content
    assert "y_dim0 == x_dim0//2" in found.content
    assert "# takes the shapes that PyTorch traced for " in found.content
    report = shapesmt.check(Paired(), args=args)
    assert '@shapesmt.rule("shapesmt_tests.pairs.default", domain="torch")' in str(report)
    assert "--declared trust" in str(report)
