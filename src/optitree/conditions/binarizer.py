"""The binarizer: from columns to conditions, and from rows to binary features."""

from dataclasses import asdict
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from ..table.reading import read_again, read_table
from ..table.rows import Rows
from ..table.target import read_target, read_weight
from .choose import choose_for_rows
from .condition import Condition
from .condition_set import ConditionSet
from .rules import DEFAULT, Rules, check_rules


class Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn columns into conditions such as ``age <= 40``, and rows into their answers.

    The optimal tree is optimal among all trees that ask these conditions.

    Columns of numbers and dates get thresholds; a column of booleans the condition that it is true; text and
    categories a condition ``column = level`` for each level and conditions ``column in {levels}``, or thresholds
    ``column <= level`` where their type gives them an order. Where a column has missing values, ``column is missing``
    is a condition too. A missing value fails every other condition, and a level that was not there at fit fails them
    all.

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
        The most levels of a category that have a condition each. Where there are more and the rule looks at the target
        ("auto", "reference"), there are sets of levels instead: the parts into which the order of their means is best
        cut, so many at most, and the sets by which the trees split. Else the most frequent levels are kept and the
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

    conditions_: tuple[Condition, ...]
    kinds_: tuple[str, ...]
    n_features_in_: int

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
        rules = rules_of(self)
        self.__dict__.pop("conditions_", None)  # a fit that fails leaves nothing half done
        table = read_table(X)
        target = None if y is None or not rules.look_at_target else read_target(y, table.rows, self)
        rows = Rows(table, target, read_weight(sample_weight, table.rows))
        _set_conditions(self, choose_for_rows(rules, rows.counted()))
        return self

    def transform(self, X: Any) -> NDArray[np.bool_]:
        """Answer every condition for every row; the columns are in the order of ``conditions_``."""
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


def rules_of(binarizer: Binarizer | None) -> Rules:
    """Return the parameters of a binarizer, checked; those of ``Binarizer()`` for None."""
    if binarizer is None:
        return DEFAULT
    given = (getattr(binarizer, name) for name in Rules.__dataclass_fields__)
    return check_rules(Rules(*given))


def conditions_of(binarizer: Binarizer) -> ConditionSet | None:
    """Return the conditions of a binarizer that is fitted, None of one that is not."""
    if not hasattr(binarizer, "conditions_"):
        return None
    names = getattr(binarizer, "feature_names_in_", None)
    known = None if names is None else tuple(str(name) for name in names)
    return ConditionSet(binarizer.conditions_, binarizer.kinds_, known, rules_of(binarizer))


def binarizer_of(conditions: ConditionSet) -> Binarizer:
    """Return a fitted binarizer with these conditions."""
    binarizer = Binarizer(**asdict(conditions.rules))
    _set_conditions(binarizer, conditions)
    return binarizer


def _set_conditions(binarizer: Binarizer, conditions: ConditionSet) -> None:
    set_columns(binarizer, conditions)
    binarizer.kinds_ = conditions.kinds
    binarizer.conditions_ = conditions.conditions


def set_columns(estimator: Any, conditions: ConditionSet) -> None:
    """Give an estimator what scikit-learn asks of the columns that it was fitted to."""
    estimator.n_features_in_ = len(conditions.kinds)
    estimator.__dict__.pop("feature_names_in_", None)
    if conditions.names is not None:
        estimator.feature_names_in_ = np.array(conditions.names, dtype=object)
