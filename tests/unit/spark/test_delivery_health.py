"""One line of warning for one trouble, whatever it grows into; the rest is there at level INFO."""

from __future__ import annotations

import logging

import pytest

from headwater_spark.delivery import delivery_health
from headwater_spark.delivery.delivery_health import Losses, Trouble


def levels(caplog: pytest.LogCaptureFixture) -> list[int]:
    return [record.levelno for record in caplog.records]


@pytest.fixture(autouse=True)
def everything_is_heard(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


def test_short_trouble_is_said_at_the_end_with_what_became_of_it(caplog: pytest.LogCaptureFixture) -> None:
    at = Trouble("http there")
    at.note("away", "it takes no events (ConnectionError)")
    at.note("away", "it takes no events (HTTP 500)")
    assert caplog.messages == []
    at.settle(["3 events wait in /spool"])
    assert caplog.messages == [
        "http there: it takes no events (ConnectionError); 3 events wait in /spool",
    ]
    assert levels(caplog) == [logging.WARNING]


def test_trouble_that_is_over_is_not_said(caplog: pytest.LogCaptureFixture) -> None:
    at = Trouble("http there")
    at.note("away", "it takes no events")
    at.over("away")
    at.over("away")
    at.settle()
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("lost", "last"), [((), logging.INFO), (("2 events are lost",), logging.WARNING)], ids=["kept", "lost"]
)
def test_long_trouble_is_said_at_once_and_again_only_when_something_is_lost(
    lost: tuple[str, ...], last: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery_health, "LONG", -1.0)
    at = Trouble("http there")
    at.note("away", "it takes no events")
    at.note("away", "it takes no events")
    assert levels(caplog) == [logging.WARNING]
    at.settle(["3 events wait"], lost)
    assert levels(caplog) == [logging.WARNING, last]


def test_the_first_loss_of_an_application_is_the_warning(caplog: pytest.LogCaptureFixture) -> None:
    losses = Losses()
    for execution in (1, 2, 3):
        losses.say("the event of execution %d is incomplete", execution)
    assert levels(caplog) == [logging.WARNING, logging.INFO, logging.INFO]
    assert caplog.messages[0] == "the event of execution 1 is incomplete"
