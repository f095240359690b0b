"""The rules by which conditions are chosen: the parameters of a binarizer, checked."""

from dataclasses import dataclass
from numbers import Integral

_CHOICES = {
    "thresholds": ("auto", "quantile", "uniform", "all", "reference"),
    "encoding": ("threshold", "interval"),
    "drop": (None, "first"),
}


@dataclass(frozen=True)
class Rules:
    """How many conditions of which form a column gets; ``Binarizer`` describes the fields."""

    thresholds: str = "auto"
    max_thresholds: int = 6
    encoding: str = "threshold"
    max_categories: int = 10
    drop: str | None = None

    @property
    def look_at_target(self) -> bool:
        """Whether the target has a say in where thresholds go."""
        return self.thresholds in ("auto", "reference")


DEFAULT = Rules()


def check_rules(rules: Rules) -> Rules:
    """Return the rules, or raise ValueError or TypeError where there are no such rules."""
    for name, choices in _CHOICES.items():
        value = getattr(rules, name)
        if not (value is None or isinstance(value, str)) or value not in choices:
            known = ", ".join(repr(choice) for choice in choices)
            raise ValueError(f"{name}={value!r} is unknown; use one of {known}")
    for name, least in (("max_thresholds", 1), ("max_categories", 2)):
        value = getattr(rules, name)
        message = f"{name}={value!r} must be a whole number of at least {least}"
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise TypeError(message)
        if value < least:
            raise ValueError(message)
    return rules
