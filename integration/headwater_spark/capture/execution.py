"""One SQL execution of an application: its program text, its lineage, its datasets, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

from openlineage.client.uuid import generate_new_uuid

from headwater_spark.capture.application import Application, Job, snake
from headwater_spark.capture.caches import Caches
from headwater_spark.capture.statements import is_script
from headwater_spark.constants import Constants
from headwater_spark.decode import PlanExecution
from headwater_spark.naming.datasets import (
    Catalogs,
    DatasetId,
    ResolvedDataset,
    at_location,
    resolve_datasets,
    unnamed,
)
from headwater_spark.naming.models import whole_model
from headwater_spark.tracing.collected import Holding
from headwater_spark.tracing.result import Gap, PlanLineage

_CALLED: Final = re.compile(r"(\w+) at \S+:\d+$")
_METHOD: Final = re.compile(r"\.(\w+)\([^()]*\)$")
_BATCH: Final = re.compile(r"^id = \S+\nrunId = (\S+)\nbatch = ", re.MULTILINE)
"""The description that Spark gives to all executions of a micro-batch, including writes inside ``foreachBatch``."""
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
"""Spark's internal action names, and the names that users know."""
_COUNTS_OR_PRINTS: Final = {"count", "count_approx", "is_empty", "show"}
_CHECKPOINTS: Final = {"checkpoint", "local_checkpoint"}
_STAYS_IN_SPARK: Final = {"cache", "persist", "pivot", *_CHECKPOINTS}
_FINDS_AN_ORDER: Final = {"sort_by", "sort_by_key", "zip_with_index"}
_FINDS_KEYS: Final = ("Json", "Xml")
"""How the names of Spark's classes begin that make columns of the keys in files."""
_SHOWS: Final = {"show", "pivot"}
"""Actions that print values, or make names of columns of them."""
_RETURNS_NO_VALUES: Final = frozenset(_COUNTS_OR_PRINTS | _STAYS_IN_SPARK | _FINDS_AN_ORDER)
"""Actions that return no values of datasets to the program."""
_LOGS: Final = ("/_delta_log", "/_spark_metadata")
_MOST_NAMES: Final = 3
_WRITERS: Final = ("DataFrameWriter.", "DataFrameWriterV2.")
"""In the method that the user called to write: what a table format reads for that goes to the table."""
_SQL: Final = ".SparkSession.sql("
"""In the method that the user called for a statement, or for a script."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of an execution. ``dropped`` is the number of documents lost while it ran."""

    ended: int
    error: Mapping[str, Any] | None = None
    output: Mapping[str, Any] | None = None
    """{"rows", "bytes", "files"} written."""
    inputs: tuple[Mapping[str, Any], ...] = ()
    """{"roots", "table" or "source", "rows", "bytes", "files"} read."""
    version: str | None = None
    """The version of the written table that this execution created."""
    dropped: int = 0
    aborted: bool = False
    jobs: int | None = None
    """Spark's jobs that it ran, those of nested executions included; None where they were not counted."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One SQL execution: one run of one job, as soon as its target is known."""

    id: int
    run_id: str
    started: int
    application: Application
    is_part: bool = False
    """Whether another execution started it, as some commands do."""
    lineage: PlanLineage = field(default_factory=PlanLineage)
    description: str = ""
    """Spark's description: the user's own text, or ``collect at job.py:3``."""
    api: str = ""
    """The Spark method that the user called, as a stack frame."""
    call_site: str = ""
    """The first stack frame outside of Spark, if any."""
    called_from: str = ""
    """The user's line that a Python driver recorded for the execution's jobs, as ``save at job.py:3``."""
    sql: str | None = None
    client_user: str = ""
    """The user of the Spark Connect client that requested the execution, if one did."""
    client_name: str = ""
    """The name that this client gives itself."""
    location: str | None = None
    """The target's location, if a nested execution revealed it."""
    collected: Holding = field(default_factory=Holding)
    """The data that the program may have held before."""
    changed: Mapping[DatasetId, int] = field(default_factory=dict)
    """When each dataset that the application had written was last written, in epoch milliseconds."""
    caches: Caches = field(default_factory=Caches)
    """What it took out of caches, which only its end tells."""
    infers: str = ""
    """The class of Spark by which it learns the schema of files in this execution, if it is an action on an RDD."""
    of_model: bool = False
    """Whether Spark's machine learning library runs it to save or load a model."""
    models: tuple[DatasetId, ...] = ()
    """The known directories of models; everything in one of them is one dataset."""
    overwrite_mode: str | None = None
    """The session's partition overwrite mode, STATIC or DYNAMIC; None where it is not known."""
    found_files: bool = False
    """Whether it left files in its directory, or may have, that the application had not written."""
    variant: int = 1
    """The number of this access among those of the same name that return different paths, by first appearance."""

    @classmethod
    def from_document(cls, document: Mapping[str, Any], application: Application) -> Execution:
        """The execution of an ``execution-start`` document, or of an ``execution-end`` if the start was lost."""
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
            infers=str(document.get("infers") or ""),
            of_model=bool(document.get("model")),
            client_user=str(client.get("user") or ""),
            client_name=str(client.get("application") or ""),
        )

    def with_end(self, document: Mapping[str, Any]) -> Execution:
        """A copy with the fields that only the ``execution-end`` document has."""
        return replace(
            self,
            sql=document.get("sql") if self.sql is None else self.sql,
            called_from=str(document.get("calledFrom") or ""),
            overwrite_mode=str(document.get("overwriteMode") or "").upper() or None,
            found_files=bool(document.get("foundFiles")),
        )

    def with_lineage(self, lineage: PlanLineage) -> Execution:
        """A copy with the result of the analysis."""
        return replace(self, lineage=lineage)

    def with_gap(self, gap: Gap) -> Execution:
        """A copy with something more that is not known."""
        lineage = replace(self.lineage, incomplete=(*self.lineage.incomplete, gap))
        return replace(self, lineage=lineage)

    def with_models(self, models: tuple[DatasetId, ...]) -> Execution:
        """A copy that knows these directories of models."""
        return replace(self, models=models)

    def with_earlier(self, collected: Holding, changed: Mapping[DatasetId, int]) -> Execution:
        """A copy in a program that had collected this data, and written these datasets, before."""
        return replace(self, collected=collected, changed=dict(changed))

    def with_caches(self, caches: Caches) -> Execution:
        """A copy that took these rows out of caches, too."""
        return replace(self, caches=self.caches.joined(caches))

    def read_at(self, read: int) -> int:
        """When a read of the plan was executed, in epoch milliseconds: earlier than this, if its rows were kept."""
        at = self.lineage.reads[read].at
        return self.started if at is None else at

    @property
    def constants(self) -> Constants:
        """The policy for the constants of its program."""
        return self.application.constants(collected=bool(self.collected.collected))

    @property
    def client_application(self) -> Application:
        """The application with the name and user of the Spark Connect client that requested this, if one did."""
        application = self.application
        return replace(
            application, name=self.client_name or application.name, user=self.client_user or application.user
        )

    @property
    def query(self) -> str | None:
        """Spark's run id of the streaming query whose micro-batch this is, or is a part of; else None."""
        found = _BATCH.search(self.description)
        return found[1] if found else None

    @property
    def computes(self) -> PlanExecution:
        """What it computes, and whether Spark keeps the rows for later plans."""
        is_batch = self.query is not None and not self.is_part
        keeps_rows = is_batch or self._action() in _CHECKPOINTS
        script = self.sql if self.sql is not None and is_script(self.sql) else None
        is_sql = _SQL in self.api or bool(self.client_user)
        is_job = self.id < 0  # on an RDD: the driver numbers these from below zero
        asks = (script is not None or (is_sql and self.sql is None)) and not (self.is_part or is_job)
        return PlanExecution(
            self.id,
            keeps_rows,
            self.query,
            is_batch,
            self.started,
            self._cached_at,
            script=script,
            is_sql=is_sql,
            asks=asks,
        )

    def _cached_at(self, source: Mapping[str, Any]) -> int | None:
        return self.caches.read_at(source, Catalogs(self.application.conf)) if self.caches else None

    @property
    def is_access(self) -> bool:
        """Whether it reads datasets and writes none, so that its result goes to the caller."""
        return self.lineage.target is None and any(self.reads())

    @property
    def is_inference(self) -> bool:
        """Whether Spark runs it to infer a schema, before the user requests any data.

        ``spark.sql`` runs no query itself, except for those in a script, and those that give a variable its value:
        EXECUTE IMMEDIATE makes constants of these.
        """
        if self.infers:
            return True
        if _SQL in self.api:
            is_query = self.sql is not None and not is_script(self.sql)
            return self.is_part or (is_query and not self.lineage.assigns)
        return "DataFrameReader." in self.api or "DataStreamReader." in self.api

    def named_by_data(self) -> tuple[ResolvedDataset, ...]:
        """The datasets in whose data Spark finds the names of columns here: keys of objects, or a line of a header."""
        if not self.is_inference:
            return ()
        keys = self.infers.startswith(_FINDS_KEYS)
        pairs = zip(self.lineage.reads, self.reads(), strict=True)
        found = (datasets for read, datasets in pairs if keys or read.source.get("header"))
        return tuple(dict.fromkeys(chain.from_iterable(found)))

    @property
    def returns_values(self) -> bool:
        """Whether it returns values of datasets to the program: to the driver, or to user code."""
        is_action = (
            self.lineage.target is None and not self.is_inference and self._action() not in _RETURNS_NO_VALUES
        )
        return is_action and not self._reads_logs() and not any(each in self.api for each in _WRITERS)

    @property
    def shows_values(self) -> bool:
        """Whether it prints values of datasets, or makes names of columns of them, which the program may get at."""
        return self.lineage.target is None and not self.is_inference and self._action() in _SHOWS

    def _reads_logs(self) -> bool:
        """Whether it reads only a table's own log, as table formats do internally."""
        names = [dataset.id.name for datasets in self.reads() for dataset in datasets]
        return bool(names) and all(any(f"{log}/" in f"{name}/" for log in _LOGS) for name in names)

    def reads(self) -> tuple[tuple[ResolvedDataset, ...], ...]:
        """The datasets of each read of the plan."""
        catalogs = Catalogs(self.application.conf)
        found = (resolve_datasets(read.source, catalogs) for read in self.lineage.reads)
        return tuple(tuple(whole_model(each, self.models) for each in datasets) for datasets in found)

    def targets(self) -> tuple[ResolvedDataset, ...]:
        """The datasets that the plan writes: one, or none if nothing is known of it."""
        if self.lineage.target is None:
            return ()
        catalogs = Catalogs(self.application.conf)
        source = self.lineage.target.source
        found = resolve_datasets(source, catalogs)
        if not found and self.lineage.reads and source.get("kind") != "memory":
            return (unnamed(source),)
        located = (
            tuple(at_location(each, self.location, catalogs) for each in found) if self.location else found
        )
        return tuple(whole_model(each, self.models) for each in located)

    @property
    def job(self) -> Job:
        """The execution as a job: ``{application}.{command}.{target}``."""
        namespace, application = self.application.job.namespace, self.client_application.job.name
        return Job(namespace, ".".join([application, *self._job_parts()]), self.run_id)

    def _job_parts(self) -> list[str]:
        target = self.lineage.target
        if target is None:
            return self._access_parts() if self.is_access else ["unknown"]
        command = snake(target.command.removesuffix("Exec").removesuffix("$"))
        parts = [f"execute_{command}" if target.command.endswith("Command") else command]
        if self.application.enabled("spark.openlineage.jobName.appendDatasetName", default=True):
            parts += [each.short_name for each in self.targets()[:1] if each.is_named]
        if self.application.enabled("spark.openlineage.jobName.replaceDotWithUnderscore", default=False):
            return ["_".join(parts)]
        return parts

    def _access_parts(self) -> list[str]:
        variant = [] if self.variant == 1 else [str(self.variant)]
        return [self._action(), self._read_names(), *variant]

    def _action(self) -> str:
        """The action as users know it: ``collect``, ``show``, ``count``."""
        found = _CALLED.match(self.description) or _METHOD.search(self.api)
        name = found[1] if found else "read"
        return snake(_ACTIONS.get(name, name))

    def _read_names(self) -> str:
        """The short names of the datasets that are read, joined."""
        names = sorted({dataset.short_name for datasets in self.reads() for dataset in datasets})
        return "_and_".join(names[:_MOST_NAMES])
