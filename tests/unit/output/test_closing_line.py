"""The last line of a tree: how good it is, and what is proven about other trees."""

from dataclasses import replace

import numpy as np
import pytest

from optitree import OptimalTreeRegressor, export_text, load, regularization_path
from optitree.output.text import closing_line
from optitree.solver.scope import Scope


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
    among = "among trees on 3 conditions of 1 column, at most 2 questions deep"
    assert line == f"time limit after 60.00 s {among}: objective 0.7132 ({leaves} leaves). {said}"


def test_a_proof_is_one_for_all_depths(solution):
    among = "among trees on 3 conditions of 1 column, at most 2 questions deep"
    assert closing_line(solution) == f"optimal {among}: objective 0.7132 (4 leaves), proven in 60.00 s"
    assert solution.proven_depth is None


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        (Scope(1, 1), " among trees on 1 condition of 1 column"),
        (Scope(0, 0), " among trees on no conditions"),
        (Scope(1200, 31, max_depth=1), " among trees on 1,200 conditions of 31 columns, at most 1 question deep"),
        (Scope(5, 2, max_leaves=1), " among trees on 5 conditions of 2 columns, of at most 1 leaf"),
        (
            Scope(5, 2, 3, 6, 20),
            " among trees on 5 conditions of 2 columns, at most 3 questions deep, of at most 6 leaves, with at least "
            "20 rows in a leaf",
        ),
        (None, ""),
    ],
)
def test_the_scope_of_a_proof_is_said_with_its_limits(solution, scope, said):
    optimal = replace(solution, scope=scope)
    assert closing_line(optimal) == f"optimal{said}: objective 0.7132 (4 leaves), proven in 60.00 s"
    near = replace(optimal, status="near_optimal", lower_bound=0.7)
    assert closing_line(near) == f"near optimal{said}: objective 0.7132 (4 leaves), 0.013 above the optimum"


def test_the_scope_is_that_of_the_fit_whatever_the_parameters_are_now(tmp_path):
    X = np.column_stack([np.arange(12) % 4, np.zeros(12)])  # a constant column has no conditions
    model = OptimalTreeRegressor(0.05, max_depth=2, max_leaves=3, min_samples_leaf=2).fit(X, X[:, 0] * 2.0)
    assert model.solution_.scope == Scope(3, 1, 2, 3, 2)
    model.save(tmp_path / "tree.json")
    assert load(tmp_path / "tree.json").solution_.scope == Scope(3, 1, 2, 3, 2)
    line = closing_line(model.solution_)
    assert export_text(model.set_params(max_depth=5)).endswith(line)


def test_a_path_that_ends_at_a_number_of_leaves_is_about_trees_of_any_number():
    X = np.arange(12).reshape(-1, 1) % 4
    path = regularization_path(X, X[:, 0] * 2.0, max_leaves=2, max_depth=3)
    assert [model.solution_.scope for model in path] == [Scope(3, 1, max_depth=3)] * len(path)
