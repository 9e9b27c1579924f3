"""The tree shows the pipeline: packages in one order, entered by their doors, and no circle of files."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import networkx as nx
import pytest

from shapesmt.operators.rules import rules
from tests.support.each import each

PACKAGE = Path(__file__).parent.parent / "shapesmt"

ROOMS = {
    "base": ("version", "lazy", "frozen", "errors", "deadline", "collector"),
    "prover": ("algebra", "presolve", "regions", "smt", "judge", "expression_trees"),
    "network": ("declarations", "laws", "graph"),
    "frontends": (),
    "operators": ("rules", "ops", "inference"),
    "reports": ("answers", "render", "export"),
    "analysis": ("encoding", "verify", "samples", "diagnose", "analysis"),
    "tasks": ("memory", "replay", "simplify", "profiles", "runtime_errors", "repair", "baselines"),
    "entrypoints": ("builder", "api", "fleet", "cli"),
}
"""The rooms of the top level, with the packages and modules inside: each imports from those before it only."""
ORDER = (
    *(name for room, inner in ROOMS.items() for name in (*(f"{room}/{each}" for each in inner), room)),
    *("__init__", "__main__"),
)
NAMES = range(10, 21)
"""How many names the door of a room offers."""

DOORS = {
    "onnx": (
        *("frontends/onnx/", "reports/export/onnx.py", "reports/export/targets/"),
        *("tasks/simplify/protobuf.py", "tasks/repair/written.py", "tasks/replay/"),
    ),
    "fsspec": ("frontends/remote.py",),
    "aiohttp": ("frontends/remote.py",),
    "distributed": ("entrypoints/fleet/workers/cluster.py",),
    "pyarrow": ("entrypoints/fleet/earlier.py", "entrypoints/fleet/results.py"),
    "z3": ("prover/smt/worker.py", "analysis/encoding/constraints.py"),
    "networkx": ("network/graph/",),
    "click": ("entrypoints/cli/",),
    "tomlkit": ("entrypoints/cli/adopting.py",),
    "rich": ("reports/render/",),
    "onnxruntime": ("tasks/replay/serving.py", "tasks/replay/loads.py", "tasks/replay/worker.py"),
    "openvino": ("reports/export/targets/openvino.py",),
    "tensorboard": ("frontends/tensorflow/protos.py",),
    "torch": ("frontends/torch/live/", "tasks/replay/programs.py"),
    "sympy": ("frontends/torch/live/",),
    "shlex": ("reports/render/quoting.py",),
    "html": ("reports/render/page/",),
}
"""The files that import a heavy library, or what quotes names from files."""

NARROW = {
    "prover": set[str](),
    "prover/algebra": set[str](),
    "prover/presolve": {"prover/algebra"},
    "prover/smt": {"prover/algebra"},
    "prover/regions": {"prover/algebra", "prover/presolve"},
    "frontends": {"network/graph", "network/declarations", "network/laws"},
    "reports/answers": {"prover/algebra", "prover/regions", "network/declarations", "network/laws", "reports/render"},
    "reports/render": {"prover/algebra", "prover/regions", "network/declarations", "network/laws", "reports/answers"},
}
"""All that some packages import, besides what is shared: the two halves of the prover don't know each other, formats
know no rules, and what is shown knows no stage that found it, only the conjuncts of which a region consists."""

NAMING = (
    *("network/laws", "frontends", "operators/ops", "reports/export"),
    *("tasks/simplify/rewrites", "tasks/repair/candidates", "entrypoints/builder"),
)
"""The folders in which operators may be named; all others ask for their traits."""
WORDS = {"Any", "Rank", "Shape", "Size", "cast", "_guards_fn"}
"""Names of operators that are also names of types, of fields and of steps; and that of the guards of a program."""

TESTS = Path(__file__).parent
TOPICS = {
    "prover/algebra": {"shared"},
    "entrypoints/cli": {"pasted"},
    "entrypoints/fleet": {"cache"},
    "tasks/memory": {"amount"},
    "frontends/tensorflow": {"models"},
    "operators/inference": {"propagation"},
    "network/declarations": {"shape_algebra", "shape_properties"},
    "network/laws": {"catalogue"},
    "tasks/runtime_errors": {"broken"},
    "operators/ops": {"flags", "lengths", "looked_up", "low_ranks", "random_nodes"},
    "operators/ops/contrib": {"optimized"},
    "operators/ops/openvino": {"assertions", "laws"},
    "operators/ops/torch": {"versions"},
    "tasks/simplify": {"forms"},
    "tasks/profiles": {"modules", "samples"},
    "reports/render/page": {"browser", "layout"},
    "reports/render/text": {"readers"},
    "tasks/replay": {"reproduce", "session"},
}
"""What several modules of a package do together, where a test file is about that."""

FILES = sorted(PACKAGE.rglob("*.py"))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements inside a node, and those inside them; quicker than a walk, which sees expressions as well."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, field, ()):
            yield inner
            yield from statements(inner)


@cache
def imported(path: Path) -> list[tuple[str, str]]:
    """Module and name of each import of a file, those inside functions and for the type checker included."""
    names = []
    for node in statements(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [(node.module, alias.name) for alias in node.names]
    return names


@cache
def file_of(module: str, name: str = "") -> Path | None:
    """The file of this package that an import of a name reaches; None for other packages' files."""
    parts = module.split(".")
    if parts[0] != "shapesmt":
        return None
    place = PACKAGE.joinpath(*parts[1:])
    if name in offered(place):
        return place / "__init__.py"
    inner = place / name if name else place
    for file in (inner.with_suffix(".py"), inner / "__init__.py", place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return file
    raise AssertionError(f"no module {module}.{name}")


@cache
def offered(package: Path) -> set[str]:
    """The names that a package's door offers: those it lists, and those it imports as themselves."""
    door = package / "__init__.py"
    if not door.is_file():
        return set()
    tree = ast.parse(door.read_text())
    listed = [n.value for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "__all__"]
    defined = {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    defined |= {ast.unparse(n.target) for n in tree.body if isinstance(n, ast.AnnAssign)}
    imports = [alias for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names]
    exported = {alias.name for alias in imports if alias.name == alias.asname}
    return exported | defined | {name for names in listed for name in ast.literal_eval(names)}


def room(path: Path) -> str:
    """The room that a file is in, or the module of the top level that it is."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def own(path: Path) -> str:
    """The package or module of a room that a file is in; the room for its door, and where it has none inside."""
    inside = "/".join(path.relative_to(PACKAGE).parts[:2]).removesuffix(".py")
    return inside if inside in ORDER else room(path)


def arrows() -> Iterator[tuple[Path, Path, str]]:
    """Each import inside the package: the file that has it, the file that it reaches, and what is written there."""
    for path in FILES:
        for module, name in imported(path):
            target = file_of(module, name)
            if target is not None:
                yield path, target, f"{path.relative_to(PACKAGE)} imports {name} from {module}"


def figures() -> dict[str, int]:
    """The rooms and modules of the top level, the floors that their imports stack them to, and the arrows."""
    between = {(room(target), room(path)) for path, target, _ in arrows()} - {(name, name) for name in ORDER}
    graph = nx.DiGraph(between)
    floors = nx.dag_longest_path_length(graph) + 1
    return {"rooms": len({room(path) for path in FILES}), "floors": floors, "arrows": graph.number_of_edges()}


TELLING = PACKAGE / "reports" / "answers" / "data.py"
"""An answer tells itself, `str(report)`: the base of all asks `render` for the words when they are read."""


def test_imports_point_to_earlier_packages() -> None:
    order = {name: place for place, name in enumerate(ORDER)}
    up = [(path, target, said) for path, target, said in arrows() if order[own(target)] > order[own(path)]]
    assert {(path, own(target)) for path, target, _ in up} == {(TELLING, "reports/render")}, up


@pytest.mark.parametrize("package", NARROW)
def test_some_packages_import_few_others(package: str) -> None:
    inside = [p for p in FILES if p.relative_to(PACKAGE).as_posix().startswith(f"{package}/")]
    inner = [p for p in inside if any(PACKAGE / name in p.parents for name in NARROW if name.startswith(f"{package}/"))]
    reached = {own(t) for p in inside if p not in inner for m, n in imported(p) if (t := file_of(m, n)) is not None}
    assert {name for name in reached if not name.startswith(("base", package))} <= NARROW[package]


@pytest.mark.parametrize(
    "package",
    ["analysis/encoding", "analysis/verify", "analysis/samples", "tasks/memory", "analysis/diagnose"],
)
def test_what_finds_an_answer_does_not_word_it(package: str) -> None:
    reached = [(own(target), said) for path, target, said in arrows() if own(path) == package]
    shown = {"reports/render"} | ({"reports/export"} if package == "analysis/verify" else set())
    assert not [said for target, said in reached if target in shown]


def test_packages_are_entered_by_their_doors() -> None:
    """Other packages may import only the names that a package offers in its `__init__`."""
    entering = [(target, said) for path, target, said in arrows() if own(target) != own(path)]
    modules = {PACKAGE, *(PACKAGE / name for name in ROOMS if ROOMS[name])}
    assert not [said for target, said in entering if target.name != "__init__.py" and target.parent not in modules]


@pytest.mark.parametrize("name", ROOMS)
def test_the_door_of_a_room_offers_few_names(name: str) -> None:
    names = offered(PACKAGE / name)
    assert len(names) in NAMES
    assert all(hasattr(import_module(f"shapesmt.{name}"), each) for each in names)


def test_no_private_name_is_taken_from_another_file() -> None:
    names = [(path, m, n) for path in FILES for m, n in imported(path) if file_of(m) is not None]
    assert not [(path, m, n) for path, m, n in names if n.startswith("_") and n[1] != "_"]


def test_a_problem_its_examination_and_its_judge_are_one_value() -> None:
    texts = [(path, text) for path in FILES if "examination" in (text := path.read_text())]
    nodes = [(path, node) for path, text in texts for node in ast.walk(ast.parse(text))]
    functions = [(path, node) for path, node in nodes if isinstance(node, ast.FunctionDef)]
    taken = [(path, f.name, {a.arg for a in (*f.args.args, *f.args.kwonlyargs)}) for path, f in functions]
    assert not [(path, name) for path, name, names in taken if names >= {"problem", "examination", "judge"}]


def test_no_files_import_each_other_in_a_circle() -> None:
    graph = nx.DiGraph((path, target) for path, target, _ in arrows() if target != path)
    graph.remove_nodes_from([p for p in FILES if p.name == "__init__.py"])
    circles = [sorted(str(p.relative_to(PACKAGE)) for p in c) for c in nx.strongly_connected_components(graph)]
    assert not [circle for circle in circles if len(circle) > 1]


def for_types_only(path: Path) -> set[str]:
    """The libraries that a file imports for the type checker."""
    return {
        ast.unparse(inner).split()[1].split(".")[0]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for inner in node.body
    }


def test_each_heavy_library_has_few_doors() -> None:
    for path in FILES:
        where = path.relative_to(PACKAGE).as_posix()
        libraries = {module.split(".")[0] for module, _ in imported(path)} & DOORS.keys()
        for library in libraries - for_types_only(path) if libraries else ():
            assert where.startswith(DOORS[library]), f"{where} imports {library}"


@each("folder", sorted({p.parent for p in FILES}), lambda p: p.relative_to(PACKAGE))
def test_no_folder_has_more_modules_than_one_takes_in(folder: Path) -> None:
    modules = [p for p in folder.glob("*.py") if p.name != "__init__.py"]
    most = 10 if folder == PACKAGE else 16 if "ops" in folder.relative_to(PACKAGE).parts else 12
    assert len(modules) <= most


def test_no_file_is_longer_than_400_lines() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in [*FILES, *TESTS.rglob("*.py")]}
    assert not {str(path): length for path, length in lengths.items() if length > 400}


@each("folder", sorted({p.parent for p in FILES} - {PACKAGE}), lambda p: p.relative_to(PACKAGE))
def test_test_files_are_named_after_a_module_their_package_or_a_topic(folder: Path) -> None:
    package = folder.relative_to(PACKAGE).as_posix()
    named = {p.stem.removeprefix("test_") for p in (TESTS / package).glob("test_*.py")}
    topics = TOPICS.get(package, set())
    assert named - {p.stem for p in folder.glob("*.py")} - {folder.name} == topics


def strings(path: Path) -> set[str]:
    """The texts in a file's code, without its docstrings."""
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    said = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [node for node in nodes if isinstance(node, ast.Constant) and id(node) not in said]
    return {node.value for node in texts if isinstance(node.value, str)}


def test_operators_are_named_only_where_they_are_read_ruled_and_written() -> None:
    named = {rule.name for rule in rules() if not rule.plugin} - WORDS
    others = [p for p in FILES if not p.relative_to(PACKAGE).as_posix().startswith(NAMING)]
    assert {str(p.relative_to(PACKAGE)): found for p in others if (found := strings(p) & named)} == {}


@cache
def late(path: Path) -> list[str]:
    """The names that a file imports only when they are asked for."""
    text = path.read_text()
    nodes = ast.walk(ast.parse(text)) if "lazy_imports(" in text else ()
    blocks = [node for node in nodes if isinstance(node, ast.With)]
    lazy = [node for node in blocks if ast.unparse(node.items[0].context_expr) == "lazy_imports(__name__)"]
    return [alias.name for node in lazy for inner in node.body for alias in inner.names]


@pytest.mark.parametrize("door", [p for p in FILES if late(p)], ids=lambda p: str(p.relative_to(PACKAGE.parent)))
def test_what_loads_late_is_found_where_it_is_looked_for(door: Path) -> None:
    parts = door.relative_to(PACKAGE.parent).with_suffix("").parts
    module = import_module(".".join(parts).removesuffix(".__init__"))
    assert not {name for name in late(door) if isinstance(getattr(module, name), ModuleType)}
    inside = {path.name for path in door.parent.iterdir()} if door.name == "__init__.py" else set()
    assert not {name for name in late(door) if {name, f"{name}.py"} & inside}, "a module would be in its place"


def test_importing_the_package_loads_no_heavy_library() -> None:
    heavy = ("onnx", "z3", "networkx", "rich", "numpy", "onnxruntime", "tensorboard", "distributed", "fsspec")
    code = f"import shapesmt, shapesmt.entrypoints.cli, sys; print([m for m in {heavy} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


if __name__ == "__main__":
    print(*(f"{name}: {number}" for name, number in figures().items()), sep="\n")
