"""The estimator among the tools of scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from optitree import Binarizer, OptimalTreeRegressor, OptimalTreeRegressorCV


def test_clone_keeps_parameters_and_forgets_the_fit(fitted):
    model = OptimalTreeRegressor(0.5, max_depth=2, binarizer=Binarizer(max_thresholds=3))
    copy = clone(model)
    assert copy.binarizer is not model.binarizer
    assert copy.get_params()["binarizer__max_thresholds"] == 3
    assert not hasattr(clone(fitted), "tree_")


def test_grid_search_reaches_into_the_binarizer(sample):
    grid = {"regularization": [0.01, 10.0], "binarizer__max_thresholds": [2, 6]}
    model = OptimalTreeRegressor(max_depth=2, binarizer=Binarizer())
    search = GridSearchCV(model, grid, cv=3).fit(*sample)
    assert search.best_params_["regularization"] == 0.01
    assert search.best_estimator_.score(*sample) > 0.8


@pytest.mark.parametrize("make", [OptimalTreeRegressor, OptimalTreeRegressorCV])
def test_parameters_of_the_binarizer_can_be_set_where_there_is_none(make):
    model = make()
    assert model.set_params(binarizer__max_thresholds=2, max_depth=3) is model
    assert model.get_params()["binarizer__max_thresholds"] == 2
    assert (model.max_depth, clone(model).binarizer.max_thresholds) == (3, 2)
    assert make().set_params(binarizer=None, binarizer__drop="first").binarizer.drop == "first"
    given = Binarizer("all")
    assert make(binarizer=given).set_params(binarizer__max_thresholds=2).binarizer is given
    assert make().set_params(max_depth=3).binarizer is None
    assert clone(make()).binarizer is None
    with pytest.raises(ValueError, match="Invalid parameter 'colour'"):
        make().set_params(binarizer__colour="red")


def test_grid_search_needs_no_binarizer_to_reach_into(sample):
    grid = {"tree__binarizer__max_thresholds": [1, 6]}
    pipeline = Pipeline([("tree", OptimalTreeRegressor(max_depth=2))])
    (best,) = GridSearchCV(pipeline, grid, cv=3).fit(*sample).best_params_.values()
    alone = OptimalTreeRegressor(max_depth=2)
    search = GridSearchCV(alone, {"binarizer__max_thresholds": [1, 6]}, cv=3).fit(*sample)
    assert search.best_params_ == {"binarizer__max_thresholds": best}
    assert search.best_estimator_.binarizer_.max_thresholds == best
    assert alone.binarizer is None


def test_pipeline_predicts_as_its_steps_do(sample):
    pipeline = make_pipeline(StandardScaler(), OptimalTreeRegressor(max_depth=2))
    pipeline.fit(*sample)
    scaled = StandardScaler().fit_transform(sample.X)
    alone = OptimalTreeRegressor(max_depth=2).fit(scaled, sample.y)
    np.testing.assert_array_equal(pipeline.predict(sample.X), alone.predict(scaled))


def test_binarizer_feeds_another_estimator(sample):
    pipeline = make_pipeline(Binarizer(max_thresholds=4), LinearRegression()).fit(*sample)
    binary = Binarizer(max_thresholds=4).fit_transform(*sample)
    alone = LinearRegression().fit(binary, sample.y)
    np.testing.assert_allclose(pipeline.predict(sample.X), alone.predict(binary))


def test_cross_validation_on_two_processes_equals_one(sample):
    model = OptimalTreeRegressor(max_depth=2)
    one = cross_val_score(model, *sample, cv=3)
    two = cross_val_score(model, *sample, cv=3, n_jobs=2)
    np.testing.assert_array_equal(one, two)


def test_members_of_an_ensemble_get_weights(sample):
    bagging = BaggingRegressor(OptimalTreeRegressor(max_depth=2), n_estimators=3, random_state=0)
    assert bagging.fit(*sample).score(*sample) > 0.8


def test_fitted_attributes_are_all_there(sample):
    frame = pd.DataFrame(sample.X, columns=["a", "b", "c"])
    model = OptimalTreeRegressor(max_depth=2).fit(frame, sample.y)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert model.n_features_in_ == 3
    public = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    assert public == {
        "binarizer_",
        "depth_",
        "feature_names_in_",
        "gap_",
        "loss_",
        "lower_bound_",
        "proven_depth_",
        "n_features_in_",
        "n_leaves_",
        "objective_",
        "root_loss_",
        "solution_",
        "status_",
        "tree_",
    }


def test_names_of_columns_that_come_or_go_are_warned_of(sample):
    frame = pd.DataFrame(sample.X, columns=["a", "b", "c"])
    named = OptimalTreeRegressor(max_depth=1).fit(frame, sample.y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.predict(sample.X)
    unnamed = OptimalTreeRegressor(max_depth=1).fit(*sample)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        unnamed.predict(frame)
