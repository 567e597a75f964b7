"""What a function in Java or Scala does, read from the instructions of its class file.

They are read without being executed, and nothing of them but names goes further than here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from headwater_functions.flows import reading_of
from headwater_functions.jvm.function import analyse
from headwater_functions.resolve import Form
from headwater_plan.readings import Reading, Why
from headwater_plan.types import DataType
from headwater_spark.decode.code.python import MOST_KEPT, ODD_CALL, attempted, known_or_why

ROW = "Lorg/apache/spark/sql/Row;"
"""The type of rows, as class files write it."""
NOT_SENT = Why(
    "NOT_SENT",
    "its class file is not there, has not all that it does, or is too large to be sent to the agent",
    "declare what it does",
)


def reading_of_jvm(
    function: Any, arguments: Sequence[DataType], result: DataType | None
) -> Reading | tuple[Why, ...]:
    """What was read of the function, or why it stays opaque."""
    if not isinstance(function, Mapping) or "k" not in function:
        return (NOT_SENT,)
    if result is None:
        return (ODD_CALL,)
    return known_or_why(_read(json.dumps(function, sort_keys=True), tuple(arguments), result))


@lru_cache(maxsize=MOST_KEPT)
def _read(described: str, arguments: tuple[DataType, ...], result: DataType) -> Reading | Why:
    def read_it() -> Reading:
        analysis = analyse(json.loads(described), len(arguments))
        return reading_of(analysis, arguments, result, Form.VALUES)

    return attempted(read_it)
