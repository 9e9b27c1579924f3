"""The tree shows the pipeline: imports point to earlier stages only, and each heavy library has one door."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "shapesmt"

STAGES = [
    ["version", "errors", "intervals", "deadline", "interning", "printing", "memory", "ranges", "codes", "data"],
    ["dim", "division", "relaxation", "dimension"],
    ["shape"],
    ["formula"],
    ["evaluate"],
    ["real", "expressions"],
    ["cases"],
    ["rewrite"],
    ["sweep"],
    ["growth"],
    ["points"],
    ["literal", "value"],
    ["schema"],
    ["graph", "nodelink"],
    ["frontends"],
    ["tensor", "requirement"],
    ["provenance"],
    ["application"],
    ["unranked", "calculus", "given"],
    ["alone"],
    ["context"],
    ["ops", "alternatives", "registered", "origins", "numbering"],
    ["infer", "operands", "builder"],
    ["presolve"],
    ["solve"],
    ["patterns"],
    ["region"],
    ["finding"],
    ["report"],
    ["reports", "story"],
    ["inputs", "problem", "traits", "causes"],
    ["examine"],
    ["diagnose", "extents"],
    ["remedy", "reasons", "cautions"],
    ["explanation", "chain", "picture"],
    ["render", "export"],
    ["config", "replay", "reproduce"],
    ["api", "graphs"],
    ["drop_in", "listing"],
    ["many", "testing"],
    ["__init__"],
    ["cli"],
    ["__main__"],
]
LEVEL = {name: level for level, names in enumerate(STAGES) for name in names}

DOORS = {
    "onnx": {"frontends/onnx.py", "frontends/schemas.py", "export/"},
    "z3": {"solve/"},
    "networkx": {"graph.py", "nodelink.py"},
    "click": {"cli.py"},
    "rich": {"render/"},
    "onnxruntime": {"replay.py"},
    "tensorboard": {"frontends/tensorflow/protos.py"},
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imported(path: Path) -> list[tuple[str, bool]]:
    """Absolute names of what a module imports, and whether only for the type checker."""
    tree = ast.parse(path.read_text())
    checked = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [(alias.name, id(node) in checked) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [(f"{node.module}.{alias.name}", id(node) in checked) for alias in node.names]
    return names


def stage(dotted: str) -> str:
    parts = dotted.split(".")
    if len(parts) > 1 and parts[1] in LEVEL:
        return parts[1]
    return "__init__"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_to_earlier_stages(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    assert own in LEVEL, f"{own} has no place in the pipeline"
    for name, for_types in imported(path):
        if name.split(".")[0] == "shapesmt" and not for_types and own not in ("__init__", "printing"):
            target = stage(name)
            assert LEVEL[target] <= LEVEL[own] or target == "printing", (
                f"{own} imports the later stage {target} ({name})"
            )


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_each_heavy_library_has_one_door(path: Path) -> None:
    where = str(path.relative_to(PACKAGE))
    for name, for_types in imported(path):
        library = name.split(".")[0]
        if library in DOORS and not for_types:
            assert any(where.startswith(door) for door in DOORS[library]), f"{where} imports {library}"


def test_importing_the_package_loads_no_heavy_library() -> None:
    import subprocess
    import sys

    heavy = ("onnx", "z3", "networkx", "rich", "numpy", "onnxruntime", "tensorboard")
    code = f"import shapesmt, shapesmt.cli, sys; print([m for m in {heavy} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
