"""`python -m tests.bench.compilers FOLDER [--table NAME] [--only TEXT]`: what compilers get, beside the peers'.

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
    parser.add_argument("folder", type=Path)
    parser.add_argument("--table", action="append", choices=TABLES, help="this table; by default all")
    parser.add_argument("--only", default="", help="the models with this in their name")
    modules = {name: importlib.import_module(f"tests.bench.compilers.{name}") for name in TABLES}
    for name, module in modules.items():
        module.add_options(parser.add_argument_group(name, module.__doc__.split("\n")[0]))
    options = parser.parse_args()
    for name in options.table or TABLES:
        print(f"\n{name}: {modules[name].__doc__.strip()}\n", flush=True)
        modules[name].main(options)
