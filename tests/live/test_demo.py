"""The demo as a person calls it: twice in an empty folder, with the output in a pipe."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from kit.command import headwater, in_a_terminal, program
from kit.shared import ROOT

pytestmark = pytest.mark.spark

CONSOLE = re.compile(r"^```console\n\$ headwater (?P<command>.+)\n(?P<answer>(?:.*\n)*?)```$", re.MULTILINE)
"""A command in the README with its answer, where `…` stands for lines that are left out."""

GUIDE = (ROOT / "docs" / "privacy.md").read_text("utf-8")
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WRITTEN = re.compile(r"^```yaml\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OF_A_SERVER = re.compile(r"headwater (?:demo|serve|findings (?:acknowledge|resolve|history))\b")
"""What the guide shows to run before, or of what a running server noticed."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def shown(folder: Path) -> subprocess.CompletedProcess[str]:
    return program("demo", folder=folder)


@pytest.fixture
def store(folder: Path, shown: subprocess.CompletedProcess[str]) -> str:
    """The URL of the store that the demo filled."""
    assert shown.returncode == 0, shown.stderr
    return f"sqlite:///{folder}/.headwater/demo/lineage.db"


def labels(answer: str) -> set[tuple[str, str]]:
    """The paths of an answer, each with the last part of its dataset's name."""
    return {(node["name"].rpartition("/")[2], node["label"]) for node in json.loads(answer)["nodes"]}


def test_the_demo_ends_well_and_prints_plain_text(shown: subprocess.CompletedProcess[str]) -> None:
    assert shown.returncode == 0, shown.stderr
    assert "\x1b" not in shown.stdout
    for text in (
        "What is people[].name",
        "What is derived from",
        "Which personal data are exposed",
        "exposure.html",
        "http://127.0.0.1:8055/",
    ):
        assert text in shown.stdout


def test_backward_lineage_crosses_three_jobs_files_and_a_table(store: str) -> None:
    answer = headwater(
        "lineage", "backward", "directory", "people[].name", "--json", "--strict", "--store", store
    )
    assert answer.exit_code == 0, answer.output
    assert labels(answer.stdout) == {
        ("directory", "people[].name"),
        ("profiles", "person.name"),
        ("by_user", "user.name"),
        ("tweets", "user.name"),
        ("tweets", "entities.user_mentions[].name"),
    }


def test_forward_lineage_comes_back_to_where_backward_began(store: str) -> None:
    for path in ("user.name", "entities.user_mentions[].name"):
        answer = headwater("lineage", "forward", "tweets", path, "--json", "--store", store)
        assert ("directory", "people[].name") in labels(answer.stdout)


def test_the_running_example_has_exactly_its_sources(store: str) -> None:
    answer = headwater("lineage", "backward", "by_user", "user.id_str", "--json", "--store", store)
    assert labels(answer.stdout) == {
        ("by_user", "user.id_str"),
        ("tweets", "user.id_str"),
        ("tweets", "entities.user_mentions[].id_str"),
    }


def test_what_is_hashed_is_exposed_as_pseudonymised(folder: Path, store: str) -> None:
    rules = folder / ".headwater/demo/rules.yaml"
    answer = headwater(
        "exposure", "--rules", rules, "--category", "user.unique_id", "--json", "--store", store
    )
    forms = {
        (output["node"]["label"], output["form"])
        for attribute in json.loads(answer.stdout)["attributes"]
        for output in attribute["outputs"]
    }
    assert ("people[].key", "PSEUDONYMISED") in forms
    assert ("person.id_str", "IDENTITY") in forms


def test_the_report_names_who_holds_what(folder: Path, store: str) -> None:
    page = (folder / ".headwater/demo/exposure.html").read_text("utf-8")
    assert "people[].name" in page
    assert "user.location.imprecise" in page


def test_the_readme_shows_what_its_questions_are_answered(folder: Path, store: str) -> None:
    examples = CONSOLE.findall((ROOT / "README.md").read_text("utf-8"))
    assert len(examples) == 5
    for command, answer in examples:
        coloured = in_a_terminal(
            *shlex.split(command),
            folder=folder,
            COLUMNS="200",
            HEADWATER_STORE=store,
            HEADWATER_RULES=".headwater/demo/rules.yaml",
        )
        shown = re.sub(r"\x1b\[[\d;]*m|\r", "", coloured)
        assert re.fullmatch(re.escape(answer).replace("…\\\n", "(?:.*\n)+"), shown), f"{command}:\n{shown}"


def test_the_privacy_guide_can_be_followed_on_the_demo(
    folder: Path, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder / ".headwater", tmp_path / ".headwater")
    monkeypatch.chdir(tmp_path)
    for name, text in WRITTEN.findall(GUIDE):
        Path(name).write_text(text, "utf-8")
    exports: dict[str, str] = {}
    ended: dict[str, int] = {}
    for line in "".join(SHELL.findall(GUIDE)).splitlines():
        if line.startswith("export "):
            name, _, value = line.removeprefix("export ").partition("=")
            exports[name] = value
        elif not OF_A_SERVER.match(line):
            command, _, file = line.partition(" > ")
            answer = headwater(*shlex.split(command)[1:], **exports)
            ended[line] = answer.exit_code
            assert answer.exit_code in {0, 4, 6}, f"{line}:\n{answer.output}"
            if file:
                Path(file).write_text(answer.stdout, "utf-8")
    assert len(ended) > 35
    checked = {code for line, code in ended.items() if line.startswith("headwater check")}
    assert checked == {6}
    assert [line for line, code in ended.items() if code == 4 and "--strict" not in line] == []


@pytest.mark.slow
def test_a_second_run_works_and_keeps_nothing_of_the_first(folder: Path, store: str) -> None:
    left = folder / ".headwater/demo/left-over"
    left.touch()
    again = program("demo", folder=folder)
    assert again.returncode == 0, again.stderr
    assert not left.exists()


def test_a_job_that_fails_ends_the_demo_with_what_spark_printed(tmp_path: Path) -> None:
    """A Spark that cannot start: its configuration names a master that there is none of."""
    (tmp_path / "spark-defaults.conf").write_text("spark.master nowhere\n", "utf-8")
    done = program("demo", folder=tmp_path, environment={"SPARK_CONF_DIR": str(tmp_path)})
    assert done.returncode == 1
    assert "JOB_FAILED" in done.stderr
    assert "Master must" in done.stderr
    assert "\tat " not in done.stderr
    assert "spark.log" in done.stderr
