"""The page on the differences from the official agent has each reason once, and each difference with its reason."""

from __future__ import annotations

import re

from kit.shared import ROOT
from parity.differences import UNEXPLAINED, Entry, differences, filed_reasons, page, summary

COPIED = Entry("copy", "a", "t1.a", "IDENTITY")
CHANGED = Entry("copy", "a", "t1.a", "TRANSFORMATION")
FILTERED = Entry("copy", "", "t1.b", "FILTER")
RENAMED = "theirs wrong: a column under another name is the same column"
FILED = {"ours only: copy": RENAMED, "theirs only: column: TRANSFORMATION": RENAMED}
DOCUMENT = (ROOT / "docs" / "parity.md").read_text("utf-8")
REASON_ROW = re.compile(r"^\| (\d+) \| (.+) \| (\d+) \|$", re.MULTILINE)
DIFFERENCE_ROW = re.compile(r"^\| \w+ \| (?:theirs|ours) only[\w, ]* \| (`.+`) \| (\d+) \|$", re.MULTILINE)


def test_a_reason_is_written_once_and_named_by_its_number() -> None:
    both = {"as it comes": {CHANGED}, "with descriptions": {CHANGED}}
    text = page(summary({COPIED}, both), differences({COPIED}, both, FILED), FILED)
    assert text.splitlines()[-12:] == [
        "| number | reason of a difference | differences |",
        "|---|---|---|",
        f"| 1 | {RENAMED} | 2 |",
        "",
        "## Differences",
        "",
        "Under both settings of the official agent, if none is named.",
        "",
        "| job | found by | dependencies | reason |",
        "|---|---|---|---|",
        "| copy | ours only | `a ← t1.a: IDENTITY` | 1 |",
        "| copy | theirs only | `a ← t1.a: TRANSFORMATION` | 1 |",
    ]


def test_a_difference_under_one_setting_names_it() -> None:
    one = {"as it comes": {COPIED}, "with descriptions": {COPIED, CHANGED}}
    found = differences({COPIED}, one, FILED)
    assert [(each.entry, each.settings) for each in found] == [(CHANGED, ("with descriptions",))]


def test_settings_are_named_where_others_have_no_such_difference() -> None:
    one = {"as it comes": {COPIED, FILTERED}, "with descriptions": {COPIED, FILTERED, CHANGED}}
    filed = {**FILED, "theirs only: copy": RENAMED}
    assert page("", differences({COPIED}, one, filed), filed).splitlines()[-2:] == [
        "| copy | theirs only | `* ← t1.b: FILTER` | 1 |",
        "| copy | theirs only, with descriptions | `a ← t1.a: TRANSFORMATION` | 1 |",
    ]


def test_a_difference_without_a_reason_is_seen() -> None:
    found = differences(set(), {"as it comes": {FILTERED}}, FILED)
    assert found[0].key == ""
    assert UNEXPLAINED in page("", found, FILED)


def test_the_most_exact_key_counts() -> None:
    exact = "ours only, as it comes: copy: a <- t1.a: IDENTITY"
    found = differences(
        {COPIED}, {"as it comes": set(), "with descriptions": set()}, {**FILED, exact: "ours wrong"}
    )
    assert {each.key: each.settings for each in found} == {
        exact: ("as it comes",),
        "ours only: copy": ("with descriptions",),
    }


def test_the_committed_page_has_the_filed_reasons_once_with_their_differences() -> None:
    reasons = {reason: (number, int(count)) for number, reason, count in REASON_ROW.findall(DOCUMENT)}
    assert list(reasons) == list(dict.fromkeys(filed_reasons().values()))
    assert all(DOCUMENT.count(reason) == 1 for reason in reasons)
    listed = [
        number
        for dependencies, number in DIFFERENCE_ROW.findall(DOCUMENT)
        for _ in dependencies.split("`, `")
    ]
    assert {number: listed.count(number) for number in listed} == dict(reasons.values())
