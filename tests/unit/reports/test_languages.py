"""The catalogues of the languages."""

from __future__ import annotations

import re
from enum import Enum

import pytest

from headwater_backend.privacy.answers.exposure_changes import ChangeKind
from headwater_backend.privacy.answers.policy_check import Outcome
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation.statements import LEGAL_BASES, data_subjects
from headwater_backend.privacy.policies import Severity
from headwater_backend.reports.kinds.question import Kind
from headwater_backend.reports.languages.catalogue import Language, words


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
    alike = {"columns.form", "columns.job", "columns.jobs", "columns.code", "columns.policy"}
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
    ],
)
def test_every_member_has_a_text(vocabulary: str, members: type[Enum]) -> None:
    assert [each.name for each in members if not words(Language.EN).known(f"{vocabulary}.{each.name}")] == []


def test_every_kind_basis_and_subject_has_a_text() -> None:
    keys = [f"titles.{kind.value}" for kind in Kind] + [f"laws.{kind.value}" for kind in Kind]
    keys += [f"bases.{basis}" for basis in LEGAL_BASES] + [f"subjects.{each}" for each in data_subjects()]
    assert [key for key in keys if not words(Language.EN).known(key)] == []
