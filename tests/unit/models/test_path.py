"""The path as a sequence of models, its tables and pictures, and what it says at limits."""

import pickle
import time
from dataclasses import replace
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from optitree import LimitWarning, OptimalTreeRegressor, Path, compress, regularization_path
from optitree.models.fitted import groups_of, set_fitted
from optitree.solver.problem import Limits, Problem
from optitree.solver.solution import geometric_mean
from optitree.solver.solve import solve_path

from ..endless import endless

mpl.use("Agg")


@pytest.fixture
def path(sample):
    return regularization_path(*sample, max_depth=3)


def test_it_is_a_sequence_of_fitted_models_from_one_leaf_to_many(path, sample):
    assert isinstance(path, Path)
    assert len(path) == len(list(path)) == len(path.models)
    assert [model.n_leaves_ for model in path] == sorted({model.n_leaves_ for model in path})
    assert path[0].n_leaves_ == 1
    assert path[-1].n_leaves_ == path.leaves[-1]
    assert all(model.predict(sample.X).shape == (60,) for model in path)
    assert path.index(path[2]) == 2
    assert list(reversed(path)) == list(path)[::-1]
    with pytest.raises(IndexError):
        path[len(path)]


def test_every_model_is_the_one_that_a_fit_at_its_regularization_finds(path, sample):
    for model, (low, high) in zip(path, path.intervals, strict=True):
        assert low < model.regularization < high
        fitted = OptimalTreeRegressor(model.regularization, max_depth=3).fit(*sample)
        assert model.tree_ == fitted.tree_
        assert model.get_params() == fitted.get_params()
        assert (model.status_, model.gap_) == ("optimal", 0)
        assert model.objective_ == pytest.approx(fitted.objective_, abs=1e-12)


def test_the_last_model_is_that_of_the_smallest_regularization(path, sample):
    assert path.at(0.001).tree_ == OptimalTreeRegressor(0.001, max_depth=3).fit(*sample).tree_
    assert path.intervals[-1, 0] == 0.001


def test_at_gives_the_model_there_and_the_smaller_tree_at_a_breakpoint(path, sample):
    for r in np.geomspace(0.001, 2, 40):
        model = path.at(r)
        fitted = OptimalTreeRegressor(r, max_depth=3).fit(*sample)
        assert model.regularization == r
        assert model.tree_ == fitted.tree_
        assert model.objective_ == pytest.approx(fitted.objective_, abs=1e-12)
    for at, r in enumerate(path.breakpoints):
        assert path.at(r).n_leaves_ == path.leaves[at]
    assert path.at(1000).n_leaves_ == 1


@pytest.mark.parametrize(("r", "error"), [(0.0009, ValueError), (-1, ValueError), ("x", TypeError)])
def test_at_refuses_what_is_not_on_the_path(path, r, error):
    with pytest.raises(error, match="regularization="):
        path.at(r)
    with pytest.raises(ValueError, match="not on this path, which is known from"):
        path[2:].at(0.9)


def test_a_slice_is_a_path(path):
    part = path[1:3]
    assert isinstance(part, Path)
    assert list(part) == [path[1], path[2]]
    np.testing.assert_array_equal(part.leaves, path.leaves[1:3])
    np.testing.assert_array_equal(part.breakpoints, path.breakpoints[1:2])
    assert len(path[0:0]) == len(path[0:0].breakpoints) == len(path[0:0].intervals) == 0
    assert path[0:0].to_frame().empty


def test_it_cannot_be_changed(path):
    with pytest.raises(TypeError):
        path[0] = path[1]
    with pytest.raises(AttributeError):
        path.models = ()


def test_its_arrays_fit_together(path, sample):
    n = len(path)
    assert path.status == "optimal"
    assert path.intervals.shape == path.objectives.shape == (n, 2)
    assert path.intervals[0, 1] == np.inf
    np.testing.assert_array_equal(path.intervals[:-1, 0], path.breakpoints)
    np.testing.assert_array_equal(path.intervals[1:, 1], path.breakpoints)
    relative = path.losses / np.var(sample.y)
    np.testing.assert_allclose(path.objectives, relative[:, None] + path.intervals * path.leaves[:, None])
    np.testing.assert_allclose(path.objectives[:-1, 0], path.objectives[1:, 1], atol=1e-11)


def test_the_frame_tells_of_every_tree(path, sample):
    frame = path.to_frame()
    assert list(frame.columns) == [
        "leaves", "depth", "loss", "relative_loss", "r2", "regularization_from", "regularization_to", "proven",
        "gap", "proven_depth",
    ]  # fmt: skip
    assert len(frame) == len(path)
    np.testing.assert_allclose(frame["r2"], [model.score(*sample) for model in path], atol=1e-12)
    np.testing.assert_array_equal(frame["depth"], [model.depth_ for model in path])
    assert frame["proven"].all()


def test_its_text_is_a_small_table(path):
    head, columns, first, *rest = repr(path).splitlines()
    assert head == f"<Path of {len(path)} optimal trees>"
    assert columns.split() == ["leaves", "depth", "loss", "R²", "optimal", "at", "regularization"]
    assert first.split()[:2] == ["1", "0"]
    assert first.endswith(" and above")
    assert len(rest) == len(path) - 1


def test_the_plot_has_a_point_for_every_tree(path):
    axes = path.plot()
    (line,) = axes.get_lines()
    np.testing.assert_array_equal(line.get_xdata(), path.leaves)
    assert axes.get_xlabel() == "leaves"
    assert path[:1].plot(axes) is axes


def test_a_path_of_one_tree_is_drawn_in_the_middle(path):
    for part in (path[:1], regularization_path(np.arange(6.0)[:, None], np.full(6, 7.0))):
        axes = part.plot()
        assert axes.get_xlim() == (0.5, 1.5)
        assert axes.get_ylim()[0] == 0
        assert [tick for tick in axes.get_xticks() if 0.5 <= tick <= 1.5] == [1]
    assert path[0:0].plot().get_xlim() == (0.5, 1.5)


@pytest.mark.parametrize("width", [3, 12])
def test_labels_of_the_plot_do_not_overlap(width):
    path = regularization_path(np.arange(60.0)[:, None], np.sqrt(np.arange(60)), min_regularization=1e-5)
    figure = pyplot.figure(figsize=(width, 4), layout="constrained")
    axes = path.plot(figure.subplots())
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert 3 <= len(boxes) <= len(path.breakpoints)
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_the_plot_says_when_a_limit_ended_the_path(path):
    assert "stopped" not in path.plot().get_title(loc="left")
    stopped = Path(path.models, (*path.steps[:-1], replace(path.steps[-1], status="memory_limit")))
    assert stopped.plot().get_title(loc="left").endswith("(stopped by the memory limit)")


def test_an_unfinished_interval_says_where_it_may_go_on(path):
    stopped = Path(path.models, tuple(replace(step, status="time_limit") for step in path.steps))
    first, *rest = stopped.to_text().splitlines()[1:]
    assert first.endswith(" and above, perhaps below")
    assert all(line.endswith(", perhaps wider") for line in rest)


def test_weights_and_parameters_reach_the_search(sample):
    weight = np.arange(60) % 3
    path = regularization_path(*sample, sample_weight=weight, max_depth=2, min_samples_leaf=5)
    fitted = OptimalTreeRegressor(path[2].regularization, max_depth=2, min_samples_leaf=5)
    assert path[2].tree_ == fitted.fit(*sample, sample_weight=weight).tree_
    assert path[-1].depth_ <= 2


def test_groups_have_the_path_of_their_table(sample):
    frame = pd.DataFrame(sample.X, columns=list("abc")).assign(y=sample.y)
    groups = compress(frame, target="y")
    of_groups = regularization_path(groups, max_depth=3)
    of_table = regularization_path(frame.drop(columns="y"), frame["y"], max_depth=3)
    assert [model.tree_ for model in of_groups] == [model.tree_ for model in of_table]
    assert list(of_table[0].feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="leave out y"):
        regularization_path(groups, sample.y)


def test_max_leaves_ends_the_path_at_a_breakpoint(path, sample):
    most = int(path.leaves[3])
    short = regularization_path(*sample, max_depth=3, max_leaves=most)
    assert [model.tree_ for model in short] == [model.tree_ for model in path[:4]]
    np.testing.assert_allclose(short.intervals, path.intervals[:4], atol=1e-12)
    assert len(regularization_path(*sample, max_depth=3, max_leaves=1)) == 1


@pytest.mark.parametrize("least", [0.0, 0.5, 1.0, 3.0])
def test_a_constant_target_has_a_path_of_one_tree(least):
    path = regularization_path(np.arange(6.0)[:, None], np.full(6, 7.0), min_regularization=least)
    assert path.leaves.tolist() == [1]
    assert path.intervals.tolist() == [[least, np.inf]]
    assert path.losses.tolist() == [0]
    assert path.to_frame()["r2"].tolist() == [1]
    assert path.at(5).objective_ == 5


def test_the_path_goes_down_to_zero_where_asked(sample):
    path = regularization_path(*sample, max_depth=2, min_regularization=0)
    assert path.intervals[-1, 0] == 0
    assert 0 < path[-1].regularization < path.breakpoints[-1]
    assert path.at(0).loss_ == pytest.approx(OptimalTreeRegressor(0, max_depth=2).fit(*sample).loss_, rel=1e-12)


def test_above_one_there_is_only_the_single_leaf(sample):
    path = regularization_path(*sample, min_regularization=1.5)
    assert path.leaves.tolist() == [1]
    assert path[0].regularization == pytest.approx(1.5 * 2**0.5)


def test_a_path_survives_pickling(path, sample):
    again = pickle.loads(pickle.dumps(path))
    np.testing.assert_array_equal(again.intervals, path.intervals)
    np.testing.assert_array_equal(again[3].predict(sample.X), path[3].predict(sample.X))


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"min_regularization": -1}, ValueError, "min_regularization=-1 must be"),
        ({"min_regularization": "low"}, TypeError, "min_regularization='low' must be"),
        ({"max_leaves": 0}, ValueError, "max_leaves=0 must be"),
        ({"regularization": 0.1}, TypeError, "say where it ends with min_regularization"),
        ({"depth": 3}, TypeError, "no parameter 'depth'; regularization_path knows binarizer"),
        ({"max_depth": -1}, ValueError, "max_depth=-1 must be"),
        ({"time_limit": -1}, ValueError, "time_limit=-1 must be"),
    ],
)
def test_what_cannot_be_used_is_said_before_the_work(sample, parameters, error, words):
    with pytest.raises(error, match=words):
        regularization_path(*sample, **parameters)


@pytest.mark.alone
def test_the_time_limit_is_that_of_the_whole_path_which_goes_on_with_the_best_trees_known():
    X, y = endless()
    start = time.monotonic()
    with pytest.warns(LimitWarning, match=r"time limit came before the whole path.*it is proven down to.*not 0\.0001"):
        path = regularization_path(X, y, min_regularization=1e-4, time_limit=1)
    assert time.monotonic() - start < 2.5
    assert path.status == "time_limit"
    assert path[0].n_leaves_ == 1
    assert path.proven[0]
    assert not path.proven[-1]
    assert path.proven_to > 1e-4
    assert path.steps[-1].low == 1e-4
    assert not path.to_frame()["proven"].iloc[-1]
    assert "stopped by the time limit" in repr(path)
    assert "best known at 0.0001 to " in repr(path).splitlines()[-1]
    assert (np.diff(path.leaves) > 0).all()
    assert (np.diff(path.breakpoints) < 0).all()
    for model, proven in zip(path, path.proven, strict=True):
        assert model.status_ == ("optimal" if proven else "time_limit")  # each on its interval
        assert model.lower_bound_ <= model.objective_
        cost = np.mean((y - model.predict(X)) ** 2) / np.var(y) + model.regularization * model.n_leaves_
        assert model.objective_ == pytest.approx(cost, rel=1e-9)


def test_between_proven_trees_that_do_not_meet_a_model_has_valid_bounds(sample):
    groups = groups_of(*sample, None, OptimalTreeRegressor())
    model = OptimalTreeRegressor(max_depth=3)
    whole = regularization_path(*sample, max_depth=3)
    middles = [(step.solution, geometric_mean(step.low, step.high)) for step in (whole.steps[1], whole.steps[4])]
    apart = tuple(type(whole.steps[0])(solution, r, r, "time_limit") for solution, r in middles)
    models = (set_fitted(OptimalTreeRegressor(), groups.condition_set, step.solution) for step in apart)
    path = Path(tuple(models), apart)
    for r in np.linspace(apart[1].low, apart[0].high, 9)[1:-1]:
        best = model.set_params(regularization=r).fit(*sample)
        assert path.at(r).lower_bound_ <= best.objective_ + 1e-12
        assert path.at(r).objective_ >= best.objective_ - 1e-12
        assert path.at(r).status_ == "time_limit"


def test_no_time_at_all_still_gives_the_single_leaf(sample):
    groups = groups_of(*sample, None, OptimalTreeRegressor())
    steps = solve_path(groups, Problem(0.1), 0.001, Limits(seconds=0))
    assert steps[0].leaves == 1
    assert steps[0].high == np.inf


def test_a_monitor_may_end_the_path(sample):
    X, y = endless()
    groups = groups_of(X, y, None, OptimalTreeRegressor())
    steps = solve_path(groups, Problem(0.1), 1e-4, monitor=lambda point: point.seconds < 0.2)
    assert steps[-1].status == "interrupted"


def test_the_progress_of_a_path_is_told_in_objectives():
    """Half of the variance is within groups, which no tree removes: bounds that leave it out would be below it."""
    X, y = endless()
    X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2) + np.tile([-1, 1], len(y)) * np.std(y)
    groups = groups_of(X, y, None, OptimalTreeRegressor())
    points = []
    solve_path(groups, Problem(0.1), 1e-4, monitor=lambda point: points.append(point) or point.seconds < 0.3)
    assert points
    assert all(point.upper_bound > 0.5 for point in points)


@pytest.mark.parametrize(
    ("low", "high", "middle"), [(1, 4, 2), (1, np.inf, 2**0.5), (0, 2, 2**0.5), (0, np.inf, 1), (3, 3, 3)]
)
def test_the_middle_of_an_interval(low, high, middle):
    assert geometric_mean(low, high) == pytest.approx(middle)
