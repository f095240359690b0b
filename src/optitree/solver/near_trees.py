"""The trees nearly as good as the best: there may be millions, so each is made when it is asked for."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .. import core
from ..conditions.condition import Condition
from ..groups.groups import Groups
from .missing import with_missing
from .problem import Problem
from .solution import Solution
from .targets import Targets, targets_of
from .tree import Node, Tree

TIE = 1e-12  # objectives no further apart are equal
_LOOKED_AT = 24  # trees of which the targets of leaves are kept


@dataclass(frozen=True, eq=False)
class NearTrees(Sequence[Solution]):
    """Trees in order, each as a solution; subtrees that they have in common are kept once.

    Of subtrees: ``feature``, which is -1 for a leaf, ``support``, and the subtrees ``yes`` and ``no``. Of supports:
    ``rows``, ``weight``, ``value`` and ``loss``. Of trees: ``root``, a subtree, and ``objectives``. ``targets`` has
    those of the leaves of the first trees, which people look at.
    """

    feature: NDArray[np.int32]
    support: NDArray[np.uint32]
    yes: NDArray[np.uint32]
    no: NDArray[np.uint32]
    rows: NDArray[np.float64]
    weight: NDArray[np.float64]
    value: NDArray[np.float64]
    loss: NDArray[np.float64]
    root: NDArray[np.uint32]
    objectives: NDArray[np.float64]
    groups: Groups
    best: Solution
    targets: tuple[Targets, ...] = ()

    def __len__(self) -> int:
        return len(self.root)

    @overload
    def __getitem__(self, at: int) -> Solution: ...
    @overload
    def __getitem__(self, at: "slice[Any, Any, Any]") -> "NearTrees": ...
    def __getitem__(self, at: "int | slice[Any, Any, Any]") -> "Solution | NearTrees":
        if isinstance(at, slice):
            kept = self.targets[at] if at.step in (None, 1) and not at.start else ()
            return replace(self, root=self.root[at], objectives=self.objectives[at], targets=kept)
        tree, objective = self.tree(at), float(self.objectives[at])
        tied = objective <= self.best.objective + TIE
        return replace(
            self.best,
            status="optimal" if tied else "near_optimal",
            tree=tree,
            objective=objective,
            lower_bound=objective if tied else self.best.objective,
            proven_depth=None if tied else 0,
            loss=math.fsum(node.loss for node in tree.nodes if node.condition is None) / self.groups.total_weight,
        )

    def tree(self, at: int) -> Tree:
        """Return one of the trees."""
        known = self.targets[at] if 0 <= at < len(self.targets) else None
        return with_missing(Tree(tuple(self._nodes(int(self.root[at]), 0)), known), self.groups)

    def conditions_of(self, at: int) -> list[Condition]:
        """Return the conditions of one of the trees, from the root down, without making the tree."""
        found: list[Condition] = []
        waiting = [int(self.root[at])]
        while waiting:
            subtree = waiting.pop()
            feature = int(self.feature[subtree])
            if feature >= 0:
                found.append(self.groups.conditions[feature])
                waiting += [int(self.no[subtree]), int(self.yes[subtree])]
        return found

    def _nodes(self, subtree: int, at: int) -> Iterator[Node]:
        """Go through the nodes of a subtree whose root is the node ``at`` of a tree."""
        feature, s = int(self.feature[subtree]), int(self.support[subtree])
        of_support = float(self.value[s]), int(self.rows[s]), float(self.weight[s]), float(self.loss[s])
        if feature < 0:
            yield Node(None, -1, -1, *of_support)
            return
        yes = list(self._nodes(int(self.yes[subtree]), at + 1))
        no = at + 1 + len(yes)
        yield Node(self.groups.conditions[feature], at + 1, no, *of_support)
        yield from yes
        yield from self._nodes(int(self.no[subtree]), no)


@dataclass(frozen=True, slots=True)
class NearSolutions:
    """Solutions nearly as good as the best, in order; none if the best is not proven.

    ``status`` is "optimal", or says what ended the search before all were found; ``more`` that there are more than were
    asked for. No tree that is missing has an objective below ``lower_bound``.
    """

    best: Solution
    solutions: NearTrees
    status: str
    lower_bound: float
    more: bool


def read_near(trees: core.CoreSharedTrees, best: Solution, groups: Groups, problem: Problem) -> NearTrees:
    """Return the trees nearly as good as the best, in terms of conditions and of the target in its own units."""
    # Points have the values of the target as they are.
    origin = 0.0 if problem.minimised.needs_values else groups.origin
    found = NearTrees(
        trees.feature,
        trees.support,
        trees.yes,
        trees.no,
        trees.rows,
        trees.weight,
        origin + trees.value,
        trees.loss,
        trees.root,
        trees.objective,
        replace(groups, of_rows=None),
        best,
    )
    return replace(found, targets=tuple(_targets(found.tree(at), groups) for at in range(min(len(found), _LOOKED_AT))))


def _targets(tree: Tree, groups: Groups) -> Targets:
    number_of = {condition: number for number, condition in enumerate(groups.conditions)}
    features = [-1 if node.condition is None else number_of[node.condition] for node in tree.nodes]
    return targets_of(features, [(node.yes, node.no) for node in tree.nodes], groups)
