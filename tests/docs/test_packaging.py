"""What people expect of a scientific package: one version, a citation, links that lead somewhere, a site."""

import re
import subprocess
import sys
from importlib.metadata import version

import optitree

from .examples import PROJECT


def test_there_is_one_version():
    citation = (PROJECT / "CITATION.cff").read_text()
    assert re.search(r"^version: (.*)$", citation, re.MULTILINE).group(1) == optitree.__version__
    assert version("optitree") == optitree.__version__


def test_the_list_of_decisions_has_all_pages_and_no_other():
    folder = PROJECT / "docs" / "decisions"
    listed = re.findall(r"^\d+\. \[.+\]\((.+)\)$", (folder / "README.md").read_text(), re.MULTILINE)
    assert listed == sorted(page.name for page in folder.glob("0*.md"))


def test_links_of_pages_lead_somewhere():
    gone = [
        f"{page.relative_to(PROJECT)}: {link}"
        for page in [*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")]
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert not gone, "\n".join(gone)


def test_the_site_builds_without_warnings(tmp_path):
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", PROJECT / "docs", tmp_path]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "howto" / "deploy.html").exists()
