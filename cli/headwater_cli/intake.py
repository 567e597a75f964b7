"""``headwater import``: events from files into a store, or to a server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from headwater_cli.ask import Place, base, place, post, somebody_here, store_or_url
from headwater_cli.errors import EXIT_CODES, FAILED
from headwater_cli.screen import print_json
from headwater_cli.visible import visible

EVENTS_PER_BATCH = 500
BYTES_PER_BATCH = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file; ``number`` counts from 1."""

    file: str
    number: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that was not stored, and the place in it (a JSON pointer) that is to blame."""

    file: str
    line: int
    code: str
    pointer: str
    detail: str
    hint: str | None

    def __str__(self) -> str:
        at = f" at {self.pointer}" if self.pointer else ""
        return f"{self.file}:{self.line}: {self.detail}{at} [{self.code}]"


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

    FILES have one JSON event a line; - is stdin. Each event is stored whole or not at all. Lines that are
    refused are told one by one, and all others are stored.
    Importing the same file again changes nothing.
    """
    stored, refused = import_files(files, place(context, store, url))
    if as_json:
        print_json({"stored": stored, "refused": [asdict(each) for each in refused]})
    else:
        for each in refused:
            click.echo(visible(str(each)), err=True)
        click.echo(f"{stored} events stored" + (f", {len(refused)} refused" if refused else ""))
    if refused:
        context.exit(FAILED)


def import_files(files: Sequence[Path], where: Place) -> tuple[int, list[Refused]]:
    """How many events were stored, and which lines were refused."""
    lines = (line for file in files for line in _lines(file))
    if where.url:
        return _send(_batches(lines), f"{base(where.url)}/api/v1/lineage/batch")
    return _store(_batches(lines), where.store)


def _lines(file: Path) -> Iterator[Line]:
    """The lines that hold something."""
    with click.open_file(str(file), "rb") as opened:
        for number, text in enumerate(opened, start=1):
            if text.strip():
                yield Line(str(file), number, text.strip())


def _batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
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


def _store(batches: Iterator[list[Line]], url: str) -> tuple[int, list[Refused]]:
    from headwater_backend.collector import collect_seldom
    from headwater_backend.ingest.origin import Origin
    from headwater_backend.ingest.service import ingest
    from headwater_backend.stores import open_store

    collect_seldom()
    origin = Origin(somebody_here())
    stored, refused = 0, []
    with closing(open_store(url)) as opened:
        for lines in batches:
            outcomes = ingest(opened, [line.text for line in lines], origin=origin)
            for line, outcome in zip(lines, outcomes, strict=True):
                if error := outcome.error:
                    refused.append(_refused(line, error.code, error.pointer, error.detail, error.hint))
                else:
                    stored += 1
    return stored, refused


def _send(batches: Iterator[list[Line]], url: str) -> tuple[int, list[Refused]]:
    stored, refused = 0, []
    for lines in batches:
        events, broken = _parsed(lines)
        refused += broken
        if not events:
            continue
        answer = post(url, [event for _, event in events])
        for told in answer["failed_events"]:
            line = events[told["index"]][0]
            pointer = "/".join(["", *told.get("pointer", "").split("/")[2:]])
            refused.append(_refused(line, told.get("code", ""), pointer, told["reason"], told.get("hint")))
        stored += answer["summary"]["successful"]
    return stored, refused


def _parsed(lines: list[Line]) -> tuple[list[tuple[Line, object]], list[Refused]]:
    """The lines that are JSON: a single one that is not would spoil its batch."""
    read = [(line, _read(line)) for line in lines]
    good = [(line, found) for line, found in read if not isinstance(found, Refused)]
    return good, [found for _, found in read if isinstance(found, Refused)]


def _read(line: Line) -> object:
    try:
        return json.loads(line.text)
    except (ValueError, RecursionError) as error:
        return _refused(line, "NOT_JSON", "", str(error), "one JSON event a line")


def _refused(line: Line, code: str, pointer: str, detail: str, hint: str | None) -> Refused:
    return Refused(line.file, line.number, code, pointer.rstrip("/"), detail, hint)
