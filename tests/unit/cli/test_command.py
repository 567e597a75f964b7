"""The command as a whole: help, exit codes, activation, and what it says when parts are missing."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from headwater_backend.domain.roles import Caller, Role
from headwater_backend.ingest.origin import Origin
from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from headwater_cli.demo.tweets import tweets
from headwater_cli.main import MODULES
from headwater_cli.questions.graph import BACKWARD, tree
from headwater_cli.terminal.screen import short_job, short_names
from headwater_spark.delivery.journal import Journal
from headwater_spark.delivery.spool import describe
from headwater_spark.delivery.transport import receiver_at
from kit.command import headwater, program, surroundings
from kit.openlineage import NAMESPACE, dataset, event, facet

SCRIPT = "import sys\nprint(sys.argv[1:])\nsys.exit(7)\n"


def test_help_names_every_command_and_the_exit_codes() -> None:
    said = headwater("--help").stdout
    assert all(f"  {name} " in said for name in MODULES)
    assert "Exit codes" in said
    assert "…" not in said.split("Commands:")[1].split("Exit")[0], "a summary is cut"


def test_run_hands_the_script_its_own_arguments_and_returns_its_exit_code(here: Path) -> None:
    (here / "job.py").write_text(SCRIPT, "utf-8")
    done = program("run", "job.py", "--events", "x", "-h", "--", "--url=y", folder=here)
    assert done.returncode == 7
    assert done.stdout.strip() == "['--events', 'x', '-h', '--', '--url=y']"


def test_run_refuses_two_receivers_and_a_script_that_is_not_there(here: Path) -> None:
    assert headwater("run", "--events", "a", "--url", "b", "job.py").exit_code == 2
    told = headwater("run", "job.py")
    assert (told.exit_code, "NO_SCRIPT" in told.stderr) == (1, True)


def test_spark_conf_prints_lines_or_json() -> None:
    options = ("--url", "http://lineage:8055", "--python", "/opt/python")
    lines = dict(line.split(" ", 1) for line in headwater("spark-conf", *options).stdout.splitlines())
    assert lines["spark.openlineage.transport.url"] == "http://lineage:8055"
    assert lines["spark.headwater.python"] == "/opt/python"
    assert json.loads(headwater("spark-conf", "--json", *options).stdout) == lines


def test_the_doctor_tells_programs_what_is_there(here: Path) -> None:
    checks = {check["name"]: check for check in json.loads(headwater("doctor", "--json").stdout)}
    assert checks["python"]["state"] == "ok"
    assert checks["backend"]["state"] == "ok"
    assert checks["store"]["state"] == "optional"
    assert "headwater import" in checks["store"]["hint"]


def test_the_doctor_lists_readers_that_do_not_fit_writers(here: Path) -> None:
    events = [
        event("COMPLETE", 1, "writer", [], [dataset("people", "ssn")], "writer"),
        event("COMPLETE", 2, "reader", [dataset("people", "nummer")], [], "reader"),
    ]
    (here / "events.ndjson").write_text("\n".join(map(json.dumps, events)), "utf-8")
    assert headwater("import", "events.ndjson", "--store", "sqlite:///lineage.db").exit_code == 0
    told = headwater("doctor", "--store", "sqlite:///lineage.db", "--json")
    [check] = [check for check in json.loads(told.stdout) if check["name"] == "schemas"]
    assert check["state"] == "gap"
    assert check["about"] == "people is written as (ssn), read as (nummer), by reader"
    assert check["hint"] == "nobody writes nummer; is it one of ssn?"


def test_the_doctor_lists_names_that_somebody_joined_who_may_not(here: Path) -> None:
    place = "sqlite:///lineage.db"
    link = facet(identifiers=[{"namespace": "hive", "name": "people", "type": "TABLE"}])
    theirs = {**dataset("people", symlinks=link), "namespace": "theirs"}
    producer = Origin(Caller("key 7", frozenset({Role.PRODUCER}), (NAMESPACE,)))
    with closing(open_store(place)) as opened:
        assert ingest(opened, [event("COMPLETE", 1, "r", [theirs], [])], origin=producer)[0].stored
    told = headwater("doctor", "--store", place, "--json")
    [check] = [check for check in json.loads(told.stdout) if check["name"] == "claims"]
    assert check["state"] == "gap"
    assert check["about"].startswith("theirs people is also hive people, says key 7")


def test_the_doctor_says_how_to_get_java(here: Path) -> None:
    told = headwater("doctor", JAVA_HOME=str(here))
    assert told.exit_code == 1
    assert "openjdk" in told.stdout


def test_the_demo_says_how_to_get_java_before_it_does_anything(here: Path) -> None:
    told = headwater("demo", JAVA_HOME=str(here))
    assert told.exit_code == 1
    assert "JAVA_MISSING" in told.stderr
    assert "openjdk" in told.stderr
    assert not (here / ".headwater").exists()


@pytest.mark.parametrize(
    "command", [["datasets", "--url", "http://localhost:1"], ["import", "job.py"], ["serve"], ["demo"]]
)
def test_without_the_backend_its_extra_is_named(command: list[str], here: Path) -> None:
    """As in an environment where none of the backend's packages is installed."""
    (here / "job.py").write_text("{}", "utf-8")
    hidden = (
        "['fastapi', 'strawberry', 'httpx', 'rich', 'pydantic', 'pydantic_settings', 'starlette', 'uvicorn']"
    )
    code = f"import sys; sys.modules.update(dict.fromkeys({hidden}))\nfrom headwater_cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *command],
        cwd=here,
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "pip install 'headwater[backend]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_mistake_of_ours_is_one_line_unless_asked_for_more(here: Path) -> None:
    (here / "lineage.db").write_bytes(b"this is no database, whatever its name says" * 100)
    told = headwater("datasets", "--store", "sqlite:///lineage.db")
    assert told.exit_code == 1
    assert told.stderr.startswith("error: ")
    assert "Traceback" not in told.stderr


def test_the_spool_is_told(here: Path) -> None:
    assert headwater("spool", "status", "--dir", here / "spool").stdout == "nothing waits\n"
    assert json.loads(headwater("spool", "flush", "--dir", here / "spool", "--json").stdout) == []


def test_spool_entries_of_a_dead_receiver_are_dropped_or_redirected_by_a_script(here: Path) -> None:
    for host in ("old", "older"):
        receiver = receiver_at(f"http://{host}:5000")
        journal = Journal.create(here / "spool" / receiver.key, 1_000)
        journal.append("{}")
        journal.close()
        describe(here / "spool" / receiver.key, receiver)
    where = ("--dir", here / "spool")

    asked = headwater("spool", "drop", "//old:", *where)
    assert (asked.exit_code, "add --yes" in asked.stderr) == (2, True)
    unknown = headwater("spool", "drop", "elsewhere", "--yes", *where)
    assert (unknown.exit_code, "http://older:5000" in unknown.stderr) == (3, True)
    assert headwater("spool", "drop", "//old:", "--yes", *where).stdout == "1 event dropped\n"
    moved = headwater("spool", "redirect", "//older:", "--to", "http://new:5000", "--yes", "--json", *where)
    assert json.loads(moved.stdout)["redirected"] == 1
    heading, row = headwater("spool", "status", *where).stdout.splitlines()
    assert heading.split("\t") == ["id", "waiting", "parked", "rejected", "in use", "destination"]
    assert row.endswith("\t1\t0\t0\t\thttp http://new:5000 api/v1/lineage")
    assert max(len(row), len(heading)) < 80


def test_the_demos_tweets_are_the_same_each_time_and_nested_as_real_ones() -> None:
    first, again = list(tweets(40)), list(tweets(40))
    assert first == again
    assert {"text", "retweet_count", "created_at", "lang", "user", "entities"} <= first[0].keys()
    mentions = [mention for tweet in first for mention in tweet["entities"]["user_mentions"]]
    authors = {tweet["user"]["id_str"]: tweet["user"]["name"] for tweet in tweets()}
    assert mentions
    assert all(authors.get(mention["id_str"], mention["name"]) == mention["name"] for mention in mentions)
    assert any(tweet["retweet_count"] == 0 for tweet in first)


def test_people_see_short_names_where_these_tell_apart() -> None:
    assert short_names(["/in/tweets", "public.a"]) == {"/in/tweets": "tweets", "public.a": "public.a"}
    assert short_names(["/a/t", "/b/t"]) == {"/a/t": "/a/t", "/b/t": "/b/t"}
    assert short_job("app.execute_insert.out_t") == "app … out_t"
    assert short_job("dag.task") == "dag.task"


def test_a_tree_draws_each_path_once_below_what_it_leads_to() -> None:
    def node(name: str, label: str, distance: int) -> dict[str, object]:
        path = [label] if label else []
        return {
            "name": name,
            "namespace": "n",
            "path": path,
            "label": label,
            "distance": distance,
            "reach": "DIRECT",
        }

    def edge(source: int, target: int) -> dict[str, object]:
        moved = {"subtype": "IDENTITY", "masking": False, "manipulation": ["COPY"], "access": None}
        return {
            "source": source,
            "target": target,
            "transformations": [moved],
            "job": {"name": "app.run.out"},
        }

    graph = {
        "nodes": [node("/in", "a", 2), node("/mid", "b", 1), node("/mid", "c", 1), node("/out", "d", 0)],
        "edges": [edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3), edge(3, 0)],
        "incomplete": [],
    }
    drawn = StringIO()
    Console(file=drawn, width=100).print(tree(graph, BACKWARD))
    how = "IDENTITY (COPY)  by app … out"
    assert [line.rstrip() for line in drawn.getvalue().splitlines()] == [
        "d  in out",
        f"├── b  in mid  {how}",
        f"│   └── a  in in  {how}",
        f"└── c  in mid  {how}",
        f"    └── a  in in  {how}",
    ]
