"""What a policy permits at a place by what the organisation states of it: purposes and countries.

A policy without such conditions permits nothing at its places. One with both is violated by either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from headwater_backend.domain.model import Incomplete
from headwater_backend.privacy.held_attributes import HeldAttribute
from headwater_backend.privacy.organisation.residence import Residences
from headwater_backend.privacy.organisation.statements import Organisation
from headwater_backend.privacy.policies import Policy

UNSTATED_PURPOSE: Final = "UNSTATED_PURPOSE"


@dataclass(frozen=True, slots=True)
class Judged:
    """An attribute in a form that a policy does not allow, whether that violates it, and what is not known of it."""

    held: HeldAttribute
    violates: bool
    unknown: tuple[Incomplete, ...] = ()


class Conditions:
    """The conditions of policies, by what an organisation states."""

    def __init__(self, organisation: Organisation) -> None:
        self._processing = organisation.processing
        self._residences = Residences(organisation)

    def judge(self, policy: Policy, held: HeldAttribute) -> Judged:
        """The attribute, at a place of the policy and in a form that it does not allow, with the countries in which it
        may not be.
        """
        if not policy.purposes and not policy.countries:
            return Judged(held, violates=True)
        purposes = tuple(self._purposes(held)) if policy.purposes else ()
        residence = self._residences.of(held.node.dataset)
        outside = tuple(each for each in residence.countries if not policy.permits_country(each))
        outside = outside if policy.countries else ()
        unknown = [*residence.unknown] if policy.countries else []
        if policy.purposes and not purposes:
            detail = "no statement of the organisation says for which purpose personal data are used here"
            unknown.append(Incomplete(UNSTATED_PURPOSE, held.node.dataset, detail=detail))
        violates = bool(outside) or not all(map(policy.permits, purposes))
        return Judged(held.with_outside(outside), violates, tuple(unknown))

    def _purposes(self, held: HeldAttribute) -> Iterator[str]:
        """The purposes that are stated for the dataset, or for the job that brought the attribute there."""
        for each in self._processing:
            if each.purpose and each.covers(held.node.dataset, held.jobs[-1:]):
                yield each.purpose
