"""Configuration: `shapesmt.toml`, or `[tool.shapesmt]` in `pyproject.toml`, as keyword arguments of `check`.

    timeout = 120
    jobs = 4

    [dims]                       # for every model that has such a dimension
    batch = "1..32"

    [values]                     # for every model that has such an input
    sr = 16000

    [models."decoder*.onnx"]     # every model that matches needs these names
    dims = { past = "1..2048", seq = "1..64" }
    assume = "total == past + seq"
    expect = "DEPENDS"           # known: no failure, unless the verdict is graver

A pattern with a slash is compared with the model's path relative to the file's folder, any other with the model's name;
`*` matches any characters. If several match, the last one wins; assumptions add up. A name at the file's top level that
a model doesn't have is ignored, unless it looks like a misspelt name of the model's: that is an error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from shapesmt.analysis.verify import GUARDS, SESSIONS, Claims
from shapesmt.base.errors import UsageError, printable
from shapesmt.base.frozen import frozen
from shapesmt.network.declarations import (
    Origin,
    Range,
    did_you_mean,
    names_in,
    parse_range,
    parse_shape,
    parse_value,
    quote,
)
from shapesmt.reports.answers import GRAVEST_LAST

_FILES = ("shapesmt.toml", "pyproject.toml")
MOST = 1 << 24  # bytes; a larger file is an error

Options: TypeAlias = dict[str, Any]


@frozen()
class Config:
    """The declarations of a configuration file; empty without a file.

    Attributes:
        path: The file; None without one.
        options: Patterns with keyword arguments for the models that match; `*` has the file's top level.
        jobs: The number of models checked at once; None if the file doesn't say.
    """

    path: Path | None = None
    options: tuple[tuple[str, Options], ...] = ()
    jobs: int | None = None

    @staticmethod
    def load(path: str | os.PathLike[str] | None = None) -> Config:
        """Read the configuration from a file; None is the nearest one, from the working directory upwards.

        If a folder has both files, `shapesmt.toml` is read. A `pyproject.toml` without `[tool.shapesmt]` is skipped.

        Raises:
            UsageError: The file can't be read, isn't TOML, or has an unknown key or an invalid value.
        """
        if path is not None:
            file = Path(path)
            table = _table(file)
            if table is None:
                raise UsageError(f"{printable(str(file))} has no [tool.shapesmt]; add it, or name another file")
            return _config(file, table)
        try:
            folder = Path.cwd()
        except OSError:  # the working directory was deleted
            return Config()
        for file in (parent / name for parent in (folder, *folder.parents) for name in _FILES):
            # an unreadable file counts as missing
            table = _table(file) if os.path.isfile(file) else None  # noqa: PTH113
            if table is not None:
                return _config(file, table)
        return Config()

    @staticmethod
    def parse(path: Path, text: str) -> Config:
        """Return the configuration that the file `path` would be with this text.

        Raises:
            UsageError: The text isn't TOML, or has an unknown key or an invalid value.
        """
        return _config(path, _parse_table(path, text) or {})

    def of(self, model: object) -> Options:
        r"""Return the keyword arguments of `check` for a model, from every pattern that matches its path.

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder, "shapesmt.toml")
        ...     _ = file.write_text('timeout = 9\n[models."dec*.onnx"]\ndims = {seq = "1..64"}')
        ...     config = Config.load(file)
        >>> config.of("encoder.onnx"), config.of("models/decoder.onnx")
        ({'timeout': 9.0}, {'timeout': 9.0, 'dims': {'seq': Range(lo=1, hi=64, step=1)}})
        """
        options: Options = {}
        for pattern, section in self.options:
            if self._matches(pattern, model):
                for key, value in section.items():
                    options[key] = {**options[key], **value} if key in options and isinstance(value, dict) else value
        return options

    def expected(self, model: object) -> str:
        """Return the verdict that is expected of a model; "" if none is."""
        return str(self.of(model).get("expect", ""))

    def unmatched(self, models: Iterable[object]) -> list[str]:
        """Return the patterns that match none of the models."""
        models = [*models]
        patterns = [pattern for pattern, _ in self.options if pattern != "*"]
        return [pattern for pattern in patterns if not any(self._matches(pattern, model) for model in models)]

    def _matches(self, pattern: str, model: object) -> bool:
        if pattern == "*":  # matches models without a path too
            return True
        if self.path is None or not isinstance(model, str | os.PathLike):
            return False
        path = inside(self.path, os.fsdecode(model))
        return fnmatchcase(path.as_posix() if "/" in pattern else path.name, pattern)


def inside(settings: Path, model: str) -> Path:
    """Return a model's path relative to the folder of the settings; the absolute one if it isn't inside.

    >>> settings = Path("a/shapesmt.toml")
    >>> inside(settings, "a/b/m.onnx").as_posix(), inside(settings, "m.onnx").is_absolute()
    ('b/m.onnx', True)
    """
    path, folder = _absolute(model), _absolute(settings).parent
    return path.relative_to(folder) if path.is_relative_to(folder) else path


def _absolute(path: str | Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - a link keeps its own name


def is_part(file: Path) -> bool:
    """Whether the settings are the table [tool.shapesmt] of a larger file."""
    return file.name == "pyproject.toml"


def read_text(file: Path) -> str:
    """Return the text of a file of settings.

    Raises:
        UsageError: The file can't be read, is too large, or isn't UTF-8.
    """
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST + 1)
        if len(content) > MOST:
            raise UsageError(f"cannot read {printable(str(file))}: more than {MOST >> 20} MiB of settings")
        return content.decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"cannot read {printable(str(file))}: {reason}") from None


def _table(file: Path) -> Mapping[str, Any] | None:
    """Return the table of settings in a file; None if it is part of a larger file that has none."""
    return _parse_table(file, read_text(file))


def _parse_table(file: Path, text: str) -> Mapping[str, Any] | None:
    if is_part(file) and "shapesmt" not in text:  # the usual case; it needs no parser
        return None
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        table: Mapping[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{printable(str(file))} is not TOML: {printable(str(error), 200)}") from None
    if not is_part(file):
        return table
    tool = table.get("tool")
    inner = tool.get("shapesmt") if isinstance(tool, dict) else None
    if inner is not None and not isinstance(inner, dict):
        raise UsageError(f"{printable(str(file))}: tool.shapesmt is no table; write [tool.shapesmt]")
    return inner


def _config(file: Path, table: Mapping[str, Any]) -> Config:
    general = _Reader(
        file, Origin(file.name, needed=False), "", {**_COMMON, "jobs": _Reader.jobs, "models": _Reader.table}
    )
    read = general.options(table)
    jobs = read.pop("jobs", None)
    sections = [("*", read)]
    for pattern, section in read.pop("models", {}).items():
        prefix = f'models."{pattern}"'
        particular = _Reader(
            file, Origin(file.name), f"{prefix}.", {**_COMMON, "shapes": _Reader.shapes, "expect": _Reader.word}
        )
        sections.append((pattern, particular.options(general.table(prefix, section))))
    return Config(file, tuple(sections), jobs)


def _pair(spec: Any) -> Any:
    """Return a list of two numbers, which is TOML's only way to write a pair, as a tuple."""
    return tuple(spec) if isinstance(spec, list) else spec


class _Reader(NamedTuple):
    """A table of a file; its values are checked and marked with their origin."""

    file: Path
    origin: Origin
    prefix: str
    keys: Mapping[str, Callable[[_Reader, str, Any], Any]]

    def options(self, table: Mapping[str, Any]) -> Options:
        """Return the keyword arguments that the keys of a table declare."""
        for key in table:
            if key not in self.keys:
                hint = did_you_mean(key, self.keys)
                raise UsageError(f"{printable(str(self.file))}: unknown key {quote(self.prefix + key)}{hint}")
        return {key: self.keys[key](self, key, value) for key, value in table.items()}

    def table(self, key: str, value: Any) -> Mapping[str, Any]:
        """Check and return a table inside this one."""
        if not isinstance(value, dict):
            raise self._refusal(key, value, f"write a table, as in [{self.prefix}{key}]")
        return value

    def dims(self, key: str, value: Any) -> Options:
        """Parse ranges by name."""
        return self._marked(key, value, lambda spec, name: parse_range(_pair(spec), name))

    def shapes(self, key: str, value: Any) -> Options:
        """Parse shapes by input; their ranges get the origin."""
        shapes: Options = {}
        for name, spec in self.table(key, value).items():
            sequence = tuple(map(_pair, spec)) if isinstance(spec, list) else spec
            shape = self._parse(f"{key}.{name}", parse_shape, sequence)
            sized = (replace(d, origin=self.origin) if isinstance(d, Range) else d for d in shape or ())
            shapes[name] = "[...]" if shape is None else tuple(sized)
        return shapes

    def values(self, key: str, value: Any) -> Options:
        """Parse elements of small inputs by name."""
        return self._marked(key, value, parse_value)

    def assume(self, key: str, value: Any) -> dict[str, Origin]:
        """Parse a relation or a list of them; each gets the origin."""
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise self._refusal(key, value, 'write a text or a list of them: "total == past + seq"')
        for text in texts:
            self._parse(key, lambda spec, _: names_in(spec), text)
        return dict.fromkeys(texts, self.origin)

    def timeout(self, key: str, value: Any) -> float:
        """Check and return a number of seconds."""
        if type(value) not in (int, float) or not 0 < value < inf:
            raise self._refusal(key, value, "write a number of seconds above 0")
        return float(value)

    def jobs(self, key: str, value: Any) -> int:
        """Check and return a number of processes."""
        if type(value) is not int or value < 1:
            raise self._refusal(key, value, "write a whole number, 1 or more")
        return value

    def word(self, key: str, value: Any) -> str:
        """Check and return one of a few words: the use of declared shapes or guards, a session, a verdict."""
        words = _WORDS[key]
        if value not in words:
            raise self._refusal(key, value, f"write one of {', '.join(words)}")
        return str(value)

    def samples(self, key: str, value: Any) -> tuple[str, ...]:
        """Check and return the name of a dimension that counts samples, or a list of such names."""
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self._refusal(key, value, 'write a name or a list of them: "batch"')
        return tuple(names)

    def strict(self, key: str, value: Any) -> bool:
        """Check and return whether warnings make the check fail."""
        if not isinstance(value, bool):
            raise self._refusal(key, value, "write true or false")
        return value

    def _marked(self, key: str, value: Any, parse: Callable[[Any, str], Any]) -> Options:
        return {
            name: replace(self._parse(f"{key}.{name}", parse, spec), origin=self.origin)
            for name, spec in self.table(key, value).items()
        }

    def _parse(self, key: str, parse: Callable[[Any, str], Any], spec: object) -> Any:
        try:
            return parse(spec, "")
        except UsageError as error:
            raise UsageError(f"{printable(str(self.file))}: {printable(self.prefix + key)}: {error}") from None

    def _refusal(self, key: str, value: object, remedy: str) -> UsageError:
        where = f"{printable(str(self.file))}: {printable(self.prefix + key)}"
        return UsageError(f"{where} is {quote(value)}; {remedy}")


_WORDS: Mapping[str, Sequence[str]] = {
    "declared": [claims.value for claims in Claims],
    "guards": GUARDS,
    "session": SESSIONS,
    "expect": GRAVEST_LAST,
}
_COMMON: Mapping[str, Callable[[_Reader, str, Any], Any]] = {
    "dims": _Reader.dims,
    "assume": _Reader.assume,
    "values": _Reader.values,
    "timeout": _Reader.timeout,
    "declared": _Reader.word,
    "guards": _Reader.word,
    "session": _Reader.word,
    "strict": _Reader.strict,
    "samples": _Reader.samples,
}
