"""``headwater cut``: the least changes of jobs that end violations of policies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from headwater_cli.client.graphql_client import create_client
from headwater_cli.client.references import node_ref
from headwater_cli.client.times import TIME
from headwater_cli.client.traversal_options import answer_options, as_known_at_option, namespace_option
from headwater_cli.privacy.answer_text import Answer, held_text, jobs_text
from headwater_cli.privacy.declassified import print_declassified
from headwater_cli.privacy.exposure import lenient_option, rules_option
from headwater_cli.privacy.holdings import rule_variables
from headwater_cli.privacy.organisation import organisation_option, organisation_text
from headwater_cli.privacy.policies.check import policy_input
from headwater_cli.questions.gaps import print_gaps
from headwater_cli.terminal.errors import EXIT_CODES, INCOMPLETE, VIOLATED
from headwater_cli.terminal.escaping import all_visible
from headwater_cli.terminal.output import print_json, print_note

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_VERBS = {"MASK": "mask", "AGGREGATE": "aggregate", "DROP": "leave out"}
_NAMED = 5


@click.command(epilog=EXIT_CODES)
@click.argument("file", type=_FILE)
@click.argument("dataset", required=False)
@click.argument("path", required=False)
@namespace_option
@click.option("--each", is_flag=True, help="Cut each violation by itself, instead of all at once.")
@click.option(
    "--costs", type=_FILE, help="A YAML file: what changes cost by kind, job and owner (docs/boundary.md)."
)
@click.option(
    "--alternatives",
    type=click.IntRange(1, 20),
    default=3,
    show_default=True,
    help="The number of sets of changes to list, the cheapest first.",
)
@rules_option
@lenient_option
@organisation_option
@click.option("--as-of", type=TIME, help="Query the lineage of that time: 2026-11-21T06:00:00Z.")
@as_known_at_option
@answer_options
def cut(
    context: click.Context,
    file: Path,
    dataset: str | None,
    path: str | None,
    namespace: str | None,
    each: bool,
    costs: Path | None,
    alternatives: int,
    rules: Path | None,
    lenient: bool,
    organisation: Path | None,
    as_of: str | None,
    as_known_at: str | None,
    strict: bool,
    as_json: bool,
    store: str,
    url: str | None,
) -> None:
    """Find the least changes that end violations of a policy FILE.

    A change masks, aggregates or leaves out what one job writes at one path. Lists sets of changes that end all
    violations together, the cheapest first, with the owners of the jobs, and what each would change downstream. With
    DATASET (and PATH), only violations there.

    \b
    headwater cut policy.yaml --rules rules.yaml
    headwater cut policy.yaml --rules rules.yaml --costs costs.yaml marketing mail

    Exits with 6 if there are violations; with --strict, with 4 if lineage is incomplete.
    """
    from headwater_backend.privacy.files import read_policies

    client = create_client(context, store, url)
    variables = {
        "policies": [policy_input(policy) for policy in read_policies(file)],
        "at": node_ref(client, dataset, path, namespace) if dataset else None,
        "each": each,
        "costs": _costs_text(costs),
        "alternatives": alternatives,
        "asOf": as_of,
        "asKnownAt": as_known_at,
        "lenient": lenient,
        "organisation": organisation_text(organisation),
        **rule_variables(rules),
    }
    found = client.query("cut", variables)["cut"]
    if as_json:
        print_json(found)
    else:
        for line in _lines(all_visible(found)):
            click.echo(line)
        print_declassified(all_visible(found))
        print_gaps(all_visible(found))
    if found["cutCount"] or found["keptCount"]:
        context.exit(VIOLATED)
    if strict and not found["complete"]:
        context.exit(INCOMPLETE)


def _costs_text(file: Path | None) -> str | None:
    """Return the text of the file, as the variable of a query; it is read here so that an error names its line."""
    if file is None:
        return None
    from headwater_backend.privacy.cut.costs_file import read_costs

    read_costs(file)
    return file.read_text("utf-8")


def _lines(found: Answer) -> Iterator[str]:
    for number, each in enumerate(found["cuts"], 1):
        yield f"{number}. {_counted(each['violationCount'], 'violation')}:"
        yield from (f"   {_violation(violation)}" for violation in each["violations"])
        yield from _more(each["violationCount"], each["violations"])
        for alternative in each["alternatives"]:
            yield f"   ended at cost {alternative['cost']:g} by"
            for change in alternative["changes"]:
                yield from (f"     {line}" for line in _change_lines(change))
        if not each["alternatives"]:
            yield "   ended by no changes that the costs allow"
    if found["cutCount"] > len(found["cuts"]):
        yield f"and {found['cutCount'] - len(found['cuts']):,} more"
    if found["keptCount"]:
        yield f"{_counted(found['keptCount'], 'violation')} that no change of a job ends:"
        yield from (f"   {_violation(violation)}" for violation in found["kept"])
        yield from _more(found["keptCount"], found["kept"])
    if not found["cutCount"] and not found["keptCount"]:
        print_note("no violation is known")


def _more(count: int, listed: list[Answer]) -> Iterator[str]:
    if count > len(listed):
        yield f"   and {count - len(listed):,} more"


def _violation(found: Answer) -> str:
    held = found["held"]
    data, place = _place(held["attribute"]["node"]), _place(held["node"])
    if not held["witness"]:
        return f"{found['policy']}: {data} is declared there"
    return f"{found['policy']}: {place} holds {data} as {held_text(held)}, by {jobs_text(held['witness'])}"


def _change_lines(change: Answer) -> Iterator[str]:
    job = f"{change['job']['title']}{_owned(change['owners'])}"
    yield f"{_VERBS[change['kind']]} {_place(change['node'])} in {job}"
    if change["pathCount"]:
        paths, datasets = _counted(change["pathCount"], "path"), _counted(len(change["datasets"]), "dataset")
        readers = [f"{each['job']['name']}{_owned(each['owners'])}" for each in change["readers"]]
        yield f"  changes {paths} of {datasets} downstream: {_some(each['name'] for each in change['datasets'])}"
        yield f"  by {_some(readers)}"


def _owned(owners: Iterable[Answer]) -> str:
    names = ", ".join(each["name"] for each in owners)
    return f" (owned by {names})" if names else ""


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _NAMED} more" if len(listed) > _NAMED else ""
    return ", ".join(listed[:_NAMED]) + more


def _place(node: Answer) -> str:
    return f"{node['name']} {node['label']}" if node["path"] else f"{node['name']} (its rows)"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"
