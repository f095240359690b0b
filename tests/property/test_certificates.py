"""Certificates of random tables: a small share of `certificate_trials`, which runs all of them."""

import itertools
import time

import numpy as np
import pytest

from optitree.certificate.price_lists import repaired
from optitree.verify_prices import PRICE_UNIT, Costs, PriceCheck
from optitree.verify_table import Rejected, group_rows

from .certificate_trials import check_instance, check_mutations


@pytest.mark.parametrize("batch", range(4))
def test_certificates_are_accepted_and_lies_are_not(batch):
    wrong = [problem for seed in range(30 * batch, 30 * (batch + 1)) if (problem := check_instance(seed))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("batch", range(2))
def test_a_mutation_is_accepted_only_if_it_is_true(batch):
    results = [check_mutations(1000 * batch + seed, 30) for seed in range(12)]
    counts = sum((counts for counts, _ in results), start=results[0][0] - results[0][0])
    wrong = [lie for _, lies in results for lie in lies]
    assert not wrong, "\n".join(wrong)
    assert counts["rejected"] > 100
    assert counts["accepted, true"] > 10


def random_costs(rng: np.random.Generator) -> Costs:
    """Chains of thresholds beside independent conditions, equal ones and ones that imply another."""
    n = int(rng.integers(5, 50))
    value = rng.integers(0, 4, n)[:, None]
    answers = np.column_stack([value <= np.arange(3), rng.random((n, 2)) < 0.5])
    more = answers[:, 0] & answers[:, 3] if rng.random() < 0.5 else answers[:, 4]
    answers = np.column_stack([answers, more])
    y = rng.normal(size=n) + 2 * answers[:, 0] - answers[:, 4]
    groups = group_rows(answers, y.tolist(), rng.choice([1.0, 0.25, 2.0], n).tolist())
    return Costs(groups, float(rng.choice([0.001, 0.01, 0.05, 0.2])), int(rng.integers(1, 4)))


class EveryLeaf:
    """All leaves on some groups, by trying every conjunction: a row for each, and what it costs."""

    def __init__(self, costs: Costs, home: np.ndarray) -> None:
        found = set()
        for choice in itertools.product((None, 0, 1), repeat=costs.groups.answers.shape[1]):
            at = np.intersect1d(
                home, costs.support([2 * f + side for f, side in enumerate(choice) if side is not None])
            )
            if len(at) and costs.rows[at].sum() >= costs.least_rows:
                found.add(tuple(at.tolist()))
        self.leaves = sorted(found)
        self.rows = np.zeros((len(self.leaves), len(costs.rows)))
        for row, at in zip(self.rows, self.leaves, strict=True):
            row[list(at)] = 1
        self.costs = np.array([float(costs.exact(at)) for at in self.leaves])

    def room(self, prices: np.ndarray) -> np.ndarray:
        """Return by how much each leaf costs more than its prices."""
        return self.costs - self.rows @ prices


@pytest.mark.parametrize("seed", range(40))
def test_a_pass_misses_no_leaf_that_is_too_cheap(seed):
    """Prices that just hold, raised or lowered by little or much, some negative, also on a part of the groups."""
    rng = np.random.default_rng(seed)
    costs = random_costs(rng)
    home = costs.support([int(rng.integers(costs.literals.shape[1]))] if seed % 3 == 0 else [])
    every = EveryLeaf(costs, home)
    if not every.leaves:
        return
    for trial in range(12):
        prices = np.zeros(len(costs.rows))
        prices[home] = costs.within[home] + costs.price * rng.uniform(-0.2 * (trial % 2), 1, len(home))
        for _ in range(1000):
            room = every.room(prices)
            if room.min() >= 0:
                break
            at = list(every.leaves[room.argmin()])
            positive = np.maximum(prices[at] - costs.within[at], 1e-9)
            prices[at] += room.min() * positive / positive.sum()
        changed = int(rng.choice(home))
        prices[changed] += costs.price * float(rng.choice([1, -1])) * 10.0 ** -int(rng.integers(0, 9))
        room = every.room(prices).min()
        if abs(room) < 1e-12:
            continue
        check = PriceCheck(costs, home, [round(price * PRICE_UNIT) for price in prices[home].tolist()])
        if room > 0:
            check.run()
        else:
            with pytest.raises(Rejected, match="cheaper than the prices"):
                check.run()


@pytest.mark.parametrize("seed", range(10))
def test_prices_are_lowered_until_they_hold(seed):
    rng = np.random.default_rng(seed)
    costs = random_costs(rng)
    everything = np.arange(len(costs.rows))
    prices = repaired(costs, rng.random(len(everything)) * costs.price, time.monotonic() + 60)
    assert prices is not None
    assert EveryLeaf(costs, everything).room(np.array(prices) / PRICE_UNIT).min() >= -1e-12
    PriceCheck(costs, everything, prices).run()
