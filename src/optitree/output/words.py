"""Rules in words: what a condition asks, and what is known on the way to a leaf, as a person would say it.

Everything that speaks in sentences (the index card, the questionnaire, notebooks, exports) takes its words from here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from ..conditions.condition import Condition, IsMissing, IsOther
from ..conditions.readable import format_date, format_number
from ..conditions.values import INFINITY, Intervals, Levels, Missing
from ..solver.tree import Tree
from ..table.columns import BOOLEAN, DATE

_FEW_LEVELS = 4


@dataclass(frozen=True)
class Wording:
    """How to speak of a table: the kinds of its columns, and the units of columns by their names.

    ``in_full``: name every level of a set, however many there are.
    """

    kinds: tuple[str, ...]
    units: Mapping[str, str] = field(default_factory=dict)
    in_full: bool = False

    def sides(self, condition: Condition) -> "Sides":
        """Say what is known when a condition holds, and what when it does not."""
        name, values = condition.name, condition.values
        if isinstance(values, Missing):
            return Sides(f"{name} is missing", f"{name} is known", f"Is {name} missing?")
        if isinstance(values, Levels):
            what = _levels(condition, values, self.in_full)
            return Sides(f"{name} is {what}", f"{name} is not {what}", f"Is {name} {what}?")
        if self.kinds[condition.column] == BOOLEAN:
            return Sides(f"{name} is true", f"{name} is false", f"Is {name} true?")
        inside = " or ".join(self.between(condition, *ends) for ends in values.ends)
        outside = self._outside(condition, values)
        return Sides(f"{name} is {inside}", f"{name} is {outside}", f"Is {name} {inside}?")

    def number(self, condition: Condition, value: float) -> str:
        """Write a value of the column of a condition, with its unit."""
        if self.kinds[condition.column] == DATE:
            return format_date(value)
        return with_unit(with_thousands(format_number(value)), self.units.get(condition.name))

    def between(self, condition: Condition, low: float, high: float) -> str:
        """Say that a number lies between two ends, of which one may be infinite."""
        if low == -INFINITY:
            return f"at most {self.number(condition, high)}"
        if high == INFINITY:
            return f"more than {self.number(condition, low)}"
        return f"more than {self.number(condition, low)} and at most {self.number(condition, high)}"

    def _outside(self, condition: Condition, values: Intervals) -> str:
        sides = []
        before = -INFINITY
        for low, high in values.ends:
            if low > before:
                sides.append(self.between(condition, before, low))
            before = high
        if before < INFINITY:
            sides.append(self.between(condition, before, INFINITY))
        return " or ".join(sides)


class Sides(NamedTuple):
    """The words of a condition: when it holds, when it does not, and as a question."""

    yes: str
    no: str
    question: str


class Rule(NamedTuple):
    """What leads to a leaf (its number in the tree), each part in words; none for a tree that is a single leaf."""

    leaf: int
    parts: tuple[str, ...]


def rules_in_words(tree: Tree, conditions: Sequence[Condition], wording: Wording) -> tuple[Rule, ...]:
    """Return a rule for each leaf, from the first to the last. Of thresholds of one column the tightest are said."""
    here = may_be_missing(tree, conditions)
    found = []
    for leaf, way in enumerate(tree.ancestors):
        if tree.nodes[leaf].is_leaf:
            found.append(Rule(leaf, tuple(map(on_one_line, _parts(tree, way, here, wording)))))
    return tuple(found)


def may_be_missing(tree: Tree, conditions: Sequence[Condition]) -> tuple[frozenset[int], ...]:
    """Return for each node the columns whose values may be missing there; ``conditions`` are all that were offered."""
    had = frozenset(c.column for c in conditions if isinstance(c, IsMissing) or getattr(c, "has_missing", False))
    here = [had] * len(tree)
    for at, node in enumerate(tree.nodes):
        if node.condition is None:
            continue
        there = here[at] - {node.condition.column}
        asks_for_missing = isinstance(node.condition.values, Missing)
        here[node.yes], here[node.no] = (here[at], there) if asks_for_missing else (there, here[at])
    return tuple(here)


def or_missing(condition: Condition, here: frozenset[int]) -> bool:
    """Whether rows that fail a condition may do so because their value is missing."""
    return condition.column in here and not isinstance(condition.values, Missing)


def with_thousands(number: str) -> str:
    """Put thin separators between the thousands of a number that is written with a point."""
    whole, point, rest = number.partition(".")
    digits = whole.lstrip("-")
    if not digits.isdigit() or len(digits) < 5:  # years and the like stay as they are
        return number
    return f"{'-' if whole.startswith('-') else ''}{int(digits):,}{point}{rest}"


def on_one_line(text: str) -> str:
    """Return text with a blank for each end of a line, which names and levels may have."""
    return " ".join(text.splitlines()) if len(text.splitlines()) > 1 else text


def with_unit(number: str, unit: str | None) -> str:
    """Put a unit where it belongs: a sign of money before the number, all else after it."""
    if not unit:
        return number
    if unit in "$€£¥":
        return f"-{unit}{number[1:]}" if number.startswith("-") else f"{unit}{number}"
    return f"{number}{'' if unit == '%' else ' '}{unit}"


def prediction_format(values: Sequence[float]) -> int:
    """Return how many digits after the point tell predictions apart: three significant ones of their spread."""
    spread = max(values) - min(values) or abs(values[0]) or 1.0
    digits = 2
    while digits > 0 and spread >= 10.0 ** (4 - digits):
        digits -= 1
    while digits < 9 and spread < 10.0 ** (1 - digits):
        digits += 1
    return digits


def write_number(value: float, digits: int) -> str:
    """Write a number with so many digits after the point, thousands apart, and no sign before a zero."""
    text = f"{value:,.{digits}f}"
    return text if text.strip("-0.,") else text.lstrip("-")


def _levels(condition: Condition, values: Levels, in_full: bool) -> str:
    if isinstance(condition, IsOther) and not in_full:
        return f"one of {len(values.levels)} rarer levels"
    shown = [f"“{level}”" if level != level.strip() or not level else level for level in values.levels]
    if len(shown) == 1:
        return shown[0]
    if len(shown) > _FEW_LEVELS and not in_full:
        return f"one of {len(shown)} levels ({', '.join(shown[: _FEW_LEVELS - 1])}, …)"
    return f"{', '.join(shown[:-1])} or {shown[-1]}"


def _parts(tree: Tree, way: Sequence[int], here: Sequence[frozenset[int]], wording: Wording) -> list[str]:
    """Say what is known at the end of a way; thresholds of one column that are one interval become one part."""
    parts: dict[Any, str] = {}
    ends: dict[int, tuple[float, float]] = {}
    for at, after in pairwise(way):
        condition = tree.nodes[at].condition
        assert condition is not None
        holds = after == tree.nodes[at].yes
        missing = not holds and or_missing(condition, here[at])
        interval = None if wording.kinds[condition.column] == BOOLEAN else _interval(condition, holds)
        if interval is None:
            sides = wording.sides(condition)
            parts[at] = sides.yes if holds else sides.no + (" or missing" if missing else "")
            continue
        low, high = ends.get(condition.column, (-INFINITY, INFINITY))
        low, high = ends[condition.column] = max(low, interval[0]), min(high, interval[1])
        between = wording.between(condition, low, high)
        parts.pop(-1 - condition.column, None)
        parts[-1 - condition.column] = f"{condition.name} is {between}{' or missing' if missing else ''}"
    return list(parts.values())


def _interval(condition: Condition, holds: bool) -> tuple[float, float] | None:
    """Return what a condition or its opposite leaves of the numbers, if that is one interval."""
    values = condition.values
    if not isinstance(values, Intervals) or len(values.ends) != 1:
        return None
    low, high = values.ends[0]
    if holds:
        return low, high
    if low == -INFINITY:
        return high, INFINITY
    return (-INFINITY, low) if high == INFINITY else None
