"""``headwater store migrate|export|import|verify|prune``: copies of stores, verified by digest, and pruning."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import click

from headwater_cli.client.graphql_client import local_caller, other_store, require_store, store_option
from headwater_cli.client.times import TIME
from headwater_cli.terminal.errors import EXIT_CODES, FAILED, CommandError
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import print_json, print_table

if TYPE_CHECKING:
    from headwater_backend.domain.audit_log import AuditNote
    from headwater_backend.ports import LineageStore
    from headwater_backend.stores.copying.copy import Filled
    from headwater_backend.stores.copying.digest import GraphDigest

PACKED = ".gz"

_json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
_merge_option = click.option(
    "--merge", is_flag=True, help="Allow a store that is not empty, and merge into it."
)


@click.group(cls=Group, epilog=EXIT_CODES)
def store() -> None:
    """Back up, move, compare and prune stores.

    A store is SQLite (sqlite:///FILE) or Neo4j (neo4j://HOST, bolt://HOST), and can be copied to either kind.
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
    """Export a store as lines of JSON.

    The export contains the graph, the audit log and the dead letters. Nothing may write to the store meanwhile.
    """
    from headwater_backend.stores.copying import copy, ndjson

    with _open_existing(store) as opened, _output_file(output) as out:
        writer = ndjson.Writer(out, _version())
        with _record_progress("written") as progress:
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
    """Import a FILE of `headwater store export`.

    The store must be empty; - is stdin. The result is compared with the digest in the file. To import OpenLineage
    events, use `headwater import`.
    """
    from headwater_backend.stores import open_store
    from headwater_backend.stores.copying import copy, ndjson

    with (
        closing(open_store(store)) as opened,
        _input_lines(file) as lines,
        _record_progress("read") as progress,
    ):
        note = _note("store.fill", "filled", source=file.name)
        filled = copy.fill(opened, ndjson.Reader(lines), note, progress, merge=merge)
    _print_filled(filled, store, as_json)


@store.command(epilog=EXIT_CODES)
@store_option
@other_store("--to", "target", required=True, help="The target store.")
@_merge_option
@_json_option
def migrate(store: str, target: str, merge: bool, as_json: bool) -> None:
    """Copy a store to another one.

    Afterwards, both are compared by digest. Both can be SQLite or Neo4j. Nothing may write to either of them meanwhile.
    """
    from headwater_backend.stores import open_store
    from headwater_backend.stores.copying import copy

    if store == target:
        raise click.UsageError("--store and --to are the same store")
    with (
        _open_existing(store) as source,
        closing(open_store(target)) as opened,
        _record_progress("moved") as progress,
    ):
        notes = (
            _note("store.export", "done", to=_without_credentials(target)),
            _note("store.fill", "filled", source=_without_credentials(store)),
        )
        filled = copy.migrate(source, opened, notes, progress, merge=merge)
    _print_filled(filled, target, as_json)


@store.command(epilog=EXIT_CODES)
@store_option
@other_store("--against", help="Another store to compare with.")
@click.option(
    "--receipts",
    is_flag=True,
    help="With --against: also compare when, and from whom, records were received.",
)
@_json_option
@click.pass_context
def verify(context: click.Context, store: str, against: str | None, receipts: bool, as_json: bool) -> None:
    """Print the digest of a store's graph.

    With --against, compare two stores, whether SQLite or Neo4j. Two that received the same events at different times,
    or from others, are equal, and their digests are those of the graphs without receipts. A copy has the same receipts,
    too: --receipts compares them. Without --against, the digest is that of an export, receipts included.
    """
    from headwater_backend.stores.copying.copy import unchanged
    from headwater_backend.stores.copying.digest import graph_digest

    receipts = receipts or against is None
    with _open_existing(store) as opened, unchanged(opened):
        digest = graph_digest(opened, receipts=receipts)
    other = None
    if against is not None:
        with _open_existing(against) as opened, unchanged(opened):
            other = graph_digest(opened, receipts=receipts)
    differ = digest.differ(other) if other else []
    if as_json:
        print_json(_digests_json(digest, other, differ))
    else:
        _print_digests(digest, other, differ)
    if differ:
        context.exit(FAILED)


@store.command(epilog=EXIT_CODES)
@store_option
@click.option(
    "--before",
    type=TIME,
    required=True,
    help="Delete runs last updated before: 2026-01-31, 2026-01-31T06:00Z, or an age: 90d.",
)
@click.option("--dry-run", is_flag=True, help="Only print the number of runs.")
@_json_option
def prune(store: str, before: str, dry_run: bool, as_json: bool) -> None:
    """Delete old runs, and lineage that only they reported. Only this command deletes runs.

    Current lineage stays, however old it is, and so do answers about any time from --before on: the run that was
    current then for each output, the newest run of each job, and the newest reader of each dataset.
    """
    from datetime import datetime

    from headwater_backend.domain.records import Batch

    moment = datetime.fromisoformat(before)
    with _open_existing(store) as opened:
        if not dry_run:
            opened.apply(Batch(notes=(_note("store.prune", "begun", before=before),)))
        gone = opened.prune(moment, dry_run=dry_run)
        counts = {"runs": gone.runs, "versions": gone.versions, "edges": gone.edges}
        if not dry_run:
            opened.apply(Batch(notes=(_note("store.prune", "done", before=before, **counts),)))
    if as_json:
        print_json({"before": before, "dryRun": dry_run, **(counts if not dry_run else {"runs": gone.runs})})
    elif dry_run:
        click.echo(f"{gone.runs} runs would be deleted")
    else:
        click.echo(f"{gone.runs} runs deleted, with {gone.versions} versions of lineage ({gone.edges} edges)")


def _digests_json(digest: GraphDigest, other: GraphDigest | None, differ: list[str]) -> dict[str, Any]:
    result: dict[str, Any] = {"digest": digest.digest, "counts": dict(digest.counts)}
    if other is None:
        return result
    against = {"digest": other.digest, "counts": dict(other.counts)}
    return {**result, "against": against, "equal": not differ, "differ": differ}


def _print_digests(digest: GraphDigest, other: GraphDigest | None, differ: list[str]) -> None:
    headings = ["kind", "rows"] + (["other rows", "equal"] if other else [])
    rows = [
        [kind, str(digest.counts.get(kind, 0))]
        + ([str(other.counts.get(kind, 0)), "no" if kind in differ else "yes"] if other else [])
        for kind in sorted({*digest.kinds, *(other.kinds if other else ())})
    ]
    print_table(headings, rows)
    click.echo(f"the graph's digest is {digest.digest}")
    if other is not None:
        click.echo(f"the stores are {'NOT equal' if differ else 'equal'}")


def _print_filled(filled: Filled, url: str, as_json: bool) -> None:
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
    click.echo(f"{filled.records} records written to {_without_credentials(url)}")
    if filled.audit_left_out:
        click.echo(
            f"{filled.audit_left_out} audit log entries omitted: the store has its own log",
            err=True,
        )
    click.echo(
        f"the graph's digest is {filled.digest.digest}, "
        + ("equal to the source's" if filled.equal else "merged")
    )


def _note(action: str, result: str, **details: str | int) -> AuditNote:
    from headwater_backend.domain.audit_log import AuditNote

    return AuditNote(local_caller().name, action, result, details=details)


def _without_credentials(url: str) -> str:
    from headwater_backend.access.secrets import without_credentials

    return without_credentials(url)


def _version() -> str:
    from importlib.metadata import version

    return version("headwater")


def _compact(value: Any) -> str:
    import json

    return json.dumps(value)


@contextmanager
def _open_existing(url: str) -> Iterator[LineageStore]:
    from headwater_backend.stores import open_store

    require_store(url)
    with closing(open_store(url)) as opened:
        yield opened


@contextmanager
def _output_file(file: Path) -> Iterator[IO[bytes]]:
    """Context manager for writing the file, which gets its name only when it is complete; ``-`` is stdout."""
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
def _input_lines(file: Path) -> Iterator[Iterator[bytes]]:
    with click.open_file(str(file), "rb") as raw:
        if file.suffix == PACKED:
            with gzip.open(raw, "rb") as unpacked:
                yield _decompressed(unpacked, file)
        else:
            yield iter(raw)


def _decompressed(lines: Iterable[bytes], file: Path) -> Iterator[bytes]:
    """Yield the lines of a compressed file; raise ``CommandError`` if it is corrupt."""
    try:
        yield from lines
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        hint = "expected a complete file that `headwater store export` wrote"
        raise CommandError(
            "STREAM_INVALID", f"{file}: the compressed file is corrupt: {error}", hint
        ) from error


@contextmanager
def _record_progress(verb: str) -> Iterator[Callable[[int], None]]:
    """Context manager that displays the record count if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console

    with Console(stderr=True).status("…") as status:
        yield lambda count: status.update(f"{count:,} records {verb}")
