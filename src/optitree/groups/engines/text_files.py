"""What is inside a file of text before an engine reads it: encoding, delimiter, and whether it is text at all."""

import codecs
import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from .file_format import FileFormat

STANDARD_INPUT = "standard input"  # what a copy of it is called
_PIECE = 1 << 20
_LOOKED_AT = 64 * _PIECE  # as far as the encoding is looked at
_FIRST_LINES = 200
_LONGEST_NAMES = 1 << 16  # letters of the names of all columns; a quotation mark that is never closed has no end
_DELIMITERS = (",", ";", "\t", "|")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
# What files of other kinds begin with, and what to do about them.
_KINDS = (
    (b"PK\x03\x04", "a zip archive or an Excel file; save it as CSV first"),
    (b"\xd0\xcf\x11\xe0", "an Excel file; save it as CSV first"),
    (b"PAR1", "a Parquet file; rename it to .parquet"),
    (b"\x1f\x8b", "packed by gzip; rename it to .csv.gz"),
    (b"\x28\xb5\x2f\xfd", "packed by zstd; rename it to .csv.zst"),
)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file of text: ``encoding`` is what it is written in, ``guessed`` whether nobody has said so.

    ``mixed_ends``: a name of a column has an end of line in it that is not that of the lines, as Excel writes it.
    """

    path: Path
    encoding: str
    guessed: bool
    delimiter: str
    mixed_ends: bool


def look_at(path: Path, known: FileFormat) -> TextFile:
    """Look at a file, or say in one sentence why it cannot be read."""
    with _opened(path) as file:
        head = file.read(_PIECE)
        _check_bytes(_called(path), head, known.encoding)
        encoding = known.encoding or _encoding(head, file)
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(head)
    delimiter = known.delimiter or ("\t" if ".tsv" in path.suffixes else guess_delimiter(text, known.skip))
    return TextFile(path, encoding, known.encoding is None, delimiter, _mixed_ends(text, delimiter, known.skip))


def guess_delimiter(text: str, skip: int = 0) -> str:
    """Return what parts the first line into columns, and most lines into as many."""
    lines = _lines(text, skip)
    found: list[tuple[float, int, int, str]] = []
    for order, delimiter in enumerate((*_DELIMITERS, " ")):
        counts = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        if not counts or counts[0] < 2:
            continue
        alike = counts.count(counts[0]) / len(counts)
        if delimiter != " " or (alike == 1 and not found):  # a blank is a delimiter only where nothing else is
            found.append((alike, counts[0], -order, delimiter))
    return max(found)[-1] if found else ","


def _mixed_ends(text: str, delimiter: str, skip: int) -> bool:
    lines = io.StringIO(text[:_LONGEST_NAMES], newline="")
    for _ in range(skip):
        lines.readline()
    start = lines.tell()
    for names in csv.reader(iter(lines.readline, ""), delimiter=delimiter):
        if names:
            head = text[start : lines.tell()]
            return head.endswith("\r\n") and "\n" in head.replace("\r\n", "")
    return False


def odd_line(path: Path, encoding: str, delimiter: str, skip: int = 0) -> str | None:
    """Return a sentence about the first line that has another number of values than most; None if there is none."""
    with _opened(path) as file:
        text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(file.read(4 * _PIECE))
    reader = csv.reader(io.StringIO("".join(text.splitlines(keepends=True)[skip:])), delimiter=delimiter)
    counts: list[tuple[int, int]] = []
    try:
        for row in reader:
            if row:
                counts.append((reader.line_num + skip, len(row)))
    except csv.Error:  # a value without an end
        begins = (counts[-1][0] if counts else skip) + 1
        return f"a quotation mark in line {begins} of {path.name} is never closed"
    if not counts:
        return None
    usual = counts[0][1]
    for line, count in counts:
        if count != usual:
            return f"line {line} of {path.name} has {_values(count)} where the first has {usual}"
    return None


def as_utf8(file: TextFile, folder: Path, number: int) -> Path:
    """Return a copy of a file in UTF-8, written piece by piece."""
    copy = folder / f"{number}-{file.path.name.removesuffix('.gz').removesuffix('.zst')}"
    decoder = codecs.getincrementaldecoder(file.encoding)()
    try:
        with _opened(file.path) as source, copy.open("w", encoding="utf-8", newline="") as target:
            while piece := source.read(_PIECE):
                target.write(decoder.decode(piece))
            target.write(decoder.decode(b"", final=True))
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file.path} is not written in {file.encoding} ({error.reason}); name its encoding with --file-encoding"
        ) from None
    return copy


def _values(count: int) -> str:
    return f"{count} value{'' if count == 1 else 's'}"


def _lines(text: str, skip: int) -> list[str]:
    lines = text.splitlines(keepends=True)[skip : skip + _FIRST_LINES]
    return lines[:-1] if len(lines) > 1 and not lines[-1].endswith(("\n", "\r")) and len(text) >= _PIECE else lines


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        if path.suffix == ".zst":
            import pyarrow as pa  # noqa: PLC0415  (comes with the extra that reads files)

            with pa.input_stream(str(path), compression="zstd") as stream:
                yield stream
            return
        with path.open("rb") as file:
            yield cast(IO[bytes], gzip.GzipFile(fileobj=file)) if path.suffix == ".gz" else file
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise ValueError(f"{path} is damaged or not packed by gzip; unpack it or write it again") from None
    except OSError as error:
        if error.filename is not None or error.strerror is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None  # with the name that it lacks


def _called(path: Path) -> str:
    """Return what a file is called by who gave it."""
    return STANDARD_INPUT if path.name.startswith(STANDARD_INPUT) else str(path)


def _check_bytes(path: str, head: bytes, encoding: str | None) -> None:
    if not head.strip():
        raise ValueError(f"{path} is empty; a table needs names of columns in its first line and rows below")
    for mark, kind in _KINDS:
        if head.startswith(mark):
            raise ValueError(f"{path} is {kind}")
    if encoding is not None or any(head.startswith(mark) for mark, _ in _MARKS[1:]):
        return
    # Text has hardly any control characters beside tabs and ends of lines.
    bytes_seen = Counter(head[:65536])
    odd = sum(count for byte, count in bytes_seen.items() if byte < 32 and byte not in (9, 10, 12, 13, 26, 27))
    if bytes_seen[0] or odd > 0.01 * bytes_seen.total():
        raise ValueError(f"{path} is not a file of text; give a CSV or Parquet file")


def _encoding(head: bytes, file: IO[bytes]) -> str:
    """Return UTF-8 if that is what it is, else what Windows and Europe's older programs write."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    decoder = codecs.getincrementaldecoder("utf-8")()
    piece, seen = head, 0
    try:
        while piece and seen < _LOOKED_AT:
            decoder.decode(piece)
            seen += len(piece)
            piece = file.read(_PIECE)
    except UnicodeDecodeError:
        undefined = any(byte in piece for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D))
        return "latin-1" if undefined else "cp1252"
    return "utf-8"
