"""TensorFlow's graphs in their text format."""

from __future__ import annotations


def attr(key, value):
    return f'attr {{ key: "{key}" value {{ {value} }} }}'


def shape(*sizes):
    return "shape { " + " ".join(f"dim {{ size: {size} }}" for size in sizes) + " }"


def node(name, op, *inputs, **attributes):
    read = " ".join(f'input: "{i}"' for i in inputs)
    return f'node {{ name: "{name}" op: "{op}" {read} {" ".join(attr(*a) for a in attributes.items())} }}'


def placeholder(name, *sizes, dtype="DT_FLOAT", op="Placeholder"):
    return node(name, op, dtype=f"type: {dtype}", shape=shape(*sizes))


def const(name, dtype, dims, content):
    return node(
        name, "Const", dtype=f"type: {dtype}", value=f"tensor {{ dtype: {dtype} tensor_{shape(*dims)} {content} }}"
    )


def function(name, arguments, nodes, results, controls=()):
    listed = " ".join(f'input_arg {{ name: "{a}" type: DT_FLOAT }}' for a in arguments)
    made = " ".join(f'output_arg {{ name: "{r}" type: DT_FLOAT }}' for r in results)
    ret = " ".join(f'ret {{ key: "{key}" value: "{value}" }}' for key, value in results.items())
    ret += " ".join(f'control_ret {{ key: "{c}" value: "{c}" }}' for c in controls)
    body = " ".join(n.replace("node {", "node_def {", 1) for n in nodes)
    return f'function {{ signature {{ name: "{name}" {listed} {made} }} {body} {ret} }}'


def call(name, called, *inputs, outputs=1, op="PartitionedCall"):
    types = "list { " + " ".join(["type: DT_FLOAT"] * outputs) + " }"
    return node(name, op, *inputs, f=f'func {{ name: "{called}" }}', Tout=types)


def graph(*nodes, functions=(), versions="versions { producer: 2000 }"):
    library = f"library {{ {' '.join(functions)} }}" if functions else ""
    return "\n".join([*nodes, library, versions]).encode()


def binary(text):
    from google.protobuf import text_format
    from tensorboard.compat.proto import graph_pb2

    return text_format.Parse(text.decode(), graph_pb2.GraphDef()).SerializeToString(deterministic=True)


X = placeholder("x", -1, 3)


ONE = graph(X, node("y", "Relu", "x"))


TWICE = function("twice", ["a"], [node("r", "Relu", "a"), node("n", "Neg", "r:activations:0")], {"o": "n:y:0"})


def saved(folder, text, *signatures, tags=("serve",), name="saved_model.pb"):
    """Write a graph as a saved model, and return its folder.

    Each signature is (name, inputs, outputs); inputs and outputs map their names to tensors of the graph.
    """
    from google.protobuf import text_format

    from shapesmt.frontends.tensorflow.protos import _saved_model

    message = _saved_model()(saved_model_schema_version=1)
    meta = message.meta_graphs.add()
    meta.meta_info_def.tags.extend(tags)
    text_format.Parse(text.decode(), meta.graph_def)
    for key, inputs, outputs in signatures:
        for said, given in ((meta.signature_def[key].inputs, inputs), (meta.signature_def[key].outputs, outputs)):
            for called, tensor in given.items():
                said[called].name = tensor
                said[called].tensor_shape.unknown_rank = True
    folder.mkdir(exist_ok=True)
    content = text_format.MessageToString(message).encode() if name.endswith("txt") else message.SerializeToString()
    (folder / name).write_bytes(content)
    return folder
