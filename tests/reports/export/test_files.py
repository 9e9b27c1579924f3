"""Outputs: written whole or not at all, keeping links, permissions and what others left."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper, parser

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.entrypoints.cli.main import main
from shapesmt.frontends import load
from shapesmt.reports.export.files import write_whole
from shapesmt.reports.export.onnx import save

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(shapesmt.__file__).parents[1])}


class TestSave:
    def test_binary_and_text(self, model, tmp_path):
        save(model, tmp_path / "m.onnx")
        assert onnx.load(tmp_path / "m.onnx") == model
        save(model, str(tmp_path / "m.onnxtxt"))
        assert (tmp_path / "m.onnxtxt").read_text().startswith("<")
        assert [node.op for node in load(tmp_path / "m.onnxtxt").nodes] == ["Mul", "If"]
        assert sorted(path.name for path in tmp_path.iterdir()) == ["m.onnx", "m.onnxtxt"]

    def test_the_old_file_stays_until_the_new_one_is_whole(self, model, tmp_path, monkeypatch):
        path = tmp_path / "m.onnx"
        path.write_bytes(b"old")

        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("pathlib.Path.replace", full)
        with pytest.raises(UsageError, match=r"cannot write .*m\.onnx: No space left on device"):
            save(model, path)
        assert path.read_bytes() == b"old"
        assert list(tmp_path.iterdir()) == [path]

    def test_permissions_and_links_stay(self, model, tmp_path):
        path, link = tmp_path / "m.onnx", tmp_path / "link.onnx"
        path.write_bytes(b"")
        path.chmod(0o640)
        link.symlink_to(path)
        save(model, link)
        assert link.is_symlink()
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert onnx.load(path) == model

    @pytest.mark.skipif(not hasattr(os, "geteuid"), reason="links have no owner here")
    @pytest.mark.parametrize("through", [False, True])
    def test_a_link_of_another_user_is_refused(self, through, tmp_path, monkeypatch):
        target, link, mine = tmp_path / "victim", tmp_path / "link", tmp_path / "mine"
        target.write_bytes(b"theirs")
        link.symlink_to("victim")
        mine.symlink_to("link" if through else "victim")
        if os.geteuid() == 0:
            os.chown(link, 54321, -1, follow_symlinks=False)
        else:
            monkeypatch.setattr(os, "geteuid", lambda: 54321)
        with pytest.raises(UsageError, match="another user made this link"):
            write_whole(mine if through else link, b"ours")
        assert target.read_bytes() == b"theirs"

    def test_a_link_under_a_name_that_nobody_gave_is_replaced(self, tmp_path):
        victim, dangling = tmp_path / "victim", tmp_path / "absent"
        victim.write_bytes(b"theirs")
        for target in (victim, dangling, tmp_path, os.devnull):
            link = tmp_path / "index.html"
            link.unlink(missing_ok=True)
            link.symlink_to(target)
            write_whole(link, b"ours", own=True)
            assert not link.is_symlink()
            assert link.read_bytes() == b"ours"
        assert victim.read_bytes() == b"theirs"
        assert not dangling.exists()

    def test_a_new_file_is_as_readable_as_any(self, model, tmp_path):
        (tmp_path / "plain").touch()
        save(model, tmp_path / "m.onnx")
        assert (tmp_path / "m.onnx").stat().st_mode == (tmp_path / "plain").stat().st_mode

    def test_a_device_stays_a_device(self, model):
        save(model, os.devnull)
        assert not Path(os.devnull).is_file()

    def test_what_can_not_be_written(self, model, tmp_path):
        for path in (tmp_path, tmp_path / "absent" / "m.onnx", "a\0b.onnx"):
            with pytest.raises(UsageError, match="cannot write"):
                save(model, path)


class TestOutputs:
    """What is written to a folder, and what is left in it."""

    TEXT = '<ir_version: 10, opset_import: ["" : 21]> g (float[n] x) => (float[m] y) { y = Concat<axis = 0>(x, x) }'

    def test_a_part_that_a_killed_process_left_goes_at_the_next_run(self, tmp_path):
        target = tmp_path / "out.onnx"
        script = (
            "import os, signal, sys\n"
            "from shapesmt.reports.export import files\n"
            "files.stat.S_IMODE = lambda mode: os.kill(os.getpid(), signal.SIGKILL)\n"
            "files.write_whole(sys.argv[1], b'half')\n"
        )
        target.write_bytes(b"before")
        ran = subprocess.run([sys.executable, "-c", script, str(target)], env=ENVIRONMENT, check=False)
        assert ran.returncode == -signal.SIGKILL
        assert target.read_bytes() == b"before"
        (left,) = (p for p in tmp_path.iterdir() if p != target)
        os.utime(left, (1, 1))
        write_whole(target, b"after")
        assert [p.name for p in tmp_path.iterdir()] == ["out.onnx"]
        assert target.read_bytes() == b"after"

    def test_a_part_that_is_being_written_stays(self, tmp_path):
        import fcntl

        part = tmp_path / ".out.onnx.0123.part"
        with part.open("xb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            os.utime(part, (1, 1))
            write_whole(tmp_path / "out.onnx", b"content")
            assert part.exists()
        write_whole(tmp_path / "out.onnx", b"content")
        assert not part.exists()

    def test_others_files_stay(self, tmp_path):
        os.mkfifo(tmp_path / ".out.onnx.pipe.part")
        (tmp_path / ".out.onnx.folder.part").mkdir()
        (tmp_path / ".other.onnx.0123.part").write_bytes(b"")
        os.utime(tmp_path / ".other.onnx.0123.part", (1, 1))
        write_whole(tmp_path / "out.onnx", b"content")
        assert len([*tmp_path.iterdir()]) == 4

    def test_onto_its_input_and_through_a_link(self, tmp_path):
        (tmp_path / "m.onnxtxt").write_text(self.TEXT)
        (tmp_path / "link.onnxtxt").symlink_to("m.onnxtxt")
        shapesmt.tighten(tmp_path / "m.onnxtxt", tmp_path / "link.onnxtxt")
        assert (tmp_path / "link.onnxtxt").is_symlink()
        assert load(str(tmp_path / "m.onnxtxt")).declared["y"].shape == ("2*n",)

    def test_a_folder_that_may_not_be_written(self, tmp_path, monkeypatch):
        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)  # root may write anywhere
        with pytest.raises(UsageError, match=r"cannot write .*Permission denied"):
            write_whole(tmp_path / "out.onnx", b"content")

    @pytest.fixture
    def apart(self, tmp_path):
        """A model whose weights are in a file beside it."""
        proto = parser.parse_model(self.TEXT.replace("x, x", "x, w").replace("{ y", "<float[2000] w> { y"))
        weights = numpy_helper.from_array(np.zeros(2000, np.float32), "w")
        del proto.graph.initializer[:]
        proto.graph.initializer.append(weights)
        (tmp_path / "model").mkdir()
        onnx.save(proto, tmp_path / "model" / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
        return tmp_path / "model" / "m.onnx"

    def test_weights_are_not_lost(self, apart, tmp_path, capsys):
        elsewhere = tmp_path / "other"
        elsewhere.mkdir()
        assert main(["tighten", str(apart), "-o", str(elsewhere / "out.onnx")]) == 2
        assert "the model's weights are in w.bin, which is not beside it" in capsys.readouterr().err
        assert [*elsewhere.iterdir()] == []
        with pytest.raises(UsageError, match=r"w\.bin"):
            shapesmt.tighten(onnx.load(apart, load_external_data=False), elsewhere / "out.onnx")
        shapesmt.tighten(apart, apart.with_name("out.onnx"))
        assert onnx.load(apart.with_name("out.onnx")).graph.initializer[0].raw_data == bytes(8000)
        shutil.copy(apart.with_name("w.bin"), elsewhere)
        shapesmt.tighten(apart, elsewhere / "out.onnx")
        assert onnx.load(elsewhere / "out.onnx").graph.initializer[0].raw_data == bytes(8000)

    def test_links_in_a_circle_and_names_of_any_length_are_refused(self, apart, tmp_path, capsys):
        circle = tmp_path / "circle.onnx"
        circle.symlink_to(circle)
        assert main(["tighten", str(apart), "-o", str(circle)]) == 2
        proto = onnx.load(apart, load_external_data=False)
        (place,) = (entry for entry in proto.graph.initializer[0].external_data if entry.key == "location")
        place.value = 5000 * "w"
        apart.write_bytes(proto.SerializeToString())
        assert main(["tighten", str(apart), "-o", str(tmp_path / "out.onnx")]) == 2
        assert capsys.readouterr().err.count("\n") == 2

    def test_every_entry_has_a_type(self):
        text = """<ir_version: 10, opset_import: ["" : 21, "me" : 1]> g (float[n] x) => (float[m] y)
            { a = me.Mystery(x) b, c = me.Mystery(a) q = SequenceConstruct(a) d = Shape(a)
              y = Concat<axis = 0>(x, x) }"""
        proto = parser.parse_model(text)
        proto.graph.value_info.add(name="a").type.tensor_type.shape.dim.add(dim_value=3)
        proto.graph.value_info.add(name="b")
        proto.graph.value_info.add(name="q").type.sequence_type.elem_type.tensor_type.SetInParent()
        written = shapesmt.tighten(proto, declared="ignore")
        assert [info.name for info in written.graph.value_info] == ["d"]
        onnx.checker.check_model(written)
