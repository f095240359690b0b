"""The work on one set of rows of a cross-validation: its paths, and their losses on the rows that were held out."""

import copy
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..conditions.binarizer import Binarizer
from ..conditions.rules import Rules
from ..groups.groups import Groups, group_rows
from ..solver.grown import grow
from ..solver.losses import loss_of
from ..solver.problem import Limits, Problem
from ..table.rows import Rows
from .cv_settings import Setting, Tried, grown_fold, try_settings, weight_of
from .dealing import Split
from .estimator import OptimalTreeRegressor
from .parameters import check_search
from .path import Path, path_of_steps, path_search
from .validation_curve import Fold, add_up_folds

# The depth of candidates that have no limit but that of the model, and of greedy trees that are pruned.
AS_GIVEN, PRUNED = -1, -2


@dataclass(frozen=True)
class Plan:
    """What is done with every set of rows: a model, not fitted, where paths end, and the seconds for each set."""

    model: OptimalTreeRegressor
    rules: Rules
    min_regularization: float
    max_leaves: int | None
    seconds: float | None
    prune: bool = False  # greedy trees are candidates, too

    def limits(self) -> Limits:
        """Return the limits of a set of rows, from now on."""
        return Limits(self.seconds, self.model.memory_limit)

    def group(self, rows: Rows) -> Groups:
        """Return the groups of rows."""
        return group_rows(rows, self.rules, values=loss_of(self.model.loss, self.model.quantile).needs_values)

    def paths(self, groups: Groups, limits: Limits) -> dict[int, Path]:
        """Return paths by their depth: whole ones of little depth where they are had in time, and that of the model."""
        search = path_search(groups, self.model, self.min_regularization, self.max_leaves, limits)
        search.solve_shallow()
        paths = {AS_GIVEN: path_of_steps(search.solve(), groups, self.model)}
        for depth, steps in search.shallow.items():
            model = OptimalTreeRegressor(**{**self.model.get_params(deep=False), "max_depth": depth})
            few = tuple(step for step in steps if self.max_leaves is None or step.leaves <= self.max_leaves)
            paths[depth] = path_of_steps(few, groups, model)
        return paths

    def settled(self, setting: Setting) -> "Plan":
        """Return the plan with a setting: its conditions and its least leaves."""
        model = copy.copy(self.model)
        model.min_samples_leaf = setting.min_samples_leaf
        if setting.rules != self.rules:
            model.binarizer = Binarizer(**asdict(setting.rules))
        return replace(self, model=model, rules=setting.rules)

    @property
    def problem(self) -> Problem:
        """What is optimised, and over which trees."""
        return replace(check_search(self.model).problem, max_leaves=self.max_leaves)


def validation_losses(plan: Plan, rows: Rows, split: Split) -> dict[int, Fold]:
    """Return the losses on the test rows of all trees of the training rows, by the depth of their paths."""
    limits = plan.limits()
    train, test = parts_of(rows, split)
    groups = plan.group(train)
    grown = grow(groups, plan.problem, limits) if plan.prune else None
    paths = plan.paths(groups, limits)
    folds = {depth: _fold(path, test, plan) for depth, path in paths.items()}
    if grown is not None:
        folds[PRUNED] = grown_fold(grown, test, plan.problem.minimised)
    return folds


def setting_losses(
    plan: Plan, settings: Sequence[Setting], seconds: float | None, rows: Rows, split: Split
) -> Tried | None:
    """Return the losses on the test rows of greedy trees of the training rows; see ``try_settings``."""
    return try_settings(settings, plan.problem, *parts_of(rows, split), seconds)


def parts_of(rows: Rows, split: Split) -> tuple[Rows, Rows]:
    """Return the training rows and the test rows of a fold."""
    train, test = (rows.take(_row_numbers(part)) for part in split)
    for part, name in ((train, "training"), (test, "test")):
        if not part.table.rows or not (part.weight is None or part.weight.any()):
            raise ValueError(f"a fold has no {name} rows of positive weight; give cv other folds")
    return train, test


def _fold(path: Path, test: Rows, plan: Plan) -> Fold:
    loss, known = loss_of(plan.model.loss, plan.model.quantile), test.target
    assert known is not None
    predicted = (m.tree_.values[m.tree_.apply(test.table)] for m in path)
    losses = [loss.mean(known, values, test.weight) for values in predicted]
    # A whole path that max_leaves ends goes on with its last tree.
    low = plan.min_regularization if path.status == "optimal" else path.steps[-1].reach
    return Fold(path.breakpoints, np.array(losses), path.leaves, low, weight_of(test), path.status)


def _row_numbers(part: Any) -> NDArray[Any]:
    """Return the rows of a fold as an array; scikit-learn takes lists, too."""
    numbers = np.asarray(part)
    return numbers if numbers.size else numbers.astype(np.intp)


class Candidates(NamedTuple):
    """Everything there is to choose from: intervals of regularization, by the depth of the path."""

    depth: NDArray[np.intp]
    intervals: NDArray[np.float64]
    losses: NDArray[np.float64]
    leaves: NDArray[np.intp]
    mean: NDArray[np.float64]
    standard_error: NDArray[np.float64]


def candidates_of(folds: Sequence[dict[int, Fold]]) -> Candidates:
    """Add up the step functions of all folds for every depth that all of them have: first that of the model."""
    depths = [depth for depth in folds[0] if all(depth in fold for fold in folds)]
    curves = [add_up_folds([fold[depth] for fold in folds]) for depth in depths]
    return Candidates(
        np.repeat(depths, [len(curve.mean) for curve in curves]).astype(np.intp),
        np.concatenate([curve.intervals for curve in curves]),
        np.concatenate([curve.losses for curve in curves]),
        np.concatenate([curve.leaves for curve in curves]),
        np.concatenate([curve.mean for curve in curves]),
        np.concatenate([curve.standard_error for curve in curves]),
    )
