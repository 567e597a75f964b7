"""OpenAPI description of the server: request bodies and possible answers.

Bodies are the types of ``ingest.decoding.documents``, which validate them: OpenLineage's, with members optional that
producers omit.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from headwater_backend.ingest.decoding.documents import Event
from headwater_backend.server.problems import MEDIA_TYPE

_COMPONENTS = "#/components/schemas/"
_PROBLEM = {
    "type": "object",
    "description": "A problem document (RFC 9457).",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "description": "Stable error code."},
        "pointer": {"type": "string", "description": "JSON pointer to the error in the body."},
        "hint": {"type": "string", "description": "How to fix it."},
    },
}
_DEAD_LETTER = {
    "type": "object",
    "required": ["code", "detail", "dead_letter"],
    "properties": {
        "code": {"type": "string"},
        "detail": {"type": "string"},
        "hint": {"type": ["string", "null"]},
        "dead_letter": {"type": "string", "description": "The key in `headwater dead-letters`."},
    },
}
_BATCH_SUMMARY = {
    "type": "object",
    "required": ["status", "summary", "failed_events"],
    "properties": {
        "status": {"enum": ["success", "partial_success", "failure"]},
        "summary": {"type": "object", "additionalProperties": {"type": "integer"}},
        "failed_events": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["index", "reason", "retriable", "code", "pointer"],
                "properties": {"index": {"type": "integer"}, "reason": {"type": "string"}},
            },
        },
    },
}
Responses = dict[int | str, dict[str, Any]]


def _problems(*statuses: HTTPStatus) -> Responses:
    content = {MEDIA_TYPE: {"schema": {"$ref": f"{_COMPONENTS}Problem"}}}
    return {status.value: {"description": status.phrase, "content": content} for status in statuses}


def _json(status: HTTPStatus, description: str, schema: str) -> Responses:
    content = {"application/json": {"schema": {"$ref": _COMPONENTS + schema}}}
    return {status.value: {"description": description, "content": content}}


def _body(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


_GUARDED = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.MISDIRECTED_REQUEST,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
_REFUSED = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
)
_EVENT = {"$ref": f"{_COMPONENTS}Event"}

EVENT_BODY = _body(_EVENT)
BATCH_BODY = _body({"type": "array", "items": _EVENT})
EVENT_RESPONSES: Responses = {
    HTTPStatus.CREATED.value: {"description": "The event is stored durably."},
    **_json(
        HTTPStatus.ACCEPTED, "The store refuses the event, which is kept as a dead letter.", "DeadLetter"
    ),
    **_problems(*_REFUSED, *_GUARDED),
}
BATCH_RESPONSES: Responses = {
    **_json(HTTPStatus.OK, "All events are stored durably.", "BatchSummary"),
    **_json(HTTPStatus.MULTI_STATUS, "Events not in `failed_events` are stored durably.", "BatchSummary"),
    **_problems(*_REFUSED, *_GUARDED),
}
HEALTH_RESPONSES: Responses = _problems(HTTPStatus.MISDIRECTED_REQUEST, HTTPStatus.SERVICE_UNAVAILABLE)
GUARDED_RESPONSES: Responses = _problems(*_GUARDED)


def describe(app: FastAPI) -> None:
    """Add the referenced schemas to the app's OpenAPI document."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        document = generate()
        document.setdefault("components", {}).setdefault("schemas", {}).update(_schemas())
        return document

    app.openapi = openapi  # type: ignore[method-assign]


def _schemas() -> dict[str, Any]:
    event = TypeAdapter(Event).json_schema(by_alias=True, ref_template=_COMPONENTS + "{model}")
    parts = event.pop("$defs")
    for part in parts.values():
        for name, member in part["properties"].items():
            _allow_null(name, member)
    # An event's members determine which of them applies.
    parts["JobEvent"]["not"] = {"required": ["run"]}
    parts["DatasetEvent"]["not"] = {"anyOf": [{"required": ["run"]}, {"required": ["job"]}]}
    return {
        **parts,
        "Event": event,
        "Problem": _PROBLEM,
        "DeadLetter": _DEAD_LETTER,
        "BatchSummary": _BATCH_SUMMARY,
    }


def _allow_null(name: str, member: dict[str, Any]) -> None:
    """Allow null, which producers write instead of omitting a facet, a list or an object."""
    if name.lower().endswith("facets"):
        member["additionalProperties"]["type"] = ["object", "null"]
        member["type"] = ["object", "null"]
    elif name in ("inputs", "outputs"):
        member["type"] = ["array", "null"]
