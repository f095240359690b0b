"""Tables as they come, numpy arrays or data frames, become one matrix of numbers."""

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array


@dataclass(frozen=True, slots=True)
class Table:
    """The values of a table; booleans are 0 and 1 and marked as such."""

    values: NDArray[np.float64]
    boolean: tuple[bool, ...]


def read_table(X: Any, estimator: Any) -> Table:
    """Read a numpy array or a pandas, polars or pyarrow frame of numbers and booleans.

    Raises ValueError or TypeError in words that say what to do with a table that cannot be read.
    """
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"X is a lazy frame ({type(X).__module__.partition('.')[0]}); collect it into memory "
            "first, or group it where it is with optitree.compress"
        )
    if isinstance(frame, nw.DataFrame):
        return _read_frame(frame, estimator)
    if isinstance(frame, nw.Series):
        raise ValueError(
            "Expected 2D array, got 1D array instead: X is a single column. Pass a table, for "
            "example frame[['age']] instead of frame['age']"
        )
    values = check_array(X, dtype="numeric", order="F", estimator=estimator, input_name="X", ensure_min_features=1)
    if values.dtype == np.longdouble:
        raise ValueError("X has extended-precision numbers; convert it with X.astype(float)")
    boolean = (values.dtype == bool,) * values.shape[1]
    return Table(np.asarray(values, dtype=np.float64, order="F"), boolean)


def _read_frame(frame: "nw.DataFrame[Any]", estimator: Any) -> Table:
    names = frame.columns
    repeated = sorted({str(name) for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"column names must differ; rename one of {', '.join(repeated)}")
    if not names:
        raise ValueError(f"X has 0 feature(s) (shape=({len(frame)}, 0)) while a minimum of 1 is required.")
    columns = [_read_column(frame[name]) for name in names]
    values = np.empty((len(frame), len(names)), order="F")
    for k, column in enumerate(columns):
        values[:, k] = column
    check_array(values, estimator=estimator, input_name="X")
    return Table(values, tuple(column.dtype == bool for column in columns))


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
