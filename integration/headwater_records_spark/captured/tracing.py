"""Answers from the tables of ids: from records of an output back to the sources, and forward."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from headwater_records.nested.answer import Answer
from headwater_records.nested.kept import step_of
from headwater_records.nested.steps import (
    Flatten,
    Group,
    Join,
    Matched,
    Operator,
    Read,
    Same,
    Select,
    Union,
    Variants,
    Window,
    inputs_of,
    steps_of,
    title_of,
)
from headwater_records.nested.tree import Tree
from headwater_records_spark.ask import Traced, made_of_whole
from headwater_records_spark.captured.carried.members import members_of
from headwater_records_spark.captured.ids import (
    MEMBERS,
    has_table,
    inside,
    is_plain,
    members,
    passes_once,
    tables_kept,
)
from headwater_records_spark.captured.outputs import carried
from headwater_records_spark.captured.store import OPERATORS, Run, Store
from headwater_records_spark.captured.tables import RECORDS
from headwater_records_spark.forward import Ids, reaches, sources_of
from headwater_records_spark.places import Id, Places

Made = tuple[Any, ...] | None
OF_SOURCE = "id struct<f:bigint,r:bigint>"


class Tables:
    """The tables of one run, of mode ``ends`` or ``full``."""

    def __init__(self, store: Store, run: Run) -> None:
        self._spark = store.jvm.spark
        self._store = store
        self._run = run
        self.step = step_of(run.steps)
        plain = is_plain(self.step)
        self._by_key = run.carried and not plain
        self._whole = plain or (run.mode == "ends" and not self._by_key)
        self._kept = _with_members(self.step) if self._by_key else tables_kept(self.step)
        self._after = {
            each.number: (step, number)
            for step in steps_of(self.step)
            for number, each in enumerate(inputs_of(step))
        }
        self.sources = {
            name: Places(
                {int(file): path for file, path in each["files"].items()},
                {int(file): [tuple(block) for block in blocks] for file, blocks in each["blocks"].items()},
            )
            for name, each in run.sources.items()
        }
        self._members: dict[int, dict[Any, Row]] = {}

    def traced(self, asked: Sequence[tuple[Row | tuple[int, int], Tree]]) -> Traced:
        """These records of the output, each by file and position, with what they were made of."""
        kept = self._derivations([place for place, _ in asked])
        records = [(kept[tuple(place)], tree) for place, tree in asked]
        return Traced(self.step, self._run.columns, records, self.sources.__getitem__)

    def made_of(self, places: Sequence[Row]) -> dict[tuple[int, int], Answer]:
        """For each of these records of the output, by file and position, what it was made of, by internal ids."""
        return {
            place: made_of_whole(self.step, self._run.columns, made)
            for place, made in self._derivations(places).items()
        }

    def internal(self, records: dict[str, set[Id]]) -> Ids:
        """The ids that stand in the tables, by source; a LookupError names what is not there."""
        unknown = sorted(set(records) - set(self.sources))
        if unknown:
            raise LookupError(f"no source {unknown[0]!r}; there are {', '.join(sorted(self.sources))}")
        return {name: sorted(map(self.sources[name].internal, ids)) for name, ids in records.items()}

    def reached(self, ids: Ids) -> DataFrame:
        """File and position (``f`` and ``r``) of the records of the output that were made of one of these."""
        records = self._records()
        if self._whole:
            return records.where(reaches(self.step, F.col("d"), ids)).select("f", "r")
        return _among(records, F.col("id"), self._reached(self.step, ids)).select("f", "r")

    def used(self) -> dict[str, DataFrame]:
        """By source ``file`` and ``position`` of those records that a record of the output was made of, each once."""
        records = self._records()
        found: dict[str, list[DataFrame]] = {}
        if self._whole:
            for name, ids in sources_of(self.step, F.col("d")).items():
                found[name] = [records.select(F.explode(ids).alias("id"))]
        else:
            for name, of_step in self._used(self.step, records.select("id")):
                found.setdefault(name, []).append(of_step)
        return {
            name: self._placed(name, reduce(DataFrame.unionAll, parts).distinct())
            for name, parts in found.items()
        }

    def _placed(self, source: str, ids: DataFrame) -> DataFrame:
        """The records with these ids by file and position, from 1."""
        places = self.sources[source]
        files = F.broadcast(self._local(places.files.items(), "f bigint, file string"))
        placed = ids.select(places.position(F.col("id")).alias("id")).select("id.f", "id.r")
        return placed.join(files, "f").select("file", (F.col("r") + 1).alias("position"))

    def _used(self, step: Operator, ids: DataFrame) -> Iterator[tuple[str, DataFrame]]:
        """The ids of sources' records below those of a step."""
        if isinstance(step, Read):
            yield step.name, ids
            return
        given = F.col("id")
        listed = [members(step, number) for number in range(len(inputs_of(step)))]
        if any(listed):
            ids = _among(self._own_table(step), F.col("out"), ids.distinct())
            given = F.col("out")
        for number, (each, own) in enumerate(zip(inputs_of(step), self._inside(step, given), strict=True)):
            parts = [ids.select(one.alias("id")) for one in own]
            parts += [ids.select(F.explode(some).alias("id")) for some in listed[number]]
            yield from self._used(each, reduce(DataFrame.unionAll, parts).where("id IS NOT NULL"))

    def dropped(self, ids: Ids) -> list[tuple[int, str]]:
        """The operators after which nothing is left of these, in mode ``full``; empty if they reached the output."""
        if not self.reached(ids).isEmpty():
            return []
        left = {step.number: not self._reached(step, ids).isEmpty() for step in steps_of(self.step)}
        return [
            (step.number, title_of(step))
            for step in sorted(steps_of(self.step), key=lambda each: each.number)
            if not left[step.number] and any(left[each.number] for each in inputs_of(step))
        ]

    def _table(self, *name: str) -> DataFrame:
        return self._spark.read.parquet(self._store.place(self._run.run, *name))

    def _own_table(self, step: Operator) -> DataFrame:
        """The table that was kept of an operator."""
        table = self._table(OPERATORS, str(step.number))
        if not self._by_key:
            return table
        given = members_of(table)
        if isinstance(step, Group):
            return given
        members = given.select(F.col("out.g").alias("__key"), F.col("m").getField("m").alias("r"))
        return self._passed(step).join(members, F.col("out.g") == F.col("__key")).select("out", "r")

    def _inside(self, step: Operator, out: Column) -> list[list[Column]]:
        """For each input of an operator the id of its record in the operator's own id, if that tells it."""
        return [[out.getField("l")], []] if self._by_key and isinstance(step, Matched) else inside(step, out)

    def _derivations(self, places: Sequence[Row | tuple[int, int]]) -> dict[Any, Any]:
        """The derivations of records of the output by their places."""
        kept = {(row["f"], row["r"]): row[2] for row in self._of(places)}
        if not self._whole:
            self._fetch(self.step, kept.values())
            kept = {place: self._made(self.step, each) for place, each in kept.items()}
        return kept

    def _records(self) -> DataFrame:
        """File, position and id or derivation of each record of the output."""
        if not self._run.carried:
            return self._table(RECORDS)
        records = carried(self._store, self._run)
        return records if self._whole else records.withColumnRenamed("d", "id")

    def _operator(self, step: Operator) -> DataFrame:
        """The table of an operator, as it was kept or as it follows from what comes after the operator."""
        if step.number in self._kept:
            return self._own_table(step)
        return self._passed(step)

    def _passed(self, step: Operator) -> DataFrame:
        """The ids of an operator's records that are in what comes after it."""
        if step.number not in self._after:
            return self._records().select(F.col("d" if self._whole else "id").alias("out"))
        after, number = self._after[step.number]
        table = self._operator(after)
        own = self._inside(after, F.col("out"))[number] or [
            F.explode(each) for each in members(after, number)
        ]
        found = table.select(own[0].alias("out")).where("out IS NOT NULL")
        return found if passes_once(after) else found.distinct()

    def _of(self, places: Iterable[Row | tuple[int, int]]) -> list[Row]:
        records = self._records()
        wanted = self._local({tuple(each) for each in places}, "f bigint, r bigint")
        return list(records.join(F.broadcast(wanted), ["f", "r"], "left_semi").collect())

    def _local(self, rows: Iterable[Any], kind: Any) -> DataFrame:
        return self._spark.createDataFrame(list(rows), kind)

    def _fetch(self, step: Operator, ids: Iterable[Any]) -> None:
        """Read what groups, windows and semi joins below were made of, one look-up for each."""
        wanted = {each for each in ids if each is not None}
        match step:
            case Read():
                return
            case Same() | Select():
                self._fetch(step.input, wanted)
            case Flatten() | Variants():
                self._fetch(step.input, (each[0] for each in wanted))
            case Join():
                self._fetch(step.left, (each[0] for each in wanted))
                self._fetch(step.right, (each[1] for each in wanted))
            case Union():
                for number, branch in enumerate(step.inputs):
                    self._fetch(branch, (each[1 + number] for each in wanted))
            case Group():
                self._look_up(step, wanted)
                members = self._members[step.number].values()
                self._fetch(step.input, (member[0] for row in members for member in row[1]))
            case Matched():
                self._look_up(step, wanted)
                self._fetch(step.left, (self._left(each) for each in wanted))
                self._fetch(
                    step.right, (each for row in self._members[step.number].values() for each in row[1])
                )
            case Window():
                self._look_up(step, wanted)
                rows = self._members[step.number].values()
                others = {each for row in rows for members in row[1:] for each in members}
                self._fetch(step.input, wanted | others)

    def _left(self, identity: Any) -> Any:
        """The id of the left record of a semi or existence join."""
        return identity[0] if self._by_key else identity

    def _look_up(self, step: Operator, ids: set[Any]) -> None:
        table = self._own_table(step)
        kind = table.select(F.col("out").alias("id")).schema
        found = (
            _among(table, F.col("out"), self._local([(each,) for each in ids], kind)).collect() if ids else []
        )
        self._members[step.number] = (
            _together(found, ids) if self._by_key else {row["out"]: row for row in found}
        )

    def _made(self, step: Operator, identity: Any) -> Any:
        """The derivation of the record with this id."""
        if identity is None or isinstance(step, Read):
            return identity
        match step:
            case Same() | Select():
                return self._made(step.input, identity)
            case Flatten() | Variants():
                return (self._made(step.input, identity[0]), identity[1])
            case Join():
                return (self._made(step.left, identity[0]), self._made(step.right, identity[1]))
            case Union():
                branches = zip(step.inputs, identity[1:], strict=True)
                return (identity[0], *(self._made(each, inner) for each, inner in branches))
            case Group():
                members = self._members[step.number][identity][1]
                return ([(self._made(step.input, each[0]), *each[1:]) for each in members],)
            case Matched():
                found = self._members[step.number][identity][1]
                return (
                    self._made(step.left, self._left(identity)),
                    [self._made(step.right, each) for each in found],
                )
            case Window():
                lists = self._members[step.number][identity][1:]
                own = self._made(step.input, identity)
                return (own, *([self._made(step.input, each) for each in members] for members in lists))

    def _reached(self, step: Operator, ids: Ids) -> DataFrame:
        """The ids of an operator's records that were made of one of these: one join with each table."""
        if isinstance(step, Read):
            given = [((file, row),) for file, row in ids.get(step.name, [])]
            return self._local(given, OF_SOURCE)
        if not has_table(step):
            return self._reached(inputs_of(step)[0], ids)
        table = self._operator(step)
        out = F.col("out")
        parts: list[DataFrame] = []
        for number, (each, inner) in enumerate(zip(inputs_of(step), self._inside(step, out), strict=True)):
            below = self._reached(each, ids)
            parts.extend(_among(table, value, below) for value in inner)
            parts.extend(_made_of(table, value, below) for value in members(step, number))
        found = parts[0].select(out.alias("id"))
        for each in parts[1:]:
            found = found.unionAll(each.select(out.alias("id")))
        return found.distinct()


def _with_members(step: Operator) -> set[int]:
    """The numbers of the steps of which the members are kept by their keys."""
    return {each.number for each in steps_of(step) if isinstance(each, MEMBERS)}


def _together(found: Iterable[Row], ids: Iterable[Any]) -> dict[Any, Any]:
    """The members of each of these groups, which come one by one; of all rows, if there were none, no member."""
    members: dict[Any, dict[Any, None]] = {each: {} for each in ids}
    for row in found:
        members[row["out"]][row[1][0]] = None
    return {each: (each, list(of)) for each, of in members.items()}


def _among(table: DataFrame, value: Column, ids: DataFrame) -> DataFrame:
    """The rows of a table of which a value is one of these ids."""
    given = ids.toDF("__id")
    return table.join(given, value.eqNullSafe(F.col("__id")) & value.isNotNull(), "left_semi")


def _made_of(table: DataFrame, members: Column, ids: DataFrame) -> DataFrame:
    """The rows of a table of which a list has one of these ids."""
    each = table.select("out", F.explode(members).alias("__member"))
    return _among(each, F.col("__member"), ids).select("out")
