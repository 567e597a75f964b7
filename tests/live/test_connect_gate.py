"""The gate at a server of Spark Connect: what a client would write is judged there, and its error has the witness."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from kit.connect import connect_server
from kit.eye import surroundings
from kit.spark_lines import EITHER_LINE, SPARK_4, SparkLine

pytestmark = pytest.mark.spark

CLIENT = """
import json, sys
from pyspark.sql import SparkSession, functions as F

server, here = sys.argv[1:]
spark = SparkSession.builder.remote(server).appName("Client job").config("spark.headwater.gate", "off").getOrCreate()
said = {}

def attempt(name, action):
    try:
        action()
        said[name] = ""
    except Exception as error:
        said[name] = f"{type(error).__name__}: {error}"

mail = F.concat(F.lit("m"), F.col("id").cast("string")).alias("mail")
attempt("people", lambda: spark.range(6).select(mail, (F.col("id") % 2).alias("land")).write.parquet(f"{here}/people"))
people = spark.read.parquet(f"{here}/people")
people.createOrReplaceTempView("people")
attempt("lands", lambda: people.groupBy("land").count().write.parquet(f"{here}/mart_lands"))
attempt("conf", lambda: spark.conf.set("spark.headwater.gate", "off"))
attempt("no parquet", lambda: people.select("mail").write.parquet(f"{here}/mart_mails"))
attempt("no INSERT", lambda: spark.sql(
    f"INSERT OVERWRITE DIRECTORY '{here}/mart_directory' USING parquet SELECT mail FROM people"))
attempt("no CTAS", lambda: spark.sql("CREATE TABLE mart_ctas USING parquet AS SELECT mail FROM people"))
attempt("no saveAsTable", lambda: people.select("mail").write.saveAsTable("mart_saved"))
attempt("no writeTo", lambda: people.select("mail").writeTo("mart_v2").using("parquet").create())
attempt("no local rows", lambda: spark.createDataFrame(people.select("mail").toPandas()).write.parquet(f"{here}/mart_rows"))
stream = spark.readStream.schema(people.schema).parquet(f"{here}/people").select("mail").writeStream
stream = stream.trigger(availableNow=True).option("checkpointLocation", f"{here}/checkpoint")
attempt("no stream", lambda: stream.start(f"{here}/mart_stream").awaitTermination())
print("SAID", json.dumps(said))
"""
