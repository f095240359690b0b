"""The door to the C++ core: the only module that imports it."""

from ._core import (
    Options,
    Progress,
    add_up,
    bin_codes,
    bin_ranges,
    boosted_cuts,
    distinct_levels,
    greedy_cuts,
    group_rows,
    solve,
)
from ._core import Solution as CoreSolution

__all__ = [
    "CoreSolution",
    "Options",
    "Progress",
    "add_up",
    "bin_codes",
    "bin_ranges",
    "boosted_cuts",
    "distinct_levels",
    "greedy_cuts",
    "group_rows",
    "solve",
]
