"""near_optimal_trees: what it returns, what it says, what it refuses."""

import gc
import math
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

import optitree
from optitree import LimitWarning, NearOptimalTrees, OptimalTreeRegressor, compress, export_text, near_optimal_trees

from ..conftest import make_sample
from ..endless import run

PARAMS = {"regularization": 0.03, "max_depth": 3}
INTERRUPTED = """
import json, os, signal, threading, time, warnings
from optitree import near_optimal_trees

asked = []

def interrupt():
    asked.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(1, interrupt).start()
X, y = X[:, :16], np.arange(len(X))
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    trees = near_optimal_trees(X, y, regularization=0, time_limit=30)
print(json.dumps({
    "seconds": time.monotonic() - asked[0],
    "status": trees.status,
    "trees": len(trees),
    "warned": [str(item.message) for item in warned],
}))
"""


@pytest.fixture(scope="module")
def table() -> tuple[pd.DataFrame, pd.Series]:
    data = load_diabetes(scaled=False, as_frame=True)
    return data.data, data.target


@pytest.fixture(scope="module")
def trees(table) -> NearOptimalTrees:
    return near_optimal_trees(*table, within=0.02, **PARAMS)


def tied() -> tuple[np.ndarray, np.ndarray]:
    """Return a table on which, without a penalty for leaves, nearly every tree is as good as the best."""
    rng = np.random.default_rng(0)
    return rng.random((1500, 16)) < 0.5, np.arange(1500.0)


def test_it_is_a_sequence_of_fitted_models(trees, table):
    X, y = table
    assert len(trees) > 10
    assert all(isinstance(model, OptimalTreeRegressor) for model in trees)
    assert trees[0] is next(iter(trees))
    assert trees[-1] is trees[len(trees) - 1]
    assert trees[1:3] == (trees[1], trees[2])
    with pytest.raises(IndexError):
        trees[len(trees)]
    for model in trees[::7]:
        loss = np.mean((y - model.predict(X)) ** 2)
        assert model.loss_ == pytest.approx(loss, rel=1e-12)
        assert model.objective_ == pytest.approx(loss / np.var(y) + 0.03 * model.n_leaves_, rel=1e-12)
        assert model.regularization == 0.03
        assert list(model.feature_names_in_) == list(X.columns)


def test_the_first_is_the_best_tree_and_the_others_follow_in_order_within_the_share(trees, table):
    best = OptimalTreeRegressor(**PARAMS).fit(*table)
    assert trees[0].tree_ == best.tree_
    assert trees.best is trees[0]
    assert trees.optimum == best.objective_ == trees.objectives[0]
    assert trees.objectives == tuple(model.objective_ for model in trees)
    assert (np.diff(trees.objectives) > -1e-12).all()
    assert trees.objectives[-1] <= 1.02 * trees.optimum + 1e-12
    assert trees.lower_bound == pytest.approx(1.02 * trees.optimum)
    assert (trees.status, trees.complete, trees.count, trees.within) == ("complete", True, len(trees), 0.02)


def test_each_model_says_how_far_it_is_from_the_best(trees):
    assert (trees[0].status_, trees[0].gap_) == ("optimal", 0)
    for model in trees[1:]:
        assert model.status_ == "near_optimal"
        assert model.lower_bound_ == trees.optimum
        assert model.gap_ == model.objective_ - trees.optimum > 0
        closing = export_text(model).splitlines()[-1]
        cost = f"objective {model.objective_:.4f} ({model.n_leaves_} leaves)"
        scope = "among trees on 55 conditions of 10 columns, at most 3 questions deep"
        assert closing == f"near optimal {scope}: {cost}, {model.gap_:.2g} above the optimum"


def test_no_two_trees_have_the_same_leaves(trees, table):
    def leaves(model):
        _, first = np.unique(model.apply(table[0]), return_inverse=True)
        order = dict.fromkeys(first)
        return tuple(list(order).index(leaf) for leaf in first)

    assert len({leaves(model) for model in trees}) == len(trees)


def test_of_too_many_trees_the_best_are_returned_and_it_says_so(trees, table):
    some = near_optimal_trees(*table, 0.02, 7, **PARAMS)
    assert [model.tree_ for model in some] == [model.tree_ for model in trees[:7]]
    assert (some.status, some.complete, some.count) == ("max_trees", False, 8)
    assert some.lower_bound == pytest.approx(trees.objectives[7])
    assert "the best 7 trees of more within 2 % of the optimum" in repr(some)
    exact = near_optimal_trees(*table, 0.02, len(trees), **PARAMS)
    assert exact.complete


def test_the_frame_has_a_row_for_each_tree(trees):
    frame = trees.to_frame()
    assert list(frame) == ["rank", "objective", "excess", "loss", "leaves", "depth", "conditions"]
    assert len(frame) == len(trees)
    last = frame.iloc[-1]
    assert last["rank"] == len(trees)
    assert last["excess"] == pytest.approx(last["objective"] - trees.optimum)
    assert (last["leaves"], last["depth"]) == (trees[-1].n_leaves_, trees[-1].depth_)
    assert last["conditions"].startswith(str(trees[-1].tree_.nodes[0].condition))


def test_the_use_of_conditions_counts_the_trees_that_ask_them(trees):
    use = trees.condition_use
    for text, (count, share) in use.items():
        asking = sum(any(str(node.condition) == text for node in model.tree_.nodes) for model in trees)
        assert (count, share) == (asking, asking / len(trees))
    counts = [each.trees for each in use.values()]
    assert counts == sorted(counts, reverse=True)


def test_ties_alone_are_within_nothing():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)
    trees = near_optimal_trees(X, [0.0, 1.0, 1.0, 2.0], within=0, regularization=0.3)
    assert [str(model.tree_.nodes[0].condition) for model in trees] == ["x0 is true", "x1 is true"]
    assert [model.status_ for model in trees] == ["optimal", "optimal"]
    assert trees.complete


def test_a_constant_target_has_one_best_tree_and_costlier_ones_by_their_leaves(sample):
    X, y = sample
    trees = near_optimal_trees(X, np.ones_like(y), within=0.5, max_depth=2)
    assert [model.n_leaves_ for model in trees] == [1]
    trees = near_optimal_trees(X > 0, np.ones_like(y), within=1, max_depth=2)
    assert [model.n_leaves_ for model in trees] == [1, 2, 2, 2]


@pytest.mark.parametrize("regularization", [1e6, 1e15, 1e16, 1e300])
def test_leaves_may_cost_any_price(sample, regularization):
    X, y = sample
    trees = near_optimal_trees(X > 0, y, within=1.5, regularization=regularization, max_depth=2)
    assert [model.n_leaves_ for model in trees] == [1, 2, 2, 2]


def test_the_number_of_threads_and_the_order_of_rows_leave_no_trace(trees, table):
    X, y = table
    order = np.random.default_rng(3).permutation(len(y))
    again = near_optimal_trees(X.iloc[order], y.iloc[order], within=0.02, n_jobs=2, **PARAMS)
    assert [model.tree_ for model in again] == [model.tree_ for model in trees]


def test_weights_count_rows():
    X, y = make_sample(40)
    weight = np.random.default_rng(5).integers(0, 4, len(y))
    weighted = near_optimal_trees(X > 0, y, 0.3, sample_weight=weight, max_depth=3)
    repeated = near_optimal_trees(np.repeat(X > 0, weight, axis=0), np.repeat(y, weight), 0.3, max_depth=3)
    assert len(weighted) > 1
    assert weighted.objectives == pytest.approx(repeated.objectives)
    shapes = [[[node.condition for node in model.tree_.nodes] for model in trees] for trees in (weighted, repeated)]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_groups_have_the_near_optimal_trees_of_their_table(table, loss):
    X, y = table
    groups = compress(X.assign(y=y), target="y", values=loss != "squared_error")
    params = {"within": 0.01, "regularization": 0.05, "max_depth": 2, "loss": loss}
    of_groups, of_table = near_optimal_trees(groups, **params), near_optimal_trees(X, y, **params)
    assert [model.tree_ for model in of_groups] == [model.tree_ for model in of_table]
    with pytest.raises(ValueError, match="leave out y and sample_weight"):
        near_optimal_trees(groups, y, **params)


def test_models_are_made_when_they_are_asked_for_and_stay_as_long_as_they_are_held(trees):
    held = trees[5]
    held.note = "mine"
    assert trees[5] is held
    assert trees[5:6] == (held,)
    assert list(trees)[5] is held
    del held
    gc.collect()
    assert not hasattr(trees[5], "note")


def test_a_table_without_conditions_has_one_tree():
    trees = near_optimal_trees(np.ones((4, 1)), [1.0, 2.0, 3.0, 4.0])
    assert [model.n_leaves_ for model in trees] == [1]
    assert trees.complete


def test_models_can_be_saved_and_pickled(trees, table, tmp_path):
    trees[3].save(tmp_path / "tree.json")
    loaded = optitree.load(tmp_path / "tree.json")
    assert loaded.status_ == "near_optimal"
    assert loaded.tree_ == trees[3].tree_
    again = pickle.loads(pickle.dumps(trees))
    assert repr(again) == repr(trees)
    assert again.best is again[0]
    assert again.objectives == trees.objectives
    assert again.condition_use == trees.condition_use
    assert (again[2].predict(table[0]) == trees[2].predict(table[0])).all()


@pytest.mark.alone
def test_the_time_limit_leaves_what_is_proven():
    said = r"time limit came before the search was over among trees .*: no tree but the 1 found"
    with pytest.warns(LimitWarning, match=said):
        trees = near_optimal_trees(*tied(), regularization=0, time_limit=0.5)
    assert (trees.status, trees.complete, len(trees), trees.count) == ("time_limit", False, 1, 1)
    assert trees.lower_bound == pytest.approx(trees.optimum)
    assert "the time limit came before the others" in repr(trees)


def test_without_a_proof_there_are_no_trees_but_the_best_found():
    rng = np.random.default_rng(1)
    X, y = rng.random((500, 40)) < 0.5, rng.normal(size=500)
    said = r"came before the proof of the optimum among trees .*: the best tree found has objective"
    with pytest.warns(LimitWarning, match=said):
        trees = near_optimal_trees(X, y, regularization=1e-4, time_limit=0.1)
    assert (len(trees), trees.count, trees.status) == (0, 0, "time_limit")
    assert math.isnan(trees.optimum)
    assert trees.lower_bound <= trees.best.objective_
    assert trees.best.predict(X).shape == (500,)
    assert list(trees.to_frame()["rank"]) == []
    assert trees.condition_use == {}
    assert repr(trees) == "<NearOptimalTrees: none, the time limit came before the proof of the optimum>"


def test_the_memory_limit_leaves_what_is_proven():
    with pytest.warns(LimitWarning) as caught:
        trees = near_optimal_trees(*tied(), regularization=0, memory_limit=1, time_limit=30)
    assert re.search(r"the memory limit came before .*, or raise memory_limit", str(caught[-1].message))
    assert trees.status == "memory_limit"


@pytest.mark.alone
def test_an_interrupt_is_answered_within_a_second_with_what_is_proven():
    told = run(INTERRUPTED)
    assert told["seconds"] < 1
    assert (told["status"], told["trees"]) == ("interrupted", 1)
    assert "an interrupt came before the search was over" in told["warned"][0]


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"within": -0.1}, ValueError, "within=-0.1 at least 0"),
        ({"within": math.nan}, ValueError, "within finite"),
        ({"within": "all"}, TypeError, "within='all' number"),
        ({"max_trees": 0}, ValueError, "max_trees=0 whole at least 1"),
        ({"max_trees": 2.5}, TypeError, "max_trees=2.5 whole number"),
        ({"max_trees": None}, TypeError, "max_trees=None whole number"),
        ({"max_leaves": 4}, ValueError, "max_leaves=4 near_optimal_trees regularization"),
        ({"depth": 3}, TypeError, "'depth' OptimalTreeRegressor"),
        ({"regularization": -1}, ValueError, "regularization=-1"),
    ],
)
def test_bad_parameters_are_answered_in_one_sentence(sample, params, error, words):
    with pytest.raises(error) as raised:
        near_optimal_trees(*sample, **params)
    assert all(word in str(raised.value) for word in words.split())
