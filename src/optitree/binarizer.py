"""The binarizer: from columns of numbers to conditions, and from rows to binary features."""

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from .conditions import Condition, separating_threshold
from .table import Table, note_columns, read_table
from .target import read_weight

_THRESHOLDS = ("auto", "quantile", "all")


class Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn columns into conditions such as ``age <= 40``, and rows into their answers.

    The optimal tree is optimal among all trees that ask these conditions.

    Parameters
    ----------
    thresholds : {"auto", "quantile", "all"}, default="auto"
        Where to put the thresholds of a column of numbers. ``"all"``: between every two
        neighbouring values. ``"quantile"``: at quantiles, so that about equally many rows lie
        between two thresholds. ``"auto"``: all where that is at most ``max_thresholds``, else
        quantiles.
    max_thresholds : int, default=8
        The most thresholds a column gets, unless ``thresholds="all"``.

    Attributes
    ----------
    conditions_ : tuple of Condition
        The conditions in the order of the columns, thresholds ascending. A column of booleans has
        one condition, that it is true; a constant column has none.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has column names.
    """

    def __init__(self, thresholds: str = "auto", max_thresholds: int = 8) -> None:
        self.thresholds = thresholds
        self.max_thresholds = max_thresholds

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the conditions. A row of weight 2 counts as two rows."""
        self._check_parameters()
        table = read_table(X, self)
        note_columns(self, X, reset=True)
        return self._fit_table(table, read_weight(sample_weight, len(table.values)))

    def transform(self, X: Any) -> NDArray[np.bool_]:
        """Answer every condition for every row; the columns are in the order of conditions_."""
        check_is_fitted(self)
        table = read_table(X, self)
        note_columns(self, X, reset=False)
        return self._transform_table(table)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the conditions as text."""
        check_is_fitted(self)
        _check_feature_names_in(self, input_features)
        return np.array([str(condition) for condition in self.conditions_], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # answers are booleans
        return tags

    def _check_parameters(self) -> None:
        if not isinstance(self.thresholds, str) or self.thresholds not in _THRESHOLDS:
            raise ValueError(f"thresholds={self.thresholds!r} is unknown; use one of {', '.join(_THRESHOLDS)}")
        most = self.max_thresholds
        message = f"max_thresholds={most!r} must be a whole number of at least 1"
        if isinstance(most, bool) or not isinstance(most, Integral):
            raise TypeError(message)
        if most < 1:
            raise ValueError(message)

    def _fit_table(self, table: Table, weight: NDArray[np.float64] | None) -> Self:
        values = table.values
        if weight is not None:
            values, weight = values[weight > 0], weight[weight > 0]
        low, high = values.min(axis=0), values.max(axis=0)
        # Columns of 0 and 1 are frequent and need no sorting.
        two_valued = ((values == low) | (values == high)).all(axis=0)
        names = getattr(self, "feature_names_in_", None)
        conditions = []
        for column in np.flatnonzero(low < high).tolist():
            name = f"x{column}" if names is None else str(names[column])
            if table.boolean[column]:
                conditions.append(Condition(column, name))
            elif two_valued[column]:
                cut = separating_threshold(float(low[column]), float(high[column]))
                conditions.append(Condition(column, name, cut))
            else:
                cuts = self._cuts(values[:, column], weight)
                conditions += [Condition(column, name, cut) for cut in cuts]
        self.conditions_ = tuple(conditions)
        return self

    def _cuts(self, values: NDArray[np.float64], weight: NDArray[np.float64] | None) -> list[float]:
        if weight is None:
            levels, counts = np.unique(values, return_counts=True)
        else:
            levels, inverse = np.unique(values, return_inverse=True)
            counts = np.bincount(inverse, weights=weight)
        few = len(levels) - 1 <= self.max_thresholds
        if self.thresholds == "all" or (self.thresholds == "auto" and few):
            gaps = np.arange(1, len(levels))
        else:
            gaps = _quantile_gaps(counts, self.max_thresholds)
        return [separating_threshold(float(levels[k - 1]), float(levels[k])) for k in gaps]

    def _transform_table(self, table: Table) -> NDArray[np.bool_]:
        binary = np.empty((len(table.values), len(self.conditions_)), dtype=bool)
        for k, condition in enumerate(self.conditions_):
            binary[:, k] = condition.holds(table.values[:, condition.column])
        return binary


def _quantile_gaps(counts: NDArray[Any], most: int) -> NDArray[np.intp]:
    """Return the k for which to cut between the levels k - 1 and k: those nearest to quantiles."""
    below = np.cumsum(counts)[:-1]  # weight on the left of each gap
    wanted = counts.sum() * np.arange(1, most + 1) / (most + 1)
    right = np.clip(np.searchsorted(below, wanted), 0, len(below) - 1)
    left = np.maximum(right - 1, 0)
    nearest = np.where(wanted - below[left] <= below[right] - wanted, left, right)
    return np.unique(nearest) + 1
