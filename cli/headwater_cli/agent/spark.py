"""``headwater run`` and ``headwater spark-conf``: commands that enable the agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from headwater_cli.agent.script import CONTEXT, require, script_arguments
from headwater_cli.client.graphql_client import credentials, reject_password
from headwater_cli.terminal.errors import EXIT_CODES, FAILED
from headwater_cli.terminal.escaping import visible_lines
from headwater_cli.terminal.output import print_json

_FILE = click.Path(dir_okay=False, path_type=Path)


def _receiver(function: Callable[..., None]) -> Callable[..., None]:
    events = click.option(
        "--events",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Append the events to this file, one JSON document per line.",
    )
    url = click.option(
        "--url",
        metavar="URL",
        callback=reject_password("set spark.openlineage.transport.auth.apiKey, or a key in openlineage.yml"),
        help="Send the events to this server: http://HOST:PORT.",
    )
    return events(url(function))


def _one_receiver(events: Path | None, url: str | None) -> None:
    if events and url:
        raise click.UsageError("--events and --url exclude each other")


@click.command(
    context_settings=CONTEXT,
    epilog="The exit code is the script's own; 2 is wrong usage.",
)
@_receiver
@click.option("--quiet", is_flag=True, help="Do not print a summary on stderr.")
@script_arguments
@click.pass_context
def run(
    context: click.Context,
    events: Path | None,
    url: str | None,
    quiet: bool,
    script: Path,
    arguments: Sequence[str],
) -> None:
    """Run a PySpark script under the agent.

    SCRIPT is not changed. It runs under the same Python as headwater, as do Spark's local workers unless
    PYSPARK_PYTHON names another, with all ARGUMENTS unchanged. --url sends the key in HEADWATER_API_KEY, or in the
    file that HEADWATER_API_KEY_FILE names. Without --events and --url, events go to the destination that
    spark-defaults.conf, openlineage.yml or OPENLINEAGE_URL configures. At the end, a line on stderr reports the
    number of events and datasets, and the gaps in their lineage.

    \b
    headwater run --events events.ndjson job.py --day 2026-06-11
    """
    from headwater_spark.activation.run import run_script

    _one_receiver(events, url)
    require(script)
    if url:
        credentials(url)  # a key that cannot be read or sent ends the command before the job, not after it
    report = None if quiet else lambda line: click.echo(f"headwater: {visible_lines(line)}", err=True)
    context.exit(run_script(script, arguments, events, url, report))


@click.command("spark-conf", epilog=EXIT_CODES)
@_receiver
@click.option(
    "--python",
    metavar="PROGRAM",
    help="The Python on the driver's machine that has headwater installed.  [default: this one]",
)
@click.option(
    "--into", type=_FILE, help="Add the settings to this spark-defaults.conf instead of printing them."
)
@click.option("--remove", type=_FILE, help="Remove the settings that --into added to this file.")
@click.option("--check", type=_FILE, help="Report the problems that keep this file from enabling the agent.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def spark_conf(
    context: click.Context,
    events: Path | None,
    url: str | None,
    python: str | None,
    into: Path | None,
    remove: Path | None,
    check: Path | None,
    as_json: bool,
) -> None:
    """Print the agent's settings, or edit a file.

    The output is lines for spark-defaults.conf that enable the agent. --into adds them to such a file and keeps all
    its settings; --remove restores the file byte for byte. A file with conflicting settings is refused.

    \b
    headwater spark-conf --url http://lineage:8055 --into $SPARK_HOME/conf/spark-defaults.conf
    """
    from headwater_spark.activation import agent_settings, defaults_file

    _one_receiver(events, url)
    if sum(task is not None for task in (into, remove, check)) > 1:
        raise click.UsageError("--into, --remove and --check exclude each other")
    if (remove or check) and (events or url or python):
        raise click.UsageError("--events, --url and --python configure what is printed or added")
    if as_json and (into or remove or check):
        raise click.UsageError("--json goes with printed settings only")
    if check:
        context.exit(FAILED if _show_problems(check) else 0)
    elif remove:
        was_in = defaults_file.take_out_of(remove)
        click.echo(f"{remove} is restored" if was_in else f"{remove} has no settings that --into added")
    elif into:
        settings = agent_settings.spark_conf(events, url, python)
        defaults_file.put_into(into, settings, is_python_asked=python is not None)
        click.echo(f"{into} enables the agent")
        _show_problems(into)
    elif as_json:
        print_json(agent_settings.spark_conf(events, url, python))
    else:
        click.echo("\n".join(agent_settings.conf_lines(events, url, python)))


def _show_problems(file: Path) -> bool:
    """Print the problems of the file; return whether it has any."""
    from headwater_spark.activation.defaults_file import problems

    found = list(problems(file))
    for problem in found:
        click.echo(f"{click.style('warning:', fg='yellow')} {visible_lines(f'{file}: {problem}')}", err=True)
    if not found:
        click.echo(f"{file} has no problems", err=True)
    return bool(found)
