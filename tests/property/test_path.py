"""The path against every tree there is, and against searches at single regularizations."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from optitree.solver.problem import Limits
from optitree.solver.solution import PathStep
from optitree.solver.solve import solve, solve_path

from .brute_force import least_losses
from .instances import any_loss, nested_instance, random_instance

BATCHES, BATCH = 50, 50  # for each of two kinds of tables: 5,000 in all
REGULARIZATIONS = 50  # at which every table is also searched alone
SAME = 1e-9


def envelope(best: dict[int, float], r: float) -> float:
    return min(loss + r * leaves for leaves, loss in best.items())


def random_inside(rng: np.random.Generator, step: PathStep, many: int) -> np.ndarray:
    high = min(step.high, 2 * step.low + 0.1)
    return rng.uniform(step.low, high, many)


def check_steps(steps: tuple[PathStep, ...], best: dict[int, float], low: float) -> None:
    """Check that each tree is the best of its size, that intervals tile, and that no optimal tree is left out."""
    assert steps[0].leaves == 1
    assert steps[0].high == np.inf
    assert all(step.status == "optimal" for step in steps)
    assert all(step.low < step.high for step in steps)
    for few, many in pairwise(steps):
        assert few.low == many.high
        assert few.leaves < many.leaves
        assert abs(few.solution.cost(few.low) - many.solution.cost(few.low)) <= SAME
    for step in steps:
        assert abs(step.solution.relative_loss - best[step.leaves]) <= SAME
        for r in (step.low, min(step.high, 2.0)):
            assert abs(step.solution.cost(r) - envelope(best, r)) <= SAME
    for few, many in pairwise(steps):
        between = [loss + few.low * leaves for leaves, loss in best.items() if few.leaves < leaves < many.leaves]
        assert min(between, default=np.inf) >= few.solution.cost(few.low) - SAME
    assert abs(steps[-1].solution.cost(low) - envelope(best, low)) <= SAME


@pytest.mark.parametrize("make", [random_instance, nested_instance])
@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_path_has_every_optimal_tree_and_the_exact_interval_of_each(make, batch):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        rng = np.random.default_rng(seed)
        instance = any_loss(make(rng, rows=11), seed)
        groups, best = instance.groups(), least_losses(instance)
        low = float(rng.choice([0, 1e-3, 0.01, 0.1]))
        steps = solve_path(groups, instance.problem, low)
        assert steps[-1].low == low
        check_steps(steps, best, low)
        for step in steps:
            for r in random_inside(rng, step, -(-REGULARIZATIONS // len(steps))):
                alone = solve(groups, replace(instance.problem, regularization=r))
                assert abs(alone.objective - step.solution.cost(r)) <= SAME


@pytest.mark.parametrize("seed", range(200))
def test_a_limit_on_leaves_cuts_the_path_off(seed):
    rng = np.random.default_rng(seed)
    instance = nested_instance(rng, rows=11)
    groups = instance.groups()
    whole = solve_path(groups, instance.problem, 0.0)
    most = int(rng.integers(1, 9))
    cut = solve_path(groups, replace(instance.problem, max_leaves=most), 0.0)
    kept = [step for step in whole if step.leaves <= most]
    assert [step.leaves for step in cut] == [step.leaves for step in kept]
    assert [step.low for step in cut] == pytest.approx([step.low for step in kept], abs=SAME)
    assert cut[-1].status == "optimal"


@pytest.mark.parametrize("seed", range(150))
def test_weights_of_many_orders_of_magnitude_do_not_trap_the_path(seed):
    rng = np.random.default_rng(seed)
    instance = random_instance(rng, rows=40, features=6)
    weight = 10 ** rng.uniform(-4, 4, len(instance.y))
    y = (weight < 1e-2).astype(float) if seed % 2 else instance.y  # the loss is in the lightest rows
    instance = replace(instance, weight=weight, y=y)
    steps = solve_path(instance.groups(), instance.problem, 1e-3, Limits(seconds=20))
    status = steps[0].status
    # What rounding leaves open is said of the whole path.
    assert {(step.status, step.error > 0) for step in steps} == {(status, status == "precision_limit")}
    assert status == "optimal" or (status == "precision_limit" and seed % 2)
    for few, many in pairwise(steps):
        assert few.leaves < many.leaves
        assert few.low == many.high
    for step in steps:
        r = random_inside(rng, step, 1)[0]
        alone = solve(instance.groups(), replace(instance.problem, regularization=r))
        assert alone.objective == pytest.approx(step.solution.cost(r), abs=1e-6)
    most = int(rng.integers(1, 9))
    limited = solve(instance.groups(), replace(instance.problem, max_leaves=most), Limits(seconds=20))
    assert limited.status == status
    assert limited.tree.n_leaves <= most
