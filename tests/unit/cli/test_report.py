"""``headwater report``: reports of a store and of a server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

import pytest

from headwater_backend.reports.document.canonical import unsealed
from headwater_backend.reports.document.model import Imprint
from headwater_backend.reports.formats import html
from headwater_backend.reports.formats.render import Format, render
from headwater_backend.reports.languages.catalogue import Language
from headwater_boundary.policy import Policy
from headwater_boundary.report import report_of
from kit.command import headwater, served
from kit.reports import REPORTS
from kit.shared import DATA
from kit.split_answer import MADE

STATED = ("--rules", REPORTS / "rules.yaml", "--organisation", REPORTS / "organisation.yaml")
AS_OF = ("--as-of", "2026-11-22T06:00:00Z")


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("art30", ()),
        ("art30-processor", ()),
        ("art15", ("shop.customers",)),
        ("art17", ("--order", "sources-last")),
        ("art33", ("vouchers",)),
        ("exposure", ("--influenced",)),
        ("review", ("--since", "2026-01-01")),
        ("transfers", ()),
    ],
)
def test_each_kind_is_written(kind: str, more: Sequence[str], workdir: Path, store: str) -> None:
    out = workdir / "report.html"
    answer = headwater("report", kind, *more, "--out", out, *STATED, *AS_OF, "--store", store)
    assert answer.exit_code == 0, answer.output
    read = unsealed(html.sealed_in(out.read_text("utf-8")))
    assert read.intact
    assert read.report["kind"] == kind


def test_a_store_and_its_server_give_the_same_bytes(workdir: Path, store: str) -> None:
    local, remote = workdir / "local.json", workdir / "remote.json"
    assert headwater("report", "art30", "--out", local, *STATED, *AS_OF, "--store", store).exit_code == 0
    with served(workdir, "--store", store) as (address, _):
        answer = headwater("report", "art30", "--out", remote, *STATED, *AS_OF, "--url", address)
    assert answer.exit_code == 0, answer.output
    assert local.read_bytes() == remote.read_bytes()


def test_a_server_states_what_its_organisation_file_says(workdir: Path, store: str) -> None:
    stated = {"HEADWATER_ORGANISATION": str(REPORTS / "organisation.yaml")}
    options = ("--store", store, "--rules", REPORTS / "rules.yaml")
    with served(workdir, *options, **stated) as (address, _):
        answer = headwater("report", "art30", "--out", workdir / "out.json", "--url", address)
    assert answer.exit_code == 0, answer.output
    assert "Example GmbH" in (workdir / "out.json").read_text("utf-8")


def test_the_language_is_chosen(workdir: Path, store: str) -> None:
    out = workdir / "report.html"
    headwater("report", "art30", "--language", "de", "--out", out, *STATED, "--store", store)
    page = out.read_text("utf-8")
    assert '<html lang="de">' in page
    assert "Verzeichnis von Verarbeitungstätigkeiten" in page
    assert "nicht angegeben" in page


def test_the_page_of_an_exposure_has_the_whole_matrix_beside_it(workdir: Path, store: str) -> None:
    answer = headwater("report", "exposure", "--out", workdir / "out.html", *STATED, "--store", store)
    assert answer.exit_code == 0, answer.output
    assert "out.csv beside it" in answer.stdout and "out.json beside it" in answer.stdout
    whole = json.loads((workdir / "out.json").read_text("utf-8"))
    assert whole["totalCount"] > 1


def test_a_report_is_in_the_audit_log(workdir: Path, store: str) -> None:
    headwater("report", "art30", "--out", workdir / "out.json", *STATED, "--store", store)
    log = headwater("audit", "list", "--json", "--store", store)
    assert "report" in [entry["action"] for entry in json.loads(log.stdout)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("art30", "--out", "out.docx"), "out.docx has none of the ends"),
        (("art33", "--out", "out.html"), "expected a LEAKED dataset"),
        (("review", "--out", "out.html"), "no signed review covers this question"),
        (("art30", "--out", "out.html", "--lenient"), "--lenient goes with --rules"),
    ],
)
def test_a_mistake_is_named(arguments: Sequence[str], words: str, workdir: Path, store: str) -> None:
    answer = headwater("report", *arguments, "--store", store)
    assert answer.exit_code in (1, 2), answer.output
    assert words in answer.stderr


def test_a_mistake_in_the_organisation_s_file_is_named_with_its_line(workdir: Path, store: str) -> None:
    file = workdir / "org.yaml"
    file.write_text("measures:\n  - one\nofficer: {}\n", "utf-8")
    answer = headwater("report", "art30", "--out", "out.html", "--organisation", file, "--store", store)
    assert answer.exit_code == 1
    assert f"{file}, line 3" in answer.stderr


def test_an_incomplete_report_fails_when_it_must_be_complete(workdir: Path, store: str) -> None:
    options = ("--out", workdir / "out.html", *STATED, "--depth", "1", "--store", store)
    assert headwater("report", "art30", *options).exit_code == 0
    assert headwater("report", "art30", *options, "--strict").exit_code == 4


@pytest.mark.parametrize("end", ["html", "pdf", "xlsx", "zip", "json"])
def test_a_report_is_verified_by_its_file_and_by_asking_again(end: str, workdir: Path, store: str) -> None:
    out = workdir / f"report.{end}"
    headwater("report", "art33", "vouchers", "--out", out, *STATED, "--store", store)
    alone = headwater("report", "verify", out)
    assert alone.exit_code == 0, alone.output
    assert "byte by byte" in alone.stdout
    again = headwater("report", "verify", out, *STATED, "--store", store)
    assert again.exit_code == 0, again.output
    assert "asked again: the same answer" in again.stdout


def test_a_changed_file_is_found(workdir: Path, store: str) -> None:
    out = workdir / "report.html"
    headwater("report", "art30", "--out", out, *STATED, "--store", store)
    out.write_text(out.read_text("utf-8").replace("shop.vouchers", "shop.vouchers_", 1), "utf-8")
    answer = headwater("report", "verify", out)
    assert answer.exit_code == 1
    assert "changed" in answer.stdout


def test_a_report_of_other_settings_is_not_called_false(
    target: Sequence[str], workdir: Path, store: str
) -> None:
    out, policy, other = (workdir / name for name in ("report.json", "policy.yaml", "other.yaml"))
    policy.write_text("- {policy: mails, category: user, countries: [EEA]}\n", "utf-8")
    other.write_text("- {policy: mails, category: user, countries: [CH]}\n", "utf-8")
    made = ("report", "review", "--since", "2026-01-01", "--out", out, *STATED, "--policy", policy)
    assert headwater(*made, "--store", store).exit_code == 0
    same = headwater("report", "verify", out, *STATED, "--policy", policy, *target)
    assert same.exit_code == 0, same.output
    for stated, words in (
        (STATED, "policies: the report was made by sha256:"),
        ((*STATED, "--policy", other), "give the same --policy"),
        (("--policy", policy), "rules: the report was made by sha256:"),
        ((*STATED[:2], "--policy", policy), "organisation: the report was made by sha256:"),
    ):
        answer = headwater("report", "verify", out, *stated, *target)
        assert answer.exit_code == 4, answer.output
        assert words in answer.stdout
        assert "whether the report is true is not known" in answer.stdout
        assert " + " not in answer.stdout


def other_events(folder: Path) -> Path:
    """Events that are like those of the store, of another dataset."""
    file = folder / "other.ndjson"
    file.write_text(
        (DATA / "parcels.ndjson").read_text("utf-8").replace("shop.vouchers", "shop.coupons"), "utf-8"
    )
    return file


def test_another_store_makes_no_report_false(workdir: Path, store: str) -> None:
    out = workdir / "report.html"
    headwater("report", "art30", "--out", out, *STATED, "--store", store)
    other = f"sqlite:///{workdir}/other.db"
    headwater("import", other_events(workdir), "--store", other)
    answer = headwater("report", "verify", out, *STATED, HEADWATER_STORE=other)
    assert answer.exit_code == 4, answer.output
    assert f"made from {store}, asked of {other}" in answer.stdout
    assert "asked of another store" in answer.stdout


def test_what_has_changed_since_is_a_difference(workdir: Path, store: str) -> None:
    out = workdir / "report.json"
    headwater("report", "art30", "--out", out, *STATED, "--store", store)
    assert headwater("import", other_events(workdir), "--store", store).exit_code == 0
    answer = headwater("report", "verify", out, *STATED, "--store", store)
    assert answer.exit_code == 1, answer.output


@pytest.mark.parametrize("end", ["html", "pdf", "json"])
@pytest.mark.usefixtures("looked")
def test_a_review_is_signed_by_its_file(end: str, target: Sequence[str], workdir: Path) -> None:
    out, rules = workdir / f"review.{end}", ("--rules", REPORTS / "rules.yaml")
    changes: tuple[str | Path, ...] = ("exposure", "--since", "last-review", *rules, *target)
    refused = headwater(*changes)
    assert refused.exit_code == 1
    assert "no signed review covers this question" in refused.stderr
    headwater("report", "review", "--since", "2020-01-01", "--out", out, *rules, *target)
    other = headwater("report", "sign", out, "--reason", "read", *target)
    assert other.exit_code == 1
    assert "has another answer now" in other.stderr
    answer = headwater("report", "sign", out, "--reason", "read", *rules, *target)
    assert answer.exit_code == 0, answer.output
    assert "review as of" in answer.stdout
    (listed,) = json.loads(headwater("report", "signed", "--json", *target).stdout)
    assert (listed["kind"], listed["reason"], listed["complete"]) == ("review", "read", True)
    assert listed["hash"] in headwater("report", "signed", *target).stdout
    since = headwater(*changes, "--json")
    assert since.exit_code == 0, since.output
    found = json.loads(since.stdout)
    assert (found["since"], found["review"]["hash"]) == (listed["asOf"], listed["hash"])
    assert (found["changes"], found["complete"]) == ([], True)
    assert f"signed on {listed['at'][:19]}: read" in headwater(*changes).output
    again = headwater("report", "review", "--out", workdir / "next.json", *rules, *target)
    assert again.exit_code == 0, again.output
    assert listed["hash"] in (workdir / "next.json").read_text("utf-8")


def test_a_changed_file_is_not_signed(workdir: Path, store: str) -> None:
    out = workdir / "report.html"
    headwater("report", "art30", "--out", out, *STATED, "--store", store)
    out.write_text(out.read_text("utf-8").replace("shop.vouchers", "shop.vouchers_", 1), "utf-8")
    answer = headwater("report", "sign", out, "--reason", "read", *STATED, "--store", store)
    assert answer.exit_code == 1
    assert "is not as it was written" in answer.stderr


def test_the_report_of_a_split_is_verified_by_its_file_alone(workdir: Path, store: str) -> None:
    script = workdir / "job.py"
    script.touch()
    moment = datetime(2026, 1, 1, tzinfo=timezone.utc)
    beside = {"rules": None, "policy": None}
    document = report_of(MADE, script, beside, Policy(least_group=5), language=Language.EN, as_of=moment)
    (workdir / "split.html").write_bytes(render(document, Imprint(moment, "headwater split"), Format.HTML))
    verified = headwater("report", "verify", "split.html")
    assert verified.exit_code == 0 and "byte by byte what was written" in verified.stdout
    for command in (("verify", "split.html"), ("sign", "split.html", "--reason", "seen")):
        asked = headwater("report", *command, "--store", store)
        assert (
            asked.exit_code == 1
            and "a job's split or of single records, which no store answers" in asked.stderr
        )
