"""`python -m tests.oracle.samples [--count N] [--seed S]`: random models' samples, claims compared with running.

Prints each fault with the model, made smaller, and a table. `--brief` leaves the models out.
"""

from __future__ import annotations

import argparse
from collections import Counter

from onnx import printer

from tests.oracle.samples.models import generate
from tests.oracle.samples.scoring import scored, table
from tests.oracle.samples.smaller import smaller


def main() -> None:
    """Judge, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--hidden", default="right", help="faults of a kind with this part aren't shown")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.count):
        case = generate(seed)
        counts["models"] += 1
        for remark in scored(case.model, case.high, seed):
            counts[remark.kind] += 1
            if remark.text and options.hidden not in remark.kind:
                print(f"seed {seed}, {case.about}: {remark.kind}: {remark.text}", flush=True)
                if not options.brief and remark.kind != "not compared":
                    least, said = smaller(case.model, case.high, seed, remark.kind)
                    print(f"    smaller: {said}\n{printer.to_text(least)}", flush=True)
    print(*table(counts), sep="\n")


if __name__ == "__main__":
    main()
