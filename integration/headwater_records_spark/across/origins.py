"""Several jobs as one way: from values of an output back to the records that no captured run made.

The records that one run read are those that another one wrote, as long as the file was the same: of these, the paths
that are asked for go on to what the other run read. Outputs on the way may have been overwritten since; in the modes
``ends`` and ``full`` nothing of them is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import filterfalse

from pyspark.sql import DataFrame, SparkSession

from headwater_records.nested.answer import Answer, Item
from headwater_records.nested.tree import Tree
from headwater_records_spark.across.makers import (
    Made,
    Makers,
    Read,
    UnknownMakerError,
    stamps,
    what_was_read,
)
from headwater_records_spark.ask import Question, Where, why
from headwater_records_spark.batches import plan_of
from headwater_records_spark.captured.outputs import read_back
from headwater_records_spark.captured.questions import Written
from headwater_records_spark.captured.store import Store
from headwater_records_spark.captured.tables import SAME_ROWS
from headwater_records_spark.errors import RecordsError
from headwater_records_spark.inputs import Files, Input, file_name, inputs_of, listing
from headwater_records_spark.jvm import Jvm
from headwater_records_spark.places import Id

NOW = "9"
"""After every time."""
FRAME = "(data frame)"
COLLECTED = "(collected rows)"
WITHOUT_NAMES = {"csv", "text"}
"""Formats whose columns a reader may call otherwise: by position."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One job on the way: its output, the id of the run that wrote it, and what it made the records asked about of."""

    output: str
    run: str
    answer: Answer


@dataclass(slots=True)
class Origins:
    """The records of ``sources`` that no captured run made, by way of ``stages``, the one that was asked about first.

    The numbers of operators go on from stage to stage. What is ``unknown`` is there as a source, though it is none:
    by file the reason why it is not known how it was made.
    """

    sources: Answer
    stages: list[Stage]
    unknown: dict[str, str] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """The sources as a tree for people, and below it the operators of each stage."""
        yield from self.sources.lines()
        for stage in self.stages:
            yield f"{stage.output}: " + ", ".join(
                f"{number} {title}" for number, title in stage.answer.steps.items()
            )
        for file, reason in self.unknown.items():
            yield f"how {file} was made is not known: {reason}"

    def __str__(self) -> str:
        return "\n".join(self.lines())


def origins(
    asked: Written | DataFrame,
    pattern: Question = None,
    *,
    where: Where = None,
    paths: Sequence[str] = (),
    records: Sequence[str] = (),
) -> Origins:
    """The records of the first sources that values were made of, through all jobs that were captured.

    ``asked`` is an output or a frame, and the question that of ``why``; ``records`` are the folders that runs on the
    way kept theirs in, beside the output's own.
    """
    jvm = asked.store.jvm if isinstance(asked, Written) else Jvm(asked.sparkSession)
    own = [asked.store] if isinstance(asked, Written) else []
    frames = asked.frames if isinstance(asked, Written) else {}
    way = _Way(Makers(jvm, [*own, *(Store(jvm, each) for each in records)]), frames, {})
    if isinstance(asked, Written):
        for run, answer in asked.parts(pattern, where=where, paths=paths):
            way.add(Stage(run.output.root, run.run, answer), what_was_read(run.inputs, run.written))
    else:
        answer = why(asked, pattern, where=where, paths=paths)
        way.add(Stage(FRAME, "", answer), what_was_read(inputs_of(jvm, plan_of(jvm, asked)), NOW))
    return way.walked()


def continued(
    spark: SparkSession,
    answer: Answer,
    files: Files,
    *,
    counts: Mapping[str, int],
    unknown: Mapping[str, str],
    records: Sequence[str],
    collected: Sequence[tuple[Answer, Sequence[Input]]] = (),
) -> Origins:
    """The same of what a reader that is not Spark has read, such as pandas.

    The records of the answer are of these ``files``, by path and position from 1: what each was, and how many records
    were found in it. ``unknown`` are those files, or other sources, of whose records that is not known. What rows that
    were ``collected`` of frames of Spark were made of is there with the inputs of each frame.
    """
    jvm = Jvm(spark)
    makers = Makers(jvm, [Store(jvm, each) for each in records])
    way = _Way(makers, {}, unknown)
    way.add(
        Stage(FRAME, "", answer),
        Read(stamps(files), NOW, {file_name(path): count for path, count in counts.items()}),
    )
    for rows, inputs in collected:
        way.add(Stage(COLLECTED, "", rows), what_was_read(inputs, NOW))
    return way.walked()


def _over_columns(names: Sequence[str], columns: Mapping[str, str], tree: Tree) -> Tree:
    """The tree over the columns that were written; for one that was read by another name, over all of them."""
    found = Tree(tree.bound, tree.contributes, set(tree.accessed), set(tree.manipulated))
    for name, child in tree.children.items():
        own = columns.get(str(name).lower())
        if own is not None:
            found.at((own,)).unite(child)
            continue
        for each in names:
            found.at((each,)).unite(child.whole())
    return found


def _other_records(made: Made, path: str, read: Read) -> str:
    """Why the records that were found in a file may be others than those that were written; empty if they are the same.

    A text may be read with its names as a record, or without records that are empty. Files of tables with versions are
    no texts, and stay what they are.
    """
    run = made.run
    found = read.counts.get(path)
    if found is None or run.output.version or run.output.format in SAME_ROWS:
        return ""
    (file,) = (each for each in run.output.files if file_name(each) == path)
    jvm = made.store.jvm
    if listing(jvm, [file]).get(file) != run.output.files[file]:
        return "its records cannot be counted: it was changed or is gone"
    written = read_back(jvm, run, [file]).count()
    return "" if written == found else f"it was read as {found} records, and has {written}"


class _Way:
    """The way back: what was found so far, and what is still to be asked of other runs."""

    def __init__(self, makers: Makers, frames: Mapping[str, DataFrame], unknown: Mapping[str, str]) -> None:
        self._makers = makers
        self._frames = frames
        self._stages: list[Stage] = []
        self._pending: dict[str, tuple[Made, dict[Id, Tree]]] = {}
        self._followed: set[str] = set()
        self._unknown = dict(unknown)

    def add(self, stage: Stage, read: Read) -> None:
        """Take what a stage was made of: of records that other runs made, these are to be asked."""
        first = max((max(each.answer.steps, default=0) for each in self._stages), default=0)
        stage.answer.steps = {first + number: title for number, title in stage.answer.steps.items()}
        self._stages.append(stage)
        makers: dict[str, Made | None] = {}
        for item in stage.answer.items():
            # Numbers below zero are those of stages that were asked before.
            item.tree = item.tree.renumbered(lambda number: first + number if number > 0 else -number)
            file, position = item.id
            if file not in makers:
                makers[file] = self._maker(file, read)
            made = makers[file]
            if made is not None:
                _, trees = self._pending.setdefault(made.run.run, (made, {}))
                trees.setdefault((file, position), Tree()).unite(item.tree.renumbered(lambda number: -number))

    def _maker(self, file: str, read: Read) -> Made | None:
        """The run to be asked about the records of a file; None if there is none, or it is noted why not."""
        if not file or file in self._unknown:
            return None
        try:
            made = self._makers.of(file, read)
            reason = _other_records(made, self._makers.path(file), read) if made is not None else ""
        except UnknownMakerError as problem:
            reason = str(problem)
        if reason:
            self._unknown[file] = reason
            return None
        return made

    def walked(self) -> Origins:
        """Go on until no record is left that a captured run made; the newest run first: it read what others wrote."""
        whole = Answer({}, records=sum(stage.answer.records for stage in self._stages))
        while self._pending:
            newest = max(self._pending, key=lambda each: (self._pending[each][0].run.written, each))
            self._ask(*self._pending.pop(newest))
        for stage in self._stages:
            whole.steps |= stage.answer.steps
            for item in filterfalse(self._is_followed, stage.answer.items()):
                place = item.source, item.id
                whole.found.setdefault(place, Item(item.source, item.id)).tree.unite(item.tree)
        return Origins(whole, self._stages, self._unknown)

    def _ask(self, made: Made, trees: dict[Id, Tree]) -> None:
        run = made.run
        files = {file for file, _ in trees}
        try:
            written = Written(made.store, run.output.root, self._frames, None)
            names = [each["name"] for each in run.output.schema["fields"]]
            columns = {} if run.output.format in WITHOUT_NAMES else {each.lower(): each for each in names}
            answer = written.placed(
                run, {place: _over_columns(names, columns, tree) for place, tree in trees.items()}
            )
        except RecordsError as problem:
            self._unknown |= dict.fromkeys(files, str(problem))
            return
        self._followed |= files
        self.add(Stage(run.output.root, run.run, answer), what_was_read(run.inputs, run.written))

    def _is_followed(self, item: Item) -> bool:
        return item.id[0] in self._followed and item.id[0] not in self._unknown
