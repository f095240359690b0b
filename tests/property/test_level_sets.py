"""Sets of levels on random tables: rows go where the set says, parts add up, unseen and missing levels are in none."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from optitree import OptimalTreeRegressor, compress
from optitree.conditions.condition import AtMost, Equals, IsIn, IsMissing, IsOther

SEEDS = range(25)


def random_table(seed):
    """Make a table with a column of many levels, some rare or missing, one of few, and a number."""
    rng = np.random.default_rng(seed)
    rows, levels = int(rng.integers(150, 400)), int(rng.integers(12, 45))
    many = rng.choice([f"L{k:02}" for k in range(levels)], rows).astype(object)
    many[: levels // 4] = [f"rare {k}" for k in range(levels // 4)]
    effect = dict(zip(sorted(set(many)), rng.choice([0.0, 1.0, 3.0], len(set(many))), strict=True))
    y = np.array([effect[level] for level in many]) + 0.3 * rng.normal(size=rows)
    many[rng.random(rows) < 0.08] = None
    frame = pd.DataFrame({"many": many, "few": rng.choice([*"abcd"], rows), "n": rng.normal(size=rows).round(1)})
    return frame, y


HOLDS = {
    AtMost: lambda condition, value: value is not None and value <= condition.threshold,
    Equals: lambda condition, value: value == condition.level,
    IsIn: lambda condition, value: value in condition.levels,
    IsOther: lambda condition, value: value in condition.levels,
    IsMissing: lambda condition, value: value is None,
}


def walk(tree, row):
    """Send a row through a tree by what its conditions say alone."""
    at = 0
    while (condition := tree.nodes[at].condition) is not None:
        value = row[condition.name]
        yes = HOLDS[type(condition)](condition, None if pd.isna(value) else value)
        at = tree.nodes[at].yes if yes else tree.nodes[at].no
    return at


def fitted(frame, y):
    return OptimalTreeRegressor(0.005, max_depth=3).fit(frame, y)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_go_where_the_sets_say(seed):
    frame, y = random_table(seed)
    model = fitted(frame, y)
    assert any(isinstance(node.condition, IsIn) for node in model.tree_.nodes)
    expected = [walk(model.tree_, row) for row in frame.to_dict("records")]
    assert model.apply(frame).tolist() == expected
    assert model.apply(pl.from_pandas(frame)).tolist() == expected
    for leaf in set(expected):
        here = np.array(expected) == leaf
        assert model.tree_.nodes[leaf].rows == here.sum()
        assert model.tree_.nodes[leaf].value == pytest.approx(y[here].mean())


@pytest.mark.parametrize("seed", SEEDS)
def test_levels_that_are_unseen_or_missing_are_in_no_set(seed):
    frame, y = random_table(seed)
    model = fitted(frame, y)
    sets = [c for c in model.binarizer_.conditions_ if isinstance(c, IsIn)]
    assert sets
    assert all(set(c.levels) <= set(frame[c.name].dropna()) for c in sets)
    strange = frame.assign(many=["never seen" if k % 2 else None for k in range(len(frame))], few="z")
    answers = model.binarizer_.transform(strange)
    at = [model.binarizer_.conditions_.index(c) for c in sets]
    assert not answers[:, at].any()
    assert model.apply(strange).tolist() == [walk(model.tree_, row) for row in strange.to_dict("records")]


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_of_a_table_add_up(seed):
    frame, y = random_table(seed)
    table = frame.assign(y=y)
    whole = compress(table, target="y")
    at = np.random.default_rng(seed).integers(0, 3, len(table))
    parts = [compress(table[at == k], target="y", binarizer=whole.binarizer) for k in range(3)]
    added = parts[0] + parts[1] + parts[2]
    assert added.conditions == whole.conditions
    model, again = (OptimalTreeRegressor(0.005, max_depth=3).fit_groups(groups) for groups in (whole, added))
    assert again.objective_ == pytest.approx(model.objective_, abs=1e-9)
    assert [node.condition for node in again.tree_.nodes] == [node.condition for node in model.tree_.nodes]
    assert [node.rows for node in again.tree_.nodes] == [node.rows for node in model.tree_.nodes]
