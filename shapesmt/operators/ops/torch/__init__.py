"""PyTorch's operators (`aten`) and Python's on sizes; some rules delegate to ONNX's, the others are written out."""

from shapesmt.operators.ops.torch.schemas import decomposed_operators


def without_rule(op: str) -> str:
    """Return advice for an operator without a rule: decompose the program, write a rule, or trust traced shapes."""
    if op.removeprefix("aten.") in decomposed_operators():
        return "decompose the program first: exported.run_decompositions()"
    traced = "--declared trust takes the shapes that PyTorch traced"
    return f'give it one, @shapesmt.rule("{op}", domain="torch"), or {traced}'
