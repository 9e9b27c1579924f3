"""ONNX Runtime: the bytes on its heap for a model as it is, and with shapes written in, in a session as users have it.

Each is run four times, in a process of its own, at the greatest sizes of the ranges (or those that `LARGEST` leaves).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

import onnx

import shapesmt
from tests.bench.heap import Heap, measurable
from tests.bench.inputs import Sizes, corners, drawn
from tests.bench.models import Subject, listed, subject

HEAD = "       as is     for ort    all shapes  for ort/as is  all/as is  model"
LARGEST = 256  # of a size


def row(subject: Subject) -> str:
    """One model."""
    options: Any = {"dims": subject.dims, "assume": subject.assume, "valid_only": True}
    forms = [subject.model, shapesmt.tighten(subject.model, target="ort", **options)]
    forms.append(shapesmt.tighten(subject.model, **options))
    found = next(filter(None, (_taken(forms, sizes) for sizes in _sizes(subject))), None)
    if found is None:
        return f"{'-':>12} it runs at no size that was tried  {subject.name}"
    first, second, third = found
    return f"{first:>12} {second:>11} {third:>13} {second / first:>14.3f} {third / first:>10.3f}  {subject.name}"


def _sizes(subject: Subject) -> Iterator[Sizes]:
    """Sizes to try: the largest corners first."""
    yield from sorted(corners(subject, LARGEST), key=lambda sizes: -sum(sizes.values()))
    yield from (sizes for _, sizes in zip(range(20), drawn(subject), strict=False))


def _taken(forms: list[onnx.ModelProto], sizes: Mapping[str, int]) -> list[int] | None:
    """The bytes of each form at these sizes; None where one refuses them."""
    taken = []
    for form in forms:
        with Heap(form, default=True) as heap:
            taken.append(heap.most(sizes))
    return None if None in taken else [n for n in taken if n is not None]


def add_options(_: object) -> None:
    """This table has none."""


def main(options: argparse.Namespace) -> None:
    """Print a row for each model."""
    if not measurable():
        print("the heap can't be measured here: it takes Linux and a C compiler")
        return
    print(HEAD)
    for path, entry in listed(options.folder, options.only):
        print(row(subject(path, entry)), flush=True)
