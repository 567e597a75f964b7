"""Ids in the write itself: its plan is extended by the derivation of each row, which goes to files of its own.

A rule at the end of Spark's optimiser gives each write that is about to run. Its query is built again with identifiers,
and the format is put into one that writes the last columns, the derivation, to a file beside the job's own: by the same
tasks, in the folder of the same attempt, so that it is committed with it. Row n of one file is row n of the other.

The job has to give what it would have given. So the write stays as it is, and the plan is run once more afterwards,
where identifiers would make Spark run other operators or collect more than the job does, and where rows have positions
only by the order in which they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Any

from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import Column

from headwater_records.nested.steps import Group, Operator, steps_of
from headwater_records_spark.captured.carried.calls import TO_NUMBER, call
from headwater_records_spark.captured.carried.flat import flattened
from headwater_records_spark.captured.carried.hints import as_before
from headwater_records_spark.captured.carried.members import KeptMembers
from headwater_records_spark.captured.ids import MEMBERS
from headwater_records_spark.captured.store import CARRIED, Run, Store
from headwater_records_spark.captured.writes import COMMAND
from headwater_records_spark.context import IN_MEMORY, FileHash
from headwater_records_spark.errors import RecordsError
from headwater_records_spark.inputs import file_name
from headwater_records_spark.jvm import key, kind, listed, output
from headwater_records_spark.rebuild import Rebuilt

RULES = "io.headwater.spark.records."
BESIDE = "_headwater-"
PARQUET = "ParquetFileFormat"


@dataclass(slots=True)
class Carried:
    """A write that was extended: how its query was built, or the reason why it was left as it is."""

    rebuilt: Rebuilt | None
    reason: str = ""
    members: KeptMembers | None = None

    def collect(self, store: Store, run: Run) -> None:
        """Move the files of ids from beside those of the job: of each there has to be one."""
        files = run.output.files if self.rebuilt else {}
        if not files and not self.reason:
            self.rebuilt, self.reason = None, "no file was written"
        for file in files:
            folder, _, name = file.rpartition("/")
            inside = file_name(file)[len(file_name(run.output.root)) + 1 :]
            if not store.take(f"{folder}/{BESIDE}{name}", run.run, CARRIED, inside):
                self.rebuilt, self.reason = None, f"{name} was written without ids"
        if self.rebuilt and self.members and not self.members.collect(run):
            self.rebuilt, self.reason = None, "members of groups could not be written"
        if self.rebuilt is None:
            store.remove(run.run)

    def discard(self, store: Store, root: str | None) -> None:
        """Remove what is not kept, with the files of ids that are beside those of the job below a root."""
        if self.rebuilt and root is not None:
            store.clear(root, BESIDE)
        if self.members:
            self.members.discard()


class Carrier:
    """Extends the writes of a session while it is in use, but for those to places that ``is_own`` knows.

    With ``members``, tasks keep those of groups in the store's folder.
    """

    def __init__(self, store: Store, is_own: Callable[[str], bool], *, members: bool) -> None:
        self._spark = store.jvm.spark
        self._store = store
        self._is_own = is_own
        self._members = members
        self._jvm = store.jvm
        self._carried: dict[int, Carried] = {}
        self._loader: Any = None
        self._unseen = "the write was not seen before it ran"
        self._is_asking = False

    def apply(self, given: Any) -> Any:
        """The write to be run, for a write and its execution; Spark calls it while it optimises."""
        command, execution = given.get(0), given.get(1)
        self._jvm.type("org.apache.spark.sql.SparkSession").setActiveSession(self._spark._jsparkSession)
        analysed = execution.analyzed()
        if self._is_asking or (kind(analysed) == COMMAND and self._is_own(analysed.outputPath().toString())):
            return command
        place = self._identity(analysed)
        try:
            if kind(analysed) != COMMAND:
                raise NotCarriedError(f"{kind(analysed)} makes its write while it runs")
            members = KeptMembers(self._store, self._made) if self._members else None
            extended, rebuilt = self._extended(analysed, self._whole(analysed, command), members)
        except RecordsError as problem:
            self._carried[place] = Carried(None, str(problem))
        except Exception as problem:  # noqa: BLE001 - the job goes on; what Spark says may have values in it
            self._carried[place] = Carried(None, type(problem).__name__)
        else:
            self._carried[place] = Carried(rebuilt, members=members)
            return extended
        return command

    class Java:
        """What this is for Java."""

        implements = ("java.util.function.Function",)

    def taken(self, analysed: Any) -> Carried:
        """What became of the write with this analysed plan."""
        return self._carried.pop(self._identity(analysed), Carried(None, self._unseen))

    @contextmanager
    def extending(self) -> Iterator[None]:
        """Extend the writes in here; where that is not to be had, each says why."""
        rule = self._installed()
        try:
            yield
        finally:
            if rule is not None:
                self._rules([each for each in self._rules() if not each.equals(rule)])

    def _installed(self) -> Any:
        """The rule in the session, or None: a capture does not fail for it."""
        jar = _jar()
        if jar is None:
            self._unseen = "the jar for Spark was not built"
            return None
        try:
            ensure_callback_server_started(self._spark.sparkContext._gateway)
            self._spark._jsparkSession.sessionState().resourceLoader().addJar(str(jar))
            self._loader = self._spark._jsparkSession.sharedState().jarClassLoader()
            rule = self._made("WriteRule", self)
            self._rules([*self._rules(), rule])
        except Exception as problem:  # noqa: BLE001 - the job goes on
            self._unseen = f"the session does not take the jar for Spark: {type(problem).__name__}"
            return None
        return rule

    def _rules(self, rules: list[Any] | None = None) -> list[Any]:
        """The session's own rules at the end of the optimiser, after these were put in their place."""
        methods = self._spark._jsparkSession.experimental()
        if rules is not None:
            methods.__getattr__("extraOptimizations_$eq")(self._jvm.seq(rules))
        return listed(methods.extraOptimizations())

    def _made(self, name: str, *arguments: Any) -> Any:
        """An object of a class of the jar, which py4j does not find by its name."""
        constructor = self._loader.loadClass(RULES + name).getConstructors()[0]
        given = self._jvm.view.java.util.ArrayList()
        for each in arguments:
            given.add(each)
        return constructor.newInstance(given.toArray())

    def _identity(self, node: Any) -> int:
        return int(self._jvm.view.java.lang.System.identityHashCode(node))

    def _extended(self, analysed: Any, command: Any, members: KeptMembers | None) -> tuple[Any, Rebuilt]:
        """The write with the derivation of each row; a NotCarriedError says why it has to stay as it is."""
        for each in output(analysed.query()):
            if not analysed.fileFormat().supportDataType(each.dataType()):
                raise NotCarriedError(f"the format does not write {each.dataType().catalogString()}")
        rebuilt = Rebuilt(self._jvm.frame(analysed.query()), members=members, file_hash=self._file_hash())
        keyed = members.numbers if members else set()
        if any(_makes_lists(each, keyed) for each in steps_of(rebuilt.step)):
            raise NotCarriedError("its rows are made of lists of records")
        for name, each in sorted(rebuilt.sources.items()):
            if not each.exact:
                raise NotCarriedError(
                    f"rows of {name} have positions only by the order in which they are read"
                )
            if each.files != IN_MEMORY and each.reads[0] != PARQUET:
                raise NotCarriedError(f"{name} is read by {each.reads[0]}, which was not tried")
        flat = [each.alias(name) for name, each in flattened(self._jvm, rebuilt.built.made_of)]
        query = self._jvm.select(rebuilt.built.plan, output(rebuilt.built.plan)[:-1], *flat)
        columns = output(query)[-len(flat) :]
        ids = [each.name() for each in columns]
        names = self._jvm.seq([*listed(command.outputColumnNames()), *ids])
        carrying = self._made("CarriedIds", command.fileFormat(), len(flat))
        extended = self._optimised(self._jvm.copy(analysed, _5=carrying, _7=query, _11=names))
        missing = set(map(key, listed(extended.partitionColumns()))) - set(map(key, output(extended.query())))
        if missing:
            raise NotCarriedError("the columns that it is partitioned by are lost in its plan")
        before, now = self._operators(command), self._operators(extended)
        if before != now:
            extended = self._jvm.copy(extended, _7=as_before(self._jvm, extended.child(), before))
            now = self._operators(extended)
        if before != now:
            raise NotCarriedError(f"with ids Spark would run {_first_difference(before, now)}")
        return extended, rebuilt

    def _file_hash(self) -> FileHash:
        """The hash of a file's name, which is computed once for a file, and not for each of its rows."""
        hashing = self._made("FileHash")

        def of_file(name: Column) -> Column:
            return self._jvm.column(call(self._jvm, hashing, TO_NUMBER, [self._jvm.unresolved(name)]))

        return of_file

    def _whole(self, analysed: Any, command: Any) -> Any:
        """The write with subqueries in their places, though several of them were put together."""
        if kind(command) == COMMAND:
            return command
        self._is_asking = True
        try:
            return self._optimised(self._jvm.copy(analysed))
        finally:
            self._is_asking = False

    def _optimised(self, command: Any) -> Any:
        """The write as Spark would run it, which renames columns in it as it renames them in its query."""
        command.setAnalyzed()
        skip = self._jvm.one("org.apache.spark.sql.execution.CommandExecutionMode").SKIP()
        return self._spark._jsparkSession.sessionState().executePlan(command, skip).optimizedPlan()

    def _operators(self, write: Any) -> list[str]:
        """The physical operators that a write is run by, without those that keep rows in order; then of its subqueries.

        What is the same in two subqueries stands there once, as ids ask for what values ask for.
        """
        of_subqueries = sorted({self._planned(each) for each in listed(write.child().subqueriesAll())})
        return [name for names in (self._planned(write.child()), *of_subqueries) for name in names]

    def _planned(self, plan: Any) -> tuple[str, ...]:
        planner = self._spark._jsparkSession.sessionState().planner()
        text: str = self._made("Operators", planner.plan(plan).next()).toString()
        return tuple(text.split("\n"))


class NotCarriedError(RecordsError):
    """The write cannot carry ids and be what it would be; the plan runs again for them."""

    code = "not_carried"
    hint = "the records are the same; they cost another run of the plan"


def _makes_lists(step: Operator, keyed: Collection[int]) -> bool:
    """Whether a record of the step has a list of members that may be longer than those which the plan itself makes."""
    if not isinstance(step, MEMBERS) or step.number in keyed:
        return False
    in_lists = isinstance(step, Group) and any(
        each.collects == "list" and not each.conditions for each in step.aggregates
    )
    return not in_lists


def _first_difference(before: list[str], now: list[str]) -> str:
    pairs = zip_longest(before, now, fillvalue="nothing")
    return next(f"{is_now} in the place of {was}" for was, is_now in pairs if was != is_now)


def _jar() -> Path | None:
    """The jar that is built for Spark, if it was built."""
    package = find_spec("headwater_spark")
    if package is None or package.origin is None:
        return None
    jar = Path(package.origin).parent / "jars" / "headwater-spark.jar"
    return jar if jar.is_file() else None
