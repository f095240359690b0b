"""CSV and Parquet files as one table in DuckDB, which reads them piece by piece within a memory limit."""

import glob
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...table.frames import nearest
from .dialects import in_quotes
from .file_format import MISSING, FileFormat
from .number_columns import read_numbers
from .text_files import STANDARD_INPUT, TextFile, as_utf8, look_at, odd_line

# Texts such as yes and no stay what they are instead of becoming booleans, and times of day texts.
_TYPES = "['BIGINT', 'DOUBLE', 'DATE', 'TIMESTAMP', 'VARCHAR']"
_PARQUET, _CSV = "Parquet", "CSV"
_KINDS = {".parquet": _PARQUET, ".pq": _PARQUET, ".csv": _CSV, ".tsv": _CSV, ".txt": _CSV}
_PACKED = (".gz", ".zst")
_SPECIAL = "*?["  # in patterns
_READ_PARQUET = "SELECT * FROM read_parquet($files, union_by_name = true)"
# Without these DuckDB would leave out lines that do not fit, or take all of a line for one column.
_READ_CSV = (
    f"SELECT * FROM read_csv($files, union_by_name = true, auto_type_candidates = {_TYPES}, nullstr = $missing, "
    "delim = $delimiter, skip = $skip, comment = ''{ends})"
)
# Which DuckDB does not see where a name has another end of line in it.
_WINDOWS_ENDS = r", new_line = '\r\n'"


def _nobody(_: str) -> None:
    """Listen to nothing."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read files: what is known of their format, who hears what was guessed, and where copies may be put.

    ``megabytes``: the most memory that DuckDB may take; what does not fit is put on disk. None for a quarter of the
    machine's. ``folder`` is needed for standard input, and for encodings that DuckDB does not know.
    """

    format: FileFormat = field(default_factory=FileFormat)
    megabytes: float | None = None
    say: Callable[[str], None] = _nobody
    folder: Path | None = None


def open_files(
    files: Sequence[str],
    *,
    ignore: Sequence[str] = (),
    where: str | None = None,
    only: Sequence[str] | None = None,
    reading: Reading | None = None,
) -> Any:
    """Return the rows of all files as a DuckDB relation, in the order of the files.

    Parameters
    ----------
    files : sequence of str
        CSV or Parquet files, all of one type; names may be patterns such as ``sales-*.parquet``. A name that exists is
        that file, whatever it may match. ``-`` is standard input.
    ignore : sequence of str
        Columns to leave out.
    where : str, default=None
        Which rows to take, as a condition in SQL, for example ``price is not null``.
    only : sequence of str, default=None
        The columns that will be looked at: the others are not looked at more closely. None for all.
    reading : Reading, default=None
    """
    try:
        import duckdb  # noqa: PLC0415  (an extra)
        import pyarrow  # noqa: F401, PLC0415  (collects what DuckDB finds)
    except ImportError:
        raise ImportError("reading files needs DuckDB; install it with: pip install 'optitree[duckdb]'") from None
    reading = reading or Reading()
    names, kind = _named(files, reading)
    settings = {"memory_limit": f"{_memory(reading.megabytes)}MB", "temp_directory": tempfile.gettempdir()}
    connection = duckdb.connect(config=settings)
    connection.execute("SET enable_progress_bar = false")
    texts: list[TextFile] = []
    try:
        if kind == _PARQUET:
            table = connection.sql(_READ_PARQUET, params={"files": [*map(_pattern, names)]})
        else:
            texts = [look_at(path, reading.format) for name in names for path in _paths(name)]
            table = _read_texts(connection, texts, reading)
        return _chosen(table, ignore, where, only, None if kind == _PARQUET else reading)
    except duckdb.Error as error:
        raise ValueError(_reason(error, files, texts, reading.format)) from None


def _read_texts(connection: Any, texts: Sequence[TextFile], reading: Reading) -> Any:
    """Return the rows of files of text, copied where DuckDB does not know their encoding."""
    delimiters = {text.delimiter for text in texts}
    if len(delimiters) > 1:
        raise ValueError("the files are separated by different delimiters; give files of one kind, or --delimiter")
    paths = []
    for number, text in enumerate(texts):
        if text.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig"):
            paths.append(_pattern(str(text.path)))
            continue
        if reading.folder is None:
            raise ValueError(f"{text.path} is written in {text.encoding}, not in UTF-8; convert it first")
        if text.guessed and text.encoding != "utf-16":
            reading.say(
                f"{text.path.name} is not UTF-8; it is read as {text.encoding} (--file-encoding says otherwise)"
            )
        paths.append(_pattern(str(as_utf8(text, reading.folder, number))))
    known = reading.format
    params = {
        "files": paths,
        "missing": [*MISSING, *known.missing],
        "delimiter": texts[0].delimiter,
        "skip": known.skip,
    }
    mixed = all(text.mixed_ends for text in texts)
    return connection.sql(_READ_CSV.format(ends=_WINDOWS_ENDS if mixed else ""), params=params)


def _chosen(
    table: Any, ignore: Sequence[str], where: str | None, only: Sequence[str] | None, reading: Reading | None
) -> Any:
    """Return the rows and columns that are wanted; ``reading`` is None where columns have types of their own."""
    for name in ignore:
        if name not in table.columns:
            raise ValueError(f"there is no column {name!r} to ignore; {nearest(name, table.columns)}")
    if reading is not None:
        wanted = [name for name in only or table.columns if name not in ignore]
        table = read_numbers(table, reading.format, wanted, reading.say)
    if where is not None:
        table = table.filter(where)
    kept = [in_quotes(name) for name in table.columns if name not in ignore]
    return table.project(", ".join(kept)) if ignore else table


def explain(error: Exception) -> str:
    """Return what DuckDB says as one sentence."""
    text = str(error) or type(error).__name__
    found = re.search(r"CSV Error on Line: (\d+)", text)
    if found is None:
        return re.sub(r"^[\w ]+ Error: ", "", text.splitlines()[0])
    where = f"line {found[1]}"
    if file := re.search(r"^\s*file = (.+)$", text, re.MULTILINE):
        where += f" of {Path(file[1]).name}"
    if counts := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text):
        return f"{where} has {counts[2]} values where the first has {counts[1]}; mend the line"
    if value := re.search(r'column "(.*)"\. Could not convert string "(.*)" to', text):
        return (
            f"{where} has {value[2]!r} in column {value[1]!r}, which has numbers or dates before; mend the line, or "
            "name words for missing values with --missing"
        )
    return f"{where} cannot be read; mend the line"


def _reason(error: Exception, files: Sequence[str], texts: Sequence[TextFile], known: FileFormat) -> str:
    """Say what is wrong with files that DuckDB cannot read."""
    for text in texts:
        odd = odd_line(text.path, text.encoding, text.delimiter, known.skip)
        if odd is not None and ("sniffing" in str(error) or "Expected Number of Columns" in str(error)):
            return f"{odd}; mend the line, or give --delimiter or --skip if the file is written otherwise"
    return f"DuckDB cannot read {', '.join(files)}: {explain(error)}"


def _named(files: Sequence[str], reading: Reading) -> tuple[list[str], str]:
    """Return the names of the files, standard input among them as a copy, and of which kind they are."""
    if list(files).count("-") > 1:
        raise ValueError("standard input can be read once; give - once")
    names = [str(_copy_of_input(reading.folder)) if name == "-" else name for name in files]
    kinds = {_kind(name) for name in names}
    if len(kinds) > 1:
        raise ValueError("the files are of different types; give files of one type")
    for name in names:
        path = Path(name)
        if path.is_dir():
            raise IsADirectoryError(f"{name} is a folder; give its files, for example '{path / '*.csv'}'")
        if not _may_be_pattern(name) and not path.exists():
            raise FileNotFoundError(f"there is no file {name}; check the path")
        if path.is_file():
            with path.open("rb"):
                pass  # or say that it may not be read
    return names, kinds.pop()


def _copy_of_input(folder: Path | None) -> Path:
    """Put standard input in a file, because it is read more than once."""
    if folder is None:
        raise ValueError("standard input is read by the command line only; give a file")
    copy = folder / STANDARD_INPUT
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    with copy.open("rb") as file:
        head = file.read(4)
    suffix = ".parquet" if head == b"PAR1" else ".csv.gz" if head[:2] == b"\x1f\x8b" else ".csv"
    return copy.rename(copy.with_name(copy.name + suffix))


def _paths(name: str) -> list[Path]:
    """Return the files that a name or a pattern stands for."""
    if not _may_be_pattern(name) or Path(name).is_file():
        return [Path(name)]
    found = sorted(Path(path) for path in glob.glob(_pattern(name), recursive=True) if Path(path).is_file())
    if not found:
        raise FileNotFoundError(f"no file matches {name}; check the pattern")
    return found


def _may_be_pattern(name: str) -> bool:
    return any(char in name for char in _SPECIAL)


def _pattern(name: str) -> str:
    """Return a pattern for DuckDB, which takes every name for one, that matches what exists by this name only.

    Where no file has the name, as much of it as is a folder is taken literally.
    """
    if not _may_be_pattern(name):
        return name
    path = Path(name)
    literal = path if path.is_file() else next((parent for parent in path.parents if parent.is_dir()), Path())
    if os.sep == "/" and "\\" in str(literal) and _may_be_pattern(str(literal)):
        raise ValueError(f"{name} has both a backslash and one of {' '.join(_SPECIAL)} in its name; rename it")
    escaped = "".join(f"[{char}]" if char in _SPECIAL else char for char in str(literal))
    return escaped if literal == path else str(Path(escaped, path.relative_to(literal)))


def _kind(name: str) -> str:
    path = Path(name)
    suffix = Path(path.stem).suffix if path.suffix in _PACKED else path.suffix
    if suffix.lower() not in _KINDS:
        if path.is_dir():
            return _CSV  # another sentence says what is wrong with it
        raise ValueError(f"{name} is neither .csv, .tsv nor .parquet; convert or rename it")
    return _KINDS[suffix.lower()]


def _memory(megabytes: float | None) -> int:
    if megabytes is not None:
        return max(int(megabytes), 100)
    try:
        kilobytes = {line.split(":")[0]: line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines()}
        return max(int(kilobytes["MemTotal"]) // 4096, 500)
    except (OSError, LookupError, ValueError):
        return 1000
