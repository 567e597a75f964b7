"""``headwater run`` and ``headwater spark-conf``: switching the agent on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from headwater_cli.ask import no_password
from headwater_cli.errors import EXIT_CODES, Failure
from headwater_cli.screen import print_json


def _receiver(function: Callable[..., None]) -> Callable[..., None]:
    events = click.option(
        "--events",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Append the events to this file, one JSON document a line.",
    )
    url = click.option(
        "--url",
        metavar="URL",
        callback=no_password("spark.openlineage.transport.auth.* and openlineage.yml take keys"),
        help="Send the events to this server: http://HOST:PORT.",
    )
    return events(url(function))


def _one_receiver(events: Path | None, url: str | None) -> None:
    if events and url:
        raise click.UsageError("--events and --url exclude each other")


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog="The exit code is the script's own; 2 is wrong usage.",
)
@_receiver
@click.argument("script", type=click.Path(path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def run(
    context: click.Context, events: Path | None, url: str | None, script: Path, arguments: Sequence[str]
) -> None:
    """Run a PySpark script under the agent.

    SCRIPT is not changed, and runs under the Python that headwater runs under, with all ARGUMENTS as they
    are. Without --events and --url
    the events go where spark-defaults.conf, openlineage.yml or OPENLINEAGE_URL say.

    \b
    headwater run --events events.ndjson job.py --day 2026-06-11
    """
    from headwater_spark.run import run_script

    _one_receiver(events, url)
    if not script.is_file():
        raise Failure("NO_SCRIPT", f"there is no script {script}")
    context.exit(run_script(script, arguments, events, url))


@click.command("spark-conf", epilog=EXIT_CODES)
@_receiver
@click.option(
    "--python",
    metavar="PROGRAM",
    help="The Python that has headwater installed, on the driver's machine; by default this one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def spark_conf(events: Path | None, url: str | None, python: str | None, as_json: bool) -> None:
    """Print what switches the agent on.

    These are lines for spark-defaults.conf.

    \b
    headwater spark-conf --url http://lineage:8055 >> $SPARK_HOME/conf/spark-defaults.conf
    """
    from headwater_spark.activation import conf_lines
    from headwater_spark.activation import spark_conf as settings

    _one_receiver(events, url)
    if as_json:
        print_json(settings(events, url, python))
    else:
        click.echo("\n".join(conf_lines(events, url, python)))
