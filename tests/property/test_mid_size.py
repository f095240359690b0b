"""Tables too large for brute force, against dynamic programming over every cube of features."""

import numpy as np
import pytest

from optitree.solver.problem import Problem

from .instances import BOUNDS, Instance


def best_objective(instance: Instance) -> float:
    """Every conjunction of literals is a cell of a cube with three values a feature: 0, 1, either."""
    binary, problem = instance.binary, instance.problem
    features = binary.shape[1]
    weight = instance.weight.astype(np.longdouble)
    y = (instance.y - np.average(instance.y, weights=instance.weight)).astype(np.longdouble)
    total = (weight * y * y).sum()
    code = binary.astype(int) @ (1 << np.arange(features)[::-1])

    def cube(values: np.ndarray) -> np.ndarray:
        sums = np.zeros(2**features, np.longdouble)
        np.add.at(sums, code, values)
        sums = sums.reshape((2,) * features)
        for axis in range(features):
            sums = np.concatenate([sums, sums.sum(axis=axis, keepdims=True)], axis=axis)
        return sums

    w, s, q, rows = cube(weight), cube(weight * y), cube(weight * y * y), cube(np.ones(len(y)))
    loss = (q - s * s / np.where(w > 0, w, 1)) / total
    leaf = np.where(rows > 0, loss + problem.regularization, np.inf)
    best = leaf
    for _ in range(features if problem.max_depth is None else min(problem.max_depth, features)):
        deeper = leaf.copy()
        for axis in range(features):
            zero, one = best.take(0, axis), best.take(1, axis)
            allowed = np.minimum(rows.take(0, axis), rows.take(1, axis)) >= problem.min_samples_leaf
            either = (slice(None),) * axis + (2,)
            deeper[either] = np.minimum(deeper[either], np.where(allowed, zero + one, np.inf))
        best = deeper
    return float(best[(2,) * features])


def mid_size_instance(rng: np.random.Generator) -> Instance:
    features, rows = int(rng.integers(6, 9)), int(rng.integers(60, 600))
    half = features // 2
    a, b = rng.integers(0, half + 2, rows)[:, None], rng.integers(0, features - half + 2, rows)[:, None]
    left, right = np.arange(half), np.arange(features - half)
    binary = [
        lambda: rng.random((rows, features)) < rng.choice([0.2, 0.5, 0.7]),
        lambda: np.column_stack([a <= left, b <= right]),  # nested thresholds
        lambda: np.column_stack([a == left, b == right]),  # intervals
    ][rng.integers(3)]()
    noise = rng.normal(size=rows)
    y = [
        lambda: noise,
        lambda: rng.integers(0, 3, rows).astype(float),
        lambda: binary @ rng.normal(size=features) + 0.3 * noise,
        lambda: np.logical_xor.reduce(binary[:, :3], axis=1) + 0.1 * noise,
        lambda: np.exp(3 * noise),
    ][rng.integers(5)]()
    weight = [np.ones(rows), np.exp(2 * rng.normal(size=rows)), 10.0 ** rng.integers(-8, 1, rows)][rng.integers(3)]
    problem = Problem(
        regularization=float(rng.choice([0, 1e-4, 1e-3, 0.01, 0.05])),
        max_depth=[None, 3, 4, 5, 6, 7][rng.integers(6)],
        min_samples_leaf=int(rng.choice([1, 1, 2, 10])),
    )
    return Instance(binary, y, weight, problem)


@pytest.mark.parametrize("seed", range(400))
def test_the_optimum_of_mid_size_tables(seed):
    rng = np.random.default_rng(seed)
    instance = mid_size_instance(rng)
    best = best_objective(instance)
    for off in ((), (BOUNDS[seed % len(BOUNDS)],)):
        solution = instance.solve(*off)
        assert solution.status == "optimal"
        assert solution.gap == 0
        assert abs(solution.objective - best) <= 1e-9


def priced_instance(rng: np.random.Generator) -> Instance:
    """Make a table that takes some searching, under limits that bind; weights mostly leave room for prices."""
    features, rows = int(rng.integers(8, 13)), int(rng.integers(40, 101))
    half = features // 2
    a, b = rng.integers(0, half + 1, rows)[:, None], rng.integers(0, features - half + 1, rows)[:, None]
    left, right = np.arange(half), np.arange(features - half)
    binary = [
        lambda: rng.random((rows, features)) < rng.choice([0.2, 0.5, 0.7]),
        lambda: np.column_stack([a <= left, b <= right]),
        lambda: np.column_stack([a == left, b == right]),
        lambda: np.column_stack([a <= left, rng.random((rows, features - half)) < 0.4]),
    ][rng.integers(4)]()
    noise = rng.normal(size=rows)
    y = [
        lambda: noise,
        lambda: rng.integers(0, 3, rows).astype(float),
        lambda: binary @ rng.normal(size=features) + 0.5 * noise,
    ][rng.integers(3)]()
    weight = [np.ones(rows), np.full(rows, 0.3), rng.integers(1, 4, rows).astype(float)][rng.integers(3)]
    problem = Problem(
        regularization=float(rng.choice([1e-3, 0.003, 0.01, 0.03])),
        max_depth=[None, 3, 4, 5, 6][rng.integers(5)],
        min_samples_leaf=int(rng.choice([1, 1, 2, 5])),
    )
    return Instance(binary, y, weight, problem)


@pytest.mark.parametrize("seed", range(500))
def test_prices_and_threads_change_neither_the_tree_nor_the_proof(seed):
    instance = priced_instance(np.random.default_rng(seed))
    plain = instance.solve("prices")
    assert plain.status == "optimal"
    for threads in (1, 2, 4):
        solution = instance.solve(threads=threads)
        assert solution.status == "optimal"
        assert solution.gap == 0
        assert solution.objective == plain.objective
        assert solution.tree == plain.tree
