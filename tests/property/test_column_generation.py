"""Column generation against a linear program over all leaves: its prices reach the tree, or there are none."""

import time

import numpy as np
import pytest
from scipy.optimize import linprog

from optitree.certificate.column_generation import ColumnGeneration, Oracle
from optitree.certificate.price_lists import leaves_of, repaired, spread
from optitree.certificate.statement import nested, of_groups
from optitree.verify_prices import PRICE_UNIT, Costs

from .instances import random_instance
from .test_certificates import EveryLeaf

EXACTLY = 1e-9


class Case:
    """A random table with its best tree, all of its leaves, and what asks the core about prices."""

    def __init__(self, seed: int) -> None:
        instance = random_instance(np.random.default_rng(seed), 16, 6)
        solution, grouped = instance.solve(), instance.groups()
        subject = of_groups(grouped)
        self.usable = solution.root_loss > 0 and instance.problem.regularization > 0
        if not self.usable:
            return
        self.costs = Costs(subject.groups, instance.problem.regularization, instance.problem.min_samples_leaf)
        self.tree = nested(solution.tree, grouped.conditions)
        self.every = EveryLeaf(self.costs, np.arange(len(self.costs.rows)))
        self.oracle = Oracle(self.costs, grouped, instance.problem, subject.place)

    def most(self) -> float:
        """Return what prices can add up to, none below the loss inside its group."""
        free = self.costs.price + self.every.costs.max()
        bounds = [(within, free) for within in self.costs.within]
        answer = linprog(-np.ones(len(bounds)), A_ub=self.every.rows, b_ub=self.every.costs, bounds=bounds)
        return float(-answer.fun)


@pytest.mark.parametrize("batch", range(4))
def test_prices_reach_the_tree_or_no_prices_do(batch):
    ends = set()
    for seed in range(50 * batch, 50 * (batch + 1)):
        case = Case(seed)
        if not case.usable:
            continue
        generation = ColumnGeneration(case.costs, leaves_of(case.costs, case.tree), case.oracle, time.monotonic() + 60)
        generation.start(spread(case.costs, case.tree))
        generation.run()
        cost, most = float(case.costs.tree(case.tree)[0]), case.most()
        assert case.every.room(generation.prices + case.costs.within).min() >= -EXACTLY
        assert generation.closed != generation.hopeless, seed
        if generation.closed:
            prices = repaired(case.costs, generation.prices, time.monotonic() + 60)
            assert prices is not None
            assert sum(prices) / PRICE_UNIT >= cost - EXACTLY / 2
        else:
            assert most < cost - EXACTLY / 100, seed
        ends.add(generation.closed)
    assert ends == {True, False}


@pytest.mark.parametrize("seed", range(60))
def test_the_core_says_which_leaves_are_too_cheap(seed):
    case, rng = Case(seed), np.random.default_rng(seed)
    if not case.usable:
        return
    for size in (0.3, 1.0, 3.0):
        asked = size * case.costs.price * rng.random(len(case.costs.rows))
        held, cheap = case.oracle.hold(asked, time.monotonic() + 60)
        assert (held <= asked + EXACTLY).all()
        assert case.every.room(held + case.costs.within).min() >= -EXACTLY
        room = case.every.room(asked + case.costs.within)
        assert bool(cheap) or room.min() >= -EXACTLY
        leaves = dict(zip(case.every.leaves, room, strict=True))
        assert all(leaves[tuple(at.tolist())] <= case.costs.price * 1e-3 for at in cheap)
