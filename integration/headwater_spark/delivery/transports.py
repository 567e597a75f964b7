"""Transports of openlineage-python's client, changed to what a spool needs: no retries of their own, and an error for
each event that is not delivered.
"""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from http import HTTPStatus
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import urlsplit

from openlineage.client.transport.file import FileTransport
from openlineage.client.transport.http import HttpCompression, HttpConfig, HttpTransport
from openlineage.client.transport.kafka import KafkaTransport
from requests import HTTPError, PreparedRequest, ReadTimeout, RequestException, Response, Session
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from headwater_spark.emit import wire

log = logging.getLogger(__name__)

NO_RETRY: Final[Mapping[str, object]] = {"total": 0, "status_forcelist": []}
"""The spool retries. A transport that also does would hide for how long, and with which status."""
KAFKA_TIMEOUT: Final = 30.0  # seconds


EXCHANGE_SECONDS: Final = 60.0
"""The least time for an exchange as a whole; a client's time limit counts from byte to byte."""
MOST_BYTES: Final = 64 * 1024
"""The most bytes that are read of an answer: a response in JSON has some hundred."""

_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})


class _Line:
    """What is connected now, to be cut at the deadline."""

    def __init__(self) -> None:
        self.connection: Any = None
        self.is_cut = False

    def cut(self) -> None:
        """End whatever waits for the connection."""
        self.is_cut = True
        found = getattr(self.connection, "sock", None)
        if isinstance(found, socket.socket):
            with suppress(OSError):
                socket.socket.shutdown(found, socket.SHUT_RDWR)  # TLS would say goodbye first


class _WatchedAdapter(HTTPAdapter):
    """Tells a line which connection is used."""

    def __init__(self, line: _Line, **options: Any) -> None:
        self._line = line
        self._kinds: dict[type[Any], type[Any]] = {}
        super().__init__(**options)

    def get_connection_with_tls_context(self, *args: Any, **options: Any) -> Any:
        """The pool of connections for a request, as ``requests`` asks for it."""
        pool: Any = super().get_connection_with_tls_context(*args, **options)
        kind = type(pool).ConnectionCls
        if kind not in self._kinds:
            self._kinds[kind] = _watched(kind, self._line)
        pool.ConnectionCls = self._kinds[kind]
        return pool


def _watched(kind: type[Any], line: _Line) -> type[Any]:
    def request(self: Any, *args: Any, **options: Any) -> Any:
        line.connection = self
        return kind.request(self, *args, **options)

    return type(kind.__name__, (kind,), {"request": request, "__module__": kind.__module__})


class DirectSession(Session):
    """A session of ``requests`` for events: bounded in time and size, and only an accepted event is a success.

    It follows no redirect. A success is what an OpenLineage receiver answers: any 2xx, but no page, since a login
    page's 200 would look like a delivered event.
    """

    def __init__(self) -> None:
        super().__init__()
        self.line = _Line()

    def send(self, request: PreparedRequest, **kwargs: Any) -> Response:
        """Send a request. Raises ``requests``' errors: ``HTTPError`` for a redirect or a page, ``ReadTimeout``."""
        limit = kwargs.get("timeout")
        seconds = max(EXCHANGE_SECONDS, 2 * limit if isinstance(limit, int | float) else 0)
        self.line.connection, self.line.is_cut = None, False
        timer = threading.Timer(seconds, self.line.cut)
        timer.daemon = True
        timer.start()
        try:
            response = super().send(request, **{**kwargs, "allow_redirects": False, "stream": True})
            body = _body(response)
        except (RequestException, HTTPException, OSError):
            if not self.line.is_cut:
                raise
        finally:
            timer.cancel()
        if self.line.is_cut:  # which also looks like the end of the answer's head
            raise ReadTimeout(f"no answer in full within {seconds:g} s", request=request)
        response._content = body  # what ``content`` would read in full
        is_redirect = HTTPStatus.MULTIPLE_CHOICES <= response.status_code < HTTPStatus.BAD_REQUEST
        if is_redirect or (response.ok and is_page(response)):
            response.close()
            raise HTTPError(response=response)
        return response


def _body(response: Response) -> bytes:
    """The answer, or its beginning: a connection with more of it is not used again."""
    body = b""
    for chunk in response.iter_content(MOST_BYTES):
        body += chunk
        if len(body) >= MOST_BYTES:
            response.close()
            break
    return body


def is_page(response: Response) -> bool:
    """Whether the answer is a page for people, like that of a login, which no receiver of events sends."""
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return kind in _PAGES or response.content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


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

    def _prepare_session(self, session: Session) -> None:
        super()._prepare_session(session)
        if isinstance(session, DirectSession) and not self.config.adapter:
            session.mount(self.url, _WatchedAdapter(session.line, max_retries=Retry(**self.config.retry)))

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
