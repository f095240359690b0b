"""The solver against every tree there is: 20,000 random tables, a quarter of them with each bound on and off.

With OPTITREE_EVERY_BOUND set in the environment each bound is switched off on all of them, which takes minutes.
"""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optitree.solver.problem import Problem
from optitree.solver.solution import Solution
from optitree.solver.tree import Tree

from .brute_force import Best, brute_force
from .instances import BOUNDS, Instance, nested_instance, random_instance

BATCHES, BATCH = 50, 200
EVERY_BOUND = "OPTITREE_EVERY_BOUND" in os.environ


def splits(tree: Tree, at: int = 0) -> object:
    node = tree.nodes[at]
    if node.condition is None:
        return None
    return node.condition.column, splits(tree, node.yes), splits(tree, node.no)


def assert_best(solution: Solution, best: Best) -> None:
    assert solution.status == "optimal"
    assert solution.gap == 0
    assert abs(solution.objective - best.cost) <= 1e-9
    assert splits(solution.tree) == best.split, "equally good, but not the canonical tree"


@pytest.mark.parametrize("make", [random_instance, nested_instance])
@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_canonical_best_tree_is_found_with_all_bounds_and_with_none(make, batch):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        instance = make(np.random.default_rng(seed))
        best = brute_force(instance)
        threads = 1 + seed % 2
        assert_best(instance.solve(threads=threads), best)
        assert_best(instance.solve(*BOUNDS, threads=threads), best)
        if EVERY_BOUND or seed % 4 == batch % 4:  # in half of the batches with one thread, in half with two
            for bound in BOUNDS:
                assert_best(instance.solve(bound, threads=threads), best)


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    rows, features = draw(st.integers(1, 10)), draw(st.integers(1, 4))
    bits = draw(st.lists(st.lists(st.booleans(), min_size=features, max_size=features), min_size=rows, max_size=rows))
    # Targets whose values differ by less than 1e-100 are refused before they get to the search.
    number = st.floats(-1e3, 1e3, allow_subnormal=False).map(lambda value: value if abs(value) > 1e-90 else 0.0)
    target = st.one_of(st.integers(-3, 3).map(float), number)
    y = draw(st.lists(target, min_size=rows, max_size=rows))
    weight = draw(st.lists(st.integers(1, 5).map(float), min_size=rows, max_size=rows))
    problem = Problem(
        regularization=draw(st.sampled_from([0.0, 1e-3, 0.01, 0.05, 0.25])),
        max_depth=draw(st.sampled_from([None, 0, 1, 2, 3, 4])),
        min_samples_leaf=draw(st.integers(1, 3)),
    )
    return Instance(np.array(bits), np.array(y), np.array(weight), problem)


@settings(max_examples=300, deadline=None)
@given(instances())
def test_no_table_that_hypothesis_can_think_of_breaks_it(instance):
    best = brute_force(instance)
    assert abs(instance.solve().objective - best.cost) <= 1e-9


def test_the_reference_keeps_the_digits_of_targets_that_are_tiny():
    """The single leaf costs 1, whatever the unit of the target: squares of 1e-320 once had too few digits."""
    y = np.array([0.0, 1.11902168e-160])
    instance = Instance(np.zeros((2, 1), bool), y, np.ones(2), Problem(regularization=0.0))
    assert brute_force(instance).cost == 1
