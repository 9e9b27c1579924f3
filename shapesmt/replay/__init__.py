"""Run a counterexample, cut it out of its model, or write it as a script."""

from shapesmt.replay.both import compared as compared, exact as exact, stopped as stopped, unloaded as unloaded
from shapesmt.replay.run import replayed as replayed, runnable as runnable
from shapesmt.replay.script import reproduced as reproduced
