"""``headwater import``: import of events from files into a store or a server."""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from http import HTTPStatus
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.client.graphql_client import (
    GraphQLClient,
    base_url,
    create_client,
    local_caller,
    post_json,
    store_or_url,
)
from headwater_cli.intake.event_lines import EventLines, Line
from headwater_cli.intake.mapping_lines import has_mappings, mapping_lines
from headwater_cli.intake.refusals import Refusals, Refused
from headwater_cli.terminal.errors import EXIT_CODES, FAILED, CommandError
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.output import print_json
from headwater_cli.terminal.progress import progress

if TYPE_CHECKING:
    from headwater_backend.domain.errors import EventError
    from headwater_backend.ingest.sender import Sender
    from headwater_backend.ingest.service import Outcome
    from headwater_backend.ports import LineageStore

EVENTS_PER_BATCH = 500
BYTES_PER_BATCH = 4 * 1024 * 1024
LARGE_BYTES = 8 * 1024 * 1024
"""Input size from which several processes decode; starting each takes a second."""
MOST_PROCESSES = 4
_OF_THE_BODY = frozenset(
    {HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY}
)
"""Response codes that blame the batch as a whole, whoever sends it and whenever."""


@click.command("import", epilog=EXIT_CODES)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
)
@store_or_url
@click.option(
    "--namespace", default="mappings", show_default=True, help="The namespace of business mappings."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_context
def import_events(
    context: click.Context, files: Sequence[Path], store: str, url: str | None, namespace: str, as_json: bool
) -> None:
    """Import OpenLineage events or business mappings.

    FILES have one JSON event per line, and may be gzipped; - is stdin. Each event is stored completely or not at
    all. Refused lines, and lines longer than 16 MiB, are summarized by reason; all others are stored.
    Importing the same file again changes nothing.

    A file that begins with WHEN POPULATING has business mappings. Each becomes a job of the namespace, with the name of
    its file; an error in one of them is reported with line and column, and then nothing is imported.

    \b
    headwater import events.ndjson
    headwater import mappings.txt --namespace business
    """
    stored, refused = import_files(files, create_client(context, store, url), namespace)
    if as_json:
        listed = [asdict(each) for each in refused.listed]
        counts = {"stored": stored, "refusedCount": refused.count, "reasons": refused.reasons()}
        print_json({**counts, "refused": listed})
    else:
        for line in refused.lines():
            click.echo(visible(line), err=True)
        click.echo(f"{stored} events stored" + (f", {refused.count} refused" if refused.count else ""))
    if refused.count:
        context.exit(FAILED)
    if not stored:
        click.echo("no events in the input", err=True)


def import_files(
    files: Sequence[Path], client: GraphQLClient, namespace: str = "mappings"
) -> tuple[int, Refusals]:
    """Import the files; return the number of stored events and the refused lines."""
    mappings = [file for file in files if has_mappings(file)]
    stated = list(mapping_lines(mappings, namespace)) if mappings else []
    lines, refused = EventLines([file for file in files if file not in mappings]), Refusals()
    stored = done = 0
    with progress("events", lines.size) as update:
        batches = _batches(_readable_lines(chain(stated, lines), refused))
        taken = (
            _send_batches(batches, client)
            if client.url
            else _store_batches(batches, client.store, _processes(lines.size))
        )
        for count, errors in taken:
            for each in errors:
                refused.add(each)
            stored, done = stored + count - len(errors), done + count
            update(done, lines.read)
    return stored, refused


def _processes(size: int | None) -> int:
    """Return how many processes decode; 1 means this process only."""
    return min(os.cpu_count() or 1, MOST_PROCESSES) if size and size >= LARGE_BYTES else 1


def _readable_lines(lines: Iterable[Line], refused: Refusals) -> Iterator[Line]:
    """Yield the readable lines, and add the others to ``refused``."""
    for line in lines:
        if line.wrong is None:
            yield line
        else:
            refused.add(_refused(line, line.wrong.code, "", line.wrong.detail, line.wrong.hint))


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    batch: list[Line] = []
    size = 0
    for line in lines:
        if batch and (len(batch) >= EVENTS_PER_BATCH or size + len(line.text) > BYTES_PER_BATCH):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line.text)
    if batch:
        yield batch


Taken = Iterator[tuple[int, list[Refused]]]
"""For each batch, in order: its number of lines, and the refused ones."""


def _store_batches(batches: Iterable[list[Line]], url: str, processes: int) -> Taken:
    from headwater_backend.ingest.sender import Sender
    from headwater_backend.server.garbage_collection import reduce_collections
    from headwater_backend.stores import open_store

    reduce_collections()
    with closing(open_store(url)) as opened:
        for lines, outcomes in _ingest_batches(opened, batches, Sender(local_caller()), processes):
            yield (
                len(lines),
                [_from_event_error(lines[each.index], each.error) for each in outcomes if each.error],
            )


def _ingest_batches(
    opened: LineageStore, batches: Iterable[list[Line]], sender: Sender, processes: int
) -> Iterator[tuple[list[Line], list[Outcome]]]:
    from headwater_backend.ingest.ahead import decoded_ahead
    from headwater_backend.ingest.service import ingest, ingest_decoded

    groups = ((lines, [line.text for line in lines]) for lines in batches)
    if processes > 1:
        for lines, found in decoded_ahead(groups, processes):
            yield lines, ingest_decoded(opened, [line.text for line in lines], found, sender)
    else:
        for lines, events in groups:
            yield lines, ingest(opened, events, sender=sender)


def _send_batches(batches: Iterable[list[Line]], client: GraphQLClient) -> Taken:
    address = f"{base_url(client.url)}/api/v1/lineage/batch"
    for lines in batches:
        checked = [(line, _not_json(line)) for line in lines]
        refused = [wrong for _, wrong in checked if wrong]
        yield len(lines), refused + _post_lines(address, [line for line, wrong in checked if not wrong])


def _post_lines(address: str, lines: list[Line]) -> list[Refused]:
    """Send the lines unchanged, and return those that the server refuses; a refused batch is bisected."""
    if not lines:
        return []
    try:
        answer = post_json(address, b"[%s]" % b",".join(line.text.removeprefix(BOM_UTF8) for line in lines))
    except CommandError as failure:
        if failure.status not in _OF_THE_BODY:
            raise
        middle = len(lines) // 2
        if not middle:
            return [_refused(lines[0], failure.code, "", failure.message, failure.hint)]
        return _post_lines(address, lines[:middle]) + _post_lines(address, lines[middle:])
    return [_from_response(lines[failed["index"]], failed) for failed in answer["failed_events"]]


def _from_response(line: Line, failed: Mapping[str, Any]) -> Refused:
    pointer = "/".join(["", *failed.get("pointer", "").split("/")[2:]])
    return _refused(line, failed.get("code", ""), pointer, failed["reason"], failed.get("hint"))


def _not_json(line: Line) -> Refused | None:
    """Return the refusal of a line that would make its batch invalid JSON, or None."""
    try:
        json.loads(line.text.decode("utf-8-sig"))
    except ValueError as error:
        return _refused(line, "NOT_JSON", "", str(error), "one JSON event per line")
    except RecursionError:
        return _refused(line, "TOO_DEEP", "", "JSON nests too deep", None)
    return None


def _from_event_error(line: Line, error: EventError) -> Refused:
    return _refused(line, error.code, error.pointer, error.detail, error.hint)


def _refused(line: Line, code: str, pointer: str, detail: str, hint: str | None) -> Refused:
    return Refused(line.file, line.number, code, pointer.rstrip("/"), detail, hint)
