"""Which folder uses which: read from the sources, and judged by the table in ARCHITECTURE.md.

A *room* is what a row of the table names: a folder, or a file that has a row of its own. A folder below a room belongs
to it unless it has a row too. A room may use itself.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = "."  # the room of the files beside the folders
ANY = "everything"  # in a row: all rooms, but those that are named after "but"

Table = dict[str, frozenset[str]]  # from rooms to those that they may use


@dataclass(frozen=True)
class Use:
    """A line of a file that asks for another file; paths are relative to the sources."""

    file: str
    line: int
    target: str | None  # none: there is no such file
    text: str


def read_tables(page: str) -> list[Table]:
    """Return the tables under the heading ``## Arrows``: rooms in the first column, what they may use in the second."""
    section = re.split(r"^## ", page.partition("\n## Arrows\n")[2], flags=re.MULTILINE)[0]
    blocks = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
    return [_read_table(block.splitlines()[2:]) for block in blocks]


def _read_table(lines: list[str]) -> Table:
    rows = []
    for line in lines:
        rooms, uses = line.strip("|").split("|")[:2]
        rows += [(room, uses) for room in re.findall("`(.+?)`", rooms)]
    everything = {room for room, _ in rows}
    return {room: frozenset(everything - _names(uses) if ANY in uses else _names(uses)) | {room} for room, uses in rows}


def _names(cell: str) -> set[str]:
    return set(re.findall("`(.+?)`", cell))


def room_of(file: str, table: Table) -> str | None:
    """Return the room of a file: the row that names most of its path, with or without its suffix."""
    path = Path(file)
    folders = [parent.as_posix() for parent in path.parents]
    for name in (file, path.with_suffix("").as_posix(), *folders[:-1]):
        if name in table:
            return name
    return ROOT if folders == [ROOT] and ROOT in table else None


def violations(uses: list[Use], table: Table) -> list[str]:
    """Say of every use that the table does not allow where it is and what it breaks."""
    found = []
    for use in uses:
        here, there = room_of(use.file, table), use.target and room_of(use.target, table)
        where = f"{use.file}:{use.line}: {use.text}"
        if here is None:
            found.append(f"{where}: no row of the table has a room for {use.file}")
        elif use.target is None:
            found.append(f"{where}: there is no such file")
        elif there is None:
            found.append(f"{where}: no row of the table has a room for {use.target}")
        elif there not in table[here]:
            found.append(f"{where}: {here} may not use {there}")
    return found


def empty_rooms(files: list[str], table: Table) -> list[str]:
    """Return the rows that no file belongs to."""
    lived_in = {room_of(file, table) for file in files}
    return [room for room in table if room not in lived_in]


def core_files(source: Path) -> list[str]:
    return _files(source, ".cpp", ".hpp")


def python_files(source: Path) -> list[str]:
    return _files(source, ".py", ".pyi")


def _files(source: Path, *suffixes: str) -> list[str]:
    found = (path for path in source.rglob("*") if path.suffix in suffixes)
    return sorted(path.relative_to(source).as_posix() for path in found)


_INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])(.+?)[">]')


def core_uses(source: Path) -> list[Use]:
    """Return the includes of the project's own files."""
    uses = []
    for file in core_files(source):
        for number, line in enumerate((source / file).read_text().splitlines(), 1):
            if not (match := _INCLUDE.match(line)):
                continue
            kind, name = match.groups()
            beside = ((source / file).parent / name, source / name)
            target = next((path for path in beside if path.is_file()), None)
            if target is not None:
                uses.append(Use(file, number, target.resolve().relative_to(source.resolve()).as_posix(), line.strip()))
            elif kind == '"':
                uses.append(Use(file, number, None, line.strip()))
    return uses


def python_uses(source: Path) -> list[Use]:
    """Return the imports of the package's own modules, those inside functions too."""
    files = {_module(file): file for file in python_files(source)}
    uses = []
    for file in python_files(source):
        for node in ast.walk(ast.parse((source / file).read_text())):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            for module in _imported(node, file, source.name, files):
                uses.append(Use(file, node.lineno, files.get(module), ast.unparse(node)))
    return uses


def _module(file: str) -> str:
    """Return a module's name inside the package; that of the package itself is empty."""
    return ".".join(Path(file).with_suffix("").parts).removesuffix("__init__").removesuffix(".")


def _imported(node: ast.Import | ast.ImportFrom, file: str, package: str, files: dict[str, str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    else:
        parents = (package, *Path(file).parent.parts)
        start = ".".join(parents[: len(parents) - node.level + 1]) if node.level else ""
        base = ".".join(part for part in (start, node.module) if part)
        names = [f"{base}.{alias.name}" for alias in node.names]
    for name in names:
        top, _, inside = name.partition(".")
        if top == package:  # `from m import name`: the module m.name, or else a name of m
            yield inside if inside in files or isinstance(node, ast.Import) else inside.rpartition(".")[0]
