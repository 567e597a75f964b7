"""No credential leaves in an event, wherever a program has put it; and no constant where they are to be hidden."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from headwater_facets.kinds import IncompleteReason, OperatorType
from headwater_spark.capture.execution import Outcome
from headwater_spark.emit import events
from headwater_spark.redaction import hide_message, hide_trace, redact
from headwater_spark.tracing.result import Condition, Gap, Generated, Operator, Read, Target
from kit.executions import COMMAND, TWEETS, execution, plan_lineage, wire
from kit.redaction import HARMLESS, NASTY, SECRET


@pytest.mark.parametrize("text", NASTY)
def test_credentials_are_taken_out(text: str) -> None:
    shown = redact(text)
    assert SECRET not in shown
    assert "***" in shown
    assert redact(shown).count("***") == shown.count("***"), "a second time changes nothing"


@pytest.mark.parametrize("text", HARMLESS)
def test_what_holds_none_stays(text: str) -> None:
    assert redact(text) == text


def test_what_is_around_a_credential_stays() -> None:
    shown = redact("jdbc:postgresql://ada:hunter2@db:5432/shop?password=hunter2&ssl=true")
    assert shown == "jdbc:postgresql://***@db:5432/shop?password=***&ssl=true"


PARTS = [
    "a", "password", "password ", "password='", "://", "x=token", "://a:", "http://a", "jdbc:oracle:thin:a/",
    "eyJabcdef.", "'", '"\\', "/*", "`", "1.", "bearer ", "-----BEGIN PRIVATE KEY-----",
]  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
def test_no_text_takes_long(part: str) -> None:
    text = part * (100_000 // len(part)) + " token"
    began = time.process_time()
    redact(text)
    hide_trace(text)
    assert time.process_time() - began < 5


def story(text: str, **conf: str) -> str:
    """Both events of an execution that has the text in every place that a program can put it."""
    lineage = plan_lineage(
        reads=(Read(0, {"kind": "files", "roots": ["file:/in/tweets"], "format": "json"}, TWEETS),),
        target=Target(3, {"kind": "jdbc", "url": text, "dbtable": "t", "mode": "append"}, COMMAND, TWEETS),
        generated=(Generated(("at",), text),),
        incomplete=(Gap(IncompleteReason.ERROR, text),),
        operators=(Operator(0, OperatorType.READ, (), text),),
        conditions=(
            Condition(0, "FILTER", {"op": "=", "args": [{"literal": text, "type": "string"}, {"opaque": text}]}, text),
        ),
    )  # fmt: skip
    run = execution(lineage, **conf)
    error = {"class": "x.Failure", "message": text, "stackTrace": f"x.Failure: {text}\n\tat x.Y.z(Y.java:1)"}
    object.__setattr__(run, "sql", text)
    outcome = Outcome(1_767_225_602_000, error=error)
    return json.dumps([wire(events.started(run)), wire(events.ended(run, outcome))])


@pytest.mark.parametrize("text", NASTY)
def test_an_event_holds_none_wherever_it_came_from(text: str) -> None:
    assert SECRET not in story(text)


CAST = {
    "class": "org.apache.spark.SparkException",
    "message": "[CAST_INVALID_INPUT] The value 'ada' of the type \"STRING\" cannot be cast.",
    "condition": "CAST_INVALID_INPUT",
}


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        ({**CAST, "template": "The value <expression>."}, "[CAST_INVALID_INPUT] The value <expression>."),
        (CAST, "[CAST_INVALID_INPUT] the message is hidden"),
        ({"class": "ValueError", "message": "no ada here"}, "ValueError: the message is hidden"),
        ({"class": "ValueError", "message": "[ADA] looks like a condition"}, "ValueError: the message is hidden"),
        ({"message": "ada"}, "error: the message is hidden"),
        (
            {"class": "x.Failed", "message": "Traceback:\n  at ada\nZeroDivisionError: ada"},
            "x.Failed, caused by ZeroDivisionError: the message is hidden",
        ),
    ],
)  # fmt: skip
def test_a_message_without_values_keeps_its_template(error: dict[str, str], shown: str) -> None:
    assert hide_message(error) == shown


def test_a_trace_without_messages_keeps_its_frames() -> None:
    trace = (
        "org.apache.spark.SparkException: no ada\n\tat a.B.c(B.java:1)\nCaused by: java.lang.Error: ada\n"
        'Traceback (most recent call last):\n  File "job.py", line 3, in f\n    raise X("ada")\n'
        'ValueError: ada\n\t... 3 more\n\tat ada lovelace(\n  File "ada'
    )
    assert hide_trace(trace) == (
        "org.apache.spark.SparkException\n\tat a.B.c(B.java:1)\nCaused by: java.lang.Error\n"
        '  File "job.py", line 3, in f\nValueError\n\t... 3 more'
    )


def test_constants_of_values_are_in_no_text_of_an_event() -> None:
    shown = story("SELECT 'hunter2'")
    (start, end) = json.loads(shown)
    assert end["job"]["facets"]["sql"]["query"] == "SELECT <string>"
    message: dict[str, Any] = end["run"]["facets"]["errorMessage"]
    assert (message["message"], message["stackTrace"]) == (
        "x.Failure: the message is hidden",
        "x.Failure\n\tat x.Y.z(Y.java:1)" if "x.Failure" in message["stackTrace"] else "\tat x.Y.z(Y.java:1)",
    )
    assert start["eventType"] == "START"
