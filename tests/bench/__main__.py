"""`python -m tests.bench [FOLDER]`: time and memory beside the tools that are installed, in the same run.

What is measured is kept as JSON by commit, so that a change can be compared: `--against FILE`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tests.bench.report import Part, about, parts
from tests.bench.words import compared, lines


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "folder", nargs="?", help="models with a manifest.json (default: $SHAPESMT_MODELS, else generated)"
    )
    parser.add_argument("--only", default="", help="models whose name contains this")
    parser.add_argument("--part", action="append", default=[], choices=["inference", "growth", "process", "fleet"])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--keep", default=".bench", help="the folder in which COMMIT.json is kept (default: .bench)")
    parser.add_argument("--against", help="what was kept of another commit")
    options = parser.parse_args(arguments)
    measured: Part = {"about": about()}
    print(*(f"{name} {version}" for name, version in measured["about"]["versions"].items()), sep=", ")
    for name, part in parts(options.folder, options.only, options.repeats, options.part):
        measured[name] = part
        print(*lines(name, part), sep="\n", flush=True)
    Path(options.keep).mkdir(exist_ok=True)
    kept = Path(options.keep, f"{measured['about']['commit']}.json")
    kept.write_text(json.dumps(measured, indent=1) + "\n")
    print(f"kept as {kept}")
    if options.against:
        print(*compared(measured, json.loads(Path(options.against).read_text())), sep="\n")


if __name__ == "__main__":
    main()
