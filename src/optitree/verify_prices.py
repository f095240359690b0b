"""Costs of leaves and trees, and the check of a price list. The second part of the checker (``verify.py``).

It shares nothing with the solver. Numbers in brackets are sections of docs/certificate.md.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

if __package__:
    from . import verify_table as tables
else:  # the file alone
    import verify_table as tables  # type: ignore[import-not-found, no-redef]

Rejected, require = tables.Rejected, tables.require
Array = Any  # of numpy
PRICE_UNIT = 1 << 60  # prices are whole numbers of 1 / PRICE_UNIT of the root loss
ULP = 2.0**-53  # the rounding of a number of size 1
PIECES = 4  # into which an interval of means is cut


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
        require(1e-250 < self.root / w_all < 1e250, "targets are too close together or too far apart")
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


@dataclass
class Forced:
    """Groups that are in every leaf under examination: sums of a, b, c and rows, and the literals that hold for all."""

    sums: Array
    at: Array
    literals: Array


@dataclass
class Leaves:
    """A set of leaves: each has the forced groups, and those free ones for which some literals of ``open`` hold.

    Literals are numbered over ``conditions``: first that they hold, then that they do not. ``bits`` has a row for each
    free group, with a 1 in front. Leaves with a literal of ``done`` have been examined. ``means``: where those of the
    leaves are that come into question.
    """

    free: Array
    bits: Array
    conditions: Array
    forced: Forced
    open: Array
    done: Array
    means: tuple[float, float]


class PriceCheck:
    """Looks for a conjunction of literals whose leaf is cheaper than the prices of its groups; all are examined.

    A leaf on T is too cheap if the sum over T of net - w (x - m)^2 = a + 2 b m - c m^2 exceeds the price of a leaf at
    the mean m of T. ``terms`` has a, b, c, rows, net and x of each group.
    """

    def __init__(self, costs: Costs, home: Array, prices: list[int]) -> None:
        require(len(prices) == len(home) and len(home), "a list has not one price for each of its groups")
        require(all(type(p) is int for p in prices) and sum(map(abs, prices)) < 1 << 62, "prices are too large")
        self.costs, self.home = costs, home
        self.whole = np.zeros(len(costs.rows), np.int64)
        self.whole[home] = prices
        self.terms = np.zeros((6, len(costs.rows)))
        self.price_groups(home)
        self.bits = np.column_stack([np.ones(len(costs.rows)), costs.groups.answers])
        x, net = costs.mean[home], self.terms[4, home]
        size = 1 + costs.price + np.abs(net).sum() + (2 + np.abs(x).max()) ** 2
        self.margin = (4 * len(x) + 100) * ULP * size  # what rounding can do to a sum, see "Rounding"

    def price_groups(self, at: Array) -> None:
        """Set the terms of groups by their prices."""
        w, x = self.costs.weight[at], self.costs.mean[at]
        net = self.whole[at] / PRICE_UNIT - self.costs.within[at]
        self.terms[:, at] = net - w * x * x, w * x, w, self.costs.rows[at], net, x

    def run(self) -> None:
        """Examine every conjunction on the groups of the list."""
        x, many = self.costs.mean[self.home], self.bits.shape[1] - 1
        wider = 1e-9 * (1 + np.abs(x).max())
        forced = Forced(np.zeros(4), self.home[:0], np.ones(2 * many, bool))
        nothing, means = np.zeros(2 * many, bool), (x.min() - wider, x.max() + wider)
        self.extend(Leaves(self.home, self.bits[self.home], np.arange(many), forced, ~nothing, nothing, means))

    def examine_leaf(self, at: Array) -> None:
        """Compare the cost of one leaf with its prices, exactly."""
        if Fraction(int(self.whole[at].sum()), PRICE_UNIT) > self.costs.exact(at):
            self.found(at)

    def found(self, at: Array) -> None:
        """There is a leaf that is cheaper than its prices."""
        raise Rejected(f"a leaf on {len(at)} groups is cheaper than the prices of its groups")

    def extend(self, leaves: Leaves) -> None:
        """Examine the leaf on all groups of a set, and all leaves with one or more literals of ``open``."""
        free, bits, forced = leaves.free, leaves.bits, leaves.forced
        every = satisfied(bits)
        if (leaves.done & every & forced.literals).any():
            return  # all have a literal that is done: each of these leaves is one of those with it
        total = forced.sums + self.terms[:4, free].sum(axis=1)
        if total[3] < self.costs.least_rows:
            return
        if not total[0] + total[1] ** 2 / total[2] <= self.costs.price - self.margin:
            self.examine_leaf(np.concatenate([free, forced.at]))
        open_ = leaves.open & ~every
        if not len(forced.at):
            open_ &= ~np.roll(every, len(leaves.conditions))  # literals that nothing satisfies
        leaves = replace(leaves, open=open_)
        while (found := self.narrow(leaves)) is not None:
            leaves, edges, over, top = found
            middle = len(top) // 2
            below, above, all_ = (part.max(axis=0, initial=0).sum() for part in (top[:middle], top[middle:], top))
            if middle and below**2 + above**2 < all_**2:  # pays; each leaf has its mean in one of the halves
                for half in (edges[0], edges[middle]), (edges[middle], edges[-1]):
                    self.extend(replace(leaves, means=half))
                return
            leaves = self.branch(leaves, edges, over)

    def narrow(self, leaves: Leaves) -> Any:
        """Force groups and drop literals and means for as long as that leads to more; None if no leaf is too cheap.

        Returns what is left, edges of pieces of the means, by how much leaves with a literal may exceed the price of
        a leaf on each (first all leaves), and how much each free group adds to them at most.
        """
        free, bits, forced, many = leaves.free, leaves.bits, leaves.forced, len(leaves.conditions)
        open_, done, means, found = leaves.open, leaves.done, leaves.means, None
        while True:
            keep = violated(bits, open_) > 0
            if not keep.all():  # these are in every leaf
                new, holds = free[~keep], satisfied(bits[~keep])
                sums = forced.sums + self.terms[:4, new].sum(axis=1)
                forced = Forced(sums, np.concatenate([forced.at, new]), forced.literals & holds)
                free, bits = free[keep], bits[keep]
                found = None
            if not len(free):
                return None
            if found is None:
                found = self.most(self.terms[:, free], bits, forced.sums, means)
                if found is None:
                    return None
                means, reached = (found[0][0], found[0][-1]), (~(found[1][:, 1:] <= 0)).any(axis=0)
                if (open_ & ~reached).any():  # no leaf with these literals is too cheap
                    open_, done = open_ & reached, done | (open_ & ~reached)
                    continue
            edges, over, top = found
            asked = (open_ | done)[:many] | (open_ | done)[many:]
            if 2 * asked.sum() < many:  # the rest of the conditions decides nothing any more
                both, bits = np.tile(asked, 2), bits[:, np.append(True, asked)]
                over, open_, done = over[:, np.append(True, both)], open_[both], done[both]
                forced = replace(forced, literals=forced.literals[both])
                leaves = replace(leaves, conditions=leaves.conditions[asked])
            return Leaves(free, bits, leaves.conditions, forced, open_, done, means), edges, over, top

    def most(self, terms: Array, bits: Array, forced: Array, means: tuple[float, float]) -> Any:
        """Bound by how much leaves exceed the price of a leaf, piece by piece: all, and those with each literal.

        On a piece a free group counts as its parabola if that is positive all over it, else as its largest value. What
        comes together is a parabola and a number, so the largest value is known. None if it is nowhere positive.
        """
        a, b, c, _, net, x = terms
        while True:
            edges = np.linspace(*means, PIECES + 1)
            low, high = edges[:-1, None], edges[1:, None]
            near, far = np.minimum(np.maximum(x, low), high) - x, np.maximum(x - low, high - x)
            top, full = np.maximum(net - c * near**2, 0), net > c * far**2
            sums = np.concatenate([full * a, full * b, full * c, np.where(full, 0, top)]) @ bits
            sums = sums.reshape(4, PIECES, -1)
            without = sums[:, :, :1] - sums[:, :, 1:]
            fa, fb, fc, rest = np.concatenate([sums, without], axis=2)
            fa, fb, fc = fa + forced[0], fb + forced[1], fc + forced[2]
            m = np.minimum(np.maximum(fb / np.maximum(fc, 1e-300), low), high)
            over = fa + m * (2 * fb - fc * m) + rest - (self.costs.price - self.margin)
            live = np.flatnonzero(~(over[:, 0] <= 0))
            if not len(live):
                return None
            first, last = live[0], live[-1] + 1
            if last - first > PIECES // 2 or edges[last] - edges[first] < 1e-9:
                return edges[first : last + 1], over[first:last], top[first:last]
            means = edges[first], edges[last]  # a closer look at fewer means

    def branch(self, leaves: Leaves, edges: Array, over: Array) -> Leaves:
        """Choose a group: leaves with a literal that it violates are examined now, those without remain.

        Of literals that imply one another on these groups only the widest is added: leaves with the others are among
        its own. Which group and which order is a matter of speed alone.
        """
        bits, many = leaves.bits, len(leaves.conditions)
        _, _, w, _, net, x = self.terms[:, leaves.free]
        best, most = over[:, 0].argmax(), over[:, 1:].max(axis=0)
        value = net - w * (x - (edges[best] + edges[best + 1]) / 2) ** 2
        work = violated(bits, np.where(leaves.open, most / over[best, 0], 0) ** 2)
        row = bits[(work * (1.1 + value / (np.abs(value).max() + 1e-300))).argmin(), 1:] > 0
        wrong = np.flatnonzero(leaves.open & ~np.concatenate([row, ~row]))
        wrong = wrong[np.argsort(most[wrong], kind="stable")]
        holds = bits[:, 1 + wrong % many]
        holds = np.where(wrong < many, holds, 1 - holds)
        inside = holds.T @ (1 - holds) == 0  # [i, j]: i implies j
        wider = inside & (~inside.T | np.tri(len(wrong), k=-1, dtype=bool))  # of equal ones the first
        left, done = leaves.open.copy(), leaves.done.copy()
        for i in np.flatnonzero(~wider.any(axis=1)):
            left[wrong[i]] = False
            has, live = holds[:, i] > 0, np.flatnonzero(~(over[:, 1 + wrong[i]] <= 0))
            means = edges[live[0]], edges[live[-1] + 1]
            below = replace(leaves, free=leaves.free[has], bits=bits[has], open=left.copy(), done=done.copy())
            self.extend(replace(below, means=means))
            closed = wrong[inside[:, i]]
            left[closed], done[closed] = False, True
        return replace(leaves, open=left, done=done)


def satisfied(bits: Array) -> Array:
    """Return the literals that hold for all of some groups."""
    count = bits[:, 1:].sum(axis=0)
    return np.concatenate([count == len(bits), count == 0])


def violated(bits: Array, literals: Array) -> Array:
    """Return the number of literals that each group violates, or the sum of something about them."""
    yes, no = np.split(literals.astype(float), 2)
    return yes.sum() + bits[:, 1:] @ (no - yes)
