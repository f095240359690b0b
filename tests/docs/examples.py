"""The examples of a page, run as a reader would: from top to bottom, in an empty folder.

A block of Python runs in the names that the blocks before it left. Of a block of shell, commands of the package run;
targets of make and extras of pip are looked up. What is printed must be what the block below says, if it is a block of
text; times may differ. A comment ``<!-- before`` has Python that a reader need not see.

``python -m tests.docs.examples PAGE ...`` writes what is printed into pages, ``--first PAGE`` prints the first block.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from optitree.cli import app

PROJECT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(
    r"^<!-- before\n(?P<before>.*?)^-->$"
    r"|^(?P<indent> *)```(?P<language>python|sh)\n(?P<code>.*?)^ *```$(?:\s*^ *```text\n(?P<said>.*?)^ *```$)?",
    re.DOTALL | re.MULTILINE,
)
# What differs from run to run and from machine to machine: times, and paths to temporary files.
_CHANGES = ((r"\d[\d,]*(\.\d+)? (s|ms|seconds|MB|rows/s|rows a second)\b", r"# \2"), (r"/\S*/", "/"), (r"[ \t]+$", ""))


def pages() -> list[Path]:
    """Return all pages with blocks to run."""
    places = [*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")]
    return sorted(page for page in places if _BLOCK.search(page.read_text(encoding="utf-8")))


@dataclass
class DifferenceError(Exception):
    """An example that does not say what it prints."""

    code: str
    said: str
    printed: str

    def __str__(self) -> str:
        return f"{self.code}\nprints\n\n{self.printed}\nand the page says\n\n{self.said}"


def run_page(page: Path, folder: Path, write: bool = False) -> int:
    """Run all blocks of a page in a folder and return how many there are; ``write`` puts what they print into it."""
    names: dict[str, Any] = {"__name__": "__main__"}
    text = page.read_text(encoding="utf-8")
    count = 0

    def run(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        if found["before"] is not None:
            _python(found["before"], names, page)
            return found[0]
        code, said = textwrap.dedent(found["code"]), found["said"]
        printed = _python(code, names, page) if found["language"] == "python" else _shell(code)
        if said is not None and plain(textwrap.dedent(said)) != plain(printed):
            if not write:
                raise DifferenceError(code, said, printed)
            shown = textwrap.indent(printed.rstrip() + "\n", found["indent"])
            return found[0].replace(f"```text\n{said}", f"```text\n{shown}")
        return found[0]

    with contextlib.chdir(folder):
        written = _BLOCK.sub(run, text)
    if write and written != text:
        page.write_text(written, encoding="utf-8")
    return count


def plain(text: str) -> str:
    """Return a text without what may differ between two runs."""
    for pattern, instead in _CHANGES:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    return text.strip("\n")


def first_block(page: Path) -> str:
    """Return the first block of Python of a page."""
    return next(found["code"] for found in _BLOCK.finditer(page.read_text()) if found["language"] == "python")


def _python(code: str, names: dict[str, Any], page: Path) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(page), "exec"), names)
    return printed.getvalue()


def _shell(code: str) -> str:
    return "".join(_command(line) for line in code.replace("\\\n", " ").splitlines())


def _command(line: str) -> str:
    words = shlex.split(line, comments=True)
    if not words:
        return ""
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE)
        assert set(words[1:]) - {each for each in words if "=" in each} <= set(targets), line
        return ""
    if words[0] in ("pip", "git", "cd"):
        project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
        extras = {name for each in re.findall(r"\[(.*?)\]", line) for name in each.split(",")}
        assert extras <= set(project["optional-dependencies"]), line
        return ""
    assert words[0] in ("optitree", "python"), f"a page may run optitree and python, not {words[0]!r}"
    if words[0] == "optitree":  # here, since a process of its own takes seconds to import what it needs
        done = CliRunner().invoke(app, words[1:], env={"COLUMNS": "120"})
        assert done.exit_code == 0, f"{line}\n{done.output}\n{done.exception!r}"
        return str(done.stdout)
    run = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"{line}\n{run.stdout}{run.stderr}"
    return run.stdout


def main(arguments: list[str]) -> None:
    """Write what examples print into their pages, or print the first of a page."""
    import tempfile  # noqa: PLC0415

    os.environ.setdefault("MPLBACKEND", "agg")
    if arguments[0] == "--first":
        print(first_block(Path(arguments[1])))
        return
    for name in arguments:
        with tempfile.TemporaryDirectory() as folder:
            print(name, run_page(Path(name).resolve(), Path(folder), write=True), "blocks")


if __name__ == "__main__":
    main(sys.argv[1:])
