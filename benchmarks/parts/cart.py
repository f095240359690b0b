"""Optimal trees against greedy ones of the same size: the part `cart` of `benchmarks.tables`.

The size is steered by the regularization: `Front` looks for the one that gives the number of leaves asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sklearn.metrics import r2_score

from benchmarks.data.raw import read_pandas
from benchmarks.harness.parts import Part
from benchmarks.harness.text import markdown, say
from benchmarks.solvers.greedy import fit_cart
from benchmarks.solvers.quietly import quietly
from optitree import OptimalTreeRegressor, compress

TOLERANCE = 1e-9
SIZES = (4, 8, 12)
SOLVE_SECONDS = 20.0
SOLVES = 10  # the most regularizations tried for one size
UNPROVEN_SOLVES = 4  # and below the first that was too hard
FIRST_REGULARIZATION, LEAST_REGULARIZATION = 0.04, 1e-6


@dataclass(frozen=True)
class Point:
    """The tree at one regularization: its leaves and the share of the root loss that it leaves."""

    regularization: float
    leaves: int
    loss: float
    proven: bool


@dataclass
class Front:
    """Trees of one table at the regularizations tried so far.

    The optimal trees of all regularizations are the corners of the convex hull of (leaves, loss). Between two corners
    another can only be at the regularization that makes both cost the same; if it costs no less there, no size between
    has one.
    """

    solve: Callable[[float], Point]
    points: list[Point] = field(default_factory=lambda: [Point(1.0, 1, 1.0, True)])

    def largest(self, leaves: int) -> tuple[list[Point], str]:
        """The largest tree of so many leaves at most that there is, a larger unproven one too, and a remark."""
        for _ in range(SOLVES):
            regularization = self._next(leaves)
            if regularization is None:
                break
            self.points.append(self.solve(regularization))
        best, barrier = self._largest_proven(leaves), self._barrier(leaves)
        if best.leaves == leaves:
            return [best], ""
        if barrier is None:
            return [best], f"no regularization above {LEAST_REGULARIZATION:g} gives more"
        if barrier.proven:
            return [best], "no regularization gives more"
        for _ in range(UNPROVEN_SOLVES):
            if any(point.leaves >= leaves for point in self.points):
                break
            self.points.append(self.solve(min(point.regularization for point in self.points) / 2))
        larger = [point for point in self.points if best.leaves < point.leaves <= leaves]  # all of them unproven
        return [best, *sorted(larger, key=lambda point: (-point.leaves, point.loss))[:1]], "time limit"

    def _next(self, leaves: int) -> float | None:
        few, barrier = self._largest_proven(leaves), self._barrier(leaves)
        tried = [point.regularization for point in self.points]
        if few.leaves == leaves:
            return None
        if barrier is None:
            regularization = min(FIRST_REGULARIZATION, min(tried) / 3)
            return regularization if regularization >= LEAST_REGULARIZATION else None
        if barrier.proven:
            equal = (few.loss - barrier.loss) / (barrier.leaves - few.leaves)
            return None if any(abs(equal - known) <= 1e-6 * equal for known in tried) else equal
        lowest = min(point.regularization for point in self.points if point.leaves <= leaves and point.proven)
        return (barrier.regularization * lowest) ** 0.5 if lowest > 1.1 * barrier.regularization else None

    def _largest_proven(self, leaves: int) -> Point:
        return max((p for p in self.points if p.leaves <= leaves and p.proven), key=lambda p: p.leaves)

    def _barrier(self, leaves: int) -> Point | None:
        """The highest regularization known to give larger trees, or to be too hard; None if there is none yet."""
        barriers = [point for point in self.points if point.leaves > leaves or not point.proven]
        return max(barriers, key=lambda point: point.regularization, default=None)


def cart(names: Sequence[str]) -> Part:
    """Optimal trees against greedy ones of the same size."""
    rows = [row for name in names for row in _cart_rows(name)]
    head = ["table", "asked", "leaves", "λ", "loss / root loss", "CART's", "status", "ours <= CART's", "remark"]
    lines = [
        [
            row["table"], str(row["asked"]), str(row["leaves"]), f"{row['regularization']:.3g}", f"{row['loss']:.6f}",
            f"{row['cart_loss']:.6f}", "optimal" if row["proven"] else "time_limit",
            "yes" if row["holds"] else "NO", row["remark"],
        ]
        for row in rows
    ]  # fmt: skip
    note = (
        f"Conditions of the default binarizer, {SOLVE_SECONDS:g} s a solve. Where no regularization (λ) gives the "
        "number asked for, the largest proven tree below it is compared, and a larger one that the time limit left "
        "unproven. CART (`max_leaf_nodes`) has as many leaves as ours and all thresholds there are."
    )
    text = "\n\n".join([markdown(head, lines), note, _cart_closing(rows)])
    faults = [
        f"{row['table']}: the optimal tree of {row['leaves']} leaves is worse than CART's ({row['loss']:.6f} > "
        f"{row['cart_loss']:.6f})"
        for row in rows
        if row["proven"] and not row["holds"]
    ]
    return Part(text, rows, faults)


def _cart_rows(name: str) -> Iterator[dict[str, Any]]:
    say(f"{name}: ")
    X, y = read_pandas(name)
    groups = compress(X.assign(**{str(y.name): y}), target=str(y.name))

    def solve(regularization: float) -> Point:
        model = quietly(OptimalTreeRegressor(regularization, time_limit=SOLVE_SECONDS).fit_groups, groups)
        say(f"{regularization:.4g} -> {model.n_leaves_}{'' if model.status_ == 'optimal' else '?'}, ")
        return Point(regularization, model.n_leaves_, model.loss_ / model.root_loss_, model.status_ == "optimal")

    front = Front(solve)
    seen: dict[int, float] = {}
    for asked in SIZES:
        points, remark = front.largest(asked)
        for point in points:
            if point.leaves not in seen:
                seen[point.leaves] = 1 - r2_score(y, fit_cart(X, y, point.leaves).predict(X))
            cart_loss = seen[point.leaves]
            holds = point.loss <= cart_loss + TOLERANCE
            yield {
                "table": name,
                "asked": asked,
                **asdict(point),
                "cart_loss": cart_loss,
                "holds": holds,
                "remark": remark,
            }
    say("\n")


def _cart_closing(rows: Sequence[dict[str, Any]]) -> str:
    distinct = {(row["table"], row["leaves"], row["proven"]): row for row in rows}.values()
    proven = [row for row in distinct if row["proven"]]
    others = [row for row in distinct if not row["proven"]]
    worse = [f"{row['table']} at {row['leaves']} leaves" for row in distinct if not row["holds"]]
    better = sum(row["loss"] < row["cart_loss"] - TOLERANCE for row in proven)
    text = f"{len(proven)} comparisons of different proven trees, {better} of them strictly better than CART; "
    text += f"{len(others)} of trees that the time limit left unproven. "
    return text + (f"Worse than CART: {', '.join(worse)}." if worse else "None is worse than CART.")
