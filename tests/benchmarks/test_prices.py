"""The table of `benchmarks.prices`, from made-up searches and a run of the command on them."""

from benchmarks.data.cells import Cell
from benchmarks.prices import Compared, report
from benchmarks.solvers.switched import Search

from benchmarks import prices


def searched(cpu_seconds: float, status: str = "optimal", objective: float = 0.5) -> Search:
    return Search(status, 3 * cpu_seconds, cpu_seconds, objective, objective, None, 20, 1000)


def compared(on: Search, off: Search, depth: int | None = 6) -> Compared:
    return Compared(Cell("airfoil", 0.01, depth), on, off)


def test_prices_may_cost_a_quarter_where_it_can_be_measured():
    text, problems = report([compared(searched(0.25), searched(0.2)), compared(searched(0.1), searched(0.4), None)])
    assert not problems
    assert "| 1.25 " in text
    assert "6: 1.25, none: 0.25" in text
    _, problems = report([compared(searched(0.26), searched(0.2))])
    assert problems == ["airfoil 0.01 depth 6: 1.30 times the time without prices, over 1.25"]
    text, problems = report([compared(searched(0.019), searched(0.01))])
    assert not problems, "too short to tell"
    assert "of which 0 take over 20 ms" in text


def test_a_search_that_was_stopped_is_a_bound_on_the_ratio():
    late = searched(1.0, "time_limit")
    text, problems = report([compared(searched(0.9), late)])
    assert not problems
    assert "≤ 0.90" in text
    text, problems = report([compared(late, searched(0.5))])
    assert "≥ 2.00" in text
    assert len(problems) == 1
    assert not report([compared(late, late)])[1], "nothing is known"


def test_another_objective_is_a_fault():
    _, problems = report([compared(searched(0.001), searched(0.001, objective=0.4))])
    assert problems == ["airfoil 0.01 depth 6: another objective with prices than without"]


def test_a_run_leaves_out_what_is_deeper_than_a_cell_that_was_not_solved(tmp_path, monkeypatch, capsys):
    limits = []

    def answer(_, cell: Cell, limit: float, off: tuple[str, ...] = ()) -> Search:
        limits.append((cell.regularization, cell.max_depth, bool(off), limit))
        return searched(4.0, "time_limit" if cell.max_depth == 6 and cell.regularization == 0.005 else "optimal")

    monkeypatch.setattr(prices, "in_fresh_process", answer)
    assert prices.main(["--dataset", "yacht", "--limit", "9", "--output", str(tmp_path)]) == 0
    assert capsys.readouterr().out.strip() in (tmp_path / "prices.md").read_text(encoding="utf-8")
    assert len(limits) == 2 * (20 - 2), "depth 8 and none at one regularization"
    assert {limit for _, _, off, limit in limits if off} == {9.0}, "12 s on the clock are more than there is"
