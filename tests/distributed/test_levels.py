"""Sets of levels are the same in every engine: conditions, groups and trees."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from optitree import OptimalTreeRegressor, compress
from optitree.conditions.condition import IsIn, UpTo
from optitree.groups import compress_lazy

from .test_engines import FAST, IN_MEMORY, SLOW, check_same, pytestmark  # noqa: F401  (what engines say)

QUALITIES = ["poor", "fair", "good", "fine", "best"]


@pytest.fixture
def levels(tmp_path):
    """Return the path to a table of a column of many levels, some with a row or two, of few levels, and of numbers."""
    rng = np.random.default_rng(3)
    many = np.concatenate(
        [rng.choice([f"z{k:02}" for k in range(40)], 1900), np.repeat([f"y{k}" for k in range(50)], 2)]
    )
    many[-30:] = [f"x{k}" for k in range(30)]
    few = rng.choice([*"abcdef", "it's", 'say "so"'], 2000)
    y = 2.0 * np.isin(many, [f"z{k:02}" for k in range(0, 40, 3)]) + np.isin(few, ["a", "c", "it's"])
    table = pa.table(
        {
            "many": pa.array(many, mask=rng.random(2000) < 0.05),
            "few": few,
            "n": rng.integers(0, 3, 2000),
            "y": (y + 0.3 * rng.normal(size=2000)).round(2),
        }
    )
    pq.write_table(table, tmp_path / "levels.parquet", row_group_size=700)
    return tmp_path / "levels.parquet"


@pytest.mark.parametrize("engine", [*IN_MEMORY, *FAST, *SLOW], indirect=True)
def test_sets_of_levels_are_those_of_pandas(engine, levels):
    expected = compress(pq.read_table(levels).to_pandas(), target="y")
    assert {c.name for c in expected.conditions if isinstance(c, IsIn)} == {"many", "few"}
    groups = compress(engine(levels), target="y")
    check_same(groups, expected)
    trees = [OptimalTreeRegressor(0.01, max_depth=3).fit_groups(each).tree_ for each in (groups, expected)]
    assert [str(node.condition) for node in trees[0].nodes] == [str(node.condition) for node in trees[1].nodes]
    assert any(isinstance(node.condition, IsIn) for node in trees[0].nodes)


@pytest.mark.parametrize("engine", FAST, indirect=True)
def test_levels_are_ordered_by_medians_where_values_are_kept(engine, levels):
    expected = compress(pq.read_table(levels).to_pandas(), target="y", values=True)
    assert compress(engine(levels), target="y", values=True).conditions == expected.conditions


@pytest.mark.parametrize("engine", FAST, indirect=True)
def test_large_tables_get_the_sets_of_a_sample_and_every_one_of_few_levels(engine, levels, monkeypatch):
    monkeypatch.setattr(compress_lazy, "_FEW_ROWS", 100)
    monkeypatch.setattr(compress_lazy, "_SAMPLED_ROWS", 1000)
    groups = compress(engine(levels), target="y")
    texts = [str(c) for c in groups.conditions]
    assert {f"few = {level}" for level in [*"abcdef", "it's", 'say "so"']} <= {*texts}
    assert {c.name for c in groups.conditions if isinstance(c, IsIn)} == {"many", "few"}
    assert len(texts) == len(set(groups.conditions))
    in_memory = compress(pq.read_table(levels).to_pandas(), target="y", binarizer=groups.binarizer)
    np.testing.assert_array_equal(groups.codes, in_memory.codes)
    np.testing.assert_array_equal(groups.rows, in_memory.rows)


def test_an_order_of_levels_is_kept_by_engines_that_know_of_it(open_dask, tmp_path):
    dd = pytest.importorskip("dask.dataframe", reason="Dask's data frames are not installed")
    rng = np.random.default_rng(0)
    number = rng.integers(0, 5, 300)
    frame = pd.DataFrame({"q": pd.Categorical.from_codes(number, QUALITIES, ordered=True), "y": 1.0 * (number > 2)})
    expected = compress(frame, target="y")
    assert all(isinstance(c, UpTo) for c in expected.conditions)
    check_same(compress(dd.from_pandas(frame, npartitions=2), target="y"), expected)
