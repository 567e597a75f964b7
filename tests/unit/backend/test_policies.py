"""Policies on personal data: their file, and what is known about each."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.errors import RulesError
from headwater_backend.domain.model import DatasetKey, Incomplete
from headwater_backend.privacy.answers.policy_check import Outcome, PolicyCheck, check_policies
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.policies import DEFAULT_ALLOWED, Severity
from kit.memory_store import MemoryStore, graph, node

EMAIL = ("data_category", "user.contact.email")
POLICY = "- {policy: p, category: user.contact, dataset: 'ns o*'%s}"


def check(edges: str, more: str = "", policy: str = POLICY, **facts: Any) -> PolicyCheck:
    store = MemoryStore(graph(edges), tags=[(node("t:mail"), *EMAIL)], **facts)
    return check_policies(store, parse_policies(policy % more if "%s" in policy else policy), Ruling())


def places(found: PolicyCheck) -> dict[str, list[str]]:
    (verdict,) = found.verdicts
    return {
        f"{each.node.dataset.name}:{'.'.join(each.node.path)}": [form.name for form in each.forms]
        for each in verdict.violations
    }


def test_a_file_has_defaults_and_lines() -> None:
    one, other = parse_policies(
        """
- policy: no contact data in marketing
  category: user.contact
  dataset: {namespace: "*", name: "*/marketing/*"}
- policy: names
  category: user.name
  dataset: "ns *"
  path: "person.**"
  allow: [pseudonymised]
  severity: warning
"""
    )
    assert (one.line, one.allowed, one.severity, one.path_text) == (2, DEFAULT_ALLOWED, Severity.ERROR, "**")
    assert (other.line, other.allowed, other.severity) == (
        5,
        frozenset({Form.PSEUDONYMISED}),
        Severity.WARNING,
    )
    assert other.covers(DatasetKey("ns", "x"))
    assert parse_policies("") == ()


@pytest.mark.parametrize(
    ("text", "line", "detail"),
    [
        ("- policy: p\n  category: user.emial\n  dataset: a\n", 2, "not a data category"),
        ("- policy: p\n  category: user\n", 1, "dataset, purposes, countries or reidentification"),
        ("- policy: p\n  category: user\n  purposes: essential\n", 3, "a list of data uses"),
        ("- policy: p\n  category: user\n  purposes: [fun]\n", 3, "'fun' is no data use of fideslang"),
        ("- policy: p\n  category: user\n  countries: []\n", 3, "the list of countries is empty"),
        ("- policy: p\n  category: user\n  countries:\n  - EEA\n  - UK\n", 5, "'UK' is no country or group"),
        ("- policy: p\n  category: user\n  dataset: a\n  allow: masked\n", 4, "a list of forms"),
        (
            "- policy: p\n  category: user\n  dataset: a\n  allow: [hidden]\n",
            4,
            "'hidden' is none of identity",
        ),
        ("- policy: p\n  category: user\n  dataset: a\n  severity: bad\n", 4, "'bad' is none of error"),
        (
            "- {policy: p, category: user, dataset: a}\n- {policy: p, category: user, dataset: a}",
            2,
            "line 1 already",
        ),
    ],
)
def test_a_wrong_policy_is_an_error_with_file_and_line(text: str, line: int, detail: str) -> None:
    with pytest.raises(RulesError) as raised:
        parse_policies(text, "policy.yaml")
    assert raised.value.line == line
    assert detail in raised.value.detail


@pytest.mark.parametrize(
    ("way", "outcome"),
    [
        ("IDENTITY", Outcome.VIOLATED),
        ("COMPUTE", Outcome.VIOLATED),
        ("HASH", Outcome.VIOLATED),
        ("SUM", Outcome.SATISFIED),
        ("FILTER", Outcome.SATISFIED),
    ],
)
def test_what_is_no_longer_personal_is_allowed(way: str, outcome: Outcome) -> None:
    assert check(f"t:mail -{way}-> o:x").outcome is outcome


def test_a_policy_may_allow_other_forms() -> None:
    assert check("t:mail -HASH-> o:x", ", allow: [pseudonymised]").outcome is Outcome.SATISFIED
    assert check("t:mail -SUM-> o:x", ", allow: [pseudonymised]").outcome is Outcome.VIOLATED
    assert places(check("t:mail -FILTER-> o:x", ", allow: []")) == {"o:x": ["INFLUENCED"]}


def test_a_violation_has_its_forms_and_its_witness() -> None:
    found = check("t:mail -IDENTITY-> m:x @first\nm:x -COMPUTE-> o:x @second\nt:mail -SUM-> o:y @third")
    (violation,) = found.verdicts[0].violations
    assert (violation.node, violation.forms) == (node("o:x"), (Form.TRANSFORMED,))
    assert [edge.job.name for edge in violation.witness] == ["first", "second"]


def test_what_is_declared_at_a_place_violates_it() -> None:
    found = check("t:mail -IDENTITY-> x:y", policy="- {policy: p, category: user, dataset: 'ns t'}")
    assert places(found) == {"t:mail": ["IDENTITY"]}
    assert found.verdicts[0].violations[0].witness == ()


def test_other_datasets_and_other_categories_are_not_concerned() -> None:
    assert places(check("t:mail -IDENTITY-> x:y\nt:mail -SUM-> o:y")) == {}
    other = "- {policy: p, category: user.name, dataset: 'ns o*'}"
    assert check("t:mail -IDENTITY-> o:y", policy=other).verdicts[0].violations == ()


@pytest.mark.parametrize("path", ["person", "person.mail", "person.mail.host", "**.host"])
def test_what_contains_a_place_or_is_contained_in_it_counts(path: str) -> None:
    found = check(
        "t:mail -IDENTITY-> o:person.mail\nt:age -IDENTITY-> o:person.mail.host", f", path: '{path}'"
    )
    assert "o:person.mail" in places(found)


@pytest.mark.parametrize("dataset", ["jdbc:derby:x APP.MART_H", "file /house/Mart_h", "s3://b MART_H"])
@pytest.mark.parametrize("pattern", ["'*mart_*'", "'*MART_*'", "{namespace: '*', name: '*Mart_h'}"])
def test_a_policy_applies_whatever_the_letter_case(dataset: str, pattern: str) -> None:
    (policy,) = parse_policies(f"- {{policy: p, category: user, dataset: {pattern}, path: '**.Mail'}}")
    key = DatasetKey(*dataset.split(" "))
    assert policy.covers(key) and policy.includes(key, "person.MAIL")
    assert not policy.covers(DatasetKey("file", "/house/smart"))


def test_a_violation_is_found_in_a_place_of_another_letter_case() -> None:
    assert places(check("t:mail -IDENTITY-> O:mail")) == {"O:mail": ["IDENTITY"]}


def test_a_policy_is_unknown_where_the_lineage_is_incomplete() -> None:
    gap = Incomplete("PYTHON_UDF", DatasetKey("ns", "o"), ("x",))
    found = check("t:mail -SUM-> o:x", incomplete=[gap])
    assert found.outcome is Outcome.UNKNOWN
    assert gap in found.verdicts[0].incomplete


def test_a_misspelt_policy_is_unknown_and_names_the_nearest() -> None:
    found = check("t:mail -IDENTITY-> orders:x", policy="- {policy: p, category: user, dataset: 'ns ordres'}")
    assert found.outcome is Outcome.UNKNOWN
    (gap,) = found.verdicts[0].incomplete
    assert gap.reason == "UNMATCHED_POLICY"
    assert "did you mean 'ns orders'" in (gap.detail or "")


def test_a_category_that_nothing_has_is_unknown() -> None:
    found = check("t:mail -IDENTITY-> o:x", policy="- {policy: p, category: user.name, dataset: 'ns o'}")
    assert found.outcome is Outcome.UNKNOWN
    assert found.verdicts[0].incomplete[0].detail == "no known path is classified as user.name"


def test_a_warning_does_not_decide() -> None:
    found = check("t:mail -IDENTITY-> o:x", ", severity: warning")
    assert found.verdicts[0].outcome is Outcome.VIOLATED
    assert found.outcome is Outcome.SATISFIED


PURPOSE = "- {policy: p, category: user.contact, purposes: [essential]}"
STATED = """
processing:
  - {activity: orders, outputs: "ns o*", purpose: essential.service}
  - {activity: letters, jobs: "* letters", purpose: marketing.communications.email}
"""


def check_purposes(edges: str, stated: str = STATED) -> PolicyCheck:
    store = MemoryStore(graph(edges), tags=[(node("t:mail"), *EMAIL)])
    statements = parse_organisation(stated + '  - {activity: sources, outputs: "ns t", purpose: essential}')
    return check_policies(store, parse_policies(PURPOSE), Ruling(), organisation=statements)


def test_data_are_used_for_permitted_purposes_and_their_kinds_alone() -> None:
    found = check_purposes(
        "t:mail -IDENTITY-> o:x\nt:mail -IDENTITY-> y:z @letters\nt:mail -SUM-> y:n @letters"
    )
    assert places(found) == {"y:z": ["IDENTITY"]}
    assert check_purposes("t:mail -IDENTITY-> o:x").outcome is Outcome.SATISFIED


def test_a_use_that_nobody_states_is_not_known() -> None:
    found = check_purposes("t:mail -IDENTITY-> y:z @other")
    assert found.outcome is Outcome.UNKNOWN
    (gap,) = found.verdicts[0].incomplete
    assert (gap.reason, gap.dataset.name) == ("UNSTATED_PURPOSE", "y")


def test_each_of_several_purposes_has_to_be_permitted() -> None:
    assert places(check_purposes("t:mail -IDENTITY-> o:x @letters")) == {"o:x": ["IDENTITY"]}
