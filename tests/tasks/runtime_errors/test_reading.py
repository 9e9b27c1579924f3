"""Texts with an error in them: logs, exceptions, several errors, none, and hostile ones."""

from __future__ import annotations

import time
from random import Random

import pytest

from shapesmt.tasks.runtime_errors.forms import FORMS, HEADS
from shapesmt.tasks.runtime_errors.reading import read

CONCAT = (
    "[ONNXRuntimeError] : 1 : FAIL : Non-zero status code returned while running Concat node. Name:'/up2/Concat' "
    "Status Message: concatbase.h:135 PrepareForComputeImpl Non concat axis dimensions must match: "
    "Axis 2 has mismatched dimensions of 24 and 25"
)
TORCH = "RuntimeError: The size of tensor a (9) must match the size of tensor b (8) at non-singleton dimension 3"
OPENVINO = """Exception from src/inference/src/cpp/infer_request.cpp:224:
Exception from src/plugins/intel_cpu/src/node.cpp:794:
[CPU] Reshape node with name 'flatten' Check 'minusOneCount <= 1' failed at src/plugins/reshape.cpp:77:
[cpu]reshape: the shape of input data (3.4.4.4) conflicts with the reshape pattern (1.64)
"""
TENSORRT = (
    "[E] Error Code 4: Internal Error (/model/Add: dimensions not compatible for elementwise. "
    "Condition '==' violated: 5376 != 4725.)"
)
TFLITE = (
    "tensorflow/lite/kernels/reshape.cc:92 num_input_elements != num_output_elements (1296 != 1200)"
    "Node number 5 (RESHAPE) failed to prepare."
)


def test_a_log_with_an_error_in_it() -> None:
    message = read(
        f"INFO start\nTraceback (most recent call last):\n  File 'serve.py', line 3\nFail: {CONCAT}\nINFO bye"
    )
    assert (message.runtime, message.names, message.op) == ("onnxruntime", ("/up2/Concat",), "Concat")
    assert dict(message.said) == {"axis": "2", "b": "24", "a": "25"}
    assert message.text.startswith("Fail: ")


def test_an_exception_is_read_as_its_text() -> None:
    assert read(ValueError(CONCAT)).said == read(CONCAT).said


def test_of_several_errors_the_first_counts() -> None:
    again = CONCAT.replace("/up2/Concat", "/up1/Concat").replace("24 and 25", "48 and 50")
    assert read(f"{CONCAT}\n{again}").names == ("/up2/Concat",)
    assert read(f"{again}\n{CONCAT}").said["a"] == "50"
    assert read(f"{TORCH}\n{CONCAT}").runtime == "torch"
    assert read(f"{CONCAT}\n{TORCH}").runtime == "onnxruntime"


def test_a_reason_is_not_taken_from_the_next_error() -> None:
    bare = CONCAT.partition("Status Message")[0] + "Status Message: it fails\n"
    assert read(bare + CONCAT.replace("/up2", "/up1")).form is None


def test_nodes_inside_a_node() -> None:
    outer = "Non-zero status code returned while running Loop node. Name:'loop' Status Message: "
    message = read(outer + CONCAT)
    assert (message.names, message.op, message.said["a"]) == (("loop", "/up2/Concat"), "Concat", "25")


@pytest.mark.parametrize(
    ("text", "runtime", "names", "said"),
    [
        (TORCH, "torch", (), {"a": "9", "b": "8", "axis": "3"}),
        (OPENVINO, "openvino", ("flatten",), {"i0": "3.4.4.4", "e1": "1.64"}),
        (TENSORRT, "tensorrt", ("/model/Add",), {"a": "5376", "b": "4725"}),
        (TFLITE, "tflite", ("",), {"n0": "1296", "target": "1200"}),
    ],
)
def test_other_runtimes(text: str, runtime: str, names: tuple[str, ...], said: dict[str, str]) -> None:
    message = read(text)
    assert (message.runtime, message.names, dict(message.said)) == (runtime, names, said)


def test_a_text_without_a_message() -> None:
    assert not read("").known
    assert not read("everything is fine\n" * 100).known


def test_control_characters_are_made_printable() -> None:
    message = read(CONCAT.replace("/up2", "/up2\x1b[2J\u202e"))
    assert message.text.isprintable()
    assert message.known


@pytest.mark.parametrize(
    "piece", ["{1,", "Name:'", "while running ", "Axis 1 ", "(((", "1.1.", "[E] /a", "\x00", "node '"]
)
def test_hostile_texts_take_no_longer_than_they_are(piece: str) -> None:
    text = piece * ((1 << 19) // len(piece))
    begin = time.process_time()
    read(text)
    read(CONCAT + text)
    assert time.process_time() - begin < 20


def test_damaged_messages_are_read_without_an_error(seeds: range) -> None:
    for seed in seeds:
        random, text = Random(seed), random_text(seed)
        for _ in range(20):
            at = random.randrange(len(text))
            text = text[:at] + chr(random.randrange(32, 0x2FF)) * random.randrange(4) + text[at + random.randrange(6) :]
        message = read(text)
        assert message.text.isprintable()
        assert all(isinstance(value, str) for value in message.said.values())


def random_text(seed: int) -> str:
    return Random(seed).choice([CONCAT, TORCH, OPENVINO, TENSORRT, TFLITE]) * 2


def test_no_pattern_repeats_a_repetition() -> None:
    """Each repetition is bounded and of one character class, so that backtracking is short."""
    for pattern in (one.pattern.pattern for one in (*FORMS, *HEADS)):
        assert not any(
            sign in pattern.replace("\\.", "").replace("\\*", "").replace("\\+", "")
            for sign in (".*", ".+", ")*", ")+")
        )
