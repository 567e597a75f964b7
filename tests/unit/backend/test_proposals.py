"""Paths that look personal are proposed, and never those that are known."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import SchemaField
from headwater_backend.domain.records import DecisionMade
from headwater_backend.privacy.classification import categories
from headwater_backend.privacy.classification.decided import Declassification, PathClass, Rejection
from headwater_backend.privacy.classification.name_table import ALONE, NAMES, suggestion, words_of
from headwater_backend.privacy.classification.suggestions import Confidence
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.proposals.listing import confirmed, proposals
from kit.memory_store import MemoryStore, graph, node


def test_the_categories_of_the_name_table_are_known_and_personal() -> None:
    assert {*NAMES, *ALONE} <= categories.known()
    assert all(map(categories.is_personal, {*NAMES, *ALONE}))


@pytest.mark.parametrize("table", [NAMES, ALONE])
def test_each_phrase_of_the_name_table_suggests_its_category(table: dict[str, str]) -> None:
    for category, phrases in table.items():
        for phrase in phrases.split(", "):
            found = suggestion(phrase.replace(" ", "_"), holder="customers")
            assert found is not None, phrase
            assert found.category == category, phrase


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("email", "user.contact.email"),
        ("CUSTOMER_EMAIL", "user.contact.email"),
        ("customerEMail", "user.contact.email"),
        ("e-mail-adresse", "user.contact.email"),
        ("emails", "user.contact.email"),
        ("birth_date", "user.demographic.date_of_birth"),
        ("Geburtsdatum", "user.demographic.date_of_birth"),
        ("straße", "user.contact.address.street"),
        ("firstName", "user.name.first"),
        ("first", "user.name.first"),
        ("driver_name", "user.name"),
        ("driver_id", "user.unique_id"),
        ("ipAddress", "user.device.ip_address"),
        ("client_ip", "user.device.ip_address"),
        ("lat", "user.location.precise"),
        ("kontoIBAN", "user.financial.bank_account"),
    ],
)
def test_whole_words_of_a_name_suggest_a_category(name: str, category: str) -> None:
    found = suggestion(name, holder="customers")
    assert found is not None
    assert found.category == category


@pytest.mark.parametrize(
    "name",
    [
        "id",
        "name",
        "product_name",
        "first_of_month",
        "email_verified",
        "hasPhone",
        "emailed",
        "shipment",
        "plat",
        "",
        "skip",
        "relationship_x",
        "12",
        "日付",
        "email_count",
        "user_count",
        "agent",
    ],
)
def test_other_names_suggest_nothing(name: str) -> None:
    assert suggestion(name, holder="orders") is None


def test_words_are_split_at_case_and_signs() -> None:
    assert list(words_of("userIPAddress_v4-Größe")) == ["user", "ip", "address", "v", "4", "groesse"]


def store_of(*texts: str, edges: str = "", types: dict[str, str] | None = None, **more: Any) -> MemoryStore:
    fields: dict[Any, list[SchemaField]] = {}
    for text, type_ in (types or {}).items():
        at = node(text)
        fields.setdefault(at.dataset, []).append(SchemaField(at.path[0], type_))
    return MemoryStore(
        graph(edges) if edges else (),
        paths=[node(text) for text in (*texts, *(types or {}))],
        fields={key: tuple(known) for key, known in fields.items()},
        **more,
    )


def proposed(store: MemoryStore) -> dict[str, tuple[str, Confidence]]:
    return {
        f"{each.node.dataset.name}:{'.'.join(each.node.path)}": (each.categories[0], each.confidence)
        for _, each in proposals(store, Ruling()).items
    }


EMAIL = (node("t:mail"), "data_category", "user.contact.email")


def test_a_path_is_proposed_for_its_name_and_the_likely_ones_come_first() -> None:
    found = proposed(store_of("o:backup_email_1", "o:email", "o:amount", "users:name", "t:phones._element"))
    assert found == {
        "o:email": ("user.contact.email", Confidence.LIKELY),
        "t:phones._element": ("user.contact.phone_number", Confidence.LIKELY),
        "users:name": ("user.name", Confidence.LIKELY),
        "o:backup_email_1": ("user.contact.email", Confidence.POSSIBLE),
    }
    assert next(iter(found)) == "o:email"


def test_only_leaves_are_proposed() -> None:
    assert proposed(store_of("o:address.zip", "o:address.lines")) == {
        "o:address.zip": ("user.contact.address.postal_code", Confidence.LIKELY)
    }


def test_a_type_may_contradict_a_name_or_suggest_a_category() -> None:
    types = {"o:email": "boolean", "o:phone": "string", "o:first_name": "int", "o:a": "inet", "o:b": "string"}
    assert proposed(store_of(types=types)) == {
        "o:phone": ("user.contact.phone_number", Confidence.LIKELY),
        "o:a": ("user.device.ip_address", Confidence.POSSIBLE),
    }


def test_what_is_known_is_not_proposed() -> None:
    edges = """
        t:mail -IDENTITY-> copy:email
        t:mail -HASH-> hashed:email
        other:x -IDENTITY-> other:email
    """
    assert proposed(store_of(edges=edges, tags=[EMAIL])) == {
        "hashed:email": ("user.contact.email", Confidence.LIKELY),
        "other:email": ("user.contact.email", Confidence.LIKELY),
    }
    held = [(node("u:user"), "data_category", "user")]
    assert proposed(store_of("u:user.email", tags=held)) == {}


@pytest.mark.parametrize(
    "thing",
    [
        PathClass(node("o:email"), ()),
        PathClass(node("o:email"), ("user.name",)),
        Rejection(node("o:email")),
        Declassification(node("o:email")),
    ],
)
def test_what_a_steward_decided_is_not_proposed(thing: PathClass | Rejection | Declassification) -> None:
    made = DecisionMade(thing.subject, 1, thing.content(), "anna", "because")
    assert proposed(store_of("o:email", decisions=[made])) == {}


def test_what_is_joined_on_beside_a_classified_key_is_proposed() -> None:
    edges = """
        customers:key -JOIN-> out @join
        orders:ref -JOIN-> out @join
        orders:day -JOIN-> out @another
        orders:total -IDENTITY-> out:total @join
    """
    tags = [(node("customers:key"), "data_category", "user.unique_id")]
    store = store_of(edges=edges, tags=tags)
    assert proposed(store) == {"orders:ref": ("user.unique_id", Confidence.POSSIBLE)}
    ((_, only),) = proposals(store, Ruling()).items
    assert only.why == "the job join joins on it, and on ns customers key"
    by_age = [(node("customers:key"), "data_category", "user.demographic.age_range")]
    assert proposed(store_of(edges=edges, tags=by_age)) == {}


def test_a_proposal_is_confirmed_as_a_class_and_nothing_else_is() -> None:
    store = store_of("o:email", "o:amount")
    (found,) = confirmed(store, Ruling(), [node("o:email")])
    assert found == PathClass(node("o:email"), ("user.contact.email",), "proposed: its name has 'email'")
    with pytest.raises(BadQuestion, match="nothing is proposed for ns o amount"):
        confirmed(store, Ruling(), [node("o:amount")])
