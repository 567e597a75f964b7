"""Violations that no row can take, as somebody has acknowledged: they do not count while the jobs do what they did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from headwater_backend.privacy.answers.policy_check import Acceptance, PolicyCheck, Verdict, check_policies
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.findings.finding import Change, Finding, State, newest
from headwater_backend.privacy.held_attributes import HeldAttribute
from headwater_backend.privacy.organisation.statements import NO_ORGANISATION, Organisation
from headwater_backend.privacy.policies import Policy
from headwater_backend.questions.active.steps import ActiveGraph
from headwater_backend.questions.traversal import Bounds


def check_with_acceptances(
    store: ActiveGraph,
    policies: Sequence[Policy],
    ruling: Ruling,
    bounds: Bounds | None = None,
    organisation: Organisation = NO_ORGANISATION,
    *,
    active: bool = False,
) -> PolicyCheck:
    """``check_policies``, without what somebody has acknowledged in the outcome of active lineage."""
    found = check_policies(store, policies, ruling, bounds, organisation, active=active)
    if not active:
        return found
    known = newest(store.decisions())
    return replace(
        found, verdicts=tuple(replace(each, accepted=dict(_accepted(each, known))) for each in found.verdicts)
    )


def _accepted(verdict: Verdict, known: Mapping[str, Change]) -> Iterator[tuple[HeldAttribute, Acceptance]]:
    for held in verdict.violations:
        change = known.get(Finding.of(verdict.policy, held).id) if held.barred else None
        if change is not None and _is_accepted(held, change.finding):
            yield held, Acceptance(change.actor, change.time, change.reason)


def _is_accepted(held: HeldAttribute, then: Finding) -> bool:
    """Whether somebody has acknowledged that no row can take it, for what the jobs do now."""
    now = held.barred
    if now is None or then.barred is None or then.state is not State.ACKNOWLEDGED:
        return False
    same = now.version == then.barred.version and set(held.outside) <= set(then.countries)
    return same and then.forms[0] <= held.forms[0]
