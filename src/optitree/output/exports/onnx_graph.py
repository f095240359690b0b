"""The tree as a graph of ONNX operators, all of them on doubles, so that not a bit of a prediction is lost.

An input for each column that the tree asks about, named as the column, of shape (rows, 1): text for categories, doubles
for all else (booleans as 0 and 1, moments as microseconds since 1970 in UTC), NaN where a value is missing. ONNX has no
missing text: it is the empty text there.
"""

from typing import Any

import numpy as np

from ...conditions.condition import Condition
from ...conditions.values import INFINITY, Intervals, Levels, Missing
from ...solver.tree import Node
from ...table.columns import CATEGORY
from .fitted_tree import FittedTree

_OPSET, _ML_OPSET, _IR_VERSION = 17, 3, 8


def to_onnx(fitted: FittedTree) -> Any:
    """Return an ``onnx.ModelProto`` with an output ``prediction`` of shape (rows, 1)."""
    onnx = _onnx()
    graph = _Graph(onnx, fitted)
    result = fitted.fold(lambda node: graph.constant(node.value), graph.split)
    helper, double, rows = onnx.helper, onnx.TensorProto.DOUBLE, ["rows", 1]
    inputs = [
        helper.make_tensor_value_info(
            fitted.names[k], onnx.TensorProto.STRING if fitted.kinds[k] == CATEGORY else double, rows
        )
        for k in fitted.tree.columns or (0,)
    ]
    graph.expand(result, inputs[0].name)
    whole = helper.make_graph(
        graph.nodes, "optitree", inputs, [helper.make_tensor_value_info("prediction", double, rows)], graph.constants
    )
    versions = [helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", _ML_OPSET)]
    model = helper.make_model(whole, opset_imports=versions, ir_version=_IR_VERSION, producer_name="optitree")
    onnx.checker.check_model(model)
    return model


def _onnx() -> Any:
    try:
        import onnx  # noqa: PLC0415  (an extra)
    except ImportError:
        raise ImportError("to_onnx needs onnx; install it with: pip install 'optitree[onnx]'") from None
    return onnx


class _Graph:
    """The operators of a tree, collected one after the other; each is known by the name of what it returns."""

    def __init__(self, onnx: Any, fitted: FittedTree) -> None:
        self._onnx, self._fitted = onnx, fitted
        self._taken = {*fitted.names, "prediction"}
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: float | str) -> str:
        """Return the name of a constant."""
        name = self._name("value")
        array = np.array([[value]], dtype=object if isinstance(value, str) else np.float64)
        self.constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def split(self, _: Node, condition: Condition, yes: str, no: str) -> str:
        """Return the name of the prediction below a split."""
        return self._do("Where", self._holds(condition), yes, no)

    def expand(self, result: str, column: str) -> None:
        """Give the result a prediction for every row, also of a tree that asks nothing."""
        shape = self._do("Shape", column)
        self.nodes.append(self._onnx.helper.make_node("Expand", [result, shape], ["prediction"]))

    def _holds(self, condition: Condition) -> str:
        values, column = condition.values, self._fitted.names[condition.column]
        if isinstance(values, Levels):
            return self._among(values.levels, column)
        if isinstance(values, Missing):
            is_text = self._fitted.kinds[condition.column] == CATEGORY
            return self._among(("",), column, missing=True) if is_text else self._do("IsNaN", column)
        return self._within(values, column)

    def _within(self, values: Intervals, column: str) -> str:
        sides = []
        for low, high in values.ends:
            above = self._do("Greater", column, self.constant(low)) if low > -INFINITY else None
            below = self._do("LessOrEqual", column, self.constant(high))  # infinity too: NaN is not below it
            sides.append(below if above is None else self._do("And", above, below))
        found = sides[0]
        for side in sides[1:]:
            found = self._do("Or", found, side)
        return found

    def _among(self, levels: tuple[str, ...], column: str, missing: bool = False) -> str:
        if "" in levels and not missing:
            raise ValueError(
                f"to_onnx cannot tell the level '' of column {column!r} from a missing value, for which ONNX has the "
                "empty text; give the level another name and fit again, or use another export"
            )
        code = self._do(
            "LabelEncoder",
            column,
            domain="ai.onnx.ml",
            keys_strings=list(levels),
            values_int64s=[1] * len(levels),
            default_int64=0,
        )
        return self._do("Cast", code, to=self._onnx.TensorProto.BOOL)

    def _do(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        name = self._name(operator)
        self.nodes.append(self._onnx.helper.make_node(operator, list(inputs), [name], domain=domain, **attributes))
        return name

    def _name(self, what: str) -> str:
        name = f"{what}_{len(self.nodes)}_{len(self.constants)}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name
