"""Tables of Delta: versions are numbers, and roots are paths."""

from __future__ import annotations

import re
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.jvm import Jvm, kind, leaves_of, listed
from headwater_records_spark.versioned.port import Read, Version

INDEX = re.compile(r"Tahoe|Delta.*FileIndex|CdcAddFileIndex")
FILES = "org.apache.spark.sql.execution.datasources.HadoopFsRelation"
PARQUET = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
IN_CATALOG = "DeltaTableV2"


class DeltaTable:
    """A table of Delta."""

    def __init__(self, jvm: Jvm, root: str) -> None:
        self._jvm = jvm
        self._root = root

    def newest(self) -> str:
        """The version that is the newest now."""
        return str(self.history().agg(F.max("version")).collect()[0][0])

    def at(self, version: str) -> DataFrame:
        """The rows of a version."""
        return self._jvm.spark.read.format("delta").option("versionAsOf", version).load(self._root)

    def files(self, version: str) -> tuple[str, ...]:
        """The files that rows of a version are in."""
        return tuple(self.at(version).inputFiles())

    def history(self) -> DataFrame:
        """The commits; read past ``SparkSession.sql``, which is a write to who captures."""
        asked = f"DESCRIBE HISTORY delta.`{self._root}`"
        return DataFrame(self._jvm.spark._jsparkSession.sql(asked), self._jvm.spark)


class Delta:
    """The format of Delta."""

    name = "delta"

    def owns(self, leaf: Any) -> bool:
        """Whether a leaf of a plan is a table of Delta."""
        if kind(leaf) == "DataSourceV2Relation":
            return kind(leaf.table()) == IN_CATALOG
        files = kind(leaf) == "LogicalRelation" and kind(leaf.relation()) == "HadoopFsRelation"
        return files and bool(INDEX.search(kind(leaf.relation().location())))

    def version_of(self, leaf: Any) -> Version:
        """The version that a leaf reads now."""
        location = leaf.relation().location()
        if kind(location) != "TahoeLogFileIndex":
            raise UntraceableError(kind(location), "only plain reads of a Delta table have rows of its files")
        named, snapshot = bool(location.isTimeTravelQuery()), location.getSnapshot()
        table = str(snapshot.metadata().id())
        return Version(location.path().toString(), str(snapshot.version()), named, self.name, table)

    def pinned(self, jvm: Jvm, leaf: Any, version: str) -> tuple[Any, dict[str, str]]:
        """The leaf as a read of this version, and the types of its columns by name."""
        location = leaf.relation().location()
        (there,) = leaves_of(self.table(jvm, location.path().toString()).at(version))
        columns = {each.name(): str(each.dataType().catalogString()) for each in listed(there.output())}
        relation = there.relation()
        if location.partitionFilters().nonEmpty():
            filters = {f"_{location.productArity() - 2}": location.partitionFilters()}
            relation = _files(jvm, relation, _0=jvm.copy(relation.location(), **filters))
        return jvm.copy(leaf, _0=relation), columns

    def read_by(self, jvm: Jvm, leaf: Any) -> Read | None:
        """What a leaf of an optimised plan that ran has read."""
        del jvm
        if not self.owns(leaf):
            return None
        location = leaf.relation().location()
        return Read(location.path().toString(), str(location.version()))

    def table(self, jvm: Jvm, root: str) -> DeltaTable:
        """The table at a path."""
        return DeltaTable(jvm, root)


def _files(jvm: Jvm, relation: Any, **changes: Any) -> Any:
    """A relation of files with some of its arguments changed; Delta's is of a class without a name."""
    given = {f"_{place}": relation.productElement(place) for place in range(relation.productArity())}
    return jvm.type(FILES)(*(given | changes).values(), jvm.spark._jsparkSession)


def with_positions(jvm: Jvm, leaf: Any) -> Any:
    """A leaf of files whose rows have positions.

    Delta hides them where no table has rows that were deleted in a file: such files are plain Parquet, if columns have
    their own names in it.
    """
    relation = leaf.relation()
    given = relation.fileFormat()
    if not Delta().owns(leaf) or "row_index" in [
        each.name() for each in listed(given.metadataSchemaFields())
    ]:
        return leaf
    if kind(given.columnMappingMode()) != "NoMapping":
        raise UntraceableError(
            kind(given), "with mapped columns and no deletion vectors its rows have no position"
        )
    return jvm.copy(leaf, _0=_files(jvm, relation, _4=jvm.type(PARQUET)()))
