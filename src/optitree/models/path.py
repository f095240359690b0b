"""The path: every optimal tree as the regularization falls, each with the interval on which it is optimal."""

import copy
import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..errors import LimitWarning
from ..groups.groups import Groups
from ..progress import showing
from ..solver.losses import SQUARED_ERROR, loss_of
from ..solver.problem import Limits
from ..solver.solution import STOPS, PathStep, to_raise
from ..solver.solve import solve_path
from .estimator import OptimalTreeRegressor
from .fitted import groups_of_any, set_fitted, set_solution
from .parameters import check_path_end, check_path_names, check_search, number, threads_of
from .shown import Reported


@dataclass(frozen=True, repr=False, eq=False)
class Path(Reported, Sequence[OptimalTreeRegressor]):
    """Optimal trees from few leaves to many: a sequence of fitted models that cannot be changed.

    The ``regularization`` of a model is the geometric mean of the interval on which its tree is optimal (an end at
    infinity counts as twice the other, one at zero as half of it). ``path.at(0.02)`` is the model at any other.

    Parameters
    ----------
    models : tuple of OptimalTreeRegressor
    steps : tuple of PathStep
        The interval of each.
    """

    models: tuple[OptimalTreeRegressor, ...]
    steps: tuple[PathStep, ...]

    @overload
    def __getitem__(self, at: int) -> OptimalTreeRegressor: ...
    @overload
    def __getitem__(self, at: "slice[Any, Any, Any]") -> "Path": ...
    def __getitem__(self, at: "int | slice[Any, Any, Any]") -> "OptimalTreeRegressor | Path":
        return Path(self.models[at], self.steps[at]) if isinstance(at, slice) else self.models[at]

    def __len__(self) -> int:
        return len(self.models)

    def __iter__(self) -> Iterator[OptimalTreeRegressor]:
        return iter(self.models)

    def __repr__(self) -> str:
        many = f"{len(self)} optimal tree{'' if len(self) == 1 else 's'}"
        note = "" if self.status == "optimal" else f", stopped by the {self.status.replace('_', ' ')}"
        return f"<Path of {many}{note}>\n{self.to_text()}"

    @property
    def status(self) -> str:
        """Either "optimal", when the path is whole, or what ended the search: "time_limit", "memory_limit"."""
        return next((step.status for step in self.steps if step.status != "optimal"), "optimal")

    @property
    def intervals(self) -> NDArray[np.float64]:
        """For each tree the lowest and the highest regularization at which it is proven optimal.

        Neighbours meet in a breakpoint unless ``status`` says that a limit came first.
        """
        return np.array([(step.low, step.high) for step in self.steps]).reshape(-1, 2)

    @property
    def breakpoints(self) -> NDArray[np.float64]:
        """The regularizations, falling, at which each tree but the last costs the same as the next."""
        return np.array([_crossing(a, b) for a, b in pairwise(self.steps)], dtype=np.float64)

    @property
    def losses(self) -> NDArray[np.float64]:
        """The loss of each tree on the training rows."""
        return np.array([step.solution.loss for step in self.steps], dtype=np.float64)

    @property
    def leaves(self) -> NDArray[np.intp]:
        """The number of leaves of each tree."""
        return np.array([step.leaves for step in self.steps], dtype=np.intp)

    @property
    def objectives(self) -> NDArray[np.float64]:
        """The objective of each tree at the two ends of its interval, as in ``intervals``."""
        return np.array([[step.solution.cost(r) for r in (step.low, step.high)] for step in self.steps]).reshape(-1, 2)

    def at(self, regularization: float) -> OptimalTreeRegressor:
        """Return the model of the best tree at a regularization; where two are equally good, the smaller one."""
        r = number("regularization", regularization, least=0)
        if not self.steps or not self.steps[-1].low <= r <= self.steps[0].high:
            reach = f"from {self.steps[-1].low:.6g} to {self.steps[0].high:.6g}" if self.steps else "nowhere"
            raise ValueError(
                f"regularization={regularization!r} is not on this path, which is known {reach}; compute one with a "
                "smaller min_regularization, more leaves or more time"
            )
        return _model_at(self, int(np.count_nonzero(self.breakpoints > r)), r)

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each tree."""
        try:
            import pandas as pd  # noqa: PLC0415  (for those who have it)
        except ImportError:
            raise ImportError("to_frame needs pandas; install it with: pip install pandas") from None
        return pd.DataFrame(self.to_dict())

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns of the table of all trees."""
        share = [step.solution.relative_loss for step in self.steps]
        score = self._score
        return {
            "leaves": [step.leaves for step in self.steps],
            "depth": [step.solution.tree.depth for step in self.steps],
            "loss": [step.solution.loss for step in self.steps],
            "relative_loss": share,
            score: [1 - value for value in share],
            "regularization_from": [step.low for step in self.steps],
            "regularization_to": [step.high for step in self.steps],
            "proven": [step.status == "optimal" for step in self.steps],
        }

    def to_text(self) -> str:
        """Return the table of all trees as text."""
        columns, score = self.to_dict(), self._score
        head = ("leaves", "depth", "loss", score.upper().replace("2", "²"), "optimal at regularization")
        lines = [
            (str(leaves), str(depth), f"{loss:.6g}", f"{value:.4f}", _interval_text(low, high, proven))
            for leaves, depth, loss, value, low, high, proven in zip(
                *(columns[name] for name in ("leaves", "depth", "loss", score)),
                *(columns[name] for name in ("regularization_from", "regularization_to", "proven")),
                strict=True,
            )
        ]
        widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
        aligned = [
            "  ".join([*(text.rjust(width) for text, width in zip(line[:-1], widths, strict=False)), line[-1]])
            for line in (head, *lines)
        ]
        return "\n".join(aligned)

    @property
    def _score(self) -> str:
        """What 1 - loss / root loss is called."""
        models = self.models
        return (loss_of(models[0].loss, models[0].quantile) if models else SQUARED_ERROR).score

    def plot(self, ax: Any = None) -> Any:
        """Draw what each tree leaves unexplained against its leaves, with the regularization between two trees.

        Needs matplotlib. Returns the axes.
        """
        from ..output.plots import plot_path  # noqa: PLC0415  (matplotlib is for those who have it)

        return plot_path(self, ax)


def regularization_path(
    X: Any,
    y: Any = None,
    *,
    min_regularization: float = 0.001,
    max_leaves: int | None = None,
    sample_weight: Any = None,
    **params: Any,
) -> Path:
    """Find every optimal tree as the regularization falls, and on which interval of it each is optimal.

    The first tree is a single leaf; the last is the one that ``OptimalTreeRegressor(min_regularization)`` finds. A tree
    that is on no path is optimal for no regularization. A limit reached is a warning: the path has what is proven.

    Parameters
    ----------
    X, y : the table and the target, as for ``OptimalTreeRegressor.fit``
        X may be the ``Groups`` that ``optitree.compress`` made of a table; y is None then.
    min_regularization : float, default=0.001
        Where the path ends. The lower, the more trees and the harder the proofs.
    max_leaves : int, default=None
        The path ends after the last tree of at most so many leaves.
    sample_weight : array, default=None
        The weights of the rows.
    **params
        Parameters of ``OptimalTreeRegressor``: max_depth, min_samples_leaf, loss, quantile, binarizer, time_limit (for
        the whole call), memory_limit, n_jobs (threads of the search), verbose.

    Returns
    -------
    Path
    """
    model, min_regularization, max_leaves = check_path_parameters(min_regularization, max_leaves, **params)
    limits = check_search(model).limits
    with showing(model.verbose) as display:
        display.stage("grouping the rows")
        groups = groups_of_any(X, y, sample_weight, model)
        display.stage("searching for every optimal tree")
        path = path_of_groups(groups, model, min_regularization, max_leaves, limits)
    if path.status != "optimal":
        warnings.warn(_limit_message(path, min_regularization), LimitWarning, stacklevel=2)
    return path


def path_of_groups(
    groups: Groups, model: OptimalTreeRegressor, min_regularization: float, max_leaves: int | None, limits: Limits
) -> Path:
    """Find the path of groups under the checked parameters of a model; Ctrl-C raises KeyboardInterrupt.

    ``limits``: those of the model, made when the work on these rows began.
    """
    problem = check_search(model).problem
    problem, threads = replace(problem, max_leaves=max_leaves), threads_of(model.n_jobs)
    with showing(model.verbose) as display:
        steps = solve_path(groups, problem, min_regularization, limits, display.monitor, threads=threads)
    models = tuple(set_fitted(copy.copy(model), groups.condition_set, step.solution) for step in steps)
    path = Path(models, steps)
    if path.status == "interrupted":
        raise KeyboardInterrupt
    return Path(tuple(_model_at(path, at, step.regularization) for at, step in enumerate(steps)), steps)


def _model_at(path: Path, at: int, regularization: float) -> OptimalTreeRegressor:
    """Return the model of a step at a regularization, which may be one where another tree might be better."""
    step = path.steps[at]
    objective = step.solution.cost(regularization)
    proven = step.low <= regularization <= step.high and not step.error
    model = copy.copy(path.models[at])
    model.regularization = regularization
    solution = replace(
        step.solution,
        status="optimal" if proven else path.status,
        objective=objective,
        lower_bound=objective if proven else min(_lower_bound(path, regularization), objective) - step.error,
        proven_depth=None if proven else 0,
    )
    return set_solution(model, solution)


def _lower_bound(path: Path, regularization: float) -> float:
    """Return what no tree is below: the objective of the best tree is concave, so no less than any chord."""
    ends = sorted((r, step.solution.cost(r)) for step in path.steps for r in (step.low, step.high) if r < math.inf)
    known, objectives = np.array(ends).T
    return float(np.interp(regularization, known, objectives))


def check_path_parameters(
    min_regularization: Any = 0.001, max_leaves: Any = None, **params: Any
) -> tuple[OptimalTreeRegressor, float, int | None]:
    """Return a model, not fitted, with the parameters of the search, and where the path is to end."""
    check_path_names(params, OptimalTreeRegressor().get_params(deep=False))
    model = OptimalTreeRegressor(**params)
    check_search(model)
    return model, *check_path_end(min_regularization, max_leaves)


def _crossing(few: PathStep, many: PathStep) -> float:
    """Return where two neighbours cost the same: their common end, or where they cross if a limit came before."""
    if few.low == many.high:
        return few.low
    return (few.solution.relative_loss - many.solution.relative_loss) / (many.leaves - few.leaves)


def _interval_text(low: float, high: float, proven: bool) -> str:
    if high == math.inf:
        return f"{low:.6g} and above{'' if proven else ', perhaps below'}"
    return f"{low:.6g} to {high:.6g}{'' if proven else ', perhaps wider'}"


def _limit_message(path: Path, min_regularization: float) -> str:
    error = path.steps[0].error if path.steps else 0
    if error:
        return (
            f"{STOPS['precision_limit']} leaves it open whether these trees are optimal: others may be better by "
            f"{error:.2g}. Bring the weights of the rows closer to each other to finish"
        )
    return (
        f"{STOPS[path.status]} came before the whole path: it is proven down to regularization "
        f"{path.steps[-1].low:.6g}, not {min_regularization:.6g}. Raise {to_raise(path.status, 'min_regularization')}, "
        "set max_depth or max_leaves, or use fewer thresholds to finish"
    )
