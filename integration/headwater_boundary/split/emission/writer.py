"""Expressions of a row set, written over the frame that is its input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headwater_boundary.split.frames import Frame, arguments, select_text, text, unique
from headwater_boundary.split.placing import Placing, aggregates
from headwater_boundary.split.rowsets import RowSet, id_of
from headwater_boundary.split.text import Texts, alias, quoted, swapped, unaliased
from headwater_records_spark.jvm import Jvm, kind, listed, output

LITERAL = "org.apache.spark.sql.catalyst.expressions.Literal"


@dataclass(slots=True)
class Writer:
    """Writes what operators have of expressions."""

    jvm: Jvm
    placing: Placing
    texts: Texts

    def expression(self, rows: RowSet, expression: Any) -> Any:
        """The expression with columns in the places of scalar subqueries."""
        by_id = {int(each.exprId().id()): scalar for each, scalar in rows.scalars}

        def instead(e: Any) -> Any:
            if kind(e) != "ScalarSubquery":
                return None
            scalar = by_id.get(int(e.exprId().id()))
            scalar = scalar or next(
                s for each, s in rows.scalars if each.canonicalized().equals(e.canonicalized())
            )
            return output(scalar.node)[0]

        return swapped(self.jvm, expression, instead)

    def scalar(self, rows: RowSet, expression: Any, frame: Frame) -> str:
        """An expression over single rows, as SQL over the frame."""
        return self.texts.scalar(self.expression(rows, unaliased(expression)), frame.names)

    def selected(self, rows: RowSet, frame: Frame) -> tuple[Frame, list[str]]:
        """The frame with the row set's columns alone, in order."""
        columns = [frame.names[each] for each in rows.ids]
        if tuple(columns) == frame.columns and len(set(columns)) == len(columns):
            return frame, columns
        wanted: list[str] = []
        for each in columns:
            wanted.append(unique(each, wanted))
        items = [text(select_text(quoted(old), new)) for old, new in zip(columns, wanted, strict=True)]
        names = dict(zip(rows.ids, wanted, strict=True))
        return frame.then(f".selectExpr({arguments(items)})", names, wanted), wanted

    def results(
        self, rows: RowSet, frame: Frame, keys: list[Any], names: list[str], results: dict[int, str]
    ) -> Frame:
        """The aggregate's outputs, of its keys and of the values of its aggregates."""
        wanted: list[str] = []
        items: list[str] = []
        for each in listed(rows.node.aggregateExpressions()):
            made = self._result(rows, each, keys, names, results)
            name = unique(str(each.name()), wanted)
            wanted.append(name)
            items.append(text(select_text(made, name)))
        by_id = dict(zip(rows.ids, wanted, strict=True))
        return frame.then(f".selectExpr({arguments(items)})", by_id, wanted)

    def _result(
        self, rows: RowSet, result: Any, keys: list[Any], names: list[str], results: dict[int, str]
    ) -> str:
        known: dict[int, str] = {}
        pieces: dict[str, str] = {}
        e = self.expression(rows, unaliased(result))

        def instead(part: Any) -> Any:
            if kind(part) == "AggregateExpression":
                attribute = alias(
                    self.jvm, self.jvm.one(LITERAL).create(None, part.dataType()), "x"
                ).toAttribute()
                place = f"headwater_result_{len(pieces)}_"
                same = next(i for i in results if i == id_of_result(part) or _is_result(rows, part, i))
                pieces[place] = results[same]
                known[id_of(attribute)] = place
                return attribute
            for key, name in zip(keys, names, strict=True):
                if part.canonicalized().equals(key.canonicalized()):
                    attribute = alias(self.jvm, key, name).toAttribute()
                    known[id_of(attribute)] = name
                    return attribute
            return None

        whole = swapped(self.jvm, e, instead)
        made = self.texts.scalar(whole, known)
        for place, piece in pieces.items():
            inner = piece if made == place else f"({piece})"
            made = made.replace(place, inner)
        return made


def id_of_result(aggregate: Any) -> int:
    """The identity of an aggregate's value."""
    return int(aggregate.resultId().id())


def _is_result(rows: RowSet, part: Any, known: int) -> bool:
    other = next((each for each in aggregates(rows) if id_of_result(each) == known), None)
    return other is not None and bool(other.canonicalized().equals(part.canonicalized()))
