"""The checker by itself: without the solver, on files, and on what people give it."""

import ast
import contextlib
import gzip
import hashlib
import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import optitree
from optitree import OptimalTreeRegressor, compress, verify
from optitree.errors import LimitWarning

SOURCE = Path(optitree.__file__).parent
CHECKER = ("verify.py", "verify_prices.py", "verify_table.py")
ALLOWED = {
    "argparse", "collections", "csv", "dataclasses", "datetime", "fractions", "gzip", "hashlib", "json", "math",
    "numpy", "pathlib", "sys", "typing", "verify_prices", "verify_table", "zlib",
}  # fmt: skip


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "age": rng.integers(18, 80, 150).astype(float),
        "smoker": rng.random(150) < 0.3,
        "region": rng.choice(["north", "south", "east"], 150),
        "weight": rng.choice([1.0, 2.0, 0.5], 150),
    })  # fmt: skip
    frame.loc[::17, "age"] = np.nan
    frame["price"] = frame["age"].fillna(30) / 10 + 5 * frame["smoker"] * (frame["region"] == "north")
    frame["price"] += rng.normal(size=150).round(2)
    return frame


@pytest.fixture(scope="module")
def files(table, tmp_path_factory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("certificate")
    X, y, weight = table[["age", "smoker", "region"]], table["price"], table["weight"]
    model = OptimalTreeRegressor(0.02).fit(X, y, weight)
    model.certificate(X, y, weight).named("price", "weight").save(folder / "proof.json")
    table.to_csv(folder / "data.csv", index=False)
    return folder / "proof.json", folder / "data.csv"


def test_it_imports_python_and_numpy_and_nothing_else():
    for name in CHECKER:
        for node in ast.walk(ast.parse((SOURCE / name).read_text())):
            if isinstance(node, ast.Import):
                assert {alias.name.partition(".")[0] for alias in node.names} <= ALLOWED
            elif isinstance(node, ast.ImportFrom) and node.level:
                assert (node.module or node.names[0].name) in {"verify_prices", "verify_table"}
            elif isinstance(node, ast.ImportFrom):
                assert str(node.module).partition(".")[0] in ALLOWED


def test_it_runs_where_there_is_no_core(files, tmp_path):
    """Its three files alone in a folder, in a Python that finds no optitree."""
    for name in CHECKER:
        (tmp_path / name).write_text((SOURCE / name).read_text())
    forbid = "import sys; sys.modules['optitree'] = None; sys.modules['optitree._core'] = None; "
    run = f"{forbid}sys.path.insert(0, {str(tmp_path)!r}); import verify; sys.exit(verify.main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", run, *map(str, files)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "accepted: no such tree is better" in done.stdout
    script = [sys.executable, str(tmp_path / "verify.py"), *map(str, files)]
    assert subprocess.run(script, capture_output=True, check=False).returncode == 0


def test_a_certificate_is_accepted_with_a_table_in_memory_and_without_one(files, table):
    proof, data = files
    for given in ((), (data,), (table, "price", "weight"), (dict(table), table["price"], table["weight"])):
        report = verify(proof, *given)
        assert report.accepted, report
        assert report.optimal
    assert "no table was there" in str(verify(proof))


def test_another_table_is_rejected(files, table, tmp_path):
    proof, _ = files
    changed = table.copy()
    changed.loc[3, "price"] += 1e-9
    assert "another one" in str(verify(proof, changed))
    assert "another one" in str(verify(proof, table.iloc[1:]))
    assert "no column 'age'" in str(verify(proof, table.drop(columns="age")))
    changed.loc[3, "price"] = np.nan
    assert "without a target" in str(verify(proof, changed))


def test_a_damaged_file_is_rejected(files, tmp_path):
    proof, data = files
    packed = proof.read_bytes()
    for content in (b"", packed[:100], b"{}", b"[1]", gzip.compress(b"null"), b"\xff" * 50):
        (tmp_path / "proof.json").write_bytes(content)
        report = verify(tmp_path / "proof.json", data)
        assert not report.accepted
        assert str(report).startswith("rejected: ")


def _lie(content, name):
    prices = content["prices"][0]["prices"]
    groups = content["groups"]
    lies = {
        "a price that is no number": {"prices": [{"where": [], "prices": [float("nan"), *prices[1:]]}]},
        "a price that is no whole number": {"prices": [{"where": [], "prices": [float(p) for p in prices]}]},
        "a price too many": {"prices": [{"where": [], "prices": [*prices, 1 << 59]}]},
        "prices beyond all bounds": {"prices": [{"where": [], "prices": [1 << 61, *prices[1:]]}]},
        "prices of part of the groups, for all": {"prices": [{"where": [0], "prices": prices}]},
        "a bound that is no number": {"lower_bound": float("nan")},
        "a bound above the tree": {"lower_bound": content["objective"] + 1e-6},
        "a cost that is no number": {"objective": float("nan")},
        "a wide tolerance": {"tolerance": 1e-3, "optimal": True},
        "a tolerance that is no number": {"tolerance": float("nan")},
        "a price of a leaf of its own": {"leaf_price": 2 * content["leaf_price"]},
        "a negative price of a leaf": {"leaf_price": -0.02, "regularization": -0.02},
        "a depth that is no number": {"max_depth": float("nan")},
        "smaller leaves than allowed": {"min_samples_leaf": 100},
        "a group twice": {"groups": {name: [values[0], *values] for name, values in groups.items() if name != "units"}
                          | {"units": groups["units"]}},
        "a negative condition in the tree": {"tree": [-1, None, None]},
        "a branching on other groups' prices": {"branchings": [[[], None, 7]]},
        "another loss": {"loss": "absolute_error"},
        "a regularization in words": {"regularization": str(content["regularization"])},
        "a regularization that is true": {"regularization": True, "leaf_price": 1.0},
        "a limit on leaves that is no whole number": {"max_leaves": 1e9},
        "a limit on leaves that is true or false": {"max_leaves": True},
        "a bound that is true": {"lower_bound": False, "optimal": False},
        "a bound below all bounds": {"lower_bound": float("-inf"), "optimal": False},
        "a negative depth": {"max_depth": -1},
        "more rows than can be counted": {"groups": groups | {"rows": [1 << 60, *groups["rows"][1:]]}},
        "units beyond all memory": {"groups": groups | {"units": [10**30, 10**30]}, "source": "groups"},
        "no groups": {"groups": groups | {name: [] for name in groups if name != "units"}},
        "conditions that are none": {"conditions": [None] * len(content["conditions"])},
        "lists that are no lists": {"prices": {"where": []}, "branchings": "none"},
        "a list without groups": {"prices": [{"where": [0, 1], "prices": []}]},
        "a literal beyond the conditions": {"branchings": [[[10**6], None, 0]]},
        "the conditions of another table": {"conditions": content["conditions"][::-1]},
    }  # fmt: skip
    return content | lies[name]


LIES = (
    "a price that is no number", "a price that is no whole number", "a price too many", "prices beyond all bounds",
    "prices of part of the groups, for all", "a bound that is no number", "a bound above the tree",
    "a cost that is no number", "a wide tolerance", "a tolerance that is no number", "a price of a leaf of its own",
    "a negative price of a leaf", "a depth that is no number", "smaller leaves than allowed", "a group twice",
    "a negative condition in the tree", "a branching on other groups' prices", "another loss",
    "a regularization in words", "a regularization that is true", "a limit on leaves that is no whole number",
    "a limit on leaves that is true or false", "a bound that is true", "a bound below all bounds", "a negative depth",
    "more rows than can be counted", "units beyond all memory", "no groups", "conditions that are none",
    "lists that are no lists", "a list without groups", "a literal beyond the conditions",
    "the conditions of another table",
)  # fmt: skip


@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_rejected(files, name):
    content = json.loads(gzip.decompress(files[0].read_bytes()))
    assert verify(content).accepted
    report = verify(_lie(content, name))
    assert not report.accepted, report


@pytest.mark.parametrize("name", LIES)
def test_a_lie_with_a_digest_of_its_own_is_rejected(files, name):
    content = _lie(json.loads(gzip.decompress(files[0].read_bytes())), name)
    with contextlib.suppress(Exception):
        groups = content["groups"]
        lists = (groups[k] for k in ("answers", "rows", "weight", "sum", "square", "units"))
        text = json.dumps([content["conditions"], *lists], sort_keys=True)
        content["digest"] = hashlib.sha256(text.encode()).hexdigest()
    about = (files[1],) if name == "the conditions of another table" else ()
    assert not verify(content, *about).accepted


def test_numbers_too_small_for_floating_point_are_refused(files):
    """Weights times 4^k and sums times 2^k: the same table with targets so small that their variance is rounded."""
    content = json.loads(gzip.decompress(files[0].read_bytes()))
    groups = content["groups"]
    said = set()
    for k in range(300, 600, 7):
        small = groups | {"weight": [w << 2 * k for w in groups["weight"]], "sum": [s << k for s in groups["sum"]]}
        names = ("answers", "rows", "weight", "sum", "square", "units")
        text = json.dumps([content["conditions"], *(small[name] for name in names)], sort_keys=True)
        about = {"groups": small, "digest": hashlib.sha256(text.encode()).hexdigest()}
        lie = content | about | {"lower_bound": content["objective"] * 1.01, "optimal": False}
        assert not verify(lie).accepted
        report = verify(content | about)
        assert report.accepted or "too close" in str(report) or "damaged" in str(report)
        said.add(report.accepted)
    assert said == {True, False}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"optimal":true', '"optimal":true,"optimal":true'),
        ('"lower_bound":', '"lower_bound":0.0,"lower_bound":'),
        ('"min_samples_leaf":1', '"min_samples_leaf":1,"note":NaN'),
        ('"min_samples_leaf":1', '"min_samples_leaf":1,"note":-Infinity'),
    ],
)
def test_a_file_that_can_be_read_in_two_ways_is_rejected(files, tmp_path, before, after):
    text = gzip.decompress(files[0].read_bytes()).decode()
    assert before in text
    (tmp_path / "proof.json").write_text(text.replace(before, after, 1))
    report = verify(tmp_path / "proof.json", files[1])
    assert "is there twice" in str(report) or "is no number" in str(report)


def test_a_flipped_bit_is_rejected(files, tmp_path):
    packed = files[0].read_bytes()
    for k in range(0, len(packed), max(len(packed) // 60, 1)):
        (tmp_path / "proof.json").write_bytes(packed[:k] + bytes([packed[k] ^ 16]) + packed[k + 1 :])
        report = verify(tmp_path / "proof.json", files[1])
        assert not report.accepted or 3 < k < 10, k  # time, flags and system, which say nothing


def test_a_table_with_two_columns_of_one_name_is_rejected(files, tmp_path):
    lines = files[1].read_text().splitlines()
    (tmp_path / "data.csv").write_text("\n".join(f"{line},{line.split(',')[0]}" for line in lines))
    assert "two columns of one name" in str(verify(files[0], tmp_path / "data.csv"))


def test_the_report_says_what_was_asked_and_of_what(files):
    report = str(verify(*files))
    assert "target 'price', weight 'weight'" in report
    assert "conditions on age, region, smoker" in report


def test_another_tree_is_refuted_or_confirmed(files):
    proof, data = files
    content = json.loads(gzip.decompress(proof.read_bytes()))
    same = verify(proof, data, tree=content["tree"])
    assert same.optimal
    assert "is optimal" in str(same)
    worse = verify(proof, data, tree=[0, None, None])
    assert worse.accepted
    assert not worse.optimal
    assert worse.rival > worse.objective
    assert f"better by {worse.rival - worse.objective:.12g}" in str(worse)


def test_groups_of_an_engine_are_compared_with_room_for_rounding(table, tmp_path):
    X = table.drop(columns="weight")
    groups = compress(X, target="price")
    certificate = OptimalTreeRegressor(0.02, max_depth=2, min_samples_leaf=5).fit_groups(groups).certificate(groups)
    certificate.save(tmp_path / "proof.json")
    assert verify(tmp_path / "proof.json", table, "price").optimal
    changed = table.assign(price=table["price"] + (table["age"] < 30) * 1e-5)
    assert not verify(tmp_path / "proof.json", changed, "price").accepted


def test_a_limit_on_leaves_is_proven_at_another_price_of_a_leaf(table):
    X, y = table[["age", "smoker", "region"]], table["price"]
    for leaves in (2, 4):
        model = OptimalTreeRegressor(0.0, max_leaves=leaves, max_depth=3).fit(X, y)
        content = _certificate(model, X, y)
        report = verify(content, X, y)
        assert report.accepted, report
        assert report.lower_bound <= model.objective_ + 1e-12
        assert report.lower_bound >= model.objective_ - 0.05


def test_a_smaller_depth_than_that_of_the_tree(table):
    X, y = table[["age", "smoker", "region"]], table["price"]
    model = OptimalTreeRegressor(0.005).fit(X, y)
    certificate = model.certificate(X, y, max_depth=2)
    report = verify(certificate.content, X, y)
    assert report.accepted
    assert report.optimal
    assert "deeper than the trees" in str(report)


def test_a_stopped_search_leaves_a_bound_and_a_proof_for_a_depth():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(300, 8)))
    y = X[0] * X[1] + X[2] + rng.normal(size=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        model = OptimalTreeRegressor(0.01, time_limit=0.5).fit(X, y)
        assert model.status_ == "time_limit"
        bound = model.certificate(X, y, time_limit=20)
        shallow = model.certificate(X, y, max_depth=min(model.proven_depth_, 2))
    report = verify(bound.content, X.to_numpy(), y)
    assert report.accepted
    assert not report.optimal
    assert 0 < report.lower_bound <= model.objective_
    report = verify(shallow.content, X.to_numpy(), y)
    assert report.optimal
    assert "max_depth" in str(report)
    lie = shallow.content | {"max_depth": None}
    assert not verify(lie, X.to_numpy(), y).accepted


def test_what_cannot_be_certified_is_refused_in_one_sentence(table):
    X, y = table[["age", "smoker"]], table["price"]
    with pytest.raises(ValueError, match="squared_error"):
        OptimalTreeRegressor(loss="absolute_error").fit(X, y).certificate(X, y)
    with pytest.raises(ValueError, match="constant"):
        OptimalTreeRegressor().fit(X, np.ones(len(X))).certificate(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="not the table"):
        OptimalTreeRegressor(0.02).fit(X, y).certificate(X, y[::-1].to_numpy())
    groups = compress(table, target="price")
    with pytest.raises(ValueError, match="leave out y"):
        OptimalTreeRegressor().fit_groups(groups).certificate(groups, y)


def test_a_stopped_search_leaves_a_bound_that_can_be_checked():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 12)), rng.normal(size=400)
    with pytest.warns(LimitWarning):
        model = OptimalTreeRegressor(0.01, time_limit=1.5).fit(X, y)
    with pytest.warns(LimitWarning, match="proves a lower bound"):
        certificate = model.certificate(X, y, time_limit=10)
    assert not certificate.optimal
    report = verify(certificate.content, X, y)
    assert report.accepted
    assert report.lower_bound <= model.objective_


def _certificate(model, X, y):

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        return model.certificate(X, y).content
