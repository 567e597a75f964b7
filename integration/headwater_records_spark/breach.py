"""Breach by record: whose records rows were made of that have leaked, and which of their attributes are known by it.

An attribute has leaked if a value of it contributes to a leaked row, and can be inferred if it only decided about one:
who sees a row that passed `illness = 'flu'` knows the illness. Of a record without a key of a person, the
person is not known; it is counted, so that nobody is read where nobody was looked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from headwater_records.nested.answer import Answer, Item, trace_back
from headwater_records.nested.tree import text_of, whole_record
from headwater_records_spark.ask import Question, Traced, Where, answered, asked_of
from headwater_records_spark.forward import reaches
from headwater_records_spark.inputs import file_name
from headwater_records_spark.places import Id, named, places_of
from headwater_records_spark.rebuild import Rebuilt

RECORD = "(record)"
Attribute = tuple[str, str]
"""A source and a path in its records, with open positions: ``user_mentions[].id_str``."""


@dataclass(slots=True)
class Person:
    """What is known of a person by the rows that have leaked, and by how many of them.

    ``among`` is the least number of persons that one of these rows was made of: with 1, it is of this person alone.
    """

    key: Any
    rows: int = 0
    among: int = 0
    leaked: set[Attribute] = field(default_factory=set)
    inferred: set[Attribute] = field(default_factory=set)


@dataclass(slots=True)
class Breach:
    """The persons of ``rows`` leaked rows; of ``unknown`` are, by source, the records of which no person is known."""

    rows: int
    persons: list[Person]
    unknown: dict[str, int]


def breach(
    frame: DataFrame,
    pattern: Question = None,
    *,
    people: DataFrame,
    key: str,
    where: Where = None,
    paths: Sequence[str] = (),
) -> Breach:
    """The persons of rows of a frame that have leaked, which are named as in ``why``.

    Each row of the frame ``people`` has a person under ``key``, a column or a path (``user.id_str``): the records that
    it is made of are that person's.
    """
    asked = asked_of(frame, pattern, where, paths)
    each = answered(asked, frame, lambda: asked.narrow(frame).collect(), check=True, then=Traced.each)
    return of_persons(each, people, key)


def of_persons(answers: Sequence[Answer], people: DataFrame, key: str) -> Breach:
    """The persons of leaked rows, of each of which there is an answer."""
    known = _keys(people, key, [item for answer in answers for item in answer.items()])
    persons: dict[Any, Person] = {}
    unknown: dict[str, set[Id]] = {}
    for answer in answers:
        of_row: dict[Any, list[Item]] = {}
        for item in answer.items():
            keys = known.get(_place(item.id), set())
            for person in keys:
                of_row.setdefault(person, []).append(item)
            if not keys:
                unknown.setdefault(item.source, set()).add((item.id[0], item.id[1]))
        for person, items in of_row.items():
            _add(persons.setdefault(person, Person(person)), items, len(of_row))
    for each in persons.values():
        each.inferred -= each.leaked
    found = sorted(persons.values(), key=lambda each: str(each.key))
    return Breach(len(answers), found, {name: len(ids) for name, ids in sorted(unknown.items())})


def _add(person: Person, items: Iterable[Item], among: int) -> None:
    person.rows += 1
    person.among = min(among, person.among or among)
    for item in items:
        # the record as a whole is named only where nothing is known but that it is there
        for found in [each for each in item.paths if each.path] or item.paths:
            path = text_of(tuple(None if isinstance(each, int) else each for each in found.path))
            role = person.leaked if found.contributes else person.inferred
            role.add((item.source, path or RECORD))


def _keys(people: DataFrame, key: str, items: Sequence[Item]) -> Mapping[Id, set[Any]]:
    """Whose records these are, by file and position; records without a key are nobody's that is known."""
    rebuilt = Rebuilt(people.select(F.expr(key).alias("key")))
    places = {name: places_of(rebuilt.jvm, source) for name, source in rebuilt.sources.items()}
    wanted = {_place(item.id) for item in items}
    ids = {name: sorted(of.known(wanted)) for name, of in places.items()}
    reached = reaches(rebuilt.step, F.col(rebuilt.made_of), ids) & F.col("key").isNotNull()
    found: dict[Id, set[Any]] = {}
    for row in rebuilt.frame.filter(reached).collect():
        made_of = trace_back(rebuilt.step, rebuilt.columns, [(row[-1], whole_record())])
        for item in named(made_of, places.__getitem__).items():
            found.setdefault(_place(item.id), set()).add(row["key"])
    return found


def _place(given: tuple[Any, ...]) -> Id:
    return file_name(given[0]), given[1]
