"""What others do to a table without Spark: they store rows with the columns ``one`` and ``other``, or read them all.

The programs of companies call this under any Spark line; it stands in their folder, and knows no other module of them.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import orc, parquet

COLUMNS = ("one", "other")


def store_files(place: str, format_: str, values: list[str]) -> Path:
    """A file of the format in that folder."""
    Path(place).mkdir(parents=True, exist_ok=True)
    rows = [dict(zip(COLUMNS, (value, "s"), strict=True)) for value in values]
    file = Path(place) / f"part-{uuid.uuid4()}.{format_}"
    table = pyarrow.Table.from_pylist(rows)
    if format_ == "parquet":
        parquet.write_table(table, str(file))
    elif format_ == "orc":
        orc.write_table(table, str(file))
    elif format_ == "json":
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    else:
        lines = [",".join(COLUMNS), *(",".join(row.values()) for row in rows)]
        file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


def store_delta(place: str, values: list[str]) -> None:
    """A commit of another writer."""
    file = store_files(place, "parquet", values)
    log = Path(place) / "_delta_log"
    version = max(int(each.stem) for each in log.glob("*.json")) + 1
    add = {"path": file.name, "partitionValues": {}, "size": file.stat().st_size, "modificationTime": 1}
    commit = {"timestamp": 1, "operation": "WRITE", "operationParameters": {"mode": "Append"}}
    lines = [json.dumps({"commitInfo": commit}), json.dumps({"add": {**add, "dataChange": True}})]
    (log / f"{version:020d}.json").write_text("\n".join(lines), "utf-8")


def store_iceberg(spark: Any, table: str, place: str, values: list[str]) -> None:
    """A snapshot of another writer."""
    jvm = spark._jvm
    file = store_files(f"{place}/data", "parquet", values)
    found = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, table)
    made = jvm.org.apache.iceberg.DataFiles.builder(found.spec()).withPath(str(file)).withFormat("parquet")
    added = made.withFileSizeInBytes(file.stat().st_size).withRecordCount(len(values)).build()
    found.newAppend().appendFile(added).commit()
    spark.catalog.refreshTable(table)


def store_in_database(spark: Any, url: str, table: str, values: list[str]) -> None:
    """Rows that are inserted by SQL, also into a table that was not there."""
    ask(spark, url, f'CREATE TABLE IF NOT EXISTS {table} ("one" VARCHAR, "other" VARCHAR)')
    for value in values:
        ask(spark, url, f"INSERT INTO {table} VALUES ('{value}', 's')")


def unload(spark: Any, url: str, table: str, place: str) -> None:
    """The table's rows as a file, for readers without a database."""
    found = ask(spark, url, f"SELECT * FROM {table}")
    rows = []
    while found.next():
        rows.append({name: found.getString(at + 1) for at, name in enumerate(COLUMNS)})
    Path(place).mkdir()
    (Path(place) / "part.json").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def ask(spark: Any, url: str, statement: str) -> Any:
    """The rows of a query, or None of another statement; the connection lasts as long as the program."""
    jvm = spark._jvm
    jvm.org.apache.spark.sql.execution.datasources.jdbc.DriverRegistry.register("org.h2.Driver")
    made = jvm.java.sql.DriverManager.getConnection(url).createStatement()
    return made.getResultSet() if made.execute(statement) else None
