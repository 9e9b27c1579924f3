"""A program for ExecuTorch, whose memory is planned before it runs: for the upper end of every size.

Exported without one, the plan is silently that of the example, and a longer text fails on the device. PyTorch doesn't
know the end either: positions are looked up in a table, whose length no guard mentions. shapesmt proves it, and gives
the `Dim` to export with; what it proves that the tensors take stands beside what ExecuTorch plans.

    pip install shapesmt executorch
    python examples/executorch/plan.py

`plan.txt` is what that prints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from executorch.exir import to_edge
from executorch.runtime import Runtime
from torch.export import Dim, export

import shapesmt

LONGEST, EXAMPLE = 128, 8


class Tagger(torch.nn.Module):
    """Words and their positions, looked up and added."""

    def __init__(self) -> None:
        super().__init__()
        self.words = torch.nn.Embedding(1000, 32)
        self.positions = torch.nn.Embedding(LONGEST, 32)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        order = torch.arange(ids.shape[0])
        return torch.relu(self.words(ids) + self.positions(order))


def exported(sizes: dict[str, Any]) -> torch.export.ExportedProgram:
    """The program with these dynamic shapes."""
    return export(Tagger().eval(), (torch.zeros(EXAMPLE, dtype=torch.int64),), dynamic_shapes=sizes)


def planned(program: torch.export.ExportedProgram) -> tuple[int, Callable[[int], bool]]:
    """The bytes that ExecuTorch plans, and whether the program runs for a text of so many words."""
    built = to_edge(program).to_executorch()
    plan = built.executorch_program.execution_plan[0]
    loaded = Runtime.get().load_program(built.buffer)

    def runs(length: int) -> bool:
        try:
            (result,) = loaded.load_method("forward").execute([torch.zeros(length, dtype=torch.int64)])
        except RuntimeError:
            return False
        return bool(result.shape == (length, 32))

    return sum(plan.non_const_buffer_sizes), runs


def main() -> None:
    """Plan twice, and run both."""
    open_ended = exported({"ids": {0: Dim.AUTO}})
    size, runs = planned(open_ended)
    print(f"without an end: {size} bytes are planned; runs of {EXAMPLE}: {runs(EXAMPLE)}, of 100: {runs(100)}")

    profile = shapesmt.profile(open_ended, "torch-export", valid_only=True)
    print(profile.content)
    names: dict[str, Any] = {}
    exec(profile.content, names)
    size, runs = planned(exported(names["dynamic_shapes"]))
    works, beyond = sum(runs(length) for length in range(1, LONGEST + 1)), runs(LONGEST + 1)
    print(f"with it: {size} bytes are planned; runs of {works} of {LONGEST} lengths, of {LONGEST + 1}: {beyond}")

    worst = shapesmt.memory(open_ended).worst
    assert worst is not None
    print(f"proven: {worst.bytes} bytes of activations at most, {worst.formula}, at {dict(worst.witness or {})}")


if __name__ == "__main__":
    main()
