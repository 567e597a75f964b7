"""Events of a made-up company with nested tables: jobs of several inputs and outputs, some of which many jobs read."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

NAMESPACE: Final = "company"
_URL: Final = "https://example.org/company"
_META: Final = {"_producer": _URL, "_schemaURL": _URL}
_COLUMNS: Final = [f"c{number}" for number in range(14)]
_STRUCTS: Final[dict[str, list[str]]] = {
    "user": ["id", "name", "mail", "phone", "born", "town", "street"],
    "address": ["street", "town", "zip", "country", "since", "kind", "note"],
    "items": ["sku", "price", "count", "note", "shipped", "returned", "gift", "to"],
}
PATHS: Final = len(_COLUMNS) + sum(1 + len(each) for each in _STRUCTS.values()) + 1
"""Paths of a table, inner ones too."""
_PERSONAL: Final = {"user.mail": "user.contact.email", "user.name": "user.name", "c0": "user.unique_id"}
_COPIED: Final = [{"type": "DIRECT", "subtype": "IDENTITY", "masking": False, "manipulation": ["COPY"]}]
_COMPUTED: Final = [
    {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": False, "manipulation": ["COMPUTE"]}
]
_HASHED: Final = [
    {
        "type": "DIRECT",
        "subtype": "TRANSFORMATION",
        "masking": True,
        "manipulation": ["MASK"],
        "functions": ["sha2"],
    }
]
_SUMMED: Final = [
    {
        "type": "DIRECT",
        "subtype": "AGGREGATION",
        "masking": False,
        "manipulation": ["AGGREGATE"],
        "functions": ["sum"],
    }
]
_JOINED: Final = [{"type": "INDIRECT", "subtype": "JOIN", "masking": False, "access": "JOIN"}]
_GROUPED: Final = [{"type": "INDIRECT", "subtype": "GROUP_BY", "masking": False, "access": "GROUP_BY"}]


@dataclass(frozen=True, slots=True)
class LargeCompany:
    """``jobs`` jobs in layers, each with ``outputs`` tables; as many sources, of which some have personal data."""

    jobs: int = 1_000
    outputs: int = 4
    layers: int = 8
    personal: int = 100

    @property
    def datasets(self) -> int:
        return self.jobs * (self.outputs + 1)

    @property
    def paths(self) -> int:
        return self.datasets * PATHS

    def events(self) -> Iterator[dict[str, Any]]:
        """One run of each job, from the first layer on."""
        chance = random.Random(self.jobs)
        known = [f"source_{number}" for number in range(self.jobs)]
        wide, before = self.jobs // self.layers, list(known)
        for layer in range(self.layers):
            made: list[str] = []
            for place in range(wide):
                number = layer * wide + place
                # Each job reads a source of its own, something new, and something that others read, too.
                shared = [
                    known[min(int(chance.paretovariate(1.2)) - 1, len(known) - 1)]
                    for _ in range(chance.randrange(3))
                ]
                inputs = list(dict.fromkeys([chance.choice(before), f"source_{number}", *shared]))
                chance.shuffle(inputs)
                outputs = [f"table_{number}_{each}" for each in range(self.outputs)]
                made += outputs
                yield self.event(number, inputs, outputs, chance)
            known, before = known + made, made

    def event(
        self, number: int, inputs: list[str], outputs: list[str], chance: random.Random
    ) -> dict[str, Any]:
        """A run of one job."""
        return {
            "eventType": "COMPLETE",
            "eventTime": "2026-11-20T10:00:00Z",
            "producer": _URL,
            "run": {"runId": f"0193f5a0-0000-7000-8000-{zlib.crc32(str(number).encode()):012d}"},
            "job": {"namespace": NAMESPACE, "name": f"job-{number}"},
            "inputs": [
                {"namespace": NAMESPACE, "name": name, "facets": self._described(name)} for name in inputs
            ],
            "outputs": [
                {
                    "namespace": NAMESPACE,
                    "name": name,
                    "facets": {"schema": _schema(), "headwater_pathLineage": _lineage(inputs, chance)},
                }
                for name in outputs
            ],
        }

    def _described(self, name: str) -> dict[str, Any]:
        facets: dict[str, Any] = {"schema": _schema()}
        kind, _, number = name.partition("_")
        if kind == "source" and int(number) % (self.jobs // self.personal) == 0:
            tags = [{"key": category, "value": "", "field": path} for path, category in _PERSONAL.items()]
            facets["tags"] = {**_META, "tags": tags}
        return facets


def _lineage(inputs: list[str], chance: random.Random) -> dict[str, Any]:
    first, last = inputs[0], inputs[-1]
    aggregates = chance.random() < 0.1
    fields = (
        []
        if aggregates
        else [_field(["items"], first, ["items"], _COPIED), _field(["address"], last, ["address"], _COPIED)]
    )
    fields.append(
        _field(["user"], first, ["user"], _COPIED)
        if chance.random() < 0.9
        else _field(["user", "id"], first, ["user", "mail"], _HASHED)
    )
    for column in _COLUMNS:
        source = chance.choice(inputs)
        how = _SUMMED if aggregates and column != "c0" else chance.choice([_COPIED, _COPIED, _COMPUTED])
        fields.append(_field([column], source, [column], how))
        if how is _COMPUTED:
            fields.append(_field([column], last, [chance.choice(_COLUMNS)], how))
    whole = [_input(name, ["c0"], _JOINED) for name in inputs if len(inputs) > 1]
    whole += [_input(first, ["c0"], _GROUPED)] if aggregates else []
    return {**_META, "fields": fields, "dataset": whole, "opaque": [], "complete": True, "incomplete": []}


def _field(path: list[str], name: str, source: list[str], how: list[dict[str, Any]]) -> dict[str, Any]:
    return {"path": path, "inputFields": [_input(name, source, how)]}


def _input(name: str, path: list[str], how: list[dict[str, Any]]) -> dict[str, Any]:
    return {"namespace": NAMESPACE, "name": name, "path": path, "transformations": how}


def _schema() -> dict[str, Any]:
    fields: list[dict[str, Any]] = [{"name": name, "type": "string"} for name in _COLUMNS]
    for name, members in _STRUCTS.items():
        inside: list[dict[str, Any]] = [{"name": each, "type": "string"} for each in members]
        if name == "items":
            inside = [{"name": "_element", "type": "struct", "fields": inside}]
        fields.append({"name": name, "type": "struct", "fields": inside})
    return {**_META, "fields": fields}
