"""Violations of policies that forbid re-identification, in the reports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.organisation.statements import NO_ORGANISATION
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.document.model import Document, Findings
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind
from headwater_backend.stores import open_store
from kit.pseudonyms import KEYS, NAMED, TOKENS
from kit.reports import question

POLICIES = parse_policies(
    """
- {policy: no names, category: user, reidentification: forbidden}
- {policy: no contacts in keys, category: user.contact, dataset: "* keys"}
"""
)
MAIL = ("mail", "people", ("PSEUDONYMISED",))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LineageStore]:
    with closing(open_store(f"sqlite:///{tmp_path_factory.mktemp('reports')}/lineage.db")) as opened:
        assert all(outcome.stored for outcome in ingest(opened, [TOKENS, KEYS, NAMED]))
        yield opened


def report(store: LineageStore, kind: Kind) -> Document:
    given = {
        "ruling": Ruling(),
        "organisation": NO_ORGANISATION,
        "bounds": Bounds(),
        "policies": POLICIES,
        "leaked": (PlacePattern(("test", "named"), "**", 1),) if kind is Kind.ART33 else (),
    }
    return build(store, question(kind, **given))


@pytest.mark.parametrize("kind", [Kind.EXPOSURE, Kind.REVIEW, Kind.ART33])
def test_a_violation_names_the_pseudonym_and_what_makes_it_readable(store: LineageStore, kind: Kind) -> None:
    document = report(store, kind)
    (table,) = [table for _, table in document.tables() if table.key == "violations"]
    assert [column.key for column in table.columns[-4:]] == [
        "pseudonym",
        "readable",
        "readable_by",
        "readable_in",
    ]
    assert [row[1:] for row in table.rows if row[0] == "no names"] == [
        ("test", "keys", "token", *MAIL, "token", ("SAME_ROWS",), "mail", "keys"),
        ("test", "named", "", *MAIL, "token", ("KEY_TABLE",), "mail", "keys"),
    ]
    assert {row[-4:] for row in table.rows if row[0] != "no names"} == {(None,) * 4}


def test_its_route_and_the_route_of_what_makes_it_readable_are_drawn(store: LineageStore) -> None:
    section = report(store, Kind.EXPOSURE).section("verdicts")
    assert section
    (drawn,) = [block for block in section.blocks if isinstance(block, Findings)]
    routes = [
        (each.place.name, each.place.path, each.forms, [step.job for step in each.steps])
        for each in drawn.findings
        if each.remark == "no names"
    ]
    assert routes == [
        ("keys", "token", ("PSEUDONYMISED",), ["makes keys"]),
        ("keys", "mail", ("IDENTITY",), ["makes keys"]),
        ("named", "", ("PSEUDONYMISED",), ["makes tokens", "makes named"]),
        ("keys", "mail", ("IDENTITY",), ["makes keys"]),
    ]
