"""Channels through what a catalog and a session keep beside rows: names, comments, statistics, defaults, settings."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from oracle.channels.program import Program, as_text, of_spark_4


def _partitioned(program: Program) -> str:
    name = program.name()
    program.frame().dropna().select("id", "a", "b").write.partitionBy("b").saveAsTable(name)
    return name


def _text(rows: DataFrame, *columns: str) -> DataFrame:
    """All that stands in these columns, as a text."""
    return as_text(rows, F.concat_ws(" ", *(F.col(each).cast("string") for each in columns)))


def partitions(program: Program) -> DataFrame:
    return _text(program.spark.sql(f"SHOW PARTITIONS {_partitioned(program)}"), "partition")


def partitions_collected(program: Program) -> DataFrame:
    found = program.spark.sql(f"SHOW PARTITIONS {_partitioned(program)}").collect()
    return program.given([(1, row[0], "none") for row in found])


def partition_described(program: Program) -> DataFrame:
    name = _partitioned(program)
    found = program.spark.sql(f"SHOW PARTITIONS {name}").first()
    value = found[0].partition("=")[2] if found else "none"
    return _text(
        program.spark.sql(f"DESCRIBE EXTENDED {name} PARTITION (b='{value}')"), "col_name", "data_type"
    )


def statistics_of_column(program: Program) -> DataFrame:
    name = program.table()
    program.spark.sql(f"ANALYZE TABLE {name} COMPUTE STATISTICS FOR COLUMNS id, a")
    return _text(program.spark.sql(f"DESCRIBE EXTENDED {name} a"), "info_name", "info_value")


def comment(program: Program) -> DataFrame:
    name = program.table()
    program.spark.sql(f"COMMENT ON TABLE {name} IS '{program.value()}'")
    return _text(program.spark.sql(f"DESCRIBE EXTENDED {name}"), "col_name", "data_type", "comment")


def comment_of_column(program: Program) -> DataFrame:
    name = program.table()
    program.spark.sql(f"ALTER TABLE {name} CHANGE COLUMN a COMMENT '{program.value()}'")
    return _text(program.spark.sql(f"DESCRIBE {name}"), "col_name", "comment")


def property_of_table(program: Program) -> DataFrame:
    name = program.table()
    program.spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('owner.note' = '{program.value()}')")
    return _text(program.spark.sql(f"SHOW TBLPROPERTIES {name}"), "key", "value")


def statement_of_table(program: Program) -> DataFrame:
    name = program.name()
    program.spark.sql(f"CREATE TABLE {name}(id BIGINT COMMENT '{program.value()}') USING parquet")
    return _text(program.spark.sql(f"SHOW CREATE TABLE {name}"), "createtab_stmt")


def statement_of_view(program: Program) -> DataFrame:
    name = program.name()
    program.spark.sql(f"CREATE VIEW {name} AS SELECT id, '{program.value()}' AS a FROM {program.table()}")
    return _text(program.spark.sql(f"SHOW CREATE TABLE {name}"), "createtab_stmt")


def default(program: Program) -> DataFrame:
    """A column's value where an insert names none."""
    name = program.name()
    program.spark.sql(
        f"CREATE TABLE {name}(id BIGINT, a STRING DEFAULT '{program.value()}', b STRING) USING parquet"
    )
    program.spark.sql(f"INSERT INTO {name}(id, b) SELECT id, b FROM {program.view()}")
    return program.spark.table(name)


def default_of_rows_before(program: Program) -> DataFrame:
    """The value that rows of older files have in a column that was added."""
    name = program.name()
    program.frame().select("id", "b").write.saveAsTable(name)
    program.spark.sql(f"ALTER TABLE {name} ADD COLUMNS (a STRING DEFAULT '{program.value()}')")
    return program.spark.table(name)


def setting(program: Program) -> DataFrame:
    program.spark.conf.set("job.note", program.value())
    return program.spark.sql(f"SELECT id, '${{job.note}}' AS a, b FROM {program.view()}")


def setting_shown(program: Program) -> DataFrame:
    program.spark.conf.set("job.note", program.value())
    return _text(program.spark.sql("SET job.note"), "key", "value")


def setting_read(program: Program) -> DataFrame:
    program.spark.conf.set("job.note", program.value())
    return program.frame().withColumn("a", F.lit(program.spark.conf.get("job.note")))


def property_of_context(program: Program) -> DataFrame:
    context = program.spark.sparkContext
    context.setLocalProperty("note", program.value())
    return program.frame().withColumn("a", F.lit(context.getLocalProperty("note")))


def names_of_tables(program: Program) -> DataFrame:
    name = program.value().replace("-", "_").replace(" ", "_")
    program.spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW `{name}` AS SELECT 1 AS x")
    found = _text(program.spark.sql("SHOW TABLES"), "tableName")
    return found.localCheckpoint()


def names_of_listed_columns(program: Program) -> DataFrame:
    name = program.name()
    program.frame().select("id", F.col("b").alias(program.value())).write.saveAsTable(name)
    return _text(program.spark.sql(f"SHOW COLUMNS IN {name}"), "col_name")


def files_of_partitions(program: Program) -> DataFrame:
    """The values of partitions stand in the paths of files."""
    found = program.spark.table(_partitioned(program))
    return found.select("id", F.input_file_name().alias("a"), F.lit("none").alias("b"))


def paths_of_files(program: Program) -> DataFrame:
    found = program.spark.table(_partitioned(program))
    return found.select("id", F.col("_metadata.file_path").alias("a"), F.lit("none").alias("b"))


def paths_collected(program: Program) -> DataFrame:
    found = program.spark.table(_partitioned(program)).inputFiles()
    return program.given([(1, each, "none") for each in found])


def files_as_bytes(program: Program) -> DataFrame:
    place = program.path()
    program.frame().write.json(place)
    found = program.spark.read.format("binaryFile").load(place)
    return found.select("length", F.decode("content", "UTF-8"), "path").toDF("id", "a", "b")


def schema_of_values(program: Program) -> DataFrame:
    """Names of members that JSON of the data has."""
    made = F.to_json(F.create_map(F.lit(program.value()), F.col("b")))
    place = program.path()
    program.frame().select(made.alias("value")).write.text(place)
    found = program.spark.read.json(place)
    return program.frame().select("id", F.lit(",".join(found.columns)).alias("a"), "b")


def schema_of_text(program: Program) -> DataFrame:
    schema = f"`{program.value()}` string"
    return _text(program.spark.range(1).select(F.lit(schema).alias("s")), "s")


@of_spark_4
def statement_at_once(program: Program) -> DataFrame:
    text = f"SELECT id, b AS a, a AS b FROM {program.view()}"
    return program.spark.sql(f"EXECUTE IMMEDIATE '{text}'")


@of_spark_4
def statement_with_values(program: Program) -> DataFrame:
    return program.spark.sql(
        f"EXECUTE IMMEDIATE 'SELECT id, ? AS a, b FROM {program.view()}' USING '{program.value()}'"
    )


def parameters(program: Program) -> DataFrame:
    return program.spark.sql(
        f"SELECT id, :note AS a, b FROM {program.view()}", args={"note": program.value()}
    )


def frames_by_name(program: Program) -> DataFrame:
    return program.spark.sql(
        "SELECT x.id, y.a, x.b FROM {x} x JOIN {y} y USING (id)", x=program.frame(), y=program.frame()
    )


@of_spark_4
def piped_query(program: Program) -> DataFrame:
    return program.spark.sql(f"FROM {program.view()} |> WHERE a IS NOT NULL |> SELECT id, b AS a, a AS b")


@of_spark_4
def script(program: Program) -> DataFrame:
    program.spark.conf.set("spark.sql.scripting.enabled", "true")
    name = program.empty_table()
    program.spark.sql(
        f"BEGIN DECLARE x STRING; SET x = (SELECT max(a) FROM {program.view()});"
        f" INSERT INTO {name} SELECT id, x, b FROM {program.view()}; END"
    )
    return program.spark.table(name)


@of_spark_4
def script_in_loop(program: Program) -> DataFrame:
    program.spark.conf.set("spark.sql.scripting.enabled", "true")
    name = program.empty_table()
    program.spark.sql(
        f"BEGIN FOR row AS SELECT * FROM {program.view()} DO"
        f" INSERT INTO {name} VALUES (row.id, row.b, row.a); END FOR; END"
    )
    return program.spark.table(name)


@of_spark_4
def transposed(program: Program) -> DataFrame:
    """Values become names of columns, and rows columns."""
    rows = program.frame().dropna().dropDuplicates(["a"]).limit(5).select("a", "b")
    found = rows.transpose()
    return _text(found, *(f"`{each}`" for each in found.columns))


@of_spark_4
def listed(program: Program) -> DataFrame:
    return program.spark.sql(f"SELECT min(id) AS id, listagg(a, ',') AS a, max(b) AS b FROM {program.view()}")
