"""``headwater doctor``: checks of the installation and of the store's lineage."""

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

from headwater_cli.client.graphql_client import require_store, store_option
from headwater_cli.operations.java import INSTALL, OLDEST, java_program, java_version
from headwater_cli.terminal.errors import EXIT_CODES, FAILED, CommandError, command_error
from headwater_cli.terminal.output import print_json

if TYPE_CHECKING:
    from headwater_backend.domain.model import Claim, DatasetKey
    from headwater_backend.questions.drifts import UnfitReader

OLDEST_PYTHON = (3, 10)
CLAIMS = 20
"""Maximum number of claims about names to list."""
OK, MISSING, OPTIONAL, GAP = "ok", "missing", "optional", "gap"
_MARKS = {OK: ("✓", "green"), MISSING: ("✗", "red"), OPTIONAL: ("–", "yellow"), GAP: ("!", "yellow")}


@dataclass(frozen=True, slots=True)
class Check:
    """Result of one check.

    ``state`` is ok; missing (something does not work without it); optional (only what ``about`` says needs it);
    or gap (lineage in the store ends there).
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
    """Check the installation, and the lineage of a store.

    Reports missing software with installation hints, and gaps in lineage: between a writer and a reader with different
    schemas, and between two names that were joined by a producer without permission.

    The exit code is 1 if something is missing.
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
        return Check("java", MISSING, f"not found; Spark needs {OLDEST} or newer", INSTALL)
    state = OK if found >= OLDEST else MISSING
    return Check("java", state, f"{found} at {java_program()}", None if state == OK else INSTALL)


def _javac() -> Check:
    if found := java_program("javac"):
        return Check("javac", OK, str(found))
    return Check("javac", OPTIONAL, "not found; only needed to build the jar and run Neo4j", INSTALL)


def _pyspark() -> Check:
    try:
        return Check("pyspark", OK, version("pyspark"))
    except PackageNotFoundError:
        hint = "pip install 'pyspark>=3.5,<5'"
        return Check("pyspark", OPTIONAL, "not installed; needed by `headwater run` and `demo`", hint)


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
        about = f"not installed ({', '.join(absent)}); needed by the server and by queries"
        return Check("backend", OPTIONAL, about, "pip install 'headwater[backend]'")
    return Check("backend", OK, f"strawberry {version('strawberry-graphql')}, fastapi {version('fastapi')}")


def _explorer() -> Check:
    from headwater_graphql.explorer import assets

    if assets.built():
        return Check("explorer", OK, "the pages are built")
    return Check("explorer", OPTIONAL, "the explorer and GraphiQL are not built", "make explorer")


def _store(url: str) -> Iterator[Check]:
    from headwater_backend.names.proposals import proposals
    from headwater_backend.questions.catalog.claims import joins
    from headwater_backend.questions.drifts import unfit_readers
    from headwater_backend.stores import open_store

    try:
        require_store(url)
        with closing(open_store(url)) as opened:
            opened.ping()
            readers = unfit_readers(opened)
            alike = len(proposals(opened))
            claimed = list(islice(joins(opened), CLAIMS + 1))
    except Exception as error:  # noqa: BLE001 - any problem with the store is a result of the check
        failure = error if isinstance(error, CommandError) else command_error(error)
        state = OPTIONAL if failure.code == "STORE_MISSING" else MISSING
        yield Check("store", state, failure.message, failure.hint)
        return
    yield Check("store", OK, url)
    yield from _schemas(readers)
    if alike:
        about = f"dataset pairs that may be the same under two names: {alike}"
        yield Check("names", OPTIONAL, about, f"headwater alias propose --store {url}")
    yield from _claims(claimed)


def _claims(claimed: Sequence[tuple[Claim, DatasetKey]]) -> Iterator[Check]:
    """Yield a check for each pair of names that a producer joined without permission: lineage may end there."""
    for claim, name in claimed[:CLAIMS]:
        one, other = " ".join(claim.dataset), " ".join(name)
        about = f"{claim.by} claims {one} is also {other}, but may not write both namespaces"
        yield Check("claims", GAP, about, f'if it is: headwater alias add "{other}" "{one}"')
    if len(claimed) > CLAIMS:
        yield Check("claims", GAP, f"more than {CLAIMS} claims", "the GraphQL field claims lists all")


def _schemas(readers: Iterable[UnfitReader]) -> Iterator[Check]:
    """Yield a check for each reader of columns that no writer writes, or of names unknown to writers."""
    for each in readers:
        about = f"{each.dataset.name} is {each.detail}, by {each.job.name}"
        unread = f"; is it one of {', '.join(each.unread)}?" if each.unread else ""
        yield Check("schemas", GAP, about, f"no job writes {', '.join(each.unwritten)}{unread}")


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
    fetched = "downloaded" if (cache / "lib").is_dir() else "not downloaded yet"
    return Check("neo4j", OPTIONAL, f"{found.version} {fetched}, not running", "headwater neo4j up")


def _maven() -> Check:
    if found := shutil.which("mvn"):
        return Check("maven", OK, found)
    hint = "brew install maven" if sys.platform == "darwin" else "sudo apt-get install maven"
    return Check("maven", OPTIONAL, "not found; only needed to download a local Neo4j", hint)


def _spool() -> Check:
    from headwater_spark.delivery import backlog

    waiting = sum(each.parked + (0 if each.in_use else each.waiting) for each in backlog.pending())
    if waiting:
        return Check("spool", OPTIONAL, f"{waiting} undelivered events", "headwater spool flush")
    return Check("spool", OK, "no undelivered events")
