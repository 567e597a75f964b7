"""Events of a made-up company: layers of tables, each made of two of the layer below; the first has personal data."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_URL = "https://example.org/company"
_META = {"_producer": _URL, "_schemaURL": _URL}
NAMESPACE = "company"
COLUMNS = 10
TAGGED = 3
"""Personal columns of each table that has any."""
_COPIED = [{"type": "DIRECT", "subtype": "IDENTITY", "masking": False}]
_COMPUTED = [{"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": False}]
_JOINED = [{"type": "INDIRECT", "subtype": "JOIN", "masking": False}]


@dataclass(frozen=True, slots=True)
class Company:
    """``jobs`` jobs in ``layers`` layers; ``attributes`` personal columns, in tables of the first layer."""

    jobs: int
    attributes: int
    layers: int = 10

    @property
    def wide(self) -> int:
        """How many tables a layer has."""
        return max(self.jobs // self.layers, -(-self.attributes // TAGGED))

    def events(self) -> Iterator[dict[str, Any]]:
        """One run of each job, from the first layer on."""
        chance = random.Random(self.jobs)
        for number in range(self.jobs):
            layer, place = divmod(number, self.wide)
            other = chance.randrange(self.wide)
            yield self._event(number, [(layer, place), (layer, other)], (layer + 1, place))

    def _event(self, number: int, sources: list[tuple[int, int]], target: tuple[int, int]) -> dict[str, Any]:
        one, other = (_table(source) for source in sources)
        fields = {
            f"c{column}": {"inputFields": list(_made_of(column, one, other))} for column in range(COLUMNS)
        }
        joined = [{**_field(one, 0), "transformations": _JOINED}]
        lineage = {**_META, "fields": fields, "dataset": joined}
        return {
            "eventType": "COMPLETE",
            "eventTime": "2026-11-20T10:00:00Z",
            "producer": _URL,
            "run": {"runId": f"0193f5a0-0000-7000-8000-{zlib.crc32(str(number).encode()):012d}"},
            "job": {"namespace": NAMESPACE, "name": f"job-{number}"},
            "inputs": [self._input(source) for source in sources],
            "outputs": [
                {
                    "namespace": NAMESPACE,
                    "name": _table(target),
                    "facets": {"schema": _schema(), "columnLineage": lineage},
                }
            ],
        }

    def _input(self, source: tuple[int, int]) -> dict[str, Any]:
        layer, place = source
        facets: dict[str, Any] = {"schema": _schema()}
        count = min(TAGGED, self.attributes - place * TAGGED)
        if layer == 0 and count > 0:
            tags = [{"key": "user.contact.email", "value": "", "field": f"c{each}"} for each in range(count)]
            facets["tags"] = {**_META, "tags": tags}
        return {"namespace": NAMESPACE, "name": _table(source), "facets": facets}


def _made_of(column: int, one: str, other: str) -> Iterator[dict[str, Any]]:
    """Every column is copied from one table; the first half is computed with the other's, too."""
    yield {**_field(one, column), "transformations": _COPIED}
    if column < COLUMNS // 2 and one != other:
        yield {**_field(other, column), "transformations": _COMPUTED}


def _field(table: str, column: int) -> dict[str, Any]:
    return {"namespace": NAMESPACE, "name": table, "field": f"c{column}"}


def _table(at: tuple[int, int]) -> str:
    return f"layer_{at[0]}.table_{at[1]}"


def _schema() -> dict[str, Any]:
    return {**_META, "fields": [{"name": f"c{column}", "type": "string"} for column in range(COLUMNS)]}
