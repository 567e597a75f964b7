"""The state of a streaming query: the rows that it keeps from one micro-batch to the next, and over restarts.

Groups, joins of streams and functions with state give, in a micro-batch, what they were given in those before: also in
micro-batches of an earlier program, if the query was started again from its checkpoint. So what each of them is given
is a dataset of its own, named by the query's id, which a checkpoint keeps. Each run writes to it; one that did not
begin with the first micro-batch reads it, too::

    Aggregate(rows)     gives what it makes of rows, and of STATE 0
                        writes rows to STATE 0

What is known of a state holds for the program that wrote it: its version has the program's digest, so that whoever
compares versions finds that another program, or one that nobody watched, wrote there as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Final

from headwater_plan.nodes import (
    Attribute,
    Call,
    Column,
    Definition,
    Join,
    Project,
    Read,
    Relation,
    Union,
    Write,
)
from headwater_plan.program import digest_of
from headwater_plan.traversal import columns_in, subqueries
from headwater_plan.types import AtomicType, StructField, StructType
from headwater_spark.decode.context import Context, as_expression, is_relation, null
from headwater_spark.decode.document import Node, references
from headwater_spark.decode.kept_rows import PlanExecution
from headwater_spark.decode.values import Source

STATE: Final = "state"
"""The kind of source that a state is."""
_COMMAND: Final = "StreamingState"
_KEEPS: Final = frozenset(
    {
        "Aggregate",
        "Deduplicate",
        "DeduplicateWithinWatermark",
        "Distinct",
        "FlatMapGroupsInPandasWithState",
        "FlatMapGroupsWithState",
        "TransformWithState",
        "TransformWithStateInPandas",
        "TransformWithStateInPySpark",
    }
)
"""Operators that keep what they are given, if it is a stream."""
_DROPS: Final = frozenset({"Deduplicate", "DeduplicateWithinWatermark"})
"""Operators that give nothing of what they kept, and drop what equals it."""
_STATES_COLUMNS: Final = frozenset({"Aggregate", *_DROPS})
"""Operators that keep nothing of other columns than those that they name."""
_BOOLEAN: Final = AtomicType("boolean")
_ONE_BY_ONE: Final = frozenset({"Union", "SequentialStreamingUnion", "WithCTE"})
"""Operators over several streams that keep nothing of them."""
_STREAMS: Final = ("StreamingDataSourceV2", "StreamingRelation", "StreamingExecutionRelation")
"""How the classes of leaves begin that are streams, and do not say so."""


@dataclass(slots=True)
class States:
    """The states in the plan of a micro-batch. ``given`` has the writes to them, in the order of the operators."""

    query: str
    first: int
    batch: int
    given: list[Write] = field(default_factory=list)
    _streams: set[int] = field(default_factory=set)
    _joined: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, by: PlanExecution | None) -> States | None:
        """Those of an execution that computes a micro-batch; None for another one."""
        if by is None or not by.is_batch or by.batch is None or by.first is None:
            return None
        return cls(by.lasting, by.first, by.batch)

    def add(self, node: Node, context: Context) -> None:
        """Take down what the operator is given; in a query that was started again, join it with what it was given."""
        inputs = [each for each in _needed(node) if each in self._streams]
        if inputs or _is_stream(node):
            self._streams.add(node.index)
        several = len(inputs) > 1 and node.name not in _ONE_BY_ONE
        if node.name not in _KEEPS and not several and node.sort != "expression":
            return
        for index in dict.fromkeys(inputs):
            rows = context.results[index]
            if is_relation(rows) and index not in self._joined:
                self._joined.add(index)
                context.results[index] = self._with_state(node, rows, context)

    def _with_state(self, node: Node, rows: Relation, context: Context) -> Relation:
        """The rows that an operator is given, and those that it was given before."""
        kept = _kept(node, rows, context)
        columns = StructType(tuple(_fields(kept)))
        source: Source = {"kind": STATE, "identifier": f"{self.query}/state/{len(self.given)}"}
        written = {**source, "mode": "append", "first": self.first, "batch": self.batch}
        given = Project(kept, rows, tuple(Definition(a, _column(a)) for a in kept))
        self.given.append(Write(given, written, _COMMAND, columns))
        if self.first == 0:
            return rows
        names = [each.name or "" for each in columns.fields]
        stored = [Attribute(next(context.own_ids), name, a.type) for name, a in zip(names, kept, strict=True)]
        state = Read(tuple(stored), source)
        pairs = list(zip(kept, stored, strict=True))
        return _others(rows, state, pairs) if node.name in _DROPS else _both(rows, state, pairs, context)

    def writes(self, relation: Relation, sink: Source) -> tuple[Write, ...]:
        """The writes to the states, in a micro-batch that gives that relation to a sink.

        None where the sink keeps its rows no longer than the program runs: then the states do not outlive it, either,
        unless the query has a checkpoint; and that is found to be nobody's when the query is started again.
        """
        if not self.given or "instance" in sink or "keeps" in sink:
            return ()
        program = digest_of(relation, _without_state)
        return tuple(
            Write(each.child, {**each.target, "program": program}, each.command, each.columns)
            for each in self.given
        )


def content_of(target: Mapping[str, Any], *, failed: bool) -> dict[str, Any]:
    """What a run found in a state, and what it left there with its last micro-batch."""
    left = int(target["batch"]) + (0 if failed else 1)
    state = {"state": {"version": f"{left} {target['program']}"}}
    found = {"base": {"version": f"{target['first']} {target['program']}"}}
    return {**found, **state} if target["first"] else state


def _without_state(relation: Relation) -> Relation:
    match relation:
        case Union(inputs=(rows, Project(child=Read(source={"kind": "state"})))):
            return rows
        case Join(left=rows, right=Read(source={"kind": "state"})):
            return rows
        case _:
            return relation


def _both(
    rows: Relation, state: Read, pairs: Sequence[tuple[Attribute, Attribute]], context: Context
) -> Union:
    """The rows, and those of the state, which has nothing of the columns that are not kept."""
    stored = {kept.id: of_state for kept, of_state in pairs}
    outputs = tuple(Attribute(next(context.own_ids), a.name, a.type) for a in rows.outputs)
    values = (_column(stored[a.id]) if a.id in stored else null(a.type) for a in rows.outputs)
    definitions = tuple(Definition(new, value) for new, value in zip(outputs, values, strict=True))
    return Union(rows.outputs, (rows, Project(outputs, state, definitions)))


def _others(rows: Relation, state: Read, pairs: Sequence[tuple[Attribute, Attribute]]) -> Join:
    """The rows that are not in the state."""
    equal = (Call("<=>", (_column(a), _column(b)), _BOOLEAN) for a, b in pairs)
    condition = reduce(lambda all_, each: Call("and", (all_, each), _BOOLEAN), equal)
    return Join(rows.outputs, rows, state, "LeftAnti", condition)


def _column(a: Attribute) -> Column:
    return Column(a.id, a.name, a.type)


def _kept(node: Node, rows: Relation, context: Context) -> tuple[Attribute, ...]:
    """The columns that an operator needs of the rows: all, unless it states which."""
    if node.name not in _STATES_COLUMNS:
        return rows.outputs
    stated = [
        each for each in map(as_expression, context.nodes(list(node.fields.values()))) if each is not None
    ]
    needed = frozenset[int]().union(*map(columns_in, stated))
    has_plans = any(True for each in stated for _ in subqueries(each))
    return rows.outputs if has_plans else tuple(a for a in rows.outputs if a.id in needed)


def _needed(node: Node) -> Iterator[int]:
    """The plans and expressions in the node, those of its output left out."""
    return (each for value in node.fields.values() for each in references(value))


def _is_stream(node: Node) -> bool:
    return node.get("isStreaming") is True or node.name.startswith(_STREAMS)


def _fields(outputs: tuple[Attribute, ...]) -> Iterator[StructField]:
    """The columns of a state, each with a name of its own."""
    names: set[str] = set()
    for position, each in enumerate(outputs):
        name = each.name if each.name and each.name not in names else f"{each.name}_{position}"
        names.add(name)
        yield StructField(name, each.type)
