from __future__ import annotations

import logging
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from openlineage.client.transport.file import FileTransport
from openlineage.client.transport.http import HttpTransport

from headwater_spark.delivery.destination import Destination
from headwater_spark.delivery.transport_settings import destinations
from headwater_spark.emit.events import started
from kit.executions import execution
from kit.receiver import Receiver

HTTP = {"spark.openlineage.transport.type": "http", "spark.openlineage.transport.url": "http://ol:5000"}
SECRET = "s3cret"


@pytest.fixture(autouse=True)
def no_configuration_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENLINEAGE_URL", "OPENLINEAGE_CONFIG", "OPENLINEAGE_DISABLED", "OPENLINEAGE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HEADWATER_API_KEY", "HEADWATER_API_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def only(conf: dict[str, str]) -> Destination:
    (destination,) = destinations(conf)
    return destination


def test_an_http_receiver_is_configured_with_the_official_agents_keys() -> None:
    transport = only(
        {
            **HTTP,
            "spark.openlineage.transport.endpoint": "/api/v2/lineage",
            "spark.openlineage.transport.timeoutInMillis": "1500",
            "spark.openlineage.transport.auth.type": "api_key",
            "spark.openlineage.transport.auth.apiKey": SECRET,
            "spark.openlineage.transport.headers.X-Team.Name": "growth",
            "spark.openlineage.transport.urlParams.tenant": "a b",
            "spark.openlineage.transport.compression": "gzip",
        }
    ).open()
    assert isinstance(transport, HttpTransport)
    assert (transport.url, transport.endpoint) == ("http://ol:5000", "/api/v2/lineage?tenant=a+b")
    assert (transport.timeout, str(transport.compression and transport.compression.value)) == (1.5, "gzip")
    assert transport.config.custom_headers == {"X-Team.Name": "growth"}
    assert transport.config.auth.get_bearer() == f"Bearer {SECRET}"
    assert transport.config.retry["total"] == 0


def test_the_key_of_the_environment_goes_to_the_one_receiver_that_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    conf = {**HTTP, "spark.headwater.apiKey.receiver": "http://ol:5000"}
    assert "auth" not in only(conf).config
    monkeypatch.setenv("HEADWATER_API_KEY_FILE", str(tmp_path / "key"))
    (tmp_path / "key").write_text("from a file\n", "utf-8")
    assert only(conf).config["auth"] == {"type": "api_key", "apiKey": "from a file"}
    monkeypatch.setenv("HEADWATER_API_KEY", SECRET)
    assert only(conf).config["auth"]["apiKey"] == SECRET
    own = {**conf, "spark.openlineage.transport.auth.apiKey": "its own"}
    assert only(own).config["auth"]["apiKey"] == "its own"
    elsewhere = {**conf, "spark.openlineage.transport.url": "http://elsewhere:5000"}
    assert "auth" not in only(elsewhere).config
    assert "auth" not in only(HTTP).config


def test_an_http_receivers_defaults_are_the_official_agents() -> None:
    transport = only(HTTP).open()
    assert isinstance(transport, HttpTransport)
    assert transport.endpoint == "api/v1/lineage"
    with_path = only({**HTTP, "spark.openlineage.transport.url": "http://ol:5000/my/place"}).open()
    assert isinstance(with_path, HttpTransport)
    assert with_path.endpoint == "my/place"


def test_a_file_is_appended_to(tmp_path: Path) -> None:
    conf = {
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(tmp_path / "events.ndjson"),
    }
    transport = only(conf).open()
    assert isinstance(transport, FileTransport)
    assert transport.config.append is True


def test_kafka_keeps_the_dots_of_its_properties() -> None:
    conf = {
        "spark.openlineage.transport.type": "kafka",
        "spark.openlineage.transport.topicName": "lineage",
        "spark.openlineage.transport.messageKey": "k",
        "spark.openlineage.transport.properties.bootstrap.servers": "b:9092",
    }
    config = only(conf).config
    assert config == {
        "type": "kafka",
        "topic": "lineage",
        "messageKey": "k",
        "config": {"bootstrap.servers": "b:9092"},
    }


def test_a_composite_is_a_destination_for_each_of_its_transports(tmp_path: Path) -> None:
    conf = {
        "spark.openlineage.transport.type": "composite",
        "spark.openlineage.transport.continueOnFailure": "true",
        "spark.openlineage.transport.transports.first.type": "http",
        "spark.openlineage.transport.transports.first.url": "http://ol:5000",
        "spark.openlineage.transport.transports.second.type": "file",
        "spark.openlineage.transport.transports.second.location": str(tmp_path / "e.ndjson"),
    }
    assert [d.kind for d in destinations(conf)] == ["http", "file"]
    fail_over = {**conf, "spark.openlineage.transport.continueOnSuccess": "false"}
    assert [d.kind for d in destinations(fail_over)] == ["composite"]


def test_without_keys_the_clients_own_configuration_decides(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert destinations({}) == ()
    (tmp_path / "openlineage.yml").write_text("transport:\n  type: http\n  url: http://yml:5000\n")
    assert only({}).public["url"] == "http://yml:5000"
    (tmp_path / "openlineage.yml").unlink()
    monkeypatch.setenv("OPENLINEAGE_URL", "http://env:5000")
    assert only({}).public["url"] == "http://env:5000"


@pytest.mark.parametrize("kind", ["noop", "composite"])
def test_a_transport_to_nowhere_is_no_destination(kind: str) -> None:
    assert destinations({"spark.openlineage.transport.type": kind}) == ()


def test_switched_off_means_no_destination(monkeypatch: pytest.MonkeyPatch) -> None:
    assert destinations({**HTTP, "spark.openlineage.disabled": "true"}) == ()
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    assert destinations(HTTP) == ()


def test_secrets_are_not_shown_and_do_not_make_another_destination() -> None:
    plain, secret = (
        only(HTTP),
        only(
            {
                **HTTP,
                "spark.openlineage.transport.url": f"http://me:{SECRET}@ol:5000?key={SECRET}",
                "spark.openlineage.transport.auth.apiKey": SECRET,
                "spark.openlineage.transport.urlParams.code": SECRET,
            }
        ),
    )
    assert SECRET not in f"{secret!r} {secret.label} {secret.public}"
    assert secret.key == plain.key


def test_an_unknown_transport_raises_when_it_is_opened() -> None:
    destination = only({"spark.openlineage.transport.type": "kinesis"})
    with pytest.raises(ImportError):
        destination.open()


class Broker:
    """Stands in for confluent_kafka's producer, which needs a broker."""

    def __init__(self, error: object = None, unanswered: int = 0) -> None:
        self.sent: list[dict[str, Any]] = []
        self._error = error
        self._unanswered = unanswered

    def produce(self, **message: Any) -> None:
        self.sent.append(message)
        if not self._unanswered:
            message["on_delivery"](self._error, None)

    def flush(self, timeout: float) -> int:
        return self._unanswered

    def purge(self) -> None: ...


@pytest.mark.parametrize(
    ("broker", "raised"),
    [(Broker(), None), (Broker(error="refused"), ConnectionError), (Broker(unanswered=1), TimeoutError)],
)
def test_an_event_that_kafka_did_not_accept_is_not_delivered(
    monkeypatch: pytest.MonkeyPatch, broker: Broker, raised: type[Exception] | None
) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", SimpleNamespace(Producer=lambda _: broker))
    conf = {
        "spark.openlineage.transport.type": "kafka",
        "spark.openlineage.transport.topicName": "lineage",
        "spark.openlineage.transport.properties.bootstrap.servers": "b:9092",
    }
    transport, event = only(conf).open(), started(execution())
    if raised is None:
        transport.emit(event)
    else:
        with pytest.raises(raised):
            transport.emit(event)
    assert broker.sent[0]["key"] == "run:default/my_tweets"


def sent(receiver: Receiver, count: int = 3) -> list[str | None]:
    """How the bodies of so many events came."""
    transport = only({**HTTP, "spark.openlineage.transport.url": receiver.url}).open()
    for _ in range(count):
        transport.emit(started(execution()))
    assert len(receiver.events) == count
    return [headers.get("Content-Encoding") for _, headers in receiver.requests]


def test_a_receiver_that_accepts_gzip_gets_it_from_then_on() -> None:
    with Receiver(headers={"Accept-Encoding": "br, gzip"}) as receiver:
        assert sent(receiver) == [None, "gzip", "gzip"]


def test_other_receivers_get_uncompressed_events() -> None:
    with Receiver() as receiver:
        assert sent(receiver) == [None, None, None]


def test_a_receiver_that_rejects_gzip_after_all_gets_every_event_uncompressed() -> None:
    class Mistaken(Receiver):
        def take(self, event: dict[str, Any], headers: dict[str, str]) -> int:
            self.answer = lambda _: 415 if "Content-Encoding" in headers else 201
            return super().take(event, headers)

    with Mistaken(headers={"Accept-Encoding": "gzip"}) as receiver:
        assert sent(receiver) == [None, "gzip", None, None]


def test_messages_of_librdkafka_are_logged_and_are_no_warnings(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("headwater_spark.delivery.transports.KAFKA_TIMEOUT", 1.0)
    conf = {
        "spark.openlineage.transport.type": "kafka",
        "spark.openlineage.transport.topicName": "lineage",
        "spark.openlineage.transport.properties.bootstrap.servers": "127.0.0.1:9",
    }
    with caplog.at_level(logging.INFO), pytest.raises(TimeoutError):
        only(conf).open().emit(started(execution()))

    records = [each for each in caplog.records if each.name.endswith("librdkafka")]
    assert records
    assert {each.levelno for each in records} == {logging.INFO}
    assert capfd.readouterr() == ("", "")
