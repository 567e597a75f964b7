"""Mappings by edges alone: what a job reads is known, and not how its rows are put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headwater_backend.domain.model import Edge, NodeKey
from headwater_backend.reports.mapped.relations import Relation, Speech
from headwater_mappings import tree


def traced(relation: Relation, speech: Speech, edges: Sequence[Edge]) -> Iterator[tree.Mapping]:
    """One mapping for each dataset from which there are edges."""
    sources = list(dict.fromkeys(edge.source.dataset for edge in edges))
    entities = [speech.names.entity(each) for each in sources]
    for source, entity in zip(sources, entities, strict=True):
        into: dict[NodeKey, list[Edge]] = {}
        for edge in edges:
            if edge.source.dataset == source:
                into.setdefault(edge.target, []).append(edge)
        remarks = [speech.words("mapping.job", job=relation.title)]
        if len(entities) > 1:
            remarks.append(speech.words("mapping.together", entities=speech.listed(entities)))
        remarks += speech.deciding(relation, into, ())
        populates = tuple(speech.populate(target, into[target]) for target in sorted(into))
        yield tree.Mapping(speech.names.entity(relation.output), entity, populates, remarks=tuple(remarks))
