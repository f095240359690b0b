"""The tree: conditions, leaves, and the path of a row through them."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..conditions.condition import Condition
from ..table.reading import Table
from .targets import Targets


class Node(NamedTuple):
    """A split (``condition`` is set) or a leaf, with the rows of the fitted table that reach it.

    ``loss`` is the weighted sum of what ``value`` costs as their prediction: squared deviations, or those of the loss
    that the tree was fitted for. ``missing`` counts the rows of a split that have no value in the column it asks about.
    """

    condition: Condition | None
    yes: int
    no: int
    value: float
    rows: int
    weight: float
    loss: float
    missing: int = 0

    @property
    def is_leaf(self) -> bool:
        """Whether the node predicts instead of asking."""
        return self.condition is None


@dataclass(frozen=True)
class Tree:
    """Nodes in preorder: the root first, a child after its parent, yes before no.

    ``targets`` has those of the leaves in a few numbers, None where they are not known.
    """

    nodes: tuple[Node, ...]
    targets: Targets | None = field(default=None, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return (len(self.nodes) + 1) // 2

    @cached_property
    def depth(self) -> int:
        """Splits on the longest path; a single leaf has depth 0."""
        return max(self._depths())

    @cached_property
    def depths(self) -> NDArray[np.intp]:
        """Depth of every node."""
        return np.array(self._depths(), dtype=np.intp)

    def _depths(self) -> list[int]:
        depths = [0] * len(self.nodes)
        for at, node in enumerate(self.nodes):
            if node.condition is not None:
                depths[node.yes] = depths[node.no] = depths[at] + 1
        return depths

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The columns that the tree asks about, by their number."""
        return tuple(sorted({node.condition.column for node in self.nodes if node.condition is not None}))

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """Prediction of every node."""
        return np.array([node.value for node in self.nodes])

    def apply(self, table: Table) -> NDArray[np.intp]:
        """Return the number of the leaf that each row of a table reaches."""
        leaves = np.zeros(table.rows, dtype=np.intp)
        waiting: list[tuple[int, NDArray[np.intp] | None]] = [(0, None)]  # None: all rows
        while waiting:
            at, rows = waiting.pop()
            node = self.nodes[at]
            if node.condition is None:
                leaves[rows] = at
                continue
            column = table.columns[node.condition.column]
            if rows is None:
                holds = node.condition.holds(column)
                waiting += [(node.yes, np.flatnonzero(holds)), (node.no, np.flatnonzero(~holds))]
            else:
                holds = node.condition.holds(column.take(rows))
                waiting += [(node.yes, rows[holds]), (node.no, rows[~holds])]
        return leaves

    @cached_property
    def ancestors(self) -> tuple[tuple[int, ...], ...]:
        """For every node the nodes on the path to it, itself included."""
        paths: list[tuple[int, ...]] = [(0,)] * len(self.nodes)
        for at, node in enumerate(self.nodes):
            if not node.is_leaf:
                paths[node.yes] = (*paths[at], node.yes)
                paths[node.no] = (*paths[at], node.no)
        return tuple(paths)
