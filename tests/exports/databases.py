"""Databases that are really there: each takes a case and a query, and returns the column that the query returns."""

import csv
import io
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from optitree.table.columns import BOOLEAN, CATEGORY, DATE

from .cases import Case, as_iso


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def columns_of(case: Case, types: dict[str, str]) -> str:
    """Return the columns of CREATE TABLE, with a number of each row at the end."""
    made = [f"{quoted(name)} {types.get(kind, types['number'])}" for name, kind in case.kinds().items()]
    return ", ".join([*made, f'"row number" {types["number"]}'])


def in_sqlite(case: Case, query: str) -> list[Any]:
    kinds = case.kinds()
    types = {CATEGORY: "TEXT", DATE: "TEXT", BOOLEAN: "BOOLEAN", "number": "REAL"}
    rows = [
        [as_iso(value, at) if kinds[name] == DATE and value is not None else value for name, value in row.items()]
        + [at]
        for at, row in enumerate(case.plain_rows)
    ]
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE t ({columns_of(case, types)})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * (len(kinds) + 1))})", rows)
        found = [value for (value,) in connection.execute(query)]
    connection.close()
    return found


class Postgres:
    """A server in a folder of its own, spoken to by psql."""

    def __init__(self, psql: list[str]) -> None:
        self._psql = psql

    def run(self, script: str) -> str:
        done = subprocess.run(self._psql, input=script, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(self, case: Case, query: str) -> list[float]:
        types = {CATEGORY: "TEXT", DATE: "TIMESTAMP", BOOLEAN: "BOOLEAN", "number": "DOUBLE PRECISION"}
        text = io.StringIO()
        for at, row in enumerate(case.plain_rows):
            cells = [r"\N" if value is None else quoted(_written(value)) for value in row.values()]
            text.write(",".join([*cells, str(at)]) + "\n")
        lines = [
            "SET TIME ZONE 'America/New_York';",
            f"CREATE TEMPORARY TABLE t ({columns_of(case, types)});",
            r"COPY t FROM STDIN (FORMAT csv, NULL '\N');",
            text.getvalue() + "\\.",
            f"COPY ({query}) TO STDOUT (FORMAT csv);",
        ]
        return [float(value) for (value,) in csv.reader(self.run("\n".join(lines) + "\n").splitlines())]


def _written(value: Any) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def _programs() -> Path | None:
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None, key=lambda path: int(path.parent.name))


@contextmanager
def postgres_in(folder: Path) -> Iterator[Postgres]:
    """Start a server in a folder, as the user postgres where we are root, whom it refuses."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed; on Debian: apt-get install postgresql")
    as_user: list[str] = []
    if os.geteuid() == 0:
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        shutil.chown(folder, "postgres", "postgres")
    data = folder / "data"

    def run(*command: Any) -> None:
        subprocess.run([*as_user, *map(str, command)], check=True, stdout=subprocess.DEVNULL, cwd=folder, timeout=120)

    run(programs / "initdb", "--pgdata", data, "--username=tester", "--auth=trust", "--encoding=UTF8", "--no-sync")
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    control = [programs / "pg_ctl", "--pgdata", data, "--wait"]
    run(*control, "--options", options, "--log", folder / "log", "start")
    try:
        connect = ["--host", str(folder), "--username=tester", "--dbname=postgres"]
        yield Postgres([str(programs / "psql"), *connect, "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1"])
    finally:
        run(*control, "--mode=immediate", "stop")
