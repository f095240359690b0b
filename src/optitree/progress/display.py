"""Who shows progress, and how: the one place that decides between a live display, lines and silence."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self

from .moment import Moment, line_of

# Lines of a search come a second apart at first, then further: each after a tenth more time than the one before.
_SECONDS_APART = 1.0
_GROWTH = 1.1


class Display:
    """Shows nothing. Others show stages of the work, the state of a search, and what stays to be read."""

    # Called by the core with the state of a search; None saves it the calls.
    monitor: Callable[[Moment], bool] | None = None

    def stage(self, text: str, steps: int = 0) -> None:
        """Say what is being done from now on, in so many steps where that is known."""

    def step(self, text: str) -> None:
        """Say that a step of the stage is done, in a line that stays."""

    def note(self, text: str) -> None:
        """Say something that stays to be read."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the display."""


class Lines(Display):
    """Lines on standard error, none of them in the first ``patience`` seconds."""

    def __init__(self, patience: float = 0.0) -> None:
        self._patient_until = time.monotonic() + patience
        self._start = time.monotonic()
        self._first = self._next = 0.0
        self.monitor = self._show

    def stage(self, text: str, steps: int = 0) -> None:
        """Print when the work began, and what it is."""
        self._first = _SECONDS_APART if steps else 0.0  # of searches that are steps, the quick ones need no line
        self._next = self._first
        self._print(f"{time.monotonic() - self._start:7.1f} s   {text}{f', {steps} steps' if steps else ''}")

    def step(self, text: str) -> None:
        """Print that a step is done."""
        self._print(text)

    def note(self, text: str) -> None:
        """Print a line."""
        self._print(text)

    def _show(self, moment: Moment) -> bool:
        if moment.seconds < self._next / _GROWTH - 2 * _SECONDS_APART:  # another search has begun
            self._next = self._first
        if moment.seconds >= self._next and self._print(line_of(moment)):
            self._next = max(moment.seconds + _SECONDS_APART, moment.seconds * _GROWTH)
        return True

    def _print(self, text: str) -> bool:
        if time.monotonic() < self._patient_until:
            return False
        print(text, file=sys.stderr, flush=True)
        return True


# The display of whoever called: what a cross-validation, or the command line, does in parts is shown as one thing.
_CURRENT: ContextVar[Display | None] = ContextVar("optitree_display", default=None)


@contextmanager
def displaying(display: Display) -> Iterator[Display]:
    """Show on this display all that is done inside, whatever ``verbose`` says there."""
    token = _CURRENT.set(display)
    try:
        with display:
            yield display
    finally:
        _CURRENT.reset(token)


@contextmanager
def showing(verbose: bool) -> Iterator[Display]:
    """Return the display of the caller if there is one, else one of our own if it is wanted."""
    current = _CURRENT.get()
    if current is not None:
        yield current
    elif not verbose:
        yield Display()
    else:
        with displaying(live_display() or Lines()) as display:
            yield display


def live_display(closing: bool = True) -> Display | None:
    """Return a display that is drawn again and again, or None where there is no terminal and no notebook.

    ``closing``: whether the state at the end stays to be read.
    """
    if on_terminal():
        from .live import TerminalDisplay  # noqa: PLC0415  (rich takes time to import)

        return TerminalDisplay(closing)
    if "ipykernel" in sys.modules:
        from .notebook import NotebookDisplay  # noqa: PLC0415  (as above)

        return NotebookDisplay(closing)
    return None


def on_terminal() -> bool:
    """Whether standard error is a terminal that can go back to what it has printed."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
