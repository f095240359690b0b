"""The regularization chosen by cross-validation."""

import pickle
import time
import warnings
from functools import partial

import joblib
import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from optitree import Binarizer, LimitWarning, OptimalTreeRegressor, OptimalTreeRegressorCV, export_text, load
from optitree.models.cv_folds import validation_losses
from optitree.models.dealing import dealt_out
from optitree.solver.solution import geometric_mean
from optitree.table.rows import read_rows

from ..conftest import make_sample
from ..endless import endless

mpl.use("Agg")
# Leaves of any size, the default conditions, and paths that end at one place: what is compared here are refits with the
# defaults of a model.
_CV = partial(OptimalTreeRegressorCV, min_samples_leaf=1, min_regularization=0.001, binarizer=Binarizer())


def dealt(X, y, folds=5):
    """The folds where ``cv`` is their number."""
    return dealt_out(read_rows(X, y, None, None), folds)


@pytest.fixture(scope="module")
def noisy():
    """A table with enough noise that the largest tree is not the best."""
    X, y = make_sample(rows=150, columns=4, seed=3)
    return X, y + np.random.default_rng(5).normal(size=150)


@pytest.fixture(scope="module")
def chosen(noisy):
    return _CV(max_depth=3).fit(*noisy)


def frames(rows=90):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "area": rng.integers(30, 200, rows).astype(float),
            "town": rng.choice(["north", "south", "east"], rows),
            "garden": rng.choice([True, False], rows),
        }
    )
    frame.loc[::9, "area"] = np.nan
    frame.loc[::11, "town"] = None
    y = frame["area"].fillna(100) + 80.0 * (frame["town"] == "south") + rng.normal(0, 9, rows)
    return frame, y.to_numpy()


def test_the_test_loss_of_every_interval_is_that_of_a_refit_there(noisy, chosen):
    X, y = noisy
    depths = chosen.cv_results_["max_depth"].tolist()
    assert sorted(set(depths)) == [2, 3]
    for depth, (low, high), losses in zip(depths, chosen.regularizations_, chosen.test_loss_path_, strict=True):
        for (train, test), loss in zip(dealt(X, y), losses, strict=True):
            refit = OptimalTreeRegressor(geometric_mean(low, high), max_depth=depth).fit(X[train], y[train])
            assert loss == pytest.approx(mean_squared_error(y[test], refit.predict(X[test])), rel=1e-9)


def test_intervals_tile_the_regularizations_from_high_to_low(chosen):
    for depth in (2, 3):
        low, high = chosen.regularizations_[chosen.cv_results_["max_depth"] == depth].T
        assert high[0] == np.inf
        assert low[-1] == 0.001
        assert (low < high).all()
        np.testing.assert_array_equal(low[:-1], high[1:])


def test_neighbouring_intervals_differ_in_some_fold(chosen):
    for depth in (2, 3):
        of_depth = chosen.test_loss_path_[chosen.cv_results_["max_depth"] == depth]
        assert (np.diff(of_depth, axis=0) != 0).any(axis=1).all()


def test_min_takes_the_smallest_mean_and_of_equals_the_largest_regularization(chosen):
    mean = chosen.test_loss_path_.mean(axis=1)
    best = np.flatnonzero(np.isclose(mean, mean.min(), rtol=1e-11, atol=0))[0]
    assert chosen.best_index_ == best
    low, high = chosen.regularizations_[best]
    assert chosen.regularization_ == pytest.approx((low * high) ** 0.5)
    assert chosen.best_score_ == pytest.approx(-mean.min())


def test_one_standard_error_takes_the_largest_regularization_that_is_not_clearly_worse(noisy, chosen):
    model = _CV(max_depth=2, selection="one_standard_error").fit(*noisy)
    chosen = _CV(max_depth=2).fit(*noisy)
    mean = model.test_loss_path_.mean(axis=1)
    error = model.test_loss_path_.std(axis=1, ddof=1) / 5**0.5
    limit = mean.min() + error[mean.argmin()]
    assert model.best_index_ == np.flatnonzero(mean <= limit)[0]
    assert (mean[: model.best_index_] > limit).all()
    assert model.regularization_ >= chosen.regularization_
    assert model.n_leaves_ <= chosen.n_leaves_
    np.testing.assert_allclose(model.cv_results_["standard_error"], error)


def test_the_best_estimator_is_the_optimal_tree_of_all_rows(noisy, chosen):
    fitted = OptimalTreeRegressor(chosen.regularization_, max_depth=3).fit(*noisy)
    assert chosen.best_estimator_.tree_ == chosen.tree_ == fitted.tree_
    assert chosen.best_estimator_.regularization == chosen.regularization_
    assert chosen.objective_ == pytest.approx(fitted.objective_, abs=1e-12)
    assert (chosen.status_, chosen.gap_, chosen.n_leaves_) == ("optimal", 0, fitted.n_leaves_)
    X, y = noisy
    np.testing.assert_array_equal(chosen.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(chosen.apply(X), fitted.apply(X))
    assert (chosen.decision_path(X) != fitted.decision_path(X)).nnz == 0
    np.testing.assert_array_equal(chosen.feature_importances_, fitted.feature_importances_)
    assert chosen.score(X, y) == fitted.score(X, y)
    assert export_text(chosen).splitlines()[:-1] == export_text(fitted).splitlines()[:-1]


def test_results_are_a_table(chosen):
    frame = pd.DataFrame(chosen.cv_results_)
    assert list(frame.columns) == [
        "max_depth", "greedy", "regularization_low", "regularization_high", *(f"split{k}_test_loss" for k in range(5)),
        "mean_test_loss", "standard_error", "rank_test_loss", "mean_leaves",
    ]  # fmt: skip
    assert len(frame) == len(chosen.regularizations_)
    assert frame["rank_test_loss"].iloc[frame["mean_test_loss"].argmin()] == 1
    assert frame["mean_leaves"].iloc[0] == 1
    assert chosen.n_splits_ == 5
    assert chosen.path_.at(chosen.regularization_).tree_ == chosen.tree_


@pytest.mark.parametrize("cv", [3, KFold(4, shuffle=True, random_state=0), ShuffleSplit(2, random_state=0)])
def test_folds_are_what_cv_says(noisy, cv):
    model = _CV(max_depth=2, cv=cv).fit(*noisy)
    assert model.n_splits_ == model.test_loss_path_.shape[1] == (cv if isinstance(cv, int) else cv.get_n_splits())
    listed = _CV(max_depth=2, cv=dealt(*noisy, 3) if cv == 3 else list(cv.split(noisy[0])))
    np.testing.assert_array_equal(listed.fit(*noisy).test_loss_path_, model.test_loss_path_)


def test_one_fold_has_no_standard_error(noisy):
    one = ShuffleSplit(1, random_state=0)
    both = [_CV(max_depth=2, cv=one, selection=s) for s in ("min", "one_standard_error")]
    assert both[0].fit(*noisy).regularization_ == both[1].fit(*noisy).regularization_


def test_groups_reach_the_splitter(noisy):
    X, y = noisy
    labels = np.arange(150) // 10
    model = _CV(max_depth=2, cv=GroupKFold(3)).fit(X, y, groups=labels)
    splits = list(GroupKFold(3).split(X, y, labels))
    np.testing.assert_array_equal(model.test_loss_path_, _CV(max_depth=2, cv=splits).fit(X, y).test_loss_path_)


def test_weights_count_in_training_in_the_test_loss_and_between_folds(noisy):
    X, y = noisy
    weight = np.random.default_rng(0).integers(0, 4, 150)
    model = _CV(max_depth=2, cv=3).fit(X, y, sample_weight=weight)
    splits = dealt(X, y, 3)
    at = len(model.regularizations_) // 2
    for k, (train, test) in enumerate(splits):
        refit = OptimalTreeRegressor(geometric_mean(*model.regularizations_[at]), max_depth=2)
        refit.fit(X[train], y[train], sample_weight=weight[train])
        expected = mean_squared_error(y[test], refit.predict(X[test]), sample_weight=weight[test])
        assert model.test_loss_path_[at, k] == pytest.approx(expected, rel=1e-9)
    shares = [weight[test].sum() for _, test in splits]
    np.testing.assert_allclose(
        model.cv_results_["mean_test_loss"], np.average(model.test_loss_path_, axis=1, weights=shares), rtol=1e-12
    )
    fitted = OptimalTreeRegressor(model.regularization_, max_depth=2).fit(X, y, sample_weight=weight)
    assert fitted.tree_ == model.tree_


def test_max_leaves_leaves_larger_trees_out(noisy):
    free = _CV(max_depth=3, min_regularization=1e-5).fit(*noisy)
    few = _CV(max_depth=3, max_leaves=3).fit(*noisy)
    assert few.n_leaves_ <= 3 < free.path_.leaves[-1]
    assert few.path_.leaves.max() <= 3
    assert few.cv_results_["mean_leaves"].max() <= 3
    one = _CV(max_depth=3, max_leaves=1).fit(*noisy)
    assert one.n_leaves_ == 1
    assert one.regularizations_.tolist() == 2 * [[0.001, np.inf]]


def test_frames_of_every_kind_give_the_same_tree():
    frame, y = frames()
    expected = _CV(max_depth=2, cv=3).fit(frame, y)
    assert expected.n_leaves_ > 1
    assert list(expected.feature_names_in_) == ["area", "town", "garden"]
    for other in (pl.from_pandas(frame, nan_to_null=True), pa.Table.from_pandas(frame)):
        model = _CV(max_depth=2, cv=3).fit(other, y)
        assert model.tree_ == expected.tree_
        np.testing.assert_array_equal(model.test_loss_path_, expected.test_loss_path_)
        np.testing.assert_array_equal(model.predict(other), expected.predict(frame))


def test_conditions_are_chosen_within_the_fold():
    rng = np.random.default_rng(0)
    X = rng.permutation(60.0 * np.arange(60))[:, None]
    y = rng.normal(size=60)
    binarizer = Binarizer(max_thresholds=2)
    train, test = np.arange(40), np.arange(40, 60)
    model = _CV(max_depth=2, cv=[(train, test)], binarizer=binarizer).fit(X, y)
    alone = OptimalTreeRegressor(geometric_mean(*model.regularizations_[-1]), max_depth=2, binarizer=binarizer)
    loss = mean_squared_error(y[test], alone.fit(X[train], y[train]).predict(X[test]))
    assert model.test_loss_path_[-1, 0] == pytest.approx(loss, rel=1e-12)
    assert alone.binarizer_.conditions_ != model.binarizer_.conditions_
    assert not hasattr(binarizer, "conditions_")


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_folds_may_be_worked_on_at_the_same_time(noisy, chosen, backend):
    with joblib.parallel_config(backend):
        model = _CV(max_depth=3, n_jobs=2).fit(*noisy)
    np.testing.assert_array_equal(model.test_loss_path_, chosen.test_loss_path_)
    assert model.tree_ == chosen.tree_


def test_verbose_prints_a_line_for_every_fold(noisy, capsys):
    _CV(max_depth=2, cv=3, verbose=True).fit(*noisy)
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("fold ")]
    assert [line.split(":")[0] for line in lines] == ["fold 1 of 3", "fold 2 of 3", "fold 3 of 3"]
    assert "trees down to regularization 0.001" in lines[0]


def test_it_works_among_the_tools_of_scikit_learn(noisy, chosen):
    X, y = noisy
    copy = clone(chosen)
    assert not hasattr(copy, "tree_")
    assert repr(copy) == repr(chosen)
    again = pickle.loads(pickle.dumps(chosen))
    np.testing.assert_array_equal(again.predict(X), chosen.predict(X))
    pipeline = make_pipeline(StandardScaler(), _CV(max_depth=2, cv=3)).fit(X, y)
    assert pipeline.score(X, y) > 0.3
    search = GridSearchCV(_CV(cv=3, binarizer=Binarizer()), {"max_depth": [0, 2]}, cv=2).fit(X, y)
    assert search.best_params_ == {"max_depth": 2}


def test_a_model_that_is_not_fitted_says_so(noisy):
    model = _CV()
    for ask in (model.predict, model.apply, model.decision_path):
        with pytest.raises(NotFittedError):
            ask(noisy[0])
    for ask in (model.plot, model.get_depth, model.get_n_leaves, lambda: model.save("tree.json")):
        with pytest.raises(NotFittedError):
            ask()
    assert not hasattr(model, "feature_importances_")


def test_the_plot_is_the_step_function(chosen):
    axes = chosen.plot()
    curve, line = axes.get_lines()
    drawn = chosen.cv_results_["max_depth"] == chosen.best_estimator_.max_depth
    assert len(curve.get_xdata()) == 2 * drawn.sum()
    np.testing.assert_array_equal(curve.get_ydata()[::2], chosen.cv_results_["mean_test_loss"][drawn])
    assert line.get_xdata()[0] == chosen.regularization_
    assert axes.get_xscale() == "log"
    assert axes.get_title(loc="left") == "The regularization, chosen by cross-validation with 5 folds"
    assert chosen.plot(axes) is axes


def test_the_plot_shows_what_one_standard_error_allows(noisy):
    model = _CV(max_depth=3, selection="one_standard_error").fit(*noisy)
    (line,) = [line for line in model.plot().get_lines() if line.get_label() == "minimum + one standard error"]
    mean, error = model.cv_results_["mean_test_loss"], model.cv_results_["standard_error"]
    allowed = mean.min() + error[mean.argmin()]
    assert list(line.get_ydata()) == [allowed, allowed]
    assert mean[model.best_index_] <= allowed


def test_the_best_tree_can_be_saved_and_measured(noisy, chosen, tmp_path):
    chosen.save(tmp_path / "tree.json")
    loaded = load(tmp_path / "tree.json")
    assert loaded.tree_ == chosen.tree_
    assert loaded.regularization == chosen.regularization_
    np.testing.assert_array_equal(loaded.predict(noisy[0]), chosen.predict(noisy[0]))
    assert (chosen.get_depth(), chosen.get_n_leaves()) == (chosen.depth_, chosen.n_leaves_)


def test_a_constant_target_is_a_single_leaf():
    model = _CV(min_regularization=0).fit(np.arange(20.0)[:, None], np.full(20, 3.0))
    assert (model.n_leaves_, model.best_score_, model.regularization_) == (1, 0, 1)
    model.plot()


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"selection": "best"}, ValueError, "selection='best' is unknown; use 'min' or 'one_standard_error'"),
        ({"selection": None}, ValueError, "selection=None is unknown"),
        ({"min_regularization": -0.1}, ValueError, "min_regularization=-0.1 must be"),
        ({"max_leaves": 1.5}, TypeError, "max_leaves=1.5 must be"),
        ({"max_depth": "deep"}, TypeError, "max_depth='deep' must be"),
        ({"loss": "huber"}, ValueError, "loss='huber'"),
        ({"n_jobs": 0}, ValueError, "n_jobs=0 must be"),
        ({"cv": 200}, ValueError, "n_splits=200"),
        ({"cv": [(np.arange(100), np.arange(0))]}, ValueError, "no test rows of positive weight"),
        ({"cv": [([*range(100)], [])]}, ValueError, "no test rows of positive weight"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_sentence(noisy, parameters, error, words):
    with pytest.raises(error, match=words):
        _CV(**{"max_depth": 1, **parameters}).fit(*noisy)


@pytest.mark.alone
def test_a_limit_is_one_warning_and_the_best_trees_known_are_compared():
    X, y = endless()
    model = OptimalTreeRegressorCV(min_regularization=1e-4, cv=2, time_limit=2)
    start = time.monotonic()
    with pytest.warns(LimitWarning, match=r"the paths of 2 of 2 folds not being proven") as caught:
        model.fit(X, y)
    assert time.monotonic() - start < 4.5
    assert len(caught) == 1
    assert model.choice_status_ == "time_limit"
    assert (model.n_stopped_, model.min_regularization_) == (2, 1e-4)
    assert model.regularizations_[model.cv_results_["max_depth"] == None][-1, 0] == 1e-4  # noqa: E711  (of an array)
    assert model.lower_bound_ <= model.objective_


def test_the_choice_is_never_worse_in_validation_than_a_path_of_little_depth(noisy):
    X, y = noisy
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        model = OptimalTreeRegressorCV(time_limit=3).fit(X, y)
    for depth in (2, 3):
        alone = OptimalTreeRegressorCV(max_depth=depth).fit(X, y)
        assert alone.choice_status_ == "optimal"
        assert model.best_score_ >= alone.best_score_ * (1 + 1e-9)
    assert {2, 3} <= set(model.cv_results_["max_depth"].tolist())


def test_folds_share_the_time_evenly(noisy, monkeypatch):
    shares = []

    def remember(plan, *arguments):
        shares.append(plan.seconds)
        return validation_losses(plan, *arguments)

    monkeypatch.setattr("optitree.models.cv.validation_losses", remember)
    OptimalTreeRegressorCV(max_depth=2, time_limit=70, cv=5).fit(*noisy)
    assert len(shares) == 5
    assert len(set(shares)) == 1
    assert 9 < shares[0] <= 10  # with as much for the path of all rows, and for the tree


def test_paths_end_where_a_leaf_is_worth_less_than_a_row():
    X = np.arange(3000.0)[:, None] % 5
    assert OptimalTreeRegressorCV(cv=2).fit(X, X[:, 0]).min_regularization_ == 1 / 3000
    assert OptimalTreeRegressorCV(cv=2).fit(X[:100], X[:100, 0]).min_regularization_ == 0.001
