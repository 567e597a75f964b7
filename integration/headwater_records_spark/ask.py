"""Which records made these values: asked of a data frame of which nothing was captured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, TypeVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from headwater_records.nested.answer import Answer, trace_back
from headwater_records.nested.pattern_text import parse_pattern
from headwater_records.nested.patterns import Pattern, paths_tree, read_path
from headwater_records.nested.steps import Operator
from headwater_records.nested.tree import Tree, whole_record
from headwater_records_spark.context import NO_VERSIONS
from headwater_records_spark.errors import UnrepeatableError
from headwater_records_spark.inputs import inputs_of, unchanged
from headwater_records_spark.places import Places, named, places_of
from headwater_records_spark.rebuild import Rebuilt
from headwater_records_spark.values import condition, fields, plain, pushed

Question: TypeAlias = Pattern | str | None
"""A pattern, as objects or as text."""
Where: TypeAlias = Any
"""A condition over the frame's columns, a column or text as in ``DataFrame.filter``, or None."""
Found = TypeVar("Found")


def why(
    frame: DataFrame,
    pattern: Question = None,
    *,
    where: Where = None,
    paths: Sequence[str] = (),
    check: bool = True,
) -> Answer:
    """The records, with their paths, that the values were made of.

    ``pattern`` asks for what it matches; ``where`` for whole rows, or with ``paths`` (``tweets[2].text``) for these of
    them. ``check`` runs the plan without identifiers as well where another run may give other rows, and raises an
    UnrepeatableError if it did; an UntraceableError names an operator that has no rule. A file that changed since the
    frame was made is a ChangedInputError.
    """
    asked = asked_of(frame, pattern, where, paths)
    return answered(asked, frame, lambda: asked.narrow(frame).collect(), check=check, then=Traced.whole)


@dataclass(frozen=True, slots=True)
class Traced:
    """The rows that are asked about: the derivation of each, and what is asked of it."""

    step: Operator
    columns: Sequence[tuple[str, str]]
    rows: Sequence[tuple[Any, Tree]]
    places: Callable[[str], Places]

    def whole(self) -> Answer:
        """What they all were made of."""
        return self._of(self.rows)

    def each(self) -> list[Answer]:
        """What each of them was made of."""
        return [self._of([row]) for row in self.rows]

    def _of(self, rows: Sequence[tuple[Any, Tree]]) -> Answer:
        return named(trace_back(self.step, self.columns, rows), self.places)


def answered(
    asked: Asked,
    frame: DataFrame,
    rows_now: Callable[[], list[Any]],
    *,
    check: bool,
    always: bool = False,
    versions: Mapping[str, str] = NO_VERSIONS,
    then: Callable[[Traced], Found],
) -> Found:
    """What follows of the rows that are asked about; ``rows_now`` are those rows, which they have to be.

    They are compared if the plan may give other rows when it runs again, or ``always``.
    Tables with versions are read at those of ``versions``, by their roots, else at the newest.
    """
    rebuilt = Rebuilt(frame, versions=versions, once=True)
    with unchanged(rebuilt.jvm, inputs_of(rebuilt.jvm, rebuilt.plan)):
        rows = asked.narrow(rebuilt.frame).collect()
        if check and (rebuilt.ordered or always):
            _check(rebuilt, rows, rows_now())
        places = cache(lambda source: places_of(rebuilt.jvm, rebuilt.sources[source]))
        return then(Traced(rebuilt.step, rebuilt.columns, list(asked.bound(rows)), places))


class Asked:
    """What is asked of the rows of a frame."""

    def __init__(self, schema: Any, pattern: Pattern | None, where: Column | None, tree: Tree) -> None:
        self.schema = schema
        self.pattern = pattern
        self.where = where
        self.tree = tree

    def narrow(self, frame: DataFrame) -> DataFrame:
        """The rows that are asked about."""
        if self.where is not None:
            frame = frame.filter(self.where)
        if self.pattern is not None:
            frame = frame.filter(pushed(self.pattern, self.schema) & condition(self.pattern, self.schema))
        return frame

    def bound(self, rows: Iterable[Any]) -> Iterable[tuple[Any, Tree]]:
        """The derivation of each row with the paths that are asked of it; the derivation is the last value."""
        for row in rows:
            if self.pattern is None:
                yield row[-1], self.tree
                continue
            tree = self.pattern.match(_values(row[:-1], row.__fields__))
            if tree is not None:
                tree.unite(self.tree)
                yield row[-1], tree


def asked_of(frame: DataFrame, pattern: Question, where: Where, paths: Sequence[str]) -> Asked:
    """The question, checked against the frame's schema."""
    parsed = parse_pattern(pattern) if isinstance(pattern, str) else pattern
    if parsed is not None:
        parsed.check(fields(frame.schema) or {})
    tree = paths_tree([read_path(each) for each in paths])
    if parsed is None and not paths:
        tree = whole_record()
        for each in frame.schema.names:
            tree.at((each,)).bind(contributes=True)
    return Asked(frame.schema, parsed, F.expr(where) if isinstance(where, str) else where, tree)


def made_of_whole(step: Operator, columns: Sequence[tuple[str, str]], derivation: Any) -> Answer:
    """What a record as a whole was made of, by internal ids."""
    asked = whole_record()
    for name, _ in columns:
        asked.at((name,)).bind(contributes=True)
    return trace_back(step, columns, [(derivation, asked)])


def _check(rebuilt: Rebuilt, rows: list[Any], wanted: list[Any]) -> None:
    """Compare with the rows that are asked about, regardless of order."""
    found = sorted(repr(plain(row)) for row in wanted)
    again = sorted(repr(_values(row[:-1], row.__fields__)) for row in rows)
    if found != again:
        reasons = ", ".join(sorted(rebuilt.ordered)) or "inputs that were not compared"
        raise UnrepeatableError(f"with identifiers the plan gives other rows: it has {reasons}")


def _values(values: Iterable[Any], names: Iterable[str]) -> dict[str, Any]:
    """Values by name, as dicts, without the derivation, which is large and comes last."""
    return {name: plain(each) for name, each in zip(names, values, strict=False)}
