"""The checker: reads a certificate, and a table if there is one, and recomputes all that the certificate claims.

It shares nothing with the solver. With ``verify_table.py`` and ``verify_prices.py`` beside it it needs Python and numpy
and runs alone: ``python verify.py proof.json data.csv``. docs/certificate.md has the argument; numbers in brackets are
its sections.
"""

import argparse
import gzip
import json
import math
import sys
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

if __package__:
    from . import verify_table as tables
    from .verify_prices import PRICE_UNIT, ULP, Costs, PriceCheck
else:  # the files alone
    import verify_table as tables  # type: ignore[import-not-found, no-redef]
    from verify_prices import PRICE_UNIT, ULP, Costs, PriceCheck  # type: ignore[import-not-found, no-redef]

Rejected, require = tables.Rejected, tables.require
Array = Any  # of numpy
FORMAT, VERSION = "optitree-certificate", 1
# What reading a damaged file, or one made to mislead, may raise.
UNREADABLE = EOFError, gzip.BadGzipFile, zlib.error
DAMAGED = LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, MemoryError, *UNREADABLE
TOLERANCE = 1e-9  # of the root loss: the most that a proof of optimality may leave open


# --- Branchings: every condition splits a subproblem into two whose bounds add up [5] ---------------------------------


class Ledger:
    """What is proven of subproblems: (groups, splits that are left) -> no tree on them costs less."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self.known: dict[bytes, list[tuple[float, float]]] = {}

    def lookup(self, member_bits: Array, depth: float) -> float:
        """Return what is proven of a subproblem: what holds for deeper trees holds for these."""
        return max((bound for d, bound in self.known.get(member_bits.tobytes(), ()) if d >= depth), default=-math.inf)

    def sides(self, at: Array, depth: float, prices: Array) -> Array:
        """Return lower bounds of the subproblems on each side of each split, two literals a condition [5.1].

        A side is a leaf, or is split again: then each quadrant is a leaf, or costs two leaves and what is inside its
        groups; and never less than its prices. Where no splits are left, quadrants are leaves.
        """
        c = self.costs
        x, w, one = c.mean[at], c.weight[at], c.literals[at].astype(float)
        sums = [(one * v[:, None]).T @ one for v in (w, w * x, w * x * x, c.within[at], prices[at], c.rows[at])]
        weight, total, squares, within, price, rows = sums
        with np.errstate(divide="ignore", invalid="ignore"):
            leaf = np.where(weight > 0, c.price + within + squares - total**2 / weight, math.inf)
        leaf[rows < max(c.least_rows, 0.5)] = math.inf
        quadrant = leaf if depth <= 2 else np.maximum(np.minimum(leaf, 2 * c.price + within), price)
        quadrant = np.where(weight > 0, quadrant, math.inf)
        split = (quadrant[:, ::2] + quadrant[:, 1::2]).min(axis=1, initial=math.inf)
        side = leaf.diagonal() if depth <= 1 else np.minimum(leaf.diagonal(), split)
        side = np.where(weight.diagonal() > 0, np.maximum(side, price.diagonal()) - 3 * c.error, math.inf)
        if self.known and depth > 1:
            inside = np.zeros(len(c.rows), bool)
            inside[at] = True
            bits = np.packbits(c.literals & inside[:, None], axis=0).T
            side = np.maximum(side, [self.lookup(row, depth - 1) for row in bits])
        return side

    def prove(self, at: Array, depth: float, prices: Array) -> float:
        """Enter a subproblem: it is a leaf, or one of its splits, and costs no less than its prices."""
        enough = self.costs.rows[at].sum() >= self.costs.least_rows
        leaf = float(self.costs.exact(at)) - self.costs.error if enough else math.inf
        side = self.sides(at, depth, prices) if depth > 0 else np.zeros(0)
        bound = min(leaf, (side[::2] + side[1::2]).min(initial=math.inf))
        return self.enter(at, depth, max(bound, float(prices[at].sum()) - self.costs.error))

    def enter(self, at: Array, depth: float, bound: float) -> float:
        """Keep a bound of a subproblem."""
        inside = np.zeros(len(self.costs.rows), bool)
        inside[at] = True
        self.known.setdefault(np.packbits(inside).tobytes(), []).append((depth, bound))
        return bound


# --- The verdict [6] --------------------------------------------------------------------------------------------------


@dataclass
class Report:
    """The verdict on a certificate: whether all that it claims holds, and in words what that is, or what does not."""

    accepted: bool
    lines: list[str]
    objective: float = math.nan  # of the tree in the certificate
    lower_bound: float = math.nan  # that no tree is below
    rival: float | None = None  # the objective of the tree that was to be compared
    optimal: bool = False  # of the rival if there is one, else of the tree in the certificate

    def __str__(self) -> str:
        return "\n".join(self.lines)


def proven_bound(certificate: Mapping[str, Any], costs: Costs) -> float:
    """Check all price lists and branchings; return what no tree costs less than."""
    ledger, lists, everything = Ledger(costs), [], np.arange(len(costs.rows))
    for item in certificate["prices"]:
        lists.append(PriceCheck(costs, costs.support(item["where"]), item["prices"]))
        lists[-1].run()
        if len(lists[-1].home) == len(everything):
            ledger.enter(everything, math.inf, sum(item["prices"]) / PRICE_UNIT * (1 - 2 * ULP))
    for where, left, number_of_list in certificate["branchings"]:
        at, prices = costs.support(where), np.zeros(len(everything))
        if number_of_list is not None:
            require(np.isin(at, lists[number_of_list].home).all(), "a branching uses prices of other groups")
            prices = lists[number_of_list].whole / PRICE_UNIT
        require(len(at), "a branching has no groups")
        ledger.prove(at, depth_of(left), prices)
    bound = ledger.lookup(np.packbits(np.ones(len(everything), bool)), depth_of(certificate["max_depth"]))
    # A tree of at most K leaves costs K (leaf_price - regularization) less than at the price of the proof [5.3].
    extra, most = Fraction(costs.price) - Fraction(certificate["regularization"]), certificate["max_leaves"]
    require(extra == 0 or (extra > 0 and type(most) is int), "the price of a leaf is not the regularization")
    return max(math.nextafter(float(Fraction(max(bound, 0.0)) - extra * (most or 0)), -math.inf), 0.0)


def depth_of(limit: int | None) -> float:
    """Return a limit on the depth as a number."""
    require(limit is None or (type(limit) is int and limit >= 0), "a depth is no number of splits")
    return math.inf if limit is None else limit


def check(certificate: Mapping[str, Any], groups: tables.Groups, tree: Any = None) -> Report:
    """Return the verdict on a certificate for these groups, and on another tree if one is given."""
    price, least, most = (certificate[name] for name in ("leaf_price", "min_samples_leaf", "max_leaves"))
    numbers = [certificate[name] for name in ("regularization", "tolerance", "objective", "lower_bound")]
    require(all(type(v) in (int, float) and math.isfinite(v) for v in numbers), "what is claimed is no number")
    require(certificate["regularization"] >= 0, "the regularization is negative")
    require(most is None or type(most) is int, "a limit is no number")
    penalty, depth = Fraction(certificate["regularization"]), depth_of(certificate["max_depth"])
    require(type(price) is float and 0 <= price < math.inf and type(least) is int, "a limit is no number")
    require(0 <= certificate["tolerance"] <= TOLERANCE, "the tolerance is too wide")
    costs = Costs(groups, price, least)

    def objective(of: Any) -> tuple[float, str]:
        cost, leaves, deep = costs.tree(of)
        require(most is None or leaves <= most, "the tree has too many leaves")
        beyond = " (deeper than the trees that the proof is about)" if deep > depth else ""
        return float(cost - (Fraction(price) - penalty) * leaves), f"{leaves} leaves{beyond}"

    cost, leaves = objective(certificate["tree"])
    require(abs(cost - certificate["objective"]) <= 1e-12 * (1 + cost), f"the tree costs {cost!r}, not what is claimed")
    bound, claimed = proven_bound(certificate, costs), certificate["lower_bound"]
    require(claimed <= bound, f"that no tree costs less than {bound!r} is proven; {claimed!r} is claimed")
    optimal, gap = cost - bound <= certificate["tolerance"], f"{cost - bound:.3g}"
    require(
        optimal or certificate["optimal"] is False, f"the tree is claimed to be optimal and may cost {gap} too much"
    )
    limits = ("max_depth", "max_leaves", "min_samples_leaf")
    within = ", ".join(f"{name} {certificate[name]}" for name in limits if certificate[name] is not None)
    lines = [
        f"{sum(groups.rows)} rows, {len(groups.rows)} groups, {groups.answers.shape[1]} conditions on "
        f"{', '.join(sorted({str(condition['column']) for condition in certificate['conditions']})) or 'nothing'}; "
        f"regularization {certificate['regularization']:g}, {within}",
        f"the tree of the certificate has {leaves} and costs {cost:.12g}",
        f"no tree within these limits costs less than {bound:.12g}, by {len(certificate['prices'])} price list(s) and "
        f"{len(certificate['branchings'])} branching(s)",
        "accepted: no such tree is better" if optimal else f"accepted: no such tree is better by more than {gap}",
    ]
    report = Report(True, lines, cost, bound, optimal=optimal)
    if tree is not None:
        report.rival, leaves = objective(tree)
        report.optimal = report.rival - bound <= TOLERANCE
        words = "is optimal" if report.optimal else f"is within {report.rival - bound:.3g} of the optimum"
        if report.rival - cost > TOLERANCE:
            words = f"is refuted: the tree of the certificate is better by {report.rival - cost:.12g}"
        lines.append(f"the other tree has {leaves}, costs {report.rival:.12g} and {words}")
    return report


def verify(certificate: Any, table: Any = None, target: Any = None, weight: Any = None, *, tree: Any = None) -> Report:
    """Check a certificate, a file or its content, against a table: a CSV file, columns by name, or an array.

    ``target`` and ``weight`` are values or names of columns, those of the certificate by default. Without a table the
    proof is checked for the groups in the certificate, and that they are those of a table is not. ``tree``: another
    tree on the conditions of the certificate, for which the same question is answered.
    """
    try:
        content = tables.read_certificate(certificate) if isinstance(certificate, str | Path) else certificate
        known = (content["format"], content["version"], content["loss"]) == (FORMAT, VERSION, "squared_error")
        require(known, f"this checker reads {FORMAT} {VERSION} of squared error")
        groups = tables.stored_groups(content["groups"], len(content["conditions"]))
        require(groups.digest(content["conditions"]) == content["digest"], "the digest is that of other groups")
        if table is not None:
            table = tables.read_csv(Path(table)) if isinstance(table, str | Path) else table
            target, weight = (content[k] if v is None else v for k, v in (("target", target), ("weight", weight)))
            stored, groups = groups, tables.groups_of_table(content, table, target, weight)
            tables.require_same(groups, stored, content)
        report = check(content, groups, tree)
        asked = {"target": target, "weight": weight}.items()
        named = "".join(f", {what} {name!r}" for what, name in asked if isinstance(name, str))
        about = f"of this table{named}" if table is not None else "in the certificate; no table was there to compare"
        report.lines.insert(0, f"the groups are those {about}")
        return report
    except Rejected as problem:
        return Report(False, [f"rejected: {problem}"])
    except DAMAGED as problem:
        return Report(False, [f"rejected: the file is damaged or no certificate ({type(problem).__name__}: {problem})"])


def main(arguments: list[str] | None = None) -> int:
    """Run the checker from the command line; 0 if all that is claimed holds."""
    parser = argparse.ArgumentParser(description="Check a certificate of optitree.")
    parser.add_argument("certificate")
    parser.add_argument("table", nargs="?", help="a CSV file")
    for name in ("--target", "--weight"):
        parser.add_argument(name, help="the name of its column, if the certificate does not say")
    parser.add_argument("--tree", help="a JSON file with another tree: null, or [condition, where it holds, where not]")
    given = parser.parse_args(arguments)
    tree = None if given.tree is None else json.loads(Path(given.tree).read_text())
    print(report := verify(given.certificate, given.table, given.target, given.weight, tree=tree))
    return 0 if report.accepted and (tree is None or report.optimal) else 1


if __name__ == "__main__":
    sys.exit(main())
