"""The tree as a C function (C99, which C++ reads too)."""

import re

from ...conditions.condition import Condition
from ...conditions.values import INFINITY, Levels, Missing
from ...solver.tree import Node
from ...table.columns import BOOLEAN, CATEGORY, DATE
from .fitted_tree import FittedTree

# Of C and of C++, and the name of the parameter.
_KEYWORDS = re.compile(
    "auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|goto|if|inline|int|long|register|"
    "restrict|return|short|signed|sizeof|static|struct|switch|typedef|union|unsigned|void|volatile|while|bool|true|false|"
    "class|new|delete|this|template|namespace|operator|private|public|protected|try|catch|throw|using|virtual|friend|"
    "explicit|export|mutable|typename|typeid|nullptr|constexpr|decltype|noexcept|asm|and|or|not|xor|null|nan|row"
)
_TYPES = {
    CATEGORY: ("const char *", "text in UTF-8, NULL where it is missing"),
    DATE: ("double ", "microseconds since 1970, in UTC; NAN where it is missing"),
    BOOLEAN: ("double ", "1 for true, 0 for false, NAN where it is missing"),
}
_NUMBER = ("double ", "NAN where it is missing")


def to_c(fitted: FittedTree, name: str = "predict") -> str:
    """Return a struct of the columns that the tree asks about, and a function of it."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or _KEYWORDS.fullmatch(name):
        raise ValueError(f"name={name!r} is no name for a function of C; give letters, digits and underscores")
    members = c_names(fitted)
    has_text = any(fitted.kinds[k] == CATEGORY for k in members)

    def split(_: Node, condition: Condition, yes: list[str], no: list[str]) -> list[str]:
        x = f"row->{members[condition.column]}"
        rest = [f"}} else {no[0]}", *no[1:]] if no[0].startswith("if ") else ["} else {", *_indented(no), "}"]
        return [f"if ({_holds(condition, x, fitted.kinds[condition.column])}) {{", *_indented(yes), *rest]

    body = fitted.fold(lambda node: [f"return {float(node.value)!r};"], split)
    fields = []
    for k, member in members.items():
        of_type, means = _TYPES.get(fitted.kinds[k], _NUMBER)
        fields.append(f"    {of_type}{member}; /* {_comment(fitted.names[k])}: {means} */")
    lines = [
        "/* A regression tree by optitree. Compile it without -ffast-math: a missing number is NAN. */",
        *(["#include <stddef.h>", "#include <string.h>"] if has_text else []),
        "",
        f"struct {name}_row {{",
        *(fields or ["    char unused; /* the tree asks nothing */"]),
        "};",
        "",
        f"double {name}(const struct {name}_row *row) {{",
        *(_indented(body) if members else ["    (void)row;", *_indented(body)]),
        "}",
    ]
    return "\n".join(lines) + "\n"


def c_names(fitted: FittedTree) -> dict[int, str]:
    """Return what the columns that the tree asks about are called in C, each by another name."""
    found: dict[int, str] = {}
    for column in fitted.tree.columns:
        plain = re.sub(r"[^A-Za-z0-9_]+", "_", fitted.names[column]).strip("_")[:60] or "x"
        wanted = plain if plain[0].isalpha() and not _KEYWORDS.fullmatch(plain.lower()) else f"x_{plain}"
        found[column] = f"{wanted}_{column}" if wanted in found.values() else wanted
    return found


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _holds(condition: Condition, x: str, kind: str) -> str:
    values = condition.values
    if isinstance(values, Missing):
        return f"{x} == NULL" if kind == CATEGORY else f"{x} != {x}"
    if isinstance(values, Levels):
        equal = [f"strcmp({x}, {_string(level)}) == 0" for level in values.levels]
        return f"{x} != NULL && {equal[0]}" if len(equal) == 1 else f"{x} != NULL && ({' || '.join(equal)})"
    sides = [_between(x, low, high) for low, high in values.ends]
    return sides[0] if len(sides) == 1 else " || ".join(f"({side})" for side in sides)


def _between(x: str, low: float, high: float) -> str:
    if low == -INFINITY:
        return f"{x} <= {high!r}" if high < INFINITY else f"{x} == {x}"
    return f"{x} > {low!r}" if high == INFINITY else f"{x} > {low!r} && {x} <= {high!r}"


def _string(text: str) -> str:
    """Return a literal of plain letters, with all else as octal bytes, which end after three digits."""
    plain = {*range(ord(" "), ord("~") + 1)} - {ord(mark) for mark in '"\\?'}
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in text.encode()) + '"'


def _comment(name: str) -> str:
    shown = name.encode("unicode_escape").decode()
    return shown.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")
