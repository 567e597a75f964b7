"""What all commands share by which stewards decide: their options, and the decision to make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, TypeVar

import click

from headwater_cli.client.graphql_client import GraphQLClient, create_client, store_or_url

json_option = click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON.")
_dry_run_option = click.option("--dry-run", is_flag=True, help="Only print the changes.")
_reason_option = click.option(
    "--reason", required=True, metavar="TEXT", help="The reason, for the history and the audit log."
)


@dataclass
class StewardDecision:
    """The decision that a command makes; with ``dry_run``, it is only shown."""

    context: click.Context
    reason: str
    dry_run: bool
    store: str
    url: str | None
    as_json: bool

    @cached_property
    def client(self) -> GraphQLClient:
        """The client for the store or server that the options select."""
        return create_client(self.context, self.store, self.url)

    def send(self, operation: str, variables: Mapping[str, Any]) -> Any:
        """Send the decision, and return the answer."""
        answer = self.client.query(operation, {**variables, "reason": self.reason, "dryRun": self.dry_run})
        (found,) = answer.values()
        return found


D = TypeVar("D", bound=StewardDecision)


def options_of(decision: type[D]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator that adds the options of a command that decides, and passes it the decision."""

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @_reason_option
        @_dry_run_option
        @store_or_url
        @json_option
        @click.pass_context
        @wraps(command)
        def decide(
            context: click.Context,
            /,
            reason: str,
            dry_run: bool,
            store: str,
            url: str | None,
            as_json: bool,
            **arguments: Any,
        ) -> None:
            command(decision(context, reason, dry_run, store, url, as_json), **arguments)

        return decide

    return add


def decision_cells(each: Mapping[str, Any]) -> list[str]:
    return [each["at"][:19], each["by"], each["reason"]]
