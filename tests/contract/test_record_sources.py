"""The sources of one record: those that all of its attributes have, and what each has alone."""

from __future__ import annotations

import pytest

from headwater_backend.copies.gaps import record_sources
from headwater_backend.domain.errors import BadQuestion, UnknownPath
from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.active.record_sources import MOST_ATTRIBUTES, RecordSources
from headwater_backend.questions.lineage import Scope
from headwater_mappings import Document, events_of, parse
from kit.parties import PARTIES


@pytest.fixture(autouse=True)
def parties(store: LineageStore) -> None:
    outcomes = ingest(
        store, list(events_of([Document("m.txt", "2026-01-01T00:00:00+00:00", parse(PARTIES))]))
    )
    assert {each.error for each in outcomes} == {None}


def node(name: str, dataset: str = "PARTY") -> NodeKey:
    return NodeKey(DatasetKey("mappings", dataset), (name,))


def ask(store: LineageStore, *names: str, where: str | None = None) -> RecordSources:
    return record_sources(store, [node(name) for name in names], Scope(), where=where)


def shared(found: RecordSources) -> dict[str, list[str]]:
    return {each.dataset.name: [fetch.label for fetch in each.fetches] for each in found.shared}


def alone(found: RecordSources) -> dict[str, set[str]]:
    return {each.label: {fetch.node.dataset.name for fetch in each.alone} for each in found.attributes}


def test_a_record_comes_from_what_its_attributes_have_in_common(store: LineageStore) -> None:
    found = ask(store, "NAME", "BORN")
    assert shared(found) == {"PERSONS": ["NAME", "BORN"]}
    assert alone(found) == {"NAME": {"COMPANIES"}, "BORN": {"VISITORS"}}
    assert found.complete


def test_under_a_condition_other_attributes_may_have_nothing_in_common(store: LineageStore) -> None:
    found = ask(store, "NAME", "BORN", where="TYPE = 'PERSON'")
    assert (shared(found), alone(found)) == ({"PERSONS": ["NAME", "BORN"]}, {"NAME": set(), "BORN": set()})
    found = ask(store, "NAME", "BORN", where="TYPE <> 'PERSON'")
    assert (shared(found), alone(found)) == ({}, {"NAME": {"COMPANIES"}, "BORN": {"VISITORS"}})


def test_a_constant_has_no_source_and_takes_none_from_the_others(store: LineageStore) -> None:
    found = ask(store, "NAME", "SYSTEM", "BORN")
    assert shared(found) == {"PERSONS": ["NAME", "BORN"]}
    assert [each.label for each in found.attributes if each.has_none] == ["SYSTEM"]
    (only,) = ask(store, "SYSTEM").attributes
    assert only.has_none and not ask(store, "SYSTEM").shared


def test_what_no_row_can_bring_takes_no_source_from_the_others(store: LineageStore) -> None:
    found = ask(store, "NAME", "BORN", where="TYPE = 'COMPANY'")
    assert (shared(found), alone(found)) == ({"COMPANIES": ["TITLE"]}, {"NAME": set(), "BORN": set()})
    assert [each.label for each in found.attributes if each.has_none] == ["BORN"]


def test_one_attribute_has_all_its_sources_and_one_asked_twice_is_one(store: LineageStore) -> None:
    assert shared(ask(store, "NAME")) == {"COMPANIES": ["TITLE"], "PERSONS": ["NAME"]}
    assert ask(store, "NAME", "BORN", "NAME") == ask(store, "NAME", "BORN")


def test_rows_are_a_query_for_each_attribute(store: LineageStore) -> None:
    (source,) = ask(store, "NAME", "BORN").shared
    assert [each.query for each in source.fetches] == [
        "SELECT `NAME` FROM `PERSONS`",
        "SELECT `BORN` FROM `PERSONS`",
    ]


def test_gaps_of_any_attribute_are_gaps_of_the_record(store: LineageStore) -> None:
    assert not record_sources(store, [node("NAME"), node("BORN")], Scope(), where=None).incomplete
    unknown = {
        "eventType": "COMPLETE", "eventTime": "2026-01-02T00:00:00Z", "producer": "https://example.org/p",
        "run": {"runId": "0193f5a0-0000-7000-8000-000000000001"}, "job": {"namespace": "n", "name": "j"},
        "inputs": [{"namespace": "n", "name": "elsewhere"}],
        "outputs": [{"namespace": "mappings", "name": "VISITORS"}],
    }  # fmt: skip
    assert ingest(store, [unknown])[0].stored
    assert any(gap.dataset.name == "VISITORS" for gap in ask(store, "NAME", "BORN").incomplete)


def test_what_is_no_record_is_refused(store: LineageStore) -> None:
    for nodes in (
        [],
        [node("NAME"), node("NAME", "STAGE")],
        [node(f"A{n}") for n in range(MOST_ATTRIBUTES + 1)],
    ):
        with pytest.raises(BadQuestion):
            record_sources(store, nodes, Scope())
    with pytest.raises(UnknownPath):
        ask(store, "NAME", "NO SUCH")
