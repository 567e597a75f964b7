"""``headwater plan`` and ``headwater split`` on a script, over data that nobody may touch."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.reports.document.canonical import from_json, unsealed
from headwater_backend.reports.formats.html import sealed_in
from headwater_facets.codec import read_split
from headwater_facets.schemas import SPLIT
from kit.shared import ROOT
from kit.spark_lines import EITHER_LINE, SPARK_4, SparkLine, plan_script, quickly_started

pytestmark = pytest.mark.spark
JOB = """
import sys
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.appName("mails").master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
out = sys.argv[1]
people = spark.read.schema("id long, mail string, land string").parquet("/no/such/people")
print("people:", people.count())
people.groupBy("land").agg(F.count("*").alias("n")).write.parquet(f"{out}/lands")
people.select("mail").write.parquet(f"{out}/mails")
if people.isEmpty():
    people.write.parquet(f"{out}/never")
"""
RULES = '- {dataset: "* /no/such/people", path: "mail", category: user.contact.email}\n'
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
POLICIES = "- policy: no mails\n  category: user.contact\n  dataset: {namespace: file, name: '*/mails'}\n"


def headwater(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "headwater_cli", *arguments]
    environment = {**os.environ, **quickly_started(SPARK_4), "PYSPARK_PYTHON": sys.executable}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "job.py").write_text(JOB, "utf-8")
    (tmp_path / "whole.py").write_text(JOB[: JOB.index("if people")], "utf-8")
    (tmp_path / "rules.yaml").write_text(RULES, "utf-8")
    (tmp_path / "policies.yaml").write_text(POLICIES, "utf-8")
    return tmp_path


def test_a_plan_lists_outputs_and_personal_data_and_where_it_ended(folder: Path) -> None:
    rules, policies = str(folder / "rules.yaml"), str(folder / "policies.yaml")
    done = headwater(
        "plan", "--rules", rules, "--policies", policies, str(folder / "job.py"), str(folder / "out")
    )
    assert done.returncode == 6, done.stderr
    assert f"job.py:9  would write {folder}/out/mails (error)" in done.stdout
    assert f"{folder}/out/mails  mail would hold mail (user.contact.email) as identity" in done.stdout
    assert (
        "job.py:10  could not go on: the program goes on by what isEmpty() at job.py:10 gives" in done.stderr
    )
    assert not (folder / "out").exists()


def test_a_folder_that_is_missing_is_reported_in_one_line(tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    session = "SparkSession.builder.master('local[1]').getOrCreate()"
    job.write_text(
        f"from pyspark.sql import SparkSession\n{session}.read.json('{tmp_path}/missing').count()\n"
    )
    done = headwater("plan", str(job))
    assert done.returncode == 4, done.stderr
    (line,) = [each for each in done.stderr.splitlines() if "missing" in each]
    assert line.startswith(f"{job.name}:2  could not go on: AnalysisException: [PATH_NOT_FOUND]")
    assert "\tat " not in done.stderr


def test_a_split_is_written_as_programs_or_refused(folder: Path) -> None:
    def split(script: str) -> tuple[int, dict[str, Any]]:
        options = ["--rules", str(folder / "rules.yaml"), "--out", str(folder / "split"), "--json"]
        options += ["--report", str(folder / "split.html"), "--language", "de"]
        options += ["--events", str(folder / "split.ndjson")]
        done = headwater("split", *options, str(folder / script), str(folder / "out"))
        return done.returncode, json.loads(done.stdout)

    code, refused = split("job.py")
    assert code == 1 and refused["line"] == "job.py:10"
    assert not (folder / "split").exists() and not (folder / "split.html").exists()
    code, made = split("whole.py")
    assert code == 0, made
    assert {each.relative_to(folder / "split").as_posix() for each in (folder / "split").rglob("*.*")} == {
        "inside.py", "outside.py", "schemas/groups.json",
    }  # fmt: skip
    assert [each["name"] for each in made["intermediates"][0]["columns"]] == ["land", "n"]
    assert "mail" not in (folder / "split" / "outside.py").read_text("utf-8")
    (event,) = map(json.loads, (folder / "split.ndjson").read_text("utf-8").splitlines())
    assert (event["job"]["namespace"], event["job"]["name"]) == ("default", "mails")
    sides = [each.side for each in read_split(event["job"]["facets"][SPLIT]).statements]
    assert sides == ["inside", "boundary", "outside", "inside"]
    report = unsealed(sealed_in((folder / "split.html").read_text("utf-8")))
    assert (
        report.intact and from_json(report.report).title == "Aufteilung eines Jobs an der Grenze von Regionen"
    )


def guide(chapter: str) -> Iterator[tuple[str, str]]:
    """The blocks of a chapter of the guide, each with its language."""
    text = (ROOT / "docs" / "boundary.md").read_text("utf-8")
    found = re.search(rf"^## {chapter}\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    assert found, chapter
    return ((language, block) for language, block in BLOCK.findall(found[1]))


def version(change: str, of: str) -> str:
    """The program before (`-`) or after (`+`) a change."""
    return "".join(f"{line[1:]}\n" for line in change.splitlines() if line[:1] in (" ", "", of))


def test_the_guides_change_of_a_job_has_the_answer_that_the_guide_shows(tmp_path: Path) -> None:
    (change,) = (block for language, block in guide("What a change does") if language == "diff")
    (plans,) = (block for language, block in guide("What a change does") if language == "sh")
    (console,) = (block for language, block in guide("What a change does") if language == "console")
    for block in (block for language, block in guide("What a change does") if language == "yaml"):
        name, _, _ = block.removeprefix("# ").partition("\n")
        (tmp_path / name).write_text(block, "utf-8")
    for of, line in zip("-+", plans.splitlines(), strict=True):
        (tmp_path / "job.py").write_text(version(change, of), "utf-8")
        done = headwater(*shlex.split(line, comments=True)[1:], folder=tmp_path)
        assert done.returncode == 0, done.stderr
    command, _, answer = console.removeprefix("$ headwater ").partition("\n")

    def diff(*options: str) -> str:
        done = headwater(*shlex.split(command), *options, folder=tmp_path)
        assert done.returncode == 6, done.stderr
        return done.stdout

    assert diff() == answer
    found = json.loads(diff("--format", "json"))
    assert found["outcome"] == "VIOLATED"
    assert [(each["name"], each["gained"], each["lost"]) for each in found["outputs"]] == [
        ("/marts/loads", ["mail"], ["who"])
    ]
    assert [len(found["personal"][each]) for each in ("new", "gone")] == [1, 1]
    assert [(len(each["new"]), len(each["ended"])) for each in found["policies"]] == [(1, 0), (0, 1)]
    comment = diff("--format", "markdown")
    assert comment.startswith("### Lineage of this change\n\nThis change newly violates 1 of 2 policies.\n")
    listed = [line.strip() for line in answer.splitlines() if line.startswith("    ")]
    assert [line for line in comment.splitlines() if line.startswith("- ")] == [
        f"- `{each}`" for each in listed
    ]
    (run,) = json.loads(diff("--format", "sarif"))["runs"]
    (error,) = [each for each in run["results"] if each.get("level") == "error"]
    at = error["locations"][0]["physicalLocation"]
    assert at["artifactLocation"] == {"uri": "policy.yaml"} and error["ruleId"] == "no contact data in marts"
    back = command.replace("main", "x").replace("branch", "main").replace("x", "branch")
    done = headwater(*shlex.split(back), folder=tmp_path)
    assert done.returncode == 0 and "/marts/loads gains who; loses mail" in done.stdout


SAFE = """
import sys
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.appName("safe").master("local[1]").config("spark.ui.enabled", "false").config(
    "spark.sql.warehouse.dir", sys.argv[1] + "/house").getOrCreate()
out = sys.argv[1]
frame = spark.range(3).selectExpr("id", "CAST(id AS string) AS name")
frame.createOrReplaceTempView("v")
into = f"INSERT OVERWRITE DIRECTORY '{out}/sql' USING parquet SELECT name FROM v"
spark.sql(f"WITH c AS (SELECT name FROM v) INSERT OVERWRITE DIRECTORY '{out}/with' USING parquet SELECT * FROM c")
spark.sql(f"{into} WHERE id = :id", args={"id": 1})
spark.sql(f"{into} WHERE id = ?", args=[1])
spark.sql(f"INSERT OVERWRITE DIRECTORY '{out}/frame' USING parquet SELECT * FROM {{frame}}", frame=frame)
spark.sql("CREATE TABLE made (id bigint, name string) USING parquet")
spark.sql("FROM v INSERT INTO made SELECT id, name INSERT INTO made SELECT id, upper(name)")
spark.sql("TRUNCATE TABLE made")
spark.sql("DROP TABLE made")
spark.sql("ALTER TABLE made RENAME TO other")
spark.sql("CACHE TABLE kept AS SELECT name FROM v")
spark.table("kept").write.parquet(f"{out}/kept")
spark.sql("DROP VIEW v")
frame.write.jdbc(f"jdbc:derby:{out}/derby;create=true", "people")
frame.write.format("jdbc").options(url=f"jdbc:derby:{out}/derby;create=true", dbtable="others").save()
if hasattr(frame.write, "xml"):
    frame.write.xml(f"{out}/xml", rowTag="row")
spark.sql("SHOW TABLES").collect()
frame.rdd.saveAsTextFile(f"{out}/text")
print(frame.rdd.map(lambda row: row.id).collect(), frame.toPandas())
spark.sparkContext.parallelize([(1, "a")]).toDF(["n", "t"]).write.parquet(f"{out}/rows")
if hasattr(spark, "tvf"):
    spark.sql(f"EXECUTE IMMEDIATE '{into.replace(chr(39), chr(34))}'".replace("FROM v", "FROM kept"))
"""


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_nothing_is_written_while_a_script_is_planned(line: SparkLine, tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(SAFE, "utf-8")
    found = plan_script(line, tmp_path, "--json", "job.py", str(tmp_path))
    assert found.returncode == 4, found.stdout + found.stderr
    answer = json.loads(found.stdout)
    places = [each["place"].split(" ")[0].removeprefix(str(tmp_path)) for each in answer["writes"]]
    reasons = [each["reason"] for each in answer["stops"]]
    assert places == [
        *("WITH", "INSERT", "INSERT", "INSERT", "FROM", "TRUNCATE", "DROP", "ALTER"),
        *("/kept", "people", "others"),
        *(["/xml"] if line is SPARK_4 else []),
        "/rows",
    ]
    assert not any(each["ended"] for each in answer["stops"]), reasons
    assert reasons[0] == "saveAsTextFile() writes what is not planned"
    assert reasons[1:] == [] or reasons[1].startswith("it executes statements that are not planned: EXECUTE")
    left = {str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*") if each.is_file()}
    assert left - {"derby.log"} == {"job.py"}
