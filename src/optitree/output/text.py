"""The tree as text."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..conditions.condition import AtMost, Between, Condition, IsMissing, IsTrue, UpTo
from ..solver.tree import Node, Tree
from .words import on_one_line


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
    missing = _with_missing_values(model.binarizer_.conditions_)
    return "\n".join([*map(on_one_line, _lines(tree, missing, decimals)), closing_line(model.solution_)])


def closing_line(solution: Any) -> str:
    """Say in one line how good the tree is and how certain that is."""
    leaves = solution.tree.n_leaves
    cost = f"objective {solution.objective:.4f} ({leaves} {'leaf' if leaves == 1 else 'leaves'})"
    among = among_which(solution)
    if solution.status == "optimal":
        return f"optimal{among}: {cost}, proven in {solution.seconds:.2f} s"
    if solution.status == "near_optimal":
        return f"near optimal{among}: {cost}, {solution.gap:.2g} above the optimum"
    reason = solution.status.replace("_", " ")
    return f"{reason} after {solution.seconds:.2f} s{among}: {cost}. {what_is_proven(solution)}"


def among_which(solution: Any) -> str:
    """Say which trees the proof is about, after a blank; nothing where that is not known."""
    scope = getattr(solution, "scope", None)  # solutions pickled by earlier versions have none
    if scope is None:
        return ""
    limits = []
    if scope.max_depth is not None:
        limits.append(f", at most {_count(scope.max_depth, 'question')} deep")
    if scope.max_leaves is not None:
        limits.append(f", of at most {_count(scope.max_leaves, 'leaf', 'leaves')}")
    if scope.min_samples_leaf > 1:
        limits.append(f", with at least {scope.min_samples_leaf:,} rows in a leaf")
    conditions = f"{_count(scope.conditions, 'condition')} of {_count(scope.columns, 'column')}"
    return f" among trees on {conditions if scope.conditions else 'no conditions'}{''.join(limits)}"


def what_is_proven(solution: Any) -> str:
    """Say what is known of other trees when the search ended before the proof."""
    below = f"is below {solution.lower_bound:.4f}"
    depth = solution.proven_depth
    if not depth:
        return f"No tree {below}"
    return f"No tree of at most {_count(depth, 'question')} is better; no tree at all {below}"


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def _rows(rows: int, missing: int) -> str:
    return f"{_count(rows, 'row')}, {missing:,} of them missing" if missing else _count(rows, "row")


def _number(value: float, decimals: int) -> str:
    """Return a number with so many digits after the point, and no sign before a zero."""
    text = f"{value:.{decimals}f}"
    return text if text.strip("-0.") else text.lstrip("-")


def _rename(tree: Tree, names: Sequence[str]) -> Tree:
    return Tree(
        tuple(
            Node(replace(node.condition, name=names[node.condition.column]), *node[1:]) if node.condition else node
            for node in tree.nodes
        )
    )


def _with_missing_values(conditions: Sequence[Condition]) -> frozenset[int]:
    """Return the columns that had missing values at fit."""
    return frozenset(c.column for c in conditions if isinstance(c, IsMissing) or getattr(c, "has_missing", False))


def _lines(tree: Tree, missing: frozenset[int], decimals: int) -> Iterator[str]:
    """Yield the lines of a tree, to which rows may come that have missing values in the columns ``missing``."""
    # Nodes, columns whose values may be missing there, what is before the node, the indent of what is below, and how
    # many rows came there because their value is missing. Not by recursion, so that a tree may have any depth.
    waiting = [(0, missing, "", "", 0)]
    while waiting:
        at, here, before, indent, absent = waiting.pop()
        node = tree.nodes[at]
        if node.condition is None:
            yield f"{before}predict {_number(node.value, decimals)}  ({_rows(node.rows, absent)})"
            continue
        if before:
            yield f"{before.rstrip()[:-1]} ({_rows(node.rows, absent)}):" if absent else before.rstrip()
        condition, there = node.condition, here - {node.condition.column}
        yes, no = (here, there) if isinstance(condition, IsMissing) else (there, here)
        other_side = _other_side(condition, condition.column in here)
        # Rows without a value are on the side where the condition does not hold, unless it is that they have none.
        absent = 0 if isinstance(condition, IsMissing) else node.missing
        waiting.append((node.no, no, f"{indent}└─ {other_side}: ", indent + "   ", absent))
        waiting.append((node.yes, yes, f"{indent}├─ {condition}: ", indent + "│  ", 0))


def _other_side(condition: Condition, missing: bool) -> str:
    """Say what is known when a condition does not hold, of rows whose value may be missing or may not."""
    if isinstance(condition, AtMost | Between | IsTrue | UpTo):
        return replace(condition, has_missing=missing).opposite()
    may_be = missing and not isinstance(condition, IsMissing)
    return f"{condition.opposite()}, or missing" if may_be else condition.opposite()
