"""The catalogues of the languages."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from enum import Enum
from typing import Any

import pytest
from fideslang.default_taxonomy import DEFAULT_TAXONOMY

from headwater_backend.domain.layouts import Column, Layout
from headwater_backend.domain.model import DatasetKey
from headwater_backend.domain.node_keys import named_text
from headwater_backend.in_force.copies import End
from headwater_backend.in_force.datasets.gaps import left_at, reported_again
from headwater_backend.in_force.drift import _detail
from headwater_backend.ingest.service import ingest
from headwater_backend.privacy.answers.crossings import CrossingVerdict
from headwater_backend.privacy.answers.exposure_changes import ChangeKind
from headwater_backend.privacy.answers.policy_check import Outcome
from headwater_backend.privacy.classification.rules import Rules
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_policies, parse_rules
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation.countries import COUNTRIES as COUNTRY_CODES
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.organisation.statements import (
    LEGAL_BASES,
    SAFEGUARDS,
    data_subjects,
    data_uses,
)
from headwater_backend.privacy.policies import Severity
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from headwater_backend.reports.languages.catalogue import COUNTRIES, Language, words
from headwater_backend.stores import open_store
from kit import sqlite
from kit.openlineage import dataset, event, facet


def layout(*names: str) -> Layout:
    """A layout of columns of those names."""
    return Layout(tuple(Column(name, "") for name in names))


def test_all_languages_have_the_same_keys() -> None:
    english = words(Language.EN).keys()
    assert len(english) > 200
    assert [words(language).keys() ^ english for language in Language] == [frozenset()] * len(Language)


def test_a_text_has_the_same_arguments_in_all_languages() -> None:
    english = words(Language.EN)
    for key in sorted(english.keys()):
        arguments = {frozenset(re.findall(r"{(\w+)}", words(language)(key))) for language in Language}
        assert len(arguments) == 1, key


def test_no_text_is_left_untranslated() -> None:
    one, other = words(Language.EN), words(Language.DE)
    alike = {
        "columns.form",
        "columns.job",
        "columns.jobs",
        "columns.code",
        "columns.policy",
        "values.decided_class",
    }
    same = {key for key in sorted(one.keys()) if len(one(key)) > 12 and one(key) == other(key)}
    assert same - alike == set()


@pytest.mark.parametrize(
    ("vocabulary", "members"),
    [
        ("forms", Form),
        ("form_meanings", Form),
        ("changes", ChangeKind),
        ("outcomes", Outcome),
        ("severities", Severity),
        ("crossings", CrossingVerdict),
    ],
)
def test_every_member_has_a_text(vocabulary: str, members: type[Enum]) -> None:
    assert [each.name for each in members if not words(Language.EN).known(f"{vocabulary}.{each.name}")] == []


def test_every_kind_basis_and_subject_has_a_text() -> None:
    keys = [f"titles.{kind.value}" for kind in Kind] + [f"laws.{kind.value}" for kind in Kind]
    keys += (
        [f"safeguards.{each}" for each in SAFEGUARDS]
        + [f"bases.{basis}" for basis in LEGAL_BASES]
        + [f"subjects.{each}" for each in data_subjects()]
    )
    assert [key for key in keys if not words(Language.EN).known(key)] == []


def test_every_category_and_data_use_has_a_label() -> None:
    keys = [f"categories.{each.fides_key}" for each in DEFAULT_TAXONOMY.data_category]
    keys += [f"uses.{each}" for each in data_uses()]
    assert [key for key in keys if not words(Language.EN).known(key)] == []


def details(events: Sequence[Mapping[str, Any]], **asked: Any) -> dict[str, set[str]]:
    """The details of gaps and idle rules in the German record of a store with these events, by table."""
    question = ReportQuestion(Kind.ART30, language=Language.DE, **asked)
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_store(sqlite.empty(f"{folder}/l.db"))) as store,
    ):
        assert all(outcome.stored for outcome in ingest(store, events))
        tables = {table.key: table for _, table in build(store, question).tables()}
    columns = {"gaps": (-1,), "verdict_gaps": (-1,), "unknown_retention": (-1,), "idle_rules": (-2, -1)}
    return {
        key: {str(row[at]) for row in tables[key].rows for at in each}
        for key, each in columns.items()
        if key in tables
    }


TAGGED = {"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"}
RULES = """
- {dataset: {namespace: test, name: peoples}, path: x, category: user.name}
- {dataset: {namespace: test, name: people}, path: mial, category: user.name}
- {dataset: {namespace: test, name: "p*"}, path: zzzz, category: user.name}
"""


def test_details_that_headwater_writes_are_translated() -> None:
    wrong = {**TAGGED, "field": "x", "value": "user.contact.emial"}
    people = dataset("people", "mail", "x", tags=facet(tags=[TAGGED, wrong]))
    events = [event("COMPLETE", 1, "run", [people], [dataset("places", "x")])]
    stated = parse_organisation(
        """processing: [{activity: A, outputs: "* people", retention: ein Weilchen}]"""
    )
    asked = Ruling(asked=Rules(tuple(parse_rules(RULES).paths)), lenient=True)
    found = details(events, ruling=asked, organisation=stated)
    assert found["unknown_retention"] == {
        "'ein Weilchen' ist kein Zeitraum wie 90 Tage, so dass nicht bekannt ist, wann er endet"
    }
    assert found["idle_rules"] == {
        "keinen bekannten Datenbestand: 'test peoples'",
        "keinen bekannten Pfad in 'people': 'mial'",
        "keinen bekannten Pfad in den 2 Datenbeständen, die sie erfasst: 'zzzz'",
        "vielleicht 'test people'?",
        "vielleicht 'mail'?",
        "",
    }
    assert found["gaps"] >= {
        "die Regel in Zeile 3 passt auf keinen bekannten Pfad in 'people': 'mial'; vielleicht 'mail'?",
        "die Regel in Zeile 2 passt auf keinen bekannten Datenbestand: 'test peoples'; vielleicht 'test people'?",
    }
    (tag,) = (each for each in found["gaps"] if "Kennzeichnung" in each)
    assert tag.startswith(
        "die Kennzeichnung data_category = user.contact.emial nennt keine Datenkategorie von fideslang; vielleicht '"
    )
    assert " or " not in tag and tag.endswith("'?")


def test_details_of_time_limits_and_classes_are_translated() -> None:
    people = dataset("people", "mail", tags=facet(tags=[TAGGED]))
    events = [event("COMPLETE", 1, "run", [people], [dataset("places", "x")])]
    assert details(events)["unknown_retention"] == {
        "die Organisation gibt nicht an, wie lange personenbezogene Daten gespeichert werden, die hier verzeichnet sind"
    }
    stated = parse_organisation("""processing: [{activity: A, outputs: "* people", retention: 9 Jahre}]""")
    assert details(events, organisation=stated)["unknown_retention"] == {
        "kein Lauf ist bekannt, der hier schreibt, so dass das Alter der Daten nicht bekannt ist"
    }
    assert details([event("COMPLETE", 1, "run", [dataset("a", "x")], [])])["gaps"] == {
        "keine Entscheidung, keine Regel und keine Kennzeichnung nennt personenbezogene Daten in einem "
        "von 1 Datenbeständen"
    }


POLICIES = """
- {policy: p, category: user.contact, purposes: [essential.service]}
- {policy: r, category: user.contact, countries: [EEA]}
- {policy: q, category: user.name, dataset: {namespace: test, name: peoples}}
"""


def test_why_a_policy_is_not_known_is_translated() -> None:
    events = [event("COMPLETE", 1, "run", [dataset("people", "mail", tags=facet(tags=[TAGGED]))], [])]
    stated = parse_organisation(
        """recipients: [{name: A, datasets: "* p*"}, {name: B, datasets: "* p*", country: Amerika}]"""
    )
    assert details(events, policies=parse_policies(POLICIES), organisation=stated)["verdict_gaps"] == {
        "die Organisation gibt nicht an, für welchen Zweck personenbezogene Daten hier verwendet werden",
        "die Organisation gibt nicht an, in welchem Land der Datenbestand liegt",
        "die Organisation gibt nicht an, in welchem Land der Empfänger 'A' ist",
        "'Amerika', das Land des Empfängers 'B', ist kein Länderkürzel nach ISO 3166-1",
        "die Richtlinie passt auf keinen bekannten Datenbestand: 'test peoples'; vielleicht 'test people'?",
        "kein bekannter Pfad ist als user.name eingestuft",
    }


@pytest.mark.parametrize(
    ("english", "german"),
    [
        (_detail(Layout(()), Layout(()), ()), "geschrieben als nichts, gelesen als nichts"),
        (
            _detail(layout("a", "b"), layout(*"cdefghijklmnop"), ()),
            "geschrieben als (a, b), gelesen als (c, d, e, f, g, h, i, j und 6 weitere)",
        ),
        ("3 plan documents were dropped meanwhile", "3 Plandokumente gingen unterdessen verloren"),
        ("the event was too large; left out: a, b", "das Ereignis war zu groß; ausgelassen: a, b"),
        (
            "values were handed to the program; where they went from its driver is not known",
            "Werte wurden dem Programm übergeben; wohin sie von dort gelangten, ist nicht bekannt",
        ),
        (
            "an RDD: a, b are known, what it did is not",
            "ein RDD: a, b sind bekannt, was es tat, ist es nicht",
        ),
        (
            "the recipient 'A' fits no known dataset: 'x'",
            "der Empfänger 'A' passt auf keinen bekannten Datenbestand: 'x'",
        ),
        ("rule in line 23", "Regel in Zeile 23"),
        ("its name has 'mail'", "im Namen steht 'mail'"),
        ("proposed: its type is inet", "vorgeschlagen: der Typ ist inet"),
        ("No row can pass.", "Keine Zeile kommt durch."),
        (
            "No row can pass: the question asks for a = 1, and in etl, a = 2.",
            "Keine Zeile kommt durch: die Frage verlangt a = 1, und in etl, a = 2.",
        ),
        ("MergeInto without a table", "MergeInto ohne Tabelle"),
        (
            reported_again("out", "etl", 0, "").detail,
            "jemand hat noch einmal gemeldet (erhalten 1970-01-01T00:00:00+00:00), was ein beendeter Lauf tat: was"
            " davor gemeldet war, ist mit aufgeführt",
        ),
        (
            left_at("out", "etl", None).detail,
            "ein früherer oder fehlgeschlagener Lauf des Jobs brachte Werte von hier oder hierher, die er jetzt nicht"
            " bringt, und sie sind vielleicht noch dort, oder in dem, was daraus gemacht wurde",
        ),
        (
            left_at("out", "etl", End(named_text(DatasetKey("file", "/in")), 0, 0, "run", 0, "etl")).detail,
            "etl hat gemeldet (erhalten 1970-01-01T00:00:00+00:00), dass file /in mit Werten von hier oder hierher"
            " schon gelöscht oder ersetzt war, ehe andere es nach allem, was bis dahin bekannt war, lasen",
        ),
        ("what another producer wrote", "what another producer wrote"),
    ],
)
def test_details_of_stored_gaps_are_translated(english: str, german: str) -> None:
    assert words(Language.DE).detail(english) == german
    assert words(Language.EN).detail(english) == english


@pytest.mark.parametrize(
    ("language", "code", "name"),
    [
        (Language.EN, "DE", "Germany (DE)"),
        (Language.DE, "DE", "Deutschland (DE)"),
        (Language.DE, "US", "Vereinigte Staaten (US)"),
        (Language.DE, "Amerika", "Amerika"),
        (Language.EN, "", ""),
    ],
)
def test_countries_have_their_names_and_other_texts_stay(language: Language, code: str, name: str) -> None:
    assert words(language).of(COUNTRIES, code) == name


@pytest.mark.parametrize("language", Language)
def test_each_country_that_may_be_stated_has_a_name(language: Language) -> None:
    assert [code for code in COUNTRY_CODES if words(language).country(code) == code] == []
