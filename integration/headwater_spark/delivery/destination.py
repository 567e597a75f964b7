"""A destination: one receiver of events, with its configuration."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from openlineage.client.transport import get_default_factory
from openlineage.client.transport.file import FileConfig
from openlineage.client.transport.http import HttpConfig
from openlineage.client.transport.kafka import KafkaConfig
from openlineage.client.transport.transport import Transport

from headwater_spark.delivery.transports import (
    NO_RETRY,
    AcknowledgedKafka,
    CompactFile,
    CompressingHttp,
    without_user_info,
)


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
        """The receiver's readable name, without secrets."""
        return " ".join([self.kind, *map(str, self.public.values())])

    @property
    def key(self) -> str:
        """A digest that is the same for all processes with this receiver, whatever their credentials."""
        return sha256(self.label.encode()).hexdigest()[:16]

    @property
    def public(self) -> dict[str, Any]:
        """The part of the configuration that may be stored: enough to deliver if no secret is needed."""
        match self.kind:
            case "http":
                endpoint = str(self.config.get("endpoint") or "api/v1/lineage").partition("?")[0]
                return {"url": without_user_info(str(self.config.get("url"))), "endpoint": endpoint}
            case "file":
                return {"log_file_path": self.config.get("log_file_path")}
            case "kafka":
                servers = (self.config.get("config") or {}).get("bootstrap.servers")
                return {"topic": self.config.get("topic"), "servers": servers}
            case _:
                return {}

    @classmethod
    def from_public(cls, config: Mapping[str, Any]) -> Destination:
        """The destination that ``public`` and its type describe, without secrets."""
        extra: Mapping[str, Mapping[str, Any]] = {"http": {"retry": NO_RETRY}, "file": {"append": True}}
        return cls({**config, **extra.get(str(config.get("type")), {})})

    def open(self) -> Transport:
        """Create the transport. Raises any error of the transport for an invalid configuration."""
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
