"""The records that a frame was made of in Spark: from its sources on, by way of the files read, or of `toPandas`.

A record of a source is one of a file, by its position. Which job wrote that file, and of what, is in the folders that
``headwater_records_spark.capture`` has filled. A row of `toPandas` is asked about by its frame, which runs again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headwater_pandas.answers import Columns, Rows, asked_of
from headwater_pandas.observe import alone
from headwater_pandas.stored import rows as rows_of_spark
from headwater_pandas.stored.files import File, Files
from headwater_pandas.stored.rows import of_connect
from headwater_records import questions
from headwater_records.columns import WHOLE
from headwater_records.graph import Dataset, question
from headwater_records.lists import Numbers
from headwater_records.nested.answer import Answer, Item
from headwater_records.nested.tree import Tree
from headwater_records.trace import DOUBTFUL, INFLUENCES, Trace

if TYPE_CHECKING:
    from headwater_records_spark import Origins
    from headwater_records_spark.inputs import Input

_NOT_CERTAIN: Final = "a step was not understood: not all of these records are certain"
_OWN_SESSION: Final = "ask with a session of this process, such as SparkSession.builder.master('local[2]')"
_NO_FILES: Final = "its records have no positions in files"


def origins(
    frame: Any, rows: Rows = None, columns: Columns = None, *, spark: Any, records: Sequence[str] = ()
) -> Origins:
    """The first records that these (or their values) were made of, through `toPandas` and all captured jobs of Spark.

    ``spark`` is a session, which reads what the jobs have kept in the folders ``records``. Records are named by file
    and position in it, from 1; what decided and is not in them influences. ``unknown`` says by file or source why it
    is not known what its records were made of.
    """
    from headwater_records_spark import UntraceableError, continued  # noqa: PLC0415 - loads PySpark

    if of_connect(spark):
        raise UntraceableError("a client of Spark Connect", hint=_OWN_SESSION)
    with alone(), question():
        dataset, cells = asked_of(frame, rows, columns)
        trace = questions.contributing(dataset, cells, influences=True)
        found = _Found(spark, trace)
    return continued(
        spark,
        found.answer,
        found.files,
        counts=found.counts,
        unknown=found.unknown,
        records=records,
        collected=found.collected,
    )


class _Found:
    """The records of sources by file and position, with what the files were."""

    def __init__(self, spark: Any, trace: Trace) -> None:
        steps = questions.steps_of(trace)
        self._address = spark._jvm.org.apache.hadoop.fs.Path
        self.answer = Answer({number: each.step for number, each in enumerate(steps, 1) if each.made_of})
        self.files: dict[str, tuple[int, int]] = {}
        self.counts: dict[str, int] = {}
        self.unknown: dict[str, str] = {}
        self.collected: list[tuple[Answer, Sequence[Input]]] = []
        for each in steps:
            if isinstance(each.files, rows_of_spark.Rows):
                self._ask(each, each.files, trace)
            elif not each.made_of:
                self._add(
                    each, trace, each.files if isinstance(each.files, tuple) else str(each.files or _NO_FILES)
                )

    def _ask(self, source: Dataset, rows: rows_of_spark.Rows, trace: Trace) -> None:
        """Go on into Spark, or leave the rows as what nothing more is known of."""
        asked = self._trees(source, trace)
        if not asked:
            return
        try:
            answer, inputs, doubt = rows_of_spark.made_of(rows, asked)
        except Exception as problem:  # noqa: BLE001 - Spark has many, as of a session that was stopped
            self._add(source, trace, rows_of_spark.reason(problem))
            return
        self.collected.append((answer, inputs))
        if doubt:
            self.unknown.setdefault(source.step, doubt)

    def _add(self, source: Dataset, trace: Trace, files: Files) -> None:
        if isinstance(files, str):
            self.unknown[source.step] = files
        trees = self._trees(source, trace)
        places = self._places(source.step, files, np.array(list(trees), np.int64))
        for place, tree in zip(places, trees.values(), strict=True):
            self.answer.found.setdefault((source.step, place), Item(source.step, place)).tree.unite(tree)

    def _trees(self, source: Dataset, trace: Trace) -> dict[int, Tree]:
        """By position what was found of each record."""
        trees: dict[int, Tree] = {}
        for role, column, rows in questions.found_at(source, trace):
            if role & DOUBTFUL:
                self.unknown.setdefault(source.step, _NOT_CERTAIN)
            found, contributes = Tree(), not role & INFLUENCES
            if column == WHOLE:
                found.bind(contributes=contributes)
            for each in range(len(source.columns)) if column == WHOLE else [column]:
                if isinstance(source.files, rows_of_spark.Rows) and each >= source.files.width:
                    found.bind(contributes=False)  # the place that the record had in that run
                else:
                    found.at((str(source.columns[each]),)).bind(contributes=contributes)
            for row in rows.tolist():
                trees.setdefault(row, Tree()).unite(found)
        return trees

    def _places(self, source: str, files: Files, rows: Numbers) -> Iterator[tuple[str, int]]:
        if isinstance(files, str):
            yield from ((source, int(row) + 1) for row in rows)
            return
        ends = np.cumsum([each.records for each in files])
        numbers = np.searchsorted(ends, rows, side="right")
        names = {number: self._name(files[number]) for number in set(numbers.tolist())}
        for number, row in zip(numbers.tolist(), rows.tolist(), strict=True):
            yield names[number], row - int(ends[number]) + files[number].records + 1

    def _name(self, file: File) -> str:
        """The file as Spark's rows name it."""
        self.files[file.path] = file.size, file.changed
        self.counts[file.path] = file.records
        name = str(self._address(file.path).toUri().toString())
        if file.unknown:
            self.unknown[name] = file.unknown
        return name
