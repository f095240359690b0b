"""optitree fit --certificate, optitree verify."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from optitree.cli import app

pytest.importorskip("duckdb")


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"a": rng.integers(0, 9, 80), "b": rng.choice(["x", "y", "z"], 80)})
    table["y"] = table["a"] * (table["b"] == "x") + rng.normal(size=80).round(3)
    table.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_from_a_file_to_a_proof_and_back(data, tmp_path):
    proof = tmp_path / "proof.json"
    done = run("fit", data, "--target", "y", "--regularization", "0.03", "--certificate", proof)
    assert done.exit_code == 0, done.output
    checked = run("verify", proof, data)
    assert checked.exit_code == 0, checked.output
    assert "accepted: no such tree is better" in checked.output
    other = tmp_path / "tree.json"
    other.write_text(json.dumps([0, None, None]))
    refuted = run("verify", proof, data, "--tree", other)
    assert refuted.exit_code == 1
    assert "refuted" in refuted.output


def test_a_table_that_was_changed_is_not_accepted(data, tmp_path):
    proof = tmp_path / "proof.json"
    assert run("fit", data, "--target", "y", "--regularization", "0.03", "--certificate", proof).exit_code == 0
    lines = data.read_text().splitlines()
    data.write_text("\n".join([lines[0], "8,x,-100", *lines[2:]]))
    checked = run("verify", proof, data)
    assert checked.exit_code == 1
    assert checked.output.startswith("rejected: the table is another one")
