"""The tables of `benchmarks.real` and its record, from made-up entries, and one small run of the command."""

import json

import pytest
from benchmarks.data.cells import Cell, DataMissingError
from benchmarks.data.generated import GENERATED, Order
from benchmarks.data.real import REAL, default_bits, default_groups
from benchmarks.harness.on_record import OnRecord, best_of, compare, compare_searches
from benchmarks.harness.real_report import REPORTS
from benchmarks.harness.record import Record, RecordError
from benchmarks.parts.real import PARTS, Run
from benchmarks.real import main
from benchmarks.solvers.greedy import cart_objective
from benchmarks.solvers.switched import search

BEST = {"boston": {"objective": 0.5, "conditions": 60}}


def fit(**changes: object) -> dict[str, object]:
    values = {
        "status": "optimal", "seconds": 4.0, "objective": 0.5, "lower_bound": 0.5, "proven_depth": None,
        "conditions": 60, "leaves": 4, "solved": 2000, "peak_megabytes": 101.0, "tree": "abc",
    }  # fmt: skip
    return values | changes


def late(**changes: object) -> dict[str, object]:
    return fit(status="time_limit", lower_bound=0.3, proven_depth=3) | changes


def entry(depth: int | None = None, table: str = "boston", **found: object) -> dict[str, object]:
    return {"cell": {"dataset": table, "regularization": 0.01, "max_depth": depth}, "limit": 60.0, **found}


def test_the_parts_have_the_cells_they_promise():
    assert len(REAL) == 12
    assert list(PARTS) == list(REPORTS)
    assert PARTS["depths"].cells("boston") == tuple(Cell("boston", 0.01, depth) for depth in (2, 3, 4, 5, 6))
    assert [cell.max_depth for cell in PARTS["depths"].cells("generated-wide")] == [2, 3]
    assert [cell.max_depth for cell in PARTS["defaults"].cells("generated-wide")] == [None]


@pytest.mark.parametrize(
    ("old", "new", "worse", "better"),
    [
        (fit(), fit(solved=2069), "", ""),
        (fit(), fit(solved=2071), "2,071 subproblems, on record 2,000", ""),
        (fit(solved=5), fit(solved=14), "", ""),
        (fit(), fit(solved=1000), "", "1,000 subproblems"),
        (fit(), fit(objective=0.49), "the objective is 0.490000000000", ""),
        (fit(), fit(conditions=61, solved=9000), "61 conditions, on record 60", ""),
        (fit(), late(), "on record it is proven", ""),
        (late(), fit(), "", "on record it is not"),
        (late(), late(lower_bound=0.285), "", ""),
        (late(), late(lower_bound=0.25), "gap 0.2500, on record 0.2000", ""),
        (late(), late(lower_bound=0.4), "", "gap 0.1000"),
        (late(), late(proven_depth=2), "proven to depth 2, on record 3", ""),
        (late(), late(proven_depth=4, lower_bound=0.2), "", "proven to depth 4"),
        (late(), fit(objective=0.2, lower_bound=0.2), "below the lower bound on record", ""),
        (late(), late(objective=0.8, lower_bound=0.6), "a tree of 0.500000000 is on record", ""),
    ],
)
def test_what_is_worse_and_what_is_better(old, new, worse, better):
    found = compare_searches(old, new, same_limit=True)
    for lines, expected in zip(found, (worse, better), strict=True):
        assert len(lines) == bool(expected)
        assert not lines or expected in lines[0]


def test_other_limits_say_nothing_of_what_was_stopped():
    assert compare_searches(late(), late(proven_depth=1), same_limit=False) == ([], [])
    assert compare_searches(fit(), late(), same_limit=False) == ([], [])


def test_cells_are_compared_by_name():
    then = [entry(4, fit=fit()), entry(5, on=fit(), off=fit())]
    worse, better, unknown = compare(then, [entry(3, fit=fit()), entry(5, skipped="not finished at depth 4")])
    assert worse == [
        "boston 0.01 depth 5, on: on record, and not measured (not finished at depth 4)",
        "boston 0.01 depth 5, off: on record, and not measured (not finished at depth 4)",
    ]
    assert (better, unknown) == ([], 1)


def test_what_is_accepted_replaces_its_own_entries_only(tmp_path):
    known = OnRecord()
    known.accept("depths", [entry(3, fit=fit()), entry(4, fit=fit(objective=0.4)), entry(3, "taxis", fit=fit())], {})
    known.accept("depths", [entry(4, fit=fit(objective=0.45, solved=7))], {"date": "today"})
    known.write(tmp_path / "real.json")
    again = OnRecord.read(tmp_path / "real.json")
    assert again == known
    assert [len(line) > 100 for line in (tmp_path / "real.json").read_text().splitlines()].count(True) == 3
    found = {(e["cell"]["dataset"], e["cell"]["max_depth"]): e["fit"]["solved"] for e in again.parts["depths"]}
    assert found == {("boston", 3): 2000, ("boston", 4): 7, ("taxis", 3): 2000}
    assert again.best["boston"]["objective"] == 0.4
    assert not OnRecord.read(tmp_path / "none.json").parts


def test_what_is_no_record_is_refused(tmp_path):
    (tmp_path / "real.json").write_text("{}")
    with pytest.raises(RecordError, match="not a record"):
        OnRecord.read(tmp_path / "real.json")
    assert main(["--output", str(tmp_path)]) == 2


def test_the_best_of_other_conditions_is_forgotten():
    assert best_of(BEST, [entry(fit=fit(objective=0.6))])["boston"]["objective"] == 0.5
    assert best_of(BEST, [entry(fit=fit(objective=0.6, conditions=70))])["boston"]["objective"] == 0.6


def test_defaults():
    text, faults = REPORTS["defaults"]([entry(fit=fit()), entry(fit=late())], BEST)
    assert "Proven: 1 of 2. Mean gap 0.1000, largest 0.2000 (boston)." in text
    assert not faults
    _, faults = REPORTS["defaults"]([entry(fit=late(lower_bound=0.51))], BEST)
    assert faults == ["boston 0.01 depth none: a lower bound of 0.510000000, but a tree has 0.500000000"]


def test_generated_tables_are_in_no_mean():
    text, _ = REPORTS["defaults"](
        [entry(fit=fit()), entry(None, "generated-noise", fit=late())], BEST | {"generated-noise": BEST["boston"]}
    )
    assert "Mean gap 0.0000" in text


def test_depths():
    text, faults = REPORTS["depths"]([entry(3, fit=fit()), entry(6, fit=late()), entry(5, failed="died")], BEST)
    assert "Proven: 1 of 2, 8.0 s in all. Not: boston 0.01 depth 6." in text
    assert faults == ["boston 0.01 depth 5: died"]


def test_prices_may_cost_a_quarter():
    cells = [
        entry(3, on=fit(seconds=0.01), off=fit(seconds=0.001)),
        entry(4, on=fit(seconds=1.2), off=fit(seconds=1.0)),
        entry(5, on=fit(seconds=1.0), off=late(seconds=60.0)),
        entry(6, skipped="not finished at depth 5"),
    ]
    text, faults = REPORTS["prices"](cells, BEST)
    assert "Largest ratio 1.20 (boston 0.01 depth 4), of 2 cells" in text
    assert "≤ 0.02" in text
    assert not faults
    _, faults = REPORTS["prices"]([entry(4, on=fit(seconds=1.3), off=fit(seconds=1.0, objective=0.4))], BEST)
    assert len(faults) == 2
    _, faults = REPORTS["prices"]([entry(4, on=late(seconds=60.0), off=fit(seconds=1.0))], BEST)
    assert "60.00 times" in faults[0]


def test_threads():
    cells = [entry(5, one=fit(), two=fit(seconds=2.0, tree="xyz")), entry(6, skipped="not finished at depth 5")]
    text, faults = REPORTS["threads"](cells, BEST)
    assert "two threads are 2.00 times as fast" in text
    assert faults == ["boston 0.01 depth 5: another tree with two threads than with one"]


@pytest.mark.parametrize(
    ("found", "complaint"),
    [
        ({}, ""),
        ({"objective": 0.61}, "CART of as many leaves 0.600000"),
        ({"objective": 0.56, "seconds": 5.0}, "the best tree of depth 3, which takes 4 s, 0.550000"),
        ({"objective": 0.56, "seconds": 2.0}, ""),
    ],
)
def test_stopped(found, complaint):
    cell = entry(stopped={"5 s": late(**found)}, cart={"5 s": 0.6}, shallow=fit(objective=0.55))
    text, faults = REPORTS["stopped"]([cell], BEST)
    assert f"{late(**found)['objective'] - 0.5:.5f} at most" in text
    assert any(complaint in fault for fault in faults) == bool(complaint)


def test_deeper_cells_are_skipped_only_after_an_unfinished_one(tmp_path):
    record = Record.open(tmp_path / "run.jsonl", {}, fresh=True)
    for found in (entry(3, on=fit()), entry(4, on=late()), entry(5, skipped="so"), entry(4, "taxis", on=fit())):
        record.append(found)
    run = Run(60.0, 30.0, record, {})
    assert run.unfinished(Cell("boston", 0.01, 6), "on") == 4
    assert run.unfinished(Cell("boston", 0.01, 4), "on") is None
    assert run.unfinished(Cell("taxis", 0.01, 6), "on") is None


@pytest.fixture
def small(monkeypatch):
    """Give a small generated table the name of a large one."""
    monkeypatch.setitem(GENERATED, "generated-noise", Order(60, 2, categories=1, noise=0.5, missing=0.1, seed=5))
    default_groups.cache_clear()
    default_bits.cache_clear()
    yield "generated-noise"
    default_groups.cache_clear()
    default_bits.cache_clear()


def test_groups_bits_and_greedy_trees_are_of_the_same_conditions(small):
    groups, bits = default_groups(small), default_bits(small)
    assert bits.X.shape == (60, len(groups.conditions))
    assert groups.n_rows == len(bits.y)
    found, plain = search(Cell(small, 0.01, 3), 10.0), search(Cell(small, 0.01, 3), 10.0, ("prices",))
    assert (found.status, found.objective) == (plain.status, plain.objective)
    assert cart_objective(groups, 1, 0.01) == pytest.approx(1.01)
    assert found.objective <= cart_objective(groups, 4, 0.01) <= 1.04


def test_without_the_folder_the_command_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OPTITREE_SHARED", str(tmp_path))
    assert main(["--output", str(tmp_path), "--part", "depths"]) == 2
    assert "No datasets found" in capsys.readouterr().err
    (tmp_path / "datasets" / "binarised").mkdir(parents=True)
    assert main(["--output", str(tmp_path), "--part", "depths"]) == 2
    assert "No real tables found" in capsys.readouterr().err
    with pytest.raises(DataMissingError):
        default_groups("boston")


def test_a_run_is_judged_by_the_record_that_it_accepted(tmp_path, capsys):
    """The table is generated, so that no data of others is needed; where it is stopped does not matter."""
    arguments = ["--part", "depths", "--table", "generated-levels", "--limit", "0.2", "--output", str(tmp_path)]
    assert main([*arguments, "--record"]) == 0
    assert "Not on record: 5 of 5 cells." in capsys.readouterr().out
    assert "generated-levels" in (tmp_path / "real.md").read_text()
    assert main(["--part", "depths", "--report-only", "--output", str(tmp_path)]) == 0
    content = json.loads((tmp_path / "real.json").read_text())
    content["parts"]["depths"][0]["fit"]["objective"] += 0.001
    (tmp_path / "real.json").write_text(json.dumps(content))
    assert main(["--part", "depths", "--report-only", "--output", str(tmp_path)]) == 1
    assert "WORSE THAN ON RECORD" in capsys.readouterr().out
    assert main(["--part", "defaults", "--report-only", "--output", str(tmp_path)]) == 2
