"""The full binary tree that both formulations fill in, and what is read off it.

Nodes are numbered as in Bertsimas and Dunn: 1 is the root, the children of t are 2t (left) and 2t + 1 (right). With
depth D the branch nodes are 1 .. 2^D - 1 and the leaf nodes 2^D .. 2^(D+1) - 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

# The feature of every branch node that splits. A row goes left where it is 0, right where it is 1; a branch node
# that does not split sends every row to the right.
Splits = Mapping[int, int]


def branch_nodes(depth: int) -> range:
    """Return the nodes that may split."""
    return range(1, 2**depth)


def leaf_nodes(depth: int) -> range:
    """Return the nodes that predict."""
    return range(2**depth, 2 ** (depth + 1))


def level(node: int) -> int:
    """Return how many splits lie above a node."""
    return node.bit_length() - 1


def ancestors(node: int) -> Iterator[tuple[int, bool]]:
    """Go from the root to a node: each branch node on the way, and whether the way goes left there."""
    for above in range(level(node), 0, -1):
        yield node >> above, (node >> (above - 1)) % 2 == 0


def route(splits: Splits, depth: int, features: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the leaf node that each line of 0/1 features ends in."""
    at = np.ones(len(features), dtype=np.intp)
    for _ in range(depth):
        for node in np.unique(at):
            here = at == node
            right = features[here, splits[node]] if node in splits else np.ones(int(here.sum()), dtype=np.bool_)
            at[here] = 2 * node + right
    return at
