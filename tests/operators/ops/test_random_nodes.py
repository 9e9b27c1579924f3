"""No rule breaks on nodes that make no sense: whatever it needs is a law that it states."""

from __future__ import annotations

from math import inf
from random import Random
from typing import Any

import pytest

from shapesmt.frontends.tensorflow.operators import known_operators
from shapesmt.network.graph.graph import Attributes, Node
from shapesmt.operators.ops.torch.schemas import Argument, schema
from shapesmt.operators.rules import InferenceContext
from shapesmt.operators.rules.registry import Rule, load_everything, rules, signatures
from shapesmt.operators.rules.tensors import Tensor, UndecidedError, UnknownRankError, tensor
from shapesmt.operators.rules.value import elements
from shapesmt.prover.algebra.dim import as_dim, symbol
from shapesmt.prover.algebra.numeric.floats import literal
from tests.support.each import check_each
from tests.support.families import by_family, full_name

load_everything()
PLAIN = [r for r in rules() if not r.nested]
TENSORFLOWS = by_family(r for r in PLAIN if r.domain == "tensorflow")
COUNTS = {name: operator.inputs or () for name, operator in known_operators().items()}
SYMBOLS = [symbol("a", 0), symbol("b", 1), symbol("a", 0) - 2]
TEXTS = {
    "data_format": ("NHWC", "NCHW", "NDHWC", ""),
    "dst_format": ("NCHW", "HW"),
    "equation": ("ij,jk->ik", "...i->i", "ii", "", "i->ij"),
    "mode": ("REFLECT", "SYMMETRIC"),
    "padding": ("SAME", "VALID", "EXPLICIT", "?"),
    **dict.fromkeys(("DstT", "T", "dtype", "out_type", "type"), ("float32", "int32", "uint8", "")),
}
LISTS = ("dilations", "explicit_paddings", "ksize", "ksizes", "rates", "squeeze_dims", "strides")
NUMBERS = ("axis", "batch_dims", "block_size", "keep_dims", "num_elements", "seq_dim", "stride", "transpose_a")
PYTORCHS = by_family(r for r in PLAIN if r.domain == "torch" and r.name.startswith("aten."))
OTHERS = by_family(r for r in PLAIN if r.domain not in ("tensorflow", "torch"))
WORDS = ("", "SAME_UPPER", "VALID", "linear", "cubic", "NHWC", "forward", "bidirectional", "reflect", "ij,jk->ik", "ii")
MASKS = ("begin_mask", "ellipsis_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "window_size")


@pytest.mark.parametrize("family", TENSORFLOWS)
def test_no_rule_of_tensorflow_breaks(family: str, seeds: range) -> None:
    def check(rule: Rule) -> None:
        for seed in seeds:
            random = Random(f"{rule.name}{seed}")
            inputs = [made(random) for many in COUNTS[rule.name] for _ in range(random.randint(1, 3) if many else 1)]
            names = [f"x{i}" for i in range(len(inputs))]
            outputs = ["y", "z", "u"][: random.randint(1, 3)]
            node = Node(rule.name, rule.domain, "node", names, outputs, attributes(random))
            try:
                found = InferenceContext(node, inputs, 1).apply(rule.apply)
            except UnknownRankError:
                continue
            assert len(found.outputs) == len(outputs), f"seed {seed}"

    check_each(TENSORFLOWS[family], check, full_name)


@pytest.mark.parametrize("family", OTHERS)
def test_no_rule_of_onnx_or_openvino_breaks(family: str, seeds: range) -> None:
    def check(rule: Rule) -> None:
        version = rule.since if rule.domain == "" else 1
        least, most = signatures(rule.domain).input_counts(rule.domain, rule.name, version)
        for seed in seeds:
            random = Random(f"{rule.domain}{rule.name}{rule.since}{seed}")
            count = random.randint(int(least), int(min(most, max(least, 2) + 4)))
            inputs = [made(random) if i < least or random.random() < 0.8 else None for i in range(count)]
            outputs = ["y", "z", "u"][: random.randint(1, 3)]
            node = Node(rule.name, rule.domain, f"{seed}", ["" if t is None else "x" for t in inputs], outputs)
            try:
                application = Guessing(node, inputs, version).apply(rule.apply)
            except (UnknownRankError, UndecidedError):
                continue
            assert len(application.outputs) == len(outputs), f"seed {seed}"

    check_each(OTHERS[family], check, full_name)


@pytest.mark.parametrize("family", PYTORCHS)
def test_no_rule_of_pytorch_breaks(family: str, seeds: range) -> None:
    def check(rule: Rule) -> None:
        known = schema(rule.name)
        for seed in seeds:
            random = Random(f"{rule.name}{seed}")
            inputs: list[Tensor] = []
            arguments: dict[str, Any] = {}
            for argument in known.arguments.values() if known else ():
                if random.random() < 0.9 or (argument.default is None and not argument.type.endswith("?")):
                    arguments |= passed(random, argument, inputs)
            names, outputs = [f"x{i}" for i in range(len(inputs))], ["y", "z", "u"][: random.randint(1, 3)]
            node = Node(rule.name, "torch", "node", names, outputs, Attributes(arguments))
            try:
                found = InferenceContext(node, inputs, 1).apply(rule.apply)
            except (UnknownRankError, UndecidedError):
                continue
            assert len(found.outputs) == len(outputs), f"seed {seed}"

    check_each(PYTORCHS[family], check, full_name)


def passed(random: Random, argument: Argument, inputs: list[Tensor]) -> dict[str, Any]:
    """An argument as a node has it: attributes, and tensors that are added to the inputs."""
    kind, _, listed = argument.type.rstrip("?").partition("[")
    kind, count = kind.rstrip("?"), random.choice((0, 1, 2, 2, 3, 4)) if listed else 1
    if kind == "Tensor" or (kind == "SymInt" and not listed and random.random() < 0.3):
        places = [place(inputs, made(random) if kind == "Tensor" else number(random)) for _ in range(count)]
        return {f"@{argument.name}": tuple(places) if listed else places[0]}
    choices = {
        "SymInt": (-3, -1, 0, 1, 1, 2, 3, 4, 13),
        "bool": (0, 1),
        "str": WORDS,
        "float": (-1.0, 0.0, 0.5, 2.0, inf),
    }
    choices |= {"int": choices["SymInt"], "Scalar": (-1, 0, 1, 2, 0.5), "ScalarType": ("float32", "int64", "bool", "")}
    values = random.choices(choices.get(kind, ("strided", "cpu", "channels_last")), k=count)
    if kind == "SymInt" and listed and random.random() < 0.5:
        places = [place(inputs, number(random)) if random.random() < 0.5 else -1 for _ in values]
        return {argument.name: tuple(values), f"@{argument.name}": tuple(places)}
    return {argument.name: tuple(values) if listed else values[0]}


def number(random: Random) -> Tensor:
    """A symbolic integer."""
    return tensor("int64", (), elements((), [random.choice([*SYMBOLS, None, *map(as_dim, (-1, 0, 1, 2, 3))])]))


def place(inputs: list[Tensor], x: Tensor) -> int:
    """The index of a new input."""
    inputs.append(x)
    return len(inputs) - 1


class Guessing(InferenceContext):
    """A context in which an attribute that the node hasn't got is a random one of the right type."""

    def _guess(self, name: str, default: Any, values: tuple[Any, ...]) -> Any:
        if name in self.attributes:
            return self.attributes[name]
        random = Random(f"{self.node.name}{self.node.op}{name}")
        return default if default is not None and random.random() < 0.5 else random.choice(values)

    def integer(self, name: str, default: Any = None) -> Any:
        return self._guess(name, default, (-3, -1, 0, 1, 1, 2, 3, 4, 13))

    def integers(self, name: str, default: Any = None) -> Any:
        lists = ((), (0,), (1,), (-1,), (1, 1), (2, 3), (0, 1, 2), (0, 0, 0, 0), (1, 1, 1, 1), (0, 1, 0, 1, 2, 2))
        return self._guess(name, default, lists)

    def number(self, name: str, default: Any = None) -> Any:
        return self._guess(name, default, (-1.0, 0.0, 0.5, 1.0, 2.0, inf))

    def text(self, name: str, default: Any = None) -> Any:
        return self._guess(name, default, WORDS)


def attributes(random: Random) -> Attributes:
    """Some attributes that operators have, with values that they needn't take."""
    found = {name: random.choice(texts) for name, texts in TEXTS.items()}
    found |= {name: tuple(random.choices((-1, 0, 1, 1, 2), k=random.choice((0, 2, 4, 5, 8)))) for name in LISTS}
    found |= {name: random.choice((-3, -1, 0, 1, 2, 3)) for name in (*NUMBERS, *MASKS)}
    return Attributes({name: value for name, value in found.items() if random.random() < 0.8})


def made(random: Random) -> Tensor:
    """Floats or integers that are known, sizes, or nothing but a shape."""
    if random.random() < 0.5:
        choices = [*SYMBOLS, *map(as_dim, (0, 1, 2, 3, 4, 8))]
        shape = random.choices(choices, k=random.choice((0, 1, 2, 3, 4, 4, 5))) if random.random() < 0.9 else None
        return tensor(random.choice(("float32", "int32", "string", "bool", "")), shape)
    shape = random.choice([(), (), (1,), (2,), (3,), (4,), (2, 2), (4, 2)])
    count = 1
    for size in shape:
        count *= size
    if random.random() < 0.2:
        numbers = [literal(random.choice((-1.5, 0.0, 1.0, 2.0)), "float32") for _ in range(count)]
        return tensor("float32", shape, elements(shape, numbers))
    whole = [*SYMBOLS, None, *map(as_dim, (-1, 0, 1, 1, 2, 3, 2**31 - 1))]
    return tensor(random.choice(("int32", "int64")), shape, elements(shape, random.choices(whole, k=count)))
