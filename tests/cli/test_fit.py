"""Fitting and predicting files from the command line."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from optitree import Groups, OptimalTreeRegressor, export_text, load
from optitree.cli import app

pytest.importorskip("duckdb", reason="DuckDB is not installed")


def houses(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "area": rng.integers(30, 200, rows),
            "town": rng.choice(["north", "south", "east"], rows),
            "garden": rng.choice(["yes", "no"], rows),
            "built": pd.to_datetime("1990-01-01") + pd.to_timedelta(rng.integers(0, 10_000, rows), "D"),
            "note": [f"house {k}" for k in range(rows)],
        }
    )
    frame.loc[rng.random(rows) < 0.1, "area"] = None
    price = 3 * frame["area"].fillna(100) + 200 * (frame["town"] == "south") + 50 * (frame["garden"] == "yes")
    return frame.assign(price=price + rng.normal(0, 10, rows), count=rng.integers(0, 3, rows))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the current folder, which has the same houses in CSV, in Parquet and in parts."""
    monkeypatch.chdir(tmp_path)
    frame = houses()
    frame.to_csv("houses.csv", index=False)
    frame.to_parquet("houses.parquet")
    for number, rows in enumerate((slice(0, 120), slice(120, None))):
        frame[rows].to_csv(f"part-{number}.csv", index=False)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def fit(*arguments):
    return run("fit", "--target", "price", "--ignore", "note", "--ignore", "count", "--max-depth", 3, *arguments)


def answer(*arguments):
    """Return what fit prints for machines."""
    result = fit(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def check_refused(result, *words):
    """Check that a command ended with one sentence on standard error and nothing else."""
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("optitree: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


@pytest.mark.usefixtures("folder")
def test_fit_prints_the_tree_and_its_proof():
    result = fit("houses.csv")
    assert result.exit_code == 0, result.output
    assert "├─ town = south:" in result.stdout
    assert "predict " in result.stdout
    assert result.stdout.splitlines()[-1].startswith("optimal among trees on ")
    assert result.stderr == ""


@pytest.mark.usefixtures("folder")
def test_fit_finds_the_tree_that_the_estimator_finds():
    frame = pd.read_parquet("houses.parquet").drop(columns=["note", "count"])
    model = OptimalTreeRegressor(max_depth=3).fit(frame.drop(columns="price"), frame["price"])
    assert fit("houses.parquet").stdout.splitlines()[:-1] == export_text(model).splitlines()[:-1]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("files", [["houses.parquet"], ["part-0.csv", "part-1.csv"], ["part-*.csv"]])
def test_files_of_the_same_rows_give_the_same_tree(files):
    assert answer(*files)["tree"] == answer("houses.csv")["tree"]


@pytest.mark.usefixtures("folder")
def test_json_is_one_object():
    found = answer("houses.csv")
    assert found["status"] == "optimal"
    assert found["gap"] == 0
    assert found["rows"] == 300
    assert found["lower_bound"] == found["objective"] < 1
    assert found["objective"] == pytest.approx(found["loss"] / found["root_loss"] + 0.01 * found["leaves"])
    assert found["depth"] <= 3
    assert found["groups"] <= 300
    assert "town = south" in found["conditions"]
    assert found["tree"]["condition"]["text"] == "town = south"
    assert found["tree"]["yes"]["rows"] + found["tree"]["no"]["rows"] == found["tree"]["rows"] == 300


@pytest.mark.usefixtures("folder")
def test_options_reach_the_search_and_the_binarizer():
    assert answer("houses.csv", "--max-depth", 1)["depth"] == 1
    assert answer("houses.csv", "--regularization", 0.2)["leaves"] == 2
    assert answer("houses.csv", "--regularization", 2)["leaves"] == 1
    assert answer("houses.csv", "--min-samples-leaf", 151)["leaves"] == 1
    several = answer("houses.csv", "--thresholds", "quantile", "--max-thresholds", 2, "--max-categories", 2)[
        "conditions"
    ]
    assert sum("area <=" in condition for condition in several) == 2
    assert sum("town = " in condition for condition in several) == 1
    assert any(" < area <= " in condition for condition in answer("houses.csv", "--encoding", "interval")["conditions"])


@pytest.mark.usefixtures("folder")
def test_where_and_weight_choose_and_count_rows():
    frame = houses()
    assert answer("houses.csv", "--where", "area is not null")["rows"] == frame["area"].count()
    weighted = run("fit", "houses.csv", "--target", "price", "--weight", "count", "--ignore", "note", "--json")
    assert json.loads(weighted.stdout)["rows"] == np.count_nonzero(frame["count"])


@pytest.mark.usefixtures("folder")
def test_a_limit_is_no_error():
    result = fit("houses.csv", "--time-limit", 0, "--regularization", 0.0001)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].startswith(("time limit after", "optimal"))
    assert result.stderr == ""


@pytest.mark.usefixtures("folder")
def test_a_saved_model_predicts_files():
    assert fit("houses.csv", "--save", "tree.json").exit_code == 0
    expected = load("tree.json").predict(houses().drop(columns=["note", "count"]))
    for files in (["houses.csv"], ["houses.parquet"], ["part-0.csv", "part-1.csv"]):
        result = run("predict", "tree.json", *files)
        assert result.exit_code == 0, result.output
        head, *values = result.stdout.splitlines()
        assert head == "prediction"
        assert [float(value) for value in values] == expected.tolist()  # every digit


@pytest.mark.usefixtures("folder")
def test_predictions_go_to_a_file_on_request():
    fit("houses.csv", "--save", "tree.json")
    result = run("predict", "tree.json", "houses.parquet", "--output", "out.csv", "--where", "area > 100")
    assert (result.exit_code, result.output) == (0, "")
    frame = houses()
    expected = load("tree.json").predict(frame[frame["area"] > 100])
    assert pd.read_csv("out.csv")["prediction"].tolist() == pytest.approx(expected.tolist(), rel=1e-15)


def test_predictions_that_fail_leave_the_old_file(folder):
    fit("houses.csv", "--save", "tree.json")
    (folder / "out.csv").write_text("old")
    before = sorted(folder.iterdir())
    check_refused(run("predict", "tree.json", "houses.csv", "--where", "garden = 1", "--output", "out.csv"), "")
    assert (folder / "out.csv").read_text() == "old"
    assert sorted(folder.iterdir()) == before


@pytest.mark.usefixtures("folder")
@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_predictions_can_be_written_to_standard_output_by_name():
    fit("houses.csv", "--save", "tree.json")
    told = [sys.executable, "-m", "optitree", "predict", "tree.json", "houses.csv"]
    plain, named = (
        subprocess.run([*told, *more], capture_output=True, check=True).stdout
        for more in ([], ["--output", "/dev/stdout"])
    )
    assert plain == named


@pytest.mark.usefixtures("folder")
def test_a_file_without_rows_has_no_predictions():
    fit("houses.csv", "--save", "tree.json")
    result = run("predict", "tree.json", "houses.parquet", "--where", "area > 1000")
    assert (result.exit_code, result.output) == (0, "prediction\n")


@pytest.mark.usefixtures("folder")
def test_saved_groups_can_be_fitted_again():
    text = fit("houses.csv", "--save-groups", "groups.npz").stdout
    groups = Groups.load("groups.npz")
    assert groups.n_rows == 300
    again = OptimalTreeRegressor(max_depth=3).fit_groups(groups)
    assert export_text(again).splitlines()[:-1] == text.splitlines()[:-1]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["absent.csv"], ["there is no file absent.csv; check the path"]),
        (["absent-*.csv"], ["absent-*.csv"]),
        (["houses.xlsx"], ["neither .csv, .tsv nor .parquet"]),
        (["houses.csv", "houses.parquet"], ["of different types"]),
        (["houses.csv", "--ignore", "height"], ["no column 'height' to ignore"]),
        (["houses.csv", "--weight", "height"], ["no column 'height' to be the weight"]),
        (["houses.csv", "--where", "height > 3"], ["height"]),
        (["houses.csv", "--where", "area > 1000"], ["no rows"]),
        (["houses.csv", "--thresholds", "best"], ["thresholds='best' is unknown; use one of 'auto'"]),
        (["houses.csv", "--max-thresholds", 0], ["max_thresholds=0 must be"]),
        (["houses.csv", "--regularization", -1], ["regularization=-1.0 must be"]),
        (["houses.csv", "--max-depth", -1], ["max_depth=-1 must be"]),
        (["houses.csv", "--save", "nowhere/tree.json"], ["nowhere"]),
        (["houses.csv", "--save-groups", "nowhere/groups.npz"], ["nowhere"]),
    ],
    ids=lambda value: str(value[-1]),
)
def test_what_cannot_be_used_is_said_in_one_sentence(arguments, words):
    check_refused(run("fit", "--target", "price", *arguments), *words)


@pytest.mark.usefixtures("folder")
def test_an_unknown_target_is_named_beside_the_columns():
    check_refused(run("fit", "houses.csv", "--target", "cost"), "no column 'cost' to be the target", "area, town")


def test_a_missing_target_is_refused_with_the_remedy(folder):
    frame = houses()
    frame.loc[3, "price"] = None
    frame.to_csv(folder / "missing.csv", index=False)
    result = fit("missing.csv")
    check_refused(result, "'price' is missing in 1 of 300 rows", 'where "price" is not null')
    assert answer("missing.csv", "--where", '"price" is not null')["rows"] == 299


@pytest.mark.usefixtures("folder")
def test_a_target_of_text_is_refused():
    check_refused(run("fit", "houses.csv", "--target", "town"), "'town'", "numbers")


def test_a_line_that_does_not_fit_is_refused(folder):
    lines = ["a,b,price\n"] + ["1,2,3\n"] * 50_000 + ["1,2,many\n"]
    (folder / "odd.csv").write_text("".join(lines))
    check_refused(run("fit", "odd.csv", "--target", "price"))


@pytest.mark.usefixtures("folder")
def test_predict_says_what_is_wrong():
    fit("houses.csv", "--save", "tree.json")
    check_refused(run("predict", "absent.json", "houses.csv"), "absent.json")
    check_refused(run("predict", "houses.csv", "houses.csv"), "houses.csv is not a JSON file")
    check_refused(run("predict", "tree.json", "absent.csv"), "there is no file absent.csv")
    check_refused(run("predict", "tree.json", "houses.csv", "--output", "nowhere/out.csv"), "nowhere")


def test_predict_names_a_column_that_is_missing(folder):
    fit("houses.csv", "--save", "tree.json")
    houses().drop(columns="town").to_csv(folder / "less.csv", index=False)
    check_refused(run("predict", "tree.json", "less.csv"), "'town' missing", "add or rename the columns")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [["fit"], ["fit", "houses.csv"], ["fit", "houses.csv", "--target", "price", "--max-depth", "x"], ["predict"]],
)
def test_wrong_usage_has_a_code_of_its_own(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


@pytest.mark.usefixtures("folder")
def test_an_interruption_has_a_code_of_its_own(monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("optitree.cli.reading.open_files", interrupt)
    result = fit("houses.csv")
    assert (result.exit_code, result.stderr) == (130, "optitree: interrupted before there was a tree\n")


@pytest.mark.usefixtures("folder")
def test_an_error_of_our_own_is_not_hidden(monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("a bug")

    monkeypatch.setattr("optitree.cli.reading.open_files", fail)
    assert isinstance(fit("houses.csv").exception, RuntimeError)


def optitree(*arguments, **options):
    command = [sys.executable, "-m", "optitree", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)


@pytest.mark.usefixtures("folder")
def test_a_real_command_fits_saves_and_predicts():
    fitted = optitree(
        "fit", "part-*.csv", "--target", "price", "--ignore", "note", "--max-depth", 2, "--save", "t.json"
    )
    assert (fitted.returncode, fitted.stderr) == (0, "")
    assert "├─ " in fitted.stdout
    predicted = optitree("predict", "t.json", "houses.parquet")
    assert (predicted.returncode, predicted.stderr) == (0, "")
    assert len(predicted.stdout.splitlines()) == 301


@pytest.mark.usefixtures("folder")
def test_a_real_command_that_fails_says_why():
    failed = optitree("fit", "absent.csv", "--target", "price")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr == "optitree: there is no file absent.csv; check the path\n"


@pytest.mark.usefixtures("folder")
def test_predictions_may_be_cut_off():
    fit("houses.csv", "--save", "t.json")
    pd.concat([houses()] * 400).to_parquet("many.parquet")
    command = f"'{sys.executable}' -m optitree predict t.json many.parquet | head -n 2"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, timeout=120)
    assert result.stdout.startswith("prediction\n")
    assert result.stderr == ""


@pytest.mark.usefixtures("folder")
def test_predictions_may_replace_the_file_they_are_made_for():
    assert fit("houses.csv", "--save", "tree.json").exit_code == 0
    expected = load("tree.json").predict(pd.read_parquet("houses.parquet"))
    assert run("predict", "tree.json", "houses.parquet", "--output", "houses.parquet").exit_code == 0
    np.testing.assert_array_equal(pd.read_csv("houses.parquet")["prediction"], expected)


@pytest.mark.usefixtures("folder")
def test_a_folder_to_save_to_that_is_not_there_is_noticed_before_the_work():
    check_refused(fit("houses.csv", "--save", "nowhere/tree.json"), "no folder", "create it first")


def test_the_loss_is_that_of_the_estimator(folder):
    frame = houses().drop(columns=["note", "count"])
    for loss, quantile in (("absolute_error", 0.5), ("quantile", 0.9)):
        told = answer("houses.parquet", "--loss", loss, "--quantile", quantile, "--save", "tree.json")
        model = OptimalTreeRegressor(max_depth=3, loss=loss, quantile=quantile)
        model.fit(frame.drop(columns="price"), frame["price"])
        assert told["objective"] == pytest.approx(model.objective_)
        assert told["loss"] == pytest.approx(model.loss_)
        assert (load("tree.json").loss, load("tree.json").quantile) == (loss, quantile)


def test_an_unknown_loss_is_refused_before_the_files_are_read():
    result = run("fit", "nowhere.csv", "--target", "price", "--loss", "huber")
    assert result.exit_code == 1
    assert "loss='huber' is not available; use 'squared_error', 'absolute_error', 'quantile'" in result.output
