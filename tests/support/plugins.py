"""Hide the rules that other tests have registered."""

from __future__ import annotations

import sys

import pytest

from shapesmt.entrypoints.fleet import identity
from shapesmt.operators.rules import registry


def without_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the rules that other tests have registered; rules registered in this test are removed after it."""
    registry.load_everything()
    own = {key: [rule for rule in rules if not rule.plugin] for key, rules in registry._RULES.items()}
    monkeypatch.setattr(registry, "_RULES", {key: rules for key, rules in own.items() if rules})
    monkeypatch.setattr(registry, "_PLUGINS", {})
    monkeypatch.setattr(identity, "LOADED", sys.maxsize)  # someone may edit files while tests run
