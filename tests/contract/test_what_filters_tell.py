"""What rows tell of the values that chose them, and of the keys by which a join found them."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from kit.openlineage import NAMESPACE, dataset, event, facet, node, paths

TAGS = facet(
    tags=[
        {"key": "data_category", "value": category, "source": "CONFIG", "field": name}
        for name, category in (
            ("mail", "user.contact.email"),
            ("reason", "user.health_and_medical"),
            ("city", "user.contact.address.city"),
        )
    ]
)
PEOPLE = dataset("people", "mail", "reason", "city", "cost", tags=TAGS)


def indirect(path: str, subtype: str, **how: Any) -> dict[str, Any]:
    kinds = [{"type": "INDIRECT", "subtype": subtype, "masking": False, **how}]
    return {"namespace": NAMESPACE, "name": "people", "path": [path], "transformations": kinds}


def made(*rows: dict[str, Any], label: dict[str, Any] | None = None, of: str = "cost") -> dict[str, Any]:
    """A job that writes ``list`` of people: a column ``out``, by what decides its rows; ``label`` decides ``out``."""
    lineage = paths((["out"], "people", [of], "IDENTITY"), dataset=list(rows))
    if label is not None:
        lineage["fields"][0]["inputFields"].append(label)
    return event(inputs=[PEOPLE], outputs=[dataset("list", "out", headwater_pathLineage=lineage)])


def report(store: LineageStore, *events: dict[str, Any], influenced: bool = False) -> ExposureReport:
    assert all(each.stored for each in ingest(store, events))
    return exposed(store, Scope(influenced=influenced), Ruling())


def holders(answer: ExposureReport) -> dict[str, list[tuple[str, str]]]:
    """For each attribute, where it is and in which form."""
    return {
        each.attribute.node.path[0]: [
            (".".join((output.node.dataset.name, *output.node.path)), output.form.name)
            for output in each.outputs
        ]
        for each in answer.attributes
        if each.outputs
    }


@pytest.mark.parametrize("retains", ["VALUE", "PART", "FACT"])
def test_a_filter_of_a_list_tells_the_value_of_each_record(store: LineageStore, retains: str) -> None:
    answer = report(store, made(indirect("reason", "FILTER", access="FILTER", retains=retains)))
    assert holders(answer) == {"reason": [("list", "DERIVED")]}
    assert answer.complete


def test_what_is_revealed_is_in_all_that_is_made_of_the_list(store: LineageStore) -> None:
    copied = paths((["copy"], "list", ["out"], "IDENTITY"))
    copy = event(
        job="copies",
        run="copies",
        inputs=[dataset("list", "out")],
        outputs=[dataset("copy", "copy", headwater_pathLineage=copied)],
    )
    answer = report(store, made(indirect("reason", "FILTER", retains="VALUE")), copy)
    assert holders(answer)["reason"] == [("copy.copy", "DERIVED"), ("list", "DERIVED")]
    assert [edge.target.path for edge in answer.attributes[-1].outputs[0].witness] == [(), ("copy",)]


def test_where_the_producer_says_nothing_a_filter_is_an_influence(store: LineageStore) -> None:
    events = made(indirect("reason", "FILTER", access="FILTER"))
    assert holders(report(store, events)) == {}
    assert holders(report(store, events, influenced=True)) == {"reason": [("list", "INFLUENCED")]}


def test_a_comparison_with_an_identifier_tells_little(store: LineageStore) -> None:
    compared = made(indirect("mail", "FILTER", retains="FACT"))
    assert holders(report(store, compared)) == {}
    assert holders(report(store, compared, influenced=True)) == {"mail": [("list", "INFLUENCED")]}


def test_a_comparison_with_what_is_not_special_tells_little(store: LineageStore) -> None:
    compared = made(indirect("city", "FILTER", retains="FACT"))
    assert holders(report(store, compared)) == {}
    assert holders(report(store, compared, influenced=True)) == {"city": [("list", "INFLUENCED")]}


def test_one_value_of_what_is_not_special_is_revealed_all_the_same(store: LineageStore) -> None:
    answer = report(store, made(indirect("city", "FILTER", retains="VALUE")))
    assert holders(answer) == {"city": [("list", "DERIVED")]}


def test_one_identifier_tells_whose_records_they_are(store: LineageStore) -> None:
    answer = report(store, made(indirect("mail", "FILTER", retains="VALUE")))
    assert holders(answer) == {"mail": [("list", "DERIVED")]}


def test_a_join_tells_the_key_of_each_record_unless_it_identifies(store: LineageStore) -> None:
    by = {"access": "JOIN", "retains": "VALUE"}
    answer = report(store, made(indirect("reason", "JOIN", **by), indirect("mail", "JOIN", **by)))
    assert holders(answer) == {"reason": [("list", "DERIVED")]}


def test_groups_of_many_tell_nothing_of_one(store: LineageStore) -> None:
    filtered = indirect("reason", "FILTER", retains="STATISTIC")
    answer = report(store, made(filtered, indirect("cost", "GROUP_BY")))
    assert holders(answer) == {}


def test_groups_that_are_persons_tell_of_each_what_chose_their_records(store: LineageStore) -> None:
    filtered = indirect("reason", "FILTER", retains="STATISTIC")
    answer = report(store, made(filtered, indirect("mail", "GROUP_BY"), of="mail"))
    assert holders(answer) == {"mail": [("list.out", "IDENTITY")], "reason": [("list", "DERIVED")]}


def test_what_a_join_finds_by_a_value_is_derived_from_it(store: LineageStore) -> None:
    answer = report(store, made(label=indirect("reason", "CONDITIONAL", access="JOIN")))
    assert holders(answer) == {"reason": [("list.out", "DERIVED")]}


def test_what_a_join_finds_by_an_identifier_is_perhaps_another_name(store: LineageStore) -> None:
    answer = report(store, made(label=indirect("mail", "CONDITIONAL", access="JOIN")))
    assert holders(answer) == {"mail": [("list.out", "POSSIBLE")]}
    assert answer.attributes[1].outputs[0].kinds == ("JOIN",)


def test_what_is_decided_and_then_aggregated_is_a_statistic(store: LineageStore) -> None:
    decided = indirect("reason", "CONDITIONAL", access="JOIN", retains="STATISTIC")
    assert holders(report(store, made(label=decided))) == {"reason": [("list.out", "AGGREGATED")]}
    by_person = made(indirect("mail", "GROUP_BY"), label=decided)
    assert holders(report(store, by_person)) == {"reason": [("list.out", "DERIVED")]}


def test_a_rank_is_a_fact_about_what_it_is_by(store: LineageStore) -> None:
    answer = report(store, made(label=indirect("city", "WINDOW", access="WINDOW", retains="FACT")))
    assert holders(answer) == {"city": [("list.out", "DERIVED")]}


def test_what_is_asked_at_a_column_has_what_its_rows_tell(store: LineageStore) -> None:
    report(store, made(indirect("reason", "FILTER", retains="VALUE")))
    answer = exposed(store, Scope(at=node("list", "out")), Ruling())
    assert holders(answer) == {"reason": [("list", "DERIVED")]}
