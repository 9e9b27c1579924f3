"""Messages of TensorRT, TFLite and tract, as public logs have them, and those that are about something else."""

from __future__ import annotations

import onnx
import pytest

import shapesmt
from shapesmt.reports.answers import ErrorOrigin
from shapesmt.tasks.runtime_errors.reading import read
from tests.tasks.runtime_errors.printed import HEAD

SHUFFLE = "(float[n, 30] x) => (z) <int64[2] t = {18, 180}> { [Reshape_5] z = Reshape (x, t) }"
JOIN = "(float[n, 8, 8] x, float[m, k, 7] y) => (z) { [concat_1] z = Concat <axis = 0> (x, y) }"
ADD = "(float[n, k] x, float[m, 3] y) => (z) { [Add_430] z = Add (x, y) }"
PRODUCT = "(float[2, n] x, float[m, 2] y) => (z) { [MatMul_177] z = MatMul (x, y) }"
CONV = "(float[batch, 3, 8, w] x, float[4, 3, 3, 3] k) => (z) { [conv] z = Conv (x, k) }"
TENSORRT = [
    (
        SHUFFLE,
        "[TRT] [E] 4: [shapeCompiler.cpp::evaluateShapeChecks::832] Error Code 4: Internal Error (kOPT"
        " values for profile 0"
        " violate shape constraints: IShuffleLayer Reshape_5: reshaping failed for tensor: x reshape"
        " would change volume"
        " 97200 to 3240)",
        "n == 3240",
    ),
    (
        SHUFFLE,
        "7: [shapeMachine.cpp::executeContinuation::864] Error Code 7: Internal Error (IShuffleLayer"
        " Reshape_5: reshaping"
        " failed for tensor: x reshape would change volume 97200 to 3240 Instruction:"
        " RESHAPE_ZERO_IS_PLACEHOLDER{3240 30}"
        " {18 180}.)",
        "n == 3240",
    ),
    (
        SHUFFLE,
        "[TRT] [E] IShuffleLayer Reshape_5: reshaping failed for tensor: x would change volume 30 to 3240",
        "n == 1",
    ),
    (
        JOIN,
        "[TensorRT] ERROR: concat_1: all concat input tensors must have the same dimensions except on"
        " the concatenation"
        " axis (0), but dimensions mismatched at input 1 at index 2. Input 0 shape: [1,8,8], Input 1"
        " shape: [2,8,7]",
        "n == 1 and m == 2 and k == 8",
    ),
    (
        ADD,
        "7: [shapeMachine.cpp::executeContinuation::887] Error Code 7: Internal Error (Add_430:"
        " dimensions not compatible"
        " for elementwise. Condition '==' violated: 5376 != 4725. Instruction: CHECK_EQUAL 5376 4725.)",
        "",
    ),
    (
        ADD,
        "[E] Error[4]: [graphShapeAnalyzer.cpp::analyzeShapes::1285] Error Code 4: Miscellaneous"
        " (IElementWiseLayer"
        " Add_430: broadcast dimensions must be conformable)",
        "",
    ),
    (
        ADD,
        "[TRT] [E] Add_430: elementwise inputs must have same dimensions or follow broadcast rules"
        " (input dimensions were"
        " [2,3] and [4,3])",
        "n == 2 and k == 3 and m == 4",
    ),
    (
        PRODUCT,
        "[01/12/2023-10:56:18] [E] [TRT] MatMul_177: last dimension of input0 = 15 and second to last"
        " dimension of input1"
        " = 10 but must match.\n[E] [TRT] ModelImporter.cpp:720: While parsing node number 177 [MatMul"
        ' -> "z"]:',
        "",
    ),
]


def origin(text: str, message: str) -> ErrorOrigin:
    answer = shapesmt.explain(onnx.parser.parse_model(HEAD + text), error=message)
    assert isinstance(answer, ErrorOrigin)
    return answer


@pytest.mark.parametrize(("text", "message", "region"), TENSORRT)
def test_tensorrt(text: str, message: str, region: str) -> None:
    answer = origin(text, message)
    (found,) = answer.candidates
    assert (answer.runtime, answer.possible, found.region) == ("tensorrt", True, region)
    assert answer.grade == ("exact" if region else "partial")
    assert found.node in message


def test_a_layer_without_a_name_is_found_by_its_law() -> None:
    message = (
        "Error Code 7: Internal Error (IShuffleLayer (Unnamed Layer* 190) [Shuffle]: reshaping failed"
        " for tensor:"
        " TensorRTInputPH_38 reshape would change volume 97200 to 3240 Instruction:"
        " RESHAPE_ZERO_IS_PLACEHOLDER"
        "{3240 30} {18 180}.)"
    )
    (found,) = origin(SHUFFLE, message).candidates
    assert (found.node, found.region) == ("Reshape_5", "n == 3240")


def test_sizes_that_an_engine_was_built_for() -> None:
    static = (
        "IExecutionContext::setInputShape: Error Code 3: API Usage Error (Parameter check failed, condition:"
        " engineDims.d[i] == dims.d[i]. Static dimension mismatch while setting input shape for x. Set"
        " dimensions are"
        " [2,3,8,8]. Expected dimensions are [1,3,8,8]. In setInputShape at executionContext.cpp:2364)"
    )
    answer = origin(CONV, static)
    assert (answer.input, dict(answer.got), dict(answer.declared)) == ("x", {"0": 2}, {"0": 1})
    assert "the runtime was set up with x[0] as 1, it was given 2; no node needs that size" in str(answer)
    profile = (
        "[TRT] [E] 3: [executionContext.cpp::setBindingDimensions::945] Error Code 3: API Usage Error"
        " (Parameter check"
        " failed at: executionContext.cpp::setBindingDimensions::945, condition: profileMinDims.d[i] <="
        " dimensions.d[i]."
        " Supplied binding dimension [1,3,8,2] for bindings[0] exceed min ~ max range at index 3,"
        " maximum dimension in"
        " profile is 800, minimum dimension in profile is 16, but supplied dimension is 2."
    )
    answer = origin(CONV, profile)
    assert (answer.input, dict(answer.got), dict(answer.declared)) == ("x", {"3": 2}, {"3": "16..800"})
    assert [c.node for c in answer.candidates] == ["conv"], "2 columns are too few for the kernel, too"


def test_tflite() -> None:
    message = (
        "java.lang.IllegalArgumentException: Internal error: Failed to run on the given Interpreter:"
        " tensorflow/lite/kernels/reshape.cc:85 num_input_elements != num_output_elements (1290 !="
        " 3240)Node number 70"
        " (RESHAPE) failed to prepare."
    )
    (found,) = origin(SHUFFLE, message).candidates
    assert (found.node, found.region) == ("Reshape_5", "n == 43")
    assert read("tensorflow/lite/kernels/concatenation.cc:73 t->dims->data[d] != t0->dims->data[d] (8 != 1)").said == {
        "a": "1",
        "b": "8",
    }


def test_tract() -> None:
    text = """ERROR tract] Error at stage "analyse"
    Caused by:
        0: ModelBuildingError
        1: Failed analyse for node #249 "conv" ConvHir
        2: Infering facts
        3: Applying rule outputs[0].shape == 1,16,24,109
        4: Unifying shapes batch,16,24,1+(w)/2 and 1,16,24,109
        5: Impossible to unify Sym(batch) with Val(1)."""
    answer = origin(CONV, text)
    assert (answer.runtime, answer.possible, answer.grade) == ("tract", True, "partial")
    assert [c.node for c in answer.candidates] == ["conv"]


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "[TRT] [E] 10: Could not find any implementation for node {ForeignNode[/a/Add.../b/Mul]}.",
        "RuntimeError: [enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: not enough memory: you"
        " tried to allocate",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
        "[TRT] [E] 6: The engine plan file is not compatible with this version of TensorRT",
        "Encountered unresolved custom op: TFLite_Detection_PostProcess.",
        "ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory",
        "OSError: [Errno 28] No space left on device",
        "torch.onnx.errors.UnsupportedOperatorError: Exporting the operator 'aten::foo' to ONNX opset"
        " version 17 is not",
        "AttributeError: 'NoneType' object has no attribute 'create_execution_context'",
        "google.protobuf.message.DecodeError: Error parsing message",
        "Could not locate a valid license for this product",
        "ValueError: Unsupported ONNX opset version: 25",
    ],
)
def test_messages_that_are_not_about_shapes(text: str) -> None:
    assert not read(text).related
    answer = origin(ADD, text)
    assert (answer.grade, answer.possible, answer.candidates) == ("unrelated", None, ())


@pytest.mark.parametrize(
    "text",
    [
        "NotImplementedError: Padding size 4 is not supported for 5D input tensor.",
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0",
        "Node (a) Op (Add) [ShapeInferenceError] Incompatible dimensions",
    ],
)
def test_messages_about_shapes_are_not_taken_for_others(text: str) -> None:
    assert read(text).related


SAID = "RuntimeError: The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0"


@pytest.mark.parametrize(
    "prefix",
    [
        "2024-07-08 17:23:06.193422: ",
        "2024-07-08T17:23:06Z ERROR ",
        "[2024-07-08 17:23:06,193] [ERROR] ",
        "[07/08/2024-17:23:06] ",
        "Jul  8 17:23:06 host serve[4242]: ",
        "17:23:06.123 | ERROR | ",
        "worker-1  | 2024-07-08 17:23:06 - ERROR - ",
        "E0710 15:28:56.301623 18480 helper.h:114] ",
        "\x1b[1;31m2026-01-23 13:27:57.724 [E:onnxruntime:default, log.h:90 log] \x1b[0m",
        "\\u001b[31m",
        'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    return x + y\n',
    ],
)
def test_what_logs_put_in_front_is_left_out(prefix: str) -> None:
    message = read(f"{prefix}{SAID}\nand more")
    assert (message.text, message.unread) == (SAID, ())
