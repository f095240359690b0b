"""From a table in an engine to its groups: the engine does the work."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..conditions.choose import choose, choose_for_rows
from ..conditions.coding import Coding, Partition
from ..conditions.condition import Condition, Equals, IsIn, IsMissing, IsOther
from ..conditions.condition_set import ConditionSet
from ..conditions.rules import Rules
from ..progress import showing
from ..table.columns import BOOLEAN, CATEGORY, DATE, NUMBER, Column
from ..table.frames import check_names
from ..table.reading import Table, read_table
from ..table.rows import Merged, Rows
from .engines.engine_column import EngineColumn
from .engines.engine_table import EngineTable, Statistics
from .groups import Groups, add_up
from .target_points import Points

# Where conditions are chosen by the target, the distinct rows of a table of so many rows are looked at in memory; of a
# larger table those of a sample.
_FEW_ROWS = 500_000
_SAMPLED_ROWS = 200_000
_SAMPLE = 100_000  # rows to estimate the number of groups from


def compress_lazy(table: EngineTable, by: Rules | ConditionSet, max_groups: int) -> Groups:
    """Let the engine group the rows by conditions, those given or those that the rules choose for the table."""
    if isinstance(by, ConditionSet):
        names = by.column_names
        check_names([names[k] for k in by.coding.used], table.names)
        table.check({names[k]: by.kinds[k] for k in by.coding.used})
        return _group(table, by, max_groups, None)
    if by.look_at_target and table.rows <= _FEW_ROWS:
        return _group_distinct_rows(table, by, max_groups)
    _stage(f"looking at the columns of {table.rows:,} rows")
    columns = table.columns(table.names)
    conditions = choose(by, columns, table.names, None)
    many = [k for k, column in enumerate(columns) if _has_many_values(column, by)]
    if many:
        conditions = _choose_by_sample(table, columns, many, by, conditions)
    kinds = tuple(column.kind for column in columns)
    return _group(table, ConditionSet(conditions, kinds, tuple(table.names), by), max_groups, _levels(columns))


def _stage(text: str) -> None:
    """Tell whoever watches what the engine is asked to do now."""
    with showing(verbose=False) as display:
        display.stage(text)


def _has_many_values(column: EngineColumn, rules: Rules) -> bool:
    if not rules.look_at_target or column.kind == BOOLEAN:
        return False
    most = rules.max_thresholds
    if column.kind == CATEGORY:
        levels = column.levels()
        return levels.order is None or len(levels) > most + 1
    return rules.thresholds == "reference" or len(column.numbers(most)) > most + 1


def _choose_by_sample(
    table: EngineTable,
    columns: Sequence[EngineColumn],
    many: Sequence[int],
    rules: Rules,
    conditions: tuple[Condition, ...],
) -> tuple[Condition, ...]:
    """Replace the thresholds of columns of many values by those that a sample of the rows asks for.

    Categories get the sets of levels that the sample asks for. Of few levels each keeps its own condition, also one
    that the sample does not have.
    """
    _stage(f"choosing conditions by a sample of {table.rows:,} rows")
    rows, _ = _distinct_rows(table, _SAMPLED_ROWS / table.rows)
    if not rows.table.rows:
        return conditions
    sampled = choose_for_rows(rules, rows, median=table.values).conditions
    chosen: list[Condition] = []
    for k, column in enumerate(columns):
        mine, theirs = ([c for c in of if c.column == k] for of in (conditions, sampled))
        if k not in many:
            chosen += mine
            continue
        gap: list[Condition] = [condition for condition in mine if isinstance(condition, IsMissing)]
        single: list[Condition] = [condition for condition in mine if isinstance(condition, Equals)]
        few = single and not any(isinstance(condition, IsOther) for condition in mine)
        chosen += single if few else []
        asked = [c for c in theirs if isinstance(c, IsIn) or not (few or isinstance(c, IsMissing))]
        chosen += [_with_missing(condition, column.has_missing) for condition in asked] + gap
    return tuple(chosen)


def _with_missing(condition: Any, has_missing: bool) -> Condition:
    """Return a condition that knows whether the whole column has missing values, not only a sample."""
    known: Condition = replace(condition, has_missing=has_missing) if hasattr(condition, "has_missing") else condition
    return known


def _levels(columns: Sequence[EngineColumn]) -> dict[int, tuple[str, ...]]:
    return {k: column.levels().levels for k, column in enumerate(columns) if column.kind == CATEGORY}


def _group(
    table: EngineTable, conditions: ConditionSet, max_groups: int, levels: Mapping[int, Sequence[str]] | None
) -> Groups:
    coding, names = conditions.coding, conditions.column_names
    _stage(f"grouping {table.rows:,} rows by {len(conditions.conditions)} conditions")
    check_number(_estimate(table, coding, names), table.rows, conditions, max_groups)
    codes, statistics = table.group(coding, names, levels)
    partition = coding.group_codes(coding.merge(codes), len(statistics["rows"]))
    return _add_up(table, conditions, partition, statistics).sorted()


def _add_up(table: EngineTable, conditions: ConditionSet, partition: Partition, statistics: Statistics) -> Groups:
    """Add up what the engine found, and keep the values of the target if it kept them apart."""
    known = dict(statistics)
    value = known.pop("value", None)
    groups = add_up(conditions, partition, origin=table.origin, **known)
    if value is None:
        return groups
    return replace(groups, points=Points.of(partition.group_of, value, known["weight"]))


def _group_distinct_rows(table: EngineTable, rules: Rules, max_groups: int) -> Groups:
    """Group by the values themselves, choose conditions as for a table in memory, and group again."""
    _stage(f"grouping {table.rows:,} rows")
    rows, known = _distinct_rows(table, 1)
    conditions = choose_for_rows(rules, rows, median=table.values)
    groups = _add_up(table, conditions, conditions.coding.group_table(rows.table, fresh=True), known)
    check_number(len(groups), table.rows, conditions, max_groups)
    return groups.sorted()


def _distinct_rows(table: EngineTable, share: float) -> tuple[Rows, Statistics]:
    frame, known = table.distinct_rows(share)
    if not len(frame):
        return Rows(Table((), 0), None), known
    read = read_table(frame.to_native())
    # Some engines count the microseconds of dates, which then look like numbers.
    columns = tuple(
        Column(DATE, column.values) if table.kinds[name] == DATE and column.kind == NUMBER else column
        for name, column in zip(table.names, read.columns, strict=True)
    )
    merged = Merged(known["rows"], known["scatter"])
    return Rows(Table(columns, read.rows, tuple(table.names)), known["mean"], known["weight"], merged), known


def _estimate(table: EngineTable, coding: Coding, names: Sequence[str]) -> int:
    """Guess the number of groups: no more than combinations or rows, and if these are many, from the first rows."""
    combinations = math.prod(len(np.unique(coding.first_alike[k])) for k in coding.used)
    possible = table.rows if table.values else min(combinations, table.rows)
    if possible <= _SAMPLE:
        return possible
    codes = table.sample_codes(coding, names, _SAMPLE)
    rows = len(codes[0])
    seen = np.bincount(coding.group_codes(codes, rows).group_of)
    once = int((seen == 1).sum())
    # The guaranteed-error estimator (Charikar et al., 2000): a group that was seen once stands for sqrt(N / n) groups,
    # with N rows in all and n looked at; one that was seen several times stands for itself.
    several = len(seen) - once
    return int(min(possible, several + once * math.sqrt(table.rows / rows)))


def check_number(groups: int, rows: int, conditions: ConditionSet, most: int) -> None:
    """Raise ValueError where there are, or would be, too many groups."""
    if groups <= most:
        return
    names, coding = conditions.column_names, conditions.coding
    finest = sorted(coding.used, key=lambda k: -coding.bins[k].size)[:3]
    columns = ", ".join(f"{names[k]!r} ({coding.bins[k].size - 1} bins)" for k in finest)
    raise ValueError(
        f"the {rows:,} rows would make about {groups:,} groups, more than max_groups={most:,}; use fewer thresholds, "
        f"for example Binarizer(max_thresholds=3), leave out columns of many bins such as {columns}, or raise "
        "max_groups"
    )
