"""Operators on text against execution."""

from __future__ import annotations

import pytest

from tests.support.harness import agree, node

TEXT = {"x": "string"}


@pytest.mark.parametrize("most", [None, 0, 1, 2])
@pytest.mark.parametrize("word", ["a", "a-b-c-d", ""])
def test_string_split(most, word):
    split = node("StringSplit", ["x"], ["y", "z"], delimiter="-", maxsplit=most)
    data = {"x": lambda _, shape: __import__("numpy").full(shape, word, dtype=object)}
    agree(split, {"x": ["n", 2]}, {"n": (0, 3)}, dtypes=TEXT, data=data)


@pytest.mark.parametrize("stop", [None, ["a"], ["b"]])
@pytest.mark.parametrize("shape", [["n"], [1, "n"], [2, "n"], [1, 1, "n"]], ids=str)
def test_string_normalizer(stop, shape):
    normal = node("StringNormalizer", ["x"], stopwords=stop, locale="C", case_change_action="UPPER")
    agree(normal, {"x": shape}, {"n": (0, 3)}, dtypes=TEXT)


@pytest.mark.parametrize("shape", [["n"], ["n", "m"], [1, "n", "m"]], ids=len)
def test_tf_idf_vectorizer(shape):
    grams = {"ngram_counts": [0, 2], "ngram_indexes": [0, 4, 2], "pool_int64s": [2, 3, 5, 4]}
    tf = node("TfIdfVectorizer", ["x"], mode="TF", max_gram_length=2, min_gram_length=1, max_skip_count=0, **grams)
    ranges = {"n": (0, 3), "m": (0, 3)} if "m" in shape else {"n": (0, 3)}
    agree(tf, {"x": shape}, ranges, dtypes={"x": "int64"})


def test_string_concat_and_full_match():
    agree(node("StringConcat", ["x", "y"]), {"x": ["n", 2], "y": ["m"]}, {"n": (0, 2), "m": (0, 3)},
          dtypes={**TEXT, "y": "string"})  # fmt: skip
    agree(node("RegexFullMatch", ["x"], pattern="a+"), {"x": ["n", 2]}, {"n": (0, 2)}, dtypes=TEXT)
