"""The tree in Graphviz' language: ``dot -Tsvg tree.dot``."""

from ..words import prediction_format, write_number
from .fitted_tree import FittedTree


def to_dot(fitted: FittedTree) -> str:
    """Return a graph: splits are ovals, leaves are boxes, and a box under the pointer says its number in full."""
    tree = fitted.tree
    digits = prediction_format([node.value for node in tree.nodes if node.is_leaf])
    lines = [
        "digraph tree {",
        '  graph [ordering=out, bgcolor="transparent"];',
        '  node [shape=box, style="rounded", fontname="Helvetica", fontsize=11];',
        '  edge [fontname="Helvetica", fontsize=10];',
    ]
    for at, node in enumerate(tree.nodes):
        rows = f"{node.rows:,} {'row' if node.rows == 1 else 'rows'}"
        if node.condition is None:
            label = f"{write_number(node.value, digits)}\n{rows}"
            tooltip = f"predict {node.value!r}"
            lines.append(f"  n{at} [label={_quoted(label)}, tooltip={_quoted(tooltip)}];")
        else:
            label, tooltip = str(node.condition), node.condition.in_full()
            lines.append(f"  n{at} [shape=oval, label={_quoted(label)}, tooltip={_quoted(tooltip)}];")
            lines += [f'  n{at} -> n{node.yes} [label="yes"];', f'  n{at} -> n{node.no} [label="no"];']
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", " ").replace("\n", "\\n")
    return f'"{escaped}"'
