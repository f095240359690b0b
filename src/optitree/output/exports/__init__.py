"""Exports: the fitted tree in other languages, each of which predicts what the model predicts.

``export(model, format)`` returns the text of one of ``EXPORT_FORMATS`` (bytes for ``onnx``):

=============  ==========================================================================================
csv            a row for each leaf: rule in words, rows, share, prediction, spread; opens in Excel
json           the tree as plain values, see ``tree.schema.json``; nothing in it is about time
dot            Graphviz
latex          the package forest, a whole document
markdown       the table of leaves
python         a function that needs nothing but Python
c              a struct and a function, C99
sql-duckdb     a CASE expression in the dialect of DuckDB; needs sqlglot (``pip install 'optitree[sql]'``)
sql-sqlite     the same for SQLite
sql-postgres   the same for PostgreSQL
sql-spark      the same for Spark
onnx           a graph of ONNX operators; needs onnx (``pip install 'optitree[onnx]'``)
=============  ==========================================================================================

Models offer each as a method with its options: ``model.to_sql(dialect="duckdb", table="cars")``. What a value means is
the same everywhere: a missing one (NULL, None, NaN) fails every condition but that it is missing, a level that was not
there at fit fails all.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from .c_code import to_c
from .document import to_json
from .dot import to_dot
from .fitted_tree import FittedTree, fitted_tree
from .latex import to_latex
from .onnx_graph import to_onnx
from .python_code import to_python
from .rules import to_csv, to_markdown
from .sql import DIALECTS, to_sql

_EXPORTS: dict[str, Callable[[FittedTree], str | bytes]] = {
    "csv": to_csv,
    "json": to_json,
    "dot": to_dot,
    "latex": partial(to_latex, document=True),
    "markdown": to_markdown,
    "python": to_python,
    "c": to_c,
    **{f"sql-{dialect}": partial(to_sql, dialect=dialect) for dialect in DIALECTS},
    "onnx": lambda fitted: bytes(to_onnx(fitted).SerializeToString()),
}
EXPORT_FORMATS = tuple(_EXPORTS)


def export(model: Any, format: str) -> str | bytes:
    """Return a fitted model in another format.

    Parameters
    ----------
    model : OptimalTreeRegressor or OptimalTreeRegressorCV
    format : str
        One of ``EXPORT_FORMATS``.
    """
    if format not in _EXPORTS:
        raise ValueError(f"format={format!r} is not known; use one of {', '.join(_EXPORTS)}")
    return _EXPORTS[format](fitted_tree(model))
