"""``headwater consume``: a Kafka consumer that stores events."""

from __future__ import annotations

import signal
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from headwater_cli.client.graphql_client import store_option
from headwater_cli.terminal.errors import EXIT_CODES, CommandError


@click.command(epilog=EXIT_CODES)
@click.option(
    "--bootstrap-servers",
    metavar="HOST:PORT[,…]",
    required=True,
    envvar="HEADWATER_KAFKA_BOOTSTRAP_SERVERS",
    show_envvar=True,
    help="The brokers.",
)
@click.option(
    "--topic",
    "topics",
    multiple=True,
    required=True,
    envvar="HEADWATER_KAFKA_TOPICS",
    show_envvar=True,
    help="A topic with OpenLineage events; repeatable.",
)
@click.option(
    "--group",
    default="headwater",
    show_default=True,
    envvar="HEADWATER_KAFKA_GROUP",
    show_envvar=True,
    help="The consumer group: processes of one group share the partitions.",
)
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    envvar="HEADWATER_KAFKA_CONFIG",
    show_envvar=True,
    help="A file of librdkafka settings, one key=value per line: security.protocol, sasl.password, …",
)
@click.option(
    "--batch", type=click.IntRange(1, 10_000), default=500, show_default=True, help="Messages per batch."
)
@store_option
def consume(
    bootstrap_servers: str, topics: Sequence[str], group: str, config: Path | None, batch: int, store: str
) -> None:
    """Consume events from Kafka until interrupted.

    Offsets are committed after the events are stored, so no event is lost, and repeated events change nothing. A
    message that is no event, or that cannot be stored, becomes a dead letter (`headwater dead-letters`). While the
    store is unavailable, the consumer waits for it.
    """
    from headwater_backend.access.secrets import without_credentials
    from headwater_backend.ingest import kafka
    from headwater_backend.server.garbage_collection import reduce_collections
    from headwater_backend.stores import open_store

    source = kafka.KafkaSource(
        bootstrap_servers, topics, group, batch, _read_options(config) if config else {}
    )
    stop = threading.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: stop.set())
    reduce_collections()
    listed = ", ".join(topics)
    with closing(open_store(store)) as opened:
        taken = kafka.consume(
            opened,
            source,
            stop,
            ready=lambda: click.echo(
                f"headwater consumes {listed} from {bootstrap_servers} into {without_credentials(store)}"
            ),
        )
    click.echo(f"{taken.stored} events stored" + (f", {taken.dead} dead letters" if taken.dead else ""))


def _read_options(file: Path) -> dict[str, str]:
    """Return the settings in the file; raise ``CommandError`` for an invalid line."""
    found = {}
    for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if not equals:
            raise CommandError("KAFKA_CONFIG", f"{file}, line {number}: expected key=value")
        found[name.strip()] = value.strip()
    return found
