"""Data frames of any library, and what their columns are called."""

import difflib
import re
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np


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


def as_lazy_frame(X: Any) -> "nw.LazyFrame[Any] | None":
    """Return a frame that is not in memory, or None if X is anything else."""
    X = nw.to_native(X, pass_through=True)
    if isinstance(X, np.ndarray) or nw.dependencies.is_pandas_dataframe(X):
        return None
    frame = nw.from_native(X, pass_through=True, allow_series=True)
    return frame if isinstance(frame, nw.LazyFrame) else None


def as_any_frame(X: Any) -> Any:
    """Return what narwhals makes of X: a frame, lazy or not, a series, or X itself. Names of columns are text."""
    X = read_batches(nw.to_native(X, pass_through=True))
    if nw.dependencies.is_pandas_dataframe(X) and not all(type(name) is str for name in X.columns):
        X = X.set_axis([name_of(name) for name in X.columns], axis=1)
    try:
        return nw.from_native(X, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        repeated = ", ".join(re.findall(r"'.*'", str(error)))
        raise ValueError(f"column names must differ; rename one of {repeated}") from None


def read_batches(X: Any) -> Any:
    """Return the table of a reader of batches, such as DuckDB's ``.arrow()``, or of one batch; all else as it is.

    A reader can be read once.
    """
    pyarrow = nw.dependencies.get_pyarrow()  # None where nobody has imported it
    if pyarrow is None:
        return X
    if isinstance(X, pyarrow.RecordBatchReader):
        return X.read_all()
    return pyarrow.Table.from_batches([X]) if isinstance(X, pyarrow.RecordBatch) else X


def name_of(name: Any) -> str:
    """Return the name of a column as text: 7 is ``7``, and ("size", "mean") of several levels is ``size.mean``."""
    if isinstance(name, tuple):
        return ".".join(str(part) for part in name if part != "")  # pandas fills short names up with ""
    return str(name)


def is_numbered(X: Any) -> bool:
    """Whether the columns of a table have the names 0, 1, 2 ..., which pandas gives them where nobody else does."""
    return has_numbers(X) and list(X.columns) == list(range(len(X.columns)))


def has_numbers(X: Any) -> bool:
    """Whether the names of columns are whole numbers."""
    return nw.dependencies.is_pandas_dataframe(X) and all(isinstance(name, Integral) for name in X.columns)


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


def nearest(name: str, names: Iterable[str]) -> str:
    """Say which column may have been meant where there is none of a name, and which columns there are."""
    names = [str(known) for known in names]
    lower = {known.lower(): known for known in reversed(names)}
    close = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.6)
    shown = ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:12])} and {len(names) - 12} more"
    return f"did you mean {lower[close[0]]!r}? (the table has {shown})" if close else f"the table has {shown}"


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
