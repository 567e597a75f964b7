"""Channels through the catalog: views, tables, variables and functions of SQL."""

from __future__ import annotations

from pyspark.sql import DataFrame

from oracle.channels.program import SCHEMA, Program, of_spark_4


def view(program: Program) -> DataFrame:
    return program.spark.sql(f"SELECT id, a, concat(b, '') AS b FROM {program.view()}")


def view_replaced(program: Program) -> DataFrame:
    name = program.view()
    kept = program.spark.table(name)
    program.frame().createOrReplaceTempView(name)
    return program.random.choice([kept, program.spark.table(name)])


def view_of_all_sessions(program: Program) -> DataFrame:
    name = program.name()
    program.frame().createOrReplaceGlobalTempView(name)
    return program.spark.table(f"global_temp.{name}")


def views_over_views(program: Program) -> DataFrame:
    first, second, third = program.view(), program.name(), program.name()
    program.spark.sql(f"CREATE TEMP VIEW {second}(k, x, y) AS SELECT id, b, a FROM {first}")
    program.spark.sql(f"CREATE TEMP VIEW {third} AS SELECT k AS id, y AS a, x AS b FROM {second}")
    return program.spark.table(third)


def stored_view(program: Program) -> DataFrame:
    name = program.name()
    program.spark.sql(f"CREATE VIEW {name} AS SELECT id, b AS a, a AS b FROM {program.table()}")
    return program.spark.table(name)


def table(program: Program) -> DataFrame:
    return program.spark.table(program.table())


def table_of_query(program: Program) -> DataFrame:
    name = program.name()
    program.spark.sql(
        f"CREATE TABLE {name} USING parquet PARTITIONED BY (id) AS SELECT a, b, id FROM {program.view()}"
    )
    return program.spark.table(name)


def inserted(program: Program) -> DataFrame:
    name = program.empty_table()
    program.spark.sql(f"INSERT INTO {name} SELECT id, b, a FROM {program.view()}")
    return program.spark.table(name)


def inserted_by_name(program: Program) -> DataFrame:
    name = program.empty_table()
    columns = "BY NAME SELECT b, id, a" if program.is_4 else "SELECT id, a, b"
    program.spark.sql(f"INSERT OVERWRITE {name} {columns} FROM {program.view()}")
    return program.spark.table(name)


def inserted_in_two(program: Program) -> DataFrame:
    one, other = program.empty_table(), program.empty_table()
    program.spark.sql(
        f"FROM {program.view()} INSERT INTO {one} SELECT id, a, 'k' INSERT INTO {other} SELECT id, 'k', b"
    )
    return program.spark.table(program.random.choice([one, other]))


def inserted_in_partition(program: Program) -> DataFrame:
    name = program.empty_table("PARTITIONED BY (b)")
    program.spark.sql(
        f"INSERT INTO {name} PARTITION (b='{program.value()}') SELECT id, a FROM {program.view()}"
    )
    return program.spark.table(name)


def partitions_overwritten(program: Program) -> DataFrame:
    name, setting = program.name(), "spark.sql.sources.partitionOverwriteMode"
    program.frame().dropna().write.partitionBy("b").saveAsTable(name)
    program.spark.conf.set(setting, "dynamic")
    program.frame().dropna().write.mode("overwrite").insertInto(name)
    program.spark.conf.set(setting, "static")
    return program.spark.table(name)


def partition_elsewhere(program: Program) -> DataFrame:
    place, name = program.path(), program.empty_table("PARTITIONED BY (b)")
    program.frame().select("id", "a").write.parquet(place)
    program.spark.sql(f"ALTER TABLE {name} ADD PARTITION (b='{program.value()}') LOCATION '{place}'")
    return program.spark.table(name)


def like_another(program: Program) -> DataFrame:
    source, name = program.table(), program.name()
    program.spark.sql(f"CREATE TABLE {name} LIKE {source}")
    program.spark.sql(f"INSERT INTO {name} TABLE {source}")
    return program.spark.table(name)


def renamed(program: Program) -> DataFrame:
    name = program.name()
    program.spark.sql(f"ALTER TABLE {program.table()} RENAME TO {name}")
    return program.spark.table(name)


def over_files(program: Program) -> DataFrame:
    name = program.name()
    program.spark.sql(f"CREATE TABLE {name}({SCHEMA}) USING parquet LOCATION '{program.files()}'")
    return program.spark.table(name)


def files_of_dropped(program: Program) -> DataFrame:
    name, place = program.name(), program.path()
    program.frame().write.option("path", place).saveAsTable(name)
    program.spark.sql(f"DROP TABLE {name}")
    return program.spark.read.parquet(place)


def at_other_files(program: Program) -> DataFrame:
    name = program.table()
    program.spark.sql(f"ALTER TABLE {name} SET LOCATION '{program.files()}'")
    return program.spark.table(name)


def in_buckets(program: Program) -> DataFrame:
    name = program.name()
    program.frame().write.bucketBy(2, "id").sortBy("a").saveAsTable(name)
    return program.spark.table(name)


def cached_query(program: Program) -> DataFrame:
    name = program.name()
    program.spark.sql(f"CACHE TABLE {name} AS SELECT id, b AS a, a AS b FROM {program.view()}")
    return program.spark.table(name)


def truncated(program: Program) -> DataFrame:
    name = program.table()
    kept = program.spark.table(name).localCheckpoint()
    program.spark.sql(f"TRUNCATE TABLE {name}")
    program.frame().write.insertInto(name)
    return program.random.choice([kept, program.spark.table(name)])


@of_spark_4
def variable(program: Program) -> DataFrame:
    name = program.name()
    program.spark.sql(f"DECLARE VARIABLE {name} STRING")
    program.spark.sql(f"SET VAR {name} = (SELECT max(b) FROM {program.view()})")
    return program.spark.sql(f"SELECT id, {name} AS a, b FROM {program.view()}")


@of_spark_4
def function(program: Program) -> DataFrame:
    name, source = program.name(), program.table()
    program.spark.sql(
        f"CREATE FUNCTION {name}(k BIGINT) RETURNS STRING RETURN (SELECT max(a) FROM {source} WHERE id = k)"
    )
    return program.spark.sql(f"SELECT id, {name}(id) AS a, b FROM {program.view()}")


def subquery(program: Program) -> DataFrame:
    one, other = program.view(), program.view()
    return program.spark.sql(
        f"SELECT id, (SELECT max(x.a) FROM {one} x WHERE x.id = {other}.id) AS a, b FROM {other}"
    )


def lateral(program: Program) -> DataFrame:
    one, other = program.view(), program.view()
    return program.spark.sql(
        f"SELECT n.id, x.a, n.b FROM {one} n, LATERAL (SELECT max(m.a) AS a FROM {other} m WHERE m.id >= n.id) x"
    )


def named_queries(program: Program) -> DataFrame:
    return program.spark.sql(
        f"WITH c AS (SELECT id, a FROM {program.view()}), d(id, b) AS (SELECT id, upper(a) FROM c) "
        "SELECT c.id, c.a, d.b FROM c JOIN d ON c.id = d.id"
    )


@of_spark_4
def recursive(program: Program) -> DataFrame:
    return program.spark.sql(
        f"WITH RECURSIVE r(id, a, n) AS (SELECT id, a, 1 FROM {program.view()} "
        "UNION ALL SELECT id, concat(a, '+'), n + 1 FROM r WHERE n < 3) SELECT id, a, n AS b FROM r"
    )


def query_of_frame(program: Program) -> DataFrame:
    return program.spark.sql("SELECT id, b AS a, a AS b FROM {rows}", rows=program.frame())
