"""One SQL execution of an application: its program text, its lineage, its datasets, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

from openlineage.client.uuid import generate_new_uuid

from headwater_facets.locations import DatasetId
from headwater_spark.capture.application import Application, Job
from headwater_spark.capture.caches import Caches
from headwater_spark.capture.execution import Stated, stated, stated_at_end
from headwater_spark.capture.statements import is_script
from headwater_spark.constants import Constants
from headwater_spark.decode import PlanExecution
from headwater_spark.executions.actions import CHECKPOINTS, RETURNS_NO_VALUES, SHOWS, action_of
from headwater_spark.executions.handed_over import with_handed_over
from headwater_spark.executions.job_names import parts_of_access, parts_of_write
from headwater_spark.naming.datasets import Catalogs, ResolvedDataset, at_location, resolve_datasets, unnamed
from headwater_spark.naming.models import whole_model
from headwater_spark.tracing.collected import Holding
from headwater_spark.tracing.result import Gap, PlanLineage

_BATCH: Final = re.compile(r"^id = (\S+)\nrunId = (\S+)\nbatch = (\d*)", re.MULTILINE)
"""The description that Spark gives to all executions of a micro-batch, including writes inside ``foreachBatch``."""
_FINDS_KEYS: Final = ("Json", "Xml")
"""How the names of Spark's classes begin that make columns of the keys in files."""
_LOGS: Final = ("/_delta_log", "/_spark_metadata")
_WRITERS: Final = ("DataFrameWriter.", "DataFrameWriterV2.")
"""In the method that the user called to write: what a table format reads for that goes to the table."""
_SQL: Final = ".SparkSession.sql("
"""In the method that the user called for a statement, or for a script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution(Stated):
    """One SQL execution: one run of one job, as soon as its target is known."""

    run_id: str
    application: Application
    lineage: PlanLineage = field(default_factory=PlanLineage)
    location: str | None = None
    """The target's location, if a nested execution revealed it."""
    collected: Holding = field(default_factory=Holding)
    """The data that the program may have held before."""
    changed: Mapping[DatasetId, int] = field(default_factory=dict)
    """When each dataset that the application had written was last written, in epoch milliseconds."""
    caches: Caches = field(default_factory=Caches)
    """What it took out of caches, which only its end tells."""
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
        return cls(run_id=str(generate_new_uuid()), application=application, **stated(document))

    def with_end(self, document: Mapping[str, Any]) -> Execution:
        """A copy with the fields that only the ``execution-end`` document has."""
        sql = document.get("sql") if self.sql is None else self.sql
        return replace(self, sql=sql, **stated_at_end(document))

    def with_lineage(self, lineage: PlanLineage) -> Execution:
        """A copy with the result of the analysis."""
        return replace(self, lineage=lineage)

    def of_states(self) -> Iterator[Execution]:
        """What it writes to the states of its streaming query, as executions of their own."""
        for each in self.lineage.states:
            yield replace(self, run_id=str(generate_new_uuid()), lineage=each, found_files=False)

    def with_analysis(self, lineage: PlanLineage) -> Execution:
        """A copy with the lineage of its plan, and what only its functions are given."""
        return self.with_lineage(with_handed_over(lineage, self._action))

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
        return found[2] if found else None

    @property
    def computes(self) -> PlanExecution:
        """What it computes, and whether Spark keeps the rows for later plans."""
        is_batch = self.query is not None and not self.is_part
        keeps_rows = is_batch or self._action in CHECKPOINTS
        script = self.sql if self.sql is not None and is_script(self.sql) else None
        is_sql = _SQL in self.api or bool(self.client_user)
        is_job = self.id < 0  # on an RDD: the driver numbers these from below zero
        asks = (script is not None or (is_sql and self.sql is None)) and not (self.is_part or is_job)
        batch = _BATCH.search(self.description) if is_batch else None
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
            lasting=batch[1] if batch else "",
            batch=int(batch[3]) if batch and batch[3] else None,
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
        if self.lineage.is_handed_over:
            return not self.is_inference
        is_action = (
            self.lineage.target is None and not self.is_inference and self._action not in RETURNS_NO_VALUES
        )
        return is_action and not self._reads_logs() and not any(each in self.api for each in _WRITERS)

    @property
    def shows_values(self) -> bool:
        """Whether it prints values of datasets, or makes names of columns of them, which the program may get at."""
        return self.lineage.target is None and not self.is_inference and self._action in SHOWS

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
        if target is not None:
            return parts_of_write(target.command, self.targets(), self.application)
        return parts_of_access(self._action, self.reads(), self.variant) if self.is_access else ["unknown"]

    @property
    def _action(self) -> str:
        return action_of(self.description, self.api)
