"""Interning: one object for equal things from every thread, and tables that forget what nobody holds."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event, Thread
from weakref import ref

import pytest

import shapesmt
from shapesmt.network.graph.graph import Attributes
from shapesmt.network.graph.literal import Literal
from shapesmt.operators.rules.tensors import tensor
from shapesmt.operators.rules.value import elements, field
from shapesmt.prover.algebra import interning
from shapesmt.prover.algebra.dim import Dim, Kind, define_symbol, symbol
from shapesmt.prover.algebra.extremes import maximum, minimum
from shapesmt.prover.algebra.factors import product
from shapesmt.prover.algebra.formula import all_of, at_least, equal, select
from shapesmt.prover.algebra.interning import MEMOS, forget, sizes
from shapesmt.prover.algebra.numeric.floats import from_dim
from shapesmt.prover.algebra.numeric.folds import fold
from shapesmt.prover.algebra.numeric.steps import SQRT
from tests.support.each import each
from tests.support.hang import PATIENCE

THREADS = 6
EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def impatient() -> Iterator[None]:
    """Threads take turns as often as Python lets them."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def together(work: Callable[[int], object]) -> list[object]:
    """What the work gives in several threads that start at once."""
    start = Barrier(THREADS)

    def run(index: int) -> object:
        start.wait()
        return work(index)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def everything(name: str) -> tuple[object, ...]:
    """One object of every table, over symbols of that name."""
    n, m = symbol(f"{name}.n", 1, 64), symbol(f"{name}.m", 1, 64)
    terms = (n * m + 3) // 4 + maximum(n, m) * minimum(n, 7)
    chosen = select(equal(n, 2 * m), terms, define_symbol(n * n, f"{name}.square"))
    vector = tensor("int64", [2], elements((2,), [chosen, n]))
    floats = from_dim(n, "float32").unary(SQRT)
    literal = Literal("int64", (1,), (hash(name) % 1000,))
    place = symbol("@1", 0, kind=Kind.AXIS)
    longest = fold("greatest", place * n % 7, {place.as_symbol(): m})
    both = all_of(at_least(n, m), at_least(chosen, 9))
    return n, terms, chosen, vector, floats, field(chosen), both, literal, longest, Attributes({name: 1})


def test_there_is_one_of_every_table() -> None:
    before = sizes()
    held = everything("counted")
    grown = {name for name, size in sizes().items() if size > before[name]}
    assert grown >= sizes().keys() - MEMOS.keys(), held


def test_what_only_saves_work_is_forgotten() -> None:
    answers()
    assert {name for name in MEMOS if sizes()[name]} >= {"applications", "texts", "tensors of literals"}
    forget()
    assert {name for name in MEMOS if sizes()[name]} == set()


PACKAGE = Path(shapesmt.__file__).parent
CATALOGUES = {"ANALYSES", "OPERATIONS", "REWRITES", "STEPS", "_OF_ENTRIES", "_PLUGINS", "_RULES"}
"""Lists that imports fill, and calls don't."""
BY_MODULE_OR_CLASS = (
    *("_content", "_descriptions", "_layout", "_plan", "_plain_types", "_restorer", "_sentences", "_table", "_version"),
)
"""Functions that remember what they say of modules, classes, packages and own files, of which there are few."""


@each("path", sorted(PACKAGE.rglob("*.py")), lambda p: p.relative_to(PACKAGE))
def test_nothing_else_keeps_what_calls_make(path: Path) -> None:
    if path == Path(interning.__file__):
        return
    text = path.read_text()
    tree = ast.parse(text)
    nodes = {*ast.walk(tree)} if "cache" in text or "Weak" in text else set[ast.AST]()
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    inner = {node for function in functions for node in ast.walk(function) if node is not function}  # end with a call
    for node in nodes - {node for node in inner if isinstance(node, ast.FunctionDef)}:
        assert not (isinstance(node, ast.Name) and node.id in ("lru_cache", "WeakValueDictionary", "WeakKeyDictionary"))
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(d) == "cache" for d in node.decorator_list):
            assert not node.args.args or node.name in BY_MODULE_OR_CLASS, f"{node.name} remembers arguments"
    for node in tree.body:
        value = getattr(node, "value", None) if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        if isinstance(value, ast.Dict | ast.List | ast.Call) and ast.unparse(value) in ("{}", "[]", "set()", "dict()"):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]  # type: ignore[attr-defined]
            assert ast.unparse(target) in CATALOGUES


@pytest.mark.usefixtures("impatient")
def test_threads_share_what_is_equal_and_nothing_else(full: bool) -> None:
    count = 5_000 if full else 300

    def work(_: int) -> list[tuple[object, ...]]:
        return [everything(f"shared{i}") for i in range(count)]

    first, *others = together(work)
    for other in others:
        for a, b in zip(first, other, strict=True):  # type: ignore[call-overload]  # lists
            assert all(x is y for x, y in zip(a, b, strict=True))


@pytest.mark.usefixtures("impatient")
def test_a_symbol_of_one_thread_is_never_another_ones(full: bool) -> None:
    count = 40_000 if full else 4_000

    def work(index: int) -> list[tuple[str, Dim]]:
        names = [f"own{index}.{i}" for i in range(count)]
        return [(name, symbol(name, 1) + 1) for name in names]

    for name, dim in [pair for made in together(work) for pair in made]:  # type: ignore[attr-defined]  # lists
        (atom,) = dim.symbols
        assert (atom.name, dim.terms) == (name, (((), 1), ((atom.number,), 1)))


QUESTIONS = (
    ("unet/unet.onnx", {"height": "64..512", "width": "64..512"}),
    ("kv_cache/kv_cache.onnx", {"past": "1..2048", "seq": "1..64", "total": "2..4096"}),
    ("window_partition/tiles.onnx", {"batch": "1..8", "height": "1..224", "width": "1..224"}),
    ("position_table/position_table.onnx", {"batch": "1..8", "seq": "1..1024"}),
)


def answers(_: int = 0) -> list[object]:
    """What two questions say of every model; the time they take is nobody's concern."""
    found = []
    for path, dims in QUESTIONS:
        for ask in (shapesmt.check, shapesmt.bounds):
            answer = ask(EXAMPLES / path, dims=dims).to_dict()
            answer.pop("seconds")
            found.append(answer)
    return found


@pytest.mark.usefixtures("impatient")
def test_calls_in_threads_say_what_they_say_alone() -> None:
    alone = answers()
    forget()
    assert all(found == alone for found in together(answers))
    assert gc.isenabled()
    assert gc.get_threshold()[0]


# Forgetting


def test_what_is_held_stays_the_same_object() -> None:
    held = everything("held")
    forget()
    assert all(a is b for a, b in zip(held, everything("held"), strict=True))
    n, m = symbol("held.n", 1, 64), symbol("held.m", 1, 64)
    assert equal(n * m, product((m, n))) is equal(n, n)
    assert str(held[1]) == str((n * m + 3) // 4 + maximum(n, m) * minimum(n, 7))


def test_what_nobody_holds_is_forgotten() -> None:
    lost = [ref(part) for part in everything("lost")]
    before = sum(sizes().values())
    forget()
    assert [part() for part in lost] == [None] * len(lost)
    assert sum(sizes().values()) < before


def test_answers_are_the_same_after_forgetting() -> None:
    before = answers()
    forget()
    assert answers() == before


def test_a_process_keeps_no_more_than_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    forget()
    start = sum(sizes().values())
    monkeypatch.setattr(interning, "LIMIT", start + 300)
    for i in range(60):
        text = f'<ir_version: 8, opset_import: ["":18]> g (float[n{i}, m{i}] x) => (y) {{ y = Flatten<axis=0>(x) }}'
        names = {f"n{i}": (1, i + 2), f"m{i}": (2, 3 * i + 3)}
        assert shapesmt.check(text.encode(), dims=names).verdict.value == "PROVED"
        assert sum(sizes().values()) <= start + 600  # the limit, and what one call makes


def test_nothing_is_forgotten_inside_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interning, "LIMIT", 0)
    with interning.one_call():
        lost = ref(symbol("a size that nobody holds", 1))
        answers()
        assert lost() is not None
    with interning.one_call():
        assert lost() is None


def test_it_waits_for_the_call_that_asks_for_it() -> None:
    with interning.one_call():
        lost = ref(symbol("a size of the call that forgets", 1))
        forget()
        assert lost() is not None
        with interning.one_call():
            forget()
        assert lost() is not None
    assert lost() is None


@pytest.mark.parametrize("patience", [PATIENCE, 0.01])
def test_later_calls_wait_for_it_but_not_for_ever(patience: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interning, "PATIENCE", patience)
    lost, alive, entered = ref(symbol("a size that two threads could keep", 1)), [], Event()

    def call() -> None:
        with interning.one_call():
            alive.append(lost() is not None)
            entered.set()

    later = Thread(target=call)
    with interning.one_call():
        forget()
        later.start()
        entered.wait(0.1 if patience > 1 else PATIENCE)
        assert alive == ([] if patience > 1 else [True])
    later.join()
    assert alive == [patience < 1]
    assert lost() is None


def test_it_is_done_once() -> None:
    with interning.one_call():
        forget()
    held = symbol("a size of later", 1) + 1
    number = sum(sizes().values())
    with interning.one_call():
        pass
    assert sum(sizes().values()) == number, held


ASKED = (
    shapesmt.check, shapesmt.bounds, shapesmt.memory, shapesmt.explain, shapesmt.inspect, shapesmt.encode,
    shapesmt.page, shapesmt.load_graph, shapesmt.supported_ops, shapesmt.profile, shapesmt.tighten, shapesmt.simplify,
    shapesmt.dataflow,
)  # fmt: skip
"""All but `encoding`: Z3's own objects are for one thread."""
SMALL = b"""<ir_version: 8, opset_import: ["":18]> g (float[n, 4] x, float[m, 4] z) => (float[k, l] y)
{ a = Concat <axis=0> (x, z) y = Flatten <axis=0> (a) }"""


@pytest.mark.usefixtures("impatient")
def test_any_thread_may_forget_at_any_time(full: bool) -> None:
    each, failures, ended = 1000 if full else 30, [], Event()

    def ask(question: Callable[..., object]) -> None:
        try:
            question(SMALL)
        except Exception as error:
            failures.append(repr(error))

    def work(index: int) -> None:
        for i in range(each):
            ask(ASKED[(index + i) % len(ASKED)])

    def forgetting() -> None:
        while not ended.wait(0.002):
            forget()

    other = Thread(target=forgetting)
    other.start()
    together(work)
    ended.set()
    other.join()
    assert not failures
