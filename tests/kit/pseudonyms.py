"""Events of persons, pseudonyms of their mail addresses, and key tables."""

from __future__ import annotations

from typing import Any

from kit.openlineage import NAMESPACE, REPLACED, dataset, event, facet
from kit.planted import OPERATIONS

TAGS = facet(
    tags=[
        {"key": "user.contact.email", "value": "", "field": "mail"},
        {"key": "user.name", "value": "", "field": "name"},
        {"key": "user.financial", "value": "", "field": "amount"},
    ]
)
JOIN = {"type": "INDIRECT", "subtype": "JOIN", "masking": False, "access": "JOIN"}
GROUP = {"type": "INDIRECT", "subtype": "GROUP_BY", "masking": False, "access": "GROUP_BY"}


def people() -> dict[str, Any]:
    return dataset("people", "mail", "name", "amount", "town", tags=TAGS)


def source(place: str, *transformations: dict[str, Any]) -> dict[str, Any]:
    name, path = place.split(".")
    return {"namespace": NAMESPACE, "name": name, "path": [path], "transformations": list(transformations)}


def made(output: str, *fields: tuple[str, str, str], whole: Any = (), job: str = "") -> dict[str, Any]:
    """A run that makes the output anew: (column, how, source)."""
    entries = [
        {"path": [column], "inputFields": [source(place, *OPERATIONS[how])]} for column, how, place in fields
    ]
    lineage = facet(fields=entries, dataset=list(whole), complete=True, incomplete=[])
    columns = [column for column, _, _ in fields]
    places = [place for _, _, place in fields] + [each["name"] + "." for each in whole]
    names = sorted({place.split(".")[0] for place in places} - {"people"})
    inputs = [people(), *map(dataset, names)]
    made_of = [dataset(output, *columns, headwater_pathLineage=lineage, **REPLACED)]
    return event("COMPLETE", 1, f"run {output} {job}", inputs, made_of, job or f"makes {output}")


TOKENS = made("tokens", ("token", "hash", "people.mail"), ("amount", "copy", "people.amount"))
KEYS = made("keys", ("token", "hash", "people.mail"), ("mail", "copy", "people.mail"))
JOINED = [source("tokens.token", JOIN), source("keys.token", JOIN)]
NAMED = made("named", ("who", "copy", "keys.mail"), ("amount", "copy", "tokens.amount"), whole=JOINED)
