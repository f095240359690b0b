"""Documents and comments name files that are there."""

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
CORE = PROJECT / "src" / "core"
FOLDERS = ("src", "tests", "benchmarks", "experiments")


def suffixes() -> set[str]:
    """Return every way in which a file can be named: by its name, or with some of the folders before it."""
    files = [
        path for folder in FOLDERS for path in (PROJECT / folder).rglob("*") if path.suffix in (".py", ".hpp", ".cpp")
    ]
    return {
        "/".join(parts[k:]) for path in files for parts in [path.relative_to(PROJECT).parts] for k in range(len(parts))
    }


def test_files_that_documents_name_exist():
    known = suffixes()
    gone = [
        f"{page.relative_to(PROJECT)}: {name}"
        for page in sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")])
        for name in re.findall(r"`([\w/]+\.(?:py|hpp|cpp))`", page.read_text())
        if name not in known
    ]
    assert not gone, "\n".join(gone)


def test_files_that_comments_of_the_core_name_exist():
    known = suffixes()
    gone = [
        f"{file.relative_to(PROJECT)}: {name}"
        for file in sorted(CORE.rglob("*.[ch]pp"))
        for name in re.findall(r"//.*?\b((?:[a-z_]+/)*[a-z_]+\.[ch]pp)", file.read_text())
        if name not in known
    ]
    assert not gone, "\n".join(gone)
