"""`python -m tests.ops.torch.write_schemas`: writes the table of schemas of the PyTorch that is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import shapesmt

TABLE = Path(shapesmt.__file__).parent / "ops" / "torch" / "schemas.txt"
LEFT_OUT = re.compile(
    "_foreach|_fused_|_amp_|backward|cudnn|_mps|mkldnn|miopen|nested|_sparse|_thnn|_hacked|Dict|__torch"
)
ALIAS = re.compile(r"(?<=Tensor)(\[\])?\([a-z]!?[^()]*\)")  # what an output shares its memory with


def schemas() -> Iterator[str]:
    """The schema of each operator on tensors that exported programs may have, as `cat.default(...) -> Tensor`."""
    import torch

    for schema in torch._C._jit_get_all_schemas():
        name, text = schema.name.removeprefix("aten::"), str(schema)
        writes_out = any(argument.is_out for argument in schema.arguments)
        if name == schema.name or writes_out or "Tensor" not in text or LEFT_OUT.search(text):
            continue
        _, _, signature = text.partition("(")
        yield f"{name}.{schema.overload_name or 'default'}({ALIAS.sub(lambda alias: alias[1] or '', signature)}"


if __name__ == "__main__":
    TABLE.write_text("".join(f"{line}\n" for line in sorted(set(schemas()))))
