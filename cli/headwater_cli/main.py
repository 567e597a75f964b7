"""The ``headwater`` command.

A module here holds one command or group. It is imported when the command is called, and imports only what the base
installation has at its top, so that commands start quickly and the agent's commands work without the backend.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import click

from headwater_cli.terminal.errors import EXIT_CODES, reported_errors
from headwater_cli.terminal.groups import Group

MODULES: Final[Mapping[str, str]] = {
    "active": "questions.active.command",
    "alias": "names.aliases",
    "audit": "operations.audit",
    "breach": "privacy.breach",
    "check": "privacy.policies.check",
    "classify": "privacy.classify",
    "completion": "operations.completion",
    "consume": "intake.consume",
    "copies": "names.copies",
    "corrections": "names.corrections",
    "cut": "privacy.policies.cut",
    "dataset": "questions.datasets",
    "datasets": "questions.datasets",
    "dead-letters": "intake.dead_letters",
    "demo": "demo.command",
    "diff": "boundary.diff",
    "doctor": "operations.doctor",
    "explain": "questions.active.explain",
    "exposure": "privacy.exposure",
    "findings": "privacy.findings",
    "functions": "agent.functions",
    "impact": "questions.impact",
    "import": "intake.import_events",
    "job": "questions.runs",
    "keys": "operations.keys",
    "lineage": "questions.lineage",
    "matrix": "privacy.matrix",
    "namespaces": "names.namespaces",
    "neo4j": "operations.neo4j",
    "plan": "boundary.command",
    "quality": "questions.quality",
    "records": "records.command",
    "reidentified": "privacy.reidentified",
    "report": "reports.command",
    "residency": "privacy.policies.residency",
    "retention": "privacy.retention",
    "run": "agent.spark",
    "runs": "questions.runs",
    "search": "questions.search",
    "serve": "operations.serve",
    "sources": "questions.sources",
    "spark-conf": "agent.spark",
    "split": "boundary.command",
    "spool": "agent.spool",
    "store": "operations.store",
    "subject": "privacy.subject",
    "unused": "questions.usage",
    "usage": "questions.usage",
    "usages": "questions.contexts",
    "witness": "questions.witness",
}
"""The module that defines each command."""


class _Commands(Group):
    """Click group that imports commands on demand and reports errors as a message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in MODULES:
            return None
        module = import_module(f"headwater_cli.{MODULES[cmd_name]}")
        commands = (each for each in vars(module).values() if isinstance(each, click.Command))
        return next(each for each in commands if each.name == cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        with reported_errors():
            return super().invoke(ctx)


@click.group(
    cls=_Commands,
    help="Path-level data lineage for Apache Spark: run jobs under the agent, store their lineage, and query it.",
    epilog=EXIT_CODES + "\n`headwater run` ends with the exit code of the script.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="headwater", message="%(prog)s %(version)s")
def cli() -> None:
    """Configure logging for all commands."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")


def main() -> None:
    """Entry point of the console script."""
    cli(prog_name="headwater")
