"""Columns and members of tables that change their names with each other, where Spark does not see it.

renamed_by_others.py FOLDER delta|iceberg
"""

import sys
from typing import Any

from pyspark.sql import SparkSession

SWAP = (("email", "tmp"), ("ssn", "email"), ("tmp", "ssn"))


def main(folder: str, kind: str) -> None:
    spark = SparkSession.builder.appName("Renamed by others").getOrCreate()
    spark.read.parquet(f"{folder}/people.parquet").createOrReplaceTempView("people")
    catalog, database = ("spark_catalog", "default") if kind == "delta" else ("lake", "db")
    mapped = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')" if kind == "delta" else ""
    spark.sql(f"CREATE DATABASE IF NOT EXISTS {catalog}.{database}")
    place = f"{catalog}.{database}"
    spark.sql(f"CREATE TABLE {place}.created USING {kind} {mapped} AS SELECT email, ssn FROM people")
    spark.sql(f"CREATE TABLE {place}.filled (email STRING, ssn STRING) USING {kind} {mapped}")
    spark.sql(f"INSERT INTO {place}.filled SELECT email, ssn FROM people")
    nested = "STRUCT<email: STRING, ssn: STRING>"
    spark.sql(f"CREATE TABLE {place}.nested (who {nested}, all ARRAY<{nested}>) USING {kind} {mapped}")
    spark.sql(
        f"INSERT INTO {place}.nested SELECT named_struct('email', email, 'ssn', ssn),"
        " array(named_struct('email', email, 'ssn', ssn)) FROM people"
    )
    names = Names(spark, catalog, database)
    for table in ("created", "filled"):
        for old, new in SWAP:
            names.rename(table, [old], new)
        spark.sql(f"SELECT email FROM {place}.{table}").write.parquet(f"{folder}/of_{table}")
    for above in (["who"], ["all", "element"]):
        for old, new in SWAP:
            names.rename("nested", [*above, old], new)
    spark.sql(f"SELECT who.email FROM {place}.nested").write.parquet(f"{folder}/of_member")
    spark.sql(f"SELECT all[0].email AS email FROM {place}.nested").write.parquet(f"{folder}/of_element")
    spark.stop()


class Names:
    """Renames columns through a catalog, without a command of Spark's."""

    def __init__(self, spark: SparkSession, catalog: str, database: str) -> None:
        self._jvm: Any = spark._jvm
        self._new_array = spark.sparkContext._gateway.new_array
        self._catalog = spark._jsparkSession.sessionState().catalogManager().catalog(catalog)
        self._database = database

    def rename(self, table: str, path: list[str], new: str) -> None:
        connector = self._jvm.org.apache.spark.sql.connector.catalog
        identifier = connector.Identifier.of(self._texts(self._database), table)
        change = connector.TableChange.renameColumn(self._texts(*path), new)
        changes = self._new_array(connector.TableChange, 1)
        changes[0] = change
        self._catalog.alterTable(identifier, changes)

    def _texts(self, *texts: str) -> Any:
        found = self._new_array(self._jvm.java.lang.String, len(texts))
        for n, text in enumerate(texts):
            found[n] = text
        return found


if __name__ == "__main__":
    main(*sys.argv[1:])
