"""Saved models come back as they were; anything else gives a clear error."""

import json
from copy import copy
from dataclasses import replace
from fractions import Fraction
from functools import reduce

import numpy as np
import pandas as pd
import pytest

from optitree import Binarizer, FileFormatError, OptimalTreeRegressor, export_text, load

ODD = [None, True, -1, 10**400, 1.5, float("nan"), float("inf"), "x", "", [], {}, [[]], {"a": 1}]


def mixed_table(sample):
    """Return a table with a column of every kind, each with a missing value."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(sample.X, columns=["größe", "b c", '"'])
    frame["flag"] = (frame["b c"] > 0).astype("boolean")
    frame["region"] = rng.choice(["north", " south", "", "east", "west"], 60)
    frame["visit"] = pd.Timestamp("2020-03-01") + pd.to_timedelta(rng.integers(0, 300, 60), "h")
    frame.loc[3] = None
    return frame


@pytest.fixture
def saved(fitted, tmp_path):
    path = tmp_path / "tree.json"
    fitted.save(path)
    return path


def rewrite(path, change):
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"max_depth": 0},
        {"regularization": np.float32(0.1), "max_depth": np.int64(2)},
        {"binarizer": Binarizer("all", 5), "time_limit": None, "memory_limit": 1e4, "max_depth": 2},
        {"binarizer": Binarizer(encoding="interval", max_categories=3, drop="first")},
        {"binarizer": Binarizer("reference", max_thresholds=np.int64(3))},
    ],
)
def test_a_loaded_model_is_the_saved_model(sample, tmp_path, parameters):
    frame = mixed_table(sample)
    model = OptimalTreeRegressor(**{"max_depth": 3, **parameters}).fit(frame, sample.y)
    model.save(tmp_path / "tree.json")
    copy = load(tmp_path / "tree.json")
    np.testing.assert_array_equal(copy.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(copy.apply(frame), model.apply(frame))
    np.testing.assert_array_equal(copy.feature_importances_, model.feature_importances_)
    assert copy.solution_ == model.solution_
    assert copy.binarizer_.conditions_ == model.binarizer_.conditions_
    assert list(copy.feature_names_in_) == list(model.feature_names_in_)
    assert copy.n_features_in_ == 6
    assert copy.get_params(deep=False).keys() == model.get_params(deep=False).keys()
    for name in ("regularization", "max_depth", "time_limit", "memory_limit"):
        assert getattr(copy, name) == getattr(model, name)
    assert (copy.binarizer is None) == (model.binarizer is None)
    assert copy.binarizer_.get_params() == model.binarizer_.get_params()
    assert copy.binarizer_.kinds_ == model.binarizer_.kinds_
    assert export_text(copy) == export_text(model)
    np.testing.assert_array_equal(copy.binarizer_.transform(frame), model.binarizer_.transform(frame))


@pytest.mark.parametrize(
    "parameters",
    [
        {"regularization": Fraction(1, 10), "time_limit": Fraction(5), "memory_limit": np.longdouble(1e4)},
        {"regularization": np.longdouble("0.1"), "max_depth": np.uint8(3), "verbose": np.True_},
        {"regularization": np.float16(0.1), "min_samples_leaf": np.int8(2), "n_jobs": np.int64(1)},
        {"loss": "quantile", "quantile": Fraction(9, 10), "max_leaves": np.int64(3)},
    ],
)
def test_numbers_of_any_kind_that_fit_takes_are_saved(sample, tmp_path, parameters):
    model = OptimalTreeRegressor(**{"max_depth": 2, **parameters}).fit(sample.X, sample.y)
    model.save(tmp_path / "tree.json")
    loaded = load(tmp_path / "tree.json")
    for name, value in parameters.items():
        assert getattr(loaded, name) == (value if isinstance(value, str) else pytest.approx(float(value)))
    np.testing.assert_array_equal(loaded.predict(sample.X), model.predict(sample.X))


def test_a_good_file_survives_a_model_that_cannot_be_saved(fitted, saved):
    before = saved.read_bytes()
    broken = copy(fitted)
    broken.solution_ = replace(fitted.solution_, objective=float("nan"))
    with pytest.raises(ValueError, match="JSON"):
        broken.save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_model_fitted_without_names_loads_without_names(sample, fitted, saved):
    copy = load(str(saved))
    assert not hasattr(copy, "feature_names_in_")
    np.testing.assert_array_equal(copy.predict(sample.X), fitted.predict(sample.X))


def test_saving_a_loaded_model_writes_the_same_file(saved, tmp_path):
    load(saved).save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == saved.read_text()


def test_a_loaded_model_can_be_fitted_again(sample, fitted, saved):
    assert load(saved).fit(*sample).tree_ == fitted.tree_


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"absent\.json"):
        load(tmp_path / "absent.json")


@pytest.mark.parametrize(
    "content",
    [b"", b"\x80\x04pickle", b"a,b\n1,2\n", b'{"format": "optitree-model"', b"\xff\xfe", b"[" * 10**5],
)
def test_a_file_that_is_not_json_is_refused(tmp_path, content):
    path = tmp_path / "tree.json"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"tree\.json is not a JSON file.*model\.save"):
        load(path)


@pytest.mark.parametrize("content", [[], 3, {}, {"format": "other"}, {"version": 1}])
def test_a_file_of_another_kind_is_refused(tmp_path, content):
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(content))
    with pytest.raises(FileFormatError, match=r"is not an optitree model.*model\.save"):
        load(path)


@pytest.mark.parametrize("version", [0, 1, 4, "3", None, True])
def test_another_version_is_named(saved, version):
    rewrite(saved, lambda content: content.update(version=version))
    with pytest.raises(FileFormatError, match=f"version {version!r}.*version 3"):
        load(saved)


def test_every_part_of_the_file_is_needed(saved):
    text = saved.read_text()
    for key in json.loads(text).keys() - {"targets", "trace"}:  # which are for pictures only
        saved.write_text(text)
        rewrite(saved, lambda content, key=key: content.pop(key))
        with pytest.raises(FileFormatError, match=f"{key}|not an optitree model"):
            load(saved)


def deep(levels):
    """Return lists inside each other."""
    return reduce(lambda inside, _: [inside], range(levels), [])


def test_a_tree_deeper_than_its_conditions_allow_is_refused(saved):
    def change(content):
        split, leaf = content["tree"][0], content["tree"][-1] | {"yes": 0, "no": 0}
        last = 2 * 5_000
        splits = [split | {"yes": at + 1, "no": last - at} for at in range(5_000)]
        content["tree"] = splits + [leaf] * 5_001

    rewrite(saved, change)
    with pytest.raises(FileFormatError, match=r"damaged .*deep"):
        load(saved)


def test_a_version_in_many_brackets_is_refused(saved):
    rewrite(saved, lambda content: content.update(version=deep(400)))
    with pytest.raises(FileFormatError, match="version"):
        load(saved)


def condition(content):
    """Return the first condition of a file."""
    return content["binarizer"]["conditions"][0]


EDITS = {
    "a split without its branch": lambda c: c["tree"].pop(),
    "an extra node": lambda c: c["tree"].append(c["tree"][-1]),
    "no nodes": lambda c: c["tree"].clear(),
    "a loop": lambda c: c["tree"][0].update(no=0),
    "branches swapped": lambda c: c["tree"][0].update(yes=c["tree"][0]["no"], no=1),
    "an unknown condition": lambda c: c["tree"][0].update(condition=10**6),
    "a negative condition": lambda c: c["tree"][0].update(condition=-1),
    "a condition on an unknown column": lambda c: condition(c).update(column=3),
    "a condition on a negative column": lambda c: condition(c).update(column=-1),
    "a condition of an unknown kind": lambda c: condition(c).update(kind="prime"),
    "a condition of the kind of another column": lambda c: c["binarizer"]["kinds"].__setitem__(0, "category"),
    "a condition with an unknown field": lambda c: condition(c).update(colour="red"),
    "a condition without its threshold": lambda c: condition(c).pop("threshold"),
    "an infinite threshold": lambda c: condition(c).update(threshold=float("inf")),
    "an interval without ends": lambda c: condition(c).update(
        kind="between", low=None, high=condition(c).pop("threshold") and None
    ),
    "an unknown kind of column": lambda c: c["binarizer"]["kinds"].__setitem__(2, "colour"),
    "a prediction that is no number": lambda c: c["tree"][-1].update(value=float("nan")),
    "negative rows": lambda c: c["tree"][-1].update(rows=-1),
    "an unknown status": lambda c: c["solution"].update(status="best"),
    "a bound above the objective": lambda c: c["solution"].update(lower_bound=9.0),
    "a bad parameter": lambda c: c["parameters"].update(regularization=-1),
    "an unknown parameter": lambda c: c["parameters"].update(colour="red"),
    "a bad binarizer": lambda c: c["binarizer"]["parameters"].update(thresholds="nope"),
    "too few names": lambda c: c["binarizer"].update(columns=["a"]),
    "names that are not text": lambda c: c["binarizer"].update(columns=[1, 2, 3]),
    "names in an object": lambda c: c["binarizer"].update(columns={"a": 0, "b": 1, "c": 2}),
    "names in a text": lambda c: c["binarizer"].update(columns="abc"),
    "a name twice": lambda c: c["binarizer"].update(columns=["a", "a", "b"]),
    "kinds in an object": lambda c: c["binarizer"].update(kinds={"number": 0, "date": 1, "boolean": 2}),
    "nodes in an object": lambda c: c.update(tree={}),
    "a number that is text": lambda c: c["tree"][0].update(yes="1"),
    "parameters in a list": lambda c: c.update(parameters=[]),
    "a mark that is text": lambda c: c.update(default_binarizer="no"),
    "a deep parameter": lambda c: c["parameters"].update(regularization=deep(400)),
    "no columns": lambda c: c["binarizer"].update(kinds=[], conditions=[]),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_file_is_damaged(saved, edit):
    rewrite(saved, edit)
    with pytest.raises(FileFormatError, match=r"tree\.json is damaged .*save the model again"):
        load(saved)


def places(content, path=()):
    """Yield the path to every value of a nested document."""
    if path:
        yield path
    pairs = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in pairs:
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))
        else:
            yield (*path, key)


@pytest.mark.parametrize("encoding", ["threshold", "interval"])
def test_any_odd_value_anywhere_is_refused_or_harmless(sample, saved, encoding):
    table = mixed_table(sample)
    binarizer = Binarizer(max_thresholds=2, max_categories=3, encoding=encoding, thresholds="quantile")
    OptimalTreeRegressor(max_depth=2, binarizer=binarizer).fit(table, sample.y).save(saved)
    content = json.loads(saved.read_text())
    for *path, last in list(places(content)):
        at = reduce(lambda part, key: part[key], path, content)
        right = at[last]
        for odd in ODD:
            at[last] = odd
            saved.unlink()  # to write over a file takes the disk five times as long
            saved.write_text(json.dumps(content))
            try:
                model = load(saved)
            except FileFormatError:
                continue
            names = getattr(model, "feature_names_in_", range(6))
            assert np.isfinite(model.predict(table.set_axis(names, axis=1))).all()
            export_text(model)
        at[last] = right


def test_the_depth_proven_is_saved_where_there_is_no_proof_for_all(sample, tmp_path):
    model = OptimalTreeRegressor(max_depth=3).fit(sample.X, sample.y)
    model.solution_ = replace(model.solution_, status="time_limit", proven_depth=2, lower_bound=0.0)
    model.save(tmp_path / "tree.json")
    assert load(tmp_path / "tree.json").proven_depth_ == 2
    text = (tmp_path / "tree.json").read_text()
    for damaged in ('"proven_depth": -1', '"proven_depth": "2"', '"proven_depth": true'):
        (tmp_path / "damaged.json").write_text(text.replace('"proven_depth": 2', damaged))
        with pytest.raises(FileFormatError, match="proven_depth"):
            load(tmp_path / "damaged.json")
