"""Read programs written by `torch.export.save` (`.pt2`) into graphs, without PyTorch.

An operator becomes a node of the same name in the domain "torch", such as `aten.cat.default`. Its rules are in
`shapesmt.operators.ops.torch`, which describes how arguments are written. The version of the domain is the PyTorch that
wrote the program: 214 is 2.14, and 1 that it isn't known. A separate node, `_guards_fn`, has the checks before a run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapesmt.base.errors import ModelError, UsageError, printable
from shapesmt.frontends.torch.archive import Archive
from shapesmt.frontends.torch.constants import Constants
from shapesmt.frontends.torch.program import read_program
from shapesmt.network.graph import Graph

if TYPE_CHECKING:
    from shapesmt.frontends.torch.live import Exported

_MOST_NAMES = 3


def read(file: str | bytes, source: str, name: str = "") -> Graph:
    """Return the graph of a program in an archive.

    Args:
        file: The path of the archive, or its content.
        source: The archive's name in messages.
        name: The program's name in the archive; "" if there is only one.

    Raises:
        ModelError: The archive can't be read, or is damaged.
        UsageError: There are several programs, or none of that name.
    """
    archive = Archive(file, source)
    programs = archive.programs()
    if name not in programs and (name or len(programs) > 1):
        file_name = source.removesuffix(f"#{name}")
        listed = ", ".join(printable(each, 60) for each in [*programs][:8])
        problem = f"has no program '{printable(name)}'" if name else f"has {len(programs)} programs"
        raise UsageError(
            f"{file_name} {problem}; name one of {listed}, as in {file_name}#{printable(next(iter(programs)), 60)}"
        )
    entry = programs[name] if name else next(iter(programs.values()))
    return read_program(archive.document(entry), Constants(archive, entry), source)


def read_object(program: Exported, source: str) -> Graph:
    """Return the graph of a program in memory.

    Raises:
        ModelError: It has something that no archive of such a program has.
    """
    from shapesmt.frontends.torch.live import Held, document_of

    try:
        document = document_of(program.program)
    except AttributeError as error:  # another version of PyTorch
        raise ModelError(f"{source}: it isn't as PyTorch 2.6 to 2.15 have a program: {printable(str(error))}") from None
    graph = read_program(document, Held(program.program), source)
    asked = graph.asked if program.request is None else program.asked
    sentences = [graph.missing, _fixed_sizes_note(program.fixed)]
    missing = "; ".join(filter(None, sentences))
    return dataclasses.replace(graph, asked=asked, arguments=program.arguments or graph.arguments, missing=missing)


def _fixed_sizes_note(names: Sequence[str]) -> str:
    """Return a sentence that names the inputs which keep the sizes of the example; "" for none."""
    shown = ", ".join(printable(name, 60) for name in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    keep = "keeps" if len(names) == 1 else "keep"
    return (
        f"{shown}{more} {keep} the example's sizes, since dynamic_shapes says of none that it varies" if names else ""
    )
