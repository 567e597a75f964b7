"""The page in German says what the server answers in English, and the keys of categories, in German."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Response

from headwater_backend.domain.dead_letters import letter_of
from headwater_backend.domain.errors import EventError
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from kit.openlineage import columns, dataset, event, facet
from kit.servers import serving

STATED = {"detail", "why", "hint", "because", "reason", "category", "categories"}
ENGLISH = re.compile(r"\S+(?: \S+){2,}|user(?:\.\w+)+")
TAG = {"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"}
WRONG = {**TAG, "value": "user.contact.emial", "field": "phone"}


@pytest.fixture
def address(store: LineageStore) -> Iterator[str]:
    """The address of a server with an attribute, proposals, and gaps with details."""
    people = dataset("people", "mail", "phone", "street", tags=facet(tags=[TAG, WRONG]))
    copied = dataset("copies", "to", columnLineage=columns({"to": [("people", "mail")]}))
    assert [each.error for each in ingest(store, [event("COMPLETE", 1, "copy", [people], [copied])])] == [
        None
    ]
    with serving(store, Settings()) as found:
        yield found


@pytest.fixture
def letters(store: LineageStore) -> None:
    """A dead letter: an event without a time, as a queue may bring it."""
    broken = event("COMPLETE", 1, "broken")
    store.keep_dead_letters(
        [letter_of(broken, EventError("MISSING", "/eventTime", "Field required"), "queue")]
    )


@pytest.mark.usefixtures("letters")
@pytest.mark.parametrize(
    ("view", "clicked", "seen"),
    [
        ("/?namespace=test&name=copis", None, "gibt es keinen Datenbestand 'copis'"),
        ("/?namespace=test&name=copies&path=x", None, "hat keinen Pfad"),
        ("/?view=runs&job-namespace=test&job=none", None, "gibt es keinen Job"),
        ("/?view=dead-letters", "Anzeigen", "dieses Feld fehlt"),
    ],
)
def test_errors_and_dead_letters_are_in_german(
    chromium: Browser, address: str, view: str, clicked: str | None, seen: str
) -> None:
    with chromium.new_context(base_url=address, reduced_motion="reduce", locale="de-DE") as context:
        page = context.new_page()
        page.goto(view)
        if clicked:
            page.get_by_role("button", name=clicked).first.click()
        page.get_by_text(seen).first.wait_for(state="attached")
        shown = page.locator("main").evaluate("main => main.textContent")
    for english in ("did you mean", "exists", "has no path", "Field required", "is missing"):
        assert english not in shown


@pytest.mark.parametrize(
    ("view", "seen"),
    [
        ("/?view=classify", "im Namen steht 'phone'"),
        ("/?view=matrix", "vielleicht 'user.contact.email'"),
        ("/?view=matrix&holder-namespace=test&holder=people", "Kennzeichnung data_category"),
    ],
)
def test_no_english_of_the_server_is_left(chromium: Browser, address: str, view: str, seen: str) -> None:
    stated: set[str] = set()
    with chromium.new_context(base_url=address, reduced_motion="reduce", locale="de-DE") as context:
        page = context.new_page()

        def hear(answer: Response) -> None:
            if answer.url.endswith("/graphql"):
                stated.update(texts(answer.json()))

        page.on("response", hear)
        page.goto(view)
        page.get_by_text(seen).first.wait_for(state="attached")
        page.wait_for_load_state("networkidle")
        shown = page.locator("main").evaluate("main => main.textContent")
    assert stated
    named = re.sub(r"'[^']*'|data_category = \S+", "", shown)
    assert [each for each in sorted(stated) if each in named] == []


def texts(answer: Any, of: bool = False) -> Iterator[str]:
    """The sentences, and the keys of categories, of an answer."""
    if isinstance(answer, dict):
        for key, value in answer.items():
            yield from texts(value, key in STATED)
    elif isinstance(answer, list):
        for each in answer:
            yield from texts(each, of)
    elif of and isinstance(answer, str) and ENGLISH.fullmatch(answer):
        yield answer
