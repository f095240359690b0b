"""A fitted model in a notebook: plain HTML without a script, which a report also shows where scripts are off."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

_COLOUR = "#2f6f9f"
_MOST_LEAVES = 60
_MOST_CONDITIONS = 5
# Rule, prediction, rows, histogram and what is left, below one another: histograms have the same scale.
_GRID = "display:grid;grid-template-columns:auto auto auto auto 1fr;gap:1px 1em;align-items:center"
_WHOLE = "grid-column:1/-1"


def notebook_html(content: Mapping[str, Any]) -> str:
    """Return the summary, the tree and what is proven; of several trees the list, and one of them."""
    if not content["trees"]:
        return f"<p>{html.escape(content['summary'])}</p>"
    tree = content["trees"][content["chosen"]]
    mark = "✓ proven optimal" if tree["optimal"] else "near optimal" if tree["near"] else "not proven"
    return (
        '<div style="max-width:46em;font:14px/1.45 system-ui,sans-serif">'
        f'<p style="margin:.2em 0 .6em"><b style="color:{_COLOUR}">{mark}</b> · {html.escape(content["summary"])}</p>'
        f"{_others(content)}{outline(tree, content['conditions'])}</div>"
    )


def _others(content: Mapping[str, Any]) -> str:
    """Return what there is beside the tree that is shown, and which of them that is."""
    if content["kind"] == "path":
        steps = zip(content["trees"], content["steps"], strict=True)
        lines = [(tree["leaves"], tree["score"], step["regularization"]) for tree, step in steps]
        return _table(("leaves", "explained", "at regularization"), lines) + _said("The largest of them:")
    if content["kind"] == "near":
        uses = [(use["text"], f"{use['trees']} of {content['count']}") for use in content["use"][:_MOST_CONDITIONS]]
        return (_table(("condition", "asked by"), uses) if uses else "") + _said("The best of them:")
    return ""


def _said(text: str) -> str:
    return f'<p style="margin:.8em 0 .2em"><b>{html.escape(text)}</b></p>'


def _table(head: Sequence[str], lines: Sequence[Sequence[Any]]) -> str:
    cell = 'style="text-align:left;padding:1px 1.6em 1px 0"'
    names = "".join(f'<th scope="col" {cell}>{html.escape(name)}</th>' for name in head)
    rows = "".join(
        f"<tr>{''.join(f'<td {cell}>{html.escape(str(value))}</td>' for value in line)}</tr>" for line in lines
    )
    return f'<table style="font:inherit;border-collapse:collapse;margin:0 0 .6em"><tr>{names}</tr>{rows}</table>'


def outline(tree: Mapping[str, Any], conditions: Sequence[Mapping[str, Any]]) -> str:
    """Return a tree as an outline: a line for each side of a condition, a prediction at the end of a way."""
    lines: list[str] = []
    nodes = tree["nodes"]
    waiting: list[tuple[int, int, str]] = [(0, 0, "")]  # node, depth, what leads to it
    while waiting and len(lines) < 2 * _MOST_LEAVES:
        at, depth, words = waiting.pop()
        node = nodes[at]
        after = depth
        if words or "condition" not in node:
            lines.append(_line(node, depth, words))
            after += 1
        if "condition" in node:
            condition = conditions[node["condition"]]
            other = condition["no"] + (" or missing" if node["missing"] else "")
            waiting += [(node["no"], after, other), (node["yes"], after, condition["yes"])]
    if waiting:
        lines.append(f'<div style="{_WHOLE}">… {len(waiting)} more branches</div>')
    return f'<div style="{_GRID}">{"".join(lines)}</div>'


def _line(node: Mapping[str, Any], depth: int, words: str) -> str:
    indent = f"padding-left:{1.4 * depth:.1f}em"
    if "condition" in node:
        return f'<div style="{_WHOLE};{indent}">{html.escape(words)}</div>'
    rows = f"{node['rows']:,} {'row' if node['rows'] == 1 else 'rows'}"
    detail = rows if node["spread"] is None else f"{rows}, {node['spread']}"
    return (
        f'<span style="{indent}">{html.escape(words) or "always"}</span>'
        f'<b style="text-align:right">{html.escape(node["shown"])}</b>'
        f'<span style="opacity:.65">{html.escape(detail)}</span><span>{_bars(node["bins"])}</span><span></span>'
    )


def _bars(bins: Sequence[float] | None) -> str:
    if not bins:
        return ""
    most = max(bins)
    bars = "".join(
        f'<rect x="{4 * at}" y="{16 * (1 - value / most):.1f}" width="3.4" height="{16 * value / most:.1f}"/>'
        for at, value in enumerate(bins)
        if value
    )
    return f'<svg width="{4 * len(bins)}" height="16" fill="{_COLOUR}" aria-hidden="true">{bars}</svg>'
