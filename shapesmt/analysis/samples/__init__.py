"""Do the samples of a batch stay apart: which samples each tensor depends on, from the inputs to the outputs."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.analysis.samples.answer import Samples as Samples, samples_of as samples_of
    from shapesmt.analysis.samples.states import Site as Site, State as State
