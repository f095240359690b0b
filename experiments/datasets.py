"""The datasets of the paper's summary: rows and binary features of the files that are here, and what they leave to do.

Rows that no condition tells apart are one group. The loss inside groups, the floor, is more than any tree can remove.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.data.cells import load
from benchmarks.data.grouped import groups
from benchmarks.harness.text import markdown, say

from experiments.experiment import Bench, Experiment, Findings, Row, Settings
from experiments.figures import panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Samples and encoded binary features as printed; auction and household are not among the authors' binarised files.
PRINTED = {
    "airfoil": (1503, 17), "airquality": (111, 17), "optical": (640, 29), "real-estate": (414, 18),
    "seoul-bike": (8760, 32), "servo": (167, 15), "sync": (557, 12), "yacht": (308, 35), "insurance": (1338, 16),
    "enb-heat": (768, 27), "enb-cool": (768, 27),
}  # fmt: skip


@dataclass(frozen=True)
class DatasetCell:
    """One dataset."""

    dataset: str

    def __str__(self) -> str:
        return self.dataset


def cells(settings: Settings) -> list[DatasetCell]:
    """Those of the summary."""
    return [DatasetCell(dataset) for dataset in settings.chosen(tuple(PRINTED), tuple(PRINTED))]


def measure(cell: DatasetCell, bench: Bench) -> dict[str, Any]:
    """Counts, and the floor as a share of the root loss."""
    table, grouped = load(cell.dataset), groups(cell.dataset)
    floor = float(grouped.scatter.sum() / (len(table.y) * table.y.var()))
    say(f"{len(grouped)} groups")
    return {"rows": len(table.y), "columns": table.X.shape[1], "groups": len(grouped), "floor": floor}


def table(rows: Sequence[Row]) -> Findings:
    """What is printed beside what is here."""
    head = ["dataset", "rows", "printed", "binary features", "printed", "groups", "floor"]
    lines = []
    for row in rows:
        samples, features = PRINTED.get(row["cell"]["dataset"], (None, None))
        lines.append([
            row["cell"]["dataset"], str(row["rows"]), str(samples), str(row["columns"]), str(features),
            str(row["groups"]), f"{row['floor']:.2%}",
        ])  # fmt: skip
    different = [line[0] for line in lines if (line[1], line[3]) != (line[2], line[4])]
    note = f"Not as printed: {', '.join(different) or 'none'}. The floor is a share of the root loss."
    return Findings(f"{markdown(head, lines)}\n\n{note}")


def figures(rows: Sequence[Row]) -> Iterator[tuple[str, Figure]]:
    """Rows and groups of each dataset."""
    figure, (ax,) = panels(1, 1, width=7.5, height=3.6)
    places = range(len(rows))
    ax.plot([row["rows"] for row in rows], places, "o", color="#0072B2", markerfacecolor="none", label="rows")
    ax.plot([row["groups"] for row in rows], places, "x", color="#D55E00", label="groups")
    ax.set_yticks(places, [row["cell"]["dataset"] for row in rows], fontsize=9)
    ax.invert_yaxis()
    ax.set_xscale("log")
    ax.set_xlabel("rows, and groups of rows that no condition tells apart", fontsize=9)
    ax.legend(frameon=False, fontsize=9, loc="lower right")
    yield "datasets", figure


EXPERIMENT = Experiment(
    name="datasets",
    title="Datasets",
    claim="Thirteen tables of 111 to 2,049,280 rows and 12 to 48 binary features.",
    cells=cells,
    measure=measure,
    table=table,
    figures=figures,
)
