"""The server over TLS: routes, authentication, and messages about unusable certificates."""

from __future__ import annotations

import json
import socket
import ssl
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from kit.command import headwater, program, served
from kit.openlineage import dataset, event


class Certified(NamedTuple):
    """The files of a self-signed certificate and its key."""

    certificate: Path
    key: Path

    def environment(self) -> dict[str, str]:
        return {
            "HEADWATER_TLS_CERTIFICATE": str(self.certificate),
            "HEADWATER_TLS_KEY": str(self.key),
        }


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    return made(tmp_path_factory.mktemp("certified"))


def made(folder: Path, password: bytes | None = None) -> Certified:
    """Create a certificate for 127.0.0.1, valid for a day."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "headwater")])
    now = datetime.now(timezone.utc)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    locked = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(pem))
    (folder / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, locked))
    return Certified(folder / "certificate.pem", folder / "key.pem")


def test_everything_is_served_over_tls_and_nothing_without_it(workdir: Path, certified: Certified) -> None:
    trust = ssl.create_default_context(cafile=str(certified.certificate))
    body = event("COMPLETE", 1, "run 1", [dataset("in", "a")], [dataset("out", "a")])
    with served(workdir, **certified.environment()) as (address, _):
        assert address.startswith("https://127.0.0.1:")
        with httpx.Client(base_url=address, verify=trust) as client:
            assert client.post("/api/v1/lineage", json=body).status_code == 201
        answer = program(
            "datasets",
            "--url",
            address,
            "--json",
            folder=workdir,
            environment={"SSL_CERT_FILE": str(certified.certificate)},
        )
        assert {each["name"] for each in json.loads(answer.stdout)} == {"in", "out"}
        protocol = [Subprotocol("graphql-transport-ws")]
        with connect(
            f"wss{address.removeprefix('https')}/graphql", subprotocols=protocol, ssl=trust
        ) as socket_:
            socket_.send('{"type": "connection_init"}')
            assert json.loads(socket_.recv(timeout=10))["type"] == "connection_ack"
        with pytest.raises(httpx.TransportError):
            httpx.get(address.replace("https", "http", 1) + "/health/live")
        with pytest.raises(httpx.ConnectError, match="certificate"):
            httpx.get(f"{address}/health/live")


def test_a_slow_handshake_does_not_block_other_clients(workdir: Path, certified: Certified) -> None:
    trust = ssl.create_default_context(cafile=str(certified.certificate))
    with served(workdir, **certified.environment()) as (address, _):
        target = urlsplit(address)
        with socket.create_connection((str(target.hostname), target.port or 0)) as silent:
            silent.sendall(b"\x16\x03\x01")
            assert httpx.get(f"{address}/health/live", verify=trust).status_code == 200


def test_a_certificate_without_its_key_is_refused(certified: Certified) -> None:
    for name, file in certified.environment().items():
        result = headwater("serve", "--port", "0", **{name: file})
        assert result.exit_code == 1
        assert "HEADWATER_TLS_CERTIFICATE and HEADWATER_TLS_KEY go together" in result.stderr


def test_an_unusable_certificate_is_named(certified: Certified, tmp_path: Path) -> None:
    other, locked = tmp_path / "other", tmp_path / "locked"
    other.mkdir()
    locked.mkdir()
    for certificate, key in (
        (certified.certificate, made(other).key),
        made(locked, b"hunter2"),
        (certified.key, certified.key),
    ):
        environment = Certified(certificate, key).environment()
        result = headwater("serve", "--port", "0", **environment)
        assert result.exit_code == 1
        assert "SETTINGS" in result.stderr and all(text in result.stderr for text in environment.values())


def test_a_missing_file_is_named(certified: Certified, tmp_path: Path) -> None:
    environment = certified.environment() | {"HEADWATER_TLS_KEY": str(tmp_path / "nowhere.pem")}
    result = headwater("serve", "--port", "0", **environment)
    assert result.exit_code == 1
    assert "HEADWATER_TLS_KEY: " in result.stderr and "not point to a file" in result.stderr
