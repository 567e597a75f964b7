"""GraphQL client of commands: runs the same document on a store in this process, or on a running server.

A command takes ``--store URL`` or ``--url URL`` (``store_or_url``) and calls ``GraphQLClient.query`` with the name of
one of the documents in ``graphql/queries``.
"""

from __future__ import annotations

import getpass
import json
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click

from headwater_cli.terminal.errors import CommandError

if TYPE_CHECKING:
    from headwater_backend.domain.roles import Caller
    from headwater_backend.privacy.classification.rules import Rules

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_STORE = "sqlite:///.headwater/lineage.db"
TIMEOUT_SECONDS = 120.0
MOST_BYTES = 512 * 1024 * 1024
"""The largest answer that is read: far more than a page of anything, and less than the memory."""
_SQLITE = "sqlite:///"


@dataclass(frozen=True, slots=True)
class GraphQLClient:
    """Client of a store in this process (``store`` is its URL) or of a server (``url`` is its base address)."""

    store: str
    url: str | None = None
    rules: Path | None = None
    state: dict[str, Any] = field(default_factory=dict, compare=False)
    """State kept between queries: the snapshots of answers that are read page by page."""

    def query(self, operation: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """Return the ``data`` of the answer. Raises ``CommandError`` with the error's own code."""
        from headwater_graphql import queries

        _require_text(variables)
        document = queries.query(operation)
        return self._query_server(document, variables) if self.url else self._query_store(document, variables)

    def _query_store(self, document: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        require_store(self.store)

        from headwater_backend.access.secrets import without_credentials
        from headwater_backend.stores import open_store
        from headwater_graphql.context import RequestContext
        from headwater_graphql.local_execution import execute

        rules = _rules(self.rules)
        with closing(open_store(self.store)) as store:
            source = without_credentials(self.store)
            context = RequestContext(store, rules, caller=local_caller(), source=source)
            context.snapshots = self.state.setdefault("snapshots", context.snapshots)
            return execute(document, variables, context)

    def _query_server(self, document: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        body = {"query": document, "variables": dict(variables)}
        answer = post_json(f"{base_url(self.url)}/graphql", body)
        if answer.get("errors"):
            raise _graphql_error(answer["errors"][0])
        return dict(answer["data"])


def _require_text(variables: Mapping[str, Any]) -> None:
    """Raise ``CommandError`` if an argument is not UTF-8: no stored name contains it, and no request can encode it."""
    try:
        json.dumps(variables, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        hint = "is the terminal, or the script that calls it, set to UTF-8?"
        raise CommandError("BAD_TEXT", "an argument is not valid UTF-8", hint) from None


def _rules(file: Path | None) -> Rules:
    """Return the rules in the file, or none without a file."""
    from headwater_backend.privacy.classification.rules import NO_RULES

    if file is None:
        return NO_RULES
    from headwater_backend.privacy.files import read_rules

    return read_rules(file)


def local_caller() -> Caller:
    """Return the caller for the current user, with all permissions: the user can read the store's file anyway."""
    from headwater_backend.domain.roles import everything

    return everything(f"local {getpass.getuser()}")


def reject_password(
    instead: str,
) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """Return a callback that rejects a password in an argument, where every local user can read it.

    ``instead`` is the advice in the error message.
    """

    def reject(context: click.Context, parameter: click.Parameter, url: str | None) -> str | None:
        from headwater_backend.access.secrets import holds_password

        source = context.get_parameter_source(parameter.name or "")
        if source is click.core.ParameterSource.COMMANDLINE and holds_password(url or ""):
            message = f"passwords are not allowed in arguments; {instead}"
            raise click.BadParameter(message, context, parameter)
        return url

    return reject


_FOR_NEO4J = "set NEO4J_PASSWORD, or HEADWATER_NEO4J_PASSWORD_FILE to the name of a file that contains it"
_API_KEY = "set HEADWATER_API_KEY, or HEADWATER_API_KEY_FILE to the name of a file that contains the key"

store_option = click.option(
    "--store",
    metavar="URL",
    callback=reject_password(_FOR_NEO4J),
    envvar="HEADWATER_STORE",
    default=DEFAULT_STORE,
    show_default=True,
    show_envvar=True,
    help="The store: sqlite:///FILE, neo4j://HOST or bolt://HOST.",
)
_url_option = click.option(
    "--url",
    metavar="URL",
    callback=reject_password(_API_KEY),
    help="Query a running server instead of a store: http://HOST:PORT.",
)
other_store = partial(
    click.option,
    metavar="URL",
    callback=reject_password(
        f"{_FOR_NEO4J}; if the stores have different passwords, set both URLs in the environment"
    ),
    envvar="HEADWATER_OTHER_STORE",
    show_envvar=True,
)
"""Option for the URL of a second store."""


def store_or_url(command: F) -> F:
    """Add the options ``--store`` and ``--url``, which exclude each other; see ``create_client``."""
    return store_option(_url_option(command))


def create_client(
    context: click.Context, store: str, url: str | None, rules: Path | None = None
) -> GraphQLClient:
    """Return the client that the options select. Raises ``click.UsageError`` if they contradict each other."""
    given = context.get_parameter_source("store") is click.core.ParameterSource.COMMANDLINE
    if url and given:
        raise click.UsageError("--store and --url exclude each other")
    if url and rules:
        raise click.UsageError("--rules goes with --store: a server has its own rules")
    return GraphQLClient(store, url, rules)


def require_store(url: str) -> None:
    """Raise ``CommandError`` if a SQLite store's file is missing or empty; a query must not create a store."""
    if not url.startswith(_SQLITE):
        return
    file = Path(url[len(_SQLITE) :])
    if file.is_dir():
        raise CommandError(
            "STORE_URL",
            f"{file} is a directory; a store is a file",
            f"for example {_SQLITE}{file}/lineage.db",
        )
    if not file.is_file() or not file.stat().st_size:
        raise CommandError(
            "STORE_MISSING",
            f"store not found: {url}",
            "create one with `headwater import FILE.ndjson`, or select another with --store or --url",
        )


def base_url(url: str | None) -> str:
    """Return the server's address without a trailing slash."""
    return (url or "").rstrip("/")


def post_json(url: str, body: Any) -> dict[str, Any]:
    """Send JSON (a value or encoded bytes) and return the JSON answer.

    Raises ``CommandError`` if the server is unreachable or refuses the request.
    """
    import httpx

    from headwater_backend.access.outgoing import call

    if urlsplit(url).scheme not in ("http", "https"):
        raise CommandError("SERVER_URL", f"{url} is not a server address", "use http://HOST:PORT")
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **credentials(url)}
    try:
        response = call(
            "POST", url, content=content, headers=headers, seconds=TIMEOUT_SECONDS, most_bytes=MOST_BYTES
        )
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise CommandError(
            "SERVER_AWAY", f"{url} does not answer: {error}", "is `headwater serve` running there?"
        ) from error
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        message = f"{url} answered {response.status_code}, but not in headwater's format"
        raise CommandError("NOT_HEADWATER", message, "is it the address that `headwater serve` printed?")
    if response.is_error and "errors" not in answer:
        detail = answer.get("detail") or response.reason_phrase
        code = str(answer.get("code") or f"HTTP_{response.status_code}")
        raise CommandError(code, f"{url}: {detail}", answer.get("hint"), response.status_code)
    return answer


def credentials(url: str) -> dict[str, str]:
    """Return the header with the API key from ``HEADWATER_API_KEY`` or the file ``HEADWATER_API_KEY_FILE``.

    There is no option for a key, because every local user can read a program's arguments.
    """
    from headwater_backend.access.secrets import secret

    key = secret("HEADWATER_API_KEY", "HEADWATER_API_KEY_FILE")
    if not key:
        return {}
    if not key.isascii() or not key.isprintable():
        raise CommandError("API_KEY", "the API key contains invalid characters", "is it the right file?")
    if urlsplit(url).scheme == "http" and not _is_loopback(url):
        click.echo(f"warning: the API key is sent to {url} unencrypted; use https", err=True)
    return {"Authorization": f"Bearer {key}"}


def _is_loopback(url: str) -> bool:
    from headwater_backend.access.addresses import is_loopback

    return is_loopback(urlsplit(url).hostname or "")


def _graphql_error(error: Mapping[str, Any]) -> CommandError:
    extensions = error.get("extensions") or {}
    return CommandError(extensions.get("code", "INTERNAL"), str(error.get("message")), extensions.get("hint"))
