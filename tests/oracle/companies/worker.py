"""Executes the nights of companies in one JVM, under any Spark line: a request a line, an answer a line.

A request has ``app`` (the application's name), ``conf``, ``root`` and ``jobs``, pairs of a name and lines of Python.
The answer has ``failed``, the jobs that ended with an error, with it.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def execute(request: dict[str, Any]) -> dict[str, Any]:
    """The jobs in an application of their own; it ends with the last."""
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    builder = SparkSession.builder.appName(request["app"])
    for key, value in request["conf"].items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    failed = {}
    try:
        for name, lines in request["jobs"]:
            try:
                exec("\n".join(lines), {"spark": spark, "F": F, "root": request["root"]})
            except Exception as e:  # noqa: BLE001 - the company's next job goes on
                failed[name] = f"{type(e).__name__}: {str(e)[:500]}"
            spark.catalog.clearCache()
    finally:
        spark.stop()
    return {"failed": failed}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            answer = execute(json.loads(line))
        except Exception as e:  # noqa: BLE001 - whatever happens, the next one is executed
            answer = {"error": f"{type(e).__name__}: {e}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
