"""What the benchmarks conclude from answers: nothing here runs a solver."""

import json
import math

import pytest
from benchmarks.data.cells import Cell, bench, grid
from benchmarks.harness.beside import implied
from benchmarks.harness.judge import Row, faults, fit_clock, judge, ratios, slower, summarise
from benchmarks.harness.plot import draw, factors, shares, spread, times
from benchmarks.harness.record import Record, RecordError, complete, time_left
from benchmarks.harness.report import report
from benchmarks.solvers.peers import Answer

CELL = Cell("sync", 0.01, 5)
SETTINGS = {"peer_limit": 10.0, "limit": 60.0, "repeat": 5, "repeat_below": 1.0, "assume": "regularization"}


def solved(seconds: float, objective: float = 0.5, depth: int = 3) -> Answer:
    return Answer("solved", seconds, seconds / 2, objective, leaves=4, depth=depth)


def row(ours: Answer, cell: Cell = CELL, **peers: Answer) -> Row:
    return judge(Row(cell, ours, {name.replace("_", "-"): answer for name, answer in peers.items()}))


def late(seconds: float = 10.0) -> Answer:
    return Answer("time_limit", seconds)


def test_there_are_32_rows_of_four_depths():
    assert len(bench()) == len(set(bench())) == 128


def test_an_answer_above_the_best_known_is_wrong_and_counts_nowhere():
    judged = row(solved(1.0), streed=solved(0.1, objective=0.6), osrt=solved(3.0))
    assert [answer.status for answer in judged.peers.values()] == ["wrong", "solved"]
    assert ratios([judged], None, fit_clock, 10.0).finished.value == pytest.approx(3.0)
    assert not slower(judged)


def test_a_tree_that_is_too_deep_does_not_refute_us():
    judged = row(solved(1.0), osrt=solved(3.0, objective=0.4, depth=6))
    assert judged.peers["osrt"].status == "wrong"
    assert not faults(judged)


def test_a_better_tree_refutes_us():
    assert faults(row(solved(1.0), osrt=solved(3.0, objective=0.4)))
    assert faults(row(Answer("error", message="crash"), osrt=solved(3.0)))


def test_named_peers_are_compared_apart_from_all():
    judged = row(solved(1.0), streed=solved(8.0), streed_dataset=solved(2.0))
    summary = summarise([judged], 10.0)[0]
    assert summary.named.finished.value == pytest.approx(8.0)
    assert summary.every.finished.value == pytest.approx(2.0)


def test_where_no_peer_finishes_the_limit_is_a_lower_bound():
    rows = [row(solved(1.0), streed=solved(4.0)), row(solved(0.1), streed=late())]
    found = ratios(rows, None, fit_clock, 10.0)
    assert (found.finished.count, found.all.count) == (1, 2)
    assert found.all.value == pytest.approx(math.sqrt(4 * 100))
    assert "≥ 20x (2)" in report(rows, SETTINGS)


def test_a_cell_that_we_do_not_solve_is_in_no_mean_but_among_the_slower():
    judged = row(Answer("time_limit", 60.0, 60.0, 0.5, lower_bound=0.4), streed=solved(8.0))
    assert ratios([judged], None, fit_clock, 10.0).all.count == 0
    assert slower(judged, 0.005)
    assert "unsolved after 60" in report([judged], SETTINGS)


def test_slower_by_a_millisecond_is_listed_but_not_held_against_us():
    judged = row(solved(0.002), streed=solved(0.001))
    assert slower(judged)
    assert not slower(judged, 0.005)


@pytest.mark.parametrize(
    ("cell", "assume", "expected"),
    [
        (Cell("sync", 0.01, 8), "depth", True),
        (Cell("sync", 0.01, 5), "depth", False),
        (Cell("sync", 0.01, 8), "nothing", False),
        (Cell("sync", 0.005, 6), "depth", False),
        (Cell("sync", 0.005, 6), "regularization", True),
        (Cell("sync", 0.05, 8), "regularization", False),
        (Cell("yacht", 0.01, 8), "regularization", False),
        (Cell("sync", 0.01, None), "depth", True),
    ],
)
def test_what_a_time_out_implies(cell, assume, expected):
    rows = [row(solved(1.0), Cell("sync", 0.01, 6), streed=late(), osrt=late())]
    assert implied(cell, "streed", rows, assume) is expected


def test_a_time_out_of_osrt_says_nothing_about_no_limit():
    rows = [row(solved(1.0), Cell("sync", 0.01, 6), osrt=late())]
    assert not implied(Cell("sync", 0.01, None), "osrt", rows, "regularization")
    rows = [row(solved(1.0), Cell("sync", 0.01, None), osrt=late())]
    assert implied(Cell("sync", 0.005, None), "osrt", rows, "regularization")
    assert not implied(Cell("sync", 0.005, 8), "osrt", rows, "regularization")


def test_rows_survive_a_record():
    judged = row(solved(1.0), streed=late(), osrt=solved(2.0))
    assert Row.from_dict(json.loads(json.dumps(judged.as_dict()))) == judged


def test_a_stopped_run_goes_on(tmp_path):
    path, about = tmp_path / "run.jsonl", {"settings": {"limit": 1.0}}
    cells = grid(("sync",), (0.1, 0.01), (2, None))

    def stop_at_third(cell):
        if cell == cells[2]:
            raise KeyboardInterrupt
        return {"value": cell.regularization}

    with pytest.raises(KeyboardInterrupt):
        complete(Record.open(path, about, fresh=False), cells, stop_at_third)
    with path.open("a") as file:
        file.write('{"cut short')
    record = Record.open(path, about, fresh=False)
    assert len(record.entries) == 2
    complete(record, cells, lambda cell: {"value": cell.regularization})
    again = Record.read(path)
    assert [Cell(**entry["cell"]) for entry in again.entries] == list(cells)
    assert again.entries == record.entries


def test_other_circumstances_are_refused(tmp_path):
    path = tmp_path / "run.jsonl"
    Record.open(path, {"settings": {"limit": 1.0}}, fresh=False).append({"cell": {}})
    with pytest.raises(RecordError, match=r"settings limit 1.0 then, 2.0 now.*--fresh"):
        Record.open(path, {"settings": {"limit": 2.0}}, fresh=False)
    assert not Record.open(path, {"settings": {"limit": 2.0}}, fresh=True).entries


def test_what_is_no_record_is_refused(tmp_path):
    path = tmp_path / "run.jsonl"
    with pytest.raises(RecordError, match="run the benchmark first"):
        Record.read(path)
    path.write_text('{"rows": []}\n')
    with pytest.raises(RecordError, match="not a benchmark record"):
        Record.read(path)


def test_the_time_left_is_that_of_the_same_depths():
    entries = [{"cell": {"max_depth": 2}, "spent": 1.0}, {"cell": {"max_depth": None}, "spent": 9.0}]
    left = grid(("sync",), (0.1,), (2, None, 5))
    assert time_left([], left) is None
    assert time_left(entries, left) == pytest.approx(1.0 + 9.0 + 5.0)


def test_profiles():
    rows = [row(solved(1.0), streed=solved(4.0)), row(solved(0.1), streed=late())]
    taken = times(rows)
    assert taken == {"optitree": [1.0, 0.1], "streed": [4.0, math.inf]}
    assert factors(taken) == {"optitree": [1.0, 1.0], "streed": [4.0, math.inf]}
    assert shares(taken["streed"], 10.0) == ([4.0, 10.0], [0.5, 0.5])


def test_labels_do_not_overlap():
    placed = spread([1.0, 0.9, 0.9, 0.2], 0.05)
    assert placed[0] == 1.0
    assert placed[3] == 0.2
    assert sorted(placed)[2] - sorted(placed)[1] >= 0.05 - 1e-9


def test_the_picture_is_the_same_for_the_same_rows(tmp_path):
    pytest.importorskip("matplotlib")
    rows = [row(solved(1.0), Cell("sync", 0.01, depth), streed=solved(4.0), osrt=late()) for depth in (5, 6, None)]
    for name in ("one.svg", "two.svg"):
        draw(rows, 10.0, tmp_path / name)
    assert (tmp_path / "one.svg").read_text() == (tmp_path / "two.svg").read_text()
    assert "streed 100%" in (tmp_path / "one.svg").read_text()
