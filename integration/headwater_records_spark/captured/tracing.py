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
from headwater_records_spark.captured.carried.frames import (
    RANGES,
    between,
    in_frames,
    members_in,
    placed,
    ranges,
)
from headwater_records_spark.captured.carried.members import members_of, sets_of, with_positions
from headwater_records_spark.captured.ids import MEMBERS, has_table, is_plain, passes_once, tables_kept
from headwater_records_spark.captured.outputs import carried
from headwater_records_spark.captured.shapes import Derivations, FixedIds, Shape
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
        is_ends = run.mode == "ends"
        keyed = frozenset(map(int, store.names(run.run, OPERATORS) if is_ends and not plain else ()))
        self._whole = plain or (is_ends and not keyed)
        self._carried = run.carried and (plain or is_ends)
        self._shape: Shape = Derivations(keyed) if is_ends else FixedIds()
        self._kept = keyed or tables_kept(self.step)
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
        self._members: dict[int, dict[Any, tuple[Any, ...]]] = {}
        self._frames: dict[int, dict[tuple[Any, int], list[Any]]] = {}

    def traced(self, asked: Sequence[tuple[Row | tuple[int, int], Tree]]) -> Traced:
        """These records of the output, each by file and position, with what they were made of."""
        kept = self.derivations([place for place, _ in asked])
        records = [(kept[tuple(place)], tree) for place, tree in asked]
        return Traced(self.step, self._run.columns, records, self.sources.__getitem__)

    def made_of(self, places: Sequence[Row]) -> dict[tuple[int, int], Answer]:
        """For each of these records of the output, by file and position, what it was made of, by internal ids."""
        return {
            place: made_of_whole(self.step, self._run.columns, made)
            for place, made in self.derivations(places).items()
        }

    def internal(self, records: dict[str, set[Id]]) -> Ids:
        """The ids that stand in the tables, by source; a LookupError names what is not there."""
        return {name: sorted(each) for name, each in self.by_id(records).items()}

    def by_id(self, records: dict[str, set[Id]]) -> dict[str, dict[tuple[int, int], Id]]:
        """By source these records by those ids; a LookupError names what is not there."""
        unknown = sorted(set(records) - set(self.sources))
        if unknown:
            raise LookupError(f"no source {unknown[0]!r}; there are {', '.join(sorted(self.sources))}")
        return {
            name: {self.sources[name].internal(each): each for each in ids} for name, ids in records.items()
        }

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
        if self._has_members_beside(step):
            ids = _among(self._own_table(step), F.col("out"), ids.distinct())
            given = F.col("out")
        for number, each in enumerate(inputs_of(step)):
            inner = ids.select(self._inner(step, number, given).alias("id"))
            yield from self._used(each, inner.where("id IS NOT NULL"))

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

    def _has_members_beside(self, step: Operator) -> bool:
        """Whether the members of the step's records are in a table."""
        return isinstance(step, MEMBERS) and not self._shape.has_members_inside(step)

    def _own_table(self, step: Operator) -> DataFrame:
        """The table that was kept of an operator."""
        if isinstance(self._shape, FixedIds):
            return self._table(OPERATORS, str(step.number))
        if isinstance(step, Window):
            return in_frames(step, self._passed(step), self._placed_in(step))
        given = self._keyed(step)
        if isinstance(step, Matched):
            given = given.select("key", F.array("member.m").alias("r"))
        elif sets_of(step):
            given = given.select("key", F.array("member").alias("m"))
        else:
            return given.select(F.struct(F.col("key").alias("g")).alias("out"), F.array("member").alias("m"))
        return self._passed(step).join(given, F.col("out.g") == F.col("key")).drop("key")

    def _keyed(self, step: Operator) -> DataFrame:
        """Key and member of what is kept by key."""
        return members_of(self._table(OPERATORS, str(step.number)))

    def _placed_in(self, step: Window) -> DataFrame:
        """Key, position and derivation of what windows saw."""
        return placed(self._table(OPERATORS, str(step.number)))

    def derivations(self, places: Sequence[Row | tuple[int, int]]) -> dict[Any, Any]:
        """The derivations of records of the output by their places."""
        kept = {(row["f"], row["r"]): row[2] for row in self._of(places)}
        if not self._whole:
            ids = {place: _frozen(each) for place, each in kept.items()}
            self._fetch(self.step, ids.values())
            kept = {place: self._made(self.step, each) for place, each in ids.items()}
        return kept

    def _records(self) -> DataFrame:
        """File, position and id or derivation of each record of the output."""
        if not self._carried:
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
        found = table.select(self._inner(after, number, F.col("out")).alias("out")).where("out IS NOT NULL")
        return found if passes_once(after) else found.distinct()

    def _inner(self, step: Operator, number: int, out: Column) -> Column:
        """The id of an input's record in that of a record, or each of several, which may be in the step's table."""
        own, lists = self._shape.own(step, out)[number], self._shape.lists(step, number, out)
        if not lists:
            return own[0]
        return F.explode(F.concat(*[F.array(each) for each in own], *lists))

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
                self._fetch(step.input, {each[0] for each in self._members_of(step, wanted)})
            case Matched():
                self._look_up(step, wanted)
                self._fetch(step.left, (self._shape.left(each) for each in wanted))
                self._fetch(step.right, set(self._members_of(step, wanted)))
            case Window():
                self._look_up(step, wanted)
                own = {self._shape.left(each) for each in wanted}
                self._fetch(step.input, own | set(self._members_of(step, wanted)))

    def _look_up(self, step: Operator, ids: set[Any]) -> None:
        """Read the members of these records, where they are in a table."""
        if not self._has_members_beside(step):
            return
        keys = {self._shape.key(step, each) for each in ids}
        if isinstance(self._shape, FixedIds):
            rows = self._among_keys(self._own_table(step), "out", keys)
            self._members[step.number] = {_frozen(row["out"]): _frozen(row[1:]) for row in rows}
            return
        if isinstance(step, Window):
            self._frames[step.number] = self._members_by_place(step, ids)
            return
        # the same rows may have been kept by several attempts
        found: dict[Any, dict[Any, None]] = {each: {} for each in keys}
        for key, member in self._among_keys(self._keyed(step), "key", keys):
            found[_frozen(key)][_frozen(member if isinstance(step, Group) else member[0])] = None
        self._members[step.number] = {each: (tuple(members),) for each, members in found.items()}

    def _members_by_place(self, step: Window, ids: set[Any]) -> dict[tuple[Any, int], list[Any]]:
        wanted = self._local(ranges(ids), RANGES)
        found: dict[tuple[Any, int], list[Any]] = {}
        for key, n, made_of in between(self._placed_in(step), wanted).collect() if ids else []:
            found.setdefault((_frozen(key), n), []).append(_frozen(made_of))
        return found

    def _among_keys(self, table: DataFrame, name: str, keys: set[Any]) -> list[Row]:
        """The rows of a table with one of these in the column of this name."""
        wanted = self._local([(each,) for each in keys], table.select(F.col(name).alias("id")).schema)
        return list(_among(table, F.col(name), wanted).collect()) if keys else []

    def _lists(self, step: Operator, identity: Any) -> tuple[Any, ...]:
        """The lists of members of a record, each with members as the id or the table has them."""
        if step.number in self._frames:
            return tuple(members_in(identity, self._frames[step.number]))
        if self._has_members_beside(step):
            lists = self._members[step.number][self._shape.key(step, identity)]
            return with_positions(step, identity, lists) if isinstance(step, Group) else lists
        return tuple(identity if isinstance(step, Group) else identity[1:])

    def _members_of(self, step: Operator, ids: Iterable[Any]) -> Iterator[Any]:
        return (member for each in ids for members in self._lists(step, each) for member in members)

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
                (members,) = self._lists(step, identity)
                return ([(self._made(step.input, each[0]), *each[1:]) for each in members],)
            case Matched() | Window():
                own, of_list = (
                    (step.left, step.right) if isinstance(step, Matched) else (step.input, step.input)
                )
                lists = ([self._made(of_list, each) for each in some] for some in self._lists(step, identity))
                return (self._made(own, self._shape.left(identity)), *lists)

    def _reached(self, step: Operator, ids: Ids) -> DataFrame:
        """The ids of an operator's records that were made of one of these: one join with each table."""
        if isinstance(step, Read):
            given = [((file, row),) for file, row in ids.get(step.name, [])]
            return self._local(given, OF_SOURCE)
        if not has_table(step):
            return self._reached(inputs_of(step)[0], ids)
        table = self._operator(step)
        parts = []
        for number, each in enumerate(inputs_of(step)):
            inner = table.select("out", self._inner(step, number, F.col("out")).alias("__inner"))
            parts.append(
                _among(inner, F.col("__inner"), self._reached(each, ids)).select(F.col("out").alias("id"))
            )
        return reduce(DataFrame.unionAll, parts).distinct()


def _frozen(value: Any) -> Any:
    """A value of Spark by position, so that it can be looked up: lists and rows as tuples."""
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _among(table: DataFrame, value: Column, ids: DataFrame) -> DataFrame:
    """The rows of a table of which a value is one of these ids."""
    given = ids.toDF("__id")
    return table.join(given, value.eqNullSafe(F.col("__id")) & value.isNotNull(), "left_semi")
