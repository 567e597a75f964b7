"""``headwater_spark.explain`` on frames that could not be executed: their files cannot be read."""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from kit.eye import python
from kit.spark_lines import EITHER_LINE, SparkLine

pytestmark = pytest.mark.spark

PROGRAM = """
import json, sys
from pathlib import Path
sys.path.append(sys.argv[1])  # the backend, which the environment of an older line has not
import headwater_spark
from pyspark.sql import SparkSession, functions as F

here = Path.cwd()
(here / "people").mkdir()
(here / "people" / "one.parquet").write_text("no parquet")
builder = SparkSession.builder.appName("explained").master("local[1]").config("spark.ui.enabled", "false")
spark = builder.getOrCreate()
people = spark.read.schema("weight long, mail string, colour string, s struct<phone:string>").parquet(f"{here}/people")
frames = {
    "plain": people.select("colour", F.col("mail").alias("m"), F.col("s.phone").alias("<b>")),
    "counted": people.groupBy("colour").agg(F.count("mail").alias("n")),
    "opaque": people.select(F.udf(lambda mail: mail)("mail").alias("odd"), "colour"),
}
answers = {}
for name, frame in frames.items():
    found = headwater_spark.explain(frame, rules=here / "rules.yaml", policies=here / "policies.yaml")
    answers[name] = {"lineage": found.lineage, "personal": found.personal, "verdicts": found.verdicts,
                  "unknown": found.unknown, "text": str(found), "html": found._repr_html_()}
answers["no rules"] = str(headwater_spark.explain(frames["plain"], policies=here / "policies.yaml"))
answers["executed"] = spark._jsparkSession.sharedState().statusStore().executionsCount()
answers["jobs"] = len(spark.sparkContext.statusTracker().getJobIdsForGroup(None))
try:
    answers["count"] = people.select("mail").collect()
except Exception as error:
    answers["count"] = type(error).__name__
print("ANSWERS", json.dumps(answers))
"""
POLICIES = """
- policy: no contact data in marts
  category: user.contact
  dataset: {namespace: file, name: "*/mart_*"}
- policy: people as they are
  category: user.contact
  dataset: {namespace: file, name: "*/people"}
  allow: [identity]
"""


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_a_frame_is_explained_without_being_executed(line: SparkLine, tmp_path: Path) -> None:
    source = f"{tmp_path}/people"
    rules = [
        f"- {{dataset: 'file {tmp_path}/people', path: {path}, category: user.contact}}"
        for path in ("mail", "s.phone")
    ]
    (tmp_path / "rules.yaml").write_text("\n".join(rules), "utf-8")
    (tmp_path / "policies.yaml").write_text(POLICIES, "utf-8")
    (tmp_path / "job.py").write_text(PROGRAM, "utf-8")
    environment = {"PYSPARK_PYTHON": str(line.python), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    libraries = sysconfig.get_path("purelib")
    done = python(line, tmp_path / "job.py", libraries, environment=environment, timeout=300)
    assert done.code == 0, done.output
    answers: dict[str, Any] = json.loads(
        next(each for each in done.output.splitlines() if "ANSWERS " in each).partition("ANSWERS ")[2]
    )

    assert (answers["executed"], answers["jobs"]) == (0, 0)
    assert answers["count"] not in ([], 0) and isinstance(answers["count"], str)  # it cannot be read
    plain, counted, opaque = answers["plain"], answers["counted"], answers["opaque"]
    assert ["m", "mail", source, "identity"] in plain["lineage"]
    assert ["m", "mail", "user.contact", source, "identity"] in plain["personal"]
    assert len(plain["personal"]) == 2
    assert plain["verdicts"][0][:2] == ["no contact data in marts", "may not be written there"]
    assert f"m of this data frame holds mail of {source}: identity" in plain["verdicts"][0][2]
    assert plain["verdicts"][1][:2] == ["people as they are", "may be written there"]
    assert "no contact data in marts  may not be written there" in plain["text"]
    assert (
        "<td>no contact data in marts</td>" in plain["html"]
        and "<b>" not in plain["html"].partition("</svg>")[2]
    )
    assert [row[4] for row in counted["personal"]] == ["aggregated"]
    assert opaque["verdicts"][0][1] != "may be written there"
    assert "not known" in answers["no rules"] and "may be written" not in answers["no rules"]
