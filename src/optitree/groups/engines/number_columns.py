"""Columns of text that are numbers to a person: ``2,5`` and ``1.234,5``, or numbers with ``?`` for a missing value."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .dialects import in_quotes
from .file_format import FileFormat

# What people write for a missing value, in small letters.
_WORDS = ("?", "-", "--", ".", "n/a", "na", "#n/a", "n.a.", "none", "null", "nan", "-nan", "missing", "unknown", "nil")
_PLAIN_WORDS = ("?", "n/a", "#n/a", "n.a.")  # which hardly ever are a level of a category
_FIRST_ROWS = 2000
_EXPONENT = "([eE][+-]?[0-9]+)?"
_POINT = rf"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+){_EXPONENT}"
_COMMA = rf"[+-]?([0-9]+|[0-9]{{1,3}}(\.[0-9]{{3}})+|)(,[0-9]*)?{_EXPONENT}"
_THOUSANDS = rf"[+-]?([0-9]+|[0-9]{{1,3}}(,[0-9]{{3}})+)(\.[0-9]*)?{_EXPONENT}"
_UNCLEAR = r"[+-]?[0-9]{1,3},[0-9]{3}"  # thousands, or three digits after a decimal comma
_ANY = f"({_POINT})|({_COMMA})|({_THOUSANDS})"
# What stands between thousands and can mean nothing else; a curved apostrophe and blanks that do not break among them.
_MARKS = "['\u2019 \u00a0\u202f]"
_MARKED = rf"[+-]?[1-9][0-9]{{0,2}}({_MARKS}[0-9]{{3}})+([.,][0-9]*)?"
# A number with a sign of money, of a share or of a measure around it.
_UNIT = r"\p{Sc}|EUR|USD|GBP|CHF|%|‰|°C|°F|[ck]?m|mm|km|k?g|m?l|lbs?|ft|m²|h|min"
_DIGITS = "[0-9][0-9.,'\u2019 \u00a0\u202f]*"
_WITH_UNIT = rf"[+-]?({_UNIT})\s?[+-]?{_DIGITS}|[+-]?{_DIGITS}\s?({_UNIT})"


@dataclass(frozen=True, slots=True)
class _Seen:
    """How many values of a column are written in which way; ``other``: one that is no number; ``least``: any."""

    name: str
    values: int
    point: int
    comma: int
    thousands: int
    with_comma: int
    unclear: int
    marked: int
    plain_words: int
    least: str | None
    words: tuple[str, ...]
    other: str | None
    others: int


# What is asked of each column, in this order.
_COUNTED = (
    "values", "point", "comma", "thousands", "with_comma", "unclear", "marked", "plain_words", "least", "words",
    "other", "others",
)  # fmt: skip


def read_numbers(table: Any, known: FileFormat, chosen: Collection[str], say: Callable[[str], None]) -> Any:
    """Return the table with such columns as numbers, and say which these are and what was taken for what."""
    texts = [n for n, kind in zip(table.columns, table.types, strict=True) if str(kind) == "VARCHAR" and n in chosen]
    if not texts:
        return table
    likely, with_units = _mostly_numbers(table, texts)
    for name, example in with_units.items():
        say(
            f"column {name!r} is taken as a category: its values are numbers with a unit, such as {example!r}; write "
            "the numbers alone to have them compared"
        )
    seen = _look(table, texts, known)
    comma = known.decimal == "," or any(_is_comma(column) for column in seen if column.name in likely)
    read: dict[str, tuple[str, str]] = {}
    missing: set[str] = set()
    said: dict[str, list[str]] = {}
    for column in seen:
        style = _style(column, known, comma) if column.name in likely and not column.others and column.values else None
        if style is not None:
            read[column.name] = style
            missing.update(column.words)
            said.setdefault(_how(column, style), []).append(column.name)
        else:
            _say_of_text(column, column.name in likely, known, say)
    for how, names in said.items():
        say(f"{_list(names)} {'is' if len(names) == 1 else 'are'} read as numbers{how}")
    if not read:
        return table
    also = [c.name for c in seen if c.name not in read and missing & set(c.words)]
    if also:
        say(f"{_list(missing)} is read as missing in {_list(also)} too, as in columns of numbers")
    return _converted(table, read, missing, also)


def _is_comma(column: _Seen) -> bool:
    """Whether a column has decimal commas and nothing else can be meant."""
    return not column.others and column.comma == column.values and column.with_comma > column.unclear


def _style(column: _Seen, known: FileFormat, comma: bool) -> tuple[str, str] | None:
    """Return what separates decimals and thousands in a column; None if it is to stay text."""
    if known.decimal is not None or known.thousands is not None:
        decimal = known.decimal or ("," if known.thousands == "." else ".")
        matching = column.comma if decimal == "," else column.thousands if known.thousands == "," else column.point
        return (decimal, "." if decimal == "," else ",") if matching == column.values else None
    if column.point == column.values:
        return ".", ","
    if _is_comma(column) or (comma and column.comma == column.values):
        return ",", "."
    clear = column.thousands == column.values and column.with_comma > column.unclear
    return (".", ",") if clear else None


def _how(column: _Seen, style: tuple[str, str]) -> str:
    """Say how the numbers of a column are written."""
    how = []
    if style[0] == ",":
        how.append("with a decimal comma")
    elif column.with_comma:
        how.append("with commas between thousands")
    if column.marked:
        how.append("with blanks or apostrophes between thousands")
    if column.words:
        how.append(f"with {_list(column.words)} for a missing value")
    return f" {' and '.join(how)}" if how else f", such as {column.least!r}"


def _say_of_text(column: _Seen, likely: bool, known: FileFormat, say: Callable[[str], None]) -> None:
    """Tell of a column that stays text although it may not have been meant to."""
    name = column.name
    if likely and column.others:
        say(
            f"column {name!r} is taken as a category: most of its values are numbers, but {column.others:,} are not, "
            f"such as {column.other!r}; name words for missing values with --missing"
        )
    elif likely and column.values:
        say(
            f"column {name!r} is taken as a category: its numbers are written in several ways, or have commas that may "
            "part decimals or thousands; say which with --decimal , or --thousands ,"
        )
    elif column.plain_words and not known.missing:
        say(f"column {name!r} has the level {_list(column.words)}; if that means missing, say so with --missing")


def _mostly_numbers(table: Any, names: Sequence[str]) -> tuple[set[str], dict[str, str]]:
    """Return the columns of whose first values, those that may mean missing left out, at least half are numbers.

    And those of which as many are numbers with a unit, with one of these.
    """
    asked = []
    for name in names:
        value = _trimmed(name)
        asked += [
            f"count(*) FILTER (WHERE NOT {_is_word(value)})",
            f"count(*) FILTER (WHERE {_matches(value, _ANY)})",
            f"count(*) FILTER (WHERE regexp_full_match({value}, {_literal(_WITH_UNIT)}))",
            f"min({in_quotes(name)}) FILTER (WHERE regexp_full_match({value}, {_literal(_WITH_UNIT)}))",
        ]
    counts = table.limit(_FIRST_ROWS).aggregate(", ".join(asked)).fetchall()[0]
    found = {name: counts[4 * at : 4 * at + 4] for at, name in enumerate(names)}
    likely = {name for name, (values, numbers, _, _) in found.items() if numbers and 2 * numbers >= values}
    with_units = {name: least for name, (values, _, units, least) in found.items() if units and 2 * units >= values}
    return likely, {name: least for name, least in with_units.items() if name not in likely}


def _look(table: Any, names: list[str], known: FileFormat) -> list[_Seen]:
    """Count, in one pass over the files, in which ways the values of columns are written."""
    asked = []
    for name in names:
        value = _trimmed(name)
        word = "false" if known.missing else _is_word(value)
        number = _matches(value, _ANY)
        rest = f"NOT ({word}) AND {value} IS NOT NULL"
        plain = ", ".join(map(_literal, _PLAIN_WORDS))
        asked += [
            f"count({value}) FILTER (WHERE {rest})",
            *(f"count(*) FILTER (WHERE {rest} AND {_matches(value, way)})" for way in (_POINT, _COMMA, _THOUSANDS)),
            f"count(*) FILTER (WHERE {rest} AND contains({value}, ','))",
            f"count(*) FILTER (WHERE {rest} AND {_matches(value, _UNCLEAR)})",
            f"count(*) FILTER (WHERE {rest} AND regexp_full_match({_bare(name)}, {_literal(_MARKED)}))",
            f"count(*) FILTER (WHERE lower({value}) IN ({plain}))",
            f"min({in_quotes(name)}) FILTER (WHERE {rest})",
            f"list(DISTINCT {in_quotes(name)}) FILTER (WHERE {word})",
            f"min({in_quotes(name)}) FILTER (WHERE {rest} AND NOT {number})",
            f"count(*) FILTER (WHERE {rest} AND NOT {number})",
        ]
    found = table.aggregate(", ".join(asked)).fetchall()[0]
    size = len(asked) // len(names)
    seen = []
    for at, name in enumerate(names):
        row = dict(zip(_COUNTED, found[size * at : size * (at + 1)], strict=True))
        seen.append(_Seen(name, **{**row, "words": tuple(sorted(row["words"] or ()))}))
    return seen


def _converted(table: Any, read: dict[str, tuple[str, str]], missing: set[str], also: Collection[str]) -> Any:
    columns = []
    words = ", ".join(map(_literal, sorted(missing))) or "''"
    for name in table.columns:
        quoted = in_quotes(name)
        if name in read:
            decimal, thousands = read[name]
            digits = f"replace({_trimmed(name)}, {_literal(thousands)}, '')"
            number = digits if decimal == "." else f"replace({digits}, {_literal(decimal)}, '.')"
            columns.append(f"CASE WHEN {quoted} NOT IN ({words}) THEN CAST({number} AS DOUBLE) END AS {quoted}")
        elif name in also:
            columns.append(f"CASE WHEN {quoted} NOT IN ({words}) THEN {quoted} END AS {quoted}")
        else:
            columns.append(quoted)
    return table.project(", ".join(columns))


def _bare(name: str) -> str:
    return f"trim({in_quotes(name)})"


def _trimmed(name: str) -> str:
    """Return a value without blanks around it, and without marks between thousands that can be nothing else."""
    value, marks = _bare(name), _literal(_MARKS)
    marked = f"regexp_full_match({value}, {_literal(_MARKED)})"
    return f"(CASE WHEN {marked} THEN regexp_replace({value}, {marks}, '', 'g') ELSE {value} END)"


def _matches(value: str, pattern: str) -> str:
    return f"(regexp_full_match({value}, {_literal(pattern)}) AND regexp_matches({value}, '[0-9]'))"


def _is_word(value: str) -> str:
    return f"(lower({value}) IN ({', '.join(map(_literal, _WORDS))}))"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _list(words: Iterable[str]) -> str:
    shown = [repr(word) for word in sorted(words)]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
