"""``headwater records serve`` beside the data: records are shown to those who may see values, and to nobody else."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from headwater_backend.access.api_keys import new_key
from headwater_backend.domain.roles import Role
from kit import browser
from kit.command import STOP_SECONDS
from kit.shared import ROOT
from kit.spark_lines import SPARK_4, quickly_started

pytestmark = pytest.mark.spark
JOB = Path(__file__).parent / "jobs" / "records_of_users.py"
WHY = """query($output: String!, $pattern: [RecordPatternNode!], $text: String, $through: Boolean = false) {
  why(output: $output, pattern: $pattern, text: $text, through: $through) {
    rows total steps { number title } stages { output steps { number title } } unknown { file reason }
    records { file position value unread paths { path contributes accessedBy } }
  }
}"""
PATTERN = [
    {"name": "user", "condition": {"equal": "lp"}},
    {"name": "texts", "least": 1, "condition": {"equal": "d"}},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the program wrote ``full``."""
    folder = tmp_path_factory.mktemp("served_records")
    shutil.copy(JOB, folder)
    done = subprocess.run(
        [sys.executable, JOB.name, "full"], cwd=folder, env=surroundings(), capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def keys(folder: Path) -> dict[Role, str]:
    return {
        role: new_key(folder / "keys.json", role.value, [role])[1] for role in (Role.READER, Role.AUDITOR)
    }


@pytest.fixture(scope="module")
def address(folder: Path, keys: dict[Role, str]) -> Iterator[str]:
    command = [sys.executable, "-u", "-m", "headwater_cli", "records", "serve", "--records", "records"]
    environment = {**surroundings(), "HEADWATER_KEYS_FILE": "keys.json"}
    with subprocess.Popen(
        [*command, "--port", "0"], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            lines = iter(process.stdout or ())
            found = next(filter(None, (re.search(r"serves records at (\S+)", line) for line in lines)), None)
            assert found, "the server did not start"
            yield found[1]
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=STOP_SECONDS)


def surroundings() -> dict[str, str]:
    paths = os.pathsep.join(str(ROOT / each) for each in ("integration", "cli", "tests"))
    return {**os.environ, **quickly_started(SPARK_4), "PYTHONPATH": paths}


def asked(address: str, key: str, query: str = WHY, **variables: Any) -> httpx.Response:
    return httpx.post(
        f"{address}graphql",
        json={"query": query, "variables": {"output": "full", **variables}},
        headers={"authorization": f"Bearer {key}"} if key else {},
        timeout=120,
    )


@pytest.fixture
def answer(address: str, keys: dict[Role, str]) -> Callable[..., Any]:
    """The answer to an auditor, or its error; places in queries are those of tweets."""

    def of(query: str, **variables: Any) -> Any:
        found = asked(address, keys[Role.AUDITOR], query, **variables).json()
        return found["errors"][0] if found.get("errors") else next(iter(found["data"].values()))

    return of


def tweet(folder: Path, position: int) -> dict[str, Any]:
    (file,) = (folder / "tweets").glob("*.parquet")
    return {"file": file.resolve().as_uri().replace("file:///", "file:/"), "position": position}


def test_a_pattern_finds_records_with_their_values_and_paths(address: str, keys: dict[Role, str]) -> None:
    found = asked(address, keys[Role.AUDITOR], pattern=PATTERN).json()["data"]["why"]
    assert (found["rows"], found["total"]) == (1, 1)
    (record,) = found["records"]
    assert record["value"] == {"text": "d", "user": "lp", "likes": 0}
    assert (record["position"], record["unread"]) == (4, None)
    shown = {each["path"]: each["contributes"] for each in record["paths"]}
    assert shown == {"text": True, "user": True, "likes": False}


def test_a_text_says_the_same(address: str, keys: dict[Role, str]) -> None:
    key = keys[Role.AUDITOR]
    text = asked(address, key, text='user="lp", texts="d"').json()
    assert text == asked(address, key, pattern=PATTERN).json()


def test_through_all_jobs_the_records_are_those_of_the_first_sources(
    address: str, keys: dict[Role, str]
) -> None:
    key = keys[Role.AUDITOR]
    near = asked(address, key, output="many", text="n=2").json()["data"]["why"]
    assert [each["value"]["user"] for each in near["records"]] == ["lp"] and near["stages"] == []
    far = asked(address, key, output="many", text="n=2", through=True).json()["data"]["why"]
    assert [each["position"] for each in far["records"]] == [1, 4]
    assert [each["value"]["text"] for each in far["records"]] == ["a", "d"]
    assert [each["output"].rpartition("/")[2] for each in far["stages"]] == ["many", "full"]
    assert (far["rows"], far["total"], far["unknown"]) == (1, 2, [])


def test_what_records_became_is_shown_with_its_paths(answer: Callable[..., Any], folder: Path) -> None:
    became = """query($output: String!, $records: [RecordPlace!]!, $first: Int! = 10) {
      became(output: $output, records: $records, first: $first) { more records { file position value
      paths { path contributes } } } }"""
    found = answer(became, records=[tweet(folder, 4)])
    (record,) = found["records"]
    assert record["value"] == {"user": "lp", "n": 2, "texts": ["a", "d"]} and not found["more"]
    assert record["position"] >= 1 and "/full/" in record["file"]
    paths = {each["path"] for each in record["paths"] if each["contributes"]}
    assert "texts[2]" in paths and "texts[1]" not in paths
    two = answer(became, records=[tweet(folder, 3), tweet(folder, 4)], first=1)
    assert (len(two["records"]), two["more"]) == (1, True)
    assert answer(became, records=[tweet(folder, 2)])["records"] == []
    wrong = answer(became, records=[{**tweet(folder, 2), "file": "other.parquet"}])
    assert wrong["message"].startswith("no source has the file other.parquet")


def test_operators_that_dropped_records_are_named(answer: Callable[..., Any], folder: Path) -> None:
    why_not = """query($output: String!, $records: [RecordPlace!]!) {
      whyNot(output: $output, records: $records) { title } }"""
    assert answer(why_not, records=[tweet(folder, 2)]) == [{"title": "filter"}]
    assert answer(why_not, records=[tweet(folder, 4)]) == []
    assert answer(why_not, records=[])["message"] == "no record is named"


def test_what_became_of_records_is_listed_through_all_jobs(answer: Callable[..., Any], folder: Path) -> None:
    fields = "{ asked total unknown { output reason } records { output alone there } }"
    found = answer(
        "query($records: [RecordPlace!]!) { descendants(records: $records) " + fields + " }",
        records=[tweet(folder, 4)],
    )
    outputs = [(each["output"].rpartition("/")[2], each["alone"], each["there"]) for each in found["records"]]
    assert outputs == [("full", False, True), ("many", False, True)]
    assert (found["asked"], found["total"], found["unknown"]) == (1, 2, [])
    subject = "query($person: String!) { subject(people: %s, key: %s, person: $person) " + fields + " }"
    of_person = answer(subject % ('"tweets"', '"user"'), person="lp")
    outputs = [
        (each["output"].rpartition("/")[2], each["alone"], each["there"]) for each in of_person["records"]
    ]
    assert (of_person["asked"], outputs) == (3, [("full", True, True), ("many", True, True)])
    assert answer(subject % ('"tweets"', '"nobody"'), person="lp")["extensions"]["code"] == "BAD_QUESTION"
    elsewhere = answer(subject % ('"keys.json"', '"user"'), person="lp")
    assert elsewhere["message"] == "no captured job read or wrote keys.json"


def test_the_persons_of_leaked_records_are_named(answer: Callable[..., Any]) -> None:
    breach = """query($output: String!, $text: String) {
      breach(output: $output, people: "tweets", key: "user", text: $text) {
        rows persons { person rows among leaked { path } inferred { path } } unknown { source records } } }"""
    found = answer(breach, text='user="lp", texts="d"')
    (person,) = found["persons"]
    assert (found["rows"], found["unknown"]) == (1, [])
    assert (person["person"], person["rows"], person["among"]) == ("lp", 1, 1)
    assert [each["path"] for each in person["leaked"]] == ["text", "user"]
    assert [each["path"] for each in person["inferred"]] == ["likes"]
    assert [each["person"] for each in answer(breach)["persons"]] == ["jm", "lp"]


def test_what_jobs_use_is_shown_by_source(answer: Callable[..., Any]) -> None:
    usage = """query($source: String) { usage(source: $source) { source runs never paths { path contributes
      accessedBy { title runs } } together { paths runs } heat { parts } proposals { change path } } }"""
    found = {each["source"].rpartition("/")[2]: each for each in answer(usage)}
    assert set(found) == {"tweets", "full"}
    tweets = found["tweets"]
    likes = next(each for each in tweets["paths"] if each["path"] == "likes")
    assert likes == {"path": "likes", "contributes": 0, "accessedBy": [{"title": "filter", "runs": 1}]}
    assert {"paths": ["likes", "text"], "runs": 1} in tweets["together"]
    assert found["full"]["never"] == ["texts"]
    assert {"change": "partition", "path": "likes"} in tweets["proposals"]
    assert max(tweets["heat"][0]["parts"]) > 0
    assert answer(usage, source="file:/nowhere") == []


def test_an_error_names_its_place(address: str, keys: dict[Role, str]) -> None:
    pattern = [{"name": "user"}, {"name": "texts", "children": [{"name": "x"}]}]
    (error,) = asked(address, keys[Role.AUDITOR], pattern=pattern).json()["errors"]
    assert error["message"] == "no field x there, at [1].children[0]"
    assert error["extensions"]["code"] == "BAD_PATTERN"
    (error,) = asked(address, keys[Role.AUDITOR], output="tweets").json()["errors"]
    assert error["extensions"]["code"] == "NOT_CAPTURED"


def test_values_are_for_auditors_with_a_key(address: str, keys: dict[Role, str]) -> None:
    assert asked(address, "").status_code == 401
    (error,) = asked(address, keys[Role.READER], pattern=PATTERN).json()["errors"]
    assert error["extensions"]["code"] == "FORBIDDEN"


def test_other_sites_get_nothing(address: str, keys: dict[Role, str]) -> None:
    headers = {"authorization": f"Bearer {keys[Role.AUDITOR]}", "origin": "https://example.org"}
    assert httpx.post(f"{address}graphql", json={"query": WHY}, headers=headers).status_code == 403
    form = {"authorization": headers["authorization"], "content-type": "text/plain"}
    assert httpx.post(f"{address}graphql", content="{}", headers=form).status_code == 415
    assert httpx.get(f"{address}graphql?query={{runs{{output}}}}", headers=form).status_code >= 400


def test_the_page_holds_no_data(address: str) -> None:
    page = httpx.get(address)
    assert page.status_code == 200
    assert 'id="records"' in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_people_see_what_contributes_and_what_only_decided(address: str, keys: dict[Role, str]) -> None:
    with browser.opened() as chromium:
        page = chromium.new_page()
        complaints = browser.Complaints(page, address)
        page.goto(address)
        page.get_by_label("API key").fill(keys[Role.AUDITOR])
        page.get_by_label("Output").fill("full")
        page.get_by_label("Pattern").fill('user="lp", texts="d"')
        page.get_by_role("button", name="Ask").click()
        record = page.locator("article")
        record.wait_for(timeout=120_000)
        assert record.locator("mark.contributes").all_inner_texts() == ['"text": "d",', '"user": "lp",']
        decided = record.locator("mark.influences")
        assert decided.all_inner_texts() == ['"likes": 0']
        assert decided.get_attribute("title") == "Decided only; accessed by 2 filter"
        assert complaints.received == []


def test_people_ask_through_all_jobs(address: str, keys: dict[Role, str]) -> None:
    with browser.opened() as chromium:
        page = chromium.new_page()
        complaints = browser.Complaints(page, address)
        page.goto(f"{address}?output=many")
        page.get_by_label("API key").fill(keys[Role.AUDITOR])
        page.get_by_label("Pattern").fill("n=2")
        page.get_by_label("Through all jobs that were captured").check()
        page.get_by_role("button", name="Ask").click()
        page.locator("article").first.wait_for(timeout=120_000)
        assert page.locator("article").count() == 2
        stages = page.locator("ol li").all_inner_texts()
        assert [each.partition(" ")[0].rpartition("/")[2] for each in stages] == ["many", "full"]
        assert complaints.received == []


def test_people_follow_a_record_to_what_became_of_it(address: str, keys: dict[Role, str]) -> None:
    with browser.opened() as chromium:
        page = chromium.new_page()
        complaints = browser.Complaints(page, address)
        page.goto(f"{address}?output=full")
        page.get_by_label("API key").fill(keys[Role.AUDITOR])
        page.get_by_label("Pattern").fill('user="lp", texts="d"')
        page.get_by_role("button", name="Ask").click()
        page.get_by_role("button", name="What became of it?").click(timeout=120_000)
        page.locator("table").wait_for(timeout=120_000)
        assert page.get_by_label("Question").input_value() == "everywhere"
        assert page.get_by_label("Records, as file:position").input_value().endswith(".parquet:4")
        rows = page.locator("tbody tr").all_inner_texts()
        assert [each.partition("\t")[0].rpartition("/")[2] for each in rows] == ["full", "many"]
        assert all("to be made again" in each for each in rows)
        assert complaints.received == []


def test_people_ask_whose_records_leaked_and_what_jobs_use(
    address: str, keys: dict[Role, str], folder: Path
) -> None:
    with browser.opened() as chromium:
        page = chromium.new_page()
        complaints = browser.Complaints(page, address)
        page.goto(f"{address}?output=full")
        page.get_by_label("API key").fill(keys[Role.AUDITOR])

        def ask(kind: str, **values: str) -> str:
            page.get_by_label("Question").select_option(kind)
            for label, value in values.items():
                page.get_by_label(label.replace("_", " "), exact=True).fill(value)
            page.get_by_role("button", name="Ask").click()
            page.locator("section").wait_for(timeout=120_000)
            return page.locator("section").inner_text()

        dropped = tweet(folder, 2)
        asked = {"Records,_as_file:position": f"{dropped['file']}:{dropped['position']}"}
        assert "nothing of them is left: 2 filter" in ask("became", **asked)
        named = {"Source_that_says_whose_records_are": "tweets", "Key_of_the_person_in_it": "user"}
        assert "Records that have leaked: 2; persons: 2." in ask("breach", **named)
        assert page.locator("tbody tr").count() == 2
        assert "to be deleted: it is of them alone" in ask("subject", Person="jm")
        assert "No job uses texts." in ask("usage")
        assert page.get_by_role("img").first.get_attribute("aria-label")
        assert complaints.received == []


def test_the_page_comes_with_its_output_in_german(address: str, keys: dict[Role, str]) -> None:
    with browser.opened() as chromium:
        page = chromium.new_page(locale="en-US")
        page.goto(f"{address}?output=tweets&language=de")
        assert page.get_by_label("Ausgabe").input_value() == "tweets"
        page.get_by_label("API-Schlüssel").fill(keys[Role.AUDITOR])
        page.get_by_role("button", name="Fragen").click()
        shown = page.get_by_role("alert").inner_text(timeout=120_000)
        assert shown.startswith("von dieser Ausgabe ist nichts aufbewahrt, oder nicht genug: ")
        page.get_by_label("Sprache").select_option("en")
        assert page.get_by_label("Output").input_value() == "tweets"


def test_a_record_whose_file_was_changed_is_not_shown(
    address: str, keys: dict[Role, str], folder: Path
) -> None:
    (file,) = (folder / "tweets").glob("*.parquet")
    status = file.stat()
    os.utime(file, (status.st_atime, status.st_mtime + 5))
    try:
        found = asked(address, keys[Role.AUDITOR], pattern=PATTERN).json()["data"]["why"]
    finally:
        os.utime(file, (status.st_atime, status.st_mtime))
    assert [(each["value"], each["unread"]) for each in found["records"]] == [(None, "the file was changed")]
