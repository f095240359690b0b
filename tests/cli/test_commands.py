"""The other commands: near, cv, compare, show, export; ids, standard input, groups, and files of other habits."""

import io
import json
import subprocess
import sys

import pandas as pd
import pytest

from optitree import OptimalTreeRegressor, OptimalTreeRegressorCV, load, near_optimal_trees
from optitree.output.exports import EXPORT_FORMATS

from .test_fit import answer, check_refused, fit, folder, houses, run  # noqa: F401  (folder is a fixture)

pytest.importorskip("duckdb", reason="DuckDB is not installed")
pytestmark = pytest.mark.usefixtures("folder")

TABLE = ["houses.csv", "--target", "price", "--ignore", "note", "--ignore", "count"]
COMMANDS = ["demo", "fit", "path", "cv", "near", "compare", "predict", "show", "export", "verify"]


def told(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def rows():
    frame = houses().drop(columns=["note", "count"])
    return frame.drop(columns="price"), frame["price"]


def test_help_names_every_command_and_the_exit_codes():
    result = run("--help")
    assert result.exit_code == 0
    for command in COMMANDS:
        assert f" {command} " in result.stdout
    assert "130 interrupted" in " ".join(result.stdout.split())
    assert "--install-completion" in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_exit_codes(command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "Exit codes:" in result.stdout


def test_help_does_not_wait_for_scikit_learn():
    code = "import sys; from optitree.cli import app; print(*{'sklearn', 'duckdb', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() in ([], ["numpy"])  # the checker of certificates needs it


def test_the_shell_completes_commands_and_options():
    for typed, expected in (("optitree co", "compare"), ("optitree fit --max-d", "--max-depth")):
        words = typed.split()
        environment = {"_OPTITREE_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
        code = "from optitree.cli import app; app(prog_name='optitree')"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
        )
        assert expected in done.stdout.split()


def test_near_lists_trees_and_the_conditions_they_share():
    expected = near_optimal_trees(*rows(), within=0.05, max_depth=2)
    found = told("near", *TABLE, "--max-depth", 2, "--within", 0.05)
    assert [tree["objective"] for tree in found["trees"]] == pytest.approx(expected.objectives)
    assert found["condition_use"] == {text: use.trees for text, use in expected.condition_use.items()}
    shown = run("near", *TABLE, "--max-depth", 2, "--within", 0.05).stdout
    assert f"{len(expected):,} tree" in shown
    assert next(iter(expected.condition_use)) in shown


def test_cv_chooses_what_the_estimator_chooses():
    found = told("cv", *TABLE, "--max-depth", 2, "--folds", 3, "--save", "tree.json")
    expected = OptimalTreeRegressorCV(max_depth=2, cv=3).fit(*rows())
    assert found["regularization"] == pytest.approx(expected.regularization_)
    assert found["test_loss"] == pytest.approx(-expected.best_score_)
    assert load("tree.json").n_leaves_ == found["leaves"]
    assert "chosen by 3-fold cross-validation" in run("cv", *TABLE, "--max-depth", 2, "--folds", 3).stdout


def test_compare_says_what_greedy_loses():
    # Where values are missing CART may send them to either side of a threshold, which our conditions do not.
    there = ["--where", "area is not null", "--max-depth", 3]
    found = told("compare", *TABLE, *there)
    best, greedy = found["optimal"], found["greedy"]
    assert greedy["leaves"] <= best["leaves"]
    X, y = rows()
    known = X["area"].notna()
    model = OptimalTreeRegressor(max_depth=3).fit(X[known], y[known])
    assert best["objective"] == pytest.approx(model.objective_)
    assert greedy["objective"] == pytest.approx((1 - greedy["score"]) + 0.01 * greedy["leaves"])
    assert greedy["objective"] >= best["objective"] - 1e-9
    assert "greedy " in run("compare", *TABLE, *there, "--test-share", 0.25).stdout.splitlines()[-1]


def test_a_saved_tree_is_shown_drawn_and_reported(folder):  # noqa: F811
    fit("houses.csv", "--save", "tree.json")
    result = run("show", "tree.json", "--report", "tree.html", "--plot", "tree.svg", "--decimals", 0)
    assert result.exit_code == 0, result.output
    assert "├─ town = south:" in result.stdout
    assert "of the variance" in result.stdout.splitlines()[-1]
    assert (folder / "tree.html").read_text().startswith("<!")
    assert (folder / "tree.svg").read_bytes().startswith(b"<?xml")
    assert told("show", "tree.json")["tree"]["rows"] == 300


@pytest.mark.parametrize("format", EXPORT_FORMATS)
def test_a_saved_tree_is_exported(folder, format):  # noqa: F811
    if format.startswith(("sql", "onnx")):
        pytest.importorskip({"s": "sqlglot", "o": "onnx"}[format[0]], reason=f"what {format} needs is not installed")
    fit("houses.csv", "--save", "tree.json")
    expected = run("export", "tree.json", "--format", format)
    assert expected.exit_code == 0, expected.output
    assert run("export", "tree.json", "--format", format, "--output", "tree.out").exit_code == 0
    content = (folder / "tree.out").read_bytes()
    assert content.strip() == expected.stdout_bytes.strip()


def test_the_name_of_the_output_says_the_format(folder):  # noqa: F811
    fit("houses.csv", "--save", "tree.json")
    assert run("export", "tree.json", "--output", "tree.py").exit_code == 0
    assert "def predict" in (folder / "tree.py").read_text()


def test_groups_that_were_saved_are_fitted_again():
    expected = answer("houses.csv", "--save-groups", "groups.npz")
    again = told("fit", "groups.npz", "--max-depth", 3)
    assert again["tree"] == expected["tree"]
    assert run("path", "groups.npz", "--max-depth", 2).exit_code == 0
    for number in (0, 1):
        assert fit("houses.csv", "--save-groups", f"part-{number}.npz", "--where", "area > 0").exit_code == 0
    both = told("fit", "part-0.npz", "part-1.npz")
    assert both["rows"] == 2 * houses()["area"].count()
    check_refused(run("fit", "groups.npz", "--where", "area > 3"), "groups are made already")
    check_refused(run("fit", "groups.npz", "houses.csv"), "cannot be mixed")


def test_predict_carries_columns_through():
    fit("houses.csv", "--save", "tree.json")
    result = run("predict", "tree.json", "houses.csv", "--keep", "note", "--keep", "built")
    read = pd.read_csv(io.StringIO(result.stdout))
    assert list(read) == ["note", "built", "prediction"]
    assert read["note"].tolist() == houses()["note"].tolist()
    assert read["prediction"].tolist() == pytest.approx(load("tree.json").predict(houses()).tolist())


def test_standard_input_is_read():
    given = houses().to_csv(index=False)
    command = [sys.executable, "-m", "optitree", "fit", "-", "--target", "price", "--max-depth", "2", "--json"]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["rows"] == 300


def test_files_of_other_habits_give_the_same_tree(folder):  # noqa: F811
    """Semicolons, decimal commas, an old encoding, ? for what is missing: said on standard error, and read right."""
    frame = houses().assign(town=houses()["town"].replace({"south": "Süd"}))
    frame.to_csv(folder / "plain.csv", index=False)
    text = frame.to_csv(index=False, sep=";", decimal=",", na_rep="?")
    (folder / "europe.csv").write_bytes(text.encode("latin-1"))
    plain, europe = fit("plain.csv"), fit("europe.csv")
    assert europe.exit_code == 0, europe.output
    assert europe.stdout.splitlines()[:-1] == plain.stdout.splitlines()[:-1]
    assert plain.stderr == ""
    assert "europe.csv is not UTF-8; it is read as cp1252" in europe.stderr
    assert "'price' is read as numbers with a decimal comma" in europe.stderr
    assert "'area' is read as numbers with a decimal comma and with '?' for a missing value" in europe.stderr
    fit("plain.csv", "--save", "tree.json")
    assert run("predict", "tree.json", "europe.csv").stdout == run("predict", "tree.json", "plain.csv").stdout
