"""The row sets of a program: the operators of all writes' plans as one graph, in which equal row sets are one.

Plans are brought into fewer kinds of operators by Spark's own rules first (``headwater_records_spark.normal``). A
row set has the line and the name of the program's data frame that is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from headwater_boundary.planning.program import NOWHERE, Line, Program
from headwater_boundary.split.errors import CannotSplitError
from headwater_records_spark.jvm import CATALYST, LOGICAL, Jvm, analysed, kind, listed, optional, output
from headwater_records_spark.normal import normal

TRANSPARENT = {
    "SubqueryAlias",
    "ResolvedHint",
    "View",
    "Repartition",
    "RepartitionByExpression",
    "RebalancePartitions",
}


@dataclass(slots=True, eq=False)
class RowSet:
    """One operator: ``ids`` are the attributes of its output in order, ``scalars`` the row sets of its scalar
    subqueries.
    """

    node: Any
    kind: str
    number: int
    inputs: list[RowSet]
    ids: list[int]
    names: list[str]
    line: Line = NOWHERE
    name: str = ""
    users: int = 0
    scalars: list[tuple[Any, RowSet]] = field(default_factory=list)


def below(expression: Any) -> list[Any]:
    """The expression with all below it."""
    found = [expression]
    for each in found:
        found.extend(listed(each.children()))
    return found


def id_of(attribute: Any) -> int:
    """The identity of an attribute."""
    return int(attribute.exprId().id())


class RowSets:
    """The graph of all writes, built bottom-up."""

    def __init__(self, jvm: Jvm, program: Program, is_shared: Callable[[Any], bool]) -> None:
        self.jvm = jvm
        self._is_shared = is_shared
        self.all: list[RowSet] = []
        self._by_hash: dict[int, list[RowSet]] = {}
        self._frames = list(_known(jvm, program))

    def root(self, query: Any, line: Line) -> RowSet:
        """The row set of a write's query."""
        found = self._built(normal(self.jvm, query, pruned=False), line)
        found.users += 1
        return found

    def _built(self, node: Any, line: Line) -> RowSet:
        if kind(node) in TRANSPARENT:
            return self._built(node.child(), line)
        given, node = node, self._with_conditions_at_joins(self._with_distinct_matches(node))
        key = _hash(node)
        ids = [id_of(each) for each in output(node)]
        for other in self._by_hash.get(key, ()):
            if other.node.sameResult(node) and len(other.ids) == len(ids):
                if other.ids == ids:
                    return other
                same = RowSet(
                    node, "Same", len(self.all), [other], ids, [a.name() for a in output(node)], other.line
                )
                other.users += 1
                self.all.append(same)
                return same
        variable, own = self._named(given, key if given is node else _hash(given))
        line = own or line
        inputs = [self._built(each, line) for each in listed(node.children())]
        made = RowSet(
            node, kind(node), len(self.all), inputs, ids, [a.name() for a in output(node)], line, variable
        )
        for each in _scalar_subqueries(node):
            scalar = self._built(normal(self.jvm, each.plan(), pruned=False), line)
            scalar.users += 1
            made.scalars.append((each, scalar))
        for each in inputs:
            each.users += 1
        self.all.append(made)
        self._by_hash.setdefault(key, []).append(made)
        return made

    def _with_distinct_matches(self, node: Any) -> Any:
        """A join that asks whether a shared row matches any regional one, over what these have to match alone.

        How many match does not matter, so each combination is needed once, and may leave if it is not personal.
        """
        if kind(node) != "Join" or str(node.joinType().sql()) not in {"LEFT SEMI", "LEFT ANTI"}:
            return node
        left, right = node.left(), node.right()
        condition = optional(node.condition())
        if (
            condition is None
            or kind(right) == "Aggregate"
            or not self._all_shared(left)
            or self._all_shared(right)
        ):
            return node
        asked = {id_of(e) for e in below(condition) if kind(e) == "AttributeReference"}
        columns = [each for each in output(right) if id_of(each) in asked]
        needed = self.jvm.type(LOGICAL + "Project")(self.jvm.seq(columns), right)
        distinct = self.jvm.type(LOGICAL + "Distinct")(needed)
        replaced = self.jvm.one(CATALYST + "optimizer.ReplaceDistinctWithAggregate").apply(distinct)
        return node.withNewChildren(self.jvm.seq([left, replaced]))

    def _with_conditions_at_joins(self, node: Any) -> Any:
        """A selection from tables that are listed with commas, as joins of which each has its own conditions.

        By which keys rows match is only known of a join that has them.
        """
        if kind(node) != "Filter" or not _is_listed(node.child()):
            return node
        for rule in ("ReorderJoin", "PushPredicateThroughJoin"):
            node = self.jvm.one(CATALYST + "optimizer." + rule).apply(node)
        return node

    def _all_shared(self, node: Any) -> bool:
        children = listed(node.children())
        return all(map(self._all_shared, children)) if children else self._is_shared(node)

    def _named(self, node: Any, key: int) -> tuple[str, Line | None]:
        for other, plan, name, line in self._frames:
            if other == key and plan.sameResult(node):
                return name, line
        return "", None


def _is_listed(node: Any) -> bool:
    """Whether it is an inner join without conditions, or has one among those that it joins."""
    if kind(node) != "Join" or str(node.joinType().sql()) not in {"INNER", "CROSS"}:
        return False
    return optional(node.condition()) is None or any(map(_is_listed, (node.left(), node.right())))


def _known(jvm: Jvm, program: Program) -> Any:
    """The program's frames that have names: the last one of each statement."""
    named = program.named_at()
    last: dict[tuple[str, int], Any] = {}
    for frame, line in program.frames:
        if line.file == str(program.script) and line.number in named:
            last[line.file, line.number] = frame
    for (file, number), frame in last.items():
        try:
            plan = _without_aliases(normal(jvm, analysed(frame), pruned=False))
        except Exception:  # noqa: BLE001, S112 - a frame that is not in a write needs no name
            continue
        yield _hash(plan), plan, named[number], Line(file, number)


def _hash(plan: Any) -> int:
    """Equal for plans that give the same rows."""
    return int(plan.canonicalized().hashCode())


def _without_aliases(plan: Any) -> Any:
    while kind(plan) in TRANSPARENT:
        plan = plan.child()
    return plan


def _scalar_subqueries(node: Any) -> list[Any]:
    found: dict[int, Any] = {}
    pending = listed(node.expressions())
    while pending:
        each = pending.pop()
        if kind(each) == "ScalarSubquery":
            if listed(each.children()):
                raise CannotSplitError("ScalarSubquery", "it refers to the query around it")
            found.setdefault(int(each.exprId().id()), each)
        elif kind(each) in {"Exists", "ListQuery", "InSubquery", "LateralSubquery"}:
            raise CannotSplitError(kind(each), "this subquery could not be made a join")
        pending.extend(listed(each.children()))
    return list(found.values())
