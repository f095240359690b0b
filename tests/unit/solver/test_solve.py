"""The search reports its progress truthfully, and stops when asked."""

import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from optitree import LimitWarning
from optitree.solver.problem import Limits, Problem
from optitree.solver.solve import solve

from ...property.instances import groups_of


def noise(rows, features, seed=0):
    """Return groups of random bits, on which a search has no easy way out."""
    rng = np.random.default_rng(seed)
    return groups_of(rng.random((rows, features)) < 0.5, rng.normal(size=rows))


HARD = noise(1000, 40)
ENDLESS = Problem(regularization=1e-4)


def cost(solution, problem):
    return solution.loss / solution.root_loss + problem.regularization * solution.tree.n_leaves


def assert_monotone(trace):
    for before, after in pairwise(trace):
        assert before.seconds <= after.seconds
        assert before.lower_bound <= after.lower_bound
        assert before.upper_bound >= after.upper_bound
        assert before.solved <= after.solved
    assert all(0 < point.lower_bound <= point.upper_bound for point in trace)


def test_trace_is_monotone_until_the_time_limit():
    solution = solve(HARD, ENDLESS, Limits(seconds=0.6))
    assert solution.status == "time_limit"
    assert len(solution.trace) >= 3
    assert_monotone(solution.trace)
    assert solution.trace[-1].lower_bound == solution.lower_bound
    assert solution.trace[-1].upper_bound == solution.objective


def test_trace_ends_with_the_proof():
    solution = solve(noise(300, 20), Problem(0.005, max_depth=4))
    assert solution.status == "optimal"
    assert_monotone(solution.trace)
    end = solution.trace[-1]
    assert end.lower_bound == end.upper_bound == solution.objective


def test_the_trace_is_there_without_asking():
    solution = solve(noise(50, 5), Problem(0.01))
    assert solution.trace[-1].upper_bound == solution.trace[-1].lower_bound == solution.objective
    assert solution.trace[-1].proven_depth is None


def test_monitor_sees_the_search_about_twenty_times_a_second():
    points = []
    solution = solve(HARD, ENDLESS, Limits(seconds=0.6), lambda point: points.append(point) or True)
    assert 4 <= len(points) <= 13
    assert_monotone(points)
    assert points[-1].upper_bound >= solution.objective


def test_monitor_can_stop_the_search():
    points = []

    def stop_at_third(point):
        points.append(point)
        return len(points) < 3

    solution = solve(HARD, ENDLESS, monitor=stop_at_third)
    assert len(points) == 3
    assert solution.status == "interrupted"
    assert 0 < solution.lower_bound <= solution.objective
    assert solution.objective == pytest.approx(cost(solution, ENDLESS), rel=1e-9)
    assert solution.seconds < points[-1].seconds + 0.5


def test_bounds_of_a_stopped_search_hold_the_optimum_between_them():
    groups, problem = noise(300, 20), Problem(0.005, max_depth=4)
    optimum = solve(groups, problem).objective
    for seconds in (0, 1e-3, 3e-3, 1e-2, 3e-2):
        stopped = solve(groups, problem, Limits(seconds=seconds))
        assert stopped.lower_bound <= optimum + 1e-9
        assert stopped.objective >= optimum - 1e-9
        assert stopped.objective == pytest.approx(cost(stopped, problem), rel=1e-9)


def test_an_exception_in_the_monitor_is_raised():
    def fail(point):
        raise ZeroDivisionError("in the monitor")

    with pytest.raises(ZeroDivisionError, match="in the monitor"):
        solve(HARD, ENDLESS, monitor=fail)


def test_the_memory_limit_is_a_status():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)  # the process holds more
        solution = solve(HARD, ENDLESS, Limits(seconds=20, megabytes=1))
    assert solution.status == "memory_limit"
    assert 0 < solution.lower_bound <= solution.objective
    assert solution.objective == pytest.approx(cost(solution, ENDLESS), rel=1e-9)


@pytest.mark.parametrize("features", [0, 1, 63, 64, 65, 130])
def test_any_number_of_features_is_solved(features):
    rng = np.random.default_rng(features)
    binary = rng.random((40, features)) < 0.5
    target = rng.normal(size=40) + (3.0 * binary[:, -1] if features else 0)
    groups = groups_of(binary, target)
    solution = solve(groups, Problem(0.01, max_depth=1))
    assert solution.status == "optimal"
    assert solution.tree.n_leaves == (2 if features else 1)
    if features:
        assert solution.tree.nodes[0].condition == groups.conditions[-1]


def test_a_stopped_search_proves_one_depth_after_the_other():
    seen = []

    def monitor(point):
        seen.append(point)
        return point.proven_depth is not None and point.proven_depth < 4

    stopped = solve(HARD, ENDLESS, Limits(seconds=30), monitor=monitor)
    assert stopped.status == "interrupted"
    assert stopped.proven_depth >= 4
    depths = [point.proven_depth for point in seen]
    assert depths == sorted(depths)
    shallow = solve(HARD, replace(ENDLESS, max_depth=stopped.proven_depth))
    assert shallow.status == "optimal"
    assert stopped.objective <= shallow.objective + 1e-9
