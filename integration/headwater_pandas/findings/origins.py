"""The records of captured jobs of Spark that a frame was made of: from its sources on, by way of the files read.

A record of a source is one of a file, by its position. Which job wrote that file, and of what, is in the folders that
``headwater_records_spark.capture`` has filled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headwater_pandas.answers import Columns, Rows, asked_of
from headwater_pandas.observe import alone
from headwater_pandas.stored.files import File, Files
from headwater_records import questions
from headwater_records.columns import WHOLE
from headwater_records.graph import Dataset, question
from headwater_records.lists import Numbers
from headwater_records.nested.answer import Answer, Item
from headwater_records.nested.tree import Tree
from headwater_records.trace import DOUBTFUL, INFLUENCES, Trace

if TYPE_CHECKING:
    from headwater_records_spark import Origins

_NOT_CERTAIN: Final = "a step was not understood: not all of these records are certain"
_NO_FILES: Final = "its records have no positions in files"


def origins(
    frame: Any, rows: Rows = None, columns: Columns = None, *, spark: Any, records: Sequence[str]
) -> Origins:
    """The first records that these (or their values) were made of, through all jobs of Spark that were captured.

    ``spark`` is a session, which reads what the jobs have kept in the folders ``records``. Records are named by file
    and position in it, from 1; what decided and is not in them influences. ``unknown`` says by file or source why it
    is not known what its records were made of.
    """
    from headwater_records_spark import continued  # noqa: PLC0415 - loads PySpark

    with alone(), question():
        dataset, cells = asked_of(frame, rows, columns)
        trace = questions.contributing(dataset, cells, influences=True)
    found = _Found(spark, trace)
    return continued(
        spark, found.answer, found.files, counts=found.counts, unknown=found.unknown, records=records
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
        for each in steps:
            if not each.made_of:
                self._add(each, trace)

    def _add(self, source: Dataset, trace: Trace) -> None:
        files: Files = source.files if isinstance(source.files, tuple) else str(source.files or _NO_FILES)
        if isinstance(files, str):
            self.unknown[source.step] = files
        for role, column, rows in questions.found_at(source, trace):
            if role & DOUBTFUL:
                self.unknown.setdefault(source.step, _NOT_CERTAIN)
            names = source.columns if column == WHOLE else [source.columns[column]]
            for place in self._places(source.step, files, rows):
                item = self.answer.found.setdefault((source.step, place), Item(source.step, place))
                if column == WHOLE:
                    item.tree.unite(Tree(bound=True, contributes=not role & INFLUENCES))
                for name in names:
                    item.tree.at((str(name),)).bind(contributes=not role & INFLUENCES)

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
