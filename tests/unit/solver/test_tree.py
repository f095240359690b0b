"""The tree routes rows, and knows its shape."""

import numpy as np
import pytest

from optitree import Node, Tree
from optitree.conditions.condition import AtMost, Equals, IsTrue
from optitree.table.reading import BOOLEAN, NUMBER, Column, Table, category

AGE = AtMost(0, "age", 40.0, has_missing=True)
SMOKER = IsTrue(1, "smoker")


def table_of(ages, smokers):
    return Table((Column(NUMBER, np.array(ages, float)), Column(BOOLEAN, np.array(smokers, float))), len(ages))


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
    table = table_of([40.0, 41.0, 41.0, -1e300], [1, 1, 0, 0])
    assert tree.apply(table).tolist() == [1, 3, 4, 1]


def test_missing_values_go_where_no_leads(tree):
    table = table_of([np.nan, np.nan, np.nan, 0.0], [1, 0, np.nan, np.nan])
    assert tree.apply(table).tolist() == [3, 4, 4, 1]


def test_levels_go_by_their_name_whatever_their_number():
    split = Node(Equals(0, "region", "west"), 1, 2, 2.0, 2, 2.0, 2.0)
    tree = Tree((split, Node(None, -1, -1, 1.0, 1, 1.0, 0.0), Node(None, -1, -1, 3.0, 1, 1.0, 0.0)))
    for regions, leaves in ((["east", "west"], [2, 1]), (["west", "x", "y"], [1, 2, 2])):
        column = category(regions, np.zeros(len(regions), bool))
        assert tree.apply(Table((column,), len(regions))).tolist() == leaves


def test_no_rows_reach_no_leaves(tree):
    assert tree.apply(table_of([], [])).tolist() == []


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
    assert leaf.apply(table_of([0, 0], [0, 0])).tolist() == [0, 0]
    assert leaf.ancestors == ((0,),)
