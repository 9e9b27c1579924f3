"""Lazy imports: names and modules that are imported when they are first used, so that `shapesmt --help` is quick.

Properties that are computed when they are first used are here too.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property

    import numpy as np
elif sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property:  # noqa: N801 - as Python calls it
        """A property that is computed once, as of Python 3.12: without a lock, which a fork could leave held."""

        def __init__(self, function: Callable[[Any], Any]) -> None:
            self.function, self.__doc__ = function, function.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.function(instance)
            return value


__all__ = ["cached_property", "late_module", "lazy_imports", "np"]

_ONE_AT_A_TIME = RLock()
if hasattr(os, "register_at_fork"):  # no process is forked inside `lazy_imports`
    os.register_at_fork(
        before=_ONE_AT_A_TIME.acquire, after_in_parent=_ONE_AT_A_TIME.release, after_in_child=_ONE_AT_A_TIME.release
    )


@contextmanager
def lazy_imports(package: str) -> Iterator[None]:
    """Delay each `from ... import ...` inside the block until its name is first used.

    This is like Python 3.15's `lazy from ... import ...`: type checkers, editors and packaging tools see ordinary
    imports. The names become the module's `__all__`, and `dir()` lists them too.

    Args:
        package: The `__name__` of the module that has the imports.

    >>> from types import ModuleType
    >>> module = sys.modules["example"] = ModuleType("example")
    >>> module.lazy_imports = lazy_imports
    >>> exec('''
    ... with lazy_imports("example"):
    ...     from shapesmt.base.errors import UsageError as UsageError
    ... ''', vars(module))
    >>> "UsageError" in vars(module), module.__all__
    (False, ['UsageError'])
    >>> module.UsageError.__module__, "UsageError" in vars(module)
    ('shapesmt.base.errors', True)
    >>> module.missing
    Traceback (most recent call last):
      ...
    AttributeError: module 'example' has no attribute 'missing'
    """
    names = vars(sys.modules[package])

    def postponed(
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 - as Python calls it
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if waiting and globals is names and fromlist:
            return _Module(name)
        return imports(name, globals, locals, fromlist, level)

    with _ONE_AT_A_TIME:
        waiting = True
        imports, builtins.__import__ = builtins.__import__, postponed
        try:
            yield
        finally:
            waiting = False  # a function that another thread has installed meanwhile stays, and may call `postponed`
            if builtins.__import__ is postponed:
                builtins.__import__ = imports
    late = {name: value for name, value in names.items() if isinstance(value, _Late)}
    for name in late:
        del names[name]

    def find(name: str) -> Any:
        if name not in late:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = names[name] = late[name].load()
        return value

    names["__getattr__"], names["__all__"] = find, sorted(late)
    names["__dir__"] = lambda: names["__all__"]


class _Module:
    """A stand-in for a module that isn't imported yet; its attributes are stand-ins for names."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> _Late:
        return _Late(self._name, name)


class _Late:
    """A stand-in for one name of a module that isn't imported yet."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def load(self) -> object:
        """Import the module and return the value of the name."""
        return getattr(import_module(self._module), self._name)


def late_module(name: str) -> ModuleType:
    """Return a stand-in for the module `name`, which is imported when an attribute is first used.

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
