"""The live display in a notebook: an output that is replaced, which needs no widgets."""

import time
from importlib import import_module
from typing import Any

from .display import Display
from .moment import Moment, line_of
from .picture import State

_SECONDS_APART = 0.25


class NotebookDisplay(Display):
    """The picture of the terminal, in the output of a cell."""

    def __init__(self, closing: bool = True) -> None:
        self._state = State()
        self._closing = closing
        self._handle: Any = None
        self._last = 0.0
        self.monitor = self._show

    def stage(self, text: str, steps: int = 0) -> None:
        """Begin another piece of work."""
        self._state.begin(text, steps)
        self._draw()

    def step(self, text: str) -> None:
        """Fill the bar by a step; what is said of it stays."""
        self._state.done += 1
        self.note(text)
        self._draw()

    def note(self, text: str) -> None:
        """Keep a line above the picture."""
        self._state.notes.append(text)

    def __exit__(self, *raised: object) -> None:
        """Leave the lines that stay, and the last state of a search."""
        if self._closing and not any(raised) and self._state.moment is not None:
            self.note(line_of(self._state.moment))
        self._replace("\n".join(self._state.notes))

    def _show(self, moment: Moment) -> bool:
        self._state.see(moment)
        if time.monotonic() - self._last >= _SECONDS_APART:
            self._draw()
        return True

    def _draw(self) -> None:
        self._last = time.monotonic()
        self._replace(self._state.text())

    def _replace(self, text: str) -> None:
        show = import_module("IPython.display").display  # there wherever a notebook is

        bundle = {"text/plain": text}
        if self._handle is None:
            self._handle = show(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)
