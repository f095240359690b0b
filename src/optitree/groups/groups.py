"""Groups: rows that no condition can tell apart, counted once."""

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import core
from ..conditions.binarizer import Binarizer, binarizer_of
from ..conditions.choose import choose_for_rows
from ..conditions.coding import Coding, Partition
from ..conditions.condition import Condition
from ..conditions.condition_set import ConditionSet
from ..conditions.rules import Rules
from ..conditions.serialize import conditions_from_dict, conditions_to_dict, finite, plain, require
from ..errors import FileFormatError
from ..table.rows import Rows
from ..writing import replacing
from .statistics import check_points, check_statistics, check_weights
from .target_points import Points

_FORMAT = "optitree-groups"
_VERSION = 3
_READABLE = (2, 3)  # version 2 has no sets of levels
_ARRAYS = ("codes", "weight", "mean", "scatter", "rows")
_POINTS = ("point_group", "point_value", "point_weight")  # those of Points, in a file


class RowTargets(NamedTuple):
    """The group (None: each is one of its own), the target and the weight of rows in memory; None if all weigh 1."""

    group: NDArray[np.uint32] | None
    target: NDArray[np.float64]
    weight: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class Groups:
    """All that the search needs to know of a table.

    ``codes`` has a row for each group and a column for each column of the table that has conditions (``coding`` says
    what the codes mean). ``mean`` is the mean target of a group measured from ``origin``, ``scatter`` the weighted sum
    of squared deviations from it: numbers that stay exact when the target is huge. ``points`` has the target values
    themselves, which losses other than squared error need; None if they were not asked for. ``of_rows`` has the rows
    that the groups were made of while they are at hand: for histograms of leaves, never for the search or a file.

    Groups of two parts of a table add up: ``a + b`` are the groups of the whole.
    """

    condition_set: ConditionSet
    codes: NDArray[np.uint32]
    weight: NDArray[np.float64]
    mean: NDArray[np.float64]
    scatter: NDArray[np.float64]
    rows: NDArray[np.float64]
    origin: float
    packed: NDArray[np.uint64] | None = None  # ``bits``, where they are known already
    points: Points | None = None
    of_rows: RowTargets | None = None

    def __len__(self) -> int:
        return len(self.weight)

    def __repr__(self) -> str:
        return f"<Groups: {len(self):,} groups of {self.n_rows:,} rows, {len(self.conditions)} conditions>"

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions that tell the groups apart."""
        return self.condition_set.conditions

    @property
    def coding(self) -> Coding:
        """What the codes mean."""
        return self.condition_set.coding

    @property
    def binarizer(self) -> Binarizer:
        """A fitted binarizer with the conditions of the groups, to compress another part of the table with."""
        return binarizer_of(self.condition_set)

    @property
    def n_rows(self) -> int:
        """Number of rows of all groups together."""
        return int(self.rows.sum())

    @property
    def total_weight(self) -> float:
        """Weight of all rows together."""
        return float(self.weight.sum())

    @cached_property
    def bits(self) -> NDArray[np.uint64]:
        """The answers of each group to the conditions, 64 to a word, the first in the lowest bit."""
        return self.packed if self.packed is not None else pack(self.coding.binary(list(self.codes.T), len(self)))

    def __add__(self, other: "Groups") -> "Groups":
        if not isinstance(other, Groups):
            return NotImplemented
        if self.conditions != other.conditions:
            raise ValueError(
                "groups add up only when their conditions are the same; compress every part with the same fitted "
                "binarizer, for example that of the first: compress(part, target=..., binarizer=groups.binarizer)"
            )
        if (self.points is None) != (other.points is None):
            raise ValueError(
                "groups with the values of the target and groups without them do not add up; compress both with "
                "values=True, or both without"
            )
        codes = np.concatenate([self.codes, other.codes])
        means = np.concatenate([self.mean, other.mean + (other.origin - self.origin)])
        parts = [np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("weight", "scatter", "rows")]
        # Before they are added: in the sum of a heavy part and a light one the light one is not seen.
        check_statistics(parts[0], means, parts[1], parts[2], self.origin)
        partition = self.coding.group_codes(codes.T, len(codes))
        total = add_up(self.condition_set, partition, means, self.origin, *parts)
        if self.points is not None and other.points is not None:
            group = np.concatenate([self.points.group, other.points.group + np.uint32(len(self))])
            value, weight = (np.concatenate(both) for both in zip(self.points[1:], other.points[1:], strict=True))
            check_weights(parts[0], parts[2], weight.min())
            total = replace(total, points=Points(group, value, weight).regroup(partition.group_of))
        return total.sorted()

    def __radd__(self, other: object) -> "Groups":
        return self if other == 0 else NotImplemented  # so that sum() works

    def sorted(self) -> "Groups":
        """Return the same groups in the order of their codes."""
        order = np.lexsort(self.codes.T[::-1]) if self.codes.shape[1] else np.arange(len(self))
        arrays: dict[str, Any] = {name: np.ascontiguousarray(getattr(self, name)[order]) for name in _ARRAYS}
        points = None
        if self.points is not None:
            place = np.empty(len(self), np.uint32)
            place[order] = np.arange(len(self), dtype=np.uint32)
            points = self.points.regroup(place)
        return Groups(self.condition_set, origin=self.origin, points=points, **arrays)

    def save(self, path: str | Path) -> None:
        """Write the groups to a file in numpy's npz format; ``Groups.load`` reads it back."""
        about = {
            "format": _FORMAT,
            "version": _VERSION,
            "origin": plain(self.origin),
            "binarizer": conditions_to_dict(self.condition_set),
        }
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        if self.points is not None:
            arrays |= dict(zip(_POINTS, self.points, strict=True))
        arrays["about"] = np.array(json.dumps(about))
        with replacing(path, "wb") as file:
            np.savez_compressed(file, **arrays)

    @staticmethod
    def load(path: str | Path) -> "Groups":
        """Read groups written by ``save``. Nothing in the file is executed."""
        with Path(path).open("rb") as opened:
            try:
                return _read(opened)
            except Exception as error:  # whatever numpy, zlib or json find wrong with the bytes
                raise FileFormatError(
                    f"{path} is no file of groups, of another version, or damaged ({error}); compress the table again"
                ) from None

    def check(self) -> None:
        """Raise ValueError when the numbers cannot be those of groups."""
        shape = len(self), len(self.coding.used)
        if self.codes.dtype != np.uint32 or self.codes.shape != shape or not len(self):
            raise ValueError("the codes do not fit the conditions")
        if (self.codes.max(axis=0, initial=0) >= self.coding.sizes()).any():
            raise ValueError("a code is too large")
        for name in ("weight", "mean", "scatter", "rows"):
            values = getattr(self, name)
            if values.dtype != np.float64 or values.shape != (len(self),) or not np.isfinite(values).all():
                raise ValueError(f"{name} is not one finite number per group")
        check_statistics(self.weight, self.mean, self.scatter, self.rows, self.origin)
        if len(self.coding.group_codes(self.coding.merge(self.codes.T), len(self)).codes) != len(self):
            raise ValueError("two groups have the same answers")
        if self.points is not None:
            self.points.check(len(self))
            check_points(*self.points, self.weight)
            check_weights(self.weight, self.rows, self.points.weight.min())


def _read(opened: BinaryIO) -> Groups:
    with np.load(opened, allow_pickle=False) as file:
        content = {name: file[name] for name in file.files}
    about = json.loads(str(content.pop("about")))
    known = about["format"] == _FORMAT and about["version"] in _READABLE
    require(known, f"this optitree reads {_FORMAT} of versions up to {_VERSION}")
    conditions = conditions_from_dict(about["binarizer"])
    points = Points(*(content.pop(name) for name in _POINTS)) if _POINTS[0] in content else None
    require(content.keys() == set(_ARRAYS), f"there must be the arrays {', '.join(_ARRAYS)}, and no others")
    groups = Groups(conditions, origin=finite(about["origin"]), points=points, **content)
    groups.check()
    return groups


def group_rows(rows: Rows, by: Rules | ConditionSet, *, values: bool = False) -> Groups:
    """Collapse rows in memory that no condition tells apart. The result does not depend on their order.

    ``by``: the rules by which conditions are chosen for these rows, or conditions that were chosen before.
    ``values``: keep those of the target.
    """
    rows = rows.counted()
    conditions = choose_for_rows(by, rows, median=values) if isinstance(by, Rules) else by
    table, target, weight, _ = rows
    assert target is not None
    # Measured from the middle of its range a target keeps its precision however large it is.
    origin = float(target.min() / 2 + target.max() / 2)
    partition = conditions.coding.group_table(table, fresh=isinstance(by, Rules))
    groups = add_up(conditions, partition, target - origin, origin, weight)
    points = Points.of(partition.group_of, target, weight) if values else None
    return replace(groups, points=points, of_rows=RowTargets(partition.group_of, target, weight))


def add_up(
    conditions: ConditionSet,
    partition: Partition,
    mean: NDArray[np.float64],
    origin: float,
    weight: NDArray[np.float64] | None = None,
    scatter: NDArray[np.float64] | None = None,
    rows: NDArray[np.float64] | None = None,
) -> Groups:
    """Add up the parts (rows, or groups of an earlier grouping) of each group."""
    group_of, codes, bits = partition
    sums = core.add_up(group_of, len(codes), mean, weight, scatter, rows)
    return Groups(conditions, codes, *sums, origin=origin, packed=bits)


def pack(binary: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack each row into 64-bit words."""
    rows, features = binary.shape
    words = (features + 63) // 64
    packed = np.zeros((rows, words * 8), dtype=np.uint8)
    packed[:, : (features + 7) // 8] = np.packbits(binary, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False)
