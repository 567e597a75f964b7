"""``headwater serve --policies`` notices violations, and ``headwater findings`` lists and decides about them."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from standardwebhooks import Webhook

from kit.command import headwater, served

RULES = """
- dataset: {namespace: parcels, name: shop.customers}
  path: email
  category: user.contact.email
"""
POLICIES = """
- policy: no addresses on vouchers
  category: user.contact
  dataset: {namespace: parcels, name: shop.vouchers}
"""
SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
SECONDS = 60


@contextmanager
def receiver(messages: list[Any]) -> Iterator[str]:
    """A receiver of webhooks on loopback, by its URL, that keeps messages whose signature is right."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            messages.append(Webhook(SECRET).verify(body, dict(self.headers)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Write nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/alerts"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def findings(url: str, *options: str) -> Any:
    answer = headwater("findings", "list", "--url", url, "--json", *options)
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


def wait_for(condition: Any) -> None:
    """Wait until the condition is true; the machine may be slow."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.1)


def test_a_server_notices_violations_and_people_decide(workdir: Path, store: str) -> None:
    for name, text in (("rules.yaml", RULES), ("policy.yaml", POLICIES)):
        (workdir / name).write_text(text, "utf-8")
    messages: list[Any] = []
    with receiver(messages) as url:
        variables = {
            "HEADWATER_WEBHOOK_URL": url,
            "HEADWATER_WEBHOOK_SECRET": SECRET,
            "HEADWATER_POLICY_SECONDS": "0.1",
        }
        options = ("--store", store, "--rules", "rules.yaml", "--policies", "policy.yaml")
        with served(workdir, *options, **variables) as (server, _):
            wait_for(lambda: messages)
            (finding,) = findings(server)
            reason = "agreed until 2027"
            answer = headwater("findings", "acknowledge", finding["id"], "--reason", reason, "--url", server)
            assert answer.exit_code == 0, answer.output
            assert f"{finding['id']} acknowledged: no addresses on vouchers, customer_email" in answer.stdout
            assert [each["state"] for each in findings(server)] == ["ACKNOWLEDGED"]
            assert findings(server, "--state", "open") == []
            wait_for(lambda: len(messages) == 2)
    assert [each["state"] for message in messages for each in message["data"]["findings"]] == [
        "OPEN",
        "ACKNOWLEDGED",
    ]
    history = headwater("findings", "history", finding["id"], "--store", store)
    assert [line.split("\t")[1] for line in history.stdout.splitlines()[1:]] == ["acknowledged", "open"]
    assert reason in history.stdout


def test_an_unknown_finding_is_an_error(store: str) -> None:
    answer = headwater("findings", "resolve", "0123", "--reason", "mended", "--store", store)
    assert answer.exit_code == 1
    assert "no finding has the id '0123'" in answer.output
    assert "no findings" in headwater("findings", "list", "--store", store).stdout


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"HEADWATER_WEBHOOK_URL": "https://a.example.org/"}, "needs HEADWATER_POLICIES"),
        (
            {"HEADWATER_WEBHOOK_URL": "http://a.example.org/", "HEADWATER_POLICIES": "policy.yaml"},
            "is not encrypted: use https",
        ),
        (
            {"HEADWATER_WEBHOOK_URL": "https://a.example.org/", "HEADWATER_POLICIES": "policy.yaml"},
            "needs HEADWATER_WEBHOOK_SECRET",
        ),
        (
            {
                "HEADWATER_WEBHOOK_URL": "https://a.example.org/",
                "HEADWATER_POLICIES": "policy.yaml",
                "HEADWATER_WEBHOOK_SECRET": "short",
            },
            "is not Base64 of at least 24 bytes",
        ),
        ({"HEADWATER_POLICIES": "rules.yaml"}, "rules.yaml"),
    ],
)
def test_wrong_settings_are_reported_at_the_start(
    workdir: Path, store: str, variables: dict[str, str], message: str
) -> None:
    for name, text in (("rules.yaml", RULES), ("policy.yaml", POLICIES)):
        (workdir / name).write_text(text, "utf-8")
    answer = headwater("serve", "--port", "0", "--store", store, **variables)
    assert answer.exit_code == 1, answer.output
    assert message in answer.output
