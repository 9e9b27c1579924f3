import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from shapesmt.frontends import load
from shapesmt.network.graph.literal import Declared
from shapesmt.reports.export.onnx import annotate


class TestAnnotate:
    def test_inner_tensors_and_outputs(self, model):
        shapes = {"y": ("float32", ["n", 4, None]), "z": ("float32", ["2*n"]), "x": ("float32", [9])}
        graph = load(annotate(model, shapes))
        assert graph.declared == {
            "y": Declared("float32", ("n", 4, None)),
            "z": Declared("float32", ("2*n",)),
        }
        assert graph.inputs["x"] == Declared("float32", ("n",))

    def test_a_formula_too_long_to_write_is_no_name(self, model):
        graph = load(annotate(model, {"y": ("float32", ["...", "2*(...)", 4])}))
        assert graph.declared["y"] == Declared("float32", (None, None, 4))

    def test_subgraphs(self, model):
        annotated = annotate(model, {"a": ("float32", [5]), "b": ("float32", [6])})
        then = load(annotated).nodes[1].attributes["then_branch"]
        assert {name: declared.shape for name, declared in then.declared.items()} == {"a": (5,), "b": (6,)}

    def test_the_original_and_all_else_stay(self, model):
        before = model.SerializeToString()
        model.graph.value_info.add(name="y", doc_string="kept").type.sequence_type.elem_type.tensor_type.elem_type = 1
        kept = model.SerializeToString()
        assert annotate(model, {}).SerializeToString() == kept
        assert annotate(model, {"y": ("float32", [1]), "?": ("float32", [1])}).SerializeToString() == kept
        del model.graph.value_info[:]
        assert model.SerializeToString() == before

    def test_what_was_said_of_a_tensor_is_corrected_in_place(self, model):
        said = model.graph.value_info.add(name="y", doc_string="kept")
        said.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
        said.type.tensor_type.shape.dim.add(dim_value=7, denotation="BATCH")
        [info] = annotate(model, {"y": ("", ["n"])}).graph.value_info
        [dim] = info.type.tensor_type.shape.dim
        assert (info.doc_string, info.type.tensor_type.elem_type) == ("kept", onnx.TensorProto.FLOAT)
        assert (dim.dim_param, dim.denotation, dim.HasField("dim_value")) == ("n", "BATCH", False)

    def test_a_scalar_has_a_shape_and_unknown_rank_has_none(self, model):
        graph = load(annotate(model, {"y": ("float32", [])}))
        assert graph.declared["y"] == Declared("float32", ())
        graph = load(annotate(model, {"y": ("float32", None), "z": ("float32", None)}))
        assert graph.declared == {"y": Declared("float32", None), "z": Declared("float32", ("m",))}

    @pytest.mark.parametrize("dtype", ["seq(float32)", "optional(seq(int64))", "map(string,float32)"])
    def test_what_holds_tensors(self, model, dtype):
        found = load(annotate(model, {"y": (dtype, [2, None, "n"])})).declared["y"]
        assert (found.dtype, found.shape) == (dtype, (2, None, "n"))

    def test_sizes_that_onnx_can_not_hold_are_left_out(self, model):
        assert load(annotate(model, {"y": ("float32", [1 << 70])})).declared["y"].shape == (None,)

    def test_the_result_passes_onnxs_checker(self, model):
        shapes = {name: ("float32", ["n"]) for name in "yzabd"}
        onnx.checker.check_model(annotate(model, shapes), full_check=True)

    def test_weights_stay(self, model):
        model.graph.initializer.append(numpy_helper.from_array(np.ones((100, 100)), "big"))
        assert annotate(model, {"y": ("float32", [1])}).graph.initializer == model.graph.initializer
