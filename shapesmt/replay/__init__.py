"""Run a counterexample, cut it out of its model, or write it as a script."""

from shapesmt.replay.both import compared, exact, unloaded
from shapesmt.replay.run import replayed, runnable
from shapesmt.replay.script import reproduced

__all__ = ["compared", "exact", "replayed", "reproduced", "runnable", "unloaded"]
