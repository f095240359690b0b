"""The tree as an expression of narwhals, with which an engine predicts the rows that it holds."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw

from ...conditions.condition import Condition
from ...groups.engines.dialects import comparable, in_known_zones, renamed
from ...groups.engines.expressions import is_among, value_of
from ...solver.tree import Node
from ...table.frames import as_any_frame, as_lazy_frame, check_names
from ...table.reading import check_kind, kind_of
from .fitted_tree import FittedTree, fitted_tree

_RESULT = "optitree_prediction"


class _Value(NamedTuple):
    """What conditions of a column compare, as an expression, and whether that is days."""

    of: Any
    days: bool


def predict_table(model: Any, X: Any, name: str) -> Any:
    """Return a table with a column of predictions beside its own; a lazy one stays lazy."""
    fitted = fitted_tree(model)
    lazy = as_lazy_frame(X)
    frame = as_any_frame(X) if lazy is None else lazy
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        raise TypeError(
            f"predict_table takes a data frame to put a column into, not {type(X).__name__}; use predict for arrays"
        )
    present = frame.collect_schema().names()
    if name.casefold() in (column.casefold() for column in present):  # to SQL these are the same
        raise ValueError(f"the table has a column {name!r} already; give the predictions another name, with name=...")
    if lazy is not None:
        return predict_lazily(fitted, lazy, name, keep=True)
    predicted = nw.new_series(name, model.predict(X), nw.Float64, backend=frame.implementation)
    return nw.to_native(frame.with_columns(predicted))


def predict_lazily(
    fitted: FittedTree, frame: "nw.LazyFrame[Any]", name: str = "prediction", *, keep: bool = False
) -> Any:
    """Return the engine's own table of predictions, not yet computed; ``keep`` its columns beside them."""
    present = frame.collect_schema().names()
    place = _places(fitted, present)
    # Names of our own: those of the table may have dots, quotes or blanks, which not every engine takes. What is asked
    # about is copied, because it may have to be of another type.
    plain = [f"c{number}" for number in range(len(present))]
    copies = {column: f"a{column}" for column in place}
    table = renamed(frame, plain)
    if copies:
        called = {copy: present[place[column]] for column, copy in copies.items()}
        table = table.with_columns(*(nw.col(plain[place[k]]).alias(copy) for k, copy in copies.items()))
        table = in_known_zones(table, called)
        _check_kinds(fitted, copies, table.collect_schema())
        table = comparable(table, called, count_moments=True)
        dtypes = table.collect_schema()
        # What conditions compare is made once a column, not once a condition.
        table = table.with_columns(
            *(value_of(copy, dtypes[copy], fitted.kinds[column]).alias(copy) for column, copy in copies.items())
        )
    dtypes = table.collect_schema()
    values = {column: _Value(nw.col(copy), dtypes[copy] == nw.Date) for column, copy in copies.items()}
    predicted = _expression(fitted, values).alias(_RESULT)
    if not keep:
        return nw.to_native(renamed(table.with_columns(predicted).select(_RESULT), [name]))
    return nw.to_native(renamed(table.with_columns(predicted).select(*plain, _RESULT), [*present, name]))


def expression(fitted: FittedTree, X: Any) -> Any:
    """Return an expression for the predictions of a frame, of which only the types of columns are looked at."""
    frame = as_any_frame(X)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        raise TypeError(f"expression takes a data frame, not {type(X).__name__}; use predict for arrays")
    schema = frame.collect_schema()
    names = {column: schema.names()[at] for column, at in _places(fitted, schema.names()).items()}
    zoned = [name for name in names.values() if getattr(schema[name], "time_zone", None)]
    if zoned and isinstance(frame, nw.LazyFrame) and not frame.implementation.is_polars():
        raise ValueError(
            f"column {zoned[0]!r} has moments with a time zone, which engines compare in different ways; use "
            "predict_table, which takes care of it"
        )
    _check_kinds(fitted, names, schema)
    values = {
        column: _Value(value_of(name, schema[name], fitted.kinds[column]), schema[name] == nw.Date)
        for column, name in names.items()
    }
    return _expression(fitted, values)


def _places(fitted: FittedTree, present: Sequence[str]) -> dict[int, int]:
    """Return where the columns that the tree asks about are in a table: by name, or by position if there were none."""
    asked = fitted.tree.columns
    if fitted.has_names:
        check_names([fitted.names[column] for column in asked], present)
        return {column: present.index(fitted.names[column]) for column in asked}
    if len(present) != len(fitted.kinds):
        raise ValueError(
            f"the table has {len(present)} columns, and the model was fitted to {len(fitted.kinds)} without names; "
            "select the same ones in the same order"
        )
    return {column: column for column in asked}


def _check_kinds(fitted: FittedTree, names: Mapping[int, str], dtypes: Mapping[str, Any]) -> None:
    """Raise ValueError where a column is not of the kind that it had at fit. One without a type has no values."""
    for column, name in names.items():
        if dtypes[name] != nw.Unknown:
            check_kind(kind_of(dtypes[name]), fitted.kinds[column], fitted.names[column])


def _expression(fitted: FittedTree, values: Mapping[int, _Value]) -> Any:
    """Return the tree as an expression of the values of the columns that it asks about."""

    def split(_: Node, condition: Condition, yes: Any, no: Any) -> Any:
        value = values[condition.column]
        return nw.when(is_among(value.of, condition.values, days=value.days)).then(yes).otherwise(no)

    return fitted.fold(lambda node: nw.lit(float(node.value), nw.Float64), split)
