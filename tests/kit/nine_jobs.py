"""Events of a company with nine jobs: a shop, its newsletter, figures and payroll; and what it states of itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification.rules import Rules
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_rules
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.organisation.statements import Organisation
from headwater_backend.stores import open_store
from kit.openlineage import event, facet

SHOP: Final = "postgres://shop:5432"
STAFF: Final = "postgres://staff:5432"
LAKE: Final = "s3://lake"
MAILER: Final = "s3://mailer"
TAXES: Final = "s3://taxes"

PEOPLE: Final = {
    "id": "user.unique_id",
    "first_name": "user.name.first",
    "last_name": "user.name.last",
    "email": "user.contact.email",
    "phone": "user.contact.phone_number",
    "street": "user.contact.address.street",
    "city": "user.contact.address.city",
    "postcode": "user.contact.address.postal_code",
    "country": "user.contact.address.country",
    "birth_date": "user.demographic.date_of_birth",
    "gender": "user.demographic.gender",
    "allergies": "user.health_and_medical",
    "card_number": "user.financial",
    "last_ip": "user.device.ip_address",
}
EMPLOYEES: Final = {
    "id": "user.unique_id",
    "name": "user.name",
    "email": "user.contact.email",
    "address": "user.contact.address",
    "iban": "user.financial.bank_account",
    "salary": "user.financial",
    "religion": "user.demographic.religious_belief",
    "tax_id": "user.government_id",
}
COPIED: Final = ("IDENTITY", "COPY", "", "VALUE", False)
MAIN: Final = "shop.execute_insert_into_hadoop_fs_relation_command.lake_"


class Made(NamedTuple):
    """How one column is made of another: the kind, what it does, the function, what can be read back, and masking."""

    target: str
    source: str
    subtype: str = "IDENTITY"
    manipulation: str = "COPY"
    function: str = ""
    retains: str = "VALUE"
    masking: bool = False


def _contains(target: str, source: str, function: str) -> Made:
    return Made(target, source, "TRANSFORMATION", "COMPUTE", function, "CONTAINS")


def _token(target: str, source: str, function: str, retains: str = "TOKEN") -> Made:
    return Made(target, source, "TRANSFORMATION", "MASK", function, retains, True)


def _sum(target: str, source: str, function: str = "sum") -> Made:
    return Made(target, source, "AGGREGATION", "AGGREGATE", function, "STATISTIC")


Place = tuple[str, str]
_CUSTOMERS: Final = (SHOP, "shop.customers")
_ORDERS: Final = (SHOP, "shop.orders")
_STAFF: Final = (STAFF, "staff.employees")
_RAW: Final = (LAKE, "raw/customers")
_RAW_ORDERS: Final = (LAKE, "raw/orders")
_CORE: Final = (LAKE, "core/customers")
_CORE_ORDERS: Final = (LAKE, "core/orders")
_EXPORT: Final = (MAILER, "export/newsletter")
_FIGURES: Final = (LAKE, "figures/orders")
_CITIES: Final = (LAKE, "figures/revenue_by_city")
_PAYROLL: Final = (TAXES, "payroll/2026")
_SUPPORT: Final = (LAKE, "support/cases")

_ORDER_COLUMNS: Final = ("order_id", "customer_id", "amount", "note")
_SCHEMAS: Final[Mapping[Place, tuple[str, ...]]] = {
    _CUSTOMERS: tuple(PEOPLE),
    _ORDERS: _ORDER_COLUMNS,
    _STAFF: tuple(EMPLOYEES),
}


def _same(names: Iterable[str]) -> tuple[Made, ...]:
    return tuple(Made(name, name) for name in names)


def jobs() -> Iterator[tuple[str, Place, Mapping[Place, tuple[Made, ...]]]]:
    """Each job with what it writes, and how it makes that of what it reads."""
    cleaned = {"email": "lower", "first_name": "initcap", "last_name": "upper", "phone": "replace"}
    plain = tuple(name for name in PEOPLE if name not in cleaned)
    yield f"{MAIN}raw_customers", _RAW, {_CUSTOMERS: _same(PEOPLE)}
    yield f"{MAIN}raw_orders", _RAW_ORDERS, {_ORDERS: _same(_ORDER_COLUMNS)}
    yield (
        f"{MAIN}core_customers",
        _CORE,
        {_RAW: (*_same(plain), *(_contains(n, n, f) for n, f in cleaned.items()))},
    )
    yield (
        f"{MAIN}core_orders",
        _CORE_ORDERS,
        {
            _CORE: _same(("email", "city", "postcode", "birth_date", "allergies", "phone")),
            _RAW_ORDERS: _same(_ORDER_COLUMNS),
        },
    )
    yield (
        "newsletter_export",
        _EXPORT,
        {_CORE: (*_same(("email", "first_name", "gender")), _contains("payload", "city", "to_json"))},
    )
    yield (
        "pseudonymise_orders",
        _FIGURES,
        {
            _CORE_ORDERS: (
                *_same(("amount", "city")),
                _token("email_token", "email", "sha2"),
                _token("customer_token", "customer_id", "hmac", "KEYED_TOKEN"),
                _token("phone_check", "phone", "crc32", "PART"),
                _token("post_check", "postcode", "hash", "PART"),
            )
        },
    )
    yield "revenue_by_city", _CITIES, {_FIGURES: (_sum("revenue", "amount"), Made("city", "city"))}
    yield "payroll", _PAYROLL, {_STAFF: _same(EMPLOYEES)}
    yield "support_cases", _SUPPORT, {_CORE: _same(PEOPLE), _CORE_ORDERS: _same(("note", "amount"))}


def _schema(place: Place, names: Iterable[str], **facets: Any) -> dict[str, Any]:
    fields = [{"name": name, "type": "string"} for name in names]
    return {"namespace": place[0], "name": place[1], "facets": {"schema": facet(fields=fields), **facets}}


def _input(source: Place, made: Made) -> dict[str, Any]:
    how = {
        "type": "DIRECT",
        "subtype": made.subtype,
        "masking": made.masking,
        "manipulation": [made.manipulation],
        "functions": [made.function] if made.function else [],
        "retains": made.retains,
    }
    return {"namespace": source[0], "name": source[1], "path": [made.source], "transformations": [how]}


def events() -> Iterator[dict[str, Any]]:
    """One run of each job; the newsletter's program also collects addresses, and support's lineage has a gap."""
    schemas = dict(_SCHEMAS)
    for minute, (name, target, sources) in enumerate(jobs()):
        columns = tuple(dict.fromkeys(made.target for each in sources.values() for made in each))
        schemas[target] = columns
        fields = [
            {"path": [made.target], "inputFields": [_input(source, made)]}
            for source, each in sources.items()
            for made in each
        ]
        gap = [{"path": ["note"], "reason": "PYTHON_UDF", "detail": "redact"}]
        incomplete = gap if target == _SUPPORT else []
        lineage = facet(fields=fields, complete=not incomplete, incomplete=incomplete)
        counted = {"outputFacets": {"outputStatistics": facet(rowCount=4_000 + minute)}}
        given = {**_schema(target, columns, headwater_pathLineage=lineage), **counted}
        taken = [_schema(source, schemas[source], **_collected(name, source)) for source in sources]
        yield event("COMPLETE", minute, name, taken, [given], name)


def _collected(job: str, source: Place) -> dict[str, Any]:
    """What the newsletter's program takes to its driver."""
    if job != "newsletter_export":
        return {}
    paths = [{"path": ["email"], "access": ["PROJECT", "DRIVER"]}]
    return {"headwater_access": facet(paths=paths)}


def rules_text() -> str:
    """The rules that classify the two sources."""
    return "\n".join(
        f'- {{dataset: {{namespace: "{place[0]}", name: {place[1]}}}, path: {path}, category: {category}}}'
        for place, given in ((_CUSTOMERS, PEOPLE), (_STAFF, EMPLOYEES))
        for path, category in given.items()
    )


def ruling(text: str = "") -> Ruling:
    """The rules as a ruling, or those of another text."""
    return Ruling(asked=Rules(tuple(parse_rules(text or rules_text()).paths)))


ORGANISATION: Final = """
controller: {name: Beispiel Versand GmbH, address: "Beispielweg 1, 10115 Berlin", contact: datenschutz@beispiel.example}
data_protection_officer: {name: Dr. A. Muster, contact: dpo@beispiel.example}
processor: {name: Beispiel Versand GmbH, contact: datenschutz@beispiel.example}
on_behalf_of: [{name: Nord Handel AG, contact: privacy@nord.example}, {name: Süd Handel KG}]
authority: Berliner Beauftragte für Datenschutz und Informationsfreiheit
rights: datenschutz@beispiel.example
processing:
  - activity: Kundenkonten
    outputs: "s3://lake *customers"
    purpose: essential.service
    legal_basis: contract
    subjects: [customer]
    retention: 3 years
  - activity: Bestellungen
    outputs: "s3://lake *orders"
    purpose: essential.service.payment_processing
    legal_basis: contract
    subjects: [customer]
    retention: 10 years
  - activity: Newsletter
    outputs: "s3://mailer *"
    purpose: marketing.communications.email
    legal_basis: consent
    subjects: [customer, prospect]
  - activity: Gehaltsabrechnung
    jobs: "* payroll"
    purpose: employment
    legal_basis: legal_obligation
    subjects: [employee]
    retention: 10 years
recipients:
  - name: Mailer Inc.
    datasets: "s3://mailer *"
    country: US
    safeguard: Standardvertragsklauseln, Art. 46 Abs. 2 Buchst. c
  - {name: Steuerbüro Nord, datasets: "s3://taxes *", country: DE}
locations:
  - {datasets: "s3://lake *", country: DE}
measures: [Zugriff nach Rolle, Verschlüsselung ruhender Daten]
incident:
  discovered: 2026-11-20 08:15
  nature: Eine Sicherung war öffentlich lesbar.
  persons: etwa 4.000
"""


def organisation() -> Organisation:
    """What the company states."""
    return parse_organisation(ORGANISATION)


def company(folder: Path) -> LineageStore:
    """A store with the nine jobs."""
    store = open_store(f"sqlite:///{folder}/company.db")
    assert all(outcome.stored for outcome in ingest(store, list(events())))
    return store
