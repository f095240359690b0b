"""The tables of `benchmarks.hard`, from made-up records, and one real fit in a process of its own."""

import pytest
from benchmarks.hard import GRID, PARTS, SEOUL
from benchmarks.harness.hard_report import REPORTS
from benchmarks.harness.record import Record
from benchmarks.solvers.alone import FailedError, in_fresh_process
from benchmarks.solvers.anytime import SHARES, gap, incumbent, primal_integral

CELL = {"dataset": "sync", "regularization": 0.01, "max_depth": None}
SETTINGS = {"limit": 300.0, "n_jobs": 2}


def fitted(seconds: float = 4.0, **changes: object) -> dict[str, object]:
    fit = {
        "status": "optimal", "seconds": seconds, "search_seconds": seconds, "objective": 0.5, "lower_bound": 0.5,
        "leaves": 4, "depth": 2, "solved": 2000, "cached": 2000, "core_megabytes": 0.2, "start_megabytes": 100.0,
        "peak_megabytes": 101.0, "tree": "abc",
    }  # fmt: skip
    return fit | changes


def table(part: str, tmp_path, *entries: dict[str, object]) -> tuple[str, list[str]]:
    record = Record.open(tmp_path / f"hard-{part}.jsonl", {"settings": SETTINGS}, fresh=True)
    for entry in entries:
        record.append({"cell": CELL, "spent": 1.0, **entry})
    return REPORTS[part](Record.read(record.path))


def test_the_parts_have_the_cells_they_promise():
    assert (len(GRID), len(SEOUL)) == (160, 30)
    assert set(PARTS) == set(REPORTS)


def test_fits(tmp_path):
    unproven = fitted(300.0, status="time_limit", lower_bound=0.4)
    text, faults = table("grid", tmp_path, {"fit": fitted()}, {"fit": unproven}, {"failed": "died"})
    assert "Proven: 1 of 2, in 4.0 s together. Not within 300 s: sync 0.01 depth none (gap 0.1)." in text
    assert "| 100              | 500                 |" in text
    assert faults == ["sync 0.01 depth none: died"]


def test_threads(tmp_path):
    quick = {"one": fitted(0.1), "two": None}
    text, faults = table("threads", tmp_path, quick, {"one": fitted(4.0), "two": fitted(2.0)})
    assert "1 of 2 cells" in text
    assert "two threads are 2.00 times as fast" in text
    assert not faults


def test_another_tree_with_two_threads_is_a_fault(tmp_path):
    _, faults = table("threads", tmp_path, {"one": fitted(), "two": fitted(tree="xyz")})
    assert faults == ["sync 0.01 depth none: another tree with two threads than with one"]


def test_a_ratio_without_both_proofs_is_a_bound(tmp_path):
    late = fitted(300.0, status="time_limit")
    text, faults = table("threads", tmp_path, {"one": late, "two": fitted(150.0, tree="xyz")})
    assert "≥ 2.00" in text
    assert not faults


def test_anytime(tmp_path):
    run = {
        "status": "optimal", "seconds": 1.0, "objective": 0.5, "points": 3, "trace_integral": 0.5,
        "trace_gaps": [1.0] * len(SHARES), "stopped_integral": 0.25, "stopped_gaps": [0.1] * len(SHARES),
        "overtime": 0.01,
    }  # fmt: skip
    text, faults = table("anytime", tmp_path, run, run | {"seconds": 0.01})
    assert "1 cells; mean primal integral 0.2500" in text
    assert "after 1% of the time 10.00%" in text
    assert "(too coarse)" in text
    assert "Too short to tell (under 0.1 s): sync 0.01 depth none." in text
    assert not faults


def test_the_primal_integral_is_the_mean_gap():
    points = [(1.0, 0.8), (3.0, 0.4)]
    # One second of a leaf at 1.2 (gap 2), two seconds of 0.8 (gap 1), one second of the best.
    assert primal_integral(points, 4.0, 1.2, 0.4) == pytest.approx((2 + 2 * 1 + 0) / 4)
    assert [incumbent(points, seconds, 1.2) for seconds in (0.5, 1.0, 3.5)] == [1.2, 0.8, 0.4]
    assert gap(0.3, 0.4) == 0


def test_a_fresh_process_answers_or_says_why_not():
    assert in_fresh_process(max, 1, 2) == 2
    with pytest.raises(FailedError, match="ValueError"):
        in_fresh_process(int, "x")
