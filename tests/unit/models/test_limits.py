"""A limit or Ctrl-C ends a search that would not end by itself, and leaves a usable model."""

import re
import sys
import time

import numpy as np
import polars as pl
import pytest

from optitree import (
    Binarizer,
    LimitWarning,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    compress,
    core,
    near_optimal_trees,
    regularization_path,
)
from optitree.models import cv_folds, fitted
from optitree.solver.problem import Limits

from ..endless import INTERRUPTED_BEFORE_THE_SEARCH, endless, run

MEMORY_LIMITED = """
import json, warnings
from optitree import Binarizer, LimitWarning, OptimalTreeRegressor, regularization_path

warnings.simplefilter("ignore", LimitWarning)
model = OptimalTreeRegressor(1e-4, time_limit=100, memory_limit=200).fit(X, y)
loss = np.mean((y - model.predict(X)) ** 2)
print(json.dumps({
    "megabytes": int(next(x for x in open("/proc/self/status") if "VmHWM" in x).split()[1]) * 1024 / 1e6,
    "status": model.status_,
    "lower_bound": model.lower_bound_,
    "objective": model.objective_,
    "cost": loss / np.var(y) + 1e-4 * model.n_leaves_,
}))
"""


@pytest.mark.alone
def test_the_time_limit_is_kept_and_the_tree_costs_what_it_claims():
    X, y = endless()
    model = OptimalTreeRegressor(1e-4, time_limit=1)
    start = time.monotonic()
    with pytest.warns(LimitWarning, match=r"time limit came before the proof.*raise time_limit"):
        model.fit(X, y)
    assert time.monotonic() - start < 1.5
    assert model.status_ == "time_limit"
    assert 0 < model.lower_bound_ <= model.objective_
    assert model.gap_ == model.objective_ - model.lower_bound_
    loss = np.mean((y - model.predict(X)) ** 2)
    assert model.loss_ == pytest.approx(loss, rel=1e-9)
    cost = loss / np.var(y) + 1e-4 * model.n_leaves_
    assert model.objective_ == pytest.approx(cost, rel=1e-9)


# What is called, and on how many sets of rows it works: cross-validation on two folds and on all rows.
CALLS = {
    "fit": (lambda X, y: OptimalTreeRegressor(1e-4, time_limit=0.6).fit(X, y), 1),
    "path": (lambda X, y: regularization_path(X, y, min_regularization=1e-4, time_limit=0.6), 1),
    "near": (lambda X, y: near_optimal_trees(X, y, regularization=1e-4, time_limit=0.6), 1),
    "cv": (lambda X, y: OptimalTreeRegressorCV(min_regularization=1e-4, cv=2, time_limit=0.6).fit(X, y), 3),
}


@pytest.mark.alone
@pytest.mark.parametrize("call", CALLS)
def test_the_time_limit_counts_what_comes_before_the_search(call, monkeypatch):
    """Half a second of grouping, of 0.6 in all."""

    def slowly(*args, **kwargs):
        time.sleep(0.5)
        return group_rows(*args, **kwargs)

    group_rows = fitted.group_rows
    monkeypatch.setattr(fitted, "group_rows", slowly)
    monkeypatch.setattr(cv_folds, "group_rows", slowly)
    work, sets = CALLS[call]
    X, y = endless()
    start = time.monotonic()
    with pytest.warns(LimitWarning, match="time limit"):
        work(X[:500], y[:500])
    assert time.monotonic() - start < sets * (0.6 + 0.25)  # and a little to read off each search


def test_a_search_that_begins_late_still_has_a_tenth_of_its_time():
    assert Limits(2, start=time.monotonic() - 100).seconds_left == pytest.approx(0.2)
    assert Limits(60, start=time.monotonic() - 100).seconds_left == 0.5
    assert Limits(60, start=time.monotonic() - 40).seconds_left == pytest.approx(20, abs=1)
    assert Limits(0).seconds_left == 0
    assert Limits().seconds_left == np.inf


def test_a_limit_that_is_over_before_the_search_leaves_a_tree(monkeypatch):
    late = Limits(1e-6, start=time.monotonic() - 10)
    monkeypatch.setattr("optitree.models.parameters._limits", lambda model: late)
    X, y = endless()
    with pytest.warns(LimitWarning, match="time limit"):
        model = OptimalTreeRegressor(0.01).fit(X, y)
    assert model.status_ == "time_limit"
    assert model.objective_ <= 1.01 + 1e-9
    assert model.predict(X).shape == y.shape


def test_groups_that_are_given_take_no_time_off():
    pd = pytest.importorskip("pandas")
    X, y = endless()
    groups = compress(pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}), target="y")
    assert OptimalTreeRegressor(0.01, time_limit=5).fit_groups(groups).status_ == "optimal"


def test_a_search_that_is_stopped_has_a_tree_as_good_as_the_best_of_depth_two():
    rng = np.random.default_rng(1)
    X, y = rng.random((500, 40)) < 0.5, rng.normal(size=500)
    with pytest.warns(LimitWarning):
        stopped = OptimalTreeRegressor(0.003, time_limit=0.3).fit(X, y)
    assert stopped.objective_ <= OptimalTreeRegressor(0.003, max_depth=2).fit(X, y).objective_


@pytest.mark.alone
def test_an_interrupt_is_answered_within_a_second_before_the_search():
    for phase, seconds in run(INTERRUPTED_BEFORE_THE_SEARCH).items():
        assert seconds is not None, f"{phase}: over before the interrupt"
        assert seconds < 1, phase


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell a process what it holds")
def test_a_memory_limit_below_what_the_process_holds_is_said():
    X, y = endless()
    with pytest.warns(LimitWarning) as caught:
        OptimalTreeRegressor(1e-4, memory_limit=1, time_limit=5).fit(X, y)
    first, second = (str(warning.message) for warning in caught)
    assert re.search(r"memory_limit=1 is not above what the process holds .*, \d+ megabytes", first)
    assert "the memory limit came before the proof" in second
    assert [warning.filename for warning in caught] == [__file__] * 2


@pytest.mark.alone
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell a process its peak")
def test_the_memory_limit_holds_the_process_near_it():
    told = run(MEMORY_LIMITED)
    assert told["status"] == "memory_limit"
    assert 150 < told["megabytes"] < 270
    assert 0 < told["lower_bound"] <= told["objective"]
    assert told["objective"] == pytest.approx(told["cost"], rel=1e-9)


@pytest.mark.alone
def test_absolute_error_keeps_to_the_time_limit_too():
    """Of a stopped search a tree is read off; with so many groups and conditions opening one node takes seconds."""
    rng = np.random.default_rng(0)
    X, y = rng.random((20_000, 20)), rng.normal(size=20_000)
    model = OptimalTreeRegressor(1e-4, loss="absolute_error", binarizer=Binarizer("quantile", 25), time_limit=0.3)
    with pytest.warns(LimitWarning, match=r"time limit came before the proof"):
        model.fit(X, y)
    assert model.solution_.seconds < 1.5  # with 0.75 for reading off
    assert 0 < model.lower_bound_ < model.objective_


@pytest.mark.alone
def test_the_time_that_it_takes_to_put_the_groups_in_order_for_the_search_counts(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.random((150_000, 60)) < 0.5, rng.normal(size=150_000)
    groups = compress(pl.DataFrame({f"c{k}": X[:, k] for k in range(60)} | {"y": y}), target="y", values=True)
    took = []

    def timed(*arguments, search=core.solve):
        start = time.perf_counter()
        answer = search(*arguments)
        took.append(time.perf_counter() - start)
        return answer

    monkeypatch.setattr(core, "solve", timed)
    with pytest.warns(LimitWarning):
        model = OptimalTreeRegressor(loss="absolute_error", time_limit=0.3).fit_groups(groups)
    assert took[0] - model.solution_.seconds < 0.1 * took[0]


def test_a_proof_that_rounding_leaves_open_is_no_time_limit():
    X = np.array([[0, 0], [0, 1], [1, 0]], dtype=bool)
    with pytest.warns(LimitWarning, match=r"limit of floating point came before the proof.*Bring the weights"):
        model = OptimalTreeRegressor().fit(X, [0.0, 1.0, 5.0], sample_weight=[1, 1e-9, 1.0001e-9])
    assert model.status_ == "precision_limit"
    assert 0 < model.gap_ < 1e-6
    with pytest.warns(LimitWarning, match=r"floating point leaves it open .* better by .*e-0.*Bring the weights"):
        path = regularization_path(X, [0.0, 1.0, 5.0], sample_weight=[1, 1e-9, 1.0001e-9])
    assert path.status == path[0].status_ == path.at(0.01).status_ == "precision_limit"
    assert path.at(0.01).lower_bound_ == pytest.approx(model.lower_bound_)


@pytest.mark.parametrize("regularization", [3.0, 1e6, 1e16, 1e300])
def test_where_a_leaf_costs_more_than_all_the_loss_one_is_proven_best(regularization):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.random((30, 4)) < 0.5, rng.normal(size=30)
        for more in ({}, {"max_leaves": 3}, {"loss": "absolute_error"}):
            model = OptimalTreeRegressor(regularization, **more).fit(X, y)
            assert (model.status_, model.n_leaves_, model.gap_) == ("optimal", 1, 0)
            assert model.objective_ == pytest.approx(1 + regularization, rel=1e-15)
    path = regularization_path(X, y, min_regularization=regularization)
    assert (path.status, len(path), path.intervals.tolist()) == ("optimal", 1, [[regularization, np.inf]])


@pytest.mark.alone
def test_what_cannot_be_proven_in_time_does_not_keep_others_from_their_turn():
    # Pairs take a second here; triples would not be done in many times the limit.
    rng = np.random.default_rng(0)
    X = rng.random((100_000, 400)) < 0.4
    y = X[:, :4] @ np.array([3.0, 2.0, 1.0, 1.0]) + rng.normal(size=len(X))
    with pytest.warns(LimitWarning):
        model = OptimalTreeRegressor(time_limit=8).fit(X, y)
    assert model.proven_depth_ == 2
    assert model.n_leaves_ >= 8  # the four signals, and more questions than were proven
