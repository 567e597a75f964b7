"""The other direction: which rows of a frame some records reached, and which operator dropped them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from headwater_records.nested.forward import became as values_of
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
    title_of,
)
from headwater_records.nested.tree import Found, Tree
from headwater_records_spark.context import NO_VERSIONS
from headwater_records_spark.errors import UnrepeatableError
from headwater_records_spark.inputs import check as check_inputs
from headwater_records_spark.inputs import inputs_of as what_is_read
from headwater_records_spark.places import Id
from headwater_records_spark.rebuild import Rebuilt
from headwater_records_spark.replay import Records, by_source, check_sources, internal_ids, is_one_of
from headwater_records_spark.values import plain, same_rows

Ids: TypeAlias = dict[str, list[tuple[int, int]]]


def forward(frame: DataFrame, records: Records, *, check: bool = True) -> DataFrame:
    """The rows of the frame that were made of one of these records, as a frame.

    If the plan may give other rows when it runs again, they are compared, as in ``why``, unless ``check`` is False: an
    UnrepeatableError says that the answer would be about other rows. Tables with versions are read at the newest.
    """
    rebuilt, ids = _asked(frame, records, check=check)
    reached = rebuilt.frame.filter(reaches(rebuilt.step, F.col(rebuilt.made_of), ids))
    return reached.drop(rebuilt.made_of)


@dataclass(frozen=True, slots=True)
class Became:
    """A row that was made of records, as dicts and lists.

    ``tree`` has the paths in it that they made or decided about, and ``place`` the file and position, from 1, of a row
    that was written.
    """

    row: dict[str, Any]
    tree: Tree
    place: Id | None = None

    @property
    def paths(self) -> list[Found]:
        """These paths, in order; one ``contributes`` if values of the records are in it, or it was computed of them."""
        return list(self.tree.found())


def became(
    frame: DataFrame,
    records: Records,
    *,
    limit: int | None = None,
    check: bool = True,
) -> list[Became]:
    """What these records became: the rows of the frame that were made of them, at most ``limit``, and which values.

    They are compared, and tables are read, as in ``forward``.
    """
    rebuilt, ids = _asked(frame, records, check=check)
    rows = rebuilt.frame.filter(reaches(rebuilt.step, F.col(rebuilt.made_of), ids))
    found = (rows if limit is None else rows.limit(limit)).collect()
    values = [{name: plain(each) for name, each in zip(frame.columns, row, strict=False)} for row in found]
    each_row = [(row[-1], of_row, None) for row, of_row in zip(found, values, strict=True)]
    return each_became(rebuilt.step, rebuilt.columns, each_row, ids)


def each_became(
    step: Operator,
    columns: Sequence[tuple[str, str]],
    rows: Iterable[tuple[Any, dict[str, Any], Id | None]],
    ids: Ids,
) -> list[Became]:
    """What records with these internal ids became in rows: of each its derivation, values, and place or None."""
    known = {name: set(each) for name, each in ids.items()}

    def is_asked(source: str, identity: Id) -> bool:
        return (identity[0], identity[1]) in known.get(source, ())

    return [
        Became(values, values_of(step, columns, (made_of, values), is_asked), place)
        for made_of, values, place in rows
    ]


def why_not(
    frame: DataFrame,
    records: Records,
    *,
    check: bool = True,
    versions: Mapping[str, str] = NO_VERSIONS,
) -> list[tuple[int, str]]:
    """The operators, by number and title, after which nothing is left that was made of these records.

    It is empty if they reached the result. A source that is read in several places may be dropped in several. Rows
    are compared as in ``forward``. Tables with versions are read at those of ``versions``, by their roots, else at the
    newest.
    """
    rebuilt, ids = _asked(frame, records, check=check, versions=versions)
    if not rebuilt.frame.filter(reaches(rebuilt.step, F.col(rebuilt.made_of), ids)).isEmpty():
        return []
    left: dict[int, bool] = {}
    steps: dict[int, Operator] = {}
    on_the_way = {step.number for step in steps_of(rebuilt.step)}
    for built in (each for each in rebuilt.by_number().values() if each.step.number in on_the_way):
        rows = rebuilt.jvm.frame(built.plan).filter(
            reaches(built.step, rebuilt.jvm.column(built.made_of), ids)
        )
        here = not rows.isEmpty()
        left[built.step.number] = here
        steps[built.step.number] = built.step
    return [
        (number, title_of(step))
        for number, step in sorted(steps.items())
        if not left[number] and any(left.get(each.number, False) for each in inputs_of(step))
    ]


def _asked(
    frame: DataFrame, records: Records, *, check: bool, versions: Mapping[str, str] = NO_VERSIONS
) -> tuple[Rebuilt, Ids]:
    """The plan again, and the internal ids of these records in it."""
    rebuilt = Rebuilt(frame, versions=versions)
    check_inputs(rebuilt.jvm, what_is_read(rebuilt.jvm, rebuilt.plan))
    ids = asked_ids(rebuilt, records)
    if check and rebuilt.ordered and not same_rows(frame, rebuilt.frame.drop(rebuilt.made_of)):
        raise UnrepeatableError(
            f"with identifiers the plan gives other rows: it has {', '.join(sorted(rebuilt.ordered))}"
        )
    return rebuilt, ids


def asked_ids(rebuilt: Rebuilt, records: Records) -> Ids:
    """The ids that these records have in derivations, by source; a LookupError if there is no such source."""
    given = by_source(records)
    check_sources(rebuilt, given)
    return internal_ids(rebuilt, given)


def reaches(step: Operator, made_of: Column, ids: Ids) -> Column:
    """Whether a row with this derivation was made of one of the records."""
    return F.coalesce(_reaches(step, made_of, ids), F.lit(False))


def _reaches(step: Operator, made_of: Column, ids: Ids) -> Column:
    match step:
        case Read():
            return is_one_of(made_of, ids.get(step.name, []))
        case Same() | Select():
            return reaches(step.input, made_of, ids)
        case Flatten() | Variants():
            return reaches(step.input, made_of.getField("c"), ids)
        case Join():
            left = reaches(step.left, made_of.getField("l"), ids)
            return left | reaches(step.right, made_of.getField("r"), ids)
        case Matched():
            left = reaches(step.left, made_of.getField("l"), ids)
            return left | _any(step.right, made_of.getField("r"), ids)
        case Union():
            found = F.lit(False)
            for number, each in enumerate(step.inputs):
                found |= reaches(each, made_of.getField(f"c{number}"), ids)
            return found
        case Group():
            return F.exists(made_of.getField("m"), lambda each: reaches(step.input, each.getField("m"), ids))
        case Window():
            return _any(step.input, _own_and_framed(step, made_of), ids)


def _own_and_framed(step: Window, made_of: Column) -> Column:
    """The derivations of a row before a window and of the members of its frames, in one list.

    An expression over the list stands once for each window; over the row and each frame apart, it would double with
    every window below.
    """
    frames = [made_of.getField(f"f{number}") for number in sorted({each.frame for each in step.columns})]
    return F.flatten(F.array_compact(F.array(F.array(made_of.getField("o")), *frames)))


def _any(step: Operator, made_of: Column, ids: Ids) -> Column:
    return F.coalesce(F.exists(made_of, lambda each: reaches(step, each, ids)), F.lit(False))


def sources_of(step: Operator, made_of: Column) -> dict[str, Column]:
    """By source the ids of its records that a row with this derivation was made of: a list, or NULL."""
    match step:
        case Read():
            return {step.name: F.when(made_of.isNotNull(), F.array(made_of))}
        case Same() | Select():
            return sources_of(step.input, made_of)
        case Flatten() | Variants():
            return sources_of(step.input, made_of.getField("c"))
        case Join():
            left = sources_of(step.left, made_of.getField("l"))
            return _both(left, sources_of(step.right, made_of.getField("r")))
        case Matched():
            left = sources_of(step.left, made_of.getField("l"))
            return _both(left, _of_members(step.right, made_of.getField("r")))
        case Union():
            found: dict[str, Column] = {}
            for number, each in enumerate(step.inputs):
                found = _both(found, sources_of(each, made_of.getField(f"c{number}")))
            return found
        case Group():
            members = F.transform(made_of.getField("m"), lambda each: each.getField("m"))
            return _of_members(step.input, members)
        case Window():
            return _of_members(step.input, _own_and_framed(step, made_of))


def _both(some: dict[str, Column], more: dict[str, Column]) -> dict[str, Column]:
    lists = {name: [each[name] for each in (some, more) if name in each] for name in {**some, **more}}
    return {name: F.flatten(F.array_compact(F.array(*each))) for name, each in lists.items()}


def _of_members(step: Operator, members: Column) -> dict[str, Column]:
    """The same of all members of a list."""

    def of(source: str) -> Column:
        return F.flatten(F.array_compact(F.transform(members, lambda each: sources_of(step, each)[source])))

    return {each.name: of(each.name) for each in steps_of(step) if isinstance(each, Read)}
