"""Whatever a command prints is in words: no object appears as Python's `repr` shows it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from shapesmt.network.graph import Graph
from shapesmt.reports import render
from tests.support.torch_programs import archive, as_tensor, meta, node, program

EXAMPLES = Path(__file__).parents[3] / "examples"
REPR = re.compile(r"\b[A-Z]\w*\(\w+=|<[\w.]+ object at |\b(?:frozenset|mappingproxy|OrderedDict|array)\(")
COMMANDS = (
    *("check --all", "explain", "bounds", "memory", "inspect", "encode", "repair", "ops", "profile --for torch"),
    *("check --format github", "dynamic-shapes"),
)


def frozen() -> bytes:
    """A program whose guard fixes a size that was to vary: the weight of its linear layer needs it."""
    product = node("torch.ops.aten.linear.default", "linear", input=as_tensor("x"), weight=as_tensor("w"))
    graph = {
        "inputs": [as_tensor("x"), as_tensor("w")],
        "outputs": [as_tensor("linear")],
        "nodes": [product],
        "tensor_values": {"x": meta("s0", 3), "w": meta(4, 3), "linear": meta("s0", 4)},
        "sym_int_values": {},
        "sym_bool_values": {},
    }
    document = program(guards_code=["L['x'].size()[1] == 3", "L['x'].size()[0] <= 8"])
    inputs = [{"user_input": {"arg": as_tensor(name)}} for name in ("x", "w")]
    document["graph_module"] |= {"graph": graph, "signature": {"input_specs": inputs}, "module_call_graph": []}
    document["guards_code"] = ["L['flat_args'][0].size()[1] == 3", "L['flat_args'][0].size()[0] <= 8"]
    return archive(m=document)


def test_no_command_prints_a_repr(tmp_path: Path) -> None:
    path = tmp_path / "frozen.pt2"
    path.write_bytes(frozen())
    asked = [*((command, path) for command in COMMANDS), ("repair", EXAMPLES / "unet" / "unet.onnx")]
    started = {
        (command, model): subprocess.Popen(
            [sys.executable, "-m", "shapesmt", *command.split(), str(model)], text=True, stdout=-1, stderr=-1
        )
        for command, model in asked
    }
    printed = {asked: "".join(process.communicate()) for asked, process in started.items()}
    assert {asked: text for asked, text in printed.items() if REPR.search(text) or not text} == {}
    assert "note: x axis 1 is 3 in the program: linear needs it" in printed["dynamic-shapes", path]


def test_an_answer_without_words_is_an_error() -> None:
    with pytest.raises(KeyError):
        render.words(Graph)


ENDING = """
import os, sys, types

class Leak:
    def __del__(self, write=os.write):
        write(2, b"leaked")

sys.modules["{name}"] = types.ModuleType("{name}")
sys.modules["{name}"].leak = Leak()
from shapesmt.__main__ import run
sys.argv = ["shapesmt", "check", "no such file"]
sys.exit(run())
"""


@pytest.mark.parametrize(("name", "leaks"), [("torch", False), ("other", True)])
def test_libraries_of_pytorch_say_nothing_while_the_process_ends(name: str, leaks: bool) -> None:
    program = ENDING.format(name=name)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "no such file" in ended.stderr
    assert ("leaked" in ended.stderr) == leaks
