"""`python -m tests.bench.compilers TABLE FOLDER [--only TEXT]`: one table of what compilers get, beside the peers'.

Each module of this folder is a table, with `add_options(parser)` and `main(options)`. FOLDER has a `manifest.json`
that lists models with their ranges and relations (`file`, `ranges`, `relations`).
"""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

TABLES = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.compilers", description=__doc__)
    tables = parser.add_subparsers(dest="table", required=True)
    for name in TABLES:
        module = importlib.import_module(f"tests.bench.compilers.{name}")
        one = tables.add_parser(name, description=module.__doc__)
        one.add_argument("folder", type=Path)
        one.add_argument("--only", default="", help="the models with this in their name")
        module.add_options(one)
    options = parser.parse_args()
    importlib.import_module(f"tests.bench.compilers.{options.table}").main(options)
