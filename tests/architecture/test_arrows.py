"""Data flows one way: no folder uses another that the table in ARCHITECTURE.md does not name beside it."""

from pathlib import Path

import pytest

from .arrows import core_files, core_uses, empty_rooms, python_files, python_uses, read_tables, violations

PROJECT = Path(__file__).resolve().parents[2]
CORE, PYTHON = PROJECT / "src" / "core", PROJECT / "src" / "optitree"
CORE_TABLE, PYTHON_TABLE = read_tables((PROJECT / "ARCHITECTURE.md").read_text())

PAGE = """
# A page
## Arrows

| of the core | may include |
|---|---|
| `common` | |
| `costs` | `common` |
| `costs/squared` | `common`, `costs` |
| `costs/losses.cpp` | `costs`, `costs/squared` |
| `search` | `common`, `costs` |
| `.` | everything |

| of the package | may import |
|---|---|
| `_core` | |
| `core` | `_core` |
| `errors` | |
| `table` | `core`, `errors` |
| `models` | `table`, `errors` |
| `cli`, `__init__` | everything but `_core` |

## Another heading
| `no` | `table` |
|---|---|
"""


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture
def core(tmp_path):
    """A tree without a fault."""
    return write(tmp_path / "core", **{
        "common/sum.hpp": "#include <vector>\n",
        "costs/bounds.hpp": '#include "common/sum.hpp"\n',
        "costs/losses.cpp": '#include "costs/bounds.hpp"\n#include "costs/squared/kmeans.hpp"\n',
        "costs/squared/kmeans.hpp": '#include "costs/bounds.hpp"\n',
        "search/worker.hpp": '#include "search/cache.hpp"\n#include "costs/bounds.hpp"\n',
        "search/cache.hpp": '#include "search/worker.hpp"\n',
        "bindings.cpp": '#include "bindings.hpp"\n#include "costs/squared/kmeans.hpp"\n',
        "bindings.hpp": "",
    })  # fmt: skip


@pytest.fixture
def package(tmp_path):
    """A package without a fault."""
    return write(tmp_path / "optitree", **{
        "__init__.py": '"""A package."""\nfrom .models.tree import Tree\n__version__ = "1"\n',
        "_core.pyi": "",
        "core.py": "from ._core import solve\n",
        "errors.py": "",
        "cli.py": "from . import __version__\nfrom .models import tree\n",
        "table/__init__.py": "",
        "table/reading.py": "import numpy\nfrom .. import core\nfrom ..errors import Error\nfrom . import columns\n",
        "table/columns.py": "import optitree.errors\n",
        "models/__init__.py": "",
        "models/tree.py": "from ..table.reading import read\n",
    })  # fmt: skip


def core_faults(folder):
    return violations(core_uses(folder), read_tables(PAGE)[0])


def python_faults(folder):
    return violations(python_uses(folder), read_tables(PAGE)[1])


def test_the_core_keeps_to_the_table():
    found = violations(core_uses(CORE), CORE_TABLE)
    assert not found, "\n".join(found)


def test_the_package_keeps_to_the_table():
    found = violations(python_uses(PYTHON), PYTHON_TABLE)
    assert not found, "\n".join(found)


def test_every_row_has_its_files():
    assert empty_rooms(core_files(CORE), CORE_TABLE) == []
    assert empty_rooms([*python_files(PYTHON), "_core.pyi"], PYTHON_TABLE) == []


def test_trees_without_a_fault_have_none(core, package):
    assert len(core_uses(core)) == 9
    assert core_faults(core) == []
    assert len(python_uses(package)) == 9
    assert python_faults(package) == []


@pytest.mark.parametrize(
    ("file", "include", "why"),
    [
        ("common/sum.hpp", '"search/cache.hpp"', "common may not use search"),
        ("common/sum.hpp", '"../search/cache.hpp"', "common may not use search"),
        ("common/sum.hpp", "<search/cache.hpp>", "common may not use search"),
        ("costs/bounds.hpp", '"costs/squared/kmeans.hpp"', "costs may not use costs/squared"),
        ("search/worker.hpp", '"costs/squared/kmeans.hpp"', "search may not use costs/squared"),
        ("costs/squared/kmeans.hpp", '"search/cache.hpp"', "costs/squared may not use search"),
        ("search/worker.hpp", '"bindings.hpp"', "search may not use ."),
        ("search/worker.hpp", '"search/gone.hpp"', "there is no such file"),
        ("answers/path.cpp", '"common/sum.hpp"', "no row of the table has a room for answers/path.cpp"),
    ],
)
def test_an_include_that_the_table_does_not_allow_is_found(core, file, include, why):
    write(core, **{file: f"// A comment.\n  #include {include}\n"})
    assert core_faults(core) == [f"{file}:2: #include {include}: {why}"]


@pytest.mark.parametrize(
    ("file", "statement", "why"),
    [
        ("table/columns.py", "from ..models.tree import Tree", "table may not use models"),
        ("table/columns.py", "from ..models import tree", "table may not use models"),
        ("table/columns.py", "from .. import models", "table may not use models"),
        ("table/columns.py", "from .. import __version__", "table may not use __init__"),
        ("table/columns.py", "from optitree.models.tree import Tree", "table may not use models"),
        ("table/columns.py", "import optitree.models.tree", "table may not use models"),
        ("table/columns.py", "from .._core import solve", "table may not use _core"),
        ("cli.py", "from . import _core", "cli may not use _core"),
        ("errors.py", "from .table.reading import read", "errors may not use table"),
        ("errors.py", "import optitree.gone", "there is no such file"),
    ],
)
def test_an_import_that_the_table_does_not_allow_is_found_inside_a_function_too(package, file, statement, why):
    write(package, **{file: f"def later():\n    {statement}\n"})
    assert python_faults(package) == [f"{file}:2: {statement}: {why}"]


def test_a_row_without_files_is_found(core):
    (core / "costs" / "losses.cpp").unlink()
    assert empty_rooms(core_files(core), read_tables(PAGE)[0]) == ["costs/losses.cpp"]
