"""Classical machine learning."""

from __future__ import annotations

from functools import partial

from tests.oracle.recipes import ML, any_of, op as plain

op = partial(plain, domain=ML, version=3)
TREE = {
    "nodes_falsenodeids": [2, 0, 0], "nodes_featureids": [1, 0, 0], "nodes_hitrates": [1.0, 1, 1],
    "nodes_missing_value_tracks_true": [0, 0, 0], "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_nodeids": [0, 1, 2], "nodes_treeids": [0, 0, 0], "nodes_truenodeids": [1, 0, 0],
    "nodes_values": [0.5, 0.0, 0.0], "post_transform": "NONE",
}  # fmt: skip
LINEAR = {"kernel_type": "LINEAR", "kernel_params": [0.5, 0.0, 3.0]}

RECIPES = [
    op("Binarizer", "f *", threshold=0.5, assumed=True),
    op("Normalizer", "f n m", norm=any_of("L2", "MAX", "L1")),
    op("Scaler", "f n 2", offset=[0.5, 1.0], scale=[1.0, 2.0]),
    op("Imputer", "f n 2", imputed_value_floats=[1.0, 2.0], replaced_value_float=0.0),
    op("LinearRegressor", "f n 3", coefficients=[1.0] * 6, intercepts=[0.0, 1.0], targets=2),
    op("TreeEnsembleRegressor", "f n m", n_targets=2, target_ids=[0, 1], target_nodeids=[1, 2],
       target_treeids=[0, 0], target_weights=[1.0, 2.0], **TREE),
    op("LinearClassifier", "f n 2", outputs=2, coefficients=[1.0] * 6, intercepts=[0.0] * 3,
       classlabels_ints=[1, 2, 3]),
    op("TreeEnsembleClassifier", "f n m", outputs=2, class_ids=[0, 1], class_nodeids=[1, 2], class_treeids=[0, 0],
       class_weights=[1.0, 2.0], classlabels_int64s=[4, 5], **TREE),
    op("SVMRegressor", "f n 2", support_vectors=[1.0] * 4, coefficients=[1.0, 2.0], rho=[0.5], n_supports=2, **LINEAR),
    op("SVMClassifier", "f n 2", outputs=2, classlabels_ints=[0, 1], vectors_per_class=[1, 1], rho=[0.5],
       support_vectors=[1.0] * 4, coefficients=[1.0] * 2, **LINEAR),
    op("ArrayFeatureExtractor", "f n m", "= 0 1"),
    op("FeatureVectorizer", "f n 2", "f n 3", inputdimensions=[2, 3]),
    op("OneHotEncoder", "i n m", cats_int64s=[1, 4, 5]),
    op("LabelEncoder", "s *", keys_strings=["a"], values_floats=[2.0]),
    op("CategoryMapper", "s *", cats_strings=["a"], cats_int64s=[2]),
]  # fmt: skip
