"""Programs that are clients of Spark Connect, planned where no server is: as classic programs are, and what differs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from headwater_boundary.planning.launch import PlanningError, in_own_process
from kit.spark_lines import EITHER_LINE, LINES, SPARK_4, SPARK_35, SparkLine, plan_script

pytestmark = pytest.mark.spark

SERVER = "sc://127.0.0.1:1/;token=secret"
START = """
import sys
from pyspark.sql import SparkSession, Window, functions as F
from pyspark.sql.utils import is_remote
builder = SparkSession.builder.appName("mails").config("spark.ui.enabled", "false")
"""
CLASSIC = 'spark = builder.master("local[1]").getOrCreate()\n'
CLIENTS = {
    "remote": f'spark = builder.remote("{SERVER}").getOrCreate()\n',
    "environment": "spark = builder.getOrCreate()\n",
    "mode": 'spark = builder.config("spark.api.mode", "connect").master("local[1]").getOrCreate()\n',
    "created": f'spark = builder.remote("{SERVER}").create()\n',
    "local": 'spark = builder.remote("local[1]").getOrCreate()\n',
    "module": f"""from pyspark.sql.connect.session import SparkSession as Session
spark = Session.builder.appName("mails").remote("{SERVER}").getOrCreate()
""",
}
WAYS = [
    pytest.param(line, way, marks=[pytest.mark.slow] * (line is SPARK_35 or way not in ("remote", "mode")))
    for line in LINES
    for way in CLIENTS
    if line is SPARK_4 or way != "mode"  # which Spark 3.5 has not
]
BODY = """
out = sys.argv[1]
upper = F.udf(lambda text: text.upper())
people = spark.read.schema("id long, mail string, land string, s struct<phone:string>").parquet("/no/such/people")
print(people.count(), people.toPandas())
people.groupBy("land").agg(F.count("*").alias("n")).write.mode("overwrite").partitionBy("land").parquet(f"{out}/lands")
people.select(upper("mail").alias("m"), "s.phone").write.json(f"{out}/mails")
people.createOrReplaceTempView("people")
best = people.withColumn("r", F.row_number().over(Window.partitionBy("land").orderBy("id"))).where("r = 1")
joined = spark.sql("SELECT p.mail, {best}.id FROM people p JOIN {best} USING (land)", best=best)
joined.write.format("orc").save(f"{out}/best")
for number in range(2):
    spark.sql(f"INSERT OVERWRITE DIRECTORY '{out}/sql_{number}' USING parquet SELECT mail FROM people WHERE id = :n",
              args={"n": number})
spark.sql(f"WITH c AS (SELECT land FROM people) INSERT OVERWRITE DIRECTORY '{out}/with' USING parquet SELECT * FROM c")
spark.createDataFrame([(1, "a")], "n int, t string").write.csv(f"{out}/rows")
spark.read.parquet(f"{out}/lands").selectExpr("n + 1 AS more").write.parquet(f"{out}/again")
spark.stop()
"""
DIFFERENCES = """
import headwater_spark
from pyspark import SparkContext
from pyspark.sql.connect.functions import lower
out = sys.argv[1]
people = spark.read.schema("id long, mail string").parquet("/no/such/people")
seen = [is_remote(), *(hasattr(people, each) for each in ("_jdf", "rdd"))]
seen += [hasattr(spark, each) for each in ("_jvm", "sparkContext")]
try:
    SparkContext.getOrCreate()
    seen.append(True)
except Exception:
    seen.append(False)
assert seen == [True, False, False, False, False, False], seen
assert [row[:2] for row in headwater_spark.explain(people.select(lower("mail"))).lineage] == [("lower(mail)", "mail")]
spark.addTag("tagged"); spark.addArtifacts("/no/such/code.py", pyfile=True)
people.createOrReplaceTempView("v")
old = spark.table("v")
old.write.parquet(f"{out}/before")
people.select("id").createOrReplaceTempView("v")
spark.table("v").write.parquet(f"{out}/new")
old.write.parquet(f"{out}/late")
spark.copyFromLocalToFs("/a", "/b")
spark.client.version
spark.table("sales.orders").write.parquet(f"{out}/never")
"""


def plan(
    folder: Path, line: SparkLine, program: str, environment: Mapping[str, str] | None = None
) -> tuple[subprocess.CompletedProcess[str], list[Any]]:
    """How planning the program ended, and what its events have that is not of a single run."""
    script, events = folder / "job.py", folder / "events.ndjson"
    script.write_text(START + program, "utf-8")
    arguments = ("--events", str(events), str(script), str(folder / "out"))
    done = plan_script(line, folder, *arguments, **(environment or {}))
    assert not (folder / "out").exists()
    found = [json.loads(each) for each in events.read_text("utf-8").splitlines()]
    return done, [[*(_lasting(each[side], folder) for side in ("inputs", "outputs"))] for each in found]


def _lasting(datasets: Any, folder: Path) -> Any:
    text = json.dumps(datasets, sort_keys=True).replace(str(folder), "FOLDER").replace(folder.name, "FOLDER")
    return json.loads(re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", text))


@pytest.fixture(scope="module")
def classic(tmp_path_factory: pytest.TempPathFactory) -> Callable[[SparkLine], list[Any]]:
    """What planning the classic program gives on a line."""

    @cache
    def planned(line: SparkLine) -> list[Any]:
        done, found = plan(tmp_path_factory.mktemp("classic"), line, CLASSIC + BODY)
        assert done.returncode == 0, done.stderr
        assert len(found) == 2 * 8
        return found

    return planned


@pytest.mark.parametrize(("line", "way"), WAYS)
def test_a_client_has_the_plan_of_a_classic_program(
    line: SparkLine, way: str, classic: Callable[[SparkLine], list[Any]], tmp_path: Path
) -> None:
    environment = {"SPARK_REMOTE": SERVER} if way == "environment" else {}
    done, found = plan(tmp_path, line, CLIENTS[way] + BODY, environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert found == classic(line)
    assert "in place of Spark Connect at " in done.stderr and "secret" not in done.stderr


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_what_a_client_has_otherwise_is_met_or_named(line: SparkLine, tmp_path: Path) -> None:
    done, _ = plan(tmp_path, line, CLIENTS["remote"] + DIFFERENCES)

    assert done.returncode == 4, done.stderr
    assert re.findall(r"would write \S+/out/(\w+) ", done.stdout) == ["before", "new", "late"]
    text = done.stderr
    number = (START + CLIENTS["remote"] + DIFFERENCES).splitlines().index(
        'old.write.parquet(f"{out}/late")'
    ) + 1
    assert (
        f"job.py:{number}  is not known in part: a frame was made of the view v, which has been replaced"
        in text
    )
    assert text.count("a frame was made of the view") == 1
    assert "copyFromLocalToFs would copy /a to /b" in text
    assert "its connection to the server (client)" in text
    assert "`sales`.`orders`" in text and "which knows neither tables nor files of sc://127.0.0.1:1)" in text


def test_where_there_is_no_spark_that_could_plan_an_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py4j", None)  # as pyspark-client leaves it

    with pytest.raises(PlanningError, match="pip install pyspark"):
        in_own_process({"script": "job.py"})
