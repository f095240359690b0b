"""From files to what a command works on: a table in DuckDB, groups, or rows in memory."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import typer

from ..conditions.binarizer import Binarizer
from ..groups.compress import compress
from ..groups.engines.data_files import Reading, open_files
from ..groups.groups import Groups
from ..progress import Display, showing
from ..table.frames import nearest
from .failures import note
from .options import Columns, Source


class Rows(NamedTuple):
    """A table in memory: columns, target, weights."""

    X: Any
    y: Any
    weight: Any


@contextmanager
def opened(
    source: Source, columns: Columns | None = None, *, ignore: Sequence[str] = (), only: Sequence[str] | None = None
) -> Iterator[Any]:
    """Return the table of some files as a DuckDB relation, as long as it is looked at.

    ``columns``: what they are for, if the target is to be among them. ``only``: those that are looked at.
    """
    with tempfile.TemporaryDirectory(prefix="optitree-") as folder:
        reading = Reading(source.format, source.read_memory, _say, Path(folder))
        table = open_files(source.files, where=source.where, ignore=ignore, only=only, reading=reading)
        if columns is not None:
            _check_target(columns.target, table.columns)
            if not table.limit(1).fetchall():
                raise ValueError(
                    f"there are no rows{' where ' + source.where if source.where else ''}; give at least one"
                )
        yield table


def groups_of(source: Source, columns: Columns, binarizer: Binarizer, *, values: bool) -> Groups:
    """Return the groups of a table, or those that ``--save-groups`` wrote."""
    with showing(verbose=False) as display:
        if any(name.endswith(".npz") for name in source.files):
            return _saved_groups(source, columns, display)
        display.stage("reading the files")
        with opened(source, columns, ignore=columns.ignore or ()) as table:
            assert columns.target is not None
            groups = compress(table, target=columns.target, weight=columns.weight, binarizer=binarizer, values=values)
    return groups


def rows_of(source: Source, columns: Columns) -> Rows:
    """Read a table into memory, which a cross-validation needs."""
    if any(name.endswith(".npz") for name in source.files):
        raise ValueError("groups have no rows to be parted; give the files that they were made of")
    with showing(verbose=False) as display:
        display.stage("reading the files")
        with opened(source, columns, ignore=columns.ignore or ()) as table:
            read = table.to_arrow_table()
    for role, name in (("weight", columns.weight),):
        if name is not None and name not in read.column_names:
            raise ValueError(f"there is no column {name!r} to be the {role}; {nearest(name, read.column_names)}")
    if not read.num_rows:
        raise ValueError("the table has no rows; at least one is needed")
    outside = [name for name in (columns.target, columns.weight) if name is not None]
    y, *weight = (_numbers(read, name) for name in outside)
    return Rows(read.drop_columns(outside), y, weight[0] if weight else None)


def _numbers(table: Any, name: str) -> Any:
    column = table.column(name)
    if column.null_count:
        raise ValueError(
            f"{name!r} is missing in {column.null_count:,} of {table.num_rows:,} rows; leave these out, for example "
            f"with --where '\"{name}\" is not null'"
        )
    try:
        return column.to_numpy().astype(float)
    except (TypeError, ValueError):
        raise ValueError(f"{name!r} must be numbers, and its values are {column.type}; choose another column") from None


def _saved_groups(source: Source, columns: Columns, display: Display) -> Groups:
    display.stage("reading the groups")
    if not all(name.endswith(".npz") for name in source.files):
        raise ValueError("groups and tables cannot be mixed; give files of one type")
    if source.where or columns.weight or columns.ignore:
        raise ValueError("groups are made already: --where, --weight and --ignore come too late; leave them out")
    groups: Groups = sum(map(Groups.load, source.files), start=0)  # type: ignore[assignment]
    return groups


def _check_target(target: str | None, names: Sequence[str]) -> None:
    if target is None:
        raise typer.BadParameter(f"name the column to predict; the table has {', '.join(names)}", param_hint="--target")
    if target not in names:
        raise ValueError(f"there is no column {target!r} to be the target; {nearest(target, names)}")


def _say(text: str) -> None:
    note(text)
