"""Our four facets, built from what the analysis says, with reads replaced by the datasets they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Any

from openlineage.client.facet_v2 import DatasetFacet, JobFacet

from headwater_facets import facets as f
from headwater_facets.codec import MAX_EXPRESSION_DEPTH
from headwater_facets.kinds import Access, IncompleteReason
from headwater_spark.emit.dataset_facets import MANY
from headwater_spark.emit.facet_context import Scene
from headwater_spark.naming.datasets import IN_MEMORY, DatasetId, Identity
from headwater_spark.redaction import redact
from headwater_spark.tracing.result import (
    COLLECTED,
    Condition,
    InputPath,
    Operator,
    PathSteps,
    Transformation,
)

_Touched = dict[PathSteps, tuple[dict[Access, None], bool]]
"""For each path of a dataset, the ways in which it was accessed and whether it reaches the output."""


def path_lineage(scene: Scene, _: Identity) -> DatasetFacet:
    """``headwater_pathLineage`` of the output."""
    fields = [f.PathField(list(each.path), _inputs(scene, each.inputs)) for each in scene.lineage.fields]
    fields, alike = told_together([field for field in fields if field.inputFields])
    incomplete = list(_incomplete(scene))
    return f.PathLineageDatasetFacet(
        fields=fields,
        alike=alike,
        dataset=_inputs(scene, scene.lineage.dataset),
        generated=list(_generated(scene)),
        opaque=[f.Opaque(list(each.path), each.reason, each.name or None) for each in scene.lineage.opaque],
        complete=not incomplete,
        incomplete=incomplete,
    )


def told_together(fields: list[f.PathField]) -> tuple[list[f.PathField], list[f.Alike]]:
    """The fields of an output, at most ``MANY`` of them; of more, those of one input each by what they share."""
    if len(fields) <= MANY:
        return fields, []
    others: list[f.PathField] = []
    alike: dict[tuple[str, str, str], f.Alike] = {}
    for field in fields:
        source, *more = field.inputFields
        if more:
            others.append(field)
            continue
        key = (source.namespace, source.name, repr(source.transformations))
        if key not in alike:
            alike[key] = f.Alike(source.namespace, source.name, source.transformations, [])
        alike[key].pairs.append({"from": source.path, "to": field.path})
    return others, list(alike.values())


def _inputs(scene: Scene, inputs: Iterable[InputPath]) -> list[f.PathInput]:
    """The inputs by dataset and path: two reads of one dataset are told together."""
    merged: dict[tuple[DatasetId, PathSteps], dict[Transformation, None]] = {}
    for each in inputs:
        for place in scene.places(each):
            merged.setdefault(place, {}).update(dict.fromkeys(each.transformations))
    return [
        f.PathInput(dataset.namespace, dataset.name, list(path), [_transformation(each) for each in how])
        for (dataset, path), how in merged.items()
    ]


def _transformation(each: Transformation) -> f.PathTransformation:
    return f.PathTransformation(
        type=each.type,
        subtype=each.subtype,
        masking=each.masking,
        manipulation=list(each.manipulation),
        access=each.access,
        at=[redact(place) for place in each.at],
        operators=list(each.operators),
    )


def _generated(scene: Scene) -> Iterator[f.Generated]:
    """What no input reaches: constants, and what comes from data in memory alone."""
    for each in scene.lineage.generated:
        yield f.Generated(list(each.path), scene.cut(each.how))
    told = {each.path for each in scene.lineage.generated}
    for field in scene.lineage.fields:
        inputs = [each for each in field.inputs if each.read != COLLECTED]
        sources = [scene.lineage.reads[each.read].source for each in inputs]
        if field.path not in told and sources and all(_is_in_memory(source) for source in sources):
            yield f.Generated(list(field.path), "data in memory")


def _is_in_memory(source: Mapping[str, Any]) -> bool:
    return source.get("kind") in IN_MEMORY and not source.get("inputs")


def _incomplete(scene: Scene) -> Iterator[f.IncompleteEntry]:
    for gap in scene.lineage.incomplete:
        paths = [list(path) for path in gap.paths]
        detail = gap.detail or (_may_hold(scene) if gap.reason is IncompleteReason.DRIVER else "")
        yield f.IncompleteEntry(gap.reason, paths, scene.cut(detail) or None)
    told = {gap.reason for gap in scene.lineage.incomplete}
    if IncompleteReason.UNKNOWN_SOURCE not in told:
        yield from _unnamed_sources(scene)
    if scene.outcome and scene.outcome.dropped and IncompleteReason.DROPPED not in told:
        yield f.IncompleteEntry(
            IncompleteReason.DROPPED, detail=f"{scene.outcome.dropped} plan documents were dropped meanwhile"
        )


def _may_hold(scene: Scene) -> str:
    return f"made of the program's own values, after it had collected {scene.execution.collected}"


def _unnamed_sources(scene: Scene) -> Iterator[f.IncompleteEntry]:
    for index in scene.nameless():
        source = scene.lineage.reads[index].source
        if source.get("kind") not in IN_MEMORY:
            detail = source.get("class") or f"a {source.get('kind', 'source')} without a name"
            yield f.IncompleteEntry(IncompleteReason.UNKNOWN_SOURCE, detail=scene.cut(str(detail)))


def operators(scene: Scene) -> JobFacet | None:
    """``headwater_operators`` of the job."""
    listed = [_operator(scene, each) for each in scene.lineage.operators]
    return f.OperatorsJobFacet(listed) if listed else None


def _operator(scene: Scene, each: Operator) -> f.Operator:
    return f.Operator(
        id=each.id,
        type=each.type,
        inputs=list(each.inputs),
        text=scene.cut(each.text) or None,
        accessed=[f.AccessedPath(a.input, list(a.path), a.access) for a in each.accessed],
        manipulated=None
        if each.manipulated is None
        else [{"input": m.input, "from": list(m.source), "to": list(m.target)} for m in each.manipulated],
    )


def conditions(scene: Scene) -> JobFacet | None:
    """``headwater_conditions`` of the job."""
    listed = [_condition(scene, each) for each in scene.lineage.conditions]
    return f.ConditionsJobFacet(listed) if listed else None


def _condition(scene: Scene, each: Condition) -> f.Condition:
    return f.Condition(
        operator=each.operator,
        access=each.kind if each.kind in (Access.FILTER, Access.JOIN) else Access.CONDITION,
        sql=scene.cut(each.sql),
        expression=_expression(scene, each.predicate, each.sql, MAX_EXPRESSION_DEPTH),
        guards=[list(path) for path in each.guards],
    )


def _expression(scene: Scene, tree: Mapping[str, Any], sql: str, depth: int) -> f.Expression:
    """The tree with reads named; what nests too deep for readers is told as SQL text."""
    if "op" in tree and depth > 1:
        return f.Operation(tree["op"], [_expression(scene, arg, sql, depth - 1) for arg in _args(tree)])
    if "path" in tree:
        found = _input_path(scene, tree["path"])
        return f.PathReference(found) if found else f.OpaqueExpression(".".join(tree["path"]["path"]))
    if "opaque" in tree:
        paths = [_input_path(scene, each) for each in tree.get("paths") or ()]
        return f.OpaqueExpression(scene.cut(str(tree["opaque"])), [path for path in paths if path])
    if "type" in tree:
        return _literal(tree.get("literal"), str(tree["type"]))
    return f.OpaqueExpression(scene.cut(sql))


def _literal(value: Any, kind: str) -> f.Expression:
    """A constant; what JSON has no constant for is text."""
    plain = value is None or isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))
    shown = redact(value) if isinstance(value, str) else value
    return f.Literal(shown, kind) if plain else f.OpaqueExpression(redact(str(value)))


def _args(tree: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The arguments; ``a and (b and c)`` has three, however long a chain the program wrote."""
    if tree["op"] not in ("and", "or"):
        return list(tree["args"])
    found: list[Mapping[str, Any]] = []
    pending = [tree]
    while pending:
        part = pending.pop()
        if part.get("op") == tree["op"]:
            pending.extend(reversed(part["args"]))
        else:
            found.append(part)
    return found


def _input_path(scene: Scene, leaf: Mapping[str, Any]) -> f.InputPath | None:
    """The path in its dataset, the first one where a read has several; None for data in memory."""
    if leaf["read"] is None or not scene.reads[leaf["read"]]:
        return None
    dataset = scene.reads[leaf["read"]][0].id
    return f.InputPath(dataset.namespace, dataset.name, list(leaf["path"]))


def _coarse(touched: _Touched, columns: set[PathSteps]) -> _Touched:
    """With one entry for the whole row, where it is as exact as one for each of many columns."""
    of_columns = [touched.get(column) for column in columns]
    if len(of_columns) <= MANY or not all(of_columns):
        return touched
    (kinds, reaches), _ = Counter((tuple(k), r) for k, r in filter(None, of_columns)).most_common(1)[0]
    if not all(each and {*kinds} <= {*each[0]} and reaches <= each[1] for each in of_columns):
        return touched
    whole: PathSteps = ()
    others = {
        path: (found, reach)
        for path, (found, reach) in touched.items()
        if path not in columns or (tuple(found), reach) != (kinds, reaches)
    }
    return {whole: (dict.fromkeys(kinds), reaches), **others}


def access(scene: Scene, dataset: Identity) -> DatasetFacet:
    """``headwater_access`` of an input: what was touched of it, over all reads."""
    _, reads = scene.sources()[dataset.id]
    touched: _Touched = {}
    for each in scene.lineage.access:
        if each.read in reads:
            kinds, reaches = touched.get(each.path, ({}, False))
            touched[each.path] = ({**kinds, **dict.fromkeys(each.access)}, reaches or each.reaches_output)
    for read, path in scene.lineage.returned if scene.execution.hands_over else ():
        if read in reads:
            kinds, reaches = touched.get(path, ({}, True))
            touched[path] = ({**kinds, Access.DRIVER: None}, reaches)
    columns: set[PathSteps] = {
        (field.name,) for read in reads for field in scene.lineage.reads[read].schema.fields
    }
    touched = _coarse(touched, columns)
    return f.AccessInputDatasetFacet(
        [
            f.AccessEntry(list(path), [kind.value for kind in kinds], reach)
            for path, (kinds, reach) in touched.items()
        ]
    )
