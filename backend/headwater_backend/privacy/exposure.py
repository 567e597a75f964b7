"""The exposure of personal data: the paths that hold a personal attribute, the form of its values, and the jobs.

Theory of operation
===================

Exposure follows edges forward from an attribute, those that may carry something of its value (``forms.may_carry``), or
all edges with ``influenced``. A value arrives at a path in a *form* (``forms``).

All attributes share one search (``questions.traversal``) and one propagation of their values over its edges
(``propagation``), so the cost is proportional to the edges, for any number of attributes. The answer is a matrix of
attributes and the paths that hold them. A cell's forms, distance and witness are computed on access.

The matrix can be queried by its rows, the attributes at or under a node, and by its columns, what arrived ``at`` a
node. For the latter a backward search from the node's dataset comes first: a route that arrives at it passes only
datasets of that search, so the forward search starts at the attributes among those, and does not leave them.

Each attribute has its own gaps: those that concern the paths that it reaches (``closure.Concern``), those of jobs that
report no lineage, or do not list what they read for some path, the datasets that are probably copies of what it reaches
(``copies.gaps``), and the places where the bounds ended the search. For
what arrived at a node, they are the gaps of that node's own lineage. Where nothing names any personal data, a rule
matches no known path, or nobody has decided what of an origin is personal (``classification.undecided``), the answer is
incomplete, too: it is then unknown whether any path holds it. These count where they may be on the ways of the answer:
in all datasets, in the dataset asked for, or in those from which data arrive at the node.

Stewards' decisions are those in force at the moment asked for; tags and rules are the present ones. The declassified
paths at which a value ended are part of the answer's basis, so that no answer hides them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import cached_property, partial
from itertools import chain
from typing import Final, NamedTuple

from headwater_backend.copies.gaps import copies_on_ways
from headwater_backend.copies.proposals import undecided_copies
from headwater_backend.domain.errors import UnmatchedRule
from headwater_backend.domain.model import PROGRAM_ROWS, DatasetKey, Direction, Edge, Incomplete, NodeKey
from headwater_backend.ports import CataloguedGraph, Datasets
from headwater_backend.privacy.classification import categories
from headwater_backend.privacy.classification.decided import Decided, decided
from headwater_backend.privacy.classification.personal import (
    Attribute,
    IdleRule,
    Personal,
    personal,
    with_stored_names,
)
from headwater_backend.privacy.classification.rules import NO_RULES, Rule, Rules
from headwater_backend.privacy.classification.stops import Stop, Stops
from headwater_backend.privacy.classification.undecided import UNDECIDED_ORIGIN, Open, undecided
from headwater_backend.privacy.exposure_gaps import Gaps
from headwater_backend.privacy.exposure_search import (
    Basis,
    Scope,
    comparable,
    holds,
    identifying_among,
    search,
    values,
)
from headwater_backend.privacy.forms import Arrival, Form, form_table
from headwater_backend.privacy.propagation import Propagation
from headwater_backend.privacy.unknown_rows import (
    UnknownRows,
    decided_by,
    node_of,
    unknown_rows,
)
from headwater_backend.privacy.ways import Ways
from headwater_backend.questions.active.passing import Passing
from headwater_backend.questions.active.steps import ActiveGraph
from headwater_backend.questions.closure import cuts, gaps_in_order, missing
from headwater_backend.questions.resolving import labels, resolve_node
from headwater_backend.questions.traversal import ALL_TYPES, Bounds, explore

UNCLASSIFIED = "UNCLASSIFIED"
UNMATCHED_RULE = "UNMATCHED_RULE"
ASKED_FOR: Final = ("asked for",)
"""What names an attribute that nothing classifies."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The rules in force: ``own`` are the server's, ``asked`` came with the question.

    A rule of the question that matches nothing is an error, unless ``lenient``; the server's own rules never are: they
    may match what is not known yet.
    """

    own: Rules = NO_RULES
    asked: Rules = NO_RULES
    lenient: bool = False

    @property
    def paths(self) -> tuple[Rule, ...]:
        """All rules on paths."""
        return self.own.paths + self.asked.paths

    @property
    def functions(self) -> tuple[tuple[str, Form], ...]:
        """What functions make of values, sorted; the question's rules take precedence over the server's."""
        rules = self.own.functions + self.asked.functions
        return tuple(sorted({rule.function.lower(): rule.form for rule in rules}.items()))


class ExposedOutput:
    """A path that holds the attribute or is influenced by it."""

    __slots__ = ("_place", "_propagation", "node")

    def __init__(self, propagation: Propagation, place: int, node: NodeKey) -> None:
        self._propagation = propagation
        self._place = place
        self.node = node

    @property
    def arrivals(self) -> tuple[Arrival, ...]:
        """The forms of all routes, the strongest first."""
        return self._propagation.arrivals(self._place, self.node)

    @property
    def form(self) -> Form:
        return self.arrivals[0].form

    @property
    def forms(self) -> tuple[Form, ...]:
        """All forms, the strongest first."""
        return tuple(sorted({arrival.form for arrival in self.arrivals}))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of influence, sorted; empty without any."""
        return tuple(arrival.kind for arrival in self.arrivals if arrival.kind)

    @property
    def distance(self) -> int:
        """The least number of edges from the attribute."""
        return self._propagation.distance(self._place, self.node)

    @property
    def witness(self) -> tuple[Edge, ...]:
        """A shortest route of the strongest form."""
        return self._propagation.witness(self._place, self.node)


@dataclass(frozen=True, slots=True)
class AttributeExposure:
    """The exposure of one attribute: without ``nodes``, all nodes that it reaches."""

    attribute: Attribute
    incomplete: tuple[Incomplete, ...]
    propagation: Propagation
    place: int
    nodes: tuple[NodeKey, ...] | None = None

    @property
    def holders(self) -> Sequence[NodeKey]:
        """The nodes that hold it, by strength, then by name."""
        return self.propagation.holders(self.place) if self.nodes is None else self.nodes

    @property
    def outputs(self) -> tuple[ExposedOutput, ...]:
        """The holders with their forms, distances and witnesses."""
        return tuple(map(self.output, self.holders))

    def output(self, node: NodeKey) -> ExposedOutput:
        return ExposedOutput(self.propagation, self.place, node)

    @property
    def totals(self) -> Mapping[Form, int]:
        """The number of outputs by their strongest form."""
        if self.nodes is None:
            return self.propagation.totals()[self.place]
        return Counter(self.output(node).form for node in self.nodes)

    @property
    def complete(self) -> bool:
        return not self.incomplete


@dataclass(frozen=True, slots=True)
class Classification:
    """The basis of the answer: ``attributes`` personal attributes in ``classified`` of ``datasets`` datasets.

    ``idle`` are the rules that match no known path. Stewards decided on ``decided`` paths, that ``denied`` of these are
    not personal data, and the declassifications ``stops``, as far as a value ended at them.
    """

    attributes: int
    classified: int
    datasets: int
    rules: int
    idle: tuple[IdleRule, ...] = ()
    functions: tuple[tuple[str, Form], ...] = ()
    """What rules say of functions."""
    decided: int = 0
    denied: int = 0
    stops: tuple[Stop, ...] = ()


@dataclass(frozen=True, eq=False)
class ExposureReport:
    """The exposure of each attribute asked for, with all gaps, as of a moment.

    For a question about a node, the attributes are those that arrived at it.
    """

    scope: Scope
    as_of: datetime
    attributes: tuple[AttributeExposure, ...]
    incomplete: tuple[Incomplete, ...]
    classification: Classification
    of_any: tuple[Incomplete, ...]
    """The gaps, of all, that are about no attribute that is known: any may be there."""
    unknown_rows: tuple[UnknownRows, ...] = ()
    """What programs wrote that may be anybody's data; these gaps are in ``incomplete``, too."""

    @property
    def complete(self) -> bool:
        return not self.incomplete

    @cached_property
    def count(self) -> int:
        """The number of outputs of all attributes together."""
        return sum(self.totals.values())

    @cached_property
    def totals(self) -> Mapping[Form, int]:
        """The number of all outputs by their strongest form."""
        found: Counter[Form] = Counter(dict.fromkeys(Form, 0))
        for each in self.attributes:
            found.update(each.totals)
        return found

    @cached_property
    def datasets(self) -> int:
        """The number of datasets with outputs."""
        if self.attributes and self.scope.at is None:
            return len({node.dataset for node in self.attributes[0].propagation.holding()})
        return len({node.dataset for each in self.attributes for node in each.holders})


def exposure(
    store: CataloguedGraph,
    node: NodeKey | None = None,
    category: str | None = None,
    rules: Rules = NO_RULES,
    bounds: Bounds | None = None,
    *,
    influenced: bool = False,
) -> ExposureReport:
    """The exposure of all personal attributes, of those at or under ``node``, or of a category and its kinds.

    Raises what ``exposed`` raises.
    """
    scope = Scope(of=node, category=category, influenced=influenced, bounds=bounds or Bounds())
    return exposed(store, scope, Ruling(rules))


def exposed(
    store: CataloguedGraph, scope: Scope, ruling: Ruling = Ruling(), decisions: Decided | None = None
) -> ExposureReport:
    """The report on that part of the matrix, by stewards' ``decisions`` in force then, unless others are given.

    A path that is not classified as personal is treated as an attribute, with the categories of its ancestors, if any.
    Raises ``UnknownDataset``, ``UnknownPath``, ``UnknownCategory``, ``UnmatchedRule``, ``StoreUnavailable``.
    """
    scope = replace(
        scope,
        of=scope.of and resolve_node(store, scope.of),
        at=scope.at and resolve_node(store, scope.at),
        category=scope.category and categories.checked(scope.category),
    )
    as_of = scope.bounds.as_of or datetime.now(timezone.utc)
    decisions = decided(store, as_of) if decisions is None else decisions
    named = personal(store, ruling.paths, decisions)
    if not ruling.lenient:
        _require_used(named.idle, ruling.asked.paths)
    asked = with_stored_names(store, _asked(named.attributes, scope), named.denied)
    identifying = tuple(
        each for each in named.attributes if each.identifies_alone or each.identifies_together
    )
    stops = Stops(decisions)
    basis = Basis(form_table(ruling.functions), identifying, stops)
    answer = _from_attributes if scope.at is None else _at_node
    found = answer(store, asked, scope, basis)
    keys = partial(identifying_among, store, scope=scope, basis=basis)
    is_open = Open(named, decisions, found.ways)
    undecided_ones = tuple(undecided(store, is_open, scope.bounds.as_of, keys))
    reviewed = named.decided | decisions.reviewed.keys()
    nothing = () if named.attributes or asked else _unclassified(store, found.ways, reviewed, undecided_ones)
    unknown = (*_unmatched(named, found.ways), *(nothing or undecided_ones))
    classification = Classification(
        attributes=len(named.attributes),
        classified=len({attribute.node.dataset for attribute in named.attributes}),
        datasets=store.datasets(first=0).total,
        rules=len(ruling.paths),
        functions=ruling.functions,
        idle=named.idle,
        decided=len(decisions.classes),
        denied=len(named.denied),
        stops=stops.met(),
    )
    is_decided = decided_by(named, decisions)
    everywhere = scope.of is None and scope.at is None
    rows = unknown_rows(store, is_decided, scope, basis.forms) if everywhere else ()
    known = (gap for gap in found.gaps if gap.reason != PROGRAM_ROWS or not is_decided(node_of(gap)))
    of_any = tuple(dict.fromkeys((*(each.gap for each in rows), *unknown)))
    gaps = tuple(dict.fromkeys((*known, *of_any)))
    of_any = of_any if scope.at is None else gaps
    return ExposureReport(scope, as_of, found.exposures, gaps, classification, of_any, rows)


def passing(store: ActiveGraph, report: ExposureReport) -> Passing | None:
    """The ways of the report that data can take; None where it has none."""
    return Passing(store, report.attributes[0].propagation.found) if report.attributes else None


def labels_of(
    store: Datasets, outputs: Sequence[ExposedOutput], attributes: Iterable[Attribute]
) -> dict[NodeKey, str]:
    """The labels of the attributes, the outputs, and the ends of their witnesses."""
    ends = (end for output in outputs for edge in output.witness for end in (edge.source, edge.target))
    return labels(store, chain(ends, (output.node for output in outputs), (each.node for each in attributes)))


def _require_used(idle: Iterable[IdleRule], asked: Sequence[Rule]) -> None:
    wrong = [each for each in idle if each.rule in asked]
    if wrong:
        more = f", and {len(wrong) - 1} more rules fit nothing" if len(wrong) > 1 else ""
        first = wrong[0]
        raise UnmatchedRule(f"the rule in line {first.rule.line} fits {first.detail}{more}", first.hint)


def _unmatched(named: Personal, ways: Ways) -> Iterator[Incomplete]:
    """The gaps of tags that cannot be interpreted, and of rules that match nothing and may be for a dataset on the
    ways.
    """
    yield from filter(ways.lead_by, named.unclear)
    for each in named.idle:
        if each.dataset_known and ways.datasets is not None and not any(map(each.rule.covers, ways.datasets)):
            continue
        dataset = DatasetKey(*each.rule.dataset_text)
        yield Incomplete(UNMATCHED_RULE, dataset, (each.rule.path_text,), detail=str(each))


def _unclassified(
    store: Datasets, ways: Ways, reviewed: Set[DatasetKey], undecided_ones: Sequence[Incomplete]
) -> tuple[Incomplete, ...]:
    """The gap of a store without any personal attribute, unless stewards reviewed all origins on the ways."""
    on_ways = reviewed if ways.datasets is None else reviewed & ways.datasets
    if on_ways and not any(gap.reason == UNDECIDED_ORIGIN for gap in undecided_ones):
        return ()
    count = store.datasets(first=0).total
    detail = f"no steward, no rule and no tag names personal data in any of {count} datasets"
    return (Incomplete(UNCLASSIFIED, DatasetKey("", ""), detail=detail),)


class _Found(NamedTuple):
    """What the search for the attributes found, and its ways."""

    exposures: tuple[AttributeExposure, ...]
    gaps: tuple[Incomplete, ...]
    ways: Ways


def _asked(attributes: Sequence[Attribute], scope: Scope) -> tuple[Attribute, ...]:
    """The attributes of the scope; a path without any is taken as one itself."""
    inside = tuple(each for each in attributes if scope.of is None or holds(scope.of, each.node))
    if not inside and scope.of is not None and scope.of.path:
        holders = [each for each in attributes if holds(each.node, scope.of)]
        named = sorted({category for holder in holders for category in holder.categories})
        inside = (Attribute(scope.of, tuple(named), ASKED_FOR),)
    if scope.category is None:
        return inside
    return tuple(each for each in inside if each.is_of(scope.category))


def _from_attributes(
    store: CataloguedGraph, asked: Sequence[Attribute], scope: Scope, basis: Basis
) -> _Found:
    """The exposure of each attribute, and all gaps."""
    found, propagation = search(store, asked, scope, basis)
    gaps = Gaps(store, found, propagation, undecided_copies(store, as_of=scope.bounds.as_of) if asked else ())
    exposures = tuple(
        AttributeExposure(attribute, gaps.of(place), propagation, place)
        for place, attribute in enumerate(asked)
    )
    found_gaps = tuple({gap: None for each in exposures for gap in each.incomplete})
    return _Found(exposures, found_gaps, _declared_in(scope, asked))


def _declared_in(scope: Scope, asked: Sequence[Attribute]) -> Ways:
    """Where attributes of the scope may be declared; nowhere, if the path asked for is taken as one itself."""
    if scope.of is None:
        return Ways()
    itself = any(each.node == scope.of and each.named_by == ASKED_FOR for each in asked)
    return Ways(() if itself else (scope.of,))


def _at_node(store: CataloguedGraph, asked: Sequence[Attribute], scope: Scope, basis: Basis) -> _Found:
    """The attributes that arrived at a node, and the gaps of the node's own lineage."""
    assert scope.at is not None  # noqa: S101 - checked by the caller
    at = scope.at
    back = explore(
        store, [at], Direction.BACKWARD, ALL_TYPES, scope.bounds, part=values(scope, backward=True)
    )
    whole = NodeKey(at.dataset, ())
    wide = explore(
        store, [whole], Direction.BACKWARD, ALL_TYPES, scope.bounds, part=values(scope, backward=True)
    )
    among = None if wide.limited else frozenset(wide.datasets())
    candidates = [each for each in asked if among is None or each.node.dataset in among]
    found, propagation = search(store, candidates, scope, basis, among)
    # What the search forward has not reached may have arrived as well.
    unreached = cuts(found) if found.limited else ()
    exposures = (
        AttributeExposure(attribute, (), propagation, place, nodes)
        for place, attribute in enumerate(candidates)
        for nodes in [
            tuple(
                node
                for node in propagation.holders(place)
                if comparable(at, node) and propagation.may_be_in(node, at)
            )
        ]
        if nodes
    )
    copies = copies_on_ways(store, back.datasets(), Direction.BACKWARD, scope.bounds.as_of)
    missed = gaps_in_order({*missing(store, back, {}, earlier=True), *unreached, *copies})
    return _Found(tuple(exposures), missed, Ways(back.searched()))
