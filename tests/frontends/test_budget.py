"""Reading has limits: bytes, also unpacked ones, folders that a server lists, and time from the start."""

from __future__ import annotations

import gzip
import io
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import shapesmt
from shapesmt.base.deadline import Deadline
from shapesmt.base.errors import ModelError, OutOfTimeError, UsageError
from shapesmt.entrypoints.cli import main
from shapesmt.frontends import load
from shapesmt.frontends.remote import list_urls
from tests.support.hang import no_hang

EXP = '<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = Exp(x) }'
LIMIT = 1 << 21
TOO_LARGE = r"more than 2 MiB \(SHAPESMT_MAX_BYTES=2097152\)"


@pytest.fixture(autouse=True)
def limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHAPESMT_MAX_BYTES", str(LIMIT))


class Hostile(BaseHTTPRequestHandler):
    """Sends more than it says, or slowly, and lists folders without end."""

    asked = 0
    ended = threading.Event()

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        Hostile.asked += 1
        name = self.path.strip("/").split("/")[0]
        body = {
            "gzip.onnx": gzip.compress(EXP.encode() + b" " * 2 * LIMIT),
            "small.onnx": gzip.compress(EXP.encode()),
            "long.onnx": EXP.encode() + b" " * 2 * LIMIT,
            "tree": b'<a href="a/">a</a><a href="b/">b</a><a href="m.onnx">m</a>',
            "self": b'<a href="/self/">again</a><a href="m.onnx">m</a>',
            "chained": b'<a href="x::y.onnx">x</a>',
        }.get(name, b"\x08")
        self.send_response(200)
        if name in ("gzip.onnx", "small.onnx"):
            self.send_header("Content-Encoding", "gzip")
        if not name.endswith(".onnx"):
            self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body) + (name == "slow.onnx")))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)
            if name == "slow.onnx":
                self.ended.wait()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    serving = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    serving.daemon_threads = True
    thread = threading.Thread(target=serving.serve_forever, daemon=True)
    thread.start()
    Hostile.asked = 0
    Hostile.ended.clear()
    yield f"http://127.0.0.1:{serving.server_port}"
    Hostile.ended.set()
    serving.shutdown()
    serving.server_close()
    thread.join()


@pytest.mark.parametrize("start", [b"<", b"{", b"<net>", b"graph {", b"\n\x05\n\x01x"])
def test_a_file_of_text_is_too_large(start: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.model"
    with path.open("wb") as file:
        file.write(start)
        file.truncate(1 << 32)
    with pytest.raises(ModelError, match=TOO_LARGE):
        load(path)
    with pytest.raises(ModelError, match=TOO_LARGE):
        shapesmt.simplify(str(path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(start + b" " * LIMIT)))
    with pytest.raises(ModelError, match=TOO_LARGE):
        load("-")


@pytest.mark.parametrize("name", ["long.onnx", "gzip.onnx"])
def test_a_url_has_too_many_bytes(name: str, server: str) -> None:
    with pytest.raises(ModelError, match=TOO_LARGE):
        load(f"{server}/{name}")
    assert load(f"{server}/small.onnx").nodes[0].op == "Exp"


def test_a_url_takes_too_long(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    with no_hang():  # the server sends nothing for as long
        assert main(["check", f"{server}/slow.onnx", "--timeout", "1"]) == 3
    assert "isn't read in the time given" in capsys.readouterr().err


def test_folders_without_end(server: str) -> None:
    with pytest.raises(ModelError, match="more than 500 folders"):
        list_urls(f"{server}/tree/")
    asked = Hostile.asked
    with pytest.raises(OutOfTimeError):
        Deadline(0).require(lambda: list_urls(f"{server}/tree/"), "nothing is listed")
    assert Hostile.asked < asked + 10


def test_a_folder_that_lists_itself(server: str) -> None:
    assert list_urls(f"{server}/self/") == [f"{server}/self/m.onnx"]
    assert Hostile.asked < 10
    with pytest.raises(ModelError, match="no name has `::`"):
        list_urls(f"{server}/chained/")


def test_the_limit_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHAPESMT_MAX_BYTES", "2GB")
    with pytest.raises(UsageError, match="SHAPESMT_MAX_BYTES is a number of bytes, not 2GB"):
        load("-")
