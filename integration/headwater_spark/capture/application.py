"""The Spark application of an ``application`` document: its identity, its configuration, and its parent runs."""

from __future__ import annotations

import logging
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Final
from uuid import UUID

from openlineage.client.uuid import generate_new_uuid, generate_static_uuid

from headwater_facets.producer import FACET_PRODUCER, VERSION
from headwater_spark.constants import KEY as LITERALS
from headwater_spark.constants import Constants, Setting, Tokens
from headwater_spark.units import size

log = logging.getLogger(__name__)

_RUN_IDS: Final = ("spark.openlineage.parentRunId", "spark.openlineage.rootParentRunId")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OTHER: Final = re.compile(r"[^0-9A-Za-z]+")


PRODUCER: Final = f"{FACET_PRODUCER}/agent/{VERSION}"


def snake(name: str) -> str:
    """Return ``InsertIntoHadoopFsRelationCommand`` or ``My App`` in the snake case of OpenLineage job names."""
    return _OTHER.sub("_", _CAMEL.sub("_", name)).strip("_").lower()


def _without_invalid_run_ids(conf: dict[str, str]) -> dict[str, str]:
    """The configuration without run ids that are not UUIDs: receivers refuse events with such ids."""
    invalid = [key for key in _RUN_IDS if key in conf and not _is_uuid(conf[key])]
    for key in invalid:
        log.warning("%s is not a UUID and is ignored", key)
    return {key: value for key, value in conf.items() if key not in invalid}


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def run_id(application: str, user: str, started: int) -> str:
    """The id of an application's run, for all processes of its machine the same; of one without an id, a new one.

    ``started`` is when the driver says that it started, in epoch milliseconds.
    """
    if not application or not started:
        return str(generate_new_uuid())
    instant = datetime.fromtimestamp(started / 1000, timezone.utc)
    return str(generate_static_uuid(instant, "\n".join((application, user, platform.node())).encode()))


@dataclass(frozen=True, slots=True)
class Job:
    """A job and one run of it, as ``parent`` facets name them."""

    namespace: str
    name: str
    run_id: str


@dataclass(frozen=True, slots=True)
class Application:
    """A Spark application, the parent run of its executions. Times are epoch milliseconds."""

    run_id: str
    name: str = "spark"
    id: str = ""
    user: str = ""
    master: str = ""
    deploy_mode: str = ""
    started: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)
    conf: Mapping[str, str] = field(default_factory=dict)
    tokens: Tokens = field(default_factory=Tokens, repr=False, compare=False)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Application:
        """The application of an ``application`` document."""
        details = document.get("application") or {}
        texts = {str(key): str(value) for key, value in (document.get("conf") or {}).items()}
        conf = _without_invalid_run_ids(texts)
        return cls(
            run_id=run_id(details.get("id") or "", details.get("user") or "", details.get("startTime") or 0),
            name=conf.get("spark.openlineage.appName") or details.get("name") or "spark",
            id=details.get("id") or "",
            user=details.get("user") or "",
            master=details.get("master") or conf.get("spark.master", ""),
            deploy_mode=details.get("deployMode") or "",
            started=details.get("startTime") or document.get("time") or 0,
            versions=document.get("versions") or {},
            conf=conf,
        )

    @property
    def job(self) -> Job:
        """The application as a job."""
        namespace = self.conf.get("spark.openlineage.namespace") or "default"
        return Job(namespace, snake(self.name) or "spark", self.run_id)

    @property
    def parent(self) -> Job | None:
        """The run that started the application, if the configuration names one."""
        return self._configured("parent") or None

    @property
    def root(self) -> Job | None:
        """The topmost ancestor run, if the configuration names one; else the parent."""
        return self._configured("rootParent") or self.parent

    def _configured(self, which: str) -> Job | None:
        run_id = self.conf.get(f"spark.openlineage.{which}RunId")
        name = self.conf.get(f"spark.openlineage.{which}JobName")
        namespace = self.conf.get(f"spark.openlineage.{which}JobNamespace")
        return Job(namespace or self.job.namespace, name, run_id) if run_id and name else None

    @property
    def disabled_facets(self) -> frozenset[str]:
        """Names of the facets that the configuration disables, in either notation of the official agent."""
        prefix, suffix = "spark.openlineage.facets.", ".disabled"
        each = (
            key.removeprefix(prefix).removesuffix(suffix)
            for key, value in self.conf.items()
            if key.startswith(prefix) and key.endswith(suffix) and value.strip().lower() == "true"
        )
        listed = self.conf.get("spark.openlineage.facets.disabled", "").strip("[] ").split(";")
        return frozenset(filter(None, (*each, *(name.strip() for name in listed))))

    def constants(self, *, collected: bool) -> Constants:
        """The policy for an execution's constants; ``collected``: the program had collected data before it."""
        setting = Setting.of(self.conf.get(LITERALS, ""))
        return Constants(setting, self.tokens if collected else None)

    def size(self, key: str, default: int) -> int:
        """A size or count from the configuration."""
        return size(self.conf.get(key, ""), default)

    def enabled(self, key: str, default: bool) -> bool:
        """A boolean from the configuration."""
        return self.conf.get(key, str(default)).strip().lower() == "true"
