"""The model of all rows that a cross-validation gives back, once it is chosen what to search for."""

import copy

from ..groups.groups import Groups
from ..solver.grown import grow
from ..solver.problem import Limits
from ..solver.solution import better_of, proven_about
from ..solver.solve import solve
from .cv_folds import PRUNED, Plan
from .estimator import OptimalTreeRegressor
from .fitted import set_fitted
from .parameters import check_search
from .path import Path


def best_model(
    plan: Plan, groups: Groups, paths: dict[int, Path], chosen: tuple[int, float], limits: Limits
) -> OptimalTreeRegressor:
    """Return the model of all rows at the depth and the regularization chosen. ``paths``: those of all rows."""
    depth, regularization = chosen
    if depth == PRUNED:
        return _greedy(plan, groups, regularization, limits)
    path, known = paths.get(depth), None
    if path is not None and regularization >= path.steps[-1].reach:
        known = path.at(regularization)
        if known.status_ == "optimal":
            return known
    elif path is not None and path.status == "optimal":
        return path[-1]  # the largest that max_leaves allows
    # The path of all rows is not proven there: what is left of the time is for a search at this one regularization.
    direct = copy.copy(plan.model)
    direct.regularization, direct.max_leaves = regularization, plan.max_leaves
    if depth > 0:
        direct.max_depth = depth
    least = Limits(limits.seconds_left, limits.megabytes)
    unlimited = limits.seconds is None and limits.megabytes is None
    solution = solve(groups, check_search(direct).problem, None if unlimited else least)
    if known is not None and known.objective_ < solution.objective:
        solution = better_of(known.solution_, solution)
    return set_fitted(direct, groups.condition_set, solution)


def _greedy(plan: Plan, groups: Groups, regularization: float, limits: Limits) -> OptimalTreeRegressor:
    """Return the model of the greedy tree, pruned as it was on the folds, with what a search proves of other trees."""
    model = copy.copy(plan.model)
    model.regularization = regularization
    grown = grow(groups, plan.problem, limits)
    assert grown is not None  # as on the folds
    seconds = min(limits.seconds_left, plan.limits().seconds_left)
    found = solve(groups, check_search(model).problem, Limits(seconds, limits.megabytes))
    return set_fitted(model, groups.condition_set, proven_about(grown.at(regularization), found))
