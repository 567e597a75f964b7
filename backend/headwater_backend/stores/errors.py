"""What can go wrong on opening a store."""

from __future__ import annotations

from collections.abc import Iterable

from headwater_backend.audit.entries import AuditEntry, breaks
from headwater_backend.errors import HeadwaterError


class StoreUrlError(HeadwaterError):
    """A store URL of a form that we do not have."""

    code = "STORE_URL"


class StoreVersionError(HeadwaterError):
    """The store was written by a newer Headwater."""

    code = "STORE_VERSION"

    def __init__(self, place: str, found: int, known: int) -> None:
        said = f"the store at {place} is of a newer Headwater: it has migration {found}, and {known} are known here"
        super().__init__(said, "use the newer Headwater on it")


class StoreFailedError(HeadwaterError):
    """The store answered, but refused what we asked: our mistake, or somebody changed it by hand."""

    code = "STORE_FAILED"


def require_continued(end: tuple[int, str], entries: Iterable[AuditEntry]) -> None:
    """Raise ``StoreFailedError`` unless the entries continue the audit log that ends there."""
    for broken in breaks(entries, *end):
        raise StoreFailedError(f"entry {broken.number} of the audit log {broken.reason}")
