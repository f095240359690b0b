"""The regularization chosen by cross-validation, along the exact path of every fold."""

import math
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from ..conditions.binarizer import Binarizer, rules_of
from ..errors import LimitWarning
from ..progress import showing
from ..solver.losses import loss_of
from ..solver.problem import Limits
from ..solver.solution import STOPS, geometric_mean
from ..table.columns import DATE, NUMBER
from ..table.rows import Rows, read_rows
from .advice import choice_message
from .cv_best import best_model
from .cv_folds import AS_GIVEN, PRUNED, Candidates, Plan, candidates_of, setting_losses, validation_losses
from .cv_settings import LEAST_ROWS, Setting, Tried, settings_of, settle
from .dealing import Split, dealt_out
from .estimator import OptimalTreeRegressor
from .exported import ExportedModel
from .fitted import set_solution
from .interrupts import interrupts
from .nested import DefaultBinarizer
from .parameters import check_search, check_selection
from .path import check_path_parameters
from .shown import ReportedModel
from .validation_curve import Fold, first_good, select

# Seconds for a tree of all rows after Ctrl-C.
_MOMENT = 0.3
# Where paths end when nothing is said, unless there are so many rows that a single one is worth less.
_LOWEST = 0.001
# What is known of the best tree once it is found, under the names that it has in OptimalTreeRegressor.
_OF_THE_BEST = (
    "binarizer_", "depth_", "gap_", "loss_", "lower_bound_", "n_leaves_", "objective_", "proven_depth_", "root_loss_",
    "solution_", "status_", "tree_",
)  # fmt: skip


class OptimalTreeRegressorCV(ReportedModel, ExportedModel, DefaultBinarizer, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The optimal regression tree at the regularization and the depth that predict best.

    On the training rows of every fold all optimal trees are found, from one leaf down to ``min_regularization``, with
    the exact interval of regularization on which each is optimal: among trees of at most two and three questions to a
    leaf, and of any depth. The loss on the test rows is then known for every regularization, not for a grid of them.
    The tree is the optimal one for all rows at the depth and the regularization chosen.

    Before that it is settled how fine the conditions are and how small leaves may be, if nothing is said of them: the
    default conditions and leaves of five rows, unless greedy trees predict clearly better with others (by more than the
    standard error of the difference between folds). Where nothing is said of the size of trees either, greedy trees,
    pruned to every size, are candidates too: where hundreds of leaves pay, which no search proves, they may predict
    clearly better than what was searched for. The tree then is one of them (``greedy_``).

    Where the time limit comes before all of that is proven, paths go on with the best trees known. ``choice_status_``
    tells whether only proven trees were compared, ``status_`` whether the tree is proven at what was chosen. Ctrl-C is
    a limit like the others (status "interrupted"): the choice is made by the folds that are done, and by what is known
    of the one it came in. A second one within two seconds raises KeyboardInterrupt, as does one before any search.

    Parameters
    ----------
    min_regularization : float, default=None
        The lowest regularization to consider. The lower, the larger the trees and the harder the proofs. None for
        0.001, or 1 / rows where that is less: the penalty that a leaf pays for with a row of average deviation. Greedy
        trees go on below.
    max_depth, max_leaves, loss, quantile, binarizer
        As for ``OptimalTreeRegressor``. With ``max_leaves``, optimal trees of more leaves are not considered. The
        binarizer is fitted within each fold. None for ``Binarizer()``, or one with 32 thresholds a column where that
        predicts clearly better.
    min_samples_leaf : int, default=None
        The fewest rows of a leaf. None for 5, or 10, 20, 2 or 1 where that predicts clearly better.
    cv : int, splitter or iterable, default=None
        The folds: None for five, or how many; rows are dealt out in the order of their targets, so that folds are
        alike and the order of the rows plays no part. Where rows that belong together must stay together, or the future
        must be predicted, give a splitter: ``GroupKFold(5)``, ``TimeSeriesSplit(5)``.
    selection : {"min", "one_standard_error"}, default="min"
        ``"min"`` takes the regularization with the smallest mean test loss. ``"one_standard_error"`` takes the largest
        whose mean is within one standard error of it: a smaller tree that is not clearly worse.
    time_limit : float, default=60
        Seconds for all of ``fit``. The folds have as much each, and as much again is kept for the path of all rows and
        for the tree at what is chosen, which also has what others left. None for no limit.
    memory_limit : float, default=None
        Megabytes of a process at which its search stops; None for no limit.
    n_jobs : int, default=None
        How many folds are worked on at a time, through joblib, so that ``joblib.parallel_config`` can send them to
        other machines. None for 1, -1 for all processors.
    verbose : bool, default=False
        Show the progress of the folds: live on a terminal and in a notebook, as lines on standard error elsewhere.

    Attributes
    ----------
    regularization_ : float
        The regularization chosen: the geometric mean of the chosen interval, of which an end at infinity counts as
        twice the other and one at zero as half of it. Where ``max_leaves`` ends the path above that, the middle of
        the last interval of the path.
    regularizations_ : ndarray of shape (n_intervals, 2)
        The ends, low and high, of the intervals on which the test loss of no fold changes, from high to low: first of
        trees of any depth (or ``max_depth``), then of two and three questions, as ``cv_results_["max_depth"]`` says, at
        last of greedy trees, as ``cv_results_["greedy"]`` does.
    test_loss_path_ : ndarray of shape (n_intervals, n_splits)
        The mean test loss of every fold on every interval.
    cv_results_ : dict of ndarray
        For every interval: ``max_depth``, ``greedy``, ``regularization_low``, ``regularization_high``,
        ``split0_test_loss`` ..., ``mean_test_loss`` (each fold counts by the weight of its test rows),
        ``standard_error``, ``rank_test_loss`` and ``mean_leaves``.
    best_index_ : int
        The interval chosen.
    best_score_ : float
        Minus the mean test loss there: the larger the better, as everywhere in scikit-learn.
    best_estimator_ : OptimalTreeRegressor
        The model of all rows.
    path_ : Path
        All optimal trees of all rows, of any depth (or ``max_depth``).
    n_splits_ : int
    choice_status_ : str
        "optimal" if all trees that were compared are proven on their folds; else what came first: "time_limit",
        "memory_limit", "precision_limit" or "interrupted". The best trees known were compared then.
    n_stopped_ : int
        Folds whose path is not proven as a whole.
    min_regularization_ : float
        The lowest regularization that was searched at.
    min_samples_leaf_ : int
        The fewest rows of a leaf, as settled.
    greedy_ : bool
        Whether the tree is a greedy one. ``status_`` then says what is known of better ones: "near_optimal" if the
        optimum is, which is ``lower_bound_``.
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
        min_regularization: float | None = None,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        min_samples_leaf: int | None = None,
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
        plan, limits = self._check()
        rows = read_rows(X, y, sample_weight, plan.model)
        splits = self._splits(rows, groups)
        if self.min_regularization is None:
            plan = replace(plan, min_regularization=min(_LOWEST, 1 / rows.table.rows))
        self.min_regularization_ = plan.min_regularization
        plan = self._settle(plan, limits, rows, splits)
        self.min_samples_leaf_ = plan.model.min_samples_leaf
        plan = self._share_time(plan, limits, len(splits))
        folds = self._folds(plan, rows, splits)
        self._choose(folds, len(splits))
        # After Ctrl-C what is missing for a tree of all rows takes a moment and no more.
        moment = Limits(_MOMENT, limits.megabytes)
        interrupted = self.choice_status_ == "interrupted"
        with showing(self.verbose) as display:
            display.stage("searching for the best tree of all rows")
            all_groups = plan.group(rows)
            paths = plan.paths(all_groups, moment if interrupted else plan.limits())
            self.path_ = paths[AS_GIVEN]
            interrupted = interrupted or self.path_.status == "interrupted"
            chosen = self._depth, geometric_mean(*self.regularizations_[self.best_index_])
            self.best_estimator_ = best_model(plan, all_groups, paths, chosen, moment if interrupted else limits)
        if interrupted and self.best_estimator_.status_ == "time_limit":  # that of the moment
            set_solution(self.best_estimator_, replace(self.best_estimator_.solution_, status="interrupted"))
        self.regularization_ = self.best_estimator_.regularization
        for name in (*_OF_THE_BEST, "n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self.best_estimator_, name):
                setattr(self, name, getattr(self.best_estimator_, name))
        if "interrupted" in (self.choice_status_, self.status_, self.path_.status):
            interrupts.heard()
        if STOPS.keys() & {self.choice_status_, self.status_}:
            warnings.warn(choice_message(self), LimitWarning, stacklevel=2)
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

    def _check(self) -> tuple[Plan, Limits]:
        """Return what is to be done, with all of the time for it."""
        check_selection(self.selection)
        shared = OptimalTreeRegressor().get_params(deep=False).keys() & self.get_params(deep=False).keys()
        params = {name: getattr(self, name) for name in shared - {"max_leaves", "verbose"}}
        if self.min_samples_leaf is None:
            params["min_samples_leaf"] = LEAST_ROWS[0]
        end = _LOWEST if self.min_regularization is None else self.min_regularization
        model, min_regularization, max_leaves = check_path_parameters(end, self.max_leaves, **params)
        model.n_jobs = 1  # the work of one thread for each set of rows
        limits = check_search(model).limits
        plan = Plan(model, rules_of(model.binarizer), min_regularization, max_leaves, limits.seconds)
        given = (self.min_regularization, self.max_depth, self.max_leaves)
        prune = all(value is None for value in given) and not loss_of(self.loss, self.quantile).needs_values
        return replace(plan, prune=prune), limits

    def _splits(self, rows: Rows, groups: Any) -> list[Split]:
        splitter = check_cv(self.cv, rows.target, classifier=False)
        splits = list(splitter.split(np.empty((rows.table.rows, 0)), rows.target, groups))
        return dealt_out(rows, len(splits)) if self.cv is None or isinstance(self.cv, Integral) else splits

    def _settle(self, plan: Plan, limits: Limits, rows: Rows, splits: list[Split]) -> Plan:
        """Return the plan with the conditions and the least leaves that greedy trees predict best with."""
        refine = self.binarizer is None and any(column.kind in (NUMBER, DATE) for column in rows.table.columns)
        settings = settings_of(plan.rules, self.min_samples_leaf, refine=refine)
        if len(settings) == 1 or loss_of(self.loss, self.quantile).needs_values:
            return plan.settled(settings[0])
        turns = self._turns(len(splits))
        seconds = None if limits.seconds is None else limits.seconds_left / (turns + 3)

        def attempts(some: Sequence[Setting]) -> Iterable[Tried | None]:
            each = None if seconds is None else seconds / turns
            return self._in_turn(setting_losses, [(plan, some, each, rows, split) for split in splits])

        with showing(self.verbose) as display:
            display.stage("settling conditions and leaves")
            return plan.settled(settle(settings, attempts, math.inf if seconds is None else seconds))

    def _turns(self, splits: int) -> int:
        """Return how many folds one thread works on."""
        return -(-splits // min(int(effective_n_jobs(self.n_jobs)), splits))

    def _share_time(self, plan: Plan, limits: Limits, splits: int) -> Plan:
        """Give all folds as much time, and as much again to the path of all rows and to the search for the tree."""
        if limits.seconds is None:
            return plan
        return replace(plan, seconds=limits.seconds_left / (self._turns(splits) + 2))

    def _folds(self, plan: Plan, rows: Rows, splits: list[Any]) -> list[dict[int, Fold]]:
        """Work on the folds, until Ctrl-C: the one that it came in has what it knew."""
        work = [(plan, rows, split) for split in splits]
        folds: list[dict[int, Fold]] = []
        start = time.monotonic()
        try:
            with showing(self.verbose) as display:
                display.stage("cross-validation", len(splits))
                for fold in self._in_turn(validation_losses, work):
                    folds.append(fold)
                    said = f"fold {len(folds)} of {len(splits)}: {fold[AS_GIVEN].in_words()}"
                    display.step(f"{said}, {time.monotonic() - start:.1f} s")
                    if fold[AS_GIVEN].status == "interrupted":
                        break
        except KeyboardInterrupt:  # between two searches, or while others are at work
            if not folds:
                raise
        return folds

    def _in_turn(self, function: Callable[..., Any], work: list[Any]) -> Iterable[Any]:
        """Return the answers for folds as they are done."""
        if effective_n_jobs(self.n_jobs) == 1:
            return (function(*arguments) for arguments in work)
        tasks = (delayed(function)(*arguments) for arguments in work)
        done: Iterable[Any] = Parallel(n_jobs=self.n_jobs, return_as="generator")(tasks)
        return done

    def _choose(self, folds: list[dict[int, Fold]], splits: int) -> None:
        """Add up the step functions of all folds, and choose an interval."""
        found = candidates_of(folds)
        stops = [fold[AS_GIVEN].status for fold in folds if fold[AS_GIVEN].status != "optimal"]
        self.n_splits_ = len(folds)
        self.n_stopped_ = len(stops)
        interrupted = "interrupted" in stops or len(folds) < splits
        self.choice_status_ = "interrupted" if interrupted else next(iter(stops), "optimal")
        self.regularizations_ = found.intervals
        self.test_loss_path_ = found.losses
        self.cv_results_ = {
            "max_depth": np.array([depth if depth > 0 else self.max_depth for depth in found.depth.tolist()]),
            "greedy": found.depth == PRUNED,
            "regularization_low": found.intervals[:, 0],
            "regularization_high": found.intervals[:, 1],
            **{f"split{k}_test_loss": found.losses[:, k] for k in range(len(folds))},
            "mean_test_loss": found.mean,
            "standard_error": found.standard_error,
            "rank_test_loss": rankdata(found.mean, method="min").astype(np.intp),
            "mean_leaves": found.leaves.mean(axis=1),
        }
        weight = np.array([fold[AS_GIVEN].weight for fold in folds])
        self.best_index_ = self._select(found, weight)
        self.best_score_ = -float(found.mean[self.best_index_])
        self._depth = int(found.depth[self.best_index_])
        self.greedy_ = self._depth == PRUNED

    def _select(self, found: Candidates, weight: NDArray[np.float64]) -> int:
        """Return the best of the searched trees, or of the greedy ones where these predict clearly better."""
        greedy = found.depth == PRUNED
        best = []
        for some in map(np.flatnonzero, (~greedy, greedy)):
            if len(some):
                size = found.leaves[some].mean(axis=1)
                at = select(found.mean[some], found.standard_error[some], self.selection, size)
                best.append(int(some[at]))
        return best[first_good(found.losses[best], weight)]
