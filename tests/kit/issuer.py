"""An OpenID provider in a process of its own: discovery and keys over HTTP on loopback, and tokens for the asking.

``python issuer.py`` prints its address. ``POST /token`` signs the claims of its body by the newest key, ``/rotate``
makes a new key and forgets the old ones. How often its keys were fetched is at ``/fetched``.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa


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
        return httpx.post(f"{self.address}/token", json=given).text

    def rotate(self) -> None:
        """Sign by a new key, and forget the old one."""
        httpx.post(f"{self.address}/rotate").raise_for_status()

    def fetched(self) -> int:
        """How often somebody asked for the keys."""
        return int(httpx.get(f"{self.address}/fetched").text)

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


class _Handler(BaseHTTPRequestHandler):
    keys: ClassVar[dict[str, rsa.RSAPrivateKey]] = {}
    counts: ClassVar[dict[str, int]] = {"keys": 0, "made": 0}

    @classmethod
    def make_key(cls) -> None:
        cls.counts["made"] += 1
        cls.keys.clear()
        cls.keys[f"key-{cls.counts['made']}"] = rsa.generate_private_key(65537, 2048)

    def do_GET(self) -> None:
        here = f"http://127.0.0.1:{self.server.server_address[1]}"
        if self.path == "/.well-known/openid-configuration":
            self._answer(json.dumps({"issuer": here, "jwks_uri": f"{here}/keys"}))
        elif self.path == "/fetched":
            self._answer(str(self.counts["keys"]))
        else:
            self.counts["keys"] += self.path == "/keys"
            self._answer(json.dumps({"keys": [self._published(kid) for kid in self.keys]}))

    def _published(self, kid: str) -> dict[str, Any]:
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self.keys[kid].public_key(), as_dict=True)
        return {**public, "kid": kid, "use": "sig", "alg": "RS256"}

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/rotate":
            self.make_key()
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
