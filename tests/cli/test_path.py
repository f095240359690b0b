"""The path of a table in files from the command line."""

import json
import sys

import pytest

from optitree import regularization_path

from .test_fit import check_refused, folder, houses, run  # noqa: F401  (folder is a fixture)

pytest.importorskip("duckdb", reason="DuckDB is not installed")
pytestmark = pytest.mark.usefixtures("folder")


def path(*arguments):
    return run("path", "--target", "price", "--ignore", "note", "--ignore", "count", "--max-depth", 2, *arguments)


def test_path_prints_a_line_for_every_optimal_tree():
    result = path("houses.csv")
    assert result.exit_code == 0, result.output
    head, *lines, closing = result.stdout.splitlines()
    assert head.split()[:4] == ["leaves", "depth", "loss", "R²"]
    assert lines[0].endswith("and above")
    assert closing == f"{len(lines)} optimal trees, proven down to regularization 0.001"
    assert result.stderr == ""


def test_json_has_every_tree_of_the_path():
    found = json.loads(path("houses.parquet", "--json").stdout)
    frame = houses().drop(columns=["note", "count"])
    expected = regularization_path(frame.drop(columns="price"), frame["price"], max_depth=2)
    assert found["status"] == "optimal"
    assert found["rows"] == 300
    assert [tree["leaves"] for tree in found["trees"]] == expected.leaves.tolist()
    assert [tree["regularization_from"] for tree in found["trees"]] == pytest.approx(expected.intervals[:, 0].tolist())
    assert found["trees"][0]["regularization_to"] is None
    assert found["trees"][1]["tree"]["condition"]["text"] == str(expected[1].tree_.nodes[0].condition)


def test_options_say_where_the_path_ends():
    few = json.loads(path("houses.csv", "--max-leaves", 2, "--json").stdout)["trees"]
    assert [tree["leaves"] for tree in few] == [1, 2]
    high = json.loads(path("houses.csv", "--min-regularization", 0.5, "--json").stdout)["trees"]
    assert high[-1]["regularization_from"] == 0.5


def test_a_limit_is_no_error():
    result = path("houses.csv", "--time-limit", 0, "--max-depth", 9, "--min-regularization", 0.00001)
    assert result.exit_code == 0
    assert "the time limit came before the rest" in result.stdout.splitlines()[-1]


@pytest.mark.parametrize(("name", "begins"), [("path.png", b"\x89PNG"), ("path.PDF", b"%PDF"), ("path.svg", b"<?xml")])
def test_the_plot_is_a_file(folder, name, begins):  # noqa: F811
    assert path("houses.csv", "--plot", name).exit_code == 0
    assert (folder / name).read_bytes().startswith(begins)


def test_without_matplotlib_a_plot_is_refused_before_the_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    check_refused(path("nowhere.csv", "--plot", "path.png"), "needs matplotlib; install it with")


@pytest.mark.parametrize(("loss", "quantile"), [("absolute_error", 0.5), ("quantile", 0.9)])
def test_the_loss_is_that_of_the_path(loss, quantile):
    found = json.loads(path("houses.parquet", "--loss", loss, "--quantile", quantile, "--json").stdout)
    frame = houses().drop(columns=["note", "count"])
    params = {"max_depth": 2, "loss": loss, "quantile": quantile}
    expected = regularization_path(frame.drop(columns="price"), frame["price"], **params)
    assert [tree["loss"] for tree in found["trees"]] == pytest.approx(expected.losses.tolist())
    assert "d2" in found["trees"][0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["absent.csv"], ["there is no file absent.csv"]),
        (["houses.csv", "--min-regularization", -1], ["min_regularization=-1.0 must be"]),
        (["houses.csv", "--max-leaves", 0], ["max_leaves=0 must be"]),
        (["houses.csv", "--plot", "nowhere/path.png"], ["no folder", "create it first"]),
        (["nowhere.csv", "--plot", "path.docx"], ["'path.docx'", "ends in .png, .pdf or .svg"]),
        (["nowhere.csv", "--plot", "path"], ["'path'", "ends in .png, .pdf or .svg"]),
        (["nowhere.csv", "--loss", "huber"], ["loss='huber' is not available"]),
        (["nowhere.csv", "--quantile", 2], ["quantile=2.0 must be"]),
    ],
    ids=lambda value: str(value[-1]),
)
def test_what_cannot_be_used_is_said_in_one_sentence(arguments, words):
    check_refused(path(*arguments), *words)
