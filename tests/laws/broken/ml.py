"""Calls that break one law each, of ai.onnx.ml."""

from __future__ import annotations

from functools import partial

from shapesmt import laws
from tests.oracle.onnx_calls import k, op, x

ml = partial(op, domain="ai.onnx.ml", version=3)

ROWS = [
    (laws.INPUT_FEATURES_OR_SAMPLES, ml("Normalizer", x(), norm="L2")),
    (laws.NUMBER_PER_TEXT, ml("CategoryMapper", x(3, dtype="object"), cats_int64s=[2])),
    (laws.VALUE_PER_KEY,
     ml("LabelEncoder", x(5, dtype="object"), version=2, keys_strings=["a", "b", "c"], values_int64s=[0])),
    (laws.ONE_ATTRIBUTE_LISTS, ml("LabelEncoder", x(dtype="object"), version=2)),
    (laws.FILL_VALUE_OF_ONE_TYPE, ml("Imputer", x(4, 2), replaced_value_float=0.0)),
    (laws.FILL_VALUE_OF_INPUT_TYPE,
     ml("Imputer", x(4, 2, dtype="int64"), imputed_value_floats=[1.0, 2.0], replaced_value_float=0.0)),
    (laws.RANK_AT_LEAST, ml("Imputer", x(), imputed_value_floats=[1.0, 2.0], replaced_value_float=0.0)),
    (laws.RANK_AT_LEAST, ml("Scaler", x(), offset=[0.5, 1.0], scale=[1.0, 2.0])),
    (laws.OFFSET_AND_SCALE_PER_FEATURE_OR_ALL, ml("Scaler", x(4, 2), scale=[1.0, 2.0])),
    (laws.OFFSET_AND_SCALE_PER_FEATURE_OR_ALL, ml("Scaler", x(1), offset=[0.5, 1.0], scale=[1.0, 2.0])),
    (laws.RANK_AT_LEAST, ml("ArrayFeatureExtractor", x(), k([0, 1]))),
    (laws.A_COLUMN_CHOSEN, ml("ArrayFeatureExtractor", x(1, 2), k([]))),
    (laws.A_COLUMN, ml("ArrayFeatureExtractor", x(1, 0), k([0, 1]))),
    (laws.CHOSEN_COLUMNS_IN_INPUT, ml("ArrayFeatureExtractor", x(1), k([0, 1]))),
    (laws.INPUT_GIVEN, ml("FeatureVectorizer", None, x(3, 3), inputdimensions=[2, 3])),
    (laws.INPUTDIMENSIONS_ENTRY_PER_INPUT, ml("FeatureVectorizer", x(3, 2), inputdimensions=[2, 3])),
    (laws.AT_LEAST_ONE_SAMPLE, ml("FeatureVectorizer", x(0, 2), x(3, 3), inputdimensions=[2, 3])),
    (laws.INPUTS_SAME_SAMPLE_COUNT, ml("FeatureVectorizer", x(1), x(3, 3), inputdimensions=[2, 3])),
    (laws.ONE_ATTRIBUTE_LISTS_CATEGORIES, ml("OneHotEncoder", x(3, 5, dtype="int64"))),
    (laws.LABEL_PER_CLASS,
     ml("LinearClassifier", x(3, 2), outputs=2, coefficients=[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], intercepts=[0.0, 0.0,
      0.0])),
    (laws.WEIGHT_PER_CLASS_AND_FEATURE,
     ml("LinearClassifier", x(3), outputs=2, classlabels_ints=[1, 2, 3], coefficients=[1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
      intercepts=[0.0, 0.0, 0.0])),
    (laws.WEIGHT_PER_CLASS_AND_FEATURE,
     ml("LinearClassifier", x(3, 2), outputs=2, classlabels_ints=[1, 2, 3], intercepts=[0.0, 0.0, 0.0],
      coefficients=[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])),
    (laws.WEIGHT_PER_TARGET_AND_FEATURE, ml("LinearRegressor", x(3, 3), intercepts=[0.0, 1.0], targets=2)),
    (laws.VECTORS_PER_CLASS,
     ml("SVMClassifier", k([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [-1.0, 0.0], [-1.0, 1.0]], "float32"), outputs=2,
      coefficients=[1.0, 1.0], kernel_params=[0.5, 0.0, 3.0], kernel_type="LINEAR", rho=[0.5], support_vectors=[1.0,
      1.0, 1.0, 1.0], vectors_per_class=[1, 1])),
    (laws.PROB_A_AND_PROB_B_AS_MANY,
     ml("SVMClassifier", k([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [-1.0, 0.0], [-1.0, 1.0]], "float32"), outputs=2,
      classlabels_ints=[0, 1], coefficients=[1.0, 1.0], kernel_params=[0.5, 0.0, 3.0], kernel_type="LINEAR",
      rho=[0.5], support_vectors=[1.0, 1.0, 1.0, 1.0], vectors_per_class=[1, 1], prob_a=[0.0])),
    (laws.KERNEL_PARAMS_THREE_ENTRIES,
     ml("SVMRegressor", x(4, 2), coefficients=[1.0, 2.0], kernel_type="LINEAR", n_supports=2, rho=[0.5],
      support_vectors=[1.0, 1.0, 1.0, 1.0], kernel_params=[0.5, 0.0])),
    (laws.SUPPORT_VECTOR_HAS_ALL_FEATURES,
     ml("SVMRegressor", x(4, 2), coefficients=[1.0, 2.0], kernel_params=[0.5, 0.0, 3.0], kernel_type="LINEAR",
      n_supports=2, rho=[0.5], support_vectors=[1.0, 1.0, 1.0, 1.0, 1.0])),
    (laws.SUPPORT_VECTOR_HAS_ALL_FEATURES,
     ml("SVMRegressor", x(4, 2), coefficients=[1.0, 2.0], kernel_params=[0.5, 0.0, 3.0], kernel_type="LINEAR",
      n_supports=2, rho=[0.5])),
    (laws.WEIGHT_PER_FEATURE,
     ml("SVMClassifier", k([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [-1.0, 0.0], [-1.0, 1.0]], "float32"), outputs=2,
      classlabels_ints=[0, 1], coefficients=[1.0, 1.0], kernel_params=[0.5, 0.0, 3.0], kernel_type="LINEAR",
      rho=[0.5], support_vectors=[1.0, 1.0, 1.0, 1.0])),
]  # fmt: skip
