"""``headwater demo``: the whole pipeline on one machine, in its own directory.

Two plain PySpark scripts run on generated tweets under the agent. Their events are imported into a SQLite store, and
the main lineage queries are run on it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headwater_cli.client.graphql_client import DEFAULT_STORE, GraphQLClient
from headwater_cli.client.references import node_ref
from headwater_cli.demo.tweets import write_tweets
from headwater_cli.intake.import_events import import_files
from headwater_cli.operations.java import require_java
from headwater_cli.privacy.exposure import show_exposure
from headwater_cli.privacy.holdings import query_holdings, rule_variables
from headwater_cli.questions.gaps import grouped
from headwater_cli.questions.graph import BACKWARD, FORWARD, tree
from headwater_cli.terminal.errors import EXIT_CODES, CommandError
from headwater_cli.terminal.output import console

if TYPE_CHECKING:
    from rich.console import Console

FOLDER = Path(DEFAULT_STORE.removeprefix("sqlite:///")).parent / "demo"
LOG_LINES = 30
BACKWARD_FROM = ("directory", "people[].name")
FORWARD_FROM = ("tweets", "entities.user_mentions[].id_str")


@dataclass(frozen=True, slots=True)
class DemoFiles:
    """The files of the demo, in a directory that is recreated by each run."""

    folder: Path
    tweets: Path = field(init=False)
    events: Path = field(init=False)
    log: Path = field(init=False)
    report: Path = field(init=False)
    rules: Path = field(init=False)

    def __post_init__(self) -> None:
        for name, path in (
            ("tweets", "in/tweets"),
            ("events", "events.ndjson"),
            ("log", "spark.log"),
            ("report", "exposure.html"),
            ("rules", "rules.yaml"),
        ):
            object.__setattr__(self, name, self.folder / path)

    def store(self) -> str:
        """The store's URL relative to the current directory."""
        return f"sqlite:///{FOLDER / 'lineage.db'}"


@click.command(epilog=EXIT_CODES)
def demo() -> None:
    """Show Headwater at work on generated tweets.

    Runs Spark jobs under the agent, then queries where data came from and which personal data are exposed. Needs Java
    and pyspark. All files are in .headwater/demo, which is recreated by each run.
    """
    require_java()
    _require_pyspark()
    screen = console()
    files = DemoFiles(Path.cwd() / FOLDER)
    screen.print(
        "[bold]Headwater[/bold]: where do nested values come from, where do they go, which personal data are exposed?\n"
    )
    _run_jobs(screen, files)
    _store(screen, files)
    client = GraphQLClient(files.store(), rules=files.rules)
    _answer(screen, client, BACKWARD, *BACKWARD_FROM)
    _answer(screen, client, FORWARD, *FORWARD_FROM)
    _expose(screen, client)
    _print_next_steps(screen, files)


def _require_pyspark() -> None:
    from importlib.util import find_spec

    if find_spec("pyspark") is None:
        raise CommandError(
            "PYSPARK_MISSING", "the demo needs a Spark of its own", "pip install 'headwater[demo]'"
        )


def _run_jobs(screen: Console, files: DemoFiles) -> None:
    shutil.rmtree(files.folder, ignore_errors=True)
    count = write_tweets(files.tweets / "tweets.ndjson")
    files.rules.write_bytes((resources.files("headwater_cli.demo") / "rules.yaml").read_bytes())
    _done(screen, f"{count} tweets of fictional users", str(FOLDER / "in/tweets"))
    out = files.folder / "out"
    paths = (files.tweets, out / "by_user", files.folder / "warehouse", out / "directory")
    with _step(screen, "tweets_by_user.py", "each user with the texts they wrote or are mentioned in"):
        _run(files, "tweets_by_user.py", paths[:2])
    with _step(screen, "directory.py", "a table of profiles, and a directory from it"):
        _run(files, "directory.py", paths)


def _run(files: DemoFiles, job: str, arguments: Sequence[Path]) -> None:
    """Run a job of the demo under the agent, with Spark's output in the log."""
    script = str(resources.files("headwater_cli.demo") / "jobs" / job)
    command = [sys.executable, "-m", "headwater_cli", "run", "--events", str(files.events), script]
    # Everything runs on this machine, so Spark need not resolve its host name.
    environment = {"SPARK_LOCAL_IP": "127.0.0.1", **os.environ}
    with files.log.open("ab") as log:
        done = subprocess.run(
            [*command, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment,
            cwd=files.folder,
            check=False,
        )
    if done.returncode != 0:
        last = "\n".join(_log_lines(files.log)[-LOG_LINES:])
        raise CommandError(
            "JOB_FAILED", f"{job} ended with {done.returncode}:\n{last}", f"the full log is {files.log}"
        )


def _log_lines(log: Path) -> list[str]:
    """Return the lines of the log without Java stack traces, which hide the error messages."""
    return [line for line in log.read_text("utf-8", "replace").splitlines() if not line.startswith("\tat ")]


def _store(screen: Console, files: DemoFiles) -> None:
    with _step(screen, "headwater import", "the jobs' OpenLineage events, into an embedded store"):
        if not files.events.is_file():
            raise CommandError("NO_EVENTS", "the jobs ran, but emitted no events", f"see {files.log}")
        stored, refused = import_files([files.events], GraphQLClient(files.store()))
        if refused.count:
            raise CommandError("EVENTS_REFUSED", "\n".join(refused.lines()))
    screen.print(
        f"  {stored} events in {FOLDER / 'events.ndjson'}, the store is {FOLDER / 'lineage.db'}", style="dim"
    )


def _answer(screen: Console, client: GraphQLClient, direction: str, dataset: str, path: str) -> None:
    question = "What is {} of {} derived from?" if direction == BACKWARD else "What is derived from {} of {}?"
    _print_question(screen, question.format(path, dataset), f"lineage {direction} {dataset} '{path}'")
    node = node_ref(client, dataset, path, None)
    graph = client.query(direction, {"node": node})[f"{direction}Lineage"]
    screen.print(tree(graph, direction))
    for line in grouped(graph["incomplete"]):
        screen.print(line, style="yellow", markup=False)


def _expose(screen: Console, client: GraphQLClient) -> None:
    _print_question(screen, "Which personal data are exposed, where, and in which form?", "exposure")
    found = query_holdings(client, {})
    show_exposure(screen, found)
    for line in grouped(found.answer["incomplete"]):
        screen.print(line, style="yellow", markup=False)


def _print_next_steps(screen: Console, files: DemoFiles) -> None:
    variables = {"kind": "EXPOSURE", "format": "HTML", **rule_variables(files.rules)}
    files.report.write_text(
        GraphQLClient(files.store()).query("report", variables)["report"]["text"], "utf-8"
    )
    rules = FOLDER / files.rules.name
    by_make = "MAKELEVEL" in os.environ
    serve = "make serve" if by_make else f"headwater serve --store {files.store()} --rules {rules}"
    screen.print("\n[bold]Next steps[/bold]")
    for about, line in (
        ("report for people", files.report.as_uri()),
        ("the jobs", str(resources.files("headwater_cli.demo") / "jobs")),
        ("explorer", f"{serve}, then http://127.0.0.1:8055/"),
        ("these commands", f"export HEADWATER_STORE={files.store()} HEADWATER_RULES={rules}"),
        ("", f"{'.venv/bin/' if by_make else ''}headwater lineage backward directory letter"),
    ):
        screen.print(f"  {about:<18}{line}", markup=False, soft_wrap=True)


def _print_question(screen: Console, question: str, command: str) -> None:
    screen.print(f"\n[bold]{question}[/bold]", highlight=False)
    screen.print(f"  headwater {command}", style="dim", markup=False)


@contextmanager
def _step(screen: Console, name: str, what: str) -> Iterator[None]:
    """Display a step while it runs, and its duration when it is done."""
    begin = time.monotonic()
    with screen.status(f"{name}: {what}"):
        yield
    _done(screen, f"{name}: {what}", f"{time.monotonic() - begin:.1f} s")


def _done(screen: Console, what: str, detail: str) -> None:
    screen.print(f"[green]✓[/green] {what}  [dim]{detail}[/dim]")
