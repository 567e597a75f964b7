"""Policies on personal data: which data may be where, in which form, for which purposes, and in which countries; and
where no pseudonym of them may be readable again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Final

from headwater_backend.privacy.classification.categories import includes
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation.countries import expanded

DEFAULT_ALLOWED: Final = frozenset({Form.AGGREGATED, Form.MASKED, Form.INFLUENCED})
EVERY_PATH: Final = "**"


class Severity(str, Enum):
    """The weight of a violation; only an error makes a check fail."""

    ERROR = "ERROR"
    WARNING = "WARNING"
    NOTE = "NOTE"


@dataclass(frozen=True, slots=True)
class Policy(PlacePattern):
    """A policy: data of the category may be at the places only in the allowed forms; if it has purposes or countries,
    in other forms for these purposes and in these countries alone.

    A policy that forbids re-identification is about that alone: whatever their forms, pseudonyms of such data may not
    be readable at the places.

    Purposes are data uses of fideslang, and include their kinds. Countries are codes, and groups of them.
    """

    datasets_in_any_case: ClassVar[bool] = True
    paths_in_any_case: ClassVar[bool] = True
    name: str
    category: str
    allowed: frozenset[Form] = DEFAULT_ALLOWED
    severity: Severity = Severity.ERROR
    purposes: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    forbids_reidentification: bool = False

    def permits(self, purpose: str) -> bool:
        """Whether data may be used for that purpose in any form."""
        return any(includes(each, purpose) for each in self.purposes)

    def permits_country(self, country: str) -> bool:
        """Whether data may be in that country in any form."""
        return country in expanded(self.countries)

    def permits_countries(self, countries: Iterable[str]) -> bool:
        """Whether data may be in all of these countries in any form."""
        return all(map(self.permits_country, countries))

    def forbids(self, form: Form) -> bool:
        """Whether data may not be at the places in that form."""
        return form not in self.allowed
