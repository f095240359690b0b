"""Every tree there is, in rational numbers: the reference where floating point itself is in question."""

from fractions import Fraction
from functools import cache

from optitree.solver.tree import Tree

from .brute_force import RowSets
from .instances import Instance


class ExactTrees:
    """What trees cost, without rounding. Rates, weights, targets and the regularization are the doubles they are."""

    def __init__(self, instance: Instance) -> None:
        self._y = [Fraction(float(value)) for value in instance.y]
        self._weight = [Fraction(float(value)) for value in instance.weight]
        self._penalty = Fraction(instance.problem.regularization)
        loss = instance.problem.minimised
        self._rates = (Fraction(loss.over), Fraction(loss.under)) if loss.needs_values else None
        self._most = instance.problem.max_leaves
        self._sets = RowSets(instance)
        self._loss = cache(self._loss)  # type: ignore[method-assign]

    def optimum(self) -> Fraction:
        """Return the least objective of all trees."""

        @cache
        def best(rows: int, depth: int, most: int | None) -> Fraction:
            cost = self._leaf(rows)
            shares = [(None, None)] if most is None else [(share, most - share) for share in range(1, most)]
            for _, on, off in self._sets.splits(rows) if depth else ():
                for share, rest in shares:
                    cost = min(cost, best(on, depth - 1, share) + best(off, depth - 1, rest))
            return cost

        return best(self._sets.all, self._sets.depth, self._most)

    def objective(self, tree: Tree) -> Fraction:
        """Return that of one tree."""

        def cost(at: int, rows: int) -> Fraction:
            node = tree.nodes[at]
            if node.condition is None:
                return self._leaf(rows)
            yes = self._sets.yes[node.condition.column]
            return cost(node.yes, rows & yes) + cost(node.no, rows & ~yes)

        return cost(0, self._sets.all)

    def _leaf(self, rows: int) -> Fraction:
        total = self._loss(self._sets.all)
        return self._penalty + (self._loss(rows) / total if total else 0)

    def _loss(self, rows: int) -> Fraction:
        points = [(self._y[r], self._weight[r]) for r in range(len(self._y)) if rows >> r & 1]
        if self._rates is None:
            mean = sum(y * w for y, w in points) / sum(w for _, w in points)
            return sum(((y - mean) ** 2 * w for y, w in points), Fraction(0))
        over, under = self._rates
        return min(
            sum(((over * (m - y) if y < m else under * (y - m)) * w for y, w in points), Fraction(0)) for m, _ in points
        )
