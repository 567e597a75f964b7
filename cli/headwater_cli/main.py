"""The ``headwater`` command.

A module here holds one command or group. It is loaded when it is called, and imports at its top only what the base
install has, so that commands start quickly, and the agent's work without the backend.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import click

from headwater_cli.terminal.errors import EXIT_CODES, told

MODULES: Final[Mapping[str, str]] = {
    "alias": "names.aliases",
    "audit": "operations.audit",
    "completion": "operations.completion",
    "consume": "intake.consume",
    "dataset": "questions.datasets",
    "datasets": "questions.datasets",
    "dead-letters": "intake.dead_letters",
    "demo": "demo.command",
    "doctor": "operations.doctor",
    "exposure": "questions.exposure",
    "impact": "questions.impact",
    "import": "intake.intake",
    "job": "questions.runs",
    "keys": "operations.keys",
    "lineage": "questions.lineage",
    "namespaces": "names.namespaces",
    "neo4j": "operations.neo4j",
    "quality": "questions.quality",
    "report": "questions.exposure",
    "run": "agent.spark",
    "runs": "questions.runs",
    "search": "questions.search",
    "serve": "operations.serve",
    "sources": "questions.sources",
    "spark-conf": "agent.spark",
    "spool": "agent.spool",
    "store": "operations.store",
    "unused": "questions.usage",
    "usage": "questions.usage",
    "witness": "questions.witness",
}
"""The module of each command."""


class _Commands(click.Group):
    """Commands that are loaded when they are called, and fail with a message and an exit code, without a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in MODULES:
            return None
        module = import_module(f"headwater_cli.{MODULES[cmd_name]}")
        commands = (each for each in vars(module).values() if isinstance(each, click.Command))
        return next(each for each in commands if each.name == cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Raises wrong usage with the nearest commands."""
        if args and args[0] not in MODULES and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], MODULES)
            hint = f"did you mean {' or '.join(near)}?" if near else "`headwater --help` lists the commands"
            raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        with told():
            return super().invoke(ctx)


@click.group(
    cls=_Commands,
    help="Path-level data lineage for Apache Spark: run jobs under the agent, keep what it tells, ask about it.",
    epilog=EXIT_CODES + "\n`headwater run` ends with the exit code of the script.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="headwater", message="%(prog)s %(version)s")
def cli() -> None:
    """Set up what all commands share."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")


def main() -> None:
    """The console script."""
    cli(prog_name="headwater")
