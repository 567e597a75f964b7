"""The server's settings: the environment, each with the prefix ``HEADWATER_``.

=============================== ================================================= ==============================
variable                        meaning                                           default
=============================== ================================================= ==============================
HEADWATER_STORE                 URL of the store                                  sqlite:///.headwater/lineage.db
HEADWATER_HOST                  address to listen on                              127.0.0.1
HEADWATER_PORT                  port to listen on                                 8055
HEADWATER_RULES                 YAML file that names personal attributes          none
HEADWATER_ALLOWED_HOSTS         further host names by which it may be called      none (JSON list)
HEADWATER_MAX_BODY_BYTES        largest request body, also when unpacked          33554432
HEADWATER_MAX_EVENT_BYTES       largest event                                     8388608
HEADWATER_MAX_NODES             largest lineage answer; more is partial           100000
HEADWATER_ALLOW_UNAUTHENTICATED listen elsewhere than on loopback                 false
=============================== ================================================= ==============================

There is no authentication yet, so another address than loopback is refused: whoever can reach the port can read
and write all lineage. ``HEADWATER_ALLOW_UNAUTHENTICATED=true`` is for a network in which that is meant, such as
behind a proxy that authenticates.
"""

from __future__ import annotations

import ipaddress
from pathlib import Path

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from typing_extensions import Self


class Settings(BaseSettings):
    """See the module for what each means."""

    model_config = SettingsConfigDict(env_prefix="HEADWATER_", frozen=True)

    store: str = "sqlite:///.headwater/lineage.db"
    host: str = "127.0.0.1"
    port: int = Field(default=8055, ge=0, le=65535)
    rules: Path | None = None
    allowed_hosts: tuple[str, ...] = ()
    max_body_bytes: int = Field(default=32 * 1024 * 1024, gt=0)
    max_event_bytes: int = Field(default=8 * 1024 * 1024, gt=0)
    max_nodes: int = Field(default=100_000, gt=0)
    allow_unauthenticated: bool = False

    @model_validator(mode="after")
    def _loopback_unless_meant(self) -> Self:
        if not (self.allow_unauthenticated or is_loopback(self.host)):
            raise ValueError(
                f"{self.host} is not a loopback address, and there is no authentication: "
                "listen on 127.0.0.1, or set HEADWATER_ALLOW_UNAUTHENTICATED=true if everyone there may read and write"
            )
        return self

    def hosts(self) -> frozenset[str] | None:
        """The host names by which a request may call the server, in lower case; None when any will do.

        A page of a foreign site can have its own name resolve to 127.0.0.1; its requests then come with that name.
        """
        if is_loopback(self.host):
            own = {"localhost", "127.0.0.1", "::1", self.host}
            return frozenset(name.lower() for name in (*own, *self.allowed_hosts))
        return frozenset(name.lower() for name in self.allowed_hosts) or None


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine can reach the address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
