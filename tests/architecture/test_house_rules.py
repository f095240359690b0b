"""Small rooms: the limits of CONTRIBUTING.md, and the few places that may pass them."""

import re
from pathlib import Path

from .cpp_functions import Function
from .house_rules import foreign_underscores, functions_of, line_count, sources, unlisted

MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 60
MOST_PARAMETERS = 6  # in C++: Python has names for them where it calls

# "file: function", and why it may.
LONG_FUNCTIONS: dict[str, str] = {}
MANY_PARAMETERS: dict[str, str] = {}
FOREIGN_UNDERSCORES: dict[str, str] = {
    "_core": "the compiled core, which only core.py imports (see test_arrows)",
    "_check_feature_names_in": "scikit-learn's own rule for get_feature_names_out, not to be had otherwise",
}

PROJECT = Path(__file__).resolve().parents[2]
CORE = PROJECT / "src" / "core"


def in_project(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def all_functions(folders: list[str], *suffixes: str) -> list[tuple[str, Function]]:
    """Return the functions with the words by which the lists above know them."""
    files = sources(PROJECT, folders, suffixes)
    return [(f"{in_project(path)}: {each.name}", each) for path in files for each in functions_of(path)]


def test_files_are_short():
    files = sources(PROJECT, ["src", "tests", "benchmarks", "experiments"], [".py", ".cpp", ".hpp"])
    long = [
        f"{in_project(path)}: {line_count(path)} lines" for path in files if line_count(path) > MOST_LINES_OF_A_FILE
    ]
    assert not long, "\n".join(long)


def test_functions_are_short():
    found = {
        name: each.lines
        for name, each in all_functions(
            ["src/core", "src/optitree", "benchmarks", "experiments"], ".py", ".cpp", ".hpp"
        )
        if each.lines > MOST_LINES_OF_A_FUNCTION
    }
    long = [f"{name}: {lines} lines" for name, lines in found.items() if name not in LONG_FUNCTIONS]
    assert not long, "\n".join(long)
    assert not set(LONG_FUNCTIONS) - set(found), "no exception that is needed no more"


def test_functions_of_the_core_have_few_parameters():
    found = {
        name: each.parameters
        for name, each in all_functions(["src/core"], ".cpp", ".hpp")
        if each.parameters > MOST_PARAMETERS
    }
    many = [f"{name}: {count} parameters" for name, count in found.items() if name not in MANY_PARAMETERS]
    assert not many, "\n".join(many)
    assert not set(MANY_PARAMETERS) - set(found), "no exception that is needed no more"


def test_one_list_names_all_sources_of_the_core():
    assert unlisted(CORE) == set()


def test_no_loss_is_known_by_name_outside_its_folder():
    named = [
        f"{in_project(path)}: {name}"
        for path in sources(CORE, ["."], [".cpp", ".hpp"])
        if "costs" not in path.parts
        for name in re.findall(r"\bsquared\(\)|\b(?:Squared|Pinball)\w+|\"(?:squared|pinball)\"", path.read_text())
    ]
    assert not named, "\n".join(named)


def test_what_is_underscored_stays_at_home():
    found = {
        f"{in_project(path)}:{line}: {name}": name
        for path in sources(PROJECT, ["src/optitree"], [".py"])
        for line, name in foreign_underscores(path)
    }
    abroad = [where for where, name in found.items() if name not in FOREIGN_UNDERSCORES]
    assert not abroad, "\n".join(abroad)
    assert not set(FOREIGN_UNDERSCORES) - set(found.values()), "no exception that is needed no more"
