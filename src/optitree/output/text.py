"""The tree as text."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..solver.tree import Node, Tree


def export_text(model: Any, *, feature_names: Sequence[str] | None = None, decimals: int = 2) -> str:
    """Return the fitted tree as text, with a closing line that says what is proven.

    Parameters
    ----------
    model : OptimalTreeRegressor
    feature_names : sequence of str, default=None
        Names for the columns; None for those of the table the model was fitted on, or x0, x1, ...
    decimals : int, default=2
        Digits after the point in the predictions.
    """
    check_is_fitted(model)
    tree = model.tree_
    if feature_names is not None:
        if len(feature_names) != model.n_features_in_:
            raise ValueError(
                f"feature_names has {len(feature_names)} names for {model.n_features_in_} columns; "
                "give one name for each column"
            )
        tree = _rename(tree, feature_names)
    return "\n".join([*_lines(tree, decimals), closing_line(model.solution_)])


def closing_line(solution: Any) -> str:
    """Say in one line how good the tree is and how certain that is."""
    leaves = solution.tree.n_leaves
    cost = f"objective {solution.objective:.4f} ({leaves} {'leaf' if leaves == 1 else 'leaves'})"
    if solution.status == "optimal":
        return f"optimal: {cost}, proven in {solution.seconds:.2f} s"
    if solution.status == "near_optimal":
        return f"near optimal: {cost}, {solution.gap:.2g} above the optimum"
    reason = solution.status.replace("_", " ")
    return f"{reason} after {solution.seconds:.2f} s: {cost}. {what_is_proven(solution)}"


def what_is_proven(solution: Any) -> str:
    """Say what is known of other trees when the search ended before the proof."""
    below = f"is below {solution.lower_bound:.4f}"
    depth = solution.proven_depth
    if not depth:
        return f"No tree {below}"
    return f"No tree of at most {depth} question{'' if depth == 1 else 's'} is better; no tree at all {below}"


def _rename(tree: Tree, names: Sequence[str]) -> Tree:
    return Tree(
        tuple(
            Node(replace(node.condition, name=names[node.condition.column]), *node[1:]) if node.condition else node
            for node in tree.nodes
        )
    )


def _lines(tree: Tree, decimals: int) -> Iterator[str]:
    waiting = [
        (0, "", "")
    ]  # nodes, what is before them, and the indent of what is below; not by recursion, for any depth
    while waiting:
        at, before, indent = waiting.pop()
        node = tree.nodes[at]
        if node.condition is None:
            rows = f"{node.rows:,} row{'' if node.rows == 1 else 's'}"
            yield f"{before}predict {node.value:.{decimals}f}  ({rows})"
            continue
        if before:
            yield before.rstrip()
        waiting.append((node.no, f"{indent}└─ {node.condition.opposite()}: ", indent + "   "))
        waiting.append((node.yes, f"{indent}├─ {node.condition}: ", indent + "│  "))
