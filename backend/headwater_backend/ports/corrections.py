"""The port to corrections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from headwater_backend.domain.model import Correction


class Corrections(Protocol):
    """What was said anew of runs that had ended."""

    def corrections(self) -> Sequence[Correction]:
        """All that nobody has accepted, by dataset, job and moment."""
        ...
