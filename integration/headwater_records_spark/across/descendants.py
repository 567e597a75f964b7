"""The other direction through all captured runs: what became of records, and where all of that is that is a person's.

Nothing is read but what the runs have kept, and in the mode ``demand`` what their plans give again. Runs go from the
oldest to the newest, as each may have read what earlier ones wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from headwater_records_spark.across.makers import NO_STAMP, Makers, stamps, what_was_read
from headwater_records_spark.ask import why
from headwater_records_spark.captured.questions import Written
from headwater_records_spark.captured.store import Run, Store
from headwater_records_spark.errors import RecordsError
from headwater_records_spark.inputs import Files, Input, Stamp, file_name, listing
from headwater_records_spark.jvm import Jvm
from headwater_records_spark.places import Id
from headwater_records_spark.replay import Records, by_source
from headwater_records_spark.versioned.formats import table_of


@dataclass(frozen=True, slots=True)
class Descendant:
    """A record of an output, by file and position from 1, that was made of the records that were asked about.

    ``alone`` says that of the same sources nothing else is in it, nor in what it was made of: it can be deleted. What
    is not ``there`` any more was replaced since, or is only in a former version of a table.
    """

    output: str
    run: str
    file: str
    position: int
    alone: bool
    there: bool


@dataclass(slots=True)
class Descendants:
    """What became of ``records`` (by source, file and position); ``unknown`` has outputs with the reason of each.

    Of an output that is unknown nobody knows which of its records were made of these, if any.
    """

    records: dict[str, set[Id]]
    found: list[Descendant] = field(default_factory=list)
    unknown: dict[str, str] = field(default_factory=dict)


def descendants(spark: SparkSession, given: Records, *, records: Sequence[str]) -> Descendants:
    """What became of records of sources, in all runs that were kept in the folders ``records``."""
    jvm = Jvm(spark)
    return _followed(jvm, by_source(given), [Store(jvm, each) for each in records])


def subject(people: DataFrame, key: str, person: Any, *, records: Sequence[str]) -> Descendants:
    """The same of all records of one person: access and erasure by record.

    Each row of the frame ``people`` has a person under ``key``, a column or a path (``user.id_str``): the records that
    it is made of are that person's. ``person`` is compared as text.
    """
    own = people.select(F.expr(key).cast("string").alias("key"))
    return descendants(
        people.sparkSession, why(own, where=F.col("key") == F.lit(str(person))), records=records
    )


def _followed(jvm: Jvm, given: dict[str, set[Id]], stores: Iterable[Store]) -> Descendants:
    makers = Makers(jvm, stores)
    known = _Known(jvm, makers, {place for ids in given.values() for place in ids if place[0]})
    answer = Descendants(given)
    for made in makers.runs:
        run, output = made.run, made.run.output.root or made.run.output.table
        try:
            read = known.read_by(run)
            asked = known.asked_of(run, read)
            found = list(Written(made.store, output, {}, None).reached(run, asked)) if asked else []
            gone = known.gone_of(run)
            there = _there(jvm, run) if found or gone else set()
        except (RecordsError, LookupError) as problem:
            answer.unknown[output] = str(problem)
            known.give_up(run)
            continue
        written = stamps(run.output.files)
        for each in found:
            alone = not each.others and all(asked[record] for record in each.of)
            path = makers.path(each.place[0])
            known.add(path, NO_STAMP if run.output.version else written[path], each.place, alone)
            answer.found.append(Descendant(output, run.run, *each.place, alone, path in there))
        reasons = [f"it was made of {each}, of which that is not known" for each in known.unknown_of(read)]
        if gone:
            reasons.append(f"it was made of {gone}, whose records nobody can look at any more")
        if reasons:
            known.give_up(run)
        if reasons and (there or not gone):
            answer.unknown[output] = reasons[-1]
    answer.found.sort(key=lambda each: (each.output, each.file, each.position))
    return answer


class _Known:
    """The records that were found so far: by path and stamp of their files, each with whether it is alone."""

    def __init__(self, jvm: Jvm, makers: Makers, given: Iterable[Id]) -> None:
        self._jvm = jvm
        self._makers = makers
        self._found: dict[str, dict[Stamp, dict[Id, bool]]] = {}
        self._behind_links: set[str] = set()
        self._unknown: list[Run] = []
        self._versions: dict[tuple[str, str], set[str]] = {}
        given = list(given)
        # A name with a % in it is a path in tables of Iceberg, and an address elsewhere.
        paths = {file: {file_name(file), makers.decoded(file)} for file, _ in given}
        self._folders = {_folder(path) for names in paths.values() for path in names}
        self._now = stamps(listing(jvm, sorted(self._folders)))
        for file, position in given:
            for path in paths[file]:
                self._at(path, self._now.get(path, NO_STAMP))[file, position] = True

    def add(self, path: str, stamp: Stamp, place: Id, alone: bool) -> None:
        """A record that a run wrote, and what its file was then."""
        self._at(path, stamp)[place] = alone

    def asked_of(self, run: Run, read: Files) -> dict[Id, bool]:
        """Those of the records that a run has read; a LookupError if that is not certain."""
        asked: dict[Id, bool] = {}
        for path, stamp in read.items():
            if path not in self._found and self._makers.behind_links(path) in self._behind_links:
                raise LookupError(
                    f"{path} was read by another name than it was written by, which a link leads to or from"
                )
            known = self._found.get(path, {})
            for written, places in known.items():
                if stamp == written or NO_STAMP in (stamp, written):
                    asked |= places
                elif len(known) == 1:
                    raise LookupError(f"{path} was another one when it was read")
        if run.refused and (asked or not run.inputs):
            raise LookupError(f"nothing was kept: {run.refused}")
        return asked

    def give_up(self, run: Run) -> None:
        """Nobody knows which records of this run were made of these."""
        self._unknown.append(run)

    def unknown_of(self, read: Files) -> list[str]:
        """The outputs of such runs that are among what was read."""
        return [each.output.root for each in self._unknown if self._have(each, read)]

    def gone_of(self, run: Run) -> str:
        """A file, or a version of a table, that a run has read and that is not in the sources of these records now.

        It may have held others of the same person. Empty if there is none.
        """
        for each in run.inputs:
            root = file_name(each.root)
            if each.version and any(
                root == folder or folder.startswith(root + "/") for folder in self._folders
            ):
                newest = table_of(self._jvm, each.format, each.root).newest()
                if not self._at_version(each, each.version) <= self._at_version(each, newest):
                    return f"version {each.version} of {each.name}"
            for path, stamp in stamps(each.files).items():
                if _folder(path) in self._folders and self._now.get(path) != stamp:
                    return path
        return ""

    def _have(self, made: Run, read: Iterable[str]) -> bool:
        output = made.output
        if not output.files:
            return any(path.startswith(file_name(output.root) + "/") for path in read)
        return not set(map(file_name, output.files)).isdisjoint(read)

    def read_by(self, run: Run) -> Files:
        """The files that a run has read, as they were; those of tables with versions never change."""
        found = what_was_read(run.inputs, run.written).files
        for each in run.inputs:
            if each.version and not run.refused:
                found |= dict.fromkeys(self._at_version(each, each.version), NO_STAMP)
        return found

    def _at_version(self, table: Input, version: str) -> set[str]:
        """The files of a version of a table, which never change: each is listed once."""
        key = table.root, version
        if key not in self._versions:
            files = table_of(self._jvm, table.format, table.root).files(version)
            self._versions[key] = set(map(file_name, files))
        return self._versions[key]

    def _at(self, path: str, stamp: Stamp) -> dict[Id, bool]:
        self._behind_links.add(self._makers.behind_links(path))
        return self._found.setdefault(path, {}).setdefault(stamp, {})


def _folder(path: str) -> str:
    """The folder of a file, without those below it that are named by partitions."""
    parts = path.split("/")[:-1]
    while parts and "=" in parts[-1]:
        parts.pop()
    return "/".join(parts)


def _there(jvm: Jvm, run: Run) -> set[str]:
    """The files that the run wrote and that still are what they were; of a table, if its version is the newest."""
    output = run.output
    if output.version:
        newest = table_of(jvm, output.format, output.root).newest() == output.version
        return set(map(file_name, output.files)) if newest else set()
    now = listing(jvm, [output.root])
    return {file_name(path) for path, stamp in output.files.items() if now.get(path) == stamp}
