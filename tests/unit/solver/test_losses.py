"""The losses, by their names."""

import numpy as np
import pytest

from optitree.solver.losses import LOSSES, loss_of

TARGET, PREDICTED = np.array([1.0, 5.0, 2.0]), np.array([2.0, 2.0, 2.0])


@pytest.mark.parametrize(
    ("name", "rows"), [("squared_error", [1, 9, 0]), ("absolute_error", [1, 3, 0]), ("quantile", [0.75, 0.75, 0])]
)
def test_rows_lose_what_the_search_minimises(name, rows):
    loss = loss_of(name, 0.25)
    assert loss.mean(TARGET, PREDICTED) == pytest.approx(np.mean(rows))
    weight = np.array([1.0, 2.0, 3.0])
    assert loss.mean(TARGET, PREDICTED, weight) == pytest.approx(np.average(rows, weights=weight))


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
