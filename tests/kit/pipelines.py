"""A small pipeline with nested paths, personal data, influences and a gap, as its jobs report it.

``enrich`` joins raw customers and orders; ``group`` counts what they spend by city, and masks whom it counted;
``export`` makes letters of it with a function that nobody can see into.
"""

from __future__ import annotations

from typing import Any

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from kit.openlineage import NAMESPACE, dataset, event, facet

CUSTOMERS = ("id", ("person", ["name", "mail", ("address", ["city", "street"])]))
ORDERS = ("id", "customer", "total", "placed_at")
ENRICHED = ("order", ("customer", ["name", "mail", "city"]), "total")
SPENDING = ("city", "total", "customer_hash")
LETTERS = ("letter", "city")
PERSONAL = facet(
    tags=[
        {"key": "pii", "value": "user.name", "field": "person.name"},
        {"key": "pii", "value": "user.contact.email", "field": "person.mail"},
    ]
)
"""Tags of the raw customers, which say nothing to Headwater without rules that name them."""
COUNTRIES = """
locations:
  - {datasets: "* customers", country: DE}
  - {datasets: "* orders_enriched", country: FR}
  - {datasets: "* spending", country: US}
  - {datasets: "* letters", country: JP}
safeguards:
  - {kind: adequacy, countries: [JP], since: 2019-01-23}
  - {kind: clauses, countries: [US], datasets: "* spending", until: 2020-06-30, note: before Schrems II}
"""
"""What the organisation states of where these data are."""
IN_EUROPE = "- {policy: in Europe, category: user, countries: [EEA]}"


def shop_events() -> list[dict[str, Any]]:
    """One completed run of each job, a minute after each other."""
    return [_enrich(), _group(), _export()]


def fill_shop(store: LineageStore) -> None:
    """Store the pipeline's events."""
    assert [outcome.error for outcome in ingest(store, shop_events())] == [None] * len(shop_events())


def _enrich() -> dict[str, Any]:
    customer = "customers"
    lineage = _lineage(
        _copied("order", ("orders", "id")),
        _copied("total", ("orders", "total")),
        _copied("customer/name", (customer, "person/name")),
        _copied("customer/mail", (customer, "person/mail")),
        _copied("customer/city", (customer, "person/address/city")),
        everywhere=[
            _source(customer, "id", "INDIRECT", "JOIN"),
            _source("orders", "customer", "INDIRECT", "JOIN"),
            _source("orders", "placed_at", "INDIRECT", "FILTER"),
        ],
    )
    run = event(
        "COMPLETE",
        1,
        "enrich 1",
        [dataset("customers", *CUSTOMERS, tags=PERSONAL), dataset("orders", *ORDERS)],
        [dataset("orders_enriched", *ENRICHED, headwater_pathLineage=lineage)],
        "enrich",
    )
    conditions = [
        {"access": "FILTER", "sql": "placed_at >= DATE '2026-01-01'", "expression": {"sql": "placed_at"}},
    ]
    run["job"]["facets"]["headwater_conditions"] = facet(conditions=conditions)
    return _counted(run, {"customers": 40, "orders": 300}, {"orders_enriched": 280})


def _group() -> dict[str, Any]:
    enriched = "orders_enriched"
    lineage = _lineage(
        _copied("city", (enriched, "customer/city")),
        ("total", [_source(enriched, "total", "DIRECT", "AGGREGATION", functions=["sum"])]),
        (
            "customer_hash",
            [
                _source(
                    enriched, "customer/mail", "DIRECT", "TRANSFORMATION", masking=True, functions=["sha2"]
                )
            ],
        ),
        everywhere=[_source(enriched, "customer/city", "INDIRECT", "GROUP_BY")],
    )
    run = event(
        "COMPLETE",
        2,
        "group 1",
        [dataset(enriched, *ENRICHED)],
        [dataset("spending", *SPENDING, headwater_pathLineage=lineage)],
        "group",
    )
    return _counted(run, {enriched: 280}, {"spending": 12})


def _export() -> dict[str, Any]:
    gap = {"reason": "UDF", "detail": "a Python function that cannot be seen into", "path": ["letter"]}
    lineage = _lineage(
        (
            "letter",
            [_source("orders_enriched", "customer", "DIRECT", "TRANSFORMATION", functions=["letter_to"])],
        ),
        _copied("city", ("spending", "city")),
        complete=False,
        incomplete=[gap],
    )
    return event(
        "COMPLETE",
        3,
        "export 1",
        [dataset("orders_enriched", *ENRICHED), dataset("spending", *SPENDING)],
        [dataset("letters", *LETTERS, headwater_pathLineage=lineage)],
        "export",
    )


def _lineage(*entries: tuple[str, list[dict[str, Any]]], everywhere: Any = (), **more: Any) -> dict[str, Any]:
    listed = [{"path": path.split("/"), "inputFields": sources} for path, sources in entries]
    known = {"complete": True, "incomplete": [], **more}
    return facet(fields=listed, **({"dataset": list(everywhere)} if everywhere else {}), **known)


def _copied(path: str, source: tuple[str, str]) -> tuple[str, list[dict[str, Any]]]:
    return path, [_source(*source, "DIRECT", "IDENTITY")]


def _source(
    name: str, path: str, kind: str, subtype: str, masking: bool = False, **more: Any
) -> dict[str, Any]:
    how = {"type": kind, "subtype": subtype, "masking": masking, **more}
    return {"namespace": NAMESPACE, "name": name, "path": path.split("/"), "transformations": [how]}


def _counted(run: dict[str, Any], read: dict[str, int], wrote: dict[str, int]) -> dict[str, Any]:
    """The run with the rows that it read and wrote."""
    for each in run["inputs"]:
        each["inputFacets"] = {"inputStatistics": facet(rowCount=read[each["name"]])}
    for each in run["outputs"]:
        each["outputFacets"] = {"outputStatistics": facet(rowCount=wrote[each["name"]])}
    return run
