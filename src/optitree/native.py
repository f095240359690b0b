"""The door to the C++ core: the only module that imports it."""

from ._core import (
    Options,
    Progress,
    add_up,
    bin_ranges,
    boosted_cuts,
    copy_columns,
    distinct_levels,
    few_levels,
    greedy_cuts,
    group_rows,
    group_table,
    have_infinity,
    solve,
)
from ._core import Solution as CoreSolution

__all__ = [
    "CoreSolution",
    "Options",
    "Progress",
    "add_up",
    "bin_ranges",
    "boosted_cuts",
    "copy_columns",
    "distinct_levels",
    "few_levels",
    "greedy_cuts",
    "group_rows",
    "group_table",
    "have_infinity",
    "solve",
]
