"""From a table, in memory or in an engine, to its groups."""

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import clone

from ..conditions.binarizer import Binarizer
from ..conditions.bins import Coding, Partition
from ..conditions.condition import IsMissing
from ..table.columns import BOOLEAN, CATEGORY, DATE, NUMBER, Column
from ..table.reading import Table, as_any_frame, check_names, read_again, read_table
from ..table.target import read_target, read_weight
from .engines.engine_column import EngineColumn
from .engines.engine_table import EngineTable, Statistics
from .groups import Groups, add_up, group_table
from .target_points import Points

# Where conditions are chosen by the target, the distinct rows of a table of so many rows are looked at in memory; of a
# larger table those of a sample.
_FEW_ROWS = 500_000
_SAMPLED_ROWS = 200_000
_SAMPLE = 100_000  # rows to estimate the number of groups from


def compress(
    frame: Any,
    *,
    target: str,
    weight: str | None = None,
    binarizer: Binarizer | None = None,
    max_groups: int = 2_000_000,
    values: bool = False,
) -> Groups:
    """Collapse the rows of a table that no condition tells apart.

    Parameters
    ----------
    frame : pandas, polars or pyarrow frame, or a DuckDB relation, Dask, PySpark or lazy polars frame
        A table in an engine stays there: the engine does the grouping, and only the groups are collected.
    target : str
        The column to predict.
    weight : str, default=None
        The column with the weights of the rows; None if all count the same.
    binarizer : Binarizer, default=None
        Makes the conditions; None for ``Binarizer()``. One that is fitted is used as it is, so that the groups of
        several tables have the same conditions and can be added.
    max_groups : int, default=2_000_000
        The most groups to collect. If there would be more, ValueError says so before the work.
    values : bool, default=False
        Whether to keep the values of the target in each group, which every loss but squared error needs. Of a table in
        an engine the distinct pairs of a group and a target are collected then, and count as groups for max_groups.

    Returns
    -------
    Groups
        For ``OptimalTreeRegressor.fit_groups``.
    """
    binarizer = Binarizer() if binarizer is None else binarizer
    if not isinstance(binarizer, Binarizer):
        raise TypeError(f"binarizer must be a Binarizer or None, not {type(binarizer).__name__}")
    if isinstance(max_groups, bool) or not isinstance(max_groups, Integral) or max_groups < 1:
        raise ValueError(f"max_groups={max_groups!r} must be a whole number of at least 1")
    # A copy: whoever gave the binarizer may fit it to something else.
    binarizer = copy.copy(binarizer) if hasattr(binarizer, "conditions_") else clone(binarizer)
    binarizer._check_parameters()
    known = as_any_frame(frame)
    if not isinstance(known, nw.DataFrame | nw.LazyFrame):
        raise TypeError(
            "compress takes a data frame (pandas, polars, pyarrow, DuckDB, Dask, PySpark), not "
            f"{type(frame).__name__}; for an array use fit"
        )
    names = _check_columns(known.collect_schema().names(), target, weight)
    if isinstance(known, nw.DataFrame):
        return _compress_frame(known, names, target, weight, binarizer, max_groups, bool(values))
    return _compress_lazy(EngineTable(known, target, weight, values=bool(values)), binarizer, max_groups)


def _check_columns(columns: Sequence[str], target: str, weight: str | None) -> list[str]:
    for role, name in (("target", target), ("weight", weight)):
        if name is not None and name not in columns:
            raise ValueError(
                f"there is no column {name!r} to be the {role}; the table has {', '.join(map(str, columns))}"
            )
    if target == weight:
        raise ValueError(f"{target!r} cannot be both the target and the weight")
    names = [name for name in columns if name not in (target, weight)]
    if not names:
        raise ValueError(f"the table has no column beside the target {target!r}; at least one is needed")
    return names


def _compress_frame(
    frame: "nw.DataFrame[Any]",
    names: list[str],
    target: str,
    weight: str | None,
    binarizer: Binarizer,
    max_groups: int,
    values: bool,
) -> Groups:
    if not len(frame):
        raise ValueError("the table has no rows; at least one is needed")
    given = frame.select(names).to_native()
    y = read_target(frame[target].to_numpy(), len(frame), binarizer)
    weights = None if weight is None else read_weight(frame[weight].to_numpy(), len(frame))
    fresh = not hasattr(binarizer, "conditions_")
    if fresh:
        table = read_table(given, binarizer)
        binarizer._fit_table(table, y, weights)
    else:
        table = read_again(given, binarizer, binarizer.kinds_, binarizer.conditions_)
    groups = group_table(table, binarizer, y, weights, fresh=fresh, values=values)
    if len(groups) > max_groups:
        raise _too_many(len(groups), groups.n_rows, groups.coding, binarizer, max_groups)
    return groups.sorted()


def _compress_lazy(table: EngineTable, binarizer: Binarizer, max_groups: int) -> Groups:
    if hasattr(binarizer, "conditions_"):
        wanted = binarizer._names()
        check_names(wanted, table.names)
        table.check({wanted[k]: binarizer.kinds_[k] for k in binarizer._coding().used})
        return _group(table, binarizer, wanted, max_groups, None)
    binarizer.n_features_in_ = len(table.names)
    binarizer.feature_names_in_ = np.array(table.names, dtype=object)
    if binarizer._looks_at_target and table.rows <= _FEW_ROWS:
        return _group_distinct_rows(table, binarizer, max_groups)
    columns = table.columns(table.names)
    binarizer._choose(columns, None)
    many = [k for k, column in enumerate(columns) if _has_many_values(column, binarizer)]
    if many:
        _choose_by_sample(table, columns, many, binarizer)
    return _group(table, binarizer, table.names, max_groups, _levels(columns))


def _has_many_values(column: EngineColumn, binarizer: Binarizer) -> bool:
    if not binarizer._looks_at_target or column.kind in (CATEGORY, BOOLEAN):
        return False
    most = binarizer.max_thresholds
    return binarizer.thresholds == "reference" or len(column.numbers(most)) > most + 1


def _choose_by_sample(
    table: EngineTable, columns: Sequence[EngineColumn], many: Sequence[int], binarizer: Binarizer
) -> None:
    """Replace the thresholds of columns of many values by those that a sample of the rows asks for."""
    sampled = clone(binarizer)
    rows, known = _distinct_rows(table, sampled, _SAMPLED_ROWS / table.rows)
    if not rows.rows:
        return
    sampled._fit_table(rows, known["mean"], known["weight"])
    conditions = []
    for k, column in enumerate(columns):
        kept = [c for c in binarizer.conditions_ if c.column == k and (k not in many or isinstance(c, IsMissing))]
        found = [c for c in sampled.conditions_ if k in many and c.column == k and not isinstance(c, IsMissing)]
        conditions += [replace(condition, gaps=column.gaps) for condition in found] + kept
    binarizer.conditions_ = tuple(conditions)


def _levels(columns: Sequence[EngineColumn]) -> dict[int, tuple[str, ...]]:
    return {k: column.levels().levels for k, column in enumerate(columns) if column.kind == CATEGORY}


def _group(
    table: EngineTable,
    binarizer: Binarizer,
    names: Sequence[str],
    max_groups: int,
    levels: Mapping[int, Sequence[str]] | None,
) -> Groups:
    coding = binarizer._coding()
    expected = _estimate(table, coding, names)
    if expected > max_groups:
        raise _too_many(expected, table.rows, coding, binarizer, max_groups)
    codes, statistics = table.group(coding, names, levels)
    partition = coding.group_codes(coding.merge(codes), len(statistics["rows"]))
    return _add_up(table, binarizer, partition, statistics).sorted()


def _add_up(table: EngineTable, binarizer: Binarizer, partition: Partition, statistics: Statistics) -> Groups:
    """Add up what the engine found, and keep the values of the target if it kept them apart."""
    known = dict(statistics)
    value = known.pop("value", None)
    groups = add_up(binarizer, binarizer._coding(), partition, origin=table.origin, **known)
    if value is None:
        return groups
    return replace(groups, points=Points.of(partition.group_of, value, known["weight"]))


def _group_distinct_rows(table: EngineTable, binarizer: Binarizer, max_groups: int) -> Groups:
    """Group by the values themselves, choose conditions as for a table in memory, and group again."""
    rows, known = _distinct_rows(table, binarizer, 1)
    binarizer._fit_table(rows, known["mean"], known["weight"])
    coding = binarizer._coding()
    groups = _add_up(table, binarizer, coding.group_table(rows, fresh=True), known)
    if len(groups) > max_groups:
        raise _too_many(len(groups), table.rows, coding, binarizer, max_groups)
    return groups.sorted()


def _distinct_rows(table: EngineTable, binarizer: Binarizer, share: float) -> tuple[Table, Statistics]:
    frame, known = table.distinct_rows(share)
    if not len(frame):
        return Table((), 0), known
    rows = read_table(frame.to_native(), binarizer)
    # Some engines count the microseconds of dates, which then look like numbers.
    columns = tuple(
        Column(DATE, column.values) if table.kinds[name] == DATE and column.kind == NUMBER else column
        for name, column in zip(table.names, rows.columns, strict=True)
    )
    return Table(columns, rows.rows), known


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
    # The guaranteed-error estimator: groups seen once stand for as many others as the square root of the share of rows
    # looked at allows, the rest have been seen.
    several = len(seen) - once
    return int(min(possible, several + once * math.sqrt(table.rows / rows)))


def _too_many(groups: int, rows: int, coding: Coding, binarizer: Binarizer, most: int) -> ValueError:
    names = binarizer._names()
    finest = sorted(coding.used, key=lambda k: -coding.bins[k].size)[:3]
    columns = ", ".join(f"{names[k]!r} ({coding.bins[k].size - 1} bins)" for k in finest)
    return ValueError(
        f"the {rows:,} rows would make about {groups:,} groups, more than max_groups={most:,}; use fewer thresholds, "
        f"for example Binarizer(max_thresholds=3), leave out columns of many bins such as {columns}, or raise "
        "max_groups"
    )
