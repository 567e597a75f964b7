"""What an organisation states about itself and its processing, which lineage cannot know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Final

from headwater_backend.domain.errors import RulesError
from headwater_backend.domain.model import DatasetKey, JobKey
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.organisation.countries import expanded
from headwater_backend.questions.resolving import did_you_mean

LEGAL_BASES: Final = (
    "consent",
    "contract",
    "legal_obligation",
    "vital_interests",
    "public_interest",
    "legitimate_interests",
)
"""The bases of Art. 6(1) GDPR, in its order."""


@dataclass(frozen=True, slots=True)
class Party:
    """A controller, processor, representative or officer."""

    name: str
    address: str = ""
    contact: str = ""


@dataclass(frozen=True, slots=True)
class Client(Party):
    """A controller on whose behalf a processor acts, and in which activities, by their names."""

    activities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """A processing activity: the datasets that it covers, or the jobs that write them, and what is stated about it."""

    activity: str
    line: int
    outputs: PlacePattern | None = None
    jobs: PlacePattern | None = None
    purpose: str = ""
    legal_basis: str = ""
    subjects: tuple[str, ...] = ()
    retention: str = ""
    note: str = ""

    def covers(self, dataset: DatasetKey, writers: Iterable[JobKey]) -> bool:
        """Whether it is about the dataset, which these jobs write."""
        if self.outputs is not None:
            return self.outputs.covers(dataset)
        return self.jobs is not None and any(self.jobs.covers(DatasetKey(*job)) for job in writers)


@dataclass(frozen=True, slots=True)
class Recipient:
    """Who receives the data of some datasets; with a ``country``, they are transferred there."""

    name: str
    datasets: PlacePattern
    country: str = ""
    safeguard: str = ""
    contact: str = ""


@dataclass(frozen=True, slots=True)
class Location:
    """Where some datasets are: a country, by its code of ISO 3166-1."""

    datasets: PlacePattern
    country: str


SAFEGUARDS: Final = ("adequacy", "clauses", "binding_rules")
"""What a transfer may rest on: an adequacy decision (Art. 45 GDPR), standard contractual clauses and binding corporate
rules (Art. 46(2))."""


@dataclass(frozen=True, slots=True)
class Safeguard:
    """What transfers to countries rest on, of all datasets or some, from a day until another, both included."""

    kind: str
    countries: tuple[str, ...]
    datasets: PlacePattern | None = None
    since: date | None = None
    until: date | None = None
    note: str = ""

    def covers(self, country: str, dataset: DatasetKey) -> bool:
        """Whether it is about transfers of this dataset's data to that country."""
        return country in expanded(self.countries) and (
            self.datasets is None or self.datasets.covers(dataset)
        )

    def in_force(self, day: date) -> bool:
        """Whether it is in force that day."""
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)


@dataclass(frozen=True, slots=True)
class Incident:
    """What is stated about a breach.

    ``delay`` is why it was notified after 72 hours, ``risk`` how great it is for the persons, ``informed`` when and how
    they were informed, or why not (Art. 34), and ``follow_up`` what the authority is to be informed of later.
    """

    discovered: str = ""
    nature: str = ""
    persons: str = ""
    consequences: str = ""
    measures: str = ""
    notified: str = ""
    delay: str = ""
    risk: str = ""
    informed: str = ""
    follow_up: str = ""


@dataclass(frozen=True, slots=True)
class Organisation:
    """The content of the file; ``digest`` is the SHA-256 of its text, empty without a file."""

    controller: Party | None = None
    joint_controllers: tuple[Party, ...] = ()
    representative: Party | None = None
    data_protection_officer: Party | None = None
    processor: Party | None = None
    on_behalf_of: tuple[Client, ...] = ()
    authority: str = ""
    rights: str = ""
    automated_decisions: str = ""
    processing: tuple[Statement, ...] = ()
    recipients: tuple[Recipient, ...] = ()
    locations: tuple[Location, ...] = ()
    safeguards: tuple[Safeguard, ...] = ()
    measures: tuple[str, ...] = ()
    incident: Incident = field(default_factory=Incident)
    digest: str = ""


NO_ORGANISATION: Final = Organisation()


@cache
def data_uses() -> frozenset[str]:
    """The data uses of fideslang's default taxonomy."""
    from fideslang.default_taxonomy import DEFAULT_TAXONOMY  # noqa: PLC0415 - slow to load

    return frozenset(use.fides_key for use in DEFAULT_TAXONOMY.data_use)


@cache
def data_subjects() -> frozenset[str]:
    """The data subjects of fideslang's default taxonomy."""
    from fideslang.default_taxonomy import DEFAULT_TAXONOMY  # noqa: PLC0415 - slow to load

    return frozenset(subject.fides_key for subject in DEFAULT_TAXONOMY.data_subject)


def check_purpose(purpose: str, file: str, line: int) -> None:
    """Raise ``RulesError`` for a purpose that is no data use of fideslang."""
    if purpose not in data_uses():
        hint = did_you_mean(purpose, sorted(data_uses()))
        raise RulesError(file, line, f"{purpose!r} is no data use of fideslang", hint)
