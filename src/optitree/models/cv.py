"""The regularization chosen by cross-validation, along the exact path of every fold."""

import copy
import sys
import time
import warnings
from pathlib import Path
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from ..conditions.binarizer import Binarizer, rules_of
from ..conditions.rules import Rules
from ..errors import LimitWarning
from ..groups.groups import Groups, group_rows
from ..solver.losses import loss_of
from ..solver.solution import STOPS, geometric_mean, to_raise
from ..table.rows import Rows, read_rows
from .estimator import OptimalTreeRegressor
from .exported import ExportedModel
from .nested import DefaultBinarizer
from .parameters import check_search, check_selection
from .path import check_path_parameters, path_of_groups
from .shown import ReportedModel
from .validation_curve import Fold, add_up_folds, select

# What is known of the best tree once it is found, under the names that it has in OptimalTreeRegressor.
_OF_THE_BEST = (
    "binarizer_", "depth_", "gap_", "loss_", "lower_bound_", "n_leaves_", "objective_", "proven_depth_", "root_loss_",
    "solution_", "status_", "tree_",
)  # fmt: skip


class OptimalTreeRegressorCV(ReportedModel, ExportedModel, DefaultBinarizer, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The optimal regression tree at the regularization that predicts best.

    On the training rows of every fold all optimal trees are found, from one leaf down to ``min_regularization``, with
    the exact interval of regularization on which each is optimal. The loss on the test rows is then known for every
    regularization, not for a grid of them. The tree is the optimal one for all rows at the regularization chosen.

    Parameters
    ----------
    min_regularization : float, default=0.001
        The lowest regularization to consider. The lower, the larger the trees and the harder the proofs.
    max_depth, max_leaves, min_samples_leaf, loss, quantile, binarizer
        As for ``OptimalTreeRegressor``. With ``max_leaves``, optimal trees of more leaves are not considered. The
        binarizer is fitted within each fold.
    cv : int, splitter or iterable, default=None
        The folds, as everywhere in scikit-learn: None for five in the order of the rows. Where that order means
        something, shuffle them: ``KFold(5, shuffle=True, random_state=0)``.
    selection : {"min", "one_standard_error"}, default="min"
        ``"min"`` takes the regularization with the smallest mean test loss. ``"one_standard_error"`` takes the largest
        whose mean is within one standard error of it: a smaller tree that is not clearly worse.
    time_limit : float, default=60
        Seconds for each set of rows: all, counted from the beginning of ``fit``, and those of each fold, to choose
        their conditions, group them and find their path. If the path of all rows does not get as far as the
        regularization chosen, the search there has as much again. None for no limit.
    memory_limit : float, default=None
        Megabytes of a process at which its search stops; None for no limit.
    n_jobs : int, default=None
        How many folds are worked on at a time, through joblib, so that ``joblib.parallel_config`` can send them to
        other machines. None for 1, -1 for all processors.
    verbose : bool, default=False
        Print a line to standard error for every fold that is done.

    Attributes
    ----------
    regularization_ : float
        The regularization chosen: the geometric mean of the chosen interval, of which an end at infinity counts as
        twice the other and one at zero as half of it. Where ``max_leaves`` ends the path above that, the middle of
        the last interval of the path.
    regularizations_ : ndarray of shape (n_intervals, 2)
        The ends, low and high, of the intervals on which the test loss of no fold changes, from high to low.
    test_loss_path_ : ndarray of shape (n_intervals, n_splits)
        The mean test loss of every fold on every interval.
    cv_results_ : dict of ndarray
        For every interval: ``regularization_low``, ``regularization_high``, ``split0_test_loss`` ...,
        ``mean_test_loss`` (each fold counts by the weight of its test rows), ``standard_error``, ``rank_test_loss`` and
        ``mean_leaves``.
    best_index_ : int
        The interval chosen.
    best_score_ : float
        Minus the mean test loss there: the larger the better, as everywhere in scikit-learn.
    best_estimator_ : OptimalTreeRegressor
        The model of all rows.
    path_ : Path
        All optimal trees of all rows.
    n_splits_ : int
    status_, objective_, lower_bound_, gap_, loss_, root_loss_, n_leaves_, depth_, tree_, solution_, binarizer_
        Those of the best estimator.
    feature_importances_ : ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has column names.
    """

    def __init__(
        self,
        *,
        min_regularization: float = 0.001,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        min_samples_leaf: int = 1,
        loss: str = "squared_error",
        quantile: float = 0.5,
        binarizer: Binarizer | None = None,
        cv: Any = None,
        selection: str = "min",
        time_limit: float | None = 60,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.min_regularization = min_regularization
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_samples_leaf = min_samples_leaf
        self.loss = loss
        self.quantile = quantile
        self.binarizer = binarizer
        self.cv = cv
        self.selection = selection
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose the regularization by cross-validation and find the best tree for all rows.

        ``groups`` are handed to splitters that keep rows together, such as ``GroupKFold``.
        """
        model, min_regularization, max_leaves = self._check()
        limits = check_search(model).limits
        rules = rules_of(model.binarizer)
        rows = read_rows(X, y, sample_weight, model)
        splitter = check_cv(self.cv, rows.target, classifier=False)
        splits = list(splitter.split(np.empty((rows.table.rows, 0)), rows.target, groups))
        all_groups = group_rows(rows, rules, values=loss_of(self.loss, self.quantile).needs_values)
        self.path_ = path_of_groups(all_groups, model, min_regularization, max_leaves, limits)
        of_a_fold = copy.copy(model)
        of_a_fold.n_jobs = 1  # the work of one thread
        folds = Parallel(n_jobs=self.n_jobs)(
            delayed(_fold)(of_a_fold, rows, rules, split, min_regularization, max_leaves, label)
            for split, label in zip(splits, self._labels(len(splits)), strict=True)
        )
        self._choose(folds)
        self.best_estimator_ = self._best(model, all_groups)
        self.regularization_ = self.best_estimator_.regularization
        for name in (*_OF_THE_BEST, "n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self.best_estimator_, name):
                setattr(self, name, getattr(self.best_estimator_, name))
        self._warn_of_limits(folds)
        return self

    def predict(self, X: Any) -> Any:
        """Predict the target of each row; a table that an engine holds stays there, see ``OptimalTreeRegressor``."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def apply(self, X: Any) -> NDArray[np.intp]:
        """Return the number of the leaf, in ``tree_.nodes``, that each row reaches."""
        check_is_fitted(self)
        return self.best_estimator_.apply(X)

    def decision_path(self, X: Any) -> csr_matrix:
        """Return a sparse matrix of rows by nodes: 1 where the row passes through the node."""
        check_is_fitted(self)
        return self.best_estimator_.decision_path(X)

    def get_depth(self) -> int:
        """Return the number of splits on the longest path."""
        check_is_fitted(self)
        return self.best_estimator_.get_depth()

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.best_estimator_.get_n_leaves()

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column in the loss that the splits take away."""
        check_is_fitted(self)
        return self.best_estimator_.feature_importances_

    def save(self, path: str | Path) -> None:
        """Write the best estimator to a JSON file; ``optitree.load`` reads it back as an OptimalTreeRegressor."""
        check_is_fitted(self)
        self.best_estimator_.save(path)

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean test loss, with its standard error, against the regularization.

        Needs matplotlib. Returns the axes.
        """
        from ..output.plots import plot_validation  # noqa: PLC0415  (matplotlib is for those who have it)

        check_is_fitted(self)
        return plot_validation(self, ax)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_estimator_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _check(self) -> tuple[OptimalTreeRegressor, float, int | None]:
        """Return a model, not fitted, with the parameters of the search, and where paths are to end."""
        check_selection(self.selection)
        shared = OptimalTreeRegressor().get_params(deep=False).keys() & self.get_params(deep=False).keys()
        params = {name: getattr(self, name) for name in shared - {"max_leaves", "verbose"}}
        return check_path_parameters(self.min_regularization, self.max_leaves, **params)

    def _labels(self, splits: int) -> list[str | None]:
        return [f"fold {k + 1} of {splits}" if self.verbose else None for k in range(splits)]

    def _choose(self, folds: list[Fold]) -> None:
        """Add up the step functions of all folds, and choose an interval."""
        curve = add_up_folds(folds)
        self.n_splits_ = len(folds)
        self.regularizations_ = curve.intervals
        self.test_loss_path_ = curve.losses
        self.cv_results_ = {
            "regularization_low": curve.intervals[:, 0],
            "regularization_high": curve.intervals[:, 1],
            **{f"split{k}_test_loss": curve.losses[:, k] for k in range(len(folds))},
            "mean_test_loss": curve.mean,
            "standard_error": curve.standard_error,
            "rank_test_loss": rankdata(curve.mean, method="min").astype(np.intp),
            "mean_leaves": curve.leaves.mean(axis=1),
        }
        self.best_index_ = select(curve.mean, curve.standard_error, self.selection)
        self.best_score_ = -float(curve.mean[self.best_index_])

    def _best(self, model: OptimalTreeRegressor, groups: Groups) -> OptimalTreeRegressor:
        """Return the model of all rows at the regularization chosen."""
        chosen = geometric_mean(*self.regularizations_[self.best_index_])
        if chosen >= self.path_.steps[-1].low:
            best = self.path_.at(chosen)
            if best.status_ == "optimal":
                return best
        elif self.path_.status == "optimal":
            return self.path_[-1]  # the largest that max_leaves allows
        # The limit came before the path of all rows got there: the search is given its time at this one regularization.
        direct = copy.copy(model)
        direct.regularization = chosen
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitWarning)
            return direct.fit_groups(groups)

    def _warn_of_limits(self, folds: list[Fold]) -> None:
        statuses = [fold.status for fold in folds] + [self.path_.status]
        stopped = [status for status in statuses if status != "optimal"]
        if stopped:
            warnings.warn(
                f"{STOPS[stopped[0]]} came before the whole path on {len(stopped)} of {len(statuses)} sets of rows "
                f"(the folds and all rows): regularizations below {self.regularizations_[-1, 0]:.6g} could not be "
                f"compared. Raise {to_raise(stopped[0], 'min_regularization')}, set max_depth or max_leaves, or use "
                "fewer thresholds to finish",
                LimitWarning,
                stacklevel=3,
            )


def _row_numbers(part: Any) -> NDArray[Any]:
    """Return the rows of a fold as an array; scikit-learn takes lists, too."""
    numbers = np.asarray(part)
    return numbers if numbers.size else numbers.astype(np.intp)


def _fold(
    model: OptimalTreeRegressor,
    rows: Rows,
    rules: Rules,
    split: tuple[NDArray[np.intp], NDArray[np.intp]],
    min_regularization: float,
    max_leaves: int | None,
    label: str | None,
) -> Fold:
    """Find the path of the training rows and its loss on the test rows."""
    limits = check_search(model).limits  # from here on
    loss = loss_of(model.loss, model.quantile)
    train, test = (rows.take(_row_numbers(part)) for part in split)
    known = test.target
    assert known is not None
    for part, name in ((train, "training"), (test, "test")):
        if not part.table.rows or not (part.weight is None or part.weight.any()):
            raise ValueError(f"a fold has no {name} rows of positive weight; give cv other folds")
    groups = group_rows(train, rules, values=loss.needs_values)
    path = path_of_groups(groups, model, min_regularization, max_leaves, limits)
    predicted = (m.tree_.values[m.tree_.apply(test.table)] for m in path)
    losses = [loss.mean(known, values, test.weight) for values in predicted]
    if label is not None:
        seconds = time.monotonic() - limits.start
        note = f"{len(path)} trees down to regularization {path.steps[-1].low:.3g}, {seconds:.1f} s"
        print(f"{label}: {note}{'' if path.status == 'optimal' else f' ({path.status})'}", file=sys.stderr)
    # A whole path that max_leaves ends goes on with its last tree.
    low = min_regularization if path.status == "optimal" else path.steps[-1].low
    weight = test.table.rows if test.weight is None else test.weight.sum()
    return Fold(path.breakpoints, np.array(losses), path.leaves, low, float(weight), path.status)
