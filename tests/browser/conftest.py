"""A real browser, Debian's chromium, and the reports that it opens from disk."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("CI has no chromium; make test-browser installs it")
        pytest.skip("needs chromium: apt-get install chromium")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class Opened:
    """A report in a page, with all that it complained of and asked for."""

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.dialogs: list[str] = []
        self.page.on("dialog", self._close)
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def _close(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()


@pytest.fixture
def open_report(browser: Any) -> Iterator[Any]:
    opened = []

    def open_it(file: Path, **options: Any) -> Opened:
        opened.append(Opened(browser, file, **options))
        return opened[-1]

    yield open_it
    for each in opened:
        each.context.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, which `make test-browser` fetches from npm."""
    script = Path(__file__).resolve().parents[2] / "build" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        if os.environ.get("CI"):
            pytest.fail("CI has no axe-core; make test-browser installs it")
        pytest.skip("needs axe-core: make test-browser")
    return script.read_text(encoding="utf-8")
