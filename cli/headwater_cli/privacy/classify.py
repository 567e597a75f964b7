"""``headwater classify``: commands by which stewards decide what is personal data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from headwater_cli.client.decisions import StewardDecision, decision_cells, json_option, options_of
from headwater_cli.client.graphql_client import GraphQLClient, create_client, store_or_url
from headwater_cli.client.pagination import limit_option, print_nodes
from headwater_cli.client.references import dataset_ref, job_ref, node_ref
from headwater_cli.client.times import TIME
from headwater_cli.client.traversal_options import namespace_option
from headwater_cli.privacy.exposure import rules_option
from headwater_cli.privacy.holdings import rule_variables
from headwater_cli.privacy.proposed_paths import Asked, proposed_nodes, selection_of, selection_options
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import job_title, print_json, print_table

as_of_option = click.option("--as-of", type=TIME, help="The decisions in force at that time.")
NOT_PERSONAL = "not personal"


class ClassDecision(StewardDecision):
    """A decision about personal data."""

    def make(self, operation: str, variables: Mapping[str, Any]) -> None:
        """Make the decision, and print it."""
        decided = self.send(operation, variables)
        if self.as_json:
            print_json(decided)
            return
        for each in decided["decisions"]:
            click.echo(f"{'would be decided' if self.dry_run else 'decided'}: {visible(each['text'])}")
        if more := decided["decisionCount"] - len(decided["decisions"]):
            click.echo(f"and {more:,} more")
        if not decided["decisions"]:
            click.echo("no change: already in force")
        if decided["effect"]:
            _print_effect(decided["effect"])


def _print_effect(effect: Mapping[str, Any]) -> None:
    """Print where personal data would be known, and where no longer."""
    for found, words in (("gained", "would be known then"), ("lost", "would not be known any more")):
        rows = [[each["name"], each["category"], f"{each['paths']:,}"] for each in effect[found]]
        click.echo(f"\nPersonal data that {words}: {'' if rows else 'none'}".rstrip())
        if rows:
            print_table(("dataset", "category", "paths"), rows)
        if more := effect[f"{found}Count"] - len(rows):
            click.echo(f"and {more:,} more")
    if not effect["complete"]:
        click.echo("incomplete: where else they lead is not known; `headwater exposure` lists why")


decision_options = options_of(ClassDecision)


@click.group(cls=Group, epilog=EXIT_CODES)
def classify() -> None:
    """Decide what is personal data.

    A steward's decision on a path replaces what rules and field tags say of it. Categories are keys of fideslang's
    taxonomy. Every decision is kept, with its author, time and reason. On a server, the API key must belong to a
    steward of the dataset's namespace or to an administrator.
    """


@classify.command("add", epilog=EXIT_CODES)
@click.argument("dataset", required=False)
@click.argument("paths", nargs=-1)
@click.option("--category", "categories", multiple=True, metavar="KEY", help="A category; may be repeated.")
@click.option(
    "--file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A YAML file of rules: classify all known paths that they match.",
)
@namespace_option
@decision_options
def add_classes(
    decision: ClassDecision,
    dataset: str | None,
    paths: Sequence[str],
    categories: Sequence[str],
    file: Path | None,
    namespace: str | None,
) -> None:
    """Classify PATHS of DATASET, or all that a rules file matches.

    \b
    headwater classify add customers email phone --category user.contact --reason "see catalogue"
    headwater classify add --file rules.yaml --reason "reviewed by the data protection officer"
    """
    if file is not None and not dataset:
        decision.make("classify", {"rules": rule_variables(file)["rules"]})
        return
    if file is not None or not dataset or not paths or not categories:
        raise click.UsageError("expected DATASET, PATHS and --category, or --file")
    nodes = _nodes(decision.client, dataset, paths, namespace)
    decision.make("classify", {"classes": [{"node": node, "categories": [*categories]} for node in nodes]})


@classify.command("not-personal", epilog=EXIT_CODES)
@click.argument("dataset")
@click.argument("paths", nargs=-1)
@namespace_option
@decision_options
def not_personal(decision: ClassDecision, dataset: str, paths: Sequence[str], namespace: str | None) -> None:
    """Decide that PATHS of DATASET are not personal data, whatever rules and tags say.

    Without PATHS: that somebody looked at the whole dataset, and nothing in it is personal but what rules, tags and
    other decisions classify. It holds for the paths that are known now.
    """
    nodes = _nodes(decision.client, dataset, paths, namespace)
    decision.make("classify", {"classes": [{"node": node, "categories": []} for node in nodes]})


@classify.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.argument("paths", nargs=-1, required=True)
@click.option("--by", "job", metavar="JOB", help="Only data that this job brings there.")
@click.option("--job-namespace", metavar="NS", help="The job's namespace; JOB is then its full name.")
@click.option("--until", type=TIME, help="The end: 2027-01-01.")
@namespace_option
@decision_options
def declassify(
    decision: ClassDecision,
    dataset: str,
    paths: Sequence[str],
    job: str | None,
    job_namespace: str | None,
    until: str | None,
    namespace: str | None,
) -> None:
    """Decide that data from upstream are not personal any more at PATHS of DATASET.

    What is declared personal at a path itself stays so. Every answer lists the declassifications that it met.
    """
    named = _declassified(decision.client, dataset, paths, namespace, job, job_namespace)
    decision.make("declassify", {"paths": [{**each, "until": until} for each in named]})


@classify.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.argument("paths", nargs=-1)
@click.option("--declassification", is_flag=True, help="Revoke declassifications instead of classes.")
@click.option("--by", "job", metavar="JOB", help="The declassification of data that this job brings there.")
@click.option("--job-namespace", metavar="NS", help="The job's namespace; JOB is then its full name.")
@namespace_option
@decision_options
def revoke(
    decision: ClassDecision,
    dataset: str,
    paths: Sequence[str],
    declassification: bool,
    job: str | None,
    job_namespace: str | None,
    namespace: str | None,
) -> None:
    """Revoke decisions about PATHS of DATASET: classes, and rejections of proposals.

    Rules and tags count again. Without PATHS: the decision that somebody looked at the whole dataset.
    """
    if declassification:
        named = _declassified(decision.client, dataset, paths, namespace, job, job_namespace)
        decision.make("revoke_classes", {"declassifications": named})
    elif job:
        raise click.UsageError("--by is about a declassification: add --declassification")
    else:
        decision.make("revoke_classes", {"nodes": _nodes(decision.client, dataset, paths, namespace)})


def _deciding_on_proposals(command: Callable[..., None]) -> Callable[..., None]:
    """Add the arguments and options that name proposals; the command gets the nodes, and the rules."""

    @click.argument("dataset", required=False)
    @click.argument("paths", nargs=-1)
    @click.option("--all", "every", is_flag=True, help="All proposals that the other options select.")
    @selection_options
    @click.option(
        "--file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="A file with the proposals, as `headwater classify propose` prints them, also with --json.",
    )
    @rules_option
    @namespace_option
    @decision_options
    @wraps(command)
    def decide(
        decision: ClassDecision,
        dataset: str | None,
        paths: Sequence[str],
        every: bool,
        matching: Sequence[str],
        category: str | None,
        confidence: str | None,
        file: Path | None,
        rules: Path | None,
        namespace: str | None,
    ) -> None:
        asked = Asked(dataset, paths, every, file, selection_of(matching, category, confidence), namespace)
        given = rule_variables(rules).get("rules")
        command(decision, proposed_nodes(decision.client, asked, given), given)

    return decide


@classify.command(epilog=EXIT_CODES)
@_deciding_on_proposals
def confirm(decision: ClassDecision, nodes: Sequence[Mapping[str, Any]], rules: Any) -> None:
    """Classify PATHS of DATASET as `headwater classify propose` proposes.

    DATASET and PATHS may be patterns as in rules; they mean the proposals that they match. --all means those of the
    listing, and --file those of a file. All are decided, or none is. --dry-run prints the decisions, and where
    personal data would be known by them.

    \b
    headwater classify confirm customers email phone --reason checked
    headwater classify confirm 'crm.*' '**.email' --reason checked
    headwater classify confirm --all --confidence likely --category user.contact --reason checked --dry-run
    headwater classify confirm --file proposals.json --reason checked
    """
    decision.make("decide_proposals", {"confirm": nodes, "rules": rules})


@classify.command(epilog=EXIT_CODES)
@_deciding_on_proposals
def reject(decision: ClassDecision, nodes: Sequence[Mapping[str, Any]], rules: Any) -> None:
    """Propose nothing for PATHS of DATASET any more.

    Proposals are named as for `headwater classify confirm`.
    """
    decision.make("decide_proposals", {"reject": nodes, "rules": rules})


@classify.command(epilog=EXIT_CODES)
@selection_options
@rules_option
@limit_option
@store_or_url
@json_option
@click.pass_context
def propose(
    context: click.Context,
    matching: Sequence[str],
    category: str | None,
    confidence: str | None,
    rules: Path | None,
    limit: int,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """List paths without a class that look personal, for you to decide.

    They do so by their name, by their type, or because a job joins on them and on an identifying path. No answer
    counts them as personal before a steward confirms them.
    """
    selection = selection_of(matching, category, confidence)
    print_nodes(
        create_client(context, store, url),
        "class_proposals",
        {"rules": rule_variables(rules).get("rules"), "selection": selection},
        limit,
        lambda each: [*_place(each), ", ".join(each["categories"]), each["confidence"].lower(), each["why"]],
        ("dataset", "path", "may be", "confidence", "why"),
        as_json=as_json,
        empty="no proposals",
    )


@classify.command("list", epilog=EXIT_CODES)
@click.argument("dataset", required=False)
@click.argument("path", required=False)
@namespace_option
@rules_option
@as_of_option
@limit_option
@store_or_url
@json_option
@click.pass_context
def list_classes(
    context: click.Context,
    dataset: str | None,
    path: str | None,
    namespace: str | None,
    rules: Path | None,
    as_of: str | None,
    limit: int,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """List what stewards, rules and tags say of paths, of all or of those of DATASET (and PATH).

    Special categories have their article of the GDPR. What a steward overrules is listed, too.
    """
    client = create_client(context, store, url)
    print_nodes(
        client,
        "classes",
        {
            "node": node_ref(client, dataset, path, namespace) if dataset else None,
            "asOf": as_of,
            "rules": rule_variables(rules).get("rules"),
        },
        limit,
        _class_row,
        ("dataset", "path", "category", "special", "source", "at", "by", "reason"),
        as_json=as_json,
        empty="nothing is classified",
    )


@classify.command(epilog=EXIT_CODES)
@as_of_option
@limit_option
@store_or_url
@json_option
@click.pass_context
def declassifications(
    context: click.Context, as_of: str | None, limit: int, store: str, url: str | None, as_json: bool
) -> None:
    """List the declassifications in force, with time, author and reason."""
    print_nodes(
        create_client(context, store, url),
        "declassifications",
        {"asOf": as_of},
        limit,
        lambda each: [
            *_place(each),
            job_title(each["job"]) if each["job"] else "(all jobs)",
            (each["until"] or "")[:19],
            *decision_cells(each),
        ],
        ("dataset", "path", "data of", "until", "at", "by", "reason"),
        as_json=as_json,
        empty="nothing is declassified",
    )


@classify.command(epilog=EXIT_CODES)
@as_of_option
@limit_option
@store_or_url
@json_option
@click.pass_context
def history(
    context: click.Context, as_of: str | None, limit: int, store: str, url: str | None, as_json: bool
) -> None:
    """List all decisions about personal data, newest first, in force or revoked."""
    print_nodes(
        create_client(context, store, url),
        "class_decisions",
        {"asOf": as_of},
        limit,
        lambda each: ["revoked" if each["revoked"] else "decided", each["text"], *decision_cells(each)],
        ("what", "decision", "at", "by", "reason"),
        as_json=as_json,
        empty="no decisions about personal data",
    )


def _nodes(
    client: GraphQLClient, dataset: str, paths: Sequence[str], namespace: str | None
) -> list[dict[str, Any]]:
    """Return the GraphQL references of paths of one dataset."""
    from headwater_facets.path import Path as DataPath

    found = dataset_ref(client, dataset, namespace)
    return [{**found, "path": DataPath.parse(path).to_wire()} for path in paths] or [{**found, "path": []}]


def _declassified(
    client: GraphQLClient,
    dataset: str,
    paths: Sequence[str],
    namespace: str | None,
    job: str | None,
    job_namespace: str | None,
) -> list[dict[str, Any]]:
    by = job_ref(client, job, job_namespace) if job else None
    return [{"node": node, "job": by} for node in _nodes(client, dataset, paths, namespace)]


def _place(each: Mapping[str, Any]) -> tuple[str, str]:
    return each["node"]["name"], each["node"]["label"]


def _class_row(each: Mapping[str, Any]) -> list[str]:
    source = each["source"].lower() + (" (overruled)" if each["overruled"] else "")
    return [
        *_place(each),
        ", ".join(each["categories"]) or NOT_PERSONAL,
        ", ".join(each["articles"]),
        source,
        (each["at"] or "")[:19],
        each["by"] or "",
        each["reason"],
    ]
