"""Tables as they come, numpy arrays or data frames, become columns of numbers and of levels."""

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, validate_data

NUMBER, BOOLEAN, DATE, CATEGORY = "number", "boolean", "date", "category"
_CALLED = {NUMBER: "numbers", BOOLEAN: "booleans", DATE: "dates", CATEGORY: "text"}


@dataclass(frozen=True)
class Column:
    """The values of a column.

    Numbers, booleans (0 and 1) and dates (microseconds since 1970) are floating point with NaN for
    missing; a category is the numbers of its ``levels``, with -1 for missing.
    """

    kind: str
    values: NDArray[Any]
    levels: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Where the gaps are."""
        absent = self.values < 0 if self.kind == CATEGORY else np.isnan(self.values)
        return np.asarray(absent)

    def is_level(self, wanted: set[str]) -> NDArray[np.bool_]:
        """Where a category has one of these levels."""
        among = np.array([*(level in wanted for level in self.levels), False])
        return np.asarray(among[self.values])  # -1, missing, finds the False at the end

    def take(self, rows: NDArray[Any]) -> "Column":
        """Return the values of some rows."""
        return Column(self.kind, self.values[rows], self.levels)


@dataclass(frozen=True)
class Table:
    """Columns of equal length."""

    columns: tuple[Column, ...]
    rows: int

    def take(self, rows: NDArray[Any]) -> "Table":
        """Return some rows. Columns that were not read stay empty."""
        columns = tuple(column.take(rows) if len(column) else column for column in self.columns)
        return Table(columns, int(np.count_nonzero(rows)) if rows.dtype == bool else len(rows))


def read_table(X: Any, estimator: Any) -> Table:
    """Read a numpy array or a pandas, polars or pyarrow frame to fit, and note its columns.

    Raises ValueError or TypeError in words that say what to do with a table that cannot be read.
    """
    frame = as_frame(X)
    table = _read_array(X, estimator) if frame is None else _read_frame(frame)
    if isinstance(X, np.ndarray) and not hasattr(estimator, "feature_names_in_"):
        estimator.n_features_in_ = X.shape[1]  # all that validate_data would do, in less time
    else:
        validate_data(estimator, X, skip_check_array=True, reset=True)
    return table


def read_again(X: Any, estimator: Any, kinds: Sequence[str], conditions: Iterable[Any]) -> Table:
    """Read the columns that some conditions ask about, by name where they have names."""
    frame = as_frame(X)
    wanted = {condition.column for condition in conditions}
    names = getattr(estimator, "feature_names_in_", None)
    columns: list[Column | None]
    if frame is None:
        table = _read_array(X, estimator)
        validate_data(estimator, X, skip_check_array=True, reset=False)
        rows = table.rows
        columns = [column if k in wanted else None for k, column in enumerate(table.columns)]
    else:
        if names is not None and all(isinstance(name, str) for name in frame.columns):
            check_names(names, frame.columns)
        else:
            validate_data(estimator, X, skip_check_array=True, reset=False)
            names = frame.columns
        _check_not_empty(frame, names)
        rows = len(frame)
        columns = [_read_series(frame.get_column(name)) if k in wanted else None for k, name in enumerate(names)]
    names = range(len(columns)) if names is None else names
    unread = Column(NUMBER, np.empty(0))
    known = zip(columns, kinds, names, strict=True)
    read = [unread if column is None else as_kind(column, kind, name) for column, kind, name in known]
    return _table(read, names, rows)


def check_names(wanted: Iterable[str], given: Iterable[str]) -> None:
    """Raise ValueError where a column is missing; other columns and their order do not matter."""
    present = set(given)
    absent = [name for name in wanted if name not in present]
    if absent:
        unseen = [name for name in given if name not in set(wanted)]
        hint = f" (instead there are {_list(unseen)})" if unseen else ""
        raise ValueError(
            "The feature names should match those that were passed during fit: "
            f"{_list(absent)} missing{hint}; add or rename the columns"
        )


def as_frame(X: Any) -> "nw.DataFrame[Any] | None":
    """Return a data frame in memory, or None if X is something else that may be an array."""
    if isinstance(X, np.ndarray):
        return None
    frame = as_any_frame(X)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"X is a lazy frame ({type(X).__module__.partition('.')[0]}), which is not in memory; group its rows with "
            "optitree.compress(frame, target=...) and give the result to fit_groups"
        )
    if isinstance(frame, nw.Series):
        raise ValueError(
            "Expected 2D array, got 1D array instead: X is a single column, so pass a table, for "
            "example frame[['age']] instead of frame['age']"
        )
    return frame if isinstance(frame, nw.DataFrame) else None


def as_any_frame(X: Any) -> Any:
    """Return what narwhals makes of X: a frame, lazy or not, a series, or X itself."""
    try:
        return nw.from_native(X, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        repeated = ", ".join(re.findall(r"'.*'", str(error)))
        raise ValueError(f"column names must differ; rename one of {repeated}") from None


def kind_of(dtype: Any) -> str | None:
    """Return the kind of a column of a data frame, or None if its type does not tell."""
    if dtype == nw.Boolean:
        return BOOLEAN
    if dtype.is_numeric():
        return NUMBER
    if dtype in (nw.Date, nw.Datetime):
        return DATE
    return CATEGORY if dtype in (nw.String, nw.Categorical, nw.Enum) else None


def unreadable(name: Any, dtype: Any) -> ValueError:
    """Say that a column has a type that no condition can be about."""
    return ValueError(
        f"column {name!r} has type {dtype}, not numbers, booleans, text, categories or dates; turn it into one of "
        "these, or drop it"
    )


def as_kind(column: Column, kind: str, name: Any) -> Column:
    """Return a column as one of the kind that it had at fit."""
    if column.kind != kind and column.missing.all():
        return _all_missing(kind, len(column))
    check_kind(column.kind, kind, name)
    return column


def check_kind(given: str | None, kind: str, name: Any) -> None:
    """Raise ValueError where a column is not of the kind that it had at fit. Booleans are numbers."""
    if given != kind and not {given, kind} <= {NUMBER, BOOLEAN}:
        has = "something else" if given is None else _CALLED[given]
        raise ValueError(
            f"column {name!r} has {has}, but had {_CALLED[kind]} when the conditions were chosen; convert it to "
            f"{_CALLED[kind]}"
        )


def category(values: Iterable[Any], missing: NDArray[np.bool_], text_of: Mapping[Any, str] | None = None) -> Column:
    """Return a column of text, with its levels in alphabetical order. ``text_of``: values that are no text yet."""
    text_of = text_of or {}
    seen: defaultdict[Any, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(seen.__getitem__, values), np.int32, len(missing))
    present = np.bincount(codes[~missing], minlength=len(seen)) > 0
    texts = [text_of.get(value, str(value)) if there else None for value, there in zip(seen, present, strict=True)]
    levels = sorted({text for text in texts if text is not None})
    number_of = {level: number for number, level in enumerate(levels)}
    renumber = np.array([-1 if text is None else number_of[text] for text in texts], np.int32)
    codes = renumber[codes] if len(seen) else codes
    codes[missing] = -1
    return Column(CATEGORY, codes, tuple(levels))


def _all_missing(kind: str, rows: int) -> Column:
    return Column(kind, np.full(rows, -1, np.int32) if kind == CATEGORY else np.full(rows, np.nan))


def _read_array(X: Any, estimator: Any) -> Table:
    given = X if issparse(X) else np.asarray(X)
    if given.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {given.ndim}D array instead: X must have rows and columns. "
            "Reshape your data with X.reshape(-1, 1) if it is one column, or with "
            "X.reshape(1, -1) if it is one row"
        )
    if given.dtype.kind == "c":
        raise ValueError("Complex data not supported: X must be real numbers, for example X.real")
    if given.dtype.kind not in "biufOUM":
        raise ValueError(f"X has type {given.dtype}, not numbers, booleans, text or dates; convert it")
    if given.dtype == np.longdouble:
        raise ValueError("X has extended-precision numbers; convert it with X.astype(float)")
    if issparse(given) or not given.size:
        given = check_array(given, ensure_all_finite=False, estimator=estimator, input_name="X")
    names = range(given.shape[1])
    if given.dtype.kind in "OUM":
        return _table([_read_values(given[:, k], k) for k in names], names, len(given))
    values = np.asarray(given, dtype=np.float64, order="F")
    kind = BOOLEAN if given.dtype == bool else NUMBER
    columns = [Column(kind, values[:, k]) for k in names]
    if not np.isinf(values).any():  # one look at all of them
        return Table(tuple(columns), len(values))
    return _table(columns, names, len(values))


def _read_frame(frame: "nw.DataFrame[Any]") -> Table:
    _check_not_empty(frame, frame.columns)
    return _table([_read_series(frame.get_column(name)) for name in frame.columns], frame.columns, len(frame))


def _check_not_empty(frame: "nw.DataFrame[Any]", names: Sequence[Any]) -> None:
    if not len(names):
        raise ValueError(f"X has 0 feature(s) (shape=({len(frame)}, 0)) while a minimum of 1 is required.")
    if not len(frame):
        raise ValueError("X has 0 rows while a minimum of 1 is required.")


def _table(columns: list[Column], names: Sequence[Any], rows: int) -> Table:
    for name, column in zip(names, columns, strict=True):
        if column.kind == NUMBER:
            infinite = np.isinf(column.values)
            if infinite.any():
                row = int(np.argmax(infinite))
                raise ValueError(
                    f"X contains infinity (row {row} of column {name!r}); replace infinite values first, for example "
                    "by a missing value"
                )
    return Table(tuple(columns), rows)


def _read_series(series: "nw.Series[Any]") -> Column:
    kind = kind_of(series.dtype)
    if kind in (NUMBER, BOOLEAN):
        return Column(kind, _as_doubles(series))
    if kind == DATE:
        return Column(kind, _as_doubles(series.dt.timestamp("us")))
    if kind == CATEGORY:
        # Beside a missing value pandas turns levels that are whole numbers into floating point, which finds them still.
        levels = {}
        if hasattr(series.to_native(), "cat"):  # pandas
            try:
                levels = {level: str(level) for level in series.cat.get_categories()}
            except AttributeError:  # a dictionary of pyarrow in pandas
                series = series.cast(nw.String)
        elif series.dtype != nw.String:
            series = series.cast(nw.String)
        return category(series.to_list(), series.is_null().to_numpy(), levels)
    if series.is_null().all():
        return _all_missing(NUMBER, len(series))
    if series.dtype == nw.Object:
        return _read_values(series.to_numpy(), series.name)
    raise unreadable(series.name, series.dtype)


def _as_doubles(series: "nw.Series[Any]") -> NDArray[np.float64]:
    values = series.to_numpy()
    if values.dtype.kind not in "biuf":  # decimals, or booleans with gaps
        values = series.cast(nw.Float64).to_numpy()
    return np.ascontiguousarray(values, dtype=np.float64)


def _read_values(values: NDArray[Any], name: Any) -> Column:
    """Read an array of objects, text or dates: one kind of them, with None or NaN for missing."""
    if values.dtype.kind == "M":
        return _dates(values)
    missing = np.array([_is_missing(value) for value in values], dtype=bool)
    present = values[~missing]
    if all(isinstance(value, str) for value in present):
        return category(values, missing) if len(present) else _all_missing(NUMBER, len(values))
    filled = values.astype(object)
    filled[missing] = None
    if all(isinstance(value, bool | np.bool_) for value in present):
        return Column(BOOLEAN, filled.astype(np.float64))
    if all(isinstance(value, dt.date | np.datetime64) for value in present):
        return _dates(np.array([_without_zone(value) for value in filled], "M8[us]"))
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


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
