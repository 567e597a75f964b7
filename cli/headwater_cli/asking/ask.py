"""Where questions go: the same GraphQL document to a store in this process, or to a running server.

A command takes ``--store URL`` or ``--url URL`` (``store_or_url``) and calls ``Place.ask`` with the name of one of
the documents of ``graphql/queries``.
"""

from __future__ import annotations

import getpass
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click

from headwater_cli.terminal.errors import Failure

if TYPE_CHECKING:
    from headwater_backend.domain.roles import Caller
    from headwater_backend.privacy.rules import Rule

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_STORE = "sqlite:///.headwater/lineage.db"
TIMEOUT_SECONDS = 120.0
_SQLITE = "sqlite:///"


@dataclass(frozen=True, slots=True)
class Place:
    """A store in this process (``store`` is its URL) or a server (``url`` is its base address)."""

    store: str
    url: str | None = None
    rules: Path | None = None
    kept: dict[str, Any] = field(default_factory=dict, compare=False)
    """What one question leaves for the next: the answer that its pages are of."""

    def ask(self, operation: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The ``data`` of the answer. Raises ``Failure`` with the error's own code."""
        from headwater_graphql.queries import query

        _require_text(variables)
        document = query(operation)
        return self._over_http(document, variables) if self.url else self._here(document, variables)

    def _here(self, document: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        require_store(self.store)

        from headwater_backend.stores import open_store
        from headwater_graphql.context import Context
        from headwater_graphql.local import answer

        rules = _rules(self.rules)
        with closing(open_store(self.store)) as store:
            context = Context(store, rules, caller=somebody_here())
            context.snapshots = self.kept.setdefault("snapshots", context.snapshots)
            return answer(document, variables, context)

    def _over_http(self, document: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        body = {"query": document, "variables": dict(variables)}
        answer = post(f"{base(self.url)}/graphql", body)
        if answer.get("errors"):
            raise _refusal(answer["errors"][0])
        return dict(answer["data"])


def _require_text(variables: Mapping[str, Any]) -> None:
    """Raise ``Failure`` for an argument that is not UTF-8: no store has such a name, and no request can hold it."""
    try:
        json.dumps(variables, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        hint = "is the terminal, or the script that calls it, set to UTF-8?"
        raise Failure("BAD_TEXT", "an argument is not text in UTF-8", hint) from None


def _rules(file: Path | None) -> Sequence[Rule]:
    """What the file names; nothing without one."""
    if file is None:
        return ()
    from headwater_backend.privacy.rules import read_rules

    return read_rules(file)


def somebody_here() -> Caller:
    """Who types the command: whoever can read the store's file may do everything with it."""
    from headwater_backend.domain.roles import everything

    return everything(f"local {getpass.getuser()}")


def no_password(instead: str) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """Refuse a password in an argument, where everybody on the machine can read it; ``instead`` says what to do."""

    def checked(context: click.Context, parameter: click.Parameter, url: str | None) -> str | None:
        from headwater_backend.access.secrets import holds_password

        source = context.get_parameter_source(parameter.name or "")
        if source is click.core.ParameterSource.COMMANDLINE and holds_password(url or ""):
            told = f"a password does not belong into an argument; {instead}"
            raise click.BadParameter(told, context, parameter)
        return url

    return checked


_FOR_NEO4J = "put it into NEO4J_PASSWORD, or into a file that HEADWATER_NEO4J_PASSWORD_FILE names"
_API_KEY = "a key is read from HEADWATER_API_KEY, or from a file that HEADWATER_API_KEY_FILE names"

store_option = click.option(
    "--store",
    metavar="URL",
    callback=no_password(_FOR_NEO4J),
    envvar="HEADWATER_STORE",
    default=DEFAULT_STORE,
    show_default=True,
    show_envvar=True,
    help="The store: sqlite:///FILE, neo4j://HOST or bolt://HOST.",
)
_url_option = click.option(
    "--url",
    metavar="URL",
    callback=no_password(_API_KEY),
    help="A running server instead of a store: http://HOST:PORT.",
)
other_store = partial(
    click.option,
    metavar="URL",
    callback=no_password(
        f"{_FOR_NEO4J}; where the stores have different ones, both URLs into the environment"
    ),
    envvar="HEADWATER_OTHER_STORE",
    show_envvar=True,
)
"""An option for a second store."""


def store_or_url(command: F) -> F:
    """The options ``--store`` and ``--url``, which exclude each other; see ``place``."""
    return store_option(_url_option(command))


def place(context: click.Context, store: str, url: str | None, rules: Path | None = None) -> Place:
    """What the options name. Raises ``click.UsageError`` when they contradict each other."""
    given = context.get_parameter_source("store") is click.core.ParameterSource.COMMANDLINE
    if url and given:
        raise click.UsageError("--store and --url exclude each other")
    if url and rules:
        raise click.UsageError("--rules goes with --store: a server has its own rules")
    return Place(store, url, rules)


def require_store(url: str) -> None:
    """Asking makes no store: raise ``Failure`` when there is no such file, or an empty one."""
    if not url.startswith(_SQLITE):
        return
    file = Path(url[len(_SQLITE) :])
    if file.is_dir():
        raise Failure(
            "STORE_URL", f"{file} is a folder; a store is a file", f"such as {_SQLITE}{file}/lineage.db"
        )
    if not file.is_file() or not file.stat().st_size:
        raise Failure(
            "STORE_MISSING",
            f"there is no store at {url}",
            "fill one with `headwater import FILE.ndjson`, or name another with --store or --url",
        )


def base(url: str | None) -> str:
    """The server's address without a trailing slash."""
    return (url or "").rstrip("/")


def post(url: str, body: Any) -> dict[str, Any]:
    """Send JSON, or its bytes, and read JSON. Raises ``Failure`` when the server is away or refuses the request."""
    import httpx

    if urlsplit(url).scheme not in ("http", "https"):
        raise Failure("SERVER_URL", f"{url} is not the address of a server", "write http://HOST:PORT")
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **credentials(url)}
    try:
        response = httpx.post(url, content=content, headers=headers, timeout=TIMEOUT_SECONDS)
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise Failure(
            "SERVER_AWAY", f"{url} does not answer: {error}", "is `headwater serve` running there?"
        ) from error
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        said = f"{url} answered {response.status_code}, and not as headwater does"
        raise Failure("NOT_HEADWATER", said, "is it the address that `headwater serve` printed?")
    if response.is_error and "errors" not in answer:
        detail = answer.get("detail") or response.reason_phrase
        code = str(answer.get("code") or f"HTTP_{response.status_code}")
        raise Failure(code, f"{url}: {detail}", answer.get("hint"), response.status_code)
    return answer


def credentials(url: str) -> dict[str, str]:
    """The header with the API key of ``HEADWATER_API_KEY``, or of the file that ``HEADWATER_API_KEY_FILE`` names.

    A key is no option: everybody on the machine can read a program's arguments.
    """
    from headwater_backend.access.secrets import secret

    key = secret("HEADWATER_API_KEY", "HEADWATER_API_KEY_FILE")
    if not key:
        return {}
    if not key.isascii() or not key.isprintable():
        raise Failure("API_KEY", "the API key has characters that no key has", "is it the right file?")
    if urlsplit(url).scheme == "http" and not _is_here(url):
        click.echo(f"warning: the API key goes to {url} unencrypted; use https", err=True)
    return {"Authorization": f"Bearer {key}"}


def _is_here(url: str) -> bool:
    from headwater_backend.access.addresses import is_loopback

    return is_loopback(urlsplit(url).hostname or "")


def _refusal(error: Mapping[str, Any]) -> Failure:
    extensions = error.get("extensions") or {}
    return Failure(extensions.get("code", "INTERNAL"), str(error.get("message")), extensions.get("hint"))
