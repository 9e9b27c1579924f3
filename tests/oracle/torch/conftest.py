"""All but the tests themselves needs PyTorch, without which it can't be imported."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["__main__.py", "[!_t]*.py"]
