"""Events out of Kafka topics: at least once into a store in which twice is once.

Theory of operation
===================

Messages are taken in batches. A batch is stored, then its offsets are committed: a process that ends in between, or
whose commit fails, leads to the same messages again, which change nothing. While the store is away the batch is kept
and tried again, and the consumer pauses; it takes nothing new that it could not keep.

A message that is no event, or that the store refuses, must not stop the topic: it becomes a dead letter, named by its
topic, partition and offset, before the offset behind it is committed. So does a message that ends the store each time
that it is tried: the batch is halved until it is tried alone, and then ``TRIES`` times. Only tries count before which
the store answered.
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
from headwater_backend.ingest.origin import Origin
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


class KafkaUnavailable(HeadwaterError):  # noqa: N818 - it says what is the case
    """Kafka cannot be reached, or does not let us in."""

    code = "KAFKA"


@dataclass(frozen=True, slots=True)
class KafkaSource:
    """Which topics, and how to reach them; ``options`` are librdkafka's, such as those for TLS and SASL."""

    servers: str
    topics: Sequence[str]
    group: str = "headwater"
    batch: int = 500
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Taken:
    """How many messages were stored, and how many became dead letters."""

    stored: int = 0
    dead: int = 0


def consume(
    store: EventStore,
    source: KafkaSource,
    stop: threading.Event,
    limits: Limits = DEFAULT_LIMITS,
    ready: Callable[[], None] = lambda: None,
) -> Taken:
    """Take events in until ``stop`` is set; the batch under way is stored and committed first.

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
    told = {name: value for name, value in source.options.items() if name not in _OURS}
    ours: dict[str, Any] = {
        "bootstrap.servers": source.servers,
        "group.id": source.group,
        "enable.auto.commit": False,
        "logger": _log.getChild("librdkafka"),
        "error_cb": lambda error: _log.warning("Kafka: %s", error.str()),
    }
    try:
        consumer = Consumer({"auto.offset.reset": "earliest", "client.id": "headwater", **told, **ours})
        consumer.list_topics(timeout=FIRST_ANSWER_SECONDS)
        consumer.subscribe(list(source.topics))
    except KafkaException as error:
        raise _told(error, f"is a broker listening at {source.servers}, and may we in?") from error
    return consumer


def _received(found: Iterable[Message]) -> list[Message]:
    """The messages without Kafka's own reports; raises ``KafkaUnavailable`` for what waiting does not mend."""
    messages = []
    for message in found:
        error = message.error()
        if error is None:
            messages.append(message)
        elif error.fatal() or error.code() in _FINAL:
            raise _told(KafkaException(error), "the consumer group or the topic does not let us in")
        else:
            _log.warning("Kafka: %s", error.str())
    return messages


@dataclass(slots=True)
class _Part:
    """Messages that are stored together; ``tries`` were made in vain while the store answered before them."""

    messages: Sequence[Message]
    tries: int = 0

    def smaller(self) -> list[_Part]:
        """Its halves, once it was tried in vain; itself where it has none."""
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
    """Whether all messages are stored or dead letters, as ``taken`` counts; False when we are to stop before that."""
    waiting = [_Part(messages)]
    while waiting:
        part = waiting.pop()
        try:
            letters = _tried(store, part, limits)
        except StoreUnavailable as error:
            waiting += reversed(part.smaller())
            _log.warning("%s; trying again in %d s", error.message, error.retry_after)
            if stop.wait(error.retry_after):
                return False
        else:
            taken.stored += len(part.messages) - len(letters)
            taken.dead += len(letters)
    return True


def _tried(store: EventStore, part: _Part, limits: Limits) -> list[DeadLetter]:
    """Try to store the part; the dead letters of it. Raises ``StoreUnavailable``."""
    store.ping()
    if part.tries < TRIES:
        part.tries += 1
        letters = _stored(store, part.messages, limits)
    else:
        error = StoreFailedError("the store went away each time that this was tried")
        letters = [letter_of(each.value() or b"", error, _place(each)) for each in part.messages]
        store.keep_dead_letters(letters)
    for letter in letters:
        _log.warning("%s is a dead letter: %s [%s]", letter.origin, letter.detail, letter.code)
    return letters


def _stored(store: EventStore, messages: Sequence[Message], limits: Limits) -> list[DeadLetter]:
    """Store the messages; the dead letters of those that are refused."""
    values = [message.value() or b"" for message in messages]
    outcomes = ingest(store, values, limits, Origin(everything("kafka")))
    refused = [(messages[o.index], values[o.index], o.error) for o in outcomes if o.error]
    letters = [letter_of(value, error, _place(message)) for message, value, error in refused]
    if letters:
        store.keep_dead_letters(letters)
        store.forget_dead_letters([o.dead_letter for o in outcomes if o.dead_letter])
    return letters


def _place(message: Message) -> str:
    return f"kafka {message.topic()}/{message.partition()}@{message.offset()}"


def _commit(consumer: Consumer, messages: Iterable[Message]) -> None:
    """Commit the offsets behind the messages; where that fails they come again, and change nothing."""
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


def _told(error: KafkaException, hint: str) -> KafkaUnavailable:
    reason = error.args[0]
    return KafkaUnavailable(f"Kafka: {reason.str() if isinstance(reason, KafkaError) else reason}", hint)
