"""``optitree demo``: a real table that ships with a dependency."""

import typer

from ..demo import run_demo


def demo() -> None:
    """Fit a real table, print the best tree there is and what is proven about it."""
    typer.echo(run_demo())
