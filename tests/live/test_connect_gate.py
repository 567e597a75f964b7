"""The gate at a server of Spark Connect: what a client would write is judged there, and its error has the witness."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from kit.attempts import ATTEMPTS
from kit.connect import connect_server
from kit.eye import surroundings
from kit.spark_lines import EITHER_LINE, SPARK_4, SparkLine, quickly_started

pytestmark = pytest.mark.spark

CLIENT = """
import json, sys
import headwater_spark
from pyspark.sql import SparkSession, functions as F

server, here = sys.argv[1:]
spark = SparkSession.builder.remote(server).appName("Client job").config("spark.headwater.gate", "off").getOrCreate()
"""
ATTEMPTED = """
mail = F.concat(F.lit("m"), F.col("id").cast("string")).alias("mail")
spark.range(6).select(mail, (F.col("id") % 2).alias("land")).write.parquet(f"{here}/people")
people = spark.read.parquet(f"{here}/people")
people.createOrReplaceTempView("people")
only = people.select("mail")
attempt("lands", lambda: people.groupBy("land").count().write.parquet(f"{here}/mart_lands"))
attempt("conf", lambda: spark.conf.set("spark.headwater.gate", "off"))
attempt("no parquet", lambda: only.write.parquet(f"{here}/mart_mails"))
attempt("no overwrite", lambda: only.write.mode("overwrite").parquet(f"{here}/mart_lands"))
attempt("no INSERT", lambda: spark.sql(
    f"INSERT OVERWRITE DIRECTORY '{here}/mart_directory' USING parquet SELECT mail FROM people"))
attempt("no CTAS", lambda: spark.sql("CREATE TABLE mart_ctas USING parquet AS SELECT mail FROM people"))
attempt("no saveAsTable", lambda: only.write.saveAsTable("mart_saved"))
attempt("no writeTo", lambda: only.writeTo("mart_v2").using("parquet").create())
attempt("unknown rows", lambda: spark.createDataFrame(only.toPandas()).write.parquet(f"{here}/mart_rows"))
stream = spark.readStream.schema(people.schema).parquet(f"{here}/people").select("mail").writeStream
stream = stream.trigger(availableNow=True).option("checkpointLocation", f"{here}/checkpoint")
attempt("no stream", lambda: stream.start(f"{here}/mart_stream").awaitTermination())

lands = spark.table("people")
people.select("land").createOrReplaceTempView("people")
attempt("view", lambda: lands.write.parquet(f"{here}/late"))
answers["columns"] = spark.read.parquet(f"{here}/late").columns
attempt("explain", lambda: headwater_spark.explain(people))
print("ANSWERS", json.dumps(answers))
"""
OF_ITS_OWN = """
import sys
from pathlib import Path
import headwater_spark
from pyspark.sql import SparkSession

here, python = sys.argv[1:]
builder = SparkSession.builder.appName("own server").master("local[1]").config("spark.api.mode", "connect")
settings = {"spark.ui.enabled": "false", "spark.headwater.gate": "block", "spark.headwater.python": python,
            **{f"spark.headwater.gate.{each}": f"{here}/{each}.yaml" for each in ("policies", "rules")}}
for key, value in settings.items():
    builder = builder.config(key, value)
spark = headwater_spark.configure(builder, events=f"{here}/events.ndjson").getOrCreate()
assert type(spark).__module__.startswith("pyspark.sql.connect.")
spark.range(3).selectExpr("CAST(id AS string) AS mail").write.parquet(f"{here}/people")
try:
    spark.read.parquet(f"{here}/people").write.parquet(f"{here}/mart_mails")
except Exception as error:
    print("ANSWERS", error)
spark.stop()
"""
EXPECTED = {
    "no": "Headwater's gate refused this write: no contact data: mail of ",
    "unknown": "onError=block says: it is not known whether this write violates a policy: no contact data: ",
}
"""By the first word of an attempt's name, what its error has."""


def write_rules(folder: Path) -> None:
    rule = f"{{dataset: 'file {folder}/people', path: mail, category: user.contact.email}}"
    (folder / "rules.yaml").write_text(f"- {rule}\n", "utf-8")
    policy = "{policy: no contact data, category: user.contact, dataset: '*mart_*'}"
    (folder / "policies.yaml").write_text(f"- {policy}\n", "utf-8")


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_what_a_client_may_not_write_is_refused_at_the_server_before_the_first_byte(
    line: SparkLine, tmp_path: Path
) -> None:
    write_rules(tmp_path)
    (tmp_path / "client.py").write_text(CLIENT + ATTEMPTS + ATTEMPTED, "utf-8")
    conf = {
        "spark.headwater.gate": "block",
        "spark.headwater.gate.onError": "block",
        "spark.headwater.gate.policies": str(tmp_path / "policies.yaml"),
        "spark.headwater.gate.rules": str(tmp_path / "rules.yaml"),
        "spark.headwater.python": str(SPARK_4.python),
        "spark.sql.warehouse.dir": str(tmp_path / "house"),
    }
    with connect_server(line, tmp_path, **conf) as server:
        done = subprocess.run(
            [str(line.python), str(tmp_path / "client.py"), server, str(tmp_path)],
            env=surroundings(),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    answers = json.loads(done.stdout.partition("ANSWERS ")[2])

    # A frame of a view that was replaced is what the view is now: a plan of such a client says so.
    assert answers.pop("columns") == ["land"]
    assert "NoDriverError" in answers["explain"] and "its plan is made on the server" in answers.pop(
        "explain"
    )
    for name, text in answers.items():
        expected = EXPECTED.get(name.partition(" ")[0], "")
        assert expected in text and bool(text) == bool(expected), (name, text)
    assert answers["no parquet"].startswith("UnsupportedOperationException: ")
    assert f"{tmp_path}/mart_mails holds mail of {tmp_path}/people: identity" in answers["no parquet"]
    left = {each.parent.name for each in tmp_path.rglob("part-*")}
    assert left == {"people", "mart_lands", "late"}
    rows = [each.read_bytes() for each in (tmp_path / "mart_lands").glob("*.parquet")]
    assert rows and not any(b"mail" in each for each in rows)


def test_a_program_with_a_server_of_its_own_has_agent_and_gate_by_its_own_settings(tmp_path: Path) -> None:
    write_rules(tmp_path)
    (tmp_path / "job.py").write_text(OF_ITS_OWN, "utf-8")
    done = subprocess.run(
        [str(SPARK_4.python), str(tmp_path / "job.py"), str(tmp_path), str(SPARK_4.python)],
        env={**os.environ, **quickly_started(SPARK_4)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ANSWERS Headwater's gate refused this write: no contact data: mail of " in done.stdout
    assert {each.parent.name for each in tmp_path.rglob("part-*")} == {"people"}
    events = [json.loads(each) for each in (tmp_path / "events.ndjson").read_text("utf-8").splitlines()]
    ended = [(each["eventType"], each["outputs"][0]["name"]) for each in events if each["outputs"]]
    assert ended == [
        *((kind, f"{tmp_path}/people") for kind in ("START", "COMPLETE")),
        *((kind, f"{tmp_path}/mart_mails") for kind in ("START", "FAIL")),
    ]
