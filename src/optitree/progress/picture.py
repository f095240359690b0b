"""What a live display shows: the stage, how long it takes, and the bounds of a search as they close."""

import io
import time
from dataclasses import dataclass, field

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from ..process_memory import resident_bytes
from .moment import Moment

_WIDTH = 40  # of bars, in characters


@dataclass
class State:
    """The work as it is now. ``notes``: lines that stay, where the display itself has to keep them."""

    title: str = "starting"
    steps: int = 0
    done: int = 0
    start: float = field(default_factory=time.monotonic)
    moment: Moment | None = None
    notes: list[str] = field(default_factory=list)
    _reach: tuple[float, float] | None = None
    _spinner: Spinner = field(default_factory=lambda: Spinner("dots"))

    def begin(self, title: str, steps: int) -> None:
        """Begin another piece of work."""
        self.title, self.steps, self.done = title, steps, 0
        self.start, self.moment, self._reach = time.monotonic(), None, None

    def see(self, moment: Moment) -> None:
        """Look at a search, which may be another one than a moment ago."""
        if self._reach is None or (self.moment is not None and moment.seconds < self.moment.seconds):
            self._reach = moment.lower_bound, moment.upper_bound
        low, high = self._reach
        self._reach = min(low, moment.lower_bound), max(high, moment.upper_bound)
        self.moment = moment

    def picture(self) -> RenderableType:
        """Return it for rich."""
        head = Table.grid(padding=(0, 1))
        elapsed = f"{time.monotonic() - self.start:.1f} s"
        head.add_row(self._spinner, Text(self.title, style="bold"), Text(elapsed, style="cyan"))
        parts: list[RenderableType] = [head]
        if self.steps:
            bar = ProgressBar(total=self.steps, completed=self.done, width=_WIDTH)
            row = Table.grid(padding=(0, 1))
            row.add_row(" ", bar, f"{self.done} of {self.steps}")
            parts.append(row)
        if self.moment is not None:
            parts.append(self._bounds(self.moment))
        return Group(*parts)

    def text(self) -> str:
        """Return it as plain text, with the lines that stay above it."""
        console = Console(file=io.StringIO(), width=100, color_system=None, force_terminal=False)
        with console.capture() as captured:
            console.print(self.picture())
        return "\n".join([*self.notes, captured.get().rstrip()])

    def _bounds(self, moment: Moment) -> Table:
        gap = moment.upper_bound - moment.lower_bound
        share = f"{100 * gap / moment.upper_bound:.1f} %" if moment.upper_bound > 0 else ""
        table = Table.grid(padding=(0, 2))
        table.add_row("  objective", f"{moment.upper_bound:.6f}", Text("of the best tree so far", style="dim"))
        table.add_row("  lower bound", f"{moment.lower_bound:.6f}", Text("no tree is below it", style="dim"))
        table.add_row("  gap", f"{gap:.6f}", Text.assemble(self._closing(moment), f"  {share}"))
        depth = f"to depth {moment.proven_depth}" if moment.proven_depth else "-"
        table.add_row("  proven", depth, Text("no tree of so few questions is better", style="dim"))
        table.add_row("  subproblems", f"{moment.solved:,}", "")
        held = resident_bytes()
        if held:
            table.add_row("  memory", f"{held / 1e6:,.0f} MB", "")
        return table

    def _closing(self, moment: Moment) -> Text:
        """Draw what is left between the bounds, in the reach that they had at first."""
        low, high = self._reach or (moment.lower_bound, moment.upper_bound)
        width = (high - low) or 1.0
        left = round(_WIDTH * (moment.lower_bound - low) / width)
        right = round(_WIDTH * (high - moment.upper_bound) / width)
        between = max(_WIDTH - left - right, 0)
        return Text.assemble(("━" * left, "green"), ("╌" * between, "yellow"), ("━" * right, "green"))
