"""The door to the C++ core: the only module that imports it."""

from ._core import (
    CodedTable,
    Effort,
    GroupArrays,
    Limits,
    Options,
    Progress,
    Restrictions,
    Task,
    add_up,
    bin_ranges,
    copy_columns,
    distinct_values,
    few_values,
    group_rows,
    group_table,
    grow,
    have_infinity,
    hold_prices,
    order_in_groups,
    solve,
    solve_near_optimal,
    solve_path,
)
from ._core import Path as CorePath
from ._core import SharedTrees as CoreSharedTrees
from ._core import Solution as CoreSolution
from ._core import Step as CoreStep
from ._core import Tree as CoreTree

__all__ = [
    "CodedTable",
    "CorePath",
    "CoreSharedTrees",
    "CoreSolution",
    "CoreStep",
    "CoreTree",
    "Effort",
    "GroupArrays",
    "Limits",
    "Options",
    "Progress",
    "Restrictions",
    "Task",
    "add_up",
    "bin_ranges",
    "copy_columns",
    "distinct_values",
    "few_values",
    "group_rows",
    "group_table",
    "grow",
    "have_infinity",
    "hold_prices",
    "order_in_groups",
    "solve",
    "solve_near_optimal",
    "solve_path",
]
