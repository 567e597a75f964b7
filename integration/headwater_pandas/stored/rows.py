"""Rows that Spark gave to the program, and what they were made of: their frame runs again when somebody asks.

In which order rows come is that of one run alone. So they are found again by fingerprints, eight bytes for each row,
under a key of this process. Equal rows cannot be distinguished: they were made of what all of them were made of.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from headwater_records.nested.tree import Tree

if TYPE_CHECKING:
    from headwater_records.nested.answer import Answer
    from headwater_records_spark.across.collected import Collected
    from headwater_records_spark.inputs import Input

_CONNECT: Final = "a client of Spark Connect has no plan that could run again: read the files in pandas"
_CHANGED: Final = "a table that toPandas read was changed while it did"
_OTHERS: Final = "the frame gives other rows when it runs again than toPandas gave"
_ALIKE: Final = "rows of it are equal: not all of these records are certain"
_KEY: Final = secrets.token_hex(8)
_FIRST: Final = np.uint64(secrets.randbits(64))


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a frame of Spark, in their order. Values of the columns ``rounded`` may have other last digits again."""

    collected: Collected
    fingerprints: Any
    rounded: list[int]

    @property
    def width(self) -> int:
        """How many columns the frame has."""
        return len(self.collected.frame.columns)


class Found(NamedTuple):
    """What rows were made of, the inputs of their frame, and why not all of that is certain; empty if it is."""

    answer: Answer
    inputs: list[Input]
    doubt: str


Collecting: TypeAlias = Callable[[Any], Rows | str]


def collecting(frame: Any) -> Collecting:
    """To be called before a frame of Spark is collected; what it gives is to be called with what came of it.

    That gives the rows, or why it will not be known what they were made of.
    """
    if of_connect(frame):
        return lambda _: _CONNECT
    try:
        from headwater_records_spark.across.collected import collected, rounded_columns  # noqa: PLC0415 - loads PySpark

        before, rounded = collected(frame), rounded_columns(frame)
    except Exception as problem:  # noqa: BLE001 - the program is not concerned
        why = reason(problem)
        return lambda _: why

    def come(result: Any) -> Rows | str:
        try:
            same = collected(frame).tables == before.tables
            return Rows(before, fingerprints(result, rounded), rounded) if same else _CHANGED
        except Exception as problem:  # noqa: BLE001 - the program is not concerned
            return reason(problem)

    return come


def of_connect(thing: Any) -> bool:
    """Whether a frame or a session is that of a client of Spark Connect, which has neither plan nor Java."""
    return type(thing).__module__.startswith("pyspark.sql.connect")


def reason(problem: Exception) -> str:
    """Why nothing is known; what others say of errors may have values in it, and is left out."""
    known = bool(getattr(problem, "code", "")) and hasattr(problem, "hint")
    return str(problem) if known else f"Spark could not find the rows of toPandas: {type(problem).__name__}"


def fingerprints(table: Any, rounded: list[int]) -> Any:
    """A fingerprint of each row."""
    columns = {0: np.full(len(table), _FIRST)}
    for number in range(table.shape[1]):
        columns[1 + number] = _comparable(table.iloc[:, number], number in rounded)
    hashed = pd.util.hash_pandas_object(
        pd.DataFrame(columns, index=table.index, copy=False), index=False, hash_key=_KEY
    )
    return hashed.to_numpy()


def _comparable(column: Any, is_rounded: bool) -> Any:
    """A column with values that can be hashed; what is in a cell may be no more than its text."""
    if is_rounded:
        with np.errstate(over="ignore"):
            return column.to_numpy(np.float32, na_value=np.nan) + np.float32(0)
    is_text = column.dtype != object or pd.api.types.infer_dtype(column, skipna=True) in {"string", "empty"}
    return column if is_text else column.map(_text)


def _text(cell: Any) -> str:
    return str(cell.tolist() if isinstance(cell, np.ndarray) else cell)


def made_of(rows: Rows, asked: Mapping[int, Tree]) -> Found:
    """What the rows at these positions were made of, by what is asked of each. Raises RecordsErrors."""
    from headwater_records_spark import UnrepeatableError  # noqa: PLC0415 - loads PySpark
    from headwater_records_spark.across.collected import Again  # noqa: PLC0415

    again = Again(rows.collected)
    table = again.rows.toPandas()
    now, keys = fingerprints(table.iloc[:, :-1], rows.rounded), table.iloc[:, -1].to_numpy()
    if not np.array_equal(np.sort(now), np.sort(rows.fingerprints)):
        raise UnrepeatableError(_OTHERS)
    wanted: dict[int, Tree] = {}
    for row, tree in asked.items():
        wanted.setdefault(int(rows.fingerprints[row]), Tree()).unite(tree)
    by_key = _by_key(wanted, now, keys)
    counts = Counter(keys[np.isin(keys, np.array(list(by_key), np.int64))].tolist())
    alone = all(wanted[int(rows.fingerprints[row])] == tree for row, tree in asked.items())
    doubt = "" if alone and counts.total() == len(asked) else _ALIKE
    return Found(again.made_of(by_key, counts), again.inputs, doubt)


def _by_key(wanted: Mapping[int, Tree], now: Any, keys: Any) -> dict[int, Tree]:
    """By the key that rows have now what is asked of those with these fingerprints."""
    found: dict[int, Tree] = {}
    for place in np.flatnonzero(np.isin(now, np.array(list(wanted), np.uint64))).tolist():
        found.setdefault(int(keys[place]), Tree()).unite(wanted[int(now[place])])
    return found
