"""Profile: the minimum, usual and maximum sizes of every input for which a compiler is to build."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import ClassVar

from shapesmt.base.frozen import frozen
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers.data import OMIT, OMIT_EMPTY, OMIT_NONE, Answer, Data, Json
from shapesmt.reports.answers.report import Remedy

POINTS = ("min", "opt", "max")


@frozen()
class ProfileSize(Data):
    """One size of a tensor, and its relation to a symbol.

    Attributes:
        expr: The formula of the size.
        fixed: Whether the file itself declares the size as a number.
        name: The name that the file gives it, or "".
        symbol: The symbol if the size is `factor * symbol + offset`; "" if it has another form.
        factor, offset: The numbers in that form.
    """

    expr: str
    fixed: bool = False
    name: str = ""
    symbol: str = ""
    factor: int = 1
    offset: int = 0


@frozen()
class TensorProfile(Data):
    """The sizes of a tensor, or the elements of a small input, at the three points; None is unbounded.

    `ends` has the minimum and maximum of each over all valid inputs; the points can lie inside these, since not all
    sizes need to reach their bounds together.

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
        """Return the sizes at the point `min`, `opt` or `max`."""
        return {"min": self.min, "opt": self.opt, "max": self.max}[point]

    def widened(self) -> TensorProfile:
        """Return the profile with `min` and `max` at the bounds in `ends`."""
        least, greatest = zip(*self.ends, strict=True) if self.ends else ((), ())
        return replace(self, min=least, max=greatest)

    @property
    def fixed(self) -> bool:
        """Whether the file declares every size as a number."""
        return all(size.fixed for size in self.sizes)


@frozen()
class Box(Data):
    """One profile: three inputs of the model; no size of the first exceeds the same size of the last.

    Attributes:
        inputs: The sizes of every input.
        values: The elements of the small inputs on which sizes depend.
        inner: The requested intermediate tensors, with their minimum and maximum sizes in the box.
        symbols: The dimensions by name, each as a tensor with one size.
        steps: A lower bound on the distance between a dimension's values.
        proven: The points that are proven to run.
        left_out: A valid input that the box should cover but can't, as its smallest or largest sizes don't fit
            together; None if there is none.
        assume: Conditions of valid inputs that not all inputs in the box satisfy.
    """

    inputs: Mapping[str, TensorProfile]
    values: Mapping[str, TensorProfile] = field(default_factory=dict)
    inner: Mapping[str, TensorProfile] = field(default_factory=dict)
    symbols: Mapping[str, TensorProfile] = field(default_factory=dict)
    steps: Mapping[str, int] = field(default_factory=dict, metadata=OMIT)
    proven: tuple[str, ...] = POINTS
    left_out: Mapping[str, int] | None = field(default=None, metadata=OMIT_EMPTY)
    assume: tuple[str, ...] = field(default=(), metadata=OMIT_EMPTY)

    def widened(self) -> Box:
        """Return the box that leaves out no valid input; its corners need not be valid."""
        wide = [{name: t.widened() for name, t in part.items()} for part in (self.inputs, self.values, self.symbols)]
        return replace(self, inputs=wide[0], values=wide[1], symbols=wide[2], left_out=None)


@frozen()
class ProfileJson(Data):
    """The answer of `profile`, as JSON: the fields of the first box, and all boxes if there are several.

    Without boxes, as for a model that fails for some admissible input, it has the verdict and a remedy.

    Attributes:
        profile: The sizes of every input in the first box.
        values: The elements of the small inputs on which sizes depend.
        inner: The requested intermediate tensors, with their minimum and maximum sizes.
        symbols: The dimensions by name, each as a tensor with one size.
        proven: The points that are proven to run.
        left_out: A valid input that the box should cover but can't.
        profiles: All boxes, if there are several.
        assume: Further conditions that an input in the boxes has to satisfy.
        beyond: The conditions of all valid inputs, if the format's one box was made smaller so that no input in it
            fails.
        target: The compiler that the text is for.
        content: The text to paste for the compiler.
        remedy: Ranges and relations with which the sizes are written.
        unbatched: The outputs for whose sake Triton isn't told to batch requests: their samples aren't proved apart.
        seconds: The time that the answer took, in seconds.
    """

    schema: ClassVar[str] = "shapesmt/profile/1"

    model: str
    verdict: Verdict
    profile: Mapping[str, TensorProfile] | None = field(default=None, metadata=OMIT_NONE)
    values: Mapping[str, TensorProfile] | None = field(default=None, metadata=OMIT_NONE)
    inner: Mapping[str, TensorProfile] | None = field(default=None, metadata=OMIT_NONE)
    symbols: Mapping[str, TensorProfile] | None = field(default=None, metadata=OMIT_NONE)
    proven: tuple[str, ...] | None = field(default=None, metadata=OMIT_NONE)
    left_out: Mapping[str, int] | None = field(default=None, metadata=OMIT_EMPTY)
    profiles: tuple[Box, ...] = field(default=(), metadata=OMIT_EMPTY)
    assume: tuple[str, ...] = ()
    beyond: tuple[str, ...] = field(default=(), metadata=OMIT_EMPTY)
    target: str | None = field(default=None, metadata={"key": "for", **OMIT_NONE})
    content: str | None = field(default=None, metadata={"key": "text", **OMIT_NONE})
    remedy: Remedy | None = field(default=None, metadata=OMIT_NONE)
    unbatched: tuple[str, ...] = field(default=(), metadata=OMIT_EMPTY)
    seconds: float = 0.0


@frozen()
class Profile(Answer):
    """The answer of `profile`: boxes that cover the valid inputs, and their text for the compiler.

    There are no boxes and no text for a model that fails for some admissible input, unless the question was restricted
    to valid inputs. `assume` has further conditions that an input in the boxes has to satisfy.

    >>> refused = Profile("m.onnx", Verdict.DEPENDS)
    >>> refused.to_dict()["schema"], refused.exit_status
    ('shapesmt/profile/1', 1)
    """

    model: str
    verdict: Verdict
    boxes: tuple[Box, ...] = ()
    assume: tuple[str, ...] = ()
    target: str = "json"
    """The compiler that the text is for."""
    content: str = ""
    """The text to paste for the compiler."""
    remedy: Remedy | None = None
    seconds: float = 0.0
    whole: Box | None = field(default=None, metadata=OMIT)
    """The box of a format that holds one: all boxes in one or, if some input in that fails, one in which none does."""
    beyond: tuple[str, ...] = field(default=(), metadata=OMIT_EMPTY)
    """The conditions of all valid inputs, if `whole` was made smaller so that no input in it fails."""
    hull: bool = field(default=False, metadata=OMIT)
    """Whether `whole` has every valid input although it has some that fail, since the caller asked for that."""
    unbatched: tuple[str, ...] = field(default=(), metadata=OMIT_EMPTY)
    """The outputs that aren't proved to have the samples of a batch along their first axis, if Triton is to batch."""

    def to_dict(self) -> Json:
        """Return the JSON: the first box at the top level, and all boxes if there are several."""
        told = ProfileJson(
            self.model,
            self.verdict,
            assume=self.assume,
            beyond=self.beyond,
            remedy=self.remedy,
            seconds=self.seconds,
            unbatched=self.unbatched,
        )
        for box in self.boxes[:1]:
            told = replace(
                told, profile=box.inputs, values=box.values, inner=box.inner, symbols=box.symbols, proven=box.proven,
                left_out=box.left_out, profiles=self.boxes if len(self.boxes) > 1 else (),
            )  # fmt: skip
        return (told if self.target == "json" else replace(told, target=self.target, content=self.content)).to_dict()

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the text: points that aren't proven, and inputs that a box doesn't cover."""
        tensors = [t for box in self.boxes[:1] for t in box.inputs.values()] if self.target == "ort" else []
        fixed = {size.name: number for t in tensors for size, number in zip(t.sizes, t.opt, strict=True) if size.name}
        only = ", ".join(f"{name}={number}" for name, number in fixed.items())
        notes = [f"a session with these options takes inputs of these sizes only: {only}"] if fixed else []
        for number, box in enumerate(self.boxes, 1):
            which = f"profile {number}" if len(self.boxes) > 1 else "the profile"
            open_points = [point for point in POINTS if point not in box.proven]
            if open_points:
                notes.append(f"{which}: {' and '.join(open_points)} not proven to run")
            if box.left_out is not None:
                at = ", ".join(f"{name}={value}" for name, value in box.left_out.items())
                notes.append(f"{which} leaves out valid inputs, such as {at}")
        if self.whole is not None and self.whole.left_out is not None:
            at = ", ".join(f"{name}={value}" for name, value in self.whole.left_out.items())
            every = f"all with {' and '.join(self.beyond)}"
            notes.append(f"it leaves out valid inputs, such as {at}; --hull has {every}, and some that fail")
        if self.beyond and self.target == "coreml" and self._several_vary:
            notes.append(f"of the listed shapes, only inputs with {' and '.join(self.beyond)} are valid")
        if self.unbatched:
            which = f"{', '.join(self.unbatched)}: it isn't proved that samples stay apart along the first axis"
            notes.append(f"max_batch_size is 0 because of {which} (check --samples says why)")
        own = [box.assume for box in self.boxes] if self.whole is None else []
        apart = len({*own}) > 1
        shared = [c for c in self.assume if not apart or not any(c in conditions for conditions in own)]
        if shared and self.boxes:
            notes.append(f"inside, only inputs with {' and '.join(shared)} are valid")
        for number, conditions in enumerate(own, 1) if apart else ():
            if conditions:
                notes.append(f"inside profile {number}, only inputs with {' and '.join(conditions)} are valid")
        return tuple(notes)

    @property
    def _several_vary(self) -> bool:
        """Whether several inputs have different shapes at the points of the boxes."""
        shapes: dict[str, set[object]] = {}
        for box in self.boxes:
            for name, t in box.inputs.items():
                shapes.setdefault(name, set()).update(map(t.at, POINTS))
        return sum(len(of_input) > 1 for of_input in shapes.values()) > 1

    @property
    def exit_status(self) -> int:
        """1 if nothing is written, 3 if some point isn't proven, else 0."""
        if not self.boxes:
            return 1
        return 0 if all(box.proven == POINTS for box in self.boxes) else 3
