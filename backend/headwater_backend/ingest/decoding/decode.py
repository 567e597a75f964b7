"""From OpenLineage JSON of any producer to records.

An event is either refused as a whole, with an ``EventError`` that names the place as a JSON pointer, or accepted as a
whole. Codes: ``TOO_LARGE``, ``TOO_MANY_VALUES``, ``TEXT_TOO_LONG``, ``NOT_JSON``, ``NOT_AN_OBJECT``, ``TOO_DEEP``,
``BAD_TEXT``, ``BAD_NUMBER``, ``NAME_TOO_LONG``, ``MISSING``, ``INVALID``, ``IN_THE_FUTURE``, and the ``FACET_…`` codes
for lineage facets that cannot be read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Set
from typing import Any

from headwater_backend.domain import facet_readers, layouts
from headwater_backend.domain.expand import Tree
from headwater_backend.domain.model import DatasetKey, JobKey
from headwater_backend.domain.moments import micros
from headwater_backend.domain.node_keys import named_text, run_text
from headwater_backend.domain.records import (
    NOT_STATED,
    Batch,
    ChangeSeen,
    ConditionsText,
    DatasetSeen,
    FacetSeen,
    Gathered,
    IoSeen,
    JobSeen,
    LayoutSeen,
    Observation,
    RunSeen,
    SymlinkSeen,
)
from headwater_backend.ingest.decoding import lineage, reading
from headwater_backend.ingest.decoding.columns import sources_of_job, targets
from headwater_backend.ingest.decoding.documents import (
    DatasetEvent,
    DatasetPart,
    Event,
    JobEvent,
    RunEvent,
)
from headwater_backend.ingest.decoding.handed_over import driver_of, handed_over
from headwater_backend.ingest.decoding.key_bounds import check_keys
from headwater_backend.ingest.decoding.limits import DEFAULT_LIMITS, Limits
from headwater_backend.ingest.decoding.parts import (
    dataset_of_part,
    facets_of_read,
    former_name,
    job_of,
    makes_anew,
    names_of,
    other_names,
    read_at,
)
from headwater_backend.ingest.decoding.remembered import (
    REMEMBERED,
    Lineage,
    known_paths,
    lineage_of,
    repeated_lineage,
    tree_of_schema,
)
from headwater_backend.ingest.decoding.replacing import (
    carries_over,
    content_notes,
    keeps_content,
    notes_of_read,
)
from headwater_facets.canonical_json import canonical
from headwater_facets.schemas import CONDITIONS

FAILED = frozenset({"FAIL", "ABORT"})
ENDED = frozenset({"COMPLETE", *FAILED})


def decode(event: bytes | str | Mapping[str, Any], limits: Limits = DEFAULT_LIMITS) -> Batch:
    """The records of one event; raises ``EventError``."""
    return _Records(reading.read(event, limits), limits).batch()


class _Records:
    """The records of one event, while they are collected."""

    def __init__(self, event: Event, limits: Limits) -> None:
        self._event = event
        self._limits = limits
        self._time = micros(event.event_time)
        self._schemas: dict[DatasetKey, str] = {}
        self._bodies: dict[int, str] = {}
        self._digests: dict[str, str] = {}
        self._conditions = NOT_STATED
        self._found = Gathered()

    def batch(self) -> Batch:
        match self._event:
            case RunEvent() as event:
                self._run_event(event)
            case JobEvent() as event:
                run = run_text(job_of(event), f"job event {self._time}")
                self._job_event(event, run, static=True, failed=False)
            case DatasetEvent() as event:
                self._learn_schemas([event.dataset])
                self._dataset(event.dataset, "/dataset", run="", with_facets=True)
        batch = self._found.batch()
        check_keys(batch)
        return batch

    def _run_event(self, event: RunEvent) -> None:
        job = job_of(event)
        run = run_text(job, event.run.run_id.lower())
        self._found.runs.append(self._run(event, run))
        self._facets(f"run {run}", event.run.facets)
        self._job_event(event, run, static=False, failed=event.event_type in FAILED)
        if (found := handed_over(event)) is not None:
            self._conditions = NOT_STATED  # those of the job are about its outputs
            self._lineage(self._expanded(job, driver_of(event), found), run, static=False)

    def _run(self, event: RunEvent, key: str) -> RunSeen:
        time, state = self._time, event.event_type
        return RunSeen(
            key=key,
            job=named_text(job_of(event)),
            run_id=event.run.run_id.lower(),
            first=time,
            last=time,
            started=time if state == "START" else None,
            running=time if state == "RUNNING" else None,
            completed=time if state == "COMPLETE" else None,
            failed=time if state == "FAIL" else None,
            aborted=time if state == "ABORT" else None,
            other=time if state == "OTHER" else None,
            ended=time if state in ENDED else None,
            settled=0 if state in ENDED else None,
            refuted=0 if state in FAILED else None,
        )

    def _job_event(self, event: RunEvent | JobEvent, run: str, *, static: bool, failed: bool) -> None:
        job = job_of(event)
        self._found.jobs.append(JobSeen(job, self._time, self._time))
        self._facets(f"job {named_text(job)}", event.job.facets)
        self._conditions = self._conditions_in(event.job.facets)
        self._learn_schemas([*event.inputs, *event.outputs])
        facet, place = event.job.facets.get(lineage.LINEAGE), f"/job/facets/{lineage.LINEAGE}"
        declared = targets(facet, place)
        for key in sources_of_job(facet, job, place):
            self._uses(key, run, "INPUT")
        anew = not failed and makes_anew(event)
        for index, part in enumerate(event.inputs):
            self._dataset(part, f"/inputs/{index}", run=run, with_facets=True)
            self._notes(part, run, notes_of_read(part.facets), self._used_from(part, "INPUT"))
            self._io(part, run, "INPUT", {**facets_of_read(part), **part.input_facets})
            self._layouts(part, job, "INPUT", whole=anew)
        for index, part in enumerate(event.outputs):
            # The facets of a failed run describe a state that its output did not reach.
            self._dataset(part, f"/outputs/{index}", run=run, with_facets=not failed)
            self._io(part, run, "OUTPUT", part.output_facets)
            if not failed:
                self._notes(part, run, content_notes(part.facets), self._time)
                self._layouts(part, job, "OUTPUT", whole=layouts.replaces_all(part.facets))
            output, place = dataset_of_part(part), f"/outputs/{index}/facets"
            names = names_of(part, f"/outputs/{index}")
            entry = declared.pop(output, None)
            found = self._output_lineage(
                job, output, part.facets, place, inputs=self._read_beside(names), declared=entry
            )
            # A run that has only begun has written nothing; its facets may come with its end.
            begun = isinstance(event, RunEvent) and event.event_type == "START"
            before = None if begun or failed else former_name(output, part.facets)
            if before is not None and not found.version.edges:
                found = self._expanded(job, output, lineage.of_former_name(before))
            written = found.version.rank > 0 or not begun
            itself = not failed and carries_over(found.version, names, map(dataset_of_part, event.inputs))
            keeps = written and (itself or keeps_content(part.facets, event.job.facets))
            self._lineage(found, run, static=static, keeps=keeps)
        for output, entry in declared.items():
            self._uses(output, run, "OUTPUT")
            self._lineage(self._output_lineage(job, output, {}, "", declared=entry), run, static=static)

    def _conditions_in(self, facets: facet_readers.Facets) -> str:
        """The set of the conditions that the event states of its job."""
        facet = facets.get(CONDITIONS)
        if facet is None or facet.get("_deleted") is True:
            return NOT_STATED
        body = self._body(facet)
        digest = self._digest(body)[:32]
        self._found.conditions.append(ConditionsText(digest, body))
        return digest

    def _learn_schemas(self, parts: Iterable[DatasetPart]) -> None:
        for part in parts:
            schema = part.facets.get("schema")
            if schema is not None:
                self._schemas[dataset_of_part(part)] = self._body(schema)

    def _dataset(self, part: DatasetPart, pointer: str, *, run: str, with_facets: bool) -> None:
        key = dataset_of_part(part)
        self._found.datasets.append(DatasetSeen(key, self._time, self._time))
        if key in self._schemas:
            self._found.paths.update(known_paths(key, self._schemas[key]))
        if with_facets:
            self._facets(f"dataset {named_text(key)}", part.facets)
            self._symlinks(key, other_names(part, pointer))
            self._change(key, part.facets, run)

    def _symlinks(self, key: DatasetKey, names: Iterable[DatasetKey]) -> None:
        of = named_text(key)
        self._found.symlinks += [
            SymlinkSeen(named_text(each), of, self._time) for each in names if each != key
        ]

    def _change(self, key: DatasetKey, facets: Mapping[str, Any], run: str) -> None:
        found = facet_readers.state_change(facets.get("lifecycleStateChange"))
        if found is None:
            return
        change, _ = found
        before = former_name(key, facets)
        previous = ""
        if before is not None:
            previous = named_text(before)
            self._found.datasets.append(DatasetSeen(before, self._time, self._time))
        extent = facet_readers.replaced(facets)
        self._found.changes.append(ChangeSeen(named_text(key), change, self._time, run, previous, extent))

    def _notes(self, part: DatasetPart, run: str, notes: Iterable[tuple[str, str]], time: int) -> None:
        key = named_text(dataset_of_part(part))
        self._found.changes += [ChangeSeen(key, note, time, run, text) for note, text in notes]

    def _io(self, part: DatasetPart, run: str, direction: str, facets: Mapping[str, Any]) -> None:
        self._uses(dataset_of_part(part), run, direction, self._used_from(part, direction))
        self._facets(f"{direction.lower()} {run}{named_text(dataset_of_part(part))}", facets)

    def _layouts(self, part: DatasetPart, job: JobKey, use: str, *, whole: bool) -> None:
        replaced = self._time if use == "OUTPUT" and layouts.replaces(part.facets) else None
        whole_at = self._time if whole else None
        time = self._used_from(part, use)
        self._found.layouts += [
            LayoutSeen(
                named_text(dataset_of_part(part)),
                use,
                named_text(job),
                each.digest,
                each.text,
                time,
                time,
                replaced,
                replaced,
                whole_at,
                whole_at,
            )
            for each in layouts.layouts_of(part.facets)
        ]

    def _used_from(self, part: DatasetPart, use: str) -> int:
        """When the use of the dataset began: for rows that were kept since they were read, when they were."""
        since = read_at(part) if use == "INPUT" else None
        return self._time if since is None else min(since, self._time)

    def _uses(self, dataset: DatasetKey, run: str, direction: str, since: int | None = None) -> None:
        first = self._time if since is None else since
        self._found.datasets.append(DatasetSeen(dataset, self._time, self._time))
        self._found.io.append(IoSeen(run, direction, named_text(dataset), first, self._time))

    def _facets(self, owner: str, facets: Mapping[str, Mapping[str, Any]]) -> None:
        self._found.facets += [self._facet(owner, name, facet) for name, facet in facets.items()]

    def _facet(self, owner: str, name: str, facet: Mapping[str, Any]) -> FacetSeen:
        if facet.get("_deleted") is True:
            return FacetSeen(owner, name, self._time, "", None)
        body = self._body(facet)
        return FacetSeen(owner, name, self._time, self._digest(body)[:16], body)

    def _digest(self, body: str) -> str:
        known = self._digests.get(body)
        if known is None:
            known = self._digests[body] = hashlib.sha256(body.encode()).hexdigest()
        return known

    def _body(self, facet: Mapping[str, Any]) -> str:
        """The facet's canonical text, made once: a schema is read for its paths, and is kept as a facet, too."""
        known = self._bodies.get(id(facet))
        if known is None:
            known = self._bodies[id(facet)] = canonical(facet)
        return known

    def _output_lineage(
        self,
        job: JobKey,
        output: DatasetKey,
        facets: Mapping[str, Mapping[str, Any]],
        place: str,
        *,
        inputs: tuple[DatasetKey, ...] = (),
        declared: tuple[Mapping[str, Any], str] | None,
    ) -> Lineage:
        """The lineage of an output that is made of ``inputs``, by its facets or by what the job ``declared``."""
        edges = self._limits.expanded_edges
        if declared is None:
            bodies = tuple((name, self._body(facets[name])) for name in lineage.FACETS if name in facets)
            schemas = tuple(self._schemas.items())
            if sum(len(text) for _, text in (*bodies, *schemas)) <= REMEMBERED:
                return repeated_lineage(job, output, bodies, schemas, place, inputs, edges)
        found = lineage.read(facets, self._trees(), output, place, inputs=inputs, declared=declared)
        return self._expanded(job, output, found)

    def _read_beside(self, names: Set[str]) -> tuple[DatasetKey, ...]:
        """The inputs of the event without the output itself, which has these names, in order."""
        inputs = () if isinstance(self._event, DatasetEvent) else map(dataset_of_part, self._event.inputs)
        return tuple(sorted({key for key in inputs if named_text(key) not in names}))

    def _trees(self) -> dict[DatasetKey, Tree]:
        return {key: tree_of_schema(schema) for key, schema in self._schemas.items()}

    def _expanded(self, job: JobKey, output: DatasetKey, found: lineage.FacetLineage) -> Lineage:
        return lineage_of(job, output, found, self._trees(), self._limits.expanded_edges)

    def _lineage(self, found: Lineage, run: str, *, static: bool, keeps: bool = False) -> None:
        version = found.version
        observation = Observation(
            run=run,
            job=version.job,
            output=version.output,
            version=version.key,
            rank=version.rank,
            static=static,
            first=self._time,
            last=self._time,
            keeps=keeps,
            conditions=self._conditions,
        )
        if version.has_unlisted_reads:
            # Any of them may be behind the gap, also one that is not among the inputs of the event.
            for key in found.sources:
                self._uses(key, run, "INPUT")
        self._found.versions.append(version)
        self._found.observations.append(observation)
        self._found.datasets += [DatasetSeen(key, self._time, self._time) for key in found.datasets]
        self._found.paths.update(found.paths)
