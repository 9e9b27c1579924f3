from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["__main__.py", "judge.py", "layers.py", "samples.py", "written.py"]
