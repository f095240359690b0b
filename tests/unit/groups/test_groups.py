"""Groups add up, and survive a file."""

import json
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest

from optitree import Binarizer, FileFormatError, Groups, OptimalTreeRegressor, compress

ARRAYS = ("codes", "weight", "mean", "scatter", "rows")


def table(rows=60, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.integers(0, 4, rows), "b": rng.choice([*"uv"], rows), "constant": 1})
    return frame.assign(y=frame["a"] + 3.0 * (frame["b"] == "v") + rng.normal(size=rows))


@pytest.fixture
def groups():
    return compress(table(), target="y")


@pytest.fixture
def saved(groups, tmp_path):
    groups.save(tmp_path / "groups.npz")
    return tmp_path / "groups.npz"


def rewrite(path, **changed):
    """Replace arrays of a file; None leaves one out."""
    with np.load(path) as file:
        content = {name: file[name] for name in file.files} | changed
    np.savez(path, **{name: array for name, array in content.items() if array is not None})


def describe(path, change):
    """Change the description in a file."""
    with np.load(path) as file:
        about = json.loads(str(file["about"]))
    change(about)
    rewrite(path, about=np.array(json.dumps(about)))


def test_groups_say_how_many_they_are(groups):
    assert repr(groups) == "<Groups: 8 groups of 60 rows, 4 conditions>"
    assert len(groups) == 8
    assert groups.n_rows == groups.total_weight == groups.rows.sum() == 60
    assert [str(condition) for condition in groups.conditions][:3] == ["a <= 0.5", "a <= 1.5", "a <= 2.5"]


def test_groups_cannot_be_changed(groups):
    with pytest.raises(FrozenInstanceError):
        groups.origin = 0.0


def test_bits_are_the_answers_to_the_conditions(groups):
    answers = groups.binarizer.transform(table().drop(columns="y"))
    wanted = {sum(1 << k for k in np.flatnonzero(row)) for row in answers}
    assert groups.bits.shape == (8, 1)
    assert set(groups.bits[:, 0].tolist()) == wanted


def test_more_than_64_conditions_take_more_words():
    frame = pd.DataFrame({"a": np.arange(100), "y": np.arange(100.0)})
    groups = compress(frame, target="y", binarizer=Binarizer("all"))
    assert groups.bits.shape == (100, 2)
    # a <= 0.5, a <= 1.5, ...: of 99 conditions the first k fail for a = k.
    holds = [int(low) | int(high) << 64 for low, high in groups.bits]
    assert holds == [(1 << 99) - (1 << k) for k in range(100)]


def test_a_column_without_conditions_has_no_codes(groups):
    assert groups.coding.used == (0, 1)
    assert groups.codes.shape == (len(groups), 2)


def test_two_parts_add_up_to_the_whole(groups):
    parts = [compress(part, target="y", binarizer=groups.binarizer) for part in (table()[:20], table()[20:])]
    total = parts[0] + parts[1]
    np.testing.assert_array_equal(total.codes, groups.codes)
    np.testing.assert_array_equal(total.rows, groups.rows)
    np.testing.assert_allclose(total.mean + total.origin, groups.mean + groups.origin, rtol=1e-14)
    np.testing.assert_allclose(total.scatter, groups.scatter, rtol=1e-13)


def test_adding_counts_rows_twice_that_are_in_both(groups):
    twice = groups + groups
    np.testing.assert_array_equal(twice.rows, 2 * groups.rows)
    np.testing.assert_allclose(twice.mean, groups.mean, rtol=1e-15)
    np.testing.assert_allclose(twice.scatter, 2 * groups.scatter, rtol=1e-14)


def test_parts_far_apart_keep_their_precision():
    near, far = (pd.DataFrame({"a": [0.0, 1.0], "y": [y, y + 1]}) for y in (0.0, 2.0**50))
    first = compress(near, target="y")
    total = first + compress(far, target="y", binarizer=first.binarizer)
    assert (total.mean + total.origin).tolist() == [2.0**49, 2.0**49 + 1]
    np.testing.assert_allclose(total.scatter, 2.0**99, rtol=1e-15)


def test_groups_of_other_conditions_do_not_add_up(groups):
    other = compress(table(seed=1).assign(a=lambda frame: frame["a"] + 10), target="y")
    message = r"same fitted binarizer.*compress\(part, target=\.\.\., binarizer=groups\.binarizer\)"
    with pytest.raises(ValueError, match=message):
        _ = groups + other


@pytest.mark.parametrize("other", [0, None, "groups", np.zeros(8)])
def test_groups_add_up_with_groups_only(groups, other):
    with pytest.raises(TypeError):
        _ = groups + other


def test_weights_of_parts_that_are_too_far_apart_do_not_add_up():
    parts = [table().assign(w=weight) for weight in (1.0, 1e-10)]
    first = compress(parts[0], target="y", weight="w")
    second = compress(parts[1], target="y", weight="w", binarizer=first.binarizer)
    with pytest.raises(ValueError, match=r"weights .* below 1e-09 of the largest"):
        _ = first + second
    close = compress(table().assign(w=1e-8), target="y", weight="w", binarizer=first.binarizer)
    assert (first + close).n_rows == 120


def test_loaded_groups_are_the_saved_ones(groups, saved):
    for copy in (Groups.load(saved), Groups.load(str(saved))):
        assert copy.conditions == groups.conditions
        assert copy.origin == groups.origin
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(copy, name), getattr(groups, name))
        assert OptimalTreeRegressor(max_depth=2).fit_groups(copy).tree_ == (
            OptimalTreeRegressor(max_depth=2).fit_groups(groups).tree_
        )


def test_a_file_has_the_name_it_was_given(groups, tmp_path):
    groups.save(tmp_path / "groups")
    assert [path.name for path in tmp_path.iterdir()] == ["groups"]
    assert len(Groups.load(tmp_path / "groups")) == 8


def test_a_good_file_survives_groups_that_cannot_be_saved(groups, saved):
    before = saved.read_bytes()
    with pytest.raises(TypeError):
        replace(groups, origin=object()).save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_numbers_of_any_kind_are_saved(groups, saved):
    given = groups.conditions[0]
    odd = replace(given, threshold=np.float32(0.5), has_missing=np.bool_(True), column=np.int64(0), date=np.False_)
    conditions = replace(groups.condition_set, conditions=(odd, *groups.conditions[1:]))
    replace(groups, condition_set=conditions, origin=np.longdouble(groups.origin)).save(saved)
    assert Groups.load(saved).conditions[0] == replace(given, has_missing=True)


def test_a_later_part_adds_to_loaded_groups(groups, saved):
    loaded = Groups.load(saved)
    later = compress(table(seed=1), target="y", binarizer=loaded.binarizer)
    assert (loaded + later).n_rows == (groups + later).n_rows == 120


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"absent\.npz"):
        Groups.load(tmp_path / "absent.npz")


@pytest.mark.parametrize(
    "content", [b"", b"PK\x05\x06" + bytes(18), b"a,b\n1,2\n", b"\x80\x04pickle", b"\x93NUMPY\x01\x00"]
)
def test_another_file_is_refused(tmp_path, content):
    (tmp_path / "groups.npz").write_bytes(content)
    with pytest.raises(FileFormatError, match=r"groups\.npz is no file of groups.*compress the table again"):
        Groups.load(tmp_path / "groups.npz")


@pytest.mark.parametrize("length", [10, 100, -100, -1])
def test_a_file_that_breaks_off_is_refused(saved, length):
    saved.write_bytes(saved.read_bytes()[:length])
    with pytest.raises(FileFormatError, match="compress the table again"):
        Groups.load(saved)


def test_a_single_array_is_refused(tmp_path):
    np.save(tmp_path / "groups.npy", np.zeros(3))
    with pytest.raises(FileFormatError, match="no file of groups"):
        Groups.load(tmp_path / "groups.npy")


def test_nothing_in_a_file_is_executed(tmp_path):
    class Loud:
        def __reduce__(self):
            return (pytest.fail, ("executed",))

    np.savez(tmp_path / "groups.npz", about=np.array([Loud()], dtype=object))
    with pytest.raises(FileFormatError, match="no file of groups"):
        Groups.load(tmp_path / "groups.npz")


@pytest.mark.parametrize("change", [{"version": 1}, {"version": None}, {"format": "optitree-model"}])
def test_another_version_is_named(saved, change):
    describe(saved, lambda about: about.update(change))
    with pytest.raises(FileFormatError, match="this optitree reads optitree-groups of versions up to 3"):
        Groups.load(saved)


DAMAGES = {
    "no codes": {"codes": None},
    "no weight": {"weight": None},
    "one array more": {"extra": np.zeros(8)},
    "too few groups": {"weight": np.ones(7)},
    "no groups": {name: np.zeros((0, 2) if name == "codes" else 0) for name in ARRAYS},
    "codes of too many columns": {"codes": np.zeros((8, 3), np.uint32)},
    "codes too large": {"codes": np.full((8, 2), 99, np.uint32)},
    "a weight of zero": {"weight": np.zeros(8)},
    "a negative weight": {"weight": np.full(8, -1.0)},
    "a weight that is no number": {"weight": np.full(8, np.nan)},
    "an infinite mean": {"mean": np.full(8, np.inf)},
    "text": {"mean": np.full(8, "x")},
    "whole numbers": {"mean": np.zeros(8, int)},
    "a negative scatter": {"scatter": np.full(8, -1.0)},
    "no rows": {"rows": np.zeros(8)},
}


HOSTILE = {
    "huge means": {"mean": np.linspace(-1e200, 1e200, 8)},
    "means beyond targets": {"mean": np.linspace(-1.1e100, 1.1e100, 8)},
    "means that hardly differ": {"mean": np.linspace(0, 1e-170, 8), "scatter": np.zeros(8)},
    "a scatter that is hardly there": {"mean": np.zeros(8), "scatter": np.full(8, 5e-324)},
    "denormal weights": {"weight": np.full(8, 5e-324)},
    "light weights": {"weight": np.full(8, 1e-60)},
    "huge weights": {"weight": np.full(8, 1e100)},
    "weights far apart": {"weight": np.array([1e-9, *np.full(7, 100.0)])},
    "a huge scatter": {"scatter": np.full(8, 1e300)},
    "a scatter beyond targets": {"scatter": np.full(8, 1e203)},
    "answers": {"packed": np.zeros((8, 1), np.uint64)},
    "half a row": {"rows": np.full(8, 1.5)},
    "rows that cannot be counted": {"rows": np.full(8, 2.0**52)},
    "groups twice": {"codes": np.zeros((8, 2), np.uint32)},
    "points": {"points": np.zeros(8)},
    "a coding": {"coding": np.zeros(8)},
    "points without weights": {"point_group": np.arange(8, dtype=np.uint32)},
}


@pytest.mark.parametrize("damage", HOSTILE.values(), ids=HOSTILE)
def test_numbers_that_no_table_has_are_refused(saved, damage):
    rewrite(saved, **damage)
    with pytest.raises(FileFormatError, match="compress the table again"):
        Groups.load(saved)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_arrays_that_do_not_fit_are_refused(saved, damage):
    rewrite(saved, **damage)
    with pytest.raises(FileFormatError, match="compress the table again"):
        Groups.load(saved)


@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.bool_])
def test_codes_of_another_type_are_refused(saved, dtype):
    rewrite(saved, codes=np.zeros((8, 2), dtype))
    with pytest.raises(FileFormatError, match="compress the table again"):
        Groups.load(saved)


EDITS = {
    "no binarizer": lambda about: about.pop("binarizer"),
    "no origin": lambda about: about.pop("origin"),
    "an origin that is text": lambda about: about.update(origin="x"),
    "an unknown condition": lambda about: about["binarizer"]["conditions"][0].update(kind="prime"),
    "columns that are no list": lambda about: about["binarizer"].update(columns={"a": 0, "b": 0, "constant": 0}),
    "a condition on an unknown column": lambda about: about["binarizer"]["conditions"][0].update(column=7),
    "a condition less": lambda about: about["binarizer"]["conditions"].pop(),
    "an unknown parameter": lambda about: about["binarizer"]["parameters"].update(colour="red"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_description_is_refused(saved, edit):
    describe(saved, edit)
    with pytest.raises(FileFormatError, match="compress the table again"):
        Groups.load(saved)


@pytest.mark.parametrize("origin", [float("nan"), float("inf"), 10**400, 1e101])
def test_an_origin_that_is_not_finite_is_refused(saved, origin):
    describe(saved, lambda about: about.update(origin=origin))
    with pytest.raises(FileFormatError, match="compress the table again"):
        Groups.load(saved)
