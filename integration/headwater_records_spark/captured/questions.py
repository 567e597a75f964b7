"""Questions about what was written while it was captured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TypeAlias

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from headwater_records.nested.answer import Answer, Item, united
from headwater_records.nested.steps import Operator
from headwater_records.nested.tree import Tree
from headwater_records_spark.ask import Found, Question, Traced, Where, answered, asked_of
from headwater_records_spark.batches import plan_of
from headwater_records_spark.breach import Breach, of_persons
from headwater_records_spark.captured.demanding import (
    forward_rows,
    placed_rows,
    reached_rows,
    rounded_rows,
)
from headwater_records_spark.captured.outputs import (
    Erasure,
    Reached,
    files_by_id,
    place_of,
    read_back,
    stored,
)
from headwater_records_spark.captured.shown import Shown, shown
from headwater_records_spark.captured.store import Run, Store
from headwater_records_spark.captured.tracing import Tables
from headwater_records_spark.captured.writes import fingerprint
from headwater_records_spark.errors import ChangedInputError, NotCapturedError
from headwater_records_spark.faults import Fault, at_fault
from headwater_records_spark.forward import Became, each_became, why_not
from headwater_records_spark.inputs import Files, at_versions, check, file_name, inputs_of, listing
from headwater_records_spark.jvm import Jvm
from headwater_records_spark.normal import normal
from headwater_records_spark.places import Id
from headwater_records_spark.rebuild import Rebuilt
from headwater_records_spark.repeated.repeated import is_rounded
from headwater_records_spark.replay import Records, by_source, difference, replay
from headwater_records_spark.values import plain
from headwater_records_spark.versioned.formats import table_of

Place: TypeAlias = tuple[int, int]
"""An internal id: what the file is called in ids, and the position in it, from 0."""
Program: TypeAlias = Callable[[SparkSession], DataFrame] | str
"""Makes the frame that was written: a function of the session, or ``package.module:function``."""


class Written:
    """An output with the runs that wrote what is in it now.

    Every question raises a NotCapturedError if a file of the output is of no run that was captured, and a
    ChangedInputError if a file is not what was written.
    """

    def __init__(
        self, store: Store, output: str, frames: Mapping[str, DataFrame], program: Program | None
    ) -> None:
        self.store = store
        self._jvm = store.jvm
        self.frames = frames
        self._program = program
        self.root = place_of(self._jvm, output)

    @property
    def runs(self) -> list[Run]:
        """The runs whose files are there, the oldest first."""
        runs, _ = self._now()
        return runs

    def _now(self) -> tuple[list[Run], Files]:
        """The runs, and the files that are there."""
        runs = [run for run in self.store.runs() if run.output.root == self.root]
        versioned = [run for run in runs if run.output.version]
        if versioned:
            run = self._at_version(versioned)
            return [run], run.output.files
        now = listing(self._jvm, [self.root])
        found = [run for run in runs if set(run.output.files) & set(now)]
        _compare(self.root, found, now)
        for run in found:
            _answerable(self.root, run)
        return found, now

    def _at_version(self, runs: Sequence[Run]) -> Run:
        """The run that made the newest version of the table; a table that was made anew has other files at it."""
        table = table_of(self._jvm, runs[-1].output.format, self.root)
        version = table.newest()
        files = set(table.files(version))
        found = [run for run in runs if run.output.version == version and set(run.output.files) == files]
        if not found:
            raise NotCapturedError(
                f"version {version} of {self.root} was written by no run that was captured"
            )
        _answerable(self.root, found[-1])
        return found[-1]

    def why(
        self,
        pattern: Question = None,
        *,
        where: Where = None,
        paths: Sequence[str] = (),
    ) -> Answer:
        """The records, with their paths, that the values were made of; see ``headwater_records_spark.why``."""
        return united([answer for _, answer in self.parts(pattern, where=where, paths=paths)])

    def parts(
        self, pattern: Question = None, *, where: Where = None, paths: Sequence[str] = ()
    ) -> list[tuple[Run, Answer]]:
        """The same for each of ``runs``."""
        runs, files = self._now()
        return [(run, self._traced(run, files, (pattern, where, paths), Traced.whole)) for run in runs]

    def placed(self, run: Run, trees: Mapping[Id, Tree]) -> Answer:
        """What records that a run wrote, by file and position, were made of, and with which paths of each.

        In the modes ``ends`` and ``full``, their files need not be there any more.
        """
        _answerable(self.root, run)
        files = {
            file_name(name): file for file, name in files_by_id(self._jvm, run, run.output.files).items()
        }
        internal = {(files[file_name(file)], place - 1): tree for (file, place), tree in trees.items()}
        if run.mode == "demand":
            return placed_rows(self._jvm, run, self._frame(run), internal).whole()
        return Tables(self.store, run).traced(list(internal.items())).whole()

    def breach(
        self,
        pattern: Question = None,
        *,
        people: DataFrame,
        key: str,
        where: Where = None,
        paths: Sequence[str] = (),
    ) -> Breach:
        """The persons of rows that have leaked; see ``headwater_records_spark.breach``."""
        runs, files = self._now()
        asked = (pattern, where, paths)
        each = [answer for run in runs for answer in self._traced(run, files, asked, Traced.each)]
        return of_persons(each, people, key)

    def _traced(
        self,
        run: Run,
        files: Files,
        question: tuple[Question, Where, Sequence[str]],
        then: Callable[[Traced], Found],
    ) -> Found:
        if run.mode == "demand":
            written = read_back(self._jvm, run, files)
            asked, frame = asked_of(written, *question), self._frame(run)
            if is_rounded(self._jvm, frame):
                return then(rounded_rows(self._jvm, run, files, asked, frame))
            return answered(
                asked, frame, lambda: asked.narrow(written).collect(), check=True, always=True,
                versions=at_versions(run.inputs), then=then,
            )  # fmt: skip
        written, place = stored(self._jvm, run, files)
        *names, made_of = written.columns
        asked = asked_of(written.drop(made_of), *question)
        rows = asked.narrow(written).withColumn(made_of, place(F.col(made_of))).select(*names, made_of)
        return then(Tables(self.store, run).traced(list(asked.bound(rows.collect()))))

    def shown(self, items: Sequence[Item], of: Iterable[str] = ()) -> list[Shown]:
        """The records of items themselves, in their order; see ``Shown``. ``of`` has the ids of runs that read them, if
        these are not ``runs``.
        """
        others = set(of)
        read = [run for run in self.store.runs() if run.run in others] if others else self.runs
        return shown(self._jvm, read, items)

    def record(self, file: str, position: int, source: str = "") -> dict[str, list[Id]]:
        """A record of a source by its file and position, from 1; a LookupError if no source has that file.

        ``source`` is needed where several sources have the file.
        """
        sources: dict[str, set[str]] = {}
        for run in self.runs:
            for name, each in run.sources.items():
                sources.setdefault(name, set()).update(map(file_name, each["files"].values()))
            for read in () if run.sources else run.inputs:
                sources.setdefault(read.name, set()).update(map(file_name, read.files))
        found = [name for name, files in sources.items() if file_name(file) in files and source in {"", name}]
        if len(found) != 1:
            which = "several sources have" if found else "no source has"
            raise LookupError(f"{which} the file {file}; there are {', '.join(sorted(sources))}")
        return {found[0]: [(file, position)]}

    def forward(self, records: Records) -> DataFrame:
        """The rows of the output that were made of one of these records."""
        runs, files = self._now()
        return _all([self._forward(run, files, records) for run in runs])

    def _forward(self, run: Run, files: Files, records: Records) -> DataFrame:
        if run.mode == "demand":
            _, _, found = forward_rows(self._jvm, run, files, self._frame(run), records)
            reached = found.select("o.f", "o.r")
        else:
            tables = Tables(self.store, run)
            reached = tables.reached(tables.internal(by_source(records)))
        written, place = stored(self._jvm, run, files)
        made_of = written.columns[-1]
        here = place(F.col(made_of))
        same = (here.getField("f") == reached["f"]) & (here.getField("r") == reached["r"])
        return written.join(reached, same, "left_semi").drop(made_of)

    def became(self, records: Records, *, limit: int | None = None) -> list[Became]:
        """What these records became: the rows of the output that were made of them, and which values of these.

        At most ``limit`` rows of each run that wrote it.
        """
        runs, files = self._now()
        return [each for run in runs for each in self._became(run, files, records, limit)]

    def _became(self, run: Run, files: Files, records: Records, limit: int | None) -> list[Became]:
        if run.mode == "demand":
            rebuilt, ids, found = forward_rows(self._jvm, run, files, self._frame(run), records)
            rows = self._rows_at(run, files, found.select("o.f", "o.r", "d"), limit)
            derivations = {(row["f"], row["r"]): row["d"] for row in rows}
            step, columns = rebuilt.step, rebuilt.columns
        else:
            tables = Tables(self.store, run)
            ids = tables.internal(by_source(records))
            rows = self._rows_at(run, files, tables.reached(ids), limit)
            derivations = tables.derivations([(row["f"], row["r"]) for row in rows])
            step, columns = tables.step, run.columns
        names = files_by_id(self._jvm, run, run.output.files)
        each_row = [
            (derivations[row["f"], row["r"]], plain(row["row"]), (names[row["f"]], row["r"] + 1))
            for row in rows
        ]
        return each_became(step, columns, each_row, ids)

    def _rows_at(self, run: Run, files: Files, places: DataFrame, limit: int | None) -> list[Row]:
        """The rows of the output, ``row``, at these places, ``f`` and ``r``, with what else there is of each."""
        written, place = stored(self._jvm, run, files)
        *columns, made_of = written.columns
        values = F.struct(*[f"`{each}`" for each in columns]).alias("row")
        placed = written.select(place(F.col(made_of)).alias("p"), values)
        rows = placed.join(places, (F.col("p.f") == F.col("f")) & (F.col("p.r") == F.col("r")))
        found: list[Row] = (rows if limit is None else rows.limit(limit)).collect()
        return found

    def erase(self, records: Records) -> list[Erasure]:
        """The records of the output that were made of these records, to be deleted or to be made again.

        Nothing is deleted. A NotCapturedError says that a run is of the mode ``demand``, which keeps no places.
        """
        runs, files = self._now()
        found = [each for run in runs for each in self._erase(run, files, records)]
        return sorted(found, key=lambda each: (each.file, each.position))

    def _erase(self, run: Run, files: Files, records: Records) -> Iterator[Erasure]:
        if run.mode == "demand":
            raise NotCapturedError("the mode demand keeps no places of records: capture in the mode ends")
        tables = Tables(self.store, run)
        ids = tables.by_id(by_source(records))
        there = set(files_by_id(self._jvm, run, files).values())
        for reached in self._reached(run, ids, tables.made_of(tables.reached(_sorted(ids)).collect())):
            if reached.place[0] in there:
                yield Erasure(*reached.place, reached.others)

    def reached(self, run: Run, records: Iterable[Id]) -> Iterator[Reached]:
        """The records that a run wrote and that were made of one of these, which are in files that it read."""
        _answerable(self.root, run)
        if run.mode == "demand":
            places, made_of = reached_rows(self._jvm, run, self._frame(run), records)
            ids = {name: each.known(records) for name, each in places.items()}
        else:
            tables = Tables(self.store, run)
            ids = {name: each.known(records) for name, each in tables.sources.items()}
            made_of = tables.made_of(tables.reached(_sorted(ids)).collect())
        yield from self._reached(run, ids, made_of)

    def _reached(
        self, run: Run, ids: Mapping[str, Mapping[Place, Id]], made_of: Mapping[Place, Answer]
    ) -> Iterator[Reached]:
        """Each record of the output by what it was made of, in which are some of the records with these ids."""
        names = files_by_id(self._jvm, run, run.output.files)
        for (file, row), answer in made_of.items():
            of, others = set(), 0
            for source, identity in answer.found:
                record = ids.get(source, {}).get((identity[0], identity[1]))
                of |= {record} if record else set()
                others += bool(ids.get(source)) and record is None
            yield Reached((names[file], row + 1), of, others)

    def why_not(self, records: Records) -> list[tuple[int, str]]:
        """The operators, by number and title, after which nothing is left that was made of these records.

        In the mode ``ends`` the plan is built again for it, unless the records are in the output.
        """
        runs, files = self._now()
        dropped = [self._why_not(run, files, records) for run in runs]
        return [] if any(not each for each in dropped) else [each for run in dropped for each in run]

    def _why_not(self, run: Run, files: Files, records: Records) -> list[tuple[int, str]]:
        if run.mode == "full":
            tables = Tables(self.store, run)
            return tables.dropped(tables.internal(by_source(records)))
        if not self._forward(run, files, records).isEmpty():
            return []
        return why_not(self._frame(run), records, check=False, versions=at_versions(run.inputs))

    def pipeline(self, run: Run) -> tuple[Operator, Sequence[tuple[str, str]]]:
        """What a run did, and its columns as names with keys; of the plan, built again, in the mode ``demand``."""
        _answerable(self.root, run)
        if run.mode != "demand":
            return Tables(self.store, run).step, run.columns
        rebuilt = Rebuilt(self._frame(run), versions=at_versions(run.inputs))
        return rebuilt.step, rebuilt.columns

    def used(self, run: Run) -> dict[str, DataFrame]:
        """By source ``file`` and ``position`` of those records that the run's output was made of, each once.

        A NotCapturedError says that the run is of the mode ``demand``, which keeps no records.
        """
        _answerable(self.root, run)
        if run.mode == "demand":
            raise NotCapturedError("the mode demand keeps no records: capture in the mode ends")
        return Tables(self.store, run).used()

    def at_fault(self, path: str, bad: str, *, where: Where = None) -> list[Fault]:
        """Which operators made values bad, for each of ``runs``; see ``headwater_records_spark.at_fault``."""
        return [
            at_fault(self._frame(run), path, bad, where=where, versions=at_versions(run.inputs))
            for run in self.runs
        ]

    def replay(self, *, only: Records | None = None, without: Records | None = None) -> DataFrame:
        """What would be written if the sources had only these records, or all but these."""
        return _all(
            [
                replay(self._frame(run), only=only, without=without, versions=at_versions(run.inputs))
                for run in self.runs
            ]
        )

    def changed(self, again: DataFrame) -> tuple[DataFrame, DataFrame]:
        """The rows of the output that another frame has not, and those that only the other one has."""
        runs, files = self._now()
        return difference(_all([read_back(self._jvm, run, files) for run in runs]), again)

    def _frame(self, run: Run) -> DataFrame:
        """The frame that was written, from the same session or by its program, over the inputs as they were."""
        held = self.frames.get(run.run)
        if held is not None:
            check(self._jvm, run.inputs)
            return held
        program = self._program or run.program
        if not program:
            raise NotCapturedError("the program that wrote it is not known: name it with program=…")
        frame = _function(program)(self._jvm.spark)
        self._compare_plans(run, frame)
        return frame

    def _compare_plans(self, run: Run, frame: DataFrame) -> None:
        plan = plan_of(self._jvm, frame)
        now = {each.name: each for each in inputs_of(self._jvm, plan)}
        for before in run.inputs:
            if before.of_program:
                raise NotCapturedError(f"{before.name} were in the memory of a session that has ended")
            here = now.get(before.name)
            if here is None:
                raise NotCapturedError(f"the program does not read {before.name}, which was read before")
            if before.named and before.version != here.version:
                raise ChangedInputError(before.name, before.root, f"was at version {before.version}")
            if before.table and before.table != here.table:
                raise ChangedInputError(before.name, before.root, "was made anew")
            for path in sorted(set(before.files) ^ set(here.files)):
                raise ChangedInputError(before.name, path, "is gone" if path in before.files else "is new")
            for path in sorted(before.files):
                if before.files[path] != here.files[path]:
                    raise ChangedInputError(before.name, path, "was changed")
        if fingerprint(normal(self._jvm, plan)) != run.plan:
            raise NotCapturedError("the program makes another plan than the one that wrote the output")


def _sorted(ids: Mapping[str, Mapping[Place, Id]]) -> dict[str, list[Place]]:
    return {name: sorted(each) for name, each in ids.items()}


def _answerable(root: str, run: Run) -> None:
    if run.refused:
        raise NotCapturedError(f"of what was written to {root} nothing was kept: {run.refused}")


def _compare(root: str, runs: Sequence[Run], now: Files) -> None:
    """Every file of the output is one of a run, and what it was."""
    known = {path: stamp for run in runs for path, stamp in run.output.files.items()}
    for path in sorted(now):
        if path not in known:
            raise NotCapturedError(f"{path} was written by no run that was captured")
        if known[path] != now[path]:
            raise ChangedInputError(root, path, "was changed")
    if not runs:
        raise NotCapturedError(f"nothing that is in {root} was captured")


def _function(program: Program) -> Callable[[SparkSession], DataFrame]:
    if not isinstance(program, str):
        return program
    module, _, name = program.partition(":")
    try:
        function: Callable[[SparkSession], DataFrame] = getattr(import_module(module), name)
    except (ImportError, AttributeError) as problem:
        raise NotCapturedError(f"the program {program} is not there: {problem}") from problem
    return function


def _all(frames: Sequence[DataFrame]) -> DataFrame:
    whole = frames[0]
    for each in frames[1:]:
        whole = whole.unionByName(each, allowMissingColumns=True)
    return whole


def written(spark: SparkSession, output: str, *, records: str, program: Program | None = None) -> Written:
    """An output, by path or table, to be asked about from what was kept in the folder ``records``.

    ``program`` makes the frame that was written, where it has to be built again; the run's own is taken without it.
    """
    return Written(Store(Jvm(spark), records), output, {}, program)
