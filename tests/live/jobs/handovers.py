"""Data that goes from a writer to a reader under other names, and to other places.

handovers.py
"""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession


def main() -> None:
    spark = SparkSession.builder.appName("Handovers").enableHiveSupport().getOrCreate()
    rows = [("Ann", "111-22", "Oslo"), ("Bob", "333-44", "Bonn")]
    spark.createDataFrame(rows, "name string, ssn string, city string").write.parquet("people")
    people = spark.read.parquet("people")
    write_under_other_names(people)
    move(spark, people)
    rename(spark, people)
    read_under_other_names(spark)
    spark.stop()


def keep(read: DataFrame, expression: str, name: str) -> None:
    read.selectExpr(f"{expression} AS x").write.parquet(f"out_{name}")


def move(spark: SparkSession, people: DataFrame) -> None:
    """Files that become a table's by commands without a query."""
    for place in ("load", "place", "placed"):
        people.select("ssn", "city").write.parquet(f"to_{place}")
    people.selectExpr("ssn AS nummer").write.parquet("to_drift")
    here = Path.cwd()
    spark.sql("CREATE TABLE loaded (ssn STRING, city STRING) STORED AS PARQUET")
    spark.sql(f"LOAD DATA INPATH '{here}/to_load' INTO TABLE loaded")
    keep(spark.table("loaded"), "ssn", "loaded")
    spark.sql("CREATE TABLE strange (ssn STRING) STORED AS PARQUET")
    spark.sql(f"LOAD DATA LOCAL INPATH '{here}/to_drift' INTO TABLE strange")
    keep(spark.table("strange"), "ssn", "loaded_drift")
    spark.sql("CREATE TABLE added (ssn STRING, city STRING, day STRING) USING parquet PARTITIONED BY (day)")
    spark.sql(f"ALTER TABLE added ADD PARTITION (day = '1') LOCATION '{here}/to_place' PARTITION (day = '2')")
    keep(spark.table("added"), "ssn", "added")
    spark.sql("CREATE TABLE moved (ssn STRING, city STRING) PARTITIONED BY (day STRING) STORED AS PARQUET")
    spark.sql("ALTER TABLE moved ADD PARTITION (day = '1')")
    spark.sql(f"ALTER TABLE moved PARTITION (day = '1') SET LOCATION '{here}/to_placed'")
    keep(spark.table("moved"), "ssn", "moved")
    spark.sql("CREATE TABLE pointed (ssn STRING) USING parquet")
    spark.sql(f"ALTER TABLE pointed SET LOCATION '{here}/to_place'")
    keep(spark.table("pointed"), "ssn", "pointed")
    spark.sql("CREATE TABLE liked LIKE pointed")
    keep(spark.table("liked"), "ssn", "liked")


def rename(spark: SparkSession, people: DataFrame) -> None:
    """Tables that are called otherwise afterwards, with their place or without, and a view."""
    people.select("ssn").write.saveAsTable("before")
    spark.sql("ALTER TABLE before RENAME TO after")
    keep(spark.table("after"), "ssn", "renamed")
    people.select("ssn").write.option("path", str(Path.cwd() / "outside")).saveAsTable("outside")
    spark.sql("ALTER TABLE outside RENAME TO still_outside")
    keep(spark.table("still_outside"), "ssn", "renamed_outside")
    spark.sql("CREATE VIEW seen AS SELECT ssn FROM after")
    spark.sql("ALTER VIEW seen RENAME TO looked_at")
    keep(spark.table("looked_at"), "ssn", "renamed_view")


def write_under_other_names(people: DataFrame) -> None:
    people.write.csv("csv_plain")
    people.write.option("header", True).csv("csv_header")
    people.select("city", "name", "ssn").write.partitionBy("city").csv("csv_parted")
    people.write.option("sep", "|").csv("csv_bars")
    people.selectExpr("ssn AS line").write.text("text")
    people.selectExpr("map('lang', ssn) AS props", "name").write.json("json_map")
    people.selectExpr("named_struct('lang', ssn) AS props", "name").write.json("json_struct")
    people.selectExpr("array(named_struct('Ssn', ssn)) AS Entries", "name").write.parquet("parquet_array")
    for kind in ("parquet", "orc", "json"):
        people.selectExpr("ssn AS SsnNumber", "name", "city").write.partitionBy("city").format(kind).save(
            f"{kind}_case"
        )
    people.selectExpr("ssn AS SsnNumber", "name").write.saveAsTable("people_table")
    people.selectExpr("ssn AS SsnNumber", "name").write.parquet("exact_case")
    people.write.parquet("drifted")
    people.write.parquet("subset")


def read_under_other_names(spark: SparkSession) -> None:
    own = "wer string, nummer string, ort string"
    keep(spark.read.csv("csv_plain"), "_c1", "csv_unnamed")
    keep(spark.read.schema(own).csv("csv_plain"), "nummer", "csv_own")
    keep(spark.read.schema(own).option("header", True).csv("csv_header"), "nummer", "csv_own_header")
    keep(spark.read.option("header", True).csv("csv_header"), "ssn", "csv_header")
    keep(spark.read.schema(own).option("enforceSchema", False).csv("csv_plain"), "nummer", "csv_checked")
    keep(spark.read.csv("csv_parted"), "_c1", "csv_parted")
    keep(spark.read.option("sep", "|").csv("csv_bars"), "_c1", "csv_bars")
    keep(spark.read.csv("csv_bars"), "_c0", "csv_commas")
    keep(spark.read.text("csv_plain"), "value", "csv_text")
    keep(spark.read.text("text"), "value", "text")
    keep(spark.read.schema("l string").text("text"), "l", "text_own")
    keep(spark.read.json("json_map"), "props.lang", "map_as_struct")
    keep(spark.read.schema("props map<string, string>").json("json_struct"), "props['lang']", "struct_as_map")
    keep(
        spark.read.schema("entries array<struct<ssn: string>>").parquet("parquet_array"),
        "entries[0].ssn",
        "array",
    )
    for kind in ("parquet", "orc"):
        keep(
            spark.read.schema("ssnnumber string").format(kind).load(f"{kind}_case"),
            "ssnnumber",
            f"{kind}_case",
        )
    spark.sql("CREATE TABLE people_again USING parquet LOCATION 'people_table'")
    keep(spark.table("people_again"), "ssnnumber", "table")
    keep(spark.read.parquet("spark-warehouse/people_table"), "SSNNUMBER", "table_files")
    keep(spark.read.schema("name string, ssn string").parquet("subset"), "ssn", "subset")
    keep(spark.read.schema("name string, nummer string").parquet("drifted"), "nummer", "drifted")
    spark.conf.set("spark.sql.caseSensitive", "true")
    keep(spark.read.schema("ssnnumber string").parquet("exact_case"), "ssnnumber", "exact_case")


if __name__ == "__main__":
    main()
