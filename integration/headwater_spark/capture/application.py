"""The Spark application and one of its executions, as the eye's documents tell of them."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final
from uuid import UUID

from openlineage.client.uuid import generate_new_uuid

from headwater_spark.capture.statements import is_script
from headwater_spark.constants import KEY as LITERALS
from headwater_spark.constants import Constants, Setting, Tokens
from headwater_spark.naming.datasets import Catalogs, DatasetId, Identity, at_location, identities
from headwater_spark.naming.models import whole_model
from headwater_spark.tracing.collected import Holding
from headwater_spark.tracing.result import PlanLineage
from headwater_spark.units import size

log = logging.getLogger(__name__)

_RUN_IDS: Final = ("spark.openlineage.parentRunId", "spark.openlineage.rootParentRunId")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OTHER: Final = re.compile(r"[^0-9A-Za-z]+")
_CALLED: Final = re.compile(r"(\w+) at \S+:\d+$")
_METHOD: Final = re.compile(r"\.(\w+)\([^()]*\)$")
_BATCH: Final = re.compile(r"^id = \S+\nrunId = (\S+)\nbatch = ", re.MULTILINE)
"""How Spark describes what a micro-batch executes, writes inside ``foreachBatch`` among it."""
_ACTIONS: Final = {
    "collectToPython": "collect",
    "collectAsArrowToPython": "toPandas",
    "toPandas": "toPandas",
    "showString": "show",
    "htmlString": "show",
    "getRowsToPython": "show",
    "tailToPython": "tail",
    "toPythonIterator": "toLocalIterator",
}
"""Actions whose name in Spark is not the one that the user wrote."""
_COUNTS_OR_PRINTS: Final = {"count", "count_approx", "is_empty", "show"}
_STAYS_IN_SPARK: Final = {"cache", "checkpoint", "local_checkpoint", "persist", "pivot"}
_FINDS_AN_ORDER: Final = {"sort_by", "sort_by_key", "zip_with_index"}
_KEEPS_VALUES: Final = frozenset(_COUNTS_OR_PRINTS | _STAYS_IN_SPARK | _FINDS_AN_ORDER)
"""Actions that hand no values to the program."""
_LOGS: Final = ("/_delta_log", "/_spark_metadata")
_MOST_NAMES: Final = 3


def _version() -> str:
    try:
        return version("headwater")
    except PackageNotFoundError:  # the source tree is on the path, nothing is installed
        return "0"


VERSION: Final = _version()
FACET_PRODUCER: Final = "https://headwater.dev"
"""Of each facet; the version is told once, by the event's producer."""
PRODUCER: Final = f"{FACET_PRODUCER}/agent/{VERSION}"


def snake(name: str) -> str:
    """``InsertIntoHadoopFsRelationCommand`` and ``My App`` as OpenLineage job names have them."""
    return _OTHER.sub("_", _CAMEL.sub("_", name)).strip("_").lower()


def _usable(conf: dict[str, str]) -> dict[str, str]:
    """The configuration without run ids that are none: an event with such an id would be refused."""
    broken = [key for key in _RUN_IDS if key in conf and not _is_uuid(conf[key])]
    for key in broken:
        log.warning("%s is no UUID: it is passed over", key)
    return {key: value for key, value in conf.items() if key not in broken}


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Job:
    """A job and one run of it: what ``parent`` facets name."""

    namespace: str
    name: str
    run_id: str


@dataclass(frozen=True, slots=True)
class Application:
    """A Spark application; the parent run of what it executes. Times are epoch milliseconds."""

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
        """The application of an ``application`` document, with a new run id."""
        told = document.get("application") or {}
        conf = _usable({str(key): str(value) for key, value in (document.get("conf") or {}).items()})
        return cls(
            run_id=str(generate_new_uuid()),
            name=conf.get("spark.openlineage.appName") or told.get("name") or "spark",
            id=told.get("id") or "",
            user=told.get("user") or "",
            master=told.get("master") or conf.get("spark.master", ""),
            deploy_mode=told.get("deployMode") or "",
            started=told.get("startTime") or document.get("time") or 0,
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
        """The run that started the application, when the configuration names it."""
        return self._configured("parent") or None

    @property
    def root(self) -> Job | None:
        """The run at the top of it all, when the configuration names it or at least the parent."""
        return self._configured("rootParent") or self.parent

    def _configured(self, which: str) -> Job | None:
        run_id = self.conf.get(f"spark.openlineage.{which}RunId")
        name = self.conf.get(f"spark.openlineage.{which}JobName")
        namespace = self.conf.get(f"spark.openlineage.{which}JobNamespace")
        return Job(namespace or self.job.namespace, name, run_id) if run_id and name else None

    @property
    def disabled_facets(self) -> frozenset[str]:
        """Facets that the configuration switches off, in the official agent's two ways of saying so."""
        prefix, suffix = "spark.openlineage.facets.", ".disabled"
        each = (
            key.removeprefix(prefix).removesuffix(suffix)
            for key, value in self.conf.items()
            if key.startswith(prefix) and key.endswith(suffix) and value.strip().lower() == "true"
        )
        listed = self.conf.get("spark.openlineage.facets.disabled", "").strip("[] ").split(";")
        return frozenset(filter(None, (*each, *(name.strip() for name in listed))))

    def constants(self, *, collected: bool) -> Constants:
        """What leaves of the constants of an execution; ``collected``: data had been collected before it."""
        setting = Setting.of(self.conf.get(LITERALS, ""))
        return Constants(setting, self.tokens if collected else None)

    def size(self, key: str, default: int) -> int:
        """A size or count of the configuration."""
        return size(self.conf.get(key, ""), default)

    def enabled(self, key: str, default: bool) -> bool:
        """A switch of the configuration."""
        return self.conf.get(key, str(default)).strip().lower() == "true"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an execution ended. ``dropped``: documents that were lost while it ran."""

    ended: int
    error: Mapping[str, Any] | None = None
    output: Mapping[str, Any] | None = None
    """{"rows", "bytes", "files"} written."""
    inputs: tuple[Mapping[str, Any], ...] = ()
    """{"roots", "table" or "source", "rows", "bytes", "files"} read."""
    version: str | None = None
    """Of the table that was written: the one that this execution has made of it."""
    dropped: int = 0
    aborted: bool = False


@dataclass(frozen=True, slots=True)
class Execution:
    """One SQL execution: one run of one job, once it is known what it writes."""

    id: int
    run_id: str
    started: int
    application: Application
    is_part: bool = False
    """Whether another execution has started it, as some commands do."""
    lineage: PlanLineage = field(default_factory=PlanLineage)
    description: str = ""
    """What Spark calls it: the user's own words, or ``collect at job.py:3``."""
    api: str = ""
    """Spark's method that the user called, as a stack frame."""
    call_site: str = ""
    """The first stack frame that is not Spark's, where there is one."""
    called_from: str = ""
    """The user's line that a Python driver noted for the execution's jobs, as ``save at job.py:3``."""
    sql: str | None = None
    client_user: str = ""
    """Who asked for it, where a Spark Connect server ran it for a client,"""
    client_name: str = ""
    """and what that client calls itself."""
    location: str | None = None
    """Where the target lies, when an inner execution has shown it."""
    collected: Holding = field(default_factory=Holding)
    """What the program had collected before."""
    of_model: bool = False
    """Whether Spark's machine learning library runs it, as it does to save a model and to load one,"""
    models: tuple[DatasetId, ...] = ()
    """and the places of models that are known: all that lies in one of them is one dataset."""
    variant: int = 1
    """Which of several accesses of the same name it is, in order of appearance: they hand over different paths."""

    @classmethod
    def from_document(cls, document: Mapping[str, Any], application: Application) -> Execution:
        """The execution of an ``execution-start`` (or, when that was lost, ``execution-end``) document."""
        client = document.get("client") or {}
        return cls(
            id=int(document["execution"]),
            run_id=str(generate_new_uuid()),
            started=int(document.get("time") or 0),
            application=application,
            is_part=document.get("root") not in (None, document["execution"]),
            description=str(document.get("description") or ""),
            api=str(document.get("api") or ""),
            call_site=str(document.get("callSite") or ""),
            called_from=str(document.get("calledFrom") or ""),
            sql=document.get("sql"),
            of_model=bool(document.get("model")),
            client_user=str(client.get("user") or ""),
            client_name=str(client.get("application") or ""),
        )

    def with_end(self, document: Mapping[str, Any]) -> Execution:
        """The same execution, with what only its ``execution-end`` document says of its program."""
        return replace(
            self,
            sql=document.get("sql") if self.sql is None else self.sql,
            called_from=str(document.get("calledFrom") or ""),
        )

    def with_lineage(self, lineage: PlanLineage) -> Execution:
        """The same execution, analysed."""
        return replace(self, lineage=lineage)

    def among(self, models: tuple[DatasetId, ...]) -> Execution:
        """The same execution, where these places of models are known."""
        return replace(self, models=models)

    def after(self, collected: Holding) -> Execution:
        """The same execution, in a program that had collected that before."""
        return replace(self, collected=collected)

    @property
    def constants(self) -> Constants:
        """What leaves of its program's constants."""
        return self.application.constants(collected=bool(self.collected))

    @property
    def seen_as(self) -> Application:
        """The application as whoever asked for this sees it: a Connect client's own name and user."""
        application = self.application
        return replace(
            application, name=self.client_name or application.name, user=self.client_user or application.user
        )

    @property
    def query(self) -> str | None:
        """The run of the streaming query that it is a micro-batch of, or a part of one, as Spark names it."""
        found = _BATCH.search(self.description)
        return found[1] if found else None

    @property
    def is_access(self) -> bool:
        """Whether it reads datasets and writes none: its result went to whoever asked."""
        return self.lineage.target is None and any(self.reads())

    @property
    def is_inference(self) -> bool:
        """Whether Spark runs it to learn a schema, before the user has asked for any data.

        ``spark.sql`` runs no query but those of a script.
        """
        if ".SparkSession.sql(" in self.api:
            return self.is_part or (self.sql is not None and not is_script(self.sql))
        return "DataFrameReader." in self.api or "DataStreamReader." in self.api

    @property
    def hands_over(self) -> bool:
        """Whether it gives the values that it returns to the program: to the driver, or to code of the user's."""
        is_action = (
            self.lineage.target is None and not self.is_inference and self._action() not in _KEEPS_VALUES
        )
        return is_action and not self._reads_logs()

    def _reads_logs(self) -> bool:
        """Whether it reads nothing but a table's own log, as the table's format does for itself."""
        names = [each.id.name for found in self.reads() for each in found]
        return bool(names) and all(any(f"{log}/" in f"{name}/" for log in _LOGS) for name in names)

    def reads(self) -> tuple[tuple[Identity, ...], ...]:
        """The datasets of each read of the plan."""
        catalogs = Catalogs(self.application.conf)
        found = (identities(read.source, catalogs) for read in self.lineage.reads)
        return tuple(tuple(whole_model(each, self.models) for each in identities_) for identities_ in found)

    def targets(self) -> tuple[Identity, ...]:
        """The datasets that the plan writes: one, or none when it is not known."""
        if self.lineage.target is None:
            return ()
        catalogs = Catalogs(self.application.conf)
        found = identities(self.lineage.target.source, catalogs)
        placed = (
            tuple(at_location(each, self.location, catalogs) for each in found) if self.location else found
        )
        return tuple(whole_model(each, self.models) for each in placed)

    @property
    def job(self) -> Job:
        """The execution as a job: ``{application}.{command}.{target}``."""
        namespace, application = self.application.job.namespace, self.seen_as.job.name
        return Job(namespace, ".".join([application, *self._job_parts()]), self.run_id)

    def _job_parts(self) -> list[str]:
        target = self.lineage.target
        if target is None:
            return self._access_parts() if self.is_access else ["unknown"]
        command = snake(target.command.removesuffix("Exec").removesuffix("$"))
        parts = [f"execute_{command}" if target.command.endswith("Command") else command]
        if self.application.enabled("spark.openlineage.jobName.appendDatasetName", default=True):
            parts += [each.short_name for each in self.targets()[:1]]
        if self.application.enabled("spark.openlineage.jobName.replaceDotWithUnderscore", default=False):
            return ["_".join(parts)]
        return parts

    def _access_parts(self) -> list[str]:
        variant = [] if self.variant == 1 else [str(self.variant)]
        return [self._action(), self._read_names(), *variant]

    def _action(self) -> str:
        """``collect``, ``show``, ``count``: the action as the user knows it."""
        found = _CALLED.match(self.description) or _METHOD.search(self.api)
        name = found[1] if found else "read"
        return snake(_ACTIONS.get(name, name))

    def _read_names(self) -> str:
        """The datasets that are read, by their short names."""
        names = sorted({each.short_name for identities in self.reads() for each in identities})
        return "_and_".join(names[:_MOST_NAMES])
