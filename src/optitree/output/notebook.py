"""A fitted model in a notebook: plain HTML without a script, which a report also shows where scripts are off."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

_COLOUR = "#2f6f9f"
_MOST_LEAVES = 60


def notebook_html(content: Mapping[str, Any]) -> str:
    """Return the summary, the tree and what is proven."""
    if not content["trees"]:
        return f"<p>{html.escape(content['summary'])}</p>"
    tree = content["trees"][content["chosen"]]
    mark = "✓ proven optimal" if tree["optimal"] else "near optimal" if tree["near"] else "not proven"
    return (
        '<div style="max-width:46em;font:14px/1.45 system-ui,sans-serif">'
        f'<p style="margin:.2em 0 .6em"><b style="color:{_COLOUR}">{mark}</b> · {html.escape(content["summary"])}</p>'
        f"{outline(tree, content['conditions'])}</div>"
    )


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
        lines.append(f"<div>… {len(waiting)} more branches</div>")
    return f"<div>{''.join(lines)}</div>"


def _line(node: Mapping[str, Any], depth: int, words: str) -> str:
    style = f"display:flex;gap:1em;padding:1px 0 1px {1.4 * depth:.1f}em"
    if "condition" in node:
        return f'<div style="{style}"><span>{html.escape(words)}</span></div>'
    rows = f"{node['rows']:,} {'row' if node['rows'] == 1 else 'rows'}"
    detail = rows if node["spread"] is None else f"{rows}, {node['spread']}"
    return (
        f'<div style="{style}"><span>{html.escape(words) or "always"}</span><b>{html.escape(node["shown"])}</b>'
        f'<span style="opacity:.65">{html.escape(detail)}</span>{_bars(node["bins"])}</div>'
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
