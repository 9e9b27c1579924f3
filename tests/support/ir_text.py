"""OpenVINO's IR as text, and damage to it."""

from __future__ import annotations

from random import Random

import shapesmt
from shapesmt.base.errors import ShapesmtError

HEAD = '<?xml version="1.0"?>\n<net name="g" version="11"><layers>'


def layer(number, op, name="", data="", inputs=0, outputs=1, version="opset1"):
    taken = "".join(f'<port id="{i}"/>' for i in range(inputs))
    made = "".join(f'<port id="{i}" precision="FP32"/>' for i in range(inputs, inputs + outputs))
    body = f"<data {data}/>" * bool(data) + f"<input>{taken}</input>" * bool(inputs) + f"<output>{made}</output>"
    return f'<layer id="{number}" name="{name or op}" type="{op}" version="{version}">{body}</layer>'


def net(layers, *edges):
    listed = "".join(f'<edge from-layer="{a}" from-port="{p}" to-layer="{b}" to-port="{q}"/>' for a, p, b, q in edges)
    return f"{HEAD}{''.join(layers)}</layers><edges>{listed}</edges></net>".encode()


def one(op="ReLU", data="", shape="1..8,3"):
    return net(
        [
            layer(0, "Parameter", "x", f'shape="{shape}" element_type="f32"'),
            layer(1, op, "y", data, 1),
            layer(2, "Result", "r", inputs=1, outputs=0),
        ],
        (0, 0, 1, 0),
        (1, 1, 2, 0),
    )


def damaged(text, seed):
    """Return the text with a few characters replaced and, for odd seeds, cut off."""
    random = Random(seed)
    found = bytearray(text[: random.randrange(1, len(text))] if seed % 2 else text)
    for _ in range(random.randint(1, 6)):
        found[random.randrange(len(found))] = random.choice(b"<>\"/=0123456789,.-?'xa ")
    return bytes(found)


def answers(text, where):
    """Assert that shapesmt analyses the model, or refuses it in one line; `where` is shown if it doesn't."""
    message = ""
    try:
        shapesmt.check(text, timeout=5)
    except ShapesmtError as error:
        message = str(error)
    assert "\n" not in message, where
