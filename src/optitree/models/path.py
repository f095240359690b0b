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
from ..solver.known_path import PathSearch
from ..solver.losses import SQUARED_ERROR, loss_of
from ..solver.problem import Limits
from ..solver.solution import PathStep
from .advice import path_message
from .estimator import OptimalTreeRegressor
from .fitted import groups_of_any, set_fitted, set_solution
from .interrupts import interrupts
from .parameters import check_path_end, check_path_names, check_search, number, threads_of
from .shown import Reported

# A tree is proven optimal if none can be better by more than this, as everywhere.
SAME = 1e-9


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
        proven = sum(step.proven for step in self.steps)
        many = f"{proven} optimal tree{'' if proven == 1 else 's'}"
        if proven < len(self):
            many += f", {len(self) - proven} best known below"
        note = "" if self.status == "optimal" else f", stopped by the {self.status.replace('_', ' ')}"
        return f"<Path of {many}{note}>\n{self.to_text()}"

    @property
    def status(self) -> str:
        """Either "optimal", when the path is whole, or what came first: "time_limit", "memory_limit", "interrupted"."""
        return next((step.status for step in self.steps if step.status != "optimal"), "optimal")

    @property
    def intervals(self) -> NDArray[np.float64]:
        """For each tree the lowest and the highest regularization at which it is proven optimal, or best known.

        Neighbours meet in a breakpoint unless ``status`` says that a limit came first. ``proven`` says which is which.
        """
        return np.array([(step.low, step.high) for step in self.steps]).reshape(-1, 2)

    @property
    def proven(self) -> NDArray[np.bool_]:
        """Whether each tree is proven optimal on its interval. The others are the best known there."""
        return np.array([step.proven for step in self.steps], dtype=np.bool_)

    @property
    def proven_to(self) -> float:
        """The regularization down to which every tree of the path is proven optimal; infinity without any."""
        lowest = math.inf
        for step in self.steps:
            if not step.proven or step.high < min(lowest, step.high) or step.error:
                break
            lowest = step.low
            if step.status != "optimal":
                break
        return lowest

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
        if not self.steps or not self.steps[-1].reach <= r <= self.steps[0].high:
            reach = f"from {self.steps[-1].reach:.6g} to {self.steps[0].high:.6g}" if self.steps else "nowhere"
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
            "gap": [model.gap_ for model in self.models],
            "proven_depth": [model.proven_depth_ for model in self.models],
        }

    def to_text(self) -> str:
        """Return the table of all trees as text."""
        columns, score = self.to_dict(), self._score
        head = ("leaves", "depth", "loss", score.upper().replace("2", "²"), "optimal at regularization")
        lines = [
            (str(leaves), str(depth), f"{loss:.6g}", f"{value:.4f}", _interval_text(step, model))
            for leaves, depth, loss, value, step, model in zip(
                *(columns[name] for name in ("leaves", "depth", "loss", score)), self.steps, self.models, strict=True
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
    that is on no path is optimal for no regularization. A limit reached, or Ctrl-C, is a warning: the path is proven as
    far down as it came and goes on with the best trees known. Each of them says how much better another could be
    (``gap_``) and up to which depth none is (``proven_depth_``). Half of the time is kept for those.

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
    if path.status == "interrupted":
        interrupts.heard()
    if path.status != "optimal":
        warnings.warn(path_message(path, min_regularization), LimitWarning, stacklevel=2)
    return path


def path_of_groups(
    groups: Groups, model: OptimalTreeRegressor, min_regularization: float, max_leaves: int | None, limits: Limits
) -> Path:
    """Find the path of groups under the checked parameters of a model.

    ``limits``: those of the model, made when the work on these rows began.
    """
    return path_of_steps(path_search(groups, model, min_regularization, max_leaves, limits).solve(), groups, model)


def path_search(
    groups: Groups, model: OptimalTreeRegressor, min_regularization: float, max_leaves: int | None, limits: Limits
) -> PathSearch:
    """Return the search for a path of groups under the checked parameters of a model."""
    problem = replace(check_search(model).problem, max_leaves=max_leaves)
    search = PathSearch(groups, problem, min_regularization, limits)
    search.threads = threads_of(model.n_jobs)
    with showing(verbose=False) as display:  # of the caller, if there is one
        search.monitor = display.monitor
    return search


def path_of_steps(steps: tuple[PathStep, ...], groups: Groups, model: OptimalTreeRegressor) -> Path:
    """Return fitted models for the steps of a path."""
    models = tuple(set_fitted(copy.copy(model), groups.condition_set, step.solution) for step in steps)
    path = Path(models, steps)
    return Path(tuple(_model_at(path, at, step.regularization) for at, step in enumerate(steps)), steps)


def _model_at(path: Path, at: int, regularization: float) -> OptimalTreeRegressor:
    """Return the model of a step at a regularization, which may be one where another tree might be better."""
    step = path.steps[at]
    objective = step.solution.cost(regularization)
    lower_bound, depth = objective, None
    proven = step.proven and step.low <= regularization <= step.high and not step.error
    if not proven:
        lower_bound = min(_lower_bound(path, regularization), objective) - step.error
        proven = objective - lower_bound <= SAME
    if not proven:
        depths = [proof.depth or 0 for proof in step.proofs if proof.regularization == regularization]
        depth = max([step.depth, *depths])
    model = copy.copy(path.models[at])
    model.regularization = regularization
    solution = replace(
        step.solution,
        status="optimal" if proven else path.status,
        objective=objective,
        lower_bound=objective if proven else lower_bound,
        proven_depth=depth,
    )
    return set_solution(model, solution)


def _lower_bound(path: Path, regularization: float) -> float:
    """Return what no tree is below: the objective of the best tree is concave, so no less than any chord."""
    known = {0.0: 0.0}
    for step in path.steps:
        ends = [(r, step.solution.cost(r)) for r in (step.low, step.high) if step.proven and r < math.inf]
        for r, bound in [*ends, *((proof.regularization, proof.lower_bound) for proof in step.proofs)]:
            known[r] = max(known.get(r, 0.0), bound)
    at, bounds = np.array(sorted(known.items())).T
    return float(np.interp(regularization, at, bounds))


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


def _interval_text(step: PathStep, model: OptimalTreeRegressor) -> str:
    many = f"{step.low:.6g} and above" if step.high == math.inf else f"{step.low:.6g} to {step.high:.6g}"
    if not step.proven:
        depth = f", proven to depth {model.proven_depth_}" if model.proven_depth_ else ""
        return f"best known at {many}, gap {model.gap_:.2g} at {model.regularization:.3g}{depth}"
    if step.status == "optimal":
        return many
    return f"{many}, perhaps {'below' if step.high == math.inf else 'wider'}"
