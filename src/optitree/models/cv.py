"""The regularization chosen by cross-validation, along the exact path of every fold."""

import copy
import time
import warnings
from collections.abc import Iterable
from dataclasses import replace
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
from ..groups.groups import Groups
from ..progress import showing
from ..solver.problem import Limits
from ..solver.solution import better_of, geometric_mean
from ..solver.solve import solve
from ..table.rows import Rows, read_rows
from .advice import choice_message
from .cv_folds import AS_GIVEN, Plan, candidates_of, validation_losses
from .estimator import OptimalTreeRegressor
from .exported import ExportedModel
from .fitted import set_fitted, set_solution
from .interrupts import interrupts
from .nested import DefaultBinarizer
from .parameters import check_search, check_selection
from .path import Path as TreePath
from .path import check_path_parameters
from .shown import ReportedModel
from .validation_curve import Fold, select

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

    Where the time limit comes before all of that is proven, paths go on with the best trees known. ``choice_status_``
    tells whether only proven trees were compared, ``status_`` whether the tree is proven at what was chosen. Ctrl-C is
    a limit like the others (status "interrupted"): the choice is made by the folds that are done, and by what is known
    of the one it came in. A second one within two seconds raises KeyboardInterrupt, as does one before any search.

    Parameters
    ----------
    min_regularization : float, default=None
        The lowest regularization to consider. The lower, the larger the trees and the harder the proofs. None for
        0.001, or 1 / rows where that is less: the penalty that a leaf pays for with a row of average deviation.
    max_depth, max_leaves, loss, quantile, binarizer
        As for ``OptimalTreeRegressor``. With ``max_leaves``, optimal trees of more leaves are not considered. The
        binarizer is fitted within each fold.
    min_samples_leaf : int, default=5
        The fewest rows of a leaf.
    cv : int, splitter or iterable, default=None
        The folds, as everywhere in scikit-learn: None for five in the order of the rows. Where that order means
        something, shuffle them: ``KFold(5, shuffle=True, random_state=0)``.
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
        trees of any depth (or ``max_depth``), then of three and two questions, as ``cv_results_["max_depth"]`` says.
    test_loss_path_ : ndarray of shape (n_intervals, n_splits)
        The mean test loss of every fold on every interval.
    cv_results_ : dict of ndarray
        For every interval: ``max_depth``, ``regularization_low``, ``regularization_high``, ``split0_test_loss`` ...,
        ``mean_test_loss`` (each fold counts by the weight of its test rows), ``standard_error``, ``rank_test_loss`` and
        ``mean_leaves``.
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
        The lowest regularization that was considered.
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
        min_samples_leaf: int = 5,
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
        splitter = check_cv(self.cv, rows.target, classifier=False)
        splits = list(splitter.split(np.empty((rows.table.rows, 0)), rows.target, groups))
        if self.min_regularization is None:
            plan = replace(plan, min_regularization=min(_LOWEST, 1 / rows.table.rows))
        self.min_regularization_ = plan.min_regularization
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
            self.best_estimator_ = self._best(plan, all_groups, paths, moment if interrupted else limits)
        if interrupted and self.best_estimator_.status_ == "time_limit":  # that of the moment
            set_solution(self.best_estimator_, replace(self.best_estimator_.solution_, status="interrupted"))
        self.regularization_ = self.best_estimator_.regularization
        for name in (*_OF_THE_BEST, "n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self.best_estimator_, name):
                setattr(self, name, getattr(self.best_estimator_, name))
        if "interrupted" in (self.choice_status_, self.status_, self.path_.status):
            interrupts.heard()
        if not self.choice_status_ == self.status_ == "optimal":
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
        end = _LOWEST if self.min_regularization is None else self.min_regularization
        model, min_regularization, max_leaves = check_path_parameters(end, self.max_leaves, **params)
        model.n_jobs = 1  # the work of one thread for each set of rows
        limits = check_search(model).limits
        return Plan(model, rules_of(model.binarizer), min_regularization, max_leaves, limits.seconds), limits

    def _share_time(self, plan: Plan, limits: Limits, splits: int) -> Plan:
        """Give all folds as much time, and as much again to the path of all rows and to the search for the tree."""
        if limits.seconds is None:
            return plan
        turns = -(-splits // min(int(effective_n_jobs(self.n_jobs)), splits))
        return replace(plan, seconds=limits.seconds_left / (turns + 2))

    def _folds(self, plan: Plan, rows: Rows, splits: list[Any]) -> list[dict[int, Fold]]:
        """Work on the folds, until Ctrl-C: the one that it came in has what it knew."""
        work = [(plan, rows, split) for split in splits]
        folds: list[dict[int, Fold]] = []
        start = time.monotonic()
        try:
            with showing(self.verbose) as display:
                display.stage("cross-validation", len(splits))
                for fold in self._in_turn(work):
                    folds.append(fold)
                    said = f"fold {len(folds)} of {len(splits)}: {fold[AS_GIVEN].in_words()}"
                    display.step(f"{said}, {time.monotonic() - start:.1f} s")
                    if fold[AS_GIVEN].status == "interrupted":
                        break
        except KeyboardInterrupt:  # between two searches, or while others are at work
            if not folds:
                raise
        return folds

    def _in_turn(self, work: list[Any]) -> Iterable[dict[int, Fold]]:
        """Return the folds as they are done."""
        if effective_n_jobs(self.n_jobs) == 1:
            return (validation_losses(*arguments) for arguments in work)
        tasks = (delayed(validation_losses)(*arguments) for arguments in work)
        done: Iterable[dict[int, Fold]] = Parallel(n_jobs=self.n_jobs, return_as="generator")(tasks)
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
            "max_depth": np.array([self.max_depth if depth == AS_GIVEN else depth for depth in found.depth.tolist()]),
            "regularization_low": found.intervals[:, 0],
            "regularization_high": found.intervals[:, 1],
            **{f"split{k}_test_loss": found.losses[:, k] for k in range(len(folds))},
            "mean_test_loss": found.mean,
            "standard_error": found.standard_error,
            "rank_test_loss": rankdata(found.mean, method="min").astype(np.intp),
            "mean_leaves": found.leaves.mean(axis=1),
        }
        size = self.cv_results_["mean_leaves"]
        self.best_index_ = select(found.mean, found.standard_error, self.selection, size)
        self.best_score_ = -float(found.mean[self.best_index_])
        self._depth = int(found.depth[self.best_index_])

    def _best(self, plan: Plan, groups: Groups, paths: dict[int, TreePath], limits: Limits) -> OptimalTreeRegressor:
        """Return the model of all rows at the depth and the regularization chosen."""
        chosen = geometric_mean(*self.regularizations_[self.best_index_])
        path, known = paths.get(self._depth), None
        if path is not None and chosen >= path.steps[-1].reach:
            known = path.at(chosen)
            if known.status_ == "optimal":
                return known
        elif path is not None and path.status == "optimal":
            return path[-1]  # the largest that max_leaves allows
        # The path of all rows is not proven there: what is left of the time is for a search at this one regularization.
        direct = copy.copy(plan.model)
        direct.regularization, direct.max_leaves = chosen, plan.max_leaves
        direct.max_depth = self.max_depth if self._depth == AS_GIVEN else self._depth
        problem, least = check_search(direct).problem, Limits(limits.seconds_left, limits.megabytes)
        solution = solve(groups, problem, None if limits.seconds is None and limits.megabytes is None else least)
        if known is not None and known.objective_ < solution.objective:
            solution = better_of(known.solution_, solution)
        return set_fitted(direct, groups.condition_set, solution)
