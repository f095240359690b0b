"""The frontier from both sides, on trees that can be checked by hand."""

import pytest
from experiments.frontier import Frontier, Step

# One leaf at loss 1, two at .6, four at .2 (the hull goes from one to four: at two it is .7333), five at .15.
STEPS = [
    Step(0.5, 1, 1.0, 1.5, True),
    Step(0.2, 4, 0.2, 1.0, True),
    Step(0.04, 5, 0.15, 0.35, True),
]


@pytest.fixture
def frontier():
    return Frontier(STEPS)


def test_the_hull_of_our_trees(frontier):
    assert frontier.hull == [(1, 1.0), (4, 0.2), (5, 0.15)]
    assert frontier.attained(2) == pytest.approx(1 - 0.8 / 3)
    assert frontier.attained(9) == 0.15


def test_a_tree_between_corners_is_optimal_for_no_regularization(frontier):
    assert frontier.distance(2, 0.8) == pytest.approx(0.8 - frontier.attained(2))
    assert frontier.distance(4, 0.2) == 0
    assert frontier.distance(6, 0.1) < 0  # larger than any of ours: not decided


def test_a_tree_may_be_off_the_hull_and_the_best_of_its_size(frontier):
    assert frontier.distance(3, 0.5) > 0
    assert frontier.best(3) == 1.0


def test_what_is_proven_is_below_what_is_attained(frontier):
    for leaves in range(1, 9):
        assert frontier.proven(leaves) <= frontier.attained(leaves) + 1e-12
    assert frontier.proven(4) == pytest.approx(0.2)
    assert frontier.is_below(4, 0.19)
    assert not frontier.is_below(4, 0.2)


def test_a_stopped_search_proves_less():
    stopped = Frontier([Step(0.2, 4, 0.2, 0.9, False)])
    assert not stopped.is_below(4, 0.19)
    assert stopped.is_below(4, 0.05)
    assert stopped.agreement([(4, 0.2)]) == 0


def test_runs_agree_in_order(frontier):
    assert frontier.agreement([(1, 1.0), (4, 0.2), (5, 0.15)]) == 3
    assert frontier.agreement([(5, 0.15), (4, 0.2)]) == 1  # falling regularizations, growing trees
    assert frontier.agreement([(4, 0.25), (5, 0.15)]) == 1
