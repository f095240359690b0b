"""The losses, by their names."""

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, mean_pinball_loss, mean_squared_error

from optitree.solver.losses import LOSSES, loss_of

TARGET, PREDICTED = np.array([1.0, 5.0, 2.0]), np.array([2.0, 2.0, 2.0])


METRICS = {
    "squared_error": mean_squared_error,
    "absolute_error": mean_absolute_error,
    "quantile": partial(mean_pinball_loss, alpha=0.25),
}


@pytest.mark.parametrize(
    ("name", "rows"), [("squared_error", [1, 9, 0]), ("absolute_error", [1, 3, 0]), ("quantile", [0.75, 0.75, 0])]
)
def test_rows_lose_what_the_search_minimises(name, rows):
    assert loss_of(name, 0.25).of_error(TARGET - PREDICTED).tolist() == rows


@pytest.mark.parametrize("name", LOSSES)
def test_the_mean_loss_is_the_metric_of_scikit_learn(name):
    rng = np.random.default_rng(0)
    y, predicted, weight = rng.normal(size=(3, 200))
    for weights in (None, np.abs(weight)):
        expected = METRICS[name](y, predicted, sample_weight=weights)
        assert loss_of(name, 0.25).mean(y, predicted, weights) == pytest.approx(expected, rel=1e-12)


def test_the_rates_are_those_of_a_prediction_above_and_below_the_target():
    for name in LOSSES:
        loss = loss_of(name, 0.25)
        assert loss.name == name
        assert loss.needs_values == (loss.over > 0) == (loss.score == "d2")
        if loss.needs_values:
            zero = np.zeros(1)
            assert (loss.mean(zero, zero + 1), loss.mean(zero, zero - 1)) == (loss.over, loss.under)


def test_what_a_leaf_predicts_in_words():
    assert [loss_of(name, 0.25).leaf for name in LOSSES] == ["the mean", "the median", "the 0.25 quantile"]
