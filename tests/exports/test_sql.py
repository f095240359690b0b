"""SQL, run by the databases that it is for."""

import sqlite3
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pytest

from optitree import OptimalTreeRegressor
from optitree.output.exports.fitted_tree import fitted_tree
from optitree.output.exports.sql import to_sql
from optitree.solver.tree import Tree

from .cases import Case, case, check
from .databases import in_sqlite

ORDER = ' ORDER BY "row number"'


def test_duckdb_predicts_the_same(case: Case):
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        connection.register("t", case.arrow)
        found = connection.execute(f"SELECT {case.model.to_sql()} FROM t{ORDER}").fetchnumpy()
    check(*found.values(), case.predicted)


def test_sqlite_predicts_the_same(case: Case):
    check(in_sqlite(case, f"SELECT {case.model.to_sql('sqlite')} FROM t{ORDER}"), case.predicted)


def test_postgres_predicts_the_same(case: Case, postgres):
    check(postgres.ask(case, f"SELECT {case.model.to_sql('postgres')} FROM t{ORDER}"), case.predicted)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "spark"])
def test_a_whole_select_has_the_columns_and_the_prediction(dialect):
    query = case("everything").model.to_sql(dialect, table="sales.cars", name="a guess")
    quote = "`" if dialect == "spark" else '"'
    assert query.startswith("SELECT\n  *,\n")
    assert query.endswith(f"AS {quote}a guess{quote}\nFROM sales.cars")


def test_a_whole_select_runs():
    everything = case("everything")
    with duckdb.connect() as connection:
        connection.register("rows", everything.arrow)
        connection.execute('CREATE TABLE "my cars" AS SELECT * FROM rows')
        query = everything.model.to_sql(table='"my cars"')
        found = connection.execute(f"SELECT * FROM ({query}){ORDER}").fetchnumpy()
    assert list(found) == [*everything.arrow.column_names, "prediction"]
    check(found["prediction"], everything.predicted)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_moments_with_a_time_zone_are_compared_in_utc(dialect, postgres):
    moments = pd.date_range("2024-03-30 20:00", periods=200, freq="17min", tz="UTC")
    X = pd.DataFrame({"at": moments.tz_convert("Europe/Berlin")})
    model = OptimalTreeRegressor(0.01).fit(X, (moments > pd.Timestamp("2024-03-31 01:30", tz="UTC")) * 1.0)
    values = ", ".join(f"(TIMESTAMPTZ '{moment.isoformat()}')" for moment in X["at"])
    query = f'SELECT {model.to_sql(dialect)} FROM (VALUES {values}) AS t("at")'
    if dialect == "duckdb":
        with duckdb.connect() as connection:
            connection.execute("SET TimeZone = 'America/New_York'")
            found = [value for (value,) in connection.execute(query).fetchall()]
    else:
        printed = postgres.run(f"SET TIME ZONE 'America/New_York'; COPY ({query}) TO STDOUT;\n")
        found = [float(line) for line in printed.split()]
    check(found, model.predict(X))


TYPES = ["SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(30, 20)"]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("type_", TYPES)
def test_a_column_of_any_number_type_is_compared_as_the_model_does(dialect, type_, postgres):
    x = np.arange(-20, 20) if "INT" in type_ else np.arange(-20, 20) / 10
    model = OptimalTreeRegressor(0.0001).fit(pd.DataFrame({"x": x}), (x > 0) + 3.0 * (x > x[30]) + 7.0 * (x > x[5]))
    near = sorted({*x.tolist(), *(n.condition.threshold for n in model.tree_.nodes if n.condition)})
    near = [round(value) for value in near] if "INT" in type_ else near
    if type_.startswith("DECIMAL"):
        texts = [f"{value:.20f}" for value in near]
        near = [float(text) for text in texts]
    else:
        texts = [repr(value) for value in near]
    near = np.float32(near).astype(float).tolist() if type_ == "FLOAT" else near
    column = type_.replace("DOUBLE", "DOUBLE PRECISION").replace("FLOAT", "REAL") if dialect == "postgres" else type_
    values = ", ".join(f"(CAST('{text}' AS {column}))" for text in texts)
    query = f"SELECT {model.to_sql(dialect)} FROM (VALUES {values}) AS t(x)"
    if dialect == "duckdb":
        found = [value for (value,) in duckdb.sql(query).fetchall()]
    else:
        found = [float(line) for line in postgres.run(f"COPY ({query}) TO STDOUT;\n").split()]
    check(found, model.predict(pd.DataFrame({"x": near})))


def test_duckdb_and_postgres_compare_enums(postgres):
    X = pd.DataFrame({"level": ["a", "b", "c", "d"] * 20})
    model = OptimalTreeRegressor(0.01).fit(X, X["level"].isin(["a", "c"]) * 1.0)
    make = "CREATE TYPE mood AS ENUM ('a', 'b');"
    cases = "(VALUES (CAST('a' AS mood)), (CAST('b' AS mood)), (NULL)) AS t(level)"
    expected = model.predict(pd.DataFrame({"level": ["a", "b", None]}))
    with duckdb.connect() as connection:
        connection.execute(make)
        found = connection.execute(f"SELECT {model.to_sql()} FROM {cases}").fetchall()
    check([value for (value,) in found], expected)
    printed = postgres.run(f"{make} COPY (SELECT {model.to_sql('postgres')} FROM {cases}) TO STDOUT;\n")
    check([float(line) for line in printed.split()], expected)


def test_sqlite_reads_every_number_as_it_is_meant():
    rng = np.random.default_rng(0)
    numbers = [0.0, -0.0, 5e-324, 1.7976931348623157e308, 0.0736479183482475, 2.0**53, 0.1, 1e20, 1e-20, 1 / 3]
    numbers += (rng.normal(size=1500) * 10.0 ** rng.uniform(-300, 300, 1500)).tolist() + rng.normal(size=1500).tolist()
    leaf = fitted_tree(case("one leaf").model)
    trees = [Tree((leaf.tree.nodes[0]._replace(value=number),)) for number in numbers]
    queries = [to_sql(replace(leaf, solution=replace(leaf.solution, tree=tree)), "sqlite") for tree in trees]
    with sqlite3.connect(":memory:") as connection:
        found = [connection.execute(f"SELECT {query}").fetchone()[0] for query in queries]
    connection.close()
    check(found, np.array(numbers))


def test_an_unknown_dialect_is_named():
    with pytest.raises(ValueError, match="dialect='oracle' is not known; use one of 'duckdb', 'sqlite'"):
        case("one leaf").model.to_sql("oracle")
