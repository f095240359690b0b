"""The best tree with at most so many leaves, against every tree there is."""

from dataclasses import replace

import numpy as np
import pytest

from .brute_force import brute_force
from .instances import BOUNDS, Instance, any_loss, nested_instance, random_instance
from .test_brute_force import assert_best

BATCHES, BATCH = 25, 100  # of each kind


def limited(instance: Instance, seed: int) -> Instance:
    free = 0.0 if seed % 2 else instance.problem.regularization  # with and without a penalty for a leaf
    return replace(
        instance, problem=replace(instance.problem, regularization=free, max_leaves=1 + seed % 8 // 2 + seed % 5)
    )


@pytest.mark.parametrize("make", [random_instance, nested_instance])
@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_canonical_best_tree_within_the_limit_is_found(make, batch):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        instance = limited(any_loss(make(np.random.default_rng(seed), rows=12, features=5), seed), seed)
        best = brute_force(instance)
        assert_best(instance.solve(threads=1 + seed % 2), best)
        if seed % 4 == batch % 4:
            assert_best(instance.solve(*BOUNDS), best)
            assert_best(instance.solve(BOUNDS[seed // 4 % len(BOUNDS)]), best)
