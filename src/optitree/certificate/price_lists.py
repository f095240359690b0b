"""Price lists: prices lowered until they hold for every leaf, by the pass of the checker itself."""

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..verify_prices import PRICE_UNIT, Costs, Leaves, PriceCheck

Prices = NDArray[np.float64]
Members = NDArray[np.intp]

# What is taken off a price so that no leaf is too cheap by rounding alone, as a share.
_SLACK = 2e-11


class OutOfTimeError(Exception):
    """The time for a certificate is over."""


class Repair(PriceCheck):
    """The pass of the checker, except that prices of leaves that are too cheap are lowered, and the leaves kept."""

    def __init__(self, costs: Costs, home: Members, net: Prices, deadline: float) -> None:
        super().__init__(costs, home, whole_prices(net, costs.within[home]))
        self._deadline = deadline
        self.leaves: list[Members] = []

    def extend(self, leaves: Leaves) -> None:
        """Examine leaves while there is time."""
        if time.monotonic() > self._deadline:
            raise OutOfTimeError
        super().extend(leaves)

    def found(self, at: Members) -> None:
        """Lower prices until the leaf is worth them; lower prices hold wherever higher ones did."""
        self.leaves.append(at)
        cost = float(self.costs.exact(at)) - self.costs.within[at].sum()
        known = self.terms[4, at]
        net = np.maximum(known, 0)
        lower = np.minimum(known, net * (cost * (1 - _SLACK) / net.sum()))
        self.whole[at] = whole_prices(lower, self.costs.within[at])
        self.price_groups(at)


def whole_prices(net: Prices, within: Prices) -> list[int]:
    """Return prices beyond the loss inside groups as the whole numbers of a certificate, which include it."""
    prices = net + within
    return [math.floor(p * PRICE_UNIT) for p in (prices - _SLACK * np.abs(prices)).tolist()]


def repaired(costs: Costs, net: Prices, deadline: float) -> list[int] | None:
    """Return the prices of a certificate, lowered until the checker accepts them; None if there was no time."""
    repair = Repair(costs, np.arange(len(net)), net, deadline)
    try:
        repair.run()
    except OutOfTimeError:
        return None
    return repair.whole.tolist()


def leaves_of(costs: Costs, tree: Any) -> list[Members]:
    """Return the groups of each leaf of a tree."""
    leaves = []
    waiting = [(tree, np.arange(len(costs.rows)))]
    while waiting:
        node, at = waiting.pop()
        if node is None:
            leaves.append(at)
        else:
            holds = costs.groups.answers[at, node[0]]
            waiting += [(node[1], at[holds]), (node[2], at[~holds])]
    return leaves


def spread(costs: Costs, tree: Any) -> Prices:
    """Return the cost of each leaf of a tree spread over its groups: prices to begin with, if there are no others."""
    net = np.zeros(len(costs.rows))
    for at in leaves_of(costs, tree):
        w, x = costs.weight[at], costs.mean[at]
        mean = (w * x).sum() / w.sum()
        net[at] = costs.price * w / w.sum() + w * (x - mean) ** 2
    return np.minimum(net, costs.price)
