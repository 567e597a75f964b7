"""The least changes that end violations, of stored events."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.cut.changes import Kind
from headwater_backend.privacy.cut.costs_file import parse_costs
from headwater_backend.privacy.cut.cut import Cuts, least_cuts
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_policies
from kit.openlineage import NAMESPACE, dataset, event, facet, paths

TAGS = facet(
    tags=[{"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"}]
)
OWNED = facet(owners=[{"name": "team loading", "type": "MAINTAINER"}])
POLICIES = parse_policies("- {policy: p, category: user.contact, dataset: '* mart_*'}")


def run(minute: int, name: str, source: str, *targets: str, owned: bool = False) -> dict[str, Any]:
    """A run that copies the mail of one dataset into others."""
    tags = {"tags": TAGS} if source == "people" else {}
    outputs = [
        dataset(each, "mail", headwater_pathLineage=paths((["mail"], source, ["mail"], "IDENTITY")))
        for each in targets
    ]
    found = event("COMPLETE", minute, f"run {minute}", [dataset(source, "mail", **tags)], outputs, name)
    if owned:
        found["job"].setdefault("facets", {})["ownership"] = OWNED
    return found


@pytest.fixture
def company(store: LineageStore) -> LineageStore:
    events = [
        run(1, "loads", "people", "stage", owned=True),
        run(2, "fills", "stage", "mart_one", "mart_two"),
        run(3, "reports", "mart_two", "report"),
    ]
    assert [outcome.error for outcome in ingest(store, events)] == [None] * 3
    return store


def alternatives(found: Cuts) -> list[list[tuple[str, str, Kind]]]:
    (cut,) = found.cuts
    return [
        [(each.place.job.name, each.place.node.dataset.name, each.kind) for each in chosen.changes]
        for chosen in cut.alternatives
    ]


def test_the_least_change_is_where_the_ways_are_still_one(company: LineageStore) -> None:
    found = least_cuts(company, POLICIES, Ruling())
    assert alternatives(found)[0] == [("loads", "stage", Kind.MASK)]
    (change,) = found.cuts[0].alternatives[0].changes
    assert [each.name for each in found.owners[change.place.job]] == ["team loading"]
    below = found.downstream[change.place.node]
    assert [each.name for each in below.datasets] == ["mart_one", "mart_two", "report"]
    assert [each.name for each in below.jobs] == ["fills", "reports"]


def test_costs_of_owners_move_the_cut(company: LineageStore) -> None:
    found = least_cuts(company, POLICIES, Ruling(), costs=parse_costs("owners: {team loading: 5}"))
    assert alternatives(found)[0] == [("fills", "mart_one", Kind.MASK), ("fills", "mart_two", Kind.MASK)]


def test_only_the_violations_at_a_place_are_cut(company: LineageStore) -> None:
    place = NodeKey(DatasetKey(NAMESPACE, "mart_two"), ("mail",))
    found = least_cuts(company, POLICIES, Ruling(), at=place, costs=parse_costs("jobs: {'* loads': never}"))
    assert alternatives(found)[0] == [("fills", "mart_two", Kind.MASK)]
    assert [each.held.node for each in found.cuts[0].violations] == [place]


def test_too_many_alternatives_are_refused(company: LineageStore) -> None:
    with pytest.raises(BadQuestion, match="21 alternatives"):
        least_cuts(company, POLICIES, Ruling(), alternatives=21)
