"""Tables that an engine holds: DuckDB, Dask, Spark, polars' lazy frames."""
