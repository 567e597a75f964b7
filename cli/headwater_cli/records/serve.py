"""``headwater records serve``: a small server beside the data, which shows the records that values were made of."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress

import click

from headwater_cli.operations.serve import address_of, end_on_signal, listening_socket, settings_of
from headwater_cli.records.options import CONF, PROGRAM, RECORDS
from headwater_cli.records.session import spark_session


@click.command("serve")
@RECORDS
@PROGRAM
@CONF
@click.option("--host", help="The address to listen on.  [env var: HEADWATER_HOST; default: 127.0.0.1]")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8056,
    show_default=True,
    help="The port; 0 takes any free one.",
)
def serve(records: str, program: str | None, conf: Sequence[str], host: str | None, port: int) -> None:
    """Show in a browser which records values were made of.

    Serves a page and GraphQL from where the data is, until it is interrupted. Asking takes the role auditor or admin of
    the server's keys (HEADWATER_KEYS_FILE) or tokens, as the records themselves are shown.

    \b
    HEADWATER_KEYS_FILE=keys.json headwater records serve --records /lake/records
    """
    import uvicorn

    from headwater_cli.records.serving.app import create_app
    from headwater_cli.records.serving.asking import Folder

    settings = settings_of(host=host, port=port)
    with closing(listening_socket(settings.host, settings.port)) as listening, spark_session(conf) as spark:
        app = create_app(Folder(spark, records, program), settings)
        click.echo(f"headwater serves records at {address_of(settings, listening.getsockname()[1])}/")
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            ssl_certfile=settings.tls_certificate,
            ssl_keyfile=settings.tls_key,
        )
        server = uvicorn.Server(config)
        end_on_signal(server)
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])
