"""Which expressions a split can write down: those of a file, or of Spark's own examples, that it reads back."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException

from headwater_boundary.split.errors import CannotSplitError
from headwater_boundary.split.rowsets import id_of
from headwater_boundary.split.text import Texts, attributes, unaliased
from headwater_records_spark.jvm import Jvm, analysed, kind, listed
from kit.boundary_proof import session

COLUMNS = """
date'2020-01-01' d, timestamp'2020-01-01 00:00:00' ts, timestamp_ntz'2020-01-01 00:00:00' tn, interval '1' day dt,
interval '1 2:03' day to minute dm, interval '1' month ym, 1 i, 2L l, 1.5D x, cast(1.5 as decimal(10,2)) c, 'a' s,
array(1,2) a, map('k',1) m, struct(1 as u, 'v' as v) st, true t
"""
EXAMPLE = re.compile(r"> SELECT (.*?);\s*$", re.MULTILINE | re.DOTALL)


def examples(spark: Any) -> Iterator[str]:
    """What Spark's own documentation selects, of each function."""
    for (name,) in spark.sql("SHOW FUNCTIONS").collect():
        found = spark.sql(f"DESCRIBE FUNCTION EXTENDED `{name}`").collect()
        yield from EXAMPLE.findall("\n".join(row[0] for row in found))


def refused(spark: Any, expressions: Iterator[str]) -> dict[str, str]:
    """The kind of each expression over single rows that cannot be written down."""
    texts = Texts(Jvm(spark), lambda _: "function")
    found = {}
    for text in expressions:
        try:
            plan = analysed(spark.sql(f"SELECT {text} FROM (SELECT {COLUMNS})"))
        except PySparkException:
            continue  # an example of an error
        selected = listed(plan.projectList()) if kind(plan) == "Project" else []
        if len(selected) != 1:
            continue
        expression = unaliased(selected[0])
        try:
            texts.scalar(expression, {id_of(each): each.name() for each in attributes(expression)})
        except CannotSplitError as error:
            found[text] = error.operator
    return found


def main() -> None:
    """Print, as a line of JSON, what of a file, or of Spark's own examples (``examples``), cannot be written down."""
    jar, which = sys.argv[1:]
    spark = session(jar)
    lines = examples(spark) if which == "examples" else iter(Path(which).read_text("utf-8").splitlines())
    print(json.dumps(refused(spark, lines)), flush=True)


if __name__ == "__main__":
    main()
