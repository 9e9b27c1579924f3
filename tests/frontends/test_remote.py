"""Models by URL: the graph part is transferred, never the weights."""

from __future__ import annotations

import re
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fsspec
import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import shapesmt
from shapesmt.base.errors import ModelError, UsageError
from shapesmt.entrypoints.cli import main
from shapesmt.frontends import load, remote
from shapesmt.frontends.remote import list_urls

EXP = '<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = Exp(x) }'


class Server(SimpleHTTPRequestHandler):
    """Serves a folder, with parts of files where `parts`, and counts the bytes."""

    parts = True
    sent = 0

    def do_GET(self) -> None:
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        content = Path(self.translate_path(self.path))
        if not (wanted and self.parts and content.is_file()):
            Server.sent += content.stat().st_size if content.is_file() else 0
            super().do_GET()
            return
        start, end = int(wanted[1]), int(wanted[2])
        body = content.read_bytes()[start : end + 1]
        Server.sent += len(body)
        self.send_response(206)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Range", f"bytes {start}-{start + len(body) - 1}/{content.stat().st_size}")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    weights = [numpy_helper.from_array(np.zeros((1000, 1000), "f4"), f"w{k}") for k in range(3)]
    nodes = [helper.make_node("MatMul", ["x", "w0"], ["y"])]
    inputs = [helper.make_tensor_value_info("x", 1, ["n", 1000])]
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name="y")], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), tmp_path / "m.onnx")
    (tmp_path / "small.onnx").write_text(EXP)
    (tmp_path / "notes.txt").write_text("")
    serving = ThreadingHTTPServer(("127.0.0.1", 0), partial(Server, directory=str(tmp_path)))
    thread = threading.Thread(target=serving.serve_forever, daemon=True)
    thread.start()
    Server.sent, Server.parts = 0, True
    yield f"http://127.0.0.1:{serving.server_port}"
    serving.shutdown()
    serving.server_close()
    thread.join()


@pytest.fixture
def memory(request: pytest.FixtureRequest) -> str:
    folder = f"memory:///{request.node.name}"
    with fsspec.open_files(
        [f"{folder}/{name}" for name in ("b.onnx", "a.onnx", "deep/c.onnx", ".h/d.onnx", "e.txt")], "w"
    ) as files:
        for file in files:
            file.write(EXP)
    return folder


@pytest.mark.parametrize("parts", [True, False])
def test_weights_are_not_transferred(server: str, parts: bool) -> None:
    Server.parts = parts
    assert shapesmt.check(f"{server}/m.onnx").ok
    assert (Server.sent < 1_000_000) is parts
    assert load(f"{server}/m.onnx").source == "m.onnx"
    assert shapesmt.check(f"{server}/small.onnx").ok


def test_patterns_and_folders(memory: str, server: str) -> None:
    assert list_urls(f"{memory}/*.onnx") == [f"{memory}/a.onnx", f"{memory}/b.onnx"]
    assert list_urls(f"{memory}/nothing*") == []
    assert list_urls(memory) == [f"{memory}/a.onnx", f"{memory}/b.onnx", f"{memory}/deep/c.onnx"]
    assert list_urls(f"{memory}/a.onnx") is None
    assert list_urls(f"{server}/*.onnx") == [f"{server}/m.onnx", f"{server}/small.onnx"]
    assert list_urls(f"{server}/absent.onnx") is None


def test_an_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("a.onnx", EXP)
    (url,) = list_urls(f"zip://*.onnx::{tmp_path / 'all.zip'}") or ()
    assert load(url).nodes[0].op == "Exp"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("memory://absent/m.onnx", "cannot read memory://absent/m.onnx: there is no such file"),
        ("absent://m.onnx", "cannot read absent://m.onnx: Protocol not known: absent"),
        ("http://127.0.0.1:9/m.onnx", "cannot read http://127.0.0.1:9/m.onnx: "),
    ],
)
def test_what_cant_be_read_is_one_line(url: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        load(url)
    assert main(["check", url]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_without_fsspec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(
        UsageError, match=re.escape("memory://m.onnx is a URL, which needs fsspec: pip install 'shapesmt[urls]'")
    ):
        remote.list_urls("memory://m.onnx")


class Failing(SimpleHTTPRequestHandler):
    """A server that fails as the path says."""

    protocol_version = "HTTP/1.1"
    ended = threading.Event()

    def do_GET(self) -> None:
        if "hang" in self.path:
            self.ended.wait()
        elif "circle" in self.path:
            self.send_response(302)
            self.send_header("Location", self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif "cut" in self.path:
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"no" if self.command == "GET" else b"")
            self.close_connection = True
        else:
            self.send_error(int(self.path[1:4]))

    do_HEAD = do_GET  # noqa: N815 - as the library calls it

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def failing() -> Iterator[str]:
    Failing.ended.clear()
    serving = ThreadingHTTPServer(("127.0.0.1", 0), Failing)
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{serving.server_port}"
    Failing.ended.set()
    serving.shutdown()
    serving.server_close()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("404.onnx", "there is no such file"),
        ("500.onnx", "500, message='Internal Server Error'"),
        ("circle.onnx", "TooManyRedirects"),
        ("cut.onnx", "Response payload is not completed"),
        ("hang.onnx", ""),
    ],
)
def test_a_server_that_fails_is_one_line(
    failing: str, path: str, reason: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "PATIENCE", 0.3)
    assert main(["check", f"{failing}/{path}"]) == 2
    assert capsys.readouterr().err.startswith(f"error: cannot read {failing}/{path}: {reason}")


def test_a_server_that_isnt_there_is_no_file_that_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "http://127.0.0.1:9/m.onnx"]) == 2
    assert capsys.readouterr().err.startswith("error: cannot read http://127.0.0.1:9/m.onnx: Cannot connect to host")
