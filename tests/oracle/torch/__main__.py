"""`python -m tests.oracle.torch [NAME...]`: calls of PyTorch's operators judged, and a summary by operator.

NAME is part of the name of an entry in PyTorch's list of operators for tests, a pattern such as `[a-f]*`, or `=ADD`
exactly one. `--exported` judges programs of one call each instead; `--targets FILE` counts only the operators in a
table's first column.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from pathlib import Path

from tests.oracle.torch.isolated import DIED, exported_judgements, judgements
from tests.oracle.torch.judge import RIGHT, UNKNOWN, WRONG


def main() -> None:
    """Judge, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--op", action="append", default=[], help="only calls of operators that begin so")
    parser.add_argument("--most", type=int, default=6, help="samples of each operator and element type")
    parser.add_argument("--shown", type=int, default=1, help="calls that are shown of each operator")
    parser.add_argument("--right", action="store_true", help="list the operators that are right too")
    parser.add_argument("--exported", action="store_true", help="programs of one call each that PyTorch exports")
    parser.add_argument("--targets")
    options = parser.parse_args()
    if options.exported:
        show_programs(options.names, options.most)
        return
    targets = options.targets and {line.split("\t")[0] for line in Path(options.targets).read_text().splitlines()}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    shown: dict[str, list[str]] = defaultdict(list)
    for name, outcome in judgements(options.names, options.most, options.op):
        if targets and name not in targets:
            continue
        counts[name][outcome.kind] += 1
        if outcome.kind != RIGHT:
            shown[name].append(f"{outcome.kind}: {outcome.text}")
    for name, count in sorted(counts.items()):
        if count[RIGHT] < count.total() or options.right:
            print(f"{name}: {dict(count)}")
            for text in sorted(shown[name], key=lambda t: not t.startswith(WRONG))[: options.shown]:
                print(f"    {text}")
    total = Counter[str]()
    for count in counts.values():
        total.update(count)
    kinds = Counter(next((k for k in (WRONG, DIED, UNKNOWN) if c[k]), RIGHT) for c in counts.values())
    print(f"calls: {dict(total)}; operators: {dict(kinds)}")


def show_programs(names: list[str], most: int) -> None:
    """Judge exported programs, and print those that aren't right."""
    counts = Counter[str]()
    for program in exported_judgements(names, most):
        counts[program.outcome.kind] += 1
        if program.outcome.kind != RIGHT:
            print(f"{program.outcome.kind}: {program.name} {' '.join(program.ops)}: {program.outcome.text}", flush=True)
    print(f"programs: {dict(counts)}")


if __name__ == "__main__":
    main()
