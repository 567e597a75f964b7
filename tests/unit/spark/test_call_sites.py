"""The program's line in a job's facet; recording it needs no Spark and wraps each method once."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from headwater_spark.capture.execution import Outcome
from headwater_spark.emit.events import ended
from headwater_spark.executions.execution import Execution
from kit.events import validate_event
from kit.executions import START_DOCUMENT, application, plan_lineage, wire

JVM = "com.shop.Report$.main(Report.scala:12)"
PY4J = "parquet at NativeMethodAccessorImpl.java:0"


def located(description: str, called_from: str = "", call_site: str = "") -> str | None:
    run = Execution.from_document({**START_DOCUMENT, "description": description}, application())
    run = run.with_end({"calledFrom": called_from}).with_lineage(plan_lineage())
    event = wire(ended(replace(run, call_site=call_site), Outcome(1_767_225_605_000)))
    validate_event(event)
    facet: dict[str, str] | None = event["job"]["facets"].get("sourceCodeLocation")
    return None if facet is None else facet["url"]


@pytest.mark.parametrize(
    ("description", "called_from", "call_site", "expected"),
    [
        ("save at /jobs/a b.py:3", "", JVM, "file:///jobs/a%20b.py#L3"),
        ("the nightly load", "save at /jobs/a.py:3", JVM, "file:///jobs/a.py#L3"),
        (PY4J, "", JVM, "com/shop/Report.scala#L12"),
        (PY4J, "", "org.apache.spark.sql.DataFrameWriter.save(DataFrameWriter.scala:1)", None),
        ("save at <stdin>:1", "save at <stdin>:1", "", None),
    ],
)
def test_a_line_is_the_one_noted_for_the_execution_or_its_jobs_or_that_of_the_jvms_program(
    description: str, called_from: str, call_site: str, expected: str | None
) -> None:
    assert located(description, called_from, call_site) == expected


PROGRAM = """
from pyspark.sql import DataFrameWriter, SparkSession
from pyspark.sql.connect.readwriter import DataFrameWriter as OfClients
import headwater_spark

before, clients = DataFrameWriter.save, OfClients.save
headwater_spark.note_call_sites()
wrapped = DataFrameWriter.save
headwater_spark.note_call_sites()
assert DataFrameWriter.save is wrapped is not before
assert (wrapped.__name__, wrapped.__doc__) == ("save", before.__doc__)
assert OfClients.save is clients
try:
    SparkSession.sql(None, "SELECT 1")  # no context: the call goes through
except AttributeError as error:
    print("through", error)
"""


def test_calls_are_wrapped_once_those_of_connect_clients_never_and_pass_without_a_context() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("through")


def test_without_pyspark_nothing_happens_but_a_warning() -> None:
    hidden = (
        "import sys; sys.modules['pyspark'] = None; import headwater_spark; headwater_spark.note_call_sites()"
    )
    done = subprocess.run(
        [sys.executable, "-c", hidden], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "Headwater cannot record all call sites" in done.stderr
