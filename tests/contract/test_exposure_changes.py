"""What has changed in the exposure of personal data between two moments."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.exposure_changes import ExposureChanges, exposure_changes
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.questions.traversal import Bounds
from kit.openlineage import at, dataset, event, facet, paths

TAGS = facet(
    tags=[{"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"}]
)


def job(minute: int, *entries: tuple[str, str], facets: Any = None, **more: Any) -> dict[str, Any]:
    """The job's run that makes columns of ``out`` from the mail address: (column, subtype)."""
    traced = paths(*(([column], "people", ["mail"], subtype) for column, subtype in entries), **more)
    read = [dataset("people", "mail", tags=TAGS)]
    output = dataset("out", "a", "b", "c", headwater_pathLineage=traced, **facets or {})
    return event("COMPLETE", minute, f"run {minute}", read, [output], "job")


def stored(store: LineageStore, *events: dict[str, Any]) -> LineageStore:
    assert all(outcome.stored for outcome in ingest(store, events))
    return store


def since(store: LineageStore, minute: int, until: int | None = None) -> ExposureChanges:
    bounds = Bounds(as_of=None if until is None else at(until))
    return exposure_changes(store, Scope(bounds=bounds), at(minute), Ruling())


def listed(found: ExposureChanges) -> list[tuple[str, str, list[str], list[str]]]:
    return [
        (
            change.kind.value,
            ".".join(change.node.path),
            [form.name for form in change.before],
            [form.name for form in change.after],
        )
        for change in found.changes
    ]


def test_what_is_new_stronger_weaker_and_gone_is_listed_with_its_forms(store: LineageStore) -> None:
    stored(
        store,
        job(1, ("a", "IDENTITY"), ("b", "TRANSFORMATION"), ("c", "IDENTITY")),
        job(5, ("a", "TRANSFORMATION"), ("b", "IDENTITY")),
        job(9, ("a", "TRANSFORMATION"), ("b", "IDENTITY"), ("c", "TRANSFORMATION")),
    )
    assert listed(since(store, 2, 6)) == [
        ("STRONGER", "b", ["TRANSFORMED"], ["IDENTITY"]),
        ("WEAKER", "a", ["IDENTITY"], ["TRANSFORMED"]),
        ("GONE", "c", ["IDENTITY"], []),
    ]
    assert listed(since(store, 6)) == [("NEW", "c", [], ["TRANSFORMED"])]
    assert listed(since(store, 6, 7)) == []
    (new,) = since(store, 6).changes
    assert [edge.job.name for edge in new.witness] == ["job"]


def test_changes_are_complete_only_if_lineage_is_at_both_moments(store: LineageStore) -> None:
    gap = {"reason": "UNKNOWN_EXPRESSION", "paths": [["b"]], "detail": "who knows"}
    whole = {
        "lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE"),
        "headwater_extent": facet(replaced="WHOLE"),
    }
    replacing = job(5, ("a", "IDENTITY"), facets=whole)
    stored(store, job(1, ("a", "IDENTITY"), complete=False, incomplete=[gap]), replacing)
    found = since(store, 2)
    assert not found.complete
    assert [entry.reason for entry in found.incomplete_before] == ["UNKNOWN_EXPRESSION"]
    assert found.incomplete == ()


def test_the_first_moment_must_be_the_earlier_one(store: LineageStore) -> None:
    stored(store, job(1, ("a", "IDENTITY")))
    with pytest.raises(BadQuestion, match="is not before"):
        since(store, 6, 3)
