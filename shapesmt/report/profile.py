"""Profile: for every input the sizes at which a compiler is to build: the least, the usual, the greatest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from shapesmt.algebra import Verdict
from shapesmt.report.data import OMIT, OMIT_EMPTY, Answer, Data, Json
from shapesmt.report.report import Remedy

__all__ = ["POINTS", "Box", "Profile", "ProfileSize", "TensorProfile"]

POINTS = ("min", "opt", "max")


@dataclass(frozen=True, slots=True)
class ProfileSize(Data):
    """How one size of a tensor comes about.

    Attributes:
        expr: Its formula.
        fixed: Whether the file itself declares it as a number.
        name: The name that the file gives it, or "".
        symbol: The one symbol that it is a multiple of, plus a constant; "" where it is none such.
        factor: How much it grows when the symbol grows by 1.
        offset: The constant.
    """

    expr: str
    fixed: bool = False
    name: str = ""
    symbol: str = ""
    factor: int = 1
    offset: int = 0


@dataclass(frozen=True, slots=True)
class TensorProfile(Data):
    """The sizes of a tensor, or the elements of a small input, at the three points; None has no end.

    `ends` are the least and the greatest one of each that any valid input has: the points can lie further inside,
    where not all sizes are at their ends together.

    >>> TensorProfile((1, 3), (4, 3), (8, 3), "float32").to_dict()
    {'min': [1, 3], 'opt': [4, 3], 'max': [8, 3]}
    """

    min: tuple[int | None, ...]
    opt: tuple[int | None, ...]
    max: tuple[int | None, ...]
    dtype: str = field(default="", metadata=OMIT)
    sizes: tuple[ProfileSize, ...] = field(default=(), metadata=OMIT)
    ends: tuple[tuple[int | None, int | None], ...] = field(default=(), metadata=OMIT)

    def at(self, point: str) -> tuple[int | None, ...]:
        """The sizes at the point `min`, `opt` or `max`."""
        return {"min": self.min, "opt": self.opt, "max": self.max}[point]

    def widened(self) -> TensorProfile:
        """The same from the least ends to the greatest."""
        least, greatest = zip(*self.ends, strict=True) if self.ends else ((), ())
        return replace(self, min=least, max=greatest)

    @property
    def fixed(self) -> bool:
        """Whether the file declares every size as a number."""
        return all(size.fixed for size in self.sizes)


@dataclass(frozen=True, slots=True)
class Box(Data):
    """One profile: three inputs of the model, the sizes of the first nowhere above those of the last.

    Attributes:
        inputs: The sizes of every input.
        values: The elements of the small inputs on which sizes depend.
        inner: The sizes of the inner tensors that were asked for: the least and the greatest that they have in the box.
        symbols: The dimensions by name, as one tensor has its sizes.
        steps: How far the values of each dimension are apart, at least.
        proven: The points that are proven to run.
        left_out: A valid input that the box is to cover and can't: its least or greatest sizes don't go together.
    """

    inputs: Mapping[str, TensorProfile]
    values: Mapping[str, TensorProfile] = field(default_factory=dict)
    inner: Mapping[str, TensorProfile] = field(default_factory=dict)
    symbols: Mapping[str, TensorProfile] = field(default_factory=dict)
    steps: Mapping[str, int] = field(default_factory=dict, metadata=OMIT)
    proven: tuple[str, ...] = POINTS
    left_out: Mapping[str, int] | None = field(default=None, metadata=OMIT_EMPTY)

    def widened(self) -> Box:
        """The box that leaves out no valid input; its corners need not be valid."""
        wide = [{name: t.widened() for name, t in part.items()} for part in (self.inputs, self.values, self.symbols)]
        return replace(self, inputs=wide[0], values=wide[1], symbols=wide[2], left_out=None)


@dataclass(frozen=True)
class Profile(Answer):
    """The answer of `profile`: boxes that cover the valid inputs, and their text for the compiler.

    Nothing is written (no boxes, no text) for a model that fails for some admissible input, unless only the valid ones
    are meant. `assume` is what an input inside the boxes has to satisfy besides.

    >>> refused = Profile("m.onnx", Verdict.DEPENDS)
    >>> refused.to_dict()["schema"], refused.exit_status
    ('shapesmt/profile/1', 1)
    """

    schema: ClassVar[str] = "shapesmt/profile/1"

    model: str
    verdict: Verdict
    boxes: tuple[Box, ...] = ()
    assume: tuple[str, ...] = ()
    target: str = "json"
    """The compiler that the text is for."""
    content: str = ""
    """The text to paste."""
    remedy: Remedy | None = None
    seconds: float = 0.0

    def to_dict(self) -> Json:
        """The first box at the top, and all of them where there are several."""
        data: Json = {"schema": self.schema, "model": self.model, "verdict": self.verdict.value}
        boxes = [box.to_dict() for box in self.boxes]
        if boxes:
            first = boxes[0]
            data |= {"profile": first["inputs"], "values": first["values"], "inner": first["inner"]}
            data |= {key: first[key] for key in ("symbols", "proven", "left_out") if key in first}
        if len(boxes) > 1:
            data["profiles"] = boxes
        data["assume"] = list(self.assume)
        if self.target != "json":
            data |= {"for": self.target, "text": self.content}
        remedy = {} if self.remedy is None else {"remedy": self.remedy.to_dict()}
        return {**data, **remedy, "seconds": round(self.seconds, 4)}

    @property
    def notes(self) -> tuple[str, ...]:
        """What the text doesn't say: points that aren't proven, inputs that a box leaves out."""
        notes = []
        for number, box in enumerate(self.boxes, 1):
            which = f"profile {number}" if len(self.boxes) > 1 else "the profile"
            open_points = [point for point in POINTS if point not in box.proven]
            if open_points:
                notes.append(f"{which}: {' and '.join(open_points)} not proven to run")
            if box.left_out is not None:
                at = ", ".join(f"{name}={value}" for name, value in box.left_out.items())
                notes.append(f"{which} leaves out valid inputs, such as {at}")
        if self.assume and self.boxes:
            notes.append(f"inside, only inputs with {' and '.join(self.assume)} are valid")
        return tuple(notes)

    @property
    def exit_status(self) -> int:
        """1 where nothing is written, 3 where some point isn't proven, else 0."""
        if not self.boxes:
            return 1
        return 0 if all(box.proven == POINTS for box in self.boxes) else 3
