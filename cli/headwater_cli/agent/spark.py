"""``headwater run`` and ``headwater spark-conf``: switching the agent on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from headwater_cli.asking.ask import no_password
from headwater_cli.terminal.errors import EXIT_CODES, FAILED, Failure
from headwater_cli.terminal.screen import print_json
from headwater_cli.terminal.visible import visible_lines

_FILE = click.Path(dir_okay=False, path_type=Path)


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
@click.option("--quiet", is_flag=True, help="Do not say on stderr what was seen.")
@click.argument("script", type=click.Path(path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
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

    SCRIPT is not changed, and runs under the Python that headwater runs under, with all ARGUMENTS as they
    are. Without --events and --url
    the events go where spark-defaults.conf, openlineage.yml or OPENLINEAGE_URL say. At the end a line on stderr
    says how many events and datasets were seen, and what is missing of their lineage.

    \b
    headwater run --events events.ndjson job.py --day 2026-06-11
    """
    from headwater_spark.activation.run import run_script

    _one_receiver(events, url)
    if not script.is_file():
        raise Failure("NO_SCRIPT", f"there is no script {script}")
    report = None if quiet else lambda line: click.echo(f"headwater: {visible_lines(line)}", err=True)
    context.exit(run_script(script, arguments, events, url, report))


@click.command("spark-conf", epilog=EXIT_CODES)
@_receiver
@click.option(
    "--python",
    metavar="PROGRAM",
    help="The Python that has headwater installed, on the driver's machine; by default this one.",
)
@click.option("--into", type=_FILE, help="Edit this spark-defaults.conf instead of printing.")
@click.option("--remove", type=_FILE, help="Take out of this file what --into put in.")
@click.option("--check", type=_FILE, help="Say what keeps this file from switching the agent on.")
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
    """Print what switches the agent on, or put it into a file.

    These are lines for spark-defaults.conf. --into adds them to one without dropping any setting that is in
    it, and --remove restores it byte for byte. A file whose own lines would have to give way is refused.

    \b
    headwater spark-conf --url http://lineage:8055 --into $SPARK_HOME/conf/spark-defaults.conf
    """
    from headwater_spark.activation import agent_settings, defaults_file

    _one_receiver(events, url)
    if sum(task is not None for task in (into, remove, check)) > 1:
        raise click.UsageError("--into, --remove and --check exclude each other")
    if (remove or check) and (events or url or python):
        raise click.UsageError("--events, --url and --python say what is printed or put in")
    if as_json and (into or remove or check):
        raise click.UsageError("--json is for what is printed")
    if check:
        context.exit(FAILED if _show_problems(check) else 0)
    elif remove:
        was_in = defaults_file.take_out_of(remove)
        click.echo(
            f"{remove} is as it was before" if was_in else f"{remove} does not have what --into puts in"
        )
    elif into:
        settings = agent_settings.spark_conf(events, url, python)
        defaults_file.put_into(into, settings, is_python_asked=python is not None)
        click.echo(f"{into} switches the agent on")
        _show_problems(into)
    elif as_json:
        print_json(agent_settings.spark_conf(events, url, python))
    else:
        click.echo("\n".join(agent_settings.conf_lines(events, url, python)))


def _show_problems(file: Path) -> bool:
    """Whether there are any."""
    from headwater_spark.activation.defaults_file import problems

    found = list(problems(file))
    for problem in found:
        click.echo(f"{click.style('warning:', fg='yellow')} {visible_lines(f'{file}: {problem}')}", err=True)
    if not found:
        click.echo(f"{file} has no problem", err=True)
    return bool(found)
