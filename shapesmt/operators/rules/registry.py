"""The registry of operator rules: `@rule("Concat", since=4)` above a plain function."""

from __future__ import annotations

import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, cast

from shapesmt.base.deadline import limit
from shapesmt.base.errors import UsageError, pass_on, printable
from shapesmt.base.frozen import frozen
from shapesmt.network.graph import AttributeValue, Node
from shapesmt.operators.rules.tensors import Tensor
from shapesmt.operators.rules.traits import Follows, Traits

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints  # it takes longer to import than most answers

Apply: TypeAlias = "Callable[[Any], Tensor | Sequence[Tensor] | None]"
"""A rule: a function of a `RuleContext`."""
Following: TypeAlias = "Callable[[Any, Sequence[Tensor]], Follows | None]"
"""A function of a `RuleContext` and the node's outputs: which axes of the inputs they follow; None if unknown."""
AnyApply = TypeVar("AnyApply", bound=Apply)


@frozen(eq=False)
class Rule:
    """The rule of one operator, from version `since` of its operator set up to the operator's next rule.

    Attributes:
        apply: The function that reads a `RuleContext` and returns the outputs.
        any_rank: Whether it accepts inputs of unknown rank; others are applied to every rank that an input may have.
        nested: Whether it runs subgraphs (control flow).
        of_shape: Whether the operator reads only the shapes of its inputs.
        random: Whether the outputs are drawn at random.
        stated: The operator's traits; None if its registration doesn't state them.
        follows: A function that says which axes of the inputs those of the outputs follow; None if that isn't stated.
        place: The module and the file that registered it.
    """

    name: str
    domain: str
    since: int
    apply: Apply
    any_rank: bool = False
    nested: bool = False
    dtype: str = ""
    total: bool = False
    of_shape: bool = False
    random: bool = False
    stated: Traits | None = None
    follows: Following | None = None
    place: tuple[str, str] = ("", "")

    @property
    def traits(self) -> Traits:
        """The operator's traits, `Traits.NOTHING` unless stated."""
        return self.stated or Traits.NOTHING

    @property
    def repeats(self) -> bool:
        """Whether two nodes with the same inputs and attributes have the same outputs.

        False for a plugin's rule that is registered without traits.
        """
        if self.random or (self.stated is None and self.plugin):
            return False
        return not self.traits.stateful and self.traits.training is None

    @property
    def plugin(self) -> str:
        """The module that defines the rule; "" if it is one of shapesmt's."""
        module = getattr(self.apply, "__module__", None) or "__main__"  # typed at a prompt
        return "" if module.startswith("shapesmt.operators.ops.") else module


GROUP = "shapesmt.rules"
TABLE = "shapesmt.operators.ops.modules"
_RULES: dict[tuple[str, str], list[Rule]] = {}
_PLUGINS: dict[str, int] = {}
"""Modules other than shapesmt's own that have registered a rule, with the time of the last one in nanoseconds."""
_OF_ENTRIES: set[str] = set()
"""Modules of plugins that were imported through the entry point of an installed package."""


def rule(
    *names: str,
    domain: str = "",
    since: int = 1,
    any_rank: bool = False,
    nested: bool = False,
    dtype: str = "",
    total: bool = False,
    of_shape: bool = False,
    random: bool = False,
    traits: Traits | None = None,
    follows: Following | None = None,
) -> Callable[[AnyApply], AnyApply]:
    """Register a function as the rule of these operators.

    Args:
        names: Operators that share the rule.
        domain: Their domain; "" is ai.onnx.
        since: The first operator-set version of the rule; the operator's next rule replaces it.
        any_rank: The rule accepts inputs of unknown rank; without it, the rule is applied at every possible rank.
        nested: The rule runs subgraphs.
        dtype: The outputs' element type if the rule can't be applied because a rank is unknown.
        total: The operator runs for inputs of all sizes, so that an unknown rank can't make it fail.
        of_shape: The outputs depend on the shapes of the inputs, not on their elements.
        random: The outputs are drawn anew in each run, and count as data.
        traits: Other properties of the operators, such as that they only copy elements; by default none.
        follows: A function that says which axes of the inputs those of the outputs follow; by default that is unknown
            unless the traits say it.

    Raises:
        UsageError: Another plugin has registered a rule for one of them.
    """
    domain = "" if domain == "ai.onnx" else domain

    def register(apply: AnyApply) -> AnyApply:
        caller = sys._getframe(1)  # noqa: SLF001 - `inspect` takes as long as all registrations
        place = caller.f_globals.get("__name__", "__main__"), caller.f_code.co_filename
        for name in names:
            facts = any_rank, nested, dtype, total, of_shape, random, traits, follows
            _add(Rule(name, domain, since, apply, *facts, place))
        return apply

    return register


def _add(new: Rule) -> None:
    """Register a rule; it replaces one of shapesmt's, or one of its own module if that is imported again."""
    if new.plugin:
        _PLUGINS[new.plugin] = time.time_ns()
    assert new.plugin or new.domain or _table().modules_of("", new.name), f"{new.name} isn't in {TABLE}"
    versions = _RULES.setdefault((new.domain, new.name), [])
    for old in [r for r in versions if r.since == new.since]:
        if old.plugin and not new.plugin:
            return
        if old.plugin and old.plugin != new.plugin:
            op = printable(f"{new.domain}.{new.name}" if new.domain else new.name)
            modules = printable(f"{old.plugin} and {new.plugin}")
            raise UsageError(f"operator {op} has two rules since version {new.since}, in {modules}: keep one of them")
        versions.remove(old)
    versions.append(new)
    versions.sort(key=lambda r: r.since)


class Signatures(Protocol):
    """A format's specification of its operators."""

    def default_attributes(self, domain: str, op: str, version: int) -> Mapping[str, AttributeValue]:
        """Return the default values of attributes that a node may omit."""

    def input_counts(self, domain: str, op: str, version: int) -> tuple[float, float]:
        """Return the minimum and maximum number of inputs."""


SIGNATURES = {"tensorflow": "shapesmt.frontends.tensorflow.operators"}  # modules by domain; ONNX's for all others


def signatures(domain: str) -> Signatures:
    """Return the specification of a domain's operators by its format."""
    module = import_module(SIGNATURES.get(domain, "shapesmt.frontends.onnx.signatures"))
    return cast("Signatures", module)


def _table() -> Any:
    """Return the module that lists which modules have an operator's rules."""
    return import_module(TABLE)


def load_domain(domain: str, name: str = "") -> None:
    """Import the modules with a domain's rules, in order; given an operator's `name`, stop once it has a rule."""
    for module in _table().modules_of(domain, name):
        if any(not own.plugin for own in _RULES.get((domain, name), ())):
            return
        with limit(None):  # half a module would remain
            import_module(f"shapesmt.operators.ops.{module}")


@cache
def load_plugins() -> None:
    """Import, once, the modules that installed packages name in the entry-point group, which registers their rules.

    Raises:
        UsageError: One of them can't be imported.
    """
    before = set(_PLUGINS)
    for entry in entries():
        _load(entry)
    _OF_ENTRIES.update(_PLUGINS.keys() - before)


def entries() -> EntryPoints:
    """Return the entry points of installed packages in the group."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def has_plugins() -> bool:
    """Whether a module other than shapesmt's own has registered a rule."""
    return bool(_PLUGINS)


def plugins() -> dict[str, int]:
    """Return the modules outside shapesmt that registered rules, with the time of the last registration in ns."""
    return dict(_PLUGINS)


def plugin_rules() -> Iterator[Rule]:
    """Yield each rule of modules other than shapesmt's, except those imported for installed packages."""
    for versions in _RULES.values():
        yield from (rule for rule in versions if rule.plugin and rule.plugin not in _OF_ENTRIES)


def load_everything() -> None:
    """Import the rules of every domain and the plugins."""
    for domain in _table().DOMAINS:
        load_domain(domain)
    load_plugins()


def _load(entry: EntryPoint) -> None:
    try:
        with limit(None):
            entry.load()
    except Exception as error:  # foreign code may raise anything
        pass_on(error)
        reason = printable(f"{type(error).__name__}: {error}", 200)
        name = printable(f"'{entry.name}' ({entry.value})")
        raise UsageError(f"the plugin {name} of the group {GROUP} can't be imported: {reason}") from error


def resolve(domain: str, name: str, version: int) -> Rule | None:
    """Return an operator's rule at an opset version: the one with the largest `since` up to it, or None.

    Loads the domain's rules, and the plugins if none of these is for the operator.
    """
    load_domain(domain, name)
    if (domain, name) not in _RULES:
        load_plugins()
    versions = _RULES.get((domain, name))
    if not versions:
        return None
    index = bisect_right(versions, version, key=lambda r: r.since)
    return versions[index - 1] if index else None


def remark(domain: str, name: str) -> str:
    """Return the domain's note on an operator without a rule; "" if it has none."""
    said = getattr(sys.modules.get(f"shapesmt.operators.ops.{domain}"), "without_rule", None)
    return "" if said is None else str(said(name))


def rules() -> Iterator[Rule]:
    """Yield every rule, by domain, name and version."""
    load_everything()
    for _, versions in sorted(_RULES.items()):
        yield from versions


def count_error(node: Node, version: int) -> str:
    """Return an error message for a wrong number of inputs; "" if it is right or not specified."""
    count = len(node.inputs)
    least, most = signatures(node.domain).input_counts(node.domain, node.op, version)
    expected = least if count < least else most
    return "" if least <= count <= most else f"Wrong number of inputs passed: {count} while {expected} expected"
