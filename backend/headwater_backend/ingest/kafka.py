"""Events from Kafka topics, delivered at least once into a store where repetition has no effect.

Theory of operation
===================

Messages are consumed in batches. A batch is stored, then its offsets are committed: a process that ends in between, or
whose commit fails, receives the same messages again, which changes nothing. While the store is unreachable the batch is
kept and retried, and the consumer pauses; it receives nothing new that it could not keep.

A message that is no event, or that the store refuses, must not stop the topic: it becomes a dead letter, named by its
topic, partition and offset, before the offset after it is committed. So does a message that makes the store fail on
every attempt: the batch is halved until the message is tried alone, and then ``TRIES`` times. Only attempts count
before which the store answered.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from headwater_backend.domain.dead_letters import DeadLetter, letter_of
from headwater_backend.domain.errors import HeadwaterError, StoreFailedError, StoreUnavailable
from headwater_backend.domain.roles import everything
from headwater_backend.ingest.decoding.limits import DEFAULT_LIMITS, Limits
from headwater_backend.ingest.sender import Sender
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import EventStore

TRIES: Final = 3
FIRST_ANSWER_SECONDS: Final = 10.0
POLL_SECONDS: Final = 0.5
_OURS: Final = frozenset({"bootstrap.servers", "group.id", "enable.auto.commit", "enable.auto.offset.store"})
_FINAL: Final = frozenset(
    {
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.SASL_AUTHENTICATION_FAILED,
    }
)
_log = logging.getLogger(__name__)


class KafkaUnavailable(HeadwaterError):  # noqa: N818 - the name describes the condition
    """Kafka cannot be reached, or refuses access."""

    code = "KAFKA"


@dataclass(frozen=True, slots=True)
class KafkaSource:
    """The topics, and how to reach them; ``options`` are librdkafka's, such as those for TLS and SASL."""

    servers: str
    topics: Sequence[str]
    group: str = "headwater"
    batch: int = 500
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Taken:
    """Numbers of messages that were stored, and that became dead letters."""

    stored: int = 0
    dead: int = 0


def consume(
    store: EventStore,
    source: KafkaSource,
    stop: threading.Event,
    limits: Limits = DEFAULT_LIMITS,
    ready: Callable[[], None] = lambda: None,
) -> Taken:
    """Consume events until ``stop`` is set; the current batch is stored and committed first.

    ``ready`` is called when the brokers have answered. Raises ``KafkaUnavailable``; never ``StoreUnavailable``.
    """
    taken = Taken()
    consumer = _consumer(source)
    try:
        ready()
        while not stop.is_set():
            messages = _received(consumer.consume(source.batch, POLL_SECONDS))
            if messages and take_in(store, messages, stop, taken, limits):
                _commit(consumer, messages)
    finally:
        consumer.close()
    return taken


def _consumer(source: KafkaSource) -> Consumer:
    options = {name: value for name, value in source.options.items() if name not in _OURS}
    ours: dict[str, Any] = {
        "bootstrap.servers": source.servers,
        "group.id": source.group,
        "enable.auto.commit": False,
        "logger": _log.getChild("librdkafka"),
        "error_cb": lambda error: _log.warning("Kafka: %s", error.str()),
    }
    try:
        consumer = Consumer({"auto.offset.reset": "earliest", "client.id": "headwater", **options, **ours})
        consumer.list_topics(timeout=FIRST_ANSWER_SECONDS)
        consumer.subscribe(list(source.topics))
    except KafkaException as error:
        raise _unavailable(
            error, f"is a broker listening at {source.servers}, and does it grant access?"
        ) from error
    return consumer


def _received(found: Iterable[Message]) -> list[Message]:
    """The messages without Kafka's own reports; raises ``KafkaUnavailable`` for errors that waiting does not fix."""
    messages = []
    for message in found:
        error = message.error()
        if error is None:
            messages.append(message)
        elif error.fatal() or error.code() in _FINAL:
            raise _unavailable(KafkaException(error), "the consumer group or the topic refuses access")
        else:
            _log.warning("Kafka: %s", error.str())
    return messages


@dataclass(slots=True)
class _Part:
    """Messages that are stored together; ``tries`` counts failed attempts before which the store answered."""

    messages: Sequence[Message]
    tries: int = 0

    def smaller(self) -> list[_Part]:
        """The halves after a failed attempt; the part itself where it cannot be halved."""
        middle = len(self.messages) // 2
        if not self.tries or not middle:
            return [self]
        return [_Part(self.messages[:middle]), _Part(self.messages[middle:])]


def take_in(
    store: EventStore,
    messages: Sequence[Message],
    stop: threading.Event,
    taken: Taken,
    limits: Limits = DEFAULT_LIMITS,
) -> bool:
    """Store the messages or make them dead letters, counted in ``taken``; False when ``stop`` is set before that."""
    waiting = [_Part(messages)]
    while waiting:
        part = waiting.pop()
        try:
            letters = _try_part(store, part, limits)
        except StoreUnavailable as error:
            waiting += reversed(part.smaller())
            _log.warning("%s; trying again in %d s", error.message, error.retry_after)
            if stop.wait(error.retry_after):
                return False
        else:
            taken.stored += len(part.messages) - len(letters)
            taken.dead += len(letters)
    return True


def _try_part(store: EventStore, part: _Part, limits: Limits) -> list[DeadLetter]:
    """Try to store the part, and return its dead letters. Raises ``StoreUnavailable``."""
    store.ping()
    if part.tries < TRIES:
        part.tries += 1
        letters = _store_messages(store, part.messages, limits)
    else:
        error = StoreFailedError("the store became unreachable each time that this was tried")
        letters = [letter_of(each.value() or b"", error, _place(each)) for each in part.messages]
        store.keep_dead_letters(letters)
    for letter in letters:
        _log.warning("%s is a dead letter: %s [%s]", letter.origin, letter.detail, letter.code)
    return letters


def _store_messages(store: EventStore, messages: Sequence[Message], limits: Limits) -> list[DeadLetter]:
    """Store the messages, and return the dead letters of those that are refused."""
    values = [message.value() or b"" for message in messages]
    outcomes = ingest(store, values, limits, Sender(everything("kafka")))
    refused = [(messages[o.index], values[o.index], o.error) for o in outcomes if o.error]
    letters = [letter_of(value, error, _place(message)) for message, value, error in refused]
    if letters:
        store.keep_dead_letters(letters)
        store.forget_dead_letters([o.dead_letter for o in outcomes if o.dead_letter])
    return letters


def _place(message: Message) -> str:
    return f"kafka {message.topic()}/{message.partition()}@{message.offset()}"


def _commit(consumer: Consumer, messages: Iterable[Message]) -> None:
    """Commit the offsets after the messages; where that fails, they come again and change nothing."""
    behind: dict[tuple[str, int], int] = {}
    for message in messages:
        topic, partition, offset = message.topic(), message.partition(), message.offset()
        if topic is not None and partition is not None and offset is not None:
            behind[topic, partition] = max(behind.get((topic, partition), 0), offset + 1)
    places = [TopicPartition(topic, partition, offset) for (topic, partition), offset in behind.items()]
    try:
        consumer.commit(offsets=places, asynchronous=False)
    except KafkaException as error:
        _log.warning("Kafka: offsets were not committed, the messages will come again: %s", error)


def _unavailable(error: KafkaException, hint: str) -> KafkaUnavailable:
    reason = error.args[0]
    return KafkaUnavailable(f"Kafka: {reason.str() if isinstance(reason, KafkaError) else reason}", hint)
