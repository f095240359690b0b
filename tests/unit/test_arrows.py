"""The folders of the package import one another in one direction only."""

import ast
from pathlib import Path

import pytest

import optitree

ROOT = Path(optitree.__file__).parent
BASE = {"core", "errors"}
MAY_IMPORT = {
    "table": BASE,
    "conditions": BASE | {"table"},
    "groups": BASE | {"table", "conditions"},
    "solver": BASE | {"table", "conditions", "groups"},
    "output": {"errors", "table", "conditions", "groups", "solver"},
    "models": BASE | {"table", "conditions", "groups", "solver", "output"},
    "core.py": {"_core"},
    "errors.py": set(),
}
FILES = sorted(path.relative_to(ROOT) for path in ROOT.rglob("*.py"))


def imported(path):
    """Return the modules of the package that a file imports, as parts of their names."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parts[: len(path.parts) - node.level]
            names = [node.module] if node.module else [alias.name for alias in node.names]
            yield from ((*folder, *name.split(".")) for name in names)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            assert not any(module.partition(".")[0] == "optitree" for module in modules), path


@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_folder_imports_only_those_before_it(path):
    folder = path.parts[0]
    for module in imported(path):
        assert module[0] != "_core" or folder == "core.py"
        if folder in MAY_IMPORT:
            assert module[0] == folder or module[0] in MAY_IMPORT[folder], module
        if path.parts[:2] == ("groups", "engines"):
            assert module[0] != "groups" or module[1] == "engines", module


@pytest.mark.parametrize("path", FILES, ids=str)
def test_files_and_functions_are_short(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, node.name


@pytest.mark.parametrize("path", FILES, ids=str)
def test_nobody_reaches_into_another_object(path):
    """Underscored names are used on self and cls only."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            assert isinstance(node.value, ast.Name), f"line {node.lineno}"
            assert node.value.id in ("self", "cls"), f"line {node.lineno}"
