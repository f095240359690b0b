"""Tables as they come, numpy arrays or data frames, become columns of numbers and of levels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from .. import core
from .columns import (
    BOOLEAN,
    CATEGORY,
    DATE,
    NUMBER,
    Column,
    Columns,
    Matrix,
    all_missing,
    category,
    numbers_of,
    read_values,
)
from .frames import as_frame, check_names, has_numbers, is_numbered, read_batches

_PLAIN = "biuf"  # booleans and numbers, as numpy calls its types
# Of so few rows pandas gives all columns at once, as a copy, in less time than one after the other without.
_FEW_ROWS = 10_000
_CALLED = {NUMBER: "numbers", BOOLEAN: "booleans", DATE: "dates", CATEGORY: "text"}


@dataclass(frozen=True)
class Table:
    """Columns of equal length, with their names if they have any."""

    columns: Columns
    rows: int
    names: tuple[str, ...] | None = None

    def take(self, rows: NDArray[Any]) -> "Table":
        """Return some rows. Columns that were not read stay empty."""
        columns = tuple(column.take(rows) if len(column.values) else column for column in self.columns)
        return Table(columns, int(np.count_nonzero(rows)) if rows.dtype == bool else len(rows), self.names)


def read_table(X: Any) -> Table:
    """Read a numpy array or a pandas, polars or pyarrow frame.

    Raises ValueError or TypeError in words that say what to do with a table that cannot be read.
    """
    frame = as_frame(X)
    if frame is None:
        given = _as_array(X, "Binarizer")  # which scikit-learn's messages name: it is who asks
        return Table(_read_array(given), len(given), None if isinstance(X, np.ndarray) else _names_of(X))
    names = frame.columns
    _check_not_empty(frame, names)
    columns = _read_frame(frame, names)
    _check_finite(columns, names)
    return Table(columns, len(frame), None if is_numbered(X) else tuple(names))


def _names_of(X: Any) -> tuple[str, ...] | None:
    """Return the names that scikit-learn knows the columns of a table by, if any."""
    noted = BaseEstimator()
    validate_data(noted, X, skip_check_array=True, reset=True)
    names = getattr(noted, "feature_names_in_", None)
    return None if names is None else tuple(str(name) for name in names)


def read_again(X: Any, estimator: Any, kinds: Sequence[str], conditions: Iterable[Any]) -> Table:
    """Read the columns that some conditions ask about, by name where they have names."""
    X = read_batches(X)
    frame = as_frame(X)
    wanted = sorted({condition.column for condition in conditions})
    read: Sequence[Column]
    names: Sequence[Any]
    if frame is None:
        given = _as_array(X, estimator)
        names = getattr(estimator, "feature_names_in_", range(given.shape[1]))
        if hasattr(estimator, "feature_names_in_") or given.shape[1] != estimator.n_features_in_:
            validate_data(estimator, X, skip_check_array=True, reset=False)  # which else would say nothing
        rows, read = len(given), _read_array_again(given, wanted)
    else:
        names = _names_again(X, frame.columns, estimator, wanted)
        _check_not_empty(frame, frame.columns)
        rows, read = len(frame), _read_columns(frame, [names[k] for k in wanted])
        _check_finite(read, [names[k] for k in wanted])
    columns = [Column(NUMBER, np.empty(0))] * len(kinds)  # as those that are not wanted remain
    for k, column in zip(wanted, read, strict=True):
        columns[k] = as_kind(column, kinds[k], names[k])
    return Table(columns, rows)


def _names_again(X: Any, present: Sequence[str], estimator: Any, wanted: Sequence[int]) -> Sequence[str]:
    """Return what the columns at fit are called in another frame, of which those that are wanted are there."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None and has_numbers(X):  # as in a frame whose columns were numbered at fit
        names = [str(k) for k in range(estimator.n_features_in_)]
    if names is not None:
        asked = [names[k] for k in wanted]
        if not is_numbered(X) or set(asked) <= set(present):
            check_names(asked, present)
            return list(names)
    # One of the two has names and the other has none, of which scikit-learn warns: columns are taken in their order.
    validate_data(estimator, X, skip_check_array=True, reset=False)
    return present


def kind_of(dtype: Any) -> str | None:
    """Return the kind of a column of a data frame, or None if its type does not tell."""
    if dtype == nw.Boolean:
        return BOOLEAN
    if dtype.is_numeric():
        return NUMBER
    if dtype in (nw.Date, nw.Datetime):
        return DATE
    return CATEGORY if dtype in (nw.String, nw.Categorical, nw.Enum) else None


def zone_of(dtype: Any) -> Any:
    """Return the time zone of a type of pandas, of which narwhals does not know all names; None if it has none."""
    return getattr(dtype, "tz", None) or getattr(getattr(dtype, "pyarrow_dtype", None), "tz", None)


def unreadable(name: Any, dtype: Any) -> ValueError:
    """Say that a column has a type that no condition can be about."""
    return ValueError(
        f"column {name!r} has type {dtype}, not numbers, booleans, text, categories or dates; {instead_of(dtype)}, or "
        "drop it"
    )


def instead_of(dtype: Any) -> str:
    """Say what to turn values into that no condition can be about."""
    if isinstance(dtype, nw.Duration):  # types of other libraries equal any class
        return "turn it into numbers, for example seconds (.dt.total_seconds() in pandas and polars)"
    if str(dtype).startswith("period"):  # pandas
        return "turn it into dates, for example with .dt.to_timestamp()"
    return "turn it into one of these"


def as_kind(column: Column, kind: str, name: Any) -> Column:
    """Return a column as one of the kind that it had at fit."""
    if column.kind != kind and column.missing.all():
        return all_missing(kind, len(column.values))
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


def _as_array(X: Any, estimator: Any) -> NDArray[Any]:
    """Return an array of rows and columns with values that can be read."""
    given = X if type(X) is np.ndarray or issparse(X) else np.asarray(X)
    if given.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {given.ndim}D array instead: X must have rows and columns. "
            "Reshape your data with X.reshape(-1, 1) if it is one column, or with "
            "X.reshape(1, -1) if it is one row"
        )
    if given.dtype.kind == "c":
        raise ValueError("Complex data not supported: X must be real numbers, for example X.real")
    if given.dtype.kind not in "biufOUM":
        how = " with X / np.timedelta64(1, 's')" if given.dtype.kind == "m" else ""
        raise ValueError(f"X has type {given.dtype}, not numbers, booleans, text or dates; convert it{how}")
    if given.dtype == np.longdouble:
        raise ValueError("X has extended-precision numbers; convert it with X.astype(float)")
    if issparse(given) or not given.size:
        given = check_array(given, ensure_all_finite=False, estimator=estimator, input_name="X")
    return given


def _read_array(given: NDArray[Any]) -> Columns:
    columns: Columns
    if given.dtype.kind in _PLAIN:
        columns = _read_matrix(given, [_kind_of_numbers(given.dtype)] * given.shape[1])
    else:
        columns = [read_values(values, k) for k, values in enumerate(given.T)]
    if given.dtype.kind in "fO":
        _check_finite(columns, range(given.shape[1]))
    return columns


def _read_array_again(given: NDArray[Any], wanted: Sequence[int]) -> list[Column]:
    """Read some columns of an array; all of it is looked at for values that cannot be read."""
    if given.dtype.kind not in _PLAIN or (given.dtype.kind == "f" and np.isinf(given).any()):
        columns = _read_array(given)
        return [columns[k] for k in wanted]
    return [_read_plain(given[:, k]) for k in wanted]


def _read_matrix(matrix: NDArray[Any], kinds: Sequence[str]) -> Matrix:
    """Return the columns of a matrix of numbers and booleans."""
    if matrix.dtype == np.bool_:
        matrix = matrix.view(np.uint8)
    if matrix.dtype in (np.float64, np.uint8) and matrix.flags.f_contiguous:
        return Matrix(matrix.T, kinds)
    if not matrix.dtype.isnative or matrix.dtype == np.float16:
        matrix = matrix.astype(np.float64)
    values: NDArray[Any] = np.empty(matrix.shape[::-1], np.uint8)
    if not core.copy_columns(matrix, values):
        values = np.empty(matrix.shape[::-1])
        core.copy_columns(matrix, values)
    return Matrix(values, kinds)


def _kind_of_numbers(dtype: "np.dtype[Any]") -> str:
    return BOOLEAN if dtype.kind == "b" else NUMBER


def _read_frame(frame: "nw.DataFrame[Any]", names: Sequence[Any]) -> Columns:
    """Read all columns of a frame, which have these names."""
    if frame.implementation.is_pandas() and len(frame) <= _FEW_ROWS:
        given = frame.to_native()
        dtypes = given.dtypes.tolist()
        if all(map(_is_plain, dtypes)):
            return _read_matrix(given.to_numpy(dtype=np.float64), [*map(_kind_of_numbers, dtypes)])
    return _read_columns(frame, names)


def _read_columns(frame: "nw.DataFrame[Any]", names: Sequence[Any]) -> list[Column]:
    """Read some columns of a frame."""
    read: list[Column | None] = [None] * len(names)
    if frame.implementation.is_pandas():
        read = _read_pandas(frame.to_native(), names)
    elif frame.implementation.is_polars():
        read = _read_polars(frame.to_native(), names)
    return [
        _read_series(frame.get_column(name)) if column is None else column
        for column, name in zip(read, names, strict=True)
    ]


# Plain numbers and booleans are asked of pandas and polars themselves, in a small part of the time that narwhals takes
# for a column. All other columns are None here.
def _read_pandas(frame: Any, names: Sequence[Any]) -> list[Column | None]:
    import pandas as pd  # noqa: PLC0415  (there if its frames are)

    columns = [frame[name] for name in names]
    # An array of the values of a sparse column is not sparse.
    dtypes = [c.dtype.subtype if isinstance(c.dtype, pd.SparseDtype) else c.dtype for c in columns]
    return [
        _read_plain(series.to_numpy()) if _is_plain(dtype) else None
        for series, dtype in zip(columns, dtypes, strict=True)
    ]


def _read_polars(frame: Any, names: Sequence[Any]) -> list[Column | None]:
    import polars as pl  # noqa: PLC0415  (there if its frames are)

    arrays = [
        series.to_numpy() if series.dtype == pl.Boolean or series.dtype.is_numeric() else None
        for series in map(frame.get_column, names)
    ]
    # Booleans with missing values are no plain numbers once they are an array.
    return [None if values is None or not _is_plain(values.dtype) else _read_plain(values) for values in arrays]


def _is_plain(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in _PLAIN


def _read_plain(values: NDArray[Any]) -> Column:
    return Column(_kind_of_numbers(values.dtype), np.ascontiguousarray(values, dtype=np.float64))


def _check_not_empty(frame: "nw.DataFrame[Any]", names: Sequence[Any]) -> None:
    if not len(names):
        raise ValueError(f"X has 0 feature(s) (shape=({len(frame)}, 0)) while a minimum of 1 is required.")
    if not len(frame):
        raise ValueError("X has 0 rows while a minimum of 1 is required.")


def _check_finite(columns: Columns, names: Sequence[Any]) -> None:
    if core.have_infinity(numbers_of(columns)):
        numbers = ((name, c.values) for name, c in zip(names, columns, strict=True) if c.kind != CATEGORY)
        name, row = next((name, row) for name, values in numbers for row in np.flatnonzero(np.isinf(values)))
        raise ValueError(
            f"X contains infinity (row {row} of column {name!r}); replace infinite values first, for example "
            "by a missing value"
        )


def _read_series(series: "nw.Series[Any]") -> Column:
    native = series.to_native()
    if series.dtype == nw.Unknown and zone_of(getattr(native, "dtype", None)):
        series = nw.from_native(native.dt.tz_convert("UTC"), series_only=True)
    kind = kind_of(series.dtype)
    if kind in (NUMBER, BOOLEAN):
        return Column(kind, _as_doubles(series))
    if kind == DATE:
        return Column(kind, _as_doubles(series.dt.timestamp("us")))
    if kind == CATEGORY:
        # Beside a missing value pandas turns levels that are whole numbers into floating point, which finds them still.
        levels, order = {}, _order_of(series.dtype, native)
        if hasattr(native, "cat"):  # pandas
            try:
                levels = {level: str(level) for level in series.cat.get_categories()}
            except AttributeError:  # a dictionary of pyarrow in pandas
                series = series.cast(nw.String)
        elif series.dtype != nw.String:
            series = series.cast(nw.String)
        return category(series.to_list(), series.is_null().to_numpy(), levels, order)
    if series.is_null().all():
        return all_missing(NUMBER, len(series))
    if series.dtype == nw.Object:
        return read_values(series.to_numpy(), series.name)
    native = series.to_native()
    # What narwhals does not know has a name in the library it comes from.
    raise unreadable(series.name, native.dtype if series.dtype == nw.Unknown else series.dtype)


def _order_of(dtype: Any, native: Any) -> list[str] | None:
    """Return the levels of a column whose type gives them an order: pandas' ordered categories, polars' Enum."""
    if dtype == nw.Enum:
        return [*dict.fromkeys(map(str, dtype.categories))]
    if getattr(getattr(native, "type", None), "ordered", False) and native.num_chunks:  # pyarrow
        return [str(level) for level in native.unify_dictionaries().chunk(0).dictionary.to_pylist()]
    return None


def _as_doubles(series: "nw.Series[Any]") -> NDArray[np.float64]:
    values = series.to_numpy()
    if values.dtype.kind not in "biuf":  # decimals, or booleans with missing values
        values = series.cast(nw.Float64).to_numpy()
    return np.ascontiguousarray(values, dtype=np.float64)
