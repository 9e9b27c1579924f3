"""Classical machine learning against execution."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import shapesmt
from shapesmt.network.graph.graph import Attributes, Graph, Node
from shapesmt.network.graph.literal import Declared
from shapesmt.operators.inference import infer
from shapesmt.operators.rules.tensors import tensor
from shapesmt.prover.algebra.dim import ONE
from tests.support.harness import agree, build, node as plain

node = partial(plain, domain="ai.onnx.ml")
RANKS = {1: ["n"], 2: ["n", "m"], 3: ["n", "m", 2]}
SIZES = {"n": (0, 3), "m": (0, 3)}
TREE = {
    "nodes_falsenodeids": [2, 0, 0], "nodes_featureids": [1, 0, 0], "nodes_hitrates": [1.0, 1, 1],
    "nodes_missing_value_tracks_true": [0, 0, 0], "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_nodeids": [0, 1, 2], "nodes_treeids": [0, 0, 0], "nodes_truenodeids": [1, 0, 0],
    "nodes_values": [0.5, 0.0, 0.0], "post_transform": "NONE",
}  # fmt: skip

SAME = {
    "Binarizer": {"threshold": 0.5},
    "Normalizer": {"norm": "L2"},
    "Scaler": {"offset": [0.5, 1.0], "scale": [1.0, 2.0]},
    "Imputer": {"imputed_value_floats": [1.0, 2.0], "replaced_value_float": 0.0},
}
MODELS = {
    "LinearRegressor": {"coefficients": [1.0] * 6, "intercepts": [0.0, 1.0], "targets": 2},
    "TreeEnsembleRegressor": {
        **TREE, "n_targets": 2, "target_ids": [0, 1], "target_nodeids": [1, 2], "target_treeids": [0, 0],
        "target_weights": [1.0, 2.0],
    },
}  # fmt: skip
CLASSIFIERS = {
    "LinearClassifier": {"coefficients": [1.0] * 6, "intercepts": [0.0] * 3, "classlabels_ints": [1, 2, 3]},
    "LinearClassifier of two": {"coefficients": [1.0] * 3, "intercepts": [0.0], "classlabels_strings": ["a", "b"]},
    "LinearClassifier of two each": {
        "coefficients": [1.0] * 4, "intercepts": [0.0] * 2, "classlabels_ints": [1, 2],
    },
    "TreeEnsembleClassifier": {
        **TREE, "class_ids": [0, 1], "class_nodeids": [1, 2], "class_treeids": [0, 0], "class_weights": [1.0, 2.0],
        "classlabels_int64s": [4, 5],
    },
}  # fmt: skip


def shaped(rank):
    return {"x": RANKS[rank]}, {k: v for k, v in SIZES.items() if k in RANKS[rank]}


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("op", SAME)
def test_the_shape_is_kept(op, rank):
    agree(node(op, ["x"], **SAME[op]), *shaped(rank))


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("op", MODELS)
def test_regressors(op, rank):
    agree(node(op, ["x"], **MODELS[op]), *shaped(rank))


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("op", CLASSIFIERS)
def test_classifiers(op, rank):
    agree(node(op.split()[0], ["x"], ["y", "z"], **CLASSIFIERS[op]), *shaped(rank))


@pytest.mark.parametrize("values", range(5))
@pytest.mark.parametrize("classes", range(1, 5))
def test_base_values_of_classes(classes, values):
    attributes = {**CLASSIFIERS["TreeEnsembleClassifier"], "classlabels_int64s": list(range(classes))}
    attributes |= {"class_ids": [0, classes - 1], **({"base_values": [0.5] * values} if values else {})}
    agree(node("TreeEnsembleClassifier", ["x"], ["y", "z"], **attributes), *shaped(2))


@pytest.mark.parametrize("kind", ["none", "one", "two", "many", "certain"])
def test_support_vectors(kind):
    vectors = {"kernel_type": "LINEAR", "kernel_params": [0.5, 0.0, 3.0]}
    if kind == "none":
        for count in (0, 2):
            regressor = {"coefficients": [1.0, 2.0], "rho": [0.5], "n_supports": count}
            agree(node("SVMRegressor", ["x"], **regressor, **vectors), *shaped(2))
        return
    if kind == "one":
        regressor = {"support_vectors": [1.0] * 4, "coefficients": [1.0, 2.0], "rho": [0.5], "n_supports": 2}
        agree(node("SVMRegressor", ["x"], **regressor, **vectors), *shaped(2))
        return
    classes = 2 if kind == "two" else 3
    pairs = classes * (classes - 1) // 2
    given = {"classlabels_ints": list(range(classes)), "vectors_per_class": [1] * classes, "rho": [0.5] * pairs}
    given |= {"support_vectors": [1.0] * 2 * classes, "coefficients": [1.0] * classes * (classes - 1)}
    given |= {"prob_a": [1.0] * pairs, "prob_b": [0.5] * pairs} if kind == "certain" else {}
    agree(node("SVMClassifier", ["x"], ["y", "z"], **given, **vectors), *shaped(2))


@pytest.mark.parametrize("shape", [["n"], ["n", "m"], ["n", 2, "m"]], ids=len)
def test_array_feature_extractor(shape):
    ranges = {k: v for k, v in SIZES.items() if k in shape}
    extract = node("ArrayFeatureExtractor", ["x", "y"])
    agree(extract, {"x": shape}, {**ranges, "i": (-1, 2)}, items={"y": ["i", 0]})
    agree(extract, {"x": shape, "y": ["k"]}, {**ranges, "k": (0, 1)}, dtypes={"y": "int64"}, may_fail_more=True)


@pytest.mark.parametrize("sizes", [[2, 2], [2, 3]])
def test_feature_vectorizer(sizes):
    agree(node("FeatureVectorizer", ["x", "y"], inputdimensions=sizes), {"x": ["n", 2], "y": ["n", 2]}, {"n": (1, 3)})
    agree(node("FeatureVectorizer", ["x", "y"], inputdimensions=sizes), {"x": [2], "y": [1, 2]})


def test_encoders():
    agree(node("OneHotEncoder", ["x"], cats_int64s=[0, 4, 5]), {"x": ["n", "m"]}, SIZES, dtypes={"x": "int64"})
    text = {"x": "string"}
    model = build([node("LabelEncoder", ["x"], keys_strings=["a"], values_floats=[2.0])], {"x": ["n", 2]}, text)
    model.opset_import[1].version = 2
    agree(model, ranges={"n": (0, 2)})
    agree(node("CategoryMapper", ["x"], cats_strings=["a"], cats_int64s=[2]), {"x": ["n", 2]}, {"n": (0, 2)},
          dtypes=text)  # fmt: skip


def test_tree_ensemble():
    single = {
        "nodes_splits": np.array([3.14, 1.2], np.float32), "nodes_featureids": [0, 1],
        "nodes_modes": np.array([0, 0], np.uint8), "nodes_truenodeids": [1, 0], "nodes_falsenodeids": [2, 1],
        "nodes_trueleafs": [0, 1], "nodes_falseleafs": [1, 1], "leaf_targetids": [0, 1, 0],
        "leaf_weights": np.array([1.0, 2.0, 3.0], np.float32), "tree_roots": [0], "n_targets": 2,
    }  # fmt: skip
    from onnx import numpy_helper

    made = {k: numpy_helper.from_array(v) if isinstance(v, np.ndarray) else v for k, v in single.items()}
    shapes, ranges = shaped(2)
    model = build([node("TreeEnsemble", ["x"], **made)], shapes)
    model.opset_import[1].version = 5
    agree(model, ranges=ranges, may_fail_more=True)


def inferred(op, x, **attributes):
    given = Attributes(attributes)
    graph = Graph("g", {"x": Declared("", None)}, ["y"], [Node(op, "ai.onnx.ml", "node", ["x"], ["y"], given)],
                  opsets={"": 20, "ai.onnx.ml": 3})  # fmt: skip
    return infer(graph, {"x": x}).tensors["y"]


def test_maps():
    scores = tensor("float32", [4, 2])
    assert repr(inferred("ZipMap", scores, classlabels_strings=("a", "b"))) == "Tensor(seq(map(string,float32))[4])"
    words = inferred("DictVectorizer", tensor("map(string,int64)", ()), string_vocabulary=("a", "b", "c"))
    assert repr(words) == "Tensor(int64[1, 3])"
    cast = inferred("CastMap", tensor("map(int64,float32)", ()), cast_to="TO_INT64", map_form="SPARSE", max_map=7)
    assert cast is tensor("int64", [ONE, 7])


@pytest.mark.parametrize(
    ("key", "call", "shape"),
    [
        ("string", 'DictVectorizer<string_vocabulary=["a", "b"]>', "[1,2]"),
        ("int64", 'CastMap<map_form="SPARSE", max_map=4>', "[1,4]"),
    ],
)
def test_maps_that_are_inputs_of_a_model(key, call, shape):
    model = f"""<ir_version: 8, opset_import: ["": 18, "ai.onnx.ml": 3]>
    g (map({key}, float) x) => (float[a, b] y) {{ y = ai.onnx.ml.{call} (x) }}"""
    assert shapesmt.check(model.encode()).verdict.value == "PROVED"
    assert str(shapesmt.bounds(model.encode())["y"]) == shape
