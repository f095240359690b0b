"""The documentation names files where they are."""

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PLACES = (PROJECT, PROJECT / "src" / "core", PROJECT / "src" / "optitree")  # where a name in the text may begin


def test_files_that_the_documentation_names_exist():
    gone = [
        f"{page.relative_to(PROJECT)}: {name}"
        for page in sorted((PROJECT / "docs").rglob("*.md"))
        for name in re.findall(r"`([\w/]+\.(?:py|hpp|cpp))`", page.read_text())
        if not any((place / name).is_file() for place in PLACES)
    ]
    assert not gone, "\n".join(gone)
