"""What PyTorch says of a case: three ways to ask for an export, and the sizes that what comes out accepts."""

from __future__ import annotations

import logging
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.export import Dim, ExportedProgram

from tests.bench.programs.case import Case, Sizes

ATTEMPTS = 4
_CHECKS = ("_check_input_constraints_pre_hook", "_check_input_constraints_for_graph")
"""The functions of PyTorch that compare an input with ranges and types before any node runs."""


@contextmanager
def quiet() -> Iterator[None]:
    """Without PyTorch's warnings and notes."""
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


def ran(case: Case) -> dict[Sizes, bool]:
    """Whether the module runs, at each point."""
    module = case.module()
    with quiet():
        return {sizes: _fails(lambda: module(*case.tensors(sizes))) is None for sizes in case.points()}  # noqa: B023


def accepted(case: Case, program: ExportedProgram) -> dict[Sizes, bool]:
    """Whether an exported program accepts the sizes, at each point: what fails inside it was accepted before."""
    module = program.module()
    with quiet():
        return {sizes: _accepts(case, module, sizes) for sizes in case.points()}


def _accepts(case: Case, module: Callable[..., object], sizes: Sizes) -> bool:
    error = _fails(lambda: module(*case.tensors(sizes)))
    if error is None or str(error).startswith("Guard failed"):
        return error is None
    return not any(frame.name in _CHECKS for frame in traceback.extract_tb(error.__traceback__))


def _fails(run: Callable[[], object]) -> Exception | None:
    try:
        run()
    except Exception as error:
        return error
    return None


def asked(case: Case, how: str) -> ExportedProgram | str:
    """The program exported with "named" dimensions, "AUTO" or "DYNAMIC", or why there is none."""
    if how == "named":
        return _followed(case)
    hints = dict.fromkeys(case.symbols, Dim.AUTO if how == "AUTO" else Dim.DYNAMIC)
    return _exported(case, hints)


def _followed(case: Case) -> ExportedProgram | str:
    """Exported with a named `Dim` for each symbol, or with those that PyTorch's suggestions make of them."""
    dims: dict[str, Any] = {name: Dim(name, min=span.low, max=span.high) for name, span in case.symbols.items()}
    for _ in range(ATTEMPTS):
        program = _exported(case, dims)
        if not isinstance(program, str):
            return program
        fixes = re.findall(r"^  (\w+) = (.+)$", program.partition("Suggested fixes:")[2], re.MULTILINE)
        changed = {**dims, **{name: None for name, _ in fixes}}
        for name, text in fixes:  # new names come before those that use them
            changed[name] = eval(text, {"Dim": Dim, **{n: d for n, d in changed.items() if d is not None}})
        if not fixes or str(changed) == str(dims):
            return program
        dims = changed
    return program


def exported(case: Case, text: str) -> ExportedProgram:
    """The program exported with the `dynamic_shapes` that a text defines."""
    names: dict[str, Any] = {}
    exec(text, names)
    program = _with_shapes(case, names["dynamic_shapes"])
    assert not isinstance(program, str), program
    return program


def ran_in(case: Case, program: ExportedProgram) -> dict[Sizes, bool]:
    """Whether an exported program accepts the sizes and runs, at each point."""
    module = program.module()
    with quiet():
        return {sizes: _fails(lambda: module(*case.tensors(sizes))) is None for sizes in case.points()}  # noqa: B023


def _exported(case: Case, dims: dict[str, Any]) -> ExportedProgram | str:
    return _with_shapes(
        case, tuple({k: dims[a] for k, a in enumerate(i.axes) if isinstance(a, str)} for i in case.inputs)
    )


def _with_shapes(case: Case, shapes: Any) -> ExportedProgram | str:
    with quiet():
        try:
            return torch.export.export(case.module(), case.tensors(case.example), dynamic_shapes=shapes, strict=False)
        except Exception as error:
            return str(error) or type(error).__name__
