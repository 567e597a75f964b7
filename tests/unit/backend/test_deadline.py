"""Whether a breach was notified within 72 hours, by times that people state."""

from __future__ import annotations

import pytest

from headwater_backend.privacy.organisation.deadline import deadline, is_late


@pytest.mark.parametrize(
    ("discovered", "found"),
    [
        ("2026-11-20 08:15", "2026-11-23 08:15"),
        ("2026-11-20T08:15Z", "2026-11-23 08:15+00:00"),
        ("2026-11-20 08:15+01:00", "2026-11-23 08:15+01:00"),
        ("2026-11-20", "2026-11-23 00:00"),
        ("", None),
        ("on Friday", None),
    ],
)
def test_the_deadline_is_72_hours_after_the_discovery(discovered: str, found: str | None) -> None:
    assert deadline(discovered) == found


@pytest.mark.parametrize(
    ("discovered", "notified", "late"),
    [
        ("2026-11-20 08:15", "", False),
        ("2026-11-20 08:15", "2026-11-23 08:15", False),
        ("2026-11-20 08:15", "2026-11-23 08:16", True),
        ("2026-11-20 08:15+01:00", "2026-11-23 08:00+00:00", True),
        ("2026-11-20 08:15+00:00", "2026-11-23 09:00+01:00", False),
        ("2026-11-20", "2026-11-22", False),
        ("2026-11-20 08:15", "2026-11-24", True),
    ],
)
def test_times_of_one_zone_or_of_their_own_are_compared(discovered: str, notified: str, late: bool) -> None:
    assert is_late(discovered, notified) is late


@pytest.mark.parametrize(
    ("discovered", "notified"),
    [
        ("2026-11-20 08:15", "2026-11-23"),
        ("2026-11-20", "2026-11-23 10:00"),
        ("2026-11-20 08:15", "2026-11-23 08:00+00:00"),
        ("on Friday", "2026-11-25"),
        ("2026-11-20 08:15", "by telephone"),
    ],
)
def test_a_day_or_a_time_without_a_zone_may_not_tell(discovered: str, notified: str) -> None:
    assert is_late(discovered, notified) is None
