"""``headwater serve``: the HTTP server of the backend."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.client.graphql_client import store_option
from headwater_cli.operations.audit import anchored
from headwater_cli.terminal.errors import EXIT_CODES, CommandError

if TYPE_CHECKING:
    from headwater_backend.access.api_keys import KeyFile
    from headwater_backend.ingest.journal import Journal
    from headwater_backend.ports import LineageStore

_log = logging.getLogger(__name__)
_OPEN_SECONDS = 5.0
"""How long to wait for the store before the server starts without it, so that wrong settings are reported at once."""
_LEAVE_SECONDS = 2.0


@click.command(epilog=EXIT_CODES)
@store_option
@click.option("--host", help="The address to listen on.  [env var: HEADWATER_HOST; default: 127.0.0.1]")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="The port; 0 takes any free one.  [env var: HEADWATER_PORT; default: 8055]",
)
@click.option(
    "--rules",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A YAML file that classifies personal attributes.  [env var: HEADWATER_RULES]",
)
@click.option(
    "--policies",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A YAML file of policies to check when events arrive.  [env var: HEADWATER_POLICIES]",
)
@click.option(
    "--journal",
    type=click.Path(file_okay=False, path_type=Path),
    help="A directory that keeps events while the store is unavailable.  [env var: HEADWATER_JOURNAL]",
)
def serve(
    store: str,
    host: str | None,
    port: int | None,
    rules: Path | None,
    policies: Path | None,
    journal: Path | None,
) -> None:
    """Serve the backend over HTTP.

    Serves the explorer, the OpenLineage endpoint, GraphQL and GraphiQL until it is interrupted.
    """
    settings = settings_of(store=store, host=host, port=port, rules=rules, policies=policies, journal=journal)
    _set_up_log(settings)
    with closing(listening_socket(settings.host, settings.port)) as listening:
        _serve(settings, listening)


def settings_of(**given: Any) -> Any:
    """Return the server's settings with those that are given; raises ``CommandError`` with the name of a wrong one."""
    from pydantic import ValidationError
    from pydantic_settings import SettingsError

    from headwater_backend.settings import PREFIX, Settings

    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except SettingsError as error:
        hint = f"lists and objects are JSON, as in {PREFIX}ALLOWED_HOSTS='[\"lineage.example.org\"]'"
        raise CommandError("SETTINGS", str(error), hint) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        text = first["msg"].removeprefix("Value error, ")
        raise CommandError("SETTINGS", f"HEADWATER_{where.upper()}: {text}" if where else text) from error


def _set_up_log(settings: Any) -> None:
    from headwater_backend.server import logs
    from headwater_backend.settings import warn_of_misspelt

    logs.set_up(settings.log_format, settings.log_level)
    warn_of_misspelt()


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket, so that the printed port is the real one and a port in use is reported at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio only sets TCP_NODELAY on connections if the protocol is explicitly TCP; without it, a client with a
    # persistent connection waits 40 ms for each response body, until it has acknowledged the headers.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise CommandError(
            "PORT_IN_USE",
            f"cannot listen on {host}:{port}: {error.strerror}",
            "choose another with --port, or 0 for any free one",
        ) from error
    return listening


def _serve(settings: Any, listening: socket.socket) -> None:
    import uvicorn

    from headwater_backend.server.garbage_collection import reduce_collections
    from headwater_backend.server.header_timeout import HeaderTimeoutProtocol
    from headwater_backend.stores import open_store
    from headwater_backend.stores.lazy_store import LazyStore
    from headwater_cli.composition import create_app

    with closing(LazyStore(partial(open_store, settings.store))) as opening:
        watch = _watch_policies(settings, opening.store)
        anchoring = anchored(settings, opening.store)
        with _open_journal(settings, opening.store) as journal:
            app = create_app(opening.store, settings, journal)
            reduce_collections()
            config = uvicorn.Config(
                app,
                http=partial(HeaderTimeoutProtocol, head_seconds=settings.head_seconds),  # type: ignore[arg-type]  # a partial is called like a class
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,  # done by the application, for the proxies in the settings
                lifespan="off",
                timeout_graceful_shutdown=settings.stop_seconds,
                limit_concurrency=settings.max_connections,
                ws_max_size=settings.max_query_bytes,
                ssl_certfile=settings.tls_certificate,
                ssl_keyfile=settings.tls_key,
            )
            server = draining_server(config, app, settings.drain_seconds)
            end_on_signal(server)
            with suppress(KeyboardInterrupt):
                opening.begin(failed=partial(setattr, server, "should_exit", True))
                if opening.wait(_OPEN_SECONDS) and settings.rules:
                    warning = partial(warn_of_idle_rules, opening.store, settings.rules)
                    threading.Thread(target=warning, name="rule check", daemon=True).start()
                with _audit_key_changes(app.state.gate.keys, opening.store), watch, anchoring:
                    _print_addresses(settings, listening.getsockname()[1])
                    server.run(sockets=[listening])
        opening.raise_failure()
        _limit_shutdown()


def end_on_signal(server: Any) -> None:
    """Interrupt this thread on SIGTERM and SIGINT, and keep ``server``, of uvicorn, from being started afterwards.

    uvicorn has handlers of its own while it runs: it ends as it should, and then raises the signal again, which is the
    regular end. Before, Python loses an interruption where a callback of its own runs, as while modules are imported.
    """

    def end(number: int, frame: FrameType | None) -> None:
        server.should_exit = True
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGTERM, end)
    # In the background SIGINT is ignored, and stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


def warn_of_idle_rules(store: LineageStore, file: Path) -> None:
    """Log a warning for each rule that matches no known path yet."""
    from headwater_backend.domain.errors import HeadwaterError
    from headwater_backend.privacy.classification.personal import personal
    from headwater_backend.privacy.files import read_rules

    try:
        for idle in personal(store, read_rules(file).paths).idle:
            _log.warning("%s: %s; answers about exposure are incomplete until it does", file, idle)
    except HeadwaterError as error:
        _log.warning("the rules of %s could not be compared with the store: %s", file, error)


def _limit_shutdown() -> None:
    """Exit soon even if a thread still waits for the store; nobody receives its answer any more.


    Acknowledged events are durable, and clients send unacknowledged events again.
    """
    if any(not thread.daemon and thread is not threading.main_thread() for thread in threading.enumerate()):
        timer = threading.Timer(_LEAVE_SECONDS, os._exit, (0,))
        timer.daemon = True
        timer.start()


@contextmanager
def _open_journal(settings: Any, store: LineageStore) -> Iterator[Journal | None]:
    """Context manager for the configured journal, drained in the background; None if there is none."""
    from headwater_backend.ingest.journal import Drainer, Journal
    from headwater_backend.server.app import event_limits

    if settings.journal is None:
        yield None
        return
    with closing(Journal.open(settings.journal, settings.journal_bytes)) as journal:
        drainer = Drainer(journal, store, event_limits(settings))
        drainer.start()
        try:
            yield journal
        finally:
            drainer.stop()


@contextmanager
def _audit_key_changes(keys: KeyFile | None, store: LineageStore) -> Iterator[None]:
    """Context manager that records changes of the key file in the audit log, if there is a key file."""
    from headwater_backend.access.key_changes import KeyWatch

    if keys is None:
        yield
        return
    watch = KeyWatch(keys, store)
    watch.start()
    try:
        yield
    finally:
        watch.stop()


@contextmanager
def _watch_policies(settings: Any, store: LineageStore) -> Iterator[None]:
    """Context manager that checks the configured policies when lineage changes, if there are any."""
    from headwater_backend.access.signed_messages import secret_of_environment
    from headwater_backend.privacy.classification.rules import NO_RULES
    from headwater_backend.privacy.exposure import Ruling
    from headwater_backend.privacy.files import read_policies, read_rules
    from headwater_backend.privacy.findings.watch import PolicyWatch
    from headwater_backend.privacy.findings.webhook import Webhook
    from headwater_backend.privacy.organisation.organisation_file import read_organisation
    from headwater_backend.privacy.organisation.statements import NO_ORGANISATION

    if settings.policies is None:
        yield
        return
    rules = read_rules(settings.rules) if settings.rules else NO_RULES
    webhook = None
    if settings.webhook_url:
        webhook = Webhook(str(settings.webhook_url), secret_of_environment("HEADWATER_WEBHOOK_URL"))
    organisation = read_organisation(settings.organisation) if settings.organisation else NO_ORGANISATION
    watch = PolicyWatch(
        store,
        read_policies(settings.policies),
        Ruling(rules),
        seconds=settings.policy_seconds,
        webhook=webhook,
        organisation=organisation,
        active=settings.policies_active,
    )
    watch.start()
    try:
        yield
    finally:
        watch.stop()


def draining_server(config: Any, app: Any, drain_seconds: float) -> Any:
    """Return a server that drains before it stops.

    On the first signal, ``/health/ready`` fails, so that load balancers send no more requests. The server goes on
    answering for ``drain_seconds``, then accepts no more connections, and exits when all requests have ended. A second
    signal skips the delay.
    """
    import uvicorn

    class DrainingServer(uvicorn.Server):
        def handle_exit(self, sig: int, frame: Any) -> None:
            if drain_seconds and not app.state.stopping.is_set():
                app.state.stopping.set()
                timer = threading.Timer(drain_seconds, super().handle_exit, (sig, frame))
                timer.daemon = True
                timer.start()
            else:
                app.state.stopping.set()
                super().handle_exit(sig, frame)

    return DrainingServer(config)


def address_of(settings: Any, port: int) -> str:
    """Return the URL at which a server with these settings is asked."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{'https' if settings.tls_certificate else 'http'}://{host}:{port}"


def _print_addresses(settings: Any, port: int) -> None:
    from headwater_backend.access.secrets import without_credentials

    address = address_of(settings, port)
    click.echo(f"headwater serves {without_credentials(settings.store)}")
    click.echo(f"  explorer     {address}/")
    click.echo(f"  GraphiQL     {address}/graphql")
    click.echo(f"  OpenLineage  {address}/api/v1/lineage")
    click.echo(f"  health       {address}/health")
    if settings.authenticates:
        click.echo("Requests need an API key or a token.")
    click.echo("Press Ctrl-C to stop.")
