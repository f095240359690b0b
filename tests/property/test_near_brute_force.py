"""All trees near the optimum against every tree there is: 5,000 random tables."""

from typing import Any

import numpy as np
import pytest

from optitree import core
from optitree.solver.near_trees import NearSolutions
from optitree.solver.solve import solve_near
from optitree.solver.tree import Tree

from .instances import BOUNDS, Instance, any_loss, nested_instance, random_instance
from .near_brute_force import LEAF, Found, all_near

BATCHES, BATCH = 25, 200
MANY = 10_000_000


def order_of(tree: Tree, at: int = 0) -> tuple[Any, ...]:
    node = tree.nodes[at]
    if node.condition is None:
        return LEAF
    yes, no = order_of(tree, node.yes), order_of(tree, node.no)
    return yes[0] + no[0], 1 + max(yes[1], no[1]), node.condition.column, yes, no


def leaves_of(tree: Tree, binary: np.ndarray) -> frozenset[int]:
    found: dict[int, int] = {}
    for row, answers in enumerate(binary):
        at = 0
        while (condition := tree.nodes[at].condition) is not None:
            at = tree.nodes[at].yes if answers[condition.column] else tree.nodes[at].no
        found[at] = found.get(at, 0) | 1 << row
    return frozenset(found.values())


def make(seed: int) -> tuple[Instance, float]:
    """Make a random table, smaller where nearly every tree is near the optimum."""
    rng = np.random.default_rng(seed)
    instance = nested_instance(rng, 20, 7) if seed % 3 == 0 else random_instance(rng, 20, 9)
    within = float(rng.choice([0, 0.02, 0.1, 0.3, 0.6, 1]))
    penalty = instance.problem.regularization
    rows, features = 12, 6
    if penalty < 0.01:
        rows, features = 10, 5
    elif within > 0.3:
        rows, features = 11, 5
    cut = instance.binary[:rows, :features], instance.y[:rows], instance.weight[:rows]
    return any_loss(Instance(*cut, instance.problem), seed // 3), within


def near(instance: Instance, within: float, max_trees: int, *off: str, threads: int = 1) -> NearSolutions:
    options = core.Options()
    options.eager = True
    for bound in off:
        setattr(options, bound, False)
    return solve_near(
        instance.groups(), instance.problem, within=within, max_trees=max_trees, threads=threads, options=options
    )


def assert_same(found: NearSolutions, expected: list[Found], binary: np.ndarray, max_trees: int) -> None:
    assert found.status == "optimal"
    assert found.more == (len(expected) > max_trees)
    assert len(found.solutions) == min(len(expected), max_trees)
    for solution, each in zip(found.solutions, expected, strict=False):
        assert solution.objective == pytest.approx(each.cost, abs=1e-9)
        assert leaves_of(solution.tree, binary) == each.leaves
        assert order_of(solution.tree) == each.tree
    assert found.solutions[0].tree == found.best.tree


@pytest.mark.parametrize("batch", range(BATCHES))
def test_all_trees_near_the_optimum_are_found_in_order_and_the_best_of_them_where_there_are_too_many(batch):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        instance, within = make(seed)
        expected = all_near(instance, within)
        assert_same(near(instance, within, MANY, threads=1 + seed % 2), expected, instance.binary, MANY)
        cap = max(len(expected) * (seed % 4) // 3, 1)
        assert_same(near(instance, within, cap), expected, instance.binary, cap)
        if seed % 5 == 0:
            bound = BOUNDS[seed // 5 % len(BOUNDS)]
            assert_same(near(instance, within, MANY, bound), expected, instance.binary, MANY)
