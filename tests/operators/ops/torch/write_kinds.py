"""Write what the PyTorch that is installed doesn't compute with: `python -m tests.operators.ops.torch.write_kinds`.

A line is an operator, and the kinds of elements of which it ran none of PyTorch's samples: b, i and c for booleans,
integers and complex numbers. The samples are of floats, whose place the others take.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import shapesmt
from shapesmt.operators.ops.torch.schemas import schema
from tests.oracle.forked import results
from tests.oracle.torch.calls import Call, Fed

TABLE = Path(shapesmt.__file__).parent / "operators" / "ops" / "torch" / "kinds.txt"
KINDS = {"b": "bool", "i": "int64", "c": "complex64"}
OF_TYPE = re.compile(
    "not implemented for|floating.?point|(not|only) support|(in|doesn.t) support|boolean tensor|real.*tensor", re.I
)
"""What a refusal says that is of an element type, and not of what the numbers beside it make of that."""
SAMPLES, MOST = 2, 8
FLOAT = "float32"


def refused(calls: Sequence[Call]) -> str:
    """The kinds of elements that an operator refuses wherever samples have floats, whether it then reduces or not."""
    from tests.oracle.torch.judge import mapped, run

    floats = [call for call in calls if any(t.dtype == FLOAT for t in call.tensors)]
    ran = [call for call in floats if 0 not in call.sizes and not run(call, {}).refused][:MOST]
    read = schema(calls[0].op) if calls else None
    if read is not None and "reduction" in read.arguments:
        ran += [replace(call, arguments={**call.arguments, "reduction": 0}) for call in ran]

    def refuses(dtype: str) -> bool:
        others = [mapped(call, lambda t, _: Fed(dtype, t.shape) if t.dtype == FLOAT else t) for call in ran]
        return all(OF_TYPE.search(run(call, {}).refused) for call in others)

    return "".join(kind for kind, dtype in KINDS.items() if ran and refuses(dtype))


def table() -> list[str]:
    """The lines."""
    from tests.oracle.torch.isolated import SECONDS, entries, recorded

    calls: dict[str, dict[str, Call]] = defaultdict(dict)
    names = [(name, SAMPLES) for name in entries()]
    for found in results(recorded, names, SECONDS):
        for call in found or ():
            calls[call.op][str(call)] = call
    kinds = results(refused, [[*each.values()] for each in calls.values()], SECONDS)
    return sorted(f"{op.removeprefix('aten.')} {k}" for op, k in zip(calls, kinds, strict=True) if k)


if __name__ == "__main__":
    TABLE.write_text("".join(f"{line}\n" for line in table()))
