"""The tree shows the pipeline: packages in one order, entered by their doors, and no circle of files."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "shapesmt"

ORDER = (
    *("version", "lazy", "errors", "deadline", "algebra", "memory", "presolve", "region", "solve", "language", "graph"),
    *("laws", "rules", "frontends", "ops", "inference", "report", "render", "export", "system", "examine"),
    *("optimize", "footprint", "replay", "diagnose", "api", "inspection", "drop_in", "testing", "cli", "__init__"),
    "__main__",
)
"""Packages and modules of the top level: each imports from those before it only."""

UNMOVED = {"graphs": "inspection", "listing": "inspection"}
"""Modules that have yet to move into a package, and that package."""

KNOWN = {("frontends", "rules")}
"""What is still to be turned round."""

DOORS = {
    "onnx": ("frontends/", "export/", "repl", "repro"),
    "z3": ("solve/", "system/"),
    "networkx": ("graph", "nodelink.py", "frontends/"),
    "click": ("cli",),
    "rich": ("render/",),
    "onnxruntime": ("replay",),
    "tensorboard": ("frontends/tensorflow/protos.py",),
}
"""The files that import a heavy library."""

FILES = sorted(PACKAGE.rglob("*.py"))
BY_FILE = pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))


def imported(path: Path) -> list[tuple[str, str]]:
    """Module and name of each import of a file, those inside functions and for the type checker included."""
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [(node.module, alias.name) for alias in node.names]
    return names


def file_of(module: str, name: str = "") -> Path | None:
    """The file of this package that an import of a name reaches; None for other packages' files."""
    parts = module.split(".")
    if parts[0] != "shapesmt":
        return None
    place = PACKAGE.joinpath(*parts[1:])
    inner = place / name if name else place
    for file in (inner.with_suffix(".py"), inner / "__init__.py", place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return file
    raise AssertionError(f"no module {module}.{name}")


def own(path: Path) -> str:
    """The package of the top level that a file is in or will be, or the module that it is there."""
    dotted = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    return UNMOVED.get(dotted) or UNMOVED.get(dotted.split(".")[0]) or dotted.split(".")[0]


@BY_FILE
def test_imports_point_to_earlier_packages(path: Path) -> None:
    for module, name in imported(path):
        target = file_of(module, name)
        if target is not None:
            known = (own(target), own(path)) in KNOWN
            assert known or ORDER.index(own(target)) <= ORDER.index(own(path)), f"{module}.{name} comes later"


@BY_FILE
def test_each_heavy_library_has_few_doors(path: Path) -> None:
    where = path.relative_to(PACKAGE).as_posix()
    checked = {
        inner.module.split(".")[0]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for inner in ast.walk(node)
        if isinstance(inner, ast.ImportFrom) and inner.module
    }
    for module, _ in imported(path):
        library = module.split(".")[0]
        if library in DOORS and library not in checked:
            assert where.startswith(DOORS[library]), f"{where} imports {library}"


def test_importing_the_package_loads_no_heavy_library() -> None:
    heavy = ("onnx", "z3", "networkx", "rich", "numpy", "onnxruntime", "tensorboard")
    code = f"import shapesmt, shapesmt.cli, sys; print([m for m in {heavy} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
