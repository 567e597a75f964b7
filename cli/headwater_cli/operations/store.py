"""``headwater store migrate|export|import|verify|prune``: moving a store, and knowing that the copy is true."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import click

from headwater_cli.asking.ask import other_store, require_store, somebody_here, store_option
from headwater_cli.asking.moments import MOMENT
from headwater_cli.terminal.errors import EXIT_CODES, FAILED, Failure
from headwater_cli.terminal.screen import print_json, print_table

if TYPE_CHECKING:
    from headwater_backend.domain.audit_log import AuditNote
    from headwater_backend.ports import LineageStore
    from headwater_backend.stores.copying.copy import Filled
    from headwater_backend.stores.copying.digest import GraphDigest

PACKED = ".gz"

_json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
_merge_option = click.option(
    "--merge", is_flag=True, help="Also into a store that holds something: join both."
)


@click.group(epilog=EXIT_CODES)
def store() -> None:
    """Back up, move, compare and prune stores.

    A store is SQLite (sqlite:///FILE) or Neo4j (neo4j://HOST, bolt://HOST), and each can be filled from the other.
    """


@store.command("export", epilog=EXIT_CODES)
@store_option
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    default=Path("-"),
    help="The file; compressed when it ends with .gz.  [default: stdout]",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON, on stderr.")
def export_store(store: str, output: Path, as_json: bool) -> None:
    """Write all that a store holds as lines of JSON.

    That is the graph, the audit log and the dead letters. Nothing may write to the store meanwhile.
    """
    from headwater_backend.stores.copying import copy, ndjson

    with _opened(store) as opened, _written(output) as out:
        writer = ndjson.Writer(out, _version())
        with _progress("written") as progress:
            records, digest = copy.export(
                opened, writer, _note("store.export", "done", to=output.name), progress
            )
    if as_json:
        click.echo(_compact({"records": records, "digest": digest.digest}), err=True)
    else:
        click.echo(f"{records} records written, the graph's digest is {digest.digest}", err=True)


@store.command("import", epilog=EXIT_CODES)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@store_option
@_merge_option
@_json_option
def import_store(file: Path, store: str, merge: bool, as_json: bool) -> None:
    """Fill a store from a FILE that `headwater store export` wrote; - is stdin.

    The store has to be empty, and is compared with the digest in the file at the end. Events are another thing:
    `headwater import` takes them in.
    """
    from headwater_backend.stores import open_store
    from headwater_backend.stores.copying import copy, ndjson

    with closing(open_store(store)) as opened, _read(file) as lines, _progress("read") as progress:
        note = _note("store.fill", "filled", source=file.name)
        filled = copy.fill(opened, ndjson.Reader(lines), note, progress, merge=merge)
    _tell(filled, store, as_json)


@store.command(epilog=EXIT_CODES)
@store_option
@other_store("--to", "target", required=True, help="The store to fill.")
@_merge_option
@_json_option
def migrate(store: str, target: str, merge: bool, as_json: bool) -> None:
    """Fill a store from another one, and check by digest that they are equal.

    From SQLite to Neo4j, back, or between two of a kind. Nothing may write to either of them meanwhile.
    """
    from headwater_backend.stores import open_store
    from headwater_backend.stores.copying import copy

    if store == target:
        raise click.UsageError("--store and --to name the same store")
    with _opened(store) as source, closing(open_store(target)) as opened, _progress("moved") as progress:
        notes = (
            _note("store.export", "done", to=_bare(target)),
            _note("store.fill", "filled", source=_bare(store)),
        )
        filled = copy.migrate(source, opened, notes, progress, merge=merge)
    _tell(filled, target, as_json)


@store.command(epilog=EXIT_CODES)
@store_option
@other_store("--against", help="Another store, which has to be equal.")
@_json_option
@click.pass_context
def verify(context: click.Context, store: str, against: str | None, as_json: bool) -> None:
    """Print the digest of a store's graph; with --against, say whether two stores are equal.

    Stores with equal graphs have the same digest, be they SQLite or Neo4j.
    """
    from headwater_backend.stores.copying.copy import unchanged
    from headwater_backend.stores.copying.digest import graph_digest

    with _opened(store) as opened, unchanged(opened):
        digest = graph_digest(opened)
    other = None
    if against is not None:
        with _opened(against) as opened, unchanged(opened):
            other = graph_digest(opened)
    differ = digest.differ(other) if other else []
    if as_json:
        print_json(_verdict(digest, other, differ))
    else:
        _tell_digests(digest, other, differ)
    if differ:
        context.exit(FAILED)


@store.command(epilog=EXIT_CODES)
@store_option
@click.option(
    "--before",
    type=MOMENT,
    required=True,
    help="Forget runs last heard of before: 2026-01-31, 2026-01-31T06:00Z, or so long ago: 90d.",
)
@click.option("--dry-run", is_flag=True, help="Only say how many runs that would be.")
@_json_option
def prune(store: str, before: str, dry_run: bool, as_json: bool) -> None:
    """Forget old runs, and the lineage that only they told. Nothing is ever forgotten without this command.

    What is current stays, however old it is, and so do answers about any moment from --before on: of each output
    the run that was current then, of each job the newest run, of each dataset the newest that read it.
    """
    from datetime import datetime

    from headwater_backend.domain.records import Batch

    moment = datetime.fromisoformat(before)
    with _opened(store) as opened:
        if not dry_run:
            opened.apply(Batch(notes=(_note("store.prune", "begun", before=before),)))
        gone = opened.prune(moment, dry_run=dry_run)
        counts = {"runs": gone.runs, "versions": gone.versions, "edges": gone.edges}
        if not dry_run:
            opened.apply(Batch(notes=(_note("store.prune", "done", before=before, **counts),)))
    if as_json:
        print_json({"before": before, "dryRun": dry_run, **(counts if not dry_run else {"runs": gone.runs})})
    elif dry_run:
        click.echo(f"{gone.runs} runs would be forgotten")
    else:
        click.echo(
            f"{gone.runs} runs are forgotten, with {gone.versions} versions of lineage ({gone.edges} edges)"
        )


def _verdict(digest: GraphDigest, other: GraphDigest | None, differ: list[str]) -> dict[str, Any]:
    told: dict[str, Any] = {"digest": digest.digest, "counts": dict(digest.counts)}
    if other is None:
        return told
    against = {"digest": other.digest, "counts": dict(other.counts)}
    return {**told, "against": against, "equal": not differ, "differ": differ}


def _tell_digests(digest: GraphDigest, other: GraphDigest | None, differ: list[str]) -> None:
    headings = ["kind", "rows"] + (["rows there", "equal"] if other else [])
    rows = [
        [kind, str(digest.counts.get(kind, 0))]
        + ([str(other.counts.get(kind, 0)), "no" if kind in differ else "yes"] if other else [])
        for kind in sorted({*digest.kinds, *(other.kinds if other else ())})
    ]
    print_table(headings, rows)
    click.echo(f"the graph's digest is {digest.digest}")
    if other is not None:
        click.echo(f"the stores are {'NOT equal' if differ else 'equal'}")


def _tell(filled: Filled, url: str, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "records": filled.records,
                "equal": filled.equal,
                "digest": filled.digest.digest,
                "auditEntries": filled.audit_entries,
                "auditEntriesLeftOut": filled.audit_left_out,
                "deadLetters": filled.dead_letters,
            }
        )
        return
    click.echo(f"{filled.records} records are in {_bare(url)}")
    if filled.audit_left_out:
        click.echo(
            f"{filled.audit_left_out} entries of the audit log were left out: the store has a log of its own",
            err=True,
        )
    click.echo(
        f"the graph's digest is {filled.digest.digest}, " + ("as its source's" if filled.equal else "joined")
    )


def _note(action: str, result: str, **details: str | int) -> AuditNote:
    from headwater_backend.domain.audit_log import AuditNote

    return AuditNote(somebody_here().name, action, result, details=details)


def _bare(url: str) -> str:
    from headwater_backend.reports.exposure import without_credentials

    return without_credentials(url)


def _version() -> str:
    from importlib.metadata import version

    return version("headwater")


def _compact(value: Any) -> str:
    import json

    return json.dumps(value)


@contextmanager
def _opened(url: str) -> Iterator[LineageStore]:
    from headwater_backend.stores import open_store

    require_store(url)
    with closing(open_store(url)) as opened:
        yield opened


@contextmanager
def _written(file: Path) -> Iterator[IO[bytes]]:
    """What goes to a file takes its name only when it is whole."""
    if str(file) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    unfinished = file.with_name(f".{file.name}.unfinished")
    try:
        with unfinished.open("wb") as raw:
            if file.suffix == PACKED:
                with gzip.open(raw, "wb") as packed:
                    yield cast("IO[bytes]", packed)
            else:
                yield raw
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def _read(file: Path) -> Iterator[Iterator[bytes]]:
    with click.open_file(str(file), "rb") as raw:
        if file.suffix == PACKED:
            with gzip.open(raw, "rb") as unpacked:
                yield _unbroken(unpacked, file)
        else:
            yield iter(raw)


def _unbroken(lines: Iterable[bytes], file: Path) -> Iterator[bytes]:
    """The lines of a compressed file; raises ``Failure`` where it is broken."""
    try:
        yield from lines
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        hint = "give the whole of what `headwater store export` wrote"
        raise Failure("STREAM_INVALID", f"{file}: the compressed file is broken: {error}", hint) from error


@contextmanager
def _progress(verb: str) -> Iterator[Callable[[int], None]]:
    """Counts for somebody who looks on; nothing where stderr goes elsewhere."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console

    with Console(stderr=True).status("…") as status:
        yield lambda count: status.update(f"{count:,} records {verb}")
