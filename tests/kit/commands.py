"""What each command that asks a store or a server is called with in tests that go over all of them.

A new command gets a row in ``examples``. Each of these tests has a store of its own, and says by ``Known`` what it
holds; a test for which an example is not meant names it, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import click

from headwater_cli.main import cli

ELSEWHERE: Final[Mapping[str, str]] = {
    "check": "needs a file of policies",
    "cut": "needs a file of policies",
    "dead-letters show": "needs the key of a dead letter",
    "findings history": "needs the id of a finding",
    "functions declarations": "prints a module for one job",
    "import": "needs a file of events",
    "report": "writes a file",
}
"""Commands, and groups of them, that are called in tests of their own only."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a store holds: paths of two datasets, of which one is made of the other, and the job that does that."""

    source: str
    source_path: str
    target: str
    target_path: str
    job: str
    text: str
    """A part of some name."""
    namespace: Sequence[str] = ()
    """The option that selects the namespace of the target and the job."""


def examples(known: Known) -> list[tuple[str, ...]]:
    """Return the command lines, without the option that selects the store or the server."""
    source = (known.source,)
    target, job = (known.target, *known.namespace), (known.job, *known.namespace)
    path, source_path = (known.target, known.target_path, *known.namespace), (known.source, known.source_path)
    return [
        ("active", "check"),
        ("active", "verify", *path),
        ("alias", "history"),
        ("alias", "list"),
        ("alias", "propose"),
        ("alias", "separations"),
        ("audit", "list"),
        ("breach", known.source),
        ("classify", "declassifications"),
        ("classify", "history"),
        ("classify", "list"),
        ("classify", "propose"),
        ("copies", "history"),
        ("copies", "propose"),
        ("corrections", "history"),
        ("corrections", "list"),
        ("dataset", *source),
        ("dataset", *target),
        ("datasets",),
        ("dead-letters", "list"),
        ("dead-letters", "replay", "--all"),
        ("explain", *target),
        ("exposure",),
        ("findings", "list"),
        ("functions", "list"),
        ("functions", "proposals"),
        ("impact", *source),
        ("job", *job),
        ("lineage", "backward", *target),
        ("lineage", "backward", *path),
        ("lineage", "both", *target),
        ("lineage", "both", *target, "--level", "job"),
        ("lineage", "forward", *source),
        ("matrix",),
        ("namespaces", "list"),
        ("quality", *source),
        ("quality", *target),
        ("records", "runs", *target),
        ("reidentified",),
        ("residency",),
        ("retention",),
        ("runs", *job),
        ("runs", "--dataset", *source),
        ("search", known.text),
        ("sources",),
        ("sources", "--as-of", "2026-12-31"),
        ("sources", *target),
        ("sources", *target, "--as-of", "2026-12-31"),
        ("sources", *target, "--indirect"),
        ("sources", known.target, known.target_path, known.target_path, *known.namespace),
        ("subject",),
        ("unused", "--since", "2026-01-01"),
        ("usage", *source, "--since", "1990-01-01", "--until", "2090-01-01"),
        ("usages", *source),
        ("usages", *source_path, "--together-with", f"value:{known.source}"),
        ("witness", known.source, known.target),
    ]


def missing(lines: Sequence[Sequence[str]]) -> str:
    """Return what is to be done about commands without an example, or nothing."""
    shown = {" ".join(line[: len(name.split())]) for line in lines for name in asking()}
    forgotten = sorted(asking() - shown)
    return f"add a row to `examples` in tests/kit/commands.py: {', '.join(forgotten)}" if forgotten else ""


def asking() -> set[str]:
    """The commands that ask a store or a server, but for decisions of stewards, which have a reason."""
    return {
        name
        for name, command in all_commands()
        if {"store", "url"} <= _parameters(command) and "reason" not in _parameters(command)
        if not any(name == each or name.startswith(f"{each} ") for each in ELSEWHERE)
    }


def all_commands(command: click.Command = cli, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield each command and group below the command, itself included, with the words by which it is called."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            below = command.get_command(context, each)
            assert below
            yield from all_commands(below, f"{name} {each}".strip())


def _parameters(command: click.Command) -> set[str | None]:
    return {each.name for each in command.params}
