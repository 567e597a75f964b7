"""Resolution of dataset, path and job arguments: ``DATASET [PATH] [--namespace NS]``.

DATASET is one of a dataset's names, or a unique end of one: ``tweets`` matches ``/data/in/tweets``, and
``customers`` matches ``public.customers``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from headwater_cli.client.graphql_client import GraphQLClient
from headwater_cli.client.pagination import fetch_nodes
from headwater_cli.terminal.errors import CommandError
from headwater_cli.terminal.output import job_title

MARK = "#"
"""Separator of dataset and path in a single argument."""
CANDIDATES = 10_000
"""Maximum number of candidate names to compare."""


def is_pattern(text: str) -> bool:
    """Return whether the text has a wildcard of rules."""
    return "*" in text or "?" in text


def place_pattern(text: str) -> dict[str, str]:
    """Return the GraphQL input for DATASET or DATASET#PATH with the wildcards of rules.

    As in rules, a blank separates the namespace; a name alone may be in any.
    """
    dataset, mark, path = text.partition(MARK)
    place = {"name": dataset} if " " in dataset else {"namespace": "*", "name": dataset}
    return {**place, "path": path} if mark else place


def node_ref(client: GraphQLClient, dataset: str, path: str | None, namespace: str | None) -> dict[str, Any]:
    """Return the GraphQL ``NodeRef`` for ``DATASET PATH`` or ``DATASET#PATH``.

    Raises ``CommandError`` if the dataset is unknown or its name is ambiguous.
    """
    from headwater_facets.path import Path

    before, mark, after = dataset.partition(MARK)
    if path is None and mark and not is_known(client, dataset, namespace):
        dataset, path = before, after
    steps = Path.parse(path).to_wire() if path else []
    if namespace is None:
        namespace, dataset = _resolve_dataset(client, dataset)
    return {"namespace": namespace, "name": dataset, "path": steps}


def dataset_ref(client: GraphQLClient, dataset: str, namespace: str | None) -> dict[str, str]:
    """Return namespace and name of a dataset. Raises a usage error if the argument includes a path."""
    node = node_ref(client, dataset, None, namespace)
    if node["path"]:
        raise click.UsageError(
            f"expected a dataset without a path: leave out {MARK}{dataset.partition(MARK)[2]}"
        )
    return {"namespace": node["namespace"], "name": node["name"]}


def is_known(client: GraphQLClient, name: str, namespace: str | None) -> bool:
    """Return whether a dataset has exactly that name, including any ``#``."""
    found, _ = fetch_nodes(client, "named_datasets", {"text": name}, CANDIDATES)
    return any(name in _names(each) and namespace in (None, each["namespace"]) for each in found)


def job_ref(client: GraphQLClient, job: str, namespace: str | None) -> dict[str, Any]:
    """Return namespace and name of a job, by name or title. Raises ``CommandError`` if it is unknown or ambiguous."""
    if namespace is None:
        variables = {"text": job.rpartition(" ")[2] or job, "kinds": ["JOB"], "by": ["NAME"]}
        found, _ = fetch_nodes(client, "search", variables, CANDIDATES)
        names = {_key(each): {each["name"], job_title(each)} for each in found}
        namespace, job = _resolve(client, "JOB", job, names)
    return {"namespace": namespace, "name": job}


def _resolve_dataset(client: GraphQLClient, wanted: str) -> tuple[str, str]:
    found, _ = fetch_nodes(client, "named_datasets", {"text": wanted}, CANDIDATES)
    return _resolve(client, "DATASET", wanted, {_key(each): _names(each) for each in found})


def _names(found: Mapping[str, Any]) -> set[str]:
    return {found["name"], *(other["name"] for other in found["dataset"]["names"])}


def _key(named: Mapping[str, Any]) -> tuple[str, str]:
    return named["namespace"], named["name"]


def _resolve(
    client: GraphQLClient, kind: str, wanted: str, known: Mapping[tuple[str, str], set[str]]
) -> tuple[str, str]:
    """Return the key with that exact name, or else the only key with a name that ends with it."""
    ends = [key for key, names in known.items() if any(_ends(name, wanted) for name in names)]
    found = [key for key, names in known.items() if wanted in names] or ends
    if len(found) == 1:
        return found[0]
    word = kind.lower()
    if found:
        choices = "; ".join(f"--namespace {namespace} {name}" for namespace, name in found[:5])
        raise CommandError(
            f"AMBIGUOUS_{kind}", f"{wanted!r} matches {len(found)} {word}s", f"use one of: {choices}"
        )
    containing = ", ".join(name for _, name in list(known)[:5])
    near = f"similar names: {containing}" if containing else did_you_mean(client, wanted, kind)
    raise CommandError(
        f"UNKNOWN_{kind}", f"unknown {word} {wanted!r}", near or f"`{_LISTS[kind]}` lists all {word}s"
    )


_LISTS = {"DATASET": "headwater datasets", "JOB": "headwater search '' --kind job"}


def did_you_mean(client: GraphQLClient, wanted: str, *kinds: str) -> str | None:
    """Return a hint with the nearest names of these kinds (GraphQL ``NameKind``), or None."""
    near = client.query("near_names", {"text": wanted, "kinds": kinds})["nearNames"]
    return f"did you mean {' or '.join(map(repr, near))}?" if near else None


def _ends(name: str, end: str) -> bool:
    return name.endswith((f"/{end}", f".{end}"))
