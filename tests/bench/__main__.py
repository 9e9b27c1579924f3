"""`python -m tests.bench [FOLDER]`: time and memory beside the tools that are installed, in the same run.

Each run is a line of JSON in a file of results, so that a change can be compared: `--against COMMIT`.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from tests.bench.models import FOLDER
from tests.bench.report import PARTS, Part, about, parts
from tests.bench.words import compared, lines


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "folder",
        nargs="?",
        default=os.environ.get(FOLDER),
        help=f"models with a manifest.json (default: ${FOLDER}, else generated)",
    )
    parser.add_argument("--only", default="", help="models whose name contains this")
    parser.add_argument("--no-ranges", action="store_true", help="ask without the ranges and relations of the manifest")
    parser.add_argument("--part", action="append", choices=PARTS, help="may be repeated (default: all)")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--keep", type=Path, default=Path(".bench/results.jsonl"), help="the file of results")
    parser.add_argument("--against", metavar="COMMIT", help="compare with its last run in the file of results")
    options = parser.parse_args(arguments)
    measured: Part = {"about": about(options.folder, not options.no_ranges, options.repeats)}
    print(*(f"{name} {version}" for name, version in measured["about"]["versions"].items()), sep=", ")
    for name, part in parts(options.folder, options.only, not options.no_ranges, options.repeats, options.part):
        measured[name] = part
        print(*lines(name, part), "", sep="\n", flush=True)
    options.keep.parent.mkdir(exist_ok=True)
    with options.keep.open("a+") as kept:
        print(json.dumps(measured, separators=(",", ":")), file=kept)
        kept.seek(0)
        earlier = [json.loads(line) for line in kept][:-1]
    if options.against:
        print(*compared(measured, earlier, options.against), sep="\n")


if __name__ == "__main__":
    main()
