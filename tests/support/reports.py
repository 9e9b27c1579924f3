"""Reports for tests of renderers."""

from __future__ import annotations

import io
import threading

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import (
    Counts,
    Precondition,
    Remedy,
    Report,
)
from shapesmt.reports.answers.finding import Cause, Clash, Counterexample, Finding, Side, SymbolRange
from shapesmt.reports.render.text.text import lines

SYMBOLS = {"batch": SymbolRange(1, 32, 1, "--dim"), "height": SymbolRange(64, 512, 1, "--dim")}


CONCAT = Finding(
    Verdict.DEPENDS,
    "requirement",
    "/up1/Concat",
    "Concat",
    12,
    "joined tensors match off the join axis",
    "height == 2*((height + 1)//2)",
    Counterexample({"batch": 1, "height": 65, "width": 64}, {"image": (1, 3, 65, 64)}, ("height", "width")),
    "height % 2 == 0",
    (
        Cause("", "image", 2, "height", 65, shape=(1, 3, 65, 64)),
        Cause("/down1/Conv", "d1", 2, "(height + 1)//2", 33, "Conv", "stride 2, pads 1,1", (1, 8, 33, 32)),
        Cause("/up1/Resize", "u1", 2, "2*((height + 1)//2)", 66, "Resize", "scales 1,1,2,2", (1, 8, 66, 64)),
    ),
    Clash(Side("height", 65, "image", 2), Side("2*((height + 1)//2)", 66, "u1", 2)),
    code="SM103",
    title="image[2] is 65, u1[2] is 66",
)


UNET = Report(
    "unet.onnx",
    Verdict.DEPENDS,
    SYMBOLS,
    Counts(310, proved=308, depends=2, proved_by={"interval": 7, "normal form": 301}),
    (CONCAT,),
    Precondition(("height % 16 == 0",), True),
    0.11,
    remedy=Remedy({"height": "64..512:16"}),
)


def text(result) -> str:
    return "".join(f"{line}\n" for line in lines(result))


class Terminal(io.StringIO):
    """A stream that looks like a terminal; `wrote` is set once a whole progress bar has been written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.wrote = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        written = super().write(text)
        if " of 60 s" in self.getvalue():
            self.wrote.set()
        return written
