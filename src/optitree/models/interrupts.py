"""Ctrl-C: the first ends a search, which gives back what it has; a second one raises KeyboardInterrupt at once.

While a search is read off, a second Ctrl-C is Python's own affair: it raises as soon as the core returns. In a loop of
fits the second one may also come when the next search has begun. It is meant for the loop then, not for that search.
"""

import time

_SECONDS = 2.0


class Interrupts:
    """Remembers when Ctrl-C last ended a search of this process."""

    def __init__(self) -> None:
        self._last = -_SECONDS

    def heard(self) -> None:
        """Take note that Ctrl-C has ended a search; raise KeyboardInterrupt if another was ended a moment ago."""
        now = time.monotonic()
        soon = now - self._last < _SECONDS
        self._last = now
        if soon:
            raise KeyboardInterrupt


interrupts = Interrupts()
