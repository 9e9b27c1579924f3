r"""Quote texts from files for use in other languages: one function for each, and no other code puts them there.

Output of shapesmt is pasted into shells, run as programs and printed by jobs whose runners look for commands in it; a
name may be crafted for any of these. `printable` is for plain text, `tag` for pages and `Script.name` for SMT-LIB.
"""

from __future__ import annotations

import re
import shlex
from json import dumps
from keyword import iskeyword

from shapesmt.base.errors import escape, escape_marks


def shell(*words: str) -> str:
    r"""Return the words, quoted, as a command of bash on one line.

    >>> print(shell("trtexec", "x:[1]", "$(date)", "a\nb"))
    trtexec 'x:[1]' '$(date)' $'a\012b'
    """
    return " ".join(shlex.quote(word) if _is_plain(word) else f"$'{_octal(word)}'" for word in words)


def argument(text: str, bare: bool = False) -> str:
    """Return one word of a command line: in double quotes, which every shell reads, if that is safe.

    With `bare`, a word of harmless characters isn't quoted.

    >>> print(argument("n % 2 == 0"), argument("`a b` == 2"), argument("n=1..8", bare=True))
    "n % 2 == 0" '`a b` == 2' n=1..8
    """
    if bare and re.fullmatch(r"[\w.=:,-]+", text):
        return text
    return shell(text) if re.search(r"[$`\"\\!]", text) or not _is_plain(text) else f'"{text}"'


def python(text: str) -> str:
    r"""Return the text as a string literal of Python, in ASCII.

    >>> print(python('a "\n'), python("é"))
    "a \"\n" "\xe9"
    """
    written = escape_marks(dumps(text, ensure_ascii=False), r"\x23")
    return re.sub(r"[^ -~]", lambda c: c[0].encode("unicode_escape").decode(), written)


def identifier(name: str) -> str:
    """Return the name, changed to a valid identifier of Python.

    >>> identifier("x.2"), identifier("2"), identifier("class")
    ('x_2', '_2', '_class')
    """
    name = re.sub(r"\W", "_", name, flags=re.ASCII)
    return name if name.isidentifier() and not iskeyword(name) else f"_{name}"


def mlir(name: str) -> str:
    """Return the name, changed to a valid name of a value in MLIR.

    >>> mlir("input.1"), mlir("/up/x:0"), mlir("2x")
    ('input.1', '_up_x_0', '_2x')
    """
    name = re.sub(r"[^\w$.-]", "_", name, flags=re.ASCII)
    return name if re.fullmatch(r"\d+|[^\d].*", name) else f"_{name}"


def comment(text: str, mark: str = "#") -> str:
    r"""Return the text as a comment on one line.

    >>> print(comment("a\nb"))
    # a\nb
    """
    return f"{mark} {escape(text)}"


def protobuf(text: str) -> str:
    r"""Return the text as a string of protobuf's text format.

    >>> print(protobuf('a "\n'))
    "a \042\012"
    """
    return f'"{_octal(text)}"'


def json_text(value: object, indent: int | None = None) -> str:
    r"""Return the value as JSON, in ASCII.

    >>> print(json_text(["##[a]", "é"]))
    ["\u0023#[a]", "\u00e9"]
    """
    return escape_marks(dumps(value, indent=indent), r"\u0023")


def _is_plain(text: str) -> bool:
    """Whether the text can be printed as it is."""
    return escape(text) == text


def _octal(text: str) -> str:
    """Return the text with the bytes of characters that are special in quotes as octal numbers."""
    return escape_marks("".join(c if c.isprintable() and c not in "'\"\\!" else _bytes(c) for c in text), r"\043")


def _bytes(character: str) -> str:
    foreign = "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass"  # bytes in a file's name
    return "".join(f"\\{byte:03o}" for byte in character.encode(errors=foreign))
