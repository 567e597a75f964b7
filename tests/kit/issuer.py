"""An OpenID provider in a process of its own: discovery and keys over HTTP on loopback, and tokens for the asking.

``python issuer.py`` prints its address. ``POST /token`` signs the claims of its body by the newest key, ``/rotate``
makes a new key and forgets the old ones, ``/behave`` has it answer in one of the ways of ``MISBEHAVIOURS`` from then
on, and ``/begin`` has it behave as if it had just been started.
How often its keys were asked for is at ``/fetched``, and how often both documents were at ``/asked``.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

MISBEHAVIOURS = (
    "hang",
    "drip the head",
    "drip the body",
    "large",
    "packed",
    "redirect",
    "break off",
    "fail",
    "no JSON",
    "no UTF-8",
    "deep",
    "no object",
    "no keys",
    "long number",
)
"""Ways to answer that are of no use."""
ODD_KEYS = (
    {"kid": "of the future", "kty": "EC", "crv": "P-9999", "x": "AA", "y": "AA"},
    {"kid": "no numbers", "kty": "RSA", "n": 7, "e": None},
    {"kid": "no members", "kty": "RSA"},
    {"kid": ["a list"], "kty": "RSA"},
    "no object",
    {"kid": "no point", "kty": "OKP", "crv": "Ed25519", "x": "AA"},
)
"""What a provider may publish beside its keys, and that cannot be read."""


@dataclass(frozen=True)
class Provider:
    """The provider's process, from outside."""

    address: str
    process: subprocess.Popen[str]

    def token(self, audience: str = "headwater", lasts: int = 300, **claims: Any) -> str:
        """A token for ``alice``, with these claims in place of or beside the usual ones; None leaves one out."""
        now = int(time.time())
        usual = {"iss": self.address, "aud": audience, "sub": "alice", "iat": now, "exp": now + lasts}
        given = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        return httpx.post(f"{self.address}/token", content=json.dumps(given)).text

    def begin(self) -> None:
        """Behave well, with a key that nobody knows, and count from zero, as a provider that was just started."""
        httpx.post(f"{self.address}/begin").raise_for_status()

    def rotate(self) -> None:
        """Sign by a new key, and forget the old one."""
        httpx.post(f"{self.address}/rotate").raise_for_status()

    def fetched(self) -> int:
        """How often somebody asked for the keys."""
        return int(httpx.get(f"{self.address}/fetched").text)

    def asked(self) -> int:
        """How often somebody asked for what it is, or for the keys."""
        return int(httpx.get(f"{self.address}/asked").text)

    def behave(self, how: str | None = None, at: str = "/keys") -> None:
        """Answer at that address in one of the ways of ``MISBEHAVIOURS``, with ``odd keys`` first, with addresses to
        ``sign in elsewhere``, or well again.
        """
        assert how in (*MISBEHAVIOURS, "odd keys", "sign in elsewhere", None)
        httpx.post(f"{self.address}/behave", json={"how": how, "at": at}).raise_for_status()

    def public_key(self) -> dict[str, Any]:
        """The newest key, as it is published."""
        found: dict[str, Any] = httpx.get(f"{self.address}/keys?look").json()["keys"][-1]
        return found


@contextmanager
def provider() -> Iterator[Provider]:
    """A running provider; it is ended at the end."""
    command = [sys.executable, "-u", __file__]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            found = re.fullmatch(r"(http://\S+)\n", line)
            assert found, f"the provider did not start: {line}"
            yield Provider(found[1], process)
        finally:
            process.terminate()
            process.wait(timeout=10)


DISCOVERY = "/.well-known/openid-configuration"
BAD_DOCUMENTS = {
    "no JSON": b"<!doctype html>",
    "no UTF-8": b'{"keys": "\xff"}',
    "deep": b"[" * 100_000,
    "no object": b"[]",
    "no keys": b"{}",
    "long number": b'{"keys": ' + b"1" * 5_000 + b"}",
}


class _Handler(BaseHTTPRequestHandler):
    keys: ClassVar[dict[str, rsa.RSAPrivateKey]] = {}
    counts: ClassVar[dict[str, int]] = {"keys": 0, "made": 0, "asked": 0}
    behaviour: ClassVar[dict[str, str]] = {}

    @classmethod
    def begin(cls) -> None:
        cls.counts.update(dict.fromkeys(cls.counts, 0))
        cls.behaviour.clear()
        cls.make_key()

    @classmethod
    def make_key(cls) -> None:
        cls.counts["made"] += 1
        cls.keys.clear()
        cls.keys[f"key-{cls.counts['made']}"] = rsa.generate_private_key(65537, 2048)

    def do_GET(self) -> None:
        self.counts["keys"] += self.path == "/keys"
        self.counts["asked"] += self.path in ("/keys", DISCOVERY)
        how = self.behaviour.get(self.path)
        if how == "odd keys":
            self._answer(json.dumps({"keys": [*ODD_KEYS, *map(self._published, self.keys)]}))
        elif how == "sign in elsewhere":
            self._answer(json.dumps(self._addresses("http://login.example")))
        elif how:
            with suppress(OSError):
                self._misbehave(how)
            self.close_connection = True
        elif self.path == DISCOVERY:
            self._answer(json.dumps(self._addresses(self._here())))
        elif self.path in ("/fetched", "/asked"):
            self._answer(str(self.counts["keys" if self.path == "/fetched" else "asked"]))
        else:
            self._answer(json.dumps({"keys": [self._published(kid) for kid in self.keys]}))

    def _here(self) -> str:
        _, port, *_ = self.connection.getsockname()
        return f"http://127.0.0.1:{port}"

    def _addresses(self, sign_in: str) -> dict[str, str]:
        return {
            "issuer": self._here(),
            "jwks_uri": f"{self._here()}/keys",
            "authorization_endpoint": f"{sign_in}/authorize",
            "token_endpoint": f"{sign_in}/exchange",
        }

    def _misbehave(self, how: str) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        match how:
            case "hang":
                time.sleep(60)
            case "drip the head":
                self._drip(head)
            case "drip the body":
                self.wfile.write(head + b"\r\n")
                self._drip(b" ")
            case "large":
                self.wfile.write(head + b"\r\n")
                for _ in range(300):
                    self.wfile.write(b" " * 1024 * 1024)
            case "packed":
                self.wfile.write(head + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b" " * 100_000_000))
            case "redirect":
                self.wfile.write(b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
            case "break off":
                self.wfile.write(head + b"Content-Length: 1000\r\n\r\n{")
            case "fail":
                self.send_error(500)
            case _:
                self.wfile.write(head + b"\r\n" + BAD_DOCUMENTS[how])

    def _drip(self, text: bytes) -> None:
        for _ in range(600):
            for byte in text:
                self.wfile.write(bytes([byte]))
                time.sleep(0.1)

    def _published(self, kid: str) -> dict[str, Any]:
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self.keys[kid].public_key(), as_dict=True)
        return {**public, "kid": kid, "use": "sig", "alg": "RS256"}

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/rotate":
            self.make_key()
            self._answer("")
            return
        if self.path == "/begin":
            self.begin()
            self._answer("")
            return
        if self.path == "/behave":
            asked = json.loads(body)
            self.behaviour[asked["at"]] = asked["how"]
            self._answer("")
            return
        kid, key = next(iter(self.keys.items()))
        self._answer(jwt.encode(json.loads(body), key, "RS256", headers={"kid": kid}))

    def _answer(self, text: str) -> None:
        self.send_response(200)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


def main() -> None:
    _Handler.make_key()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}")
    server.serve_forever()


if __name__ == "__main__":
    main()
