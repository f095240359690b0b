"""CSV and Parquet files as one table in DuckDB, which reads them piece by piece within a memory limit."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .dialects import in_quotes

# Texts such as yes and no stay what they are instead of becoming booleans, and times of day texts.
_TYPES = "['BIGINT', 'DOUBLE', 'DATE', 'TIMESTAMP', 'VARCHAR']"
_MISSING = "['', 'NA', 'NaN', 'nan', 'NULL', 'null']"
_PARQUET = "read_parquet(?, union_by_name = true)"
_CSV = f"read_csv(?, union_by_name = true, auto_type_candidates = {_TYPES}, nullstr = {_MISSING}"
_READERS = {".parquet": _PARQUET, ".pq": _PARQUET, ".csv": f"{_CSV})", ".tsv": f"{_CSV}, delim = '\\t')"}
_PACKED = (".gz", ".zst")
_SPECIAL = "*?["  # in patterns


def open_files(
    files: Sequence[str],
    *,
    ignore: Sequence[str] = (),
    where: str | None = None,
    megabytes: float | None = None,
) -> Any:
    """Return the rows of all files as a DuckDB relation, in the order of the files.

    Parameters
    ----------
    files : sequence of str
        CSV or Parquet files, all of one type; names may be patterns such as ``sales-*.parquet``. A name that exists is
        that file, whatever it may match.
    ignore : sequence of str
        Columns to leave out.
    where : str, default=None
        Which rows to take, as a condition in SQL, for example ``price is not null``.
    megabytes : float, default=None
        The most memory DuckDB may take; what does not fit is put on disk. None for a quarter of the machine's.
    """
    try:
        import duckdb  # noqa: PLC0415  (an extra)
        import pyarrow  # noqa: F401, PLC0415  (collects what DuckDB finds)
    except ImportError:
        raise ImportError("reading files needs DuckDB; install it with: pip install 'optitree[duckdb]'") from None
    reader = _reader(files)
    for name in files:
        if not _may_be_pattern(name) and not Path(name).is_file():
            raise FileNotFoundError(f"there is no file {name}; check the path")
    patterns = [*map(_pattern, files)]
    settings = {"memory_limit": f"{_memory(megabytes)}MB", "temp_directory": tempfile.gettempdir()}
    connection = duckdb.connect(config=settings)
    connection.execute("SET enable_progress_bar = false")
    try:
        table = connection.sql(f"SELECT * FROM {reader}", params=[patterns])
        if ignore:
            unknown = [name for name in ignore if name not in table.columns]
            if unknown:
                raise ValueError(
                    f"there is no column {unknown[0]!r} to ignore; the file has {', '.join(table.columns)}"
                )
            kept = [in_quotes(name) for name in table.columns if name not in ignore]
            if where is not None:
                table, where = table.filter(where), None
            table = table.project(", ".join(kept))
        return table if where is None else table.filter(where)
    except duckdb.Error as error:
        message = str(error).splitlines()[0]
        raise ValueError(f"DuckDB cannot read {', '.join(files)}: {message}") from None


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


def _reader(files: Sequence[str]) -> str:
    readers = set()
    for name in files:
        path = Path(name)
        suffix = Path(path.stem).suffix if path.suffix in _PACKED else path.suffix
        if suffix.lower() not in _READERS:
            raise ValueError(f"{name} is neither .csv, .tsv nor .parquet; convert or rename it")
        readers.add(_READERS[suffix.lower()])
    if len(readers) > 1:
        raise ValueError("the files are of different types; give files of one type")
    return readers.pop()


def _memory(megabytes: float | None) -> int:
    if megabytes is not None:
        return max(int(megabytes), 100)
    try:
        kilobytes = {line.split(":")[0]: line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines()}
        return max(int(kilobytes["MemTotal"]) // 4096, 500)
    except (OSError, LookupError, ValueError):
        return 1000
