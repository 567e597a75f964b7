"""The ``headwater`` command.

A module here holds one command or group, and imports at its top only what the base install has, so that
``headwater --help`` and the agent's commands start quickly and work without the backend.
"""

from __future__ import annotations

import logging
from typing import Any

import click

from headwater_cli.audit import audit
from headwater_cli.consume import consume
from headwater_cli.datasets import dataset, datasets
from headwater_cli.dead_letters import dead_letters
from headwater_cli.demo.command import demo
from headwater_cli.doctor import doctor
from headwater_cli.errors import EXIT_CODES, told
from headwater_cli.exposure import exposure, report
from headwater_cli.impact import impact
from headwater_cli.intake import import_events
from headwater_cli.keys import keys
from headwater_cli.lineage import lineage
from headwater_cli.neo4j import neo4j
from headwater_cli.quality import quality
from headwater_cli.runs import job, runs
from headwater_cli.search import search
from headwater_cli.serve import serve
from headwater_cli.sources import sources
from headwater_cli.spark import run, spark_conf
from headwater_cli.spool import spool
from headwater_cli.store import store
from headwater_cli.usage import unused, usage
from headwater_cli.witness import witness


class _Told(click.Group):
    """A group whose commands fail with a message and an exit code, never with a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        with told():
            return super().invoke(ctx)


@click.group(
    cls=_Told,
    help="Path-level data lineage for Apache Spark: run jobs under the agent, keep what it tells, ask about it.",
    epilog=EXIT_CODES + "\n`headwater run` ends with the exit code of the script.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="headwater", message="%(prog)s %(version)s")
def cli() -> None:
    """Set up what all commands share."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")


COMMANDS = (
    audit,
    consume,
    dataset,
    datasets,
    dead_letters,
    demo,
    doctor,
    exposure,
    impact,
    import_events,
    job,
    keys,
    lineage,
    neo4j,
    quality,
    report,
    run,
    runs,
    search,
    serve,
    sources,
    spark_conf,
    spool,
    store,
    unused,
    usage,
    witness,
)
for _command in COMMANDS:
    cli.add_command(_command)


def main() -> None:
    """The console script."""
    cli(prog_name="headwater")
