"""The tree as SQL: a CASE expression, or a whole SELECT, in the dialects of DuckDB, SQLite, PostgreSQL and Spark.

sqlglot writes names, text and functions as each dialect has them. What differs in meaning is decided here:

- A threshold is a double, so that the engine compares doubles, as the model does, whatever number type a column has.
- DuckDB, PostgreSQL and Spark take NaN for a value above all others; to the model it is missing, as NULL is.
- Booleans are 0 and 1 in SQLite.
- Moments are compared as microseconds since 1970, in UTC where they have a time zone, but in Spark, whose functions do
  not do this for all types: there spark.sql.session.timeZone has to be UTC if a column has one. SQLite has no type for
  them: there they are text as in ISO 8601, ``2024-05-01`` or ``2024-05-01 12:30:00``.
- SQLite rounds long decimals wrongly now and then: numbers get the digits with which it cannot.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from math import ulp
from typing import Any

import numpy as np

from ...conditions.condition import Condition
from ...conditions.values import INFINITY, Levels, Missing
from ...solver.tree import Node
from ...table.columns import BOOLEAN, DATE, NUMBER
from .fitted_tree import FittedTree

DIALECTS = ("duckdb", "sqlite", "postgres", "spark")
_WHOLE = 2.0**53  # from here on not every whole number is a double
_SMALL, _LARGE = 1e-20, 1e20  # between these SQLite reads 18 digits as they are meant
_MOMENT = " 00:00:00.000000"


def to_sql(fitted: FittedTree, dialect: str = "duckdb", *, table: str | None = None, name: str = "prediction") -> str:
    """Return the tree as a CASE expression, or, with the name of a table, as a SELECT of its columns and predictions.

    ``table`` is read as the dialect reads it: ``cars``, ``sales.cars``, or ``"my cars"`` with its quotes.
    """
    if dialect not in DIALECTS:
        raise ValueError(f"dialect={dialect!r} is not known; use one of {', '.join(map(repr, DIALECTS))}")
    exp = _sqlglot().exp
    writer = _Writer(exp, _MAKE[dialect](exp), fitted)
    case = writer.case()
    if table is not None:
        case = exp.select("*", exp.alias_(case, name, quoted=True)).from_(exp.to_table(table, dialect=dialect))
    text: str = case.sql(dialect=dialect, pretty=True)
    return text


def _sqlglot() -> Any:
    try:
        import sqlglot  # noqa: PLC0415  (an extra)
    except ImportError:
        raise ImportError("to_sql needs sqlglot; install it with: pip install 'optitree[sql]'") from None
    return sqlglot


@dataclass(frozen=True)
class _Writer:
    """Conditions and predictions of a tree as expressions of sqlglot's (``exp`` is its module of them)."""

    exp: Any
    dialect: "_Dialect"
    fitted: FittedTree

    def case(self) -> Any:
        """Return the tree. Sides that fail one question after the other are one CASE, not nested ones."""
        return self.dialect.result(self.fitted.fold(self._leaf, self._split))

    def _leaf(self, node: Node) -> Any:
        return self.dialect.prediction(node.value)

    def _split(self, _: Node, condition: Condition, yes: Any, no: Any) -> Any:
        case = self.exp.Case(ifs=[self.exp.If(this=self.holds(condition), true=yes)])
        if isinstance(no, self.exp.Case):
            case.set("ifs", [*case.args["ifs"], *no.args["ifs"]])
            case.set("default", no.args["default"])
        else:
            case.set("default", no)
        return case

    def holds(self, condition: Condition) -> Any:
        """Return when a condition holds; where a value is missing that may be NULL, which CASE takes for false."""
        column = self.exp.column(condition.name, quoted=True)
        kind, values = self.fitted.kinds[condition.column], condition.values
        if isinstance(values, Missing):
            return self.dialect.missing(column, kind)
        if isinstance(values, Levels):
            levels = [self.exp.Literal.string(level) for level in values.levels]
            text = self.dialect.text(column)
            return text.eq(levels[0]) if len(levels) == 1 else self.exp.In(this=text, expressions=levels)
        if kind == BOOLEAN:
            return self.dialect.boolean(column, [any(low < bit <= high for low, high in values.ends) for bit in (0, 1)])
        within = [self._between(column, kind, low, high) for low, high in values.ends]
        return reduce(self.exp.or_, within)

    def _between(self, column: Any, kind: str, low: float, high: float) -> Any:
        sides = []
        if low > -INFINITY:
            sides.append(self.exp.GT(**self.dialect.compared(column, kind, low)))
        if high < INFINITY:
            sides.append(self.exp.LTE(**self.dialect.compared(column, kind, high)))
        else:
            sides.append(self.exp.not_(self.dialect.missing(column, kind)))
        return self.exp.and_(*sides)


@dataclass(frozen=True)
class _Dialect:
    """What a dialect says for numbers, booleans and moments; DuckDB's, where nothing else is said."""

    exp: Any

    def result(self, case: Any) -> Any:
        """Return an expression whose values are doubles."""
        return case

    def number(self, value: float) -> Any:
        """Return a double: to DuckDB and Spark that is a number with an exponent, others are decimals."""
        return self.signed(value, lambda text: text if "e" in text else f"{text}e0")

    def prediction(self, value: float) -> Any:
        """Return what a leaf predicts."""
        return self.number(value)

    def signed(self, value: float, write: Callable[[str], str]) -> Any:
        """Return a number, whose sign is an operation of its own."""
        literal = self.exp.Literal.number(write(repr(abs(float(value)))))
        return self.exp.Neg(this=literal) if np.signbit(value) else literal

    def compared(self, column: Any, kind: str, threshold: float) -> dict[str, Any]:
        """Return the two sides of a comparison."""
        if kind == DATE:
            return self.moments(column, threshold)
        return {"this": column, "expression": self.number(threshold)}

    def moments(self, column: Any, threshold: float) -> dict[str, Any]:
        """Return the two sides of a comparison of moments."""
        moment = self.exp.cast(self.exp.Literal.string(_moment(threshold)), "TIMESTAMP")
        return {"this": self.exp.func("EPOCH_US", column), "expression": self.exp.func("EPOCH_US", moment)}

    def missing(self, column: Any, kind: str) -> Any:
        """Return whether there is no value: NULL, or NaN in a column of numbers."""
        null = column.is_(self.exp.null())
        return self.exp.paren(self.exp.or_(null, self.nan(column))) if kind == NUMBER else null

    def nan(self, column: Any) -> Any:
        """Return whether a number is NaN, of a column that may be of any number type."""
        return self.exp.func("ISNAN", self.exp.cast(column, "DOUBLE"))

    def text(self, column: Any) -> Any:
        """Return a category as text."""
        return column

    def boolean(self, column: Any, holds: list[bool]) -> Any:
        """Return whether a boolean is one for which a condition holds; ``holds`` says it for false and true."""
        if all(holds):
            return self.exp.not_(column.is_(self.exp.null()))
        if not any(holds):
            return self.exp.false()
        return column.is_(self.exp.true() if holds[1] else self.exp.false())


class _Postgres(_Dialect):
    def result(self, case: Any) -> Any:
        return self.exp.cast(case, "DOUBLE")

    def number(self, value: float) -> Any:
        return self.exp.cast(self.prediction(value), "DOUBLE")

    def prediction(self, value: float) -> Any:
        return self.signed(value, lambda text: text)

    def moments(self, column: Any, threshold: float) -> dict[str, Any]:
        moment = self.exp.cast(self.exp.Literal.string(_moment(threshold)), "TIMESTAMP")
        epoch = self.exp.var("EPOCH")
        return {
            "this": self.exp.Extract(this=epoch, expression=column),
            "expression": self.exp.Extract(this=epoch.copy(), expression=moment),
        }

    def text(self, column: Any) -> Any:
        return self.exp.cast(column, "TEXT")  # an enum is not compared with what is none of its values

    def nan(self, column: Any) -> Any:
        return self.exp.cast(column, "DOUBLE").eq(self.exp.cast(self.exp.Literal.string("NaN"), "DOUBLE"))


class _Spark(_Dialect):
    def moments(self, column: Any, threshold: float) -> dict[str, Any]:
        moment = self.exp.cast(self.exp.Literal.string(_moment(threshold)), "TIMESTAMPNTZ")
        return {"this": column, "expression": moment}


class _SQLite(_Dialect):
    def number(self, value: float) -> Any:
        size = abs(float(value))
        if size == 0 or _SMALL <= size <= _LARGE:
            return self.signed(value, lambda _: _digits(size))
        return self.signed(value, lambda _: _ratio(size))

    def compared(self, column: Any, kind: str, threshold: float) -> dict[str, Any]:
        sides = super().compared(column, kind, threshold)
        # SQLite compares a whole number with a real one as they are, the model once both are doubles.
        return sides | {"this": self.exp.cast(column, "REAL")} if kind != DATE and abs(threshold) >= _WHOLE else sides

    def moments(self, column: Any, threshold: float) -> dict[str, Any]:
        """Compare texts, each filled up to microseconds."""
        text, string = self.exp.func("REPLACE", column, *map(self.exp.Literal.string, "T ")), self.exp.Literal.string
        rest = self.exp.func("SUBSTR", string(_MOMENT), self.exp.func("LENGTH", column) - 9)
        return {"this": self.exp.DPipe(this=text, expression=rest), "expression": string(moment_text(threshold))}

    def missing(self, column: Any, kind: str) -> Any:
        return column.is_(self.exp.null())

    def boolean(self, column: Any, holds: list[bool]) -> Any:
        if all(holds) or not any(holds):
            return super().boolean(column, holds)
        half = self.exp.Literal.number("0.5")
        return column > half if holds[1] else column <= half


_MAKE: dict[str, type[_Dialect]] = {"duckdb": _Dialect, "sqlite": _SQLite, "postgres": _Postgres, "spark": _Spark}


def moment_text(microseconds: float) -> str:
    """Return a moment in full, to the microsecond."""
    return str(np.datetime64(int(microseconds), "us")).replace("T", " ")


def _moment(microseconds: float) -> str:
    """Return a moment to the second if that is what it is."""
    return moment_text(microseconds).removesuffix(".000000")


def _digits(size: float) -> str:
    """Return the shortest digits of a number if they are clearly nearer to it than to its neighbours, or else 18."""
    short = repr(size)
    off = abs(Fraction(Decimal(short)) - Fraction(size))
    return short if off < Fraction(ulp(size)) * 99 / 200 else f"{size:.18g}"


def _ratio(size: float) -> str:
    """Return a number by whole ones that every reader of decimals gets right: a mantissa, and powers of two."""
    over, under = size.as_integer_ratio()
    parts, sign = (over, "*") if under == 1 else (under, "/")
    shift = (parts & -parts).bit_length() - 1
    text = f"{(over >> shift) if under == 1 else over}.0"
    while shift:
        step = min(shift, 52)
        text += f" {sign} {2**step}.0"
        shift -= step
    return f"({text})"
