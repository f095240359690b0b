"""The tree in LaTeX, drawn by the package forest: splits in round boxes, leaves in grey ones, as papers show trees."""

from ...conditions.condition import Condition
from ...solver.tree import Node
from ..words import prediction_format, write_number
from .fitted_tree import FittedTree

_STYLE = r"""  for tree={align=center, font=\small, l sep=8mm, s sep=4mm},
  split/.style={draw, rounded corners=6pt, inner xsep=6pt},
  prediction/.style={draw, fill=black!8},
  yes/.style={edge label={node[midway, left, font=\scriptsize]{yes}}},
  no/.style={edge label={node[midway, right, font=\scriptsize]{no}}},"""
_DOCUMENT = r"""\documentclass[border=4pt]{{standalone}}
\usepackage[T1]{{fontenc}}
\usepackage{{forest}}
\begin{{document}}
{}\end{{document}}
"""
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "\n": " ",
    "\r": " ",
    "\t": " ",
}


def to_latex(fitted: FittedTree, *, document: bool = False) -> str:
    """Return a ``forest`` environment, or a whole document around it that can be compiled."""
    digits = prediction_format([node.value for node in fitted.tree.nodes if node.is_leaf])

    def of_leaf(node: Node) -> list[str]:
        rows = f"{node.rows:,} {'row' if node.rows == 1 else 'rows'}"
        return [f"[{{\\textbf{{{write_number(node.value, digits)}}}\\\\{rows}}}, prediction]"]

    def of_split(_: Node, condition: Condition, yes: list[str], no: list[str]) -> list[str]:
        sides = [*_on_side(yes, "yes"), *_on_side(no, "no")]
        return [f"[{{{_text_of(condition)}}}, split", *(f"  {line}" for line in sides), "]"]

    lines = [f"  {line}" for line in fitted.fold(of_leaf, of_split)]
    forest = "\n".join([r"\begin{forest}", _STYLE, *lines, r"\end{forest}"]) + "\n"
    return _DOCUMENT.format(forest) if document else forest


def _on_side(lines: list[str], side: str) -> list[str]:
    """Say on which side of its parent a node is, at the end of what is said of the node itself."""
    first = f"{lines[0][:-1]}, {side}]" if len(lines) == 1 else f"{lines[0]}, {side}"
    return [first, *lines[1:]]


def _text_of(condition: Condition) -> str:
    text = escaped(str(condition))
    return text.replace(r" \textless{}= ", r" $\leq$ ").replace(r" \textless{} ", " $<$ ")


def escaped(text: str) -> str:
    """Return text in which nothing means more to TeX than itself."""
    return "".join(_SPECIAL.get(letter, letter) for letter in text)
