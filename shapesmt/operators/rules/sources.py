"""Find the files that the rules of plugins depend on, without importing anything.

These are the files that register rules and, recursively, what they import, unless that is installed: the standard
library, and packages in `site-packages` other than a plugin's own, are identified by their versions.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import NamedTuple

from shapesmt.operators.rules.registry import Rule, entries, plugin_rules, plugins

__all__ = ["PluginSources", "changed_at", "plugin_sources"]

MOST = 500  # files


class PluginSources(NamedTuple):
    """The files that the rules of plugins depend on.

    Attributes:
        digest: A digest of their contents; "" if there are none.
        trouble: Why the digest doesn't identify the loaded rules; "" if it does.
    """

    digest: str
    trouble: str


def plugin_sources() -> PluginSources:
    """Return a digest of the plugins' versions and files, which changes if their rules change."""
    installed = entries()
    versions = sorted(str((e.name, e.value, e.dist.version if e.dist is not None else "")) for e in installed)
    starts = {name: file for entry in installed for name, file in _files(entry.value.partition(":")[0].strip())}
    for rule in plugin_rules():
        for name, file in _places(rule):
            if not Path(file).is_file():
                return PluginSources("", f"a rule of {name} has no file")
            starts[name] = file
    if not starts and not versions:
        return PluginSources("", "")
    files = _closure(starts)
    newest = max(plugins().values(), default=sys.maxsize)
    contents = []
    for file in sorted(files):
        with suppress(OSError):
            contents.append(sha256(Path(file).read_bytes()).hexdigest())
            if changed_at(os.stat(file)) > newest:  # noqa: PTH116 - `pathlib` is slower
                return PluginSources("", f"{Path(file).name}, on which rules rest, was changed after they were loaded")
    if len(files) > MOST:
        return PluginSources("", f"rules rest on more than {MOST} files")
    return PluginSources(sha256("\n".join([*versions, *sorted(contents)]).encode()).hexdigest(), "")


def changed_at(status: os.stat_result) -> int:
    """Return when a file was changed, in nanoseconds, even if it was given an older date."""
    return status.st_ctime_ns if os.name == "posix" else status.st_mtime_ns  # elsewhere, when it was created


def _places(rule: Rule) -> Iterator[tuple[str, str]]:
    """Yield the modules that define a rule and that register it, each with its file."""
    from inspect import unwrap

    code = getattr(unwrap(rule.apply), "__code__", None)
    file = code.co_filename if code is not None else getattr(sys.modules.get(rule.plugin), "__file__", None)
    yield rule.plugin, file or ""
    yield rule.place


def _closure(starts: dict[str, str]) -> set[str]:
    """Return the files and, recursively, the ones they import outside the installation; stop after `MOST`."""
    own = tuple({name.partition(".")[0] for name in starts} - {"__main__", "__mp_main__"})
    files, waiting, seen = set(starts.values()), list(starts.items()), set(starts)
    while waiting and len(files) <= MOST:
        module, file = waiting.pop()
        for name in _imports(module, file):
            if name in seen or name.partition(".")[0] == "shapesmt":
                continue
            seen.add(name)
            for found, inner in _files(name):
                if inner not in files and (not _is_installed(inner) or found.partition(".")[0] in own):
                    files.add(inner)
                    waiting.append((found, inner))
    return files


def _imports(module: str, file: str) -> Iterator[str]:
    """Yield the full names that a module imports anywhere: modules, or names in them."""
    if not file.endswith((".py", ".pyw")):
        return
    import ast  # imported here because most processes don't need it
    from importlib.util import resolve_name

    with suppress(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        package = _package(module, file)
        for node in ast.walk(ast.parse(Path(file).read_bytes())):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                with suppress(ImportError):
                    base = resolve_name("." * node.level + (node.module or ""), package)
                    yield from (f"{base}.{alias.name}" for alias in node.names)


def _package(module: str, file: str) -> str:
    """Return the package to which the relative imports of a module refer."""
    stated = getattr(sys.modules.get(module), "__package__", None)
    is_package = Path(file).stem == "__init__"
    return stated if isinstance(stated, str) else module if is_package else module.rpartition(".")[0]


def _files(name: str) -> Iterator[tuple[str, str]]:
    """Yield the modules that importing `a.b.c` loads (`a` and `a.b` too), each with its file."""
    path: Sequence[str] | None = None
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        inner = ".".join(parts[:end])
        spec = _spec(inner, path)
        if spec is None:
            return
        if spec.has_location and spec.origin:
            yield inner, spec.origin
        path = spec.submodule_search_locations
        if path is None:
            return


def _spec(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """Return the spec of a module without importing the packages that it is in; None if it isn't found."""
    loaded = getattr(sys.modules.get(name), "__spec__", None)
    if isinstance(loaded, ModuleSpec):
        return loaded
    for finder in sys.meta_path:
        with suppress(Exception):  # foreign finders may raise anything
            found = finder.find_spec(name, path)
            if found is not None:
                return found
    return None


def _is_installed(file: str) -> bool:
    return os.path.realpath(file).startswith(_installations())


@cache
def _installations() -> tuple[str, ...]:
    """Return the folders of the standard library and of installed packages."""
    import site
    from sysconfig import get_paths

    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [*map(get_paths().__getitem__, names), *site.getsitepackages(), site.getusersitepackages()]
    return tuple({os.path.realpath(folder) + os.sep for folder in folders})
