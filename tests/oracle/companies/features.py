"""The features of companies, by which a company can be made of some of them alone."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Feature(str, Enum):
    """Something that jobs of a company may do; ``BASIC`` is everything that is no feature of its own."""

    BASIC = "basic"
    OTHER_READER = "a file is read by another reader than that of its format, or by a schema without names"
    ONE_OF_GROUP = "an aggregate function gives values of single records"
    NO_OPERATION = "a masking function is called so that it changes nothing"
    DECISION = "a branch writes a constant for a value"
    LOOKUP = "a map or a joined table gives a constant for a value"
    FILTER = "rows are filtered to one value, and the value is written as a constant"
    PACKED = "values are taken out of a JSON text that they were packed in"
    NOTATIONS = "values are taken out of CSV, XML or a text of places that they were packed in"
    NAMES = "a value becomes the name of a folder, and is read back from it"
    FOLDER = "one folder of a partitioned dataset is read"
    SNAPSHOT = "what was read outlives its source"
    SELF_OVERWRITE = "a job overwrites what it reads"
    IGNORED = "a write to what exists already is ignored"
    APPEND = "rows are appended"
    UDF = "a Python function is applied"
    DRIVER = "the program reads files by itself, collects rows, or is shown them, and makes a table of that"
    COPY = "files are copied, moved or converted outside Spark"
    OTHERS = "others store rows, without Spark, where jobs append"
    LAKES = "tables that others share are some of Delta and Iceberg, for lines that have them"


ALL: Final = frozenset(Feature) - {Feature.LAKES}
"""All that every line can execute."""
