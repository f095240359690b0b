"""What is called optimal is, whatever the weights, quantiles and regularizations: against rational numbers."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from optitree.solver.problem import Problem
from optitree.solver.solve import solve_near, solve_path

from .exact_brute_force import ExactTrees
from .instances import Instance

BATCHES, BATCH = 12, 100
TOLERANCE = 1e-9
QUANTILES = (0.5, 0.1, 0.999, 1e-3, 1e-6, 1e-12, 1e-20, 1e-100, 1 - 1e-6, 1 - 2**-53)


def make(seed: int) -> Instance:
    rng = np.random.default_rng(seed)
    n, features = int(rng.integers(3, 9)), int(rng.integers(1, 4))
    y = rng.normal(size=n) if rng.random() < 0.5 else rng.integers(0, 3, n) + 1e-3 * rng.normal(size=n)
    orders = float(rng.choice([1, 3, 6, 9]))
    weight = 10.0 ** -rng.uniform(0, orders, n)
    if seed % 4 == 0:  # heavy rows and light ones, the light ones nearly alike
        weight = 10.0 ** (-orders * rng.integers(0, 2, n)) * (1 + 1e-4 * rng.integers(0, 3, n))
    if seed % 8 == 1:  # light ones that any grid holds
        weight = 2.0 ** -rng.integers(0, 29, n)
    weight = np.maximum(weight, 1.001e-9 * weight.max())
    loss = ("squared_error", "absolute_error", "quantile")[seed % 3]
    regularization = float(rng.choice([0, 1e-3, 0.01, 0.1, 0.3]))
    most = None if seed % 5 else 3
    problem = Problem(regularization, max_leaves=most, loss=loss, quantile=float(rng.choice(QUANTILES)))
    return Instance(rng.random((n, features)) < 0.5, y, weight, problem)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_what_is_called_optimal_is_and_no_tree_is_below_the_lower_bound(batch):
    statuses = []
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        instance = make(seed)
        exact, solution = ExactTrees(instance), instance.solve()
        optimum, cost = exact.optimum(), exact.objective(solution.tree)
        assert abs(Fraction(solution.objective) - cost) < TOLERANCE, seed
        assert Fraction(solution.lower_bound) - optimum < TOLERANCE, seed
        if solution.status == "optimal":
            assert cost - optimum < TOLERANCE, seed
            assert solution.lower_bound == solution.objective, seed
        statuses.append(solution.status)
    assert statuses.count("precision_limit") < statuses.count("optimal") / 2


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_of_two_light_rows_that_are_nearly_alike_the_worse_one_to_split_off_is_not_called_the_best(loss):
    binary = np.array([[0, 0], [0, 1], [1, 0]], dtype=bool)
    for seed in range(20):
        light = 1.5e-9 * (1 + 1e-7 * np.random.default_rng(seed).random(2))
        problem = Problem(0.3, max_depth=1, loss=loss)
        instance = Instance(binary, np.array([0.0, -1.0, 1.0]), np.array([1, *light]), problem)
        exact, solution = ExactTrees(instance), instance.solve()
        assert Fraction(solution.lower_bound) - exact.optimum() < TOLERANCE
        assert solution.status == "precision_limit" or exact.objective(solution.tree) - exact.optimum() < TOLERANCE


def test_without_weights_all_is_proven():
    for seed in range(300):
        instance = make(seed)
        assert replace(instance, weight=np.ones(len(instance.y))).solve().status == "optimal", seed


def test_so_are_weights_of_many_orders_of_magnitude_that_have_little_of_the_loss():
    rng = np.random.default_rng(0)
    binary = rng.random((400, 5)) < 0.5
    weight = rng.lognormal(sigma=3, size=400)
    assert weight.max() > 1e6 * weight.min()
    for loss in ("squared_error", "absolute_error"):
        assert Instance(binary, rng.normal(size=400), weight, Problem(0.01, loss=loss)).solve().status == "optimal"


def test_what_rounding_leaves_open_is_said_by_every_answer():
    binary = np.array([[0, 0], [0, 1], [1, 0]], dtype=bool)
    problem = Problem(0.01)
    instance = Instance(binary, np.array([0.0, 1.0, 5.0]), np.array([1, 1e-9, 1.0001e-9]), problem)
    near = solve_near(instance.groups(), problem, within=0.1, max_trees=5)
    assert (near.status, len(near.solutions), near.more) == ("precision_limit", 0, False)
    assert near.lower_bound == near.best.lower_bound < near.best.objective
    steps = solve_path(instance.groups(), problem, 0.01)
    assert {step.status for step in steps} == {"precision_limit"}
    assert all(0 < step.error < 1e-6 and step.solution.gap == pytest.approx(step.error) for step in steps)
    for solution in (instance.solve(), replace(instance, problem=replace(problem, max_leaves=2)).solve()):
        assert solution.status == "precision_limit"
        assert 0 < solution.gap < 1e-6
        assert all(point.lower_bound <= solution.lower_bound for point in solution.trace)


@pytest.mark.parametrize("within", [0, 0.5, 1, 1.5, 2])
def test_from_some_regularization_on_trees_are_listed_by_leaves_then_loss(within):
    for seed in range(0, 60, 3):  # squared error
        instance = make(seed)
        instance = replace(instance, weight=np.ones(len(instance.y)))
        wanted = solve_near(instance.groups(), Problem(1e5), within=within, max_trees=1000)
        assert wanted.status == "optimal"
        assert max(each.tree.n_leaves for each in wanted.solutions) <= 1 + within
        for regularization in (1e6, 1e14, 1e15, 1e16, 1e30, 1e300):
            found = solve_near(instance.groups(), Problem(regularization), within=within, max_trees=1000)
            assert (found.status, found.more) == ("optimal", False)
            assert [each.tree for each in found.solutions] == [each.tree for each in wanted.solutions]
            assert found.solutions[0].status == "optimal"
            assert found.lower_bound >= found.best.objective * (1 - 1e-15)
