"""Signed messages to one address, by the rules of Standard Webhooks.

A message is a POST of JSON with the headers ``webhook-id``, ``webhook-timestamp`` and ``webhook-signature``; any
library of Standard Webhooks verifies it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any, Final

import httpx
from standardwebhooks import Webhook as Signer

from headwater_backend.access.outgoing import AnswerTooLarge, AnswerTooLate, call
from headwater_backend.access.secrets import SecretError, secret

VARIABLE: Final = "HEADWATER_WEBHOOK_SECRET"
MIN_SECRET_BYTES: Final = 24
MESSAGE_SECONDS: Final = 10.0
"""From the look-up of the receiver's name to the last byte of its answer."""
ANSWER_BYTES: Final = 64 * 1024
"""Nothing of an answer is used but its status."""


class SignedReceiver:
    """The address that gets messages, and the secret by which it knows us.

    Raises ``SecretError`` for a secret that is not Base64 of enough bytes.
    """

    def __init__(self, url: str, key: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._url = url
        self._signer = Signer(_secret_bytes(key))
        self._transport = transport

    @classmethod
    def of_environment(cls, url: str, setting: str) -> SignedReceiver:
        """The receiver at the address of that setting, with the secret of the environment. Raises ``SecretError``."""
        return cls(url, secret_of_environment(setting))

    def send(self, message_id: str, kind: str, data: Mapping[str, Any]) -> None:
        """Send a message. Raises ``httpx.HTTPError`` if the receiver does not accept it."""
        now = datetime.now(timezone.utc)
        message = {"type": kind, "timestamp": now.isoformat(), "data": data}
        body = json.dumps(message, ensure_ascii=False)
        headers = {
            "content-type": "application/json",
            "webhook-id": message_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": self._signer.sign(message_id, now, body),
        }
        call(
            "POST",
            self._url,
            content=body.encode(),
            headers=headers,
            seconds=MESSAGE_SECONDS,
            most_bytes=ANSWER_BYTES,
            transport=self._transport,
        ).raise_for_status()


def secret_of_environment(setting: str) -> str:
    """The secret that signs messages to the address of that setting. Raises ``SecretError``."""
    known = secret(VARIABLE, f"{VARIABLE}_FILE")
    if known is None:
        raise SecretError(f"{setting} needs {VARIABLE}, which signs its messages")
    return known


def refusal(error: httpx.HTTPError) -> str:
    """Why a message was not accepted, without its address, which may hold a secret."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"it answers {error.response.status_code}"
    if isinstance(error, AnswerTooLate | AnswerTooLarge):
        return str(error)
    return type(error).__name__


def _secret_bytes(key: str) -> bytes:
    try:
        found = base64.b64decode(key.removeprefix("whsec_"), validate=True)
    except ValueError:
        found = b""
    if len(found) < MIN_SECRET_BYTES:
        raise SecretError(
            f"{VARIABLE} is not Base64 of at least {MIN_SECRET_BYTES} bytes",
            'make one with `echo "whsec_$(openssl rand -base64 32)"`',
        )
    return found
