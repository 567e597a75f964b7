"""The question: the active lineage of a path as business mappings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from headwater_backend.active.reading import Population
from headwater_backend.domain.facet_readers import program
from headwater_backend.domain.model import DatasetKey, Direction, Edge, Fan, JobKey, LineageType, NodeKey
from headwater_backend.questions.active.steps import made_by
from headwater_backend.questions.closure import LineageGraph
from headwater_backend.questions.lineage import Scope
from headwater_backend.questions.resolving import labels
from headwater_backend.questions.traversal import ALL_TYPES
from headwater_backend.reports.explanation import ExplainedGraph, Sort, explain
from headwater_backend.reports.languages.catalogue import Language, words
from headwater_backend.reports.mapped.populated import populated
from headwater_backend.reports.mapped.relations import Names, Relation, Speech
from headwater_backend.reports.mapped.stated import stated
from headwater_backend.reports.mapped.traced import traced
from headwater_facets.job_titles import title_of
from headwater_mappings import render, tree
from headwater_mappings.rendering import comment

LANGUAGE = "mapping"
"""The language of the sources of imported mappings."""
_REMARKS = frozenset({Sort.CODE, Sort.SOURCE, Sort.PRUNED, Sort.GAP})
Part = tree.Mapping | tuple[str, ...]
"""A mapping, or remarks alone."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """The text, which reads as mappings where the answer has any edge, and the active lineage that it tells."""

    text: str
    graph: LineageGraph


def mapped(
    store: ExplainedGraph,
    node: NodeKey,
    scope: Scope,
    language: Language = Language.EN,
    *,
    where: str | None = None,
) -> Mapped:
    """The values of a path, back to their golden sources. Raises what ``active_lineage`` raises."""
    explanation = explain(store, node, scope, language, where=where)
    graph = explanation.graph
    kept = _REMARKS if graph.edges else frozenset(Sort)
    remarks = tuple(each.text for each in explanation.sentences if each.sort in kept)
    relations = _relations(store, graph, scope)
    nodes = {
        end
        for each in relations
        for edge in (*each.all, *each.deciding)
        for end in (edge.source, edge.target)
    }
    speech = Speech(words(language), Names(labels(store, sorted(nodes))))
    parts = [
        *chain.from_iterable(_parts(each, speech) for each in relations),
        *([remarks] if remarks else []),
    ]
    return Mapped("\n".join(dict.fromkeys(map(_text, parts))), graph)


def _parts(relation: Relation, speech: Speech) -> Iterator[Part]:
    own = stated(relation, speech)
    if own is not None:
        yield own
        return
    expressed: set[Edge] = set()
    for each in populated(relation, speech):
        expressed |= each.edges
        yield each.mapping
    left = [edge for edge in relation.edges if edge not in expressed]
    yield from traced(relation, speech, left)


def _text(part: Part) -> str:
    return render([part]) if isinstance(part, tree.Mapping) else "\n".join(map(comment, part)) + "\n"


def _relations(store: ExplainedGraph, graph: LineageGraph, scope: Scope) -> Sequence[Relation]:
    """What each job does to each dataset of the answer, those next to the start first."""
    kept: dict[tuple[JobKey, DatasetKey], list[Edge]] = defaultdict(list)
    for edge in graph.edges:
        kept[edge.job, edge.target.dataset].append(edge)
    if not kept:
        return []
    outputs = sorted({output for _, output in kept})
    nowhere: tuple[str, ...] = ()
    whole = [NodeKey(each, nowhere) for each in outputs]
    fans = store.neighbours(whole, Direction.BACKWARD, ALL_TYPES, scope.bounds.as_of).fans
    flows, deciding = _by_relation(fans, LineageType.DIRECT), _by_relation(fans, LineageType.INDIRECT)
    steps = made_by(store, outputs, scope.bounds.as_of, fans).steps()
    populations: dict[tuple[JobKey, DatasetKey], list[Population]] = defaultdict(list)
    for step in steps:
        populations[step.job, step.output] += step.populations or ()
    known = store.get_jobs(sorted({job for job, _ in kept}))
    far = {each.key.dataset: each.distance for each in reversed(graph.nodes)}
    return [
        Relation(
            job,
            output,
            title_of(job.name),
            sorted(kept[job, output]),
            flows[job, output],
            deciding[job, output],
            populations[job, output],
            _source(known[job].facets) if job in known else None,
        )
        for job, output in sorted(kept, key=lambda each: (far.get(each[1], 0), *each))
    ]


def _by_relation(
    fans: Iterable[Fan], type_: LineageType
) -> Mapping[tuple[JobKey, DatasetKey], Sequence[Edge]]:
    """The edges of a type, with the transformations that have it."""
    found: dict[tuple[JobKey, DatasetKey], list[Edge]] = defaultdict(list)
    for fan in fans:
        kinds = tuple(each for each in fan.transformations if each.type is type_)
        if kinds:
            edges = fan._replace(transformations=kinds).edges(Direction.BACKWARD)
            found[fan.job, fan.near.dataset] += edges
    return found


def _source(facets: Mapping[str, object]) -> str | None:
    found = program(facets)
    return found.sql if found is not None and found.dialect == LANGUAGE else None
