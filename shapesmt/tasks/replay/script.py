"""Write a Python script that shows one failure on ONNX Runtime; it needs only numpy, onnx and onnxruntime."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from shapesmt.base.errors import escape_marks, printable
from shapesmt.base.version import __version__
from shapesmt.network.graph import Graph
from shapesmt.operators.inference import Operators
from shapesmt.reports.answers import Finding, FindingKind
from shapesmt.reports.render import finding_head, finding_lines
from shapesmt.tasks.replay.cut import UNABLE, Cut, CutError, Feed, at, cut_out

if TYPE_CHECKING:
    import onnx

READABLE = 60  # nodes; with more before the failing one, the script has only that node
SMALL = 128  # bytes; larger constants become inputs instead of being written out
_WIDTH = 110
_LISTED = 1024  # elements; larger constants are written as zeros
_PLAIN = {1: "f", 2: "i", 3: "s", 6: "floats", 7: "ints", 8: "strings"}  # attributes that make_node takes as they are
_NOT_KEYWORDS = frozenset({"op_type", "inputs", "outputs", "name", "doc_string", "domain", "overload"})

_HEAD = """\
import itertools
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

"""

_TAIL = '''

def array(dtype, shape, content):
    """The elements listed, or all the same."""
    return np.array(content, dtype).reshape(shape) if isinstance(content, list) else np.full(shape, content, dtype)


def failure(nodes, outputs, fixed, fill):
    """What ONNX Runtime says against these nodes; None if they run. `fixed` declares the sizes that fail."""
    inputs, feeds = [], {}
    for name, (dtype, declared, shape, content) in INPUTS.items():
        number = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        inputs.append(helper.make_tensor_value_info(name, number, shape if fixed else declared))
        feeds[name] = array(dtype, shape, content if fill is None or isinstance(content, (list, str)) else fill)
    ends = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph(nodes, "repro", inputs, ends, CONSTANTS)
    model = helper.make_model(graph, opset_imports=OPSETS, ir_version=IR_VERSION, functions=FUNCTIONS)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        content, providers = model.SerializeToString(), ["CPUExecutionProvider"]
        onnxruntime.InferenceSession(content, options, providers=providers).run(None, feeds)
    except Exception as error:
        if any(text in str(error) for text in UNABLE):
            sys.exit(shown(f"not reproduced: onnxruntime {onnxruntime.__version__} can't run it: {error}"))
        return str(error)
    return None


def shown(text):
    """The text on one line, in which nothing is a command for a terminal or for what runs this."""
    return "".join(c if c.isprintable() else " " for c in text).replace("##", "# #")


for fixed, fill in itertools.product((False, True), FILLS):
    message = failure(NODES, OUTPUTS, fixed, fill)
    if message is not None and (not READS or failure(NODES[:-1], READS, fixed, fill) is None):
        node = f"{NODES[-1].name!r} ({NODES[-1].op_type})"
        print(shown(f"reproduced with onnxruntime {onnxruntime.__version__}: {node} fails"))
        print(shown(message))
        sys.exit(0)
print(shown(f"not reproduced with onnxruntime {onnxruntime.__version__}: {message or 'it runs'}"))
sys.exit(1)
'''


def script_for(
    proto: onnx.ModelProto, graph: Graph, findings: Sequence[Finding], node: str | None = None
) -> str | None:
    """Return the script for the first finding with a counterexample (of `node`, if given); None if there is none.

    It includes the nodes before the failing one if they are few enough to read, else that node alone.

    Raises:
        UsageError: Neither can be cut out of the model.
    """
    shown = [f for f in findings if f.counterexample is not None and node in (None, f.node)]
    if not shown:
        return None
    finding = shown[0]
    return write_script(_part(proto, graph, finding), finding, graph.source, __version__)


def _part(proto: onnx.ModelProto, graph: Graph, finding: Finding) -> Cut:
    assert finding.counterexample is not None
    example = finding.counterexample
    known = at(graph, example)
    whole = len(graph.ancestors(finding.index)) < READABLE
    try:
        return cut_out(proto, graph, finding.index, example, known, whole=whole, keep=SMALL)
    except CutError:
        return cut_out(proto, graph, finding.index, example, known, whole=not whole, keep=SMALL)


def write_script(part: Cut, finding: Finding, model: str, version: str) -> str:
    """Return the script: the finding as a comment, the failing part of the model as data, and the run.

    It exits with 0 if the failure shows, else with 1.
    """
    opsets = [f"helper.make_opsetid({domain!r}, {version})" for domain, version in part.opsets.items()]
    fills = (None, 0, 1) if finding.kind == FindingKind.DATA else (None,)
    operators = Operators(part.opsets, {})
    number = int(any(operators.traits_of(node.domain, node.op_type).divides for node in part.nodes))
    blocks = [
        _listing("INPUTS", (f"{name!r}: {_feed(feed, number)}" for name, feed in part.feeds.items()), "{}"),
        _listing("CONSTANTS", map(_source, part.constants)),
        _listing("NODES", map(_node, part.nodes)),
        f"READS = {part.inner!r}  # what the last node needs of those before it\n",
        f"OUTPUTS = {part.outputs!r}\n",
        _listing("FUNCTIONS", map(_source, part.functions)),
        f"OPSETS = [{', '.join(opsets)}]\n",
        f"IR_VERSION = {part.origin.ir_version}\n",
        f"FILLS = {fills!r}  # tried in turn; None is what the inputs say\n",
    ]
    comment = "".join(f"# {line}".rstrip() + "\n" for line in _comment(part, finding, model, version))
    about = "# Each input: its type, its shape as declared, its shape here, and what it is filled with.\n"
    blocks.append("# What it says of nodes that it has no code for.\n" + _listing("UNABLE", map(repr, UNABLE)))
    return escape_marks(
        f"{comment}\n{_HEAD}{about}{''.join(blocks)}{_TAIL}", r"\x23"
    )  # only texts and comments have marks


def _comment(part: Cut, finding: Finding, model: str, version: str) -> Iterator[str]:
    what = "the node and what leads to it" if part.whole else "the node alone, on the sizes that reach it"
    yield f"A failure of {printable(model)}, cut down to {what}; weights are replaced by constants."
    yield f"Written by shapesmt {version}; needs numpy, onnx and onnxruntime. Exits with 0 if the node fails, else 1."
    yield ""
    for line in (*finding_head(finding), *finding_lines(finding, most=len(finding.because) or 1)):
        indent = " " * line.indent
        text = printable(str(line).strip(), 1000)
        yield from textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}    ") or [""]


def _listing(name: str, items: Iterable[str], brackets: str = "[]") -> str:
    rows = "".join(f"    {item},\n" for item in items)
    return f"{name} = {brackets[0]}\n{rows}{brackets[1]}\n" if rows else f"{name} = {brackets}\n"


def _feed(feed: Feed, number: int) -> str:
    declared = feed.shape if feed.declared is None else feed.declared
    if feed.values is not None:
        content: object = [_number(v) for v in feed.values]
    else:
        content = "a" if feed.dtype == "string" else number if "int" in feed.dtype else 1
    dtype = "object" if feed.dtype == "string" else feed.dtype
    shown = f"[{', '.join(content)}]" if isinstance(content, list) else repr(content)
    return f"({dtype!r}, {tuple(declared)!r}, {feed.shape!r}, {shown})"


def _node(node: onnx.NodeProto) -> str:
    """Return a node as a call of `make_node`, or as the expression of its protobuf if that isn't possible."""
    simple = all(
        a.type in _PLAIN and (a.type < 6 or len(getattr(a, _PLAIN[a.type]))) and a.name.isidentifier()
        and a.name not in _NOT_KEYWORDS and not a.ref_attr_name for a in node.attribute
    )  # fmt: skip
    if not simple or node.overload:
        return _source(node)
    attributes = {a.name: _text(getattr(a, _PLAIN[a.type])) for a in node.attribute}
    parts = [f"{node.op_type!r}", f"{list(node.input)!r}", f"{list(node.output)!r}", f"name={node.name!r}"]
    parts += [f"domain={node.domain!r}"] if node.domain else []
    plain = [f"{name}={_value(value)}" for name, value in attributes.items()]
    return f"helper.make_node({', '.join([*parts, *_keyword_arguments(plain, attributes)])})"


def _text(value: Any) -> Any:
    """Return bytes as text if they are UTF-8; any other value unchanged."""
    try:
        return value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        return value


def _keyword_arguments(plain: list[str], attributes: dict[str, Any]) -> list[str]:
    """Return the attributes as keyword arguments, or as a dictionary if the name of one is a Python keyword."""
    from keyword import iskeyword

    if any(map(iskeyword, attributes)):
        return [f"**{{{', '.join(f'{name!r}: {_value(value)}' for name, value in attributes.items())}}}"]
    return plain


def _source(message: Any) -> str:
    """Return the Python expression for a protobuf message."""
    if message.DESCRIPTOR.full_name == "onnx.TensorProto" and (text := _tensor(message)):
        return text
    parts = [f"{field.name}={_value(value)}" for field, value in message.ListFields()]
    return f"{message.DESCRIPTOR.full_name}({', '.join(parts)})"


def _value(value: Any) -> str:
    if hasattr(value, "ListFields"):
        return _source(value)
    if isinstance(value, (bool, int, str, bytes)):
        return repr(value)
    if isinstance(value, float):
        return _number(value)
    return f"[{', '.join(map(_value, value))}]"


def _number(value: float) -> str:
    """Return a number as Python writes it; infinity and nan as `float("inf")`."""
    text = repr(value)
    return text if text.lstrip("-")[:1].isdigit() or isinstance(value, bool) else f"float({text!r})"


def _tensor(tensor: onnx.TensorProto) -> str:
    """Return the expression of a constant, with zeros if it is large; "" if numpy lacks the type or it is damaged."""
    from onnx import helper, numpy_helper

    try:
        dtype = helper.tensor_dtype_to_np_dtype(tensor.data_type)
        if dtype.kind not in "biuf" or dtype.isbuiltin != 1:
            return ""
        array = numpy_helper.to_array(tensor)
    except (KeyError, TypeError, ValueError, OverflowError):
        return ""
    name = f", name={tensor.name!r}" if tensor.name else ""
    if array.size > _LISTED:
        return f"numpy_helper.from_array(np.zeros({array.shape!r}, {str(dtype)!r}){name})"
    listed = ", ".join(map(_number, array.ravel().tolist()))
    shaped = "" if array.ndim == 1 else f".reshape({array.shape!r})"
    return f"numpy_helper.from_array(np.array([{listed}], {str(dtype)!r}){shaped}{name})"
