"""Price lists: prices that hold for every leaf, and add up to as much as can be had."""

import math
import time
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack

from ..verify_prices import PRICE_UNIT, Costs, Leaves, PriceCheck

Prices = NDArray[np.float64]
Members = NDArray[np.intp]

# What is taken off a price so that no leaf is too cheap by rounding alone, as a share.
_SLACK = 2e-11
_FIRST_RAISE = 1.05
_PATIENCE = 300  # leaves that a pass collects before it lowers prices
# Leaves should cost more than their prices by this share of the price of a leaf, where prices can be so.
_ROOM = 0.1
_SOLVER = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10, "presolve": False}


class OutOfTimeError(Exception):
    """The time for a certificate is over."""


class Repair(PriceCheck):
    """The pass of the checker, except that prices of leaves that are too cheap are lowered, and the leaves kept."""

    def __init__(self, costs: Costs, home: Members, net: Prices, deadline: float, patience: int = 0) -> None:
        super().__init__(costs, home, whole_prices(net, costs.within[home]))
        self._deadline, self._patience = deadline, patience
        self.leaves: list[Members] = []

    def extend(self, leaves: Leaves) -> None:
        """Examine leaves while there is time."""
        if time.monotonic() > self._deadline:
            raise OutOfTimeError
        super().extend(leaves)

    def found(self, at: Members) -> None:
        """Lower prices until the leaf is worth them; lower prices hold wherever higher ones did."""
        self.leaves.append(at)
        if len(self.leaves) <= self._patience:
            return
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


class Improvement:
    """Raises prices by linear programs over the leaves that were too cheap so far (column generation)."""

    def __init__(self, costs: Costs, home: Members, deadline: float) -> None:
        self._costs, self._home, self.deadline = costs, home, deadline
        self._place = np.full(len(costs.rows), -1)
        self._place[home] = np.arange(len(home))
        self._leaves: dict[bytes, Members] = {}
        self._leaf_costs: list[float] = []
        self.prices: list[int] = whole_prices(np.zeros(len(home)), costs.within[home])
        self.total = sum(self.prices) / PRICE_UNIT

    def start(self, net: Prices) -> bool:
        """Begin with prices beyond the loss inside groups, those of a search for example; whether there was time."""
        self._keep([self._home])
        try:
            self._pass(net)
        except OutOfTimeError:
            return False
        with suppress(OutOfTimeError):
            self._pass(np.minimum(net * _FIRST_RAISE, self._costs.price))
        return True

    def try_to_reach(self, tree: Any, seconds: float) -> None:
        """Look for prices that add up to the cost of a tree, for some seconds of work or until the deadline.

        Its leaves cost what their prices are then. Among such prices those are tried for which other leaves known so
        far cost more than theirs, with room to spare; where there are none, no price list reaches the tree.
        """
        leaves, end = leaves_of(self._costs, tree), time.process_time() + seconds
        with suppress(OutOfTimeError):
            while time.process_time() < end:
                net = self._linear_program(leaves)
                if net is None or self._pass(net, _PATIENCE):
                    return

    def _pass(self, net: Prices, patience: int = 0) -> bool:
        """Repair prices, and keep them if they are better; whether there was nothing to repair."""
        repair = Repair(self._costs, self._home, net, self.deadline, patience)
        repair.run()
        self._keep(repair.leaves)
        prices = repair.whole[self._home].tolist()
        valid = not patience or not repair.leaves
        if valid and sum(prices) / PRICE_UNIT > self.total:
            self.prices, self.total = prices, sum(prices) / PRICE_UNIT
        return not repair.leaves

    def _keep(self, leaves: list[Members]) -> None:
        for at in leaves:
            key = at.tobytes()
            if key not in self._leaves:
                self._leaves[key] = at
                self._leaf_costs.append(self._cost(at))

    def _linear_program(self, tight: list[Members]) -> Prices | None:
        """Return prices for which some leaves cost just that and those known so far enough; None if there are none."""
        unit = self._costs.price  # of a leaf: the solver's tolerances are about it
        leaves = list(self._leaves.values())
        least = np.array(self._leaf_costs) / unit
        enough = hstack([self._matrix(leaves), eye_array(len(leaves))], format="csr")
        equal = hstack([self._matrix(tight), csr_array((len(tight), len(leaves)))], format="csr")
        answer = linprog(
            np.concatenate([np.zeros(len(self._home)), -np.ones(len(leaves))]),
            A_ub=enough,
            b_ub=least,
            A_eq=equal,
            b_eq=np.array([self._cost(at) for at in tight]) / unit,
            bounds=[(0, 1)] * len(self._home) + [(0, _ROOM)] * len(leaves),
            method="highs",
            options={**_SOLVER, "time_limit": max(self.deadline - time.monotonic(), 0.01)},
        )
        return np.asarray(answer.x)[: len(self._home)] * unit if answer.status == 0 else None

    def _matrix(self, leaves: list[Members]) -> Any:
        columns = np.concatenate([self._place[at] for at in leaves])
        starts = np.concatenate([[0], np.cumsum([len(at) for at in leaves])])
        return csr_array((np.ones(len(columns)), columns, starts), shape=(len(leaves), len(self._home)))

    def _cost(self, at: Members) -> float:
        return float(self._costs.exact(at)) - float(self._costs.within[at].sum())


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
