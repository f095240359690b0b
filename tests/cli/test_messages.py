"""What cannot be used: each bad input with its message and its exit code. ``pytest -s`` prints them all."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from optitree.cli import app

pytest.importorskip("duckdb", reason="DuckDB is not installed")

ROWS = "".join(f"{k % 7},{k % 3},{k % 5}\n" for k in range(60))
TABLE = "area,rooms,price\n" + ROWS
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full, a disk without room")


def run(arguments):
    """Run a command in this process."""
    done = CliRunner().invoke(app, arguments)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def optitree(arguments, stdout=subprocess.PIPE):
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "optitree", *arguments]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, check=False, timeout=120
    )
    return done.returncode, (done.stdout or b"").decode(), done.stderr.decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of files as people have them: most cannot be used."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "good.csv").write_text(TABLE)
    (folder / "empty.csv").write_bytes(b"")
    (folder / "names.csv").write_text("area,rooms,price\n")
    (folder / "ragged.csv").write_text("area,rooms,price\n" + ROWS + "4,5\n" + ROWS)
    (folder / "late.csv").write_text("area,rooms,price\n" + ROWS * 1000 + "4,5,6,7\n")
    (folder / "word.csv").write_text("area,rooms,price\n" + ROWS * 1000 + "4,5,many\n")
    (folder / "words.csv").write_text("area,rooms\nsmall,few\nlarge,many\n")
    (folder / "quoted.csv").write_text("area,rooms,price\n" + '"4, 5",6,7\n' * 100 + '"4,5,6\n' + ROWS * 1000)
    (folder / "half.csv").write_text('area,rooms,"price\n' + ROWS * 1000)
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 20)
    (folder / "sheet.csv").write_bytes(b"PK\x03\x04" + bytes(100))
    (folder / "packed.csv.gz").write_text(TABLE)
    (folder / "broken.parquet").write_text(TABLE)
    (folder / "folder.csv").mkdir()
    (folder / "preamble.csv").write_text("made on Monday\n\n" + TABLE)
    (folder / "model.json").write_text('{"a": 1}')
    (folder / "groups.npz").write_bytes(b"no groups")
    code, _, said = run(["fit", str(folder / "good.csv"), "--target", "price", "--save", str(folder / "t.json")])
    assert code == 0, said
    return folder


FIT = ["--target", "price"]
BAD = [
    (["fit", "empty.csv", *FIT], 1, "empty.csv is empty; a table needs names of columns in its first line"),
    (["fit", "names.csv", *FIT], 1, "there are no rows; give at least one"),
    (["fit", "ragged.csv", *FIT], 1, "line 62 of ragged.csv has 2 values where the first has 3; mend the line"),
    (["fit", "late.csv", *FIT], 1, "line 60002 of late.csv has 4 values where the first has 3; mend the line"),
    (["fit", "word.csv", *FIT], 1, "line 60002 of word.csv has 'many' in column 'price'"),
    (["fit", "preamble.csv", *FIT], 1, "line 3 of preamble.csv has 3 values where the first has 1"),
    (["fit", "quoted.csv", *FIT], 1, "a quotation mark in line 102 of quoted.csv is never closed; mend the line"),
    (
        ["fit", "half.csv", *FIT],
        1,
        "no column 'price' to be the target; did you mean '\"price'?",
    ),
    (["fit", "binary.csv", *FIT], 1, "binary.csv is not a file of text; give a CSV or Parquet file"),
    (["fit", "sheet.csv", *FIT], 1, "sheet.csv is a zip archive or an Excel file; save it as CSV first"),
    (["fit", "packed.csv.gz", *FIT], 1, "packed.csv.gz is damaged or not packed by gzip"),
    (["fit", "broken.parquet", *FIT], 1, "DuckDB cannot read"),
    (["fit", "folder.csv", *FIT], 1, "folder.csv is a folder; give its files"),
    (["fit", "absent.csv", *FIT], 1, "there is no file absent.csv; check the path"),
    (["fit", "absent-*.csv", *FIT], 1, "no file matches absent-*.csv; check the pattern"),
    (["fit", "good.csv", "--target", "prize"], 1, "no column 'prize' to be the target; did you mean 'price'?"),
    (["fit", "good.csv", *FIT, "--weight", "room"], 1, "no column 'room' to be the weight; did you mean 'rooms'?"),
    (["fit", "good.csv", *FIT, "--ignore", "Aera"], 1, "no column 'Aera' to ignore; did you mean 'area'?"),
    (["fit", "good.csv", *FIT, "--file-encoding", "klingon"], 1, "the encoding 'klingon' is unknown"),
    (["fit", "good.csv", *FIT, "--delimiter", "::"], 1, "delimiter '::' must be one plain character"),
    (["fit", "good.csv", *FIT, "--decimal", "x"], 1, "decimal='x' is no separator of numbers"),
    (["fit", "good.csv", *FIT, "--save", "nowhere/t.json"], 1, "no folder"),
    (["fit", "groups.npz"], 1, "groups.npz"),
    (["fit", "good.csv"], 2, "name the column to predict; the table has area, rooms, price"),
    (["fit", "good.csv", *FIT, "--max-depth", "two"], 2, "valid integer"),
    (["cv", "good.csv", *FIT, "--folds", "100"], 1, "60 rows cannot be parted into 100 folds"),
    (["compare", "good.csv", *FIT, "--test-share", "2"], 1, "test_share=2.0 must be at least 0 and below 1"),
    (["near", "good.csv", *FIT, "--within", "-1"], 1, "within=-1.0 must be"),
    (["predict", "model.json", "good.csv"], 1, "model.json"),
    (["predict", "t.json", "words.csv"], 1, "has text, but had numbers when the conditions were chosen; convert it"),
    (["predict", "t.json", "good.csv", "--keep", "ids"], 1, "there is no column 'ids' to keep"),
    (["show", "absent.json"], 1, "absent.json: No such file or directory"),
    (["export", "t.json"], 2, "name one of csv, json"),
    (["export", "t.json", "--format", "cobol"], 1, "format 'cobol' is not known; use one of"),
    (["nonsense"], 2, "there is no command 'nonsense'; use one of demo, fit, path"),
    (["fitt", "good.csv"], 2, "there is no command 'fitt'; did you mean 'fit'?"),
]


@pytest.mark.parametrize(("arguments", "code", "message"), BAD, ids=[" ".join(arguments) for arguments, *_ in BAD])
def test_what_cannot_be_used_is_said(folder, monkeypatch, arguments, code, message):
    monkeypatch.chdir(folder)
    returned, printed, said = run(arguments)
    print(f"$ optitree {' '.join(arguments)}\n{said.strip()}   [{returned}]")
    assert returned == code
    assert message in " ".join(said.replace("│", " ").split())
    assert "Traceback" not in said
    assert printed == ""
    if code == 1:
        assert said.startswith("optitree: ")
        assert said.count("\n") == 1


@needs_full
@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "good.csv", *FIT, "--save", "/dev/full"],
        ["fit", "good.csv", *FIT, "--report", "/dev/full"],
        ["predict", "t.json", "good.csv", "--output", "/dev/full"],
        ["export", "t.json", "--format", "python", "--output", "/dev/full"],
    ],
    ids=" ".join,
)
def test_a_full_disk_is_said(folder, monkeypatch, arguments):
    monkeypatch.chdir(folder)
    code, printed, said = run(arguments)
    print(f"$ optitree {' '.join(arguments)}\n{said.strip()}   [{code}]")
    assert (code, said.count("\n")) == (1, 1)
    assert "No space left on device" in said
    if arguments[0] == "fit":
        assert "predict " in printed, "the tree is not lost"


@needs_full
@pytest.mark.parametrize("arguments", [["fit", "good.csv", *FIT], ["predict", "t.json", "good.csv"]], ids=" ".join)
def test_full_standard_output_is_said(folder, monkeypatch, arguments):
    monkeypatch.chdir(folder)
    with FULL.open("wb") as full:
        code, _, said = optitree(arguments, stdout=full)
    print(f"$ optitree {' '.join(arguments)} > /dev/full\n{said.strip()}   [{code}]")
    assert (code, said) == (1, "optitree: the output cannot be written: No space left on device\n")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is no file that nobody can read")
def test_a_file_that_cannot_be_read_is_said(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "locked.csv").symlink_to("/proc/self/mem")  # which not even root can read from its beginning
    code, _, said = run(["fit", "locked.csv", *FIT])
    print(f"$ optitree fit locked.csv\n{said.strip()}   [{code}]")
    assert (code, said) == (1, "optitree: locked.csv: Input/output error\n")


def test_a_file_that_may_not_be_read_is_said(folder, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied", "good.csv")

    monkeypatch.chdir(folder)
    monkeypatch.setattr(Path, "open", refuse)
    code, _, said = run(["fit", "good.csv", *FIT])
    assert (code, said) == (1, "optitree: good.csv: Permission denied\n")


def test_standard_input_without_anything_is_said(folder, monkeypatch):
    monkeypatch.chdir(folder)
    code, _, said = run(["fit", "-", *FIT])
    print(f"$ optitree fit - < /dev/null\n{said.strip()}   [{code}]")
    assert code == 1
    assert said.startswith("optitree: standard input is empty; ")


def test_a_warning_is_a_note_and_no_line_of_python(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "ids.csv").write_text("name,price\n" + "".join(f"n{k},{k % 5}\n" for k in range(60)))
    code, _, said = optitree(["fit", "ids.csv", *FIT])
    print(f"$ optitree fit ids.csv\n{said.strip()}   [{code}]")
    assert code == 0
    assert said.startswith("optitree: note: column 'name' looks like an id: ")
    assert said.count("\n") == 1


def test_a_name_on_two_lines_is_written_on_one(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "lines.csv").write_text('"area\nin m²",price\n' + "".join(f"{k},{k // 20}\n" for k in range(60)))
    code, printed, said = run(["fit", "lines.csv", *FIT, "--max-leaves", "2", "--save", "lines.json"])
    assert (code, said) == (0, "")
    assert printed.splitlines()[0].startswith("├─ area in m² <= ")
    assert len(printed.splitlines()) == 3
    _, printed, _ = run(["export", "lines.json", "--format", "csv"])
    assert "area in m² is at most" in printed
