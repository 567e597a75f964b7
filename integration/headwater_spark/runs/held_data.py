"""Keeps account of the data that a program may hold: what its executions gave it, and what it read by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from headwater_facets.kinds import Access, IncompleteReason, LineageType, Manipulation, Subtype
from headwater_facets.locations import DatasetId
from headwater_spark.capture.program_reads import COLLECTED as GIVEN
from headwater_spark.capture.program_reads import NAMES, OPEN, OUTSIDE, SHOWN, OwnRead, ProgramReads
from headwater_spark.capture.program_text import ProgramText
from headwater_spark.executions.execution import Execution
from headwater_spark.naming.datasets import IN_MEMORY, ResolvedDataset
from headwater_spark.tracing.collected import Collected, Places
from headwater_spark.tracing.result import COLLECTED, Gap, InputPath, PlanLineage, Transformation
from headwater_spark.tracing.written_names import words


class HeldData:
    """Adds to what was ``collected``. ``own_reads`` are missing where they are not to be reported; ``given`` are
    texts with which the program was started.
    """

    def __init__(
        self, collected: Collected, own_reads: ProgramReads | None = None, given: Iterable[str] = ()
    ) -> None:
        self._collected = collected
        self._own_reads = own_reads
        self._text = ProgramText()
        self._text.add_words(given)
        self._found: dict[str, None] = {}
        if own_reads is not None:
            collected.doubt_names(self._text.names)

    def add_own_reads(self, until: int, written: Mapping[DatasetId, int]) -> None:
        """What the program read by itself until then, and what its earlier applications gave it. Rows of data that
        Spark has written are as good as collected.
        """
        for each in self._own_reads.until(until) if self._own_reads else ():
            if each.is_of_program:
                self._text.add(each)
                continue
            if each.kind in (GIVEN, SHOWN, NAMES):
                self._add_given(each)
                continue
            if each.kind in (OPEN, OUTSIDE):
                self._collected.doubt_constants(self._text)
            if (file := each.file) is None:
                self._collected.add_outside(each.text)
            elif each.is_part or file in written:
                self._collected.add(file, (), each.at)
            else:
                self._collected.add_shown(file, (), each.at)

    def with_names(self, execution: Execution) -> Execution:
        """A copy that says where the name of what it writes may be made of collected data. Names that it reads are
        not, nor are any until something is collected.
        """
        written = execution.collected.names
        if written is None:
            return execution
        targets = [each.id.name for each in execution.targets()]
        read = [each.id.name for each in chain.from_iterable(execution.reads())]
        if not execution.collected.collected:
            self._text.add_words([*targets, *read])
            return execution
        known = written.beside(frozenset(chain.from_iterable(map(words, read))))
        if all(map(known.has, targets)):
            return execution
        return execution.with_lineage(_named_by_program(execution.lineage))

    def close(self) -> None:
        """Close the journal of the program's own reads, with what the program's next application has to know."""
        if self._own_reads is not None:
            held = self._collected.now
            found = (OwnRead(0, NAMES, text) for text in self._found)
            self._own_reads.leave((*_noted(GIVEN, held.collected), *_noted(SHOWN, held.shown), *found))
            self._own_reads.close()

    def _add_given(self, note: OwnRead) -> None:
        held = self._collected
        if note.kind == NAMES:
            self._add_found(note.text)
        elif note.place is not None:
            (held.add if note.kind == GIVEN else held.add_shown)(*note.place, note.at)
        elif note.kind == GIVEN:
            held.add_unnamed()
        else:
            held.add_shown_unnamed()

    def _add_found(self, why: str) -> None:
        self._found[why] = None
        self._collected.add_outside(why)

    def add_execution(self, execution: Execution) -> None:
        """The values that it returns to the program, or shows to it: later plans may contain them."""
        for figures in execution.lineage.observed:
            self._add_returned(execution.with_lineage(figures))
        if execution.returns_values:
            self._add_returned(execution)
        elif execution.shows_values:
            for read, path in execution.lineage.returned:
                for dataset in execution.reads()[read]:
                    self._collected.add_shown(dataset.id, path, execution.read_at(read))

    def add_names(self, execution: Execution) -> None:
        """Names that are data, which the program can ask for without reading anything: of columns that Spark found in
        files, and of the folders that rows lie in (``df.columns``, ``df.inputFiles()``, ``SHOW PARTITIONS``).
        """
        for dataset in execution.named_by_data():
            self._add_found(f"Spark found names of columns in {dataset.id.name}")
        for read, datasets in enumerate(execution.reads()):
            for column in execution.lineage.reads[read].source.get("partitionColumns") or ():
                for dataset in datasets:
                    self._collected.add_shown(dataset.id, (column,), execution.read_at(read))

    def add_failure(self, execution: Execution) -> None:
        """The text of an error may have a value of anything that was read."""
        for read, datasets in enumerate(execution.reads()):
            for dataset in datasets:
                self._collected.add_shown(dataset.id, (), execution.read_at(read))

    def _add_returned(self, execution: Execution) -> None:
        reads = execution.reads()
        for read, path in execution.lineage.returned:
            at = execution.read_at(read)
            for dataset in reads[read]:
                self._collected.add(dataset.id, path, at)
        if _returns_unnamed(execution, reads):
            self._collected.add_unnamed()


def _noted(kind: str, held: Places) -> Iterator[OwnRead]:
    for dataset, path in held.places:
        yield OwnRead(held.since.get(dataset, 0), kind, json.dumps([*dataset, *path]))
    if held.unnamed:
        yield OwnRead(0, kind, "")


def _named_by_program(lineage: PlanLineage) -> PlanLineage:
    """The lineage of rows in whose place there may be values of the program."""
    way = Transformation(
        LineageType.INDIRECT,
        Subtype.CONDITIONAL,
        manipulation=(Manipulation.OPAQUE,),
        access=Access.DRIVER,
        operators=(lineage.target.operator,) if lineage.target else (),
    )
    return replace(
        lineage,
        dataset=(*lineage.dataset, InputPath(COLLECTED, (), (way,))),
        incomplete=(*lineage.incomplete, Gap(IncompleteReason.DRIVER, "")),
    )


def _returns_unnamed(execution: Execution, reads: Sequence[Sequence[ResolvedDataset]]) -> bool:
    """Whether it returns values of a source that has no name."""
    returned = {read for read, _ in execution.lineage.returned}
    kinds = [execution.lineage.reads[read].source.get("kind") for read in returned if not reads[read]]
    if any(kind not in IN_MEMORY for kind in kinds):
        return True
    unknown = any(gap.reason is IncompleteReason.RDD for gap in execution.lineage.incomplete)
    return unknown and not execution.lineage.reads
