"""The tree as a Python function that needs nothing but Python."""

from ...conditions.condition import Condition
from ...conditions.values import INFINITY, Levels, Missing
from ...solver.tree import Node
from ...table.columns import CATEGORY, DATE
from .fitted_tree import FittedTree

_MISSING = """
def _is_missing(value):
    try:
        return value is None or bool(value != value)
    except TypeError:  # of a kind that is neither equal nor unequal to itself
        return True
"""
_NUMBER = """
def _number(value):
    return float("nan") if _is_missing(value) else float(value)
"""
_TEXT = """
def _text(value):
    return None if _is_missing(value) else str(value)
"""
_MOMENT = '''
def _moment(value):
    """Return microseconds since 1970 of a date or a datetime, in UTC where it has a time zone."""
    if _is_missing(value):
        return float("nan")
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    elif value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return float((value - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1))
'''
_HELPERS = {CATEGORY: ("_text", _TEXT), DATE: ("_moment", _MOMENT)}
_ELSE = ("_number", _NUMBER)


def to_python(fitted: FittedTree, name: str = "predict") -> str:
    """Return a module with one function, of a row: a mapping by the names of columns, or, without names, a sequence."""
    if not name.isidentifier():
        raise ValueError(f"name={name!r} is no name for a function; give letters, digits and underscores")
    columns = fitted.tree.columns
    helpers = dict(_HELPERS.get(fitted.kinds[k], _ELSE) for k in columns)
    read = [f"    x{k} = {_helper(fitted, k)}(row[{_key(fitted, k)}])" for k in columns]
    body = [f"    {line}" for line in fitted.fold(_leaf, _split)]
    what = "a mapping from the names of columns to values" if fitted.has_names else "the values in their order"
    lines = [
        '"""A regression tree by optitree."""',
        *(["", "import datetime"] if DATE in (fitted.kinds[k] for k in columns) else []),
        "",
        "",
        f"def {name}(row):",
        f'    """Predict the target of a row: {what}; None or NaN where one is missing."""',
        *read,
        *body,
        "",
        *([_MISSING, *helpers.values()] if columns else []),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _helper(fitted: FittedTree, column: int) -> str:
    return _HELPERS.get(fitted.kinds[column], _ELSE)[0]


def _key(fitted: FittedTree, column: int) -> str:
    return ascii(fitted.names[column]) if fitted.has_names else str(column)


def _leaf(node: Node) -> list[str]:
    return [f"return {float(node.value)!r}"]


def _split(_: Node, condition: Condition, yes: list[str], no: list[str]) -> list[str]:
    rest = [f"el{no[0]}", *no[1:]] if no[0].startswith("if ") else ["else:", *(f"    {line}" for line in no)]
    return [f"if {_holds(condition)}:", *(f"    {line}" for line in yes), *rest]


def _holds(condition: Condition) -> str:
    """Return a test. A number that is missing is NaN, for which no comparison holds; text that is missing is None."""
    x, values = f"x{condition.column}", condition.values
    if isinstance(values, Missing):
        return f"{x} is None or {x} != {x}"
    if isinstance(values, Levels):
        levels = [ascii(level) for level in values.levels]
        return f"{x} == {levels[0]}" if len(levels) == 1 else f"{x} in ({', '.join(levels)})"
    return " or ".join(_between(x, low, high) for low, high in values.ends)


def _between(x: str, low: float, high: float) -> str:
    if low == -INFINITY:
        return f"{x} <= {high!r}" if high < INFINITY else f"{x} == {x}"
    return f"{x} > {low!r}" if high == INFINITY else f"{low!r} < {x} <= {high!r}"
