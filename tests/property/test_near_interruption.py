"""Whenever the listing of near-optimal trees is stopped, what is there are the first ones."""

import numpy as np
import pytest

from optitree.solver.near_trees import NearSolutions
from optitree.solver.problem import Limits, Problem
from optitree.solver.solve import solve_near

from .instances import Instance

WITHIN, MAX_TREES = 0.05, 400


@pytest.fixture(scope="module")
def instance() -> Instance:
    rng = np.random.default_rng(7)
    binary = rng.random((300, 14)) < 0.3
    y = binary[:, :5] @ rng.normal(size=5) + np.logical_xor(binary[:, 5], binary[:, 6]) + rng.normal(size=300)
    return Instance(binary, y, np.ones(300), Problem(0.005, max_depth=5))


@pytest.fixture(scope="module")
def everything(instance) -> tuple[NearSolutions, float]:
    """All that there is, and the number of times that it looked up meanwhile."""
    looks = []
    found = near(instance, monitor=lambda point: looks.append(point) is None)
    assert found.status == "optimal"
    return found, len(looks)


def near(instance: Instance, *args, **kwargs) -> NearSolutions:
    return solve_near(instance.groups(), instance.problem, *args, within=WITHIN, max_trees=MAX_TREES, **kwargs)


def assert_first(stopped: NearSolutions, everything: NearSolutions) -> None:
    count = len(stopped.solutions)
    assert [each.tree for each in stopped.solutions] == [each.tree for each in everything.solutions[:count]]
    assert all(each.objective >= stopped.lower_bound - 1e-9 for each in everything.solutions[count:])
    if stopped.status == "optimal":
        assert count == len(everything.solutions)


@pytest.mark.parametrize("share", np.random.default_rng(1).random(12).round(3))
def test_stopped_at_a_random_moment(instance, everything, share):
    found, looks = everything
    stopped = near(instance, Limits(seconds=share * max(looks, 1) / 20))
    assert stopped.status in ("time_limit", "optimal")
    assert_first(stopped, found)


@pytest.mark.parametrize("calls", [1, 2, 4])
def test_stopped_by_the_monitor(instance, everything, calls):
    seen = []

    def monitor(point):
        seen.append(point)
        return len(seen) < calls

    stopped = near(instance, monitor=monitor)
    assert stopped.status == ("interrupted" if len(seen) == calls else "optimal")
    assert_first(stopped, everything[0])
