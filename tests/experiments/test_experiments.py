"""Every experiment in its smallest form: it runs, goes on where it was stopped, and writes what it promises."""

import json

import pytest
from benchmarks.harness.record import Record
from experiments.__main__ import EXPERIMENTS, main
from experiments.figures import LOOKS

from .made_folder import make_folder

SMALL = ("--quick", "--limit", "2", "--peer-limit", "1", "--datasets", "airquality")
# On a made table its trees are not the paper's, and its searches are right all the same.
FAILING = {"trees": 1}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_it_runs_and_writes_a_table_and_figures(name, made_tables, tmp_path, capsys):
    output = tmp_path / "output"
    assert main([name, *SMALL, "--output", str(output)]) == FAILING.get(name, 0)
    record = Record.read(output / f"{name}.jsonl")
    assert record.entries
    assert {"machine", "versions", "build", "settings"} <= set(record.about)
    text = (output / f"{name}.md").read_text()
    assert "| " in text
    assert text.splitlines()[2] in capsys.readouterr().out
    figures = sorted(file.stem for file in output.glob("*.svg"))
    assert figures
    assert figures == sorted(file.stem for file in output.glob("*.png"))
    assert all(file.stat().st_size < 300_000 for file in output.glob("*.svg"))


def test_a_stopped_run_goes_on(made_tables, tmp_path):
    output = tmp_path / "output"
    arguments = ["controllability", *SMALL, "--output", str(output)]
    assert main(arguments) == 0
    file = output / "controllability.jsonl"
    whole = file.read_text().splitlines()
    file.write_text("\n".join(whole[:-1]) + "\n")
    assert main(arguments) == 0
    again = file.read_text().splitlines()
    assert again[:-1] == whole[:-1]
    assert json.loads(again[-1])["trees"] == json.loads(whole[-1])["trees"]


def test_a_record_of_other_settings_is_not_continued(made_tables, tmp_path, capsys):
    arguments = ["trace", "--quick", "--datasets", "airquality", "--output", str(tmp_path)]
    assert main([*arguments, "--limit", "1"]) == 0
    assert main([*arguments, "--limit", "2"]) == 2
    assert "other circumstances" in capsys.readouterr().err


def test_a_published_tree_below_the_frontier_is_a_fault(tmp_path, monkeypatch, at_once, capsys):
    monkeypatch.setenv("OPTITREE_SHARED", str(make_folder(tmp_path / "shared", loss=0.0)))
    assert main(["loss", *SMALL, "--output", str(tmp_path / "output")]) == 1
    assert "EXPECTATIONS THAT FAILED" in capsys.readouterr().out


def test_missing_data_is_said(tmp_path, monkeypatch, at_once, capsys):
    monkeypatch.setenv("OPTITREE_SHARED", str(tmp_path))
    assert main(["trace", "--quick", "--output", str(tmp_path)]) == 2
    assert "OPTITREE_SHARED" in capsys.readouterr().err


def test_methods_are_told_apart_without_colour():
    looks = list(LOOKS.values())
    assert len({(look.marker, look.hollow) for look in looks}) == len(looks)
    assert len({look.label for look in looks}) == len(looks)
