"""An event as the compact JSON that is stored and sent.

A tenth of a small write's events is removed here, without loss of information: blanks, empty objects of statistics and
of the parent's facets, and the tag with the client's version, which no setting of the client disables. The ``facets``
of an event's own run, job and datasets are an object even if empty, since readers expect one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from openlineage.client.event_v2 import RunEvent
from openlineage.client.serde import Serde

_CLIENT: Final = "OPENLINEAGE_CLIENT"


def text(event: RunEvent) -> str:
    """The event as JSON."""
    return compact(Serde.to_dict(event))


def compact(event: dict[str, Any]) -> str:
    """The compact JSON of an event's document, which is modified."""
    _remove_client_tag(event)
    for part, key in _optional_facets(event):
        if not part.get(key, True):
            del part[key]
    return json.dumps(event, sort_keys=True, separators=(",", ":"))


def _remove_client_tag(event: Mapping[str, Any]) -> None:
    facets = event["run"].get("facets") or {}
    if "tags" not in facets:
        return
    tags = [tag for tag in facets["tags"].get("tags") or () if tag.get("source") != _CLIENT]
    if tags:
        facets["tags"] = {**facets["tags"], "tags": tags}
    else:
        del facets["tags"]


def _optional_facets(event: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each object with facets that are omitted if empty, and the key of these facets."""
    yield from ((dataset, "inputFacets") for dataset in event.get("inputs", ()))
    yield from ((dataset, "outputFacets") for dataset in event.get("outputs", ()))
    parent = (event["run"].get("facets") or {}).get("parent") or {}
    for above in filter(None, (parent, parent.get("root"))):
        yield from ((above["run"], "facets"), (above["job"], "facets"))
