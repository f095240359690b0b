"""A path that was stopped: what it calls proven is, its bounds hold, and its trees cost what they say."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from optitree import OptimalTreeRegressor
from optitree.models.path import path_of_steps
from optitree.solver.known_path import PathSearch, open_regularizations
from optitree.solver.problem import Limits, Problem
from optitree.solver.solve import solve, solve_path

from .instances import Instance

END = 0.003
SAME = 1e-9


def make_instance(seed: int) -> Instance:
    rng = np.random.default_rng(seed)
    binary = rng.random((150, 12)) < 0.4
    y = binary[:, :4] @ rng.normal(size=4) + np.logical_xor(binary[:, 5], binary[:, 6]) + rng.normal(size=150)
    return Instance(binary, y, np.ones(150), Problem(0.01, max_depth=5, min_samples_leaf=int(rng.integers(1, 4))))


class Stopped(PathSearch):
    """A search whose searches stop soon: after so many calls of their monitors, all of them or the first."""

    def __init__(self, instance: Instance, looks: int, always: bool) -> None:
        super().__init__(instance.groups(), instance.problem, END, Limits(10))
        self.looks, self.always = looks, always

    def _part(self, share: float) -> Limits:
        """Next to no time instead of a share of it."""
        self.looks -= 0 if self.always else 1
        return Limits(1e-4 if self.always or self.looks >= 0 else None)


@pytest.mark.parametrize("shallow_first", [False, True])
@pytest.mark.parametrize("always", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_claims_of_a_stopped_path_hold(seed, always, shallow_first):
    instance = make_instance(seed)
    groups = instance.groups()
    whole = solve_path(groups, instance.problem, END)
    search = Stopped(instance, 3, always)
    if shallow_first:
        search.solve_shallow()
    steps = search.solve()
    assert [few.leaves < many.leaves for few, many in pairwise(steps)] == [True] * (len(steps) - 1)
    assert all(few.reach >= many.high for few, many in pairwise(steps))
    assert steps[-1].reach == END
    path = path_of_steps(steps, groups, OptimalTreeRegressor(max_depth=5))
    for r in np.geomspace(END, 0.5, 25):
        optimum = min(step.solution.cost(r) for step in whole)
        model = path.at(r)
        assert model.objective_ == pytest.approx(model.solution_.relative_loss + r * model.n_leaves_, abs=SAME)
        assert model.lower_bound_ - SAME <= optimum <= model.objective_ + SAME
        if model.status_ == "optimal":
            assert model.objective_ <= optimum + SAME
        elif model.proven_depth_:
            shallow = solve(groups, replace(instance.problem, regularization=r, max_depth=model.proven_depth_))
            assert model.objective_ <= shallow.objective + SAME


def test_regularizations_to_search_are_open_and_no_more_than_there_is_time_for():
    instance = make_instance(0)
    whole = solve_path(instance.groups(), instance.problem, END)
    for kept in (1, 3, len(whole)):
        for seconds in (0.0, 1.0, 100.0):
            at = open_regularizations(whole[:kept], END / 4, seconds)
            assert at == sorted(at, reverse=True)
            assert at[-1] == END / 4
            assert all(r < whole[kept - 1].low for r in at)
            assert len(at) <= max(1, seconds / 0.2)
    assert open_regularizations(whole, END, 10) == []
