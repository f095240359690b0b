"""Columns of text that are numbers to a person, and what is said of each."""

import pytest

from optitree.groups.engines.data_files import Reading, open_files
from optitree.groups.engines.file_format import FileFormat
from optitree.groups.engines.text_files import guess_delimiter

pytest.importorskip("duckdb", reason="DuckDB is not installed")


def read(folder, values, **known):
    """Return the values of a column, and what was said of it."""
    path = folder / "t.csv"
    path.write_text("a;b\n" + "".join(f"{value};1\n" for value in values), encoding="utf-8")
    said = []
    table = open_files([str(path)], reading=Reading(FileFormat(**known), say=said.append))
    return [row[0] for row in table.fetchall()], " ".join(said)


@pytest.mark.parametrize(
    ("values", "known", "expected", "said"),
    [
        (["2,5", "3", "-1,25"], {}, [2.5, 3, -1.25], "'a' is read as numbers with a decimal comma"),
        (["1.234,5", "2,5"], {}, [1234.5, 2.5], "with a decimal comma"),
        (["1,234.5", "2,000"], {}, [1234.5, 2000], "with commas between thousands"),
        (["4", "?", "6"], {}, [4, None, 6], "with '?' for a missing value"),
        (["4", "n/a", "-"], {}, [4, None, None], "with '-' and 'n/a' for a missing value"),
        (["2,5", "?"], {}, [2.5, None], "with a decimal comma and with '?' for a missing value"),
        (["1,234", "5,678"], {}, ["1,234", "5,678"], "may part decimals or thousands; say which with --decimal ,"),
        (["1,234", "5,678"], {"decimal": ","}, [1.234, 5.678], "with a decimal comma"),
        (["1,234", "5,678"], {"thousands": ","}, [1234, 5678], "with commas between thousands"),
        (["2,5", "3,5"], {"decimal": "."}, ["2,5", "3,5"], "is taken as a category"),
        (["4", "many", "6"], {}, ["4", "many", "6"], "most of its values are numbers, but 1 are not, such as 'many'"),
        (["4", "many", "6"], {"missing": ("many",)}, [4, None, 6], ""),
        (["red", "?", "blue"], {}, ["red", "?", "blue"], "has the level '?'; if that means missing"),
        (["red", "blue"], {}, ["red", "blue"], ""),
        (["1'234.5", "12"], {}, [1234.5, 12], "'a' is read as numbers with blanks or apostrophes between thousands"),
        (["1\u2019234\u2019567", "12"], {"thousands": "'"}, [1234567, 12], "apostrophes between thousands"),
        (["1 234,5", "1\u202f000"], {}, [1234.5, 1000], "a decimal comma and with blanks or apostrophes between"),
        (["030 123", "12"], {}, ["030 123", "12"], "such as '030 123'"),
        (["01000", "02000"], {}, [1000, 2000], "'a' is read as numbers, such as '01000'"),
        (["$1,005", "$7"], {}, ["$1,005", "$7"], "its values are numbers with a unit, such as '$1,005'; write the"),
        (["12 %", "?"], {}, ["12 %", "?"], "are numbers with a unit, such as '12 %'"),
        (["1.5 kg", "20 kg"], {}, ["1.5 kg", "20 kg"], "are numbers with a unit, such as '1.5 kg'"),
        (["1st", "2nd"], {}, ["1st", "2nd"], ""),
        (["1", "2.5"], {}, [1, 2.5], ""),
    ],
)
def test_values_are_what_they_mean(tmp_path, values, known, expected, said):
    found, told = read(tmp_path, values, **known)
    assert found == expected
    assert said in told
    assert bool(said) == bool(told)


def test_one_clear_decimal_comma_decides_for_the_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1,234;2,5\n5,678;3,5\n")
    assert open_files([str(path)]).fetchall() == [(1.234, 2.5), (5.678, 3.5)]


def test_a_word_that_is_missing_among_numbers_is_missing_everywhere(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,red\n?,?\n3,blue\n")
    assert open_files([str(path)]).fetchall() == [(1, "red"), (None, None), (3, "blue")]


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [("a,b\n1,2\n", ","), ("a;b\n1,5;2\n", ";"), ("a\tb\n1\t2\n", "\t"), ("a b\n1 2\n", " "), ("a\n1\n", ","),
     ('"x, y";b\n1;2\n', ";"), ("a|b\n1|2\n", "|"), ("name, first;b\nx;2\ny;3\n", ";")],
)  # fmt: skip
def test_the_delimiter_is_what_parts_most_lines_alike(text, delimiter):
    assert guess_delimiter(text) == delimiter


def test_columns_that_nobody_looks_at_are_not_talked_about(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b;c\n2,5;?;1\n3,5;4;2\n")
    said = []
    open_files([str(path)], only=["c"], reading=Reading(say=said.append))
    open_files([str(path)], ignore=["a", "b"], reading=Reading(say=said.append))
    assert said == []
