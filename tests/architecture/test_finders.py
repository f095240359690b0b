"""The house rules are only as good as what finds functions and names: checked on sources made up for it."""

import re
from pathlib import Path

import pytest

from .cpp_functions import Function, functions
from .house_rules import foreign_underscores, functions_of, sources, unlisted

CORE = Path(__file__).resolve().parents[2] / "src" / "core"

CPP = """
#include "a.hpp"  // { (
namespace optitree {
namespace {
constexpr std::array<int, 2> kTable = {1, 2};
constexpr auto kMany = 1'000'000;  // '{'
using Monitor = std::function<bool(const int&, int, int)>;
enum class Status { kOne, kTwo };
template <typename T, typename... Kind>
inline __attribute__((always_inline)) T least(const T& a, const std::map<int, Kind>& b = {1, 2}) {
  const auto twice = [&](int x, int y) { return x + y; };
  return "}" == "{" ? a : '{';
}
}  // namespace
class Watch : public Base<int, int> {
 public:
  Watch(const Limits& limits, Monitor monitor)
      : limits_{limits}, monitor_(std::move(monitor)), start_{} {
    look();
  }
  bool operator()(int a) const { return a < 3; }
  bool operator==(const Watch&) const = default;
  virtual void see(int a, int b,
                   int c) = 0;
  struct Inner { void f() {} };

 private:
  std::function<bool(int, int)> state_;
  double rates_[2]{0, 1};
  std::atomic<bool> done_ = false;
};
Watch::Inner* Watch::find(int (&a)[2], void (*b)(int, int)) const noexcept { return nullptr; }
}  // namespace optitree
NB_MODULE(_core, module) {
}
"""


def test_functions_are_found_in_cpp():
    assert functions(CPP) == [
        Function("least", 9, 5, 2),
        Function("Watch", 17, 4, 2),
        Function("operator", 21, 1, 1),
        Function("operator", 22, 1, 1),
        Function("see", 23, 2, 3),
        Function("f", 25, 1, 0),
        Function("Watch::find", 32, 1, 2),
        Function("NB_MODULE", 34, 2, 2),
    ]


def test_every_method_that_the_core_defines_outside_its_class_is_found():
    for path in sources(CORE, ["."], [".cpp"]):
        defined = re.findall(r"^(?=[^\s/#}])(?![^(\n]*=)[^(\n]*?\b((?:\w+::)+~?\w+)\(", path.read_text(), re.MULTILINE)
        assert set(defined) <= {each.name for each in functions_of(path)}, path


PYTHON = '''
def outer(a, b, *, c):
    """Say."""
    def inner(): return 1

class Room:
    def method(self):
        pass
'''


def test_functions_are_found_in_python(tmp_path):
    (tmp_path / "some.py").write_text(PYTHON)
    assert functions_of(tmp_path / "some.py") == [
        Function("outer", 2, 3, 3),
        Function("outer.inner", 4, 1, 0),
        Function("Room.method", 7, 2, 1),
    ]


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("from .other import _hidden, seen", ["_hidden"]),
        ("from sklearn.utils._tags import Tags", ["_tags"]),
        ("model._fit(1)", ["_fit"]),
        ("a.b._c = 1", ["_c"]),
        ("super()._fit()", ["_fit"]),
        ("model.__class__.__name__", []),
        ("self._fit(); cls._make()", []),
        ("class A:\n    def _of(self, other): return other._of(self)", []),
        ("class A:\n    def __init__(self): self._x = 1\n    def same(self, other): return other._x", []),
    ],
)
def test_underscored_names_of_others_are_found(tmp_path, code, names):
    (tmp_path / "some.py").write_text(code)
    assert [name for _, name in foreign_underscores(tmp_path / "some.py")] == names


def test_a_source_that_is_not_listed_is_found_and_one_that_is_gone(tmp_path):
    core = tmp_path / "src" / "core"
    (core / "search").mkdir(parents=True)
    for name in ("bindings.cpp", "search/a.cpp", "search/b.cpp"):
        (core / name).touch()
    (core / "sources.txt").write_text("src/core/search/a.cpp\nsrc/core/search/gone.cpp\n")
    assert unlisted(core) == {"src/core/search/b.cpp", "src/core/search/gone.cpp"}
