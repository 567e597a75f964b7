"""The server's settings, and that it does not open itself to others by mistake."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from headwater_backend.settings import Settings


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
def test_loopback_is_fine(host: str) -> None:
    assert Settings(host=host).host == host


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "lineage.example.org"])
def test_any_other_address_is_refused_without_authentication(host: str) -> None:
    with pytest.raises(ValidationError, match="HEADWATER_ALLOW_UNAUTHENTICATED"):
        Settings(host=host)


def test_it_can_be_meant() -> None:
    assert Settings(host="0.0.0.0", allow_unauthenticated=True).hosts() is None


def test_on_loopback_only_its_names_are_answered() -> None:
    assert Settings().hosts() == {"localhost", "127.0.0.1", "::1"}
    assert "lineage.local" in (Settings(allowed_hosts=("Lineage.local",)).hosts() or ())


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_PORT", "9000")
    monkeypatch.setenv("HEADWATER_STORE", "sqlite:///other.db")
    assert (Settings().port, Settings().store) == (9000, "sqlite:///other.db")
