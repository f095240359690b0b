"""Whenever the search is stopped, its bounds hold and its tree costs what it says."""

import numpy as np
import pytest

from optitree.solver.problem import Limits, Problem
from optitree.solver.solve import solve

from .instances import Instance


@pytest.fixture(scope="module")
def instance() -> Instance:
    rng = np.random.default_rng(7)
    binary = rng.random((400, 24)) < 0.3
    y = binary[:, :5] @ rng.normal(size=5) + np.logical_xor(binary[:, 5], binary[:, 6]) + rng.normal(size=400)
    return Instance(binary, y, np.ones(400), Problem(0.002, max_depth=5))


@pytest.fixture(scope="module")
def optimum(instance):
    solution = instance.solve()
    assert solution.status == "optimal"
    return solution


def assert_valid(stopped, optimum):
    assert stopped.lower_bound <= optimum.objective + 1e-9
    assert stopped.objective >= optimum.objective - 1e-9
    regularization = 0.002
    cost = stopped.loss / stopped.root_loss + regularization * stopped.tree.n_leaves
    assert stopped.objective == pytest.approx(cost, abs=1e-12)
    assert stopped.tree.depth <= 5


@pytest.mark.parametrize("share", np.random.default_rng(1).random(25).round(3))
def test_stopped_at_a_random_moment(instance, optimum, share):
    seconds = share * optimum.seconds
    stopped = solve(instance.groups(), instance.problem, Limits(seconds=seconds))
    assert stopped.status in ("time_limit", "optimal")
    assert_valid(stopped, optimum)


@pytest.mark.parametrize("calls", [1, 2, 5])
def test_stopped_by_the_monitor(instance, optimum, calls):
    seen = []

    def monitor(point):
        seen.append(point)
        assert point.lower_bound <= optimum.objective + 1e-9
        assert point.upper_bound >= optimum.objective - 1e-9
        return len(seen) < calls

    stopped = solve(instance.groups(), instance.problem, monitor=monitor)
    assert stopped.status == ("interrupted" if len(seen) == calls else "optimal")
    assert_valid(stopped, optimum)


def test_the_trace_tightens_and_ends_at_the_solution(instance, optimum):
    solution = solve(instance.groups(), instance.problem)
    lower = [point.lower_bound for point in solution.trace]
    upper = [point.upper_bound for point in solution.trace]
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)
    assert (lower[-1], upper[-1]) == (solution.objective, solution.objective)
