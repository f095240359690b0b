"""Greedy trees grown to their ends, and what pruning leaves of them."""

import numpy as np
import pytest

from optitree.conditions.rules import DEFAULT
from optitree.groups.groups import group_rows
from optitree.solver.grown import grow
from optitree.solver.known_path import PathSearch
from optitree.solver.problem import Limits, Problem
from optitree.solver.solve import solve
from optitree.table.rows import read_rows

from ..conftest import make_sample

MANY = (0.5, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-4, 1e-6, 0.0)


@pytest.fixture(scope="module")
def rows():
    X, y = make_sample(rows=200, columns=4, seed=2)
    X[::7, 1] = np.nan
    return read_rows(X, y + np.random.default_rng(1).normal(size=200), None, None)


@pytest.fixture(scope="module")
def groups(rows):
    return group_rows(rows, DEFAULT)


@pytest.fixture(scope="module")
def grown(groups):
    return grow(groups, Problem(0.0), Limits())


def test_the_tree_is_grown_until_nothing_is_gained(groups, grown):
    apart = solve(groups, Problem(0.0, max_leaves=len(groups)), Limits(5)).loss
    assert grown.solution.loss == pytest.approx(apart)
    assert grown.leaves([0.0])[0] == grown.solution.tree.n_leaves > 50
    assert grown.leaves([1.0])[0] == 1


def test_what_is_predicted_is_what_the_pruned_trees_predict(rows, grown):
    for regularization, leaves, values in zip(
        MANY, grown.leaves(MANY), grown.predictions(rows.table, MANY), strict=True
    ):
        tree = grown.at(regularization).tree
        assert tree.n_leaves == leaves
        np.testing.assert_array_equal(values, tree.values[tree.apply(rows.table)])


def test_pruned_trees_are_whole_trees(rows, groups, grown):
    for regularization in MANY:
        left = grown.at(regularization)
        tree = left.tree
        assert sum(node.rows for node in tree.nodes if node.is_leaf) == 200
        assert left.loss == pytest.approx(np.mean((rows.target - tree.values[tree.apply(rows.table)]) ** 2))
        assert left.objective == pytest.approx(left.loss / left.root_loss + regularization * tree.n_leaves)
        # What a picture of a leaf is drawn from is there for each of them, and complete.
        assert tree.targets is not None
        assert set(tree.targets.weights) == {at for at, node in enumerate(tree.nodes) if node.is_leaf}
        assert np.sum(list(tree.targets.weights.values())) == pytest.approx(200)


def test_no_greedy_tree_is_below_the_optimum(groups, grown):
    for regularization in (0.1, 0.03, 0.01):
        optimum = solve(groups, Problem(regularization))
        assert optimum.status == "optimal"
        assert grown.at(regularization).objective >= optimum.objective - 1e-12


def test_limits_on_trees_hold(groups):
    grown = grow(groups, Problem(0.0, max_depth=3, min_samples_leaf=20), Limits())
    assert grown.solution.tree.depth <= 3
    assert min(node.rows for node in grown.solution.tree.nodes) >= 20


def test_only_squared_error_has_greedy_trees(rows):
    groups = group_rows(rows, DEFAULT, values=True)
    assert grow(groups, Problem(0.0, loss="absolute_error"), Limits()) is None


def test_ctrl_c_after_the_limit_of_the_proofs_is_told(groups, monkeypatch):
    """It came while trees below the proofs were searched for: the steps above said "time_limit" all the same."""

    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    noisy = np.random.default_rng(3)
    table = read_rows(noisy.random((400, 30)) < 0.5, noisy.normal(size=400), None, None)
    search = PathSearch(group_rows(table, DEFAULT), Problem(0.0), 1e-4, Limits(0.4))
    monkeypatch.setattr("optitree.solver.known_path.solve", interrupt)
    assert {step.status for step in search.solve()} <= {"optimal", "interrupted"}
    assert search.status == "interrupted"
