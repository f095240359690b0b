"""Certificates of random tables: a small share of `certificate_trials`, which runs all of them."""

import itertools
import time

import numpy as np
import pytest

from optitree.certificate.price_lists import Improvement
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


def random_costs(seed: int) -> Costs:
    """Chains of thresholds beside independent conditions, so that literals imply one another."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 40))
    value = rng.integers(0, 4, n)[:, None]
    answers = np.column_stack([value <= np.arange(3), rng.random((n, 3)) < 0.5])
    y = rng.normal(size=n) + 2 * answers[:, 0] - answers[:, 4]
    return Costs(
        group_rows(answers, y.tolist(), [1.0] * n), float(rng.choice([0.01, 0.05, 0.2])), int(rng.integers(1, 4))
    )


def cheapest(costs: Costs, prices: np.ndarray) -> float:
    """Return the least cost of a leaf beyond its prices, over all conjunctions."""
    least = np.inf
    for choice in itertools.product((None, 0, 1), repeat=costs.groups.answers.shape[1]):
        at = costs.support([2 * f + side for f, side in enumerate(choice) if side is not None])
        if len(at) and costs.rows[at].sum() >= costs.least_rows:
            least = min(least, float(costs.exact(at)) - prices[at].sum())
    return least


@pytest.mark.parametrize("seed", range(25))
def test_a_pass_misses_no_leaf_that_is_too_cheap(seed):
    costs, rng = random_costs(seed), np.random.default_rng(seed)
    everything = np.arange(len(costs.rows))
    improvement = Improvement(costs, everything, time.monotonic() + 60)
    improvement.start(rng.random(len(everything)) * costs.price)
    held = np.array(improvement.prices)
    assert cheapest(costs, held / PRICE_UNIT) >= -1e-12
    PriceCheck(costs, everything, held.tolist()).run()
    for _ in range(10):
        raised = held.copy()
        raised[rng.integers(len(held))] += int(PRICE_UNIT * costs.price * rng.random() * 0.5)
        gap = cheapest(costs, raised / PRICE_UNIT)
        if gap < -1e-12:
            with pytest.raises(Rejected, match="cheaper than the prices"):
                PriceCheck(costs, everything, raised.tolist()).run()
        elif gap > 1e-12:
            PriceCheck(costs, everything, raised.tolist()).run()
