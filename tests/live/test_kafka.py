"""Events out of a real Kafka broker: all of them, none twice, whatever ends the process in between."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from kit.command import headwater, program, surroundings
from kit.kafka import Broker
from kit.openlineage import columns, dataset, digest, event

GROUP = "headwater"
WAIT_SECONDS = 60.0


def written(number: int) -> dict[str, Any]:
    output = dataset(f"out {number % 7}", columnLineage=columns({"x": [("in", f"c{number % 5}")]}))
    return event(
        "COMPLETE", number, f"run {number}", [dataset("in", "x")], [output], job=f"job {number % 11}"
    )


def messages(events: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(each).encode() for each in events]


@contextmanager
def consuming(broker: Broker, topic: str, folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-u", "-m", "headwater_cli", "consume", "--bootstrap-servers", broker.servers]
    named = ["--topic", topic, "--store", f"sqlite:///{folder}/lineage.db", *options]
    with subprocess.Popen(
        [*command, *named], env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def await_committed(broker: Broker, topic: str, count: int) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while broker.committed(GROUP, topic) < count:
        assert time.monotonic() < deadline, f"{broker.committed(GROUP, topic)} of {count} are committed"
        time.sleep(0.05)


def digest_of(url: str, events: list[dict[str, Any]] | None = None) -> str:
    with closing(open_store(url)) as store:
        assert all(outcome.stored for outcome in ingest(store, events or []))
        return digest(store)


def test_every_event_is_there_once_though_the_consumer_was_killed_again_and_again(
    kafka_broker: Broker, tmp_path: Path
) -> None:
    events = [written(number) for number in range(600)]
    topic = kafka_broker.topic(partitions=3)
    kafka_broker.send(topic, messages(events), keys=(str(number).encode() for number in range(600)))
    # A session that is short, so that the group does not wait long for the one that was killed.
    config = tmp_path / "kafka.properties"
    config.write_text("# for the test\nsession.timeout.ms = 1500\nheartbeat.interval.ms=300\n", "utf-8")
    options = ["--batch", "10", "--config", str(config)]
    for committed in (30, 150, 300):
        with consuming(kafka_broker, topic, tmp_path, *options) as process:
            await_committed(kafka_broker, topic, committed)
            process.send_signal(signal.SIGKILL)
    with consuming(kafka_broker, topic, tmp_path, *options) as process:
        await_committed(kafka_broker, topic, 600)
        process.send_signal(signal.SIGTERM)
        output, warned = process.communicate(timeout=30)
        assert process.returncode == 0, warned
    assert output.splitlines()[0].startswith(
        f"headwater consumes {topic} from {kafka_broker.servers} into sqlite:"
    )
    assert output.splitlines()[-1].endswith("events stored")
    assert digest_of(f"sqlite:///{tmp_path}/lineage.db") == digest_of(
        f"sqlite:///{tmp_path}/alone.db", events
    )


def test_a_message_that_is_no_event_becomes_a_dead_letter_and_stops_nothing(
    kafka_broker: Broker, tmp_path: Path
) -> None:
    good, nameless = [written(1), written(2)], written(3)
    del nameless["job"]["name"]
    topic = kafka_broker.topic()
    one, two = messages(good)
    kafka_broker.send(topic, [one, b"\xff not JSON", json.dumps(nameless).encode(), b"", two])
    with consuming(kafka_broker, topic, tmp_path) as process:
        await_committed(kafka_broker, topic, 5)
        process.send_signal(signal.SIGINT)
        output, warned = process.communicate(timeout=30)
    assert output.splitlines()[-1] == "2 events stored, 3 dead letters"
    assert f"{topic}/0@1 is a dead letter" in warned
    store = f"sqlite:///{tmp_path}/lineage.db"
    assert digest_of(store) == digest_of(f"sqlite:///{tmp_path}/alone.db", good)

    letters = json.loads(headwater("dead-letters", "list", "--json", "--store", store).output)
    assert [(each["origin"], each["code"], each["pointer"]) for each in letters] == [
        (f"kafka {topic}/0@1", "NOT_JSON", ""),
        (f"kafka {topic}/0@2", "MISSING", "/job/name"),
        (f"kafka {topic}/0@3", "NOT_JSON", ""),
    ]
    shown = json.loads(headwater("dead-letters", "show", letters[1]["key"], "--store", store).output)
    assert shown["event"] == nameless
    assert (
        json.loads(headwater("dead-letters", "show", letters[0]["key"], "--store", store).output)["event"]
        is None
    )
    again = headwater("dead-letters", "replay", "--all", "--store", store)
    assert again.exit_code == 1
    assert "0 events stored, 1 still refused, 2 without an event to replay" in again.output


def test_a_broker_that_is_not_there_is_reported_at_once(tmp_path: Path) -> None:
    done = program(
        "consume",
        "--bootstrap-servers",
        "127.0.0.1:1",
        "--topic",
        "t",
        "--store",
        "sqlite:///x.db",
        folder=tmp_path,
    )
    assert done.returncode == 1
    assert "[KAFKA]" in done.stderr
    assert "is a broker listening at 127.0.0.1:1" in done.stderr
