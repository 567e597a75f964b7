"""Transports of openlineage-python's client, changed to what a spool needs: no retries of their own, and an error for
each event that is not delivered.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, MutableMapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from openlineage.client.transport.file import FileTransport
from openlineage.client.transport.http import HttpCompression, HttpConfig, HttpTransport
from openlineage.client.transport.kafka import KafkaTransport
from requests import HTTPError, PreparedRequest, Response, Session

from headwater_spark.emit import wire

log = logging.getLogger(__name__)

NO_RETRY: Final[Mapping[str, object]] = {"total": 0, "status_forcelist": []}
"""The spool retries. A transport that also does would hide for how long, and with which status."""
KAFKA_TIMEOUT: Final = 30.0  # seconds


class DirectSession(Session):
    """A session of ``requests`` that follows no redirect: a login page's 200 would look like a delivered event."""

    def send(self, request: PreparedRequest, **kwargs: Any) -> Response:
        """Send a request. Raises ``HTTPError`` for a redirect."""
        response = super().send(request, **{**kwargs, "allow_redirects": False})
        if HTTPStatus.MULTIPLE_CHOICES <= response.status_code < HTTPStatus.BAD_REQUEST:
            response.close()
            raise HTTPError(response=response)
        return response


class CompressingHttp(HttpTransport):
    """The client's HTTP transport, which follows no redirect, and compresses as soon as the receiver allows it.

    A receiver allows it by ``Accept-Encoding`` in a response (RFC 9110, 12.5.3). If it then rejects a compressed event
    with 415, all further events are sent uncompressed.
    """

    def __init__(self, config: HttpConfig) -> None:
        super().__init__(config)
        self.session = config.session or DirectSession()
        self._negotiates = config.compression is None

    def emit(self, event: Any) -> Any:
        """Send an event. Raises the client's errors, also for a response that is not 2xx."""
        try:
            response = super().emit(event)
        except Exception as error:
            is_refused = status(error) == HTTPStatus.UNSUPPORTED_MEDIA_TYPE
            if not (is_refused and self._negotiates and self.compression):
                raise
            self._negotiates, self.compression = False, None
            return super().emit(event)
        if self._negotiates and "gzip" in _accepted_encodings(response):
            self.compression = HttpCompression.GZIP
        return response

    def _prepare_request(self, event_str: str) -> tuple[bytes | str, dict[str, str]]:
        return super()._prepare_request(wire.compact(json.loads(event_str)))


def _accepted_encodings(response: Response) -> list[str]:
    return [each.strip() for each in response.headers.get("Accept-Encoding", "").split(",")]


def status(error: Exception) -> int | None:
    """The HTTP status of a transport's error; None without a response."""
    found = getattr(getattr(error, "response", None), "status_code", None)
    return found if isinstance(found, int) else None


def redirect(error: Exception) -> str:
    """The redirect target in a transport's error, readable and without secrets; empty if none."""
    place = getattr(getattr(error, "response", None), "headers", {}).get("Location") or ""
    return without_user_info(str(place)).partition(";")[0][:200]


class _Details(logging.LoggerAdapter[logging.Logger]):
    """A library's own messages at INFO at most: an event that is not delivered causes a warning already."""

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        super().log(min(level, logging.INFO), msg, *args, **kwargs)

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        return msg, kwargs


class AcknowledgedKafka(KafkaTransport):
    """The client's Kafka transport, for which an undelivered event is an error.

    The messages of librdkafka are logged instead of printed to standard error.
    """

    def _setup_producer(self, config: dict[str, Any]) -> None:
        super()._setup_producer({"logger": _Details(log.getChild("librdkafka"), {}), **config})

    def emit(self, event: Any) -> None:
        """Send an event, and wait for the broker's response. Raises ``ConnectionError`` or ``TimeoutError``."""
        if self.producer is None:
            self._setup_producer(self.kafka_config.config)
        producer: Any = self.producer
        errors: list[Any] = []
        producer.produce(
            topic=self.topic,
            key=self.message_key or self._get_message_key(event),
            value=wire.text(event).encode(),
            on_delivery=lambda error, _: errors.append(error),
        )
        if producer.flush(timeout=KAFKA_TIMEOUT):
            producer.purge()
            raise TimeoutError("the broker does not respond")
        if any(errors):
            raise ConnectionError("the broker did not accept the event")


class CompactFile(FileTransport):
    """The client's file transport, which writes events in the compact form that all transports here send."""

    def emit(self, event: Any) -> None:
        """Write an event. Raises ``OSError``."""
        mode = "a" if self.config.append else "w"
        with self._file_handler.open_file(self._get_file_path(event), mode) as file:
            file.write(wire.text(event) + "\n")


def without_user_info(url: str) -> str:
    """The URL without user, password, query and fragment."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
