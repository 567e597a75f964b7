"""Copying the content of a store: into a file, out of a file, into another store.

Records merge, so filling a store again, or one that is not empty, does not harm what it holds. The digest of the graph
shows whether a copy is equal. A source that is written to while it is read raises ``StoreChangedError``, because what
came meanwhile may be in the copy in part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from headwater_backend.domain.audit_log import AuditEntry, AuditNote
from headwater_backend.domain.dead_letters import DeadLetter, LetterPlace
from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.domain.records import Batch
from headwater_backend.ports import AuditLog, Contents, LineageStore
from headwater_backend.stores.copying import ndjson
from headwater_backend.stores.copying.digest import GraphDigest, graph_digest, is_empty

PAGE: Final = 500
WRITING: Final = frozenset(
    {"events", "names", "classes", "findings", "sign-offs", "store.fill", "store.prune"}
)
"""The actions in the audit log that change the graph."""

Progress = Callable[[int], None]
"""Called with the number of records that were copied so far."""


class StoreNotEmptyError(HeadwaterError):
    """A store that is to be filled holds something."""

    code = "STORE_NOT_EMPTY"


class StoreChangedError(HeadwaterError):
    """A store was written to while it was read."""

    code = "STORE_CHANGED"


class CopyDiffersError(HeadwaterError):
    """A copy that ought to be equal is not."""

    code = "COPY_DIFFERS"


@dataclass(frozen=True, slots=True)
class Filled:
    """The result of filling a store. ``equal`` is whether its graph equals the source's; ``audit_left_out`` counts
    entries of the source's audit log that could not follow those of the store.
    """

    records: int
    equal: bool
    digest: GraphDigest
    audit_entries: int
    audit_left_out: int
    dead_letters: int


def export(
    store: LineageStore, writer: ndjson.Writer, note: AuditNote, progress: Progress
) -> tuple[int, GraphDigest]:
    """Write the store out, and return the number of records and the digest. Raises ``StoreChangedError``."""
    store.apply(Batch(notes=(note,)))
    count = 0
    with unchanged(store):
        for piece in pieces(store):
            writer.write(piece)
            count += _size(piece)
            progress(count)
        digest = graph_digest(store)
    writer.end(digest.digest)
    return count, digest


def migrate(
    source: LineageStore,
    target: LineageStore,
    notes: tuple[AuditNote, AuditNote],
    progress: Progress,
    *,
    merge: bool = False,
) -> Filled:
    """Fill the target from the source, and keep the notes: in the source's log, and in the target's."""
    empty = _require_empty(target, merge)
    source.apply(Batch(notes=notes[:1]))
    with unchanged(source):
        filling = _Filling(target, progress)
        filling.take(pieces(source))
        expected = graph_digest(source).digest
    return filling.done(expected, notes[1], empty)


def fill(
    target: LineageStore, reader: ndjson.Reader, note: AuditNote, progress: Progress, *, merge: bool = False
) -> Filled:
    """Fill the target from a stream, and keep the note in its log."""
    empty = _require_empty(target, merge)
    filling = _Filling(target, progress)
    filling.take(reader.pieces())
    return filling.done(reader.digest, note, empty)


def pieces(store: LineageStore) -> Iterator[ndjson.Piece]:
    """The whole content of a store, in pieces."""
    yield from store.batches()
    number = 0
    while entries := store.audit(number, PAGE):
        yield from entries
        number = entries[-1].number
    after: LetterPlace | None = None
    while letters := store.dead_letters(PAGE, after):
        yield from filter(None, (store.dead_letter(letter.key) for letter in letters))
        after = letters[-1].place


@contextmanager
def unchanged(store: AuditLog) -> Iterator[None]:
    """Raise ``StoreChangedError`` when the graph was written to inside."""
    before, _ = store.audit_end()
    yield
    while entries := store.audit(before, PAGE):
        if any(entry.action in WRITING for entry in entries):
            raise StoreChangedError(
                "the store was written to while it was read",
                "stop what writes to it (agents keep their events meanwhile), and try again",
            )
        before = entries[-1].number


class _Filling:
    """Puts pieces into a store, and counts them."""

    def __init__(self, target: LineageStore, progress: Progress) -> None:
        self._target = target
        self._progress = progress
        self._records = self._kept = self._left_out = self._letters = 0
        self._entries: list[AuditEntry] = []

    def take(self, found: Iterable[ndjson.Piece]) -> None:
        for piece in found:
            match piece:
                case Batch():
                    self._target.apply(piece)
                case AuditEntry():
                    self._entries.append(piece)
                    if len(self._entries) >= PAGE:
                        self._keep_entries()
                case DeadLetter():
                    self._target.keep_dead_letters([piece])
                    self._letters += 1
            self._records += _size(piece)
            self._progress(self._records)
        self._keep_entries()

    def done(self, expected: str | None, note: AuditNote, was_empty: bool) -> Filled:
        digest = graph_digest(self._target)
        equal = digest.digest == expected
        if was_empty and not equal:
            raise CopyDiffersError(
                f"the copy has the digest {digest.digest}, and not {expected} as its source",
                "if the store was written to meanwhile, start again with an empty one",
            )
        self._target.apply(Batch(notes=(note,)))
        return Filled(self._records, equal, digest, self._kept, self._left_out, self._letters)

    def _keep_entries(self) -> None:
        """Append the entries only where they continue the store's own log: two logs make no chain."""
        number, digest = self._target.audit_end()
        new = [entry for entry in self._entries if entry.number > number]
        if new and (new[0].number, new[0].previous) == (number + 1, digest):
            self._target.continue_audit(new)
            self._kept += len(new)
        else:
            self._left_out += len(new)
        self._entries = []


def _require_empty(target: Contents, merge: bool) -> bool:
    empty = is_empty(target)
    if not empty and not merge:
        raise StoreNotEmptyError("the store is not empty", "--merge joins the copy with what the store holds")
    return empty


def _size(piece: ndjson.Piece) -> int:
    if not isinstance(piece, Batch):
        return 1
    kinds: Sequence[Sequence[object]] = (
        piece.datasets,
        piece.jobs,
        piece.runs,
        piece.io,
        piece.facets,
        piece.symlinks,
        piece.changes,
        piece.layouts,
        piece.decisions,
        piece.paths,
        piece.versions,
        piece.observations,
    )
    return sum(map(len, kinds))
