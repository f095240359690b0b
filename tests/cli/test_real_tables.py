"""Every command on tables as people have them: three raw ones and three real ones, with a second or two for each."""

import csv
import gzip
import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from optitree.cli import app

pytest.importorskip("duckdb", reason="DuckDB is not installed")

SHARED = Path(os.environ.get("OPTITREE_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "datasets"
# Numbers and text; missing values; text with many levels. The target is the last column.
TABLES = [
    "raw/insurance.csv", "raw/airquality-with-missing.csv", "raw/servo.csv",
    "real/autos-imports85.csv.gz", "real/house-prices.csv.gz", "real/taxis.csv.gz",
]  # fmt: skip
QUICK = ["--max-depth", "2", "--time-limit", "2"]

if not SHARED.is_dir():  # other people's tables are not part of the project
    pytest.skip(f"there are no tables at {SHARED}", allow_module_level=True)


@pytest.fixture(scope="module", params=TABLES)
def fitted(request, tmp_path_factory):
    """A table, its target, and a folder with a model and a certificate."""
    table = SHARED / request.param
    with gzip.open(table, "rt") if table.suffix == ".gz" else table.open() as file:
        names = next(csv.reader(file))
    folder = tmp_path_factory.mktemp("model")
    options = ["--save", folder / "t.json", "--save-groups", folder / "g.npz", "--certificate", folder / "p.json"]
    run("fit", table, *about(names[-1]), *QUICK, *options, "--report", folder / "t.html")
    return table, names[-1], folder


def about(target):
    """The target, and no row without it."""
    return "--target", target, "--where", f'"{target}" is not null'


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.stdout


def test_fit_tells_machines_the_same(fitted):
    table, target, folder = fitted
    told = json.loads(run("fit", table, *about(target), *QUICK, "--json"))
    shown = json.loads(run("show", folder / "t.json", "--json"))
    assert told["tree"] == shown["tree"]
    assert told["status"] in ("optimal", "time_limit")
    assert json.loads(run("fit", folder / "g.npz", *QUICK, "--json"))["tree"] == told["tree"]


def test_path(fitted):
    table, target, _ = fitted
    assert "optimal at regularization" in run("path", table, *about(target), *QUICK)


def test_near(fitted):
    table, target, _ = fitted
    assert "of the optimum" in run("near", table, *about(target), *QUICK, "--max-trees", 20)


def test_cv(fitted):
    table, target, _ = fitted
    assert "chosen by 3-fold" in run("cv", table, *about(target), "--folds", 3, *QUICK)


def test_compare(fitted):
    table, target, _ = fitted
    told = json.loads(run("compare", table, *about(target), *QUICK, "--json"))
    assert told["greedy"]["leaves"] <= told["optimal"]["leaves"]
    assert told["greedy"]["objective"] >= told["optimal"]["objective"] - 1e-9


def test_predict(fitted):
    table, target, folder = fitted
    lines = run(
        "predict", folder / "t.json", table, "--keep", target, "--where", f'"{target}" is not null'
    ).splitlines()
    rows = json.loads(run("show", folder / "t.json", "--json"))["tree"]["rows"]
    assert len(list(csv.reader(lines))) == rows + 1
    assert next(csv.reader(lines)) == [target, "prediction"]


def test_show_export_and_report(fitted):
    *_, folder = fitted
    assert "of the variance" in run("show", folder / "t.json")
    assert "def predict" in run("export", folder / "t.json", "--format", "python")
    assert (folder / "t.html").stat().st_size > 1000


def test_verify(fitted):
    table, _, folder = fitted
    text = gzip.decompress(table.read_bytes()).decode() if table.suffix == ".gz" else table.read_text()
    # The checker reads plain CSV with all its rows.
    head, *rows = csv.reader(text.splitlines())
    with (folder / "rows.csv").open("w", newline="") as file:
        csv.writer(file).writerows([head, *(row for row in rows if row[-1] not in ("", "NA"))])
    assert "accepted" in run("verify", folder / "p.json", folder / "rows.csv")
