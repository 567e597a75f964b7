"""An imported mapping by its own text, as far as the answer goes."""

from __future__ import annotations

from dataclasses import replace

from headwater_backend.reports.mapped.relations import Relation, Speech
from headwater_mappings import MappingError, parse, tree


def stated(relation: Relation, speech: Speech) -> tree.Mapping | None:
    """The mapping with the attributes of the answer; None if its text is not what made them."""
    if relation.text is None:
        return None
    try:
        found = parse(relation.text)
    except MappingError:
        return None
    targets = {speech.names.attribute(each) for each in relation.targets}
    if len(found) != 1 or found[0].target != speech.names.entity(relation.output):
        return None
    populates = tuple(each for each in found[0].populates if each.attribute in targets)
    if not _agrees(populates, relation, speech):
        return None
    remarks = (speech.words("mapping.job", job=relation.title),)
    return replace(found[0], populates=populates, remarks=remarks)


def _agrees(populates: tuple[tree.Populate, ...], relation: Relation, speech: Speech) -> bool:
    """Whether the text has the flows of the job's lineage: it is the last one, and the answer may be of before."""
    here = set(relation.targets)
    known = {(edge.target.path, edge.source) for edge in relation.all if edge.target in here}
    flows = {
        (speech.names.attribute(edge.target), speech.names.attribute(edge.source)) for edge in relation.all
    }
    written = {
        (each.attribute, source)
        for each in populates
        for choice in each.choices
        for source in tree.attributes(choice.expression)
    }
    return len(known) == len(written) and written <= flows
