"""`python -m tests.bench [FOLDER] [--only TEXT]`: time and memory beside ONNX's own inference, in the same run."""

from __future__ import annotations

import argparse

from tests.bench.report import report


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "folder", nargs="?", help="models with a manifest.json (default: $SHAPESMT_MODELS, else generated)"
    )
    parser.add_argument("--only", default="", help="models whose name contains this")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    for line in report(arguments.folder, arguments.only, arguments.repeats):
        print(line, flush=True)


if __name__ == "__main__":
    main()
