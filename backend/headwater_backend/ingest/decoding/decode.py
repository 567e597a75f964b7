"""From OpenLineage JSON of any producer to records.

An event is either refused as a whole, with an ``EventError`` that names the place as a JSON pointer, or accepted as a
whole. Codes: ``TOO_LARGE``, ``TOO_MANY_VALUES``, ``TEXT_TOO_LONG``, ``NOT_JSON``, ``NOT_AN_OBJECT``, ``TOO_DEEP``,
``BAD_TEXT``, ``BAD_NUMBER``, ``NAME_TOO_LONG``, ``MISSING``, ``INVALID``, ``IN_THE_FUTURE``, and the ``FACET_…`` codes
for lineage facets that cannot be read.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Set
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from headwater_backend.domain import facet_readers, layouts
from headwater_backend.domain.errors import EventError
from headwater_backend.domain.expand import Tree, all_paths, tree_of
from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey
from headwater_backend.domain.moments import micros
from headwater_backend.domain.node_keys import dataset_of, dataset_part, named_text, node_text, run_text
from headwater_backend.domain.records import (
    NOT_SAID,
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
    Version,
)
from headwater_backend.ingest.decoding import json_text, lineage
from headwater_backend.ingest.decoding.columns import sources_of_job, targets
from headwater_backend.ingest.decoding.documents import (
    DatasetEvent,
    DatasetPart,
    Event,
    JobEvent,
    RunEvent,
    shape_of,
)
from headwater_backend.ingest.decoding.handed_over import driver_of, handed_over
from headwater_backend.ingest.decoding.key_bounds import check_keys
from headwater_backend.ingest.decoding.limits import DEFAULT_LIMITS, Limits
from headwater_backend.ingest.decoding.replacing import (
    carries_over,
    content_notes,
    keeps_content,
    notes_of_read,
)
from headwater_facets.canonical_json import canonical
from headwater_facets.schemas import ACCESS, CONDITIONS, EXTENT

REMEMBERED: Final = 10_000
"""Characters of facets and schemas up to which an output's lineage stays in memory, for the next run of its job."""
REMEMBERED_TEXTS: Final = 2_048
MICROSECONDS: Final = 1_000_000
_NESTED: Final = frozenset({dict, list})
FAILED = frozenset({"FAIL", "ABORT"})
ENDED = frozenset({"COMPLETE", *FAILED})


def decode(event: bytes | str | Mapping[str, Any], limits: Limits = DEFAULT_LIMITS) -> Batch:
    """The records of one event; raises ``EventError``."""
    document = parse(event, limits) if isinstance(event, bytes | str) else dict(event)
    _check_values(document, limits)
    validated = _validated(document)
    _check_time(validated, limits)
    return _Records(validated, limits).batch()


def parse(text: bytes | str, limits: Limits = DEFAULT_LIMITS) -> dict[str, Any]:
    """The JSON object in the text; raises ``EventError``."""
    if len(text) > limits.event_bytes:
        raise _too_large(limits)
    document = json_text.read(text, limits.values, json_text.EVENT_VALUES)
    if not isinstance(document, dict):
        raise EventError("NOT_AN_OBJECT", "", "an event is a JSON object")
    return document


def _too_large(limits: Limits) -> EventError:
    hint = "raise HEADWATER_MAX_EVENT_BYTES, or let the agent send less"
    return EventError("TOO_LARGE", "", f"the event is larger than {limits.event_bytes} bytes", hint)


def _check_values(document: Mapping[str, Any], limits: Limits) -> None:
    """Refuse what no store could keep: invalid text or numbers, too deep or too large documents."""
    _check_shape(document, limits)
    try:
        size = len(canonical(document).encode())
    except ValueError:
        for pointer, value in _scalars(document):
            _check_scalar(pointer, value)
        raise
    if size > limits.event_bytes:
        raise _too_large(limits)
    if size > limits.text:
        _check_texts(document, limits)


def _check_texts(document: Mapping[str, Any], limits: Limits) -> None:
    if not _has_text_longer_than(limits.text, document):
        return
    for pointer, value in _scalars(document):
        if isinstance(value, str) and len(value) > limits.text:
            detail = f"the text is longer than {limits.text} characters"
            hint = "raise HEADWATER_MAX_EVENT_TEXT, or let the agent cut it"
            raise EventError("TEXT_TOO_LONG", pointer[: limits.text], detail, hint)


def _has_text_longer_than(most: int, document: Any) -> bool:
    work = [document]
    while work:
        value = work.pop()
        if isinstance(value, str):
            if len(value) > most:
                return True
        elif isinstance(value, Mapping):
            work += value
            work += value.values()
        elif isinstance(value, list):
            work += value
    return False


def _check_shape(document: Any, limits: Limits) -> None:
    level: list[Any] = [document]
    values = 0
    for _ in range(limits.depth):
        values += sum(map(len, level))
        deeper: list[Any] = [
            child
            for value in level
            for child in (value.values() if type(value) is dict else value)
            if type(child) in _NESTED
        ]
        if values > limits.values:
            raise json_text.too_many(limits.values, json_text.EVENT_VALUES)
        if not deeper:
            return
        level = deeper
    hint = "raise HEADWATER_MAX_EVENT_DEPTH, or let the agent send less"
    raise EventError("TOO_DEEP", "", f"JSON nests deeper than {limits.depth}", hint)


def _scalars(document: Any) -> Iterator[tuple[str, Any]]:
    work = [("", document)]
    while work:
        pointer, value = work.pop()
        if isinstance(value, Mapping):
            yield from ((pointer, key) for key in value)
            work.extend((f"{pointer}/{_escaped(str(key))}", child) for key, child in value.items())
        elif isinstance(value, list):
            work.extend((f"{pointer}/{index}", child) for index, child in enumerate(value))
        else:
            yield pointer, value


def _check_scalar(pointer: str, value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise EventError("BAD_NUMBER", pointer, "a number that is not finite")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            safe = pointer.encode(errors="replace").decode()
            raise EventError("BAD_TEXT", safe, "half a surrogate pair is not text") from None


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _validated(document: dict[str, Any]) -> Event:
    try:
        return shape_of(document).model_validate(document)
    except ValidationError as error:
        raise _refusal(error) from None


def _check_time(event: Event, limits: Limits) -> None:
    """Refuse events from the future: as the newest of all, they would override everything reported until then."""
    ahead = micros(event.event_time) - micros(datetime.now(timezone.utc))
    if ahead > limits.clock_skew * MICROSECONDS:
        detail = f"the time is more than {limits.clock_skew} seconds ahead of this server's clock"
        hint = "set the producer's clock, or raise HEADWATER_MAX_CLOCK_SKEW"
        raise EventError("IN_THE_FUTURE", "/eventTime", detail, hint)


def _names(part: DatasetPart, pointer: str) -> set[str]:
    """The dataset's key, and the keys of its other names."""
    return set(map(named_text, [_dataset(part), *_other_names(part, pointer)]))


def _other_names(part: DatasetPart, pointer: str) -> list[DatasetKey]:
    """The names that the dataset's symlinks say, in their order."""
    place = f"{pointer}/facets/symlinks/identifiers"
    identifiers = part.facets.get("symlinks", {}).get("identifiers")
    if not isinstance(identifiers, list | None):
        raise EventError("FACET_SHAPE", place, "expected an array")
    return [_identified(entry, f"{place}/{index}") for index, entry in enumerate(identifiers or ())]


def _identified(entry: Any, place: str) -> DatasetKey:
    match entry:
        case {"namespace": str(namespace), "name": str(name)}:
            return DatasetKey(namespace, name)
        case _:
            raise EventError("FACET_SHAPE", place, "expected namespace and name")


def _refusal(error: ValidationError) -> EventError:
    """The error for the first problem, with the places of others as a hint."""
    first, *others = error.errors(include_url=False, include_context=False, include_input=False)
    code = "MISSING" if first["type"] == "missing" else "INVALID"
    more = ", ".join(_pointer(other["loc"]) for other in others[:5])
    return EventError(code, _pointer(first["loc"]), first["msg"], f"also look at {more}" if more else None)


def _pointer(location: Iterable[str | int]) -> str:
    return "".join(f"/{_escaped(str(part))}" for part in location)


class _Records:
    """The records of one event, while they are collected."""

    def __init__(self, event: Event, limits: Limits) -> None:
        self._event = event
        self._limits = limits
        self._time = micros(event.event_time)
        self._schemas: dict[DatasetKey, str] = {}
        self._bodies: dict[int, str] = {}
        self._digests: dict[str, str] = {}
        self._conditions = NOT_SAID
        self._found = Gathered()

    def batch(self) -> Batch:
        match self._event:
            case RunEvent() as event:
                self._run_event(event)
            case JobEvent() as event:
                run = run_text(_job(event), f"job event {self._time}")
                self._job_event(event, run, static=True, failed=False)
            case DatasetEvent() as event:
                self._learn_schemas([event.dataset])
                self._dataset(event.dataset, "/dataset", run="", with_facets=True)
        batch = self._found.batch()
        check_keys(batch)
        return batch

    def _run_event(self, event: RunEvent) -> None:
        job = _job(event)
        run = run_text(job, event.run.run_id.lower())
        self._found.runs.append(self._run(event, run))
        self._facets(f"run {run}", event.run.facets)
        self._job_event(event, run, static=False, failed=event.event_type in FAILED)
        if (found := handed_over(event)) is not None:
            self._conditions = NOT_SAID  # those of the job are about its outputs
            self._lineage(self._expanded(job, driver_of(event), found), run, static=False)

    def _run(self, event: RunEvent, key: str) -> RunSeen:
        time, state = self._time, event.event_type
        return RunSeen(
            key=key,
            job=named_text(_job(event)),
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
        job = _job(event)
        self._found.jobs.append(JobSeen(job, self._time, self._time))
        self._facets(f"job {named_text(job)}", event.job.facets)
        self._conditions = self._conditions_in(event.job.facets)
        self._learn_schemas([*event.inputs, *event.outputs])
        facet, place = event.job.facets.get(lineage.LINEAGE), f"/job/facets/{lineage.LINEAGE}"
        declared = targets(facet, place)
        for key in sources_of_job(facet, job, place):
            self._uses(key, run, "INPUT")
        anew = not failed and _makes_anew(event)
        for index, part in enumerate(event.inputs):
            self._dataset(part, f"/inputs/{index}", run=run, with_facets=True)
            self._notes(part, run, notes_of_read(part.facets), self._used_from(part, "INPUT"))
            self._io(part, run, "INPUT", {**_of_the_read(part), **part.input_facets})
            self._layouts(part, job, "INPUT", whole=anew)
        for index, part in enumerate(event.outputs):
            # The facets of a failed run describe a state that its output did not reach.
            self._dataset(part, f"/outputs/{index}", run=run, with_facets=not failed)
            self._io(part, run, "OUTPUT", part.output_facets)
            if not failed:
                self._notes(part, run, content_notes(part.facets), self._time)
                self._layouts(part, job, "OUTPUT", whole=layouts.replaces_all(part.facets))
            output, place = _dataset(part), f"/outputs/{index}/facets"
            names = _names(part, f"/outputs/{index}")
            said = declared.pop(output, None)
            found = self._output_lineage(
                job, output, part.facets, place, inputs=self._read_beside(names), declared=said
            )
            # A run that has only begun has written nothing; its facets may come with its end.
            begun = isinstance(event, RunEvent) and event.event_type == "START"
            before = None if begun or failed else _former_name(output, part.facets)
            if before is not None and not found.version.edges:
                found = self._expanded(job, output, lineage.of_former_name(before))
            written = found.version.rank > 0 or not begun
            itself = not failed and carries_over(found.version, names, map(_dataset, event.inputs))
            keeps = written and (itself or keeps_content(part.facets, event.job.facets))
            self._lineage(found, run, static=static, keeps=keeps)
        for output, entry in declared.items():
            self._uses(output, run, "OUTPUT")
            self._lineage(self._output_lineage(job, output, {}, "", declared=entry), run, static=static)

    def _conditions_in(self, facets: facet_readers.Facets) -> str:
        """The set of the conditions that the event says of its job."""
        facet = facets.get(CONDITIONS)
        if facet is None or facet.get("_deleted") is True:
            return NOT_SAID
        body = self._body(facet)
        digest = self._digest(body)[:32]
        self._found.conditions.append(ConditionsText(digest, body))
        return digest

    def _learn_schemas(self, parts: Iterable[DatasetPart]) -> None:
        for part in parts:
            schema = part.facets.get("schema")
            if schema is not None:
                self._schemas[_dataset(part)] = self._body(schema)

    def _dataset(self, part: DatasetPart, pointer: str, *, run: str, with_facets: bool) -> None:
        key = _dataset(part)
        self._found.datasets.append(DatasetSeen(key, self._time, self._time))
        if key in self._schemas:
            self._found.paths.update(known_paths(key, self._schemas[key]))
        if with_facets:
            self._facets(f"dataset {named_text(key)}", part.facets)
            self._symlinks(key, _other_names(part, pointer))
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
        before = _former_name(key, facets)
        previous = ""
        if before is not None:
            previous = named_text(before)
            self._found.datasets.append(DatasetSeen(before, self._time, self._time))
        extent = facet_readers.replaced(facets)
        self._found.changes.append(ChangeSeen(named_text(key), change, self._time, run, previous, extent))

    def _notes(self, part: DatasetPart, run: str, notes: Iterable[tuple[str, str]], time: int) -> None:
        key = named_text(_dataset(part))
        self._found.changes += [ChangeSeen(key, note, time, run, text) for note, text in notes]

    def _io(self, part: DatasetPart, run: str, direction: str, facets: Mapping[str, Any]) -> None:
        self._uses(_dataset(part), run, direction, self._used_from(part, direction))
        self._facets(f"{direction.lower()} {run}{named_text(_dataset(part))}", facets)

    def _layouts(self, part: DatasetPart, job: JobKey, use: str, *, whole: bool) -> None:
        replaced = self._time if use == "OUTPUT" and layouts.replaces(part.facets) else None
        whole_at = self._time if whole else None
        time = self._used_from(part, use)
        self._found.layouts += [
            LayoutSeen(
                named_text(_dataset(part)),
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
        since = _read_at(part) if use == "INPUT" else None
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
        inputs = () if isinstance(self._event, DatasetEvent) else map(_dataset, self._event.inputs)
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


class Lineage(NamedTuple):
    """A version with the datasets and paths that it names, which may be known from it alone."""

    version: Version
    sources: tuple[DatasetKey, ...]
    datasets: tuple[DatasetKey, ...]
    paths: tuple[str, ...]


def lineage_of(
    job: JobKey, output: DatasetKey, found: lineage.FacetLineage, trees: Mapping[DatasetKey, Tree], edges: int
) -> Lineage:
    """The version of an output's lineage, with the datasets and paths that it names."""
    version = lineage.version(job, output, found, trees, edges)
    ends = {end for edge in version.edges for end in (edge.source, edge.target)}
    sources = _datasets(edge.source for edge in version.edges)
    return Lineage(version, sources, _datasets(ends), tuple(ends))


def _datasets(nodes: Iterable[str]) -> tuple[DatasetKey, ...]:
    return tuple(sorted(dataset_of(part) for part in set(map(dataset_part, nodes))))


@lru_cache(maxsize=REMEMBERED_TEXTS)
def repeated_lineage(  # noqa: PLR0917 - a cache's key
    job: JobKey,
    output: DatasetKey,
    facets: tuple[tuple[str, str], ...],
    schemas: tuple[tuple[DatasetKey, str], ...],
    place: str,
    inputs: tuple[DatasetKey, ...],
    edges: int,
) -> Lineage:
    """``lineage_of`` by the texts of facets and schemas, cached: a job's runs mostly have the same lineage."""
    parsed = {name: json.loads(body) for name, body in facets}
    trees = {key: tree_of_schema(schema) for key, schema in schemas}
    return lineage_of(job, output, lineage.read(parsed, trees, output, place, inputs=inputs), trees, edges)


def tree_of_schema(schema: str) -> Tree:
    """The tree of a ``schema`` facet's text; callers must not change it."""
    return _small_tree(schema) if len(schema) <= REMEMBERED else _tree(schema)


def known_paths(dataset: DatasetKey, schema: str) -> tuple[str, ...]:
    """The keys of all paths that a schema gives a dataset."""
    return _few_paths(dataset, schema) if len(schema) <= REMEMBERED else _paths(dataset, schema)


def _tree(schema: str) -> Tree:
    return tree_of(json.loads(schema).get("fields"))


def _paths(dataset: DatasetKey, schema: str) -> tuple[str, ...]:
    return tuple(node_text(NodeKey(dataset, path)) for path in all_paths(tree_of_schema(schema)))


_small_tree = lru_cache(maxsize=REMEMBERED_TEXTS)(_tree)
_few_paths = lru_cache(maxsize=REMEMBERED_TEXTS)(_paths)


def _makes_anew(event: RunEvent | JobEvent) -> bool:
    """Whether the run certainly replaced all that its job ever wrote to its outputs, without what it read there."""
    if isinstance(event, RunEvent) and event.event_type == "START":
        return False
    read = set(map(_dataset, event.inputs))
    return bool(event.outputs) and all(
        layouts.replaces_all(part.facets) and _dataset(part) not in read for part in event.outputs
    )


def _job(event: RunEvent | JobEvent) -> JobKey:
    return JobKey(event.job.namespace, event.job.name)


def _dataset(part: DatasetPart) -> DatasetKey:
    return DatasetKey(part.namespace, part.name)


def _former_name(key: DatasetKey, facets: facet_readers.Facets) -> DatasetKey | None:
    """The name that the dataset had until it was renamed, if the facets say that it was."""
    change, before = facet_readers.state_change(facets.get("lifecycleStateChange")) or ("", None)
    return before if change == "RENAME" and before != key else None


def _read_at(part: DatasetPart) -> int | None:
    """When the rows that this run used were read, if they were kept since then: cached, checkpointed or collected."""
    facet = part.input_facets.get(ACCESS) or part.facets.get(ACCESS) or {}
    return facet_readers.time_of(facet.get("readAt"))


def _of_the_read(part: DatasetPart) -> dict[str, Mapping[str, Any]]:
    """The facets of an input dataset that describe only how this run read it."""
    return {name: facet for name, facet in part.facets.items() if name in {ACCESS, EXTENT}}
