"""The countries in which datasets are, as an organisation states: where they lie, and where their recipients are.

A dataset is *located* if a stated location covers it. It is in the countries of all locations that cover it, because it
may be copied, and in those of its recipients. What is not stated of these is a gap: a dataset is never known to be in
its stated countries alone while one is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from headwater_backend.domain.model import DatasetKey, Incomplete
from headwater_backend.privacy.organisation.countries import COUNTRIES
from headwater_backend.privacy.organisation.statements import Location, Organisation, Recipient

UNSTATED_LOCATION: Final = "UNSTATED_LOCATION"
UNCLEAR_COUNTRY: Final = "UNCLEAR_COUNTRY"


@dataclass(frozen=True, slots=True)
class Residence:
    """The stated countries of a dataset, sorted, and what is not stated."""

    countries: tuple[str, ...]
    unknown: tuple[Incomplete, ...]


class Residences:
    """The residence of each dataset."""

    def __init__(self, organisation: Organisation) -> None:
        self._organisation = organisation
        self._found: dict[DatasetKey, Residence] = {}

    def of(self, dataset: DatasetKey) -> Residence:
        """The residence of the dataset."""
        if dataset not in self._found:
            countries = {country for country in self._stated(dataset) if country in COUNTRIES}
            self._found[dataset] = Residence(tuple(sorted(countries)), tuple(self._unknown(dataset)))
        return self._found[dataset]

    def _stated(self, dataset: DatasetKey) -> Iterator[str]:
        stated: tuple[Location | Recipient, ...] = (
            *self._organisation.locations,
            *self._organisation.recipients,
        )
        yield from (each.country for each in stated if each.datasets.covers(dataset))

    def _unknown(self, dataset: DatasetKey) -> Iterator[Incomplete]:
        if not any(each.datasets.covers(dataset) for each in self._organisation.locations):
            detail = "no statement of the organisation says in which country the dataset is"
            yield Incomplete(UNSTATED_LOCATION, dataset, detail=detail)
        for each in self._organisation.recipients:
            if each.datasets.covers(dataset) and not each.country:
                detail = (
                    f"no statement of the organisation says in which country the recipient {each.name!r} is"
                )
                yield Incomplete(UNSTATED_LOCATION, dataset, detail=detail)
            elif each.datasets.covers(dataset) and each.country not in COUNTRIES:
                detail = (
                    f"{each.country!r}, the country of the recipient {each.name!r}, is no code of ISO 3166-1"
                )
                yield Incomplete(UNCLEAR_COUNTRY, dataset, detail=detail)
