"""Folds of a cross-validation on the workers of a cluster, through joblib."""

import joblib
import numpy as np
import pytest

from optitree import OptimalTreeRegressorCV


@pytest.mark.usefixtures("open_dask")  # a cluster, whose client joblib finds by itself
def test_folds_on_a_dask_cluster_give_the_same_tree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] > 0) + 0.5 * rng.normal(size=80)
    here = OptimalTreeRegressorCV(max_depth=2, cv=3).fit(X, y)
    with joblib.parallel_config("dask"):
        there = OptimalTreeRegressorCV(max_depth=2, cv=3, n_jobs=2).fit(X, y)
    assert there.tree_ == here.tree_
    np.testing.assert_array_equal(there.test_loss_path_, here.test_loss_path_)
