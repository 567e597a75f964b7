"""Subscription to run updates of a server: ``headwater runs --follow``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from headwater_cli.client.graphql_client import base_url, credentials
from headwater_cli.terminal.errors import CommandError

PROTOCOL = "graphql-transport-ws"


def follow_runs(url: str, variables: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each updated run until the server stops. Raises ``CommandError`` if it is unreachable or refuses."""
    from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
    from websockets.sync.client import connect
    from websockets.typing import Subprotocol

    from headwater_graphql.queries import query

    address = f"{base_url(url)}/graphql"
    subscription = {"query": query("run_news"), "variables": dict(variables)}
    try:
        with connect(
            "ws" + address.removeprefix("http"),
            subprotocols=[Subprotocol(PROTOCOL)],
            additional_headers=credentials(address),
        ) as socket:
            socket.send(json.dumps({"type": "connection_init"}))
            socket.recv()
            socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": subscription}))
            for message in map(json.loads, socket):
                yield from _updates(message)
    except InvalidStatus as error:
        raise _http_error(address, error.response.status_code, error.response.body) from None
    except ConnectionClosed:
        raise CommandError("SERVER_AWAY", f"{address} closed the connection") from None
    except (OSError, InvalidHandshake, InvalidURI) as error:
        hint = "is `headwater serve` running there?"
        raise CommandError("SERVER_AWAY", f"{address} does not answer: {error}", hint) from error


def _updates(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the run in a message, if it has one; raise ``CommandError`` for an error message."""
    if message["type"] == "next" and not message["payload"].get("errors"):
        yield message["payload"]["data"]["runNews"]
    elif message["type"] in ("next", "error"):
        payload = message["payload"]
        (error, *_) = payload["errors"] if isinstance(payload, dict) else payload
        extensions = error.get("extensions") or {}
        raise CommandError(extensions.get("code", "INTERNAL"), error["message"], extensions.get("hint"))


def _http_error(address: str, status: int, body: bytes | bytearray) -> CommandError:
    try:
        problem = json.loads(body)
    except ValueError:
        problem = {}
    detail, code = problem.get("detail", f"answered {status}"), problem.get("code", f"HTTP_{status}")
    return CommandError(code, f"{address}: {detail}", problem.get("hint"))
