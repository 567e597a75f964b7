"""Whatever is asked about personal data: what a producer takes back after the fact is listed, or a gap, until a steward
decides.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from attacks.test_after_the_fact import COARSE, FINER, accept, change, reported, send, wrote
from headwater_backend.domain.model import AFTER_THE_FACT, DatasetKey, Incomplete, NodeKey
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.breach import breach
from headwater_backend.privacy.answers.exposure_changes import exposure_changes
from headwater_backend.privacy.answers.matrix import Column, Row, matrix
from headwater_backend.privacy.answers.policy_check import check_policies
from headwater_backend.privacy.answers.reidentification import reidentifications
from headwater_backend.privacy.answers.residency import residency
from headwater_backend.privacy.answers.subject import subject_data
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.exposure import Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.holdings import holdings
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.retention.overdue import retention
from headwater_backend.privacy.snapshots import Snapshots
from headwater_backend.reports.document.canonical import as_json
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from headwater_backend.stores import open_store
from kit.openlineage import NAMESPACE, at, dataset, event

LEAKED: Final = (PlacePattern((NAMESPACE, "report"), "**", 1),)
RULING: Final = Ruling()
STATED: Final = parse_organisation("""
locations: [{datasets: "* *", country: DE}]
processing: [{activity: Mailing, outputs: "* report", retention: 30 days}]
""")
"""Where all datasets are, and for how long one is kept."""
POLICIES: Final = {
    "no mail in reports": '{policy: p, category: user.contact, dataset: "* report", allow: [aggregated]}',
    "nothing read again": "{policy: p, category: user, reidentification: forbidden}",
    "in Germany": "{policy: p, category: user, countries: [DE]}",
}
PEOPLE_MAIL: Final = NodeKey(DatasetKey(NAMESPACE, "people"), ("mail",))
REPORT: Final = NodeKey(DatasetKey(NAMESPACE, "report"), ())

Gaps = tuple[Incomplete, ...]


def cleared(facets: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [wrote(6, facets)]


def ended(kind: dict[str, Any]) -> list[dict[str, Any]]:
    """The end of ``middle`` before ``report`` had read it, and other content since."""
    return [
        event("COMPLETE", 3, "clean", [], [dataset("middle", **kind)], "clean"),
        wrote(4, FINER["made of something else"], "other night"),
    ]


STORIES: Final = {
    **{f"finer lineage: {name}": cleared(facets) for name, facets in FINER.items()},
    "a backdated drop": ended(change("DROP")),
    "a backdated overwrite": ended(change("OVERWRITE", "WHOLE")),
}


def checked(store: LineageStore, policy: str) -> Gaps:
    (verdict,) = check_policies(store, parse_policies(f"- {policy}"), RULING, organisation=STATED).verdicts
    return verdict.incomplete


def reasons_in_report(store: LineageStore, kind: Kind) -> Gaps:
    """The gaps are the document's own rows; which of them name the reason is all that counts here."""
    asked = ReportQuestion(
        kind,
        ruling=RULING,
        organisation=STATED,
        leaked=LEAKED if kind is Kind.ART33 else (),
        since=at(5) if kind is Kind.REVIEW else None,
    )
    document = build(store, asked)
    assert not document.complete
    return (Incomplete(AFTER_THE_FACT, REPORT.dataset),) * (AFTER_THE_FACT in json.dumps(as_json(document)))


def folded(store: LineageStore, column: Column, row: Row) -> Gaps:
    return matrix(store, Scope(), RULING, Snapshots(), column=column, row=row, organisation=STATED).incomplete


def shown(store: LineageStore, scope: Scope) -> Gaps:
    return exposed(store, scope).incomplete


def listed(store: LineageStore, scope: Scope) -> Gaps:
    return holdings(store, scope, RULING, Snapshots()).report.incomplete


def located(store: LineageStore) -> Gaps:
    policies = parse_policies(f"- {POLICIES['in Germany']}")
    found = residency(store, Scope(), RULING, Snapshots(), policies=policies, organisation=STATED)
    return found.incomplete


def of_questions() -> Iterator[tuple[str, Callable[[LineageStore], Gaps]]]:
    for name, scope in {
        "all": Scope(),
        "of people": Scope(of=PEOPLE_MAIL),
        "at the report": Scope(at=REPORT),
        "by category": Scope(category="user.contact"),
        "influenced": Scope(influenced=True),
    }.items():
        yield f"exposure {name}", partial(shown, scope=scope)
        yield f"holdings {name}", partial(listed, scope=scope)
    yield "subject", lambda store: subject_data(store, Scope(), RULING).incomplete
    yield "subject of people", lambda store: subject_data(store, Scope(of=PEOPLE_MAIL), RULING).incomplete
    yield "breach", lambda store: breach(store, LEAKED, RULING).incomplete
    yield "reidentified", lambda store: reidentifications(store, RULING).incomplete
    yield "retention", lambda store: retention(store, Scope(), RULING, STATED).incomplete
    yield "changes", lambda store: exposure_changes(store, Scope(), at(5), RULING).incomplete
    yield "residency", located
    for name, policy in POLICIES.items():
        yield f"check {name}", partial(checked, policy=policy)
    for column, row in product(Column, Row):
        yield f"matrix {column.value} {row.value}", partial(folded, column=column, row=row)
    for kind in Kind:
        yield f"report {kind.value}", partial(reasons_in_report, kind=kind)


QUESTIONS: Final = dict(of_questions())
_FIRST_IN_EACH_RUN: Final = [
    pytest.param(story, marks=[pytest.mark.slow] if number else []) for number, story in enumerate(STORIES)
]


@pytest.mark.parametrize("story", STORIES)
def test_no_question_about_personal_data_is_cleared_after_the_fact(tmp_path: Path, story: str) -> None:
    with closing(open_store(f"sqlite:///{tmp_path}/lineage.db")) as store:
        assert_not_cleared(store, story)


@pytest.mark.parametrize("story", _FIRST_IN_EACH_RUN)
def test_nor_is_it_in_a_store_of_any_kind(store: LineageStore, story: str) -> None:
    assert_not_cleared(store, story)


def assert_not_cleared(store: LineageStore, story: str) -> None:
    send(store, wrote(1, COARSE))
    send(store, reported(5))
    assert not marked(store)
    send(store, *STORIES[story])
    assert sorted(set(QUESTIONS) - marked(store)) == []
    accept(store, "middle")
    assert not marked(store)


def marked(store: LineageStore) -> set[str]:
    """The questions of which an answer has the gap."""
    return {
        name for name, ask in QUESTIONS.items() if any(gap.reason == AFTER_THE_FACT for gap in ask(store))
    }
