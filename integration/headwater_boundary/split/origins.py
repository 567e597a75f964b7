"""Which path of a source an attribute is, unchanged: nothing else keeps what is known of the path."""

from __future__ import annotations

from typing import Any

from headwater_boundary.split.rowsets import RowSet, id_of
from headwater_boundary.split.text import unaliased
from headwater_records_spark.jvm import kind, listed, output

Origin = tuple[str, tuple[str, ...]]
"""A dataset's name and a path in it."""
PASSING = {"Filter", "Sort", "Window", "Generate", "Join", "LocalLimit", "GlobalLimit", "Offset"}


class Origins:
    """The origin of each attribute that is a path of a source as it was read."""

    def __init__(self) -> None:
        self._of: dict[tuple[int, int], Origin] = {}

    def of(self, rows: RowSet, attribute: int) -> Origin | None:
        """The path that an attribute of the row set is."""
        return self._of.get((rows.number, attribute))

    def of_expression(self, rows: RowSet, expression: Any) -> Origin | None:
        """The path that an expression over the row set is."""
        e = unaliased(expression)
        if kind(e) == "AttributeReference":
            return self.of(rows, id_of(e))
        if kind(e) == "GetStructField":
            below = self.of_expression(rows, e.child())
            name = e.child().dataType().fields()[e.ordinal()].name()
            return None if below is None else (below[0], (*below[1], str(name)))
        return None

    def add_source(self, rows: RowSet, dataset: str) -> None:
        for attribute, name in zip(rows.ids, rows.names, strict=True):
            self._of[rows.number, attribute] = dataset, (name,)

    def add(self, rows: RowSet) -> None:
        """What the row set's attributes are, from its inputs'."""
        for attribute, origin in self._found(rows):
            if origin is not None:
                self._of[rows.number, attribute] = origin

    def _found(self, rows: RowSet) -> Any:
        if rows.kind == "Same":
            yield from zip(rows.ids, [self.of(rows.inputs[0], i) for i in rows.inputs[0].ids], strict=True)
        elif rows.kind in PASSING:
            for each in rows.ids:
                known = (self.of(below, each) for below in rows.inputs if each in below.ids)
                yield each, next(known, None)
        elif rows.kind in {"Project", "Aggregate"}:
            field = "projectList" if rows.kind == "Project" else "aggregateExpressions"
            for each, defined in zip(output(rows.node), listed(getattr(rows.node, field)()), strict=True):
                yield id_of(each), self.of_expression(rows.inputs[0], defined)
