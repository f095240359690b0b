"""Points: the target values of the groups, kept for losses that need them."""

import importlib
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from optitree import Binarizer, FileFormatError, Groups, OptimalTreeRegressor, compress
from optitree.groups.target_points import Points

LOSSES = [("absolute_error", 0.5), ("quantile", 0.2)]


def table(rows=90, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.integers(0, 4, rows), "b": rng.choice([*"uv"], rows)})
    y = np.round(frame["a"] + 3.0 * (frame["b"] == "v") + rng.normal(size=rows), 1)
    return frame.assign(y=y, w=rng.integers(1, 4, rows).astype(float))


def as_lists(points):
    return [array.tolist() for array in points]


@pytest.fixture
def groups():
    return compress(table(), target="y", weight="w", values=True)


def test_rows_with_the_same_group_and_value_are_one_point():
    points = Points.of(
        np.array([1, 0, 1, 1], np.uint32), np.array([2.0, 5.0, 2.0, -1.0]), np.array([1.0, 2.0, 4.0, 8.0])
    )
    assert as_lists(points) == [[0, 1, 1], [5.0, -1.0, 2.0], [2.0, 8.0, 5.0]]


def test_both_zeros_are_one_value():
    points = Points.of(np.zeros(2, np.uint32), np.array([0.0, -0.0]))
    assert as_lists(points) == [[0], [0.0], [2.0]]
    assert not np.signbit(points.value[0])


def test_points_do_not_depend_on_the_order_of_the_rows():
    rng = np.random.default_rng(0)
    group, value, weight = rng.integers(0, 5, 500).astype(np.uint32), rng.integers(0, 9, 500) / 7, rng.random(500)
    order = rng.permutation(500)
    expected = as_lists(Points.of(group, value, weight))
    assert as_lists(Points.of(group[order], value[order], weight[order])) == expected


def test_groups_keep_values_only_when_asked(groups):
    assert compress(table(), target="y").points is None
    assert groups.points.weight.sum() == pytest.approx(groups.total_weight)
    for g in range(len(groups)):
        of_group = groups.points.group == g
        assert groups.points.weight[of_group].sum() == pytest.approx(groups.weight[g])
        mean = np.average(groups.points.value[of_group], weights=groups.points.weight[of_group])
        assert mean == pytest.approx(groups.mean[g] + groups.origin)


def test_values_of_parts_add_up(groups):
    parts = [
        compress(part, target="y", weight="w", binarizer=groups.binarizer, values=True)
        for part in (table()[:40], table()[40:])
    ]
    assert as_lists((parts[0] + parts[1]).points) == as_lists(groups.points)
    assert as_lists((parts[1] + parts[0]).points) == as_lists(groups.points)


def test_groups_with_and_without_values_do_not_add_up(groups):
    without = compress(table(), target="y", weight="w", binarizer=groups.binarizer)
    with pytest.raises(ValueError, match="compress both with values=True"):
        groups + without
    with pytest.raises(ValueError, match="compress both with values=True"):
        without + groups


def test_values_survive_a_file(groups, tmp_path):
    groups.save(tmp_path / "groups.npz")
    assert as_lists(Groups.load(tmp_path / "groups.npz").points) == as_lists(groups.points)


@pytest.mark.parametrize(
    "damage",
    [
        {"point_weight": None},
        {"point_group": None},
        {"point_group": np.zeros(3, np.uint32)},
        {"point_value": np.full(3, np.inf)},
        {"point_weight": np.zeros(3)},
    ],
)
def test_damaged_points_are_refused(groups, tmp_path, damage):
    groups.save(tmp_path / "groups.npz")
    with np.load(tmp_path / "groups.npz") as file:
        content = {name: file[name] for name in file.files}
    content |= damage
    np.savez(tmp_path / "groups.npz", **{name: array for name, array in content.items() if array is not None})
    with pytest.raises(FileFormatError, match="compress the table again"):
        Groups.load(tmp_path / "groups.npz")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("value", lambda value: value * 1e120),
        ("value", lambda value: value[::-1].copy()),
        ("weight", lambda weight: weight * 2),
        ("weight", lambda weight: weight * 5e-324),
    ],
)
def test_points_that_are_not_those_of_the_groups_are_refused(groups, tmp_path, name, change):
    points = groups.points._replace(**{name: change(getattr(groups.points, name))})
    replace(groups, points=points).save(tmp_path / "groups.npz")
    with pytest.raises(FileFormatError, match="compress the table again"):
        Groups.load(tmp_path / "groups.npz")


@pytest.mark.parametrize(("loss", "quantile"), LOSSES)
def test_groups_without_values_are_refused_with_the_remedy(loss, quantile):
    model = OptimalTreeRegressor(loss=loss, quantile=quantile)
    with pytest.raises(ValueError, match=r"needs the values of the target.*compress\(\.\.\., values=True\)"):
        model.fit_groups(compress(table(), target="y"))


@pytest.mark.parametrize(("loss", "quantile"), LOSSES)
@pytest.mark.parametrize("binarizer", [Binarizer(), Binarizer("quantile", 2)])
@pytest.mark.parametrize("lazy", [False, True])
def test_groups_give_the_tree_of_fit(loss, quantile, binarizer, lazy):
    frame = table()
    model = OptimalTreeRegressor(0.03, loss=loss, quantile=quantile, binarizer=binarizer)
    tree = model.fit(frame[["a", "b"]], frame["y"], frame["w"]).tree_
    given = pl.from_pandas(frame).lazy() if lazy else frame
    groups = compress(given, target="y", weight="w", binarizer=binarizer, values=True)
    again = model.fit_groups(groups).tree_
    assert [n[:5] for n in again.nodes] == [n[:5] for n in tree.nodes]
    assert again.nodes[0].loss == pytest.approx(tree.nodes[0].loss, rel=1e-12)
    assert len(tree) > 1


def test_the_values_of_a_lazy_frame_are_those_of_one_in_memory(groups):
    lazy = compress(pl.from_pandas(table()).lazy(), target="y", weight="w", values=True)
    assert as_lists(lazy.points)[:2] == as_lists(groups.points)[:2]
    np.testing.assert_allclose(lazy.points.weight, groups.points.weight, rtol=1e-12)
    np.testing.assert_allclose(lazy.scatter, groups.scatter, rtol=1e-9)


def test_too_many_values_in_an_engine_are_noticed_before_the_work(monkeypatch):
    monkeypatch.setattr(importlib.import_module("optitree.groups.compress_lazy"), "_SAMPLE", 50)
    lazy = pl.from_pandas(table()).lazy()
    binarizer = Binarizer("quantile", 2)
    assert len(compress(lazy, target="y", binarizer=binarizer, max_groups=20)) <= 20
    with pytest.raises(ValueError, match="more than max_groups=20"):
        compress(lazy, target="y", binarizer=binarizer, max_groups=20, values=True)
