"""Entries: what a baseline states of each model, and the file that has them.

The file is JSON in a fixed order, to be committed and read in a review. It has no times and no absolute paths.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from shapesmt.base.errors import UsageError, printable
from shapesmt.base.frozen import frozen
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import GRAVEST_LAST, Data, Precondition, TensorFacts
from shapesmt.reports.export import write_whole
from shapesmt.reports.render import json_text

SCHEMA = "shapesmt/baseline/1"
MOST = 1 << 28  # bytes; a larger file is an error
_OMIT: Mapping[str, object] = {"omit": ((), {})}
_LIST = re.compile(r"\[\n\s+([^\[\]{}]*?)\n\s*\]")


@frozen()
class Known(Data):
    """A finding or a warning: its node, its code, its law, and when the node runs; "" for what it doesn't have."""

    node: str
    code: str
    law: str
    runs: str = field(default="", metadata={"omit": ("",)})


@frozen()
class Asked(Data):
    """The question: ranges that were declared, of dimensions and of elements, relations, and dimensions of samples.

    `options` has the uses of declared shapes and of guards, and the session, if they aren't the usual ones.
    """

    ranges: Mapping[str, str]
    assume: tuple[str, ...] = field(default=(), metadata=_OMIT)
    samples: tuple[str, ...] = field(default=(), metadata=_OMIT)
    options: Mapping[str, str] = field(default_factory=dict, metadata=_OMIT)


@frozen()
class Entry(Data):
    """The answer about one model; for one that can't be checked only the verdict, "ERROR"."""

    verdict: str
    asked: Asked = Asked({})
    region: Precondition | None = None
    inputs: Mapping[str, TensorFacts] = field(default_factory=dict)
    outputs: Mapping[str, TensorFacts] = field(default_factory=dict)
    findings: tuple[Known, ...] = field(default=(), metadata=_OMIT)

    @property
    def ran(self) -> tuple[str, ...] | None:
        """The conditions under which the model is proved to run; None if it is proved for no input.

        >>> Entry("PROVED").ran, Entry("DEPENDS", region=Precondition(("n == 1",), exact=True)).ran, Entry("FAILS").ran
        ((), ('n == 1',), None)
        """
        if self.verdict == Verdict.PROVED:
            return ()
        region = self.region
        if region is None or region.partial or region.needs or region.nowhere or self.verdict == Verdict.FAILS:
            return None
        return region.text


def read(path: str) -> dict[str, Entry]:
    """Return the entries of a baseline, by model.

    Raises:
        UsageError: The file can't be read, is damaged, or another version of shapesmt has written it.
    """
    where = printable(path)
    try:
        with Path(path).open("rb") as file:
            content = file.read(MOST + 1)
    except (OSError, ValueError) as error:
        missing = "; write it first with --write-baseline" if isinstance(error, FileNotFoundError) else ""
        raise UsageError(f"cannot read {where}: {getattr(error, 'strerror', None) or error}{missing}") from None
    if len(content) > MOST:
        raise UsageError(f"cannot read {where}: a baseline of more than {MOST >> 20} MiB")
    try:
        data = json.loads(content)
        schema, models = str(data["schema"]), dict(data["models"]).items()
        if schema != SCHEMA and schema.startswith(SCHEMA.rpartition("/")[0]):
            raise UsageError(
                f"{where} is a baseline of another version, {printable(schema, 60)}; this one reads {SCHEMA}"
            )
        if schema != SCHEMA:
            raise ValueError(schema)
        return {name: _entry(Entry.from_dict(entry)) for name, entry in models}
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise UsageError(f"{where} is no baseline, or a damaged one; write it again with --write-baseline") from None


def _entry(entry: Entry) -> Entry:
    """Return the entry; raise ValueError if no answer has its verdict."""
    GRAVEST_LAST.index(entry.verdict)
    return entry


def write(path: str, entries: Mapping[str, Entry]) -> None:
    """Write a baseline; the order of the entries doesn't matter.

    Raises:
        UsageError: The file can't be written.
    """
    models = {name: entry.to_dict() for name, entry in sorted(entries.items())}
    text = json_text({"schema": SCHEMA, "models": models}, indent=1)
    lines = _LIST.sub(lambda found: f"[{' '.join(map(str.strip, found[1].splitlines()))}]", text)
    write_whole(path, f"{lines}\n".encode())
