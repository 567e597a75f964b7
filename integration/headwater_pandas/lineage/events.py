"""A run of a program of frames: what it read and wrote, and OpenLineage's events of it."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Final

import pandas as pd
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    error_message_run,
    input_statistics_input_dataset,
    job_type_job,
    lifecycle_state_change_dataset,
    output_statistics_output_dataset,
    parent_run,
    processing_engine_run,
)
from openlineage.client.uuid import generate_new_uuid

from headwater_facets import schemas
from headwater_facets.facets import (
    AccessEntry,
    AccessInputDatasetFacet,
    ExtentDatasetFacet,
    LayoutDatasetFacet,
)
from headwater_facets.kinds import Replaced
from headwater_facets.locations import DatasetId
from headwater_facets.producer import FACET_PRODUCER, VERSION
from headwater_pandas.given.values import program
from headwater_pandas.held import held
from headwater_pandas.lineage import facets
from headwater_pandas.lineage.facets import Column, Taken
from headwater_pandas.lineage.origins import Origin, Parent
from headwater_pandas.lineage.ways import Lineage, lineage_of
from headwater_pandas.shape import shape_of
from headwater_pandas.stored.locations import written_at
from headwater_records.associations import Appended
from headwater_records.columns import bits, moved
from headwater_records.graph import Dataset, Input
from headwater_records.labels import Labels

_WITHOUT_INDEX: Final = frozenset({"to_feather", "to_gbq", "to_orc"})
_State = lifecycle_state_change_dataset.LifecycleStateChange
PRODUCER: Final = f"{FACET_PRODUCER}/frames/{VERSION}"


@dataclass(frozen=True, slots=True)
class Written:
    """A write of a frame: where, which columns, and what of the place's former content it replaced."""

    id: DatasetId
    dataset: Dataset
    columns: tuple[Column, ...]
    replaced: Replaced
    partitions: tuple[str, ...]
    taken: Taken


@dataclass(slots=True)
class FramesRun:
    """A run: its job and its number, and what it read and wrote so far."""

    namespace: str
    job: str
    parent: Parent | None = None
    """The run that it belongs to, unless the environment names one."""
    id: str = field(default_factory=lambda: str(generate_new_uuid()))
    events: list[RunEvent] = field(default_factory=list)
    """The events of the run, as they were sent."""
    read: dict[DatasetId, tuple[Dataset, tuple[Column, ...]]] = field(default_factory=dict)
    elsewhere: dict[DatasetId, InputDataset] = field(default_factory=dict)
    """What another engine read for the program."""
    written: list[Written] = field(default_factory=list)
    _taken: Taken = field(default_factory=Taken)
    _known: set[Hashable] = field(default_factory=set)
    """What steps that are in ``_taken`` did: a loop over a frame takes the same thousands of times."""
    unnamed: list[str] = field(default_factory=list)
    """Writers whose place has no name."""

    def has_read(self, frame: Any) -> None:
        """Note an input."""
        known = held(frame)
        if known is not None:
            self._has_come(known.dataset)
        if known is not None and known.dataset.location is not None:
            place = DatasetId(*known.dataset.location)
            self.read[place] = (known.dataset, _columns(frame, known.dataset))

    def _has_come(self, source: Dataset) -> None:
        """Note what another engine read for a source."""
        if isinstance(source.origin, Origin):
            self.parent = self.parent or source.origin.parent
            self.elsewhere |= {DatasetId(each.namespace, each.name): each for each in source.origin.inputs}

    def has_taken(self, dataset: Dataset) -> None:
        """Note that values of a dataset left for the program; which, if that can be found."""
        done = _done(dataset)
        if done in self._known:
            return
        try:
            self._taken.add(lineage_of(dataset, (1 << len(dataset.columns)) - 1))
        except Exception:
            self._taken.values[dataset.step] = None
            raise
        self._known.add(done)

    def has_written(self, writer: str, frame: Any, args: Sequence[Any], named: Mapping[str, Any]) -> None:
        """Note an output."""
        place = written_at(writer, tuple(args), named)
        if place is None:
            self.unnamed.append(writer)
            return
        known = held(frame)
        dataset = known.dataset if known is not None and not known.turned else program(frame)
        folders = named.get("partition_cols") or ()
        self.written.append(
            Written(
                place,
                dataset,
                _columns(frame, dataset, index=_has_index(writer, frame, named)),
                _replaced(writer, named, bool(folders)),
                (folders,) if isinstance(folders, str) else tuple(map(str, folders)),
                self._taken.copy(),
            )
        )

    def started(self) -> RunEvent:
        """The START event."""
        return self._event(RunState.START, {}, [], [])

    def ended(self, error: BaseException | None) -> RunEvent:
        """The last event: COMPLETE, or FAIL with the class of an error, whose text may have values."""
        errors = (
            {"errorMessage": error_message_run.ErrorMessageRunFacet(type(error).__name__, "python")}
            if error
            else {}
        )
        last = _last(self.written)
        lineages = [(each, lineage_of(each.dataset, bits(c.number for c in each.columns))) for each in last]
        outputs = [_described(each, lineage) for each, lineage in lineages]
        inputs = [self._input(place, lineages, outputs) for place in self._inputs(lineages)]
        others = [_used(each, outputs) for place, each in self.elsewhere.items() if place not in self.read]
        return self._event(RunState.FAIL if error else RunState.COMPLETE, errors, inputs + others, outputs)

    def _inputs(self, lineages: Sequence[tuple[Written, Lineage]]) -> list[DatasetId]:
        """What was read in the run, and what was tracked before and is in an output."""
        for _, lineage in lineages:
            for source in lineage.sources:
                self._has_come(source)
        used = {
            DatasetId(*source.location): (source, tuple(_plain(source)))
            for _, lineage in lineages
            for source, _ in lineage.columns
            if source.location is not None
        }
        self.read = {**used, **self.read}
        return list(self.read)

    def _input(
        self, place: DatasetId, lineages: Sequence[tuple[Written, Lineage]], outputs: Sequence[OutputDataset]
    ) -> InputDataset:
        dataset, columns = self.read[place]
        access = facets.access(columns, (lineage for _, lineage in lineages), place)
        if place in self.elsewhere:
            access = AccessInputDatasetFacet(_accessed(outputs, place))
        built = {"schema": facets.schema(columns), schemas.ACCESS: access}
        rows = input_statistics_input_dataset.InputStatisticsInputDatasetFacet(rowCount=dataset.rows)
        return InputDataset(
            *place,
            facets=facets.named(built),
            inputFacets=facets.named({"inputStatistics": rows}),
        )

    def _event(
        self, state: RunState, more: dict[str, Any], inputs: list[InputDataset], outputs: list[OutputDataset]
    ) -> RunEvent:
        engine = processing_engine_run.ProcessingEngineRunFacet(pd.__version__, "pandas", VERSION)
        kind = job_type_job.JobTypeJobFacet("BATCH", "PANDAS", "JOB")
        of_run = {"processing_engine": engine, "parent": _parent(self.parent), **more}
        return RunEvent(
            eventTime=datetime.now(timezone.utc).isoformat(),
            eventType=state,
            producer=PRODUCER,
            run=Run(self.id, facets.named(of_run)),
            job=Job(self.namespace, self.job, facets.named({"jobType": kind})),
            inputs=inputs,
            outputs=outputs,
        )


def _done(dataset: Dataset) -> Hashable:
    """What a dataset's step did: where it is equal, so is the lineage, whichever records were taken."""
    if not dataset.made_of:
        return dataset.number
    width = dataset.columns.width if isinstance(dataset.columns, Labels) else None
    taken = (
        (
            each.dataset.number,
            type(each.rows),
            each.columns,
            each.accessed,
            each.decides,
            each.fits,
            each.exact,
        )
        for each in dataset.inputs
    )
    return dataset.step, dataset.functions, len(dataset.columns), width, dataset.rows <= 1, tuple(taken)


def _columns(frame: Any, dataset: Dataset, *, index: bool = False) -> tuple[Column, ...]:
    """The columns of a frame that are stored, and the levels of its index if they are."""
    shape = shape_of(frame)
    types = list(frame.dtypes) if isinstance(frame, pd.DataFrame) else [frame.dtype]
    found = [
        Column(_name(frame, name), str(kind), number)
        for number, (name, kind) in enumerate(zip(shape.columns, types, strict=True))
    ]
    if index:
        levels = (_level(name, place) for place, name in enumerate(shape.index.names))
        found = [
            Column(name, "index", number) for name, number in zip(levels, shape.level_numbers(), strict=True)
        ] + found
    return tuple(found)


def _name(frame: Any, name: Any) -> str:
    """What pandas calls a column in a file: a series without a name is column 0."""
    if name is None and isinstance(frame, pd.Series):
        return "0"
    # A label of a single level, which pandas makes of dictionaries of groups.
    return str(name[0] if isinstance(name, tuple) and len(name) == 1 else name)


def _level(name: Any, place: int) -> str:
    """What pandas calls a level of the index that it reads from a file."""
    return f"Unnamed: {place}" if name is None else str(name)


def _plain(dataset: Dataset) -> Iterator[Column]:
    return (Column(str(name), "unknown", number) for number, name in enumerate(dataset.columns))


def _has_index(writer: str, frame: Any, named: Mapping[str, Any]) -> bool:
    """Whether the index is stored."""
    given = named.get("index")
    if given is False or writer in _WITHOUT_INDEX:
        return False
    if writer == "to_parquet":
        return bool(given) or not isinstance(frame.index, pd.RangeIndex)
    return not (writer == "to_json" and named.get("orient") in {"records", "values"})


def _replaced(writer: str, named: Mapping[str, Any], folders: bool) -> Replaced:
    """How much of what was there a write replaced; folders of partitions are added to those that are there."""
    appends = str(named.get("mode", "")).startswith("a") or named.get("append") is True
    if writer == "to_sql":
        return Replaced.WHOLE if named.get("if_exists") == "replace" else Replaced.NONE
    return Replaced.NONE if appends or folders else Replaced.WHOLE


def _last(written: Sequence[Written]) -> list[Written]:
    """One write for each dataset: the last that replaced it. What is appended to it later is another's business."""
    found: dict[DatasetId, list[Written]] = {}
    for each in written:
        if each.replaced is Replaced.WHOLE:
            found[each.id] = [each]
        else:
            found.setdefault(each.id, []).append(each)
    return [_merged(each) for each in found.values()]


def _merged(several: Sequence[Written]) -> Written:
    """Several writes to one dataset as one: each column is of any of them."""
    if len(several) == 1:
        return several[0]
    first = several[0]
    names = list(dict.fromkeys(column.name for each in several for column in each.columns))
    types = {column.name: column.type for each in several for column in each.columns}
    inputs, start = [], 0
    for each in several:
        places = {column.name: column.number for column in each.columns}
        inputs.append(
            Input(
                each.dataset,
                Appended(start, each.dataset.rows),
                moved(tuple(places.get(name, -1) for name in names)),
            )
        )
        start += each.dataset.rows
    return Written(
        first.id,
        Dataset("concat", start, names, tuple(inputs)),
        tuple(Column(name, types[name], number) for number, name in enumerate(names)),
        first.replaced,
        tuple(dict.fromkeys(name for each in several for name in each.partitions)),
        several[-1].taken,
    )


def _described(written: Written, lineage: Lineage) -> OutputDataset:
    """The output with its lineage, or with the gap that there is none."""
    try:
        return _output(written, lineage)
    except Exception as error:  # noqa: BLE001 - the other outputs are reported all the same
        gap = {schemas.PATH_LINEAGE: facets.failed(error)}
        return OutputDataset(*written.id, facets=facets.named(gap))


def _output(written: Written, lineage: Lineage) -> OutputDataset:
    whole = written.replaced is Replaced.WHOLE
    built = {
        "schema": facets.schema(written.columns),
        "lifecycleStateChange": lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(
            _State.OVERWRITE
        )
        if whole
        else None,
        schemas.EXTENT: ExtentDatasetFacet(written.replaced),
        schemas.LAYOUT: LayoutDatasetFacet(list(written.partitions)) if written.partitions else None,
        **facets.lineage_facets(lineage, written.columns, written.taken),
    }
    rows = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(rowCount=written.dataset.rows)
    return OutputDataset(
        *written.id,
        facets=facets.named(built),
        outputFacets=facets.named({"outputStatistics": rows}),
    )


def _used(read: InputDataset, outputs: Sequence[OutputDataset]) -> InputDataset:
    """What another engine read, with what was used of it in the end."""
    used = AccessInputDatasetFacet(_accessed(outputs, DatasetId(read.namespace, read.name)))
    return InputDataset(
        read.namespace, read.name, facets={**(read.facets or {}), **facets.named({schemas.ACCESS: used})}
    )


def _accessed(outputs: Sequence[OutputDataset], dataset: DatasetId) -> list[AccessEntry]:
    return facets.accessed(((each.facets or {}).get(schemas.PATH_LINEAGE) for each in outputs), dataset)


def _parent(known: Parent | None) -> parent_run.ParentRunFacet | None:
    """The run that started this one, as schedulers name it: ``OPENLINEAGE_PARENT_ID=namespace/job/run``."""
    namespace, _, rest = os.environ.get("OPENLINEAGE_PARENT_ID", "").partition("/")
    job, _, number = rest.rpartition("/")
    named = Parent(namespace, job, number) if namespace and job and number else known
    if named is None:
        return None
    return parent_run.ParentRunFacet(parent_run.Run(named.run), parent_run.Job(named.namespace, named.job))
