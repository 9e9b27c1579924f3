from __future__ import annotations

from importlib.util import find_spec

NEED_TORCH = [
    *("__main__.py", "flows.py", "isolated.py", "judge.py", "layers.py", "nets.py", "programs.py", "samples.py"),
    "written.py",
]
collect_ignore = [] if find_spec("torch") else NEED_TORCH
