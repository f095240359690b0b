"""What a person sees while a command works, and what a script does not."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import LimitWarning
from ..progress import Display, Lines, displaying
from ..progress.display import live_display

# A pipe is told nothing of work that takes less.
_PATIENCE = 2.0


@contextmanager
def watched(quiet: bool) -> Iterator[Display]:
    """Show all that is done inside: live on a terminal, as lines in a pipe once it takes long.

    That a limit came is no warning here: what is printed at the end says it.
    """
    display = Display() if quiet else live_display(closing=False) or Lines(_PATIENCE)
    with warnings.catch_warnings(), displaying(display):
        warnings.simplefilter("ignore", LimitWarning)
        yield display


def check_folders(*paths: Path | None) -> None:
    """Notice before the work that what is found could not be saved."""
    for path in paths:
        if path is not None and not path.absolute().parent.is_dir():
            raise ValueError(f"there is no folder {path.absolute().parent} to save to; create it first")
        if path is not None and path.is_dir():
            raise ValueError(f"{path} is a folder; name a file in it")
