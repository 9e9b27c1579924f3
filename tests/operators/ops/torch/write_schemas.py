"""Add the operators of the installed PyTorch to the tables: `python -m tests.operators.ops.torch.write_schemas`.

They are of the operators' schemas, and of those operators that `run_decompositions()` replaces by others, in several
versions of PyTorch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import shapesmt

TABLE = Path(shapesmt.__file__).parent / "operators" / "ops" / "torch" / "schemas.txt"
DECOMPOSED = TABLE.with_name("decomposed.txt")
LEFT_OUT = re.compile("_foreach|_fused_|_amp_|backward|cudnn|_mps|mkldnn|miopen|nested|_sparse|_thnn|_hacked")
"""What the names of operators have in them that no exported program calls."""
KEPT = re.compile("_(log_)?softmax_backward_data")
"""Of these, what PyTorch's own tests call."""
TYPES_LEFT_OUT = re.compile("Dict|__torch")
ALIAS = re.compile(r"(?<=Tensor)(\[\])?\([a-z]!?[^()]*\)")  # what an output shares its memory with


def schemas() -> Iterator[str]:
    """The schema of each operator on tensors that exported programs may have, as `cat.default(...) -> Tensor`."""
    import torch
    import torch.ao.quantization.fx._decomposed

    for schema in torch._C._jit_get_all_schemas():
        name, text = schema.name.removeprefix("aten::"), str(schema)
        name = name.replace("quantized_decomposed::", "quantized_decomposed.")
        left_out = LEFT_OUT.search(f"{name}.{schema.overload_name}") and not KEPT.match(name)
        writes_out = any(argument.is_out for argument in schema.arguments)
        if name == schema.name or writes_out or "Tensor" not in text or left_out or TYPES_LEFT_OUT.search(text):
            continue
        _, _, signature = text.partition("(")
        yield f"{name}.{schema.overload_name or 'default'}({ALIAS.sub(lambda alias: alias[1] or '', signature)}"


def decomposed() -> list[str]:
    """The operators of the table that exported programs can be rid of, such as `linear.default`."""
    import torch
    import torch.ao.quantization.fx._decomposed

    replaced = {str(operator).removeprefix("aten.") for operator in torch.export.default_decompositions()}
    return sorted(replaced & {schema.partition("(")[0] for schema in schemas()})


def names(lines: Iterable[str]) -> dict[str, str]:
    """Each schema by the name of its operator."""
    return {line.partition("(")[0]: line for line in lines}


if __name__ == "__main__":
    both = {*DECOMPOSED.read_text().splitlines(), *decomposed()}
    DECOMPOSED.write_text("".join(f"{name}\n" for name in sorted(both)))
    known = names(TABLE.read_text().splitlines()) | names(schemas())
    TABLE.write_text("".join(f"{line}\n" for line in sorted(known.values())))
