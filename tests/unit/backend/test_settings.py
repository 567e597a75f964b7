"""The server's settings, and that it does not open itself to others by mistake."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from headwater_backend.access.secrets import SecretError, holds_password, secret
from headwater_backend.settings import ELSEWHERE, Settings, document, misspelt, variables
from kit.shared import ROOT

VARIABLE = re.compile(r"\bHEADWATER_[A-Z0-9_]*[A-Z0-9]\b")
PACKAGES = ("backend", "cli", "graphql", "integration", "facets")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
def test_loopback_is_fine(host: str) -> None:
    assert Settings(host=host).host == host


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "lineage.example.org"])
def test_any_other_address_is_refused_without_authentication(host: str) -> None:
    with pytest.raises(ValidationError, match="HEADWATER_ALLOW_UNAUTHENTICATED"):
        Settings(host=host)


def test_it_can_be_meant() -> None:
    assert Settings(host="0.0.0.0", allow_unauthenticated=True).host == "0.0.0.0"


LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def test_without_authentication_only_known_names_are_answered() -> None:
    assert Settings().hosts() == LOOPBACK
    assert Settings(allowed_hosts=("Lineage.local",)).hosts() == LOOPBACK | {"lineage.local"}
    elsewhere = Settings(host="0.0.0.0", allow_unauthenticated=True, allowed_hosts=("Lineage.local",))
    assert elsewhere.hosts() == LOOPBACK | {"lineage.local"}
    assert Settings(host="0.0.0.0", allow_unauthenticated=True).hosts() == LOOPBACK
    named = Settings(host="lineage.example.org", allow_unauthenticated=True)
    assert named.hosts() == LOOPBACK | {"lineage.example.org"}


@pytest.mark.parametrize(
    "origin",
    [
        "*",
        "https://*.example",
        "wiki.example",
        "https://wiki.example/",
        "https://a.example; script-src *",
        "data:",
    ],
)
def test_who_may_frame_the_page_is_named_by_origins(origin: str) -> None:
    with pytest.raises(ValidationError, match="is no origin"):
        Settings(embed_origins=(origin,))


def test_a_client_is_one_of_a_provider() -> None:
    with pytest.raises(ValidationError, match="HEADWATER_OIDC_ISSUER"):
        Settings(oidc_client_id="headwater-page")


def test_who_authenticates_may_use_any_name_until_some_are_listed(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    assert Settings(host="0.0.0.0", keys_file=keys).hosts() is None
    assert Settings(keys_file=keys).hosts() == LOOPBACK
    assert Settings(host="0.0.0.0", keys_file=keys, allowed_hosts=("a",)).hosts() == LOOPBACK | {"a"}


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_PORT", "9000")
    monkeypatch.setenv("HEADWATER_STORE", "sqlite:///other.db")
    assert (Settings().port, Settings().store) == (9000, "sqlite:///other.db")


def test_every_variable_that_the_code_names_is_in_the_table() -> None:
    files = [
        file for folder in PACKAGES for kind in ("*.py", "*.java") for file in (ROOT / folder).rglob(kind)
    ]
    named = {name for file in files for name in VARIABLE.findall(file.read_text("utf-8"))}
    for_tests = {"HEADWATER_SKIP_NEO4J", "HEADWATER_SPARK"}
    assert {"HEADWATER_STORE", "HEADWATER_API_KEY"} <= named
    assert named - for_tests <= {*variables(), *ELSEWHERE}


def test_the_document_is_made_from_the_settings() -> None:
    made = document()
    assert (ROOT / "docs" / "server.md").read_text("utf-8") == made, "make generated"
    assert all(f"`{name}`" in made for name in (*variables(), *ELSEWHERE))


def test_every_setting_has_a_description() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("HEADWATER_PROT", "HEADWATER_PORT"),
        ("HEADWATER_MAX_BODY_BYTE", "HEADWATER_MAX_BODY_BYTES"),
        ("HEADWATER_API_KEYFILE", "HEADWATER_API_KEY_FILE"),
        ("HEADWATER_QQQQQQQQQQQQQQQQQQ", None),
    ],
)
def test_a_misspelt_variable_is_found_and_the_nearest_name_with_it(name: str, nearest: str | None) -> None:
    surroundings = {name: "1", "HEADWATER_PORT": "1", "HEADWATERS": "1", "PATH": "/bin"}
    assert list(misspelt(surroundings)) == [(name, nearest)]


def test_a_secret_comes_from_a_variable_or_from_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert secret("THE_SECRET", "THE_SECRET_FILE") is None
    (tmp_path / "secret").write_text(" of the file\n")
    monkeypatch.setenv("THE_SECRET_FILE", str(tmp_path / "secret"))
    assert secret("THE_SECRET", "THE_SECRET_FILE") == "of the file"
    monkeypatch.setenv("THE_SECRET", "of the variable")
    assert secret("THE_SECRET", "THE_SECRET_FILE") == "of the variable"


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff\xfe"])
def test_a_file_without_a_secret_is_named(
    content: bytes | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("THE_SECRET_FILE", str(file))
    with pytest.raises(SecretError, match=f"THE_SECRET_FILE: {file}"):
        secret("THE_SECRET", "THE_SECRET_FILE")


@pytest.mark.parametrize(
    ("url", "holds"),
    [
        ("bolt://db:7687", False),
        ("bolt://me@db", False),
        ("bolt://me:no@db", True),
        ("bolt://:@db", True),
        ("bolt://me:no@[db", True),
        ("sqlite:///a@b:c", False),
    ],
)
def test_a_password_in_a_url_is_seen(url: str, holds: bool) -> None:
    assert holds_password(url) is holds
