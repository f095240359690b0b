"""The same canonical trees as the build that wrote them down."""

from functools import cache
from typing import Any

import pytest

from .recorded_trees import from_plain, read
from .test_brute_force import splits

BATCHES = 8


@cache
def recorded() -> list[dict[str, Any]]:
    return read()


def nested(tree: Any) -> Any:
    """Return the tree of a file, whose lists were tuples."""
    return tree if tree is None else (tree[0], nested(tree[1]), nested(tree[2]))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_tree_on_record_is_found(batch):
    chosen = recorded()[batch::BATCHES]
    assert len(chosen) == 250
    for content in chosen:
        solution = from_plain(content).solve()
        assert solution.status == "optimal"
        assert splits(solution.tree) == nested(content["tree"])
        assert solution.objective == pytest.approx(content["objective"], rel=1e-12, abs=1e-12)
        leaves = [node.value for node in solution.tree.nodes if node.is_leaf]
        assert leaves == pytest.approx(content["predictions"], rel=1e-9, abs=1e-9)
