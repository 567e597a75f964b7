"""What captured runs use of their sources: which paths and together with which, and which records, hot and cold.

A path is used by a run if a value of it contributes to the run's output, or if an operator looked at it. A record is
used by a run if a record of the run's output was made of it. From this follow proposals for how a source is laid out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from headwater_records.nested.answer import Answer, Item
from headwater_records.nested.steps import Operator, Read, steps_of
from headwater_records.nested.tree import Found
from headwater_records.nested.usage import paths_used
from headwater_records_spark.across.makers import Makers
from headwater_records_spark.captured.questions import Written
from headwater_records_spark.captured.store import Run, Store
from headwater_records_spark.errors import RecordsError
from headwater_records_spark.jvm import Jvm

CHOSEN_BY = ("filter", "window")
BROUGHT_TOGETHER_BY = ("join", "group", "grouping sets")


@dataclass(slots=True)
class PathUse:
    """In how many runs a path contributes, and in how many it was looked at, by the titles of the operators."""

    contributes: int = 0
    accessed: Counter[str] = field(default_factory=Counter)

    def accessed_by(self, titles: Sequence[str]) -> int:
        """In how many runs operators looked at it whose title ends in one of these."""
        return sum(count for title, count in self.accessed.items() if title.endswith(tuple(titles)))


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of a source's layout: ``partition`` or ``cluster`` by a path, or ``leave out`` one; for so many runs."""

    change: str
    path: str
    runs: int


@dataclass(slots=True)
class Usage:
    """Of one source: how many ``runs`` read it, what they use, and what they leave.

    ``together`` says of pairs of paths in how many runs both are used, ``never`` which ``columns`` no run has ``used``.
    ``records`` has ``file``, ``position`` and in how many ``runs`` each record is used; one that is not there is cold.
    ``unknown`` are outputs of runs that read it, with the reason why it is not known what they use: with one, nothing
    is listed as never used. Of ``without_records`` the paths are known, and not the records.
    """

    source: str
    runs: int = 0
    paths: dict[str, PathUse] = field(default_factory=dict)
    together: Counter[tuple[str, str]] = field(default_factory=Counter)
    columns: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    records: DataFrame | None = None
    unknown: dict[str, str] = field(default_factory=dict)
    without_records: set[str] = field(default_factory=set)

    @property
    def never(self) -> list[str]:
        """The columns of which no run uses anything."""
        return [] if self.unknown else sorted(self.columns - self.used)

    @property
    def proposals(self) -> list[Proposal]:
        """What the runs would gain by, the most first."""
        found = [
            Proposal(change, path, runs)
            for path, use in self.paths.items()
            for change, titles in (("partition", CHOSEN_BY), ("cluster", BROUGHT_TOGETHER_BY))
            if (runs := use.accessed_by(titles))
        ]
        found += [Proposal("leave out", each, self.runs) for each in self.never]
        return sorted(found, key=lambda each: (-each.runs, each.change, each.path))

    def heat(self, parts: int = 20) -> dict[str, list[float]]:
        """By file, of each of so many parts of it up to its last record in use, in how many runs a record is used.

        These are means over the records of a part. A file of fewer records has as many parts as records.
        """
        if self.records is None:
            return {}
        last = self.records.groupBy("file").agg(F.max("position").alias("last"))
        of = F.least(F.col("last"), F.lit(parts))
        part = F.floor((F.col("position") - 1) * of / F.col("last")).alias("part")
        sums = self.records.join(last, "file").groupBy("file", "last", part).agg(F.sum("runs").alias("runs"))
        found: dict[str, list[float]] = {}
        for file, records, number, runs in sums.collect():
            count = min(parts, records)
            before, after = (-(-each * records // count) for each in (number, number + 1))
            found.setdefault(file, [0.0] * count)[number] = runs / (after - before)
        return dict(sorted(found.items()))


def usage(spark: SparkSession, *, records: Sequence[str]) -> list[Usage]:
    """What all runs that were kept in the folders ``records`` use of each of their sources, by name."""
    jvm = Jvm(spark)
    found: dict[str, Usage] = {}
    records_of: dict[str, list[DataFrame]] = {}
    for made in Makers(jvm, [Store(jvm, each) for each in records]).runs:
        run = made.run
        output = run.output.root or run.output.table
        written = Written(made.store, output, {}, None)
        try:
            step, columns = written.pipeline(run)
        except (RecordsError, LookupError) as problem:
            for each in run.inputs:
                found.setdefault(each.name, Usage(each.name)).unknown[output] = str(problem)
            continue
        sources = _sources(step, run)
        _add_paths(found, sources, paths_used(step, columns))
        try:
            used = written.used(run)
        except RecordsError:
            used = {}
        for source in sources:
            if source in used:
                records_of.setdefault(source, []).append(used[source])
            else:
                found[source].without_records.add(output)
    for source, frames in records_of.items():
        whole = reduce(DataFrame.unionAll, frames).groupBy("file", "position")
        found[source].records = whole.agg(F.count("*").alias("runs"))
    return [found[name] for name in sorted(found)]


def _add_paths(found: dict[str, Usage], sources: dict[str, set[str]], answer: Answer) -> None:
    for source, columns in sources.items():
        use = found.setdefault(source, Usage(source))
        use.columns |= columns
        use.runs += 1
        here = list(_paths(answer.items(source)))
        for path in here:
            use.used.add(str(path.path[0]))
            one = use.paths.setdefault(str(path), PathUse())
            one.contributes += path.contributes
            one.accessed.update({answer.steps[number] for number in path.accessed})
        use.together.update(combinations(sorted({str(path) for path in here}), 2))


def _paths(items: Iterable[Item]) -> Iterator[Found]:
    """The paths of a source's records but the record as a whole."""
    return (path for item in items for path in item.paths if path.path)


def _sources(step: Operator, run: Run) -> dict[str, set[str]]:
    """By source that is stored its columns; one that was read in two ways has a number behind its name."""
    stored = {each.name for each in run.inputs if not each.of_program}
    found: dict[str, set[str]] = {}
    for each in steps_of(step):
        if isinstance(each, Read) and {each.name, each.name.rpartition(" (")[0]} & stored:
            found.setdefault(each.name, set()).update(name for _, name in each.columns)
    return found
