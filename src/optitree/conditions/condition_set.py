"""The conditions of a table: the value that the stages after the choice of conditions work with."""

from dataclasses import dataclass, field
from functools import cached_property

from ..table.columns import column_names
from .coding import Coding
from .condition import Condition
from .rules import Rules


@dataclass(frozen=True)
class ConditionSet:
    """Conditions, with what is to be known of the columns of a table to ask them of another one.

    ``kinds`` has the kind of each column, ``names`` their names, None where they had none. ``rules`` are those by which
    the conditions were chosen.
    """

    conditions: tuple[Condition, ...]
    kinds: tuple[str, ...]
    names: tuple[str, ...] | None = None
    rules: Rules = field(default_factory=Rules)

    @cached_property
    def coding(self) -> Coding:
        """The codes that tell apart what the conditions tell apart."""
        return Coding(self.conditions, self.kinds)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns; x0, x1 ... where they had none."""
        return column_names(self.names, len(self.kinds))
