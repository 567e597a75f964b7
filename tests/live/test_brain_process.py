"""Whatever becomes of the brain, the job ends as it would have without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.eye import (
    DIES,
    DIES_LATER,
    HANGS,
    RECORDS,
    TALKS,
    brain,
    frames,
    is_running,
    kill,
    kinds,
    python,
    script,
    wait_for,
    watched,
)
from kit.spark_lines import EITHER_LINE, SPARK_4, SparkLine

pytestmark = pytest.mark.spark

WRITES = "spark.range(3).selectExpr('id', 'id + 1 AS more').write.mode('overwrite').parquet('out')\nprint('job done')"
LOST = "lineage is lost. The job goes on."


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_the_brain_is_sent_the_application_each_execution_and_the_end(
    line: SparkLine, tmp_path: Path
) -> None:
    done = python(line, script(tmp_path, WRITES, watched(brain(tmp_path, RECORDS))))

    assert done.code == 0, done.output
    assert kinds(tmp_path) == [
        "application",
        "execution-start",
        "execution-end",
        "application-end",
        "end-of-input",
    ]
    application, start, end, *_ = frames(tmp_path)
    assert application["application"]["name"] == "a job"
    assert application["versions"]["headwater"]
    assert application["conf"]["spark.sql.warehouse.dir"].startswith("file:")
    assert start["plan"] is not None
    assert start["plan"] == end["plan"]
    assert end["error"] is None
    assert end["metrics"]["output"]["rows"] == 3
    assert end["metrics"]["output"]["files"] == 1
    assert end["dropped"] == 0


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
@pytest.mark.slow
def test_a_failing_execution_says_with_what_it_failed(line: SparkLine, tmp_path: Path) -> None:
    body = "spark.range(1).selectExpr('assert_true(id > 5)').write.parquet('out')"
    done = python(line, script(tmp_path, body, watched(brain(tmp_path, RECORDS))))

    assert done.code != 0
    wait_for(lambda: "end-of-input" in kinds(tmp_path))
    error = next(frame for frame in frames(tmp_path) if frame["kind"] == "execution-end")["error"]
    assert error["class"]
    assert "id" in error["message"]
    assert error["stackTrace"].startswith(error["class"])


@pytest.mark.parametrize(
    ("program", "says"),
    [
        pytest.param(DIES, "no such module", id="at once", marks=pytest.mark.slow),
        pytest.param(DIES_LATER, "enough after one", id="later"),
    ],
)
def test_a_brain_that_dies_costs_one_line_in_the_log(program: str, says: str, tmp_path: Path) -> None:
    body = f"for _ in range(3):\n    {WRITES.replace(chr(10), '; ')}"
    done = python(SPARK_4, script(tmp_path, body, watched(brain(tmp_path, program))))

    assert done.code == 0, done.output
    assert done.output.count("job done") == 3
    assert done.output.count(LOST) == 1
    assert says in done.output


@pytest.mark.slow
def test_a_brain_that_cannot_be_started_costs_one_line_in_the_log(tmp_path: Path) -> None:
    done = python(SPARK_4, script(tmp_path, WRITES, watched(tmp_path / "nothing-here")))

    assert done.code == 0, done.output
    assert "job done" in done.output
    assert done.output.count(LOST) == 1
    assert "spark.headwater.python" in done.output


def test_a_brain_that_hangs_delays_the_end_by_the_flush_timeout_and_is_ended(tmp_path: Path) -> None:
    conf = watched(brain(tmp_path, HANGS), **{"spark.headwater.flush.timeout": "2s"})
    body = f"import time\n{WRITES}\nbefore = time.time()\nspark.stop()\nprint('stopped after', time.time() - before)"
    done = python(SPARK_4, script(tmp_path, body, conf, stop=False))

    assert done.code == 0, done.output
    assert "job done" in done.output
    assert done.output.count(LOST) == 1
    assert float(done.output.split("stopped after")[1].split()[0]) < 10
    pid = int((tmp_path / "pid").read_text())
    try:
        wait_for(lambda: not is_running(pid), 5)
    finally:
        kill(pid)


@pytest.mark.slow
def test_a_brain_that_talks_without_end_neither_blocks_nor_floods_the_log(tmp_path: Path) -> None:
    body = f"spark.sparkContext.setLogLevel('INFO')\n{WRITES}"
    done = python(SPARK_4, script(tmp_path, body, watched(brain(tmp_path, TALKS))))

    assert done.code == 0, done.output
    assert "end-of-input" in kinds(tmp_path)
    assert done.output.count("chatter") < 200
    assert "more lines, which are not shown" in done.output


@pytest.mark.slow
def test_documents_that_do_not_fit_are_dropped_and_counted(tmp_path: Path) -> None:
    conf = watched(brain(tmp_path, RECORDS), **{"spark.headwater.queue.maxBytes": "1k"})
    done = python(SPARK_4, script(tmp_path, WRITES, conf))

    assert done.code == 0, done.output
    assert "execution-end" not in kinds(tmp_path)
    assert next(frame for frame in frames(tmp_path) if frame["kind"] == "application-end")["dropped"] >= 2


def test_a_plan_over_its_bound_arrives_cut_and_says_so(tmp_path: Path) -> None:
    body = "spark.range(1).selectExpr(*[f'id + {i} AS c{i}' for i in range(500)]).write.parquet('out')"
    conf = watched(brain(tmp_path, RECORDS), **{"spark.headwater.plan.maxBytes": "20k"})
    done = python(SPARK_4, script(tmp_path, body, conf))

    assert done.code == 0, done.output
    plan = next(frame for frame in frames(tmp_path) if frame["kind"] == "execution-end")["plan"]
    assert plan["truncated"] is True
    assert "cut" in str(plan["nodes"][plan["root"]]) or "cut" in str(plan["nodes"])


@pytest.mark.parametrize("key", ["spark.headwater.enabled=false", "spark.openlineage.disabled=true"])
@pytest.mark.slow
def test_a_switch_turns_the_agent_off(key: str, tmp_path: Path) -> None:
    name, _, value = key.partition("=")
    done = python(SPARK_4, script(tmp_path, WRITES, watched(brain(tmp_path, RECORDS), **{name: value})))

    assert done.code == 0, done.output
    assert frames(tmp_path) == []


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_a_script_that_never_stops_its_session_still_delivers(line: SparkLine, tmp_path: Path) -> None:
    done = python(line, script(tmp_path, WRITES, watched(brain(tmp_path, RECORDS)), stop=False))

    assert done.code == 0, done.output
    wait_for(lambda: kinds(tmp_path)[-2:] == ["application-end", "end-of-input"])
    assert "execution-end" in kinds(tmp_path)
