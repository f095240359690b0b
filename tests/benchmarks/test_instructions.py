"""When `make instructions` complains."""

import json

import pytest
from benchmarks.instructions import CELLS, REAL_CELLS, faults, known_cells, main, table

RECORDED = {"sync": {"instructions": 1000, "optimal": True, "objective": 0.5, "subproblems": 7, "compiler": "12"}}


def now(**changes: object) -> dict[str, dict[str, object]]:
    return {"sync": RECORDED["sync"] | changes}


@pytest.mark.parametrize(
    ("counts", "complaint"),
    [
        (now(instructions=1029), ""),
        (now(instructions=500), ""),
        (now(instructions=1031), "3.1% more instructions"),
        (now(objective=0.49), "the objective is"),
        (now(optimal=False), "not proven"),
        ({"new": RECORDED["sync"]}, "not on record"),
    ],
)
def test_complaints(counts, complaint):
    found = faults(counts, RECORDED)
    assert len(found) == bool(complaint)
    assert not found or complaint in found[0]


def test_less_is_worth_recording():
    assert "--record keeps it" in table(now(instructions=500), RECORDED)
    assert "Geometric mean of the ratios: 0.5000" in table(now(instructions=500), RECORDED)


def test_another_compiler_is_named():
    assert "Compiler 13, on record 12" in table(now(compiler="13"), RECORDED)


def test_without_the_real_tables_their_cells_are_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OPTITREE_SHARED", str(tmp_path))
    assert known_cells() == CELLS
    assert "Left out: hitters 0.01 depth 3" in capsys.readouterr().err
    for folder in ("binarised", "real"):
        (tmp_path / "datasets" / folder).mkdir(parents=True)
    assert known_cells() == CELLS + REAL_CELLS


def test_cells_that_were_not_counted_stay_on_record(tmp_path, monkeypatch):
    file = tmp_path / "instructions.json"
    file.write_text(json.dumps({str(cell): RECORDED["sync"] for cell in (*CELLS, *REAL_CELLS)} | RECORDED))
    monkeypatch.setattr("benchmarks.instructions.known_cells", lambda: CELLS)
    monkeypatch.setattr("benchmarks.instructions.count", lambda *_: now(instructions=7)["sync"])
    assert main(["--record", "--record-file", str(file), "--dataset", "airfoil"]) == 0
    kept = json.loads(file.read_text())
    assert list(kept) == [str(cell) for cell in (*CELLS, *REAL_CELLS)]
    assert {name for name, count in kept.items() if count["instructions"] == 7} == {
        "airfoil 0.01 depth 4",
        "airfoil 0.005 depth 8",
    }
