"""Compare rules with execution: small models are run at every assignment of small ranges.

    from tests.support.harness import agree, node

    agree(node("Concat", ["x", "y"], axis=0), {"x": ["n", 3], "y": ["m", "k"]}, {"n": (0, 2), "m": (1, 2), ...})

A run fails if and only if some requirement is false; after a run that passes, every output has the inferred
rank, sizes, element type and known elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, product
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper
from onnx.reference import ReferenceEvaluator

from shapesmt.frontends import load
from shapesmt.operators import inference as walk
from shapesmt.operators.rules.tensors import Tensor, held, tensor
from shapesmt.operators.rules.value import Elements, elements
from shapesmt.prover.algebra import positions
from shapesmt.prover.algebra.dim import Atom, Dim, as_dim, symbol
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.formula import Formula
from shapesmt.prover.algebra.numeric.floats import Float
from tests.support.versions import relaxed

if TYPE_CHECKING:
    from shapesmt.operators.inference import Inference

onnxruntime.set_default_logger_severity(4)

Size = int | str  # a number, or an expression over the symbols ("n", "2*n + 1")
Run = Callable[[dict[str, Any]], list[Any] | None]  # feeds -> outputs, None when the run fails
OPSET = 21
DATA_VALUES = 7  # how many values of a data-dependent symbol are tried
IR = 10


@dataclass
class Agreement:
    """The result of a comparison: the inference, and how many assignments ran and failed."""

    inference: Inference
    ran: int = 0
    failed: int = 0
    backend: str = "onnxruntime"
    ops: frozenset[str] = frozenset()
    tensors: dict[str, Tensor] = field(default_factory=dict)


def node(
    op: str, inputs: Sequence[str], outputs: Sequence[str] = ("out",), domain: str = "", **attributes: Any
) -> onnx.NodeProto:
    """Return a node named after its operator; attributes that are None are omitted."""
    kept = {k: v for k, v in attributes.items() if v is not None}
    return helper.make_node(op, list(inputs), list(outputs), name=op.lower(), domain=domain, **kept)


def agree(
    model: onnx.ModelProto | onnx.NodeProto | Sequence[onnx.NodeProto],
    shapes: Mapping[str, Sequence[Size]] | None = None,
    ranges: Mapping[str, tuple[int, int]] | None = None,
    *,
    constants: Mapping[str, Any] | None = None,
    items: Mapping[str, Sequence[Size | None]] | None = None,
    data: Mapping[str, Any] | None = None,
    dtypes: Mapping[str, str] | None = None,
    outputs: Sequence[str] | None = None,
    opset: int = OPSET,
    backend: str = "",
    known: bool = True,
    may_fail_more: bool = False,
) -> Agreement:
    """Assert that inference and execution agree at every assignment of numbers to the symbols.

    Args:
        model: One node, several, or a whole model (then `shapes` isn't needed).
        shapes: The sizes of each graph input.
        ranges: The range of each symbol, both bounds included.
        constants: Initializers by name.
        items: Inputs whose elements inference knows, as expressions over the symbols (None: unknown, 0 in the run).
        data: Inputs whose elements inference doesn't know: an array, or a function of the assignment (a dict) and the
            shape; a list of them holds alternatives, all of which have to work.
        dtypes: Element types of inputs; by default float32 (int64 for `items`).
        outputs: The graph's outputs; by default all outputs of the nodes.
        opset: The version of ai.onnx.
        backend: "onnxruntime" or "reference"; by default the latter if the former has no kernel.
        known: Whether the rank of every output must be inferred.
        may_fail_more: Whether a run may fail although all requirements hold, because of unknown elements.
    """
    constants = {k: np.asarray(v) for k, v in (constants or {}).items()}
    items, data, ranges = dict(items or {}), dict(data or {}), dict(ranges or {})
    if not isinstance(model, onnx.ModelProto):
        nodes = [model] if isinstance(model, onnx.NodeProto) else list(model)
        types = {**dict.fromkeys(items, "int64"), **(dtypes or {})}
        given = {**{k: [len(v)] for k, v in items.items()}, **(shapes or {})}
        model = build(nodes, given, types, constants, outputs, opset)
    symbols = {name: symbol(name, *ends) for name, ends in ranges.items()}
    inputs = _inputs(model, symbols, items)
    graph = load(model)
    inference = walk.infer(graph, inputs)
    ops = frozenset(n.op_type for n in model.graph.node)
    found = Agreement(inference, ops=ops, tensors=inference.tensors)
    found.backend, run = runner(model, backend)
    names = [output.name for output in model.graph.output]
    for env in assignments(ranges):
        atoms = _atoms(symbols, env)
        here = Evaluator(atoms)
        choices = [_feeds(inputs, here, env, items, choice) for choice in _alternatives(data)]
        results = [run(feeds) for feeds in choices if feeds is not None]
        if results:
            _compare(found, names, atoms, results, f"at {env} ({found.backend})", known, may_fail_more)
    return found


def build(
    nodes: Sequence[onnx.NodeProto],
    shapes: Mapping[str, Sequence[Size] | None],
    dtypes: Mapping[str, str] | None = None,
    constants: Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    opset: int = OPSET,
) -> onnx.ModelProto:
    """Return a model of these nodes; its outputs declare no shapes."""
    nodes = [onnx.NodeProto.FromString(n.SerializeToString()) for n in nodes]
    for index, n in enumerate(nodes):
        n.name += f"_{index}" if any(n.name == other.name for other in nodes[:index]) else ""
    if outputs is None:
        outputs = [name for n in nodes for name in n.output if name]
    types = {name: _TYPES[(dtypes or {}).get(name, "float32")] for name in shapes}
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info(name, types[name], shape) for name, shape in shapes.items()],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [onnx.numpy_helper.from_array(np.asarray(v), name) for name, v in (constants or {}).items()],
    )
    imports = [
        helper.make_opsetid("", opset),
        *(helper.make_opsetid(d, 1) for d in {n.domain for n in nodes} - {""}),
    ]
    return helper.make_model(graph, opset_imports=imports, ir_version=IR)


def assignments(ranges: Mapping[str, tuple[int, int]]) -> Iterator[dict[str, int]]:
    """Yield every assignment of numbers to the symbols: `{"n": (0, 1)}` gives `{"n": 0}` and `{"n": 1}`."""
    for values in product(*(range(lo, hi + 1) for lo, hi in ranges.values())):
        yield dict(zip(ranges, values, strict=True))


def runner(model: onnx.ModelProto, backend: str = "") -> tuple[str, Run]:
    """Return the backend's name, and a function that runs the model and returns its outputs, None if the run fails.

    A model that can't be loaded fails in every run.
    """
    if backend != "reference":
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_mem_pattern = options.enable_mem_reuse = False
        options.log_severity_level = 4
        try:
            session = onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            if backend or not any(sign in str(error) for sign in _NO_KERNEL):
                return f"onnxruntime: {error}", lambda _: None
        else:
            return "onnxruntime", lambda feeds: _attempt(lambda: session.run(None, feeds))
    try:
        evaluator = ReferenceEvaluator(model)
    except Exception as error:
        return f"reference: {error}", lambda _: None
    return "reference", lambda feeds: _attempt(lambda: evaluator.run(None, feeds))


def _attempt(run: Callable[[], list[Any]]) -> list[Any] | None:
    try:
        with np.errstate(all="ignore"):
            return run()
    except Exception:
        return None


def _inputs(
    model: onnx.ModelProto, symbols: Mapping[str, Dim], items: Mapping[str, Sequence[Size | None]]
) -> dict[str, Tensor]:
    constant = {t.name for t in model.graph.initializer}
    found = {}
    for info in model.graph.input:
        if info.name in constant:
            continue
        kind = info.type.tensor_type
        dtype = _dtype_name(kind.elem_type)
        if not kind.HasField("shape"):
            found[info.name] = tensor(dtype, None)
            continue
        dims = [d.dim_value if d.HasField("dim_value") else _expression(d.dim_param, symbols) for d in kind.shape.dim]
        value = None
        if info.name in items:
            listed = [None if i is None else as_dim(_expression(i, symbols)) for i in items[info.name]]
            value = elements([int(d) for d in dims], listed)
        found[info.name] = tensor(dtype, dims, value)
    return found


def _expression(text: Size, names: Mapping[str, Any]) -> Any:
    return eval(_compiled(text), {}, dict(names)) if isinstance(text, str) else text


@cache
def _compiled(text: str) -> CodeType:
    return compile(text, text, "eval")  # the tests' own text


def _alternatives(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every combination of the alternatives for data; a list holds the alternatives for one input."""
    for values in product(*(v if isinstance(v, list) else [v] for v in data.values())):
        yield dict(zip(data, values, strict=True))


def _feeds(
    inputs: Mapping[str, Tensor],
    evaluator: Evaluator,
    env: Mapping[str, int],
    items: Mapping[str, Sequence[Size | None]],
    data: Mapping[str, Any],
) -> dict[str, Any] | None:
    feeds = {}
    for name, t in inputs.items():
        dtype = _np_dtype(t.dtype)
        shape = None if t.shape is None else tuple(evaluator.dim(d) for d in t.dims)
        if shape is not None and any(d < 0 for d in shape):
            return None
        if name in items:
            array = np.array([0 if i is None else _expression(i, env) for i in items[name]]).reshape(shape)
        elif name in data:
            array = data[name](dict(env), shape) if callable(data[name]) else data[name]
        else:
            array = np.full(shape, "a" if dtype.kind == "O" else 1 if dtype.kind in "fb" else 0)
        feeds[name] = np.asarray(array).astype(dtype)
        assert shape is None or feeds[name].shape == shape, (name, feeds[name].shape, shape)
    return feeds


def _atoms(symbols: Mapping[str, Dim], env: Mapping[str, int]) -> dict[Atom, int]:
    return {s: env[name] for name, dim in symbols.items() if (s := dim.as_symbol()) is not None}


def _compare(
    found: Agreement,
    names: Sequence[str],
    atoms: dict[Atom, int],
    results: list[list[Any] | None],
    where: str,
    known: bool,
    may_fail_more: bool,
) -> None:
    """Compare inference with the runs at one assignment: `results` has a run for each alternative of the data."""
    if any(r is None for r in results):
        found.failed += 1
        assert _broken(found.inference, atoms) or may_fail_more, f"fails {where} though all requirements hold"
        return
    found.ran += 1
    for result in results:
        bound = dict(atoms)
        outputs = dict(zip(names, result or (), strict=True))
        for name, value in outputs.items():
            _bind(held(found.tensors[name], bound), value, bound)
        broken = _broken(found.inference, bound)
        if broken and all(any(relaxed(op, text.split(": ")[0]) for op in found.ops) for text in broken):
            continue
        assert not broken, f"runs {where} though {broken}"
        here = Evaluator(bound)
        for name, value in outputs.items():
            _check(held(found.tensors[name], bound), value, bound, here, f"'{name}' {where}", known)


def _bind(t: Tensor, result: Any, atoms: dict[Atom, int]) -> None:
    """Set each data-dependent size to the size in the run's result; assert that it is in its range."""
    for dim, size in zip(t.shape or (), np.shape(result), strict=False):
        atom = dim.as_symbol()
        if atom is not None and atom.kind == "data":
            assert atom.lo <= size <= atom.hi, f"{atom.name} is {size}, outside {atom.lo}..{atom.hi}"
            assert atoms.setdefault(atom, size) == size, f"{atom.name} is both {atoms[atom]} and {size}"


def _broken(inference: Inference, atoms: Mapping[Atom, int]) -> list[str]:
    """Return the laws that are violated for some values of the data-dependent symbols."""
    facts = [f for a in inference.applications for f in a.facts]
    here, known = Evaluator(atoms), [f for f in facts if f.symbols <= atoms.keys()]
    true = all(map(here.formula, known))
    broken = []
    for r in (r for a in inference.applications for r in a.requirements):
        free = sorted(r.formula.symbols - atoms.keys(), key=lambda s: s.number)
        if _fails_for_some(r.formula, free, facts, atoms) if free else true and not here.formula(r.formula):
            broken.append(f"{r.law}: {r.formula}")
    assert broken or true, f"a stated fact is false: {known} {atoms}"
    return broken


def _fails_for_some(formula: Formula, free: Sequence[Atom], facts: list[Formula], atoms: Mapping[Atom, int]) -> bool:
    """Whether a condition is false for some values of the `free` symbols that satisfy the facts about them."""
    related = [f for f in facts if f.symbols <= atoms.keys() | set(free)]
    spans = [range(int(s.lo), int(min(s.hi, s.lo + DATA_VALUES)) + 1) for s in free]
    evaluators = (Evaluator({**atoms, **dict(zip(free, v, strict=True))}) for v in islice(product(*spans), 5000))
    return any(all(map(e.formula, related)) and not e.formula(formula) for e in evaluators)


def _check(t: Tensor, result: Any, atoms: Mapping[Atom, int], evaluator: Evaluator, where: str, known: bool) -> None:
    array = np.asarray(result)
    dtype = {"object": "string", "str": "string"}.get(array.dtype.name, array.dtype.name)
    assert t.dtype in (dtype, "bfloat16") or (not known and not t.dtype), (
        f"dtype of {where}: inferred {t.dtype}, real {dtype}"
    )
    if t.shape is None:
        assert not known, f"the rank of {where} is unknown"
        return
    bound = [
        evaluator.dim(d) if d.symbols <= atoms.keys() else size for d, size in zip(t.shape, array.shape, strict=False)
    ]
    agrees = len(t.shape) == array.ndim and tuple(bound) == array.shape
    assert agrees, f"shape of {where}: inferred {t}, real {array.shape}"
    if isinstance(t.value, Elements):
        pairs = [
            (i, v)
            for i, v in zip(t.value.items, array.ravel().tolist(), strict=True)
            if i is not None and i.symbols <= atoms.keys()
        ]
        inferred = [i.value(evaluator) if isinstance(i, Float) else evaluator.dim(i) for i, _ in pairs]
        assert all(a == b or (a != a and b != b) for a, (_, b) in zip(inferred, pairs, strict=True)), (
            f"elements of {where}: inferred {inferred}, real {array.tolist()}"
        )
    elif t.value is not None and t.value.element.symbols <= atoms.keys() | set(positions(t.value.element)):
        for index in islice(np.ndindex(array.shape), 200):
            at = {p: index[-int(p.name[1:])] for p in positions(t.value.element)}
            element, there = t.value.element, Evaluator({**atoms, **at})
            inferred = element.value(there) if isinstance(element, Float) else there.dim(element)
            assert inferred == array[index], (
                f"element {index} of {where}: inferred {t.value} = {inferred}, real {array[index]}"
            )


@cache
def _np_dtype(name: str) -> np.dtype[Any]:
    return helper.tensor_dtype_to_np_dtype(_TYPES[name])


def _dtype_name(element_type: int) -> str:
    return next(k for k, v in _TYPES.items() if v == element_type)


_NO_KERNEL = ("NOT_IMPLEMENTED", "is not a registered", "ValidateOpsetForDomain")
_TYPES = {
    {"float": "float32", "double": "float64"}.get(k.lower(), k.lower()): v for k, v in onnx.TensorProto.DataType.items()
}

__all__ = ["Agreement", "agree", "assignments", "build", "node", "runner"]
