"""The functions of a C++ file, found by matching braces: enough for sources in this project's style, and no parser.

Looks at namespaces and classes from the outside in. What is inside a function, a lambda or a local class, is its body.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    """A definition, or a declaration that has no body here."""

    name: str
    line: int
    lines: int
    parameters: int


_OPENING = {"(": ")", "[": "]", "{": "}"}
_BLANKED = re.compile(
    r"""//[^\n]*|/\*.*?\*/                         # comments
      |^[ \t]*\#(?:[^\n\\]|\\.)*                    # preprocessor lines
      |R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"         # raw strings
      |"(?:[^"\\\n]|\\.)*"                          # strings
      |(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'          # characters, but not 1'000""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_SPECIFIERS = re.compile(r"\[\[.*?\]\]|\b(?:alignas|__attribute__)\s*\(+[^()]*\)+|\b(?:public|private|protected)\s*:")
_OPERATOR = re.compile(r"\boperator\s*(?:\(\s*\)|\[\s*\]|[^\w\s(]+)")
_SCOPE = re.compile(r"\s*(?:inline\s+)?(?:namespace|class|struct|union|extern)\b")


def functions(source: str) -> list[Function]:
    """Return the functions of a file in order."""
    text = _BLANKED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    return list(_scan(text, 0, len(text)))


def _scan(text: str, at: int, end: int) -> Iterator[Function]:
    """Look at a namespace or class whose inside is from `at` to `end`."""
    start = at
    while at < end:
        sign = text[at]
        if sign in "([":
            at = _closing(text, at)
        elif sign == ";":
            yield from _function(text, start, at, at)
            start = at + 1
        elif sign == "{":
            close, head = _closing(text, at), _plain(text[start:at])
            if _in_initializers(head):
                at = close + 1
                continue
            if _SCOPE.match(head) and "(" not in head:
                yield from _scan(text, at + 1, close)
            elif _parameters(head) is not None:
                yield from _function(text, start, at, close)
            else:  # a variable with its value, an enumeration: the statement goes on
                at = close + 1
                continue
            start = close + 1
            at = close
        at += 1


def _function(text: str, start: int, head_end: int, end: int) -> Iterator[Function]:
    head = _plain(text[start:head_end])
    parameters = _parameters(head)
    if parameters is None:
        return
    start += re.match(r"(?:\s|(?:public|private|protected)\s*:)*", text[start:head_end]).end()  # type: ignore[union-attr]
    line = text.count("\n", 0, start) + 1
    name = re.search(r"([\w:~]+(?:operator.*)?)\s*$", head[: _opening(head)])
    yield Function(name[1] if name else "?", line, text.count("\n", start, end) + 1, parameters)


def _plain(head: str) -> str:
    """Return the head of a function without attributes, template parameters and the signs of operators."""
    head = _SPECIFIERS.sub(" ", head)
    head = _OPERATOR.sub("operator", head).strip()
    while head.startswith("template"):
        head = head[_angle_closing(head, head.index("<")) + 1 :].strip()
    return head


def _parameters(head: str) -> int | None:
    """Count the parameters of a function by its head; None if it is the head of something else."""
    opening = _opening(head)
    if opening is None or re.match(r"(?:using|typedef|static_assert|return|friend|enum)\b", head):
        return None
    inside = head[opening + 1 : _closing(head, opening)].strip()
    if "=" in _outside(head[:opening]):
        return None
    return 0 if inside in ("", "void") else _outside(inside).count(",") + 1


def _opening(head: str) -> int | None:
    """Return where the parameters begin: the first parenthesis outside angle brackets."""
    at = 0
    while at < len(head):
        if head[at] == "(":
            return at
        at = _angle_closing(head, at) if head[at] == "<" else at
        at += 1
    return None


def _in_initializers(head: str) -> bool:
    """Tell the braces of a member in a constructor's list from those of its body."""
    opening = _opening(head)
    if opening is None:
        return False
    rest = re.sub("::", "  ", head[_closing(head, opening) + 1 :])
    return rest.lstrip().removeprefix("noexcept").lstrip().startswith(":") and head[-1] not in ")}"


def _outside(text: str) -> str:
    """Return what is outside all brackets, angle brackets too."""
    kept, at = [], 0
    while at < len(text):
        if text[at] in _OPENING:
            at = _closing(text, at)
        elif text[at] == "<":
            at = _angle_closing(text, at)
        else:
            kept.append(text[at])
        at += 1
    return "".join(kept)


def _closing(text: str, at: int) -> int:
    """Return where the bracket that opens at `at` is closed."""
    open_sign, close_sign, depth = text[at], _OPENING[text[at]], 0
    for match in re.compile(re.escape(open_sign) + "|" + re.escape(close_sign)).finditer(text, at):
        depth += 1 if match[0] == open_sign else -1
        if depth == 0:
            return match.start()
    raise ValueError(f"a {open_sign} is never closed")


def _angle_closing(text: str, at: int) -> int:
    """Return where an angle bracket is closed, or `at` itself if it is a comparison."""
    depth = 0
    for match in re.compile(r"<|(?<!-)>|[;{]").finditer(text, at):
        if match[0] in ";{":
            break
        depth += 1 if match[0] == "<" else -1
        if depth == 0:
            return match.start()
    return at
