"""The checker: reads a certificate, and a table if there is one, and recomputes all that the certificate claims.

It shares nothing with the solver: this file needs Python and numpy and runs alone, ``python verify.py proof.json
data.csv``. docs/certificate.md has the argument; numbers in brackets below are its sections.
"""

import argparse
import csv
import gzip
import hashlib
import json
import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

FORMAT, VERSION = "optitree-certificate", 1
TOLERANCE = 1e-9  # of the root loss: two costs that differ by less count as equal
PRICE_UNIT = 1 << 60  # prices are whole numbers of 1 / PRICE_UNIT of the root loss
MISSING = ("", "NA", "NaN", "nan", "NULL", "null")
PIECES = 8  # into which an interval of centres is cut
ULP = 2.0**-53


class Rejected(Exception):
    """What is claimed does not follow from what is there."""


def require(holds: Any, problem: str) -> None:
    """Reject unless something holds."""
    if not holds:
        raise Rejected(problem)


# --- Groups: rows with the same answers to all conditions, counted once [1] ------------------------------------------


@dataclass
class Groups:
    """Sums of weight, target and its square by group, as whole numbers: exact.

    Weights count in units of 2^-a and targets in units of 2^-b, with ``units`` = (a, b).
    """

    answers: np.ndarray  # a row for each group, a column for each condition: true or false
    rows: list[int]
    weight: list[int]
    sum: list[int]
    square: list[int]
    units: tuple[int, int]

    def digest(self, conditions: list[Any]) -> str:
        """Return the SHA-256 of conditions and groups."""
        content = [conditions, names_of(self.answers), self.rows, self.weight, self.sum, self.square, self.units]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def names_of(answers: np.ndarray) -> list[str]:
    """Return the answers of each group as hexadecimal digits, the first condition in the highest bit."""
    return [row.tobytes().hex() for row in np.packbits(answers, axis=1)]


def whole(values: Iterable[float]) -> tuple[list[int], int]:
    """Return floating point numbers as whole numbers of 2^-e, and e."""
    ratios = [float(value).as_integer_ratio() for value in values]
    e = max((below.bit_length() - 1 for _, below in ratios), default=0)
    return [above << (e + 1 - below.bit_length()) for above, below in ratios], e


def group_rows(answers: np.ndarray, target: Iterable[float], weight: Iterable[float]) -> Groups:
    """Add up the rows of a table by their answers."""
    y, b = whole(target)
    w, a = whole(weight)
    sums: dict[bytes, list[int]] = {}
    for key, value, times in zip(map(bytes, np.packbits(answers, axis=1)), y, w, strict=True):
        total = sums.setdefault(key, [0, 0, 0, 0])
        if times:  # a row of weight 0 counts nowhere
            total[0] += 1
            total[1] += times
            total[2] += times * value
            total[3] += times * value * value
    keys = sorted(key for key, total in sums.items() if total[0])
    bits = np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), -1)
    distinct = np.unpackbits(bits, axis=1, count=answers.shape[1]).astype(bool)
    return Groups(distinct, *([sums[key][k] for key in keys] for k in range(4)), units=(a, b))


def stored_groups(content: dict[str, Any], conditions: int) -> Groups:
    """Return the groups in a certificate."""
    bits = np.frombuffer(bytes.fromhex("".join(content["answers"])), np.uint8).reshape(len(content["answers"]), -1)
    answers = np.unpackbits(bits, axis=1, count=conditions).astype(bool)
    lists = [content[name] for name in ("rows", "weight", "sum", "square")]
    require(all(type(v) is int for values in lists for v in values), "a sum of a group is no whole number")
    require({len(values) for values in lists} == {len(answers)}, "the groups are incomplete")
    require(min(lists[0]) > 0 and min(lists[1]) > 0, "a group is empty")
    names = content["answers"]
    require(names == names_of(answers) and names == sorted(set(names)), "the groups are out of order")
    groups = Groups(answers, *lists, units=tuple(content["units"]))
    least = [q * w - s * s for q, w, s in zip(groups.square, groups.weight, groups.sum, strict=True)]
    require(min(least) >= 0, "the squares of a group are less than its mean allows")
    return groups


# --- Tables [2] -------------------------------------------------------------------------------------------------------


def read_csv(path: Path) -> dict[str, list[str]]:
    """Return the columns of a CSV file, which may be compressed, as texts."""
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
        rows = csv.reader(file, delimiter="\t" if ".tsv" in path.name else ",")
        names = next(rows)
        columns = list(zip(*(row for row in rows if row), strict=True))
    return dict(zip(names, map(list, columns), strict=True))


def number(value: Any) -> float:
    """Return a value as a number: booleans as 0 and 1, dates in microseconds since 1970, NaN if it is missing."""
    if value is None or value is getattr(value, "NaT", value) is None or (isinstance(value, str) and value in MISSING):
        return math.nan
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return float(value.lower() == "true")
    try:
        return float(value)
    except (TypeError, ValueError):
        date = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    since = date.replace(tzinfo=date.tzinfo or UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return float((since.days * 86400 + since.seconds) * 1_000_000 + since.microseconds)


def is_missing(value: Any) -> bool:
    """Whether there is no value."""
    return value is None or (value in MISSING if isinstance(value, str) else bool(value != value))  # noqa: PLR0124


def answer(condition: Mapping[str, Any], values: Iterable[Any]) -> list[bool]:
    """Ask a condition of the values of its column. A missing value is in no interval and is no level."""
    if "levels" in condition:
        levels = set(condition["levels"])
        return [not is_missing(value) and str(value) in levels for value in values]
    if "intervals" not in condition:
        require(condition["missing"] is True, "a condition says nothing")
        return [is_missing(value) for value in values]
    ends = [(-math.inf if a is None else a, math.inf if b is None else b) for a, b in condition["intervals"]]
    return [any(low < x <= high for low, high in ends) for x in map(number, values)]


def column_of(table: Any, certificate: Mapping[str, Any], name: str) -> Iterable[Any]:
    """Return a column of a mapping or frame by its name, of an array by its number."""
    if isinstance(table, np.ndarray):
        return table[:, certificate["columns"].index(name)].tolist()
    require(name in table, f"the table has no column {name!r}")
    return list(table[name])


def groups_of_table(certificate: Mapping[str, Any], table: Any, target: Any, weight: Any) -> Groups:
    """Ask all conditions of a table, and add up its rows. ``target``, ``weight``: values, or names of columns."""
    target, weight = (column_of(table, certificate, v) if isinstance(v, str) else v for v in (target, weight))
    require(target is not None, "the target is not known; name its column")
    y = [number(value) for value in target]
    require(y and all(map(math.isfinite, y)), "there are rows without a target")
    w = [1.0] * len(y) if weight is None else [number(value) for value in weight]
    require(all(0 <= v < math.inf for v in w) and any(w), "there are rows without a weight")
    asked = [answer(each, column_of(table, certificate, each["column"])) for each in certificate["conditions"]]
    require(all(len(answers) == len(y) for answers in asked) and len(w) == len(y), "columns differ in their length")
    return group_rows(np.array(asked, bool).reshape(len(asked), len(y)).T, y, w)


def require_same(found: Groups, stored: Groups, certificate: Mapping[str, Any]) -> None:
    """Reject a table that is not the one of a certificate.

    If the certificate was made of rows their sums must be the same to the last digit. If it was made of groups that an
    engine had added up, they may differ by what rounding does: weights and means by 1e-9 of themselves.
    """
    another = "the table is another one: "
    require(names_of(found.answers) == names_of(stored.answers), another + "its rows answer the conditions differently")
    require(found.rows == stored.rows, another + "groups have other numbers of rows")
    if certificate["source"] == "rows":
        same = found.digest(certificate["conditions"]) == certificate["digest"]
        require(same, another + "groups have other sums")
        return
    (a, b), (c, d), origin = found.units, stored.units, Fraction(certificate["origin"])
    lists = (found.weight, found.sum, stored.weight, stored.sum)
    means = [(Fraction(s, w << b), Fraction(t, v << d) + origin) for w, s, v, t in zip(*lists, strict=True)]
    size = max(abs(x) for x, _ in means)
    near = all(abs(x - y) <= size / 10**9 for x, y in means)
    weights = zip(found.weight, stored.weight, strict=True)
    same_weight = all(abs(Fraction(w, 1 << a) * (1 << c) / v - 1) <= Fraction(1, 10**9) for w, v in weights)
    require(near and same_weight, another + "groups have other sums")


# --- Costs [3] --------------------------------------------------------------------------------------------------------


class Costs:
    """What leaves and trees cost, in units of the root loss: exactly, and in floating point with a known error.

    ``net`` and the like are arrays over groups. ``error`` is the most by which a leaf's cost in floating point is wrong.
    """

    def __init__(self, groups: Groups, leaf_price: float, least_rows: int) -> None:
        self.groups, self.least_rows, self.price = groups, least_rows, leaf_price
        self.all_weight, self.all_sum = sum(groups.weight), sum(groups.sum)
        self.root = Fraction(sum(groups.square) * self.all_weight - self.all_sum**2, self.all_weight)
        require(self.root > 0, "the target is constant: there is nothing to prove")
        # Quotients of whole numbers, which Python rounds correctly however long they are.
        above, below = Fraction(math.sqrt(self.root / self.all_weight)).as_integer_ratio()  # of the root's deviation
        sums, w_all, s_all = list(zip(groups.weight, groups.sum, groups.square, strict=True)), self.all_weight, self.all_sum
        self.weight = np.array([w / w_all for w in groups.weight])
        self.mean = np.array([(s * w_all - s_all * w) * below / (w * w_all * above) for w, s, _ in sums])
        top, bottom = self.root.as_integer_ratio()
        self.within = np.array([(q * w - s * s) * bottom / (w * top) for w, s, q in sums])
        self.rows = np.array(groups.rows, float)
        self.literals = np.stack([~groups.answers, groups.answers], axis=2).reshape(len(sums), -1)  # 2 f + holds
        self.share = (4 * len(sums) + 100) * ULP
        self.error = 2 * self.share * (1 + leaf_price)

    def exact(self, members: Iterable[int]) -> Fraction:
        """Return the cost of a leaf on some groups."""
        g, at = self.groups, list(members)
        w, s, q = (sum(values[k] for k in at) for values in (g.weight, g.sum, g.square))
        return Fraction(self.price) + (q - Fraction(s * s, w)) / self.root

    def tree(self, tree: Any, depth: float = math.inf) -> tuple[Fraction, int]:
        """Return the exact cost of a tree and its leaves. It is null, or [condition, where it holds, where not]."""
        waiting = [(tree, np.arange(len(self.rows)), 0)]
        cost, leaves = Fraction(0), 0
        while waiting:
            node, at, deep = waiting.pop()
            require(len(at) and deep <= depth, "the tree has an empty leaf or is too deep")
            if node is None:
                require(self.rows[at].sum() >= self.least_rows, "a leaf of the tree has too few rows")
                cost, leaves = cost + self.exact(at), leaves + 1
            else:
                condition, yes, no = node
                require(type(condition) is int and condition >= 0, "the tree asks no such condition")
                holds = self.groups.answers[at, condition]
                waiting += [(yes, at[holds], deep + 1), (no, at[~holds], deep + 1)]
        return cost, leaves

    def support(self, literals: Iterable[int]) -> np.ndarray:
        """Return the groups for which all of some literals hold."""
        holds = np.ones(len(self.rows), bool)
        for literal in literals:
            require(type(literal) is int and literal >= 0, "there is no such literal")
            holds &= self.literals[:, literal]
        return np.flatnonzero(holds)


# --- Prices: no possible leaf is cheaper than the prices of its groups [4] --------------------------------------------


class PriceCheck:
    """Looks for a conjunction of literals whose leaf is cheaper than the prices of its groups; all are examined."""

    def __init__(self, costs: Costs, home: np.ndarray, prices: list[int]) -> None:
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

    def examine_leaf(self, at: np.ndarray) -> None:
        """Compare the cost of one leaf with its prices; exactly, where floating point cannot tell."""
        w, x, net = self.costs.weight[at], self.costs.mean[at], self.net[at]
        loss = (w * (x - (w * x).sum() / w.sum()) ** 2).sum()
        if net.sum() - loss > self.costs.price - self.costs.share * (1 + np.abs(net).sum()):
            enough = self.costs.rows[at].sum() >= self.costs.least_rows
            if enough and Fraction(int(self.whole[at].sum()), PRICE_UNIT) > self.costs.exact(at):
                self.found(at)

    def found(self, at: np.ndarray) -> None:
        """There is a leaf that is cheaper than its prices."""
        raise Rejected(f"a leaf on {len(at)} groups is cheaper than the prices of its groups")

    def extend(self, at: np.ndarray, open_: np.ndarray, done: np.ndarray, centres: tuple[float, float]) -> None:
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
                halves = sum(add[:, a:b].max(axis=1, initial=0).sum() ** 2 for a, b in ((first, middle), (middle, last)))
                if halves < add[:, first:last].max(axis=1).sum() ** 2:  # each leaf has its mean in one of them
                    self.extend(at, open_, done, (centres[0], edges[middle]))
                    self.extend(at, open_, done, (edges[middle], centres[1]))
                    return
                best = edges[(add.sum(axis=0) - need).argmax()] + (edges[1] - edges[0]) / 2
                open_, done = self.branch((at, open_, done), holds, centres, (best, addable.max(axis=0)))

    def branch(self, node: Any, holds: np.ndarray, centres: Any, guide: Any) -> tuple[np.ndarray, np.ndarray]:
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

    def most(self, at: np.ndarray, edges: np.ndarray) -> np.ndarray:
        """Return the most that each group adds to a leaf whose mean is in a piece: its price less its own loss."""
        x = self.costs.mean[at][:, None]
        away = np.maximum(np.maximum(edges[:-1] - x, x - edges[1:]), 0)
        return self.net[at][:, None] - self.costs.weight[at][:, None] * away**2

    def needed(self, at: np.ndarray, edges: np.ndarray, add: np.ndarray) -> np.ndarray:
        """Return what other groups have to add, piece by piece, for a leaf to be too cheap; a little less for safety."""
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

    def lookup(self, member_bits: np.ndarray, depth: float) -> float:
        """Return what is proven of a subproblem: what holds for deeper trees holds for these."""
        return max((bound for d, bound in self.known.get(member_bits.tobytes(), ()) if d >= depth), default=-math.inf)

    def sides(self, at: np.ndarray, depth: float, prices: np.ndarray) -> np.ndarray:
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

    def prove(self, at: np.ndarray, depth: float, prices: np.ndarray) -> float:
        """Enter a subproblem: it is a leaf, or one of its splits, and costs no less than its prices."""
        leaf = math.inf
        if self.costs.rows[at].sum() >= self.costs.least_rows:
            leaf = float(self.costs.exact(at)) - self.costs.error
        side = self.sides(at, depth, prices) if depth > 0 else np.full(2, math.inf)
        bound = min(leaf, (side[::2] + side[1::2]).min(initial=math.inf))
        return self.enter(at, depth, max(bound, float(prices[at].sum()) - self.costs.error))

    def enter(self, at: np.ndarray, depth: float, bound: float) -> float:
        """Keep a bound of a subproblem."""
        inside = np.zeros(len(self.costs.rows), bool)
        inside[at] = True
        self.known.setdefault(np.packbits(inside).tobytes(), []).append((depth, bound))
        return bound


# --- The verdict [6] --------------------------------------------------------------------------------------------------


def proven_bound(certificate: Mapping[str, Any], costs: Costs) -> float:
    """Check all price lists and branchings; return what no tree costs less than."""
    everything, depth = np.arange(len(costs.rows)), depth_of(certificate["max_depth"])
    ledger, lists = Ledger(costs), []
    for item in certificate["prices"]:
        check = PriceCheck(costs, costs.support(item["where"]), item["prices"])
        check.run()
        lists.append(check)
        if len(check.home) == len(everything):
            ledger.enter(everything, math.inf, sum(item["prices"]) / PRICE_UNIT * (1 - 2 * ULP))
    for where, left, number_of_list in certificate["branchings"]:
        at, check = costs.support(where), lists[number_of_list]
        require(len(at) and np.isin(at, check.home).all(), "a branching uses prices of other groups")
        ledger.prove(at, depth_of(left), check.whole / PRICE_UNIT)
    bound = ledger.lookup(np.packbits(np.ones(len(everything), bool)), depth)
    most = certificate["max_leaves"]
    extra = Fraction(certificate["leaf_price"]) - Fraction(certificate["regularization"])
    require(extra == 0 or (extra > 0 and type(most) is int), "the price of a leaf is another one")
    return float(Fraction(max(bound, 0.0)) - extra * (most or 0)) - ULP  # [5.2]


def depth_of(limit: int | None) -> float:
    """Return a limit on the depth as a number."""
    require(limit is None or (type(limit) is int and limit >= 0), "a depth is no number of splits")
    return math.inf if limit is None else limit
