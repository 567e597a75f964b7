"""Switching the agent on, in each of the ways that a user has for it."""

from __future__ import annotations

import os
import signal
import subprocess
import zipfile
from pathlib import Path

import pytest

from headwater_spark.activation.agent_settings import CLASS_PATH_KEY, spark_conf
from headwater_spark.activation.defaults_file import put_into
from kit.eye import JAR, RECORDS, Outcome, brain, frames, kinds, python, script, surroundings, wait_for
from kit.spark_lines import EITHER_LINE, LINES, SPARK_4, SPARK_35, SparkLine, short_lived, spark_home

pytestmark = pytest.mark.spark

LIFE = ["application", "execution-start", "execution-end", "application-end", "end-of-input"]
WRITES = "spark.range(3).write.mode('overwrite').parquet('out')"
USERS_LISTENER = "org.apache.spark.scheduler.StatsReportListener"


def python_text(
    line: SparkLine, folder: Path, text: str, environment: dict[str, str] | None = None
) -> Outcome:
    file = folder / "program.py"
    file.write_text(text, "utf-8")
    return python(line, file, environment=environment)


def run(
    line: SparkLine, folder: Path, job: Path, *args: str, environment: dict[str, str] | None = None
) -> Outcome:
    begin = "import sys\nfrom headwater_spark.activation.run import run_script"
    text = f"{begin}\nsys.exit(run_script({str(job)!r}, {list(args)!r}))"
    return python_text(line, folder, text, environment)


def defaults(folder: Path, **settings: str) -> dict[str, str]:
    """An environment whose configuration directory sets these."""
    directory = folder / "user-conf"
    directory.mkdir()
    lines = [f"{key.replace('__', '.')} {value}" for key, value in settings.items()]
    (directory / "spark-defaults.conf").write_text("\n".join(lines), "utf-8")
    return {"SPARK_CONF_DIR": str(directory)}


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_run_watches_a_plain_script_and_has_delivered_when_it_returns(
    line: SparkLine, tmp_path: Path
) -> None:
    environment = defaults(tmp_path, spark__headwater__python=str(brain(tmp_path, RECORDS)))
    job = script(tmp_path, f"{WRITES}\nprint('arguments', sys.argv[1:])", stop=False)
    done = run(line, tmp_path, job, "a", "b c", environment=environment)

    assert done.code == 0, done.output
    assert "arguments ['a', 'b c']" in done.output
    assert kinds(tmp_path) == LIFE
    assert frames(tmp_path)[0]["versions"]["headwater"]


@pytest.mark.slow
def test_run_keeps_what_the_user_configured_and_adds_to_it(tmp_path: Path) -> None:
    environment = defaults(
        tmp_path,
        spark__headwater__python=str(brain(tmp_path, RECORDS)),
        spark__extraListeners=USERS_LISTENER,
        spark__sql__shuffle__partitions="3",
    )
    body = f"{WRITES}\nprint([spark.conf.get(k) for k in ('spark.extraListeners', 'spark.sql.shuffle.partitions')])"
    done = run(SPARK_4, tmp_path, script(tmp_path, body), environment=environment)

    assert done.code == 0, done.output
    assert f"['{USERS_LISTENER},io.headwater.spark.HeadwaterListener', '3']" in done.output
    assert kinds(tmp_path) == LIFE


@pytest.mark.slow
def test_run_watches_a_script_that_sets_its_own_listeners_and_jars(tmp_path: Path) -> None:
    environment = defaults(tmp_path, spark__headwater__python=str(brain(tmp_path, RECORDS)))
    job = script(tmp_path, WRITES, {"spark.extraListeners": USERS_LISTENER, "spark.jars": ""})
    done = run(SPARK_4, tmp_path, job, environment=environment)

    assert done.code == 0, done.output
    assert "execution-end" in kinds(tmp_path)


@pytest.mark.slow
def test_run_leaves_a_script_alone_that_brings_its_own_configuration_directory(tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    body = script(tmp_path, f"{WRITES}\nprint('job done')").read_text("utf-8")
    job.write_text(f"import os\nos.environ['SPARK_CONF_DIR'] = {str(tmp_path)!r}\n{body}", "utf-8")
    done = run(SPARK_4, tmp_path, job)

    assert done.code == 0, done.output
    assert "job done" in done.output


@pytest.mark.parametrize(("ending", "code"), [("sys.exit(7)", 7), ("os.kill(os.getpid(), 9)", 137)])
def test_run_returns_the_scripts_exit_code(ending: str, code: int, tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    job.write_text(f"import os, sys\n{ending}", "utf-8")

    assert run(SPARK_4, tmp_path, job).code == code


def test_run_hands_on_the_signal_that_would_have_ended_it(tmp_path: Path) -> None:
    job, ready = tmp_path / "job.py", tmp_path / "ready"
    job.write_text(f"import pathlib, time\npathlib.Path({str(ready)!r}).touch()\ntime.sleep(60)", "utf-8")
    program = tmp_path / "program.py"
    program.write_text(
        f"import sys\nfrom headwater_spark.activation.run import run_script\nsys.exit(run_script({str(job)!r}))",
        "utf-8",
    )
    with subprocess.Popen([str(SPARK_4.python), str(program)], env=surroundings()) as process:
        wait_for(ready.exists)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 128 + signal.SIGTERM


def test_run_hands_on_a_signal_that_arrives_while_the_script_is_started(tmp_path: Path) -> None:
    job, program = tmp_path / "job.py", tmp_path / "program.py"
    job.write_text("import time\ntime.sleep(60)", "utf-8")
    program.write_text(
        f"""
import os, signal, subprocess, sys
from headwater_spark.activation import run

class Interrupted(subprocess.Popen):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        os.kill(os.getpid(), signal.SIGTERM)

run.subprocess.Popen = Interrupted
sys.exit(run.run_script({str(job)!r}))
""",
        "utf-8",
    )
    with subprocess.Popen([str(SPARK_4.python), str(program)], env=surroundings()) as process:
        assert process.wait(30) == 128 + signal.SIGTERM


@pytest.mark.slow
def test_run_says_where_events_go(tmp_path: Path) -> None:
    environment = defaults(tmp_path, spark__headwater__python=str(brain(tmp_path, RECORDS)))
    job = script(tmp_path, WRITES)
    text = f"from headwater_spark.activation.run import run_script\nrun_script({str(job)!r}, events='events.ndjson')"
    done = python_text(SPARK_4, tmp_path, text, environment)

    assert done.code == 0, done.output
    conf = frames(tmp_path)[0]["conf"]
    assert conf["spark.openlineage.transport.type"] == "file"
    assert conf["spark.openlineage.transport.location"] == str(tmp_path / "events.ndjson")


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_configure_switches_the_agent_on_beside_what_the_builder_had(line: SparkLine, tmp_path: Path) -> None:
    text = f"""
from pyspark.sql import SparkSession
import headwater_spark
builder = SparkSession.builder.master("local[1]").config("spark.extraListeners", {USERS_LISTENER!r})
builder = builder.config("spark.headwater.python", {str(brain(tmp_path, RECORDS))!r})
spark = headwater_spark.configure(builder, url="http://localhost:1").getOrCreate()
{WRITES}
spark.stop()
"""
    done = python_text(line, tmp_path, text)

    assert done.code == 0, done.output
    assert kinds(tmp_path) == LIFE
    conf = frames(tmp_path)[0]["conf"]
    assert conf["spark.openlineage.transport.url"] == "http://localhost:1"
    assert "StatsReportListener" not in str(conf)


@pytest.mark.slow
def test_configure_works_for_a_second_session_of_the_same_process(tmp_path: Path) -> None:
    text = f"""
from pyspark.sql import SparkSession
import headwater_spark
plain = lambda: SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
plain().getOrCreate().stop()
for _ in range(2):
    builder = plain().config("spark.headwater.python", {str(brain(tmp_path, RECORDS))!r})
    spark = headwater_spark.configure(builder).getOrCreate()
    {WRITES}
    spark.stop()
"""
    done = python_text(SPARK_4, tmp_path, text)

    assert done.code == 0, done.output
    assert kinds(tmp_path) == LIFE * 2


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_attach_watches_a_running_session_from_then_on_and_once(line: SparkLine, tmp_path: Path) -> None:
    text = f"""
from pyspark.sql import SparkSession
import headwater_spark, headwater_spark.activation.session
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.headwater.python", "unused").getOrCreate()
{WRITES}
own = {{"spark.headwater.python": {str(brain(tmp_path, RECORDS))!r}}}
headwater_spark.activation.session.interpreter_conf = lambda: own
print("attached", headwater_spark.attach(spark), headwater_spark.attach(spark.newSession()))
{WRITES}
spark.stop()
"""
    done = python_text(line, tmp_path, text)

    assert done.code == 0, done.output
    assert "attached True False" in done.output
    assert kinds(tmp_path) == LIFE
    assert frames(tmp_path)[0]["application"]["id"].startswith("local-")


def test_being_switched_on_twice_reports_nothing_twice(tmp_path: Path) -> None:
    text = f"""
from pyspark.sql import SparkSession
import headwater_spark
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.headwater.python", {str(brain(tmp_path, RECORDS))!r})
builder = headwater_spark.configure(builder)
builder = builder.config("spark.extraListeners", ",".join(["io.headwater.spark.HeadwaterListener"] * 2))
spark = builder.getOrCreate()
headwater_spark.attach(spark)
{WRITES}
spark.stop()
"""
    done = python_text(SPARK_4, tmp_path, text)

    assert done.code == 0, done.output
    assert kinds(tmp_path) == LIFE


def printed(folder: Path, own: str = "", jar: Path = JAR) -> dict[str, str]:
    """An environment whose ``spark-defaults.conf`` is the user's with the agent put into it."""
    file = folder / "conf" / "spark-defaults.conf"
    file.parent.mkdir()
    file.write_text(own, "utf-8")
    settings = {**spark_conf(python=str(brain(folder, RECORDS))), CLASS_PATH_KEY: str(jar)}
    put_into(file, settings)
    return {"SPARK_CONF_DIR": str(file.parent)}


def spark(
    line: SparkLine, folder: Path, program: str, *arguments: str, stdin: str = "", **environment: str
) -> Outcome:
    """A program of Spark's ``bin``."""
    done = subprocess.run(
        [f"{spark_home(line)}/bin/{program}", "--master", "local[1]", *arguments],
        env={**surroundings(), **short_lived(line), **environment, "PYSPARK_PYTHON": str(line.python)},
        cwd=folder,
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=180,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, 0)


def empty_jar(folder: Path) -> str:
    with zipfile.ZipFile(folder / "users.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
    return str(folder / "users.jar")


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_nothing_that_a_user_sets_beside_the_printed_settings_switches_the_agent_off(
    line: SparkLine, tmp_path: Path
) -> None:
    users, class_path = empty_jar(tmp_path), f"{spark_home(line)}/jars/*:/nowhere"
    environment = printed(
        tmp_path,
        f"spark.jars {users}\nspark.driver.extraClassPath {class_path}\nspark.extraListeners {USERS_LISTENER}\n",
    )
    job = script(tmp_path, f"{WRITES}\nprint(spark.conf.get('spark.extraListeners'))", {"spark.jars": users})
    replaced = [
        "--jars",
        users,
        "--conf",
        f"spark.extraListeners={USERS_LISTENER}",
        "--conf",
        "spark.plugins=",
    ]
    done = spark(line, tmp_path, "spark-submit", *replaced, str(job), **environment)

    assert done.code == 0, done.output
    assert kinds(tmp_path) == LIFE
    assert f"{USERS_LISTENER},io.headwater.spark.HeadwaterListener" in done.output


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
@pytest.mark.parametrize("way", ["--driver-class-path", "jar removed"])
@pytest.mark.slow
def test_a_job_that_does_not_find_the_jar_runs_unwatched(line: SparkLine, way: str, tmp_path: Path) -> None:
    environment = printed(tmp_path, jar=tmp_path / "gone" / JAR.name if way == "jar removed" else JAR)
    options = [way, empty_jar(tmp_path)] if way.startswith("--") else []
    job = script(tmp_path, f"{WRITES}\nprint('job done')")
    done = spark(line, tmp_path, "spark-submit", *options, str(job), **environment)

    assert done.code == 0, done.output
    assert "job done" in done.output
    assert not frames(tmp_path)


@pytest.mark.slow
def test_another_properties_file_leaves_the_agent_out(tmp_path: Path) -> None:
    environment = printed(tmp_path)
    (tmp_path / "own.conf").write_text("spark.a 1\n")
    job = script(tmp_path, f"{WRITES}\nprint('job done')")
    done = spark(SPARK_35, tmp_path, "spark-submit", "--properties-file", "own.conf", str(job), **environment)

    assert done.code == 0, done.output
    assert not frames(tmp_path)


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
@pytest.mark.slow
def test_the_printed_settings_watch_the_python_shell(line: SparkLine, tmp_path: Path) -> None:
    options = ["--conf", "spark.ui.enabled=false", "--jars", empty_jar(tmp_path)]
    interactive = {"PYSPARK_DRIVER_PYTHON_OPTS": "-i", **printed(tmp_path)}
    done = spark(line, tmp_path, "pyspark", *options, stdin=f"{WRITES}\n", **interactive)

    assert done.code == 0, done.output
    assert "execution-end" in kinds(tmp_path)


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
@pytest.mark.slow
def test_the_printed_settings_watch_spark_sql(line: SparkLine, tmp_path: Path) -> None:
    options = [
        "--conf",
        "spark.ui.enabled=false",
        "--conf",
        f"spark.sql.warehouse.dir={tmp_path / 'warehouse'}",
    ]
    statement = "create table t using parquet as select 1 as a"
    metastore = (
        f"spark.hadoop.javax.jdo.option.ConnectionURL=jdbc:derby:;databaseName={tmp_path / 'm'};create=true"
    )
    options += ["--conf", metastore, "-e", statement]
    done = spark(line, tmp_path, "spark-sql", *options, **printed(tmp_path))

    assert done.code == 0, done.output
    assert "execution-end" in kinds(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=str)
def test_the_printed_settings_watch_a_cluster_of_several_processes(line: SparkLine, tmp_path: Path) -> None:
    environment = printed(tmp_path)
    job = script(tmp_path, WRITES, {"spark.master": "local-cluster[1,1,1024]"})
    done = python(line, job, environment={**environment, "SPARK_HOME": spark_home(line)})

    assert done.code == 0, done.output
    assert kinds(tmp_path) == LIFE


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
@pytest.mark.parametrize(
    "replaced",
    ["spark.jars", "spark.driver.extraClassPath", "spark.extraListeners"],
)
@pytest.mark.slow
def test_configure_survives_what_is_set_behind_it(line: SparkLine, replaced: str, tmp_path: Path) -> None:
    value = USERS_LISTENER if replaced == "spark.extraListeners" else empty_jar(tmp_path)
    text = f"""
from pyspark.sql import SparkSession
import headwater_spark
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.headwater.python", {str(brain(tmp_path, RECORDS))!r})
spark = headwater_spark.configure(builder).config({replaced!r}, {value!r}).getOrCreate()
{WRITES}
spark.stop()
"""
    done = python_text(line, tmp_path, text)

    assert done.code == 0, done.output
    assert kinds(tmp_path) == LIFE


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=str)
def test_configure_works_in_a_program_that_spark_submit_started(line: SparkLine, tmp_path: Path) -> None:
    text = f"""
from pyspark.sql import SparkSession
import headwater_spark
builder = SparkSession.builder.config("spark.headwater.python", {str(brain(tmp_path, RECORDS))!r})
spark = headwater_spark.configure(builder).getOrCreate()
{WRITES}
spark.stop()
"""
    (tmp_path / "job.py").write_text(text)
    done = spark(line, tmp_path, "spark-submit", "--conf", "spark.ui.enabled=false", "job.py")

    assert done.code == 0, done.output
    assert kinds(tmp_path) == LIFE


def test_the_library_can_be_imported_without_spark(tmp_path: Path) -> None:
    text = "import sys\nsys.modules['pyspark'] = None\nimport headwater_spark, headwater_spark.activation.session"

    assert python_text(SPARK_4, tmp_path, text, {"PATH": os.environ["PATH"]}).code == 0
