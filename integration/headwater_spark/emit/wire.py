"""An event as the text that is kept and sent: as short as JSON allows.

Of a small write's events, what is left out here is a tenth. It says nothing: blanks, the objects of statistics and of
the parents' facets where there are none, and the tag by which the client tells its own version, which no setting of it
switches off. The ``facets`` of an event's own run, job and datasets are an object even then: readers expect one.
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
    """The JSON of an event's document, which is changed by it."""
    _forget_client(event)
    for part, key in _optional_facets(event):
        if not part.get(key, True):
            del part[key]
    return json.dumps(event, sort_keys=True, separators=(",", ":"))


def _forget_client(event: Mapping[str, Any]) -> None:
    facets = event["run"].get("facets") or {}
    if "tags" not in facets:
        return
    tags = [tag for tag in facets["tags"].get("tags") or () if tag.get("source") != _CLIENT]
    if tags:
        facets["tags"] = {**facets["tags"], "tags": tags}
    else:
        del facets["tags"]


def _optional_facets(event: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """The places of facets that are told only where there are some."""
    yield from ((dataset, "inputFacets") for dataset in event.get("inputs", ()))
    yield from ((dataset, "outputFacets") for dataset in event.get("outputs", ()))
    parent = (event["run"].get("facets") or {}).get("parent") or {}
    for above in filter(None, (parent, parent.get("root"))):
        yield from ((above["run"], "facets"), (above["job"], "facets"))
