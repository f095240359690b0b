"""The proof box: what was asked, what was found, and what is known of all other trees."""

from typing import Any

from ..summary import TOLERANCE, seconds

_STATUS = {
    "optimal": "optimal: no tree in scope is better",
    "near_optimal": "near optimal: the optimum is known",
    "time_limit": "stopped by the time limit",
    "memory_limit": "stopped by the memory limit",
    "precision_limit": "left open by rounding",
    "interrupted": "interrupted",
}


def proof_of(model: Any) -> list[list[str]]:
    """Return pairs of a name and what it is."""
    solution = model.solution_
    depth = {None: "any", 0: "none"}.get(solution.proven_depth, f"{solution.proven_depth} questions")
    return [
        ["status", _STATUS.get(solution.status, solution.status)],
        ["objective", f"{solution.objective:.6f}"],
        ["", f"= {solution.relative_loss:.6f} + {model.regularization:.6g} x {solution.tree.n_leaves} leaves"],
        ["lower bound", f"{solution.lower_bound:.6f}"],
        ["gap", f"{solution.gap:.2g}" if solution.gap else "0"],
        ["proven to depth", depth],
        ["subproblems", f"{solution.solved:,} solved, {solution.cached:,} remembered"],
        ["time", seconds(solution.seconds)],
        ["memory", f"{solution.megabytes:,.0f} MB"],
        *_scope(solution),
        ["tolerance", f"{TOLERANCE} of the loss of a single leaf"],
    ]


def _scope(solution: Any) -> list[list[str]]:
    scope = getattr(solution, "scope", None)
    if scope is None:
        return [["scope", "trees on the same conditions"]]
    limits = [
        f"{name} {value:,}"
        for name, value in (("depth at most", scope.max_depth), ("leaves at most", scope.max_leaves))
        if value is not None
    ]
    if scope.min_samples_leaf > 1:
        limits.append(f"rows in a leaf at least {scope.min_samples_leaf:,}")
    return [
        ["scope", f"all trees on {scope.conditions:,} conditions of {scope.columns:,} columns"],
        ["limits on trees", "; ".join(limits) or "none"],
    ]
