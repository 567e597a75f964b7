"""An event that is redirected, as to a login page that says 200, is not delivered: it stays, and that is message."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from headwater_spark.delivery import backlog
from headwater_spark.delivery.outbox import Outbox
from headwater_spark.delivery.transport_settings import PREFIX
from headwater_spark.emit.events import started
from kit.executions import execution
from kit.receiver import Receiver

SECRET = "s3cret"


def outbox_to(url: str, folder: Path, **more: str) -> Outbox:
    return Outbox.from_conf(
        {f"{PREFIX}type": "http", f"{PREFIX}url": url, "spark.headwater.spool.dir": str(folder), **more}
    )


def emit_one(outbox: Outbox) -> None:
    outbox.emit(started(execution()))


@pytest.mark.parametrize("status", [302, 304, 307])
def test_a_redirect_is_not_followed_and_the_event_waits(
    tmp_path: Path, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    with Receiver() as elsewhere:
        place = (
            f"http://user:{SECRET}@127.0.0.1:{elsewhere.port}/login;jsessionid={SECRET}?to={SECRET}#{SECRET}"
        )
        with Receiver(lambda _: status, headers={"Location": place}) as receiver:
            outbox = outbox_to(receiver.url, tmp_path)
            with caplog.at_level(logging.WARNING):
                emit_one(outbox)
                assert outbox.flush(10) == 1
                outbox.close()
            assert (elsewhere.pages, elsewhere.events, receiver.events) == (0, [], [])
            (found,) = backlog.pending({"spark.headwater.spool.dir": str(tmp_path)})
            assert (found.waiting, found.rejected) == (1, 0)
            (message,) = caplog.messages
            assert f"(HTTP {status}, a redirect to http://127.0.0.1:{elsewhere.port}/login)" in message
            assert SECRET not in message

            receiver.answer, receiver.headers = (lambda _: 200), {}
            assert [
                p.waiting for p in backlog.flush_all({"spark.headwater.spool.dir": str(tmp_path)}, 10)
            ] == [0]
    assert len(receiver.events) == 1


def test_a_login_page_on_the_receivers_own_host_takes_no_event(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Receiver(lambda _: 302, headers={"Location": "/login?next=x"}) as receiver:
        outbox = outbox_to(receiver.url, tmp_path)
        emit_one(outbox)
        assert outbox.flush(10) == 1
        outbox.close()
    assert receiver.pages == 0
    assert "HTTP 302, a redirect to /login)" in caplog.text


@pytest.mark.parametrize("status", [200, 201, 202, 204, 206])
def test_any_success_is_a_delivery(tmp_path: Path, status: int) -> None:
    with Receiver(lambda _: status) as receiver:
        outbox = outbox_to(receiver.url, tmp_path)
        emit_one(outbox)
        assert outbox.flush(10) == 0
        outbox.close()
    assert len(receiver.events) == 1
