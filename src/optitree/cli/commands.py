"""The commands, each imported when it is called: help and completion do not wait for scikit-learn."""

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from .failures import plain_errors

# Each has a module of its name with a function of its name.
_SUMMARIES = {
    "demo": "Fit a real table, print the best tree there is and what is proven about it.",
    "fit": "Find the best tree for a table.",
    "path": "List every optimal tree as the regularization falls.",
    "cv": "Choose the regularization by cross-validation.",
    "near": "List all trees that are nearly as good as the best.",
    "compare": "Set the best tree beside a greedy one of as many leaves.",
    "predict": "Predict every row of a table.",
    "show": "Print a saved tree, what is proven about it, or draw it.",
    "export": "Write a saved tree as SQL, Python, C, LaTeX, ...",
    "verify": "Check a certificate: does all that it claims hold?",
}
EXIT_CODES = (
    "Exit codes: 0 done, a limit reached included; 1 the data or a file cannot be used (one sentence on standard error "
    "says why), or a certificate does not hold; 2 wrong usage; 130 interrupted by Ctrl-C (what was found by then is "
    "printed and saved)."
)


class Commands(TyperGroup):
    """All commands; whatever goes wrong in one is said in a sentence."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return their names in the order of the help."""
        return list(_SUMMARIES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command that is not imported yet; None for an unknown name."""
        return _Unread(cmd_name) if cmd_name in _SUMMARIES else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is meant, or name the one that is nearest."""
        if args and args[0] not in _SUMMARIES:
            near = get_close_matches(args[0], _SUMMARIES, 1)
            told = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(_SUMMARIES)}"
            ctx.fail(f"there is no command {args[0]!r}; {told}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with plain_errors():
            return super().invoke(ctx)


class _Unread(TyperCommand):
    """A command of which name and summary are known, and the rest once it is called."""

    def __init__(self, name: str) -> None:
        super().__init__(name, callback=None, params=[], help=_SUMMARIES[name])

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """Go on as the command itself."""
        assert self.name is not None
        module = import_module(f".{self.name}", __package__)
        alone = typer.Typer(add_completion=False)
        alone.command(self.name, epilog=EXIT_CODES)(getattr(module, self.name))
        return get_command(alone).make_context(info_name, args, parent=parent, **extra)
