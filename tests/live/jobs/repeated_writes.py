"""Several writes of one job into the same output, each from another column.

repeated_writes.py
"""

from pyspark.sql import DataFrame, SparkSession

SPARK = SparkSession.builder.appName("Repeated writes").enableHiveSupport().getOrCreate()


def main() -> None:
    SPARK.createDataFrame([("1", "2", "3")], "a string, b string, c string").write.parquet("source")
    column("a").write.parquet("appended")
    column("b").write.mode("append").parquet("appended")
    column("a").write.mode("append").parquet("replaced")
    column("b").write.mode("append").parquet("replaced")
    column("c").write.mode("overwrite").parquet("replaced")
    column("a").write.mode("overwrite").parquet("replaced_and_appended")
    column("b").write.mode("overwrite").parquet("replaced_and_appended")
    column("c").write.mode("append").parquet("replaced_and_appended")
    column("a").write.parquet("ignored")
    column("b").write.mode("ignore").parquet("ignored")
    tables()
    partitions()
    several_at_once()
    SPARK.stop()


def column(name: str) -> DataFrame:
    return SPARK.read.parquet("source").selectExpr(f"{name} AS x")


def tables() -> None:
    SPARK.sql("CREATE TABLE inserted (x string) USING parquet")
    for name in ("a", "b", "c"):
        column(name).write.insertInto("inserted")
    column("a").write.saveAsTable("saved")
    column("b").write.mode("append").saveAsTable("saved")
    SPARK.sql("INSERT INTO saved SELECT c FROM parquet.source")
    column("a").write.saveAsTable("saved_again")
    column("b").write.mode("overwrite").saveAsTable("saved_again")


def partitions() -> None:
    for name, mode in (("a", "static"), ("b", "dynamic")):
        parts = column(name).selectExpr("x", f"'{name}' AS part")
        writer = parts.write.mode("overwrite").partitionBy("part")
        writer.option("partitionOverwriteMode", mode).parquet("parted")
    SPARK.sql("CREATE TABLE parted_table (x string, part string) USING parquet PARTITIONED BY (part)")
    for name in ("a", "b"):
        SPARK.sql(
            f"INSERT OVERWRITE parted_table PARTITION (part = '{name}') SELECT {name} FROM parquet.source"
        )


def several_at_once() -> None:
    for name in ("first", "second"):
        SPARK.sql(f"CREATE TABLE {name} (x string) USING parquet")
    source = "FROM parquet.source"
    SPARK.sql(
        f"{source} INSERT INTO first SELECT a INSERT OVERWRITE TABLE second SELECT b INSERT INTO first SELECT c"
    )


if __name__ == "__main__":
    main()
