"""Classical machine learning (`ai.onnx.ml`): features in rows, one row per sample.

A map is a tensor of type "map(key,value)" without axes; a sequence of them has its length as its only axis.
"""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.network.graph import Literal
from shapesmt.operators.ops.shared.follows import aligned, each, row_of_matrix, row_wise
from shapesmt.operators.ops.shared.indices import require_places
from shapesmt.operators.ops.trees import NODES, length, require_forest, require_places_in_trees, sample_count
from shapesmt.operators.rules import Follows, RuleContext, Tensor, rule
from shapesmt.prover.algebra import ONE, Dim, any_of, at_least, equal, product, total

DOMAIN = "ai.onnx.ml"
LISTS = ("string", "int64", "float")
LEAVES = ("leaf_targetids",)


def rows(ctx: RuleContext, x: Tensor) -> tuple[Dim, Dim]:
    """Return (samples, features) of `x[samples, features]`; a vector is one sample."""
    ctx.check(x.rank in (1, 2), laws.INPUT_FEATURES_OR_SAMPLES)
    return (ONE, x[0]) if x.rank == 1 else (x[0], x[1])


def labels(ctx: RuleContext) -> str:
    """Return the element type of class labels: "string" if `classlabels_strings` lists some, else "int64"."""
    return "string" if length(ctx, "classlabels_strings") else "int64"


# Elementwise


def hot(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """The new axis is the last one."""
    letters = aligned(ctx.input(0))
    return Follows((letters,), ((*letters, None),) * len(outputs))


@rule("Binarizer", domain=DOMAIN, follows=each)
def binarizer(ctx: RuleContext) -> Tensor:
    """Compute `Y[i] = X[i] > threshold`; the shape is unchanged."""
    return ctx.tensor(ctx.input(0).dims)


NUMBER_PER_TEXT = laws.SM116.law("each text has a number, and there is one: not {texts} and {numbers}")


@rule("CategoryMapper", domain=DOMAIN, follows=each)
def category_mapper(ctx: RuleContext) -> Tensor:
    """Map each text to a number, or each number to a text; the shape is unchanged."""
    x = ctx.input(0)
    words, numbers = length(ctx, "cats_strings"), length(ctx, "cats_int64s")
    ctx.check(words == numbers > 0, NUMBER_PER_TEXT.of(texts=words, numbers=numbers))
    return ctx.tensor(x.dims, "int64" if x.dtype == "string" else "string")


def _require_keys(ctx: RuleContext, keys: Sequence[int]) -> None:
    """Require that the keys have the input's element type; `keys` is the number of keys per type in `LISTS`."""
    dtype, kind = ctx.input(0).dtype, LISTS[keys.index(max(keys))]
    ctx.check(not (max(keys) and dtype) or dtype.startswith(kind), laws.ELEMENT_TYPE.of(expected=kind, dtype=dtype))


DEFAULT_SINGLE = laws.SM401.law("the default is a single one")
DEFAULT_TYPE_OF_VALUES = laws.SM501.law("the default has the type of the values")


@rule("LabelEncoder", domain=DOMAIN, follows=each)
def label_encoder(ctx: RuleContext) -> Tensor:
    """Map each key to its value; the shape is unchanged."""
    if ctx.version < 2:
        ctx.check("classes_strings" in ctx.attributes, laws.ATTRIBUTE_GIVEN.of(name="classes_strings"))
        return ctx.tensor(ctx.input(0).dims, "int64" if ctx.input(0).dtype == "string" else "string")
    keys, values = _list_lengths(ctx, "keys"), _list_lengths(ctx, "values")
    _require_keys(ctx, keys)
    values_tensor, default = ctx.attribute("values_tensor"), ctx.attribute("default_tensor")
    if isinstance(default, Literal):
        ctx.check(default.shape in ((), (1,)), DEFAULT_SINGLE)
    if isinstance(values_tensor, Literal):
        fitting = not isinstance(default, Literal) or default.dtype == values_tensor.dtype
        ctx.check(fitting, DEFAULT_TYPE_OF_VALUES)
        return ctx.tensor(ctx.input(0).dims, values_tensor.dtype)
    ctx.check(not max(keys) or max(keys) == max(values), laws.VALUE_PER_KEY)
    return ctx.tensor(ctx.input(0).dims, LISTS[values.index(max(values))].replace("float", "float32"))


ONE_ATTRIBUTE_LISTS = laws.SM502.law("exactly one attribute lists the {side}")


def _list_lengths(ctx: RuleContext, side: str) -> list[int]:
    """Return the number of keys or values (`side`) per type in `LISTS`; require exactly one of these attributes."""
    names = [f"{side}_{kind}s" for kind in LISTS]
    given = [name for name in (*names, f"{side}_tensor") if name in ctx.attributes]
    ctx.check(len(given) == 1, ONE_ATTRIBUTE_LISTS.of(side=side))
    return [length(ctx, name) for name in names]


@rule("Normalizer", domain=DOMAIN, follows=row_wise())
def normalizer(ctx: RuleContext) -> Tensor:
    """Divide each sample by its norm; the shape is unchanged."""
    x = ctx.input(0)
    rows(ctx, x)
    return ctx.tensor(x.dims, "float32")


FILL_VALUE_OF_ONE_TYPE = laws.SM405.law("there is a value to fill in, of one type")
FILL_VALUE_OF_INPUT_TYPE = laws.SM405.law("there is a value to fill in of the input's type")


@rule("Imputer", domain=DOMAIN, follows=each)
def imputer(ctx: RuleContext) -> Tensor:
    """Replace missing values; the shape is unchanged."""
    x, counts = ctx.input(0), [length(ctx, f"imputed_value_{kind}s") for kind in ("float", "int64")]
    ctx.check(sum(map(bool, counts)) == 1, FILL_VALUE_OF_ONE_TYPE)
    ctx.limit(bool(counts[x.dtype == "int64"]), FILL_VALUE_OF_INPUT_TYPE)
    ctx.require_rank(x, 1, least=True)
    return ctx.tensor(x.dims)


@rule("Scaler", domain=DOMAIN, follows=each)
def scaler(ctx: RuleContext) -> Tensor:
    """Compute `(X - offset) * scale`, one offset and scale for all features or one each; the shape is unchanged."""
    count, law, x = length(ctx, "scale"), laws.OFFSET_AND_SCALE_PER_FEATURE_OR_ALL, ctx.input(0, least=1)
    ctx.check(count == length(ctx, "offset"), law)
    if count != 1:
        ctx.require_equal(x[1] if x.rank > 1 else x[0], count, law)
    return ctx.tensor(x.dims, "float32")


# Features


A_COLUMN_CHOSEN = laws.SM204.law("at least one column is chosen")
A_COLUMN = laws.SM204.law("there is at least one column")


@rule("ArrayFeatureExtractor", domain=DOMAIN, follows=row_wise())
def array_feature_extractor(ctx: RuleContext) -> Tensor:
    """Select the columns of `X[*sizes, features]` whose indices are in `Y`: `[*sizes, count]`."""
    x, chosen = ctx.input(0, least=1), ctx.input(1)
    ctx.require_at_least(chosen.numel, 1, A_COLUMN_CHOSEN)
    ctx.require_at_least(x[-1], 1, A_COLUMN)
    require_places(ctx, 1, x[-1], laws.CHOSEN_COLUMNS_IN_INPUT)
    return ctx.tensor([*(x.dims[:-1] or (ONE,)), chosen.numel])


INPUTDIMENSIONS_ENTRY_PER_INPUT = laws.SM116.law("'inputdimensions' has an entry per input, none of them negative")
AT_LEAST_ONE_SAMPLE = laws.SM204.law("there is at least one sample")


@rule("FeatureVectorizer", domain=DOMAIN, follows=row_of_matrix)
def feature_vectorizer(ctx: RuleContext) -> Tensor:
    """Concatenate rows: `[samples, sum of inputdimensions]`."""
    inputs = [ctx.input(i) for i in range(len(ctx.inputs))]
    shapes = [rows(ctx, x) if x.rank < 2 else (x[0], product(x.dims[1:])) for x in inputs]
    sizes = ctx.integers("inputdimensions", ())
    ctx.check(len(sizes) in (0, len(shapes)) and min(sizes, default=0) >= 0, INPUTDIMENSIONS_ENTRY_PER_INPUT)
    ctx.require_at_least(shapes[0][0], min(sum(sizes), 1), AT_LEAST_ONE_SAMPLE)
    for samples, _ in shapes[1:]:
        ctx.require_equal(samples, shapes[0][0], laws.INPUTS_SAME_SAMPLE_COUNT)
    return ctx.tensor([shapes[0][0], sum(sizes) if sizes else total(f for _, f in shapes)], "float32")


ONE_ATTRIBUTE_LISTS_CATEGORIES = laws.SM502.law("exactly one attribute lists the categories")
NUMBERS_ARE_CATEGORIES = laws.SM301.law("each number is a category")


@rule("OneHotEncoder", domain=DOMAIN, follows=hot)
def one_hot_encoder(ctx: RuleContext) -> Tensor:
    """Encode `X[*sizes]` as `[*sizes, categories]`."""
    counts = [length(ctx, name) for name in ("cats_int64s", "cats_strings")]
    ctx.check(bool(counts[0]) != bool(counts[1]), ONE_ATTRIBUTE_LISTS_CATEGORIES)
    categories = ctx.integers("cats_int64s", ())
    if categories and not ctx.flag("zeros", 1):
        for item in filter(None, ctx.items(0) or ()):
            ctx.require(any_of(*(equal(item, c) for c in categories)), NUMBERS_ARE_CATEGORIES, item)
    return ctx.tensor([*ctx.input(0).dims, max(counts)], "float32")


# Maps


@rule("CastMap", domain=DOMAIN, any_rank=True, total=True)
def cast_map(ctx: RuleContext) -> Tensor:
    """List the values of a map in the order of its keys: `[1, count]`."""
    dtype = {"TO_FLOAT": "float32", "TO_INT64": "int64", "TO_STRING": "string"}
    sparse = ctx.text("map_form", "DENSE") == "SPARSE"
    count = ctx.integer("max_map", 1) if sparse else ctx.fresh("count")
    return ctx.tensor([1, count], dtype.get(ctx.text("cast_to", "TO_FLOAT"), "float32"))


@rule("DictVectorizer", domain=DOMAIN, any_rank=True, total=True)
def dict_vectorizer(ctx: RuleContext) -> Tensor:
    """List the values of a map in the order of the vocabulary: `[1, words]`."""
    dtype = ctx.input(0).dtype
    value = dtype[dtype.index(",") + 1 : -1] if "," in dtype else ""
    return ctx.tensor([1, length(ctx, "string_vocabulary", "int64_vocabulary")], value)


ONE_ATTRIBUTE_LISTS_CLASSES = laws.SM502.law("exactly one attribute lists the classes")
SCORE_PER_CLASS = laws.SM116.law("each class has a score")


@rule("ZipMap", domain=DOMAIN)
def zip_map(ctx: RuleContext) -> Tensor:
    """Turn each row into a map from class to score."""
    samples, features = rows(ctx, ctx.input(0))
    counts = [length(ctx, name) for name in ("classlabels_strings", "classlabels_int64s")]
    ctx.check(bool(counts[0]) != bool(counts[1]), ONE_ATTRIBUTE_LISTS_CLASSES)
    ctx.require_equal(features, max(counts), SCORE_PER_CLASS)
    return ctx.tensor([samples], f"seq(map({'string' if counts[0] else 'int64'},float32))")


# Models


def classified(ctx: RuleContext, samples: Dim, scores: Dim | int) -> Sequence[Tensor]:
    """Return labels `[samples]` and scores `[samples, scores]`."""
    return [ctx.tensor([samples], labels(ctx)), ctx.tensor([samples, scores], "float32")]


LABEL_PER_CLASS = laws.SM116.law("there is a label per class")
WEIGHT_PER_CLASS_AND_FEATURE = laws.SM108.law("there is a weight per class and feature")


@rule("LinearClassifier", domain=DOMAIN, follows=row_of_matrix)
def linear_classifier(ctx: RuleContext) -> Sequence[Tensor]:
    """Return a label and a score per class for each sample: `X[N, features]` -> `[N]`, `[N, classes]`."""
    samples, features = rows(ctx, ctx.input(0))
    weights, names = length(ctx, "coefficients"), length(ctx, "classlabels_strings", "classlabels_ints")
    classes = length(ctx, "intercepts") or max(names, 1)
    needed = features * classes
    ctx.limit(names in (0, 1, 2) if classes == 1 else names >= classes, LABEL_PER_CLASS)
    ctx.limit(at_least(weights, needed), WEIGHT_PER_CLASS_AND_FEATURE, weights, needed)
    ctx.limit(weights % classes == 0, WEIGHT_PER_CLASS_AND_FEATURE)
    return classified(ctx, samples, 2 if classes == 1 and names == 2 else classes)


@rule("LinearRegressor", domain=DOMAIN, follows=row_of_matrix)
def linear_regressor(ctx: RuleContext) -> Tensor:
    """Return a number per sample and target: `X[N, features]` -> `[N, targets]`."""
    samples, features = rows(ctx, ctx.input(0))
    targets = ctx.integer("targets", 1)
    weights, needed = length(ctx, "coefficients"), features * targets
    ctx.limit(at_least(weights, needed), laws.WEIGHT_PER_TARGET_AND_FEATURE, weights, needed)
    return ctx.tensor([samples, targets], "float32")


PROB_A_AND_PROB_B_AS_MANY = laws.SM502.law("'prob_a' and 'prob_b' have as many entries")


@rule("SVMClassifier", domain=DOMAIN, follows=row_of_matrix)
def svm_classifier(ctx: RuleContext) -> Sequence[Tensor]:
    """Return a label per sample of `X[N, features]`, and a score per class, or per class pair without probabilities."""
    samples, features = rows(ctx, ctx.input(0))
    classes = length(ctx, "classlabels_strings", "classlabels_ints")
    vectors = ctx.integers("vectors_per_class", ())
    require_vectors(ctx, features, sum(vectors), classes)
    _require_coefficients(ctx, vectors, classes)
    ctx.limit(length(ctx, "prob_a") == length(ctx, "prob_b"), PROB_A_AND_PROB_B_AS_MANY)
    single = length(ctx, "prob_a") or not length(ctx, "vectors_per_class") or classes <= 2
    return classified(ctx, samples, classes if single else classes * (classes - 1) // 2)


VECTORS_PER_CLASS = laws.SM116.law("'vectors_per_class' has an entry per class")
COEFFICIENT_PER_SUPPORT_VECTOR = laws.SM502.law("there is a coefficient per support vector")


def _require_coefficients(ctx: RuleContext, vectors: Sequence[int], classes: int) -> None:
    """Require a number of support vectors per class, if any, and a coefficient per vector and other class."""
    ctx.limit(len(vectors) in (0, classes) and min(vectors, default=0) >= 0, VECTORS_PER_CLASS)
    needed = sum(vectors) * (len(vectors) - 1)
    ctx.limit(length(ctx, "coefficients") >= needed, COEFFICIENT_PER_SUPPORT_VECTOR)


@rule("SVMRegressor", domain=DOMAIN, follows=row_of_matrix)
def svm_regressor(ctx: RuleContext) -> Tensor:
    """Return a number per sample: `X[N, features]` -> `[N, 1]`."""
    samples, features = rows(ctx, ctx.input(0))
    vectors = ctx.integer("n_supports", 0)
    ctx.limit(vectors <= 0 or length(ctx, "support_vectors") > 0, laws.ATTRIBUTE_GIVEN.of(name="support_vectors"))
    require_vectors(ctx, features, vectors, 1)
    ctx.limit(length(ctx, "coefficients") >= vectors, COEFFICIENT_PER_SUPPORT_VECTOR)
    return ctx.tensor([samples, 1], "float32")


KERNEL_PARAMS_THREE_ENTRIES = laws.SM502.law("'kernel_params' has three entries")
OFFSET_GIVEN = laws.SM502.law("'rho' has a number")
SUPPORT_VECTOR_HAS_ALL_FEATURES = laws.SM108.law("a support vector has every feature")
WEIGHT_PER_FEATURE = laws.SM108.law("there is a weight per feature")


def require_vectors(ctx: RuleContext, features: Dim, vectors: int, classes: int) -> None:
    """Require one entry per feature of the input in each support vector, or without vectors in each class's weights.

    `vectors` is the number of support vectors, `classes` the number of classes.
    """
    kernel, entries = length(ctx, "kernel_params"), length(ctx, "support_vectors")
    ctx.limit(kernel in (0, 3), KERNEL_PARAMS_THREE_ENTRIES)
    ctx.limit(ctx.attribute("rho") != (), OFFSET_GIVEN)
    ctx.limit(vectors <= 0 or entries % vectors == 0, SUPPORT_VECTOR_HAS_ALL_FEATURES)
    if vectors > 0:
        ctx.require_equal(features, length(ctx, "support_vectors") // vectors, SUPPORT_VECTOR_HAS_ALL_FEATURES)
    elif classes > 0:
        ctx.require_equal(features, length(ctx, "coefficients") // classes, WEIGHT_PER_FEATURE)


@rule("TreeEnsembleClassifier", domain=DOMAIN, follows=row_of_matrix)
def tree_classifier(ctx: RuleContext) -> Sequence[Tensor]:
    """Return a label and a score per class for each sample: `X[N, features]` -> `[N]`, `[N, classes]`."""
    samples, classes = sample_count(ctx), length(ctx, "classlabels_strings", "classlabels_int64s")
    require_forest(ctx, "class", classes)
    return classified(ctx, samples, classes)


@rule("TreeEnsembleRegressor", domain=DOMAIN, follows=row_of_matrix)
def tree_regressor(ctx: RuleContext) -> Tensor:
    """Return a number per sample and target: `X[N, features]` -> `[N, targets]`."""
    require_forest(ctx, "target", ctx.integer("n_targets", 1))
    return ctx.tensor([sample_count(ctx), ctx.integer("n_targets", 1)], "float32")


@rule("TreeEnsemble", domain=DOMAIN, follows=row_of_matrix)
def tree_ensemble(ctx: RuleContext) -> Tensor:
    """Return a number per sample of `X[N, features]` and target; splits and weights have the input's type."""
    kinds = {"splits": NODES, "weights": LEAVES}
    for (kind, lists), tensor in zip(kinds.items(), ("nodes_splits", "leaf_weights"), strict=True):
        values = ctx.attribute(tensor)
        if isinstance(values, Literal):
            _require_entries(ctx, kind, values, lists)
    require_places_in_trees(ctx)
    return ctx.tensor([sample_count(ctx), ctx.integer("n_targets", 1)])


ATTRIBUTE_OF_KIND_LIST = laws.SM502.law("the attribute of the {kind} is a list")
KIND_PER_ENTRY = laws.SM116.law("there is one of the {kind} for each entry of the other lists")


def _require_entries(ctx: RuleContext, kind: str, numbers: Literal, lists: Sequence[str]) -> None:
    """Require that a tensor attribute is a vector of the input's type, as long as each of the attributes `lists`.

    `kind` is "splits" or "weights". Omitted lists are ignored.
    """
    ctx.check(numbers.dtype in (ctx.input(0).dtype, ""), laws.SAME_TYPE_AS_INPUT.of(kind=kind))
    ctx.check(len(numbers.shape) == 1, ATTRIBUTE_OF_KIND_LIST.of(kind=kind))
    counted = all(length(ctx, name) in (0, numbers.shape[0]) for name in lists)
    ctx.check(counted, KIND_PER_ENTRY.of(kind=kind))
