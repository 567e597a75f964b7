"""The plans behind rows that Spark keeps: of a checkpoint, of a micro-batch, or in the table of a memory sink.

In later plans such rows stand as an RDD under the expression ids that the query gave them. Expression ids alone do not
tell which query it was: one that only filters gives its input's ids. An RDD stands for the rows of one query, and its
query was computed before. So at an RDD's first use it is assigned the query with its ids that has no RDD yet. Where
there are several, each may be the one, and the rows are taken to come from any of them.

A use of the same RDD in a self-join has new ids; then its number tells.

A memory sink is the same object where a streaming query writes to it and where its table is read, and the driver
numbers it. In it are the rows of all micro-batches. Their plans differ in what arrived: a source without new rows is
none of a batch's. So the first plan over each set of sources is kept, and a row may come from any of these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from headwater_plan.nodes import DecodedPlan
from headwater_spark.decode.values import Source

MOST_NODES: Final = 50_000
"""Nodes of plans that are kept, all plans together."""

Sources: TypeAlias = frozenset[str]
"""What a plan reads, each described by a text."""

_FORGOTTEN: Final = DecodedPlan(None, None, ())
"""In the place of a plan that there was no room for."""

Ids: TypeAlias = tuple[int, ...]
"""Expression ids of what a query gives, in order."""


def _not_cached(_: Source) -> None:
    return None


@dataclass(frozen=True, slots=True)
class PlanExecution:
    """An execution that computes a plan; ``keeps_rows`` is whether later plans may use its rows.

    ``query`` is the run of a streaming query that it belongs to, and ``is_batch`` whether it computes a micro-batch of
    that: the one of that number, ``batch``, where ``first`` is the first one of this run. ``lasting`` is the id that
    the query keeps when it is started again.
    ``started`` is in epoch milliseconds, and so is what ``cached`` gives: when the rows of a source were read that
    it took out of a cache, or None for another source. A step of a command that writes gives what is written:
    ``step_of`` is that command with its target. ``script`` is the text of the SQL script in which it is executed, and
    ``is_sql`` whether a program's call of ``sql`` executes it, as a script, a statement or a part of one. What one that
    ``asks`` gives may decide about the statements after it.
    """

    number: int
    keeps_rows: bool = False
    query: str | None = None
    is_batch: bool = False
    started: int | None = None
    cached: Callable[[Source], int | None] = _not_cached
    step_of: tuple[str, Source] | None = None
    script: str | None = None
    is_sql: bool = False
    asks: bool = False
    lasting: str = ""
    batch: int | None = None
    first: int | None = None

    def reads_at(self, source: Source) -> int | None:
        """When the source was read, if it was by this plan: None for a streaming query, which reads all the time."""
        now = self.started if self.query is None else None
        times = [time for time in (now, self.cached(source), source.get("since")) if time is not None]
        return min(times, default=None)


@dataclass(slots=True, eq=False)
class _Computed:
    """A plan that was computed. ``rdds`` may have its rows; it is ``assigned`` where one of them certainly has."""

    by: PlanExecution
    ids: Ids
    plan: DecodedPlan
    nodes: int
    rdds: set[int] = field(default_factory=set)
    assigned: bool = False

    def is_candidate(self, query: str | None) -> bool:
        """Whether its rows may be in an RDD that has no query yet, in a plan of that streaming query."""
        if self.by.is_batch and self.by.query != query:
            return False
        return self.by.keeps_rows and not self.assigned

    def is_batch_before(self, by: PlanExecution) -> bool:
        """Whether that execution computes the next micro-batch."""
        return self.by.is_batch and by.is_batch and self.by.query == by.query


class KeptRows:
    """The newest plans of one application that were computed, up to a number of nodes in all."""

    def __init__(self, most_nodes: int = MOST_NODES) -> None:
        self._most_nodes = most_nodes
        self._plans: dict[int, _Computed] = {}
        self._of_ids: defaultdict[Ids, list[_Computed]] = defaultdict(list)
        self._of_rdds: dict[int, list[_Computed]] = {}
        self._forgotten: set[Ids] = set()
        """The ids of plans that had to be forgotten although an RDD may have their rows."""
        self._nodes = 0
        self._sinks: defaultdict[int, dict[Sources, DecodedPlan]] = defaultdict(dict)
        self._in_sinks = 0

    def add_to_sink(self, sink: int, sources: Sources, plan: DecodedPlan, nodes: int) -> None:
        """Keep the plan of a micro-batch that went into that sink, unless one over the same sources did before."""
        plans = self._sinks[sink]
        if sources in plans:
            return
        self._in_sinks += nodes
        plans[sources] = plan if self._in_sinks <= self._most_nodes else _FORGOTTEN

    def in_sink(self, sink: int) -> tuple[DecodedPlan, ...]:
        """The plans of which each gave some of the rows in that memory sink; none if that is not known."""
        found = tuple(self._sinks.get(sink, {}).values())
        return () if _FORGOTTEN in found else found

    def add(self, by: PlanExecution, plan: DecodedPlan, nodes: int) -> None:
        """Keep a plan of so many nodes, in place of an earlier one of the same execution or of the last micro-batch."""
        outputs = () if plan.relation is None else plan.relation.outputs
        ids = tuple(each.id for each in outputs)
        if not ids or any(each < 0 for each in ids):
            return
        if by.number in self._plans:
            self._remove(self._plans[by.number])
        for each in [each for each in self._of_ids[ids] if each.is_batch_before(by)]:
            self._remove(each)
        computed = self._plans[by.number] = _Computed(by, ids, plan, nodes)
        self._of_ids[ids].append(computed)
        self._nodes += nodes
        while self._nodes > self._most_nodes:
            self._forget(next(iter(self._plans.values())))

    def find(self, rdd: int | None, ids: Ids, query: str | None) -> tuple[DecodedPlan, ...]:
        """The plans of which one gave the RDD's rows, as used in a plan of that streaming query; none if unknown."""
        found = None if rdd is None else self._of_rdds.get(rdd)
        if found is None:
            found = self._candidates(ids, query)
            self._assign(rdd, found)
        return tuple(each.plan for each in found)

    def _candidates(self, ids: Ids, query: str | None) -> list[_Computed]:
        if ids in self._forgotten:
            return []
        same = self._of_ids.get(ids, [])
        # Libraries keep rows inside of executions that are called otherwise.
        others = [each for each in same if not each.by.keeps_rows]
        return [each for each in same if each.is_candidate(query)] or others[-1:]

    def _assign(self, rdd: int | None, found: list[_Computed]) -> None:
        if rdd is None or not found:
            return
        self._of_rdds[rdd] = found
        for each in found:
            each.rdds.add(rdd)
            each.assigned = len(found) == 1

    def _forget(self, computed: _Computed) -> None:
        """Remove a plan, so that no other is taken for it where its rows are used."""
        self._remove(computed)
        self._of_rdds.update({rdd: [] for rdd in computed.rdds})
        if computed.by.keeps_rows and not computed.assigned:
            self._forgotten.add(computed.ids)

    def _remove(self, computed: _Computed) -> None:
        del self._plans[computed.by.number]
        self._of_ids[computed.ids].remove(computed)
        if not self._of_ids[computed.ids]:
            del self._of_ids[computed.ids]
        self._nodes -= computed.nodes
        for rdd in computed.rdds:
            self._of_rdds.pop(rdd, None)
