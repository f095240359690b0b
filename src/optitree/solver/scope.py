"""The scope of a proof: which trees it is about."""

from dataclasses import dataclass

from ..conditions.condition_set import ConditionSet
from .problem import Problem


@dataclass(frozen=True, slots=True)
class Scope:
    """Trees that ask some of so many conditions, which are about so many columns, within the limits on trees."""

    conditions: int
    columns: int
    max_depth: int | None = None
    max_leaves: int | None = None
    min_samples_leaf: int = 1


def scope_of(conditions: ConditionSet, problem: Problem) -> Scope:
    """Return the scope of a search. Columns without a condition, such as constant ones, do not count."""
    known = conditions.conditions
    columns = len({condition.column for condition in known})
    return Scope(len(known), columns, problem.max_depth, problem.max_leaves, problem.min_samples_leaf)
