"""Jobs and runs in GraphQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from headwater_backend.domain import facet_readers, model, pages
from headwater_backend.domain.pages import Page
from headwater_backend.domain.roles import Permission
from headwater_backend.questions import runs
from headwater_backend.questions.runs import Below
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import Connection, Loader, connection
from headwater_graphql.engine.definitions import JSON
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.engine.scalars import Long, maybe_long
from headwater_graphql.fields.programs import JobSplit, UserFunction
from headwater_graphql.fields.quality import Assertion, DataQualityMetrics, TestExecution
from headwater_graphql.fields.types import DatasetRef, Incomplete, JobName, JobRef, Owner, Tag, job_title

definitions.enum(
    model.Use, name="DatasetUse", description="INPUT: a run reads the dataset. OUTPUT: a run writes it."
)


@definitions.object_type(description="A reference to a run, which may be unknown.")
class RunRef:
    job: JobRef
    run_id: str

    @classmethod
    def of(cls, key: model.RunKey) -> RunRef:
        return cls(job=JobRef.of(key.job), run_id=key.run_id)


@definitions.object_type(description="A dataset that a run read or wrote.")
class RunDataset:
    namespace: str
    name: str
    rows: Long | None = definitions.field(description="From the statistics facet of this run.")
    bytes: Long | None
    files: Long | None
    quality: DataQualityMetrics | None = definitions.field(description="Data quality metrics of this run.")
    assertions: list[Assertion] = definitions.field(description="Test results of this run.")
    facets: JSON = definitions.field(description="The original input or output facets of this run.")

    @classmethod
    def of(cls, used: model.Used) -> RunDataset:
        statistics = facet_readers.statistics(used.facets)
        return cls(
            namespace=used.dataset.namespace,
            name=used.dataset.name,
            rows=maybe_long(statistics.rows),
            bytes=maybe_long(statistics.size),
            files=maybe_long(statistics.files),
            quality=DataQualityMetrics.of(used.facets),
            assertions=Assertion.all(used.facets),
            facets=JSON(dict(used.facets)),
        )


@definitions.object_type(description="Number of runs in a state.")
class StateCount:
    state: str | None
    runs: int


@definitions.object_type(description="A dataset that runs below a run read or wrote.")
class UsedBelow:
    namespace: str
    name: str
    runs: int = definitions.field(description="Number of these runs.")
    rows: Long | None = definitions.field(description="Total over these runs, from their statistics facets.")
    bytes: Long | None
    files: Long | None

    @classmethod
    def all(cls, below: Below, use: model.Use) -> list[UsedBelow]:
        return [
            cls(
                namespace=each.dataset.namespace,
                name=each.dataset.name,
                runs=each.runs,
                rows=maybe_long(each.statistics.rows),
                bytes=maybe_long(each.statistics.size),
                files=maybe_long(each.statistics.files),
            )
            for each in below.used
            if each.use is use
        ]


@definitions.object_type(
    description="Summary of the runs below a run: runs that it started, directly or indirectly."
)
class RunsBelow:
    runs: int
    cut: bool = definitions.field(description="Whether there are more runs, which are not included.")
    states: list[StateCount] = definitions.field(description="Most frequent first.")
    seconds: float = definitions.field(description="Total duration of the runs that ended.")
    inputs: list[UsedBelow]
    outputs: list[UsedBelow]

    @classmethod
    def of(cls, below: Below) -> RunsBelow:
        return cls(
            runs=len(below.runs),
            cut=below.cut,
            states=[StateCount(state=state or None, runs=count) for state, count in below.states],
            seconds=sum(filter(None, map(_seconds, below.runs)), 0.0),
            inputs=UsedBelow.all(below, model.Use.INPUT),
            outputs=UsedBelow.all(below, model.Use.OUTPUT),
        )


def _seconds(run: model.Run) -> float | None:
    """Return the duration of the run in seconds; None if it has not ended."""
    if not (run.started_at and run.ended_at) or run.ended_at < run.started_at:
        return None
    return (run.ended_at - run.started_at).total_seconds()


@definitions.object_type(description="An operator whose records a run kept.")
class KeptOperator:
    id: int = definitions.field(description="Its number among those of the run's records.")
    type: str = definitions.field(description="Such as filter, inner join or group.")
    rows: Long | None = definitions.field(
        description="How many records it gave; null where they are not kept."
    )


@definitions.object_type(
    description="Where it is kept, beside the data, which records made what a run wrote, from the `headwater_records` "
    "facet. `headwater records` asks there."
)
class RunRecords:
    mode: str = definitions.field(
        description="demand: what the inputs were; ends: which records of the sources made each record; full: the "
        "records of every operator, too."
    )
    folder: str
    entry: str = definitions.field(description="The run's own folder in it.")
    carried: bool | None = definitions.field(
        description="Whether the write itself carried the ids of its records; else the plan ran once more."
    )
    files: Long | None = definitions.field(description="Number of files of the output that it is about.")
    rows: Long | None = definitions.field(description="Number of records of the output.")
    operators: list[KeptOperator]
    refused: str | None = definitions.field(
        description="A code of why it cannot be asked about, such as untraceable; null if it can."
    )
    operator: str | None = definitions.field(description="The operator because of which it was refused.")

    @classmethod
    def of(cls, facets: Mapping[str, Any]) -> RunRecords | None:
        found = facet_readers.records(facets)
        if found is None:
            return None
        return cls(
            mode=found.mode,
            folder=found.folder,
            entry=found.entry,
            carried=found.carried,
            files=maybe_long(found.files),
            rows=maybe_long(found.rows),
            operators=[
                KeptOperator(id=each.id, type=each.type, rows=maybe_long(each.rows))
                for each in found.operators or ()
            ],
            refused=found.refused,
            operator=found.operator,
        )


class RunLoaders:
    """Loaders shared by the runs of one list."""

    def __init__(self, found: Sequence[model.Run]) -> None:
        self.below = Loader(lambda: [run.key for run in found], runs.below)
        self.used = Loader(lambda: [run.key for run in found], runs.used)
        self._parents = Loader(lambda: [run.parent for run in found if run.parent], runs.known)
        self._of_parents: RunLoaders | None = None

    def parent(self, info: Info, key: model.RunKey) -> Run | None:
        """Return the parent of one of these runs; it shares its loaders with the other parents."""
        found = self._parents.get(info, key)
        if self._of_parents is None:
            self._of_parents = RunLoaders(list(self._parents.all(info).values()))
        return Run.of(found, self._of_parents) if found else None


@definitions.object_type(description="One run of a job.")
class Run:
    run_id: str
    job: JobRef
    state: str | None = definitions.field(
        description="START, RUNNING, COMPLETE, FAIL, ABORT or OTHER; a failure is final."
    )
    started_at: datetime | None
    ended_at: datetime | None
    duration_seconds: float | None = definitions.field(description="Null until it ends.")
    error: str | None = definitions.field(description="The error, from the `errorMessage` facet.")
    parent: RunRef | None = definitions.field(description="The run that started this one.")
    root: RunRef | None = definitions.field(description="The root of this run's ancestors.")
    claimed_parent: RunRef | None = definitions.field(
        description="The run that started this one according to its sender, who may not write the job of that run. It "
        "is not counted there."
    )
    tests: list[TestExecution] = definitions.field(
        description="The tests that it executed, for all datasets."
    )
    records: RunRecords | None = definitions.field(
        description="Where its records are kept; null if it reported nothing of them."
    )
    facets: JSON = definitions.field(description="The original facets, by name.")
    key: model.RunKey = definitions.private()
    parent_key: model.RunKey | None = definitions.private()
    loaders: RunLoaders = definitions.private()

    @classmethod
    def of(cls, run: model.Run, loaders: RunLoaders | None = None) -> Run:
        return cls(
            run_id=run.run_id,
            job=JobRef.of(run.job),
            state=run.state,
            started_at=run.started_at,
            ended_at=run.ended_at,
            duration_seconds=_seconds(run),
            error=facet_readers.error(run.facets),
            parent=RunRef.of(run.parent) if run.parent else None,
            root=RunRef.of(run.root) if run.root else None,
            claimed_parent=RunRef.of(run.claimed_parent) if run.claimed_parent else None,
            tests=TestExecution.all(run.facets),
            records=RunRecords.of(run.facets),
            facets=JSON(dict(run.facets)),
            key=run.key,
            parent_key=run.parent,
            loaders=loaders or RunLoaders([run]),
        )

    @definitions.resolver(description="Datasets that it read.")
    def inputs(self, info: Info) -> list[RunDataset]:
        return self._used(info, model.Use.INPUT)

    @definitions.resolver(description="Datasets that it wrote.")
    def outputs(self, info: Info) -> list[RunDataset]:
        return self._used(info, model.Use.OUTPUT)

    @definitions.resolver(description="Summary of the runs below it; null if there are none.")
    def below(self, info: Info) -> RunsBelow | None:
        found = self.loaders.below.get(info, self.key)
        return RunsBelow.of(found) if found else None

    @definitions.resolver(description="The run that started this one, if it is known.")
    def parent_run(self, info: Info) -> Run | None:
        return self.loaders.parent(info, self.parent_key) if self.parent_key else None

    def _used(self, info: Info, use: model.Use) -> list[RunDataset]:
        found = self.loaders.used.get(info, self.key) or ()
        return [RunDataset.of(used) for used in found if used.use is use]


@definitions.object_type(description="A run that used a dataset, with its facets of the dataset.")
class RunOfDataset:
    run: Run
    read: list[RunDataset] = definitions.field(description="The dataset as an input, under each name used.")
    wrote: list[RunDataset] = definitions.field(description="The dataset as an output, under each name used.")

    @classmethod
    def of(cls, run: Run, used: Sequence[model.Used]) -> RunOfDataset:
        read, wrote = (
            [RunDataset.of(each) for each in used if each.use is use]
            for use in (model.Use.INPUT, model.Use.OUTPUT)
        )
        return cls(run=run, read=read, wrote=wrote)


class JobLoaders:
    """Loaders shared by the jobs of one list."""

    def __init__(self, keys: Sequence[model.JobKey]) -> None:
        self.newest = Loader(lambda: keys, runs.newest)
        self.used = Loader(lambda: keys, runs.used_by_jobs)
        self.gaps = Loader(lambda: keys, runs.gaps_of_jobs)
        self.runs: RunLoaders | None = None

    def newest_run(self, info: Info, key: model.JobKey) -> Run | None:
        """Return the job's newest run; it shares its loaders with those of the other jobs."""
        found = self.newest.get(info, key)
        if self.runs is None:
            self.runs = RunLoaders(list(self.newest.all(info).values()))
        return Run.of(found, self.runs) if found else None


@definitions.object_type(
    description="What a job executes, and where that is written, from its `sql`, `sourceCode` and `sourceCodeLocation`."
)
class Program:
    sql: str | None = definitions.field(description="The statement, or the source code.")
    dialect: str | None = definitions.field(description="The dialect of SQL, or the language.")
    url: str | None = definitions.field(description="As the sender gave it: not necessarily a web page.")
    repository: str | None
    path: str | None = definitions.field(description="Of the file in the repository.")
    version: str | None = definitions.field(description="Such as a commit.")
    branch: str | None
    line: int | None

    @classmethod
    def of(cls, found: facet_readers.Program) -> Program:
        return cls(**found._asdict())


@definitions.object_type(description="A job with the newest state of each of its facets.")
class Job:
    namespace: str
    name: str
    description: str | None
    owners: list[Owner]
    tags: list[Tag]
    program: Program | None = definitions.field(description="Null if the job says nothing of it.")
    first_seen: datetime | None
    last_seen: datetime | None
    functions: list[UserFunction] = definitions.field(description="The user functions that it calls.")
    split: JobSplit | None = definitions.field(
        description="Along a boundary of regions, from `headwater split --events`; null if it was not split."
    )
    facets: JSON = definitions.field(description="The original facets, by name.")
    key: model.JobKey = definitions.private()
    loaders: JobLoaders = definitions.private()

    @classmethod
    def of(cls, job: model.Job, loaders: JobLoaders | None = None) -> Job:
        return cls(
            namespace=job.key.namespace,
            name=job.key.name,
            description=facet_readers.description(job.facets),
            owners=[Owner.of(owner) for owner in facet_readers.owners(job.facets)],
            tags=[Tag.of(tag) for tag in facet_readers.tags(job.facets)],
            program=Program.of(program) if (program := facet_readers.program(job.facets)) else None,
            first_seen=job.first_seen,
            last_seen=job.last_seen,
            functions=[UserFunction.of(each) for each in facet_readers.user_functions(job.facets)],
            split=JobSplit.of(split) if (split := facet_readers.split(job.facets)) else None,
            facets=JSON(dict(job.facets)),
            key=job.key,
            loaders=loaders or JobLoaders([job.key]),
        )

    title = job_title

    @definitions.resolver(description="Its newest run.")
    def last_run(self, info: Info) -> Run | None:
        return self.loaders.newest_run(info, self.key)

    @definitions.resolver(description="Datasets read by its runs, or by runs below them.")
    def inputs(self, info: Info) -> list[DatasetRef]:
        return self._used(info, model.Use.INPUT)

    @definitions.resolver(description="Datasets written by its runs, or by runs below them.")
    def outputs(self, info: Info) -> list[DatasetRef]:
        return self._used(info, model.Use.OUTPUT)

    @definitions.resolver(
        description="Known gaps in the current lineage reported by it, or by a job below it."
    )
    def incomplete(self, info: Info) -> list[Incomplete]:
        return [Incomplete.of(entry) for entry in self.loaders.gaps.get(info, self.key) or ()]

    def _used(self, info: Info, use: model.Use) -> list[DatasetRef]:
        found = self.loaders.used.get(info, self.key) or ()
        return [DatasetRef.of(used.dataset) for used in found if used.use is use]


@definitions.object_type(description="A job in a list of jobs, with its newest run.")
class ListedJob:
    namespace: str
    name: str
    loaded: Job = definitions.private()

    @classmethod
    def of(cls, job: Job) -> ListedJob:
        return cls(namespace=job.namespace, name=job.name, loaded=job)

    title = job_title

    @definitions.resolver(description="Its newest run.")
    def last_run(self, info: Info) -> Run | None:
        return self.loaded.loaders.newest_run(info, self.loaded.key)


@definitions.object_type()
class JobQuery:
    @definitions.resolver(description="The job with that name.")
    @needs(Permission.ASK, one_thing=True)
    def job(self, info: Info, namespace: str, name: str) -> Job | None:
        found = run_question(info, runs.maybe_job, model.JobKey(namespace, name))
        return Job.of(found) if found else None

    @definitions.resolver(
        description="Jobs whose namespace or name contains the text, whatever its case, by name."
    )
    @needs(Permission.ASK)
    def jobs(
        self, info: Info, search: str | None = None, first: int | None = 50, after: str | None = None
    ) -> Connection[ListedJob]:
        page = run_question(info, runs.jobs, search, first, after)
        nodes = [ListedJob.of(job) for job in jobs_by_key({job.key: job for job in page.items}).values()]
        return connection(nodes, [pages.cursor(*job.key) for job in page.items], page.has_next, after)

    @definitions.resolver(
        description="The newest run of each of up to 1,000 jobs; jobs without any are left out."
    )
    @needs(Permission.ASK, one_thing=True)
    def newest_runs(self, info: Info, jobs: list[JobName]) -> list[Run]:
        found = list(run_question(info, runs.newest_of, [each.key() for each in jobs]).values())
        loaders = RunLoaders(found)
        return [Run.of(run, loaders) for run in found]

    @definitions.resolver(description="A run of a job.")
    @needs(Permission.ASK, one_thing=True)
    def run(self, info: Info, namespace: str, name: str, run_id: str) -> Run | None:
        key = model.RunKey(model.JobKey(namespace, name), run_id)
        found = run_question(info, runs.known, [key]).get(key)
        return Run.of(found) if found else None

    @definitions.resolver(description="The runs of a job, newest first.")
    @needs(Permission.ASK)
    def job_runs(
        self,
        info: Info,
        namespace: str,
        name: str,
        first: int | None = 50,
        after: str | None = None,
    ) -> Connection[Run]:
        page = run_question(info, runs.of_job, model.JobKey(namespace, name), first, after)
        return _runs(page, after)

    @definitions.resolver(
        description="The runs that read or wrote a dataset, under any of its names, newest first."
    )
    @needs(Permission.ASK)
    def dataset_runs(
        self,
        info: Info,
        namespace: str,
        name: str,
        use: model.Use | None = None,
        first: int | None = 50,
        after: str | None = None,
    ) -> Connection[Run]:
        page = run_question(info, runs.of_dataset, model.DatasetKey(namespace, name), use, first, after)
        return _runs(page, after)

    @definitions.resolver(
        description="The runs that used a dataset, with sizes, metrics and test results, newest first."
    )
    @needs(Permission.ASK)
    def dataset_history(
        self,
        info: Info,
        namespace: str,
        name: str,
        use: model.Use | None = None,
        first: int | None = 50,
        after: str | None = None,
    ) -> Connection[RunOfDataset]:
        page = run_question(info, runs.history, model.DatasetKey(namespace, name), use, first, after)
        loaders = RunLoaders([run for run, _ in page.items])
        nodes = [RunOfDataset.of(Run.of(run, loaders), used) for run, used in page.items]
        return connection(nodes, [runs.cursor(run) for run, _ in page.items], page.has_next, after)

    @definitions.resolver(
        description="The runs that wrote a dataset, under any of its names, and reported where it is kept which "
        "records made it, newest first."
    )
    @needs(Permission.ASK)
    def dataset_records(
        self, info: Info, namespace: str, name: str, first: int | None = 50, after: str | None = None
    ) -> Connection[Run]:
        page = run_question(info, runs.with_records, model.DatasetKey(namespace, name), first, after)
        return _runs(page, after)

    @definitions.resolver(description="The runs that a run started, newest first.")
    @needs(Permission.ASK)
    def child_runs(
        self, info: Info, run_id: str, first: int | None = 50, after: str | None = None
    ) -> Connection[Run]:
        page = run_question(info, runs.children, run_id, first, after)
        return _runs(page, after)


def _runs(page: Page[model.Run], after: str | None) -> Connection[Run]:
    loaders = RunLoaders(page.items)
    nodes = [Run.of(run, loaders) for run in page.items]
    return connection(nodes, [runs.cursor(run) for run in page.items], page.has_next, after)


def jobs_by_key(found: Mapping[model.JobKey, model.Job]) -> dict[model.JobKey, Job]:
    """Convert the jobs of one answer; they share their loaders."""
    loaders = JobLoaders(list(found))
    return {key: Job.of(job, loaders) for key, job in found.items()}
