"""API keys for programs: shown once when they are created, kept as hashes in a file.

A key is ``hw_ID_SECRET``. The secret is 32 random bytes, so one SHA-256 of it is as good as a slow hash: it
cannot be guessed. The file names each key's roles, namespaces and end; it is replaced as a whole, so a server that
reads it meanwhile gets the old or the new one. Servers read it again when it changes.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import logging
import os
import secrets
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from headwater_backend.domain.errors import HeadwaterError, NotAuthenticated
from headwater_backend.domain.roles import Caller, Role

PREFIX = "hw_"
_SECRET_BYTES = 32
_log = logging.getLogger(__name__)


class KeysError(HeadwaterError):
    """A keys file that cannot be used, or no such key in it."""

    code = "KEYS_INVALID"


class ApiKey(BaseModel):
    """A key as the file has it. ``namespaces`` are patterns: ``*`` is any text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{12}$")]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    roles: tuple[Role, ...]
    namespaces: tuple[str, ...] = ()
    created: AwareDatetime
    expires: AwareDatetime | None = None
    revoked: AwareDatetime | None = None

    def state(self, now: datetime) -> str:
        """``active``, ``expired`` or ``revoked``."""
        if self.revoked:
            return "revoked"
        return "expired" if self.expires and self.expires <= now else "active"

    def caller(self) -> Caller:
        return Caller(f"key {self.id} ({self.name})", frozenset(self.roles), self.namespaces)


_KEYS = TypeAdapter(tuple[ApiKey, ...])


def read_keys(file: Path) -> tuple[ApiKey, ...]:
    """The keys in the file; raises ``KeysError``."""
    try:
        return _KEYS.validate_json(file.read_bytes())
    except OSError as error:
        raise KeysError(f"{file}: {error.strerror}", "make one with `headwater keys new`") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = "/".join(map(str, first["loc"]))
        raise KeysError(f"{file}: {place}: {first['msg']}", "it is written by `headwater keys`") from None


def new_key(
    file: Path,
    name: str,
    roles: Sequence[Role],
    namespaces: Sequence[str] = (),
    lasts: timedelta | None = None,
) -> tuple[ApiKey, str]:
    """Add a new key to the file, and return it with its text, which cannot be recovered later."""
    now = datetime.now(timezone.utc)
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    key = ApiKey(
        id=secrets.token_hex(6),
        name=name,
        sha256=_digest(secret),
        roles=tuple(roles),
        namespaces=tuple(namespaces),
        created=now,
        expires=now + lasts if lasts else None,
    )
    with _changing(file) as keys:
        keys.append(key)
    return key, f"{PREFIX}{key.id}_{secret}"


def revoke(file: Path, key_id: str) -> ApiKey:
    """Revoke the key, and return it; raises ``KeysError`` when the file has no key of that id."""
    with _changing(file) as keys:
        for place, key in enumerate(keys):
            if key.id == key_id:
                keys[place] = key.model_copy(update={"revoked": key.revoked or datetime.now(timezone.utc)})
                return keys[place]
    raise KeysError(f"{file} has no key {key_id}", "`headwater keys list` shows the ids")


class KeyFile:
    """The keys of a file, which is read again when it changes."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._seen = self._signature()
        self._keys = {key.id: key for key in read_keys(file)}

    def caller(self, text: str) -> Caller:
        """The caller with that key; raises ``NotAuthenticated``."""
        key_id, secret = _parts(text)
        key = self.current().get(key_id)
        fits = hmac.compare_digest(key.sha256 if key else "", _digest(secret))
        if not key or not fits or key.state(datetime.now(timezone.utc)) != "active":
            raise NotAuthenticated(
                "the API key is not valid", "it may be revoked or expired; see `headwater keys list`"
            )
        return key.caller()

    def known_id(self, text: str) -> str | None:
        """The id in the text of a key, where the file has a key of that id."""
        key_id, _ = _parts(text)
        return key_id if key_id in self.current() else None

    def current(self) -> Mapping[str, ApiKey]:
        """Each key by its id. While the file cannot be read, they stay as they were: a typo must not lock everybody
        out.
        """
        with self._lock:
            found = self._signature()
            if found != self._seen:
                self._seen = found
                try:
                    self._keys = {key.id: key for key in read_keys(self.file)}
                except KeysError as error:
                    _log.error("the keys stay as they were: %s", error)
            return self._keys

    def _signature(self) -> tuple[int, int, int] | None:
        try:
            found = self.file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def _parts(text: str) -> tuple[str, str]:
    """The id and the secret in the text of a key."""
    key_id, _, secret = text.removeprefix(PREFIX).partition("_")
    return key_id, secret


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


@contextmanager
def _changing(file: Path) -> Iterator[list[ApiKey]]:
    """The keys, for changes by one process at a time; written when the block ends without an error."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with (file.parent / f".{file.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        keys = list(read_keys(file)) if file.exists() else []
        yield keys
        _replace(file, json.dumps(_KEYS.dump_python(tuple(keys), mode="json"), indent=2) + "\n")


def _replace(file: Path, text: str) -> None:
    """Write the file as a whole, for its owner only."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as written:
            written.write(text)
            written.flush()
            os.fsync(written.fileno())
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
