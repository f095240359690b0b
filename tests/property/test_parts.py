"""The parts of a table, grouped apart and added in any order, are the table."""

import gc
import json
import math
import tempfile
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optitree import Binarizer, FileFormatError, Groups, OptimalTreeRegressor, compress

from .tables import binarizers, tables

pytestmark = pytest.mark.filterwarnings("ignore:column .* looks like an id")

ARRAYS = ("codes", "rows", "weight", "mean", "scatter")
OFFSETS = [0.0, -3.0, 1e6, -1e12, 1e15, 1e60]


def examples(count):
    return settings(max_examples=count, deadline=None, derandomize=True)


@st.composite
def weighted_tables(draw, rows=40, offsets=tuple(OFFSETS)):
    """Return a table with a target y, anywhere on the line, and weights w."""
    table = draw(tables(rows=rows, columns=3))
    length = len(table)
    offset = draw(st.sampled_from(offsets))
    value = st.integers(-5, 5) | st.floats(-100, 100).map(lambda number: round(number, 3))
    y = offset + np.array(draw(st.lists(value, min_size=length, max_size=length)), dtype=float)
    weight = st.sampled_from([0.0, 0.1, 0.25, 1.0, 3.0, 1 / 3, 1e5])
    weights = np.array(draw(st.lists(weight, min_size=length, max_size=length)))
    weights[0] += not weights.any()
    return table.append_column("y", pa.array(y)).append_column("w", pa.array(weights))


def group(table, binarizer=None, weight: "str | None" = "w"):
    return compress(table if weight else table.drop_columns("w"), target="y", weight=weight, binarizer=binarizer)


def fitted_to(table, binarizer):
    y, weight = (table[name].to_numpy() for name in "yw")
    return binarizer.fit(table.drop_columns(["y", "w"]), y, weight)


def spread_of(table):
    """Return the range of the target, and how exact a difference of two of its values can be."""
    y = table["y"].to_numpy()
    return np.ptp(y), 1e-12 * np.ptp(y) + 4 * np.spacing(np.abs(y).max())


def check_close(groups: Groups, expected: Groups, table: pa.Table):
    width, near = spread_of(table)
    heaviest = expected.weight.max()
    assert groups.conditions == expected.conditions
    np.testing.assert_array_equal(groups.codes, expected.codes)
    np.testing.assert_array_equal(groups.rows, expected.rows)
    np.testing.assert_allclose(groups.weight, expected.weight, rtol=1e-12)
    np.testing.assert_allclose(groups.mean + (groups.origin - expected.origin), expected.mean, rtol=1e-12, atol=near)
    atol = 1e-12 * heaviest * width**2 + 4 * heaviest * width * near
    np.testing.assert_allclose(groups.scatter, expected.scatter, rtol=1e-11, atol=atol)


def structure(tree):
    return [(node.condition, node.yes, node.no, node.rows) for node in tree.nodes]


def fit(groups, **parameters):
    return OptimalTreeRegressor(0.003, max_depth=2, **parameters).fit_groups(groups)


@examples(90)
@given(weighted_tables(), binarizers(), st.data())
def test_any_parts_in_any_order_are_the_whole(table, binarizer, data):
    binarizer = fitted_to(table, binarizer)
    length = len(table)
    ends = sorted({0, length, *data.draw(st.lists(st.integers(0, length), max_size=6))})
    parts = [table.slice(start, stop - start) for start, stop in pairwise(ends)]
    parts = [part for part in parts if part["w"].to_numpy().any()]
    grouped = [group(part, binarizer) for part in data.draw(st.permutations(parts))]
    total = grouped[0]
    for part in grouped[1:]:
        total = total + part if data.draw(st.booleans()) else part + total
    whole = group(table, binarizer)
    check_close(total, whole, table)
    check_tree(fit(total), fit(whole), table)


def check_tree(model, expected, table):
    """Check that two trees are the same, or as good where rounding decides."""
    assert model.objective_ == pytest.approx(expected.objective_, abs=1e-9)
    if structure(model.tree_) == structure(expected.tree_):
        _, near = spread_of(table)
        for node, other in zip(model.tree_.nodes, expected.tree_.nodes, strict=True):
            assert node.value == pytest.approx(other.value, rel=1e-12, abs=near)
            assert node.weight == pytest.approx(other.weight, rel=1e-12)
    else:
        assert spread_of(table)[1] > 1e-10 * spread_of(table)[0]


@examples(60)
@given(weighted_tables(offsets=(0.0, 7.0)), binarizers(), st.data())
def test_the_tree_of_the_parts_is_the_tree_of_the_whole(table, binarizer, data):
    binarizer = fitted_to(table, binarizer)
    at = data.draw(st.integers(0, len(table)))
    parts = [part for part in (table.slice(0, at), table.slice(at)) if len(part) and part["w"].to_numpy().any()]
    total = group(parts[0], binarizer) if len(parts) == 1 else group(parts[0], binarizer) + group(parts[1], binarizer)
    tree, expected = fit(total).tree_, fit(group(table, binarizer)).tree_
    assert structure(tree) == structure(expected)
    np.testing.assert_allclose(tree.values, expected.values, rtol=1e-12, atol=1e-10)


@examples(110)
@given(weighted_tables(), binarizers(), st.booleans(), st.randoms())
def test_the_order_of_rows_does_not_matter_to_the_last_bit(table, binarizer, weighted, random):
    order = list(range(len(table)))
    random.shuffle(order)
    weight = "w" if weighted else None
    a, b = group(table, binarizer, weight), group(table.take(order), binarizer, weight)
    assert a.conditions == b.conditions
    assert a.origin == b.origin
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_the_order_of_rows_does_not_decide_between_weights_that_are_alike():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        columns = {"level": rng.choice([*"abcdef"], 60), "x": rng.integers(0, 12, 60), "y": rng.random(60)}
        table = pa.table({**columns, "w": rng.integers(1, 4, 60) * 0.1})
        binarizer = Binarizer("quantile", 3, max_categories=3)
        shuffled = group(table.take(rng.permutation(60)), binarizer)
        assert shuffled.conditions == group(table, binarizer).conditions


@examples(45)
@given(weighted_tables(), binarizers())
def test_saved_groups_come_back_to_the_last_bit(table, binarizer):
    groups = group(table, binarizer)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "groups.npz"
        groups.save(path)
        copy = Groups.load(path)
    assert copy.conditions == groups.conditions
    assert copy.origin == groups.origin
    assert copy.binarizer.get_params() == groups.binarizer.get_params()
    assert copy.binarizer.kinds_ == groups.binarizer.kinds_
    assert list(copy.binarizer.feature_names_in_) == list(groups.binarizer.feature_names_in_)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(copy, name), getattr(groups, name))
        assert getattr(copy, name).dtype == getattr(groups, name).dtype
    assert fit(copy).tree_ == fit(groups).tree_
    check_close(copy + groups, groups + groups, table)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    table = pa.table({"a": [1.0, 2.0, None, 4.0], "b": ["x", "y", "", None], "y": [0.0, 1.0, 5.0, 2.0]})
    path = tmp_path_factory.mktemp("groups") / "groups.npz"
    compress(table, target="y").save(path)
    return path


@examples(110)
@given(data=st.data())
def test_a_damaged_file_is_refused_or_harmless(saved, data):
    content = bytearray(saved.read_bytes())
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    else:
        for at in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)):
            content[at] ^= data.draw(st.integers(1, 255))
    path = saved.with_name("damaged.npz")
    path.write_bytes(content)
    try:
        groups = Groups.load(path)
    except FileFormatError as error:
        assert "compress the table again" in str(error)  # noqa: PT017 (not every damage matters)
        return
    assert all(np.isfinite(getattr(groups, name)).all() for name in ARRAYS)
    assert math.isfinite(groups.origin)
    fit(groups)


def test_a_file_that_cannot_be_read_is_closed(saved):
    path = saved.with_name("short.npz")
    path.write_bytes(saved.read_bytes()[:100])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(FileFormatError):
            Groups.load(path)
        gc.collect()
    assert not caught


ODD = [None, True, -1, 10**400, 1.5, math.nan, math.inf, "x", "", [], {}]


@examples(110)
@given(data=st.data())
def test_odd_values_in_the_description_are_refused_or_harmless(saved, data):
    with np.load(saved) as file:
        arrays = {name: file[name] for name in file.files}
    about = json.loads(str(arrays.pop("about")))
    at = about
    while isinstance(at, dict | list) and at:
        parent = at
        key = data.draw(st.sampled_from([*at] if isinstance(at, dict) else range(len(at))))
        at = at[key]
        if data.draw(st.integers(0, 4)) == 0:
            break
    parent[key] = data.draw(st.sampled_from(ODD))
    path = saved.with_name("odd.npz")
    np.savez_compressed(path, about=np.array(json.dumps(about)), **arrays)
    try:
        groups = Groups.load(path)
    except FileFormatError:
        return
    assert math.isfinite(groups.origin)
    fit(groups)


@examples(30)
@given(weighted_tables(rows=12), weighted_tables(rows=12))
def test_groups_of_different_conditions_do_not_add_up(a, b):
    one, two = group(a, Binarizer("quantile")), group(b, Binarizer("quantile"))
    if one.conditions == two.conditions:
        assert (one + two).n_rows == one.n_rows + two.n_rows
        return
    with pytest.raises(
        ValueError, match=r"compress every part with the same fitted binarizer.*binarizer=groups\.binarizer"
    ):
        _ = one + two


@examples(90)
@given(weighted_tables(), binarizers(), st.booleans())
def test_groups_give_the_tree_of_the_table(table, binarizer, weighted):
    X, y, weight = table.drop_columns(["y", "w"]), table["y"].to_numpy(), table["w"].to_numpy() if weighted else None
    model = OptimalTreeRegressor(0.003, max_depth=2, binarizer=binarizer).fit(X, y, weight)
    other = fit(group(table, binarizer, "w" if weighted else None))
    assert other.binarizer_.conditions_ == model.binarizer_.conditions_
    assert structure(other.tree_) == structure(model.tree_)
    np.testing.assert_allclose(other.tree_.values, model.tree_.values, rtol=1e-12, atol=spread_of(table)[1])
    np.testing.assert_array_equal(other.apply(X), model.apply(X))
    assert other.objective_ == pytest.approx(model.objective_, abs=1e-12)
