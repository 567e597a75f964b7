"""Pseudonyms that are re-identified: by the attribute beside them, or by a key table."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.reidentification import Reidentifications, reidentifications
from headwater_backend.privacy.exposure import Ruling
from kit.openlineage import dataset, event, facet
from kit.pseudonyms import GROUP, JOIN, KEYS, TOKENS, made, people, source


def found(store: LineageStore, *events: dict[str, Any], category: str | None = None) -> Reidentifications:
    assert all(outcome.stored for outcome in ingest(store, events))
    return reidentifications(store, Ruling(), category)


def listed(answer: Reidentifications) -> list[tuple[str, ...]]:
    return [
        (
            each.dataset.name,
            each.attribute.node.path[0],
            each.how.value,
            f"{each.pseudonym.node.dataset.name}.{each.pseudonym.node.path[0]}",
            f"{each.source.node.dataset.name}.{each.source.node.path[0]} {each.source.form.name}",
        )
        for each in answer.findings
    ]


def test_a_pseudonym_beside_its_source_is_re_identified(store: LineageStore) -> None:
    answer = found(store, TOKENS, KEYS)
    assert listed(answer) == [("keys", "mail", "SAME_ROWS", "keys.token", "keys.mail IDENTITY")]
    (finding,) = answer.findings
    assert [edge.job.name for edge in finding.pseudonym.witness] == ["makes keys"]
    assert [edge.target.path for edge in finding.source.witness] == [("mail",)]
    assert answer.complete


def test_a_pseudonym_in_the_dataset_that_declares_the_attribute_is_re_identified(store: LineageStore) -> None:
    back = made("people", ("token", "copy", "tokens.token"))
    back["outputs"][0]["facets"]["schema"] = people()["facets"]["schema"]
    assert listed(found(store, TOKENS, back)) == [
        ("people", "mail", "SAME_ROWS", "people.token", "people.mail IDENTITY")
    ]


def test_what_is_computed_from_the_value_counts_and_aggregates_do_not(store: LineageStore) -> None:
    answer = found(
        store,
        made("domains", ("token", "hash", "people.mail"), ("domain", "compute", "people.mail")),
        made("counts", ("token", "hash", "people.mail"), ("count", "count", "people.mail")),
        made("others", ("token", "hash", "people.mail"), ("name", "copy", "people.name")),
    )
    assert listed(answer) == [("domains", "mail", "SAME_ROWS", "domains.token", "domains.domain TRANSFORMED")]


def test_different_jobs_may_have_brought_them_into_different_rows(store: LineageStore) -> None:
    one = made("mixed", ("token", "hash", "people.mail"), job="one")
    other = made("mixed", ("mail", "copy", "people.mail"), job="other")
    assert listed(found(store, one, other)) == [
        ("mixed", "mail", "SAME_DATASET", "mixed.token", "mixed.mail IDENTITY")
    ]


def test_what_is_joined_with_a_key_table_is_re_identified(store: LineageStore) -> None:
    keys = made(
        "keys",
        ("token", "hash", "people.mail"),
        ("mail", "copy", "people.mail"),
        ("name", "copy", "people.name"),
    )
    joins = [source("tokens.token", JOIN), source("keys.token", JOIN)]
    named = made("named", ("name", "copy", "keys.name"), ("amount", "copy", "tokens.amount"), whole=joins)
    summed = made("summed", ("amount", "sum", "tokens.amount"), whole=joins)
    answer = found(store, TOKENS, keys, named, summed)
    assert listed(answer) == [
        ("keys", "mail", "SAME_ROWS", "keys.token", "keys.mail IDENTITY"),
        ("named", "mail", "KEY_TABLE", "tokens.token", "keys.mail IDENTITY"),
    ]
    assert listed(found(store, category="user.contact")) == listed(answer)
    assert listed(found(store, category="user.name")) == []


def test_keys_of_aggregates_that_nothing_classifies_are_listed(store: LineageStore) -> None:
    by_town = made("by_town", ("total", "sum", "people.amount"), whole=[source("people.town", GROUP)])
    by_mail = made("by_mail", ("total", "sum", "people.amount"), whole=[source("people.mail", GROUP)])
    answer = found(store, by_town, by_mail)
    assert [(each.output.name, each.job.name, each.key.path) for each in answer.keys] == [
        ("by_town", "makes by_town", ("town",))
    ]


def test_nothing_is_an_all_clear_where_nothing_is_classified(store: LineageStore) -> None:
    plain = event("COMPLETE", 1, "run", [], [dataset("plain", "x")], "job")
    answer = found(store, plain)
    assert (answer.findings, answer.complete) == ((), False)


@pytest.mark.parametrize(
    ("read", "rows", "small"),
    [(9, 2, [("sums", "makes sums", 2, 9)]), (10, 2, []), (0, 0, []), (None, 2, []), (9, None, [])],
)
def test_aggregates_over_few_rows_are_listed(
    store: LineageStore, read: int | None, rows: int | None, small: list[tuple[str, str, int, int]]
) -> None:
    run = made("sums", ("total", "sum", "people.amount"))
    for places, kind, count in ((run["inputs"], "input", read), (run["outputs"], "output", rows)):
        if count is not None:
            places[0][f"{kind}Facets"] = {f"{kind}Statistics": facet(rowCount=count)}
    answer = found(store, run)
    assert [(each.dataset.name, each.job.name, each.rows, each.read) for each in answer.small_groups] == small


def test_copies_are_no_small_groups(store: LineageStore) -> None:
    run = made("copy", ("amount", "copy", "people.amount"))
    run["inputs"][0]["inputFacets"] = {"inputStatistics": facet(rowCount=3)}
    run["outputs"][0]["outputFacets"] = {"outputStatistics": facet(rowCount=3)}
    assert found(store, run).small_groups == ()
