"""The command as a whole: help, exit codes, activation, and messages about missing parts."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from io import StringIO
from pathlib import Path

import click
import pytest
from rich.console import Console

import headwater_cli
from headwater_backend.domain.roles import Caller, Role
from headwater_backend.ingest.sender import Sender
from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from headwater_cli.demo.tweets import tweets
from headwater_cli.main import MODULES
from headwater_cli.questions.graph import BACKWARD, tree
from headwater_cli.terminal.output import job_title, job_titles, short_names
from headwater_spark.delivery.spool import Spool
from headwater_spark.delivery.spool_folder import write_description
from headwater_spark.delivery.transport_settings import destinations, receiver_at
from kit import commands
from kit.command import headwater, program, surroundings
from kit.openlineage import NAMESPACE, dataset, event, facet
from kit.receiver import Receiver

SCRIPT = "import sys\nprint(sys.argv[1:])\nsys.exit(7)\n"


def test_help_lists_every_command_and_the_exit_codes() -> None:
    help_text = headwater("--help").stdout
    assert all(f"  {name} " in help_text for name in MODULES)
    assert "Exit codes" in help_text
    summaries = help_text.split("Commands:")[1].split("Exit")[0]
    assert "…" not in summaries and "..." not in summaries, "a summary is cut"


def test_each_command_can_be_called() -> None:
    """A command that no group has, and no row of MODULES, cannot."""
    called = {id(command) for _, command in commands.all_commands()}
    modules = (each.name for each in pkgutil.walk_packages(headwater_cli.__path__, "headwater_cli."))
    lost = [
        f"{name}.{attribute}"
        for name in modules
        if not name.endswith(".__main__") and ".demo.jobs" not in name
        for attribute, value in vars(import_module(name)).items()
        if isinstance(value, click.Command) and id(value) not in called
    ]
    assert lost == [], "add a row to MODULES in headwater_cli/main.py, or the command to its group"


def test_run_passes_arguments_to_the_script_and_returns_its_exit_code(workdir: Path) -> None:
    (workdir / "job.py").write_text(SCRIPT, "utf-8")
    done = program("run", "job.py", "--events", "x", "-h", "--", "--url=y", folder=workdir)
    assert done.returncode == 7
    assert done.stdout.strip() == "['--events', 'x', '-h', '--', '--url=y']"


def test_run_refuses_two_receivers_and_a_missing_script(workdir: Path) -> None:
    assert headwater("run", "--events", "a", "--url", "b", "job.py").exit_code == 2
    result = headwater("run", "job.py")
    assert (result.exit_code, "NO_SCRIPT" in result.stderr) == (1, True)


def test_spark_conf_prints_lines_or_json() -> None:
    options = ("--url", "http://lineage:8055", "--python", "/opt/python")
    lines = dict(line.split(" ", 1) for line in headwater("spark-conf", *options).stdout.splitlines())
    assert lines["spark.openlineage.transport.url"] == "http://lineage:8055"
    assert lines["spark.headwater.python"] == "/opt/python"
    assert json.loads(headwater("spark-conf", "--json", *options).stdout) == lines


def test_the_doctor_reports_checks_as_json(workdir: Path) -> None:
    checks = {check["name"]: check for check in json.loads(headwater("doctor", "--json").stdout)}
    assert checks["python"]["state"] == "ok"
    assert checks["backend"]["state"] == "ok"
    assert checks["store"]["state"] == "optional"
    assert "headwater import" in checks["store"]["hint"]


def test_the_doctor_lists_readers_with_another_schema_than_writers(workdir: Path) -> None:
    events = [
        event("COMPLETE", 1, "writer", [], [dataset("people", "ssn")], "writer"),
        event("COMPLETE", 2, "reader", [dataset("people", "nummer")], [], "reader"),
    ]
    (workdir / "events.ndjson").write_text("\n".join(map(json.dumps, events)), "utf-8")
    assert headwater("import", "events.ndjson", "--store", "sqlite:///lineage.db").exit_code == 0
    result = headwater("doctor", "--store", "sqlite:///lineage.db", "--json")
    [check] = [check for check in json.loads(result.stdout) if check["name"] == "schemas"]
    assert check["state"] == "gap"
    assert check["about"] == "people is written as (ssn), read as (nummer), by reader"
    assert check["hint"] == "no job writes nummer; is it one of ssn?"


def test_the_doctor_lists_names_joined_without_permission(workdir: Path) -> None:
    target = "sqlite:///lineage.db"
    link = facet(identifiers=[{"namespace": "hive", "name": "people", "type": "TABLE"}])
    theirs = {**dataset("people", symlinks=link), "namespace": "theirs"}
    producer = Sender(Caller("key 7", frozenset({Role.PRODUCER}), (NAMESPACE,)))
    with closing(open_store(target)) as opened:
        assert ingest(opened, [event("COMPLETE", 1, "r", [theirs], [])], sender=producer)[0].stored
    result = headwater("doctor", "--store", target, "--json")
    [check] = [check for check in json.loads(result.stdout) if check["name"] == "claims"]
    assert check["state"] == "gap"
    assert check["about"].startswith("key 7 claims theirs people is also hive people")


def test_the_doctor_hints_how_to_install_java(workdir: Path) -> None:
    result = headwater("doctor", JAVA_HOME=str(workdir))
    assert result.exit_code == 1
    assert "openjdk" in result.stdout


def test_the_demo_checks_for_java_before_it_does_anything(workdir: Path) -> None:
    result = headwater("demo", JAVA_HOME=str(workdir))
    assert result.exit_code == 1
    assert "JAVA_MISSING" in result.stderr
    assert "openjdk" in result.stderr
    assert not (workdir / ".headwater").exists()


@pytest.mark.parametrize(
    "command", [["datasets", "--url", "http://localhost:1"], ["import", "job.py"], ["serve"], ["demo"]]
)
def test_without_the_backend_the_error_names_its_extra(command: list[str], workdir: Path) -> None:
    """Simulates an environment without the backend's packages."""
    (workdir / "job.py").write_text("{}", "utf-8")
    hidden = (
        "['fastapi', 'strawberry', 'httpx', 'rich', 'pydantic', 'pydantic_settings', 'starlette', 'uvicorn']"
    )
    code = f"import sys; sys.modules.update(dict.fromkeys({hidden}))\nfrom headwater_cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *command],
        cwd=workdir,
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "pip install 'headwater[backend]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unexpected_error_is_one_line_without_a_traceback(workdir: Path) -> None:
    (workdir / "lineage.db").write_bytes(b"this is no database, whatever its name says" * 100)
    result = headwater("datasets", "--store", "sqlite:///lineage.db")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr


def test_the_spool_status_is_printed(workdir: Path) -> None:
    assert headwater("spool", "status", "--dir", workdir / "spool").stdout == "no undelivered events\n"
    assert json.loads(headwater("spool", "flush", "--dir", workdir / "spool", "--json").stdout) == []


def test_what_waits_for_a_server_is_delivered_with_the_key_that_it_asks_for(workdir: Path) -> None:
    with Receiver() as receiver, Receiver() as other:
        for each in (receiver, other):
            conf = {
                "spark.openlineage.transport.type": "http",
                "spark.openlineage.transport.url": each.url,
                "spark.headwater.spool.dir": str(workdir / "spool"),
            }
            (destination,) = destinations(conf)
            folder = workdir / "spool" / destination.key
            spool = Spool.create(folder, 10_000)
            write_description(folder, destination)
            spool.append(json.dumps(event("COMPLETE", 1, "run", [], [])), "run")
            spool.close()
        options = ("--dir", workdir / "spool", "--url", receiver.url)
        done = headwater("spool", "flush", *options, HEADWATER_API_KEY="the key")
        assert done.exit_code == 0, done.output
        sent = [[headers.get("Authorization") for _, headers in each.requests] for each in (receiver, other)]
    assert sent == [["Bearer the key"], [None]]


def test_spool_entries_of_a_dead_receiver_are_dropped_or_redirected_without_a_terminal(workdir: Path) -> None:
    for host in ("old", "older"):
        receiver = receiver_at(f"http://{host}:5000")
        spool = Spool.create(workdir / "spool" / receiver.key, 1_000)
        spool.append("{}", "run")
        spool.close()
        write_description(workdir / "spool" / receiver.key, receiver)
    where = ("--dir", workdir / "spool")

    unconfirmed = headwater("spool", "drop", "//old:", *where)
    assert (unconfirmed.exit_code, "add --yes" in unconfirmed.stderr) == (2, True)
    unknown = headwater("spool", "drop", "elsewhere", "--yes", *where)
    assert (unknown.exit_code, "http://older:5000" in unknown.stderr) == (3, True)
    assert headwater("spool", "drop", "//old:", "--yes", *where).stdout == "1 event dropped\n"
    moved = headwater("spool", "redirect", "//older:", "--to", "http://new:5000", "--yes", "--json", *where)
    assert json.loads(moved.stdout)["redirected"] == 1
    heading, row = headwater("spool", "status", *where).stdout.splitlines()
    assert heading.split("\t") == ["id", "waiting", "parked", "rejected", "in use", "destination"]
    assert row.endswith("\t1\t0\t0\t\thttp http://new:5000 api/v1/lineage")
    assert max(len(row), len(heading)) < 80


def test_the_demos_tweets_are_reproducible_and_nested_like_real_ones() -> None:
    first, again = list(tweets(40)), list(tweets(40))
    assert first == again
    assert {"text", "retweet_count", "created_at", "lang", "user", "entities"} <= first[0].keys()
    mentions = [mention for tweet in first for mention in tweet["entities"]["user_mentions"]]
    authors = {tweet["user"]["id_str"]: tweet["user"]["name"] for tweet in tweets()}
    assert mentions
    assert all(authors.get(mention["id_str"], mention["name"]) == mention["name"] for mention in mentions)
    assert any(tweet["retweet_count"] == 0 for tweet in first)


def test_short_names_are_used_where_they_are_unique() -> None:
    assert short_names(["/in/tweets", "public.a"]) == {"/in/tweets": "tweets", "public.a": "public.a"}
    assert short_names(["/a/t", "/b/t"]) == {"/a/t": "/a/t", "/b/t": "/b/t"}


def test_jobs_of_spark_are_called_by_what_they_do_each_once() -> None:
    written = {"name": "etl.execute_insert_into_hadoop_fs_relation_command.lake_people"}
    assert job_title(written) == "etl: write lake_people"
    assert job_title({"name": "dag.task"}) == "dag.task"
    assert job_titles([written, {"name": "dag.task"}, written]) == "etl: write lake_people, dag.task"


def test_a_tree_draws_each_path_below_the_paths_it_leads_to() -> None:
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
    how = "IDENTITY (COPY)  by app.run.out"
    assert [line.rstrip() for line in drawn.getvalue().splitlines()] == [
        "d  in out",
        f"├── b  in mid  {how}",
        f"│   └── a  in in  {how}",
        f"└── c  in mid  {how}",
        f"    └── a  in in  {how}",
    ]
