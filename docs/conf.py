"""How the pages become a site: ``make docs``."""

import re

import optitree

project = "optitree"
author = "the optitree developers"
copyright = "2026, the optitree developers"
version = release = optitree.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_typehints = "none"  # docstrings say it in words
autodoc_member_order = "bysource"
autosummary_generate = False
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "optitree"
html_static_path = ["_static"]
html_css_files = ["optitree.css"]
html_show_sourcelink = False
_ALONE = ("index", "tutorial", "api", "command-line", "exports", "theory", "certificate", "comparison")
html_sidebars = {"**": ["sidebar-nav-bs"], **{page: [] for page in _ALONE}}  # a page alone has no neighbours to list
html_theme_options = {
    "navigation_depth": 2,
    "show_toc_level": 2,
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

_FOLDERS = "benchmarks|experiments|src|tests"
_OUTSIDE = re.compile(rf"(?<!!)\[([^\]]+)\]\((?:\.\./)+((?:{_FOLDERS})/[^)]+(?<!\.svg)|[A-Z]+\.md)\)")


def _name_files_outside(app: object, name: str, source: list[str]) -> None:
    """Links to files of the repository that are no pages become their names: on the site they would lead nowhere."""
    source[0] = _OUTSIDE.sub(r"\1 (`\2`)", source[0])


def setup(app: object) -> None:
    """Connect what is above."""
    app.connect("source-read", _name_files_outside)  # type: ignore[attr-defined]
