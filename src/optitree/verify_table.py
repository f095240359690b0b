"""The groups that a certificate speaks of, rebuilt from a table. The first part of the checker (``verify.py``).

It shares nothing with the solver. Numbers in brackets are sections of docs/certificate.md.
"""

import csv
import gzip
import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

MISSING = ("", "NA", "NaN", "nan", "NULL", "null")  # in files


class Rejected(Exception):  # noqa: N818  (a verdict)
    """What is claimed does not follow from what is there."""


def require(holds: Any, problem: str) -> None:
    """Reject unless something holds."""
    if not holds:
        raise Rejected(problem)


def read_certificate(path: str | Path) -> Any:
    """Read a certificate, which is JSON, compressed or not: nothing in it twice, and no NaN or infinity."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(pairs)) == len(pairs), "a name is there twice")
        return dict(pairs)

    data = Path(path).read_bytes()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return json.loads(text, object_pairs_hook=once, parse_constant=lambda name: require(False, f"{name} is no number"))


# --- Groups: rows with the same answers to all conditions, counted once [1] ------------------------------------------


@dataclass
class Groups:
    """Sums over the rows of each group, as whole numbers: weights of 2^-a, targets of 2^-b, with units = (a, b)."""

    answers: Any  # a row for each group, a column for each condition: true or false
    rows: list[int]
    weight: list[int]
    sum: list[int]  # of weight times target
    square: list[int]  # of weight times target squared
    units: tuple[int, int]

    def names(self) -> list[str]:
        """Return the answers of each group as hexadecimal digits, the first condition in the highest bit."""
        return [row.tobytes().hex() for row in np.packbits(self.answers, axis=1)]

    def digest(self, conditions: list[Any]) -> str:
        """Return the SHA-256 of conditions and groups."""
        content = [conditions, self.names(), self.rows, self.weight, self.sum, self.square, list(self.units)]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def whole(values: Iterable[float]) -> tuple[list[int], int]:
    """Return floating point numbers as whole numbers of 2^-e, and e."""
    ratios = [float(value).as_integer_ratio() for value in values]
    e = max((below.bit_length() - 1 for _, below in ratios), default=0)
    return [above << (e + 1 - below.bit_length()) for above, below in ratios], e


def group_rows(answers: Any, target: Iterable[float], weight: Iterable[float]) -> Groups:
    """Add up the rows of a table by their answers; a row of weight 0 counts nowhere."""
    (y, b), (w, a) = whole(target), whole(weight)
    sums: dict[bytes, list[int]] = {}
    for key, value, times in zip(map(bytes, np.packbits(answers, axis=1)), y, w, strict=True):
        if times:
            total = sums.setdefault(key, [0, 0, 0, 0])
            for k, part in enumerate((1, times, times * value, times * value * value)):
                total[k] += part
    keys = sorted(sums)
    bits = np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), -1)
    distinct = np.unpackbits(bits, axis=1, count=answers.shape[1]).astype(bool)
    rows, weights, totals, squares = ([sums[key][k] for key in keys] for k in range(4))
    return Groups(distinct, rows, weights, totals, squares, (a, b))


def stored_groups(content: Mapping[str, Any], conditions: int) -> Groups:
    """Return the groups in a certificate."""
    names, lists = content["answers"], [content[name] for name in ("rows", "weight", "sum", "square")]
    bits = np.frombuffer(bytes.fromhex("".join(names)), np.uint8).reshape(len(names), -1)
    answers, (a, b) = np.unpackbits(bits, axis=1, count=conditions).astype(bool), content["units"]
    groups = Groups(answers, lists[0], lists[1], lists[2], lists[3], (a, b))
    require(all(type(v) is int for values in (*lists, (a, b)) for v in values), "a sum is no whole number")
    require({len(values) for values in lists} == {len(names)}, "the groups are incomplete")
    require(names == groups.names() and names == sorted(set(names)), "the groups are out of order")
    possible = (n > 0 and w > 0 and q * w >= s * s for n, w, s, q in zip(*lists, strict=True))
    require(all(possible), "no rows have the sums of a group")
    require(0 <= a < 1 << 13 and 0 <= b < 1 << 13, "the units are not those of floating point numbers")
    require(sum(groups.rows) < 1 << 53, "there are more rows than floating point can count")
    return groups


# --- Tables [2] -------------------------------------------------------------------------------------------------------


def read_csv(path: Path) -> dict[str, list[str]]:
    """Return the columns of a CSV file, which may be compressed, as texts."""
    with (
        gzip.open(path, "rt", newline="", encoding="utf-8-sig")
        if path.suffix == ".gz"
        else path.open(newline="", encoding="utf-8-sig") as file
    ):
        names, *rows = (row for row in csv.reader(file, delimiter="\t" if ".tsv" in path.name else ",") if row)
    require(len(set(names)) == len(names), "the table has two columns of one name")
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def is_missing(value: Any) -> bool:
    """Whether there is no value."""
    return value is None or (value in MISSING if isinstance(value, str) else bool(value != value))  # noqa: PLR0124


def number(value: Any) -> float:
    """Return a value as a number: booleans as 0 and 1, dates in microseconds since 1970, NaN if it is missing."""
    if is_missing(value):
        return math.nan
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return float(value.lower() == "true")
    try:
        return float(value)
    except (TypeError, ValueError):
        date = datetime.fromisoformat(str(value))
    since = date.replace(tzinfo=date.tzinfo or UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return float((since.days * 86400 + since.seconds) * 1_000_000 + since.microseconds)


def ask(condition: Mapping[str, Any], values: list[Any]) -> list[bool]:
    """Ask a condition of the values of its column. A missing value is in no interval and is no level."""
    if "levels" in condition:
        levels = set(condition["levels"])
        return [not is_missing(value) and str(value) in levels for value in values]
    if "intervals" not in condition:
        require(condition["missing"] is True, "a condition says nothing")
        return [is_missing(value) for value in values]
    ends = [(-math.inf if a is None else a, math.inf if b is None else b) for a, b in condition["intervals"]]
    return [any(low < x <= high for low, high in ends) for x in map(number, values)]


def groups_of_table(certificate: Mapping[str, Any], table: Any, target: Any, weight: Any) -> Groups:
    """Ask all conditions of a table and add up its rows. ``target``, ``weight``: values, or names of columns."""

    def column(name: str) -> list[Any]:
        if isinstance(table, np.ndarray):
            return list(table[:, certificate["columns"].index(name)].tolist())
        require(name in table, f"the table has no column {name!r}")
        return list(table[name])

    target, weight = (column(values) if isinstance(values, str) else values for values in (target, weight))
    require(target is not None, "the target is not known; name its column")
    y = [number(value) for value in target]
    w = [1.0] * len(y) if weight is None else [number(value) for value in weight]
    require(y and all(map(math.isfinite, y)), "there are rows without a target")
    require(all(0 <= v < math.inf for v in w) and any(w), "there are rows without a weight")
    asked = [ask(each, column(each["column"])) for each in certificate["conditions"]]
    require({len(y), len(w), *map(len, asked)} == {len(y)}, "columns differ in their length")
    return group_rows(np.array(asked, bool).reshape(len(asked), len(y)).T, y, w)


def moments(groups: Groups, origin: Fraction | int) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return weight, mean and variance of each group, in the units of the table."""
    a, b = groups.units
    sums = zip(groups.weight, groups.sum, groups.square, strict=True)
    return [
        (Fraction(w, 1 << a), Fraction(s, w << b) + origin, Fraction(q * w - s * s, w * w << 2 * b)) for w, s, q in sums
    ]


def require_same(found: Groups, stored: Groups, certificate: Mapping[str, Any]) -> None:
    """Reject a table that is not the one of a certificate.

    If the certificate was made of rows, all sums must be the same to the last digit. If it was made of groups that
    someone had added up, weights, means and variances may differ by what rounding does.
    """
    same = found.names() == stored.names() and found.rows == stored.rows
    if certificate["source"] == "rows":
        same = same and found.digest(certificate["conditions"]) == certificate["digest"]
    elif same:
        pairs = list(zip(moments(found, 0), moments(stored, Fraction(certificate["origin"])), strict=True))
        most = max(abs(x) for (_, x, _), _ in pairs)
        wide = max(max(p, (x - pairs[0][0][1]) ** 2) for (_, x, p), _ in pairs)
        apart = [(abs(w - v) / w, abs(x - y), abs(p - r)) for (w, x, p), (v, y, r) in pairs]
        same = all(a * 10**9 <= 1 and b * 10**9 <= most and c * 10**9 <= wide for a, b, c in apart)
    require(same, "the table is another one: its groups have other answers, numbers of rows or sums")
