"""From a table, in memory or in an engine, to its groups."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw

from ..conditions.binarizer import Binarizer, binarizer_of, conditions_of, rules_of
from ..conditions.condition_set import ConditionSet
from ..conditions.rules import Rules
from ..progress import showing
from ..table.frames import as_any_frame, name_of, nearest
from ..table.reading import read_again, read_table
from ..table.rows import Rows
from ..table.target import read_target, read_weight
from .compress_lazy import check_number, compress_lazy
from .engines.engine_table import EngineTable
from .groups import Groups, group_rows


def compress(
    frame: Any,
    *,
    target: str,
    weight: str | None = None,
    binarizer: Binarizer | None = None,
    max_groups: int = 2_000_000,
    values: bool = False,
    verbose: bool = False,
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
    verbose : bool, default=False
        Show what is being done: live on a terminal and in a notebook, as lines on standard error elsewhere.

    Returns
    -------
    Groups
        For ``OptimalTreeRegressor.fit_groups``.
    """
    if binarizer is not None and not isinstance(binarizer, Binarizer):
        raise TypeError(f"binarizer must be a Binarizer or None, not {type(binarizer).__name__}")
    if isinstance(max_groups, bool) or not isinstance(max_groups, Integral) or max_groups < 1:
        raise ValueError(f"max_groups={max_groups!r} must be a whole number of at least 1")
    rules = rules_of(binarizer)
    by = rules if binarizer is None else conditions_of(binarizer) or rules
    known = as_any_frame(frame)
    if not isinstance(known, nw.DataFrame | nw.LazyFrame):
        raise TypeError(
            "compress takes a data frame (pandas, polars, pyarrow, DuckDB, Dask, PySpark), not "
            f"{type(frame).__name__}; for an array use fit"
        )
    target, weight = name_of(target), None if weight is None else name_of(weight)
    names = _check_columns(known.collect_schema().names(), target, weight)
    with showing(verbose) as display:
        if isinstance(known, nw.LazyFrame):
            display.stage("counting the rows and looking at the target")
            return compress_lazy(EngineTable(known, target, weight, values=bool(values)), by, max_groups)
        display.stage("grouping the rows")
        groups = group_rows(_read_rows(known, names, target, weight, by), by, values=bool(values))
        check_number(len(groups), groups.n_rows, groups.condition_set, max_groups)
        return groups.sorted()


def _check_columns(columns: Sequence[str], target: str, weight: str | None) -> list[str]:
    for role, name in (("target", target), ("weight", weight)):
        if name is not None and name not in columns:
            raise ValueError(f"there is no column {name!r} to be the {role}; {nearest(name, columns)}")
    if target == weight:
        raise ValueError(f"{target!r} cannot be both the target and the weight")
    names = [name for name in columns if name not in (target, weight)]
    if not names:
        raise ValueError(f"the table has no column beside the target {target!r}; at least one is needed")
    return names


def _read_rows(
    frame: "nw.DataFrame[Any]", names: list[str], target: str, weight: str | None, by: Rules | ConditionSet
) -> Rows:
    if not len(frame):
        raise ValueError("the table has no rows; at least one is needed")
    given = frame.select(names).to_native()
    y = read_target(frame[target].to_numpy(), len(frame), None)
    weights = None if weight is None else read_weight(frame[weight].to_numpy(), len(frame))
    if isinstance(by, Rules):
        return Rows(read_table(given), y, weights)
    return Rows(read_again(given, binarizer_of(by), by.kinds, by.conditions), y, weights)
