"""A report as JSON-LD in the terms of the W3C's Data Privacy Vocabulary (DPV 2).

Each row of the table of activities is a process on personal data, with its purpose, legal basis, data subjects,
categories and recipients; datasets are listed with the categories in them. What nobody stated is absent. Keys of
fideslang have the DPV term of the same meaning, or the nearest broader one. The context is in the file, so that nobody
has to fetch it. The same report has the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from headwater_backend.privacy.classification.vocabulary import DPV, PD, dpv_iri
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation.statements import LEGAL_BASES
from headwater_backend.reports.document.canonical import as_json, digest
from headwater_backend.reports.document.model import Cell, Document, Facts, Imprint, Place, Table
from headwater_backend.reports.formats.names import BASE, local_name, place_name

CONTEXT: Final = {
    "dpv": DPV,
    "pd": PD,
    "eu-gdpr": "https://w3id.org/dpv/legal/eu/gdpr#",
    "loc": "https://w3id.org/dpv/loc#",
    "dct": "http://purl.org/dc/terms/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "hw": BASE,
}
_BASES: Final = {basis: f"eu-gdpr:A6-1-{letter}" for basis, letter in zip(LEGAL_BASES, "abcdef", strict=True)}
_PARTIES: Final = {
    "controller": ("dpv:hasDataController", "dpv:DataController"),
    "joint_controllers": ("dpv:hasJointDataControllers", "dpv:JointDataControllers"),
    "processor": ("dpv:hasDataProcessor", "dpv:DataProcessor"),
    "on_behalf_of": ("dpv:hasDataController", "dpv:DataController"),
    "representative": ("dpv:hasRepresentative", "dpv:Representative"),
    "data_protection_officer": ("dpv:hasDataProtectionOfficer", "dpv:DataProtectionOfficer"),
}
_COUNTRY: Final = re.compile("[A-Z]{2}")
Row = Mapping[str, Cell]
Node = dict[str, Any]


def render(document: Document, _imprint: Imprint) -> str:
    """The JSON-LD."""
    record = _record(document)
    graph = [record, *_datasets(document), *_processes(document, record)]
    return (
        json.dumps({"@context": CONTEXT, "@graph": graph}, ensure_ascii=False, indent=1, sort_keys=True)
        + "\n"
    )


def _record(document: Document) -> Node:
    found = digest(as_json(document))
    return {
        "@id": f"hw:{local_name('report', found)}",
        "@type": "dpv:Process",
        "dct:title": {"@value": document.title, "@language": document.language},
        "dct:identifier": found,
        "dct:temporal": {"@value": document.as_of.isoformat(), "@type": "xsd:dateTime"},
        "dct:creator": f"Headwater {document.version}",
        **_parties(document),
        **_measures(document),
    }


def _parties(document: Document) -> Node:
    found: Node = {}
    for key, values in _facts(document, "parties"):
        if values and key in _PARTIES:
            term, kind = _PARTIES[key]
            found.setdefault(term, []).append({"@type": kind, "dct:title": values[0], **_lines(values[1:])})
    return found


def _lines(values: tuple[str, ...]) -> Node:
    return {"dct:description": list(values)} if values else {}


def _measures(document: Document) -> Node:
    stated = [each for key, values in _facts(document, "measures") if key == "measures" for each in values]
    computed = [
        {
            "@type": "dpv:Pseudonymisation"
            if row["form"] == (Form.PSEUDONYMISED.name,)
            else "dpv:DataRedaction",
            "dct:description": f"{row['job']}: {row['source_dataset']} → {row['target_dataset']}",
        }
        for row in _rows(document, "protections")
    ]
    described = [{"@type": "dpv:TechnicalOrganisationalMeasure", "dct:description": each} for each in stated]
    found = [*described, *computed]
    return {"dpv:hasTechnicalOrganisationalMeasure": found} if found else {}


def _datasets(document: Document) -> list[Node]:
    """The datasets with the categories in them."""
    found: dict[tuple[str, str], Node] = {}
    for row in _rows(document, "categories"):
        key = str(row["namespace"]), str(row["dataset"])
        node = found.setdefault(
            key,
            {
                "@id": _dataset(*key),
                "@type": "dpv:PersonalData",
                "dct:title": key[1],
                "dpv:hasPersonalData": [],
            },
        )
        pseudonymised = row["forms"] == (Form.PSEUDONYMISED.name,)
        kinds = [_term(str(row["category"])), *(["dpv:PseudonymisedData"] if pseudonymised else [])]
        node["dpv:hasPersonalData"].append({"@type": kinds, "dct:identifier": row["category"]})
    return list(found.values())


def _processes(document: Document, record: Node) -> Iterator[Node]:
    """The processing activities."""
    recipients = {str(row["recipient"]): row for row in _rows(document, "transfers") if row["recipient"]}
    named: list[Node] = []
    for number, row in enumerate(_rows(document, "activities"), 1):
        node: Node = {
            "@id": f"hw:{local_name('process', record['dct:identifier'], str(number))}",
            "@type": "dpv:PersonalDataProcess",
            "dpv:hasPersonalData": [{"@id": _term(key)} for key in _several(row["categories"])],
            "dpv:hasRecipient": [
                _recipient(name, recipients.get(name)) for name in _several(row["recipients"])
            ],
            "dpv:hasDataSubject": [{"@id": _term(key)} for key in _several(row["subjects"])],
            "dpv:hasLegalBasis": [{"@id": _BASES[key]} for key in _several(row["legal_basis"])],
        }
        if row["activity"]:
            node["dct:title"] = row["activity"]
        if row["purpose"]:
            node["dpv:hasPurpose"] = {"@id": _term(str(row["purpose"])), "dct:identifier": row["purpose"]}
        if row["retention"]:
            node["dpv:hasStorageCondition"] = {
                "@type": "dpv:StorageDuration",
                "dct:description": row["retention"],
            }
        named.append({"@id": node["@id"]})
        yield {key: value for key, value in node.items() if value != []}
    if named:
        record["dpv:hasPersonalDataProcess"] = named


def _recipient(name: str, transfer: Row | None) -> Node:
    node: Node = {"@type": "dpv:Recipient", "dct:title": name}
    if transfer is None:
        return node
    country = str(transfer["country"])
    node["dpv:hasCountry"] = (
        {"@id": f"loc:{country}"} if _COUNTRY.fullmatch(country) else {"dct:title": country}
    )
    if transfer["safeguard"]:
        node["dpv:hasTechnicalOrganisationalMeasure"] = {
            "@type": "dpv:TechnicalOrganisationalMeasure",
            "dct:description": transfer["safeguard"],
        }
    return node


def _dataset(namespace: str, name: str) -> str:
    return f"hw:{place_name(Place(namespace, name))}"


def _term(key: str) -> str:
    """The IRI of a key of fideslang."""
    return dpv_iri(key)


def _several(cell: Cell) -> tuple[str, ...]:
    return cell if isinstance(cell, tuple) else ()


def _rows(document: Document, key: str) -> list[Row]:
    """The rows of a table, by the keys of its columns."""
    tables: list[Table] = [table for _, table in document.tables() if table.key == key]
    return [
        dict(zip((column.key for column in table.columns), row, strict=True))
        for table in tables
        for row in table.rows
    ]


def _facts(document: Document, section: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    found = document.section(section)
    for block in found.blocks if found else ():
        if isinstance(block, Facts):
            yield from ((fact.key, fact.values) for fact in block.facts)
