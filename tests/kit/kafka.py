"""A real Kafka broker for tests: one node that is its own controller (KRaft), on the loopback address.

Its jars are fetched once with Maven (``connectors/kafka-broker.pom.xml``), its data lies in a temporary folder, and it
ends by its own process id. Topics are made when they are first written to, or with ``Broker.topic``.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from kit.connectors import fetched
from kit.ports import on_free_ports, require_port

START_SECONDS = 90.0
ANSWER_SECONDS = 30.0
# Sixteen bytes as Kafka writes them. A made-up one begins with a dash one time in 64, and is then read as an option.
CLUSTER = "HeadwaterTestsBrokersA"
_NOT_YET = {
    KafkaError.NOT_COORDINATOR,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
}

_PROPERTIES = """
process.roles=broker,controller
node.id=1
listeners=CLIENTS://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=CLIENTS://127.0.0.1:{port}
listener.security.protocol.map=CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=CLIENTS
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
log.dirs={data}
auto.create.topics.enable=true
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
"""


@dataclass(frozen=True)
class Broker:
    """A running broker: ``servers`` is what ``bootstrap.servers`` wants, ``pid`` its process."""

    servers: str
    pid: int

    def topic(self, partitions: int = 1) -> str:
        """The name of a new, empty topic."""
        name = f"topic-{uuid.uuid4().hex[:12]}"
        admin = AdminClient({"bootstrap.servers": self.servers})
        admin.create_topics([NewTopic(name, partitions, 1)])[name].result(ANSWER_SECONDS)
        return name

    def topics(self) -> set[str]:
        """The names of all topics."""
        return set(
            AdminClient({"bootstrap.servers": self.servers}).list_topics(timeout=ANSWER_SECONDS).topics
        )

    def send(self, topic: str, messages: Iterable[bytes], keys: Iterable[bytes] | None = None) -> None:
        """Write the messages in their order; they are in the topic when it returns."""
        producer = Producer({"bootstrap.servers": self.servers, "enable.idempotence": True})
        named = iter(keys) if keys is not None else None
        for message in messages:
            producer.produce(topic, message, next(named) if named else None)
            producer.poll(0)
        assert producer.flush(ANSWER_SECONDS) == 0, "the broker did not take all messages"

    def read(self, topic: str, count: int) -> list[bytes]:
        """The first ``count`` messages of the topic, waiting for them; fails when they do not come."""
        found: list[bytes] = []
        options = {"auto.offset.reset": "earliest", "enable.auto.commit": False}
        deadline = time.monotonic() + ANSWER_SECONDS
        with closing(
            Consumer({"bootstrap.servers": self.servers, "group.id": uuid.uuid4().hex, **options})
        ) as reader:
            reader.subscribe([topic])
            while len(found) < count:
                assert time.monotonic() < deadline, f"{len(found)} of {count} messages are in {topic}"
                message = reader.poll(0.2)
                if message is not None and message.error() is None:
                    found.append(message.value() or b"")
        return found

    def committed(self, group: str, topic: str) -> int:
        """How many messages of the topic the group has committed, over all partitions."""
        with closing(Consumer({"bootstrap.servers": self.servers, "group.id": group})) as asking:
            partitions = asking.list_topics(topic, ANSWER_SECONDS).topics[topic].partitions
            places = _answered(
                lambda: asking.committed([TopicPartition(topic, each) for each in partitions], ANSWER_SECONDS)
            )
        return sum(max(place.offset, 0) for place in places)


def _answered(question: Callable[[], list[TopicPartition]]) -> list[TopicPartition]:
    """The answer, also of a broker that first has to find out who coordinates the group."""
    deadline = time.monotonic() + ANSWER_SECONDS
    while True:
        try:
            return question()
        except KafkaException as error:
            if time.monotonic() > deadline or error.args[0].code() not in _NOT_YET:
                raise
        time.sleep(0.1)


@contextmanager
def broker() -> Iterator[Broker]:
    """A broker with nothing in it."""
    jars = fetched("kafka-broker")
    with tempfile.TemporaryDirectory(prefix="headwater-kafka-") as folder:

        def started(ports: list[int]) -> tuple[str, subprocess.Popen[bytes]]:
            home = Path(tempfile.mkdtemp(dir=folder))
            return f"127.0.0.1:{ports[0]}", _started(jars, home, *ports)

        servers, process = on_free_ports(started, 2)
        try:
            yield Broker(servers, process.pid)
        finally:
            _end(process)


def _started(jars: Path, home: Path, port: int, controller: int) -> subprocess.Popen[bytes]:
    settings = home / "server.properties"
    settings.write_text(
        _PROPERTIES.format(port=port, controller=controller, data=home / "data"), encoding="utf-8"
    )
    _format(jars, settings)
    with (home / "log").open("wb") as log:
        process = subprocess.Popen([*_java(jars), "kafka.Kafka", settings], stdout=log, stderr=log, cwd=home)
    try:
        _await(process, f"127.0.0.1:{port}", home / "log")
    except BaseException:
        _end(process)
        raise
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait(30)


def _java(jars: Path) -> list[str]:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None:
        pytest.fail("the Kafka broker needs a JDK 17: set JAVA_HOME")
    level = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
    return [java, "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", level, "-cp", f"{jars}/*"]


def _format(jars: Path, settings: Path) -> None:
    command = [*_java(jars), "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(settings)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _await(process: subprocess.Popen[bytes], servers: str, log: Path) -> None:
    """Return when the broker answers; raises ``PortTaken``."""
    deadline = time.monotonic() + START_SECONDS
    port = int(servers.rpartition(":")[2])
    while time.monotonic() < deadline:
        if process.poll() is not None:
            require_port(log)
            raise AssertionError(log.read_text("utf-8", "replace")[-4000:])
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0 and _answers(servers):
                return
        time.sleep(0.05)
    raise AssertionError("the Kafka broker did not start:\n" + log.read_text("utf-8", "replace")[-4000:])


def _answers(servers: str) -> bool:
    try:
        return bool(AdminClient({"bootstrap.servers": servers}).list_topics(timeout=5).brokers)
    except KafkaException:
        return False
