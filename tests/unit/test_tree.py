"""The tree routes rows, and knows its shape."""

import numpy as np
import pytest

from optitree import Condition, Node, Tree

AGE = Condition(0, "age", 40.0)
SMOKER = Condition(1, "smoker")


@pytest.fixture
def tree():
    """Age at the root, smoker on its no side."""
    return Tree(
        (
            Node(AGE, 1, 2, 2.0, 4, 4.0, 8.0),
            Node(None, -1, -1, 1.0, 1, 1.0, 0.0),
            Node(SMOKER, 3, 4, 2.5, 3, 3.0, 4.0),
            Node(None, -1, -1, 5.0, 1, 1.0, 0.0),
            Node(None, -1, -1, 1.5, 2, 2.0, 1.0),
        )
    )


def test_rows_reach_the_leaf_their_answers_lead_to(tree):
    table = np.array([[40.0, 1.0], [41.0, 1.0], [41.0, 0.0], [-1e300, 0.0]])
    assert tree.apply(table).tolist() == [1, 3, 4, 1]


def test_no_rows_reach_no_leaves(tree):
    assert tree.apply(np.empty((0, 2))).tolist() == []


def test_shape(tree):
    assert len(tree) == 5
    assert tree.n_leaves == 3
    assert tree.depth == 2
    assert tree.depths.tolist() == [0, 1, 1, 2, 2]
    assert tree.values.tolist() == [2.0, 1.0, 2.5, 5.0, 1.5]


def test_ancestors_lead_from_the_root_to_the_node(tree):
    assert tree.ancestors == ((0,), (0, 1), (0, 2), (0, 2, 3), (0, 2, 4))


def test_a_single_leaf_has_depth_zero():
    leaf = Tree((Node(None, -1, -1, 1.0, 1, 1.0, 0.0),))
    assert (leaf.depth, leaf.n_leaves) == (0, 1)
    assert leaf.apply(np.zeros((2, 1))).tolist() == [0, 0]
    assert leaf.ancestors == ((0,),)


def test_plain_values_have_a_dictionary_per_node(tree):
    plain = tree.to_list()
    assert len(plain) == 5
    assert plain[0]["condition"] == {"column": 0, "name": "age", "threshold": 40.0}
    assert plain[1]["condition"] is None
