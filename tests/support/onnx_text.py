"""ONNX models in the text format, and tensors of theirs."""

from onnx import TensorProto, parser

HEAD = '<ir_version: 10, opset_import: ["" : 21, "local" : 1]>'


CHAIN = HEAD + "g (float[n, 3] x) => (float[n, 3] z) { y = Relu (x) z = Add (y, y) }"


def proto(body, head=HEAD):
    return parser.parse_model(head + body)


def with_initializers(*tensors):
    model = parser.parse_model(CHAIN)
    model.graph.initializer.extend(tensors)
    return model


def external(location, dtype=TensorProto.INT64, dims=(2,), **entries):
    tensor = TensorProto(name="w", data_type=dtype, dims=dims, data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor
