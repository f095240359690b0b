"""The checker: reads a certificate, and a table if there is one, and recomputes all that the certificate claims.

It shares nothing with the solver. With ``verify_table.py`` beside it it needs Python and numpy and runs alone:
``python verify.py proof.json data.csv``. docs/certificate.md has the argument; numbers in brackets are its sections.
"""

import argparse
import json
import math
import sys
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

if __package__:
    from . import verify_table as tables
else:  # the file alone
    import verify_table as tables  # type: ignore[import-not-found, no-redef]

Rejected, require = tables.Rejected, tables.require
Array = Any  # of numpy
FORMAT, VERSION = "optitree-certificate", 1
TOLERANCE = 1e-9  # of the root loss: the most that a proof of optimality may leave open
PRICE_UNIT = 1 << 60  # prices are whole numbers of 1 / PRICE_UNIT of the root loss
PIECES, ULP = 8, 2.0**-53  # into which an interval of centres is cut; the rounding of a number of size 1


# --- Costs [3] --------------------------------------------------------------------------------------------------------


class Costs:
    """What leaves and trees cost, in units of the root loss: exactly, and in floating point with a known error.

    Arrays are over groups. ``error``: the most by which the cost of a leaf in floating point is wrong.
    """

    def __init__(self, groups: tables.Groups, leaf_price: float, least_rows: int) -> None:
        self.groups, self.price = groups, leaf_price
        self.least_rows = min(least_rows, sum(groups.rows))  # all rows together may always be a leaf
        w_all, s_all = sum(groups.weight), sum(groups.sum)
        self.root = Fraction(sum(groups.square) * w_all - s_all**2, w_all)
        require(self.root > 0, "the target is constant: one leaf is best, and there is nothing to prove")
        # Quotients of whole numbers, which Python rounds correctly however long they are.
        above, below = Fraction(math.sqrt(self.root / w_all)).as_integer_ratio()  # of the root's deviation
        sums = list(zip(groups.weight, groups.sum, groups.square, strict=True))
        self.weight = np.array([w / w_all for w in groups.weight])
        require(self.weight.min() > 1e-30, "weights are too far apart for floating point")
        self.mean = np.array([(s * w_all - s_all * w) * below / (w * w_all * above) for w, s, _ in sums])
        top, bottom = self.root.as_integer_ratio()
        self.within = np.array([(q * w - s * s) * bottom / (w * top) for w, s, q in sums])
        self.rows = np.array(groups.rows, float)
        self.literals = np.stack([~groups.answers, groups.answers], axis=2).reshape(len(sums), -1)  # 2 f + holds
        self.share = (4 * len(sums) + 100) * ULP
        self.error = 2 * self.share * (1 + leaf_price)

    def exact(self, members: Iterable[int]) -> Fraction:
        """Return the cost of a leaf on some groups."""
        at, lists = list(members), (self.groups.weight, self.groups.sum, self.groups.square)
        w, s, q = (sum(values[k] for k in at) for values in lists)
        return Fraction(self.price) + (q - Fraction(s * s, w)) / self.root

    def tree(self, tree: Any) -> tuple[Fraction, int, int]:
        """Return the exact cost, leaves and depth of a tree: null, or [condition, where it holds, where not]."""
        waiting = [(tree, np.arange(len(self.rows)), 0)]
        cost, leaves, depth = Fraction(0), 0, 0
        while waiting:
            node, at, deep = waiting.pop()
            depth = max(depth, deep)
            require(len(at), "the tree has an empty leaf")
            if node is None:
                require(self.rows[at].sum() >= self.least_rows, "a leaf of the tree has too few rows")
                cost, leaves = cost + self.exact(at), leaves + 1
            else:
                condition, yes, no = node
                require(type(condition) is int and condition >= 0, "the tree asks no such condition")
                holds = self.groups.answers[at, condition]
                waiting += [(yes, at[holds], deep + 1), (no, at[~holds], deep + 1)]
        return cost, leaves, depth

    def support(self, literals: Iterable[int]) -> Array:
        """Return the groups for which all of some literals hold."""
        holds = np.ones(len(self.rows), bool)
        for literal in literals:
            require(type(literal) is int and literal >= 0, "there is no such literal")
            holds &= self.literals[:, literal]
        return np.flatnonzero(holds)


# --- Prices: no possible leaf is cheaper than the prices of its groups [4] --------------------------------------------


class PriceCheck:
    """Looks for a conjunction of literals whose leaf is cheaper than the prices of its groups; all are examined."""

    def __init__(self, costs: Costs, home: Array, prices: list[int]) -> None:
        require(len(prices) == len(home), "a list has not one price for each of its groups")
        require(all(type(p) is int for p in prices) and sum(map(abs, prices)) < 1 << 62, "prices are too large")
        self.costs, self.home = costs, home
        self.whole = np.zeros(len(costs.rows), np.int64)
        self.whole[home] = prices
        self.net = self.whole / PRICE_UNIT - costs.within

    def run(self) -> None:
        """Examine every conjunction on the groups of the list."""
        mean = self.costs.mean[self.home]
        wider = 1e-9 * (1 + np.abs(mean).max())
        self.examine_leaf(self.home)
        literals = np.arange(self.costs.literals.shape[1])
        self.extend(self.home, literals, literals[:0], (mean.min() - wider, mean.max() + wider))

    def examine_leaf(self, at: Array) -> None:
        """Compare the cost of one leaf with its prices; exactly, where floating point cannot tell."""
        w, x, net = self.costs.weight[at], self.costs.mean[at], self.net[at]
        loss = (w * (x - (w * x).sum() / w.sum()) ** 2).sum()
        if net.sum() - loss > self.costs.price - self.costs.share * (1 + np.abs(net).sum()):
            enough = self.costs.rows[at].sum() >= self.costs.least_rows
            if enough and Fraction(int(self.whole[at].sum()), PRICE_UNIT) > self.costs.exact(at):
                self.found(at)

    def found(self, at: Array) -> None:
        """There is a leaf that is cheaper than its prices."""
        raise Rejected(f"a leaf on {len(at)} groups is cheaper than the prices of its groups")

    def extend(self, at: Array, open_: Array, done: Array, centres: tuple[float, float]) -> None:
        """Examine the leaves on ``at`` with one or more literals of ``open_`` whose mean is between two centres.

        Leaves with a literal of ``done`` have been examined: if all of ``at`` satisfies one, so have all of these.
        """
        if self.costs.rows[at].sum() < self.costs.least_rows:
            return
        if self.costs.literals[np.ix_(at, done)].all(axis=0).any():
            return
        narrowed = 0
        while True:
            holds = self.costs.literals[np.ix_(at, open_)]
            varies = ~holds.all(axis=0) & holds.any(axis=0)
            open_, holds = open_[varies], holds[:, varies]
            free = ~holds.all(axis=1)  # the others are in every leaf
            if not free.any():
                return
            edges = np.linspace(*centres, PIECES + 1)
            add = np.maximum(self.most(at[free], edges), 0)
            need = self.needed(at[~free], edges, add.sum(axis=0))
            live = add.sum(axis=0) > need
            if not live.any():
                return
            first, last = live.argmax(), PIECES - live[::-1].argmax()
            centres = edges[first], edges[last]
            addable = add[:, live].T @ holds[free]  # by piece and literal
            reached = (addable > need[live, None]).any(axis=0)
            if not reached.all():  # no leaf with these literals can be too cheap
                done, open_ = np.append(done, open_[~reached]), open_[reached]
            elif last - first <= PIECES // 2 and narrowed < 3:
                narrowed += 1  # a closer look at fewer centres
            else:
                middle = (first + last) // 2
                halves = sum(
                    add[:, a:b].max(axis=1, initial=0).sum() ** 2 for a, b in ((first, middle), (middle, last))
                )
                if halves < add[:, first:last].max(axis=1).sum() ** 2:  # each leaf has its mean in one of them
                    self.extend(at, open_, done, (centres[0], edges[middle]))
                    self.extend(at, open_, done, (edges[middle], centres[1]))
                    return
                best = edges[(add.sum(axis=0) - need).argmax()] + (edges[1] - edges[0]) / 2
                open_, done = self.branch((at, open_, done), holds, centres, (best, addable.max(axis=0)))

    def branch(self, node: Any, holds: Array, centres: Any, guide: Any) -> tuple[Array, Array]:
        """Choose a group: leaves with a literal that it violates are examined now, those without remain.

        Of literals that imply one another on these groups only the widest is added: leaves with the others are among
        its own. Which group and which order is a matter of speed alone (``guide``).
        """
        (at, open_, done), (centre, addable) = node, guide
        value = self.net[at] - self.costs.weight[at] * (self.costs.mean[at] - centre) ** 2
        violated = (~holds).sum(axis=1)
        b = np.where(violated > 0, value / np.maximum(violated, 1) ** 2, math.inf).argmin()
        wrong = np.flatnonzero(~holds[b])
        wrong = wrong[np.argsort(addable[wrong], kind="stable")]
        inside = holds[:, wrong].T.astype(np.float32) @ ~holds[:, wrong] == 0  # [i, j]: i implies j
        left = np.ones(len(open_), bool)
        for i, literal in enumerate(wrong):
            if any(inside[i, j] and (j < i or not inside[j, i]) for j in range(len(wrong)) if j != i):
                continue
            left[literal] = False
            below = at[holds[:, literal]]
            self.examine_leaf(below)
            self.extend(below, open_[left], done, centres)
            closed = wrong[inside[:, i]]
            left[closed] = False
            done = np.append(done, open_[closed])
        return open_[left], done

    def most(self, at: Array, edges: Array) -> Array:
        """Return the most that each group adds to a leaf whose mean is in a piece: its price less its own loss."""
        x = self.costs.mean[at][:, None]
        away = np.maximum(np.maximum(edges[:-1] - x, x - edges[1:]), 0)
        return self.net[at][:, None] - self.costs.weight[at][:, None] * away**2

    def needed(self, at: Array, edges: Array, add: Array) -> Array:
        """Return what others have to add, piece by piece, for a leaf to be too cheap; for safety a little less."""
        w, x, net = self.costs.weight[at], self.costs.mean[at], self.net[at]
        mean = (w * x).sum() / w.sum() if len(at) else 0.0
        away = np.maximum(np.maximum(edges[:-1] - mean, mean - edges[1:]), 0)
        loss = (w * (x - mean) ** 2).sum() + w.sum() * away**2
        return self.costs.price - net.sum() + loss - self.costs.share * (2 + np.abs(net).sum() + loss + add)


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
    return max(float(Fraction(max(bound, 0.0)) - extra * (most or 0)) - ULP, 0.0)


def depth_of(limit: int | None) -> float:
    """Return a limit on the depth as a number."""
    require(limit is None or (type(limit) is int and limit >= 0), "a depth is no number of splits")
    return math.inf if limit is None else limit


def check(certificate: Mapping[str, Any], groups: tables.Groups, tree: Any = None) -> Report:
    """Return the verdict on a certificate for these groups, and on another tree if one is given."""
    price, least, most = (certificate[name] for name in ("leaf_price", "min_samples_leaf", "max_leaves"))
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
        f"{sum(groups.rows)} rows, {len(groups.rows)} groups, {groups.answers.shape[1]} conditions; "
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
            given = zip((target, weight), (content["target"], content["weight"]), strict=True)
            stored, groups = groups, tables.groups_of_table(content, table, *(b if a is None else a for a, b in given))
            tables.require_same(groups, stored, content)
        report = check(content, groups, tree)
        about = "of this table" if table is not None else "in the certificate; no table was there to compare them with"
        report.lines.insert(0, f"the groups are those {about}")
        return report
    except Rejected as problem:
        return Report(False, [f"rejected: {problem}"])
    except (LookupError, TypeError, ValueError, ArithmeticError, RecursionError, EOFError, zlib.error) as problem:
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
