"""Limits for events."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits for one event."""

    event_bytes: int = 8 * 1024 * 1024
    depth: int = 400
    values: int = 500_000
    text: int = 1024 * 1024
    """Characters of one string: a program's SQL, an error with its stack."""
    clock_skew: int = 24 * 60 * 60
    """Seconds that an event's time may be ahead of this machine's clock."""
    expanded_edges: int = 200_000
    """Above it, an output's mappings are kept as compact as in the event: coarser, never wrong."""


DEFAULT_LIMITS = Limits()
