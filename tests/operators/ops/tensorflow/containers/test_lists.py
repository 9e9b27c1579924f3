"""TensorFlow's lists of tensors against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

import tensorflow as tf

from tests.support.tensorflow import agree, ints, scalar

raw = tf.raw_ops
F = tf.float32


raw = tf.raw_ops

F = tf.float32


def any_shape(*sizes):
    return ints(*sizes, dtype=tf.int32) if all(isinstance(s, int) for s in sizes) else tf.stack(sizes)


def of(x):
    """A list of the rows of x."""
    return raw.TensorListFromTensor(tensor=x, element_shape=scalar(-1))


def stacked(found, *sizes, count=-1):
    shape = any_shape(*sizes) if sizes else scalar(-1)
    return raw.TensorListStack(input_handle=found, element_shape=shape, element_dtype=F, num_elements=count)


def reserved(count, *sizes):
    return raw.TensorListReserve(element_shape=any_shape(*sizes), num_elements=count, element_dtype=F)


def put(found, index, x, grows=False):
    return raw.TensorListSetItem(input_handle=found, index=index, item=x, resize_if_index_out_of_bounds=grows)


def at(found, index, *sizes):
    shape = any_shape(*sizes) if sizes else scalar(-1)
    return raw.TensorListGetItem(input_handle=found, index=index, element_shape=shape, element_dtype=F)


def length(found):
    return raw.TensorListLength(input_handle=found)


def empty():
    return raw.EmptyTensorList(element_shape=scalar(-1), max_num_elements=scalar(-1), element_dtype=F)


def pushed(found, x):
    return raw.TensorListPushBack(input_handle=found, tensor=x)


def popped(found, *sizes):
    shape = any_shape(*sizes) if sizes else scalar(-1)
    return raw.TensorListPopBack(input_handle=found, element_shape=shape, element_dtype=F)


def looped(found, x):
    """The list with a tensor more for each of its rows."""
    return tf.while_loop(lambda i, _: i < tf.shape(x)[0], lambda i, kept: (i + 1, pushed(kept, x)), (0, found))[1]


ONE = {
    "stacked": lambda x: stacked(of(x), -1),
    "stacked_of_any_rank": lambda x: stacked(of(x)),
    "stacked_of_a_shape": lambda x: stacked(of(x), 2),
    "stacked_of_another_rank": lambda x: stacked(of(x), 2, 2),
    "stacked_of_a_length": lambda x: stacked(of(x), 2, count=2),
    "of_a_shape": lambda x: length(raw.TensorListFromTensor(tensor=x, element_shape=any_shape(2))),
    "length": lambda x: length(of(x)),
    "first": lambda x: at(of(x), 0),
    "second_of_a_shape": lambda x: at(of(x), 1, 2),
    "from_the_end": lambda x: at(of(x), -1),
    "by_size": lambda x: at(of(x), tf.shape(x)[1]),
    "reserved": lambda x: stacked(reserved(tf.shape(x)[0], 3), 3),
    "reserved_of_a_shape": lambda x: stacked(reserved(tf.shape(x)[0], 3)),
    "put_of_a_shape": lambda x: length(put(reserved(1, 2), 0, x)),
    "pushed_of_a_shape": lambda x: length(pushed(reserved(0, 2, 2), x)),
    "put_of_some_sizes": lambda x: stacked(put(reserved(1, -1, 2), 0, x)),
    "put_of_another_rank": lambda x: length(put(reserved(1, -1, 2, -1), 0, x)),
    "pushed_of_some_sizes": lambda x: stacked(pushed(pushed(reserved(0, 2, -1), x), x), 2, -1),
    "resized_of_some_sizes": lambda x: length(pushed(raw.TensorListResize(input_handle=reserved(0, 2, -1), size=3), x)),
    "nothing_of_some_sizes": lambda x: at(reserved(1, -1, 2), 0, tf.shape(x)[0], 2),
    "nothing_of_other_sizes": lambda x: at(reserved(1, -1, 2), 0, tf.shape(x)[0], tf.shape(x)[1]),
    "nothing_stacked_of_sizes": lambda x: stacked(reserved(tf.shape(x)[0], -1, 2), 3, tf.shape(x)[1]),
    "nothing_stacked_of_both": lambda x: stacked(reserved(tf.shape(x)[0], -1, 2), 3, -1),
    "nothing_gathered_of_both": lambda x: raw.TensorListGather(
        input_handle=reserved(tf.shape(x)[0], -1, 2),
        indices=any_shape(),
        element_shape=any_shape(3, -1),
        element_dtype=F,
    ),
    "scalars_set": lambda x: stacked(put(reserved(1), 0, tf.reduce_sum(x))),
    "scalars_of_a_matrix": lambda x: length(put(reserved(1), 0, x)),
    "nothing_popped_of_sizes": lambda x: popped(reserved(1, -1, 2), 3, tf.shape(x)[1])[1],
    "set_and_stacked_of_sizes": lambda x: stacked(put(reserved(1, -1, 2), 0, x), tf.shape(x)[0], 2),
    "looped_of_some_sizes": lambda x: stacked(looped(reserved(0, -1, 2), x)),
    "reserved_negative": lambda x: stacked(reserved(tf.shape(x)[0] - 1, 3), 3),
    "reserved_and_read": lambda x: at(reserved(tf.shape(x)[0], 3), 1, 3),
    "set_first": lambda x: stacked(put(reserved(1, -1, -1), 0, x), -1, -1),
    "set_outside": lambda x: stacked(put(of(x), tf.shape(x)[1], x[0]), -1),
    "set_and_grown": lambda x: length(put(of(x), tf.shape(x)[1], x[0], grows=True)),
    "pushed": lambda x: stacked(pushed(pushed(empty(), x), x), -1, -1),
    "pushed_behind": lambda x: length(pushed(of(x), x[0])),
    "popped": lambda x: [popped(of(x), -1)[1], length(popped(of(x))[0])],
    "popped_of_a_shape": lambda x: popped(of(x), 2)[1],
    "gathered": lambda x: raw.TensorListGather(
        input_handle=of(x), indices=any_shape(0, 1, 0), element_shape=any_shape(-1), element_dtype=F
    ),
    "gathered_of_a_shape": lambda x: raw.TensorListGather(
        input_handle=of(x), indices=any_shape(1), element_shape=any_shape(2), element_dtype=F
    ),
    "nothing_gathered": lambda x: raw.TensorListGather(
        input_handle=of(x), indices=any_shape(), element_shape=any_shape(2), element_dtype=F
    ),
    "resized": lambda x: length(raw.TensorListResize(input_handle=of(x), size=tf.shape(x)[1])),
}


@pytest.mark.parametrize("name", ONE)
def test_lists(name):
    agree(ONE[name], "0..3,1..3")


def test_joined():
    def build(x):
        return raw.TensorListConcatV2(
            input_handle=of(x), element_shape=scalar(-1), leading_dims=ints(), element_dtype=F
        )

    agree(build, "1..3,1..3,2")


def test_scalars():
    agree(lambda x: stacked(of(x)), "1..3")
    agree(lambda x: stacked(pushed(empty(), tf.reduce_sum(x))), "1..3")


def test_elements_of_different_shapes_are_not_judged():
    found = agree(lambda x, y: length(pushed(of(x), y)), "1..2,2", "1..3", known=False)
    assert [u.law for a in found.inference.applications for u in a.unjudged] == [
        "all elements of the list have one shape"
    ]
