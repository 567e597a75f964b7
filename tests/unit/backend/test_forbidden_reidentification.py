"""Policies that forbid re-identification: their file, and what violates them."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.errors import RulesError
from headwater_backend.domain.model import DatasetKey, Incomplete
from headwater_backend.domain.records import DecisionMade
from headwater_backend.privacy.answers.policy_check import Outcome, PolicyCheck, check_policies
from headwater_backend.privacy.classification.decided import Declassification
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_policies
from kit.memory_store import MemoryStore, graph, node

TAGS = [
    (node("people:mail"), "data_category", "user.contact.email"),
    (node("people:name"), "data_category", "user.name"),
    (node("people:amount"), "data_category", "user.financial"),
]
POLICY = "- {policy: p, category: %s, reidentification: forbidden%s}"
TOKENS = "people:mail -HASH-> tokens:token @tokens\npeople:amount -IDENTITY-> tokens:amount @tokens\n"
KEYS = "people:mail -HASH-> keys:token @keys\npeople:mail -IDENTITY-> keys:mail @keys\n"
JOIN = "tokens:token -JOIN-> named @named\nkeys:token -JOIN-> named @named\n"
NAMED = TOKENS + KEYS + JOIN + "keys:mail -IDENTITY-> named:who @named\n"


def check(edges: str, category: str = "user", more: str = "", **facts: Any) -> PolicyCheck:
    store = MemoryStore(graph(edges), tags=TAGS, **facts)
    return check_policies(store, parse_policies(POLICY % (category, more)), Ruling())


def found(answer: PolicyCheck) -> list[tuple[str, ...]]:
    """The place of each violation, how, the pseudonym and the source."""
    (verdict,) = answer.verdicts
    return [
        (_name(each.node), each.reidentification.how.value, *map(_name, (pseudonym, source)))
        for each in verdict.violations
        if each.reidentification
        for pseudonym in [each.reidentification.pseudonym.node]
        for source in [each.reidentification.source.node]
    ]


def _name(place: Any) -> str:
    return ":".join([place.dataset.name, *place.path])


@pytest.mark.parametrize(
    ("text", "line", "detail"),
    [
        ("- policy: p\n  category: user\n  reidentification: alowed\n", 3, "'alowed' is none of forbidden"),
        (
            "- policy: p\n  category: user\n  reidentification: forbidden\n  allow: [masked]",
            4,
            "a policy that forbids re-identification has no allow",
        ),
        (
            "- policy: p\n  category: user\n  countries: [DE]\n  reidentification: forbidden\n",
            3,
            "no countries",
        ),
        ("- policy: p\n  category: user\n  reidentified: forbidden\n", 3, "unknown field 'reidentified'"),
    ],
)
def test_a_wrong_policy_is_an_error_with_its_line(text: str, line: int, detail: str) -> None:
    with pytest.raises(RulesError) as raised:
        parse_policies(text)
    assert (raised.value.line, detail in raised.value.detail) == (line, True), raised.value


def test_a_pseudonym_beside_its_source_violates_it_and_neither_of_them_alone() -> None:
    assert found(check(TOKENS + KEYS)) == [("keys:token", "SAME_ROWS", "keys:token", "keys:mail")]
    assert check(TOKENS).outcome is Outcome.SATISFIED
    assert check("people:mail -IDENTITY-> keys:mail").outcome is Outcome.SATISFIED


def test_rows_that_are_joined_with_a_key_table_violate_it_with_the_route_into_the_join() -> None:
    answer = check(NAMED, more=", dataset: '* named'")
    assert found(answer) == [("named", "KEY_TABLE", "tokens:token", "keys:mail")]
    (violation,) = answer.verdicts[0].violations
    assert [(edge.job.name, _name(edge.target)) for edge in violation.witness] == [
        ("tokens", "tokens:token"),
        ("named", "named"),
    ]
    assert violation.reidentification and violation.reidentification.brought
    assert _name(violation.reidentification.brought.node) == "named:who"
    assert [edge.job.name for edge in violation.reidentification.brought.witness] == ["keys", "named"]


@pytest.mark.parametrize(
    "brought",
    [
        "keys:mail -HASH-> named:who @named",
        "keys:mail -HASH-> named:who @named\npeople:mail -IDENTITY-> named:who @named",
        "keys:mail -IDENTITY-> named:who @other",
    ],
)
def test_a_join_that_brings_nobody_from_the_key_table_does_not(brought: str) -> None:
    at = ", dataset: '* named', path: who"
    assert all(how != "KEY_TABLE" for _, how, *_ in found(check(TOKENS + KEYS + JOIN + brought, more=at)))


def test_columns_of_one_dataset_are_not_joined_with_each_other() -> None:
    keys = KEYS + "people:mail -HASH-> keys:other @keys\n"
    joins = "keys:token -JOIN-> named @named\nkeys:other -JOIN-> named @named\n"
    named = "keys:mail -IDENTITY-> named:who @named"
    assert found(check(keys + joins + named, more=", dataset: '* named'")) == []


def test_it_is_narrowed_by_category_dataset_and_path() -> None:
    assert found(check(NAMED, "user.financial")) == []
    assert {place for place, *_ in found(check(NAMED, "user.contact"))} == {"keys:token", "named"}
    assert [place for place, *_ in found(check(NAMED, more=", dataset: '* keys'"))] == ["keys:token"]
    assert found(check(NAMED, more=", dataset: '* keys', path: mail")) == []
    assert found(check(NAMED, more=", dataset: '* keys', path: token")) != []


@pytest.mark.parametrize("category", ["user.contact", "user.financial"])
def test_what_may_tell_the_person_has_to_be_known_completely(category: str) -> None:
    """A key table of the pseudonyms may hold names that nobody traced."""
    gap = Incomplete("PYTHON_UDF", DatasetKey("ns", "names"), ("x",))
    names = "people:name -IDENTITY-> names:x @names"
    assert check(TOKENS + names, category).outcome is Outcome.SATISFIED
    answer = check(TOKENS + names, category, incomplete=[gap])
    assert (answer.outcome, answer.verdicts[0].incomplete) == (Outcome.UNKNOWN, (gap,))
    assert not answer.verdicts[0].is_certain_of(node("people:mail"))


def test_nothing_is_satisfied_where_nothing_is_classified_or_the_policy_fits_nothing() -> None:
    assert check(TOKENS, "user.health_and_medical").outcome is Outcome.UNKNOWN
    assert check(TOKENS, more=", dataset: '* tokns'").outcome is Outcome.UNKNOWN


@pytest.mark.parametrize("place", ["keys:token", "keys:mail"])
def test_a_declassified_side_hides_it_and_is_listed(place: str) -> None:
    stop = Declassification(node(place))
    answer = check(KEYS, decisions=[DecisionMade(stop.subject, 1, stop.content(), "Ada", "agreed")])
    (verdict,) = answer.verdicts
    assert (found(answer), verdict.outcome) == ([], Outcome.SATISFIED)
    assert [each.declassification for each in verdict.stops] == [stop]
