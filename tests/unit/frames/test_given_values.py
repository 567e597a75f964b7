"""A value that a program took out of a frame by hand, and gives to a function of another column, is listed or a gap."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.frame_tokens import gaps_of, unlisted_of

GIVEN = [
    "a.set_index('mail').index[0]",
    "list(a['mail'])[1]",
    "b['note'].tolist()[0]",
    "max(a['mail'].dropna(), key=len)",
]
STEPS = [
    "a['city'] = a['city'].where(a['id'] > 2, GIVEN)",
    "a['city'] = a['city'].mask(a['id'] > 2, GIVEN)",
    "a['city'] = a['city'].where(a['id'] > 9).fillna(GIVEN)",
    "a = a.fillna(GIVEN)",
    "a = a.fillna({'mail': GIVEN})",
    "a['city'] = a['city'].replace('TOKCITY1', GIVEN)",
    "a = a.replace({'TOKCITY1': GIVEN})",
    "a = a.replace({'city': {'TOKCITY1': GIVEN}})",
    "a['city'] = a['city'].replace(['TOKCITY1', 'TOKCITY2'], ['x', GIVEN])",
    "a['city'] = a['city'].map({'TOKCITY1': GIVEN, 'TOKCITY2': 'y'})",
    "a['city'] = a['city'] + GIVEN",
    "a['city'] = GIVEN + a['city']",
    "a['city'] = a['city'].add(GIVEN)",
    "a['city'] += GIVEN",
    "a['city'] = a['city'].str.replace('TOKCITY', GIVEN)",
    "a['city'] = a['city'].str.cat(a['city'], sep=GIVEN)",
    "a['city'] = a['city'].str.ljust(20, '.') + GIVEN",
]
TABLES = [
    "a['city'] = a['id'].map(dict(zip(a['id'], a['mail'])))",
    "a['city'] = a['id'].replace(dict(zip(a['id'], a['mail'])))",
    "table = {row.id: row.note for row in b.itertuples()}; a['city'] = a['id'].map(table)",
    "table = b.set_index('id')['note'].drop_duplicates(); a['city'] = a['id'].map(table.to_dict())",
]


@pytest.fixture(autouse=True)
def _no_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("step", STEPS)
def test_a_value_that_was_taken_by_hand_is_listed_or_a_gap(step: str, given: str, tmp_path: Path) -> None:
    assert unlisted_of([step.replace("GIVEN", given)], tmp_path) in ([], None)


@pytest.mark.parametrize("steps", TABLES)
def test_a_table_that_was_made_of_a_frame_is_listed_or_a_gap(steps: str, tmp_path: Path) -> None:
    assert unlisted_of(steps.split("; "), tmp_path) == []


@pytest.mark.parametrize(
    "step",
    [
        "a['city'] = a['city'].fillna('none')",
        "a['city'] = a['city'].map({'TOKCITY1': 'one', 'TOKCITY2': 'two'})",
        "a['city'] = a['city'].replace({'TOKCITY1': 'one'}) + '!'",
        "a['city'] = a['city'].str.replace('TOK', 'tok').where(a['id'] > 2, 'few')",
    ],
)
def test_constants_are_no_gap(step: str, tmp_path: Path) -> None:
    assert gaps_of([step], tmp_path) == set()
