"""Headwater's own facets, built from the result of the analysis, with reads replaced by their datasets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from math import isfinite
from typing import Any

from openlineage.client.facet_v2 import DatasetFacet, JobFacet

from headwater_facets import facets as f
from headwater_facets import packing
from headwater_facets.codec import MAX_EXPRESSION_DEPTH
from headwater_facets.kinds import Access, IncompleteReason
from headwater_facets.locations import DatasetId
from headwater_spark.emit.dataset_facets import MANY
from headwater_spark.emit.facet_context import FacetContext
from headwater_spark.naming.datasets import IN_MEMORY, ResolvedDataset
from headwater_spark.redaction import redact
from headwater_spark.tracing.populations import KEPT
from headwater_spark.tracing.result import (
    OF_PROGRAM,
    Condition,
    InputPath,
    Operator,
    PathSteps,
    Population,
    Transformation,
    UserFunction,
)
from headwater_spark.units import instant

_Touched = dict[PathSteps, tuple[dict[Access, None], bool]]
"""The kinds of access to each path of a dataset, and whether the path reaches the output."""


def path_lineage(context: FacetContext, _: ResolvedDataset) -> DatasetFacet:
    """The ``headwater_pathLineage`` facet of an output."""
    fields = [f.PathField(list(each.path), _inputs(context, each.inputs)) for each in context.lineage.fields]
    fields, alike = group_alike([field for field in fields if field.inputFields])
    incomplete = list(_incomplete(context))
    return f.PathLineageDatasetFacet(
        fields=fields,
        alike=alike,
        dataset=_inputs(context, context.lineage.dataset),
        generated=list(_generated(context)),
        opaque=[f.Opaque(list(each.path), each.reason, each.name or None) for each in context.lineage.opaque],
        complete=not incomplete,
        incomplete=incomplete,
    )


def group_alike(fields: list[f.PathField]) -> tuple[list[f.PathField], list[f.Alike]]:
    """The fields of an output. Above ``MANY``, those with one input are grouped by dataset and transformations."""
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


def _inputs(context: FacetContext, inputs: Iterable[InputPath]) -> list[f.PathInput]:
    """The inputs by dataset and path. Several reads of one dataset are merged."""
    merged: dict[tuple[DatasetId, PathSteps], dict[Transformation, None]] = {}
    for each in inputs:
        for path_in_dataset in context.dataset_paths(each):
            merged.setdefault(path_in_dataset, {}).update(dict.fromkeys(each.transformations))
    return [
        f.PathInput(dataset.namespace, dataset.name, list(path), list(map(_transformation, transformations)))
        for (dataset, path), transformations in merged.items()
    ]


def _transformation(each: Transformation) -> f.PathTransformation:
    return f.PathTransformation(
        type=each.type,
        subtype=each.subtype,
        masking=each.masking,
        manipulation=list(each.manipulation),
        access=each.access,
        at=[redact(place) for place in each.at],
        functions=list(each.functions),
        operators=list(each.operators),
        retains=each.retains,
        unpacked=list(_known(each.unpacked)),
        packed=list(_known(each.packed)),
    )


def _known(names: Iterable[str]) -> Iterator[str]:
    """The names down to one that may not leave: others would find nothing under what stands for it."""
    return takewhile(lambda name: redact(name) == name, map(packing.shown, names))


def _generated(context: FacetContext) -> Iterator[f.Generated]:
    """Yield the paths that no input reaches: constants, and values that come from data in memory alone."""
    for each in context.lineage.generated:
        yield f.Generated(list(each.path), context.shorten(each.how))
    generated = {each.path for each in context.lineage.generated}
    for field in context.lineage.fields:
        inputs = [each for each in field.inputs if each.read not in OF_PROGRAM]
        sources = [context.lineage.reads[each.read].source for each in inputs]
        if field.path not in generated and sources and all(_is_in_memory(source) for source in sources):
            yield f.Generated(list(field.path), "data in memory")


def _is_in_memory(source: Mapping[str, Any]) -> bool:
    return source.get("kind") in IN_MEMORY and not source.get("inputs")


def _incomplete(context: FacetContext) -> Iterator[f.IncompleteEntry]:
    for gap in context.lineage.incomplete:
        paths = [list(path) for path in gap.paths]
        detail = gap.detail or _of_program(context, gap.reason)
        yield f.IncompleteEntry(gap.reason, paths, context.shorten(detail) or None)
    yield from _read_before_and_after_a_write(context)
    reasons = {gap.reason for gap in context.lineage.incomplete}
    if IncompleteReason.UNKNOWN_SOURCE not in reasons:
        yield from _unnamed_sources(context)
        if context.unnamed_target is not None:
            yield f.IncompleteEntry(
                IncompleteReason.UNKNOWN_SOURCE, detail=context.shorten(context.unnamed_target)
            )
    if context.outcome and context.outcome.dropped and IncompleteReason.DROPPED not in reasons:
        yield f.IncompleteEntry(
            IncompleteReason.DROPPED,
            detail=f"{context.outcome.dropped} plan documents were dropped meanwhile",
        )


def _of_program(context: FacetContext, reason: IncompleteReason) -> str:
    """What the program held where a gap is about that."""
    if reason is IncompleteReason.DRIVER:
        seen = "collected, seen or opened" if context.execution.collected.shown else "collected"
        return f"made of the program's own values, after it had {seen} {context.collected}"
    if reason is IncompleteReason.PROGRAM:
        return f"rows or constants of the program: {context.execution.collected.outside}"
    return ""


def _read_before_and_after_a_write(context: FacetContext) -> Iterator[f.IncompleteEntry]:
    for dataset, (_, reads) in context.inputs().items():
        moments = context.moments(dataset, reads)
        if len(moments) > 1 and context.execution.changed.get(dataset, 0) > min(moments):
            detail = f"rows of {dataset.name} were read both before and after it was written"
            yield f.IncompleteEntry(IncompleteReason.UNKNOWN_SOURCE, detail=context.shorten(detail))


def _unnamed_sources(context: FacetContext) -> Iterator[f.IncompleteEntry]:
    for index in context.unnamed_reads():
        source = context.lineage.reads[index].source
        if source.get("kind") not in IN_MEMORY:
            detail = source.get("class") or f"a {source.get('kind', 'source')} without a name"
            yield f.IncompleteEntry(IncompleteReason.UNKNOWN_SOURCE, detail=context.shorten(str(detail)))


def operators(context: FacetContext) -> JobFacet | None:
    """The ``headwater_operators`` facet of a job."""
    listed = [_operator(context, each) for each in context.lineage.operators]
    return f.OperatorsJobFacet(listed) if listed else None


def _operator(context: FacetContext, each: Operator) -> f.Operator:
    return f.Operator(
        id=each.id,
        type=each.type,
        inputs=list(each.inputs),
        text=context.shorten(each.text) or None,
        accessed=[f.AccessedPath(a.input, list(a.path), a.access) for a in each.accessed],
        manipulated=None
        if each.manipulated is None
        else [{"input": m.input, "from": list(m.source), "to": list(m.target)} for m in each.manipulated],
    )


def functions(context: FacetContext) -> JobFacet | None:
    """The ``headwater_functions`` facet of a job."""
    listed = [_function(context, each) for each in context.lineage.functions]
    return f.FunctionsJobFacet(listed) if listed else None


def _function(context: FacetContext, each: UserFunction) -> f.UserFunction:
    place = each.place
    return f.UserFunction(
        name=redact(each.name),
        sort=each.reason,
        known=each.known,
        operators=list(each.operators),
        code=None if place is None else f.CodePlace(redact(place.function), redact(place.file), place.line),
        why=[
            f.Why(w.code, context.shorten(w.reason), context.shorten(w.hint) or None, w.line)
            for w in each.why
        ],
        differences=[
            {"difference": d.difference, "argument": d.argument, "from": list(d.source), "to": list(d.target)}
            for d in each.differences
        ],
        declaredBy=redact(each.by) or None,
    )


def conditions(context: FacetContext) -> JobFacet | None:
    """The ``headwater_conditions`` facet of a job."""
    listed = [_condition(context, each) for each in context.lineage.conditions]
    populations = [_population(context, each) for each in context.lineage.populations]
    return f.ConditionsJobFacet(listed, populations) if listed or populations else None


def _population(context: FacetContext, each: Population) -> f.Population:
    return f.Population(
        rows=[_row(context, row, read) for row, read in each.rows],
        conditions=[f.Passed(c.operator, context.shorten(c.sql), dict(c.tree)) for c in each.passed],
        values=[f.PopulationValue(list(path), dict(tree), kind) for path, kind, tree in each.values],
    )


def _row(context: FacetContext, row: int, read: int) -> f.PopulationRow:
    """Which datasets a row is of, and whether its values are those that were written there."""
    source = context.lineage.reads[read].source
    by_name = not source.keys() & {"matching", "ids"} and str(source.get("format") or "").lower() in KEPT
    folders = source.get("partitionColumns")
    return f.PopulationRow(
        row=row,
        datasets=[{"namespace": d.id.namespace, "name": d.id.name} for d in context.reads[read]],
        kept=by_name and isinstance(folders, list),
        folders=[str(folder) for folder in folders] if isinstance(folders, list) else None,
    )


def _condition(context: FacetContext, each: Condition) -> f.Condition:
    return f.Condition(
        operator=each.operator,
        access=each.kind if each.kind in (Access.FILTER, Access.JOIN) else Access.CONDITION,
        sql=context.shorten(each.sql),
        expression=_expression(context, each.predicate, each.sql, MAX_EXPRESSION_DEPTH),
        guards=[list(path) for path in each.guards],
    )


def _expression(context: FacetContext, tree: Mapping[str, Any], sql: str, depth: int) -> f.Expression:
    """The expression tree with resolved reads; a tree that is too deep for readers is replaced by its SQL text."""
    if "op" in tree and depth > 1:
        return f.Operation(tree["op"], [_expression(context, arg, sql, depth - 1) for arg in _args(tree)])
    if "path" in tree:
        found = _input_path(context, tree["path"])
        return f.PathReference(found) if found else f.OpaqueExpression(".".join(tree["path"]["path"]))
    if "opaque" in tree:
        paths = [_input_path(context, each) for each in tree.get("paths") or ()]
        return f.OpaqueExpression(context.shorten(str(tree["opaque"])), [path for path in paths if path])
    if "type" in tree:
        return _literal(tree.get("literal"), str(tree["type"]))
    return f.OpaqueExpression(context.shorten(sql))


def _literal(value: Any, kind: str) -> f.Expression:
    """A constant; its text if JSON cannot represent it."""
    plain = value is None or isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))
    shown = redact(value) if isinstance(value, str) else value
    return f.Literal(shown, kind) if plain else f.OpaqueExpression(redact(str(value)))


def _args(tree: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The arguments, with chains of ``and`` and ``or`` flattened: ``a and (b and c)`` has three."""
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


def _input_path(context: FacetContext, leaf: Mapping[str, Any]) -> f.InputPath | None:
    """The path in its dataset, the first one if a read has several; None for data in memory."""
    if leaf["read"] is None or not context.reads[leaf["read"]]:
        return None
    dataset = context.reads[leaf["read"]][0].id
    return f.InputPath(dataset.namespace, dataset.name, list(leaf["path"]))


def _coarse(touched: _Touched, columns: set[PathSteps]) -> _Touched:
    """One entry for the whole row instead of many for columns, if it is as exact as these."""
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


def access(context: FacetContext, dataset: ResolvedDataset) -> DatasetFacet:
    """The ``headwater_access`` facet of an input: the accessed paths of all its reads, and when they were read."""
    _, reads = context.inputs()[dataset.id]
    touched: _Touched = {}
    for each in context.lineage.access:
        if each.read in reads:
            kinds, reaches = touched.get(each.path, ({}, False))
            touched[each.path] = ({**kinds, **dict.fromkeys(each.access)}, reaches or each.reaches_output)
    for read, path in context.lineage.returned if context.execution.returns_values else ():
        if read in reads:
            kinds, reaches = touched.get(path, ({}, True))
            touched[path] = ({**kinds, Access.DRIVER: None}, reaches)
    for path in context.paths_collected(dataset.id):
        kinds, _ = touched.get(path, ({}, True))
        touched[path] = ({**kinds, Access.PROJECT: None}, True)
    columns: set[PathSteps] = {
        (field.name,) for read in reads for field in context.lineage.reads[read].schema.fields
    }
    touched = _coarse(touched, columns)
    paths = [
        f.AccessEntry(list(path), [kind.value for kind in kinds], reach)
        for path, (kinds, reach) in touched.items()
    ]
    at = min(context.moments(dataset.id, reads))
    return f.AccessInputDatasetFacet(paths, instant(at) if at < context.execution.started else None)
