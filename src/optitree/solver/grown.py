"""A greedy tree grown to its end, or to thousands of leaves, and every tree that is left of it as branches are pruned.

What pays for its leaves least is pruned first (weakest links, Breiman et al., 1984): for every regularization the tree
that is left is the best of all that pruning can leave. It takes no search, so it says nothing of other trees; but it
is there at every regularization, for large trees too, which no search proves.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .. import core
from ..groups.groups import Groups
from ..table.reading import Table
from .answers import read_grown
from .problem import Limits, Problem
from .solution import Solution
from .task import make_task
from .tree import Node, Tree

# Of the leaves that a tree could have on a large table, those that are worth most come first.
_MOST_LEAVES = 4096


@dataclass(frozen=True)
class Grown:
    """A greedy tree, as a solution about which nothing is proven, and all that pruning leaves of it.

    ``pruned_at`` has for each node the regularization from which on it is no split, 0 for the leaves of the tree.
    """

    solution: Solution
    pruned_at: NDArray[np.float64]

    def at(self, regularization: float) -> Solution:
        """Return the tree that is left at a regularization."""
        tree = pruned(self.solution.tree, self.pruned_at <= regularization)
        loss = math.fsum(node.loss for node in tree.nodes if node.is_leaf) / tree.nodes[0].weight
        left = replace(self.solution, tree=tree, loss=loss)
        return replace(left, objective=left.cost(regularization))

    def leaves(self, regularizations: Sequence[float]) -> NDArray[np.intp]:
        """Return how many leaves are left at each regularization."""
        return np.array([(self.pruned_at > r).sum() + 1 for r in regularizations], np.intp)

    def predictions(self, table: Table, regularizations: Sequence[float]) -> Iterator[NDArray[np.float64]]:
        """Return what is predicted for each row at each regularization."""
        tree = self.solution.tree
        leaf_of = tree.apply(table)
        for regularization in regularizations:
            ends_at = np.zeros(len(tree), np.intp)  # which node of the pruned tree a row at a node has got to
            for at, children in self._levels:  # a child comes after its parent
                goes_on = (self.pruned_at[at] > regularization)[:, None]
                ends_at[children] = np.where(goes_on, children, ends_at[at][:, None])
            yield tree.values[ends_at[leaf_of]]

    @cached_property
    def _levels(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """The splits of each depth, and their children."""
        tree = self.solution.tree
        splits = np.array([at for at, node in enumerate(tree.nodes) if not node.is_leaf], np.intp)
        children = np.array([tree.nodes[at][1:3] for at in splits], np.intp).reshape(-1, 2)
        depth = tree.depths[splits]
        levels = (depth == level for level in range(tree.depth))
        return [(splits[level], children[level]) for level in levels]


def grow(groups: Groups, problem: Problem, limits: Limits) -> Grown | None:
    """Grow a tree greedily as far as the limits on trees and time allow; None where the loss has no such tree.

    A limit on leaves is not one of them: it is for whoever prunes.
    """
    whole = replace(problem, regularization=0.0, max_leaves=_MOST_LEAVES)
    answer = core.grow(make_task(groups, whole, limits, None, 1))
    if answer is None:
        return None
    solution = read_grown(answer.tree, groups, replace(whole, max_leaves=None))
    return Grown(solution, np.array(answer.pruned_at))


def pruned(tree: Tree, ends: NDArray[np.bool_]) -> Tree:
    """Return what is left of a tree when all nodes for which ``ends`` is true are leaves, or below one."""
    nodes: list[Node] = []
    weights: dict[int, tuple[float, ...]] = {}

    def keep(at: int) -> int:
        node, number = tree.nodes[at], len(nodes)
        nodes.append(Node(None, -1, -1, node.value, node.rows, node.weight, node.loss))
        if node.condition is None or ends[at]:
            if tree.targets is not None:
                below = [tree.targets.weights[end] for end in _leaves_below(tree, at)]
                weights[number] = tuple(map(math.fsum, zip(*below, strict=True)))
        else:
            yes, no = keep(node.yes), keep(node.no)
            nodes[number] = Node(node.condition, yes, no, *node[3:])
        return number

    keep(0)
    return Tree(tuple(nodes), None if tree.targets is None else replace(tree.targets, weights=weights))


def _leaves_below(tree: Tree, at: int) -> Iterator[int]:
    waiting = [at]
    while waiting:
        at = waiting.pop()
        node = tree.nodes[at]
        if node.condition is None:
            yield at
        else:
            waiting += [node.yes, node.no]
