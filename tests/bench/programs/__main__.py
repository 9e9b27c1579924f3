"""`python -m tests.bench.programs [NAME]...`: which sizes run, by PyTorch's answers and by shapesmt's."""

from __future__ import annotations

import argparse

import torch

import tests.bench.programs.modules
from tests.bench.programs.answers import COLUMNS, answers, table
from tests.bench.programs.case import CASES


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.programs", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(CASES)}; by default all")
    names = parser.parse_args().names or [*CASES]
    torch.set_num_threads(1)
    assert tests.bench.programs.modules
    rows = []
    for name in names:
        row = answers(CASES[name])
        rows.append(row)
        said = ", ".join(f"{column} {row.outcomes[column]}" for column in COLUMNS)
        print(f"{name:20} {said}; proposal {row.proposal}", flush=True)
    print("", *table(rows), sep="\n")


if __name__ == "__main__":
    main()
