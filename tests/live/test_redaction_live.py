"""The eye takes out of texts what the brain would: credentials do not even leave the driver."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headwater_spark.redaction import redact
from kit.eye import JAR, python
from kit.redaction import HARMLESS, NASTY, SECRET
from kit.spark_lines import SPARK_4

PROGRAM = """
import json, sys
import pyspark
from pyspark.sql import SparkSession
jar, file = sys.argv[1:]
class_path = f"{pyspark.__path__[0]}/jars/*:{jar}"
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.driver.extraClassPath", class_path).getOrCreate()
redaction = spark._jvm.java.lang.Class.forName("io.headwater.spark.document.Redaction")
method = next(m for m in redaction.getDeclaredMethods() if m.getName() == "url")
method.setAccessible(True)
def shown(text):
    arguments = spark.sparkContext._gateway.new_array(spark._jvm.java.lang.Object, 1)
    arguments[0] = text
    return method.invoke(None, arguments)
texts = json.load(open(file))
json.dump([shown(text) for text in texts], open(file, "w"))
spark.stop()
"""


@pytest.mark.spark
def test_the_eye_and_the_brain_take_out_the_same(tmp_path: Path) -> None:
    texts = [*NASTY, *HARMLESS]
    file, program = tmp_path / "texts.json", tmp_path / "program.py"
    file.write_text(json.dumps(texts), "utf-8")
    program.write_text(PROGRAM, "utf-8")
    done = python(SPARK_4, program, str(JAR), str(file))

    assert done.code == 0, done.output
    shown = json.loads(file.read_text("utf-8"))
    assert shown == [redact(text) for text in texts]
    assert SECRET not in str(shown)
