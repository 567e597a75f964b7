"""``headwater import``: events from files into a store, or to a server."""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.asking.ask import Place, base, place, post, somebody_here, store_or_url
from headwater_cli.intake.event_lines import EventLines, Line
from headwater_cli.intake.refusals import Refusals, Refused
from headwater_cli.terminal.errors import EXIT_CODES, FAILED, Failure
from headwater_cli.terminal.progress import progress
from headwater_cli.terminal.screen import print_json
from headwater_cli.terminal.visible import visible

if TYPE_CHECKING:
    from headwater_backend.domain.errors import EventError
    from headwater_backend.ingest.origin import Origin
    from headwater_backend.ingest.service import Outcome
    from headwater_backend.ports import LineageStore

EVENTS_PER_BATCH = 500
BYTES_PER_BATCH = 4 * 1024 * 1024
LARGE_BYTES = 8 * 1024 * 1024
"""From here on several processes decode: each takes a second to start."""
MOST_PROCESSES = 4
_OF_THE_BODY = frozenset(
    {HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY}
)
"""How a server answers a batch that is to blame as a whole, whoever sends it and whenever."""


@click.command("import", epilog=EXIT_CODES)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
)
@store_or_url
@click.option("--json", "as_json", is_flag=True, help="Print what became of the lines as JSON.")
@click.pass_context
def import_events(
    context: click.Context, files: Sequence[Path], store: str, url: str | None, as_json: bool
) -> None:
    """Take in OpenLineage events of any producer.

    FILES have one JSON event a line, and may be compressed by gzip; - is stdin. Each event is stored whole or not at
    all. Lines that are refused, or longer than 16 MiB, are summed up by their reasons, and all others are stored.
    Importing the same file again changes nothing.
    """
    stored, refused = import_files(files, place(context, store, url))
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
        click.echo("there are no events in what was read", err=True)


def import_files(files: Sequence[Path], where: Place) -> tuple[int, Refusals]:
    """How many events were stored, and which lines were refused."""
    lines, refused = EventLines(files), Refusals()
    stored = done = 0
    with progress("events", lines.size) as told:
        batches = _batches(_readable(lines, refused))
        taken = _sent(batches, where) if where.url else _stored(batches, where.store, _processes(lines.size))
        for count, errors in taken:
            for each in errors:
                refused.add(each)
            stored, done = stored + count - len(errors), done + count
            told(done, lines.read)
    return stored, refused


def _processes(size: int | None) -> int:
    """How many processes decode; 1 is this one."""
    return min(os.cpu_count() or 1, MOST_PROCESSES) if size and size >= LARGE_BYTES else 1


def _readable(lines: Iterable[Line], refused: Refusals) -> Iterator[Line]:
    """The lines without those that cannot be read."""
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
"""Of each batch, in order: how many lines it has, and those that were refused."""


def _stored(batches: Iterable[list[Line]], url: str, processes: int) -> Taken:
    from headwater_backend.ingest.origin import Origin
    from headwater_backend.server.collector import collect_seldom
    from headwater_backend.stores import open_store

    collect_seldom()
    with closing(open_store(url)) as opened:
        for lines, outcomes in _outcomes(opened, batches, Origin(somebody_here()), processes):
            yield len(lines), [_refusal(lines[each.index], each.error) for each in outcomes if each.error]


def _outcomes(
    opened: LineageStore, batches: Iterable[list[Line]], origin: Origin, processes: int
) -> Iterator[tuple[list[Line], list[Outcome]]]:
    from headwater_backend.ingest.ahead import decoded_ahead
    from headwater_backend.ingest.service import ingest, ingest_decoded

    groups = ((lines, [line.text for line in lines]) for lines in batches)
    if processes > 1:
        for lines, found in decoded_ahead(groups, processes):
            yield lines, ingest_decoded(opened, [line.text for line in lines], found, origin)
    else:
        for lines, events in groups:
            yield lines, ingest(opened, events, origin=origin)


def _sent(batches: Iterable[list[Line]], where: Place) -> Taken:
    address = f"{base(where.url)}/api/v1/lineage/batch"
    for lines in batches:
        checked = [(line, _not_json(line)) for line in lines]
        refused = [wrong for _, wrong in checked if wrong]
        yield len(lines), refused + _posted(address, [line for line, wrong in checked if not wrong])


def _posted(address: str, lines: list[Line]) -> list[Refused]:
    """Send the lines as they are; those that the server refuses. What it refuses as a whole is sent by halves."""
    if not lines:
        return []
    try:
        answer = post(address, b"[%s]" % b",".join(line.text.removeprefix(BOM_UTF8) for line in lines))
    except Failure as failure:
        if failure.status not in _OF_THE_BODY:
            raise
        middle = len(lines) // 2
        if not middle:
            return [_refused(lines[0], failure.code, "", failure.message, failure.hint)]
        return _posted(address, lines[:middle]) + _posted(address, lines[middle:])
    return [_failed(lines[told["index"]], told) for told in answer["failed_events"]]


def _failed(line: Line, told: Mapping[str, Any]) -> Refused:
    pointer = "/".join(["", *told.get("pointer", "").split("/")[2:]])
    return _refused(line, told.get("code", ""), pointer, told["reason"], told.get("hint"))


def _not_json(line: Line) -> Refused | None:
    """Why the line would spoil its batch; None when it is JSON."""
    try:
        json.loads(line.text.decode("utf-8-sig"))
    except ValueError as error:
        return _refused(line, "NOT_JSON", "", str(error), "one JSON event a line")
    except RecursionError:
        return _refused(line, "TOO_DEEP", "", "JSON nests too deep", None)
    return None


def _refusal(line: Line, error: EventError) -> Refused:
    return _refused(line, error.code, error.pointer, error.detail, error.hint)


def _refused(line: Line, code: str, pointer: str, detail: str, hint: str | None) -> Refused:
    return Refused(line.file, line.number, code, pointer.rstrip("/"), detail, hint)
