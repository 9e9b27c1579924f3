"""Programs whose branches, loops and changes in place have to do with tensors that aren't row after row."""

from __future__ import annotations

from typing import Any

import torch
from torch._higher_order_ops import scan, while_loop
from torch._higher_order_ops.map import map as mapped

from tests.oracle.torch.programs import Program

T = torch.Tensor


def matrix(a: int, b: int) -> tuple[T, ...]:
    return (torch.rand(a, b),)


def program(body: Any, a: tuple[int, int, int] = (1, 4, 3), b: tuple[int, int, int] = (1, 4, 4)) -> Program:
    return Program(body, matrix, {"a": a, "b": b})


def transposed_in_both_branches(x: T) -> T:
    y = torch.cond(x.sum() > 2, lambda x: x.transpose(0, 1) * 2, lambda x: x.transpose(0, 1) + 1, (x,))
    return y.view(y.shape[0], 1, y.shape[1])


def carried_transposed(x: T) -> T:
    start = (torch.tensor(0), x.transpose(0, 1))
    _, y = while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t + 1), start)
    return y.view(y.shape[0], 1, -1)


def products_carried(x: T) -> T:
    _, y = while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t @ t), (torch.tensor(0), x.transpose(0, 1) @ x))
    return y.view(-1)


def mapped_to_rows(x: T) -> T:
    return mapped(lambda row: row.t() + 1, torch.stack([x, x, x])).view(-1)


def scanned_to_rows(x: T) -> tuple[T, T]:
    cube = torch.stack([x, x, x])
    state, rows = scan(lambda c, r: ((c.t() + r.t()).t() + 1, (c * r).t() + 1), cube[0].clone(), cube)
    return rows.view(-1), state.view(-1)


def slices_seen_as_rows(x: T) -> tuple[T, T]:
    """The trace of a scan sees copies of slices, a run sees them where they are: it fails."""
    cube = torch.stack([x, x, x]).permute(1, 2, 0)
    state, rows = scan(lambda c, r: (c + 1, r.view(-1) + 1), x.clone(), cube)
    return rows, state


def sizes_choose_a_branch_that_fails(x: T) -> T:
    return torch.cond(x.shape[0] > 1, lambda x: x[2] + 1, lambda x: x[0] * 2, (x,))


def branches_in_branches(x: T) -> T:
    def positive(x: T) -> T:
        return torch.cond(x.mean() > 0.5, lambda x: x.t() + 1, lambda x: x.t() * 2, (x,))

    y = torch.cond(x.sum() > 0, positive, lambda x: x.t() - 1, (x,))
    return y.view(x.shape[1], x.shape[0], 1)


def branches_that_read_a_size(x: T) -> T:
    half = x.shape[0] // 2
    return torch.cond(x.sum() > 0, lambda x: x[:half] + 1, lambda x: x[half : 2 * half] * 2, (x,))


def branches_of_several_results(x: T) -> tuple[T, T]:
    a, b = torch.cond(x.sum() > 0, lambda x: (x.t() + 1, x.sum(0)), lambda x: (x.t() * 1, x[0] + 0), (x,))
    return a.view(a.shape[0], -1, 1), b.view(1, -1)


def branches_in_a_loop(x: T) -> T:
    def trip(i: T, y: T) -> tuple[T, T]:
        return i + 1, torch.cond(y.sum() > 0, lambda y: y + 1, lambda y: y * 2, (y,))

    _, y = while_loop(lambda i, _: i < 3, trip, (torch.tensor(0), x.t().clone()))
    return y.reshape(-1)


def as_many_trips_as_rows(x: T) -> tuple[T, T]:
    start = (torch.tensor(0), x[:1].clone())
    i, y = while_loop(lambda i, _: i < x.shape[0], lambda i, y: (i + 1, y + x[0]), start)
    return y.view(-1), i


def mapped_products(x: T) -> T:
    return mapped(lambda r, w: r @ w, torch.stack([x, x]), x.t()).view(2, -1)


def mapped_to_stretched(x: T) -> tuple[T, T]:
    y = mapped(lambda row: row.expand(2, -1) + 1, x)
    return y.view(x.shape[0], -1), y.transpose(0, 1).reshape(2, -1)


def scanned_columns(x: T) -> tuple[T, T]:
    state, columns = scan(lambda c, r: (c + r, c * r), torch.zeros(x.shape[0]), x, dim=1)
    return state.view(1, -1), columns


def a_number_carried(x: T) -> T:
    """Which PyTorch's archives can't have."""
    _, y = while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y + i), (0, x.clone()))
    return y.view(-1)


def turned_in_place(x: T) -> tuple[T, T]:
    y = x + 1
    y.transpose_(0, 1)
    row = y.unsqueeze(0)
    row.mul_(2)
    return y.reshape(-1), row


def seen_before_it_is_turned(x: T) -> tuple[T, T]:
    y = x + 1
    row, same = y.view(-1), y.detach()
    y.t_()
    row.add_(1)
    return y + same.t(), row


def dropped_and_turned(x: T) -> tuple[T, T]:
    y = x + 1
    z = torch.dropout(y, 0.5, False)
    z.unsqueeze_(0)
    return y.shape[0] + z, y


def copied_to_columns(x: T) -> T:
    y = torch.zeros(x.shape[1], x.shape[0])
    y.t().copy_(x)
    y[:, 0] += 2
    return y.view(-1)


FLOWS = [
    program(transposed_in_both_branches),
    program(carried_transposed),
    program(products_carried),
    program(mapped_to_rows),
    program(scanned_to_rows),
    program(slices_seen_as_rows, b=(1, 4, 5)),
    program(sizes_choose_a_branch_that_fails),
    program(branches_in_branches),
    program(branches_that_read_a_size),
    program(branches_of_several_results),
    program(branches_in_a_loop),
    program(as_many_trips_as_rows),
    program(mapped_products),
    program(mapped_to_stretched),
    program(scanned_columns),
]
IN_PLACE = [*map(program, (turned_in_place, seen_before_it_is_turned, dropped_and_turned, copied_to_columns))]
OPEN = [program(a_number_carried)]
