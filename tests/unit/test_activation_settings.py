"""The settings that switch the agent on, and how they live beside the user's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import headwater_spark
from headwater_spark.activation import agent_settings, defaults


def test_the_printed_settings_name_jar_class_interpreter_and_receiver(tmp_path: Path) -> None:
    conf = agent_settings.spark_conf(events=tmp_path / "events.ndjson", python="/opt/python")

    assert conf["spark.driver.extraClassPath"].endswith("headwater-spark.jar")
    assert conf["spark.metrics.conf.driver.source.headwater.class"] == agent_settings.SOURCE
    assert conf["spark.headwater.python"] == "/opt/python"
    assert conf["spark.openlineage.transport.type"] == "file"
    assert conf["spark.openlineage.transport.location"] == str(tmp_path / "events.ndjson")


def test_a_relative_events_file_is_made_absolute() -> None:
    conf = agent_settings.transport_conf(events="events.ndjson")

    assert conf["spark.openlineage.transport.location"] == str(Path.cwd() / "events.ndjson")


def test_a_url_is_an_http_transport() -> None:
    conf = agent_settings.transport_conf(url="http://localhost:5000")

    assert conf == {
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": "http://localhost:5000",
    }


def test_events_cannot_go_to_a_file_and_to_a_url() -> None:
    with pytest.raises(ValueError, match="not both"):
        agent_settings.transport_conf(events="a", url="http://b")


@pytest.mark.parametrize(
    ("known", "result"),
    [(None, "ours"), ("", "ours"), ("theirs", "theirs,ours"), (" theirs , ours ", "theirs,ours")],
)
def test_our_entry_joins_the_users_list_once(known: str | None, result: str) -> None:
    assert agent_settings.joined(known, "ours") == result


def test_no_printed_setting_can_end_a_job_that_does_not_find_the_jar() -> None:
    deadly = {"spark.extraListeners", "spark.plugins", "spark.sql.queryExecutionListeners", "spark.jars"}

    assert not deadly & agent_settings.spark_conf(url="http://localhost:1").keys()


def test_settings_survive_being_written_and_read_as_properties() -> None:
    conf = {"spark.a": "C:\\jars\\x.jar", "spark.b": "two words"}

    assert defaults.properties("\n".join(agent_settings.as_lines(conf))) == conf


def test_properties_are_read_as_java_reads_them() -> None:
    text = "# a comment\n! another\n\nspark.a  1\nspark.b=2\nspark.c : 3\nspark.d\nspark.a 4\n"

    assert defaults.properties(text) == {"spark.a": "4", "spark.b": "2", "spark.c": "3", "spark.d": ""}


def test_lines_go_on_behind_a_backslash_and_count_from_where_they_begin() -> None:
    text = "spark.a one,\\\r\n   two\\\n\n # no comment\\\\\nspark\\:b\\u0021 \\t\\x\n"

    assert list(defaults.entries(text)) == [
        defaults.Entry(1, 3, "spark.a", "one,two"),
        defaults.Entry(5, 5, "spark:b!", "x"),
    ]


def test_a_line_that_java_cannot_read_is_named_by_its_number() -> None:
    with pytest.raises(defaults.MalformedLineError, match="line 2 "):
        defaults.properties("spark.a 1\nspark.b \\u12\n")


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        ("pyspark-shell", {}),
        ("", {}),
        ("--conf spark.a=1 --conf=spark.b=x=y -c spark.c='two words' pyspark-shell",
         {"spark.a": "1", "spark.b": "x=y", "spark.c": "two words"}),
        ("--jars a.jar,b.jar pyspark-shell", {"spark.jars": "a.jar,b.jar"}),
        ("--driver-class-path=a.jar:b", {"spark.driver.extraClassPath": "a.jar:b"}),
        ("--conf 'unfinished", {}),
    ],
)  # fmt: skip
def test_submit_arguments_are_known(arguments: str, settings: dict[str, str]) -> None:
    assert defaults.submitted({"PYSPARK_SUBMIT_ARGS": arguments}) == settings


def test_submit_arguments_outrank_the_defaults_file(tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text("spark.a 1\nspark.b 1\n", "utf-8")
    environment = {"SPARK_CONF_DIR": str(tmp_path), "PYSPARK_SUBMIT_ARGS": "--conf spark.b=2 pyspark-shell"}

    assert defaults.known(environment) == {"spark.a": "1", "spark.b": "2"}


def test_a_configuration_directory_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert defaults.defaults({"SPARK_CONF_DIR": str(tmp_path / "nowhere")}) == {}


def test_the_library_shows_its_functions_without_importing_them() -> None:
    asked = "import headwater_spark, sys; print(dir(headwater_spark), 'pyspark' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout

    assert all(f"'{name}'" in shown for name in headwater_spark.__all__)
    assert shown.endswith("False\n")
