"""Run a counterexample, cut it out of its model, or write it as a script."""

from shapesmt.replay.both import compared, exact, stopped, unloaded
from shapesmt.replay.reproduce import reproduced
from shapesmt.replay.run import replayed, runnable

__all__ = ["compared", "exact", "replayed", "reproduced", "runnable", "stopped", "unloaded"]
