"""What must not matter does not matter."""

from dataclasses import replace

import numpy as np
import pytest

from optitree import Binarizer, OptimalTreeRegressor

from .instances import Instance, random_instance
from .test_brute_force import splits

SEEDS = range(150)


def larger_instance(seed: int) -> Instance:
    return random_instance(np.random.default_rng(seed), rows=60, features=7)


@pytest.mark.parametrize("seed", SEEDS)
def test_order_of_rows(seed):
    instance = larger_instance(seed)
    order = np.random.default_rng(seed).permutation(len(instance.y))
    shuffled = replace(instance, binary=instance.binary[order], y=instance.y[order], weight=instance.weight[order])
    a, b = instance.solve(), shuffled.solve()
    assert a.objective == b.objective
    assert a.tree == b.tree  # to the last bit of every node


@pytest.mark.parametrize("seed", SEEDS)
def test_repeating_rows_is_doubling_weights(seed):
    instance = larger_instance(seed)
    instance = replace(instance, problem=replace(instance.problem, min_samples_leaf=1))
    doubled = replace(instance, weight=2 * instance.weight)
    repeated = replace(
        instance,
        binary=np.repeat(instance.binary, 2, axis=0),
        y=np.repeat(instance.y, 2),
        weight=np.repeat(instance.weight, 2),
    )
    a, b, c = instance.solve(), doubled.solve(), repeated.solve()
    assert splits(a.tree) == splits(b.tree) == splits(c.tree)
    assert a.objective == pytest.approx(b.objective, abs=1e-12)
    assert b.objective == pytest.approx(c.objective, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_useless_column(seed):
    instance = larger_instance(seed)
    rows = len(instance.y)
    for useless in (np.zeros(rows, bool), np.ones(rows, bool), ~instance.binary[:, 0]):
        wider = replace(instance, binary=np.column_stack([instance.binary, useless]))
        assert splits(wider.solve().tree) == splits(instance.solve().tree)


@pytest.mark.parametrize("seed", SEEDS)
def test_order_of_columns_does_not_change_the_objective(seed):
    instance = larger_instance(seed)
    order = np.random.default_rng(seed).permutation(instance.binary.shape[1])
    turned = replace(instance, binary=instance.binary[:, order])
    assert turned.solve().objective == pytest.approx(instance.solve().objective, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("scale", "shift"), [(-1, 0), (1e-6, 0), (1e9, 3), (1, 1e6)])
def test_scale_and_origin_of_the_target(seed, scale, shift):
    instance = larger_instance(seed)
    moved = replace(instance, y=scale * instance.y + shift)
    assert moved.solve().objective == pytest.approx(instance.solve().objective, abs=1e-8)


@pytest.mark.parametrize("seed", range(20))
def test_weight_zero_is_absence(seed):
    rng = np.random.default_rng(seed)
    X, y, weight = rng.normal(size=(80, 3)), rng.normal(size=80), rng.integers(0, 2, 80)
    model = OptimalTreeRegressor(0.02, max_depth=3, binarizer=Binarizer(max_thresholds=5))
    with_zeros = model.fit(X, y, weight).tree_
    without = model.fit(X[weight > 0], y[weight > 0]).tree_
    assert with_zeros == without
