"""The destinations of a Spark configuration: ``spark.openlineage.transport.*``.

The keys are those of the official Spark agent. Without any, the client's own configuration is used
(``openlineage.yml``, ``OPENLINEAGE__TRANSPORT__*``, ``OPENLINEAGE_URL``). A composite that delivers to all of its
transports becomes several destinations, so that a receiver that is away does not block the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from openlineage.client import OpenLineageClient
from openlineage.client.transport.noop import NoopConfig, NoopTransport

from headwater_spark.delivery.destination import Destination
from headwater_spark.delivery.transports import NO_RETRY

PREFIX: Final = "spark.openlineage.transport."
KEY_RECEIVER: Final = "spark.headwater.apiKey.receiver"
"""The URL of the one receiver that gets the key of the environment; settings would show the key in Spark's UI."""
_FLAT: Final = ("headers", "urlParams", "properties")
"""Objects whose keys may contain dots."""


def destinations(conf: Mapping[str, str]) -> tuple[Destination, ...]:
    """The destinations of this Spark configuration; none if it names none or disables the agent."""
    if _is_disabled(conf):
        return ()
    keys = {key.removeprefix(PREFIX): value for key, value in conf.items() if key.startswith(PREFIX)}
    config = _from_spark(_nested(keys)) if keys else _from_client()
    return tuple(_unique(_with_own_key(each, conf.get(KEY_RECEIVER)) for each in _split(config)))


def receiver(url: str) -> dict[str, str]:
    """The settings of the HTTP receiver at that URL, which gets the key of the environment."""
    return {f"{PREFIX}type": "http", f"{PREFIX}url": url, KEY_RECEIVER: url}


def receiver_at(url: str) -> Destination:
    """The HTTP receiver at that URL."""
    (config,) = _split(_http({"url": url}))
    return Destination(config)


def is_silence_intended(conf: Mapping[str, str]) -> bool:
    """Whether the configuration disables events explicitly, rather than lacking a destination by mistake."""
    return _is_disabled(conf) or conf.get(f"{PREFIX}type") == "noop"


def _is_disabled(conf: Mapping[str, str]) -> bool:
    disabled = conf.get("spark.openlineage.disabled", os.environ.get("OPENLINEAGE_DISABLED", ""))
    return disabled.strip().lower() == "true"


def _unique(configs: Iterable[Mapping[str, Any]]) -> Iterator[Destination]:
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
            yield {**config, "type": "http", "retry": NO_RETRY}
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
    """The Python client's configuration for the Java agent's keys."""
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


def _with_own_key(config: Mapping[str, Any], receiver: str | None) -> Mapping[str, Any]:
    """The configuration with the key of the environment, if it is that receiver's and has no credential of its own."""
    if config.get("type") != "http" or not receiver or config.get("url") != receiver or "auth" in config:
        return config
    key = _own_key()
    return {**config, "auth": {"type": "api_key", "apiKey": key}} if key else config


def _own_key() -> str:
    """The key in ``HEADWATER_API_KEY``, else in the file that ``HEADWATER_API_KEY_FILE`` names; empty without one."""
    value = os.environ.get("HEADWATER_API_KEY", "").strip()
    file = os.environ.get("HEADWATER_API_KEY_FILE")
    if value or not file:
        return value
    try:
        return Path(file).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""  # the receiver refuses then, which is reported


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
    """The client's own configuration on this machine."""
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
