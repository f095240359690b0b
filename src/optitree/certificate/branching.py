"""Branchings: which subproblems a proof has to go through, found by searching with the checker's own bounds."""

import math
import time

import numpy as np
from numpy.typing import NDArray

from ..verify import Ledger
from ..verify_prices import Costs
from .price_lists import Members, OutOfTimeError

Numbers = NDArray[np.float64]


class Branching:
    """Proves subproblems one after the other, smaller ones first, each at most once for a goal.

    ``entries`` has them in the order in which the checker can repeat it: literals of the support, splits that are
    left, number of the price list.
    """

    def __init__(self, costs: Costs, prices: list[int], unit: int, deadline: float) -> None:
        self._costs, self._deadline = costs, deadline
        self._prices = np.array(prices, np.int64) / unit
        self.ledger = Ledger(costs)
        self.entries: list[tuple[list[int], int | None, int]] = []
        self._exact: set[tuple[bytes, float]] = set()  # subproblems whose bound is what a tree costs

    def prove(self, where: list[int], depth: float, goal: float) -> float:
        """Bring the bound of a subproblem to a goal, or to what its best tree costs if that is less; return it."""
        if time.monotonic() > self._deadline:
            raise OutOfTimeError
        at = self._costs.support(where)
        leaf = self._leaf(at)
        exact, goal = leaf < goal, min(goal, leaf)
        if depth > 0:
            side = self.ledger.sides(at, depth, self._prices)
            for f in np.argsort(side[::2] + side[1::2], kind="stable").tolist():
                if side[2 * f] + side[2 * f + 1] < goal:
                    exact |= self._raise_split(f, where, depth, goal, side)
                    goal = min(goal, side[2 * f] + side[2 * f + 1])
        bound = self.ledger.prove(at, depth, self._prices)
        self.entries.append((where, None if depth == math.inf else int(depth), 0))
        if exact:
            self._exact.add((at.tobytes(), depth))
        return bound

    def _raise_split(self, f: int, where: list[int], depth: float, goal: float, side: Numbers) -> bool:
        """Raise the bounds of the two sides of a split, the smaller first, until they add up to the goal.

        Whether there is a tree that costs less. If not they have reached the goal, but for rounding.
        """
        supports = [self._costs.support([*where, literal]) for literal in (2 * f, 2 * f + 1)]
        for which, support in enumerate(supports):  # since the bounds were taken, more may have been proven
            side[2 * f + which] = max(side[2 * f + which], self.ledger.lookup(self._bits(support), depth - 1))
        for which in sorted((0, 1), key=lambda k: len(supports[k])):
            literal, other = 2 * f + which, 2 * f + 1 - which
            key = supports[which].tobytes(), depth - 1
            if side[literal] + side[other] >= goal:
                return False
            if depth <= 2 or key in self._exact:
                continue
            bound = self.prove([*where, literal], depth - 1, goal - side[other])
            side[literal] = max(side[literal], bound)
            if key not in self._exact:
                return False
        return bool(side[2 * f] + side[2 * f + 1] < goal)

    def _bits(self, at: Members) -> NDArray[np.uint8]:
        inside = np.zeros(len(self._costs.rows), bool)
        inside[at] = True
        return np.packbits(inside)

    def _leaf(self, at: Members) -> float:
        enough = self._costs.rows[at].sum() >= self._costs.least_rows
        return float(self._costs.exact(at)) if enough else math.inf
