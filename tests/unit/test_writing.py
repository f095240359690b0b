"""A file is written whole or not at all."""

import os
import stat
import subprocess
import sys

import pytest

from optitree.writing import replacing


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    """Set what new files may not be, as for most users."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.parametrize(("mode", "content"), [("w", "größe\n"), ("wb", b"\x00\xff")])
def test_a_new_file_has_the_content(tmp_path, mode, content):
    for path in (tmp_path / "new", str(tmp_path / "again")):
        with replacing(path, mode) as file:
            file.write(content)
    expected = content.encode() if mode == "w" else content
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"new": expected, "again": expected}


def write_half(path, error):
    with replacing(path, "w") as file:
        file.write("half")
        file.flush()
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_the_old_file_is_there_and_no_other(tmp_path, error):
    (tmp_path / "file").write_text("old")
    for name in ("file", "new"):
        with pytest.raises(error):
            write_half(tmp_path / name, error)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_the_old_file_is_there_until_the_end(tmp_path):
    (tmp_path / "file").write_text("old")
    with replacing(tmp_path / "file", "w") as file:
        file.write("new")
        file.flush()
        assert (tmp_path / "file").read_text() == "old"
    assert (tmp_path / "file").read_text() == "new"


def test_a_new_file_has_the_permissions_of_any(tmp_path, umask):
    with replacing(tmp_path / "file", "w"):
        pass
    assert mode_of(tmp_path / "file") == 0o644


@pytest.mark.parametrize("mode", [0o600, 0o666, 0o755])
def test_permissions_stay(tmp_path, umask, mode):
    (tmp_path / "file").touch()
    (tmp_path / "file").chmod(mode)
    with replacing(tmp_path / "file", "w") as file:
        file.write("new")
    assert mode_of(tmp_path / "file") == mode
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o444)
    with pytest.raises(PermissionError, match="file"), replacing(tmp_path / "file", "w"):
        pass
    assert (tmp_path / "file").read_text() == "old"


def test_a_link_stays_and_leads_to_the_new_content(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("old")
    (tmp_path / "link").symlink_to("folder/file")
    (tmp_path / "dangling").symlink_to("folder/other")
    for name in ("link", "dangling"):
        with replacing(tmp_path / name, "w") as file:
            file.write("new")
        assert (tmp_path / name).is_symlink()
    assert {path.name: path.read_text() for path in (tmp_path / "folder").iterdir()} == {"file": "new", "other": "new"}


def test_a_loop_of_links_is_an_error(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="links"), replacing(tmp_path / "a", "w"):
        pass


def test_a_name_may_be_as_long_as_names_may_be(tmp_path):
    with replacing(tmp_path / ("x" * 255), "w") as file:
        file.write("new")
    assert (tmp_path / ("x" * 255)).read_text() == "new"


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"'.*absent/file'"), replacing(tmp_path / "absent" / "file", "w"):
        pass
    with pytest.raises(IsADirectoryError), replacing(tmp_path, "w"):
        pass


SAY = "from optitree.writing import replacing\nwith replacing('/dev/stdout', 'w') as file: file.write('new')"


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="there is no /dev/stdout")
def test_standard_output_is_written_to_wherever_it_goes(tmp_path):
    assert subprocess.run([sys.executable, "-c", SAY], capture_output=True, check=True).stdout == b"new"
    with (tmp_path / "file").open("a") as file:
        file.write("old, ")
        file.flush()
        before = os.fstat(file.fileno()).st_ino
        subprocess.run([sys.executable, "-c", SAY], stdout=file, check=True)
    assert (tmp_path / "file").stat().st_ino == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE)
    with replacing(tmp_path / "pipe", "w") as file:
        file.write("new")
    assert reader.communicate()[0] == b"new"
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
