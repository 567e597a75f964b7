"""At most one warning for each problem of a receiver; further messages are at level INFO."""

from __future__ import annotations

import logging

import pytest

from headwater_spark.delivery import delivery_health
from headwater_spark.delivery.delivery_health import DeliveryHealth, LossLog


def levels(caplog: pytest.LogCaptureFixture) -> list[int]:
    return [record.levelno for record in caplog.records]


@pytest.fixture(autouse=True)
def all_levels_are_captured(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


def test_a_short_problem_is_reported_at_the_end_with_its_result(caplog: pytest.LogCaptureFixture) -> None:
    health = DeliveryHealth("http receiver")
    health.add_problem("away", "it accepts no events (ConnectionError)")
    health.add_problem("away", "it accepts no events (HTTP 500)")
    assert caplog.messages == []
    health.report(["3 events wait in /spool"])
    assert caplog.messages == [
        "http receiver: it accepts no events (ConnectionError); 3 events wait in /spool",
    ]
    assert levels(caplog) == [logging.WARNING]


def test_a_problem_that_is_cleared_is_not_reported(caplog: pytest.LogCaptureFixture) -> None:
    health = DeliveryHealth("http receiver")
    health.add_problem("away", "it accepts no events")
    health.clear("away")
    health.clear("away")
    health.report()
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("lost", "last"), [((), logging.INFO), (("2 events are lost",), logging.WARNING)], ids=["kept", "lost"]
)
def test_a_long_problem_is_reported_at_once_and_is_a_warning_again_only_if_events_are_lost(
    lost: tuple[str, ...], last: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery_health, "LONG", -1.0)
    health = DeliveryHealth("http receiver")
    health.add_problem("away", "it accepts no events")
    health.add_problem("away", "it accepts no events")
    assert levels(caplog) == [logging.WARNING]
    health.report(["3 events wait"], lost)
    assert levels(caplog) == [logging.WARNING, last]


def test_the_first_loss_of_an_application_is_the_warning(caplog: pytest.LogCaptureFixture) -> None:
    loss_log = LossLog()
    for execution in (1, 2, 3):
        loss_log.report("the event of execution %d is incomplete", execution)
    assert levels(caplog) == [logging.WARNING, logging.INFO, logging.INFO]
    assert caplog.messages[0] == "the event of execution 1 is incomplete"
