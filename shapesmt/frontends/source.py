"""A source: a model that is read once, however often it is asked about."""

from __future__ import annotations

import os
from threading import RLock
from typing import TYPE_CHECKING, Any

from shapesmt.base.errors import printable

if TYPE_CHECKING:
    from shapesmt.frontends.formats import OpenedModel
    from shapesmt.network.graph import Graph


class ModelSource:
    """A model that is read when it is first needed, by whichever thread needs it first, and kept.

    Args:
        given: The model, as `open_model` takes it.

    >>> source = ModelSource(b'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) {y=Exp(x)}')
    >>> source.graph() is source.graph()
    True
    """

    def __init__(self, given: Any) -> None:
        self.given = given
        self._reading = RLock()
        self._opened: OpenedModel | None = None
        self._whole = False
        self._graph: Graph | None = None

    @property
    def path(self) -> str | None:
        """The path that was given; None for bytes and for models in memory."""
        return os.fsdecode(self.given) if isinstance(self.given, (str, os.PathLike)) else None

    @property
    def name(self) -> str:
        """The path, or what stands for it."""
        return printable(self.path) if self.path is not None else self.opened(weights=False).source

    def opened(self, *, weights: bool) -> OpenedModel:
        """Return the model with its format, as `open_model` does; it is read again if weights were left out before."""
        from shapesmt.frontends.formats import open_model

        with self._reading:
            if self._opened is None or (weights and not self._whole):
                self._whole = weights or self.path == "-"  # standard input can't be read twice
                self._opened = open_model(self.given, weights=self._whole)
            return self._opened

    def graph(self) -> Graph:
        """Return the model as a graph, as `load` does."""
        from shapesmt.frontends.formats import load

        with self._reading:
            if self._graph is None:
                self._graph = load(self.opened(weights=False))
            return self._graph
