"""What the core answers, in terms of conditions and of the target in its own units."""

import math
from dataclasses import replace

import numpy as np

from .. import core
from ..groups.groups import Groups
from .missing import with_missing
from .problem import Problem
from .scope import scope_of
from .solution import Solution, TracePoint, geometric_mean
from .targets import targets_of
from .tree import Node, Tree


def read_progress(progress: core.Progress) -> TracePoint:
    """Return the state of a search."""
    return TracePoint(
        progress.seconds,
        progress.lower_bound,
        progress.upper_bound,
        progress.solved,
        progress.cached,
        progress.proven_depth,
    )


def read_solution(answer: core.CoreSolution, groups: Groups, problem: Problem) -> Solution:
    """Return the best tree, what it costs and what is proven about it."""
    solution = _solution(_read_tree(answer.tree, groups, problem), groups, answer.effort)
    return replace(
        solution,
        status=answer.status,
        objective=answer.objective,
        lower_bound=answer.lower_bound,
        proven_depth=answer.proven_depth,
        trace=tuple(read_progress(progress) for progress in answer.trace),
        scope=scope_of(groups.condition_set, problem),
        prices=np.array(answer.prices) if answer.prices else None,
    )


def read_step(step: core.CoreStep, path: core.CorePath, groups: Groups, problem: Problem) -> Solution:
    """Return the solution of a step in the middle of its interval, with the statistics of the whole path."""
    solution = _solution(_read_tree(step.tree, groups, problem), groups, path.effort)
    objective = solution.cost(geometric_mean(step.low, step.high))
    # A limit on leaves ends the path and no more: its trees are best among trees of any number of leaves.
    return replace(
        solution,
        objective=objective,
        lower_bound=objective - path.error,
        proven_depth=0 if path.error else None,
        scope=scope_of(groups.condition_set, replace(problem, max_leaves=None)),
    )


def read_known(tree: core.CoreTree, path: core.CorePath, groups: Groups, problem: Problem) -> Solution:
    """Return the solution of a tree about which nothing is proven."""
    solution = _solution(_read_tree(tree, groups, problem), groups, path.effort)
    scope = scope_of(groups.condition_set, replace(problem, max_leaves=None))
    return replace(solution, status=path.status, scope=scope)


def read_grown(tree: core.CoreTree, groups: Groups, problem: Problem) -> Solution:
    """Return the solution of a tree that took no search: there is no bound but that losses are not negative."""
    solution = _solution(_read_tree(tree, groups, problem), groups, None)
    objective = solution.cost(problem.regularization)
    scope = scope_of(groups.condition_set, problem)
    return replace(solution, status="time_limit", objective=objective, lower_bound=0.0, scope=scope)


def _solution(tree: Tree, groups: Groups, effort: core.Effort | None) -> Solution:
    """Return what the tree and the search tell by themselves; the objective is for the caller to say."""
    loss, root_loss = _losses(tree, groups)
    if effort is None:
        return Solution("optimal", tree, math.nan, math.nan, loss, root_loss, 0.0, 0, 0, 0.0)
    return Solution(
        status="optimal",
        tree=tree,
        objective=math.nan,
        lower_bound=math.nan,
        loss=loss,
        root_loss=root_loss,
        seconds=effort.seconds,
        solved=effort.solved,
        cached=effort.cached,
        megabytes=effort.bytes / 1e6,
    )


def _losses(tree: Tree, groups: Groups) -> tuple[float, float]:
    """Return the mean loss of a tree and that of its root as a leaf."""
    weight = groups.total_weight
    return math.fsum(node.loss for node in tree.nodes if node.condition is None) / weight, tree.nodes[0].loss / weight


def _read_tree(tree: core.CoreTree, groups: Groups, problem: Problem) -> Tree:
    conditions = groups.conditions
    # Points have the values of the target as they are.
    origin = 0.0 if problem.minimised.needs_values else groups.origin
    nodes = zip(tree.feature, tree.yes, tree.no, tree.value, tree.rows, tree.weight, tree.loss, strict=True)
    read = Tree(
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
        ),
        targets_of(tree.feature, list(zip(tree.yes, tree.no, strict=True)), groups),
    )
    return with_missing(read, groups)
