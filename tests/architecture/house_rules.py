"""What `test_house_rules` asks of the sources: each function takes files and returns what it finds."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from .cpp_functions import Function, functions


def sources(project: Path, folders: Iterable[str], suffixes: Iterable[str]) -> list[Path]:
    """Return the files of some kinds below some folders."""
    wanted = set(suffixes)
    found = (path for folder in folders for path in (project / folder).rglob("*") if path.suffix in wanted)
    return sorted(path for path in found if "__pycache__" not in path.parts)


def line_count(path: Path) -> int:
    return len(path.read_text().splitlines())


def functions_of(path: Path) -> list[Function]:
    """Return the functions of a file, whatever its language; methods have their class before their name."""
    if path.suffix != ".py":
        return functions(path.read_text())
    return list(_python_functions(ast.parse(path.read_text()), ""))


def _python_functions(node: ast.AST, inside: str) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _python_functions(child, inside)
            continue
        name = f"{inside}{child.name}"
        if not isinstance(child, ast.ClassDef):
            arguments = [*child.args.posonlyargs, *child.args.args, *child.args.kwonlyargs]
            lines = (child.end_lineno or child.lineno) - child.lineno + 1
            yield Function(name, child.lineno, lines, len(arguments))
        yield from _python_functions(child, f"{name}.")


def unlisted(core: Path) -> set[str]:
    """Return the C++ files below the folders of the core that ``sources.txt`` misses, or names without need."""
    root = core.parent.parent
    there = {path.relative_to(root).as_posix() for path in core.rglob("*.cpp") if path.parent != core}
    return there ^ set((core / "sources.txt").read_text().split())


def foreign_underscores(path: Path) -> list[tuple[int, str]]:
    """Return the underscored names that a module takes from another module or class, with their lines."""
    tree = ast.parse(path.read_text())
    own = _defined(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            parts = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            found += [(node.lineno, name) for name in parts if _is_private(name)]
        elif isinstance(node, ast.Attribute) and _is_private(node.attr) and node.attr not in own:
            found += [] if _of_itself(node) else [(node.lineno, node.attr)]
    return sorted(found)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _of_itself(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def _defined(tree: ast.Module) -> set[str]:
    """Return the names that a module gives: to functions, classes, variables and attributes of its own objects."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _of_itself(node):
            names.add(node.attr)
    return names
