"""Column generation: prices that add up to what a tree costs, if there are any, and else prices that are as good.

Two prices are known at any time: ones that hold (the centre), and ones that add up to the cost of the tree and hold for
the leaves seen so far (the target, of a linear program). What lies between them holds or shows more leaves. In the
first case the centre moves there, and what it lacks falls by the same share; in the second the leaves cut off the
target. Targets alone, which jump from one end of what the known leaves allow to the other, take ten times as long.
"""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack

from .. import core
from ..groups.groups import Groups
from ..solver.problem import Problem
from ..solver.task import make_task
from ..verify import TOLERANCE
from ..verify_prices import PRICE_UNIT, Costs
from .price_lists import Members, OutOfTimeError, Prices, Repair

# The least step towards the target; a step that held is followed by one twice as long.
_STEP = 0.3
# What may be missing in the end, as shares of what a proof of optimality may leave open: of all leaves of the tree in
# a linear program, and of the prices that are handed over.
_MISSING_IN_PROGRAM, _MISSING = 0.1, 0.25
# What a leaf may cost less than its prices because of the tolerances of linear programs, as a share of its price.
_ROUNDING = 2e-10
# Leaves should cost more than their prices by this share of the price of a leaf, where prices can be so.
_ROOM = 0.1
# Steps after which what is missing should have fallen to half.
_PATIENCE = 60
_SOLVER = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10, "presolve": False}


class Oracle:
    """Says whether prices hold, and which leaves are too cheap: the pass of the core where it has prices.

    What the core says is in floating point, and good enough to go on with: what a certificate contains has gone
    through the checker's own pass. Prices are beyond the loss inside groups, and not negative.
    """

    def __init__(self, costs: Costs, grouped: Groups, problem: Problem, place: NDArray[np.intp]) -> None:
        self._costs, self._place = costs, place
        self._number = np.empty(len(place), np.intp)  # among the groups of the certificate
        self._number[place] = np.arange(len(place))
        self._task: core.Task | None = make_task(grouped, problem, None, None, 1)

    def hold(self, net: Prices, deadline: float) -> tuple[Prices, list[Members]]:
        """Return prices that hold, none above what was asked for, and the leaves that were too cheap for that."""
        if self._task is not None:
            self._task.set_limits(core.Limits(max(deadline - time.monotonic(), 0.01), 2**62))
            asked = np.zeros(len(net))
            asked[self._place] = np.maximum(net, 0)
            complete, prices, cheap = core.hold_prices(self._task, asked)
            if complete:
                return np.array(prices)[self._place], [np.sort(self._number[at]) for at in cheap]
            if time.monotonic() >= deadline:
                raise OutOfTimeError
            self._task = None  # it has no prices where small leaves are not allowed
        repair = Repair(self._costs, np.arange(len(net)), net, deadline)
        repair.run()
        return repair.whole / PRICE_UNIT - self._costs.within, [np.sort(at) for at in repair.leaves]


class ColumnGeneration:
    """Raises prices that hold towards what a tree costs, until a deadline.

    ``prices`` are the best so far; ``closed``: whether they reach the tree; ``hopeless``: whether no prices do.
    """

    def __init__(self, costs: Costs, tree: list[Members], oracle: Oracle, deadline: float) -> None:
        self._costs, self._tree, self._oracle, self._deadline = costs, tree, oracle, deadline
        self._known: dict[bytes, tuple[Members, float]] = {}
        self._goal = sum(self._cost(at) for at in tree)
        self._keep([np.arange(len(costs.rows)), *tree])
        self.prices: Prices = np.zeros(len(costs.rows))
        self.closed = self.hopeless = False

    def start(self, net: Prices) -> None:
        """Lower prices until they hold, and begin there if there are no better ones."""
        held, cheap = self._oracle.hold(net, self._deadline)
        self._keep(cheap)
        if held.sum() > self.prices.sum():
            self.prices = held

    def run(self) -> None:
        """Raise the prices until they reach the tree, no prices can, or it takes too long."""
        step, target, missing = _STEP, None, [self._missing()]
        while time.monotonic() < self._deadline:
            self.closed = missing[-1] <= _MISSING * TOLERANCE
            if self.closed or (len(missing) > _PATIENCE and missing[-1] > missing[-_PATIENCE] / 2):
                return
            if target is None and (target := self._target()) is None:
                self.hopeless = True
                return
            asked = self.prices + step * (target - self.prices)
            held, cheap = self._oracle.hold(asked, self._deadline)
            self._keep(cheap)
            if any(asked[at].sum() > self._cost(at) + _ROUNDING * self._costs.price for at in cheap):
                target, step = None, max(step / 2, _STEP)
                self.prices = max(self.prices, held, key=np.sum)
            else:
                self.prices, step = asked, min(2 * step, 1.0)
            missing.append(self._missing())

    def _missing(self) -> float:
        return self._goal - float(self.prices.sum())

    def _keep(self, leaves: list[Members]) -> None:
        for at in leaves:
            if at.tobytes() not in self._known:
                self._known[at.tobytes()] = at, self._cost(at)

    def _target(self) -> Prices | None:
        """Return prices that the known leaves are worth, those of the tree just so; None if there are none.

        Of such prices those for which other leaves cost more than theirs, with room to spare.
        """
        unit, groups = self._costs.price, len(self._costs.rows)  # of a leaf: the solver's tolerances are about it
        leaves, most = zip(*self._known.values(), strict=True)
        enough = hstack([self._matrix(leaves), eye_array(len(leaves))], format="csr")
        tight = hstack([self._matrix(self._tree), csr_array((len(self._tree), len(leaves)))], format="csr")
        less = _MISSING_IN_PROGRAM * TOLERANCE / len(self._tree)
        answer = linprog(
            np.concatenate([np.zeros(groups), -np.ones(len(leaves))]),
            A_ub=vstack([enough, -tight], format="csr"),
            b_ub=np.array([*most, *(less - self._cost(at) for at in self._tree)]) / unit,
            bounds=[(0, None if self._costs.least_rows > 1 else 1)] * groups + [(0, _ROOM)] * len(leaves),
            method="highs",
            options={**_SOLVER, "time_limit": max(self._deadline - time.monotonic(), 0.01)},
        )
        if answer.status == 1:
            raise OutOfTimeError
        return np.asarray(answer.x)[:groups] * unit if answer.status == 0 else None

    def _matrix(self, leaves: Any) -> Any:
        starts = np.concatenate([[0], np.cumsum([len(at) for at in leaves])])
        ones = np.ones(starts[-1])
        return csr_array((ones, np.concatenate(leaves), starts), shape=(len(leaves), len(self._costs.rows)))

    def _cost(self, at: Members) -> float:
        known = self._known.get(at.tobytes())
        return known[1] if known else float(self._costs.exact(at)) - float(self._costs.within[at].sum())
