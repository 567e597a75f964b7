"""The id of each record on the way, made of the ids of what it was made of, and one table for each operator.

An id has a fixed size, whatever a record was made of: the id of the record before, with a position where one record
becomes several; a pair for a join; for a group the least of its members' ids, as no record is in two groups of one
operator. It is unique in the operator, follows from the sources, and is the same whenever it is computed.

| operator | id | table |
|---|---|---|
| read | (file, row) | none |
| select, sort | the input's | none: all records stay |
| filter, limit and their like | the input's | ids of those that stay |
| flatten, grouping sets | (the input's, number) | ids |
| join | (left's or null, right's or null) | ids |
| union | (input's number, one id for each input) | ids |
| semi and existence joins | the left's | ids, and the right ids of each |
| group | (the least member's) | ids, and members with marks |
| window | the own record's | ids, and the members of each frame |

A table is kept where it says more than the ids of what comes after the operator: of members, or of records that do not
reach the output. Where nothing has members, the derivations of the output's records say it all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from headwater_records.nested.steps import (
    Flatten,
    Group,
    Join,
    Matched,
    Operator,
    Read,
    Same,
    Select,
    Union,
    Variants,
    Window,
    inputs_of,
    steps_of,
)

MEMBERS = (Group, Window, Matched)
"""The steps of which a record has members, in lists of any length."""


def id_of(step: Operator, made_of: Column) -> Column:
    """The id of a record of a step with this derivation; NULL of none."""
    match step:
        case Read():
            return made_of
        case Same() | Select():
            return id_of(step.input, made_of)
        case Matched():
            return id_of(step.left, made_of.getField("l"))
        case Window():
            return id_of(step.input, made_of.getField("o"))
        case Flatten() | Variants():
            own = [id_of(step.input, made_of.getField("c")).alias("c"), made_of.getField("n").alias("n")]
        case Join():
            left = id_of(step.left, made_of.getField("l")).alias("l")
            own = [left, id_of(step.right, made_of.getField("r")).alias("r")]
        case Union():
            own = [made_of.getField("b").alias("b")]
            for number, each in enumerate(step.inputs):
                own.append(id_of(each, made_of.getField(f"c{number}")).alias(f"c{number}"))
        case Group():
            ids = F.transform(made_of.getField("m"), lambda each: id_of(step.input, each.getField("m")))
            own = [F.array_min(ids).alias("g")]
    return F.when(made_of.isNotNull(), F.struct(*own))


def has_table(step: Operator) -> bool:
    """Whether the operator has records that its inputs do not tell."""
    return not (isinstance(step, Read | Select) or (isinstance(step, Same) and step.kind == "sort"))


def passes_all(step: Operator) -> bool:
    """Whether every record of the inputs is in what the operator gives, as a record or as a member of one."""
    return isinstance(step, Union | Group | Window | Variants) or not has_table(step)


def passes_once(step: Operator) -> bool:
    """Whether no record of the inputs is in two of what the operator gives."""
    return isinstance(step, Same | Select | Union | Group)


def is_plain(step: Operator) -> bool:
    """Whether an id is the derivation itself: no record up to here has members."""
    return not any(isinstance(each, MEMBERS) for each in steps_of(step))


def tables_kept(step: Operator, every: bool = True) -> set[int]:
    """The numbers of the operators whose tables do not follow from those of what comes after them.

    Of those that do, ``every`` record reaches the output, and none has members.
    """
    follows = every and not isinstance(step, MEMBERS)
    kept = {step.number} if has_table(step) and not follows else set()
    for each in inputs_of(step):
        kept |= tables_kept(each, every and passes_all(step))
    return kept


def row_of(step: Operator, made_of: Column, marks: list[str]) -> list[Column]:
    """The columns of the operator's table: ``out``, and what an id does not tell; ``marks`` are those of members."""
    out = id_of(step, made_of).alias("out")
    match step:
        case Matched():
            found = F.transform(made_of.getField("r"), lambda each: id_of(step.right, each))
            return [out, F.array_sort(found).alias("r")]
        case Group():
            members = F.transform(
                made_of.getField("m"),
                lambda each: F.struct(
                    id_of(step.input, each.getField("m")).alias("m"), *[each.getField(name) for name in marks]
                ),
            )
            ordered = any(each.collects for each in step.aggregates)
            return [out, (members if ordered else F.array_sort(members)).alias("m")]
        case Window():
            return [out, *[_frame(step, made_of, number) for number in frames(step)]]
        case _:
            return [out]


def _frame(step: Window, made_of: Column, number: int) -> Column:
    members = F.transform(made_of.getField(f"f{number}"), lambda each: id_of(step.input, each))
    return F.array_sort(members).alias(f"f{number}")


def frames(step: Window) -> list[int]:
    """The numbers of a window's frames."""
    return sorted({column.frame for column in step.columns})


def below(step: Operator, made_of: DataFrame) -> Iterator[tuple[Operator, DataFrame]]:
    """The derivations of the input's records in those of a step: frames of one column, ``d``."""
    d = F.col("d")

    def of(value: Column) -> DataFrame:
        return made_of.select(value.alias("d")).where("d IS NOT NULL")

    match step:
        case Read():
            return
        case Same() | Select():
            yield step.input, made_of
        case Flatten() | Variants():
            yield step.input, of(d.getField("c"))
        case Join():
            yield step.left, of(d.getField("l"))
            yield step.right, of(d.getField("r"))
        case Matched():
            yield step.left, of(d.getField("l"))
            yield step.right, of(F.explode(d.getField("r")))
        case Union():
            for number, each in enumerate(step.inputs):
                yield each, of(d.getField(f"c{number}"))
        case Group():
            yield step.input, of(F.explode(d.getField("m").getField("m")))
        case Window():
            parts = [of(d.getField("o")), *[of(F.explode(d.getField(f"f{n}"))) for n in frames(step)]]
            whole = parts[0]
            for each in parts[1:]:
                whole = whole.unionAll(each)
            yield step.input, whole


def inside(step: Operator, out: Column) -> list[list[Column]]:
    """For each input of an operator the id of its record in the operator's own id; none if that does not tell it."""
    match step:
        case Same() | Select() | Window():
            return [[out]]
        case Flatten() | Variants():
            return [[out.getField("c")]]
        case Join():
            return [[out.getField("l")], [out.getField("r")]]
        case Union():
            return [[out.getField(f"c{number}")] for number in range(len(step.inputs))]
        case Matched():
            return [[out], []]
        case _:
            return [[]]


def members(step: Operator, number: int, named: Callable[[str], Column] = F.col) -> list[Column]:
    """The lists of ids of an input's records: columns of an operator's table, or what has their names elsewhere."""
    match step:
        case Group():
            return [named("m").getField("m")]
        case Matched() if number == 1:
            return [named("r")]
        case Window():
            return [named(f"f{frame}") for frame in frames(step)]
        case _:
            return []
