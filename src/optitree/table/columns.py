"""Columns: the values of one kind that a table has of each row."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

NUMBER, BOOLEAN, DATE, CATEGORY = "number", "boolean", "date", "category"
_PIECE = 100_000  # rows


class Column(NamedTuple):
    """The values of a column.

    Numbers, booleans (0 and 1) and dates (microseconds since 1970) are floating point with NaN for
    missing; a category is the numbers of its ``levels``, with -1 for missing. Levels are in alphabetical order, or
    (``ordered``) in one of their own, and then may have no rows.
    """

    kind: str
    values: NDArray[Any]
    levels: tuple[str, ...] = ()
    ordered: bool = False

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where values are missing."""
        absent = self.values < 0 if self.kind == CATEGORY else np.isnan(self.values)
        return np.asarray(absent)

    def take(self, rows: NDArray[Any]) -> "Column":
        """Return the values of some rows."""
        return self._replace(values=self.values[rows])


class Matrix:
    """Columns of numbers and booleans that are the rows of one array; each is made when it is asked for.

    Where all of them are whole numbers from 0 to 255, of 0 and 1 mostly, they are bytes: an eighth of the memory.
    """

    def __init__(self, values: NDArray[np.float64] | NDArray[np.uint8], kinds: Sequence[str]) -> None:
        self.values = values
        self.kinds = kinds

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, at: int) -> Column:
        return Column(self.kinds[at], self.values[at].astype(np.float64, copy=False))

    def __iter__(self) -> Iterator[Column]:
        return map(self.__getitem__, range(len(self)))


Columns = Sequence[Column] | Matrix


def numbers_of(columns: Columns) -> NDArray[np.float64] | NDArray[np.uint8] | list[NDArray[np.float64]]:
    """Return the values of all columns but categories, as the core takes them."""
    if isinstance(columns, Matrix):
        return columns.values
    return [column.values for column in columns if column.kind != CATEGORY]


def column_names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Return the names of columns; x0, x1 ... where they have none."""
    return tuple(f"x{k}" for k in range(count)) if names is None else tuple(names)


def category(
    values: Iterable[Any],
    missing: NDArray[np.bool_],
    text_of: Mapping[Any, str] | None = None,
    order: Sequence[str] | None = None,
) -> Column:
    """Return a column of text, with its levels in alphabetical order, or in the one given.

    ``text_of``: values that are no text yet.
    """
    text_of = text_of or {}
    seen: defaultdict[Any, int] = defaultdict(count().__next__)
    numbers = map(seen.__getitem__, values)
    codes = np.empty(len(missing), np.int32)
    for begin in range(0, len(codes), _PIECE):  # between pieces Python hears of Ctrl-C
        piece = codes[begin : begin + _PIECE]
        piece[:] = np.fromiter(islice(numbers, len(piece)), np.int32, len(piece))
    present = np.bincount(codes[~missing], minlength=len(seen)) > 0
    texts = [text_of.get(value, str(value)) if there else None for value, there in zip(seen, present, strict=True)]
    levels = sorted({text for text in texts if text is not None}) if order is None else order
    number_of = {level: number for number, level in enumerate(levels)}
    renumber = np.array([-1 if text is None else number_of[text] for text in texts], np.int32)
    codes = renumber[codes] if len(seen) else codes
    codes[missing] = -1
    return Column(CATEGORY, codes, tuple(levels), order is not None)


def all_missing(kind: str, rows: int) -> Column:
    """Return a column without values."""
    return Column(kind, np.full(rows, -1, np.int32) if kind == CATEGORY else np.full(rows, np.nan))


def read_values(values: NDArray[Any], name: Any) -> Column:
    """Read an array of objects, text or dates: one kind of them, with None or NaN for missing."""
    if values.dtype.kind == "M":
        return _dates(values)
    missing = np.array([_is_missing(value) for value in values], dtype=bool)
    present = values[~missing]
    if all(isinstance(value, str) for value in present):
        return category(values, missing) if len(present) else all_missing(NUMBER, len(values))
    filled = values.astype(object)
    filled[missing] = None
    if all(isinstance(value, bool | np.bool_) for value in present):
        return Column(BOOLEAN, filled.astype(np.float64))
    if all(isinstance(value, dt.date | np.datetime64) for value in present):
        return _dates(np.array([_without_zone(value) for value in filled], "M8[us]"))
    if len(present) and all(isinstance(value, dt.timedelta | np.timedelta64) for value in present):
        raise ValueError(f"column {name!r} has durations; turn each into a number, for example with .total_seconds()")
    if len(present) and all(hasattr(value, "to_timestamp") for value in present):  # of pandas, which may not be there
        raise ValueError(f"column {name!r} has periods; turn each into a date, for example with .to_timestamp()")
    wrong = next((value for value in present if isinstance(value, str | bytes)), None)
    try:
        if wrong is None:
            return Column(NUMBER, np.array([np.nan if value is None else float(value) for value in filled]))
    except (TypeError, ValueError, OverflowError) as error:
        kind_of_error, why = (TypeError if isinstance(error, TypeError) else ValueError), str(error)
    else:
        kind_of_error, why = ValueError, f"{wrong!r} beside values that are no text"
    raise kind_of_error(
        f"column {name!r} has values of different or unknown kinds ({why}); turn it into numbers or into text"
    )


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)  # noqa: PLR0124 (NaN and NaT)
    except TypeError:  # pandas.NA is neither equal nor unequal
        return True
    except ValueError:  # an array
        return False


def _without_zone(value: Any) -> Any:
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    return value


def _dates(values: NDArray[Any]) -> Column:
    instants = values.astype("M8[us]")
    return Column(DATE, np.where(np.isnat(instants), np.nan, instants.astype(np.int64)).astype(np.float64))
