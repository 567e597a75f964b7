"""``headwater doctor``: what is there, what is missing, and how to get it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headwater_cli.asking.ask import require_store, store_option
from headwater_cli.operations.java import INSTALL, OLDEST, java_program, java_version
from headwater_cli.terminal.errors import EXIT_CODES, FAILED, Failure, failure_of
from headwater_cli.terminal.screen import print_json

if TYPE_CHECKING:
    from headwater_backend.domain.model import Claim, DatasetKey
    from headwater_backend.questions.drifts import UnfitReader

OLDEST_PYTHON = (3, 10)
CLAIMS = 20
"""Claims about names that are listed."""
OK, MISSING, OPTIONAL, GAP = "ok", "missing", "optional", "gap"
_MARKS = {OK: ("✓", "green"), MISSING: ("✗", "red"), OPTIONAL: ("–", "yellow"), GAP: ("!", "yellow")}


@dataclass(frozen=True, slots=True)
class Check:
    """``state``: ok; missing (something does not work without it); optional (only what ``about`` says needs it);
    gap (lineage in the store stops there).
    """

    name: str
    state: str
    about: str
    hint: str | None = None


@click.command(epilog=EXIT_CODES)
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(context: click.Context, store: str, as_json: bool) -> None:
    """Say what is missing, and how to get it, and where lineage in the store stops: between a writer and a reader, or
    between two names that somebody joined who may not.

    The exit code is 1 when something is.
    """
    checks = list(_checks(store))
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        for check in checks:
            _print(check)
    if any(check.state == MISSING for check in checks):
        context.exit(FAILED)


def _print(check: Check) -> None:
    mark, colour = _MARKS[check.state]
    click.echo(f"{click.style(mark, fg=colour)} {check.name:<10} {check.about}")
    if check.hint:
        click.echo(f"{'':13}{check.hint}")


def _checks(store: str) -> Iterator[Check]:
    yield _python()
    yield _java()
    yield _javac()
    yield _pyspark()
    yield _jar()
    yield _backend()
    if find_spec("strawberry") is not None:
        yield _explorer()
        yield from _store(store)
        yield _neo4j()
    yield _maven()
    yield _spool()


def _python() -> Check:
    found = ".".join(str(part) for part in sys.version_info[:3])
    state = OK if sys.version_info >= OLDEST_PYTHON else MISSING
    return Check("python", state, f"{found} at {sys.executable}")


def _java() -> Check:
    found = java_version()
    if found is None:
        return Check("java", MISSING, f"none found; Spark needs {OLDEST} or newer", INSTALL)
    state = OK if found >= OLDEST else MISSING
    return Check("java", state, f"{found} at {java_program()}", None if state == OK else INSTALL)


def _javac() -> Check:
    if found := java_program("javac"):
        return Check("javac", OK, str(found))
    return Check("javac", OPTIONAL, "none found; only building the jar and Neo4j need it", INSTALL)


def _pyspark() -> Check:
    try:
        return Check("pyspark", OK, version("pyspark"))
    except PackageNotFoundError:
        hint = "pip install 'pyspark>=3.5,<5'"
        return Check("pyspark", OPTIONAL, "not installed; `headwater run` and `demo` need it", hint)


def _jar() -> Check:
    from headwater_spark.activation.agent_settings import JarMissingError, jar_path

    try:
        return Check("jar", OK, str(jar_path()))
    except JarMissingError as error:
        return Check("jar", MISSING, "the Spark listener is not built", error.hint)


def _backend() -> Check:
    wanted = (
        "fastapi",
        "uvicorn",
        "strawberry",
        "neo4j",
        "pydantic_settings",
        "fideslang",
        "jinja2",
        "rich",
        "httpx",
        "re2",
    )
    absent = [name for name in wanted if find_spec(name) is None]
    if absent:
        about = f"not installed ({', '.join(absent)}); serving and asking need it"
        return Check("backend", OPTIONAL, about, "pip install 'headwater[backend]'")
    return Check("backend", OK, f"strawberry {version('strawberry-graphql')}, fastapi {version('fastapi')}")


def _explorer() -> Check:
    from headwater_graphql.explorer import page

    if page.built():
        return Check("explorer", OK, "GraphiQL is built")
    return Check(
        "explorer", OPTIONAL, "GraphiQL is not built; only the page at /graphql needs it", "make explorer"
    )


def _store(url: str) -> Iterator[Check]:
    from headwater_backend.names.proposals import proposals
    from headwater_backend.questions.claims import joins
    from headwater_backend.questions.drifts import unfit_readers
    from headwater_backend.stores import open_store

    try:
        require_store(url)
        with closing(open_store(url)) as opened:
            opened.ping()
            readers = unfit_readers(opened)
            alike = len(proposals(opened))
            claimed = list(islice(joins(opened), CLAIMS + 1))
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the store is what is asked for
        failure = error if isinstance(error, Failure) else failure_of(error)
        state = OPTIONAL if failure.code == "STORE_MISSING" else MISSING
        yield Check("store", state, failure.message, failure.hint)
        return
    yield Check("store", OK, url)
    yield from _schemas(readers)
    if alike:
        about = f"datasets that may be others under another name, and are not taken for one: {alike}"
        yield Check("names", OPTIONAL, about, f"headwater alias propose --store {url}")
    yield from _claims(claimed)


def _claims(claimed: Sequence[tuple[Claim, DatasetKey]]) -> Iterator[Check]:
    """Each pair of names that somebody joined who may not: lineage may end between them."""
    for claim, name in claimed[:CLAIMS]:
        one, other = " ".join(claim.dataset), " ".join(name)
        about = f"{one} is also {other}, says {claim.by}, who may not write both namespaces"
        yield Check("claims", GAP, about, f'if so: headwater alias add "{other}" "{one}"')
    if len(claimed) > CLAIMS:
        yield Check(
            "claims", GAP, f"there are more than these {CLAIMS}", "the GraphQL field claims lists all"
        )


def _schemas(readers: Iterable[UnfitReader]) -> Iterator[Check]:
    """Each reader that reads what nobody writes, or by names that nobody knows."""
    for each in readers:
        about = f"{each.dataset.name} is {each.detail}, by {each.job.name}"
        unread = f"; is it one of {', '.join(each.unread)}?" if each.unread else ""
        yield Check("schemas", GAP, about, f"nobody writes {', '.join(each.unwritten)}{unread}")


def _neo4j() -> Check:
    from headwater_backend.stores import local_neo4j

    found = local_neo4j.status()
    if found.running:
        return Check("neo4j", OK, f"{found.version} answers at {found.uri}")
    cache = (
        Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        / "headwater"
        / "neo4j"
        / found.version
    )
    fetched = "fetched" if (cache / "lib").is_dir() else "not fetched yet"
    return Check("neo4j", OPTIONAL, f"{found.version} {fetched}, does not run", "headwater neo4j up")


def _maven() -> Check:
    if found := shutil.which("mvn"):
        return Check("maven", OK, found)
    hint = "brew install maven" if sys.platform == "darwin" else "sudo apt-get install maven"
    return Check("maven", OPTIONAL, "none found; only fetching a local Neo4j needs it", hint)


def _spool() -> Check:
    from headwater_spark.delivery import backlog

    waiting = sum(each.parked + (0 if each.in_use else each.waiting) for each in backlog.pending())
    if waiting:
        return Check("spool", OPTIONAL, f"{waiting} events have not arrived yet", "headwater spool flush")
    return Check("spool", OK, "nothing waits")
