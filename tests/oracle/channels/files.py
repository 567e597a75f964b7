"""Channels through files and databases: what is written and read again, also after something has moved it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from oracle.channels.program import SCHEMA, Program

DERBY = "org.apache.derby.jdbc.EmbeddedDriver"


def parquet(program: Program) -> DataFrame:
    return _written(program, "parquet")


def orc(program: Program) -> DataFrame:
    return _written(program, "orc")


def json(program: Program) -> DataFrame:
    return _written(program, "json")


def csv(program: Program) -> DataFrame:
    return _written(program, "csv")


def xml(program: Program) -> DataFrame:
    return _written(program, "xml", rowTag="row") if program.is_4 else program.frame()


def csv_by_position(program: Program) -> DataFrame:
    place = program.path()
    program.frame().select("id", "b", "a").write.csv(place)
    return program.spark.read.schema(SCHEMA).csv(place)


def text(program: Program) -> DataFrame:
    place = program.path()
    program.frame().select(F.concat_ws("\t", "id", "a", "b")).write.text(place)
    parts = F.split("value", "\t")
    columns = (parts[0].cast("long").alias("id"), parts[1].alias("a"), parts[2].alias("b"))
    return program.spark.read.text(place).select(*columns)


def directory(program: Program) -> DataFrame:
    place = program.path()
    program.spark.sql(f"INSERT OVERWRITE DIRECTORY '{place}' USING json SELECT * FROM {program.view()}")
    return program.spark.read.schema(SCHEMA).json(place)


def overwritten(program: Program) -> DataFrame:
    place, copy = program.files(), program.path()
    before = program.spark.read.parquet(place)
    if program.random.random() < 0.5:
        before.cache().count()
    before.write.parquet(copy)
    program.frame().write.mode("overwrite").parquet(place)
    return program.spark.read.parquet(program.random.choice([place, copy]))


def appended(program: Program) -> DataFrame:
    place = program.files()
    program.frame().write.mode("append").parquet(place)
    return program.spark.read.parquet(place)


def renamed(program: Program) -> DataFrame:
    place = program.files()
    return program.spark.read.parquet(str(Path(place).rename(f"{place}_renamed")))


def copied(program: Program) -> DataFrame:
    place = program.files()
    return program.spark.read.parquet(str(shutil.copytree(place, f"{place}_copy")))


def copied_by_another_program(program: Program) -> DataFrame:
    place = program.files()
    subprocess.run(["cp", "-r", place, f"{place}_copy"], check=True)
    return program.spark.read.parquet(f"{place}_copy")


def folders(program: Program) -> DataFrame:
    place = program.path()
    program.frame().dropna().write.partitionBy("b").parquet(place)
    return program.spark.read.schema(SCHEMA).parquet(place)


def names_of_files(program: Program) -> DataFrame:
    place = program.path()
    program.frame().dropna().write.partitionBy("a").parquet(place)
    return program.spark.read.parquet(place).select("id", F.input_file_name().alias("a"), "b")


def content(program: Program) -> DataFrame:
    place = program.path()
    program.frame().select(F.concat_ws("|", "a", "b")).coalesce(1).write.text(place)
    files = program.spark.read.format("binaryFile").load(f"{place}/part*")
    return files.select(_one(), F.col("content").cast("string").alias("a"), F.lit("none").alias("b"))


def whole_files(program: Program) -> DataFrame:
    place = program.path()
    program.frame().select(F.concat_ws("|", "a", "b")).coalesce(1).write.text(place)
    files = program.spark.sparkContext.wholeTextFiles(place)
    return files.map(lambda file: (1, file[1], "none")).toDF(SCHEMA)


def lines(program: Program) -> DataFrame:
    place = program.path()
    program.frame().rdd.map(lambda row: f"{row[0]}|{row[1]}|{row[2]}").saveAsTextFile(place)
    parts = program.spark.sparkContext.textFile(place).map(lambda line: line.split("|"))
    return parts.map(lambda part: (int(part[0]), part[1], part[2])).toDF(SCHEMA)


def pickles(program: Program) -> DataFrame:
    place = program.path()
    program.frame().rdd.map(tuple).saveAsPickleFile(place)
    return program.spark.sparkContext.pickleFile(place).toDF(SCHEMA)


def sequences(program: Program) -> DataFrame:
    place = program.path()
    program.frame().rdd.map(lambda row: (str(row[0]), f"{row[1]}|{row[2]}")).saveAsSequenceFile(place)
    pairs = program.spark.sparkContext.sequenceFile(place)
    return pairs.map(lambda pair: (int(pair[0]), *pair[1].split("|"))).toDF(SCHEMA)


def database(program: Program) -> DataFrame:
    options = {**_database(program), "dbtable": "T1"}
    program.frame().write.format("jdbc").options(**options).save()
    return program.spark.read.format("jdbc").options(**options).load().toDF("id", "a", "b")


def query_of_database(program: Program) -> DataFrame:
    options, query = _database(program), 'select "id", "b" as X, "a" as Y from T1'
    program.frame().write.format("jdbc").options(**options, dbtable="T1").save()
    return program.spark.read.format("jdbc").options(**options, query=query).load().toDF("id", "a", "b")


def _written(program: Program, form: str, **options: str) -> DataFrame:
    place = program.path()
    program.frame().write.format(form).options(**options).save(place)
    return program.spark.read.schema(SCHEMA).format(form).options(**options).load(place)


def _one() -> Column:
    return F.lit(1).cast("long").alias("id")


def _database(program: Program) -> dict[str, str]:
    return {"url": f"jdbc:derby:memory:{program.name()};create=true", "driver": DERBY}
