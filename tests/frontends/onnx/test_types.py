"""Element types and constants of ONNX models."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper, parser

from shapesmt.frontends import load
from shapesmt.network.graph.literal import DTYPES, Literal
from tests.support.onnx_text import CHAIN, external, with_initializers


class TestConstants:
    """Small constants are read, weights are not."""

    @pytest.mark.parametrize(
        ("array", "dtype", "values"),
        [
            (np.array([2, -1], np.int64), "int64", (2, -1)),
            (np.array(3, np.int32), "int32", (3,)),
            (np.array([[True], [False]]), "bool", (True, False)),
            (np.array([0.7], np.float32), "float32", (float(np.float32(0.7)),)),
            (np.array([0.5], np.float16), "float16", (0.5,)),
            (np.array([2**64 - 1], np.uint64), "uint64", (2**64 - 1,)),
            (np.array(["a", "ü"], object), "string", ("a", "ü")),
            (np.array([1 + 2j], np.complex64), "complex64", None),
            (np.zeros((0, 5), np.int64), "int64", ()),
            (np.arange(1024), "int64", tuple(range(1024))),
        ],
    )
    def test_elements(self, array, dtype, values):
        graph = load(with_initializers(numpy_helper.from_array(array, "w")))
        assert graph.literals["w"] is Literal(dtype, array.shape, values)

    @pytest.mark.parametrize("dtype", sorted({*TensorProto.DataType.values()} - {0, 8, 14, 15}))
    def test_every_element_type(self, dtype):
        tensor = helper.make_tensor("w", dtype, [3], [1, 1, 1])
        literal = load(with_initializers(tensor)).literals["w"]
        assert literal.dtype == DTYPES[dtype]
        assert literal.values == (1, 1, 1)

    @pytest.mark.parametrize("raw", [True, False])
    @pytest.mark.parametrize("dtype", sorted({*TensorProto.DataType.values()} - {0, 8, 14, 15}))
    def test_elements_are_those_that_onnx_decodes(self, dtype, raw):
        info = helper.tensor_dtype_to_np_dtype(dtype)
        tensor = numpy_helper.from_array(np.array([0.1, 1, 3.7, -2]).astype(np.float32).astype(info), "w")
        if not raw:
            tensor = helper.make_tensor("w", dtype, [4], numpy_helper.to_array(tensor))
        decoded = numpy_helper.to_array(tensor)
        expected = decoded.astype(np.float64 if info.kind == "V" and "int" not in info.name else info).tolist()
        literal = load(with_initializers(tensor)).literals["w"]
        assert [repr(v) for v in literal.values] == [
            repr(type(v)(e)) for v, e in zip(literal.values, expected, strict=True)
        ]

    def test_numbers_of_element_types_are_onnxs(self):
        renamed = {"UNDEFINED": "", "FLOAT": "float32", "DOUBLE": "float64"}
        theirs = {number: renamed.get(name, name.lower()) for name, number in TensorProto.DataType.items()}
        assert theirs.items() <= DTYPES.items()

    @pytest.mark.parametrize(
        "tensor",
        [
            TensorProto(name="w", data_type=TensorProto.INT64, dims=[2], raw_data=b"123"),
            TensorProto(name="w", data_type=TensorProto.INT64, dims=[2]),
            TensorProto(name="w", data_type=TensorProto.STRING, dims=[1], string_data=[b"\xff"]),
            TensorProto(name="w", dims=[1], int64_data=[1]),
            TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1 << 62, 1 << 62]),
            external("weights.bin"),
        ],
    )
    def test_what_can_not_be_decoded_is_unknown(self, tensor):
        assert load(with_initializers(tensor)).literals["w"].values is None

    def test_large_ones_are_read_when_they_are_asked_for(self):
        literal = load(with_initializers(numpy_helper.from_array(np.arange(1025), "w"))).literals["w"]
        assert (literal.dtype, literal.shape, literal.values) == ("int64", (1025,), None)
        assert literal.read()
        assert literal.values == tuple(range(1025))

    def test_sparse_ones_have_a_shape(self):
        model = parser.parse_model(CHAIN)
        values = helper.make_tensor("w", TensorProto.FLOAT, [1], [1.0])
        indices = helper.make_tensor("", TensorProto.INT64, [1], [2])
        model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [3, 4]))
        literal = load(model).literals["w"]
        assert (literal.dtype, literal.shape, literal.values) == ("float32", (3, 4), None)
        assert literal.read()
        assert literal.values == (0, 0, 1.0, *[0] * 9)

    def test_an_initializer_that_is_an_input_is_a_constant(self):
        model = with_initializers(numpy_helper.from_array(np.array([3.0], np.float32), "x"))
        graph = load(model)
        assert graph.inputs == {}
        assert graph.literals["x"].values == (3.0,)


class TestExternalData:
    """A small integer tensor may be read from a plain file in the model's own folder, and nothing else."""

    @pytest.fixture
    def folder(self, tmp_path):
        content = np.array([7, 8, 9], np.int64).tobytes()
        (tmp_path / "secret.bin").write_bytes(content)
        folder = tmp_path / "model"
        (folder / "deep").mkdir(parents=True)
        (folder / "deep" / "shapes.bin").write_bytes(content)
        (folder / "out.bin").symlink_to(tmp_path / "secret.bin")
        (folder / "circle.bin").symlink_to(folder / "circle.bin")
        return folder

    @staticmethod
    def values(folder, tensor):
        onnx.save(with_initializers(tensor), folder / "m.onnx")
        return load(folder / "m.onnx").literals["w"].values

    def test_inside(self, folder):
        assert self.values(folder, external("deep/shapes.bin", offset=8, length=16)) == (8, 9)
        assert self.values(folder, external("deep/shapes.bin")) == (7, 8)

    @pytest.mark.parametrize("location", ["../secret.bin", "deep/../../secret.bin", "out.bin", "circle.bin", ""])
    def test_outside(self, folder, location):
        assert self.values(folder, external(location)) is None

    def test_elsewhere(self, folder):
        assert self.values(folder, external(str(folder.parent / "secret.bin"))) is None
        assert self.values(folder, external("deep")) is None
        assert self.values(folder, external("a\0b")) is None

    @pytest.mark.parametrize("entries", [{"offset": 16}, {"offset": -8}, {"length": 8}, {"offset": "9" * 30}])
    def test_damaged(self, folder, entries):
        assert self.values(folder, external("deep/shapes.bin", **entries)) is None

    def test_weights_stay_closed(self, folder):
        assert self.values(folder, external("deep/shapes.bin", TensorProto.FLOAT)) is None

    def test_a_model_without_a_folder_opens_nothing(self, folder, monkeypatch):
        monkeypatch.chdir(folder)
        assert load(with_initializers(external("deep/shapes.bin"))).literals["w"].values is None
