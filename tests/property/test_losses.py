"""Absolute error and quantile loss against every tree there is: 7,000 random tables, each bound on and off."""

from dataclasses import replace

import numpy as np
import pytest

from optitree.solver.solution import Solution

from .brute_force import brute_force
from .instances import BOUNDS, Instance, absolute, nested_instance, quantile, random_instance, rows_again
from .test_brute_force import assert_best

BATCH = 125


def make(seed: int) -> Instance:
    rng = np.random.default_rng(seed)
    instance = nested_instance(rng, 16, 6) if seed % 4 == 0 else random_instance(rng)
    return rows_again(instance, rng) if seed % 3 == 0 else instance


def assert_leaves_predict_the_lowest_best_value(instance: Instance, solution: Solution) -> None:
    loss = instance.problem.minimised
    leaves = np.zeros(len(instance.y), int)
    for row, answers in enumerate(instance.binary):
        while (node := solution.tree.nodes[leaves[row]]).condition is not None:
            leaves[row] = node.yes if answers[node.condition.column] else node.no
    total = 0.0
    for leaf in np.unique(leaves):
        y, weight = instance.y[leaves == leaf], instance.weight[leaves == leaf]
        error = np.unique(y)[:, None] - y
        costs = (np.where(error > 0, loss.over * error, -loss.under * error) * weight).sum(axis=1)
        lowest = np.unique(y)[costs <= costs.min() * (1 + 1e-11)][0]
        node = solution.tree.nodes[leaf]
        assert node.value == lowest
        assert node.loss == pytest.approx(costs.min(), rel=1e-12, abs=1e-300)
        assert (node.rows, node.weight) == (len(y), pytest.approx(weight.sum()))
        total += node.loss
    assert solution.loss == pytest.approx(total / instance.weight.sum(), rel=1e-12, abs=1e-300)


def check(instance: Instance, seed: int) -> None:
    best = brute_force(instance)
    solution = instance.solve()
    assert_best(solution, best)
    assert_leaves_predict_the_lowest_best_value(instance, solution)
    for bound in BOUNDS if seed % 5 == 0 else (BOUNDS[seed % len(BOUNDS)],):
        assert_best(instance.solve(bound, threads=1 + seed % 2), best)
    assert_best(instance.solve(*BOUNDS), best)


@pytest.mark.parametrize("batch", range(40))
def test_the_canonical_best_tree_for_absolute_error_is_found(batch):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        check(absolute(make(seed)), seed)


@pytest.mark.parametrize("batch", range(16))
def test_the_canonical_best_tree_for_a_quantile_is_found(batch):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        check(quantile(make(seed), seed), seed)


@pytest.mark.parametrize("seed", range(100))
def test_half_the_absolute_error_is_the_loss_of_the_median(seed):
    instance = make(seed)
    a, b = absolute(instance).solve(), quantile(instance, 0).solve()
    assert a.objective == pytest.approx(b.objective, abs=1e-12)
    assert a.loss == pytest.approx(2 * b.loss, rel=1e-12)
    assert [node.value for node in a.tree.nodes] == [node.value for node in b.tree.nodes]


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("offset", [-1e9, 1e15])
def test_a_huge_offset_changes_nothing(seed, offset):
    instance = absolute(make(seed))
    near = replace(instance, y=np.round(instance.y * 4) / 4)
    a, b = near.solve(), replace(near, y=near.y + offset).solve()
    if offset == 1e15:  # quarters are lost there
        near = replace(near, y=np.round(near.y))
        a, b = near.solve(), replace(near, y=near.y + offset).solve()
    assert a.objective == b.objective
    assert [node.value + offset for node in a.tree.nodes] == [node.value for node in b.tree.nodes]


@pytest.mark.parametrize("seed", range(100))
def test_turning_the_target_around_turns_the_quantile_around(seed):
    instance = quantile(make(seed), seed)
    turned = replace(instance, y=-instance.y, problem=replace(instance.problem, quantile=1 - instance.problem.quantile))
    assert turned.solve().objective == pytest.approx(instance.solve().objective, abs=1e-11)


@pytest.mark.parametrize("seed", range(100))
def test_the_order_of_the_rows_leaves_no_trace(seed):
    rng = np.random.default_rng(seed)
    instance = absolute(rows_again(random_instance(rng, rows=80, features=7), rng))
    order = rng.permutation(len(instance.y))
    shuffled = replace(instance, binary=instance.binary[order], y=instance.y[order], weight=instance.weight[order])
    a, b = instance.solve(), shuffled.solve(threads=2)
    assert (a.objective, a.tree) == (b.objective, b.tree)
