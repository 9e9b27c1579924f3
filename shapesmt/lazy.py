"""Packages and modules whose names load when they are first used, so that `shapesmt --help` is quick."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

__all__ = ["all_lazy", "late_module", "lazy", "np"]


def lazy(package: str, homes: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: each name is imported from its module the first time it is asked for.

    Args:
        package: The package's dotted name.
        homes: The names that each of its modules offers.

    Example:
        >>> find = lazy("shapesmt", {"errors": ["UsageError"], "api": ["check", "bounds"]})
        >>> find("UsageError").__module__
        'shapesmt.errors'
        >>> find("UsageErr")
        Traceback (most recent call last):
          ...
        AttributeError: module 'shapesmt' has no attribute 'UsageErr'
    """
    modules = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return find


def all_lazy(package: str, homes: Mapping[str, Iterable[str]]) -> tuple[Callable[[str], Any], list[str]]:
    """The `__getattr__` and the `__all__` of a package all of whose names load so.

    The type checker is shown the modules in their place: `if TYPE_CHECKING: from shapesmt.report.bounds import *`.

    Example:
        >>> _, names = all_lazy("shapesmt", {"errors": ["UsageError"], "api": ["check", "bounds"]})
        >>> names
        ['UsageError', 'bounds', 'check']
    """
    return lazy(package, homes), sorted(name for names in homes.values() for name in names)


def late_module(name: str) -> ModuleType:
    """A module that is imported when something of it is first used.

    Example:
        >>> late_module("math").sqrt(9)
        3.0
    """
    late = ModuleType(name)

    def find(attribute: str) -> Any:
        value = getattr(import_module(name), attribute)
        setattr(late, attribute, value)
        return value

    late.__getattr__ = find  # type: ignore[method-assign]
    return late


if not TYPE_CHECKING:
    np = late_module("numpy")  # most models need no arrays
