"""The page: content as JSON, with the style and the scripts of this folder in one file."""

import html
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...writing import replacing
from ..notebook import outline
from .content import About, content_of

_SCRIPTS = ("text", "charts", "layout", "tree", "questions", "card", "panels", "sets", "main")


def write_report(shown: Any, file: str | Path, about: About) -> None:
    """Write the report of a model, a path or a near-optimal set."""
    content = content_of(shown, about)
    page = _render(
        _file("page.html"),
        title=html.escape(content["title"]),
        style=_file("style.css"),
        script="\n".join(_file(f"{name}.js") for name in _SCRIPTS),
        data=as_script(content),
        plain=outline(content["trees"][content["chosen"]], content["conditions"]) if content["trees"] else "",
    )
    with replacing(file, "w") as opened:
        opened.write(page)


def as_script(content: Any) -> str:
    """Return JSON that can stand inside a script element: no text in it can end the element or begin a comment."""
    text = json.dumps(content, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _render(template: str, **parts: str) -> str:
    """Fill in a template in one go, so that what is filled in is never searched for more places."""
    pieces = template.split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, rest = piece.split("}}", 1)
        filled += [parts[name], rest]
    return "".join(filled)


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
