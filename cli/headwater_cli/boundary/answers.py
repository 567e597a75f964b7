"""What is known of planned writes: the answers of ``exposure`` and ``check`` on a store that has their events alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from headwater_cli.terminal.errors import CommandError

if TYPE_CHECKING:
    from headwater_backend.privacy.policies import Policy
    from headwater_cli.client.graphql_client import GraphQLClient
    from headwater_cli.privacy.holdings import Holdings

OF_OTHERS: Final = frozenset({"UNMATCHED_POLICY", "UNMATCHED_RULE", "UNCLASSIFIED"})
"""Gaps that say that rules and policies are also about datasets that these events do not touch."""


def answers(folder: Path, events: Sequence[str], rules: Path | None, policies: Path | None) -> dict[str, Any]:
    """What the outputs of these events hold, and what violates a policy; the store is kept in the folder."""
    from headwater_cli.privacy.holdings import rule_variables

    if not events:
        return {}
    client = stored(folder / "planned.db", events)
    variables = rule_variables(rules)
    return {
        "exposure": exposure(client, variables),
        "check": None if policies is None else check(client, variables, read(policies)),
    }


def stored(store: Path, events: Iterable[str]) -> GraphQLClient:
    """The client of a store in a file, to which the events are added. Raises ``CommandError`` for those it refuses."""
    file = store.with_suffix(".ndjson")
    file.write_text("".join(f"{each}\n" for each in events), "utf-8")
    return imported(store, file)


def imported(store: Path, file: Path) -> GraphQLClient:
    """The client of a store in a file, to which a file of events is added. Raises ``CommandError`` as ``stored``."""
    from headwater_cli.client.graphql_client import GraphQLClient
    from headwater_cli.intake.import_events import import_files

    client = GraphQLClient(f"sqlite:///{store}")
    _, refused = import_files([file], client)
    if refused.count:
        raise CommandError("EVENTS_REFUSED", "\n".join(refused.lines()))
    return client


def exposure(client: GraphQLClient, rules: dict[str, Any]) -> dict[str, Any]:
    """The rows of ``headwater exposure``, and its gaps."""
    from headwater_cli.privacy.holdings import row
    from headwater_cli.questions.gaps import distinct, grouped

    found = held(client, rules)
    return {
        "rows": [list(row(each)) for each in found.holdings],
        "gaps": list(grouped(distinct(found.answer["incomplete"]))),
    }


def held(client: GraphQLClient, rules: Mapping[str, Any]) -> Holdings:
    """What holds personal attributes, as ``headwater exposure`` asks."""
    from headwater_cli.privacy.holdings import query_holdings

    return query_holdings(client, {**rules, "lenient": True, "depth": 50, "influenced": False})


def check(client: GraphQLClient, rules: dict[str, Any], policies: Sequence[Policy]) -> dict[str, Any]:
    """The answer of ``headwater check``."""
    from headwater_cli.privacy.policies.check import policy_input

    asked = {"policies": [policy_input(each) for each in policies], "depth": 50, "lenient": True}
    return dict(client.query("policy_check", {**asked, **rules})["policyCheck"])


def read(policies: Path) -> tuple[Policy, ...]:
    """The policies of a file. Raises an error with file and line."""
    from headwater_backend.privacy.files import read_policies

    return tuple(read_policies(policies))
