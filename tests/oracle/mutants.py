"""Models of every format with an accident: bytes, tokens or fields changed, and questions asked of them.

    python -m tests.oracle.mutants SEED COUNT

What is asked of a mutant is answered in its time, or refused in one line; whatever else happens is printed with the
seed that shows it.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from shapesmt.entrypoints.cli.main import main
from shapesmt.prover.algebra.interning import LIMIT, forget, sizes
from tests.oracle.originals import WRITERS, Original, by_format, originals
from tests.support.hang import no_hang

TIMEOUT = 2.0
LATE = 2.0  # seconds of processor time that an answer may take beyond its timeout
EXTREMES = (0, 1, -1, 2, 7, 64, 2**31 - 1, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, -(2**31), -(2**63), 2**64, 10**30)
TOKEN = re.compile(rb"[A-Za-z_][A-Za-z_0-9.]*|-?[0-9]+(?:\.[0-9]+)?|\"[^\"]{0,40}\"|[^\sA-Za-z0-9]")
WORDS = (
    "", "x", "y", "n", "@1", "1", "a\x1b[2Jb", "\u202e", "x" * 3000, "\ud7ff", "..", "?", "`n`", "None", "import",
    "Reshape", "If", "Loop", "Constant", "Concat", "NonZero", "Split",
)  # fmt: skip


class Late(BaseException):
    """An answer that was waited for too long."""


# Accidents


def mutant(seed: int) -> Original:
    """A damaged file."""
    r = Random(f"mutant {seed}")
    original = r.choice(by_format()[r.choice([*by_format(), "onnx", "onnx"])])
    content = original.content
    if original.proto is not None and r.random() < 0.8:
        message = type(original.proto)()
        message.CopyFrom(original.proto)
        for _ in range(r.choice([1, 1, 2, 5])):
            _change_field(message, r)
        with contextlib.suppress(Exception):
            content = WRITERS[original.format](message)
    elif original.format == "nodelink" and r.random() < 0.8:
        content = _json(content, r)
    elif original.format == "torch" and r.random() < 0.8:
        content = _archived(content, r)
    else:
        by_value = original.format == "ir" and r.random() < 0.8
        change = _value if by_value else r.choice([_token, _token, _flip, _cut, _splice])
        for _ in range(r.choice([1, 1, 1, 2, 5])):
            content = change(content, r)
    suffix = original.suffix if r.random() < 0.95 else r.choice([".onnx", ".xml", ".json", ""])
    return Original(content, suffix, None, original.names, original.format)


def _flip(content: bytes, r: Random) -> bytes:
    changed = bytearray(content or b"\0")
    for _ in range(r.choice([1, 2, 8])):
        changed[r.randrange(len(changed))] = r.choice([r.randrange(256), 0, 255, 127, 128])
    return bytes(changed)


def _cut(content: bytes, r: Random) -> bytes:
    a, b = sorted(r.randrange(len(content) + 1) for _ in range(2))
    return content[:a] + content[b:] if r.random() < 0.7 else content[:b] + content[a:b] * r.choice([1, 3, 100])


def _splice(content: bytes, r: Random) -> bytes:
    other = r.choice(originals()).content
    a, b = sorted(r.randrange(len(other) + 1) for _ in range(2))
    at = r.randrange(len(content) + 1)
    return content[:at] + other[a : min(b, a + 400)] + content[at:]


def _value(content: bytes, r: Random) -> bytes:
    """The value of an attribute of an XML file replaced, or an element doubled or removed."""
    if r.random() < 0.2:
        one = r.choice([*re.finditer(rb"<layer .*?</layer>|<edge [^>]*>|<port [^>]*/>|<data [^>]*/>", content)])
        return content[: one.start()] + one.group() * r.choice([0, 2]) + content[one.end() :]
    values = [*re.finditer(rb'"([^"]*)"', content)]
    one = r.choice(values)
    word = r.choice(WORDS).replace("\x1b", "").encode(errors="replace")
    number = str(r.choice(EXTREMES)).encode()
    new = r.choice(
        [
            r.choice(values).group(1),
            number,
            word,
            b"-1,3",
            b"..5",
            b"f64",
            b"opset9",
            b"Parameter",
            b"Loop",
            b"1..2,..,3",
        ]
    )
    return content[: one.start(1)] + new + content[one.end(1) :]


def _json(content: bytes, r: Random) -> bytes:
    """Some values inside a JSON document made others."""
    document = json.loads(content)
    places = [*_places(document)]
    for _ in range(r.choice([1, 1, 2, 5])):
        holder, key = r.choice(places)
        one, other = r.choice(places)
        with contextlib.suppress(IndexError, KeyError):
            kinds = [None, True, {}, [], 0.5, r.choice(EXTREMES), r.choice(WORDS), one[other]]
            if r.random() < 0.2:
                del holder[key]
            elif isinstance(holder[key], int) or r.random() < 0.3:
                holder[key] = r.choice(EXTREMES)
            else:
                holder[key] = r.choice(kinds)
    with contextlib.suppress(ValueError, RecursionError):  # what holds itself
        content = json.dumps(document).encode(errors="replace")
    return content


def _archived(content: bytes, r: Random) -> bytes:
    """An archive in which a JSON document is another one."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            entry = old.read(name)
            new.writestr(name, r.choice([_json, _json, _json, _token])(entry, r) if name.endswith(".json") else entry)
    return file.getvalue()


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every value of a document, by what holds it and where."""
    keys = range(len(document)) if isinstance(document, list) else [*document] if isinstance(document, dict) else ()
    for key in keys:
        yield document, key
        yield from _places(document[key])


def _token(content: bytes, r: Random) -> bytes:
    """A word or number of a text replaced by another one; now and then anything by anything."""
    found = [*TOKEN.finditer(content)]
    if not found:
        return content
    one = r.choice(found)
    if r.random() < 0.1:
        new = r.choice([b"", one.group() * 2, r.choice(found).group()])
    else:
        one = r.choice([t for t in found if _kind(t.group())] or found)
        like = [t.group() for t in found if _kind(t.group()) == _kind(one.group())]
        other = str(r.choice(EXTREMES)) if _kind(one.group()) == "number" else r.choice(WORDS)
        quoted = f'"{other}"' if _kind(one.group()) == "quoted" else other
        new = r.choice(like) if r.random() < 0.5 else quoted.encode(errors="replace")
    return content[: one.start()] + new + content[one.end() :]


def _kind(token: bytes) -> str:
    if token.lstrip(b"-")[:1].isdigit():
        return "number"
    return "quoted" if token[:1] == b'"' else "word" * token.isalnum()


def _change_field(message: Any, r: Random) -> None:
    """One field, somewhere inside, made another."""
    target, depth = message, 0
    while True:
        messages = [(f, v) for f, v in target.ListFields() if f.type == FieldDescriptor.TYPE_MESSAGE]
        inner = [v for f, v in messages if f.name != "opset_import"]
        inner = [m for v in inner for m in (v if hasattr(v, "add") else [v] if hasattr(v, "ListFields") else [])]
        if not inner or (depth > 1 and r.random() < 0.35):
            break
        target, depth = max(inner, key=lambda m: m.ByteSize()) if depth < 1 else r.choice(inner), depth + 1
    fields = [f for f, _ in target.ListFields()] if r.random() < 0.8 else [*target.DESCRIPTOR.fields]
    field = r.choice(fields or [*target.DESCRIPTOR.fields])
    with contextlib.suppress(ValueError, TypeError, AttributeError, KeyError, OverflowError):
        value = getattr(target, field.name)
        if hasattr(value, "append") or hasattr(value, "add"):
            _change_list(value, field, r)
        elif field.type == FieldDescriptor.TYPE_MESSAGE or r.random() < 0.2:
            target.ClearField(field.name)
        else:
            setattr(target, field.name, _scalar(field, r))


def _change_list(value: Any, field: Any, r: Random) -> None:
    choice = r.random()
    if len(value) and choice < 0.3:
        del value[r.randrange(len(value))]
    elif len(value) and choice < 0.5:
        if hasattr(value, "add"):
            value.add().CopyFrom(value[r.randrange(len(value) - 1)] if len(value) > 1 else value[0])
        else:
            value.append(r.choice([*value]))
    elif len(value) and choice < 0.6:
        items = [*value]
        r.shuffle(items)
        del value[:]
        value.extend(items)
    elif field.type == FieldDescriptor.TYPE_MESSAGE:
        value.add()
    elif len(value):
        value[r.randrange(len(value))] = _scalar(field, r)
    else:
        value.append(_scalar(field, r))


def _scalar(field: Any, r: Random) -> Any:
    if field.type == FieldDescriptor.TYPE_STRING:
        return r.choice(WORDS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return r.choice([b"", b"\xff\xfe", r.randbytes(8), b"a" * 100, r.choice(WORDS).encode()])
    if field.type in (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE):
        return r.choice([0.0, -1.0, float("nan"), float("inf"), 1e30, 0.5])
    return r.choice([r.randrange(30), *EXTREMES])


# Questions

SPANS = ("1", "1..8", "2..64:16", "0..", "..9", "1..", "1..1", "7..7:3", "0", "5..2", "x", "", f"1..{2**63}", "-1")
RELATIONS = (
    "n >= 2",
    "n % 4 == 0 or n == 7",
    "n*n*n == 27",
    "n < 5",
    "n // 0 == 1",
    "n == n + 1",
    "((((n == 1))))",
    "n",
)


def question(r: Random, path: Path, known: tuple[str, ...]) -> list[str]:
    """A command with options."""
    verbs = ["check", "check", "check", "bounds", "explain", "encode", "ops"]
    verb = r.choice([*verbs, "tighten", "repro"] if path.suffix in (".onnx", ".onnxtxt") or r.random() < 0.1 else verbs)
    line = [verb, str(path)]
    if verb == "ops":
        return line
    names = [*known] * 8 + ["y", "z", "none", *WORDS[1:6]]
    if verb in ("explain", "bounds", "repro") and r.random() < 0.3:
        line.append(r.choice(names))
    for _ in range(r.choice([0, 0, 0, 1, 2])):
        span = r.choice(SPANS if r.random() < 0.1 else SPANS[:9])
        line += ["--dim", f"{r.choice(names)}={span}"]
    if r.random() < 0.2:
        shape = r.choice(["[...]", "[?,?]", "[1..8,3]", "2x3", "[]", "[n", "[0,0]", f"[{2**62},9]", "[?,?,?,?]"])
        line += ["--shape", f"{r.choice(names)}={shape}"]
    if r.random() < 0.2:
        line += ["--assume", r.choice(RELATIONS).replace("n", f"`{r.choice(names)}`", 1)]
    if verb in ("check", "tighten"):
        line += r.choice([[], [], ["--declared", r.choice(["trust", "ignore", "override"])]])
    if verb == "check":
        line += r.choice([[], [], ["--strict"], ["--certify"], ["-q"], ["--html", str(path.with_suffix(".html"))]])
        line += r.choice([[], [], ["--format", r.choice(["json", "sarif", "github"])]])
    if verb in ("tighten", "encode", "repro") and (verb == "tighten" or r.random() < 0.5):
        line += ["-o", str(path.with_name("out.onnx"))]
    return [*line, "--timeout", str(TIMEOUT), "--no-config"]


def failure(seed: int, folder: Path) -> str:
    """What is wrong with the answer about a mutant; "" where nothing is."""
    made = mutant(seed)
    path = folder / f"mutant{made.suffix}"
    path.write_bytes(made.content)
    line = question(Random(f"question {seed}"), path, made.names)
    said = answer_of(line)
    for left in folder.iterdir():
        if left.name.endswith(".part"):
            said = said or f"a file is left: {left.name}"
        left.unlink()
    return said and f"seed {seed}: {' '.join(a if len(a) < 200 else a[:200] for a in line)}\n  {said}"


def answer_of(line: list[str]) -> str:
    """Return the fault of the command line's answer; "" if it has none."""
    out, err = io.StringIO(), io.StringIO()

    def stop(*_: object) -> None:
        raise Late("".join(traceback.format_stack(limit=30)[:-1]))

    if sum(sizes().values()) > LIMIT:
        forget()  # what earlier questions left is not this one's to wait for
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, TIMEOUT + 8 * LATE)
    began = time.process_time()
    try:
        with no_hang(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([*line])
    except Late as late:
        return f"no answer; it was in\n{late}"
    except BaseException:
        return f"{traceback.format_exc()}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    taken = time.process_time() - began
    late = f"late: it took {taken:.1f} s" if taken > TIMEOUT + LATE else ""
    return _wrong(line, status, out.getvalue(), err.getvalue()) or late


def _wrong(line: list[str], status: int, out: str, err: str) -> str:
    """What is wrong with an exit status and with what is printed; "" where nothing is."""
    if status not in (0, 1, 2, 3):
        return f"status {status}: {err[-3000:]}"
    if status == 2 and "--replay" not in line and err.count("\n") != 1:
        return f"not one line: {err!r} {out[:200]!r}"
    if "Traceback" in err + out:
        return err[-3000:]
    unprintable = [c for c in out + err if not c.isprintable() and c != "\n"]
    if unprintable:
        return f"unprintable: {unprintable[:5]}"
    if status != 2 and "--format" in line and line[line.index("--format") + 1] in ("json", "sarif"):
        json.loads(out)
    return ""


if __name__ == "__main__":
    first, count = int(sys.argv[1]), int(sys.argv[2])
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else 1e9
    begun, failed, asked = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        for number in range(first, first + count):
            wrong = failure(number, Path(temporary))
            asked += 1
            if wrong:
                failed += 1
                print(wrong, flush=True)
            if time.monotonic() - begun > limit:
                break
    print(f"{failed} of {asked} wrong, from seed {first}, in {time.monotonic() - begun:.0f} s")
