"""Files become one table, of the types that a person would see in them."""

import datetime as dt
import gzip
import os
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from optitree.groups.engines.data_files import Reading, open_files
from optitree.groups.engines.file_format import FileFormat

pytest.importorskip("duckdb", reason="DuckDB is not installed")

CSV = "age,town,smoker,born\n20,x,yes,2001-02-03\n31,,no,2001-02-04\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path, text=CSV):
    path.write_text(text, encoding="utf-8")
    return str(path)


def rows(*files, **options):
    return open_files(files, **options).fetchall()


def columns(*files, **options):
    return open_files(files, **options).columns


def test_a_csv_file_has_numbers_text_and_dates(folder):
    assert rows(write(folder / "t.csv")) == [
        (20, "x", "yes", dt.date(2001, 2, 3)),
        (31, None, "no", dt.date(2001, 2, 4)),
    ]


@pytest.mark.parametrize("texts", [("yes", "no"), ("true", "false"), ("T", "F"), ("10:30", "11:45"), ("Yes", "")])
def test_texts_that_might_mean_something_else_stay_texts(folder, texts):
    table = open_files([write(folder / "t.csv", "a,b\n" + "".join(f"1,{text}\n" for text in texts))])
    assert [str(kind) for kind in table.types] == ["BIGINT", "VARCHAR"]
    assert [row[1] for row in table.fetchall()] == [text or None for text in texts]


def test_numbers_with_a_point_and_without_are_one_column(folder):
    assert rows(write(folder / "t.csv", "a,b\n1,x\n2.5,y\n,z\n")) == [(1.0, "x"), (2.5, "y"), (None, "z")]


def test_moments_are_read_with_their_time_of_day(folder):
    path = write(folder / "t.csv", "a,b\n2001-02-03 04:05:06,1\n2001-02-03 00:00:00,2\n")
    assert rows(path)[0] == (dt.datetime(2001, 2, 3, 4, 5, 6), 1)


def test_quoted_text_may_have_commas_and_lines(folder):
    assert rows(write(folder / "t.csv", 'a,b\n1,"x, y"\n2,"line\nbreak"\n')) == [(1, "x, y"), (2, "line\nbreak")]


def test_a_semicolon_may_separate(folder):
    assert rows(write(folder / "t.csv", "a;b\n1;x\n2;y\n")) == [(1, "x"), (2, "y")]


def test_a_tsv_file_is_parted_by_tabs_only(folder):
    assert rows(write(folder / "t.tsv", "a\tb\n1\tx, y\n2\tz;w\n")) == [(1, "x, y"), (2, "z;w")]


@pytest.mark.parametrize("suffix", [".csv.gz", ".CSV.gz"])
def test_a_packed_file_is_unpacked(folder, suffix):
    path = folder / f"t{suffix}"
    path.write_bytes(gzip.compress(CSV.encode()))
    assert rows(str(path)) == rows(write(folder / "t.csv"))


def test_a_file_packed_with_zstandard_is_unpacked(folder):
    with pa.output_stream(folder / "t.csv.zst", compression="zstd") as file:
        file.write(CSV.encode())
    assert len(rows("t.csv.zst")) == 2


@pytest.mark.parametrize("suffix", [".parquet", ".pq", ".PARQUET"])
def test_a_parquet_file_has_its_own_types(folder, suffix):
    table = {"a": [1.5, None], "Solar.R": ["", None], 'say "hi"': [True, False]}
    pq.write_table(pa.table(table), folder / f"t{suffix}")
    assert columns(f"t{suffix}") == [*table]
    assert rows(f"t{suffix}") == [(1.5, "", True), (None, None, False)]


def test_several_files_follow_one_another(folder):
    first, second = write(folder / "2.csv", "a,b\n1,x\n2,y\n"), write(folder / "1.csv", "a,b\n3,z\n")
    assert rows(first, second) == [(1, "x"), (2, "y"), (3, "z")]
    assert rows(second, first) == [(3, "z"), (1, "x"), (2, "y")]


def test_columns_of_several_files_are_matched_by_name(folder):
    write(folder / "1.csv", "a,b\n1,x\n")
    write(folder / "2.csv", "b,c,a\ny,7,2\n")
    assert columns("1.csv", "2.csv") == ["a", "b", "c"]
    assert rows("1.csv", "2.csv") == [(1, "x", None), (2, "y", 7)]


def test_a_pattern_stands_for_the_files_it_matches(folder):
    for number in (2, 1, 3):
        write(folder / f"part-{number}.csv", f"a,b\n{number},x\n")
    write(folder / "other.csv", "a,b\n9,x\n")
    assert sorted(rows("part-*.csv")) == [(1, "x"), (2, "x"), (3, "x")]
    assert sorted(rows("part-[12].csv", "other.csv")) == [(1, "x"), (2, "x"), (9, "x")]


@pytest.mark.parametrize(
    ("name", "neighbour"),
    [
        ("data[1].csv", "data1.csv"),
        ("q?.csv", "qa.csv"),
        ("s*.csv", "st.csv"),
        ("[!a].csv", "b.csv"),
        ("].csv", "a.csv"),
    ],
)
def test_a_name_that_exists_is_that_file(folder, name, neighbour):
    write(folder / name, "a,b\n1,x\n")
    write(folder / neighbour, "a,b\n2,x\n")
    assert rows(name) == rows(str(folder / name)) == [(1, "x")]
    assert rows(neighbour, name) == [(2, "x"), (1, "x")]


@pytest.mark.parametrize(("name", "neighbour"), [("d[1]", "d1"), ("**", "a"), ("?", "b")])
def test_a_folder_that_exists_is_that_folder(folder, name, neighbour):
    for number, place in enumerate((name, neighbour)):
        (folder / place).mkdir()
        write(folder / place / "1.csv", f"a,b\n{number},x\n")
    assert rows(f"{name}/1.csv") == rows(f"{name}/*.csv") == rows(str(folder / name / "?.csv")) == [(0, "x")]


@pytest.mark.skipif(os.sep != "/", reason="a backslash parts folders")
def test_a_name_that_would_be_taken_for_another_is_refused(folder):
    (folder / "a").mkdir()
    write(folder / "a" / "[1].csv")
    write(folder / "a\\[1].csv")
    with pytest.raises(ValueError, match=r"both a backslash and one of .*; rename it"):
        open_files(["a\\[1].csv"])


def test_a_pattern_that_matches_nothing_is_refused(folder):
    with pytest.raises(FileNotFoundError, match=r"no file matches part-\*\.csv; check the pattern"):
        open_files(["part-*.csv"])


@pytest.mark.parametrize("name", ["t.xlsx", "t", "t.gz", "t.csv.zip", "csv"])
def test_a_file_of_another_type_is_refused(folder, name):
    write(folder / name)
    with pytest.raises(ValueError, match=rf"{name} is neither \.csv, \.tsv nor \.parquet; convert or rename it"):
        open_files([name])


def test_files_of_two_types_are_refused(folder):
    pq.write_table(pa.table({"a": [1]}), folder / "t.parquet")
    with pytest.raises(ValueError, match="of different types; give files of one type"):
        open_files([write(folder / "t.csv"), "t.parquet"])


def test_a_file_that_is_not_there_is_named(folder):
    with pytest.raises(FileNotFoundError, match=r"there is no file absent\.csv; check the path"):
        open_files([write(folder / "t.csv"), "absent.csv"])


def test_a_folder_is_no_file(folder):
    (folder / "folder.csv").mkdir()
    with pytest.raises(IsADirectoryError, match=r"folder\.csv is a folder; give its files, for example"):
        open_files([write(folder / "t.csv"), "folder.csv"])


def test_a_parquet_file_that_is_none_is_refused_in_one_line(folder):
    with pytest.raises(ValueError, match=r"DuckDB cannot read .*t\.parquet: ") as caught:
        open_files([write(folder / "t.parquet", "a,b\n" * 100)])
    assert "\n" not in str(caught.value)


def test_where_takes_some_rows(folder):
    path = write(folder / "t.csv")
    assert [row[0] for row in rows(path, where="town is not null")] == [20]
    assert [row[0] for row in rows(path, where="smoker = 'no' and age > 20")] == [31]


@pytest.mark.parametrize("where", ["height > 3", "age >", "age > 'x' 3", "; drop table t"])
def test_where_that_is_no_condition_is_refused_in_one_line(folder, where):
    with pytest.raises(ValueError, match=r"DuckDB cannot read .*t\.csv: ") as caught:
        open_files([write(folder / "t.csv")], where=where).fetchall()
    assert "\n" not in str(caught.value)


def test_ignored_columns_are_left_out_and_may_be_asked_about(folder):
    path = write(folder / "t.csv")
    assert columns(path, ignore=["town", "born"]) == ["age", "smoker"]
    assert rows(path, ignore=["town", "born"], where="town = 'x'") == [(20, "yes")]


def test_ignored_columns_may_have_dots_and_quotes(folder):
    pq.write_table(pa.table({"Solar.R": [1], 'say "hi"': [2], "a": [3]}), folder / "t.parquet")
    assert columns("t.parquet", ignore=["a"]) == ["Solar.R", 'say "hi"']
    assert rows("t.parquet", ignore=["a"]) == [(1, 2)]
    assert rows("t.parquet", ignore=["Solar.R", 'say "hi"']) == [(3,)]


@pytest.mark.parametrize("name", ["*", "t.*", "COLUMNS(*)", '"', "a, b", "sum(a)", "^a$"])
def test_a_column_may_have_any_name(folder, name):
    pq.write_table(pa.table({name: [1], "a": [2], "b": [3]}), folder / "t.parquet")
    assert columns("t.parquet", ignore=["a"]) == [name, "b"]
    assert rows("t.parquet", ignore=["a"]) == [(1, 3)]
    assert rows("t.parquet", ignore=[name]) == [(2, 3)]


@pytest.mark.parametrize("name", ["o'clock", "x'; create table made (a int); select '", 'say "hi"'])
def test_the_folder_for_temporary_files_may_have_any_name(folder, monkeypatch, name):
    monkeypatch.setattr(tempfile, "tempdir", str(folder / name))
    table = open_files([write(folder / "t.csv")])
    asked = "select current_setting('temp_directory'), (select count(*) from duckdb_tables())"
    assert table.query("t", asked).fetchall() == [(str(folder / name), 0)]


def test_an_unknown_column_cannot_be_ignored(folder):
    with pytest.raises(ValueError, match=r"no column 'height' to ignore; the table has age, town, smoker, born"):
        open_files([write(folder / "t.csv")], ignore=["height"])


@pytest.mark.parametrize(("megabytes", "limit"), [(500, "476.8 MiB"), (300.5, "286.1 MiB"), (1, "95.3 MiB")])
def test_memory_is_limited(folder, megabytes, limit):
    table = open_files([write(folder / "t.csv")], reading=Reading(megabytes=megabytes))
    assert table.query("t", "select current_setting('memory_limit')").fetchall() == [(limit,)]


def test_memory_is_limited_to_a_part_of_the_machine_otherwise(folder):
    table = open_files([write(folder / "t.csv")])
    everything = table.query("t", "select current_setting('memory_limit')").fetchall()[0][0]
    assert everything.endswith(("MiB", "GiB"))


@pytest.mark.parametrize("package", ["duckdb", "pyarrow"])
def test_without_duckdb_the_remedy_is_named(folder, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=r"needs DuckDB; install it with: pip install 'optitree\[duckdb\]'"):
        open_files([write(folder / "t.csv")])


def test_a_name_on_two_lines_as_excel_writes_it_is_read(folder):
    names = 'area,"rooms\nand halls",price\r\n'
    text = names + "".join(f'{k},"{k % 3}",{k % 5}\r\n' for k in range(50))
    (folder / "t.csv").write_bytes(text.encode())
    table = open_files([str(folder / "t.csv")])
    assert table.columns == ["area", "rooms\nand halls", "price"]
    assert table.fetchall() == [(k, k % 3, k % 5) for k in range(50)]
    (folder / "below.csv").write_bytes(b"a title\r\n" + text.encode())
    assert columns(str(folder / "below.csv"), reading=Reading(FileFormat(skip=1)))[1] == "rooms\nand halls"
