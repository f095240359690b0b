"""What a fitted model offers to those who want it elsewhere: the tree in other languages, predictions in an engine."""

from typing import Any

from ..output.exports import rules
from ..output.exports.c_code import to_c
from ..output.exports.document import to_dict, to_json
from ..output.exports.dot import to_dot
from ..output.exports.engine import expression, predict_table
from ..output.exports.fitted_tree import fitted_tree
from ..output.exports.latex import to_latex
from ..output.exports.onnx_graph import to_onnx
from ..output.exports.python_code import to_python
from ..output.exports.sklearn_tree import to_sklearn
from ..output.exports.sql import to_sql


class ExportedModel:
    """The fitted tree in other languages; each predicts what ``predict`` predicts."""

    binarizer_: Any

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each leaf: rule in words, rows, share, prediction, spread."""
        return rules.to_frame(fitted_tree(self))

    def to_csv(self) -> str:
        """Return the same table as comma-separated values, which open in Excel."""
        return rules.to_csv(fitted_tree(self))

    def to_markdown(self) -> str:
        """Return the same table in Markdown, with numbers rounded to be read."""
        return rules.to_markdown(fitted_tree(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain values: all that is needed to predict, and nothing about time.

        ``optitree/output/exports/tree.schema.json`` is their JSON Schema.
        """
        return to_dict(fitted_tree(self))

    def to_json(self) -> str:
        """Return the same as JSON."""
        return to_json(fitted_tree(self))

    def to_dot(self) -> str:
        """Return the tree in the language of Graphviz."""
        return to_dot(fitted_tree(self))

    def to_latex(self, *, document: bool = False) -> str:
        """Return the tree as a ``forest`` environment of LaTeX, or a whole document around it."""
        return to_latex(fitted_tree(self), document=document)

    def to_sql(self, dialect: str = "duckdb", *, table: str | None = None, name: str = "prediction") -> str:
        """Return the tree as a CASE expression of SQL.

        Parameters
        ----------
        dialect : {"duckdb", "sqlite", "postgres", "spark"}, default="duckdb"
        table : str, default=None
            The name of a table, for a whole SELECT of its columns and the prediction.
        name : str, default="prediction"
            What the column of predictions is called in the SELECT.
        """
        return to_sql(fitted_tree(self), dialect, table=table, name=name)

    def to_python(self, name: str = "predict") -> str:
        """Return a Python module with a function of a row that needs nothing but Python."""
        return to_python(fitted_tree(self), name)

    def to_c(self, name: str = "predict") -> str:
        """Return the tree in C: a struct of the columns it asks about, and a function of it."""
        return to_c(fitted_tree(self), name)

    def to_onnx(self) -> Any:
        """Return the tree as an ``onnx.ModelProto``, with an input for each column that it asks about."""
        return to_onnx(fitted_tree(self))

    def to_sklearn(self) -> Any:
        """Return a fitted scikit-learn pipeline: the conditions, and a DecisionTreeRegressor on their answers.

        ``pipeline["tree"]`` is what shap, dtreeviz and ``sklearn.tree.plot_tree`` take, with
        ``pipeline["conditions"].transform(X)`` as its rows and ``get_feature_names_out()`` as their names.
        """
        return to_sklearn(fitted_tree(self), self.binarizer_)

    def predict_table(self, X: Any, name: str = "prediction") -> Any:
        """Return a table with its predictions in a column beside the others, in the library that it comes from.

        X is a data frame: in memory, or one that an engine holds (DuckDB, lazy polars, Dask, Spark). An engine makes
        the predictions itself when the table that is returned is used, and the rows stay where they are. It does not
        look for infinite values, which ``predict`` refuses in memory: they are above or below every threshold.
        """
        return predict_table(self, X, name)

    def expression(self, X: Any) -> Any:
        """Return the predictions for the rows of a data frame as an expression of narwhals.

        X is looked at for the types of its columns alone. Names that mean more to an engine than themselves (``*``, or
        a dot in Spark) and moments with a time zone are for ``predict_table``.
        """
        return expression(fitted_tree(self), X)
