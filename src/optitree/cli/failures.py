"""What goes wrong, as one sentence on standard error and an exit code."""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

UNUSABLE, INTERRUPTED = 1, 130


@contextmanager
def plain_errors() -> Iterator[None]:
    """Say what is wrong in one sentence, without a traceback; and what was warned of, without a line of Python."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _say_warning
            yield
        sys.stdout.flush()  # or a full disk would be noticed when nobody listens any more
    except BrokenPipeError:  # whoever reads the output has gone
        _forget_output()
        raise typer.Exit(UNUSABLE) from None
    except OSError as error:
        if not error.filename:  # where there is no name it is the output that could not be written
            _forget_output()
        _say(_os_reason(error))
        raise typer.Exit(UNUSABLE) from None
    except (ValueError, TypeError, ImportError, MemoryError, RecursionError) as error:
        _say(_in_one_line(error))
        raise typer.Exit(UNUSABLE) from None
    except KeyboardInterrupt:
        _say("interrupted before there was a tree")
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:
        if "duckdb" not in type(error).__module__:
            raise
        if "interrupt" in f"{type(error).__name__} {error}".lower():
            _say("interrupted before there was a tree")
            raise typer.Exit(INTERRUPTED) from None
        from ..groups.engines.data_files import explain  # noqa: PLC0415  (is there already if DuckDB is)

        _say(explain(error))
        raise typer.Exit(UNUSABLE) from None


def note(text: str) -> None:
    """Say on standard error what was guessed, or what else a person may want to know."""
    typer.echo(f"optitree: note: {text}", err=True)


def _say_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    note(_in_one_line(message))


def interrupted(what: str) -> typer.Exit:
    """Say what a search had by the time it was interrupted, and return how the program ends."""
    _say(f"interrupted; {what}")
    return typer.Exit(INTERRUPTED)


def _say(text: str) -> None:
    typer.echo(f"optitree: {text}", err=True)


def _in_one_line(error: BaseException | str) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory; use fewer columns or rows (--ignore, --where), or a machine with more"
    return " ".join(str(error).split()) or type(error).__name__


def _os_reason(error: OSError) -> str:
    if error.strerror is None:
        return _in_one_line(error)
    where = f"{error.filename}: " if error.filename else "the output cannot be written: "
    return f"{where}{error.strerror}"


def _forget_output() -> None:
    """Let what could not be written go, so that Python does not try again at its end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):  # no file behind it, as in tests
        return
