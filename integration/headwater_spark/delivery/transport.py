"""Where events go: ``spark.openlineage.transport.*`` as configurations of openlineage-python's transports.

The keys are those of the official Spark agent. Without any, the client's own configuration decides
(``openlineage.yml``, ``OPENLINEAGE__TRANSPORT__*``, ``OPENLINEAGE_URL``). A composite that delivers to all of
its transports becomes several destinations, so that one receiver that is away does not hold up the others.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping, MutableMapping
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from openlineage.client import OpenLineageClient
from openlineage.client.transport import get_default_factory
from openlineage.client.transport.file import FileConfig, FileTransport
from openlineage.client.transport.http import HttpCompression, HttpConfig, HttpTransport
from openlineage.client.transport.kafka import KafkaConfig, KafkaTransport
from openlineage.client.transport.noop import NoopConfig, NoopTransport
from openlineage.client.transport.transport import Transport
from requests import HTTPError, PreparedRequest, Response, Session

from headwater_spark.emit import wire

log = logging.getLogger(__name__)

PREFIX: Final = "spark.openlineage.transport."
_FLAT: Final = ("headers", "urlParams", "properties")
"""Objects whose own keys may contain dots."""

_NO_RETRY: Final[Mapping[str, object]] = {"total": 0, "status_forcelist": []}
"""The spool retries; a transport that does so too would only hide for how long, and with which status."""


KAFKA_TIMEOUT: Final = 30.0  # seconds


class DirectSession(Session):
    """A session of ``requests`` that follows no redirect: a login page's 200 would look like an event that arrived."""

    def send(self, request: PreparedRequest, **kwargs: Any) -> Response:
        """Send. Raises ``HTTPError`` for a redirect."""
        answer = super().send(request, **{**kwargs, "allow_redirects": False})
        if HTTPStatus.MULTIPLE_CHOICES <= answer.status_code < HTTPStatus.BAD_REQUEST:
            answer.close()
            raise HTTPError(response=answer)
        return answer


class CompressingHttp(HttpTransport):
    """The client's HTTP transport, except that it follows no redirect, and compresses as soon as the receiver says that
    it may.

    A receiver says so by ``Accept-Encoding`` in an answer (RFC 9110, 12.5.3). One that then answers 415 gets
    everything as it is from there on.
    """

    def __init__(self, config: HttpConfig) -> None:
        super().__init__(config)
        self.session = config.session or DirectSession()
        self._may_ask = config.compression is None

    def emit(self, event: Any) -> Any:
        """Send. Raises what the client does, for an answer that is no 2xx, too."""
        try:
            answer = super().emit(event)
        except Exception as error:
            if status(error) != HTTPStatus.UNSUPPORTED_MEDIA_TYPE or not (self._may_ask and self.compression):
                raise
            self._may_ask, self.compression = False, None
            return super().emit(event)
        if self._may_ask and "gzip" in map(str.strip, answer.headers.get("Accept-Encoding", "").split(",")):
            self.compression = HttpCompression.GZIP
        return answer

    def _prepare_request(self, event_str: str) -> tuple[bytes | str, dict[str, str]]:
        return super()._prepare_request(wire.compact(json.loads(event_str)))


def status(error: Exception) -> int | None:
    """The HTTP status of a transport's error; none when there was no answer."""
    found = getattr(getattr(error, "response", None), "status_code", None)
    return found if isinstance(found, int) else None


def redirect(error: Exception) -> str:
    """Where the answer behind a transport's error points to, for people and without secrets; empty if nowhere."""
    place = getattr(getattr(error, "response", None), "headers", {}).get("Location") or ""
    return _without_user(str(place)).partition(";")[0][:200]


class _Details(logging.LoggerAdapter[logging.Logger]):
    """What a library says of its own, for whoever looks for more: no warning, since a lost event is one already."""

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        super().log(min(level, logging.INFO), msg, *args, **kwargs)

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        return msg, kwargs


class AcknowledgedKafka(KafkaTransport):
    """The client's Kafka transport, except that an event which did not arrive is an error.

    What librdkafka says goes to the log instead of to standard error.
    """

    def _setup_producer(self, config: dict[str, Any]) -> None:
        super()._setup_producer({"logger": _Details(log.getChild("librdkafka"), {}), **config})

    def emit(self, event: Any) -> None:
        """Send, and wait for the broker's word. Raises ``ConnectionError`` or ``TimeoutError``."""
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
            raise TimeoutError("the broker does not answer")
        if any(errors):
            raise ConnectionError("the broker did not take the event")


class CompactFile(FileTransport):
    """The client's file transport, except that an event is as short as on any other way."""

    def emit(self, event: Any) -> None:
        """Write. Raises ``OSError`` where it cannot."""
        mode = "a" if self.config.append else "w"
        with self._file_handler.open_file(self._get_file_path(event), mode) as file:
            file.write(wire.text(event) + "\n")


@dataclass(frozen=True, slots=True)
class Destination:
    """One receiver of events. ``config`` may hold secrets and is never shown."""

    config: Mapping[str, Any] = field(repr=False)

    @property
    def kind(self) -> str:
        """The transport's type: http, file, console, kafka, …"""
        return str(self.config.get("type"))

    @property
    def label(self) -> str:
        """The receiver, for people and without secrets."""
        return " ".join([self.kind, *map(str, self.public.values())])

    @property
    def key(self) -> str:
        """The same for every process with this receiver, whatever its credentials."""
        return sha256(self.label.encode()).hexdigest()[:16]

    @property
    def public(self) -> dict[str, Any]:
        """What of the configuration may be written down: enough to deliver where no secret is needed."""
        match self.kind:
            case "http":
                endpoint = str(self.config.get("endpoint") or "api/v1/lineage").partition("?")[0]
                return {"url": _without_user(str(self.config.get("url"))), "endpoint": endpoint}
            case "file":
                return {"log_file_path": self.config.get("log_file_path")}
            case "kafka":
                servers = (self.config.get("config") or {}).get("bootstrap.servers")
                return {"topic": self.config.get("topic"), "servers": servers}
            case _:
                return {}

    @classmethod
    def from_public(cls, config: Mapping[str, Any]) -> Destination:
        """The destination that ``public`` and the kind tell of, as far as it needs no secret."""
        more: Mapping[str, Mapping[str, Any]] = {"http": {"retry": _NO_RETRY}, "file": {"append": True}}
        return cls({**config, **more.get(str(config.get("type")), {})})

    def open(self) -> Transport:
        """The transport. Raises whatever it raises for a configuration that it cannot use."""
        config = deepcopy(dict(self.config))
        match self.kind:
            case "http":
                return CompressingHttp(HttpConfig.from_dict(config))
            case "kafka":
                return AcknowledgedKafka(KafkaConfig.from_dict(config))
            case "file" if not config.get("debug_mode"):
                return CompactFile(FileConfig.from_dict(config))
            case _:
                return get_default_factory().create(config)


def destinations(conf: Mapping[str, str]) -> tuple[Destination, ...]:
    """Where events go by this Spark configuration; nowhere when nothing says so, or when it is switched off."""
    if _is_off(conf):
        return ()
    keys = {key.removeprefix(PREFIX): value for key, value in conf.items() if key.startswith(PREFIX)}
    config = _from_spark(_nested(keys)) if keys else _from_client()
    return tuple(_unique(_split(config)))


def receiver_at(url: str) -> Destination:
    """The HTTP receiver at that address."""
    (config,) = _split(_http({"url": url}))
    return Destination(config)


def is_silence_meant(conf: Mapping[str, str]) -> bool:
    """Whether somebody has asked for no events, rather than forgotten to say where they go."""
    return _is_off(conf) or conf.get(f"{PREFIX}type") == "noop"


def _is_off(conf: Mapping[str, str]) -> bool:
    off = conf.get("spark.openlineage.disabled", os.environ.get("OPENLINEAGE_DISABLED", ""))
    return off.strip().lower() == "true"


def _unique(configs: Iterator[Mapping[str, Any]]) -> Iterator[Destination]:
    seen: set[str] = set()
    for destination in map(Destination, configs):
        if destination.key not in seen:
            seen.add(destination.key)
            yield destination


def _split(config: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    match config.get("type"):
        case None | "noop":
            return
        case "composite" if config.get("continue_on_success", True):
            transports = config.get("transports") or ()
            for each in transports.values() if isinstance(transports, Mapping) else transports:
                yield from _split(each)
        case "http" | "async_http":
            yield {**config, "type": "http", "retry": _NO_RETRY}
        case _:
            yield config


def _nested(keys: Mapping[str, str]) -> dict[str, Any]:
    """``auth.apiKey=x`` as ``{"auth": {"apiKey": x}}``."""
    tree: dict[str, Any] = {}
    for key, value in keys.items():
        place = tree
        *parents, last = _parts(key)
        for parent in parents:
            inner = place.setdefault(parent, {})
            place = inner if isinstance(inner, dict) else {}
        place[last] = value
    return tree


def _parts(key: str) -> list[str]:
    parts = key.split(".")
    for index, part in enumerate(parts[:-1]):
        if part in _FLAT:
            return [*parts[: index + 1], ".".join(parts[index + 1 :])]
    return parts


def _from_spark(tree: Mapping[str, Any]) -> dict[str, Any]:
    """The Python client's configuration of what the Java agent's keys say."""
    kind = str(tree.get("type") or ("http" if "url" in tree else ""))
    translate = _TRANSLATIONS.get(kind)
    if translate is not None:
        return translate(tree)
    return {**tree, "type": kind} if kind else {}


def _http(tree: Mapping[str, Any]) -> dict[str, Any]:
    url = str(tree.get("url") or "")
    endpoint = str(tree.get("endpoint") or urlsplit(url).path.strip("/") or "api/v1/lineage")
    if parameters := tree.get("urlParams"):
        endpoint += f"?{urlencode(parameters)}"
    config: dict[str, Any] = {"type": "http", "url": url, "endpoint": endpoint}
    if timeout := _seconds(tree):
        config["timeout"] = timeout
    if auth := _auth(tree):
        config["auth"] = auth
    if headers := tree.get("headers"):
        config["custom_headers"] = dict(headers)
    for same in ("compression", "sslContext"):
        if same in tree:
            config[same] = tree[same]
    return config


def _seconds(tree: Mapping[str, Any]) -> float | None:
    for key, unit in (("timeoutInMillis", 1000), ("timeout", 1)):
        if _is_number(text := str(tree.get(key, ""))):
            return float(text) / unit
    return None


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _auth(tree: Mapping[str, Any]) -> dict[str, Any] | None:
    auth = tree.get("auth")
    if isinstance(auth, Mapping):
        return {"type": "api_key", **auth}
    return {"type": "api_key", "apiKey": tree["apiKey"]} if "apiKey" in tree else None


def _file(tree: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "file", "log_file_path": tree.get("location"), "append": True}


def _kafka(tree: Mapping[str, Any]) -> dict[str, Any]:
    config = {"type": "kafka", "topic": tree.get("topicName"), "config": dict(tree.get("properties") or {})}
    return {**config, "messageKey": tree["messageKey"]} if "messageKey" in tree else config


def _composite(tree: Mapping[str, Any]) -> dict[str, Any]:
    named = tree.get("transports") or {}
    config: dict[str, Any] = {
        "type": "composite",
        "transports": [_from_spark(each) for each in named.values()] if isinstance(named, Mapping) else [],
    }
    for key, name in (
        ("continueOnFailure", "continue_on_failure"),
        ("continueOnSuccess", "continue_on_success"),
    ):
        if key in tree:
            config[name] = str(tree[key]).strip().lower() == "true"
    return config


_TRANSLATIONS: Final = {"http": _http, "file": _file, "kafka": _kafka, "composite": _composite}


def _from_client() -> Mapping[str, Any]:
    """What the client is configured to on this machine."""
    found = OpenLineageClient(transport=NoopTransport(NoopConfig())).config.transport or {}
    if found.get("type"):
        return found
    if url := os.environ.get("OPENLINEAGE_URL"):
        key = os.environ.get("OPENLINEAGE_API_KEY")
        auth = {"auth": {"type": "api_key", "apiKey": key}} if key else {}
        return {
            "type": "http",
            "url": url,
            "endpoint": os.environ.get("OPENLINEAGE_ENDPOINT") or "api/v1/lineage",
            **auth,
        }
    return {}


def _without_user(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
