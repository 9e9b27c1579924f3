r"""Read TensorFlow's graphs (`GraphDef`, binary or text) and saved models (a folder with a `saved_model.pb`).

Nodes keep TensorFlow's operators, in the domain "tensorflow"; `shapesmt.operators.ops.tensorflow` has their rules. The
first output of a node has the node's name, further ones are `node:1`. A saved model has the inputs and outputs of one
signature: the one that its path names (`saved#score`), or `serving_default`, or the only one. In a plain graph every
placeholder that a node reads is an input, and every tensor that no node reads is an output. Function calls are inlined;
variables are tensors with unknown elements.

    >>> from shapesmt.frontends.files import model_file
    >>> graph = read(model_file(b'''
    ...     node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
    ...       attr { key: "shape" value { shape { dim { size: -1 } dim { size: 3 } } } } }
    ...     node { name: "y" op: "Relu" input: "x" }'''), "graph.text")
    >>> graph.inputs["x"], graph.nodes[0].op, graph.outputs
    (Declared(dtype='float32', shape=(None, 3), kind='tensor'), 'Relu', ('y',))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shapesmt.base.collector import gc_paused
from shapesmt.base.errors import ModelError, printable
from shapesmt.frontends.files import ModelFile
from shapesmt.frontends.tensorflow.bodies import INPUTS, VARIABLES, Library, Scope
from shapesmt.frontends.tensorflow.body import DOMAIN as DOMAIN, Body
from shapesmt.frontends.tensorflow.flow import CONTROL
from shapesmt.frontends.tensorflow.operators import operators_by_name
from shapesmt.frontends.tensorflow.protos import Proto, Signature, parse
from shapesmt.frontends.tensorflow.switches import region
from shapesmt.frontends.tensorflow.values import dtype_of, read_declaration
from shapesmt.network.graph import Declared, Graph, Node

_UNSHAPED = 24  # graphs of earlier versions write an unknown rank as the shape of a scalar
_NO_OUTPUTS = ("Assert", "Const", "NoOp", *INPUTS, *VARIABLES)


def read(file: ModelFile, form: str) -> Graph:
    """Return the graph of a file.

    Args:
        file: The file.
        form: Its format, as `shapesmt.frontends.recognize.tensorflow_format` returns it.

    Raises:
        ModelError: The file is damaged, or contradicts itself.
        UsageError: tensorboard, which has TensorFlow's protobufs, isn't installed.
    """
    try:
        with gc_paused():
            graph, operators, signature = parse(file, form)
            model = _Model(file.source, graph, operators)
            return model.plain() if signature is None else model.signature_graph(signature)
    except (MemoryError, OverflowError, RecursionError):
        raise ModelError(f"{file.source}: too large to read") from None


class _Model:
    """Converts the graph of a file."""

    def __init__(self, source: str, proto: Proto, operators: Iterable[Proto]) -> None:
        self.source = source
        self.proto = proto
        self.library = Library(source, proto.library.function, operators_by_name(operators), CONTROL, region)
        self.body = Body()

    def plain(self) -> Graph:
        """Return a graph without a signature."""
        nodes = self.proto.node
        read = {reference.lstrip("^").partition(":")[0] for node in nodes for reference in node.input}
        placeholders = [node for node in nodes if node.op in INPUTS and node.name in read]
        inputs = {self.library.unique(node.name): self.placeholder(node) for node in placeholders}
        scope = Scope(self.library, self.body, nodes, {name: [name] for name in inputs})
        unread = [node for node in nodes if node.name not in read]
        ends = [node.name for node in unread if node.op not in _NO_OUTPUTS]
        asserted = [node.name for node in unread if node.op == "Assert"]
        if not (ends or asserted):  # every node is in a loop
            ends = [node.name for node in nodes if node.op not in _NO_OUTPUTS]
        scope.tensors([], [*ends, *asserted])
        outputs = dict.fromkeys(tensor for name in ends for tensor in scope.converted[name])
        return self.body.graph("", inputs, tuple(outputs), self.source)

    def placeholder(self, node: Proto, info: Proto | None = None) -> Declared:
        """Return the type and shape of a placeholder; if it has no shape, the signature's `info` may have one."""
        shape = node.attr["shape"].shape if "shape" in node.attr else None
        if shape is not None and not shape.dim and self.proto.versions.producer < _UNSHAPED:
            shape = None
        if info is not None and (shape is None or shape.unknown_rank):
            shape = info.tensor_shape
        dtype = dtype_of(node.attr["dtype"].type)
        return Declared(dtype, None) if shape is None else read_declaration(dtype, shape)

    def signature_graph(self, signature: Signature) -> Graph:
        """Return the part of a saved model between the inputs and the outputs of its signature."""
        infos, results = signature
        nodes = {node.name: node for node in self.proto.node}
        fed = {self.replaced_node(key, info, nodes): key for key, info in infos.items()}
        if len(fed) < len(infos):
            raise ModelError(f"{self.source}: two inputs of its signature are one tensor")
        named = {name: self.library.unique(name if ":" in key else key) for name, key in fed.items()}
        inputs = {named[name]: self.placeholder(nodes[name], infos[fed[name]]) for name in nodes if name in fed}
        names = [self.result(key, info) for key, info in results.items()]
        scope = Scope(self.library, self.body, self.proto.node, {name: [called] for name, called in named.items()})
        tensors = scope.tensors([info.name for info in results.values()])
        for name, tensor, info in zip(names, tensors, results.values(), strict=True):
            if name != tensor:
                self.body.nodes.append(Node("Identity", "", name, [tensor], [name]))
            self.body.declared[name] = read_declaration(dtype_of(info.dtype), info.tensor_shape)
        return self.body.graph("", inputs, tuple(names), self.source)

    def result(self, key: str, info: Proto) -> str:
        """Return the name of an output: its key in the signature, made unique unless it is the tensor's own name."""
        own = key == info.name.partition(":")[0] and key not in self.library.taken
        return key if own else self.library.unique(key.replace(":", "_"))

    def replaced_node(self, key: str, info: Proto, nodes: Mapping[str, Proto]) -> str:
        """Return the name of the node that an input of the signature replaces."""
        name, _, output = str(info.name).partition(":")
        if info.WhichOneof("encoding") != "name":
            raise ModelError(f"{self.source}: input '{printable(key)}' of its signature is not a plain tensor")
        if name not in nodes or output not in ("", "0"):
            text = f"input '{printable(key)}' of its signature is '{printable(info.name)}'"
            raise ModelError(f"{self.source}: {text}, which nothing makes")
        return name
