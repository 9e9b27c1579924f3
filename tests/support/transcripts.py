r"""Rerun console transcripts (`$ shapesmt ...` and its output) and compare them, with times and versions masked.

After a change of wording, this brings them up to date:

    python -m tests.support.transcripts README.md shapesmt/entrypoints/cli/pages/*.md examples/*/README.md \
        examples/*/report.txt
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from shapesmt.entrypoints.cli.main import main

LEFT_OUT = "..."  # a line that stands for any number of lines
_BLOCK = re.compile(r"(?<=```console\n)(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)
_TIME = re.compile(r"\b[0-9]+\.[0-9]+ s\b|(?<=\"seconds\": )[0-9.e-]+|(?<=by onnxruntime )[0-9.]+(?=:)")


class Step(NamedTuple):
    """One command, with its output in the transcript (`written`) and its output now (`printed`)."""

    command: str
    written: str
    printed: str

    def agrees(self) -> bool:
        """Whether both outputs are the same, except for masked parts and omitted lines."""
        parts = re.split(rf"^ *{re.escape(LEFT_OUT)}\n", masked(self.written), flags=re.MULTILINE)
        return re.fullmatch(r"(?:.*\n)*?".join(map(re.escape, parts)), masked(self.printed)) is not None


def masked(text: str) -> str:
    """Return the text with the parts masked that differ between runs."""
    return _TIME.sub("? s", text)


def commands(transcript: str) -> list[str]:
    """Return the command lines of a transcript."""
    return [line[2:] for line in transcript.splitlines() if line.startswith("$ ")]


def steps(transcript: str) -> list[Step]:
    """Run the commands of a transcript and return their steps; `echo $?` prints the last one's exit status."""
    found, status = [], 0
    for part in re.split(r"^\$ ", transcript, flags=re.MULTILINE)[1:]:
        command, _, written = part.partition("\n")
        if command == "echo $?":
            printed = str(status)
        else:
            printed, status = run(shlex.split(command))
        found.append(Step(command, f"{written.rstrip()}\n", f"{printed.rstrip()}\n"))
    return found


def run(words: list[str]) -> tuple[str, int]:
    """Run one command, and return its output and its exit status."""
    assert words[0] == "shapesmt", f"{words[0]} is not run here"
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        status = main(words[1:])
    assert "internal error" not in out.getvalue(), f"{shlex.join(words)}: {out.getvalue()}"
    return out.getvalue(), status


def blocks(text: str) -> list[str]:
    """Return the console blocks of a Markdown text."""
    return _BLOCK.findall(text)


def renewed(transcript: str) -> str:
    """Return the transcript with the present output of commands whose output differs."""
    ran = steps(transcript)
    if all(step.agrees() for step in ran):
        return transcript
    return "\n".join(f"$ {s.command}\n{s.written if s.agrees() else current(s)}" for s in ran)


def current(step: Step) -> str:
    """Return a command's present output; if the transcript omits lines, the most similar line for each one it shows."""
    shown, lines = step.written.splitlines(), step.printed.splitlines()
    if LEFT_OUT not in step.written.split():
        return step.printed
    kept = (line if line.strip() == LEFT_OUT else get_close_matches(line, lines, 1, 0)[0] for line in shown)
    return "".join(f"{line}\n" for line in kept)


def renew(paths: list[Path]) -> None:
    """Bring files up to date; the commands run in a temporary copy of `examples`."""
    with TemporaryDirectory() as folder:
        shutil.copytree("examples", Path(folder) / "examples")
        with chdir(folder):
            for path in paths:
                text = path.read_text()
                path.write_text(_BLOCK.sub(lambda m: renewed(m[1]), text) if path.suffix == ".md" else renewed(text))


@contextmanager
def chdir(folder: str) -> Iterator[None]:
    """Change the working directory inside the block."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


if __name__ == "__main__":
    renew([Path(path).resolve() for path in sys.argv[1:]])
