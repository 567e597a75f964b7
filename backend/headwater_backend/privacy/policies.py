"""Policies on personal data: which data may be where, and in which form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.forms import Form

DEFAULT_ALLOWED: Final = frozenset({Form.AGGREGATED, Form.MASKED, Form.INFLUENCED})
EVERY_PATH: Final = "**"


class Severity(str, Enum):
    """The weight of a violation; only an error makes a check fail."""

    ERROR = "ERROR"
    WARNING = "WARNING"
    NOTE = "NOTE"


@dataclass(frozen=True, slots=True)
class Policy(PlacePattern):
    """A policy: data of the category may be at the places only in the allowed forms."""

    name: str
    category: str
    allowed: frozenset[Form] = DEFAULT_ALLOWED
    severity: Severity = Severity.ERROR

    def forbids(self, form: Form) -> bool:
        """Whether data may not be at the places in that form."""
        return form not in self.allowed
