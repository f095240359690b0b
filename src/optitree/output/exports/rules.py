"""The leaves as a table: what leads to each in words, and what it predicts."""

import csv
import io
import re
from typing import Any

from ..leaves import spread_name, spread_of
from ..words import prediction_format, rules_in_words, write_number
from .fitted_tree import FittedTree

_EVERY_ROW = "every row"
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def rule_table(fitted: FittedTree) -> dict[str, list[Any]]:
    """Return the columns of a table with a row for each leaf, from the first to the last.

    ``leaf`` is its number as ``model.apply`` gives it, ``spread`` the standard deviation of its targets under squared
    error, their mean deviation under absolute error, and None under any other loss.
    """
    tree = fitted.tree
    rules = rules_in_words(tree, fitted.conditions, fitted.wording)
    leaves = [tree.nodes[rule.leaf] for rule in rules]
    return {
        "leaf": [rule.leaf for rule in rules],
        "rule": [" and ".join(rule.parts) or _EVERY_ROW for rule in rules],
        "rows": [node.rows for node in leaves],
        "share": [node.rows / tree.nodes[0].rows for node in leaves],
        "prediction": [node.value for node in leaves],
        "spread": [spread_of(node, fitted.loss) for node in leaves],
    }


def to_frame(fitted: FittedTree) -> Any:
    """Return the table as a pandas data frame."""
    try:
        import pandas as pd  # noqa: PLC0415  (for those who have it)
    except ImportError:
        raise ImportError("to_frame needs pandas; install it with: pip install pandas") from None
    return pd.DataFrame(rule_table(fitted)).astype({"spread": float})


def to_csv(fitted: FittedTree) -> str:
    """Return the table as text of comma-separated values, which begins with the mark by which Excel knows UTF-8."""
    table = rule_table(fitted)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return "\ufeff" + text.getvalue()


def to_markdown(fitted: FittedTree) -> str:
    """Return the table in Markdown, its numbers rounded to be read."""
    table = rule_table(fitted)
    digits = prediction_format(table["prediction"])
    with_spread = None not in table["spread"]
    head = ["rule", "rows", "share", "prediction", *([spread_name(fitted.loss)] if with_spread else [])]
    lines = ["| " + " | ".join(head) + " |", "|:---|" + "---:|" * (len(head) - 1)]
    for _, rule, rows, share, prediction, spread in zip(*table.values(), strict=True):
        cells = [_escaped(rule), f"{rows:,}", f"{share:.1%}", write_number(prediction, digits)]
        cells += [write_number(spread, digits)] if with_spread else []
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Return text in which nothing means more than itself, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split("\n")))
