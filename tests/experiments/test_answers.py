"""What tables are made of."""

import pytest
from experiments.beyond import curve
from experiments.trace import found_at
from experiments.trees import equal_leaves
from experiments.validation import best_test


def test_leaves_are_counted_once_and_to_their_printed_digits():
    assert equal_leaves([0.666, 1.4, 1.4], ("0.67", "1.40")) == 2
    assert equal_leaves([1.4], ("1.40", "1.40")) == 1
    assert equal_leaves([0.64], ("0.67",)) == 0
    assert equal_leaves([225.54], ("225.52",)) == 1  # OSRT's own rounding


def test_the_best_tree_is_found_at_its_first_point():
    assert found_at([(0.1, 0.2, 0.9), (0.2, 0.3, 0.5), (0.9, 0.5, 0.5)]) == 0.2


def test_the_best_configuration_is_one_that_every_fold_has():
    folds = [[[0.1, 2, 1.0, 4.0], [0.01, 4, 0.5, 3.0]] for _ in range(4)]
    assert best_test([*folds, [[0.1, 2, 1.0, 9.0]]]) == (5.0, 2)
    assert best_test([[] for _ in range(5)]) is None


def test_a_curve_takes_the_largest_tree_that_is_allowed():
    folds = [[(1, 0.0), (3, 0.4)], [(1, 0.0), (2, 0.2), (4, 0.6)]]
    assert curve(folds) == [(2, pytest.approx(0.1)), (3, pytest.approx(0.3)), (4, pytest.approx(0.5))]
