"""Mutants: one small change of the code at a time, which some test has to notice.

    python -m tests.mutants --seed 7 --count 20 prover/algebra prover/presolve

Each is drawn by the seed, made in a copy, and put to the tests of its module, of its package, and of what rests on
that, until some test fails or runs out of time. `survivors.txt` lists mutants that no test notices, and why.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache, singledispatch
from itertools import accumulate
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
SURVIVORS = Path(__file__).parent / "survivors.txt"
ORACLES = {
    "prover/algebra": (
        *("oracle/test_identities.py", "prover/presolve", "prover/smt"),
        *("oracle/test_numbers.py", "oracle/test_execution.py"),
    ),
    "prover/presolve": (
        "prover/test_judge.py",
        "analysis/verify",
        "oracle/test_endless.py",
        "oracle/test_execution.py",
    ),
    "prover/regions": ("analysis/diagnose", "oracle/test_cases.py", "oracle/test_explanations.py"),
    "analysis/verify": ("entrypoints/api/test_api.py", "oracle/test_cases.py", "oracle/test_execution.py"),
    "analysis/diagnose": ("reports/render/text", "frontends/torch", "test_examples.py", "oracle/test_explanations.py"),
    "tasks/memory": ("test_readme.py", "test_examples.py"),
    "tasks/simplify": ("reports/export", "test_readme.py"),
    "operators/rules": (
        "operators/inference",
        "operators/ops/layout",
        "oracle/test_traits.py",
        "oracle/test_node_cases.py",
        "oracle/test_operators.py",
    ),
}
"""The packages that are mutated, and the tests of what rests on each."""
_PAIRS = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
    *((ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Mult, ast.FloorDiv)),
)
SWAPPED = {**dict(_PAIRS), **{b: a for a, b in _PAIRS}, ast.Mod: ast.FloorDiv}
VARIADIC = ("min", "max", "minimum", "maximum", "all_of", "any_of")
"""Functions that take fewer arguments as well; of others only keywords are left out."""
SECONDS = 900  # for the tests of one stage
MEMORY = 12 << 30  # address space, in bytes, for a change that makes something grow


class Mutant(NamedTuple):
    """A change: the file and the number of the line, the line before and after, and the whole file after it."""

    file: str
    number: int
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        return f"{self.file}: {self.before} -> {self.after}"


@singledispatch
def changed(node: ast.AST) -> Iterator[ast.AST]:
    """The node with one thing changed, in each way."""
    yield from ()


@changed.register
def _(node: ast.Compare) -> Iterator[ast.AST]:
    if len(node.ops) == 1:
        yield ast.Compare(node.left, [SWAPPED[type(node.ops[0])]()], node.comparators)


@changed.register
def _(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield ast.BoolOp(SWAPPED[type(node.op)](), node.values)
    for value in node.values:
        left = [v for v in node.values if v is not value]
        yield left[0] if len(left) == 1 else ast.BoolOp(node.op, left)


@changed.register
def _(node: ast.BinOp) -> Iterator[ast.AST]:
    if type(node.op) in SWAPPED:
        yield ast.BinOp(node.left, SWAPPED[type(node.op)](), node.right)


@changed.register
def _(node: ast.UnaryOp) -> Iterator[ast.AST]:
    yield node.operand


@changed.register
def _(node: ast.IfExp) -> Iterator[ast.AST]:
    yield ast.IfExp(node.test, node.orelse, node.body)


@changed.register
def _(node: ast.Constant) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield from (ast.Constant(node.value + 1), ast.Constant(node.value - 1))


@changed.register
def _(node: ast.Call) -> Iterator[ast.AST]:
    for left_out in node.keywords:
        if left_out.arg != "strict":
            yield ast.Call(node.func, node.args, [k for k in node.keywords if k is not left_out])
    if isinstance(node.func, ast.Name) and node.func.id in VARIADIC and len(node.args) > 1:
        yield ast.Call(node.func, node.args[:-1], node.keywords)


@changed.register(ast.GeneratorExp)
@changed.register(ast.ListComp)
@changed.register(ast.SetComp)
def _(node: Any) -> Iterator[ast.AST]:
    less = copy.deepcopy(node)
    if less.generators[-1].ifs:
        less.generators[-1].ifs.pop()
        yield less


@changed.register(ast.AugAssign)
@changed.register(ast.Break)
@changed.register(ast.Continue)
@changed.register(ast.Expr)
def _(node: ast.stmt) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call):
        yield ast.Pass()


def code(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of functions' bodies, without annotations, texts, and `strict`, which only says what holds already."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list") or isinstance(value, ast.JoinedStr):
            continue
        if isinstance(node, ast.keyword) and node.arg == "strict":
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                yield child
                yield from code(child)


def mutants(file: Path) -> Iterator[Mutant]:
    """All changes of a file."""
    raw = file.read_bytes()
    lines = raw.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]
    functions = [n for n in ast.walk(ast.parse(raw)) if isinstance(n, ast.FunctionDef)]
    inner = {id(n) for f in functions for n in code(f) if isinstance(n, ast.FunctionDef)}
    for node in (n for f in functions if id(f) not in inner for n in code(f)):
        for other in changed(node):
            text = ast.unparse(ast.fix_missing_locations(other))
            first, last = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
            put = text if isinstance(other, ast.Pass) else f"({text})"
            source = (raw[:first] + put.encode() + raw[last:]).decode()
            before, after = (t.splitlines()[node.lineno - 1].strip() for t in (raw.decode(), source))
            yield Mutant(str(file.relative_to(ROOT)), node.lineno, before, after, source)


def drawn(seed: int, count: int, packages: Sequence[str]) -> list[Mutant]:
    """So many mutants of these packages, by the seed."""
    files = [file for package in packages for file in sorted((ROOT / "shapesmt" / package).rglob("*.py"))]
    return Random(seed).sample([mutant for file in files for mutant in mutants(file)], count)


def stages(file: str, root: Path) -> Iterator[list[str]]:
    """The arguments for pytest, in turn: the tests of a file's module, of its package, of what rests on that.

    The module is imported first, as a plugin: pytest would import it once more if its package did.
    """
    path = Path(file).relative_to("shapesmt")
    own = Path("tests") / path.parent / f"test_{path.name}"
    yield ["-p", ".".join(Path(file).with_suffix("").parts), file, *([str(own)] if (root / own).exists() else [])]
    package = "/".join(path.parts[:2])
    yield [f"tests/{package}"]
    yield from ([f"tests/{name}"] for name in ORACLES[package])


def noticed(mutant: Mutant, root: Path, seconds: int) -> str:
    """Return the tests that fail or take too long after the change in this copy; "" if none does."""
    for stage in stages(mutant.file, root):
        (root / mutant.file).write_text(mutant.source)
        found = fails(tuple(stage), root, seconds)
        shutil.copy(ROOT / mutant.file, root / mutant.file)
        if found:
            assert not unchanged(tuple(stage), root, seconds), f"{stage} fails without any change"
            return found
    return ""


def fails(tests: Sequence[str], root: Path, seconds: int) -> str:
    """The first of these tests that fails in the copy; "" where all pass."""
    arguments = ["-q", "-x", "--tb=no", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1", "CI": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments], cwd=root, env=environment, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )  # fmt: skip
    try:
        out = process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"{seconds} s in {tests[-1]}"
    said = [line for line in out.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return (said or [f"exit status {process.returncode} in {tests[-1]}"])[0] if process.returncode not in (0, 5) else ""


unchanged = cache(fails)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", help=f"of {', '.join(ORACLES)}; all if none is named")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=SECONDS, help="for the tests of one stage")
    options = parser.parse_args()
    reasons = dict(line.rsplit(" # ", 1) for line in SURVIVORS.read_text().splitlines())
    left = []
    with TemporaryDirectory() as folder:
        root = Path(folder) / "copy"
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".git", "__pycache__", ".*_cache", ".venv"))
        for mutant in drawn(options.seed, options.count, options.packages or [*ORACLES]):
            by = noticed(mutant, root, options.seconds)
            told = f"killed by {by}" if by else f"survived: {reasons.get(str(mutant), 'no reason is listed')}"
            print(f"{mutant.file}:{mutant.number}\n  - {mutant.before}\n  + {mutant.after}\n  {told}", flush=True)
            left += [mutant] if not by and str(mutant) not in reasons else []
    print(f"{options.count} mutants of seed {options.seed}: {len(left)} survived without a reason")
    return bool(left)


if __name__ == "__main__":
    sys.exit(main())
