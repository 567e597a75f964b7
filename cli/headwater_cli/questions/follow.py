"""What a running server tells of runs, as it is told: ``headwater runs --follow``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from headwater_cli.asking.ask import base, credentials
from headwater_cli.terminal.errors import Failure

PROTOCOL = "graphql-transport-ws"


def followed(url: str, variables: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Each run of which events are stored, until the server stops. Raises ``Failure`` when it is away or refuses."""
    from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
    from websockets.sync.client import connect
    from websockets.typing import Subprotocol

    from headwater_graphql.queries import query

    address = f"{base(url)}/graphql"
    asked = {"query": query("run_news"), "variables": dict(variables)}
    try:
        with connect(
            "ws" + address.removeprefix("http"),
            subprotocols=[Subprotocol(PROTOCOL)],
            additional_headers=credentials(address),
        ) as socket:
            socket.send(json.dumps({"type": "connection_init"}))
            socket.recv()
            socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": asked}))
            for message in map(json.loads, socket):
                yield from _news(message)
    except InvalidStatus as error:
        raise _refused(address, error.response.status_code, error.response.body) from None
    except ConnectionClosed:
        raise Failure("SERVER_AWAY", f"{address} has ended the connection") from None
    except (OSError, InvalidHandshake, InvalidURI) as error:
        hint = "is `headwater serve` running there?"
        raise Failure("SERVER_AWAY", f"{address} does not answer: {error}", hint) from error


def _news(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The run in a message, if it holds one."""
    if message["type"] == "next" and not message["payload"].get("errors"):
        yield message["payload"]["data"]["runNews"]
    elif message["type"] in ("next", "error"):
        payload = message["payload"]
        (error, *_) = payload["errors"] if isinstance(payload, dict) else payload
        extensions = error.get("extensions") or {}
        raise Failure(extensions.get("code", "INTERNAL"), error["message"], extensions.get("hint"))


def _refused(address: str, status: int, body: bytes | bytearray) -> Failure:
    try:
        told = json.loads(body)
    except ValueError:
        told = {}
    detail, code = told.get("detail", f"answered {status}"), told.get("code", f"HTTP_{status}")
    return Failure(code, f"{address}: {detail}", told.get("hint"))
