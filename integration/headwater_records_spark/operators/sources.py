"""Sources: each row gets the file and the position that it has in it.

The position is Parquet's row index. Elsewhere it is counted where the rows are read, before anything can move them, and
made the position within the file when it is shown. Rows of the program are counted the same way; an RDD that is above
a shuffle gives its rows in another order each time, and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from headwater_records.nested.steps import Read
from headwater_records_spark.context import IN_MEMORY, Built, Context, Source
from headwater_records_spark.errors import ChangedInputError, UntraceableError
from headwater_records_spark.inputs import called, file_name, listing
from headwater_records_spark.jvm import CATALYST, analysed, key, kind, listed, output
from headwater_records_spark.versioned.delta import with_positions
from headwater_records_spark.versioned.formats import pinned, table_of, version_of
from headwater_records_spark.versioned.port import NOTHING, Version

MOST_LOCAL_ROWS = 100_000
NO_AUTHORITY = re.compile(r":///")
"""In metadata of rows such paths are written with one slash, in an index of files with three."""


def files(context: Context, plan: Any) -> Built:
    """A relation of files."""
    if kind(plan.relation()) != "HadoopFsRelation":
        raise UntraceableError(kind(plan.relation()), "rows of this source have no position")
    version = version_of(plan)
    if version is not None:
        plan, version = _at_version(context, plan, version)
    plan = with_positions(context.jvm, plan)
    relation = plan.relation()
    parquet = "Parquet" in kind(relation.fileFormat())
    if relation.bucketSpec().isDefined() and not parquet:
        raise UntraceableError("LogicalRelation", "buckets are not read in the order of the files")
    row = F.col("_metadata.row_index") if parquet else F.monotonically_increasing_id()
    reads = [kind(relation.fileFormat()), relation.options().toString()]
    inside = tuple(relation.location().inputFiles())
    if version is not None:
        _check_kept(context, version, inside)
        inside = tuple(context.jvm.uri(each) for each in inside)
        reads.append(version.text)
    block = F.lit(0).cast("long") if parquet else F.col("_metadata.file_block_start")
    return _read(
        context, plan, called(plan), F.col("_metadata.file_path"), block, row, (*reads, *inside), exact=parquet,
        files=tuple(NO_AUTHORITY.sub(":/", each, count=1) for each in inside),
    )  # fmt: skip


def versioned(context: Context, plan: Any) -> Built:
    """A table with versions of Spark's second interface, in one of them; no other source of that."""
    version = version_of(plan)
    if version is None:
        raise UntraceableError(kind(plan), "rows of this source have no position")
    name = called(plan)
    plan, version = _at_version(context, plan, version)
    inside = table_of(context.jvm, version.format, version.root).files(version.text)
    _check_kept(context, version, inside)
    return _read(
        context, plan, name, F.col("_file"), F.lit(0).cast("long"), F.col("_pos"),
        (version.format, version.root, version.text), exact=True, files=inside,
    )  # fmt: skip


def _at_version(context: Context, plan: Any, version: Version) -> tuple[Any, Version]:
    """The leaf, so that it reads one version of its table alone, and which."""
    if version.named:
        return plan, version
    text = context.versions.setdefault(version.root, version.text)
    version = version._replace(text=text)
    if text == NOTHING:
        return context.jvm.over(plan, lambda frame: frame.where(F.lit(False))), version
    return pinned(context.jvm, plan, version), version


def _check_kept(context: Context, version: Version, inside: Sequence[str]) -> None:
    """Raise a ChangedInputError if a file of a version is not there any more."""
    there = set(map(file_name, listing(context.jvm, sorted({each.rpartition("/")[0] for each in inside}))))
    for each in inside:
        if file_name(each) not in there:
            raise ChangedInputError(version.root, each, f"of version {version.text} is gone")


def rows_of_the_program(context: Context, plan: Any) -> Built:
    """An RDD, a checkpoint, or a list that became a frame."""
    rdd = plan.rdd()
    if _shuffled(rdd):
        raise UntraceableError("LogicalRDD", "its rows come out of a shuffle in no order that lasts")
    name = f"rows of the program ({rdd.id()})"
    row = F.monotonically_increasing_id()
    return _read(context, plan, name, F.lit(""), F.spark_partition_id().cast("long"), row, (), exact=False)


def local(context: Context, plan: Any) -> Built:
    """A list of rows in the plan itself: each gets its number as a column, as Spark may spread them in two ways."""
    jvm = context.jvm
    data = listed(plan.data())
    if len(data) > MOST_LOCAL_ROWS:
        raise UntraceableError("LocalRelation", f"it has more than {MOST_LOCAL_ROWS} rows")
    number = output(jvm.select(plan, [], F.lit(0).alias(context.name())))[0]
    joined, row = jvm.type(CATALYST + "expressions.JoinedRow"), jvm.type(CATALYST + "InternalRow")
    rows = [joined(each, row.fromSeq(jvm.seq([place]))) for place, each in enumerate(data)]
    relation = jvm.copy(plan, _0=jvm.seq([*output(plan), number]), _1=jvm.seq(rows))
    name = f"rows of the program (list of {len(data)}: {', '.join(each.name() for each in output(plan))})"
    return _read(
        context, relation, name, F.lit(""), F.lit(0).cast("long"), context.column(number).cast("long"),
        (plan.data(),),
        exact=True, columns=output(plan),
    )  # fmt: skip


def numbers(context: Context, plan: Any) -> Built:
    """A range: the position follows from the number."""
    row = (context.column(output(plan)[0]) - F.lit(plan.start())) / F.lit(plan.step())
    name = f"range({plan.start()}, {plan.end()}, {plan.step()})"
    return _read(context, plan, name, F.lit(""), F.lit(0).cast("long"), row.cast("long"), (), exact=True)


def one_row(context: Context, plan: Any) -> Built:
    """A query without FROM."""
    zero = F.lit(0).cast("long")
    return _read(context, plan, "a row without a source", F.lit(""), zero, zero, (), exact=True)


def _read(  # noqa: PLR0917 - the parts of an id
    context: Context, plan: Any, name: str, file: Column, block: Column, row: Column, reads: tuple[Any, ...],
    *, exact: bool, columns: list[Any] | None = None, files: tuple[str, ...] = IN_MEMORY,
) -> Built:  # fmt: skip
    columns = output(plan) if columns is None else columns
    name = context.source(name, reads)
    step = Read(context.number(), name, tuple((key(each), each.name()) for each in columns))
    given = [context.column(each) for each in columns]
    frame = context.jvm.frame(plan)
    read = analysed(frame.select(*given, file.alias("__file"), block.alias("__block"), row.alias("__row")))
    context.sources.setdefault(name, Source(name, read, reads, exact, files))
    by_name = {each.name(): context.column(each) for each in output(read)[-3:]}
    made_of = F.struct(context.file_hash(by_name["__file"]).alias("f"), by_name["__row"].alias("r"))
    built = context.finish(read, columns, made_of, step)
    kept = context.keep(context.sources[name], context.column(built.made_of), context.absent)
    if kept is None:
        return built
    plan = context.jvm.over(built.plan, lambda frame: frame.filter(kept))
    return Built(plan, built.made_of, step, built.columns)


def _shuffled(rdd: Any) -> bool:
    """Whether a shuffle is below the RDD that is not cut off by a checkpoint."""
    waiting, seen = [rdd], set()
    while waiting:
        each = waiting.pop()
        if each.id() in seen or each.isCheckpointed():
            continue
        seen.add(each.id())
        for dependency in listed(each.dependencies()):
            if "Shuffle" in kind(dependency):
                return True
            waiting.append(dependency.rdd())
    return False
