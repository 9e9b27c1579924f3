"""The package's operators by family, for tests that are about all of them."""

from __future__ import annotations

from collections.abc import Iterable

from shapesmt.operators.rules.registry import Rule


def by_family(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    """Return the package's own rules by the folder or file of `operators/ops` they stand in, such as `torch.views`."""
    own = [rule for rule in rules if rule.apply.__module__.startswith("shapesmt.")]  # not those of other tests
    families: dict[str, list[Rule]] = {}
    for rule in sorted(own, key=lambda r: (r.domain, r.name, r.since)):
        families.setdefault(".".join(rule.apply.__module__.split(".")[3:5]), []).append(rule)
    return families


def full_name(rule: Rule) -> str:
    """Return an operator's domain, name and version: `onnx.Concat-4`."""
    return f"{rule.domain or 'onnx'}.{rule.name}-{rule.since}"
