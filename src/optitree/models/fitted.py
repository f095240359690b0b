"""What a model needs before a search and has after it: groups go in, a solution comes out."""

from typing import Any, TypeVar

from ..conditions.binarizer import binarizer_of, rules_of, set_columns
from ..conditions.condition_set import ConditionSet
from ..groups.groups import Groups, group_rows
from ..solver.losses import loss_of
from ..solver.solution import Solution
from ..table.rows import read_rows

Model = TypeVar("Model")


def groups_of(X: Any, y: Any, sample_weight: Any, model: Any) -> Groups:
    """Return the groups of a table that the search of a model needs; its parameters have been checked."""
    rules = rules_of(model.binarizer)
    rows = read_rows(X, y, sample_weight, model)
    return group_rows(rows, rules, values=loss_of(model.loss, model.quantile).needs_values)


def groups_of_any(X: Any, y: Any, sample_weight: Any, model: Any) -> Groups:
    """Return the groups of a table, or those that were given in its place."""
    if not isinstance(X, Groups):
        return groups_of(X, y, sample_weight, model)
    if y is not None or sample_weight is not None:
        raise ValueError("Groups have their target and weights in them; leave out y and sample_weight")
    return X


def set_fitted(model: Model, conditions: ConditionSet, solution: Solution) -> Model:
    """Make a model the fitted one of a solution found for these conditions."""
    fitted: Any = model
    fitted.binarizer_ = binarizer_of(conditions)
    set_columns(fitted, conditions)
    return set_solution(model, solution)


def set_solution(model: Model, solution: Solution) -> Model:
    """Give a model the attributes of a solution."""
    fitted: Any = model
    fitted.solution_ = solution
    fitted.tree_ = solution.tree
    fitted.status_ = solution.status
    fitted.objective_ = solution.objective
    fitted.lower_bound_ = solution.lower_bound
    fitted.proven_depth_ = solution.proven_depth
    fitted.gap_ = solution.gap
    fitted.loss_ = solution.loss
    fitted.root_loss_ = solution.root_loss
    fitted.n_leaves_ = solution.tree.n_leaves
    fitted.depth_ = solution.tree.depth
    return model
