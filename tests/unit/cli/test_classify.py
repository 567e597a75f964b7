"""``headwater classify`` on a store and on a server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from kit.command import headwater
from kit.openlineage import NAMESPACE, dataset, event, facet, paths

BECAUSE = ("--reason", "see the catalogue")
HOSTILE = "=cmd|' /C calc'!A1\x1b]0;mine\x07\u202e"


@pytest.fixture(autouse=True)
def people(store: str) -> None:
    """``people`` with a tagged mail is copied into ``mailing``."""
    tags = facet(tags=[{"key": "data_category", "value": "user.contact.email", "field": "mail"}])
    traced = paths(*(([column], "people", [column], "IDENTITY") for column in ("mail", "nick")))
    made = event(
        "COMPLETE",
        1,
        "r",
        [dataset("people", "mail", "nick", HOSTILE, tags=tags)],
        [dataset("mailing", "mail", "nick", "phone", headwater_pathLineage=traced)],
        "mails",
    )
    with closing(open_store(store)) as opened:
        (outcome,) = ingest(opened, [made])
    assert outcome.stored


def classify(*arguments: str | Path) -> Any:
    answer = headwater("classify", *arguments)
    assert answer.exit_code == 0, answer.output
    return answer


def query_json(*arguments: str) -> Any:
    return json.loads(headwater(*arguments, "--json").stdout)


def test_a_class_is_added_listed_and_revoked(target: Sequence[str]) -> None:
    add = ("add", "people", "nick", "--category", "user.health_and_medical", *BECAUSE)
    assert (
        "would be decided: test people nick is user.health_and_medical"
        in classify(*add, "--dry-run", *target).stdout
    )
    assert "decided: test people nick is" in classify(*add, *target).stdout
    assert classify(*add, *target).stdout == "no change: already in force\n"
    steward, tag = query_json("classify", "list", *target)[::-1]
    assert (steward["articles"], steward["source"], steward["reason"]) == (["Art. 9"], "STEWARD", BECAUSE[1])
    assert (tag["source"], tag["reason"]) == ("TAG", "tag data_category = user.contact.email")
    exposed = headwater("exposure", "people", "nick", *target).stdout
    assert "user.health_and_medical" in exposed
    classify("revoke", "people", "nick", *BECAUSE, *target)
    assert [each["source"] for each in query_json("classify", "list", "people", *target)] == ["TAG"]
    history = classify("history", *target).stdout.splitlines()
    assert [line.split("\t")[0] for line in history] == ["what", "revoked", "decided"]


def test_what_is_not_personal_overrules_a_tag(target: Sequence[str]) -> None:
    classify("not-personal", "people", "mail", *BECAUSE, *target)
    shown = classify("list", *target).stdout
    assert "not personal" in shown
    assert "tag (overruled)" in shown
    assert headwater("exposure", *target).exit_code == 5


def test_a_rules_file_classifies_what_it_matches(tmp_path: Path, target: Sequence[str]) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text("- {dataset: '* people', path: 'n*', category: user.name}\n", "utf-8")
    assert "test people nick is user.name" in classify("add", "--file", file, *BECAUSE, *target).stdout
    file.write_text("- {dataset: '* people', path: 'nik', category: user.name}\n", "utf-8")
    refused = headwater("classify", "add", "--file", file, *BECAUSE, *target)
    assert refused.exit_code == 3
    assert "did you mean 'nick'" in refused.stderr


def test_a_declassification_is_listed_in_every_answer(tmp_path: Path, target: Sequence[str]) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "- {policy: no mail, category: user.contact, dataset: {namespace: '*', name: mailing}}\n", "utf-8"
    )
    assert headwater("check", policy, *target).exit_code == 6
    classify("declassify", "mailing", "mail", "--by", "mails", "--until", "2999-01-01", *BECAUSE, *target)
    line = "declassified: mail of mailing by mails until 2999-01-01T00:00:00"
    checked = headwater("check", policy, *target)
    assert checked.exit_code == 0, checked.output
    assert "✓ no mail: satisfied" in checked.stdout
    assert line in checked.stdout
    for format_ in ("sarif", "junit"):
        assert line in headwater("check", policy, "--format", format_, *target).stdout
    for command in (
        ["exposure"],
        ["exposure", "mailing"],
        ["breach", "mailing"],
        ["subject"],
        ["matrix"],
        ["reidentified"],
    ):
        answer = headwater(*command, *target)
        assert line in answer.stdout + answer.stderr, command
    assert "mails" in classify("declassifications", *target).stdout
    refused = headwater("classify", "revoke", "mailing", "mail", "--declassification", *BECAUSE, *target)
    assert refused.exit_code != 0
    assert "no declassification of test mailing mail is in force" in refused.stderr
    classify("revoke", "mailing", "mail", "--declassification", "--by", "mails", *BECAUSE, *target)
    assert classify("declassifications", *target).stdout == "nothing is declassified\n"
    assert headwater("check", policy, *target).exit_code == 6


def proposed(target: Sequence[str]) -> dict[str, Any]:
    found = query_json("classify", "propose", *target)
    return {each["node"]["label"]: each for each in found if each["node"]["namespace"] == NAMESPACE}


def test_proposals_are_listed_confirmed_and_rejected(target: Sequence[str]) -> None:
    found = proposed(target)
    assert found["phone"]["confidence"] == "LIKELY"
    assert "mail" not in found
    assert "user.contact.phone_number" not in headwater("exposure", "mailing", "phone", *target).stdout
    classify("confirm", "mailing", "phone", *BECAUSE, *target)
    (phone,) = query_json("classify", "list", "mailing", "phone", *target)
    assert phone["categories"] == ["user.contact.phone_number"]
    refused = headwater("classify", "confirm", "mailing", "phone", *BECAUSE, *target)
    assert "nothing is proposed for test mailing phone" in refused.stderr
    classify("revoke", "mailing", "phone", *BECAUSE, *target)
    assert proposed(target) == found
    classify("reject", "mailing", "phone", *BECAUSE, *target)
    assert proposed(target).keys() == found.keys() - {"phone"}


BULK = (
    ("mailing", "ph*"),
    ("mail*", "phone"),
    ("--all", "--matching", "mail*#phone"),
    ("--all", "--category", "user.contact.phone_number", "--matching", "mailing"),
    ("--all", "--confidence", "likely", "--matching", "test mailing"),
)


@pytest.mark.parametrize("named", BULK)
def test_proposals_are_confirmed_in_bulk(named: Sequence[str], store: str) -> None:
    target = ("--store", store)
    dry = classify("confirm", *named, *BECAUSE, "--dry-run", *target).stdout
    assert "would be decided: test mailing phone is user.contact.phone_number" in dry
    assert "\nPersonal data that would be known then:\n" in dry
    assert "mailing\tuser.contact.phone_number\t1\n" in dry
    assert "Personal data that would not be known any more: none" in dry
    assert "phone" in proposed(target)
    decided = classify("confirm", *named, *BECAUSE, *target).stdout
    assert decided.count("decided: ") == 1
    assert "phone" not in proposed(target)
    assert headwater("classify", "confirm", *named, *BECAUSE, *target).exit_code == 3


def test_a_bulk_is_decided_as_a_whole_or_not_at_all(tmp_path: Path, target: Sequence[str]) -> None:
    listed = query_json("classify", "propose", *target)
    assert len(listed) > 2
    file, lines = tmp_path / "proposals.json", tmp_path / "proposals.tsv"
    lines.write_text(classify("propose", *target).stdout, "utf-8")
    known = {"node": {"namespace": NAMESPACE, "name": "mailing", "path": ["mail"]}}
    file.write_text(json.dumps([*listed, known]), "utf-8")
    refused = headwater("classify", "confirm", "--file", file, *BECAUSE, *target)
    assert refused.exit_code == 1
    assert "nothing is proposed for test mailing mail" in refused.stderr
    assert query_json("classify", "propose", *target) == listed
    file.write_text(json.dumps(listed), "utf-8")
    by_json, by_lines = (
        classify("confirm", "--file", each, *BECAUSE, "--dry-run", *target).stdout for each in (file, lines)
    )
    assert by_json == by_lines
    classify("confirm", "--all", *BECAUSE, *target)
    assert query_json("classify", "propose", *target) == []


def test_what_is_decided_shows_what_is_known_no_longer(target: Sequence[str]) -> None:
    dry = classify("not-personal", "people", "mail", *BECAUSE, "--dry-run", *target).stdout
    assert "Personal data that would be known then: none" in dry
    assert "mailing\tuser.contact.email\t1\npeople\tuser.contact.email\t1\n" in dry


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("confirm", "--all", "mailing", "phone"), "expected DATASET and PATHS, or --all, or --file"),
        (("confirm", "mailing"), "expected DATASET and PATHS"),
        (("confirm", "mailing", "phone", "--category", "user"), "go with --all"),
        (("confirm", "--all", "--category", "user.nam"), "user.name"),
        (("reject", "crm.*", "*"), "nothing is proposed there"),
        (("add", "people", "nik", "--category", "user.name"), "did you mean 'nick'"),
        (("add", "people", "nick", "--category", "user.nam"), "user.name"),
        (("add", "peeple", "nick", "--category", "user.name"), "people"),
        (("add", "people", "nick"), "--category"),
        (("add",), "--file"),
        (("declassify", "mailing", "mail", "--by", "nobody"), "nobody"),
        (("declassify", "mailing", "mail", "--until", "2000-01-01"), "past"),
        (("revoke", "people", "nick", "--by", "mails"), "--declassification"),
    ],
)
def test_errors_name_the_place_and_the_nearest_names(
    target: Sequence[str], arguments: Sequence[str], words: str
) -> None:
    refused = headwater("classify", *arguments, *BECAUSE, *target)
    assert refused.exit_code
    assert words in refused.stderr


def test_hostile_names_and_reasons_do_not_reach_a_terminal(target: Sequence[str]) -> None:
    quoted = f"`{HOSTILE}`"
    made = classify("add", "people", quoted, "--category", "user", "--reason", HOSTILE, *target)
    classify("declassify", "people", quoted, "--reason", HOSTILE, *target)
    answers = [
        made,
        *(classify(what, *target) for what in ("list", "history", "declassifications", "propose")),
    ]
    for answer in answers:
        assert not {"\x1b", "\x07", "\u202e"} & set(answer.stdout + answer.stderr)
    assert "\\x1b" in answers[1].stdout
    assert "\t" not in HOSTILE
    written = headwater("exposure", "--csv", *target).stdout
    assert not any(line.startswith(("=", "+", "@")) or ",=" in line for line in written.splitlines())
