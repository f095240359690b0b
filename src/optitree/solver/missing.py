"""How many rows with a missing value come to each split that asks about it."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..conditions.condition import IsMissing
from ..groups.groups import Groups
from .tree import Node, Tree


def with_missing(tree: Tree, groups: Groups) -> Tree:
    """Return a tree whose splits know how many of their rows have no value in the column that they ask about."""
    gaps = {c.column: number for number, c in enumerate(groups.conditions) if isinstance(c, IsMissing)}
    asked = {node.condition.column for node in tree.nodes if node.condition is not None}
    if not asked & gaps.keys():
        return tree
    number_of = {condition: number for number, condition in enumerate(groups.conditions)}
    # Only groups that miss something are followed through the tree, mostly few.
    here = np.flatnonzero(_any(groups.bits, [gaps[column] for column in asked & gaps.keys()]))
    nodes, waiting = list(tree.nodes), [(0, here)]
    while waiting:
        at, reaching = waiting.pop()
        node = nodes[at]
        if node.condition is None or not len(reaching):
            continue
        holds = _answers(groups.bits, number_of[node.condition])[reaching]
        if node.condition.column in gaps:
            absent = reaching[_answers(groups.bits, gaps[node.condition.column])[reaching]]
            nodes[at] = Node(*node[:-1], missing=int(groups.rows[absent].sum()))
        waiting += [(node.yes, reaching[holds]), (node.no, reaching[~holds])]
    return replace(tree, nodes=tuple(nodes))


def _answers(bits: NDArray[np.uint64], number: int) -> NDArray[np.bool_]:
    return (bits[:, number // 64] >> np.uint64(number % 64) & np.uint64(1)).astype(bool)


def _any(bits: NDArray[np.uint64], numbers: list[int]) -> NDArray[np.bool_]:
    found = np.zeros(len(bits), bool)
    for number in numbers:
        found |= _answers(bits, number)
    return found
