"""Functions of Python over frames of rows, of which only their input says what each row of the result is made of.

The function runs inside another one, which takes the derivations off its argument and puts beside its result which
input that was, and a number. The list of the members stands in one more row: it is joined to those rows that are asked
about, as each of them would else carry all of it. The driver does not read the function: what was pickled is only
unpickled where Spark would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType, StructType

from headwater_records_spark.context import Built, Context
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.jvm import LOGICAL, kind, output
from headwater_records_spark.operators.groups import list_of
from headwater_records_spark.operators.joins import joined_by

MAP_IN_PANDAS, MAP_IN_ARROW = 205, 207
GROUPS_IN_PANDAS, GROUPS_IN_ARROW = 201, 209
COGROUPS_IN_PANDAS, COGROUPS_IN_ARROW = 206, 210
"""Kinds of functions; those of groups that take iterators of them are others."""
IN_ARROW = {MAP_IN_ARROW, GROUPS_IN_ARROW, COGROUPS_IN_ARROW}
OTHER_INPUT = "a function of Python was given other rows when the plan ran again"
NO_MEMBERS = "none"
"""The name of an input without rows."""
Put = Callable[[Any, Any], Any]
"""Makes the operator, of the call of the function and the sequence of columns that it gives."""


@dataclass(frozen=True, slots=True)
class Called:
    """What a function gives: ``rows``, each with the lists of its members (as ``texts``) and its ``number``.

    ``lists`` has a row for each of the inputs that the function gave rows for, with the lists under ``of_lists``.
    """

    rows: Any
    number: Any
    texts: list[Any]
    lists: Any
    of_lists: list[Any]


def function_of(plan: Any, function: Any, evaluated: Sequence[int]) -> Any:
    """The function of a plan, if it can be run inside another one."""
    if function.evalType() not in evaluated or not function.func().broadcastVars().isEmpty():
        reason = "only functions of frames, without broadcast variables, are run again"
        raise UntraceableError(kind(plan), reason)
    return function


def with_members(context: Context, built: Built, columns: list[Any]) -> Any:
    """The input with the derivation of each row as a text behind its columns."""
    member = F.to_json(F.struct(context.column(built.made_of).alias("m"))).alias(context.name())
    return context.jvm.select(built.plan, columns, member)


def members(context: Context, built: Built, text: Any) -> Column:
    """The list of members of an input out of its text."""
    return F.from_json(context.column(text), list_of(context, built, []))


def called(
    context: Context, wanted: list[Any], function: Any, passed: list[Any], put: Put, *, inputs: int = 1
) -> Called:
    """The rows that the function gives for the columns that are ``passed`` to it."""
    jvm = context.jvm
    names = [context.name() for _ in range(2 + inputs)]
    schema = jvm.frame(jvm.one(LOGICAL + "LocalRelation").apply(jvm.seq(wanted))).schema
    returned = StructType([*schema.fields]).add(names[0], StringType()).add(names[1], IntegerType())
    for name in names[2:]:
        returned.add(name, StringType())
    around = _around(_pickled(context, function), schema.names, names, function.evalType())
    call = F.pandas_udf(around, returned, function.evalType())(*map(context.column, passed))
    given = jvm.one(LOGICAL + "LocalRelation").apply(jvm.seq(passed))
    added = [
        jvm.expression(given, F.lit(0 if name == names[1] else "").alias(name)).toAttribute()
        for name in names
    ]
    made = put(jvm.expression(given, call.alias("x")).child(), jvm.seq([*wanted, *added]))
    return _joined(context, made, added)


def note(context: Context, found: Called, step: Any, value: Column) -> None:
    """A step below the rows, which has a record for each list with this derivation."""
    name = context.name()
    inner = context.jvm.over(
        found.lists, lambda frame: frame.filter(value.isNotNull()).select(value.alias(name))
    )
    context.built.append(Built(inner, output(inner)[-1], step, ()))


def _joined(context: Context, made: Any, added: list[Any]) -> Called:
    """The rows with the lists that belong to them: an error, if those of another run are not the same.

    Inputs are known by their members, which are in no other input. Several may have none.
    """
    jvm = context.jvm
    key, number, *texts = (context.column(each) for each in added)
    rows = jvm.over(made, lambda frame: frame.filter(number > 0))
    other = [context.name() for _ in added[1:]]
    given = (key, *texts)
    lists = jvm.over(
        made,
        lambda frame: frame.filter(number == 0).select(
            *[each.alias(name) for each, name in zip(given, other, strict=True)]
        ),
    )
    of_lists = output(lists)
    one_each = jvm.over(lists, lambda frame: frame.filter(context.column(of_lists[0]) != NO_MEMBERS))
    whole = joined_by(jvm, rows, one_each, "LeftOuter", key == context.column(of_lists[0]))
    failed = F.raise_error(F.lit(OTHER_INPUT))
    found = [
        F.when(key == NO_MEMBERS, "[]")
        .when(context.column(each).isNull(), failed)
        .otherwise(context.column(each))
        .alias(context.name())
        for each in of_lists[1:]
    ]
    kept = jvm.select(whole, output(rows), *found)
    return Called(kept, added[1], output(kept)[-len(found) :], lists, of_lists[1:])


def _pickled(context: Context, function: Any) -> bytes:
    tag = context.jvm.one("scala.reflect.ClassTag").Byte()
    return bytes(function.func().command().toArray(tag))


def _around(command: bytes, columns: list[str], added: list[str], evaluated: int) -> Callable[..., Any]:
    """The function of Python that stands in the place of the pickled one.

    What is in here is pickled as a whole, as this package need not be where it runs.
    """
    split, beside, last, both = (_of_arrow if evaluated in IN_ARROW else _of_pandas)(columns, added)

    def described(*lists: Any) -> Any:
        """A name for these members, whatever their order, and a text for each list."""
        import hashlib  # noqa: PLC0415 - where it runs

        every = "\n".join(sorted(text for texts in lists for text in texts))
        key = hashlib.sha256(every.encode()).hexdigest() if every else NO_MEMBERS
        return key, ["[" + ",".join(each) + "]" for each in lists]

    def loaded() -> Any:
        from pyspark import cloudpickle  # noqa: PLC0415 - where it runs

        return cloudpickle.loads(command)[0]

    def of_groups(group: Any, *given: Any) -> Any:
        import inspect  # noqa: PLC0415 - where it runs

        function = loaded()
        frames, lists = zip(*map(split, given), strict=True)
        takes_key = len(inspect.getfullargspec(function).args) == len(frames) + 1
        result = function(group, *frames) if takes_key else function(*frames)
        if not len(result):
            return beside(result, "", [], [""] * len(lists)) if result.shape[1] else result
        key, texts = described(*lists)
        rows = beside(result, key, range(1, len(result) + 1), [""] * len(lists))
        return both(rows, beside(last(result), key, [0], texts))

    def of_partition(parts: Any) -> Any:
        given = [split(each) for each in parts]
        key, texts = described([text for _, own in given for text in own])
        number, end = 0, None
        for result in loaded()(frame for frame, _ in given):
            if len(result):
                yield beside(result, key, range(number + 1, number + len(result) + 1), [""])
                number, end = number + len(result), last(result)
        if end is not None:
            yield beside(end, key, [0], texts)

    def of_one(group: Any, rows: Any) -> Any:
        return of_groups(group, rows)

    def of_two(group: Any, left: Any, right: Any) -> Any:
        return of_groups(group, left, right)

    if evaluated in {MAP_IN_PANDAS, MAP_IN_ARROW}:
        return of_partition
    return of_two if evaluated in {COGROUPS_IN_PANDAS, COGROUPS_IN_ARROW} else of_one


def _of_pandas(columns: list[str], added: list[str]) -> tuple[Callable[..., Any], ...]:
    """How derivations are taken off a frame, put beside one, its last row, and two frames as one."""

    def split(frame: Any) -> Any:
        return frame.iloc[:, :-1], list(frame.iloc[:, -1])

    def beside(frame: Any, key: str, numbers: Any, texts: Any) -> Any:
        if not any(isinstance(each, str) for each in frame.columns):
            frame = frame.set_axis(columns, axis=1)
        return frame.assign(**dict(zip(added, [key, list(numbers), *texts], strict=True)))

    def last(frame: Any) -> Any:
        return frame.iloc[-1:]

    def both(first: Any, second: Any) -> Any:
        import pandas as pd  # noqa: PLC0415 - where it runs

        return pd.concat([first, second], ignore_index=True)

    return split, beside, last, both


def _of_arrow(columns: list[str], added: list[str]) -> tuple[Callable[..., Any], ...]:
    """The same of Arrow's batches and tables."""
    given = len(columns)

    def split(frame: Any) -> Any:
        end = frame.num_columns - 1
        return frame.select(list(range(end))), frame.column(end).to_pylist()

    def beside(frame: Any, key: str, numbers: Any, texts: Any) -> Any:
        import pyarrow as pa  # noqa: PLC0415 - where it runs

        text, count = pa.string(), len(numbers)
        more = [pa.array([key] * count, text), pa.array(list(numbers), pa.int32())]
        more += [pa.array([each] * count, text) for each in texts]
        kept = [frame.column(place) for place in range(given)]
        return type(frame).from_arrays([*kept, *more], names=[*frame.schema.names[:given], *added])

    def last(frame: Any) -> Any:
        return frame.slice(len(frame) - 1)

    def both(first: Any, second: Any) -> Any:
        import pyarrow as pa  # noqa: PLC0415 - where it runs

        return pa.concat_tables([first, second])

    return split, beside, last, both
