"""One paragraph about a tree, a path or a set of trees, with all that the proof depends on, for a paper."""

from typing import Any

from ..solver.losses import loss_of
from ..solver.solution import STOPS

TOLERANCE = "1e-9"  # of the root loss; docs/theory.md says where it comes from


def summary_of(model: Any) -> str:
    """Say what a fitted tree explains, and among which trees it is the best."""
    solution = model.solution_
    leaves = count(solution.tree.n_leaves, "leaf", "leaves")
    said = f"The tree has {leaves} and {what_it_explains(model)}."
    return f"{said} {_proof(model)}"


def what_it_explains(model: Any) -> str:
    """Say in which share of the root loss a tree does better."""
    share = 100 * (1 - model.solution_.relative_loss)
    if model.solution_.root_loss == 0:
        return "explains all there is: the target is constant"
    loss = loss_of(model.loss, model.quantile)
    if loss.name == "squared_error":
        return f"explains {share:.1f} % of the variance"
    name = "absolute error" if loss.name == "absolute_error" else f"loss at the {model.quantile:g} quantile"
    return f"takes away {share:.1f} % of the {name} of a single leaf"


def which_trees(solution: Any) -> str:
    """Name the trees that a proof is about."""
    scope = getattr(solution, "scope", None)
    if scope is None:
        return "tree on the same conditions"
    limits = []
    if scope.max_depth is not None:
        limits.append(f"at most {count(scope.max_depth, 'question')} on the way to a leaf")
    if scope.max_leaves is not None:
        limits.append(f"at most {count(scope.max_leaves, 'leaf', 'leaves')}")
    if scope.min_samples_leaf > 1:
        limits.append(f"at least {scope.min_samples_leaf:,} rows in a leaf")
    within = f", with {' and '.join(limits)}," if limits else ""
    if not scope.conditions:
        return "tree"
    asks = f"any of the {count(scope.conditions, 'condition')} on {count(scope.columns, 'column')}"
    return f"tree that asks {asks}{within}"


def _proof(model: Any) -> str:
    solution = model.solution_
    trees = which_trees(solution)
    price = "its loss"
    if model.regularization:
        price += f" plus {model.regularization:.6g} of the loss of a single leaf for each leaf"
    up_to = f"up to {TOLERANCE} of the loss of a single leaf"
    if solution.status == "optimal":
        return f"No {trees} does better, counting {price}; proven in {seconds(solution.seconds)}, {up_to}."
    if solution.status == "near_optimal":
        return f"Its objective, {price}, is {solution.gap:.2g} above the optimum of every {trees}, {up_to}."
    stopped = f"{STOPS[solution.status]} came after {seconds(solution.seconds)}, before the proof"
    depth = solution.proven_depth
    proven = f"no tree of at most {count(depth, 'question')} is better, and " if depth else ""
    return (
        f"It is not proven best: {stopped}. Counting {price}, {proven}no {trees} is better by more than "
        f"{solution.gap:.2g} ({100 * solution.gap / solution.objective:.1f} % of its objective)."
    )


def summary_of_path(path: Any) -> str:
    """Say what a path has: how many trees, of which sizes, and what is proven of them."""
    if not len(path):
        return "The path has no trees."
    first, last = path.steps[0], path.steps[-1]
    whole = "all trees that are optimal" if path.status == "optimal" else "the trees that were proven optimal"
    known = sum(not step.proven for step in path.steps)
    if known and last.reach < path.proven_to:
        whole += f" down to {path.proven_to:.3g} and the best known ({known} of them)"
    said = (
        f"The path has {whole} down to a regularization of {last.reach:.3g}: {count(len(path), 'tree')}, "
        f"from {count(first.leaves, 'leaf', 'leaves')} to {last.leaves}. "
        f"The largest {what_it_explains(path.models[-1])}."
    )
    stopped = "" if path.status == "optimal" else f" {STOPS[path.status].capitalize()} came before the rest."
    trees = which_trees(last.solution)
    return f"{said} Each is the best {trees} for some regularization; {seconds(last.solution.seconds)} in all.{stopped}"


def summary_of_near(near: Any) -> str:
    """Say how many trees are nearly as good as the best, and what they have in common."""
    if not len(near):
        return f"No trees: {STOPS[near.status]} came before the proof of the optimum."
    many = {"complete": "There are", "max_trees": "There are more than"}.get(near.status, "There are at least")
    trees = count(len(near), "tree")
    said = f"{many} {trees} within {100 * near.within:g} % of the optimum {near.optimum:.4f}."
    always = [text for text, use in near.condition_use.items() if use.trees == len(near)]
    common = f" All of them ask {', '.join(always[:5])}." if always and len(near) > 1 else ""
    return f"{said}{common} The best: {summary_of(near.best)}"


def seconds(value: float) -> str:
    """Write a time as it is read: more digits where it is short."""
    return f"{value:.2f} s" if value < 0.95 else f"{value:.1f} s" if value < 100 else f"{value:,.0f} s"


def count(number: int, one: str, several: str = "") -> str:
    """Write how many there are of something."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"
