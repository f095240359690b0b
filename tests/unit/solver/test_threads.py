"""The number of threads changes the time of a fit and nothing else."""

import multiprocessing
import time

import numpy as np
import pytest
from joblib import parallel_backend, parallel_config
from sklearn.model_selection import cross_val_score

from optitree import LimitWarning, OptimalTreeRegressor
from optitree.models.parameters import threads_of

from ..endless import endless, interrupted


@pytest.fixture(scope="module")
def hard():
    """A table whose search goes on long enough for prices and threads to begin."""
    rng = np.random.default_rng(3)
    X = rng.random((250, 25)) < 0.4
    return X, X[:, :4] @ rng.normal(size=4) + np.logical_xor(X[:, 4], X[:, 5]) + rng.normal(size=250)


@pytest.fixture(scope="module")
def alone(hard):
    return OptimalTreeRegressor(0.015).fit(*hard)


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1, None])
def test_the_tree_is_the_same_for_any_n_jobs(hard, alone, n_jobs):
    model = OptimalTreeRegressor(0.015, n_jobs=n_jobs).fit(*hard)
    assert model.status_ == "optimal"
    assert model.objective_ == alone.objective_
    assert model.lower_bound_ == alone.lower_bound_
    assert model.tree_ == alone.tree_


@pytest.mark.parametrize("max_depth", [2, 4])
@pytest.mark.parametrize("min_samples_leaf", [1, 7])
def test_the_tree_is_the_same_under_limits_and_weights(hard, max_depth, min_samples_leaf):
    X, y = hard
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    settings = {"max_depth": max_depth, "min_samples_leaf": min_samples_leaf}
    one, two = (OptimalTreeRegressor(0.01, n_jobs=n, **settings).fit(X, y, weight) for n in (1, 2))
    assert (one.objective_, one.tree_) == (two.objective_, two.tree_)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_folds_in_parallel_score_as_folds_in_turn(hard, backend):
    scores = cross_val_score(OptimalTreeRegressor(0.03), *hard, cv=3)
    with parallel_backend(backend):
        parallel = cross_val_score(OptimalTreeRegressor(0.03, n_jobs=2), *hard, cv=3, n_jobs=2)
    np.testing.assert_array_equal(scores, parallel)


@pytest.mark.alone
def test_the_time_limit_is_kept_by_two_threads():
    X, y = endless()
    model = OptimalTreeRegressor(1e-4, time_limit=1, n_jobs=2)
    start = time.monotonic()
    with pytest.warns(LimitWarning, match="time limit"):
        model.fit(X, y)
    assert time.monotonic() - start < 2
    assert model.status_ == "time_limit"
    assert_usable(model, X, y)


def test_the_memory_limit_is_kept_by_two_threads():
    X, y = endless()
    model = OptimalTreeRegressor(1e-4, time_limit=60, memory_limit=1, n_jobs=2)
    with pytest.warns(LimitWarning):
        model.fit(X, y)
    assert model.status_ == "memory_limit"
    assert model.solution_.megabytes <= 1
    assert_usable(model, X, y)


def assert_usable(model, X, y):
    assert 0 < model.lower_bound_ < model.objective_
    cost = np.mean((y - model.predict(X)) ** 2) / np.var(y) + 1e-4 * model.n_leaves_
    assert model.objective_ == pytest.approx(cost, rel=1e-9)


@pytest.mark.alone
@pytest.mark.parametrize("seconds", [0.5, 2])
def test_an_interrupt_ends_all_threads_promptly(seconds):
    told = interrupted("OptimalTreeRegressor(1e-4, time_limit=30, n_jobs=2).fit(X, y)", seconds)
    assert told["seconds"] < 1.5
    assert told["status"] == "interrupted"
    assert 0 < told["lower_bound"] <= told["objective"]
    assert told["objective"] == pytest.approx(told["cost"], rel=1e-9)


def _threads_in_this_process() -> int:
    return threads_of(2)


def test_a_daemonic_process_searches_with_threads_too():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_threads_in_this_process) == 2


def test_a_sequential_backend_means_one_thread():
    with parallel_config("sequential"):
        assert _threads_in_this_process() == 1
