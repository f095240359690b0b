"""The binarizer: from columns to conditions, and from rows to binary features."""

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from ..table.columns import CATEGORY
from ..table.reading import Table, read_again, read_table
from ..table.target import read_target, read_weight
from .bins import Coding
from .choose import Rules, choose
from .condition import Condition
from .profile import Source, columns_in_memory
from .tree_splits import Guesses

_CHOICES = {
    "thresholds": ("auto", "quantile", "uniform", "all", "reference"),
    "encoding": ("threshold", "interval"),
    "drop": (None, "first"),
}


class Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn columns into conditions such as ``age <= 40``, and rows into their answers.

    The optimal tree is optimal among all trees that ask these conditions.

    Columns of numbers and dates get thresholds; a column of booleans the condition that it is true; text and
    categories one condition ``column = level`` for each level. Where a column has gaps, ``column is missing`` is a
    condition too. A missing value fails every other condition, and a level that was not there at fit fails them all.

    Parameters
    ----------
    thresholds : {"auto", "quantile", "uniform", "all", "reference"}, default="auto"
        Where to put the thresholds of a column of numbers.

        - ``"all"``: between every two neighbouring values.
        - ``"quantile"``: so that about equally many rows lie between two thresholds.
        - ``"uniform"``: between intervals of equal width.
        - ``"reference"``: where a boosted ensemble of small trees splits (*threshold guessing*). The proof then covers
          the guessed conditions, not others that the ensemble found no use for.
        - ``"auto"``: all where that is at most ``max_thresholds``. Else where a greedy tree of 16 leaves splits, which
          may be more than ``max_thresholds``, so that the optimal tree is never worse than a greedy one of its size;
          filled up to ``max_thresholds`` with the best splits of a boosted ensemble, then with quantiles. Without a
          target, quantiles only.
    max_thresholds : int, default=6
        The most thresholds a column gets, except as said above and with ``thresholds="all"``.
    encoding : {"threshold", "interval"}, default="threshold"
        ``"threshold"``: conditions ``x <= t``. ``"interval"``: conditions ``a < x <= b``, one for each interval
        between thresholds.
    max_categories : int, default=10
        The most levels of a category that are told apart: where there are more, the most frequent are kept and the
        rest are one, ``other``.
    drop : {None, "first"}, default=None
        ``"first"`` leaves out the condition for the first interval or level of each column, which is true where all
        others are false.

    Attributes
    ----------
    conditions_ : tuple of Condition
        The conditions in the order of the columns, thresholds ascending. A constant column has none; a category of
        two levels has one, for the rarer level.
    kinds_ : tuple of str
        The kind of each column: "number", "boolean", "date" or "category".
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has column names.
    """

    def __init__(
        self,
        thresholds: str = "auto",
        max_thresholds: int = 6,
        *,
        encoding: str = "threshold",
        max_categories: int = 10,
        drop: str | None = None,
    ) -> None:
        self.thresholds = thresholds
        self.max_thresholds = max_thresholds
        self.encoding = encoding
        self.max_categories = max_categories
        self.drop = drop

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the conditions. A row of weight 2 counts as two rows."""
        self._check_parameters()
        self.__dict__.pop("conditions_", None)  # a fit that fails leaves nothing half done
        table = read_table(X, self)
        target = None if y is None or not self._looks_at_target else read_target(y, table.rows, self)
        return self._fit_table(table, target, read_weight(sample_weight, table.rows))

    def transform(self, X: Any) -> NDArray[np.bool_]:
        """Answer every condition for every row; the columns are in the order of conditions_."""
        check_is_fitted(self)
        table = read_again(X, self, self.kinds_, self.conditions_)
        answers = [condition.holds(table.columns[condition.column]) for condition in self.conditions_]
        return np.column_stack(answers) if answers else np.empty((table.rows, 0), dtype=bool)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the conditions as text."""
        check_is_fitted(self)
        _check_feature_names_in(self, input_features)
        return np.array([str(condition) for condition in self.conditions_], dtype=object)

    def inverse(self, condition: Condition | str | int) -> str:
        """Return the name of the column that a condition, its text or its number asks about."""
        check_is_fitted(self)
        if isinstance(condition, Integral) and not isinstance(condition, bool):
            return self.conditions_[int(condition)].name
        for known in self.conditions_:
            if condition in (known, str(known)):
                return known.name
        raise ValueError(f"there is no condition {str(condition)!r}; conditions_ lists them all")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # answers are booleans
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _check_parameters(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if not (value is None or isinstance(value, str)) or value not in choices:
                known = ", ".join(repr(choice) for choice in choices)
                raise ValueError(f"{name}={value!r} is unknown; use one of {known}")
        for name, least in (("max_thresholds", 1), ("max_categories", 2)):
            value = getattr(self, name)
            message = f"{name}={value!r} must be a whole number of at least {least}"
            if isinstance(value, bool) or not isinstance(value, Integral):
                raise TypeError(message)
            if value < least:
                raise ValueError(message)

    @property
    def _looks_at_target(self) -> bool:
        return self.thresholds in ("auto", "reference")

    def _fit_table(self, table: Table, target: NDArray[np.float64] | None, weight: NDArray[np.float64] | None) -> Self:
        if weight is not None and not weight.all():
            counted = weight > 0
            table, weight = table.take(counted), weight[counted]
            target = None if target is None else target[counted]
        sources = columns_in_memory(table, weight)
        guess = None
        if target is not None:
            chosen = target  # mypy: not None inside the function

            def guess() -> Guesses:
                profiles = [s.levels() if s.kind == CATEGORY else s.numbers(None) for s in sources]
                return Guesses(profiles, chosen, weight)

        elif self.thresholds == "reference":
            raise ValueError("thresholds='reference' looks at the target; give y to fit")
        return self._choose(sources, guess)

    def _choose(self, sources: Sequence[Source], guess: Callable[[], Guesses] | None) -> Self:
        rules = Rules(self.thresholds, self.max_thresholds, self.encoding, self.max_categories, self.drop)
        self.kinds_ = tuple(source.kind for source in sources)
        self.conditions_ = choose(rules, sources, self._names(), guess)
        return self

    def _names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{k}" for k in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    def _coding(self) -> Coding:
        return Coding(self.conditions_, self.kinds_)
