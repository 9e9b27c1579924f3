"""The modules: plain PyTorch, as small as keeps what the sizes of the original have to satisfy."""

from tests.bench.programs.modules import classifiers, dense, heads, sequences, sound, transformers, windows

__all__ = ["classifiers", "dense", "heads", "sequences", "sound", "transformers", "windows"]
