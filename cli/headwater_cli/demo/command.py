"""``headwater demo``: the whole line on one machine, in a folder of its own.

Generated tweets, two PySpark scripts that know nothing of Headwater, run under the agent; their events in a SQLite
store; and the questions that lineage is for.
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

from headwater_cli.asking.ask import DEFAULT_STORE, Place
from headwater_cli.asking.node import node_ref
from headwater_cli.demo.tweets import write_tweets
from headwater_cli.intake.intake import import_files
from headwater_cli.operations.java import require_java
from headwater_cli.questions.exposure import show_exposure, write_report
from headwater_cli.questions.graph import BACKWARD, FORWARD, gaps, tree
from headwater_cli.questions.holdings import ask_for
from headwater_cli.terminal.errors import EXIT_CODES, Failure
from headwater_cli.terminal.screen import console

if TYPE_CHECKING:
    from rich.console import Console

FOLDER = Path(DEFAULT_STORE.removeprefix("sqlite:///")).parent / "demo"
LOG_LINES = 30
BACKWARD_FROM = ("directory", "people[].name")
FORWARD_FROM = ("tweets", "entities.user_mentions[].id_str")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything of the demo lies; its folder is its own, and made anew each time."""

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
        """The store's URL as one can type it here."""
        return f"sqlite:///{FOLDER / 'lineage.db'}"


@click.command(epilog=EXIT_CODES)
def demo() -> None:
    """See it work on generated tweets.

    Runs Spark jobs under the agent, then asks where data came from and who is exposed. Needs Java and
    pyspark. Everything goes into .headwater/demo, which is made anew each time.
    """
    require_java()
    _require_pyspark()
    screen = console()
    layout = Layout(Path.cwd() / FOLDER)
    screen.print(
        "[bold]Headwater[/bold]: where does a nested value come from, where does it go, who is exposed?\n"
    )
    _run_jobs(screen, layout)
    _store(screen, layout)
    where = Place(layout.store(), rules=layout.rules)
    _answer(screen, where, BACKWARD, *BACKWARD_FROM)
    _answer(screen, where, FORWARD, *FORWARD_FROM)
    _expose(screen, where)
    _point_on(screen, layout)


def _require_pyspark() -> None:
    from importlib.util import find_spec

    if find_spec("pyspark") is None:
        raise Failure("PYSPARK_MISSING", "the demo needs a Spark of its own", "pip install 'headwater[demo]'")


def _run_jobs(screen: Console, layout: Layout) -> None:
    shutil.rmtree(layout.folder, ignore_errors=True)
    count = write_tweets(layout.tweets / "tweets.ndjson")
    layout.rules.write_bytes((resources.files("headwater_cli.demo") / "rules.yaml").read_bytes())
    _done(screen, f"{count} tweets by people who do not exist", str(FOLDER / "in/tweets"))
    out = layout.folder / "out"
    paths = (layout.tweets, out / "by_user", layout.folder / "warehouse", out / "directory")
    with _step(screen, "tweets_by_user.py", "each user with the texts they wrote or are mentioned in"):
        _run(layout, "tweets_by_user.py", paths[:2])
    with _step(screen, "directory.py", "a table of profiles, and a directory from it"):
        _run(layout, "directory.py", paths)


def _run(layout: Layout, job: str, arguments: Sequence[Path]) -> None:
    """Run a job of the demo under the agent; what Spark says goes to the log."""
    script = str(resources.files("headwater_cli.demo") / "jobs" / job)
    command = [sys.executable, "-m", "headwater_cli", "run", "--events", str(layout.events), script]
    # One machine and nobody else's business: Spark need not ask for its name.
    environment = {"SPARK_LOCAL_IP": "127.0.0.1", **os.environ}
    with layout.log.open("ab") as log:
        done = subprocess.run(
            [*command, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment,
            cwd=layout.folder,
            check=False,
        )
    if done.returncode != 0:
        last = "\n".join(_said(layout.log)[-LOG_LINES:])
        raise Failure(
            "JOB_FAILED", f"{job} ended with {done.returncode}:\n{last}", f"all of it is in {layout.log}"
        )


def _said(log: Path) -> list[str]:
    """The lines of the log without Java's stack traces, which hide what matters."""
    return [line for line in log.read_text("utf-8", "replace").splitlines() if not line.startswith("\tat ")]


def _store(screen: Console, layout: Layout) -> None:
    with _step(screen, "headwater import", "the jobs' OpenLineage events, into an embedded store"):
        if not layout.events.is_file():
            raise Failure("NO_EVENTS", "the jobs ran, but told no events", f"see {layout.log}")
        stored, refused = import_files([layout.events], Place(layout.store()))
        if refused.count:
            raise Failure("EVENTS_REFUSED", "\n".join(refused.lines()))
    screen.print(
        f"  {stored} events in {FOLDER / 'events.ndjson'}, the store is {FOLDER / 'lineage.db'}", style="dim"
    )


def _answer(screen: Console, where: Place, direction: str, dataset: str, path: str) -> None:
    question = "What is {} of the {} made of?" if direction == BACKWARD else "What is made of {} of the {}?"
    _ask(screen, question.format(path, dataset), f"lineage {direction} {dataset} '{path}'")
    node = node_ref(where, dataset, path, None)
    graph = where.ask(direction, {"node": node})[f"{direction}Lineage"]
    screen.print(tree(graph, direction))
    for line in gaps(graph):
        screen.print(line, style="yellow", markup=False)


def _expose(screen: Console, where: Place) -> None:
    _ask(screen, "Who is exposed, where, and in which form?", "exposure")
    found = ask_for(where, {})
    show_exposure(screen, found)
    for line in gaps(found.answer):
        screen.print(line, style="yellow", markup=False)


def _point_on(screen: Console, layout: Layout) -> None:
    write_report(layout.report, layout.store(), layout.rules)
    rules = FOLDER / layout.rules.name
    by_make = "MAKELEVEL" in os.environ
    serve = "make serve" if by_make else f"headwater serve --store {layout.store()} --rules {rules}"
    screen.print("\n[bold]Go on[/bold]")
    for about, line in (
        ("report for people", layout.report.as_uri()),
        ("the jobs", str(resources.files("headwater_cli.demo") / "jobs")),
        ("server, GraphiQL", f"{serve}, then http://127.0.0.1:8055/graphql"),
        ("these commands", f"export HEADWATER_STORE={layout.store()} HEADWATER_RULES={rules}"),
        ("", f"{'.venv/bin/' if by_make else ''}headwater lineage backward directory letter"),
    ):
        screen.print(f"  {about:<18}{line}", markup=False, soft_wrap=True)


def _ask(screen: Console, question: str, command: str) -> None:
    screen.print(f"\n[bold]{question}[/bold]", highlight=False)
    screen.print(f"  headwater {command}", style="dim", markup=False)


@contextmanager
def _step(screen: Console, name: str, what: str) -> Iterator[None]:
    """Show what is being done, and when it is done, how long it took."""
    begin = time.monotonic()
    with screen.status(f"{name}: {what}"):
        yield
    _done(screen, f"{name}: {what}", f"{time.monotonic() - begin:.1f} s")


def _done(screen: Console, what: str, detail: str) -> None:
    screen.print(f"[green]✓[/green] {what}  [dim]{detail}[/dim]")
