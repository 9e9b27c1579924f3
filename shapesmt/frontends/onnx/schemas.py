"""ONNX's schemas of its operators, each read when a node first needs it: from a table, or else from `onnx.defs`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from shapesmt.base.errors import UsageError, pass_on, printable
from shapesmt.base.lazy import cached_property
from shapesmt.frontends.onnx import tables
from shapesmt.frontends.onnx.types import Parameters, read_type
from shapesmt.network import laws
from shapesmt.network.graph import DTYPES, AttributeValue, Declared, Function, Literal, Node, Parameter, Signature

_NUMBERS = {name: number for number, name in DTYPES.items()}
TYPES = ("to", "dtype", "output_datatype", "output_dtype")
_NAMES = {"float": "float32", "double": "float64"}
_WIDER = ("SequenceEmpty",)  # the kernel supports more types than any version of the schema


def dtype_of(text: str) -> str:
    """Return the element type that a schema writes as `tensor(float)`, in this package's spelling.

    >>> dtype_of("tensor(float)"), dtype_of("optional(seq(tensor(int64)))"), dtype_of("seq(map(string, float))")
    ('float32', 'optional(seq(int64))', 'seq(map(string,float32))')
    """
    outer, bracket, inner = text.partition("(")
    if not bracket:
        return _NAMES.get(text, text)
    if outer == "map":
        return f"map({','.join(dtype_of(part.strip()) for part in inner[:-1].split(','))})"
    return dtype_of(inner[:-1]) if outer == "tensor" else f"{outer}({dtype_of(inner[:-1])})"


class OnnxSchemas:
    """The schemas of ONNX, and those that other packages have registered in `onnx.defs`.

    Args:
        read: Returns a `Function`, given a `FunctionProto` and its name in messages.
    """

    def __init__(self, read: Callable[[Any, str], Function]) -> None:
        self._read = read
        self._signatures: dict[tuple[str, str, int], Signature] = {}
        self._parameters: dict[tuple[str, str, int], Parameters] = {}

    def signature(self, domain: str, op: str, version: int) -> Signature | None:
        """Return the names and types of an operator's inputs in a version; None for an unknown operator."""
        key = (domain, op, version)
        if key not in self._signatures:
            listed = tables.find(*key)
            schema = self._schema(*key) if listed is None else None
            if listed is None and schema is None:  # it may be registered later
                return None
            self._signatures[key] = _signature(schema) if listed is None else listed.signature
        return self._signatures[key]

    def misfit(self, node: Node, version: int) -> laws.Law | None:
        """Return the law that a node violates by its number of inputs or outputs or its attributes; None if none."""
        key = (node.domain, node.op, version)
        parameters = self._parameters.get(key) or self.parameters(*key)
        if parameters is None:  # it may be registered later
            return None
        self._parameters[key] = parameters
        return parameters.misfit(node) or (
            parameters.broken_type_law(node) and self._newest(node, parameters).broken_type_law(node)
        )

    def unchecked_law(self, node: Node, version: int) -> laws.Law | None:
        """Return the law that a node violates by a type that its version lacks but kernels may support; or None."""
        parameters = self._parameters.get((node.domain, node.op, version))
        broken = None if parameters is None else parameters.broken_type_law(node)
        return None if broken and parameters and self._newest(node, parameters).broken_type_law(node) else broken

    def _newest(self, node: Node, parameters: Parameters) -> Parameters:
        """Return the parameters with the element types that the operator's newest version allows.

        If these don't fit the node, and the operator is defined by a function or its kernel supports more types than
        any version, allow every type that Cast makes.
        """
        listed, cast = tables.newest(node.domain, node.op), tables.newest("", "Cast")
        newest = parameters if listed is None else listed.parameters
        if cast and newest.broken_type_law(node) and (node.op in _WIDER or (node.domain, node.op) in self.bodies()):
            return newest._replace(types=tuple((name, cast.parameters.types[0][1]) for name, _ in newest.types))
        return newest

    def offers(self, domain: str, op: str, version: int) -> bool:
        """Whether ONNX Runtime runs an operator in this version of its set; True for operators that aren't ONNX's."""
        return tables.offers(domain, op, version)

    def miscount(self, node: Node, version: int) -> laws.Law | None:
        """Return the law that a node violates by its number of inputs or outputs; None if none."""
        parameters = self.parameters(node.domain, node.op, version)
        return None if parameters is None else parameters.miscount(node)

    def body(self, node: Node, version: int, types: Sequence[tuple[str, int | None]]) -> Function | None:
        """Return the operator's definition by simpler operators (`LayerNormalization`); None if it has none."""
        schema = self._schema(node.domain, node.op, version)
        if schema is None or not (schema.has_function or schema.has_context_dependent_function):
            return None
        try:
            proto = self._onnx.FunctionProto.FromString(self._body_bytes(schema, node, version, types))
        except (RuntimeError, TypeError, ValueError):  # it has no body for the node's types or attributes
            return None
        proto.name, proto.domain = node.op, node.domain
        produced = {name for inner in proto.node for name in inner.output}
        made = [i for i, name in enumerate(proto.output) if name in produced]
        del proto.output[max(made, default=-1) + 1 :]  # unused optional ones; those between stand for nothing
        proto.output[:] = [name if i in made else proto.output[made[0]] for i, name in enumerate(proto.output)]
        own_attributes = {*proto.attribute, *(a.name for a in proto.attribute_proto)}
        defaults = (a.default_value for name, a in schema.attributes.items() if name not in own_attributes)
        proto.attribute_proto.extend(default for default in defaults if default.type)
        return self._read(proto, f"the definition of {node.op}")

    def parameters(self, domain: str, op: str, version: int) -> Parameters | None:
        """Return the inputs, outputs and attributes that an operator's nodes may have; None for an unknown operator."""
        listed = tables.find(domain, op, version)
        if listed is not None:
            return listed.parameters
        schema = self._schema(domain, op, version)
        if schema is None:
            return None
        own = sorted(schema.attributes.items())
        attributes = {name: a.type.name.lower() for name, a in own}
        required = tuple(name for name, a in own if a.required)
        inputs, outputs = (schema.min_input, schema.max_input), (schema.min_output, schema.max_output)
        inevitable = tuple(p.name if p.option.name == "Single" else "" for p in schema.inputs)
        return Parameters(inputs, outputs, attributes, required, inevitable, tuple(type_attributes(schema)))

    def defaults(self, domain: str, op: str, version: int) -> dict[str, AttributeValue]:
        """Return the default values of an operator's attributes: numbers, texts and lists of them."""
        schema = self._schema(domain, op, version)
        protos = {} if schema is None else {n: a.default_value for n, a in schema.attributes.items()}
        values = {n: self._onnx.helper.get_attribute_value(proto) for n, proto in protos.items() if proto.type}
        texts = {n: v.decode() if isinstance(v, bytes) else v for n, v in values.items()}
        lists = {n: tuple(v) if isinstance(v, list) else v for n, v in texts.items()}
        return {n: v for n, v in lists.items() if isinstance(v, (int, float, str, tuple))}

    def bodies(self) -> dict[tuple[str, str], int]:
        """Return the operators that ONNX defines by a function, by domain and name, and the first version with one."""
        versions: dict[tuple[str, str], int] = {}
        for schema in self._onnx.defs.get_all_schemas_with_history():
            if schema.has_function or schema.has_context_dependent_function:
                key = (schema.domain, schema.name)
                versions[key] = min(schema.since_version, versions.get(key, schema.since_version))
        return versions

    def infers(self, domain: str, op: str, version: int) -> bool:
        """Whether the operator's schema has a function that infers the types and shapes of its outputs."""
        schema = self._schema(domain, op, version)
        return schema is not None and bool(schema.has_type_and_shape_inference_function)

    def infer(
        self,
        node: Node,
        opsets: Mapping[str, int],
        types: Sequence[Declared | None],
        elements: Sequence[Literal | None],
    ) -> list[Declared] | str | None:
        """Return the outputs' types that the schema's own function infers, or its error message; None if it has none.

        `types` and `elements` are those of the node's inputs; None for unknown ones and omitted inputs.

        Raises:
            UsageError: The function raises an exception that isn't about the model.
        """
        schema = self._schema(node.domain, node.op, opsets.get(node.domain, 1))
        if schema is None or not schema.has_type_and_shape_inference_function:
            return None
        if any(isinstance(a, Literal) and a.values is None for a in node.attributes.values()):
            return None
        from onnx.checker import ValidationError
        from onnx.shape_inference import InferenceError, infer_node_outputs

        make = self._onnx.helper
        try:
            known = {name: _tensor_type(make, t) for name, t in zip(node.inputs, types, strict=True) if t is not None}
            data = {n: _tensor(make, n, e) for n, e in zip(node.inputs, elements, strict=True) if e is not None}
            imports = [make.make_opsetid(*pair) for pair in opsets.items()]
            inferred = infer_node_outputs(schema, self._proto(node), known, data, opset_imports=imports)
        except (InferenceError, ValidationError) as error:
            return printable(" ".join(str(error).split()).removeprefix("[ShapeInferenceError] "), 200)
        except Exception as error:  # a registered function may raise anything
            pass_on(error)
            reason = printable(f"{type(error).__name__}: {error}", 200)
            where = printable(f"{node.op} broke at node '{node.name}'", 200)
            raise UsageError(f"the inference function that is registered for {where}: {reason}") from error
        return [read_type(inferred[name]) if name in inferred else Declared("", None) for name in node.outputs]

    def _proto(self, node: Node) -> Any:
        make, attributes = self._onnx.helper, dict[str, Any](node.attributes)
        for name, a in node.attributes.items():
            if isinstance(a, Literal | tuple):
                attributes[name] = list(a) if isinstance(a, tuple) else _tensor(make, name, a)
        return make.make_node(node.op, node.inputs, node.outputs, domain=node.domain, **attributes)

    @cached_property
    def since(self) -> dict[tuple[str, str], int]:
        """The first version of each operator, by domain and name."""
        versions: dict[tuple[str, str], int] = {}
        for schema in self._onnx.defs.get_all_schemas_with_history():
            key = (schema.domain, schema.name)
            versions[key] = min(schema.since_version, versions.get(key, schema.since_version))
        return versions

    @cached_property
    def _onnx(self) -> Any:
        import onnx

        return onnx

    def _schema(self, domain: str, op: str, version: int) -> Any:
        if domain not in tables.DOMAINS and "onnx" not in sys.modules:  # no schemas can be registered
            return None
        try:
            return self._onnx.defs.get_schema(op, version, domain)
        except self._onnx.defs.SchemaError:
            return None

    def _body_bytes(self, schema: Any, node: Node, version: int, types: Sequence[tuple[str, int | None]]) -> bytes:
        """Return the serialized body, written for the newest operator set that isn't newer than the model's."""
        if schema.has_function:
            return bytes(schema.get_function_with_opset_version(_newest(schema.function_opset_versions, version)))
        known = [_type(self._onnx, *t).SerializeToString() for t in types]
        newest = _newest(schema.context_dependent_function_opset_versions, version)
        return bytes(
            schema.get_context_dependent_function_with_opset_version(
                newest, self._proto(node).SerializeToString(), known
            )
        )


def type_attributes(schema: Any) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield the attributes that name the first output's element type (`to` of Cast), and the numbers they allow."""
    for name in TYPES:
        if name in schema.attributes and schema.attributes[name].type.name == "INT" and schema.outputs:
            allowed = {dtype_of(t).removeprefix("seq(").removesuffix(")") for t in schema.outputs[0].types}
            numbers = frozenset(_NUMBERS[t] for t in allowed if t in _NUMBERS)
            yield name, numbers | {0} if name == "output_dtype" else numbers


def _newest(versions: Sequence[int], version: int) -> int:
    return max((v for v in versions if v <= version), default=min(versions))


def _type(onnx: Any, dtype: str, rank: int | None) -> Any:
    return onnx.helper.make_tensor_type_proto(_NUMBERS.get(dtype, 0), None if rank is None else [None] * rank)


def _tensor_type(make: Any, t: Declared) -> Any:
    sizes = None if t.shape is None else [None if isinstance(d, int) and d >= 2**63 else d for d in t.shape]
    proto = make.make_tensor_type_proto(_NUMBERS["float32"], sizes)
    proto.tensor_type.elem_type = _NUMBERS.get(t.dtype, 0)  # set here, since the helper refuses 0 (unknown)
    return proto


def _tensor(make: Any, name: str, elements: Literal) -> Any:
    return make.make_tensor(name, _NUMBERS[elements.dtype], elements.shape, elements.values)


def _signature(schema: Any) -> Signature:
    allowed = {c.type_param_str: frozenset(map(dtype_of, c.allowed_type_strs)) for c in schema.type_constraints}
    inputs = []
    for parameter in schema.inputs:
        many = parameter.option.name == "Variadic"
        shared = parameter.type_str in allowed and (not many or parameter.is_homogeneous)
        types = allowed.get(parameter.type_str) or frozenset({dtype_of(parameter.type_str)})
        inputs.append(Parameter(parameter.name, parameter.type_str if shared else "", types, many))
    return Signature(tuple(inputs))
