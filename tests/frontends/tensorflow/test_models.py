"""TensorFlow's graphs and saved models as TensorFlow itself writes them, judged as it runs them."""

from __future__ import annotations

import itertools
import os

import pytest

import shapesmt
from shapesmt.frontends import load

pytest.importorskip("tensorboard", reason="tensorboard (extra `tensorflow`) isn't installed")


@pytest.fixture(scope="module")
def tf():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    module = pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")
    from tests.support import tensorflow_settings as _settings  # noqa: F401 - before anything runs

    module.get_logger().setLevel("ERROR")
    module.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})  # fused kernels check less
    return module


def cnn(tf):
    keras, layers = tf.keras, tf.keras.layers
    image = keras.Input((None, None, 3), name="image")
    x = layers.Conv2D(4, 3, strides=2)(image)
    x = layers.BatchNormalization()(x)
    x = layers.Conv2D(4, 3, padding="same", activation="relu")(x)
    joined = layers.Concatenate()([x, layers.UpSampling2D()(layers.MaxPooling2D()(x))])
    pooled = layers.GlobalAveragePooling2D()(joined)
    model = keras.Model(image, [layers.Dense(5, activation="softmax")(pooled), joined])
    return model, [(1, 2), (5, 6, 7, 8, 9, 13), (5, 6, 7, 11)]


def transformer(tf):
    class Block(tf.Module):
        def __init__(self):
            self.qkv = tf.Variable(tf.ones((8, 24)))
            self.out = tf.Variable(tf.ones((2, 4, 8)))

        @tf.function
        def call(self, x, mask):
            size = tf.shape(x)
            qkv = tf.reshape(tf.einsum("bsd,de->bse", x, self.qkv), [size[0], size[1], 3, 2, 4])
            q, k, v = (tf.transpose(part, [0, 2, 1, 3]) for part in tf.unstack(qkv, axis=2))
            scores = tf.matmul(q, k, transpose_b=True) / 2.0 + mask[:, None, :, :]
            weights = tf.nn.softmax(scores)
            mixed = tf.einsum("bhsk,hkd->bsd", tf.matmul(weights, v), self.out)
            return {"last": (x + mixed)[:, -1, :], "odd": mixed[:, 1::2], "scores": scores}

    model = Block()
    specs = [tf.TensorSpec([None, None, 8], name="x"), tf.TensorSpec([None, None, None], name="mask")]
    return (model, model.call, specs), [(1, 2), (1, 2, 3), (1, 2), (1, 2, 3), (1, 3)]


def embedding(tf):
    class Embedding(tf.Module):
        def __init__(self):
            self.words = tf.Variable(tf.ones((10, 6)))
            self.places = tf.Variable(tf.ones((5, 6)))

        @tf.function
        def call(self, ids):
            return tf.gather(self.words, ids) + self.places[: tf.shape(ids)[1]]

    model = Embedding()
    return (model, model.call, [tf.TensorSpec([None, None], tf.int32, name="ids")]), [(1, 2), (1, 4, 5, 6, 7)]


def flow(tf):
    class Flow(tf.Module):
        def __init__(self):
            self.w = tf.Variable(tf.ones((4, 4)))

        @tf.function
        def call(self, x, count):
            y = tf.cond(tf.shape(x)[0] > 2, lambda: tf.reshape(x, [-1, 8]), lambda: tf.concat([x, x], 1))
            _, z = tf.while_loop(lambda i, _: i < tf.shape(x)[0], lambda i, z: (i + 1, z @ self.w), (0, x))
            _, grown = tf.while_loop(
                lambda i, _: i < 3,
                lambda i, z: (i + 1, tf.concat([z, x], 0)),
                (0, x),
                shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, 4])),
            )
            chosen = tf.switch_case(count, [lambda: x[:1], lambda: x[1:], lambda: x])
            return {"y": y, "z": z, "grown": grown, "data": chosen}

    model = Flow()
    specs = [tf.TensorSpec([None, 4], name="x"), tf.TensorSpec([], tf.int32, name="count")]
    return (model, model.call, specs), [(1, 2, 3, 4, 5, 6)]


def checked(tf):
    class Checked(tf.Module):
        @tf.function
        def call(self, x, y):
            tf.debugging.assert_equal(tf.shape(x)[1], tf.shape(y)[1])
            return x, tf.reshape(y, [tf.shape(x)[0], -1])

    model = Checked()
    specs = [tf.TensorSpec([None, None], name="x"), tf.TensorSpec([None, None], name="y")]
    return (model, model.call, specs), [(1, 2, 3), (1, 2), (1, 2, 3), (1, 2)]


def recurrent(tf):
    keras, layers = tf.keras, tf.keras.layers
    x = keras.Input((None, 4), name="x")
    both = layers.Bidirectional(layers.LSTM(3, return_sequences=True))(x)
    return keras.Model(x, [layers.GRU(5)(both), both]), [(1, 2, 3), (1, 2, 5)]


def lists(tf):
    class Lists(tf.Module):
        @tf.function
        def call(self, x, y):
            four, grown = tf.TensorArray(tf.float32, 4), tf.TensorArray(tf.float32, 0, dynamic_size=True)
            for i in tf.range(tf.shape(y)[0]):
                four = four.write(i, x[0])
                grown = grown.write(i, x)
            mapped = tf.map_fn(lambda row: row[::-1][:2], x)
            return {"four": four.stack(), "grown": grown.stack(), "mapped": mapped, "sum": tf.scan(tf.add, x)}

    model = Lists()
    specs = [tf.TensorSpec([None, 3], name="x"), tf.TensorSpec([None], name="y")]
    return (model, model.call, specs), [(1, 2, 4), (1, 3, 4, 5, 6)]


def pieces(tf):
    class Pieces(tf.Module):
        @tf.function
        def call(self, x):
            halves = tf.TensorArray(tf.float32, 2).split(x, [2, 2]).concat()
            return {"halves": halves, "scattered": tf.TensorArray(tf.float32, 3).scatter([2, 0, 1], x[:3]).stack()}

    model = Pieces()
    return (model, model.call, [tf.TensorSpec([None, 3], name="x")]), [(1, 2, 3, 4, 5)]


def nested(tf):
    class Nested(tf.Module):
        @tf.function
        def call(self, x):
            total = tf.zeros([4])
            for i in tf.range(tf.shape(x)[0]):
                if tf.reduce_sum(x[i]) > 0.0:
                    for j in tf.range(i):
                        total += x[j]
                    if tf.shape(x)[0] > 3:
                        total = tf.reshape(x[:4], [4, -1])[:, 0] + total
                else:
                    total -= x[i]
            return {"total": total, "half": tf.cond(tf.shape(x)[0] > 4, lambda: tf.reshape(x, [2, -1]), lambda: x)}

    model = Nested()
    return (model, model.call, [tf.TensorSpec([None, 4], name="x")]), [(1, 2, 3, 4, 5, 6)]


def tables(tf):
    class Tables(tf.Module):
        def __init__(self):
            lookup = tf.lookup.experimental
            self.dense = lookup.DenseHashTable(tf.int64, tf.float32, [0.0, 0.0, 0.0], -1, -2)
            self.pairs = lookup.DenseHashTable(tf.int64, tf.float32, 0.0, [-1, -1], [-2, -2])
            self.vectors = lookup.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])

        @tf.function
        def call(self, keys, values):
            self.vectors.insert(keys[:, 0], values)
            found = {"dense": self.dense.lookup(keys[:, 1:]), "pairs": self.pairs.lookup(keys)}
            return {**found, "vectors": self.vectors.lookup(keys)}

    model = Tables()
    specs = [tf.TensorSpec([None, None], tf.int64, name="keys"), tf.TensorSpec([None, None], name="values")]
    return (model, model.call, specs), [(1, 2, 3), (1, 2, 3), (1, 2, 3), (1, 2, 3)]


BUILDS = [cnn, transformer, embedding, flow, checked, recurrent, lists, nested, tables, pieces]


def written(tf, build, folder):
    """A saved model in a folder, what runs it, and the sizes to try."""
    made, grid = build(tf)
    if isinstance(made, tuple):
        model, method, specs = made
        tf.saved_model.save(model, str(folder), signatures=method.get_concrete_function(*specs))
    else:
        made.export(str(folder), verbose=False)
    loaded = tf.saved_model.load(str(folder))
    served = loaded.signatures["serving_default"]
    served.kept = loaded  # its variables go with it
    return served, grid


def test_a_window_that_does_not_fit_at_a_size_that_the_caller_gives(tf, tmp_path):
    """TensorFlow runs it if the size is only known at run time, so a size that the caller states isn't refused."""

    @tf.function
    def call(x):
        return {"y": tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), 1, "VALID")}

    served, _ = written(tf, lambda _: ((tf.Module(), call, [tf.TensorSpec([1, None, 3, 1], name="x")]), []), tmp_path)
    assert run(tf, served, {"x": (1, 1, 3, 1)}) == {"y": (1, 0, 2, 1)}
    verdicts = [shapesmt.check(tmp_path, dims={"x_dim1": n}).verdict.value for n in (0, 1, 2)]
    assert verdicts == ["FAILS", "UNKNOWN", "PROVED"]


def run(tf, served, shapes):
    """The shapes of what it makes of inputs of these shapes; None where it can't."""
    specs = served.structured_input_signature[1]
    try:
        made = served(**{name: tf.ones(shape, specs[name].dtype) for name, shape in shapes.items()})
    except tf.errors.OpError:
        return None
    return {name: tuple(t.shape) for name, t in made.items()}


def sized(served, sizes):
    """The dimensions of its inputs, as we call them, at these sizes; and the shapes of its inputs."""
    left, at, shapes = iter(sizes), {}, {}
    for name, spec in sorted(served.structured_input_signature[1].items()):
        given = [next(left) if size is None else size for size in spec.shape]
        at |= {f"{name}_dim{i}": given[i] for i, size in enumerate(spec.shape) if size is None}
        shapes[name] = tuple(given)
    return at, shapes


@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.__name__)
def test_as_tensorflow_runs(build, tf, tmp_path):
    """At each size of a grid, the model is valid if TensorFlow runs it, and has the shapes of that run."""
    served, grid = written(tf, build, tmp_path)
    graph, runs = load(tmp_path), []
    ranges = {"image_dim1": "5..", "image_dim2": "5.."} if build is cnn else {}  # kernels differ over empty tensors
    for sizes in itertools.product(*grid):
        at, shapes = sized(served, sizes)
        made = run(tf, served, shapes)
        found = shapesmt.bounds(graph, dims=at)
        assert found.valid is (made is not None), (at, shapesmt.check(graph, dims=at))
        for name, expected in (made or {}).items():
            ends = [(d.min, d.max) for d in found.tensors[name].shape]
            if name == "data":
                assert all(low <= n <= high for (low, high), n in zip(ends, expected, strict=True)), (at, name)
            else:
                assert ends == [(n, n) for n in expected], (at, name)
        runs.append((at, found.valid))
    assert {valid for _, valid in runs} == ({True} if build in (recurrent, nested) else {True, False})
    report = shapesmt.check(graph, dims=ranges)
    assert report.verdict.value == ("PROVED" if build in (recurrent, nested) else "DEPENDS")
    assert report.precondition.exact
    region = " and ".join(f"({text})" for text in report.precondition.text) or "True"
    assert [(at, eval(region, {}, at)) for at, _ in runs] == runs, region
    for finding in report.findings:
        assert run(tf, served, finding.counterexample.inputs) is None, finding
    assert "declaration" not in [w.kind for w in report.warnings]  # TensorFlow's own static shapes agree


def test_frozen_graphs(tf, tmp_path):
    """Freezing inlines functions and turns branches and loops into switches and merges; the answers stay the same."""
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2 as frozen

    for build, size in (
        (flow, (5,)),
        (lists, (2, 4)),
        (lists, (2, 5)),
        (recurrent, (2, 3)),
        (nested, (4,)),
    ):
        served, _ = written(tf, build, tmp_path / build.__name__)
        at, shapes = sized(served, size)
        proto = frozen(served).graph.as_graph_def()
        assert {"Merge", "Switch"} <= {n.op for n in proto.node}
        graph = load(proto.SerializeToString())
        assert {n.op for n in graph.every_node()}.isdisjoint({"Enter", "Exit", "Merge", "NextIteration", "Switch"})
        made = run(tf, served, shapes)
        prefix = next(name for name in graph.inputs if name.endswith("x")).removesuffix("x")
        found = shapesmt.bounds(graph, dims={f"{prefix}{name}": n for name, n in at.items()})
        assert found.valid is (made is not None), (build, size)
        if made is not None:
            shapes = [found.tensors[name].shape for name in graph.outputs if name.startswith("Identity")]
            assert sorted(tuple(d.min for d in s) for s in shapes) == sorted(made.values()), (build, size)


def test_a_list_of_different_shapes_is_not_judged(tf, tmp_path):
    @tf.function
    def call(x):
        rows = tf.TensorArray(tf.float32, 2, infer_shape=False, element_shape=[None])
        for i in tf.range(2):
            rows = rows.write(i, x[: i + 1])
        return {"y": rows.stack()}

    served, _ = written(tf, lambda _: ((tf.Module(), call, [tf.TensorSpec([None], name="x")]), []), tmp_path)
    assert run(tf, served, {"x": (1,)}) is not None
    assert run(tf, served, {"x": (2,)}) is None
    assert shapesmt.check(tmp_path).verdict.value == "UNKNOWN"


def test_operators_are_known_as_tensorflow_registers_them(tf):
    """Inputs are compared for operators with a rule, outputs for operators that don't have exactly one output."""
    from tensorflow.python.framework import op_def_registry

    from shapesmt.frontends.tensorflow.operators import known_operators, operators_by_name
    from shapesmt.operators.rules import rules

    names = {r.name for r in rules() if r.domain == "tensorflow"} | known_operators().keys()
    registered = [d for d in map(op_def_registry.get, sorted(names)) if d is not None]
    said = operators_by_name(registered)
    assert len(registered) > 400
    for definition in registered:
        name, expected = definition.name, said[definition.name]
        assert sorted(known_operators()[name].inputs) == sorted(expected.inputs), name
        single = [output.many for output in expected.outputs] == [""]
        assert known_operators()[name].outputs == (None if single else expected.outputs), name
