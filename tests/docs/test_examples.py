"""Every code block of README and docs runs, and prints what the page says."""

import re
from pathlib import Path

import pytest

from .examples import PROJECT, DifferenceError, pages, plain, run_page


# Of other libraries, which pages import: what they do to one another is not what a page says.
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(PROJECT)))
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    assert run_page(page, tmp_path) > 0
    figures = __import__("matplotlib.pyplot").pyplot
    figures.close("all")


def test_no_block_escapes():
    """Blocks are of a language that is run, or of one that is only shown."""
    shown = {"", "text", "sql", "c", "json", "latex", "{eval-rst}", "{toctree}", "{include}"}
    for page in pages():
        fences = re.findall(r"^ *```([^\n`]*)$", page.read_text(), re.MULTILINE)[::2]
        unknown = {fence.split(" ")[0] for fence in fences} - shown - {"python", "sh"}
        assert not unknown, (page, unknown)


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", DifferenceError),
        ("```python\n1 / 0\n```\n", ZeroDivisionError),
        ("```sh\noptitree no-such-command\n```\n", AssertionError),
        ("```sh\nmake no-such-target\n```\n", AssertionError),
        ("```sh\npip install 'optitree[no-such-extra]'\n```\n", AssertionError),
    ],
)
def test_an_example_that_is_wrong_is_noticed(tmp_path, text, fails):
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(fails):
        run_page(page, tmp_path)


def test_times_may_differ_and_nothing_else():
    assert plain("proven in 0.05 s\n") == plain("proven in 12.3 s")
    assert plain("5 leaves") != plain("6 leaves")
