"""What the core answers, in terms of conditions and of the target in its own units."""

import math
from dataclasses import replace

from .. import core
from ..groups.groups import Groups
from .problem import Problem
from .solution import Solution, TracePoint, geometric_mean
from .tree import Node, Tree

TIE = 1e-12  # objectives no further apart are equal


def read_progress(progress: core.Progress) -> TracePoint:
    """Return the state of a search."""
    return TracePoint(
        progress.seconds,
        progress.lower_bound,
        progress.upper_bound,
        progress.solved,
        progress.cached,
    )


def read_solution(answer: core.CoreSolution, groups: Groups, problem: Problem) -> Solution:
    """Return the best tree, what it costs and what is proven about it."""
    tree = _read_tree(answer.tree, groups, problem)
    loss, root_loss = _losses(tree, groups)
    return Solution(
        status=answer.status,
        tree=tree,
        objective=answer.objective,
        lower_bound=answer.lower_bound,
        loss=loss,
        root_loss=root_loss,
        seconds=answer.effort.seconds,
        solved=answer.effort.solved,
        cached=answer.effort.cached,
        megabytes=answer.effort.bytes / 1e6,
        trace=tuple(read_progress(progress) for progress in answer.trace),
    )


def read_near(item: core.CoreNearTree, best: Solution, groups: Groups, problem: Problem) -> Solution:
    """Return one of the trees nearly as good as the best."""
    tied = item.objective <= best.objective + TIE
    tree = _read_tree(item.tree, groups, problem)
    return replace(
        best,
        status="optimal" if tied else "near_optimal",
        tree=tree,
        objective=item.objective,
        lower_bound=item.objective if tied else best.objective,
        loss=_losses(tree, groups)[0],
    )


def read_step(step: core.CoreStep, path: core.CorePath, groups: Groups, problem: Problem) -> Solution:
    """Return the solution of a step in the middle of its interval, with the statistics of the whole path."""
    tree = _read_tree(step.tree, groups, problem)
    loss, root_loss = _losses(tree, groups)
    share = loss / root_loss if root_loss > 0 else 0.0
    objective = share + geometric_mean(step.low, step.high) * tree.n_leaves
    return Solution(
        status="optimal",
        tree=tree,
        objective=objective,
        lower_bound=objective,
        loss=loss,
        root_loss=root_loss,
        seconds=path.effort.seconds,
        solved=path.effort.solved,
        cached=path.effort.cached,
        megabytes=path.effort.bytes / 1e6,
    )


def _losses(tree: Tree, groups: Groups) -> tuple[float, float]:
    """Return the mean loss of a tree and that of its root as a leaf."""
    weight = groups.total_weight
    return math.fsum(node.loss for node in tree.nodes if node.condition is None) / weight, tree.nodes[0].loss / weight


def _read_tree(tree: core.CoreTree, groups: Groups, problem: Problem) -> Tree:
    conditions = groups.conditions
    origin = (
        0.0 if problem.minimised.needs_values else groups.origin
    )  # points have the values of the target as they are
    nodes = zip(tree.feature, tree.yes, tree.no, tree.value, tree.rows, tree.weight, tree.loss, strict=True)
    return Tree(
        tuple(
            Node(
                conditions[feature] if feature >= 0 else None,
                yes,
                no,
                origin + value,
                int(rows),
                weight,
                loss,
            )
            for feature, yes, no, value, rows, weight, loss in nodes
        )
    )
