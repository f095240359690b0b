"""The certificate of a fitted model: the table again, the solution, and what is to be proven of it."""

import warnings
from dataclasses import replace
from typing import Any

from ..certificate.certificate import Certificate, write
from ..certificate.statement import of_groups, of_rows
from ..conditions.binarizer import conditions_of
from ..errors import LimitWarning
from ..groups.groups import Groups, group_rows
from ..table.rows import read_rows
from .parameters import check_search


def certify(model: Any, data: tuple[Any, Any, Any], max_depth: int | None, seconds: float) -> Certificate:
    """Return the certificate of a model for the table (or groups) that it was fitted to."""
    X, y, sample_weight = data
    problem = check_search(model).problem
    if max_depth is not None:
        least = max_depth if problem.max_depth is None else min(problem.max_depth, max_depth)
        problem = replace(problem, max_depth=least)
    if isinstance(X, Groups):
        if y is not None or sample_weight is not None:
            raise ValueError("Groups have their target and weights in them; leave out y and sample_weight")
        grouped, subject = X, of_groups(X)
    else:
        conditions = conditions_of(model.binarizer_)
        assert conditions is not None
        rows = read_rows(X, y, sample_weight, model)
        grouped = group_rows(rows, conditions)
        subject = of_rows(rows, grouped)
    nodes, root = model.tree_.nodes, model.tree_.nodes[0]
    near = abs(grouped.total_weight - root.weight) <= 1e-9 * root.weight and grouped.n_rows == root.rows
    if not near or any(node.condition and node.condition not in grouped.conditions for node in nodes):
        raise ValueError("this is not the table that the model was fitted to; give the same rows, targets and weights")
    certificate = write(subject, grouped, problem, model.solution_, seconds)
    if abs(certificate.objective - model.objective_) > 1e-9:
        raise ValueError("this is not the table that the model was fitted to; give the same rows, targets and weights")
    if not certificate.optimal:
        warnings.warn(
            f"the certificate proves a lower bound of {certificate.lower_bound:.6g}, not that the tree with objective "
            f"{certificate.objective:.6g} is optimal; raise time_limit"
            + ("" if model.status_ == "optimal" else " of the search, which did not prove it either"),
            LimitWarning,
            stacklevel=4,
        )
    return certificate
