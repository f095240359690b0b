"""Numbers and tables as people read them."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A markdown table whose columns also line up as plain text."""
    widths = [max(len(line[column]) for line in (head, *lines)) for column in range(len(head))]
    rule = ["-" * width for width in widths]
    return "\n".join(
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |"
        for line in (head, rule, *lines)
    )


def seconds(value: float) -> str:
    """Three significant digits, never in exponent form."""
    return f"{value:.4f}" if value < 0.1 else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def factor(value: float) -> str:
    """How many times."""
    return f"{value:.2f}x" if value < 1 else f"{value:.1f}x" if value < 10 else f"{value:.0f}x"


def duration(value: float) -> str:
    """A time to wait, in the largest unit that says something."""
    if value < 90:
        return f"{value:.0f} s"
    return f"{value / 60:.0f} min" if value < 5400 else f"{value / 3600:.1f} h"


def say(text: str) -> None:
    """Report progress, which is not part of a result."""
    print(text, end="", file=sys.stderr, flush=True)
