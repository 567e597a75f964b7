"""Reports in tests: questions over the parcels' store, and documents over graphs in memory."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import read_rules
from headwater_backend.privacy.organisation.organisation_file import read_organisation
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.document.model import Document, Imprint
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from headwater_backend.stores import open_store
from kit import sqlite
from kit.looked import look_at
from kit.memory_store import MemoryStore, graph, node
from kit.shared import DATA

REPORTS = DATA / "reports"
AS_OF = datetime(2026, 11, 22, 6, tzinfo=timezone.utc)
BEFORE = datetime(2026, 1, 1, tzinfo=timezone.utc)
IMPRINT = Imprint(datetime(2026, 11, 22, 6, 30, tzinfo=timezone.utc), "sqlite:///lineage.db")


def parcels(folder: Path, *, backwards: bool = False, looked: bool = True) -> LineageStore:
    """A store with the parcels' events, in their order or against it; somebody looked at their sources, or not."""
    lines = (DATA / "parcels.ndjson").read_text("utf-8").splitlines()
    store = open_store(sqlite.empty(folder / f"{'backwards' if backwards else 'parcels'}.db"))
    for line in reversed(lines) if backwards else lines:
        assert all(outcome.stored for outcome in ingest(store, [json.loads(line)]))
    if looked:
        look_at_parcels(store)
    return store


def look_at_parcels(store: LineageStore) -> None:
    """Decide that nothing in the parcels' sources is personal but what rules say."""
    names = (f"shop.{name}" for name in ("couriers", "customers", "depots", "orders"))
    look_at(store, *names, namespace="parcels", now=BEFORE)


def question(kind: Kind, **more: Any) -> ReportQuestion:
    """A question about the parcels, with rules and statements, that needs nothing more."""
    if kind is Kind.ART33:
        more.setdefault("leaked", (PlacePattern(("parcels", "shop.vouchers"), "**", 1),))
    if kind is Kind.REVIEW:
        more.setdefault("since", BEFORE)
    given: dict[str, Any] = {
        "ruling": Ruling(asked=read_rules(REPORTS / "rules.yaml")),
        "organisation": read_organisation(REPORTS / "organisation.yaml"),
        "bounds": Bounds(as_of=AS_OF),
    }
    return ReportQuestion(kind, **{**given, **more})


def over(edges: str, kind: Kind = Kind.EXPOSURE, *, rows: int = 2_000, **store: Any) -> Document:
    """The report on the mail of ``t``, over a graph in memory."""
    tags = store.pop("tags", [(node("t:user.mail"), "data_category", "user.contact.email")])
    asked = ReportQuestion(kind, influenced=True, bounds=Bounds(as_of=AS_OF), rows=rows)
    return build(MemoryStore(graph(edges), tags=tags, **store), asked)
