"""``python -m optitree`` is the command line."""

from .cli import app

app()
