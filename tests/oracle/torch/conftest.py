"""All but the tests themselves needs PyTorch, and its samples `expecttest`, without which it can't be imported."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if all(map(find_spec, ("torch", "expecttest"))) else ["__main__.py", "[!_t]*.py"]
