"""The same groups and the same tree, whatever engine holds the table."""

import importlib
import math

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from optitree import Binarizer, Groups, OptimalTreeRegressor, compress
from optitree.groups.engines.engine_table import EngineTable

from .conftest import TEXT

# What the engines say about themselves, not about us.
pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:pyspark"),
    pytest.mark.filterwarnings("ignore:.*:ResourceWarning"),
]

IN_MEMORY = ["polars", "pyarrow"]
FAST = ["lazy polars", "DuckDB"]
SLOW = ["Dask", "Spark"]
BINARIZERS = {
    "auto": None,
    "reference": Binarizer("reference", 4),
    "quantile": Binarizer("quantile", 4),
    "uniform": Binarizer("uniform", 4, encoding="interval", max_categories=4),
}
ROUNDING = 1e-12

every_engine = pytest.mark.parametrize("engine", [*FAST, *SLOW], indirect=True)
fast_engines = pytest.mark.parametrize("engine", FAST, indirect=True)


def in_memory(path):
    return pq.read_table(path).to_pandas()


def groups_of(frame, binarizer=None, **parameters):
    return compress(frame, target="ozone", weight="weight", binarizer=binarizer, **parameters)


def check_same(groups: Groups, expected: Groups):
    """Check that two are equal up to rounding, and that the trees they give are."""
    assert list(map(str, groups.conditions)) == list(map(str, expected.conditions))
    assert groups.conditions == expected.conditions
    assert list(groups.binarizer.feature_names_in_) == list(expected.binarizer.feature_names_in_)
    assert groups.binarizer.kinds_ == expected.binarizer.kinds_
    np.testing.assert_array_equal(groups.codes, expected.codes)
    np.testing.assert_array_equal(groups.rows, expected.rows)
    np.testing.assert_allclose(groups.weight, expected.weight, rtol=ROUNDING)
    means = groups.mean + (groups.origin - expected.origin)
    width = np.ptp(expected.mean)
    np.testing.assert_allclose(means, expected.mean, rtol=ROUNDING, atol=ROUNDING * width)
    np.testing.assert_allclose(groups.scatter, expected.scatter, rtol=ROUNDING, atol=ROUNDING * width**2)
    check_same_tree(groups, expected, width)


def check_same_tree(groups, expected, width):
    tree, wanted = (OptimalTreeRegressor(max_depth=3).fit_groups(g).tree_ for g in (groups, expected))
    assert [(n.condition, n.yes, n.no, n.rows) for n in tree.nodes] == [
        (n.condition, n.yes, n.no, n.rows) for n in wanted.nodes
    ]
    assert len(tree) > 1
    for node, other in zip(tree.nodes, wanted.nodes, strict=True):
        assert math.isclose(node.value, other.value, rel_tol=ROUNDING, abs_tol=ROUNDING * width)
        assert math.isclose(node.weight, other.weight, rel_tol=ROUNDING)
        assert math.isclose(node.loss, other.loss, rel_tol=ROUNDING, abs_tol=ROUNDING * width**2)


@pytest.mark.parametrize("engine", [*IN_MEMORY, *FAST], indirect=True)
@pytest.mark.parametrize("rule", BINARIZERS)
def test_every_engine_makes_the_groups_of_pandas(engine, files, rule):
    expected = groups_of(in_memory(files["table"]), BINARIZERS[rule])
    if rule != "reference":  # which has no conditions on columns of no use
        assert {c.name for c in expected.conditions} == {"Solar.R", "wind", "temp", TEXT, "frost", "day"}
    check_same(groups_of(engine(files["table"]), BINARIZERS[rule]), expected)


@pytest.mark.parametrize("engine", SLOW, indirect=True)
def test_clusters_make_the_groups_of_pandas(engine, files):
    check_same(groups_of(engine(files["table"])), groups_of(in_memory(files["table"])))


@pytest.mark.parametrize(("engine", "rule"), [("Dask", "quantile"), ("Spark", "uniform")], indirect=["engine"])
def test_clusters_make_the_groups_of_pandas_column_by_column(engine, files, rule):
    expected = groups_of(in_memory(files["narrow"]), BINARIZERS[rule])
    check_same(groups_of(engine(files["narrow"]), BINARIZERS[rule]), expected)


@pytest.mark.parametrize("engine", [*IN_MEMORY, *FAST], indirect=True)
@pytest.mark.parametrize("encoding", ["threshold", "interval"])
def test_every_value_gets_a_threshold_in_every_engine(engine, files, encoding):
    binarizer = Binarizer("all", encoding=encoding)
    check_same(groups_of(engine(files["few"]), binarizer), groups_of(in_memory(files["few"]), binarizer))


@pytest.mark.parametrize("engine", [*IN_MEMORY, *FAST, *SLOW], indirect=True)
def test_a_fitted_binarizer_groups_a_later_table_with_levels_and_gaps_it_never_saw(engine, files, fitted):
    expected = groups_of(in_memory(files["later"]), fitted)
    assert expected.conditions == fitted.conditions_
    check_same(groups_of(engine(files["later"]), fitted), expected)


@fast_engines
@pytest.mark.parametrize("most", [2, 3, 5])
@pytest.mark.parametrize("drop", [None, "first"])
@pytest.mark.parametrize("gaps", [False, True])
def test_rare_levels_and_dropped_ones_are_the_same_in_every_engine(engine, tmp_path, most, drop, gaps):
    rng = np.random.default_rng(0)
    text = rng.choice([*"abcdef"], 500, p=np.arange(6, 0, -1) / 21)
    table = pa.table(
        {"text": pa.array(text, mask=gaps & (rng.random(500) < 0.1)), "y": (text == "b") + rng.random(500)}
    )
    pq.write_table(table, tmp_path / "text.parquet")
    binarizer = Binarizer("quantile", max_categories=most, drop=drop)
    check_same(
        compress(engine(tmp_path / "text.parquet"), target="y", binarizer=binarizer),
        compress(table, target="y", binarizer=binarizer),
    )


@pytest.fixture
def moments(tmp_path):
    """Return the path to a table of moments with and without a time zone."""
    rng = np.random.default_rng(0)
    wide = rng.integers(-2 * 10**15, 2 * 10**15, 300)
    near = rng.integers(0, 10**11, 300) - 5 * 10**10  # a day or so around the start of 1970
    zoned = rng.integers(0, 10**11, 300) + 1_616_850_000 * 10**6  # when clocks go forward in Berlin
    columns = {
        "wide": pa.array(wide, pa.timestamp("us")),
        "near": pa.array(near, pa.timestamp("us")),
        "zoned": pa.array(zoned, pa.timestamp("us", "Europe/Berlin")),
    }
    table = pa.table({**columns, "y": wide / 1e15 + (near > 0) + zoned % 10**11 / 1e11})
    pq.write_table(table, tmp_path / "moments.parquet")
    return tmp_path / "moments.parquet"


@every_engine
def test_moments_are_the_same_in_every_engine(engine, moments):
    table = pq.read_table(moments)
    known = Binarizer("quantile", 3).fit(table.drop_columns("y"))
    check_same(compress(engine(moments), target="y", binarizer=known), compress(table, target="y", binarizer=known))


@pytest.mark.parametrize(
    ("engine", "rule"),
    [
        *[("lazy polars", rule) for rule in BINARIZERS],
        ("DuckDB", "auto"),
        ("DuckDB", "reference"),
        ("DuckDB", "quantile"),
        ("DuckDB", "uniform"),
    ],
    indirect=["engine"],
)
def test_thresholds_between_moments_are_the_same_in_every_engine(engine, moments, rule):
    expected = compress(pq.read_table(moments), target="y", binarizer=BINARIZERS[rule])
    check_same(compress(engine(moments), target="y", binarizer=BINARIZERS[rule]), expected)


@fast_engines
@pytest.mark.parametrize("rule", BINARIZERS)
def test_whole_numbers_beyond_floating_point_are_the_same_in_every_engine(engine, tmp_path, rule):
    rng = np.random.default_rng(0)
    table = pa.table(
        {
            "signed": rng.integers(2**53, 2**53 + 40, 400) * rng.choice([-1, 1], 400),
            "unsigned": rng.integers(2**64 - 10**5, 2**64, 400, dtype=np.uint64),
            "y": rng.random(400),
        }
    )
    table = table.set_column(2, "y", pa.array(table["y"].to_numpy() + (table["signed"].to_numpy() > 0)))
    pq.write_table(table, tmp_path / "large.parquet")
    check_same(
        compress(engine(tmp_path / "large.parquet"), target="y", binarizer=BINARIZERS[rule]),
        compress(table, target="y", binarizer=BINARIZERS[rule]),
    )


@fast_engines
@pytest.mark.parametrize("rule", BINARIZERS)
def test_numbers_of_any_size_are_the_same_in_every_engine(engine, tmp_path, rule):
    rng = np.random.default_rng(0)
    x = rng.normal(size=400) * 10.0 ** rng.integers(-300, 307, 400)
    x[:40] = np.repeat([1.7e308, -1.7e308, 0.0, -0.0], 10)
    table = pa.table({"x": x, "y": (x > 1) * 2.0 + rng.random(400)})
    pq.write_table(table, tmp_path / "sizes.parquet")
    check_same(
        compress(engine(tmp_path / "sizes.parquet"), target="y", binarizer=BINARIZERS[rule]),
        compress(table, target="y", binarizer=BINARIZERS[rule]),
    )


@fast_engines
@pytest.mark.parametrize("rule", BINARIZERS)
def test_the_smallest_numbers_are_told_apart(engine, tmp_path, rule):
    x = np.repeat([0, 5e-324, 1e-323, 1.5e-323, 2e-323, 1.0], 20)
    table = pa.table({"x": x, "y": np.arange(120) // 40 + np.tile([0.1, 0.2], 60)})
    pq.write_table(table, tmp_path / "small.parquet")
    check_same(
        compress(engine(tmp_path / "small.parquet"), target="y", binarizer=BINARIZERS[rule]),
        compress(table, target="y", binarizer=BINARIZERS[rule]),
    )


@fast_engines
def test_rounding_does_not_decide_between_weights_that_are_alike(engine, tmp_path):
    binarizer = Binarizer("quantile", 3, max_categories=3)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        columns = {"level": rng.choice([*"abcdef"], 60), "x": rng.integers(0, 12, 60), "y": rng.random(60)}
        table = pa.table({**columns, "w": rng.integers(1, 4, 60) * 0.1})
        pq.write_table(table.take(rng.permutation(60)), tmp_path / "ties.parquet")
        groups = compress(engine(tmp_path / "ties.parquet"), target="y", weight="w", binarizer=binarizer)
        assert groups.conditions == compress(table, target="y", weight="w", binarizer=binarizer).conditions


@fast_engines
@pytest.mark.parametrize("offset", [0.0, 1e9, -1e15])
def test_a_huge_target_keeps_its_precision_in_every_engine(engine, files, tmp_path, offset):
    table = pq.read_table(files["table"])
    table = table.set_column(6, "ozone", pa.array(table["ozone"].to_numpy() + offset))
    pq.write_table(table, tmp_path / "huge.parquet")
    check_same(groups_of(engine(tmp_path / "huge.parquet")), groups_of(table))


@pytest.mark.parametrize("engine", [*IN_MEMORY, *FAST], indirect=True)
def test_parts_grouped_apart_with_the_same_binarizer_add_up_to_the_whole(engine, files, fitted):
    first, second, third = (groups_of(engine(files[f"part {k}"]), fitted) for k in (1, 2, 3))
    check_same(first + second + third, groups_of(in_memory(files["table"]), fitted))


@pytest.mark.parametrize("engine", [*FAST, "Dask"], indirect=True)
def test_parts_in_memory_and_in_an_engine_add_up(engine, files, fitted):
    first = groups_of(engine(files["part 1"]), fitted)
    rest = groups_of(pq.read_table(files["part 2"]), fitted) + groups_of(in_memory(files["part 3"]), fitted)
    check_same(rest + first, groups_of(in_memory(files["table"]), fitted))


# Large tables


@pytest.fixture
def large(monkeypatch):
    """Let every table pass for one too large to collect its distinct rows; returns a setter of the sample's size."""
    module = importlib.import_module("optitree.groups.compress")
    monkeypatch.setattr(module, "_FEW_ROWS", 100)
    monkeypatch.setattr(module, "_SAMPLED_ROWS", 1000)
    return lambda rows: monkeypatch.setattr(module, "_SAMPLED_ROWS", rows)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("rule", ["auto", "reference"])
def test_engines_agree_on_the_groups_of_a_large_table(files, open_duckdb, rule):
    pl = pytest.importorskip("polars")
    groups = groups_of(open_duckdb(files["table"]), BINARIZERS[rule])
    check_same(groups_of(pl.scan_parquet(files["table"]), BINARIZERS[rule]), groups)
    assert groups.n_rows == groups_of(in_memory(files["table"]), BINARIZERS[rule]).n_rows


@fast_engines
@pytest.mark.parametrize(
    "binarizer", [None, Binarizer("reference", 3), Binarizer(max_thresholds=2, encoding="interval")]
)
def test_a_sample_of_all_rows_gives_the_groups_of_a_small_table(engine, files, large, binarizer):
    large(10**9)
    expected = groups_of(in_memory(files["few"]), binarizer)
    check_same(groups_of(engine(files["few"]), binarizer), expected)


@fast_engines
def test_a_sample_has_about_as_many_rows_as_asked_for(engine, files):
    table = EngineTable(nw.from_native(engine(files["table"])), "ozone", None)
    _, known = table.distinct_rows(0.4)
    assert 0.3 * table.rows < known["rows"].sum() < 0.5 * table.rows


@pytest.mark.usefixtures("large")
@fast_engines
def test_a_large_table_of_many_values_gives_nearly_as_good_a_tree(engine, files):
    near = OptimalTreeRegressor(max_depth=3).fit_groups(groups_of(engine(files["table"])))
    best = OptimalTreeRegressor(max_depth=3).fit_groups(groups_of(in_memory(files["table"])))
    assert near.objective_ <= best.objective_ + 0.02


# Too many groups


@every_engine
def test_too_many_groups_are_noticed_before_the_work(engine, files, fitted, monkeypatch):
    monkeypatch.setattr(EngineTable, "group", lambda *_: pytest.fail("the engine was asked to group"))
    with pytest.raises(
        ValueError, match=r"2,500 rows .*about 2,500 groups, more than max_groups=99; use fewer"
    ) as caught:
        groups_of(engine(files["table"]), fitted, max_groups=99)
    assert "Binarizer(max_thresholds=3), leave out columns" in str(caught.value)
    assert "or raise max_groups" in str(caught.value)


@fast_engines
@pytest.mark.parametrize("rule", BINARIZERS)
def test_too_many_groups_are_refused_by_every_rule(engine, files, rule):
    with pytest.raises(ValueError, match=r"more than max_groups=99; use fewer thresholds"):
        groups_of(engine(files["table"]), BINARIZERS[rule], max_groups=99)


@fast_engines
def test_the_number_of_groups_is_estimated_from_the_first_rows(engine, files, monkeypatch):
    module = importlib.import_module("optitree.groups.compress")
    monkeypatch.setattr(module, "_SAMPLE", 500)
    binarizer = Binarizer("quantile", 1, max_categories=3)
    groups = len(groups_of(engine(files["table"]), binarizer))
    with pytest.raises(ValueError, match="would make about") as caught:
        groups_of(engine(files["table"]), binarizer, max_groups=1)
    estimate = int(str(caught.value).split("about ")[1].split()[0].replace(",", ""))
    assert groups / 2 <= estimate <= 2 * groups


@every_engine
def test_every_engine_keeps_the_values_of_the_target(engine, files, fitted):
    expected = groups_of(in_memory(files["table"]), fitted, values=True)
    groups = groups_of(engine(files["table"]), fitted, values=True)
    check_same(groups, expected)
    np.testing.assert_array_equal(groups.points.group, expected.points.group)
    np.testing.assert_array_equal(groups.points.value, expected.points.value)
    np.testing.assert_allclose(groups.points.weight, expected.points.weight, rtol=ROUNDING)
    trees = [OptimalTreeRegressor(max_depth=2, loss="absolute_error").fit_groups(g).tree_ for g in (groups, expected)]
    assert [node[:5] for node in trees[0].nodes] == [node[:5] for node in trees[1].nodes]
