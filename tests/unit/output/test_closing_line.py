"""The last line of a tree: how good it is, and what is proven about other trees."""

from dataclasses import replace

import numpy as np
import pytest

from optitree import OptimalTreeRegressor
from optitree.output.text import closing_line


@pytest.fixture(scope="module")
def solution():
    X = np.arange(12).reshape(-1, 1) % 4
    model = OptimalTreeRegressor(0.05, max_depth=2).fit(X, X[:, 0] * 2.0)
    return replace(model.solution_, objective=0.7132, lower_bound=0.415, seconds=60.0)


@pytest.mark.parametrize(
    ("depth", "said"),
    [
        (5, "No tree of at most 5 questions is better; no tree at all is below 0.4150"),
        (1, "No tree of at most 1 question is better; no tree at all is below 0.4150"),
        (0, "No tree is below 0.4150"),
    ],
)
def test_a_stopped_search_says_what_it_has_proven(solution, depth, said):
    leaves = solution.tree.n_leaves
    line = closing_line(replace(solution, status="time_limit", proven_depth=depth))
    assert line == f"time limit after 60.00 s: objective 0.7132 ({leaves} leaves). {said}"


def test_a_proof_is_one_for_all_depths(solution):
    assert closing_line(solution).startswith("optimal: objective 0.7132")
    assert solution.proven_depth is None
