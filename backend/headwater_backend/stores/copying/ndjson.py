"""A store as a stream of lines, to keep it elsewhere and to fill another store from it.

Each line is a JSON object with a ``kind`` and a ``record``. The first line holds the format, the last the number of
lines, the digest of the graph and the SHA-256 of all lines before; between them are the records (``domain.records``),
the audit log's entries and the dead letters. A stream is refused when its last line is missing, when anything follows
it, and when a byte before it was changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, Final

import pydantic_core
from pydantic import TypeAdapter, ValidationError

from headwater_backend.domain.audit_log import AuditEntry
from headwater_backend.domain.dead_letters import DeadLetter
from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.domain.records import (
    Batch,
    ChangeSeen,
    ConditionsText,
    DatasetSeen,
    DecisionMade,
    FacetSeen,
    IoSeen,
    JobSeen,
    LayoutSeen,
    Observation,
    RunSeen,
    SymlinkSeen,
    Version,
)
from headwater_backend.stores.copying.batches import EDGES, ROWS

FORMAT: Final = 2
HEAD: Final = "headwater-store"
END: Final = "end"

Piece = Batch | AuditEntry | DeadLetter

_RECORDS: Final[Mapping[str, tuple[str, TypeAdapter[Any]]]] = {
    "dataset": ("datasets", TypeAdapter(DatasetSeen)),
    "job": ("jobs", TypeAdapter(JobSeen)),
    "run": ("runs", TypeAdapter(RunSeen)),
    "path": ("paths", TypeAdapter(str)),
    "version": ("versions", TypeAdapter(Version)),
    "conditions": ("conditions", TypeAdapter(ConditionsText)),
    "observation": ("observations", TypeAdapter(Observation)),
    "io": ("io", TypeAdapter(IoSeen)),
    "facet": ("facets", TypeAdapter(FacetSeen)),
    "symlink": ("symlinks", TypeAdapter(SymlinkSeen)),
    "change": ("changes", TypeAdapter(ChangeSeen)),
    "layout": ("layouts", TypeAdapter(LayoutSeen)),
    "decision": ("decisions", TypeAdapter(DecisionMade)),
}
"""By kind: the field of a batch that has such records, and their adapter to JSON."""
_BESIDE: Final[Mapping[str, TypeAdapter[Any]]] = {
    "audit": TypeAdapter(AuditEntry),
    "dead_letter": TypeAdapter(DeadLetter),
}


class StreamError(HeadwaterError):
    """A stream that cannot be read; ``line`` counts from 1."""

    code = "STREAM_INVALID"

    def __init__(self, line: int, detail: str) -> None:
        super().__init__(f"line {line}: {detail}", "give the whole of what `headwater store export` wrote")
        self.line = line


class Writer:
    """Writes a stream: the pieces as they come, then its end."""

    def __init__(self, out: IO[bytes], version: str) -> None:
        self._out = out
        self._sum = hashlib.sha256()
        self.lines = 0
        self._line(HEAD, json.dumps({"format": FORMAT, "version": version}).encode())

    def write(self, piece: Piece) -> None:
        """Write all records of the batch, or the one entry or letter."""
        match piece:
            case Batch():
                for kind, (name, adapter) in _RECORDS.items():
                    for record in getattr(piece, name):
                        self._line(kind, adapter.dump_json(record))
            case AuditEntry():
                self._line("audit", _BESIDE["audit"].dump_json(piece))
            case DeadLetter():
                self._line("dead_letter", _BESIDE["dead_letter"].dump_json(piece))

    def end(self, digest: str) -> None:
        """Write the last line, without which readers refuse the stream."""
        end = {"lines": self.lines + 1, "digest": digest, "sha256": self._sum.hexdigest()}
        self._line(END, json.dumps(end).encode())

    def _line(self, kind: str, record: bytes) -> None:
        line = b'{"kind":"%s","record":%s}\n' % (kind.encode(), record)
        self._out.write(line)
        self._sum.update(line)
        self.lines += 1


class Reader:
    """Reads a stream; ``digest`` is None until all pieces were read. Raises ``StreamError``."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = enumerate(lines, start=1)
        self._number = 0
        self._before = hashlib.sha256()
        """The hash of the lines before the one that was read last."""
        self._line = b""
        self.digest: str | None = None

    def pieces(self) -> Iterator[Piece]:
        """Batches of bounded size, entries and letters, in the order of the stream."""
        self._head()
        waiting: list[tuple[str, Any]] = []
        size = 0
        while self.digest is None:
            kind, record = self._next()
            if kind in _RECORDS:
                waiting.append((kind, _read(_RECORDS[kind][1], record, self._number)))
                size += 1 + len(waiting[-1][1].edges) * ROWS // EDGES if kind == "version" else 1
            if waiting and (size >= ROWS or kind not in _RECORDS):
                yield _batch(waiting)
                waiting, size = [], 0
            if kind in _BESIDE:
                yield _read(_BESIDE[kind], record, self._number)
            elif kind == END:
                self._end(record)
            elif kind not in _RECORDS:
                raise StreamError(self._number, f"the kind {kind!r} is unknown")

    def _head(self) -> None:
        kind, record = self._next()
        if kind != HEAD or not isinstance(record, dict):
            raise StreamError(self._number, "this is not an export of a Headwater store")
        if record.get("format") != FORMAT:
            raise StreamError(self._number, f"format {record.get('format')} is not known, only {FORMAT}")

    def _end(self, record: Any) -> None:
        if not isinstance(record, dict) or record.get("lines") != self._number:
            raise StreamError(self._number, "the last line has another number of lines")
        if record.get("sha256") != self._before.hexdigest():
            raise StreamError(self._number, "the lines before were changed after they were written")
        for number, line in self._lines:
            if line.strip():
                raise StreamError(number, "the stream continues after its end")
        self.digest = str(record.get("digest"))

    def _next(self) -> tuple[str, Any]:
        self._before.update(self._line)
        self._number, self._line = next(self._lines, (self._number + 1, b""))
        if not self._line.strip():
            raise StreamError(self._number, "the stream is cut off")
        try:
            entry = pydantic_core.from_json(self._line)
        except ValueError as error:
            raise StreamError(self._number, f"not JSON: {error}") from None
        if not isinstance(entry, dict) or not isinstance(entry.get("kind"), str):
            raise StreamError(self._number, "expected an object with a kind")
        return entry["kind"], entry.get("record")


def _read(adapter: TypeAdapter[Any], record: Any, line: int) -> Any:
    try:
        return adapter.validate_python(record)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = "".join(f"/{part}" for part in first["loc"])
        raise StreamError(line, f"/record{where}: {first['msg']}") from None


def _batch(records: Iterable[tuple[str, Any]]) -> Batch:
    by_field: dict[str, list[Any]] = {}
    for kind, record in records:
        by_field.setdefault(_RECORDS[kind][0], []).append(record)
    return Batch(**{name: tuple(some) for name, some in by_field.items()})
