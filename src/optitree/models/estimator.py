"""The scikit-learn estimator."""

import math
import sys
import time
import warnings
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs, parallel_config
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..conditions.binarizer import Binarizer
from ..errors import LimitWarning
from ..groups.groups import Groups, group_table
from ..solver.solution import Solution, TracePoint
from ..solver.solve import LOSSES, SQUARED, Limits, Monitor, Problem, solve
from ..table.reading import Table, read_again, read_table
from ..table.target import read_target, read_weight

MOST_THREADS = 64
# Python's own numbers first, which are found without asking an abstract class.
_WHOLE = (int, Integral)
_REAL = (float, int, Real)

Rows = tuple[Binarizer, Table, NDArray[np.float64], NDArray[np.float64] | None]


class OptimalTreeRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The regression tree that no other tree beats, with the proof.

    Minimises ``loss / root_loss + regularization * leaves``, where the loss is the weighted mean of
    squared errors (or absolute errors, or the quantile loss) and the root loss that of the best
    single leaf, over all trees that ask the conditions of the binarizer.

    Parameters
    ----------
    regularization : float, default=0.01
        The price of a leaf: a leaf must take away at least this share of the root loss.
    max_depth : int, default=None
        The most splits from the root to a leaf; None for no limit.
    max_leaves : int, default=None
        The most leaves; None for no limit. With ``regularization=0`` it alone decides the size.
    min_samples_leaf : int, default=1
        The fewest rows of a leaf.
    loss : {"squared_error", "absolute_error", "quantile"}, default="squared_error"
        What is minimised, and what a leaf predicts: the mean of its rows, their median, or the
        quantile named below; weighted, and the lowest where there are several.
    quantile : float, default=0.5
        Which quantile, between 0 and 1, when loss="quantile": a prediction below the target costs
        ``quantile`` a unit, one above it ``1 - quantile``.
    binarizer : Binarizer, default=None
        Makes the conditions; None for ``Binarizer()``.
    time_limit : float, default=60
        Seconds after which the search stops with the best tree so far; None for no limit.
    memory_limit : float, default=None
        Megabytes of the whole process at which the search stops; None for no limit.
    n_jobs : int, default=1
        Threads of the search: -1 for all processors, None for 1. The tree does not depend on it.
    verbose : bool, default=False
        Print the progress of the search to standard error.

    Attributes
    ----------
    status_ : str
        "optimal" when the tree is proven best, else what ended the search: "time_limit",
        "memory_limit" or "interrupted". Models from ``near_optimal_trees`` that are proven not to
        be the best have "near_optimal": ``lower_bound_`` is the optimum then, and ``gap_`` how far
        above it the tree is.
    objective_, lower_bound_, gap_ : float
        The tree's objective, the value that no tree is below, and their difference.
    loss_, root_loss_ : float
        Mean loss of the tree and of the best single leaf on the training rows.
    n_leaves_, depth_ : int
    tree_ : Tree
    solution_ : Solution
        All of the above with the statistics of the search.
    feature_importances_ : ndarray
        The share of each column in the loss that the splits take away.
    binarizer_ : Binarizer
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has column names.
    """

    def __init__(
        self,
        regularization: float = 0.01,
        *,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        min_samples_leaf: int = 1,
        loss: str = "squared_error",
        quantile: float = 0.5,
        binarizer: Binarizer | None = None,
        time_limit: float | None = 60,
        memory_limit: float | None = None,
        n_jobs: int | None = 1,
        verbose: bool = False,
    ) -> None:
        self.regularization = regularization
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_samples_leaf = min_samples_leaf
        self.loss = loss
        self.quantile = quantile
        self.binarizer = binarizer
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best tree for a table.

        A limit reached is a warning, not an error: the model then has the best tree found and
        ``gap_`` says how much better another could be. Ctrl-C too leaves the model fitted, and then
        raises KeyboardInterrupt.
        """
        problem, limits = self._problem(), self._limits()
        return self._solve(self._group(X, y, sample_weight), problem, limits)

    def fit_groups(self, groups: Groups) -> Self:
        """Find the best tree for the groups that ``optitree.compress`` made of a table.

        The tree is the one that ``fit`` finds for the table. The conditions are those of the groups: the parameter
        ``binarizer`` plays no part.
        """
        problem, limits = self._problem(), self._limits()
        if not isinstance(groups, Groups):
            raise TypeError(
                f"fit_groups takes Groups, made by optitree.compress(frame, target=...), not {type(groups).__name__}"
            )
        return self._solve(groups, problem, limits)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the target of each row."""
        leaves = self.apply(X)
        return self.tree_.values[leaves]

    def apply(self, X: Any) -> NDArray[np.intp]:
        """Return the number of the leaf, in ``tree_.nodes``, that each row reaches."""
        check_is_fitted(self)
        table = read_again(X, self, self.binarizer_.kinds_, [n.condition for n in self.tree_.nodes if n.condition])
        return self.tree_.apply(table)

    def decision_path(self, X: Any) -> csr_matrix:
        """Return a sparse matrix of rows by nodes: 1 where the row passes through the node."""
        leaves = self.apply(X)
        paths = self.tree_.ancestors
        lengths = np.array([len(path) for path in paths])
        indices = np.concatenate([np.empty(0, np.intp), *(np.array(paths[at]) for at in leaves)])
        pointers = np.concatenate([[0], np.cumsum(lengths[leaves])])
        ones = np.ones(len(indices), dtype=np.intp)
        return csr_matrix((ones, indices, pointers), shape=(len(leaves), len(self.tree_)))

    def get_depth(self) -> int:
        """Return the number of splits on the longest path."""
        check_is_fitted(self)
        return self.depth_

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.n_leaves_

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column in the loss that the splits take away."""
        check_is_fitted(self)
        importances = np.zeros(self.n_features_in_)
        nodes = self.tree_.nodes
        for node in nodes:
            if node.condition is not None:
                gain = node.loss - nodes[node.yes].loss - nodes[node.no].loss
                importances[node.condition.column] += gain
        total = importances.sum()
        return importances / total if total > 0 else importances

    def save(self, path: str | Path) -> None:
        """Write the model to a JSON file; ``optitree.load`` reads it back."""
        from ..output.model_files import save  # noqa: PLC0415  (files needs this module)

        check_is_fitted(self)
        save(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "solution_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _group(self, X: Any, y: Any, sample_weight: Any) -> Groups:
        """From a table to the groups that the search needs."""
        return self._group_rows(*self._read(X, y, sample_weight))

    def _group_or_keep(self, X: Any, y: Any, sample_weight: Any) -> Groups:
        """Return the groups of a table, or those that were given in its place."""
        if not isinstance(X, Groups):
            return self._group(X, y, sample_weight)
        if y is not None or sample_weight is not None:
            raise ValueError("Groups have their target and weights in them; leave out y and sample_weight")
        return X

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """Return the table, its target and weights, and a binarizer that knows the names of the columns."""
        binarizer = Binarizer()
        if self.binarizer is not None:
            binarizer = clone(self.binarizer)
            binarizer._check_parameters()
        table = read_table(X, binarizer)
        return binarizer, table, read_target(y, table.rows, self), read_weight(sample_weight, table.rows)

    def _group_rows(
        self, binarizer: Binarizer, table: Table, target: NDArray[np.float64], weight: NDArray[np.float64] | None
    ) -> Groups:
        binarizer._fit_table(table, target, weight)
        return group_table(table, binarizer, target, weight, values=self.loss != SQUARED)

    def _solve(self, groups: Groups, problem: Problem, limits: Limits) -> Self:
        monitor = _printer() if self.verbose else None
        solution = solve(groups, problem, limits, monitor, threads=self._threads())
        self._adopt(groups, solution)
        if solution.status == "interrupted":
            raise KeyboardInterrupt
        if solution.status != "optimal":
            warnings.warn(self._limit_message(), LimitWarning, stacklevel=3)
        return self

    def _adopt(self, groups: Groups, solution: Solution) -> Self:
        """Become the fitted model of a solution found for these groups."""
        self.binarizer_ = groups.binarizer
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(groups.binarizer, name):
                setattr(self, name, getattr(groups.binarizer, name))
        self._set_solution(solution)
        return self

    def _set_solution(self, solution: Solution) -> None:
        self.solution_ = solution
        self.tree_ = solution.tree
        self.status_ = solution.status
        self.objective_ = solution.objective
        self.lower_bound_ = solution.lower_bound
        self.gap_ = solution.gap
        self.loss_ = solution.loss
        self.root_loss_ = solution.root_loss
        self.n_leaves_ = solution.tree.n_leaves
        self.depth_ = solution.tree.depth

    def _problem(self) -> Problem:
        regularization = _number("regularization", self.regularization, least=0)
        max_depth = _whole("max_depth", self.max_depth, least=0, or_none=True)
        min_samples_leaf = _whole("min_samples_leaf", self.min_samples_leaf, least=1)
        assert min_samples_leaf is not None
        max_leaves = _whole("max_leaves", self.max_leaves, least=1, or_none=True)
        if not isinstance(self.loss, str) or self.loss not in LOSSES:
            raise ValueError(f"loss={self.loss!r} is not available; use {', '.join(map(repr, LOSSES))}")
        quantile = _number("quantile", self.quantile, least=0)
        if not 0 < quantile < 1:
            raise ValueError(f"quantile={self.quantile!r} must be between 0 and 1, for example 0.9")
        if self.binarizer is not None and not isinstance(self.binarizer, Binarizer):
            raise TypeError(f"binarizer must be a Binarizer or None, not {type(self.binarizer).__name__}")
        return Problem(regularization, max_depth, min_samples_leaf, max_leaves, self.loss, quantile)

    def _threads(self) -> int:
        if self.n_jobs in (1, None):
            return 1
        # As everywhere in scikit-learn: what joblib makes of it, for threads, which any process may start.
        with parallel_config(prefer="threads"):
            return min(int(effective_n_jobs(self.n_jobs)), MOST_THREADS)

    def _limits(self) -> Limits:
        if self.n_jobs is not None and _whole("n_jobs", self.n_jobs, least=-1_000_000) == 0:
            raise ValueError("n_jobs=0 must be 1 or more, -1 for all processors, or None")
        seconds = megabytes = None
        if self.time_limit is not None:
            seconds = _number("time_limit", self.time_limit, least=0, hint=", or None for no limit")
        if self.memory_limit is not None:
            megabytes = _number(
                "memory_limit",
                self.memory_limit,
                least=1,
                hint=" (megabytes), or None for no limit",
            )
        return Limits(seconds, megabytes)

    def _limit_message(self) -> str:
        limit = "time" if self.status_ == "time_limit" else "memory"
        return (
            f"the {limit} limit came before the proof: the tree's objective is "
            f"{self.objective_:.6g}, and no tree is below {self.lower_bound_:.6g}. Raise "
            f"{limit}_limit or regularization, set max_depth, or use fewer thresholds to finish"
        )


def _number(name: str, value: Any, least: float, hint: str = "") -> float:
    if isinstance(value, bool) or not isinstance(value, _REAL):
        raise TypeError(f"{name}={value!r} must be a number of at least {least}{hint}")
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond the range of floating point
        number = math.inf
    if not least <= number < math.inf:
        raise ValueError(f"{name}={value!r} must be a finite number of at least {least}{hint}")
    return number


def _whole(name: str, value: Any, least: int, or_none: bool = False) -> int | None:
    if value is None and or_none:
        return None
    hint = ", or None for no limit" if or_none else ""
    if isinstance(value, bool) or not isinstance(value, _WHOLE):
        raise TypeError(f"{name}={value!r} must be a whole number of at least {least}{hint}")
    if value < least:
        raise ValueError(f"{name}={value!r} must be a whole number of at least {least}{hint}")
    return int(value)


def _printer() -> Monitor:
    """Return a monitor that prints a line a second."""
    last = 0.0

    def show(point: TracePoint) -> bool:
        nonlocal last
        if time.monotonic() - last >= 1:
            last = time.monotonic()
            print(
                f"{point.seconds:7.1f} s   lower bound {point.lower_bound:.6f}   "
                f"upper bound {point.upper_bound:.6f}   {point.solved:,} subproblems",
                file=sys.stderr,
            )
        return True

    return show
