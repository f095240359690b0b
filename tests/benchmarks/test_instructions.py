"""When `make instructions` complains."""

import pytest
from benchmarks.instructions import faults, table

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
