"""Plans that are deeper than any thread's stack."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.eye import JAR, python
from kit.plan_documents import named, problems
from kit.spark_lines import EITHER_LINE, SparkLine

pytestmark = pytest.mark.spark

DEEP = """
import sys
import pyspark
from pyspark.sql import SparkSession
jar = {jar!r}
class_path = pyspark.__path__[0] + "/jars/*:" + jar
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.jars", jar).config("spark.driver.extraClassPath", class_path).getOrCreate()
expressions = spark._jvm.org.apache.spark.sql.catalyst.expressions
logical = spark._jvm.org.apache.spark.sql.catalyst.plans.logical
plan = spark.range(1)._jdf.queryExecution().analyzed()
true = expressions.Literal.TrueLiteral()
condition = true
for _ in range(5_000):
    condition = expressions.Not(condition)
    plan = logical.Filter(true, plan)
plan = logical.Filter(condition, plan)
document = spark._jvm.io.headwater.spark.PlanDocuments.encode(plan, 8 << 20)
open(sys.argv[1], "w", encoding="utf-8").write(document)
spark.stop()
"""


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_five_thousand_operators_and_as_deep_a_condition_are_encoded(line: SparkLine, tmp_path: Path) -> None:
    program, document = tmp_path / "deep.py", tmp_path / "document.json"
    program.write_text(DEEP.format(jar=str(JAR)), "utf-8")
    done = python(line, program, str(document))

    assert done.code == 0, done.output
    plan = json.loads(document.read_text("utf-8"))
    assert list(problems(plan)) == []
    assert len(named(plan, "Filter")) == 5_001
    assert len(named(plan, "Not")) == 5_000
    assert plan["truncated"] is False
