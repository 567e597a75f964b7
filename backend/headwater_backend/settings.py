"""The server's settings: environment variables with the prefix ``HEADWATER_``.

``docs/server.md`` lists them, made from here by ``python -m headwater_backend.settings``. None of them is a secret: the
keys file holds hashes, and what is a secret is read where it is used (``headwater_backend.access.secrets``, and
``OTEL_EXPORTER_OTLP_HEADERS`` by OpenTelemetry).

Without authentication another address than loopback is refused: anybody who can reach the port could read and write all
lineage. ``HEADWATER_ALLOW_UNAUTHENTICATED=true`` is for a network in which that is meant, such as behind a proxy that
authenticates.
"""

from __future__ import annotations

import logging
import os
import re
import ssl
import sys
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final

from limits import parse_many
from pydantic import Field, FilePath, HttpUrl, IPvAnyNetwork, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from rapidfuzz import process
from typing_extensions import Self

from headwater_backend.access.addresses import is_address, is_loopback
from headwater_backend.access.tokens import ALGORITHMS
from headwater_backend.domain.roles import Role

PREFIX: Final = "HEADWATER_"

ELSEWHERE: Final[Mapping[str, str]] = {
    "HEADWATER_API_KEY": "the key that the command line sends with `--url`",
    "HEADWATER_API_KEY_FILE": "a file that holds that key",
    "HEADWATER_OTHER_STORE": "`headwater store migrate` and `verify`: URL of the second store",
    "HEADWATER_WEBHOOK_SECRET": "the secret that signs messages to `HEADWATER_WEBHOOK_URL` and "
    "`HEADWATER_AUDIT_ANCHOR_URL`: `whsec_` and at least 24 bytes in Base64",
    "HEADWATER_WEBHOOK_SECRET_FILE": "a file that holds that secret",
    "HEADWATER_NEO4J_PASSWORD_FILE": "a file that holds Neo4j's password, instead of `NEO4J_PASSWORD`",
    "HEADWATER_KAFKA_BOOTSTRAP_SERVERS": "`headwater consume`: the brokers",
    "HEADWATER_KAFKA_TOPICS": "`headwater consume`: the topics",
    "HEADWATER_KAFKA_GROUP": "`headwater consume`: the consumer group",
    "HEADWATER_KAFKA_CONFIG": "`headwater consume`: a file of librdkafka's settings",
    "HEADWATER_DECLARED_UDFS": "the agent's: files of declarations, see [udfs.md](udfs.md)",
    "HEADWATER_CAPTURE": "the agent's: a file for plan documents, see [configuration.md](configuration.md)",
    "HEADWATER_PROGRAM": "set by the agent, for the processes that it starts: where a program's own reads are noted",
    "HEADWATER_DEBUG": "`1` shows the traceback of a failing command",
}
"""Variables with our prefix that are not the server's."""

_FOR_TESTS = frozenset({"HEADWATER_SKIP_NEO4J", "HEADWATER_SPARK"})
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_ORIGIN: Final = re.compile(r"https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")
_log = logging.getLogger(__name__)


class LogFormat(str, Enum):
    """How a line of the log looks."""

    TEXT = "text"
    JSON = "json"


class Settings(BaseSettings):
    """The settings; a field's variable is its name in capitals after the prefix."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True)

    store: str = Field(
        default="sqlite:///.headwater/lineage.db",
        description="URL of the store: `sqlite:///FILE`, `neo4j://HOST` or `bolt://HOST`",
    )
    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=8055, ge=0, le=65535, description="port to listen on; 0 takes any free one")
    tls_certificate: FilePath | None = Field(
        default=None,
        description="PEM file of the certificate and those between it and its authority: with it, the server uses "
        "HTTPS; read at the start",
    )
    tls_key: FilePath | None = Field(
        default=None, description="PEM file of the certificate's key, not encrypted"
    )
    journal: Path | None = Field(
        default=None,
        description="folder in which events are kept while the store is away; without it, they are answered 503",
    )
    journal_bytes: int = Field(default=1024**3, gt=0, description="largest journal; beyond it, 503 again")
    rules: Path | None = Field(default=None, description="YAML file that names personal attributes")
    policies: Path | None = Field(
        default=None,
        description="YAML file of policies on personal data, checked when events arrive; violations become findings",
    )
    policy_seconds: float = Field(
        default=10.0, gt=0, description="least time between two checks of the policies"
    )
    policies_active: bool = Field(
        default=False, description="whether findings say where no row can bring the data, by active lineage"
    )
    webhook_url: HttpUrl | None = Field(
        default=None,
        description="address that is notified of changed findings, by HTTPS unless it is loopback",
    )
    audit_anchor_file: Path | None = Field(
        default=None,
        description="file to which number and hash of the audit log's newest entry are appended, outside of what who "
        "may change the store reaches; `headwater audit verify` compares them",
    )
    audit_anchor_url: HttpUrl | None = Field(
        default=None,
        description="address that is sent them, signed by `HEADWATER_WEBHOOK_SECRET`; by HTTPS unless it is loopback",
    )
    audit_anchor_log: bool = Field(
        default=False,
        description="write them to the server's log, at any level; a file or an address has that done as well",
    )
    audit_anchor_seconds: float = Field(
        default=3_600.0, gt=0, description="time between two of these anchors, of a log that has grown"
    )
    organisation: Path | None = Field(
        default=None,
        description="YAML file of what the organisation states in reports; see [reports.md](reports.md)",
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=(),
        description="names by which it may be called, besides loopback's and those of `HEADWATER_HOST` (JSON list); "
        "without any, callers who authenticate may call it by all names. Beyond loopback, its addresses are "
        "always accepted",
    )
    embed_origins: tuple[str, ...] = Field(
        default=(),
        description="sites whose pages may show `/embed`, the picture alone, in a frame, as in `https://wiki.example` "
        "(JSON list); without any, nobody may",
    )
    allow_unauthenticated: bool = Field(
        default=False, description="listen elsewhere than on loopback without authentication"
    )

    keys_file: Path | None = Field(
        default=None, description="file of API keys, written by `headwater keys`; with it, callers need a key"
    )
    oidc_issuer: str | None = Field(
        default=None,
        description="the OpenID provider whose tokens are accepted, by the name that it gives itself",
    )
    oidc_audience: str | None = Field(default=None, description="the audience that its tokens must have")
    oidc_client_id: str | None = Field(
        default=None,
        description="the provider's name for the explorer, a public client with PKCE: with it, people sign in to the "
        "page at the provider. The page then sends its ID token if this is the audience, too, else its access token",
    )
    oidc_scopes: str = Field(
        default="openid", description="what the page asks the provider for, with blanks between"
    )
    oidc_roles_claim: str = Field(
        default="roles", description="claim that names the roles; may be a path, `realm_access.roles`"
    )
    oidc_roles: dict[str, Role] = Field(
        default={}, description="the provider's names for our roles (JSON object); empty: the same names"
    )
    oidc_namespaces_claim: str = Field(
        default="headwater_namespaces",
        description="claim that names the namespaces a token may write, or read with "
        "`HEADWATER_READERS_BY_NAMESPACE`",
    )
    oidc_algorithms: tuple[str, ...] = Field(
        default=ALGORITHMS, description="signature algorithms that are accepted (JSON list)"
    )

    readers_by_namespace: bool = Field(
        default=False,
        description="show readers only the names of the namespaces of their key or token; others appear without names",
    )

    max_body_bytes: int = Field(
        default=32 * 1024 * 1024, gt=0, description="largest request body, also when unpacked"
    )
    max_event_bytes: int = Field(default=8 * 1024 * 1024, gt=0, description="largest event")
    max_event_values: int = Field(
        default=500_000, gt=0, description="most JSON values in an event: facets, fields, mappings"
    )
    max_event_depth: int = Field(default=400, gt=0, le=900, description="deepest nesting of an event's JSON")
    max_event_text: int = Field(
        default=1024 * 1024, gt=0, description="longest text in an event, in characters"
    )
    max_clock_skew: int = Field(
        default=24 * 60 * 60,
        ge=0,
        description="seconds that an event's time may be ahead of the server's clock",
    )
    max_batch_events: int = Field(default=10_000, gt=0, description="most events in a batch")
    max_batch_values: int = Field(default=5_000_000, gt=0, description="most JSON values in a batch")
    max_query_bytes: int = Field(default=1024 * 1024, gt=0, description="largest GraphQL request")
    answer_seconds: float = Field(
        default=60.0,
        gt=0,
        description="how long an answer may take; after that, it is partial, or an error",
    )
    head_seconds: float = Field(
        default=10.0, gt=0, description="how long a connection may take to send the head of its next request"
    )
    body_seconds: float = Field(
        default=60.0, gt=0, description="how long a request may take to send its body"
    )
    max_connections: int = Field(
        default=1_000, gt=0, description="most connections at once, of this process; more are answered 503"
    )
    max_nodes: int = Field(default=100_000, gt=0, description="largest lineage answer; more is partial")
    operations: Path | None = Field(
        default=None, description="folder of `*.graphql` files that requests may name, besides our own"
    )
    operations_only: bool = Field(
        default=False, description="answer kept operations only, and no other GraphQL"
    )
    rate_limit: str = Field(
        default="",
        description="requests of a key, a token or (without authentication) an address, as in `600/minute`; "
        "several with `;`; each process counts for itself: of N, give each the Nth part",
    )
    failure_limit: str = Field(
        default="60/minute",
        description="refused credentials of an address, for each key that they name and for all others together; "
        "beyond it, they are answered 429 instead of 401. Valid ones never are. Each process counts for itself",
    )
    trusted_proxies: tuple[IPvAnyNetwork, ...] = Field(
        default=(),
        description="addresses or networks of proxies, as in `10.1.0.0/16`, whose `X-Forwarded-For` and "
        "`X-Forwarded-Proto` are believed (JSON list); nobody else's are",
    )

    log_format: LogFormat = Field(default=LogFormat.TEXT, description="`text` or `json`, a line each")
    log_level: str = Field(
        default="WARNING",
        pattern="^(DEBUG|INFO|WARNING|ERROR)$",
        description="`DEBUG`, `INFO`, `WARNING` or `ERROR`",
    )
    drain_seconds: float = Field(
        default=0.0,
        ge=0,
        description="how long to continue answering after SIGTERM, while `/health/ready` answers 503",
    )
    stop_seconds: int = Field(
        default=10, gt=0, description="how long requests that are in progress may take to end after that"
    )

    @field_validator("rate_limit", "failure_limit")
    @classmethod
    def _is_a_limit(cls, text: str) -> str:
        if text:
            try:
                parse_many(text)
            except ValueError:
                raise ValueError(f"{text!r} is no limit; write it as 600/minute or 20/second") from None
        return text

    @model_validator(mode="after")
    def _whole_provider(self) -> Self:
        if self.oidc_issuer and not self.oidc_audience:
            raise ValueError(
                "HEADWATER_OIDC_ISSUER needs HEADWATER_OIDC_AUDIENCE: "
                "else every token of that provider would open this server"
            )
        return self

    @model_validator(mode="after")
    def _client_of_a_provider(self) -> Self:
        if self.oidc_client_id and not self.oidc_issuer:
            raise ValueError(
                "HEADWATER_OIDC_CLIENT_ID needs HEADWATER_OIDC_ISSUER: it is that provider's name"
            )
        return self

    @field_validator("embed_origins")
    @classmethod
    def _are_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(
                    f"{origin!r} is no origin; write it as https://wiki.example, without a path or *"
                )
        return origins

    @model_validator(mode="after")
    def _usable_webhook(self) -> Self:
        if self.webhook_url is None:
            return self
        if self.policies is None:
            raise ValueError("HEADWATER_WEBHOOK_URL needs HEADWATER_POLICIES: without, there are no findings")
        if self.webhook_url.scheme != "https" and not is_loopback(self.webhook_url.host or ""):
            raise ValueError(
                f"HEADWATER_WEBHOOK_URL to {self.webhook_url.host} is not encrypted: use https, because messages "
                "name personal attributes"
            )
        return self

    @model_validator(mode="after")
    def _usable_anchor_url(self) -> Self:
        url = self.audit_anchor_url
        if url is not None and url.scheme != "https" and not is_loopback(url.host or ""):
            raise ValueError(f"HEADWATER_AUDIT_ANCHOR_URL to {url.host} is not encrypted: use https")
        return self

    @model_validator(mode="after")
    def _usable_certificate(self) -> Self:
        if self.tls_certificate is None and self.tls_key is None:
            return self
        if self.tls_certificate is None or self.tls_key is None:
            raise ValueError("HEADWATER_TLS_CERTIFICATE and HEADWATER_TLS_KEY go together")
        try:
            # The empty password keeps OpenSSL from asking for one.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.tls_certificate, self.tls_key, "")
        except (OSError, ValueError) as error:
            raise ValueError(
                f"HEADWATER_TLS_CERTIFICATE={self.tls_certificate} with HEADWATER_TLS_KEY={self.tls_key} "
                f"cannot be used: {error}; both are to be PEM, and the key the certificate's own and not encrypted"
            ) from None
        return self

    @model_validator(mode="after")
    def _loopback_unless_meant(self) -> Self:
        if not (self.authenticates or self.allow_unauthenticated or is_loopback(self.host)):
            raise ValueError(
                f"{self.host} is not a loopback address, and there is no authentication: listen on 127.0.0.1, "
                "name HEADWATER_KEYS_FILE or HEADWATER_OIDC_ISSUER, "
                "or set HEADWATER_ALLOW_UNAUTHENTICATED=true if everyone there may read and write"
            )
        return self

    @property
    def authenticates(self) -> bool:
        """Whether callers have to authenticate."""
        return bool(self.keys_file or self.oidc_issuer)

    def hosts(self) -> frozenset[str] | None:
        """The host names by which a request may call the server, in lower case; None when any will do.

        A page of a foreign site can have its own name resolve to our address; its requests then come with that name,
        and a browser takes the answers for that site's own. It cannot have a browser send a key or a token, though.
        """
        if self.authenticates and not self.allowed_hosts and not is_loopback(self.host):
            return None
        own = (self.host,) if is_loopback(self.host) or not is_address(self.host) else ()
        return frozenset(name.lower() for name in (*_LOOPBACK, *own, *self.allowed_hosts))


def variables() -> dict[str, str]:
    """Each of the server's variables, and its field."""
    return {PREFIX + name.upper(): name for name in Settings.model_fields}


def misspelt(environment: Mapping[str, str] = os.environ) -> Iterator[tuple[str, str | None]]:
    """The variables with our prefix that nobody reads, and the nearest name that is read."""
    known = {*variables(), *ELSEWHERE, *_FOR_TESTS}
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in known:
            nearest = process.extractOne(name, sorted({*variables(), *ELSEWHERE}), score_cutoff=80)
            yield name, nearest[0] if nearest else None


def warn_of_misspelt() -> None:
    """Log each variable that looks like ours and is none."""
    for name, nearest in misspelt():
        hint = f"did you mean {nearest}?" if nearest else "docs/server.md lists those that are"
        _log.warning("%s is no setting; %s", name, hint)


def document() -> str:
    """The settings as a page of Markdown."""
    lines = [_INTRODUCTION, "| variable | meaning | default |", "|---|---|---|"]
    for variable, name in variables().items():
        field = Settings.model_fields[name]
        lines.append(f"| `{variable}` | {field.description} | {_shown(field.default)} |")
    lines += ["", "Variables that others read:", "", "| variable | meaning |", "|---|---|"]
    others = {**ELSEWHERE, **_LIBRARIES}
    lines += [f"| `{variable}` | {meaning} |" for variable, meaning in others.items()]
    return "\n".join(lines) + "\n"


def _shown(default: Any) -> str:
    if default is None or default in ((), {}, ""):
        return "none"
    if isinstance(default, tuple):
        return ", ".join(f"`{each}`" for each in default)
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{default.value if isinstance(default, Enum) else default}`"


_LIBRARIES = {
    "NEO4J_USERNAME, NEO4J_PASSWORD, NEO4J_DATABASE": "how to log in to Neo4j",
    "OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER, OTEL_SERVICE_NAME, …": "OpenTelemetry's own: with an "
    "endpoint, or `otlp` as the exporter, traces are sent (needs `headwater[traces]`)",
}

_INTRODUCTION = """# Settings of the server

Made by `make generated`. A variable that begins with `HEADWATER_` and is none of these causes a warning at the server's
start.
"""


if __name__ == "__main__":
    sys.stdout.write(document())
