"""OpenLineage's events of mappings: an entity is a dataset, an attribute a path, and each mapping a job without runs.

Conditions are sent as the agent sends those of Spark, so that active lineage follows them: comparisons with texts are
carried, and of others it is only known which attributes are in them, because mappings have no types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from openlineage.client.facet_v2 import job_type_job, schema_dataset, source_code_job
from openlineage.client.serde import Serde

from headwater_facets import facets as f
from headwater_facets import schemas
from headwater_facets.kinds import Access, Retains, Subtype
from headwater_facets.producer import FACET_PRODUCER, VERSION, stated
from headwater_mappings import tree
from headwater_mappings.lineage import Flow, flows_of
from headwater_mappings.populations import populations
from headwater_mappings.rendering import condition_text, render
from headwater_mappings.tree import attributes, sources_in

SCHEMA_URL: Final = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent"
NAMESPACE: Final = "mappings"
Entities: TypeAlias = dict[str, dict[str, None]]
"""The attributes of each entity that any mapping names, in order."""


class Document(NamedTuple):
    """Mappings that stand in one text: its name, and when they were stated, in ISO 8601."""

    name: str
    time: str
    mappings: Sequence[tree.Mapping]


def events_of(documents: Sequence[Document], namespace: str = NAMESPACE) -> Iterator[dict[str, Any]]:
    """One event for each mapping, in order; ``namespace`` is that of entities and jobs.

    A job is named after its document, so that a mapping takes the place of what an earlier text of the document stated,
    and of no other document. The entities have all attributes that any of the documents names.
    """
    entities = _entities(mapping for each in documents for mapping in each.mappings)
    numbers: Counter[str] = Counter()
    for document in documents:
        for mapping in document.mappings:
            name = f"{document.name}: {mapping.target} FROM {mapping.driving}"
            numbers[name] += 1
            job = f"{name} {numbers[name]}" if numbers[name] > 1 else name
            yield _event(mapping, job, document.time, namespace, entities)


def _event(mapping: tree.Mapping, name: str, time: str, namespace: str, entities: Entities) -> dict[str, Any]:
    written = _facets(
        schema=_schema(entities[mapping.target]),
        **{schemas.PATH_LINEAGE: _path_lineage(mapping, namespace)},
    )
    return {
        "eventTime": time,
        "producer": f"{FACET_PRODUCER}/mappings/{VERSION}",
        "schemaURL": SCHEMA_URL,
        "job": {"namespace": namespace, "name": name, "facets": _of_job(mapping, namespace)},
        "inputs": [
            {"namespace": namespace, "name": entity, "facets": _facets(schema=_schema(entities[entity]))}
            for entity in _sources(mapping)
        ],
        "outputs": [{"namespace": namespace, "name": mapping.target, "facets": written}],
    }


def _entities(mappings: Iterable[tree.Mapping]) -> Entities:
    found: dict[str, dict[str, None]] = {}
    for mapping in mappings:
        for entity in (mapping.target, *_sources(mapping)):
            found.setdefault(entity, {})
        for each in (*(each.attribute for each in mapping.populates), *sources_in(mapping)):
            found.setdefault(each.entity, {})[each.name] = None
    return found


def _sources(mapping: tree.Mapping) -> list[str]:
    navigation = mapping.navigation
    return list(dict.fromkeys((mapping.driving, *((navigation.target,) if navigation else ()))))


def _schema(names: Iterable[str]) -> Any:
    fields = [schema_dataset.SchemaDatasetFacetFields(name=name, type="string") for name in names]
    return schema_dataset.SchemaDatasetFacet(fields=fields)


def _facets(**built: Any) -> dict[str, Any]:
    return {key: Serde.to_dict(stated(facet)) for key, facet in built.items()}


def _of_job(mapping: tree.Mapping, namespace: str) -> dict[str, Any]:
    kind = job_type_job.JobTypeJobFacet("BATCH", "MAPPING", "JOB")
    source = source_code_job.SourceCodeJobFacet("mapping", render([mapping]))
    conditions = f.ConditionsJobFacet(list(_conditions(mapping, namespace)), populations(mapping, namespace))
    return _facets(jobType=kind, sourceCode=source, **{schemas.CONDITIONS: conditions})


def _path_lineage(mapping: tree.Mapping, namespace: str) -> f.PathLineageDatasetFacet:
    flows = [(each, list(flows_of(each))) for each in mapping.populates]
    return f.PathLineageDatasetFacet(
        fields=[
            f.PathField([each.attribute.name], list(_inputs(found, namespace)))
            for each, found in flows
            if found
        ],
        dataset=list(_inputs(_of_rows(mapping), namespace)),
        generated=[
            f.Generated([each.attribute.name], "constant of the mapping")
            for each, found in flows
            if not found
        ],
    )


def _inputs(flows: Iterable[Flow], namespace: str) -> Iterator[f.PathInput]:
    by_attribute: dict[tree.Attribute, list[f.PathTransformation]] = {}
    for flow in flows:
        entry = f.PathTransformation(
            type=flow.subtype.type,
            subtype=flow.subtype,
            manipulation=list(flow.manipulations),
            access=flow.access,
            functions=list(flow.functions),
            retains=None if flow.retains in (None, Retains.VALUE) else flow.retains,
        )
        listed = by_attribute.setdefault(flow.source, [])
        if entry not in listed:
            listed.append(entry)
    for source, entries in by_attribute.items():
        yield f.PathInput(namespace, source.entity, [source.name], entries)


def _of_rows(mapping: tree.Mapping) -> Iterator[Flow]:
    for each in attributes(mapping.filter):
        yield Flow(each, Subtype.FILTER, access=Access.FILTER)
    for pair in mapping.navigation.pairs if mapping.navigation else ():
        for each in pair:
            yield Flow(each, Subtype.JOIN, access=Access.JOIN)


def _conditions(mapping: tree.Mapping, namespace: str) -> Iterator[f.Condition]:
    found: list[tuple[Access, tree.Condition, list[list[str]] | None]] = []
    if mapping.navigation:
        found += [
            (Access.JOIN, tree.Comparison(left, "=", right), None) for left, right in mapping.navigation.pairs
        ]
    if mapping.filter:
        found.append((Access.FILTER, mapping.filter, None))
    for each in mapping.populates:
        guarded = [[each.attribute.name]]
        found += [(Access.CONDITION, with_.condition, guarded) for with_ in each.choices if with_.condition]
    for number, (access, condition, guards) in enumerate(found):
        yield f.Condition(
            number, access, condition_text(condition), _expression(condition, namespace), guards
        )


def _expression(node: tree.Condition, namespace: str) -> f.Expression:
    match node:
        case tree.AllOf(parts):
            return f.Operation("and", [_expression(each, namespace) for each in parts])
        case tree.AnyOf(parts):
            return f.Operation("or", [_expression(each, namespace) for each in parts])
        case tree.Comparison(left, operator, right):
            args = [_leaf(left, namespace), _leaf(right, namespace)]
            if operator == "!=":
                return f.Operation("not", [f.Operation("=", args)])
            if operator in _WORDS:
                return f.Operation(_WORDS[operator], args)
            if operator in _SIGNS:
                return f.Operation(operator, args)
            paths = [_path(each, namespace) for each in attributes(node)]
            return f.OpaqueExpression(condition_text(node), paths)


_SIGNS: Final = frozenset({"=", "<", "<=", ">", ">="})
_WORDS: Final = {"LIKE": "like"}


def _leaf(node: tree.Attribute | tree.Text | tree.Value, namespace: str) -> f.Expression:
    match node:
        case tree.Attribute():
            return f.PathReference(_path(node, namespace))
        case tree.Text(value):
            return f.Literal(value, "string")
        case tree.Value(text):
            return f.Literal(text, "date" if "." in text and len(text.split(".")) > 2 else "decimal")


def _path(attribute: tree.Attribute, namespace: str) -> f.InputPath:
    return f.InputPath(namespace, attribute.entity, [attribute.name])
