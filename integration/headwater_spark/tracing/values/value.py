"""The algebra of path lineage: what a column (or a part of it) was made of.

A ``Value`` describes one place in an operator's output. Its ``edges`` say which paths the *whole subtree* at
this place comes from; its ``members`` describe parts that were put together one by one, under the step names of
``path-lineage`` (a struct's member names, ``_element``, ``key``, ``value``). Both may hold at once: the union of
a copied struct and a constructed one has edges from the one and members from the other.

    struct(a.x AS i, b AS n)       Value(members={"i": {a.x IDENTITY}, "n": {b IDENTITY}})
    collect_list(that)             Value(members={"_element": {"i": {a.x AGGREGATION}, …}})
    to_json(that)                  Value(members={PACKED: {"i": {a.x TRANSFORMATION}, …}})
    md5(that)                      Value(edges={a.x TRANSFORMATION, b TRANSFORMATION})

An edge *carries structure* when each path below its source is the same relative path below its target; that is
so for everything that only moves values (``MOVES``). Taking a step out of such an edge takes the same step out
of its source; any other edge stays as it is, since all of the source may be in any part of the target.

What is *packed* into a text or a variant stands under the step ``PACKED``, by the names that lead to it in the JSON
text; elements of arrays have no step there, and what is packed in something packed stands under its names. An edge
from a text *keeps what is packed* if it only moves, packs and takes: ``taken`` gives the part of it under a name.
Where nothing is packed under that name, all that is packed is taken: nobody knows what the name means. So it is for
what is packed in another notation than JSON: its names are those of ``headwater_facets.packing``.

Origins are columns of operators. The analysis of one operator gives values over the columns of its inputs;
``substitute`` puts in what those columns are made of, until all origins are columns of reads. Invariant: a
value holds no two edges that differ in their operators only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import NamedTuple

from headwater_facets import packing
from headwater_facets.kinds import (
    MOVES,
    Access,
    LineageType,
    Manipulation,
    Retains,
    Subtype,
    retained,
    strongest,
)
from headwater_plan.nodes import ROW
from headwater_plan.types import ELEMENT
from headwater_spark.tracing.values.ids import only

Steps = tuple[str, ...]

MOST_WAYS = 8
"""How many ways from one path to another are kept apart before they are described as one."""

PACKED = "\0packed"
"""The step from a text to what is packed into it; no member has such a name."""

_PACKS = MOVES | {Manipulation.SERIALIZE, Manipulation.PARSE, Manipulation.CAST}

_RANK = {Subtype.IDENTITY: 0, Subtype.TRANSFORMATION: 1, Subtype.AGGREGATION: 2}


class Origin(NamedTuple):
    """A column of an operator's output; ``column`` is an expression id, ``INFLUENCES`` or ``ROW``."""

    operator: int
    column: int
    name: str


@dataclass(frozen=True, slots=True)
class How:
    """What happened on the way. The default is a plain copy."""

    type: LineageType = LineageType.DIRECT
    subtype: Subtype = Subtype.IDENTITY
    masking: bool = False
    manipulation: tuple[Manipulation, ...] = ()
    access: Access | None = None
    at: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    """The names of the functions that changed the value, in the order of the program."""
    operators: int = 0
    """A set, see ``ids``."""
    extent: bool = False
    """Whether only how many elements the collection has decides, not which. Such an edge ends in what computed the
    collection or chose its elements, and in nothing where it was only copied."""
    itself: bool = False
    """Whether elements decide about themselves alone, such as those of a set: nothing that their own lineage does not
    say, unless it is how many there are that decides about something else."""
    counted: bool = False
    """Whether it decides as what computed a collection, of which elements are: those computed from it as well say so
    themselves."""
    retains: Retains = Retains.VALUE
    """What of the value can be read back; nothing is known of what only decides."""
    wraps: bool = False
    """Whether the result may hold more than the value, so that a part of it may be all of the value."""
    restores: bool = False
    """Whether a step of it makes readable what a key hid."""
    packed: bool = False
    """Whether it packs values into a text, or takes them out of one, so that they can be distinguished."""
    reveals: Retains | None = None
    """Of what only decides: what the rows that it leaves reveal of the value, or a STATISTIC if what it decided about
    was aggregated; None for nothing, and for what decides each value."""

    @property
    def reported(self) -> bool:
        return not (self.extent or self.itself)

    @property
    def carries_structure(self) -> bool:
        return self.type is LineageType.DIRECT and MOVES.issuperset(self.manipulation)

    @property
    def keeps_packed(self) -> bool:
        """Whether what is packed into the source can be taken out of the target."""
        packs = self.packed and self.type is LineageType.DIRECT and _PACKS.issuperset(self.manipulation)
        return packs or self.carries_structure

    def after(self, earlier: How) -> How:
        """This step done to the result of an earlier one.

        An indirect step makes everything indirect; what was indirect before stays what it was. What comes from the
        program's own values (DRIVER) stays that, whatever it decides about.
        """
        operators = earlier.operators | self.operators
        masking = earlier.masking or self.masking
        if earlier.type is LineageType.INDIRECT and self.type is LineageType.DIRECT:
            reveals = earlier.revealed_of_groups if self.retains is Retains.STATISTIC else earlier.reveals
            return replace(earlier, masking=masking, operators=operators, reveals=reveals)
        if self.type is LineageType.INDIRECT:
            return replace(
                self,
                masking=masking,
                access=self._access_after(earlier),
                operators=operators,
                extent=self.extent or earlier.extent,
                reveals=self._reveals_after(earlier),
            )
        wrapped = earlier.wraps and not self.masking
        retains = retained(earlier.retains, self.retains, packed=wrapped, restores=self.restores)
        return How(
            subtype=max(earlier.subtype, self.subtype, key=_RANK.__getitem__),
            masking=masking and not retains.readable,
            manipulation=_union(earlier.manipulation, self.manipulation),
            at=earlier.at + self.at,
            functions=_union(earlier.functions, self.functions),
            operators=operators,
            retains=retains,
            wraps=earlier.wraps or self.wraps,
            restores=earlier.restores or self.restores,
            packed=(self.packed or earlier.packed) and self.keeps_packed and earlier.keeps_packed,
        )

    @property
    def decides_each(self) -> bool:
        """Whether it decides each value by what it is."""
        return self.subtype is Subtype.CONDITIONAL and self.access in (
            Access.CONDITION,
            Access.INDEX,
            Access.JOIN,
        )

    @property
    def finds(self) -> bool:
        """Whether it decides which row of a join the value is of, and nothing in the value."""
        return self.decides_each and self.access is Access.JOIN

    def leaves_out(self, earlier: How) -> bool:
        """Whether nothing is decided about all rows, or how many elements there are, by how a row was found in a join:
        the join itself says that.
        """
        of_rows = self.type is LineageType.INDIRECT and self.subtype is not Subtype.CONDITIONAL
        return earlier.finds and ((of_rows and self.reveals is None) or self.counted)

    @property
    def revealed_of_groups(self) -> Retains | None:
        """What is revealed where what it decided about is aggregated."""
        return Retains.STATISTIC if self.reveals is not None or self.decides_each else None

    @property
    def _reveals_of_each(self) -> Retains | None:
        """What a value that it decided reveals: the branch of a CASE is the value in other words; of the row that was
        found in a join, another column may be looked at.
        """
        if not self.decides_each:
            return None
        return Retains.FACT if self.access is Access.JOIN else Retains.VALUE

    def _reveals_after(self, earlier: How) -> Retains | None:
        """No more than the result of the earlier step reveals."""
        known: Retains | None = earlier.retains
        if earlier.type is LineageType.INDIRECT:
            known = earlier._reveals_of_each if earlier.reveals is None else earlier.reveals
        if self.reveals is None:
            return known if known is Retains.STATISTIC and self.decides_each else None
        return None if known is None else retained(known, self.reveals, packed=earlier.wraps)

    def _access_after(self, earlier: How) -> Access | None:
        """Whether it is null reveals nothing of a value that was only copied, hidden or aggregated; of what was decided
        or computed, it may reveal what the value was.
        """
        if earlier.access is Access.DRIVER:
            return earlier.access
        if self.access is Access.JOIN and earlier.access is Access.NULL_TEST and self.decides_each:
            return earlier.access
        if self.access is not Access.NULL_TEST:
            return self.access
        if earlier.type is LineageType.INDIRECT:
            return earlier.access
        reveals = not (earlier.carries_structure or earlier.masking or earlier.subtype is Subtype.AGGREGATION)
        return Access.CONDITION if reveals else self.access


COPY = How()


class Edge(NamedTuple):
    """One place the subtree comes from: a path below an origin, and how it got here."""

    origin: Origin
    path: Steps
    how: How


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """See the module's text. ``made`` are constants and generators, ``opaque`` are (reason, name) marks, ``missing``
    says of each part that could not be traced what it was.
    """

    edges: tuple[Edge, ...] = ()
    members: Mapping[str, Value] = field(default_factory=dict)
    made: tuple[str, ...] = ()
    opaque: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()


NOTHING = Value()


def column(origin: Origin) -> Value:
    """The value of a column as its operator gives it."""
    return Value(edges=(Edge(origin, (), COPY),))


def constant(text: str) -> Value:
    """A value that no input reaches."""
    return Value(made=(text,))


def untraced(what: str) -> Value:
    """A value that may come from anywhere, as nobody knows what it is made of."""
    return Value(missing=(what,))


def construct(parts: Iterable[tuple[str, Value]]) -> Value:
    """A struct, array or map of the given parts; parts under one step are alternatives."""
    grouped: dict[str, list[Value]] = {}
    for step, part in parts:
        grouped.setdefault(step, []).append(part)
    return Value(members={step: merge(values) for step, values in grouped.items()})


def merge(values: Iterable[Value]) -> Value:
    """Any of the values: the alternatives of a union, a CASE, an array's items."""
    present = [v for v in values if v is not NOTHING]
    if len(present) < 2:
        return present[0] if present else NOTHING
    members: dict[str, list[Value]] = {}
    for value in present:
        for step, member in value.members.items():
            members.setdefault(step, []).append(member)
    return Value(
        edges=distinct(edge for value in present for edge in value.edges),
        members={step: merge(alternatives) for step, alternatives in members.items()},
        made=_union(*(v.made for v in present)),
        opaque=_union(*(v.opaque for v in present)),
        missing=_union(*(v.missing for v in present)),
    )


def extract(value: Value, step: str) -> Value:
    """The part of the value under a step."""
    edges = tuple(
        Edge(e.origin, (*e.path, step), e.how) if e.how.carries_structure and e.origin.column != ROW else e
        for e in value.edges
    )
    own = Value(edges, made=value.made, opaque=value.opaque, missing=value.missing)
    member = value.members.get(step)
    if member is None:
        return own
    return merge((own, member)) if edges or own.made or own.opaque or own.missing else member


def packed_in(value: Value) -> Value:
    """What is packed into a text, under the names that lead to it; all of the text where that is not known."""
    named = {step: member for step, member in value.members.items() if step != PACKED}
    own = replace(value, edges=tuple(_entered(e) for e in value.edges), members=named)
    return merge((own, value.members.get(PACKED, NOTHING)))


def _entered(edge: Edge) -> Edge:
    known = PACKED in edge.path or edge.origin.column == ROW
    return edge._replace(path=(*edge.path, PACKED)) if edge.how.keeps_packed and not known else edge


def taken(packed: Value, name: str) -> Value:
    """What is packed under the name."""
    inside = packed_in(packed)
    edges = tuple(
        e._replace(path=(*e.path, name)) if e.how.keeps_packed and PACKED in e.path else e
        for e in inside.edges
    )
    own = replace(inside, edges=edges, members={})
    return merge((own, *_found(inside.members, name)))


def _found(members: Mapping[str, Value], name: str) -> Iterator[Value]:
    """What is packed under the name, and what is packed in other notations, where it may be anywhere."""
    if name in members:
        yield members[name]
    elif not packing.is_mark(name):
        yield from map(_mixed, members.values())
        return
    for other, member in members.items():
        parts = packing.taken(other, name) if packing.is_template(other) else None
        if parts is not None:
            found = [_mixed(part) for number, part in member.members.items() if number in parts]
            yield from found or [constant("NULL")]
        elif other != name and (packing.is_mark(name) or packing.is_mark(other)):
            yield _mixed(member)


def _mixed(value: Value) -> Value:
    """All that is packed, of which nothing can be distinguished."""
    whole = collapse(value)
    return replace(whole, edges=distinct(e._replace(how=replace(e.how, packed=False)) for e in whole.edges))


def as_text(packed: Value) -> Value:
    """The text, or the variant, of what is packed."""
    if not packed.members.keys() - {PACKED}:
        return packed
    return replace(packed, members={PACKED: Value(members=packed.members)})


def apply(value: Value, how: How) -> Value:
    """Something done to the value as a whole; what only moves or packs values keeps its parts apart."""
    if how == COPY:
        return value
    if how.extent:
        return _extent(value, how)
    if not how.keeps_packed:
        value = collapse(value)
    edges = distinct(
        Edge(e.origin, e.path, how.after(e.how)) for e in value.edges if not how.leaves_out(e.how)
    )
    members = {step: apply(member, how) for step, member in value.members.items()}
    return replace(value, edges=edges, members=members)


def _extent(value: Value, how: How) -> Value:
    """What decides how many elements the collection has.

    ``collect_list`` leaves out the elements that are null, and so does what decides whether one is.
    """
    chosen = replace(how, extent=False, counted=True)
    nested = value.members[ELEMENT].edges if ELEMENT in value.members else ()
    edges = [
        *((e, how if e.how.carries_structure else chosen) for e in value.edges if not e.how.finds),
        *((e, chosen) for e in nested if _may_leave_out(e.how)),
    ]
    return Value(
        distinct(Edge(e.origin, e.path, step.after(e.how)) for e, step in edges), missing=value.missing
    )


def _may_leave_out(how: How) -> bool:
    if how.finds:
        return False
    return Manipulation.NEST in how.manipulation or (how.type is LineageType.INDIRECT and not how.extent)


def apply_to_parts(value: Value, how: How) -> Value:
    """Something done to each part of the value by itself: the parts stay apart."""
    return replace(
        value,
        edges=distinct(Edge(e.origin, e.path, how.after(e.how)) for e in value.edges),
        members={step: apply_to_parts(member, how) for step, member in value.members.items()},
    )


def collapse(value: Value) -> Value:
    """The value without parts: all that any part comes from, the whole comes from."""
    if not value.members:
        return value
    parts = list(_all_parts(value))
    return Value(
        edges=distinct(edge for part in parts for edge in part.edges),
        made=_union(*(part.made for part in parts)),
        opaque=_union(*(part.opaque for part in parts)),
        missing=_union(*(part.missing for part in parts)),
    )


def sources(value: Value, at: Steps = ()) -> frozenset[tuple[Steps, Origin, Steps]]:
    """Which paths each part of the value comes from, whatever happened on the way."""
    own = {(at, e.origin, e.path) for e in value.edges}
    return frozenset(own).union(*(sources(member, (*at, step)) for step, member in value.members.items()))


def decision(
    value: Value,
    subtype: Subtype,
    access: Access,
    operator: int,
    *,
    itself: bool = False,
    reveals: Retains | None = None,
) -> Value:
    """The value as something that only decides: all its edges, made indirect."""
    how = How(
        LineageType.INDIRECT, subtype, access=access, operators=only(operator), itself=itself, reveals=reveals
    )
    whole = collapse(value)
    return Value(apply(whole, how).edges, missing=whole.missing)


def deciding(value: Value, subtype: Subtype, access: Access, operator: int) -> tuple[Edge, ...]:
    """The edges of the value as something that only decides."""
    return decision(value, subtype, access, operator).edges


def with_edges(value: Value, edges: Iterable[Edge]) -> Value:
    """The value with further edges onto the whole of it."""
    added = tuple(edges)
    if not added:
        return value
    return replace(value, edges=distinct((*value.edges, *added)))


def without_repeats(value: Value, above: frozenset[tuple[object, ...]] = frozenset()) -> Value:
    """The value without those decisions about its parts that are decisions about the whole as well, and without those
    about how many elements there are by what the elements are computed from."""
    counted = any(e.how.counted for e in value.edges)
    if not (value.members or above or counted):
        return value
    decisions = {e: _bare(e) for e in value.edges if e.how.type is LineageType.INDIRECT}
    edges = tuple(e for e in value.edges if decisions.get(e) not in above)
    if counted:
        computed = {(e.origin, above_packed(e.path)) for e in edges if _is_computed(e.how)}
        kept = (e for e in edges if not (e.how.counted and (e.origin, above_packed(e.path)) in computed))
        edges = distinct(e._replace(how=replace(e.how, counted=False)) for e in kept)
    known = above.union(decisions.values())
    members = {step: without_repeats(member, known) for step, member in value.members.items()}
    return replace(value, edges=edges, members=members)


def _bare(edge: Edge) -> tuple[object, ...]:
    return (edge.origin, edge.path, replace(edge.how, operators=0, counted=False))


def above_packed(path: Steps) -> Steps:
    """The path down to the text in which the rest of it is packed."""
    return path[: path.index(PACKED)] if PACKED in path else path


def _is_computed(how: How) -> bool:
    return how.type is LineageType.DIRECT and not how.carries_structure


def substitute(value: Value, resolve: Callable[[Origin], Value]) -> Value:
    """The value with each origin replaced by what that column is made of."""
    if len(value.edges) == 1 and not (value.members or value.made or value.opaque or value.missing):
        return _resolved(value.edges[0], resolve)
    alternatives = [_resolved(edge, resolve) for edge in value.edges]
    own = Value(
        members={step: substitute(member, resolve) for step, member in value.members.items()},
        made=value.made,
        opaque=value.opaque,
        missing=value.missing,
    )
    return merge((*alternatives, own))


def _resolved(edge: Edge, resolve: Callable[[Origin], Value]) -> Value:
    value = resolve(edge.origin)
    above = above_packed(edge.path)
    for step in above:
        value = extract(value, step)
    if above != edge.path:
        inside = reduce(taken, edge.path[len(above) + 1 :], packed_in(value))
        value = replace(inside, members={}) if edge.how.counted else as_text(inside)
    return apply(value, edge.how)


def distinct(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """The edges, those that differ in operators only made one, in order of first appearance."""
    merged: dict[tuple[Origin, Steps, How], int] = {}
    ways: dict[tuple[Origin, Steps], int] = {}
    for origin, path, how in edges:
        bare = replace(how, operators=0) if how.operators else how
        key = (origin, path, bare)
        if key not in merged:
            ways[origin, path] = ways.get((origin, path), 0) + 1
            merged[key] = 0
        merged[key] |= how.operators
    result = [
        Edge(origin, path, replace(how, operators=operators) if operators else how)
        for (origin, path, how), operators in merged.items()
    ]
    if max(ways.values(), default=0) > MOST_WAYS:
        result = _summarised(result, {place for place, count in ways.items() if count > MOST_WAYS})
    return tuple(result)


def _summarised(edges: list[Edge], places: set[tuple[Origin, Steps]]) -> list[Edge]:
    """Where there are too many ways between two places, one edge for each kind."""
    kept = [e for e in edges if (e.origin, e.path) not in places]
    kinds: dict[Edge, list[How]] = {}
    for origin, path, how in edges:
        if (origin, path) in places:
            kind = replace(
                how,
                manipulation=(),
                at=(),
                functions=(),
                operators=0,
                retains=Retains.VALUE,
                wraps=False,
                restores=False,
            )
            kinds.setdefault(Edge(origin, path, kind), []).append(how)
    for (origin, path, kind), hows in kinds.items():
        manipulation = _union(*(h.manipulation for h in hows))
        operators = reduce(or_, (h.operators for h in hows))
        how = replace(
            kind,
            manipulation=manipulation,
            operators=operators,
            retains=strongest(h.retains for h in hows),
            wraps=any(h.wraps for h in hows),
            restores=any(h.restores for h in hows),
        )
        kept.append(Edge(origin, path, how))
    return kept


def _all_parts(value: Value) -> Iterator[Value]:
    pending = [value]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(reversed(list(part.members.values())))


def _union(*parts: tuple) -> tuple:  # type: ignore[type-arg]
    """All items in order of first appearance."""
    first, *rest = parts or ((),)
    if not any(rest):
        return first
    return tuple(dict.fromkeys(item for part in parts for item in part))
