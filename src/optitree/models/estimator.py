"""The scikit-learn estimator."""

import warnings
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ..certificate.certificate import Certificate
from ..conditions.binarizer import Binarizer, conditions_of
from ..errors import LimitWarning
from ..groups.groups import Groups
from ..output.exports.engine import predict_lazily
from ..output.exports.fitted_tree import fitted_tree
from ..output.model_files import SavedModel, write_model
from ..progress import showing
from ..solver.solution import Solution
from ..solver.solve import solve
from ..solver.tree import Tree
from ..table.frames import as_lazy_frame
from ..table.reading import read_again
from .advice import limit_message
from .certify import certify
from .exported import ExportedModel
from .fitted import groups_of, set_fitted
from .interrupts import interrupts
from .nested import DefaultBinarizer
from .parameters import Search, check_search, threads_of
from .shown import ReportedModel


class OptimalTreeRegressor(ReportedModel, ExportedModel, DefaultBinarizer, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The regression tree that no other tree beats, with the proof.

    Minimises ``loss / root_loss + regularization * leaves``, where the loss is the weighted mean of
    squared errors (or absolute errors, or the quantile loss) and the root loss that of the best
    single leaf, over all trees that ask the conditions of the binarizer.

    Parameters
    ----------
    regularization : float, default=0.01
        The penalty for a leaf: a leaf must take away at least this share of the root loss.
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
        Seconds from the beginning of ``fit`` after which the search stops with the best tree so far; None for no
        limit. If reading and grouping the table take longer, they are still done, and the search has half a second
        (a tenth of the limit if that is less).
    memory_limit : float, default=None
        Megabytes of the whole process at which the search stops, its table and groups included; None for no limit.
    n_jobs : int, default=1
        Threads of the search: -1 for all processors, None for 1. The tree does not depend on it.
    verbose : bool, default=False
        Show the progress of the search: live on a terminal and in a notebook, as lines on standard error elsewhere.

    Attributes
    ----------
    status_ : str
        "optimal" when the tree is proven best, else what ended the search: "time_limit",
        "memory_limit", "interrupted", or "precision_limit" when rounding leaves the proof open
        (weights or a regularization of extreme size). Models from ``near_optimal_trees`` that are proven not to
        be the best have "near_optimal": ``lower_bound_`` is the optimum then, and ``gap_`` how far
        above it the tree is.
    objective_, lower_bound_, gap_ : float
        The tree's objective, the value that no tree is below, and their difference.
    proven_depth_ : int or None
        No tree with at most so many questions on the way to a leaf is better than this one; None: no
        tree at all, as for ``max_depth``.
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

    status_: str
    objective_: float
    lower_bound_: float
    gap_: float
    proven_depth_: int | None
    loss_: float
    root_loss_: float
    n_leaves_: int
    depth_: int
    tree_: Tree
    solution_: Solution
    binarizer_: Binarizer
    n_features_in_: int

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
        ``gap_`` says how much better another could be. So is Ctrl-C during the search (status
        "interrupted"); a second one within two seconds raises KeyboardInterrupt, as does one before the search, while
        the table is read and grouped: there is no tree then.
        """
        search = check_search(self)
        with showing(self.verbose) as display:
            display.stage("grouping the rows")
            return self._solve(groups_of(X, y, sample_weight, self), search)

    def fit_groups(self, groups: Groups) -> Self:
        """Find the best tree for the groups that ``optitree.compress`` made of a table.

        The tree is the one that ``fit`` finds for the table. The conditions are those of the groups: the parameter
        ``binarizer`` plays no part.
        """
        search = check_search(self)
        if not isinstance(groups, Groups):
            raise TypeError(
                f"fit_groups takes Groups, made by optitree.compress(frame, target=...), not {type(groups).__name__}"
            )
        return self._solve(groups, search)

    def predict(self, X: Any) -> Any:
        """Predict the target of each row.

        A table that an engine holds (DuckDB, lazy polars, Dask, Spark) stays there: the answer is a table of that
        engine, not yet computed, with one column ``prediction``. ``predict_table`` keeps the other columns beside it.
        """
        check_is_fitted(self)
        lazy = as_lazy_frame(X)
        if lazy is not None:
            return predict_lazily(fitted_tree(self), lazy)
        return self.tree_.values[self.apply(X)]

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
        check_is_fitted(self)
        parameters = self.get_params(deep=False)
        default = parameters.pop("binarizer") is None
        conditions = conditions_of(self.binarizer_)
        assert conditions is not None
        write_model(SavedModel(parameters, default, conditions, self.solution_), path)

    def certificate(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, max_depth: int | None = None, time_limit: float = 300
    ) -> Certificate:
        """Write down the proof that no tree is better, for ``optitree.verify`` or anyone else to check.

        Takes the table that the model was fitted to, or its groups in place of it. If the search was stopped, or the
        time limit ends before the proof is complete, the certificate has the lower bound that can be proven.
        ``max_depth``: prove it for trees of so many questions to a leaf only, up to ``proven_depth_`` for example.
        """
        check_is_fitted(self)
        return certify(self, (X, y, sample_weight), max_depth, time_limit)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "solution_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _solve(self, groups: Groups, search: Search) -> Self:
        with showing(self.verbose) as display:
            display.stage("searching for the best tree")
            solution = solve(groups, *search, display.monitor, threads=threads_of(self.n_jobs))
        set_fitted(self, groups.condition_set, solution)
        if solution.status == "interrupted":
            interrupts.heard()
        if solution.status != "optimal":
            warnings.warn(limit_message(self), LimitWarning, stacklevel=3)
        return self
