"""Tables as they come, numpy arrays or data frames, become one matrix of numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, validate_data


@dataclass(frozen=True, slots=True)
class Table:
    """The values of a table; booleans are 0 and 1 and marked as such."""

    values: NDArray[np.float64]
    boolean: tuple[bool, ...]


def read_table(X: Any, estimator: Any) -> Table:
    """Read a numpy array or a pandas, polars or pyarrow frame of numbers and booleans.

    Raises ValueError or TypeError in words that say what to do with a table that cannot be read.
    """
    if isinstance(X, np.ndarray):
        return _read_array(X, estimator)
    try:
        frame = nw.from_native(X, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        repeated = ", ".join(re.findall(r"'.*'", str(error)))
        raise ValueError(f"column names must differ; rename one of {repeated}") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"X is a lazy frame ({type(X).__module__.partition('.')[0]}); collect it into memory "
            "first, for example with X.collect()"
        )
    if isinstance(frame, nw.DataFrame):
        return _read_frame(frame)
    if isinstance(frame, nw.Series):
        raise ValueError(
            "Expected 2D array, got 1D array instead: X is a single column, so pass a table, for "
            "example frame[['age']] instead of frame['age']"
        )
    return _read_array(X, estimator)


def note_columns(estimator: Any, X: Any, *, reset: bool) -> None:
    """Remember number and names of the columns (``reset``), or compare them with those remembered."""
    if reset and isinstance(X, np.ndarray) and not hasattr(estimator, "feature_names_in_"):
        estimator.n_features_in_ = X.shape[1]  # all that validate_data would do, in less time
    else:
        validate_data(estimator, X, skip_check_array=True, reset=reset)


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
    if given.dtype.kind not in "biufO":
        raise ValueError(f"X has type {given.dtype}, not numbers or booleans; turn it into numbers")
    if given.dtype == np.longdouble:
        raise ValueError("X has extended-precision numbers; convert it with X.astype(float)")
    if isinstance(given, np.ndarray) and given.size and given.dtype.kind != "O":
        return _checked(given)
    try:
        values = check_array(given, order="F", ensure_all_finite=False, estimator=estimator, input_name="X")
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        raise ValueError(f"X has a value that is no number ({error}); turn it into numbers") from None
    return _checked(values)


def _checked(array: NDArray[Any]) -> Table:
    values = np.asarray(array, dtype=np.float64, order="F")
    _check_finite(values, range(values.shape[1]))
    return Table(values, (array.dtype == bool,) * values.shape[1])


def _read_frame(frame: "nw.DataFrame[Any]") -> Table:
    rows, names = len(frame), frame.columns
    if not names:
        raise ValueError(f"X has 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required.")
    if not rows:
        raise ValueError("X has 0 rows while a minimum of 1 is required.")
    columns = [_read_column(frame.get_column(name)) for name in names]
    values = np.empty((rows, len(names)), order="F")
    for k, column in enumerate(columns):
        values[:, k] = column
    _check_finite(values, names)
    return Table(values, tuple(column.dtype == bool for column in columns))


def _check_finite(values: NDArray[np.float64], names: Sequence[Any]) -> None:
    finite = np.isfinite(values)
    if finite.all():
        return
    row, column = np.argwhere(~finite)[0]
    what, do = "infinity", "replace infinite values"
    if np.isnan(values[row, column]):
        what, do = "NaN", "fill in missing values or drop their rows"
    raise ValueError(f"X contains {what} (row {row} of column {names[column]!r}); {do} first")


def _read_column(column: "nw.Series[Any]") -> NDArray[Any]:
    dtype = column.dtype
    if dtype == nw.Boolean and not column.is_null().any():
        return column.to_numpy().astype(bool)
    if dtype.is_numeric() or dtype == nw.Boolean:
        return column.cast(nw.Float64).to_numpy().astype(np.float64)
    if dtype == nw.Object:
        try:
            return np.asarray(column.to_numpy(), dtype=np.float64)
        except (TypeError, ValueError):
            pass
    raise ValueError(
        f"column {column.name!r} has type {dtype}, not numbers or booleans; turn it into numbers, "
        "for example one column of booleans for each of its values, or drop it"
    )
