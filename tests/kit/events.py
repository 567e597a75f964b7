"""Validation of whole OpenLineage events: the event's own schema, each standard facet's, and each of ours.

Everything resolves to files; a reference that does not is an error, never a request.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

from headwater_facets import schemas
from kit.shared import DATA

_BASES = ("DatasetFacet", "JobFacet", "RunFacet", "InputDatasetFacet", "OutputDatasetFacet")
_KINDS = {"run": "RunEvent", "dataset": "DatasetEvent", "job": "JobEvent"}


def validate_event(event: Mapping[str, Any]) -> None:
    """Fail with every place at which the event breaks a schema."""
    found = list(problems(event))
    assert not found, "the event is invalid:\n" + "\n".join(found)


def problems(event: Mapping[str, Any]) -> Iterator[str]:
    """``pointer: what is wrong`` for the event and for each facet whose key is known."""
    kind = next((name for key, name in _KINDS.items() if key in event), "RunEvent")
    yield from _broken({"$ref": f"{_core()['$id']}#/$defs/{kind}"}, event, "")
    for pointer, base, key, facet in _facets(event):
        schema = _facet_schemas().get((base, key))
        if schema is not None:
            yield from _broken(schema, {key: facet}, pointer)


def facet_problems(key: str, facet: Mapping[str, Any]) -> list[str]:
    """What is wrong with one of our facets."""
    return list(_broken(schemas.load(key), {key: facet}, ""))


def _broken(schema: Mapping[str, Any], instance: Any, pointer: str) -> Iterator[str]:
    validator = Draft202012Validator(
        schema, registry=_registry(), format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    for error in validator.iter_errors(instance):
        deepest = best_match([error]) or error
        place = "".join(f"/{part}" for part in deepest.absolute_path)
        yield f"{pointer}{place}: {deepest.message[:300]}"


def _facets(event: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Any]]:
    """(pointer of the holder, base facet, key, facet) of everything attached to the event."""
    for holder, base in (("run", "RunFacet"), ("job", "JobFacet"), ("dataset", "DatasetFacet")):
        facets = event.get(holder, {}).get("facets") or {}
        yield from ((f"/{holder}/facets", base, key, facet) for key, facet in facets.items())
    for side, own, base in (
        ("inputs", "inputFacets", "InputDatasetFacet"),
        ("outputs", "outputFacets", "OutputDatasetFacet"),
    ):
        for index, dataset in enumerate(event.get(side) or ()):
            for name, each in (("facets", "DatasetFacet"), (own, base)):
                facets = dataset.get(name) or {}
                yield from ((f"/{side}/{index}/{name}", each, key, facet) for key, facet in facets.items())


@cache
def _core() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((DATA / "openlineage" / "OpenLineage.json").read_text("utf-8"))
    return document


@cache
def _standard() -> tuple[dict[str, Any], ...]:
    folder = DATA / "openlineage" / "facets"
    return tuple(json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json")))


@cache
def _registry() -> Registry[Any]:
    documents = [_core(), *_standard(), *(schemas.load(key) for key in schemas.registry())]
    return Registry().with_resources((d["$id"], Resource.from_contents(d)) for d in documents)


@cache
def _facet_schemas() -> dict[tuple[str, str], dict[str, Any]]:
    """(base facet, key) -> schema of an object that holds the facet under its key."""
    found = {}
    for document in (*_standard(), *(schemas.load(key) for key in schemas.registry())):
        for name, definition in document["$defs"].items():
            base = _base(definition)
            for key in document["properties"] if base else ():
                found[base, key] = {"properties": {key: {"$ref": f"{document['$id']}#/$defs/{name}"}}}
    return found


def _base(definition: Mapping[str, Any]) -> str:
    references = [part.get("$ref", "").rpartition("/")[2] for part in definition.get("allOf", ())]
    return next((name for name in references if name in _BASES), "")
