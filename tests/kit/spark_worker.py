"""Runs inside one Spark line's interpreter: plans programs over empty tables, and returns the plans.

Speaks JSON lines: a request ``{"tables": {name: DDL}, "sql": text}`` or ``{"tables": …, "python": text}`` on
standard input is answered by ``{"plan": …}`` or ``{"error": text}`` on the descriptor that standard output was at
start. A Python program leaves its DataFrame in ``result`` and finds ``spark``, ``F``, ``T``, ``Window`` and ``java``,
which compiles a Java class and gives an instance of it. With
``"rows": [{table: rows}, …]`` the program is run once over each such content instead, and answered by
``{"results": [[row, …], …]}``, rows as JSON texts, null where the program fails.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

PLAN_BYTES = 64 * 1024 * 1024
SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.legacy.createHiveTableByDefault": "false",
}
"""What plans and rows may depend on; the others say how the session is started."""


def session(warehouse: str) -> Any:
    import pyspark
    from pyspark.sql import SparkSession

    import headwater_spark

    jar = str(Path(headwater_spark.__file__).parent / "jars" / "headwater-spark.jar")
    builder = (
        SparkSession.builder.master("local[1]")
        .appName("plans")
        .config("spark.jars", jar)
        .config("spark.driver.extraClassPath", f"{pyspark.__path__[0]}/jars/*{os.pathsep}{jar}")
        .config("spark.driver.memory", "1g")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", warehouse)
    )
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


class Planner:
    """Plans programs; a table of the same name and columns is made once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.spark = session(str(folder / "warehouse"))
        self.spark.sparkContext.setLogLevel("ERROR")

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """What is asked, of a session without anything that an earlier program cached."""
        self.spark.catalog.clearCache()
        return self.results(request) if "rows" in request else self.plan(request)

    def results(self, request: dict[str, Any]) -> dict[str, Any]:
        """What the program gives for each content of its tables; what cannot be computed is null."""
        self.spark.conf.set("spark.sql.ansi.enabled", "false")
        try:
            return self.results_without_ansi(request)
        finally:
            self.spark.conf.unset("spark.sql.ansi.enabled")

    def results_without_ansi(self, request: dict[str, Any]) -> dict[str, Any]:
        results = []
        for content in request["rows"]:
            for name, columns in request["tables"].items():
                texts = self.spark.createDataFrame(
                    [(json.dumps(row),) for row in content[name]], "row string"
                )
                rows = texts.selectExpr(f"from_json(row, '{columns}') AS row").select("row.*")
                rows.createOrReplaceTempView(name)
            results.append(self.rows(request))
        return {"results": results}

    def rows(self, request: dict[str, Any]) -> list[str] | None:
        """The program's rows, None where it fails over this content (a null as a map's key, …)."""
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        try:
            return list(self.run(request).toJSON().collect())
        except (Py4JJavaError, PySparkException):
            return None

    def plan(self, request: dict[str, Any]) -> dict[str, Any]:
        for name, columns in request["tables"].items():
            self.table(name, columns)
        frame = self.run(request)
        encoder = self.spark._jvm.io.headwater.spark.PlanDocuments
        plan = encoder.encode(frame._jdf.queryExecution().analyzed(), PLAN_BYTES)
        return {"plan": json.loads(plan), "version": self.spark.version}

    def table(self, name: str, columns: str) -> None:
        place = self.folder / hashlib.sha256(columns.encode()).hexdigest()[:12] / name
        if not place.exists():
            self.spark.createDataFrame([], columns).write.parquet(str(place))
        self.spark.read.parquet(str(place)).createOrReplaceTempView(name)

    def run(self, request: dict[str, Any]) -> Any:
        if "sql" in request:
            *before, last = [s for s in request["sql"].split(";") if s.strip()]
            for statement in before:
                self.spark.sql(statement)
            return self.spark.sql(last)
        from pyspark.sql import Window, functions, types

        names = {"spark": self.spark, "F": functions, "T": types, "Window": Window, "java": self.java}
        exec(request["python"], names)
        return names["result"]

    def java(self, name: str, implements: str, body: str) -> Any:
        """An instance of a new class of that name, compiled by the compiler that Spark brings."""
        jvm = self.spark._jvm
        thread = jvm.java.lang.Thread.currentThread()
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(thread.getContextClassLoader())
        compiler.cook(f"public class {name} implements {implements} {{ {body} }}")
        thread.setContextClassLoader(compiler.getClassLoader())
        return compiler.getClassLoader().loadClass(name).getConstructors()[0].newInstance(None)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory(prefix="headwater-plans-") as folder:
        planner = Planner(Path(folder))
        for line in sys.stdin:
            try:
                answer = planner.answer(json.loads(line))
            except Exception as e:  # noqa: BLE001 - whatever a program does, the next one is planned
                answer = {"error": f"{type(e).__name__}: {e}"}
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
        planner.spark.stop()


if __name__ == "__main__":
    main()
