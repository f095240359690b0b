"""The live display on a terminal: rich draws it again eight times a second."""

from typing import Self

from rich.console import Console
from rich.live import Live

from .display import Display
from .moment import Moment, line_of
from .picture import State


class TerminalDisplay(Display):
    """Stages, folds and the bounds of a search on standard error, cleared at the end."""

    def __init__(self, closing: bool = True) -> None:
        self._state = State()
        self._closing = closing
        self._console = Console(stderr=True, highlight=False)
        self._live = Live(
            console=self._console, get_renderable=self._state.picture, transient=True, refresh_per_second=8
        )
        self.monitor = self._show

    def stage(self, text: str, steps: int = 0) -> None:
        """Begin another piece of work; the bounds of an earlier search are no more."""
        self._state.begin(text, steps)

    def step(self, text: str) -> None:
        """Fill the bar by a step; what is said of it stays above the display."""
        self._state.done += 1
        self.note(text)

    def note(self, text: str) -> None:
        """Print a line above the display."""
        self._console.print(text, markup=False, soft_wrap=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *raised: object) -> None:
        """Clear it; the last state of a search stays as a line."""
        self._live.stop()
        if self._closing and not any(raised) and self._state.moment is not None:
            self.note(line_of(self._state.moment))

    def _show(self, moment: Moment) -> bool:
        self._state.see(moment)
        return True
